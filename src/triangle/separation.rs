//! Gaps between two triangles along an axis, which are lower bounds on their distance despite rounding.

use nalgebra::{Point3, Vector3};

use super::Triangle;
use crate::numeric::error_bounds::GAP_ERROR;

/// The vertices of two triangles relative to a vertex of the first.
pub(super) struct Corners {
    pub origin: Point3<f64>,
    pub a: [Vector3<f64>; 3],
    pub b: [Vector3<f64>; 3],
    /// The largest absolute coordinate, which bounds rounding errors.
    pub extent: f64,
}

impl Corners {
    #[inline]
    pub(super) fn new(a: &Triangle, b: &Triangle) -> Self {
        let origin = a.vertices[0];
        let [a, b] = [a, b].map(|t| t.vertices.map(|p| p - origin));
        let extent = a.iter().chain(&b).flat_map(|p| p.iter()).fold(0.0, |m, x| larger(m, x.abs()));
        Self { origin, a, b, extent }
    }

    /// Three times the vector from the first triangle's centre to the second's.
    #[inline]
    pub(super) fn between_centers(&self) -> Vector3<f64> {
        (self.b[0] + self.b[1] + self.b[2]) - (self.a[0] + self.a[1] + self.a[2])
    }

    /// The gap between the triangles along the axis, times the axis's length, up to rounding; negative if they overlap.
    #[inline]
    pub(super) fn gap(&self, axis: &Vector3<f64>) -> f64 {
        let ((low_a, high_a), (low_b, high_b)) = (interval(&self.a, axis), interval(&self.b, axis));
        larger(low_b - high_a, low_a - high_b)
    }

    /// A lower bound on the exact value of a `gap` that [`Corners::gap`] returned for the axis: like it, times the
    /// axis's length.
    #[inline]
    pub(super) fn certain(&self, gap: f64, axis: &Vector3<f64>) -> f64 {
        gap - GAP_ERROR * self.extent * (axis.x.abs() + axis.y.abs() + axis.z.abs())
    }

    /// Whether the axis proves that the squared distance is `bound_sq` or more.
    #[inline]
    pub(super) fn distance_reaches(&self, bound_sq: f64, axis: &Vector3<f64>) -> bool {
        let lower_bound = self.certain(self.gap(axis), axis);
        lower_bound > 0.0 && lower_bound * lower_bound >= bound_sq * axis.norm_squared()
    }
}

/// The least and the greatest dot product of the axis and a point.
#[inline]
pub(super) fn interval(points: &[Vector3<f64>; 3], axis: &Vector3<f64>) -> (f64, f64) {
    let [x, y, z] = [0, 1, 2].map(|i| points[i].dot(axis));
    (smaller(smaller(x, y), z), larger(larger(x, y), z))
}

/// [`f64::min`] without its treatment of NaN, which costs more than the comparison.
#[inline]
pub(super) fn smaller(x: f64, y: f64) -> f64 {
    if x < y { x } else { y }
}

/// [`f64::max`] without its treatment of NaN.
#[inline]
pub(super) fn larger(x: f64, y: f64) -> f64 {
    if x > y { x } else { y }
}
