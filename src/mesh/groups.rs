//! Groups: the named parts of a mesh.

use std::collections::HashMap;
use std::ops::Range;

use super::Mesh;
use super::report::is_zero_area;

/// A run of triangles that belong to one object, group or material of the source file (not a collision group of a
/// scene).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Group {
    /// Name of the object, group or material, as [`GroupBy`](super::GroupBy) says. Several runs may have the same name.
    pub name: String,
    /// Name of the material, if groups are both objects and materials ([`GroupBy::Both`](super::GroupBy::Both));
    /// otherwise empty.
    #[cfg_attr(feature = "serde", serde(default))]
    pub material: String,
    /// First triangle of the run, which ends before the next run's first triangle.
    pub first_triangle: u32,
}

impl Group {
    /// The run that a triangle belongs to.
    pub(crate) fn of(groups: &[Self], triangle: u32) -> Option<&Self> {
        let after = groups.partition_point(|group| group.first_triangle <= triangle);
        groups[..after].last()
    }

    /// Writes the run as it is stored in files and hashed for digests: its first triangle and the lengths of both names
    /// as u32, little-endian, and the names in UTF-8.
    pub(crate) fn encode(&self, mut write: impl FnMut(&[u8])) {
        write(&self.first_triangle.to_le_bytes());
        for name in [&self.name, &self.material] {
            write(&(name.len() as u32).to_le_bytes());
        }
        write(self.name.as_bytes());
        write(self.material.as_bytes());
    }

    /// Whether two runs belong to the same object and material.
    pub(crate) fn has_names_of(&self, other: &Self) -> bool {
        self.name == other.name && self.material == other.material
    }
}

/// The distinct names of a mesh's groups or materials, and for each triangle the index of its name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct GroupIds {
    /// The names, in the order of their first triangles; triangles before the first run have an empty name.
    pub names: Vec<String>,
    /// For each triangle the index of its name.
    pub ids: Vec<u32>,
}

impl GroupIds {
    /// Numbers the names of the groups.
    pub(crate) fn of_names(groups: &[Group], triangles: usize) -> Self {
        Self::of_runs(runs(groups, triangles, |group| &group.name))
    }

    /// Numbers the materials of the groups.
    pub(crate) fn of_materials(groups: &[Group], triangles: usize) -> Self {
        Self::of_runs(runs(groups, triangles, |group| &group.material))
    }

    fn of_runs<'a>(runs: impl Iterator<Item = (&'a str, Range<u32>)>) -> Self {
        let (mut found, mut indices) = (Self::default(), HashMap::new());
        for (name, faces) in runs {
            let id = *indices.entry(name).or_insert_with(|| {
                found.names.push(name.to_owned());
                found.names.len() as u32 - 1
            });
            found.ids.resize(faces.end as usize, id);
        }
        found
    }
}

/// The runs of triangles with their groups' names or materials; the run before the first group has an empty name.
fn runs(groups: &[Group], triangles: usize, name: impl Fn(&Group) -> &str) -> impl Iterator<Item = (&str, Range<u32>)> {
    let starts = groups.iter().map(move |group| (name(group), group.first_triangle));
    let ends = groups.iter().map(|group| group.first_triangle).chain([triangles as u32]);
    let all = [("", 0)].into_iter().chain(starts).zip(ends);
    all.map(|((name, start), end)| (name, start..end)).filter(|(_, faces)| !faces.is_empty())
}

impl Mesh {
    /// The distinct names of the groups, and for each triangle the index of its group's name. Several runs of triangles
    /// may have the same name.
    pub fn group_ids(&self) -> GroupIds {
        GroupIds::of_names(&self.groups, self.triangles.len())
    }

    /// The distinct materials of the groups, and for each triangle the index of its material. All triangles have the
    /// same material with an empty name, unless groups are both objects and materials
    /// ([`GroupBy::Both`](super::GroupBy::Both)).
    pub fn material_ids(&self) -> GroupIds {
        GroupIds::of_materials(&self.groups, self.triangles.len())
    }

    /// Splits the mesh into one mesh for each group name, in the order of their first triangles; triangles before the
    /// first run get an empty name. Runs with the same name are joined. Triangles keep their order and their polygon
    /// numbers in the source; a part has only the vertices it uses.
    pub fn split_by_group(&self) -> Vec<(String, Mesh)> {
        let mut parts: Vec<(String, Vec<u32>)> = Vec::new();
        let mut indices: HashMap<&str, usize> = HashMap::new();
        for (name, faces) in runs(&self.groups, self.triangles.len(), |group| &group.name) {
            let part = *indices.entry(name).or_insert_with(|| {
                parts.push((name.to_owned(), Vec::new()));
                parts.len() - 1
            });
            parts[part].1.extend(faces);
        }
        parts.into_iter().map(|(name, faces)| (name, self.part(&faces))).collect()
    }

    /// Returns the mesh without the groups whose names `is_kept` rejects. Triangles before the first group are kept.
    pub fn retain_groups(&self, is_kept: impl FnMut(&str) -> bool) -> Mesh {
        let kept = kept_runs(&self.groups, self.triangles.len(), is_kept);
        self.part(&kept.flatten().collect::<Vec<_>>())
    }

    /// Returns the mesh without its zero-area triangles: those whose corners are exactly collinear
    /// ([`MeshReport::zero_area_triangles`](super::MeshReport)). The others have new face numbers, and keep their
    /// [polygon](Mesh::polygon) numbers in the source.
    #[doc(alias = "degenerate triangles")]
    pub fn without_zero_area_triangles(&self) -> Mesh {
        let faces: Vec<u32> = (0..).zip(self.iter()).filter(|(_, face)| !is_zero_area(face)).map(|(i, _)| i).collect();
        if faces.len() == self.triangles.len() { self.clone() } else { self.part(&faces) }
    }

    fn part(&self, faces: &[u32]) -> Mesh {
        let mut vertices = VerticesOfPart::new(self.vertices.len());
        faces.iter().for_each(|&face| vertices.add(self.triangles[face as usize]));
        let numbers = vertices.finish();
        let vertices = self.vertices.iter().zip(&numbers).filter(|(_, number)| VerticesOfPart::is_used(**number));
        let vertices = vertices.map(|(vertex, _)| *vertex).collect();
        let triangles = faces.iter().map(|&face| self.triangles[face as usize].map(|corner| numbers[corner as usize]));
        let mut polygons: Vec<u32> = faces.iter().map(|&face| self.polygon(face)).collect();
        if polygons.iter().zip(0..).all(|(&polygon, face)| polygon == face) {
            polygons = Vec::new();
        }
        let mut groups = GroupsOfPart::new(&self.groups);
        faces.iter().for_each(|&face| groups.add(face));
        Mesh { vertices, triangles: triangles.collect(), polygons, groups: groups.part, origin: self.origin }
    }
}

/// The runs of triangles before the first group, and of groups whose names `is_kept` accepts.
pub(super) fn kept_runs(
    groups: &[Group],
    triangles: usize,
    mut is_kept: impl FnMut(&str) -> bool,
) -> impl Iterator<Item = Range<u32>> {
    let first = groups.first().map(|group| group.first_triangle);
    runs(groups, triangles, |group| &group.name)
        .filter(move |(name, faces)| first.is_none_or(|first| faces.start < first) || is_kept(name))
        .map(|(_, faces)| faces)
}

/// The vertices that a part of a mesh uses.
pub(super) struct VerticesOfPart {
    numbers: Vec<u32>,
}

impl VerticesOfPart {
    const UNUSED: u32 = u32::MAX;

    pub(super) fn new(vertices: usize) -> Self {
        Self { numbers: vec![Self::UNUSED; vertices] }
    }

    pub(super) fn add(&mut self, triangle: [u32; 3]) {
        triangle.into_iter().for_each(|corner| self.numbers[corner as usize] = 0);
    }

    /// For each vertex of the mesh its index among the part's vertices, which keep their order.
    pub(super) fn finish(self) -> Vec<u32> {
        let Self { mut numbers } = self;
        let used = numbers.iter_mut().filter(|number| Self::is_used(**number));
        used.zip(0..).for_each(|(number, index)| *number = index);
        numbers
    }

    /// Whether the part has the vertex with this index.
    pub(super) fn is_used(number: u32) -> bool {
        number != Self::UNUSED
    }
}

/// The groups of a part of a mesh.
pub(super) struct GroupsOfPart<'a> {
    mesh: &'a [Group],
    pub(super) part: Vec<Group>,
    triangles: u32,
}

impl<'a> GroupsOfPart<'a> {
    pub(super) fn new(mesh: &'a [Group]) -> Self {
        Self { mesh, part: Vec::new(), triangles: 0 }
    }

    /// Adds the next triangle of the part, by its number in the mesh.
    pub(super) fn add(&mut self, face: u32) {
        if let Some(group) = Group::of(self.mesh, face)
            && self.part.last().is_none_or(|last| !last.has_names_of(group))
        {
            self.part.push(Group { first_triangle: self.triangles, ..group.clone() });
        }
        self.triangles += 1;
    }
}
