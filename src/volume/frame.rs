//! The storage frame of a tree's volumes: relative to the mesh's middle, in a unit near its size.

use nalgebra::Point3;

use crate::shape::Aabb;
use crate::simd::Simd;

/// Where and in which unit a tree's volumes are stored: `stored = (x - origin) / unit`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frame {
    pub(crate) origin: Point3<f64>,
    /// A power of two, at least the mesh's half diagonal (1 for a mesh without extent).
    pub(crate) unit: f64,
}

impl Frame {
    /// About the middle of the bounds, in the least unit.
    pub(crate) fn of(bounds: &Aabb) -> Self {
        if bounds.is_empty() {
            return Self { origin: Point3::origin(), unit: 1.0 };
        }
        Self { origin: bounds.center(), unit: power_of_two_from(bounds.half_extents().norm()) }
    }

    /// Whether the unit is a power of two and no point of the bounds farther from the origin than that, so that local
    /// coordinates are at most 1.
    pub(crate) fn is_for(&self, bounds: &Aabb) -> bool {
        let Self { origin, unit } = *self;
        let is_power_of_two = unit.is_normal() && unit > 0.0 && unit.to_bits().trailing_zeros() >= 52;
        let reach = if bounds.is_empty() {
            0.0
        } else if bounds.center() == origin {
            // As the unit was chosen: an offset's square may round up.
            bounds.half_extents().norm()
        } else {
            (bounds.half_extents() + (bounds.center() - origin).abs()).norm()
        };
        is_power_of_two && reach <= unit && origin.iter().all(|x| x.is_finite())
    }

    #[inline(always)]
    pub(crate) fn to_local(self, point: &Point3<f64>) -> Point3<f64> {
        // A power of two's reciprocal is exact, and multiplying is quicker.
        Point3::from((point - self.origin) * (1.0 / self.unit))
    }

    /// Eight points in local coordinates.
    #[inline(always)]
    pub(crate) fn local<S: Simd>(&self, s: S, points: &[[f32; 8]; 3]) -> [S::F64x8; 3] {
        let (mut local, scale) = ([s.splat64(0.0); 3], s.splat64(1.0 / self.unit));
        for k in 0..3 {
            local[k] = s.mul64(s.sub64(s.widen(&points[k]), s.splat64(self.origin[k])), scale);
        }
        local
    }

    pub(crate) fn to_mesh(self, local: &Point3<f64>) -> Point3<f64> {
        self.origin + local.coords * self.unit
    }
}

/// The least power of two not below `x`; 1 for 0.
fn power_of_two_from(x: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    let below = f64::from_bits(x.to_bits() & EXPONENT);
    if x == 0.0 {
        1.0
    } else if below < x {
        2.0 * below
    } else {
        below
    }
}
