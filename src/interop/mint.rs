//! Conversions of poses from mint's quaternions and translations, and from and to its matrices (feature `mint`).

use mint::{ColumnMatrix4, RowMatrix4};
use nalgebra::{Matrix4, Vector3};

use crate::numeric::error_bounds::{QUATERNION_ROUNDING, QUATERNION_ROUNDING_F32};
use crate::pose::{Pose, PoseError};

impl TryFrom<(mint::Quaternion<f64>, mint::Vector3<f64>)> for Pose {
    type Error = PoseError;

    /// Converts as [`Pose::from_quaternion`] does.
    ///
    /// # Errors
    /// Fails if the quaternion is zero, or a number is not finite.
    fn try_from((rotation, translation): (mint::Quaternion<f64>, mint::Vector3<f64>)) -> Result<Self, PoseError> {
        Pose::from_rounded_quaternion(rotation.into(), QUATERNION_ROUNDING, translation.into())
    }
}

impl TryFrom<(mint::Quaternion<f32>, mint::Vector3<f32>)> for Pose {
    type Error = PoseError;

    /// Converts to f64. [Exact rotations](Pose#flush-contact) stay exact, up to f32 rounding of the quaternion.
    ///
    /// # Errors
    /// Fails if the quaternion is zero, or a number is not finite.
    fn try_from((rotation, translation): (mint::Quaternion<f32>, mint::Vector3<f32>)) -> Result<Self, PoseError> {
        let (rotation, translation): ([f32; 4], Vector3<f32>) = (rotation.into(), translation.into());
        Pose::from_rounded_quaternion(rotation.map(f64::from), QUATERNION_ROUNDING_F32, translation.cast())
    }
}

impl TryFrom<ColumnMatrix4<f64>> for Pose {
    type Error = PoseError;

    /// Converts without rounding.
    ///
    /// # Errors
    /// Fails as [`Pose::new`] does, and if the last row is not 0, 0, 0, 1.
    fn try_from(matrix: ColumnMatrix4<f64>) -> Result<Self, PoseError> {
        let matrix = Matrix4::from(matrix);
        if matrix.row(3) != nalgebra::RowVector4::new(0.0, 0.0, 0.0, 1.0) {
            return Err(PoseError::NotAffine);
        }
        Pose::new(matrix.fixed_view::<3, 3>(0, 0).into_owned(), Vector3::from(matrix.fixed_view::<3, 1>(0, 3)))
    }
}

impl TryFrom<ColumnMatrix4<f32>> for Pose {
    type Error = PoseError;

    /// Converts to f64 without rounding.
    ///
    /// # Errors
    /// Fails as [`Pose::new`] does, and if the last row is not 0, 0, 0, 1.
    fn try_from(matrix: ColumnMatrix4<f32>) -> Result<Self, PoseError> {
        let widened: ColumnMatrix4<f64> = Matrix4::from(matrix).cast::<f64>().into();
        widened.try_into()
    }
}

impl TryFrom<RowMatrix4<f64>> for Pose {
    type Error = PoseError;

    /// Converts as the column-major matrix does.
    fn try_from(matrix: RowMatrix4<f64>) -> Result<Self, PoseError> {
        ColumnMatrix4::from(matrix).try_into()
    }
}

impl TryFrom<RowMatrix4<f32>> for Pose {
    type Error = PoseError;

    /// Converts as the column-major matrix does.
    fn try_from(matrix: RowMatrix4<f32>) -> Result<Self, PoseError> {
        ColumnMatrix4::from(matrix).try_into()
    }
}

impl From<Pose> for ColumnMatrix4<f64> {
    /// Converts without rounding.
    fn from(pose: Pose) -> Self {
        pose.rotation().to_homogeneous().append_translation(pose.translation()).into()
    }
}

impl From<Pose> for ColumnMatrix4<f32> {
    /// Rounds to f32.
    fn from(pose: Pose) -> Self {
        pose.rotation().to_homogeneous().append_translation(pose.translation()).cast::<f32>().into()
    }
}
