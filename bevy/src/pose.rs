//! Conversions between Bevy's f32 vectors and transforms and bvtree's f64 poses.

use bevy_math::Vec3;
use bevy_transform::components::GlobalTransform;
use bvtree::Pose;
use bvtree::pose::PoseError;
use glam::Affine3A;
use nalgebra::{Point3, Vector3};

/// The pose of a rigid transform.
pub(crate) fn pose(transform: &GlobalTransform) -> Result<Pose, PoseError> {
    let affine = transform.affine();
    // Refuses what is not rigid.
    Pose::try_from(Affine3A::from_cols_array(&affine.to_cols_array()))?;
    // From a quaternion, half and quarter turns are converted exactly.
    let (_, rotation, translation) = transform.to_scale_rotation_translation();
    Pose::try_from((glam::Quat::from_array(rotation.to_array()), glam::Vec3::from_array(translation.to_array())))
}

pub(crate) fn vector(vector: Vec3) -> Vector3<f64> {
    vector.as_dvec3().to_array().into()
}

pub(crate) fn point(point: Vec3) -> Point3<f64> {
    vector(point).into()
}

pub(crate) fn vec3(vector: &Vector3<f64>) -> Vec3 {
    Vec3::new(vector.x as f32, vector.y as f32, vector.z as f32)
}
