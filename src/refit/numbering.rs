//! Which vertex of a tree is which of its mesh.

use std::sync::Arc;

use super::error::NotRefittable;
use crate::builder::{Triangles, reorder};
use crate::mesh::Mesh;
use crate::tree::{BvTree, Owned, View, check_structure};

/// A tree of the mesh in memory of its own, its vertices numbered by first use.
pub(super) fn numbered(tree: Arc<BvTree>, mesh: &Mesh) -> Result<BvTree, NotRefittable> {
    check_structure(tree.view(), tree.meta(), tree.groups())?;
    if tree.triangle_count() != mesh.triangles.len() {
        return Err(NotRefittable::Triangles { tree: tree.triangle_count(), mesh: mesh.triangles.len() });
    }
    let view = tree.view();
    for (place, &face) in view.faces.iter().enumerate() {
        let in_mesh = mesh.triangles[face as usize].map(|vertex| &mesh.vertices[vertex as usize]);
        if view.triangle(place) != in_mesh {
            return Err(NotRefittable::OtherMesh { face });
        }
    }
    let Triangles { vertices, corners, faces } = reorder(mesh, view.faces.to_vec(), leaves(&view).into_iter());
    let (nodes, polygons) = (view.nodes.to_vec(), view.polygons.to_vec());
    let groups = tree.groups().to_vec();
    let meta = tree.meta().clone();
    Ok(BvTree::from_parts(meta, Owned { nodes, vertices, corners, faces, polygons, groups }))
}

/// Where each leaf's triangles are.
fn leaves(view: &View<'_>) -> Vec<std::ops::Range<usize>> {
    let mut leaves = Vec::new();
    let mut first = 0;
    while first < view.corners.len() {
        let leaf = view.leaf(first);
        first = leaf.end;
        leaves.push(leaf);
    }
    leaves
}

/// For each vertex of a tree that is numbered by first use that of its mesh.
pub(super) fn mesh_vertices(tree: &BvTree, mesh: &Mesh) -> Vec<u32> {
    let view = tree.view();
    let mut mesh_vertices = vec![0; view.vertices.len()];
    for (corners, &face) in view.triangles().zip(view.faces) {
        for (number, &vertex) in corners.into_iter().zip(&mesh.triangles[face as usize]) {
            mesh_vertices[number as usize] = vertex;
        }
    }
    mesh_vertices
}
