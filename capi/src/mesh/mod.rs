//! Meshes: of arrays or of files.

mod arrays;
mod files;
mod report;

use bvtree::Mesh;

use crate::shape::BvtAabb;

pub use arrays::*;
pub(crate) use arrays::{Strided, positions};
pub use files::*;
pub use report::*;

/// A triangle mesh, which never changes: any number of threads may use it at once.
pub struct BvtMesh {
    pub(crate) mesh: Mesh,
}

/// Frees a mesh; null is nothing. Trees that were built of it stay.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_mesh_free(mesh: Option<Box<BvtMesh>>) {
    drop(mesh);
}

/// How many vertices a mesh has; 0 of null.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_mesh_vertex_count(mesh: Option<&BvtMesh>) -> usize {
    mesh.map_or(0, |mesh| mesh.mesh.vertices().len())
}

/// How many triangles a mesh has; 0 of null.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_mesh_triangle_count(mesh: Option<&BvtMesh>) -> usize {
    mesh.map_or(0, |mesh| mesh.mesh.triangles().len())
}

/// The vertices, three f32 each, as long as the mesh lives; null of null.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_mesh_vertices(mesh: Option<&BvtMesh>) -> *const f32 {
    mesh.map_or(std::ptr::null(), |mesh| mesh.mesh.vertices().as_ptr().cast())
}

/// The triangles, three vertices each, as long as the mesh lives; null of null. A triangle's place among them is its
/// face in all answers.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_mesh_triangles(mesh: Option<&BvtMesh>) -> *const u32 {
    mesh.map_or(std::ptr::null(), |mesh| mesh.mesh.triangles().as_ptr().cast())
}

/// The box around all triangles; an empty one of null.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_mesh_bounds(mesh: Option<&BvtMesh>) -> BvtAabb {
    (&mesh.map_or_else(bvtree::shape::Aabb::empty, |mesh| mesh.mesh.aabb())).into()
}
