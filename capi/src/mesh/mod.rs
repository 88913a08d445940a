//! Meshes, from arrays or files: their contents, defects and mass properties.

mod arrays;
mod files;

use std::mem::MaybeUninit;

use bvtree::Mesh;
use bvtree::probe::Watertightness;
use bvtree::response::MassProperties;

use crate::ffi::{facts, given, out, versioned};
use crate::panic_guard::{DONE, panic_guard};
use crate::shape::BvtAabb;
use crate::status::BvtStatus;

pub use arrays::*;
pub(crate) use arrays::{Strided, positions};
pub use files::*;

/// An immutable triangle mesh. Any number of threads may use it at the same time.
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

/// Watertightness: whether a mesh has an inside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum BvtWatertightness {
    /// Some edge has an odd number of triangles: the mesh has no inside.
    #[default]
    BVT_WATERTIGHTNESS_OPEN = 0,
    /// The mesh is closed, but its triangles' orientations disagree.
    BVT_WATERTIGHTNESS_UNORIENTED = 1,
    /// The mesh is closed, and its triangles' orientations agree.
    BVT_WATERTIGHTNESS_ORIENTED = 2,
}

impl From<Watertightness> for BvtWatertightness {
    fn from(watertightness: Watertightness) -> Self {
        match watertightness {
            Watertightness::Open => Self::BVT_WATERTIGHTNESS_OPEN,
            Watertightness::Unoriented => Self::BVT_WATERTIGHTNESS_UNORIENTED,
            Watertightness::Oriented => Self::BVT_WATERTIGHTNESS_ORIENTED,
        }
    }
}

/// Counts of a mesh's parts and defects.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct BvtMeshReport {
    /// Must be `sizeof(BvtMeshReport)`; the caller sets it.
    pub struct_size: usize,
    /// Number of triangles.
    pub triangles: usize,
    /// Number of vertices.
    pub vertices: usize,
    /// Number of distinct points among the vertices.
    pub distinct_vertices: usize,
    /// Number of triangles whose corners are collinear.
    pub zero_area_triangles: usize,
    /// Number of triangles with the same three points as an earlier one.
    pub duplicate_triangles: usize,
    /// Number of edges with only one triangle.
    pub open_edges: usize,
    /// Number of edges with more than two triangles.
    pub non_manifold_edges: usize,
    /// Number of edges along which two triangles run in the same direction.
    pub inconsistent_edges: usize,
    /// Number of connected components: sets of triangles connected by shared vertices.
    pub components: usize,
    /// A value of `BvtWatertightness`.
    pub watertightness: u32,
}

versioned!(BvtMeshReport);

impl Default for BvtMeshReport {
    fn default() -> Self {
        Self {
            struct_size: size_of::<Self>(),
            triangles: 0,
            vertices: 0,
            distinct_vertices: 0,
            zero_area_triangles: 0,
            duplicate_triangles: 0,
            open_edges: 0,
            non_manifold_edges: 0,
            inconsistent_edges: 0,
            components: 0,
            watertightness: 0,
        }
    }
}

/// Counts a mesh's parts and defects. Defects are not errors: nothing is dropped or repaired.
///
/// # Safety
/// The report's `struct_size` is set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_mesh_report(mesh: Option<&BvtMesh>, report: *mut BvtMeshReport) -> BvtStatus {
    panic_guard(|| {
        let counted = given(mesh, "mesh")?.mesh.report();
        let counts = BvtMeshReport {
            struct_size: size_of::<BvtMeshReport>(),
            triangles: counted.triangles,
            vertices: counted.vertices,
            distinct_vertices: counted.distinct_vertices,
            zero_area_triangles: counted.zero_area_triangles,
            duplicate_triangles: counted.duplicate_triangles,
            open_edges: counted.open_edges,
            non_manifold_edges: counted.non_manifold_edges,
            inconsistent_edges: counted.inconsistent_edges,
            components: counted.components,
            watertightness: BvtWatertightness::from(counted.watertightness) as u32,
        };
        // SAFETY: the caller has set the size.
        unsafe { facts(report, "report", &counts) }?;
        DONE
    })
}

/// Mass properties of a solid of density 1. Multiply volume and inertia by a density to get the solid's mass and
/// moments of inertia.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtMassProperties {
    /// The volume, in cubed units of the mesh or shape.
    pub volume: f64,
    /// The centre of mass.
    pub center: [f64; 3],
    /// Inertia tensor about the centre of mass, along the axes of the mesh's or shape's frame, row by row; symmetric.
    pub inertia: [f64; 9],
}

impl From<MassProperties> for BvtMassProperties {
    fn from(mass: MassProperties) -> Self {
        let mut inertia = [0.0; 9];
        inertia.copy_from_slice(mass.inertia.transpose().as_slice());
        Self { volume: mass.volume, center: mass.center.into(), inertia }
    }
}

/// Computes the mass properties of a closed mesh.
///
/// Errors: `BVT_ERROR_MASS` if the mesh is open, its triangles' orientations disagree, or it encloses no volume.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_mesh_mass_properties(
    mesh: Option<&BvtMesh>,
    mass: Option<&mut MaybeUninit<BvtMassProperties>>,
) -> BvtStatus {
    panic_guard(|| {
        let (mesh, out) = (given(mesh, "mesh")?, out(mass, "mass")?);
        out.write(MassProperties::of(&mesh.mesh)?.into());
        DONE
    })
}
