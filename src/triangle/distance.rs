//! The distance between two triangles: the least over their 9 pairs of edges and 6 pairs of a vertex and a face, or
//! zero where the exact verdict says that they intersect.
//!
//! A pair of closest points proves itself: if the way `v` between them separates the triangles by its own length, no
//! other pair is nearer, and the remaining features need no look (as in PQP: Larsen, Gottschalk, Lin and Manocha, "Fast
//! Proximity Queries with Swept Sphere Volumes", 1999).

use nalgebra::{Point3, Vector3};

use super::Triangle;
use super::features::{Face, Segment};

/// Where two triangles are closest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoints {
    /// The squared distance: zero if and only if the triangles intersect.
    pub distance_sq: f64,
    /// A point of the first triangle.
    pub on_a: Point3<f64>,
    /// A point of the second triangle; the same as `on_a` if the triangles intersect.
    pub on_b: Point3<f64>,
}

impl Triangle {
    /// The distance to another triangle and the points that realize it, which for intersecting triangles are one
    /// common point up to rounding.
    ///
    /// `distance_sq` is zero exactly if [`Triangle::intersects`], and otherwise computed from the vector between the
    /// points before those are rounded to their coordinates: the distance's error is a few units of f64's precision
    /// times the extent of the two triangles together, wherever they are. A distance too small for that is still
    /// positive (at least [`f64::MIN_POSITIVE`] squared). Coordinates' differences should be zero or of magnitude
    /// `1e-60 ..= 1e60`; their fourth powers are computed.
    #[inline]
    pub fn closest_points(&self, other: &Triangle) -> ClosestPoints {
        nearest(self, other, f64::INFINITY)
    }

    /// The closest points, or None if `distance_sq` is `bound_sq` or more, which is often found out sooner.
    #[inline]
    pub fn closest_points_within(&self, other: &Triangle, bound_sq: f64) -> Option<ClosestPoints> {
        let closest = nearest(self, other, bound_sq);
        (closest.distance_sq < bound_sq).then_some(closest)
    }

    /// The squared distance to another triangle, as in [`Triangle::closest_points`].
    #[inline]
    pub fn distance_sq(&self, other: &Triangle) -> f64 {
        self.closest_points(other).distance_sq
    }

    /// The point of the triangle that is nearest to `p`.
    pub fn closest_point(&self, p: &Point3<f64>) -> Point3<f64> {
        let origin = self.vertices[0];
        origin + Features::new(self, &origin).closest_point(&(p - origin))
    }
}

/// The closest points, or, once it is certain that the squared distance is `bound_sq` or more, any two points.
fn nearest(a: &Triangle, b: &Triangle, bound_sq: f64) -> ClosestPoints {
    let origin = a.vertices[0];
    let (features_a, features_b) = (Features::new(a, &origin), Features::new(b, &origin));
    let mut search = Search::new(&features_a, &features_b, bound_sq);
    search.run();
    if !search.separated && a.intersects(b) {
        let common = origin + search.common_point();
        return ClosestPoints { distance_sq: 0.0, on_a: common, on_b: common };
    }
    let on_a = origin + search.on_a;
    let on_b = origin + (search.on_a + search.across);
    ClosestPoints { distance_sq: search.distance_sq.max(f64::MIN_POSITIVE), on_a, on_b }
}

/// A triangle relative to an origin.
struct Features {
    vertices: [Vector3<f64>; 3],
    edges: [Segment; 3],
    face: Face,
}

impl Features {
    #[inline]
    fn new(triangle: &Triangle, origin: &Point3<f64>) -> Self {
        let [a, b, c] = triangle.vertices;
        let vertices = [a - origin, b - origin, c - origin];
        // Edges from the given coordinates, so that a small triangle far from the origin keeps its shape.
        let edges =
            [Segment::new(vertices[0], b - a), Segment::new(vertices[1], c - b), Segment::new(vertices[2], a - c)];
        Self { vertices, edges, face: Face::new(vertices[0], [b - a, c - a]) }
    }

    fn closest_point(&self, p: &Vector3<f64>) -> Vector3<f64> {
        let on_edges = self.edges.iter().map(|edge| edge.closest_point(p));
        let mut best = self.vertices[0];
        for q in on_edges.chain(self.face.project(p)) {
            if (q - p).norm_squared() < (best - p).norm_squared() {
                best = q;
            }
        }
        best
    }

    /// The interval that the triangle covers along the axis.
    #[inline]
    fn interval(&self, axis: &Vector3<f64>) -> (f64, f64) {
        let [x, y, z] = [0, 1, 2].map(|i| self.vertices[i].dot(axis));
        (smaller(smaller(x, y), z), larger(larger(x, y), z))
    }
}

/// The best pair of points so far, and what is proven about the triangles.
struct Search<'a> {
    a: &'a Features,
    b: &'a Features,
    bound_sq: f64,
    /// The largest coordinate, to bound rounding errors by.
    extent: f64,
    on_a: Vector3<f64>,
    /// From `on_a` to the point on B.
    across: Vector3<f64>,
    distance_sq: f64,
    /// Whether some axis has proven that the triangles do not intersect.
    separated: bool,
}

impl<'a> Search<'a> {
    /// Relative slack at which a pair of points counts as proven closest.
    const OPTIMAL: f64 = 1.0 - 1e-14;
    /// Times the axis's 1-norm and the extent, this bounds the error of a gap between two intervals: each end is off by
    /// at most 4 roundings (of the vertex and of a sum of 3 products), 2^-53 each.
    const GAP_ERROR: f64 = 1e-15;

    #[inline]
    fn new(a: &'a Features, b: &'a Features, bound_sq: f64) -> Self {
        let extent = a.vertices.iter().chain(&b.vertices).fold(0.0, |m, v| larger(m, v.amax()));
        let across = b.vertices[0] - a.vertices[0];
        let distance_sq = across.norm_squared();
        Self { a, b, bound_sq, extent, on_a: a.vertices[0], across, distance_sq, separated: false }
    }

    /// Goes through the features until a pair is proven closest or the bound is proven out of reach.
    fn run(&mut self) {
        let (a, b) = (self.a, self.b);
        if self.bound_sq < f64::INFINITY {
            let centers = b.vertices.iter().sum::<Vector3<f64>>() - a.vertices.iter().sum::<Vector3<f64>>();
            if self.exceeds_bound(&centers) || self.exceeds_bound(&a.face.normal) || self.exceeds_bound(&b.face.normal)
            {
                return;
            }
        }
        for p in &b.vertices {
            if let Some(on_a) = a.face.project(p)
                && self.offer(on_a, p - on_a)
            {
                return;
            }
        }
        for p in &a.vertices {
            if let Some(on_b) = b.face.project(p)
                && self.offer(*p, on_b - p)
            {
                return;
            }
        }
        for edge_a in &a.edges {
            for edge_b in &b.edges {
                if let Some((on_a, across)) = edge_a.closest_points(edge_b, self.distance_sq)
                    && self.offer(on_a, across)
                {
                    return;
                }
            }
        }
    }

    /// Takes a pair of points if it is nearer than the best; true if the search is over.
    #[inline]
    fn offer(&mut self, on_a: Vector3<f64>, across: Vector3<f64>) -> bool {
        let distance_sq = across.norm_squared();
        if distance_sq >= self.distance_sq {
            return false;
        }
        (self.on_a, self.across, self.distance_sq) = (on_a, across, distance_sq);
        let gap = self.gap(&across);
        self.note_separation(gap, &across) || gap >= Self::OPTIMAL * distance_sq
    }

    /// Whether the axis proves that the squared distance is the bound or more.
    #[inline]
    fn exceeds_bound(&mut self, axis: &Vector3<f64>) -> bool {
        let gap = self.gap(axis);
        self.note_separation(gap, axis)
    }

    #[inline]
    fn note_separation(&mut self, gap: f64, axis: &Vector3<f64>) -> bool {
        let lower_bound = gap - Self::GAP_ERROR * self.extent * (axis.x.abs() + axis.y.abs() + axis.z.abs());
        self.separated |= lower_bound > 0.0;
        lower_bound > 0.0 && lower_bound * lower_bound >= self.bound_sq * axis.norm_squared()
    }

    /// How far apart the triangles are along the axis, times the axis's length; negative if they overlap there.
    #[inline]
    fn gap(&self, axis: &Vector3<f64>) -> f64 {
        let ((low_a, high_a), (low_b, high_b)) = (self.a.interval(axis), self.b.interval(axis));
        larger(low_b - high_a, low_a - high_b)
    }

    /// A point that intersecting triangles share, up to rounding: where an edge crosses a face, or the best pair.
    #[cold]
    fn common_point(&self) -> Vector3<f64> {
        let good_enough_sq = (f64::EPSILON * self.extent).powi(2);
        let mut best = (self.on_a + self.across * 0.5, self.distance_sq);
        for (triangle, other) in [(self.a, self.b), (self.b, self.a)] {
            for edge in &other.edges {
                let mut on_triangle = triangle.vertices[0];
                // The first crossing is as inaccurate as a needle's normal; from a nearby point it is less so.
                for _ in 0..3 {
                    if best.1 <= good_enough_sq {
                        return best.0;
                    }
                    let crossing = edge.crossing(&on_triangle, &triangle.face.normal);
                    on_triangle = triangle.closest_point(&crossing);
                    let distance_sq = (on_triangle - crossing).norm_squared();
                    if distance_sq < best.1 {
                        best = (crossing, distance_sq);
                    }
                }
            }
        }
        best.0
    }
}

/// `f64::min` without its care for NaN, which costs more than the comparison.
#[inline]
fn smaller(x: f64, y: f64) -> f64 {
    if x < y { x } else { y }
}

/// `f64::max`, likewise.
#[inline]
fn larger(x: f64, y: f64) -> f64 {
    if x > y { x } else { y }
}
