//! Mesh report: defects and other properties worth knowing.

use bvtree::probe::Watertightness;

use super::BvtMesh;
use crate::ffi::given;
use crate::panic_guard::{DONE, panic_guard};
use crate::status::BvtStatus;
use crate::versioned_struct::{facts, versioned};

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
    /// Number of sets of triangles that are connected by vertices.
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

/// Counts a mesh's parts and defects. No defect is an error, and nothing is dropped or repaired.
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
