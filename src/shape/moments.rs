//! Volume and moments of solids.

use nalgebra::{Matrix3, Vector3};

/// The integrals over a solid of 1, `x` and `x x^T`, with `x` relative to some origin.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moments {
    pub(crate) volume: f64,
    pub(crate) first: Vector3<f64>,
    pub(crate) second: Matrix3<f64>,
}

impl Moments {
    /// Adds the tetrahedron between the origin and a triangle; its volume is negative if the triangle faces the origin.
    /// Returns six times that volume.
    pub(crate) fn add_tetrahedron(&mut self, [a, b, c]: [Vector3<f64>; 3]) -> f64 {
        let determinant = a.dot(&b.cross(&c));
        let sum = a + b + c;
        let squares = a * a.transpose() + b * b.transpose() + c * c.transpose();
        self.volume += determinant / 6.0;
        self.first += sum * (determinant / 24.0);
        self.second += (sum * sum.transpose() + squares) * (determinant / 120.0);
        determinant
    }
}
