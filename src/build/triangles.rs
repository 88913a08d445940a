//! The tree's own triangles: in leaf order, over vertices in the order of their first use.

use std::ops::Range;

use nalgebra::Point3;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::mesh::Mesh;
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
pub(super) fn reorder(mesh: &Mesh, faces: Vec<u32>, leaves: impl Iterator<Item = Range<usize>>) -> Triangles {
    const UNUSED: u32 = u32::MAX;
    let mut corners: Vec<[u32; 3]> = faces.par_iter().map(|&face| mesh.triangles()[face as usize]).collect();
    let mut new_index = vec![UNUSED; mesh.vertices().len()];
    let mut used = Vec::with_capacity(mesh.vertices().len());
    for vertex in corners.as_flattened_mut() {
        let index = &mut new_index[*vertex as usize];
        if *index == UNUSED {
            *index = used.len() as u32;
            used.push(*vertex);
        }
        *vertex = *index;
    }
    drop(new_index);
    let vertices = used.par_iter().map(|&vertex| mesh.vertices()[vertex as usize]).collect();
    for leaf in leaves {
        corners[leaf.end - 1][0] |= LAST_OF_LEAF;
    }
    Triangles { vertices, corners, faces }
}
