//! Ritter's ball: two passes, typically 5 to 20% larger than the smallest.

use nalgebra::{Point3, Vector3};

use super::enclose::sphere_with_center;
use super::extremes::extremes;
use crate::shape::Sphere;

/// Ritter's ball, or the ball about the middle of the points' AABB where that is smaller.
///
/// The radius is measured anew from the final centre, so the result is never larger than Ritter's own ball nor, to
/// rounding, than the sphere around the AABB. No points give radius zero at the origin. After Ritter 1990, "An
/// efficient bounding sphere", Graphics Gems.
#[inline(always)]
pub fn ritter(points: &[Point3<f64>]) -> Sphere {
    let along_axes = extremes(points, |point| [point.x, point.y, point.z]);
    let mut widest = Sphere { center: Point3::origin(), radius: -1.0 };
    let mut lower = Vector3::zeros();
    let mut upper = Vector3::zeros();
    for (k, pair) in along_axes.iter().enumerate() {
        let (Some(least), Some(greatest)) = (points.get(pair.least), points.get(pair.greatest)) else {
            return Sphere { center: Point3::origin(), radius: 0.0 };
        };
        lower[k] = least[k];
        upper[k] = greatest[k];
        let radius = 0.5 * (greatest - least).norm();
        if radius > widest.radius {
            widest = Sphere { center: nalgebra::center(least, greatest), radius };
        }
    }
    let aabb_center = Point3::from((lower + upper) * 0.5);
    smaller(grown(points, widest), sphere_with_center(points, &aabb_center))
}

/// Ritter's second pass: a ball moved and enlarged just enough for each point it meets outside, then shrunk to the
/// smallest radius about its final centre.
#[inline(always)]
pub(super) fn grown(points: &[Point3<f64>], start: Sphere) -> Sphere {
    let Sphere { mut center, mut radius } = start;
    let mut radius_sq = radius * radius;
    for point in points {
        let offset = point - center;
        let distance_sq = offset.norm_squared();
        if distance_sq > radius_sq {
            let distance = distance_sq.sqrt();
            radius = 0.5 * (radius + distance);
            radius_sq = radius * radius;
            center += offset * ((distance - radius) / distance);
        }
    }
    sphere_with_center(points, &center)
}

/// The ball of smaller radius.
#[inline(always)]
pub(super) fn smaller(a: Sphere, b: Sphere) -> Sphere {
    if b.radius < a.radius { b } else { a }
}
