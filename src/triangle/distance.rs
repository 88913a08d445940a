//! The distance between two triangles: the least over 9 pairs of edges and 6 pairs of a vertex and a face, or zero if
//! the exact test says that they intersect.
//!
//! A pair of closest points proves itself: if the vector between them separates the triangles by its own length, no
//! other pair is nearer, and the remaining features are skipped (as in PQP: Larsen, Gottschalk, Lin and Manocha, "Fast
//! Proximity Queries with Swept Sphere Volumes", 1999).

use nalgebra::{Point3, Vector3};

use super::Triangle;
use super::features::Features;
use super::separation::Corners;
use crate::numeric::error_bounds::PROVEN_DISTANCE_PART;

/// The closest points of two triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClosestPoints {
    /// The squared distance; zero if and only if the triangles intersect.
    pub distance_sq: f64,
    /// The closest point of the first triangle.
    pub on_a: Point3<f64>,
    /// The closest point of the second triangle; equal to `on_a` if the triangles intersect.
    pub on_b: Point3<f64>,
}

impl Triangle {
    /// The closest points of this triangle and another; for intersecting triangles, one common point up to rounding.
    ///
    /// `distance_sq` is zero exactly if [`Triangle::intersects`]. Otherwise it is computed from the vector between the
    /// points before they are rounded, so the error of the distance is a few units of f64's precision times the extent
    /// of the two triangles, wherever they are; it is never rounded to zero (`distance_sq` is at least
    /// [`f64::MIN_POSITIVE`]). Differences of coordinates must be zero or in `1e-60 ..= 1e60`, because their fourth
    /// powers are computed.
    pub fn closest_points(&self, other: &Triangle) -> ClosestPoints {
        nearest(self, other, &Corners::new(self, other), f64::INFINITY)
    }

    /// The closest points if `distance_sq < bound_sq`, otherwise `None`. This often takes less time than
    /// [`Triangle::closest_points`].
    pub fn closest_points_within(&self, other: &Triangle, bound_sq: f64) -> Option<ClosestPoints> {
        self.closest_points_along(other, bound_sq, &Vector3::zeros())
    }

    /// [`Triangle::closest_points_within`], with an axis that probably separates the triangles by the bound, to save
    /// work.
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

    /// The point of the triangle that is closest to `p`.
    pub fn closest_point(&self, p: &Point3<f64>) -> Point3<f64> {
        let origin = self.vertices[0];
        origin + Features::new(self, self.vertices.map(|v| v - origin)).closest_point(&(p - origin))
    }
}

/// The closest points; or any two points, once the squared distance is proven to be at least `bound_sq`.
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

/// The closest points if they are provably the support points toward the other triangle's centre. All triangles around
/// two such vertices then have the same distance, to the last bit.
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
    let is_proven = gap >= PROVEN_DISTANCE_PART * distance_sq && corners.certain(gap, &separation) > 0.0;
    is_proven.then(|| ClosestPoints { distance_sq: distance_sq.max(f64::MIN_POSITIVE), on_a, on_b })
}

/// The search over pairs of features: the best pair of points so far, and whether the triangles are proven to be
/// disjoint.
struct FeatureSearch<'a> {
    a: &'a Features,
    b: &'a Features,
    corners: &'a Corners,
    bound_sq: f64,
    on_a: Vector3<f64>,
    /// The vector from `on_a` to the point on B.
    separation: Vector3<f64>,
    /// The squared length of `separation`; infinite before the first pair.
    distance_sq: f64,
    /// Whether an axis has proven that the triangles do not intersect.
    separated: bool,
}

impl<'a> FeatureSearch<'a> {
    #[inline]
    fn new(a: &'a Features, b: &'a Features, corners: &'a Corners, bound_sq: f64) -> Self {
        let (on_a, separation) = (a.vertices[0], b.vertices[0] - a.vertices[0]);
        Self { a, b, corners, bound_sq, on_a, separation, distance_sq: f64::INFINITY, separated: false }
    }

    /// Tests all pairs of features, or stops early when one is proven to be the closest, or the squared distance is
    /// proven to be at least `bound_sq`.
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

    /// Accepts a pair of points if it is nearer than the best; returns whether the search is over.
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
        gap >= PROVEN_DISTANCE_PART * distance_sq || lower_bound * lower_bound >= self.bound_sq * distance_sq
    }

    /// A common point of intersecting triangles, up to rounding: the point where an edge crosses a face, or the
    /// midpoint of the best pair.
    #[cold]
    fn common_point(&self) -> Vector3<f64> {
        let good_enough_sq = (f64::EPSILON * self.corners.extent).powi(2);
        let mut best = (self.on_a + self.separation * 0.5, self.distance_sq);
        for (triangle, other) in [(self.a, self.b), (self.b, self.a)] {
            for edge in &other.edges {
                let mut on_triangle = triangle.vertices[0];
                // The first crossing is as inaccurate as a needle's normal; from a nearby point it is more accurate.
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
