//! Meshes, from arrays or files.

mod arrays;
mod files;
mod report;

use bvtree::Mesh;

use crate::shape::BvtAabb;

pub use arrays::*;
pub(crate) use arrays::{Strided, positions};
pub use files::*;
pub use report::*;

/// An immutable triangle mesh. Any number of threads may use it at once.
pub struct BvtMesh {
    pub(crate) mesh: Mesh,
}

/// Frees a mesh. Null is ignored. Trees built from it remain valid.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_mesh_free(mesh: Option<Box<BvtMesh>>) {
    drop(mesh);
}

/// Returns the number of vertices of a mesh; 0 if it is null.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_mesh_vertex_count(mesh: Option<&BvtMesh>) -> usize {
    mesh.map_or(0, |mesh| mesh.mesh.vertices().len())
}

/// Returns the number of triangles of a mesh; 0 if it is null.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_mesh_triangle_count(mesh: Option<&BvtMesh>) -> usize {
    mesh.map_or(0, |mesh| mesh.mesh.triangles().len())
}

/// Returns the vertices, three f32 each, valid while the mesh lives; null if the mesh is null.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_mesh_vertices(mesh: Option<&BvtMesh>) -> *const f32 {
    mesh.map_or(std::ptr::null(), |mesh| mesh.mesh.vertices().as_ptr().cast())
}

/// Returns the triangles, three vertex indices each, valid while the mesh lives; null if the mesh is null. All results
/// refer to a triangle by its index here, as `face`.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_mesh_triangles(mesh: Option<&BvtMesh>) -> *const u32 {
    mesh.map_or(std::ptr::null(), |mesh| mesh.mesh.triangles().as_ptr().cast())
}

/// Returns the box around all triangles; an empty box if the mesh is null.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_mesh_bounds(mesh: Option<&BvtMesh>) -> BvtAabb {
    (&mesh.map_or_else(bvtree::shape::Aabb::empty, |mesh| mesh.mesh.aabb())).into()
}
