//! How triangles are connected: which vertices are one point, which triangles form a component, how they meet along
//! edges. All other modules use this one, so that every result follows the same rules:
//!
//! * Vertices at equal coordinates (`-0.0 == 0.0`) are one point.
//! * Triangles that share a point are connected.
//! * A triangle with two equal corners is a segment or a point and has no edges.
//! * A mesh is closed if no edge has an odd number of triangles ([`Watertightness`]).

use std::collections::HashMap;
use std::hash::Hash;

use nalgebra::Point3;

use crate::parallel::Sorting;

/// Whether a mesh is closed and consistently oriented. Vertices at equal coordinates count as one.
///
/// A mesh is closed if no edge has an odd number of triangles. It then divides space: all paths between two points
/// cross it an even number of times, or all an odd number. A wall between two chambers makes edges of three triangles,
/// so such a mesh has no open edge but is not closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Watertightness {
    /// Closed, and triangles traverse each edge equally often in both directions. A point is inside if its winding
    /// number is not zero. Shells may be nested or overlap; a shell within another is a cavity if it is inside out, and
    /// has no effect otherwise.
    Oriented,
    /// Closed, but triangles traverse some edge more often in one direction than in the other. A point is inside if
    /// every path from it to infinity crosses the mesh an odd number of times (even-odd rule).
    Unoriented,
    /// The mesh is not closed: some edge has an odd number of triangles, so there is no inside.
    Open,
}

impl Watertightness {
    /// Classifies triangles given by their vertices, in O(n log n) time. An empty mesh is closed.
    pub(crate) fn new(vertices: &[Point3<f32>], triangles: impl Iterator<Item = [u32; 3]>, sorting: Sorting) -> Self {
        let (points, _) = distinct_points(vertices, sorting);
        let triangles = triangles.map(|corners| corners.map(|vertex| points[vertex as usize]));
        EdgeCounts::new(triangles, sorting).watertightness()
    }

    /// Whether the mesh is closed and so has an inside.
    pub fn is_closed(self) -> bool {
        self != Self::Open
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EdgeCounts {
    pub(super) open: usize,
    pub(super) non_manifold: usize,
    pub(super) inconsistent: usize,
    /// Edges of an odd number of triangles.
    odd: usize,
    /// Edges that triangles traverse more often in one direction than in the other.
    unbalanced: usize,
}

impl EdgeCounts {
    /// Counts the edges of triangles, given by the numbers of their points, which are below 2^31.
    pub(super) fn new(triangles: impl Iterator<Item = [u32; 3]>, sorting: Sorting) -> Self {
        // Lower point, higher point and direction in one u64.
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

/// Numbers the distinct points among the vertices; returns the number of each vertex's point, and how many points there
/// are.
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

/// The triangles at each point of a mesh; vertices at equal coordinates are one point. Points are numbered in the order
/// of the triangles, so that those of near triangles are near in memory.
#[derive(Debug)]
pub(crate) struct PointTriangles {
    /// The points of each triangle.
    corners: Vec<[u32; 3]>,
    /// The index in `triangles` at which each point's triangles start, followed by the end of the last point's.
    starts: Vec<usize>,
    triangles: Vec<u32>,
}

impl PointTriangles {
    /// Numbers the points, and lists at each point its triangles, which are given by their vertices.
    pub(crate) fn new(
        vertices: &[Point3<f32>],
        triangles: impl Iterator<Item = [u32; 3]> + Clone,
        sorting: Sorting,
    ) -> Self {
        const NONE: u32 = u32::MAX;
        let (points, count) = distinct_points(vertices, sorting);
        let (mut numbers, mut numbered) = (vec![NONE; count], 0);
        let mut number = |vertex: u32| {
            let number = &mut numbers[points[vertex as usize] as usize];
            if *number == NONE {
                *number = numbered;
                numbered += 1;
            }
            *number
        };
        let corners: Vec<[u32; 3]> = triangles.map(|corners| corners.map(&mut number)).collect();
        let mut starts = vec![0usize; numbered as usize + 1];
        corners.as_flattened().iter().for_each(|&point| starts[point as usize] += 1);
        let mut end = 0;
        for start in &mut starts {
            end += *start;
            *start = end;
        }
        let mut sorted = vec![0; end];
        for (triangle, corners) in (0..).zip(&corners) {
            for &point in corners {
                starts[point as usize] -= 1;
                sorted[starts[point as usize]] = triangle;
            }
        }
        Self { corners, starts, triangles: sorted }
    }

    /// The number of points.
    pub(crate) fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The points of a triangle.
    pub(crate) fn points(&self, triangle: usize) -> [usize; 3] {
        self.corners[triangle].map(|point| point as usize)
    }

    /// The triangles at a point; a triangle with two corners there appears twice.
    pub(crate) fn at(&self, point: usize) -> &[u32] {
        &self.triangles[self.starts[point]..self.starts[point + 1]]
    }
}

/// Disjoint sets of numbers: union-find with path halving (Tarjan and van Leeuwen 1984).
pub(crate) struct DisjointSets {
    parents: Vec<u32>,
}

impl DisjointSets {
    pub(crate) fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).collect() }
    }

    /// The sets of items that are connected by shared keys, directly or through other items. Items are numbered in
    /// their order.
    pub(crate) fn sharing<K: Eq + Hash, I: IntoIterator<Item = K>>(items: impl ExactSizeIterator<Item = I>) -> Self {
        let mut sets = Self::new(items.len());
        let mut first_with: HashMap<K, u32> = HashMap::new();
        for (item, keys) in (0..).zip(items) {
            for key in keys {
                let other = *first_with.entry(key).or_insert(item);
                sets.join(item, other);
            }
        }
        sets
    }

    /// The smallest number in the set of `number`.
    pub(crate) fn find(&mut self, mut number: u32) -> u32 {
        let parents = &mut self.parents;
        while parents[number as usize] != number {
            let grandparent = parents[parents[number as usize] as usize];
            parents[number as usize] = grandparent;
            number = grandparent;
        }
        number
    }

    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parents[a.max(b) as usize] = a.min(b);
    }
}

/// The connected components of triangles that share points.
#[derive(Debug)]
pub(crate) struct Components {
    /// Component of each triangle; components are numbered in the order of their first triangles.
    of: Vec<u32>,
    /// The first triangle of each component.
    first: Vec<u32>,
    /// The vertices of each component with the least and the greatest coordinates; empty if vertices were not given.
    extremes: Vec<[u32; 6]>,
}

impl Components {
    /// Finds the components of triangles given by their vertices.
    pub(crate) fn new(
        vertices: &[Point3<f32>],
        triangles: impl Iterator<Item = [u32; 3]> + Clone,
        sorting: Sorting,
    ) -> Self {
        let (points, count) = distinct_points(vertices, sorting);
        let of_points = triangles.clone().map(|corners| corners.map(|vertex| points[vertex as usize]));
        let mut components = Self::of_points(of_points, count);
        for (triangle, corners) in triangles.enumerate() {
            let component = components.at(triangle);
            if components.extremes.len() == component {
                components.extremes.push([corners[0]; 6]);
            }
            for (k, extreme) in components.extremes[component].iter_mut().enumerate() {
                // Equal coordinates are told apart by the others, so that the triangles' order does not matter.
                let key = |vertex: u32| [0, 1, 2].map(|x| vertices[vertex as usize][(k / 2 + x) % 3]);
                for vertex in corners {
                    let is_beyond = if k % 2 == 0 { key(vertex) < key(*extreme) } else { key(vertex) > key(*extreme) };
                    if is_beyond {
                        *extreme = vertex;
                    }
                }
            }
        }
        components
    }

    /// Finds the components of triangles given by their points, which are numbers below `points`.
    pub(crate) fn of_points(triangles: impl Iterator<Item = [u32; 3]> + Clone, points: usize) -> Self {
        let mut sets = DisjointSets::new(points);
        for [a, b, c] in triangles.clone() {
            sets.join(a, b);
            sets.join(a, c);
        }
        const NONE: u32 = u32::MAX;
        let (mut numbers, mut first) = (vec![NONE; points], Vec::new());
        let number = |(triangle, [a, _, _]): (u32, [u32; 3])| {
            let number = &mut numbers[sets.find(a) as usize];
            if *number == NONE {
                *number = first.len() as u32;
                first.push(triangle);
            }
            *number
        };
        let of = (0..).zip(triangles).map(number).collect();
        Self { of, first, extremes: Vec::new() }
    }

    pub(crate) fn count(&self) -> usize {
        self.first.len()
    }

    /// The first triangle of a component.
    pub(crate) fn first(&self, component: usize) -> u32 {
        self.first[component]
    }

    /// The vertices of a component with the least x, the greatest x, and the same for y and z, in this order.
    pub(crate) fn extremes(&self, component: usize) -> &[u32; 6] {
        &self.extremes[component]
    }

    pub(crate) fn at(&self, triangle: usize) -> usize {
        self.of[triangle] as usize
    }
}

/// An edge that triangles traverse more often in one direction than in the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundaryEdge {
    /// Vertices, the smaller index first.
    pub(crate) ends: [u32; 2],
    /// Traversals from the first vertex to the second, minus those from the second to the first.
    pub(crate) excess: i32,
}

impl BoundaryEdge {
    /// The edges of a triangle that have two distinct ends.
    pub(crate) fn of_triangle([a, b, c]: [u32; 3]) -> impl Iterator<Item = Self> {
        let edges = [(a, b), (b, c), (c, a)].into_iter().filter(|(from, to)| from != to);
        edges.map(|(from, to)| Self { ends: [from.min(to), from.max(to)], excess: if from < to { 1 } else { -1 } })
    }
}

/// The boundary of a part of a mesh: the edges that are not traversed equally often in both directions.
pub(crate) fn boundary(mut edges: Vec<BoundaryEdge>) -> Vec<BoundaryEdge> {
    edges.sort_unstable_by_key(|edge| edge.ends);
    let once = edges.chunk_by(|a, b| a.ends == b.ends).filter_map(|same| {
        let excess = same.iter().map(|edge| edge.excess).sum();
        (excess != 0).then_some(BoundaryEdge { excess, ..same[0] })
    });
    once.collect()
}
