//! Ritter's ball: two passes, typically 5 to 20% larger than the smallest.

use nalgebra::Point3;

use super::enclose::sphere_with_center;
use super::extremes::extremes;
use crate::shape::Sphere;

/// Ritter's ball, or the ball about the middle of the points' AABB where that is smaller; of three points the smallest
/// ball.
///
/// The radius is measured anew from the final centre, so the result is never larger than Ritter's own ball nor, to
/// rounding, than the sphere around the AABB. No points give radius zero at the origin. After Ritter 1990, "An
/// efficient bounding sphere", Graphics Gems.
pub fn ritter(points: &[Point3<f64>]) -> Sphere {
    if let [a, b, c] = points {
        return sphere_with_center(points, &triangle_sphere_center(&[*a, *b, *c]));
    }
    let ends = extremes(points, |point| [point.x, point.y, point.z]).map(|pair| [pair.least, pair.greatest]);
    let Some(&first) = points.first() else {
        return Sphere { center: Point3::origin(), radius: 0.0 };
    };
    let ends = ends.map(|pair| pair.map(|index| points.get(index).copied().unwrap_or(first)));
    smaller(grown(points, Growing::new(&ends)), sphere_with_center(points, &middle(&ends)))
}

/// Ritter's second pass, with the radius shrunk to the least about the final centre.
pub(super) fn grown(points: &[Point3<f64>], mut ball: Growing) -> Sphere {
    points.iter().for_each(|point| ball.take_in(point));
    sphere_with_center(points, &ball.center)
}

/// The ball of smaller radius.
pub(super) fn smaller(a: Sphere, b: Sphere) -> Sphere {
    if b.radius < a.radius { b } else { a }
}

/// Ritter's second pass: a ball moved and enlarged just enough for each point it meets outside.
#[derive(Clone, Copy)]
pub(crate) struct Growing {
    pub(crate) center: Point3<f64>,
    radius: f64,
    pub(crate) radius_sq: f64,
}

impl Growing {
    /// About the most distant of the pairs of points extremal along an axis each.
    #[inline(always)]
    pub(crate) fn new(ends: &[[Point3<f64>; 2]; 3]) -> Self {
        let mut widest = Sphere { center: ends[0][0], radius: -1.0 };
        for [least, greatest] in ends {
            let radius = 0.5 * (greatest - least).norm();
            if radius > widest.radius {
                widest = Sphere { center: nalgebra::center(least, greatest), radius };
            }
        }
        widest.into()
    }

    #[inline(always)]
    pub(crate) fn take_in(&mut self, point: &Point3<f64>) {
        let offset = point - self.center;
        let distance_sq = offset.norm_squared();
        if distance_sq > self.radius_sq {
            let distance = distance_sq.sqrt();
            self.radius = 0.5 * (self.radius + distance);
            self.radius_sq = self.radius * self.radius;
            self.center += offset * ((distance - self.radius) / distance);
        }
    }
}

impl From<Sphere> for Growing {
    #[inline(always)]
    fn from(Sphere { center, radius }: Sphere) -> Self {
        Self { center, radius, radius_sq: radius * radius }
    }
}

/// The middle of the box that points extremal along the coordinate axes span.
#[inline(always)]
pub(crate) fn middle([x, y, z]: &[[Point3<f64>; 2]; 3]) -> Point3<f64> {
    Point3::new((x[0].x + x[1].x) * 0.5, (y[0].y + y[1].y) * 0.5, (z[0].z + z[1].z) * 0.5)
}

/// The centre of a triangle's smallest ball: of its longest edge where that faces a right or obtuse angle (or none),
/// else of the circumcircle.
#[inline(always)]
pub(crate) fn triangle_sphere_center([a, b, c]: &[Point3<f64>; 3]) -> Point3<f64> {
    let (bc, ca, ab) = ((c - b).norm_squared(), (a - c).norm_squared(), (b - a).norm_squared());
    // Without a branch, so that the compiler can make lanes of it.
    let (faces_a, faces_b) = ((bc >= ca) & (bc >= ab), ca >= ab);
    let (mut apex, mut p, mut q) = (*a, *b, *c);
    for k in 0..3 {
        let later = if faces_b { [b[k], c[k], a[k]] } else { [c[k], a[k], b[k]] };
        [apex[k], p[k], q[k]] = if faces_a { [a[k], b[k], c[k]] } else { later };
    }
    // The angle at the apex is the largest: at least 60 degrees, so that nothing cancels in the square of its sine.
    let (u, v) = (p - apex, q - apex);
    let uv = u.dot(&v);
    let (over_uu, over_vv) = (uv / u.norm_squared(), uv / v.norm_squared());
    let sine_sq = 1.0 - over_uu * over_vv;
    // Less, or NaN, only where squares underflow.
    let is_acute = (uv > 0.0) & (sine_sq > 0.5);
    let around = apex + (u * (1.0 - over_uu) + v * (1.0 - over_vv)) * (0.5 / sine_sq);
    let mut center = nalgebra::center(&p, &q);
    for k in 0..3 {
        center[k] = if is_acute { around[k] } else { center[k] };
    }
    center
}
