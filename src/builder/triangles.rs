//! The tree's own triangles: in leaf order, over vertices in the order of their first use.

use std::ops::Range;

use nalgebra::Point3;

use crate::mesh::Mesh;
use crate::parallel;
use crate::tree::LAST_OF_LEAF;

/// A tree's triangles in leaf order.
pub(crate) struct Triangles {
    /// Without those that no triangle uses.
    pub(crate) vertices: Vec<Point3<f32>>,
    /// The first corner of a leaf's last triangle is marked.
    pub(crate) corners: Vec<[u32; 3]>,
    /// Index in the mesh of each triangle.
    pub(crate) faces: Vec<u32>,
}

/// The mesh's triangles for the faces in leaf order and the places of each leaf's.
pub(crate) fn reorder(mesh: &Mesh, faces: Vec<u32>, leaves: impl Iterator<Item = Range<usize>> + Send) -> Triangles {
    let mut corners: Vec<[u32; 3]> = parallel::map(&faces, |&face| mesh.triangles()[face as usize]);
    let used = number_by_first_use(&mut corners, mesh.vertices().len(), parallel::threads().min(PARTS));
    let vertex = |&vertex: &u32| mesh.vertices()[vertex as usize];
    let mark = || leaves.for_each(|leaf| corners[leaf.end - 1][0] |= LAST_OF_LEAF);
    let (vertices, ()) = parallel::join(|| parallel::map(&used, vertex), mark);
    Triangles { vertices, corners, faces }
}

/// At most so many parts of the triangles are numbered at once, for each takes memory.
const PARTS: usize = 4;

/// Numbers the vertices in the order of their first use, in place and in so many parts at once; returns those used in
/// that order.
fn number_by_first_use(corners: &mut [[u32; 3]], vertices: usize, parts: usize) -> Vec<u32> {
    let length = corners.len().div_ceil(parts).max(1);
    let parts: Vec<FirstUses> = parallel::map_chunks_mut(corners, length, |part| FirstUses::number(part, vertices));
    let mut parts = parts.into_iter();
    let mut all = parts.next().unwrap_or_default();
    // What a part has numbered for itself goes behind what came before.
    for (corners, part) in corners.chunks_mut(length).skip(1).zip(parts) {
        let numbers: Vec<u32> = part.used.into_iter().map(|vertex| all.number_of(vertex)).collect();
        parallel::for_each_mut(corners, |_, corners| *corners = corners.map(|number| numbers[number as usize]));
    }
    all.used
}

/// Vertices in the order of their first use.
#[derive(Default)]
struct FirstUses {
    /// Of each vertex of the mesh.
    numbers: Vec<u32>,
    used: Vec<u32>,
}

impl FirstUses {
    const UNUSED: u32 = u32::MAX;

    /// Of these triangles, whose corners are numbered.
    fn number(corners: &mut [[u32; 3]], vertices: usize) -> Self {
        let mut uses = Self { numbers: vec![Self::UNUSED; vertices], used: Vec::with_capacity(vertices) };
        for vertex in corners.as_flattened_mut() {
            *vertex = uses.number_of(*vertex);
        }
        uses
    }

    fn number_of(&mut self, vertex: u32) -> u32 {
        let number = &mut self.numbers[vertex as usize];
        if *number == Self::UNUSED {
            *number = self.used.len() as u32;
            self.used.push(vertex);
        }
        *number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_do_not_depend_on_the_parts() {
        // Few vertices used often, many never.
        let corner = |i: usize| (i * i * 7919 % 1013 * 3) as u32;
        let triangles: Vec<[u32; 3]> = (0..997).map(|i| [corner(i), corner(i + 5), corner(2 * i)]).collect();
        for (length, parts) in [(0, 3), (1, 3), (3, 2), (997, 1), (997, 2), (997, 3), (997, 9)] {
            let triangles = &triangles[..length];
            let mut numbered = triangles.to_vec();
            let used = number_by_first_use(&mut numbered, 3 * 1013, parts);
            let mut expected: Vec<u32> = Vec::new();
            for &vertex in triangles.as_flattened() {
                if !expected.contains(&vertex) {
                    expected.push(vertex);
                }
            }
            assert_eq!(used, expected);
            let corners: Vec<u32> = numbered.as_flattened().iter().map(|&number| used[number as usize]).collect();
            assert_eq!(corners, triangles.as_flattened());
        }
    }
}
