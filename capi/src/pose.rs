//! Poses: where one mesh stands in the frame of another, or in the world.

use std::mem::MaybeUninit;

use bvtree::Pose;
use nalgebra::{Matrix3, Point3, Quaternion, Vector3};

use crate::ffi::{given, out};
use crate::panic_guard::{DONE, panic_guard};
use crate::status::{BvtStatus, Error};

/// A rotation, row by row, and a translation: x -> R x + t. Entries that are not finite are refused, and matrices of
/// which an entry of R^T R - I exceeds 1e-4 (room for what f32 rounds) or that mirror. A translation may be of any
/// size; a body of a scene must not reach farther than 1e30 from the world's origin.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtPose {
    /// r00, r01, r02, r10 and so on.
    pub rotation: [f64; 9],
    /// In the unit of the meshes.
    pub translation: [f64; 3],
}

impl From<Pose> for BvtPose {
    fn from(pose: Pose) -> Self {
        let mut rotation = [0.0; 9];
        rotation.copy_from_slice(pose.rotation().transpose().as_slice());
        Self { rotation, translation: (*pose.translation()).into() }
    }
}

impl BvtPose {
    pub(crate) fn checked(&self) -> Result<Pose, Error> {
        Ok(Pose::new(Matrix3::from_row_slice(&self.rotation), self.translation.into())?)
    }
}

/// A pose that has to be there.
pub(crate) fn pose(pose: Option<&BvtPose>, name: &str) -> Result<Pose, Error> {
    given(pose, name)?.checked().map_err(|error| Error { text: format!("{name}: {}", error.text), ..error })
}

/// A point or vector that has to be there.
pub(crate) fn coordinates(three: Option<&[f64; 3]>, name: &str) -> Result<[f64; 3], Error> {
    given(three, name).copied()
}

pub(crate) fn point(three: Option<&[f64; 3]>, name: &str) -> Result<Point3<f64>, Error> {
    coordinates(three, name).map(Point3::from)
}

pub(crate) fn vector(three: Option<&[f64; 3]>, name: &str) -> Result<Vector3<f64>, Error> {
    coordinates(three, name).map(Vector3::from)
}

/// The pose that leaves everything where it is.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_pose_identity() -> BvtPose {
    Pose::identity().into()
}

/// A pose that moves and does not turn.
///
/// Errors: `BVT_ERROR_POSE` if a number is not finite.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_pose_from_translation(
    translation: Option<&[f64; 3]>,
    pose: Option<&mut MaybeUninit<BvtPose>>,
) -> BvtStatus {
    panic_guard(|| {
        let (translation, out) = (vector(translation, "translation")?, out(pose, "pose")?);
        out.write(Pose::from_translation(translation)?.into());
        DONE
    })
}

/// A pose of a quaternion x, y, z, w, which need not be of unit length, and a translation.
///
/// Turns about a coordinate axis leave that axis alone to the last bit, and quarter and half turns have entries 0, 1
/// and -1 only: bodies that stand flush on a floor touch it. For this, components within 4 units in the last place of
/// zero or of each other, in parts of the largest, count as zero or equal.
///
/// Errors: `BVT_ERROR_POSE` if a number is not finite or the quaternion is zero.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_pose_from_quaternion(
    xyzw: Option<&[f64; 4]>,
    translation: Option<&[f64; 3]>,
    pose: Option<&mut MaybeUninit<BvtPose>>,
) -> BvtStatus {
    panic_guard(|| {
        let (xyzw, translation) = (given(xyzw, "xyzw")?, vector(translation, "translation")?);
        let out = out(pose, "pose")?;
        out.write(Pose::from_quaternion(&Quaternion::from(*xyzw), translation)?.into());
        DONE
    })
}

/// A pose of a right-handed turn about an axis of any length but zero, by an angle in radians, and a translation. As
/// exact as `bvt_pose_from_quaternion`.
///
/// Errors: `BVT_ERROR_POSE` if a number is not finite or the axis is zero.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_pose_from_axis_angle(
    axis: Option<&[f64; 3]>,
    angle: f64,
    translation: Option<&[f64; 3]>,
    pose: Option<&mut MaybeUninit<BvtPose>>,
) -> BvtStatus {
    panic_guard(|| {
        let (axis, translation) = (vector(axis, "axis")?, vector(translation, "translation")?);
        let out = out(pose, "pose")?;
        out.write(Pose::from_axis_angle(&axis, angle, translation)?.into());
        DONE
    })
}

/// A pose of Euler angles in radians and a translation: first a turn about x by `roll`, then about y by `pitch`, then
/// about z by `yaw`, all through fixed axes. As exact as `bvt_pose_from_quaternion`.
///
/// Errors: `BVT_ERROR_POSE` if a number is not finite.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_pose_from_euler_angles(
    roll: f64,
    pitch: f64,
    yaw: f64,
    translation: Option<&[f64; 3]>,
    pose: Option<&mut MaybeUninit<BvtPose>>,
) -> BvtStatus {
    panic_guard(|| {
        let translation = vector(translation, "translation")?;
        let out = out(pose, "pose")?;
        out.write(Pose::from_euler_angles(roll, pitch, yaw, translation)?.into());
        DONE
    })
}

/// A pose of a matrix of four columns of four f32, as graphics libraries keep it: the last column is the translation.
///
/// Errors: `BVT_ERROR_POSE` if the matrix scales, shears or mirrors, a number is not finite, or the last row is not 0,
/// 0, 0, 1.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_pose_from_columns(
    columns: Option<&[f32; 16]>,
    pose: Option<&mut MaybeUninit<BvtPose>>,
) -> BvtStatus {
    panic_guard(|| {
        let (matrix, out) = (given(columns, "columns")?.map(f64::from), out(pose, "pose")?);
        if [matrix[3], matrix[7], matrix[11], matrix[15]] != [0.0, 0.0, 0.0, 1.0] {
            return Err(bvtree::pose::PoseError::NotAffine.into());
        }
        let [x, y, z, translation] = [0, 4, 8, 12].map(|k| Vector3::new(matrix[k], matrix[k + 1], matrix[k + 2]));
        out.write(Pose::new(Matrix3::from_columns(&[x, y, z]), translation)?.into());
        DONE
    })
}

/// Where B stands in A's frame, given where both stand in the world.
///
/// Errors: `BVT_ERROR_POSE` if one of them is not a pose.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_pose_relative(
    a_to_world: BvtPose,
    b_to_world: BvtPose,
    b_to_a: Option<&mut MaybeUninit<BvtPose>>,
) -> BvtStatus {
    panic_guard(|| {
        let (a, b) = (a_to_world.checked()?, b_to_world.checked()?);
        out(b_to_a, "b_to_a")?.write(Pose::relative(&a, &b).into());
        DONE
    })
}

/// First the second pose, then the first one: what takes C's frame to A's, of what takes B's to A's and C's to B's.
///
/// Errors: `BVT_ERROR_POSE` if one of them is not a pose.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_pose_product(
    b_to_a: BvtPose,
    c_to_b: BvtPose,
    c_to_a: Option<&mut MaybeUninit<BvtPose>>,
) -> BvtStatus {
    panic_guard(|| {
        let (b, c) = (b_to_a.checked()?, c_to_b.checked()?);
        out(c_to_a, "c_to_a")?.write((b * c).into());
        DONE
    })
}

/// The pose that takes everything back.
///
/// Errors: `BVT_ERROR_POSE` if it is not a pose.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_pose_inverse(b_to_a: BvtPose, a_to_b: Option<&mut MaybeUninit<BvtPose>>) -> BvtStatus {
    panic_guard(|| {
        let b = b_to_a.checked()?;
        out(a_to_b, "a_to_b")?.write(b.inverse().into());
        DONE
    })
}
