//! Counts of a mesh's defects. None of them is an error, and nothing is ever dropped or repaired.

use std::fmt;

use robust::{Coord, orient2d};

use super::Mesh;
use super::topology::{Components, EdgeCounts, Watertightness, distinct_points};
use crate::parallel::Sorting;
use crate::triangle::Triangle;

/// Counts of a mesh's parts and defects.
///
/// Vertices at equal coordinates (`-0.0 == 0.0`) count as one, except in `vertices`. A triangle with two equal corners
/// is a segment or a point and has no edges.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MeshReport {
    /// Number of triangles.
    pub triangles: usize,
    /// Number of vertices, including unused ones.
    pub vertices: usize,
    /// Number of distinct points among the vertices.
    pub distinct_vertices: usize,
    /// Triangles whose corners are exactly collinear.
    pub zero_area_triangles: usize,
    /// Triangles with the same three points, in any order, as an earlier one.
    pub duplicate_triangles: usize,
    /// Edges of one triangle only: boundaries of holes and open surfaces.
    pub open_edges: usize,
    /// Edges of more than two triangles.
    pub non_manifold_edges: usize,
    /// Edges of two triangles that both traverse them in the same direction, so that the triangles' normals disagree.
    pub inconsistent_edges: usize,
    /// Connected components: sets of triangles that are connected by shared vertices.
    pub components: usize,
    /// Whether the mesh is closed and consistently oriented.
    pub watertightness: Watertightness,
}

impl MeshReport {
    pub(super) fn new(mesh: &Mesh) -> Self {
        let (points, distinct_vertices) = distinct_points(mesh.vertices(), Sorting::InPool);
        let mut corners: Vec<_> = mesh.triangles().iter().map(|t| t.map(|index| points[index as usize])).collect();
        drop(points);

        let zero_area_triangles = mesh.iter().filter(is_zero_area).count();
        let edges = EdgeCounts::new(corners.iter().copied(), Sorting::InPool);
        let components = Components::of_points(corners.iter().copied(), distinct_vertices).count();
        corners.iter_mut().for_each(|corners| corners.sort_unstable());
        Sorting::InPool.sort_unstable(&mut corners);
        Self {
            triangles: mesh.triangles().len(),
            vertices: mesh.vertices().len(),
            distinct_vertices,
            zero_area_triangles,
            duplicate_triangles: corners.windows(2).filter(|pair| pair[0] == pair[1]).count(),
            open_edges: edges.open,
            non_manifold_edges: edges.non_manifold,
            inconsistent_edges: edges.inconsistent,
            components,
            watertightness: edges.watertightness(),
        }
    }

    /// Whether every edge has an even number of triangles, so that the mesh has an inside: see [`Watertightness`]. This
    /// is stricter than having no open edge, because it excludes edges of three triangles. An empty mesh is closed.
    #[doc(alias = "watertight")]
    pub fn is_closed(&self) -> bool {
        self.watertightness.is_closed()
    }

    /// Whether no edge has more than two triangles.
    #[doc(alias = "manifold")]
    pub fn is_edge_manifold(&self) -> bool {
        self.non_manifold_edges == 0
    }
}

impl fmt::Display for MeshReport {
    /// Writes one line per count.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = [
            ("triangles", self.triangles),
            ("vertices", self.vertices),
            ("distinct vertices", self.distinct_vertices),
            ("zero-area triangles", self.zero_area_triangles),
            ("duplicate triangles", self.duplicate_triangles),
            ("open edges", self.open_edges),
            ("non-manifold edges", self.non_manifold_edges),
            ("inconsistent edges", self.inconsistent_edges),
            ("components", self.components),
        ];
        for (name, count) in lines {
            writeln!(f, "{name:<20}{count:>11}")?;
        }
        let closed = if self.is_closed() { "yes" } else { "no" };
        write!(f, "{:<20}{closed:>11}", "closed")
    }
}

/// Whether the corners are exactly collinear, which is the case if their projections along all three axes are
/// collinear. Coordinates that were f32 neither overflow nor underflow in `orient2d`.
pub(crate) fn is_zero_area(triangle: &Triangle) -> bool {
    [(0, 1), (1, 2), (2, 0)].iter().all(|&(u, v)| {
        let [a, b, c] = triangle.vertices.map(|p| Coord { x: p[u], y: p[v] });
        orient2d(a, b, c) == 0.0
    })
}
