//! The distance between two triangles: the least over their 9 pairs of edges and 6 pairs of a vertex and a face, or
//! zero where the exact verdict says that they intersect.
//!
//! A pair of closest points proves itself: if the vector `v` between them separates the triangles by its own length, no
//! other pair is nearer, and the remaining features need no look (as in PQP: Larsen, Gottschalk, Lin and Manocha, "Fast
//! Proximity Queries with Swept Sphere Volumes", 1999).

use nalgebra::{Point3, Vector3};

use super::Triangle;
use super::features::{Face, Segment};
use super::separation::Corners;

/// Where two triangles are closest.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
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
    /// positive (`distance_sq` is at least [`f64::MIN_POSITIVE`]). Coordinates' differences should be zero or of
    /// magnitude `1e-60 ..= 1e60`; their fourth powers are computed.
    pub fn closest_points(&self, other: &Triangle) -> ClosestPoints {
        nearest(self, other, &Corners::new(self, other), f64::INFINITY)
    }

    /// The closest points if `distance_sq < bound_sq`, else None (at the bound too), which is often found out sooner.
    pub fn closest_points_within(&self, other: &Triangle, bound_sq: f64) -> Option<ClosestPoints> {
        self.closest_points_along(other, bound_sq, &Vector3::zeros())
    }

    /// As [`Triangle::closest_points_within`]; an axis that may well separate the triangles by the bound saves work.
    #[inline]
    pub(crate) fn closest_points_along(
        &self,
        other: &Triangle,
        bound_sq: f64,
        axis: &Vector3<f64>,
    ) -> Option<ClosestPoints> {
        let corners = Corners::new(self, other);
        if corners.distance_reaches(bound_sq, axis) || corners.distance_reaches(bound_sq, &corners.between_centers()) {
            return None;
        }
        let closest = nearest(self, other, &corners, bound_sq);
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
        origin + Features::new(self, self.vertices.map(|v| v - origin)).closest_point(&(p - origin))
    }
}

/// The closest points, or, once it is certain that the squared distance is `bound_sq` or more, any two points.
fn nearest(a: &Triangle, b: &Triangle, corners: &Corners, bound_sq: f64) -> ClosestPoints {
    if let Some(closest) = nearest_vertices(a, b, corners) {
        return closest;
    }
    let (features_a, features_b) = (Features::new(a, corners.a), Features::new(b, corners.b));
    let mut search = FeatureSearch::new(&features_a, &features_b, corners, bound_sq);
    search.run();
    if !search.separated && a.intersects(b) {
        let common = corners.origin + search.common_point();
        return ClosestPoints { distance_sq: 0.0, on_a: common, on_b: common };
    }
    let on_a = corners.origin + search.on_a;
    let on_b = corners.origin + (search.on_a + search.separation);
    ClosestPoints { distance_sq: search.distance_sq.max(f64::MIN_POSITIVE), on_a, on_b }
}

/// The closest points if they are the support points towards the other triangle's centre, and prove it. All
/// triangles around two such vertices are then at the same distance, to the last bit.
#[inline]
pub(super) fn nearest_vertices(a: &Triangle, b: &Triangle, corners: &Corners) -> Option<ClosestPoints> {
    let toward_b = corners.between_centers();
    let support_point = |points: &[Vector3<f64>; 3], direction: Vector3<f64>| {
        let [x, y, z] = [points[0].dot(&direction), points[1].dot(&direction), points[2].dot(&direction)];
        if x >= y && x >= z { 0 } else { 1 + usize::from(z > y) }
    };
    let (on_a, on_b) =
        (a.vertices[support_point(&corners.a, toward_b)], b.vertices[support_point(&corners.b, -toward_b)]);
    let separation = on_b - on_a;
    let (gap, distance_sq) = (corners.gap(&separation), separation.norm_squared());
    let is_proven = gap >= OPTIMAL * distance_sq && corners.certain(gap, &separation) > 0.0;
    is_proven.then(|| ClosestPoints { distance_sq: distance_sq.max(f64::MIN_POSITIVE), on_a, on_b })
}

/// A triangle relative to an origin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Features {
    pub(super) vertices: [Vector3<f64>; 3],
    pub(super) edges: [Segment; 3],
    pub(super) face: Face,
}

impl Features {
    /// Takes the edges from the given coordinates, so that a small triangle far from the origin keeps its shape.
    #[inline]
    pub(super) fn new(triangle: &Triangle, vertices: [Vector3<f64>; 3]) -> Self {
        let [a, b, c] = triangle.vertices;
        let [ab, bc, ca] = [b - a, c - b, a - c];
        let edges = [Segment::new(vertices[0], ab), Segment::new(vertices[1], bc), Segment::new(vertices[2], ca)];
        // From the corner that faces the longest edge: between two long edges of a needle the normal would be known to
        // few digits.
        let [ab_sq, bc_sq, ca_sq] = [edges[0].length_sq, edges[1].length_sq, edges[2].length_sq];
        let longest = if bc_sq >= ab_sq && bc_sq >= ca_sq { 1 } else { 2 * usize::from(ca_sq > ab_sq) };
        let corner = (longest + 2) % 3;
        let around = [edges[corner].direction, -edges[(longest + 1) % 3].direction];
        Self { vertices, edges, face: Face::new(vertices[corner], around) }
    }

    pub(super) fn closest_point(&self, p: &Vector3<f64>) -> Vector3<f64> {
        let on_edges = self.edges.iter().map(|edge| edge.closest_point(p));
        let mut best = self.vertices[0];
        for q in on_edges.chain(self.face.project(p)) {
            if (q - p).norm_squared() < (best - p).norm_squared() {
                best = q;
            }
        }
        best
    }
}

/// The part of its own length by which a vector must separate the triangles to count as the shortest.
pub(super) const OPTIMAL: f64 = 1.0 - 1e-14;

/// The best pair of points so far, and what is proven about the triangles.
struct FeatureSearch<'a> {
    a: &'a Features,
    b: &'a Features,
    corners: &'a Corners,
    bound_sq: f64,
    on_a: Vector3<f64>,
    /// From `on_a` to the point on B.
    separation: Vector3<f64>,
    /// Infinite before the first pair is taken.
    distance_sq: f64,
    /// Whether some axis has proven that the triangles do not intersect.
    separated: bool,
}

impl<'a> FeatureSearch<'a> {
    #[inline]
    fn new(a: &'a Features, b: &'a Features, corners: &'a Corners, bound_sq: f64) -> Self {
        let (on_a, separation) = (a.vertices[0], b.vertices[0] - a.vertices[0]);
        Self { a, b, corners, bound_sq, on_a, separation, distance_sq: f64::INFINITY, separated: false }
    }

    /// Goes through the features until a pair is proven closest or the bound is proven out of reach.
    fn run(&mut self) {
        let (a, b) = (self.a, self.b);
        for normal in [&a.face.normal, &b.face.normal] {
            if self.bound_sq < f64::INFINITY && self.corners.distance_reaches(self.bound_sq, normal) {
                self.separated = true;
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
                if let Some((on_a, separation)) = edge_a.closest_points(edge_b, self.distance_sq)
                    && self.offer(on_a, separation)
                {
                    return;
                }
            }
        }
    }

    /// Takes a pair of points if it is nearer than the best; true if the search is over.
    #[inline]
    fn offer(&mut self, on_a: Vector3<f64>, separation: Vector3<f64>) -> bool {
        let distance_sq = separation.norm_squared();
        if distance_sq >= self.distance_sq {
            return false;
        }
        (self.on_a, self.separation, self.distance_sq) = (on_a, separation, distance_sq);
        let gap = self.corners.gap(&separation);
        let lower_bound = self.corners.certain(gap, &separation);
        if lower_bound <= 0.0 {
            return false;
        }
        self.separated = true;
        gap >= OPTIMAL * distance_sq || lower_bound * lower_bound >= self.bound_sq * distance_sq
    }

    /// A point that intersecting triangles share, up to rounding: where an edge crosses a face, or the best pair.
    #[cold]
    fn common_point(&self) -> Vector3<f64> {
        let good_enough_sq = (f64::EPSILON * self.corners.extent).powi(2);
        let mut best = (self.on_a + self.separation * 0.5, self.distance_sq);
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
