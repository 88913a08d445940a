//! Chooses the triangles of a mesh that are cooked: by patterns for group names, by level of detail, by whether a name
//! marks a collision mesh, and by whether a triangle has an area. Levels of detail and collision meshes may also be
//! separate files, recognized by their names.

use std::collections::HashSet;
use std::path::Path;

use bvtree::Mesh;
use bvtree::mesh::{Group, LargeMesh, MeshError};
use clap::ValueEnum;
use serde::Deserialize;

use crate::commands::cook::settings::Recipe;

/// What to do with groups and files whose names mark them as collision meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Collision {
    /// Cook only the collision meshes, where a mesh has any
    Only,
    /// Leave the collision meshes out
    Skip,
}

/// The choice of triangles. By default, all are cooked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts {
    pub skip_groups: Vec<glob::Pattern>,
    /// The level of detail to cook; groups and files whose names have no level are cooked too.
    pub lod: Option<u32>,
    pub collision: Option<Collision>,
    pub drop_zero_area: bool,
}

impl Parts {
    /// Whether all triangles of a mesh are cooked.
    fn are_all(&self) -> bool {
        *self == Self::default()
    }

    /// The choice as text for the digest. For patterns alone, the text is the same as in earlier versions.
    pub fn text(&self) -> String {
        let patterns: Vec<_> = self.skip_groups.iter().map(glob::Pattern::as_str).collect();
        let Self { lod, collision, drop_zero_area, .. } = self;
        match (lod, collision, drop_zero_area) {
            (None, None, false) => format!("{patterns:?}"),
            others => format!("{patterns:?} {others:?}"),
        }
    }

    fn takes_group(&self, name: &str, has_collision: bool) -> bool {
        self.takes(level_of_detail(name), is_collision(name), has_collision)
            && !self.skip_groups.iter().any(|pattern| pattern.matches(name) || pattern.matches(last_name(name)))
    }

    /// Whether a group or file is cooked, given its level of detail and whether it is a collision mesh; `has_collision`
    /// says whether the mesh that the group or file belongs to has collision meshes.
    fn takes(&self, level: Option<u32>, is_collision: bool, has_collision: bool) -> bool {
        let takes_collision = match self.collision {
            Some(Collision::Only) => is_collision || !has_collision,
            Some(Collision::Skip) => !is_collision,
            None => true,
        };
        takes_collision && self.lod.is_none_or(|lod| level.is_none_or(|own| own == lod))
    }
}

/// What the name of a mesh file says about the mesh.
struct FileName<'a> {
    folder: &'a Path,
    /// The name in lower case, without extension and without the marks of levels and collision meshes.
    base: String,
    level: Option<u32>,
    is_collision: bool,
}

impl<'a> FileName<'a> {
    fn of(path: &'a Path) -> Self {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        // The level stands before or after the mark of collision meshes: `door_lod1_col`, `door_col_lod1`.
        let unmarked = without_collision_mark(&stem);
        let plain = unmarked.unwrap_or(&stem);
        let (plain, level) = split_level(plain).map_or((plain, None), |(plain, level)| (plain, Some(level)));
        let inside = without_collision_mark(plain);
        let is_collision = unmarked.or(inside).is_some();
        let folder = path.parent().unwrap_or(Path::new(""));
        Self { folder, base: inside.unwrap_or(plain).to_owned(), level, is_collision }
    }

    /// The folder and names of the meshes that this file may be a collision mesh of: `door` for `UCX_door` and Unreal's
    /// `UCX_door_01`.
    fn meshes(&self) -> impl Iterator<Item = (&Path, &str)> {
        let numbered = self.base.rsplit_once('_').filter(|(_, number)| is_number(number)).map(|(base, _)| base);
        [Some(&*self.base), numbered].into_iter().flatten().map(|base| (self.folder, base))
    }
}

impl Parts {
    /// Whether each of the mesh files is cooked. This depends on its level of detail, and on whether it is a collision
    /// mesh or has one in the same folder.
    pub fn choose_files(&self, paths: &[&Path]) -> Vec<bool> {
        let names: Vec<_> = paths.iter().map(|path| FileName::of(path)).collect();
        let collisions = names.iter().filter(|name| name.is_collision);
        let have_collision: HashSet<_> = collisions.flat_map(FileName::meshes).collect();
        let is_chosen = |name: &FileName<'_>| {
            self.takes(name.level, name.is_collision, have_collision.contains(&(name.folder, &*name.base)))
        };
        names.iter().map(is_chosen).collect()
    }
}

impl Recipe {
    /// The mesh without the triangles that the recipe leaves out. Faces keep the numbers of their polygons in the
    /// source.
    pub fn cooked_part(&self, mesh: Mesh) -> Mesh {
        let parts = &self.parts;
        if parts.are_all() {
            return mesh;
        }
        let has_collision = has_collision(mesh.groups());
        let mesh = mesh.retain_groups(|name| parts.takes_group(name, has_collision));
        if parts.drop_zero_area { mesh.without_zero_area_triangles() } else { mesh }
    }

    /// [`Recipe::cooked_part`] for a mesh on disk.
    pub fn large_part(&self, mesh: LargeMesh) -> Result<LargeMesh, MeshError> {
        let parts = &self.parts;
        if parts.are_all() {
            return Ok(mesh);
        }
        let has_collision = has_collision(mesh.groups());
        let mesh = mesh.retain_groups(|name| parts.takes_group(name, has_collision))?;
        if parts.drop_zero_area { mesh.without_zero_area_triangles() } else { Ok(mesh) }
    }
}

/// The last name on a group's path: `roof` of `house/roof`.
fn last_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn has_collision(groups: &[Group]) -> bool {
    groups.iter().any(|group| is_collision(&group.name))
}

/// The level of detail in a group's name or in one of the nodes on its path: `rock_LOD1`, `props/rock_lod1/mesh`.
fn level_of_detail(name: &str) -> Option<u32> {
    name.rsplit('/').find_map(|part| split_level(&part.to_ascii_lowercase()).map(|(_, level)| level))
}

/// Splits a name in lower case into the name without its level of detail, and the level; `None` if it has none.
fn split_level(name: &str) -> Option<(&str, u32)> {
    let (plain, digits) = name.rsplit_once("_lod")?;
    is_number(digits).then(|| Some((plain, digits.parse().ok()?)))?
}

/// Whether a group's name, or a node on its path, is that of a collision mesh: Unreal's `UCX_rock`, Godot's
/// `rock-colonly`, `rock_col`. Upper and lower case, and Blender's `.001` at the end, make no difference.
fn is_collision(name: &str) -> bool {
    name.split('/').any(|part| without_collision_mark(&part.to_ascii_lowercase()).is_some())
}

/// The name of a collision mesh, in lower case, without the prefix or suffix that marks it as one; `None` for other
/// meshes.
fn without_collision_mark(name: &str) -> Option<&str> {
    const PREFIXES: [&str; 5] = ["ubx_", "ucp_", "usp_", "ucx_", "mcdcx_"];
    const SUFFIXES: [&str; 8] =
        ["_col", "_collision", "_collider", "-col", "-convcol", "-colonly", "-convcolonly", "_colonly"];
    let name = name.rsplit_once('.').filter(|(_, number)| is_number(number)).map_or(name, |(plain, _)| plain);
    let unprefixed = PREFIXES.iter().find_map(|prefix| name.strip_prefix(prefix));
    unprefixed.or_else(|| SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix)))
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|digit| digit.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn names_have_levels() {
        let levels = ["rock_LOD0", "rock_lod12", "props/rock_Lod3/mesh", "a_lod1/b_lod2", "rock_LOD", "flood1", "LOD1"];
        let expected = [Some(0), Some(12), Some(3), Some(2), None, None, None];
        assert_eq!(levels.map(level_of_detail), expected);
        assert_eq!(level_of_detail("rock_lod99999999999"), None);
    }

    #[test]
    fn names_say_collision() {
        for name in ["UCX_rock_01", "ubx_door", "props/UCX_rock/mesh", "rock_col", "rock-colonly", "Rock-ConvCol.001"] {
            assert!(is_collision(name), "{name}");
        }
        for name in ["rock", "protocol", "rock_color", "UCXrock", "stone.001", ""] {
            assert!(!is_collision(name), "{name}");
        }
    }

    /// The names, without extension, of the files that are chosen.
    fn chosen(lod: Option<u32>, collision: Option<Collision>, stems: &[&str]) -> Vec<String> {
        let files: Vec<_> = stems.iter().map(|stem| PathBuf::from(format!("{stem}.obj"))).collect();
        let parts = Parts { lod, collision, ..Parts::default() };
        let is_chosen = parts.choose_files(&files.iter().map(PathBuf::as_path).collect::<Vec<_>>());
        stems.iter().zip(is_chosen).filter(|(_, is_chosen)| *is_chosen).map(|(stem, _)| (*stem).to_owned()).collect()
    }

    #[test]
    fn files_of_a_kit_are_chosen_by_name() {
        let kit = [
            "a/Door_LOD0",
            "a/Door_LOD1",
            "a/UCX_Door_01",
            "a/UCX_door_02",
            "a/wall",
            "a/wall_col_lod1",
            "a/lamp",
            "b/door",
            "b/lamp-colonly",
        ];
        let of = |lod, collision| chosen(lod, collision, &kit);
        assert_eq!(of(None, None), kit);
        let expected = [
            "a/Door_LOD1",
            "a/UCX_Door_01",
            "a/UCX_door_02",
            "a/wall",
            "a/wall_col_lod1",
            "a/lamp",
            "b/door",
            "b/lamp-colonly",
        ];
        assert_eq!(of(Some(1), None), expected);
        let expected = ["a/Door_LOD0", "a/wall", "a/lamp", "b/door"];
        assert_eq!(of(Some(0), Some(Collision::Skip)), expected);
        // The lamp of folder a and the door of folder b have no collision mesh.
        let expected = ["a/UCX_Door_01", "a/UCX_door_02", "a/wall_col_lod1", "a/lamp", "b/door", "b/lamp-colonly"];
        assert_eq!(of(None, Some(Collision::Only)), expected);
        // A number at the end may also belong to the name.
        let expected = ["UCX_pipe_01", "UCX_pipe_02", "pipe_03"];
        let pipes = ["pipe_01", "UCX_pipe_01", "UCX_pipe_02", "pipe_03"];
        assert_eq!(chosen(None, Some(Collision::Only), &pipes), expected);
    }
}
