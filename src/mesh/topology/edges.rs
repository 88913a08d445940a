//! Edges and the triangles that share them: whether a mesh is closed.

use nalgebra::Point3;

use super::points::distinct_points;
use crate::parallel::Sorting;

/// How a mesh's triangles join along their edges: whether it is closed, and oriented. (Not the set of open edges, which
/// topology calls the boundary.) Vertices at equal coordinates are one.
///
/// A mesh is closed if no edge has an odd number of triangles: then it divides space, and a path between two points
/// crosses it always an even or always an odd number of times. A wall between two chambers makes edges of three
/// triangles: such a mesh has no open edge, yet no inside in this sense, and is not closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Watertightness {
    /// Closed, and triangles run along each edge as often one way as the other: a point is inside where the mesh winds
    /// around it (its winding number is not zero). Shells may be nested or overlap; one within another is a cavity if
    /// it is turned inside out, and of no effect if it is not.
    Oriented,
    /// Closed, but triangles' orders of corners disagree: a point is inside if every path from it to the outside
    /// crosses the mesh an odd number of times (the even-odd rule).
    Unoriented,
    /// Some edge has an odd number of triangles: there is no inside.
    Open,
}

impl Watertightness {
    /// Of triangles given by their vertices. Takes O(n log n) time. No triangles are closed.
    pub(crate) fn new(vertices: &[Point3<f32>], triangles: impl Iterator<Item = [u32; 3]>, sorting: Sorting) -> Self {
        let (points, _) = distinct_points(vertices, sorting);
        let triangles = triangles.map(|corners| corners.map(|vertex| points[vertex as usize]));
        EdgeCounts::new(triangles, sorting).watertightness()
    }

    /// Whether there is an inside.
    pub fn is_closed(self) -> bool {
        self != Self::Open
    }
}

/// How many edges there are of which kind.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::mesh) struct EdgeCounts {
    /// Of one triangle.
    pub(in crate::mesh) open: usize,
    /// Of more than two triangles.
    pub(in crate::mesh) non_manifold: usize,
    /// Of two triangles that run along it in the same direction.
    pub(in crate::mesh) inconsistent: usize,
    /// Of an odd number of triangles.
    odd: usize,
    /// Run along more often one way than the other.
    unbalanced: usize,
}

impl EdgeCounts {
    /// Of triangles given by their points, which are below 2^31.
    pub(in crate::mesh) fn new(triangles: impl Iterator<Item = [u32; 3]>, sorting: Sorting) -> Self {
        // Lower point, higher point and direction in one word.
        let mut edges: Vec<u64> = Vec::with_capacity(3 * triangles.size_hint().0);
        for [a, b, c] in triangles {
            if a != b && b != c && c != a {
                for (from, to) in [(a, b), (b, c), (c, a)] {
                    let (low, high) = (from.min(to), from.max(to));
                    edges.push(u64::from(low) << 32 | u64::from(high) << 1 | u64::from(from > to));
                }
            }
        }
        sorting.sort_unstable(&mut edges);

        let mut counts = Self::default();
        for uses in edges.chunk_by(|a, b| a >> 1 == b >> 1) {
            let backward = uses.iter().filter(|&&edge| edge & 1 == 1).count();
            counts.open += usize::from(uses.len() == 1);
            counts.non_manifold += usize::from(uses.len() > 2);
            counts.inconsistent += usize::from(uses.len() == 2 && backward != 1);
            counts.odd += uses.len() % 2;
            counts.unbalanced += usize::from(2 * backward != uses.len());
        }
        counts
    }

    pub(in crate::mesh) fn watertightness(&self) -> Watertightness {
        match (self.odd, self.unbalanced) {
            (0, 0) => Watertightness::Oriented,
            (0, _) => Watertightness::Unoriented,
            _ => Watertightness::Open,
        }
    }
}
