//! Planes that separated a shape from one triangle: they also separate it from most triangles nearby, at the cost of
//! three dot products.

use nalgebra::Vector3;
use smallvec::SmallVec;

use super::convex_distance::{CoreGap, Opposite, RelativeTriangle};
use super::triangle_depth::TriangleDepth;
use super::{ConvexShape, Proximity, ShapeContact};
use crate::numeric::error_bounds::CONVEX_GAP_ERROR;
use crate::simd::SimdLevel;
use crate::triangle::Triangle;

/// A shape that is compared with one triangle after another.
///
/// The results are those of the shape itself: a plane decides only where it proves that a triangle is farther away than
/// the limit in question.
pub(crate) struct KnownPlanes<'a> {
    pub(crate) shape: &'a ConvexShape,
    level: SimdLevel,
    /// Whether a triangle overlapped the shape, so that others are likely to.
    has_overlapped: bool,
    /// The known planes; the one that helped last is the first.
    planes: SmallVec<[SupportPlane; MAX_PLANES]>,
}

/// The maximum number of planes that are kept.
const MAX_PLANES: usize = 4;

/// A supporting plane of a shape.
#[derive(Clone, Copy)]
struct SupportPlane {
    /// The unit normal, away from the shape.
    axis: Vector3<f64>,
    /// The height of the plane above the shape's center.
    height: f64,
}

impl<'a> KnownPlanes<'a> {
    pub(crate) fn new(shape: &'a ConvexShape, level: SimdLevel) -> Self {
        Self { shape, level, has_overlapped: false, planes: SmallVec::new() }
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

    /// Keeps the supporting plane whose normal is along an axis of any length.
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
        if max_distance <= 0.0
            && self.has_overlapped
            && let Some(depth) = shape.depth_of(self.level, &opposite, max_distance)
        {
            if let TriangleDepth::Apart(axis) = &depth {
                self.learn(axis);
            }
            return depth.contact();
        }
        let gap = shape.search_to(&opposite, max_distance + shape.radius, -1.0);
        self.learn_from(&gap);
        self.has_overlapped |= gap.overlaps;
        shape.contact_of(self.level, &opposite, gap, max_distance)
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Point3, Vector3};
    use proptest::prelude::*;

    use super::KnownPlanes;
    use crate::shape::ConvexShape;
    use crate::simd::SimdLevel;
    use crate::triangle::Triangle;

    fn shapes() -> impl Strategy<Value = ConvexShape> {
        let size = [0.1..1.0, 0.1..1.0, 0.1..1.0];
        let corners = proptest::collection::vec([-1.0..1.0, -1.0..1.0, -1.0..1.0].prop_map(Point3::from), 12);
        (0..6, size, 0.0..0.3, any::<bool>(), corners).prop_map(|(kind, [x, y, z], radius, is_round, corners)| {
            let shape = match kind {
                0 => ConvexShape::cuboid(Vector3::new(x, y, z)),
                1 => ConvexShape::cylinder(x, y),
                2 => ConvexShape::cone(x, y),
                3 => ConvexShape::capsule(x, y),
                4 => ConvexShape::sphere(x),
                _ => ConvexShape::hull(&corners),
            };
            shape.unwrap().rounded(if is_round { radius } else { 0.0 }).unwrap()
        })
    }

    fn triangles() -> impl Strategy<Value = Vec<Triangle>> {
        // Half of the coordinates on a grid, where many ways out are equally short.
        let number = prop_oneof![-1.2..1.2, (-4..=4).prop_map(|n| f64::from(n) * 0.25)];
        let corner = [number.clone(), number.clone(), number].prop_map(Point3::from);
        let triangle = [corner.clone(), corner.clone(), corner].prop_map(|vertices| Triangle { vertices });
        proptest::collection::vec(triangle, 1..12)
    }

    proptest! {
        #[test]
        fn what_was_met_before_changes_no_contact(shape in shapes(), triangles in triangles(), reach in 0.0..0.2_f64) {
            for level in SimdLevel::available() {
                for max_distance in [0.0, reach] {
                    let mut planes = KnownPlanes::new(&shape, level);
                    for triangle in triangles.iter().chain(&triangles) {
                        let alone = KnownPlanes::new(&shape, level).contact(triangle, max_distance);
                        prop_assert_eq!(planes.contact(triangle, max_distance), alone);
                    }
                }
            }
        }
    }
}
