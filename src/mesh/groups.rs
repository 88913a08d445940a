//! Parts of a mesh, by group.

use std::collections::HashMap;

use super::{Group, Mesh};

impl Mesh {
    /// A mesh for each name among the groups, in the order of their first triangles, with the name; triangles before
    /// the first run make one without a name. Runs of one name come together. Triangles keep their order and the
    /// source's polygon numbers, so that each can be found there; vertices that a part does not use are left out of it.
    pub fn split_by_group(&self) -> Vec<(String, Mesh)> {
        let mut parts: Vec<(String, Vec<u32>)> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for (name, faces) in self.runs() {
            let place = *places.entry(name).or_insert_with(|| {
                parts.push((name.to_owned(), Vec::new()));
                parts.len() - 1
            });
            parts[place].1.extend(faces);
        }
        parts.into_iter().map(|(name, faces)| (name, self.part(&faces))).collect()
    }

    /// The mesh without the groups whose names `is_kept` refuses. Triangles before the first group are kept.
    pub fn retain_groups(&self, mut is_kept: impl FnMut(&str) -> bool) -> Mesh {
        let first = self.groups.first().map(|group| group.first_triangle);
        let kept = self.runs().filter(|(name, faces)| first.is_none_or(|first| faces.start < first) || is_kept(name));
        self.part(&kept.flat_map(|(_, faces)| faces).collect::<Vec<_>>())
    }

    /// The runs of triangles with their names, the one before the first group with none.
    fn runs(&self) -> impl Iterator<Item = (&str, std::ops::Range<u32>)> {
        let starts = self.groups.iter().map(|group| (group.name.as_str(), group.first_triangle));
        let ends = self.groups.iter().map(|group| group.first_triangle).chain([self.triangles.len() as u32]);
        let all = [("", 0)].into_iter().chain(starts).zip(ends);
        all.map(|((name, start), end)| (name, start..end)).filter(|(_, faces)| !faces.is_empty())
    }

    /// These triangles, in this order.
    fn part(&self, faces: &[u32]) -> Mesh {
        const NONE: u32 = u32::MAX;
        let mut numbers = vec![NONE; self.vertices.len()];
        for &corner in faces.iter().flat_map(|&face| &self.triangles[face as usize]) {
            numbers[corner as usize] = 0;
        }
        let mut vertices = Vec::new();
        for (number, vertex) in numbers.iter_mut().zip(&self.vertices).filter(|(number, _)| **number != NONE) {
            *number = vertices.len() as u32;
            vertices.push(*vertex);
        }
        let triangles = faces.iter().map(|&face| self.triangles[face as usize].map(|corner| numbers[corner as usize]));
        let mut polygons: Vec<u32> = faces.iter().map(|&face| self.polygon(face)).collect();
        if polygons.iter().zip(0..).all(|(&polygon, face)| polygon == face) {
            polygons = Vec::new();
        }
        let mut groups: Vec<Group> = Vec::new();
        for (face, first_triangle) in faces.iter().zip(0..) {
            if let Some(Group { name, .. }) = self.group_of(*face)
                && groups.last().is_none_or(|last| last.name != *name)
            {
                groups.push(Group { name: name.clone(), first_triangle });
            }
        }
        Mesh { vertices, triangles: triangles.collect(), polygons, groups, origin: self.origin }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\ng a\nf 1 2 3 4\ng b\nf 4 3 2\ng a\nf 2 3 4\n";

    fn faces(mesh: &Mesh) -> Vec<(u32, Option<&str>)> {
        let face = |face| (mesh.polygon(face), mesh.group_of(face).map(|group| group.name.as_str()));
        (0..mesh.triangles().len() as u32).map(face).collect()
    }

    #[test]
    fn a_mesh_splits_into_its_groups() {
        let mesh = Mesh::read_obj(TEXT.as_bytes()).unwrap();
        let parts = mesh.split_by_group();
        assert_eq!(parts.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["", "a", "b"]);
        assert_eq!(faces(&parts[0].1), [(0, None)]);
        assert_eq!(faces(&parts[1].1), [(1, Some("a")), (1, Some("a")), (3, Some("a"))]);
        assert_eq!((parts[2].1.vertices().len(), parts[2].1.triangles()), (3, &[[2, 1, 0]][..]));
        assert!(parts.iter().map(|(_, part)| part.iter().count()).eq([1, 3, 1]));
        assert_eq!(parts[1].1.triangle(2), mesh.triangle(4));
    }

    #[test]
    fn groups_are_left_out() {
        let mesh = Mesh::read_obj(TEXT.as_bytes()).unwrap();
        assert_eq!(faces(&mesh.retain_groups(|name| name == "b")), [(0, None), (2, Some("b"))]);
        assert_eq!(mesh.retain_groups(|_| true).iter().collect::<Vec<_>>(), mesh.iter().collect::<Vec<_>>());
        assert_eq!(Mesh::from_arrays(vec![], vec![]).unwrap().split_by_group(), []);
    }
}
