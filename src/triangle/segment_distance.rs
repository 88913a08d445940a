//! The distance between a triangle and a segment, prepared for many positions of a moving segment.

use nalgebra::{Point3, Vector3};

use super::Triangle;
use super::features::{Features, LineSegment};
use super::intersects::segment_meets_triangle;
use super::orientation::orient3d;
use crate::numeric::error_bounds::NEEDLE_SINE_SQ;

/// A triangle prepared for distances to segments, which are given relative to its first vertex.
pub(crate) struct SegmentTarget {
    pub(crate) origin: Point3<f64>,
    features: Features,
}

/// The closest points of a segment and a triangle, relative to the triangle's first vertex.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SegmentPair {
    pub(crate) on_segment: Vector3<f64>,
    /// The vector from the segment's point to the triangle's; zero up to rounding if the segment meets the triangle.
    pub(crate) to_triangle: Vector3<f64>,
}

impl SegmentTarget {
    #[inline]
    pub(crate) fn new(triangle: &Triangle) -> Self {
        let origin = triangle.vertices[0];
        Self { origin, features: Features::new(triangle, triangle.vertices.map(|vertex| vertex - origin)) }
    }

    /// The triangle's normal, with twice the area as its length.
    #[inline]
    pub(crate) fn scaled_normal(&self) -> &Vector3<f64> {
        &self.features.face.normal
    }

    /// The least and the greatest height of a vertex along [`SegmentTarget::scaled_normal`], relative to the first
    /// vertex. They are not 0 where the normal is rounded.
    #[inline]
    pub(crate) fn reach(&self) -> [f64; 2] {
        let [a, b, c] = self.features.vertices.each_ref().map(|vertex| vertex.dot(self.scaled_normal()));
        [a.min(b).min(c), a.max(b).max(c)]
    }

    /// Whether the triangle is so thin that its normal's rounding tilts the plane of the heights noticeably.
    #[inline]
    fn is_needle(&self) -> bool {
        let [ab, bc, ca] = self.features.edges.each_ref().map(|edge| edge.length_sq);
        self.features.face.normal_sq < NEEDLE_SINE_SQ * (ab * bc).min(bc * ca).min(ca * ab)
    }

    pub(crate) fn vertices(&self) -> &[Vector3<f64>; 3] {
        &self.features.vertices
    }

    pub(crate) fn edges(&self) -> [Vector3<f64>; 3] {
        self.features.edges.map(|edge| edge.direction)
    }

    /// The closest points of the triangle and the segment from `start` to `start + axis`, which may be a point.
    ///
    /// The closest points are where the segment crosses the face, or at an end above the face, or on an edge (Ericson,
    /// "Real-Time Collision Detection", 2005, section 5.1.10). The error is a few roundings of the coordinates.
    pub(crate) fn closest(&self, start: &Vector3<f64>, axis: &Vector3<f64>) -> SegmentPair {
        let Features { edges, face, .. } = &self.features;
        let segment = LineSegment::new(*start, *axis);
        if segment.length_sq == 0.0 {
            return SegmentPair { on_segment: *start, to_triangle: self.features.closest_point(start) - start };
        }
        let end = start + axis;
        let heights = [start, &end].map(|point| point.dot(&face.normal));
        let is_needle = self.is_needle();
        if is_needle {
            if let Some(on_segment) = self.exact_crossing([start, &end], heights) {
                return SegmentPair { on_segment, to_triangle: Vector3::zeros() };
            }
        } else if heights[0] * heights[1] <= 0.0 && heights[0] != heights[1] {
            let crossing = start + axis * (heights[0] / (heights[0] - heights[1]));
            if face.project(&crossing).is_some() {
                return SegmentPair { on_segment: crossing, to_triangle: Vector3::zeros() };
            }
        }
        let mut best = SegmentPair { on_segment: *start, to_triangle: -start };
        let mut best_sq = best.to_triangle.norm_squared();
        let mut offer = |on_segment: Vector3<f64>, to_triangle: Vector3<f64>| {
            let distance_sq = to_triangle.norm_squared();
            if distance_sq < best_sq {
                (best, best_sq) = (SegmentPair { on_segment, to_triangle }, distance_sq);
            }
            best_sq
        };
        // If the end that is nearest to the plane is above the face, no other point is nearer.
        let nearer = usize::from(heights[1].abs() < heights[0].abs());
        for (end, is_nearer) in [([*start, end][nearer], true), ([*start, end][1 - nearer], false)] {
            if let Some(foot) = face.project(&end) {
                offer(end, foot - end);
                if is_nearer && !is_needle && heights[0] * heights[1] > 0.0 {
                    return best;
                }
            }
        }
        let mut limit_sq = f64::INFINITY;
        for edge in edges {
            if let Some((on_segment, to_triangle)) = segment.closest_points(edge, limit_sq) {
                limit_sq = offer(on_segment, to_triangle);
            }
        }
        best
    }

    /// The point at which a segment, given by its ends and their heights, crosses the triangle's plane inside the
    /// triangle; `None` if it does not, or lies in the plane.
    #[cold]
    fn exact_crossing(&self, [start, end]: [&Vector3<f64>; 2], heights: [f64; 2]) -> Option<Vector3<f64>> {
        let [low, high] = self.reach();
        if heights.iter().all(|height| *height > high) || heights.iter().all(|height| *height < low) {
            return None;
        }
        let triangle = Triangle { vertices: self.features.vertices.map(Point3::from) };
        let ([a, b, c], ends) = (&triangle.vertices, [Point3::from(*start), Point3::from(*end)]);
        let [from, to] = ends.each_ref().map(|end| orient3d(a, b, c, end));
        let is_across = from != to && segment_meets_triangle(&ends, &triangle);
        is_across.then(|| start + (end - start) * (from / (from - to)))
    }
}
