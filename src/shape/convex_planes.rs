//! Planes that kept a shape and a triangle apart, which keep most other triangles near it away at the cost of three
//! products.

use nalgebra::Vector3;
use smallvec::SmallVec;

use super::convex_distance::{CoreGap, Opposite, RelativeTriangle};
use super::{ConvexShape, Proximity, ShapeContact};
use crate::numeric::error_bounds::CONVEX_GAP_ERROR;
use crate::triangle::Triangle;

/// A shape that is compared with one triangle after another.
///
/// The results are those of the shape itself: a plane decides only where it proves that a triangle is beyond a limit.
pub(crate) struct KnownPlanes<'a> {
    pub(crate) shape: &'a ConvexShape,
    /// The last one that helped is the first.
    planes: SmallVec<[SupportPlane; MAX_PLANES]>,
}

/// The planes that are kept.
const MAX_PLANES: usize = 4;

/// A plane of support of a shape.
#[derive(Clone, Copy)]
struct SupportPlane {
    /// The unit normal, away from the shape.
    axis: Vector3<f64>,
    /// The height of the plane above the shape's center.
    height: f64,
}

impl<'a> KnownPlanes<'a> {
    pub(crate) fn new(shape: &'a ConvexShape) -> Self {
        Self { shape, planes: SmallVec::new() }
    }

    /// Whether a triangle's signed distance from the shape is proven to exceed a limit by a plane that is known.
    pub(crate) fn are_beyond(&mut self, triangle: &Triangle, limit: f64) -> bool {
        self.prove(&RelativeTriangle::new(self.shape, triangle), limit)
    }

    fn prove(&mut self, triangle: &RelativeTriangle<'_>, limit: f64) -> bool {
        if self.planes.is_empty() {
            return false;
        }
        let error = CONVEX_GAP_ERROR * triangle.extent().max(self.shape.extent);
        let is_proof = |SupportPlane { axis, height }: &SupportPlane| {
            triangle.lowest(axis).1 - height > limit + error * axis.abs().sum()
        };
        let proof = self.planes.iter().position(is_proof);
        if let Some(found) = proof {
            self.planes.swap(0, found);
        }
        proof.is_some()
    }

    /// Keeps the plane of support along an axis, of any length.
    pub(crate) fn learn(&mut self, axis: &Vector3<f64>) {
        if let Some(axis) = axis.try_normalize(0.0) {
            let height = self.shape.core_support(&axis).1 + self.shape.radius;
            self.planes.truncate(MAX_PLANES - 1);
            self.planes.insert(0, SupportPlane { axis, height });
        }
    }

    fn learn_from(&mut self, gap: &CoreGap) {
        if gap.lower > self.shape.radius {
            self.learn(&gap.axis);
        }
    }

    /// [`Overlaps::overlaps`](super::Overlaps::overlaps) of the shape and a triangle.
    pub(crate) fn overlaps(&mut self, triangle: &Triangle) -> bool {
        let (shape, opposite) = (self.shape, RelativeTriangle::new(self.shape, triangle));
        if self.prove(&opposite, 0.0) {
            return false;
        }
        let gap = shape.search_to(&opposite, shape.radius, if shape.radius > 0.0 { shape.radius } else { -1.0 });
        self.learn_from(&gap);
        matches!(shape.decided(triangle, gap, 0.0), Proximity::Overlap(_))
    }

    /// Whether the shape and a triangle are within the distance `limit`, and their closest points if they are.
    pub(crate) fn proximity(&mut self, triangle: &Triangle, limit: f64) -> Proximity {
        let (shape, opposite) = (self.shape, RelativeTriangle::new(self.shape, triangle));
        if self.prove(&opposite, limit) {
            return Proximity::Beyond;
        }
        let gap = shape.search_to(&opposite, limit + shape.radius, -1.0);
        self.learn_from(&gap);
        shape.decided(triangle, gap, limit)
    }

    /// [`ConvexShape::contact_with`].
    pub(crate) fn contact(&mut self, triangle: &Triangle, max_distance: f64) -> Option<ShapeContact> {
        let (shape, opposite) = (self.shape, RelativeTriangle::new(self.shape, triangle));
        if self.prove(&opposite, max_distance) {
            return None;
        }
        let gap = shape.search_to(&opposite, max_distance + shape.radius, -1.0);
        self.learn_from(&gap);
        shape.contact_of(&opposite, triangle, gap, max_distance)
    }
}
