//! parry3d's convex shapes as bvtree's.

use bvtree::Pose as TreePose;
use bvtree::shape::ConvexShape;
use nalgebra::{Matrix3, Point3, Vector3};
use parry3d::math::{Pose, Vector};
use parry3d::shape::{ConvexPolyhedron, Shape, TypedShape};

use crate::pair::{widen, widen_vector};

/// A convex shape of parry3d at a pose, enlarged by `margin`, as a convex shape of bvtree; `None` if bvtree has no such
/// shape, or if a number is not finite.
pub(crate) fn convex_shape(shape: &dyn Shape, pose: &Pose, margin: f32) -> Option<ConvexShape> {
    let (local, radius) = match shape.as_typed_shape() {
        TypedShape::Ball(ball) => (ConvexShape::sphere(ball.radius.into()).ok(), 0.0),
        TypedShape::Cuboid(cuboid) => (ConvexShape::cuboid(widen_vector(cuboid.half_extents)).ok(), 0.0),
        TypedShape::Capsule(capsule) => (hull(&[capsule.segment.a, capsule.segment.b]), capsule.radius),
        TypedShape::Segment(segment) => (hull(&[segment.a, segment.b]), 0.0),
        TypedShape::Triangle(triangle) => (hull(triangle.vertices()), 0.0),
        TypedShape::ConvexPolyhedron(polyhedron) => (polyhedron_hull(polyhedron), 0.0),
        TypedShape::Cylinder(cylinder) => (upright(ConvexShape::cylinder, cylinder.half_height, cylinder.radius), 0.0),
        TypedShape::Cone(cone) => (upright(ConvexShape::cone, cone.half_height, cone.radius), 0.0),
        TypedShape::RoundCuboid(round) => {
            (ConvexShape::cuboid(widen_vector(round.inner_shape.half_extents)).ok(), round.border_radius)
        }
        TypedShape::RoundTriangle(round) => (hull(round.inner_shape.vertices()), round.border_radius),
        TypedShape::RoundConvexPolyhedron(round) => (polyhedron_hull(&round.inner_shape), round.border_radius),
        TypedShape::RoundCylinder(round) => {
            let cylinder = &round.inner_shape;
            (upright(ConvexShape::cylinder, cylinder.half_height, cylinder.radius), round.border_radius)
        }
        TypedShape::RoundCone(round) => {
            let cone = &round.inner_shape;
            (upright(ConvexShape::cone, cone.half_height, cone.radius), round.border_radius)
        }
        _ => return None,
    };
    let placed = local?.transformed(&TreePose::try_from(*pose).ok()?);
    placed.rounded(f64::from(radius) + f64::from(margin)).ok()
}

fn hull(points: &[Vector]) -> Option<ConvexShape> {
    ConvexShape::hull(&points.iter().map(|point| widen(*point)).collect::<Vec<Point3<f64>>>()).ok()
}

fn polyhedron_hull(polyhedron: &ConvexPolyhedron) -> Option<ConvexShape> {
    ConvexShape::polytope(&polyhedron.points().iter().map(|point| widen(*point)).collect::<Vec<_>>()).ok()
}

/// A solid of revolution about the y axis, as parry3d has it, from bvtree's about the z axis.
fn upright<E>(
    build: impl Fn(f64, f64) -> Result<ConvexShape, E>,
    half_height: f32,
    radius: f32,
) -> Option<ConvexShape> {
    let z_to_y = Matrix3::new(1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, -1.0, 0.0);
    let turned = TreePose::new(z_to_y, Vector3::zeros()).ok()?;
    Some(build(half_height.into(), radius.into()).ok()?.transformed(&turned))
}
