//! Rotation and translation of a frame, as forward kinematics multiplies them: [`Pose`] without its checks.

use bvtree::Pose;
use bvtree::pose::PoseError;
use nalgebra::{Matrix3, Point3, Vector3};

#[derive(Clone, Copy, Debug)]
pub struct Placement {
    pub rotation: Matrix3<f64>,
    pub translation: Vector3<f64>,
}

impl Placement {
    pub const IDENTITY: Self = Self {
        rotation: Matrix3::new(1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0),
        translation: Vector3::new(0.0, 0.0, 0.0),
    };

    #[inline]
    pub fn then(&self, inner: &Self) -> Self {
        Self {
            rotation: self.rotation * inner.rotation,
            translation: self.rotation * inner.translation + self.translation,
        }
    }

    #[inline]
    pub fn point(&self, point: &Point3<f64>) -> Point3<f64> {
        Point3::from(self.rotation * point.coords + self.translation)
    }

    /// The placement as a pose.
    ///
    /// # Errors
    /// If rounding has taken the matrix too far from a rotation, which takes thousands of joints.
    pub fn pose(&self) -> Result<Pose, PoseError> {
        Pose::new(self.rotation, self.translation)
    }
}

impl From<Pose> for Placement {
    fn from(pose: Pose) -> Self {
        Self { rotation: *pose.rotation(), translation: *pose.translation() }
    }
}
