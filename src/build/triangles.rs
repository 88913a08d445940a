//! The tree's own triangles: in leaf order, over vertices in the order of their first use.

use nalgebra::Point3;

use super::binary::Binary;
use crate::mesh::Mesh;
use crate::tree::LAST_OF_LEAF;

/// Vertices and corner indices for the faces in leaf order; the first corner of a leaf's last triangle is marked.
/// Vertices that no triangle uses are left out.
pub(super) fn reorder(mesh: &Mesh, faces: &[u32], binary: &Binary) -> (Vec<Point3<f32>>, Vec<[u32; 3]>) {
    const UNUSED: u32 = u32::MAX;
    let mut new_index = vec![UNUSED; mesh.vertices().len()];
    let mut vertices = Vec::with_capacity(mesh.vertices().len());
    let mut corners: Vec<[u32; 3]> = faces
        .iter()
        .map(|&face| {
            mesh.triangles()[face as usize].map(|vertex| {
                let index = &mut new_index[vertex as usize];
                if *index == UNUSED {
                    *index = vertices.len() as u32;
                    vertices.push(mesh.vertices()[vertex as usize]);
                }
                *index
            })
        })
        .collect();
    for (first, count) in binary.leaves() {
        corners[first + count - 1][0] |= LAST_OF_LEAF;
    }
    (vertices, corners)
}
