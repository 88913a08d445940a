//! The relative pose `b_to_a` of two meshes: a rotation and a translation in f64.

use nalgebra::{Isometry3, Matrix3, Point3, Vector3};
use thiserror::Error;

/// Where mesh B stands in mesh A's frame: `x -> R x + t`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    rotation: Matrix3<f64>,
    translation: Vector3<f64>,
    /// Measured once, for all queries.
    deviation: f64,
}

/// Why a matrix and a vector are not a pose.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum PoseError {
    /// An entry of the rotation or the translation is NaN or infinite.
    #[error("a pose entry is not finite")]
    NotFinite,
    /// The matrix is too far from a rotation: `max |R^T R - I|` exceeds [`Pose::MAX_DEVIATION`].
    #[error("the matrix is not a rotation: R^T R differs from the identity by {deviation:e}")]
    NotARotation {
        /// The largest entry of `|R^T R - I|`.
        deviation: f64,
    },
    /// The matrix is orthonormal but mirrors (its determinant is negative).
    #[error("the matrix mirrors: its determinant is negative")]
    Mirrors,
}

impl Pose {
    /// The largest entry of `|R^T R - I|` that [`Pose::new`] accepts. Room for matrices written in f32;
    /// volume tests widen their margins by the actual deviation.
    pub const MAX_DEVIATION: f64 = 1e-4;

    /// The pose that leaves B where it is.
    pub fn identity() -> Self {
        Self { rotation: Matrix3::identity(), translation: Vector3::zeros(), deviation: 0.0 }
    }

    /// A pose from a rotation matrix and a translation, kept exactly as given.
    ///
    /// # Errors
    /// If an entry is not finite, or the matrix is not a proper rotation within [`Pose::MAX_DEVIATION`].
    pub fn new(rotation: Matrix3<f64>, translation: Vector3<f64>) -> Result<Self, PoseError> {
        if !rotation.iter().chain(translation.iter()).all(|x| x.is_finite()) {
            return Err(PoseError::NotFinite);
        }
        let deviation = deviation(&rotation);
        if deviation > Self::MAX_DEVIATION || deviation.is_nan() {
            return Err(PoseError::NotARotation { deviation });
        }
        if rotation.determinant() < 0.0 {
            return Err(PoseError::Mirrors);
        }
        Ok(Self { rotation, translation, deviation })
    }

    /// A pose of which the entries are known to be finite and near a rotation's.
    pub(crate) fn unchecked(rotation: Matrix3<f64>, translation: Vector3<f64>) -> Self {
        Self { rotation, translation, deviation: deviation(&rotation) }
    }

    /// The rotation matrix.
    pub fn rotation(&self) -> &Matrix3<f64> {
        &self.rotation
    }

    /// The translation, in A's units.
    pub fn translation(&self) -> &Vector3<f64> {
        &self.translation
    }

    /// How far the matrix is from a rotation: the largest entry of `|R^T R - I|`.
    pub fn deviation(&self) -> f64 {
        self.deviation
    }

    /// B's vertex in A's frame, by the operations every verdict is defined on: plain f64, no fused multiply-add,
    /// `x' = ((r00*x + r01*y) + r02*z) + tx` and y', z' likewise.
    #[inline]
    pub fn transform(&self, vertex: &Point3<f32>) -> Point3<f64> {
        let (x, y, z) = (f64::from(vertex.x), f64::from(vertex.y), f64::from(vertex.z));
        let (r, t) = (&self.rotation, &self.translation);
        Point3::new(
            ((r[(0, 0)] * x + r[(0, 1)] * y) + r[(0, 2)] * z) + t.x,
            ((r[(1, 0)] * x + r[(1, 1)] * y) + r[(1, 2)] * z) + t.y,
            ((r[(2, 0)] * x + r[(2, 1)] * y) + r[(2, 2)] * z) + t.z,
        )
    }

    /// The pose that takes A's points into B's frame (`R^T`, `-R^T t`), rounded in f64.
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self::unchecked(rotation, -(rotation * self.translation))
    }
}

impl From<Isometry3<f64>> for Pose {
    /// The isometry's matrix and translation. A unit quaternion always gives a rotation.
    fn from(isometry: Isometry3<f64>) -> Self {
        Self::unchecked(isometry.rotation.to_rotation_matrix().into_inner(), isometry.translation.vector)
    }
}

fn deviation(rotation: &Matrix3<f64>) -> f64 {
    (rotation.transpose() * rotation - Matrix3::identity())
        .iter()
        .fold(0.0, |m: f64, x| if x.is_nan() { f64::NAN } else { m.max(x.abs()) })
}
