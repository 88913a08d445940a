//! How one tree's volumes are brought into the other tree's frame and unit.

use nalgebra::{Matrix3, Vector3};

use super::Frame;
use crate::pose::Pose;

/// From one tree's local coordinates to another's: `x -> unit * (R x) + t`, in f32, with the margin that makes up for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ToFrame {
    /// Row by row.
    pub(crate) rotation: [[f32; 3]; 3],
    pub(crate) translation: [f32; 3],
    /// The source tree's unit in the target tree's.
    pub(crate) unit: f32,
    /// Bounds the error of every length that a volume test computes in the target's frame, so that "apart by more than
    /// the margin" is never wrong.
    ///
    /// Every coordinate is at most `S = 1 + unit + |t|` here, and a volume test takes fewer than 64 rounded operations
    /// from stored f32 to the compared length, each off by at most `2^-24 S` where axes have unit length. To that comes
    /// the matrix's deviation from a rotation, and the smallest normal number for what underflows.
    pub(crate) margin: f32,
}

impl ToFrame {
    /// From the frame of B to that of A, and back.
    pub(crate) fn both(a: &Frame, b: &Frame, b_to_a: &Pose) -> [ToFrame; 2] {
        let rotation = *b_to_a.rotation();
        // B's origin seen from A's, and A's from B's, where both are exact up to f64 rounding.
        let offset = rotation * b.origin.coords + b_to_a.translation() - a.origin.coords;
        let deviation = b_to_a.deviation();
        [
            Self::new(rotation, offset / a.unit, b.unit / a.unit, deviation),
            Self::new(rotation.transpose(), -(rotation.transpose() * offset) / b.unit, a.unit / b.unit, deviation),
        ]
    }

    fn new(rotation: Matrix3<f64>, translation: Vector3<f64>, unit: f64, deviation: f64) -> Self {
        let scale = 1.0 + unit + translation.norm();
        Self {
            rotation: std::array::from_fn(|i| std::array::from_fn(|j| rotation[(i, j)] as f32)),
            translation: std::array::from_fn(|i| translation[i] as f32),
            unit: unit as f32,
            margin: (scale * (64.0 * f64::from(f32::EPSILON) / 2.0 + 16.0 * deviation)) as f32 + f32::MIN_POSITIVE,
        }
    }

    /// A point's coordinates in the target frame.
    #[inline(always)]
    pub(crate) fn point(&self, p: [f32; 3]) -> [f32; 3] {
        let r = &self.rotation;
        std::array::from_fn(|i| {
            self.unit * (r[i][0] * p[0] + r[i][1] * p[1] + r[i][2] * p[2]) + self.translation[i]
        })
    }
}
