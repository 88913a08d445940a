//! Where a tree's volumes are: relative to the mesh's middle, in a unit near its size.

use nalgebra::Point3;

use crate::simd::Simd;

/// Where and in which unit a tree's volumes are stored: `stored = (x - origin) / unit`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frame {
    pub(crate) origin: Point3<f64>,
    /// A power of two, at least the mesh's half diagonal (1 for a mesh without extent).
    pub(crate) unit: f64,
}

impl Frame {
    #[inline(always)]
    pub(crate) fn to_local(self, point: &Point3<f64>) -> Point3<f64> {
        // A power of two's reciprocal is exact, and multiplying is quicker.
        Point3::from((point - self.origin) * (1.0 / self.unit))
    }

    /// Eight points in local coordinates.
    #[inline(always)]
    pub(super) fn local<S: Simd>(&self, s: S, points: &[[f32; 8]; 3]) -> [S::F64x8; 3] {
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
