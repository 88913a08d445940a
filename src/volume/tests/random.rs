//! Random numbers that can be drawn again.

use nalgebra::{Isometry3, Matrix3, Vector3};

/// splitmix64, so that a failure can be repeated.
pub(in crate::volume) struct Random(pub(in crate::volume) u64);

impl Random {
    pub(in crate::volume) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(in crate::volume) fn pick<T: Copy, const N: usize>(&mut self, from: [T; N]) -> T {
        from[(self.bits() % N as u64) as usize]
    }

    /// In -1..1.
    pub(in crate::volume) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * 2f64.powi(-52) - 1.0
    }

    pub(in crate::volume) fn vector(&mut self) -> Vector3<f64> {
        Vector3::new(self.unit(), self.unit(), self.unit())
    }

    /// Often about a coordinate axis, by quarter turns, or by next to nothing.
    pub(super) fn rotation(&mut self) -> Matrix3<f64> {
        let any = self.vector() * 3.0;
        let turn = match self.bits() % 5 {
            0 => Vector3::zeros(),
            1 => any * 1e-7,
            2 => any * 1e-3,
            3 => Vector3::ith(self.pick([0, 1, 2]), std::f64::consts::FRAC_PI_2),
            _ => any,
        };
        Isometry3::rotation(turn).rotation.to_rotation_matrix().into_inner()
    }

    pub(super) fn half_extents(&mut self) -> Vector3<f64> {
        let size = self.pick([0.5, 0.1, 1e-3]);
        Vector3::from_fn(|_, _| size * self.pick([0.0, 1e-4, 0.1, 1.0]) * self.unit().abs())
    }
}
