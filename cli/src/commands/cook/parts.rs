//! Which triangles of a mesh are cooked: by patterns of group names, by level of detail, by the names of collision
//! meshes, and with an area.

use bvtree::Mesh;
use clap::ValueEnum;
use serde::Deserialize;

use crate::commands::cook::settings::Recipe;

/// What becomes of groups whose names say that they are collision meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Collision {
    /// Cook only these, where a mesh has any
    Only,
    /// Leave them out
    Skip,
}

/// The choice of triangles. By default, all are cooked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts {
    pub skip_groups: Vec<glob::Pattern>,
    /// The level of detail to cook, of groups that have several.
    pub lod: Option<u32>,
    pub collision: Option<Collision>,
    pub drop_zero_area: bool,
}

impl Parts {
    /// Whether a mesh is cooked as it is.
    pub fn are_all(&self) -> bool {
        *self == Self::default()
    }

    /// The choice as text for the digest; for patterns alone, that of earlier versions.
    pub fn text(&self) -> String {
        let patterns: Vec<_> = self.skip_groups.iter().map(glob::Pattern::as_str).collect();
        let Self { lod, collision, drop_zero_area, .. } = self;
        match (lod, collision, drop_zero_area) {
            (None, None, false) => format!("{patterns:?}"),
            others => format!("{patterns:?} {others:?}"),
        }
    }

    fn takes_group(&self, name: &str, has_collision: bool) -> bool {
        let is_level = |level| level_of_detail(name).is_none_or(|own| own == level);
        let takes_collision = match self.collision {
            Some(Collision::Only) if has_collision => is_collision(name),
            Some(Collision::Skip) => !is_collision(name),
            _ => true,
        };
        takes_collision
            && self.lod.is_none_or(is_level)
            && !self.skip_groups.iter().any(|pattern| pattern.matches(name))
    }
}

impl Recipe {
    /// The mesh without what is left out. Faces keep the numbers of their polygons in the source.
    pub fn cooked_part(&self, mesh: Mesh) -> Mesh {
        let parts = &self.parts;
        if parts.are_all() {
            return mesh;
        }
        let has_collision = mesh.groups().iter().any(|group| is_collision(&group.name));
        let mesh = mesh.retain_groups(|name| parts.takes_group(name, has_collision));
        if parts.drop_zero_area { mesh.without_zero_area_triangles() } else { mesh }
    }
}

/// The level of detail in a group's name or in one of the nodes on its path: `rock_LOD1`, `props/rock_lod1/mesh`.
fn level_of_detail(name: &str) -> Option<u32> {
    name.rsplit('/').find_map(|part| {
        let part = part.to_ascii_lowercase();
        let at = part.rfind("_lod")?;
        let digits = &part[at + "_lod".len()..];
        digits.bytes().all(|digit| digit.is_ascii_digit()).then(|| digits.parse().ok())?
    })
}

/// Whether a group's name, or a node on its path, is that of a collision mesh: Unreal's `UCX_rock`, Godot's
/// `rock-colonly`, `rock_col`. Upper and lower case, and Blender's `.001` at the end, make no difference.
fn is_collision(name: &str) -> bool {
    const PREFIXES: [&str; 5] = ["ubx_", "ucp_", "usp_", "ucx_", "mcdcx_"];
    const SUFFIXES: [&str; 8] =
        ["_col", "_collision", "_collider", "-col", "-convcol", "-colonly", "-convcolonly", "_colonly"];
    name.split('/').any(|part| {
        let part = part.to_ascii_lowercase();
        let plain = part.rsplit_once('.').filter(|(_, number)| number.bytes().all(|c| c.is_ascii_digit()));
        let part = plain.map_or(part.as_str(), |(plain, _)| plain);
        PREFIXES.iter().any(|prefix| part.starts_with(prefix)) || SUFFIXES.iter().any(|suffix| part.ends_with(suffix))
    })
}

#[cfg(test)]
mod tests {
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
}
