//! Conversions of poses from glam's quaternions, and from and to its transforms and matrices (feature `glam`).

use glam::{Affine3A, DAffine3, DMat3, DMat4, DQuat, DVec3, Mat4, Quat, Vec3};
use nalgebra::{Matrix3, Vector3};

use crate::numeric::error_bounds::{QUATERNION_ROUNDING, QUATERNION_ROUNDING_F32};
use crate::pose::{Pose, PoseError};

impl TryFrom<(DQuat, DVec3)> for Pose {
    type Error = PoseError;

    /// Converts as [`Pose::from_quaternion`] does. This is more accurate than a conversion through a matrix.
    ///
    /// # Errors
    /// Fails if the quaternion is zero, or a number is not finite.
    fn try_from((rotation, translation): (DQuat, DVec3)) -> Result<Self, PoseError> {
        Pose::from_rounded_quaternion(rotation.to_array(), QUATERNION_ROUNDING, translation.to_array().into())
    }
}

impl TryFrom<(Quat, Vec3)> for Pose {
    type Error = PoseError;

    /// Converts to f64. [Exact rotations](Pose#flush-contact) stay exact, up to f32 rounding of the quaternion.
    ///
    /// # Errors
    /// Fails if the quaternion is zero, or a number is not finite.
    fn try_from((rotation, translation): (Quat, Vec3)) -> Result<Self, PoseError> {
        let translation = translation.as_dvec3().to_array().into();
        Pose::from_rounded_quaternion(rotation.to_array().map(f64::from), QUATERNION_ROUNDING_F32, translation)
    }
}

impl TryFrom<DAffine3> for Pose {
    type Error = PoseError;

    /// Converts without rounding.
    ///
    /// # Errors
    /// Fails as [`Pose::new`] does; scaled and sheared transforms are not poses.
    fn try_from(affine: DAffine3) -> Result<Self, PoseError> {
        let rotation = Matrix3::from_column_slice(&affine.matrix3.to_cols_array());
        Pose::new(rotation, Vector3::from(affine.translation.to_array()))
    }
}

impl TryFrom<Affine3A> for Pose {
    type Error = PoseError;

    /// Converts to f64 without rounding.
    ///
    /// # Errors
    /// Fails as [`Pose::new`] does; scaled and sheared transforms are not poses.
    fn try_from(affine: Affine3A) -> Result<Self, PoseError> {
        let [x, y, z] =
            [affine.matrix3.x_axis, affine.matrix3.y_axis, affine.matrix3.z_axis].map(|axis| axis.as_dvec3());
        DAffine3 { matrix3: DMat3::from_cols(x, y, z), translation: affine.translation.as_dvec3() }.try_into()
    }
}

impl TryFrom<DMat4> for Pose {
    type Error = PoseError;

    /// Converts without rounding.
    ///
    /// # Errors
    /// Fails as [`Pose::new`] does, and if the last row is not 0, 0, 0, 1.
    fn try_from(matrix: DMat4) -> Result<Self, PoseError> {
        if matrix.row(3).to_array() != [0.0, 0.0, 0.0, 1.0] {
            return Err(PoseError::NotAffine);
        }
        DAffine3::from_mat4(matrix).try_into()
    }
}

impl TryFrom<Mat4> for Pose {
    type Error = PoseError;

    /// Converts to f64 without rounding.
    ///
    /// # Errors
    /// Fails as [`Pose::new`] does, and if the last row is not 0, 0, 0, 1.
    fn try_from(matrix: Mat4) -> Result<Self, PoseError> {
        matrix.as_dmat4().try_into()
    }
}

impl From<Pose> for DAffine3 {
    /// Converts without rounding.
    fn from(pose: Pose) -> Self {
        let columns: [f64; 9] = pose.rotation().as_slice().try_into().unwrap_or_default();
        Self { matrix3: DMat3::from_cols_array(&columns), translation: DVec3::from_array((*pose.translation()).into()) }
    }
}

impl From<Pose> for DMat4 {
    /// Converts without rounding.
    fn from(pose: Pose) -> Self {
        DAffine3::from(pose).into()
    }
}

impl From<Pose> for Mat4 {
    /// Rounds to f32.
    fn from(pose: Pose) -> Self {
        DMat4::from(pose).as_mat4()
    }
}

impl From<Pose> for Affine3A {
    /// Rounds to f32.
    fn from(pose: Pose) -> Self {
        Affine3A::from_mat4(pose.into())
    }
}
