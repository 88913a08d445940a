//! Poses from mint's quaternions and translations, and from and to its matrices (feature `mint`).

use mint::{ColumnMatrix4, RowMatrix4};
use nalgebra::{Matrix4, Vector3};

use crate::numeric::error_bounds::{QUATERNION_ROUNDING, QUATERNION_ROUNDING_F32};
use crate::pose::{Pose, PoseError};

impl TryFrom<(mint::Quaternion<f64>, mint::Vector3<f64>)> for Pose {
    type Error = PoseError;

    /// As [`Pose::from_quaternion`].
    ///
    /// # Errors
    /// If the quaternion is zero, or a number is not finite.
    fn try_from((rotation, translation): (mint::Quaternion<f64>, mint::Vector3<f64>)) -> Result<Self, PoseError> {
        Pose::from_rounded_quaternion(rotation.into(), QUATERNION_ROUNDING, translation.into())
    }
}

impl TryFrom<(mint::Quaternion<f32>, mint::Vector3<f32>)> for Pose {
    type Error = PoseError;

    /// The same in f64. [What is exact](Pose#flush-contact) stays exact, to f32's rounding of the quaternion.
    ///
    /// # Errors
    /// If the quaternion is zero, or a number is not finite.
    fn try_from((rotation, translation): (mint::Quaternion<f32>, mint::Vector3<f32>)) -> Result<Self, PoseError> {
        let (rotation, translation): ([f32; 4], Vector3<f32>) = (rotation.into(), translation.into());
        Pose::from_rounded_quaternion(rotation.map(f64::from), QUATERNION_ROUNDING_F32, translation.cast())
    }
}

impl TryFrom<ColumnMatrix4<f64>> for Pose {
    type Error = PoseError;

    /// The same numbers.
    ///
    /// # Errors
    /// As [`Pose::new`]; and if the last row is not 0, 0, 0, 1.
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

    /// The same numbers in f64.
    ///
    /// # Errors
    /// As [`Pose::new`]; and if the last row is not 0, 0, 0, 1.
    fn try_from(matrix: ColumnMatrix4<f32>) -> Result<Self, PoseError> {
        let widened: ColumnMatrix4<f64> = Matrix4::from(matrix).cast::<f64>().into();
        widened.try_into()
    }
}

impl TryFrom<RowMatrix4<f64>> for Pose {
    type Error = PoseError;

    /// As the same matrix column by column.
    fn try_from(matrix: RowMatrix4<f64>) -> Result<Self, PoseError> {
        ColumnMatrix4::from(matrix).try_into()
    }
}

impl TryFrom<RowMatrix4<f32>> for Pose {
    type Error = PoseError;

    /// As the same matrix column by column.
    fn try_from(matrix: RowMatrix4<f32>) -> Result<Self, PoseError> {
        ColumnMatrix4::from(matrix).try_into()
    }
}

impl From<Pose> for ColumnMatrix4<f64> {
    /// The same numbers.
    fn from(pose: Pose) -> Self {
        pose.rotation().to_homogeneous().append_translation(pose.translation()).into()
    }
}

impl From<Pose> for ColumnMatrix4<f32> {
    /// Rounded to f32.
    fn from(pose: Pose) -> Self {
        pose.rotation().to_homogeneous().append_translation(pose.translation()).cast::<f32>().into()
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Isometry3;

    use super::*;

    #[test]
    fn matrices_come_back() {
        let isometry = Isometry3::new(Vector3::new(1.0, -2.0, 3.5), Vector3::new(0.3, -0.4, 1.5));
        let pose = Pose::from(isometry);
        let matrix = ColumnMatrix4::<f64>::from(pose);
        assert!((Matrix4::from(matrix) - isometry.to_homogeneous()).amax() < 1e-15);
        assert_eq!(Pose::try_from(matrix), Ok(pose));
        assert_eq!(Pose::try_from(RowMatrix4::from(matrix)), Ok(pose));
        let rounded = Pose::try_from(ColumnMatrix4::<f32>::from(pose)).unwrap();
        assert!((rounded.rotation() - pose.rotation()).amax() < 1e-7);
        assert_eq!(Pose::try_from(RowMatrix4::from(ColumnMatrix4::<f32>::from(pose))), Ok(rounded));
    }

    #[test]
    fn quaternions_keep_what_is_exact() {
        let quarter = nalgebra::Matrix3::new(1.0, 0.0, 0.0, 0.0, 0.0, -1.0, 0.0, 1.0, 0.0);
        let (sin, cos) = std::f64::consts::FRAC_PI_4.sin_cos();
        let rotation = mint::Quaternion::from([sin, 0.0, 0.0, cos]);
        let pose = Pose::try_from((rotation, mint::Vector3::from([1.0, 2.0, 3.0]))).unwrap();
        assert_eq!((*pose.rotation(), *pose.translation()), (quarter, Vector3::new(1.0, 2.0, 3.0)));
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let rotation = mint::Quaternion::from([half.next_up(), 0.0, 0.0, half.next_down()]);
        let pose = Pose::try_from((rotation, mint::Vector3::from([1.0_f32, 2.0, 3.0]))).unwrap();
        assert_eq!((*pose.rotation(), *pose.translation()), (quarter, Vector3::new(1.0, 2.0, 3.0)));
        let zero = mint::Quaternion::from([0.0; 4]);
        assert_eq!(Pose::try_from((zero, mint::Vector3::from([0.0_f64; 3]))), Err(PoseError::ZeroLength));
    }

    #[test]
    fn what_is_no_pose_is_refused() {
        let projection: ColumnMatrix4<f64> = Matrix4::new_perspective(1.0, 1.0, 0.1, 9.0).into();
        assert_eq!(Pose::try_from(projection), Err(PoseError::NotAffine));
        let scaled: ColumnMatrix4<f32> = Matrix4::new_scaling(2.0).into();
        assert!(matches!(Pose::try_from(scaled), Err(PoseError::NotARotation { .. })));
    }
}
