//! What may surprise in a mesh, counted: nothing here is an error, and nothing is ever dropped or repaired.

use std::{fmt, mem};

use nalgebra::Point3;
use robust::{Coord, orient2d};

use super::Mesh;
use crate::parallel;
use crate::triangle::Triangle;

/// Counts of a mesh's parts and defects.
///
/// Vertices at equal coordinates (`-0.0 == 0.0`) are taken as one for all counts but `vertices`. A triangle with
/// two equal corners is the segment or point it is: it has no edges.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MeshReport {
    /// Number of triangles.
    pub triangles: usize,
    /// Number of vertices, whether triangles use them or not.
    pub vertices: usize,
    /// Number of different points among the vertices.
    pub distinct_vertices: usize,
    /// Triangles whose corners lie on one line, by exact arithmetic.
    pub zero_area_triangles: usize,
    /// Triangles with the same three points, in any order, as one before them.
    pub duplicate_triangles: usize,
    /// Edges of one triangle only: borders of holes and of open surfaces.
    pub open_edges: usize,
    /// Edges of more than two triangles.
    pub non_manifold_edges: usize,
    /// Edges whose two triangles run along it in the same direction, so that their normals disagree.
    pub inconsistent_edges: usize,
    /// Sets of triangles connected by shared vertices.
    pub components: usize,
}

impl MeshReport {
    pub(super) fn new(mesh: &Mesh) -> Self {
        let (points, distinct_vertices) = distinct_points(mesh.vertices());
        let mut corners: Vec<_> = mesh.triangles().iter().map(|t| t.map(|index| points[index as usize])).collect();
        drop(points);

        let zero_area_triangles =
            (0..mesh.triangles().len() as u32).filter(|&t| is_zero_area(&mesh.triangle(t))).count();
        let edges = EdgeCounts::new(&corners);
        let components = count_components(&corners, distinct_vertices);
        corners.iter_mut().for_each(|corners| corners.sort_unstable());
        parallel::sort_unstable(&mut corners);
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
        }
    }

    /// Whether no edge is open. An empty mesh is closed.
    pub fn is_closed(&self) -> bool {
        self.open_edges == 0
    }

    /// Whether no edge has more than two triangles.
    pub fn is_edge_manifold(&self) -> bool {
        self.non_manifold_edges == 0
    }
}

impl fmt::Display for MeshReport {
    /// One line per count.
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

/// Numbers the different points among the vertices: each vertex's point, and how many there are.
pub(crate) fn distinct_points(vertices: &[Point3<f32>]) -> (Vec<u32>, usize) {
    // Adding +0.0 turns -0.0 into it; other values are equal exactly where their bits are.
    let key = |vertex: u32| {
        let v = &vertices[vertex as usize];
        [v.x, v.y, v.z].map(|x| (x + 0.0).to_bits())
    };
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    parallel::sort_unstable_by_key(&mut order, |&vertex| key(vertex));

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

/// Whether the corners lie on one line, exactly: they do when they do in the projections along all three axes.
/// Coordinates that were f32 can't overflow or underflow in `orient2d`.
fn is_zero_area(triangle: &Triangle) -> bool {
    [(0, 1), (1, 2), (2, 0)].iter().all(|&(u, v)| {
        let [a, b, c] = triangle.vertices.map(|p| Coord { x: p[u], y: p[v] });
        orient2d(a, b, c) == 0.0
    })
}

struct EdgeCounts {
    open: usize,
    non_manifold: usize,
    inconsistent: usize,
}

impl EdgeCounts {
    fn new(triangles: &[[u32; 3]]) -> Self {
        // Lower point, higher point and direction in one word: points are below 2^31.
        let mut edges: Vec<u64> = Vec::with_capacity(3 * triangles.len());
        for &[a, b, c] in triangles {
            if a != b && b != c && c != a {
                for (from, to) in [(a, b), (b, c), (c, a)] {
                    let (low, high) = (from.min(to), from.max(to));
                    edges.push(u64::from(low) << 32 | u64::from(high) << 1 | u64::from(from > to));
                }
            }
        }
        parallel::sort_unstable(&mut edges);

        let mut counts = Self { open: 0, non_manifold: 0, inconsistent: 0 };
        for uses in edges.chunk_by(|a, b| a >> 1 == b >> 1) {
            match uses {
                [_] => counts.open += 1,
                [first, second] => counts.inconsistent += usize::from(first == second),
                _ => counts.non_manifold += 1,
            }
        }
        counts
    }
}

/// Counts the sets of triangles connected by shared points, by union-find with path halving (Tarjan and van Leeuwen
/// 1984).
fn count_components(triangles: &[[u32; 3]], points: usize) -> usize {
    let mut parents: Vec<u32> = (0..points as u32).collect();
    let mut used = vec![false; points];
    let mut components = 0;
    for triangle in triangles {
        for &point in triangle {
            components += usize::from(!mem::replace(&mut used[point as usize], true));
        }
        for &point in &triangle[1..] {
            let (a, b) = (find_root(&mut parents, triangle[0]), find_root(&mut parents, point));
            components -= usize::from(a != b);
            parents[a.max(b) as usize] = a.min(b);
        }
    }
    components
}

/// The set that a point is in.
pub(crate) fn find_root(parents: &mut [u32], mut point: u32) -> u32 {
    while parents[point as usize] != point {
        let grandparent = parents[parents[point as usize] as usize];
        parents[point as usize] = grandparent;
        point = grandparent;
    }
    point
}
