//! What may surprise in a mesh.

use bvtree::probe::Watertightness;

use super::BvtMesh;
use crate::ffi::given;
use crate::panic_guard::{DONE, panic_guard};
use crate::status::BvtStatus;
use crate::versioned_struct::{facts, versioned};

/// Whether a mesh has an inside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u32)]
pub enum BvtWatertightness {
    /// Some edge has an odd number of triangles: there is no inside.
    #[default]
    BVT_WATERTIGHTNESS_OPEN = 0,
    /// Closed, but triangles' orders of corners disagree.
    BVT_WATERTIGHTNESS_UNORIENTED = 1,
    /// Closed, and its triangles agree.
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
    /// sizeof(BvtMeshReport), set by the caller.
    pub struct_size: usize,
    /// Number of triangles.
    pub triangles: usize,
    /// Number of vertices.
    pub vertices: usize,
    /// Number of different points among the vertices.
    pub distinct_vertices: usize,
    /// Triangles whose corners lie on one line.
    pub zero_area_triangles: usize,
    /// Triangles with the same three points as one before them.
    pub duplicate_triangles: usize,
    /// Edges of one triangle only.
    pub open_edges: usize,
    /// Edges of more than two triangles.
    pub non_manifold_edges: usize,
    /// Edges along which two triangles run in the same direction.
    pub inconsistent_edges: usize,
    /// Sets of triangles that are connected by vertices.
    pub components: usize,
    /// A BvtWatertightness.
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

/// Counts what may surprise in a mesh. Nothing there is an error, and nothing is dropped or repaired.
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
