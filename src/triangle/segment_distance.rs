//! The distance between a triangle and a segment, prepared for many positions of a moving segment.

use nalgebra::{Point3, Vector3};

use super::Triangle;
use super::features::{Features, LineSegment};

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
        if heights[0] * heights[1] <= 0.0 && heights[0] != heights[1] {
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
                if is_nearer && heights[0] * heights[1] > 0.0 {
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
}
