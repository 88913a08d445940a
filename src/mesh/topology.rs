//! How triangles are connected: which vertices are one point, which triangles form a component, how they meet along
//! edges. All other modules ask this one, so that every answer follows the same rules:
//!
//! * Vertices at equal coordinates (`-0.0 == 0.0`) are one point.
//! * Triangles that share a point are connected.
//! * A triangle with two equal corners is a segment or a point and has no edges.
//! * A mesh is closed if no edge has an odd number of triangles ([`Watertightness`]).

use nalgebra::Point3;

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
pub(super) struct EdgeCounts {
    /// Of one triangle.
    pub(super) open: usize,
    /// Of more than two triangles.
    pub(super) non_manifold: usize,
    /// Of two triangles that run along it in the same direction.
    pub(super) inconsistent: usize,
    /// Of an odd number of triangles.
    odd: usize,
    /// Run along more often one way than the other.
    unbalanced: usize,
}

impl EdgeCounts {
    /// Of triangles given by their points, which are below 2^31.
    pub(super) fn new(triangles: impl Iterator<Item = [u32; 3]>, sorting: Sorting) -> Self {
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

    pub(super) fn watertightness(&self) -> Watertightness {
        match (self.odd, self.unbalanced) {
            (0, 0) => Watertightness::Oriented,
            (0, _) => Watertightness::Unoriented,
            _ => Watertightness::Open,
        }
    }
}

/// Numbers the different points among the vertices: each vertex's point, and how many there are.
pub(crate) fn distinct_points(vertices: &[Point3<f32>], sorting: Sorting) -> (Vec<u32>, usize) {
    // Adding +0.0 turns -0.0 into it; other values are equal exactly where their bits are.
    let key = |vertex: u32| {
        let v = &vertices[vertex as usize];
        [v.x, v.y, v.z].map(|x| (x + 0.0).to_bits())
    };
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    sorting.sort_unstable_by_key(&mut order, |&vertex| key(vertex));

    let mut points = vec![0; vertices.len()];
    let mut count = 0;
    for equal in order.chunk_by(|&a, &b| key(a) == key(b)) {
        for &vertex in equal {
            points[vertex as usize] = count;
        }
        count += 1;
    }
    (points, count as usize)
}

/// Sets of numbers that have no number in common: union-find with path halving (Tarjan and van Leeuwen 1984).
pub(crate) struct DisjointSets {
    parents: Vec<u32>,
}

impl DisjointSets {
    /// The numbers below `count`, each a set of its own.
    pub(crate) fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).collect() }
    }

    /// The least number of the set that a number is in.
    pub(crate) fn find(&mut self, mut number: u32) -> u32 {
        let parents = &mut self.parents;
        while parents[number as usize] != number {
            let grandparent = parents[parents[number as usize] as usize];
            parents[number as usize] = grandparent;
            number = grandparent;
        }
        number
    }

    /// Makes one set of two.
    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }
}

/// Which triangles are connected by shared points.
#[derive(Debug)]
pub(crate) struct Components {
    /// Of each triangle; numbered in the order of their first triangles.
    of: Vec<u32>,
    count: usize,
}

impl Components {
    /// Of triangles given by their vertices.
    pub(crate) fn new(
        vertices: &[Point3<f32>],
        triangles: impl Iterator<Item = [u32; 3]> + Clone,
        sorting: Sorting,
    ) -> Self {
        let (points, count) = distinct_points(vertices, sorting);
        Self::of_points(triangles.map(|corners| corners.map(|vertex| points[vertex as usize])), count)
    }

    /// Of triangles given by their points, which are numbers below `points`.
    pub(crate) fn of_points(triangles: impl Iterator<Item = [u32; 3]> + Clone, points: usize) -> Self {
        let mut sets = DisjointSets::new(points);
        for [a, b, c] in triangles.clone() {
            sets.join(a, b);
            sets.join(a, c);
        }
        const NONE: u32 = u32::MAX;
        let mut numbers = vec![NONE; points];
        let mut count = 0;
        let number = |[a, _, _]: [u32; 3]| {
            let number = &mut numbers[sets.find(a) as usize];
            if *number == NONE {
                (*number, count) = (count, count + 1);
            }
            *number
        };
        let of = triangles.map(number).collect();
        Self { of, count: count as usize }
    }

    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// The component of a triangle.
    pub(crate) fn at(&self, triangle: usize) -> usize {
        self.of[triangle] as usize
    }
}

/// An edge that triangles run along more often one way than the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundaryEdge {
    /// Vertices, the lesser one first.
    pub(crate) ends: [u32; 2],
    /// How much more often triangles run from the first to the second than back.
    pub(crate) excess: i32,
}

impl BoundaryEdge {
    /// A triangle's edges that have two ends.
    pub(crate) fn of_triangle([a, b, c]: [u32; 3]) -> impl Iterator<Item = Self> {
        let edges = [(a, b), (b, c), (c, a)].into_iter().filter(|(from, to)| from != to);
        edges.map(|(from, to)| Self { ends: [from.min(to), from.max(to)], excess: if from < to { 1 } else { -1 } })
    }
}

/// Each edge once, and none that is run along as often both ways: what is left of the borders of parts around all of
/// them.
pub(crate) fn boundary(mut edges: Vec<BoundaryEdge>) -> Vec<BoundaryEdge> {
    edges.sort_unstable_by_key(|edge| edge.ends);
    let once = edges.chunk_by(|a, b| a.ends == b.ends).filter_map(|same| {
        let excess = same.iter().map(|edge| edge.excess).sum();
        (excess != 0).then_some(BoundaryEdge { excess, ..same[0] })
    });
    once.collect()
}
