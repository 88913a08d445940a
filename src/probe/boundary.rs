//! Whether a mesh is closed, so that it has an inside.

use nalgebra::Point3;

use crate::mesh::{Mesh, distinct_points};
use crate::tree::{BvTree, LAST_OF_LEAF};

/// How a mesh's triangles join along their edges. Vertices at equal coordinates are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// Closed, and triangles run along each edge as often one way as the other: a point is inside where the mesh winds
    /// around it. Shells may be nested or overlap; one within another is a cavity if it is turned inside out.
    Oriented,
    /// Closed, but triangles' orders of corners disagree: a point is inside if every path from it to the outside
    /// crosses the mesh an odd number of times.
    Unoriented,
    /// Some edge has an odd number of triangles: there is no inside.
    Open,
}

impl Boundary {
    /// Looks at all edges: takes O(n log n) time. An empty mesh is closed.
    ///
    /// [`BvTree::boundary`] does this once and keeps the answer.
    pub(crate) fn of(tree: &BvTree) -> Self {
        let view = tree.view();
        let corners = view.corners.iter().map(|&[a, b, c]| [a & !LAST_OF_LEAF, b, c]);
        Self::of_triangles(view.vertices, corners)
    }

    /// As [`Boundary::of`] a tree of the mesh.
    pub(crate) fn of_mesh(mesh: &Mesh) -> Self {
        Self::of_triangles(mesh.vertices(), mesh.triangles().iter().copied())
    }

    fn of_triangles(vertices: &[Point3<f32>], corners: impl ExactSizeIterator<Item = [u32; 3]>) -> Self {
        let (points, _) = distinct_points(vertices);
        let mut edges: Vec<([u32; 2], bool)> = Vec::with_capacity(3 * corners.len());
        for triangle in corners {
            let [a, b, c] = triangle.map(|vertex| points[vertex as usize]);
            for (from, to) in [(a, b), (b, c), (c, a)] {
                if from != to {
                    edges.push(([from.min(to), from.max(to)], from < to));
                }
            }
        }
        edges.sort_unstable();
        let mut boundary = Self::Oriented;
        for uses in edges.chunk_by(|(a, _), (b, _)| a == b) {
            if uses.len() % 2 == 1 {
                return Self::Open;
            }
            if 2 * uses.iter().filter(|(_, forward)| *forward).count() != uses.len() {
                boundary = Self::Unoriented;
            }
        }
        boundary
    }

    /// Whether there is an inside.
    pub fn is_closed(self) -> bool {
        self != Self::Open
    }
}
