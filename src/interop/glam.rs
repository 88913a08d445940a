//! Poses from glam's quaternions and translations, and from and to its affine transforms and matrices (feature `glam`).

use glam::{Affine3A, DAffine3, DMat3, DMat4, DQuat, DVec3, Mat4, Quat, Vec3};
use nalgebra::{Matrix3, Vector3};

use crate::numeric::error_bounds::{QUATERNION_ROUNDING, QUATERNION_ROUNDING_F32};
use crate::pose::{Pose, PoseError};

impl TryFrom<(DQuat, DVec3)> for Pose {
    type Error = PoseError;

    /// As [`Pose::from_quaternion`], which keeps more exact than a way by glam's matrices.
    ///
    /// # Errors
    /// If the quaternion is zero, or a number is not finite.
    fn try_from((rotation, translation): (DQuat, DVec3)) -> Result<Self, PoseError> {
        Pose::from_rounded_quaternion(rotation.to_array(), QUATERNION_ROUNDING, translation.to_array().into())
    }
}

impl TryFrom<(Quat, Vec3)> for Pose {
    type Error = PoseError;

    /// The same in f64. [What is exact](Pose#flush-contact) stays exact, to f32's rounding of the quaternion.
    ///
    /// # Errors
    /// If the quaternion is zero, or a number is not finite.
    fn try_from((rotation, translation): (Quat, Vec3)) -> Result<Self, PoseError> {
        let translation = translation.as_dvec3().to_array().into();
        Pose::from_rounded_quaternion(rotation.to_array().map(f64::from), QUATERNION_ROUNDING_F32, translation)
    }
}

impl TryFrom<DAffine3> for Pose {
    type Error = PoseError;

    /// The same numbers.
    ///
    /// # Errors
    /// As [`Pose::new`]: scaled or sheared transforms are no poses.
    fn try_from(affine: DAffine3) -> Result<Self, PoseError> {
        let rotation = Matrix3::from_column_slice(&affine.matrix3.to_cols_array());
        Pose::new(rotation, Vector3::from(affine.translation.to_array()))
    }
}

impl TryFrom<Affine3A> for Pose {
    type Error = PoseError;

    /// The same numbers in f64.
    ///
    /// # Errors
    /// As [`Pose::new`]: scaled or sheared transforms are no poses.
    fn try_from(affine: Affine3A) -> Result<Self, PoseError> {
        let [x, y, z] =
            [affine.matrix3.x_axis, affine.matrix3.y_axis, affine.matrix3.z_axis].map(|axis| axis.as_dvec3());
        DAffine3 { matrix3: DMat3::from_cols(x, y, z), translation: affine.translation.as_dvec3() }.try_into()
    }
}

impl TryFrom<DMat4> for Pose {
    type Error = PoseError;

    /// The same numbers.
    ///
    /// # Errors
    /// As [`Pose::new`]; and if the last row is not 0, 0, 0, 1.
    fn try_from(matrix: DMat4) -> Result<Self, PoseError> {
        if matrix.row(3).to_array() != [0.0, 0.0, 0.0, 1.0] {
            return Err(PoseError::NotAffine);
        }
        DAffine3::from_mat4(matrix).try_into()
    }
}

impl TryFrom<Mat4> for Pose {
    type Error = PoseError;

    /// The same numbers in f64.
    ///
    /// # Errors
    /// As [`Pose::new`]; and if the last row is not 0, 0, 0, 1.
    fn try_from(matrix: Mat4) -> Result<Self, PoseError> {
        matrix.as_dmat4().try_into()
    }
}

impl From<Pose> for DAffine3 {
    /// The same numbers.
    fn from(pose: Pose) -> Self {
        let columns: [f64; 9] = pose.rotation().as_slice().try_into().unwrap_or_default();
        Self { matrix3: DMat3::from_cols_array(&columns), translation: DVec3::from_array((*pose.translation()).into()) }
    }
}

impl From<Pose> for DMat4 {
    /// The same numbers.
    fn from(pose: Pose) -> Self {
        DAffine3::from(pose).into()
    }
}

impl From<Pose> for Mat4 {
    /// Rounded to f32.
    fn from(pose: Pose) -> Self {
        DMat4::from(pose).as_mat4()
    }
}

impl From<Pose> for Affine3A {
    /// Rounded to f32.
    fn from(pose: Pose) -> Self {
        Affine3A::from_mat4(pose.into())
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Isometry3, Point3};

    use super::*;

    #[test]
    fn transforms_move_points_as_the_pose_does() {
        let pose = Pose::from(Isometry3::new(Vector3::new(1.0, -2.0, 3.5), Vector3::new(0.3, -0.4, 1.5)));
        let point = Point3::new(0.25_f32, -3.0, 7.5);
        let moved = pose.transform(&point);
        let there = [
            DAffine3::from(pose).transform_point3(DVec3::new(0.25, -3.0, 7.5)),
            DMat4::from(pose).transform_point3(DVec3::new(0.25, -3.0, 7.5)),
            Affine3A::from(pose).transform_point3(glam::Vec3::new(0.25, -3.0, 7.5)).as_dvec3(),
        ];
        for there in there {
            assert!((moved - Point3::from(there.to_array())).norm() < 1e-5);
        }
        assert_eq!(Pose::try_from(DAffine3::from(pose)), Ok(pose));
        assert_eq!(Pose::try_from(DMat4::from(pose)), Ok(pose));
        let rounded = [Pose::try_from(Mat4::from(pose)), Pose::try_from(Affine3A::from(pose))];
        assert!(rounded.iter().all(|back| (back.unwrap().rotation() - pose.rotation()).amax() < 1e-7));
    }

    #[test]
    fn quaternions_keep_what_is_exact() {
        let half = Matrix3::from_diagonal(&Vector3::new(-1.0, -1.0, 1.0));
        let half_turn = DQuat::from_rotation_z(std::f64::consts::PI);
        let pose = Pose::try_from((half_turn, DVec3::new(1.0, 2.0, 3.0))).unwrap();
        assert_eq!((*pose.rotation(), *pose.translation()), (half, Vector3::new(1.0, 2.0, 3.0)));
        let pose = Pose::try_from((Quat::from_rotation_z(std::f32::consts::PI), Vec3::X)).unwrap();
        assert_eq!((*pose.rotation(), *pose.translation()), (half, Vector3::x()));
        let pose = Pose::try_from((DQuat::from_rotation_x(3.0), DVec3::ZERO)).unwrap();
        let expected = Pose::from_axis_angle(&Vector3::x(), 3.0, Vector3::zeros()).unwrap();
        assert!((pose.rotation() - expected.rotation()).amax() < 1e-15 && pose.rotation()[(0, 0)] == 1.0);
        assert_eq!(Pose::try_from((DQuat::from_array([0.0; 4]), DVec3::ZERO)), Err(PoseError::ZeroLength));
        assert_eq!(Pose::try_from((Quat::NAN, Vec3::ZERO)), Err(PoseError::NotFinite));
    }

    #[test]
    fn what_is_no_pose_is_refused() {
        assert!(Pose::try_from(Mat4::from_scale(glam::Vec3::splat(2.0))).is_err());
        assert_eq!(Pose::try_from(Mat4::from_scale(-glam::Vec3::ONE)), Err(PoseError::Mirrors));
        let mut projection = Mat4::IDENTITY;
        projection.z_axis.w = -1.0;
        assert_eq!(Pose::try_from(projection), Err(PoseError::NotAffine));
        assert_eq!(Pose::try_from(Mat4::NAN), Err(PoseError::NotAffine));
    }
}
