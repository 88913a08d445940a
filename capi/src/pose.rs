//! Poses: from one mesh's frame into another's, or into the world.

use std::mem::MaybeUninit;

use bvtree::Pose;
use nalgebra::{Matrix3, Point3, Quaternion, Vector3};

use crate::ffi::{given, out};
use crate::panic_guard::{DONE, panic_guard};
use crate::status::{BvtStatus, Error};

/// A rigid transformation x -> R x + t: a rotation, row by row, and a translation. Entries must be finite, R must not
/// mirror, and no entry of R^T R - I may exceed 1e-4, which allows for f32 rounding. A translation may have any
/// length; a body of a scene must stay within 1e30 of the world's origin.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct BvtPose {
    /// Rotation matrix, row by row: r00, r01, r02, r10 and so on.
    pub rotation: [f64; 9],
    /// Translation, in the unit of the meshes.
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

/// Returns a pose that must not be null.
pub(crate) fn pose(pose: Option<&BvtPose>, name: &str) -> Result<Pose, Error> {
    given(pose, name)?.checked().map_err(|error| Error { text: format!("{name}: {}", error.text), ..error })
}

/// Returns a point or vector that must not be null.
pub(crate) fn coordinates(three: Option<&[f64; 3]>, name: &str) -> Result<[f64; 3], Error> {
    given(three, name).copied()
}

pub(crate) fn point(three: Option<&[f64; 3]>, name: &str) -> Result<Point3<f64>, Error> {
    coordinates(three, name).map(Point3::from)
}

pub(crate) fn vector(three: Option<&[f64; 3]>, name: &str) -> Result<Vector3<f64>, Error> {
    coordinates(three, name).map(Vector3::from)
}

/// Returns the identity pose.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_pose_identity() -> BvtPose {
    Pose::identity().into()
}

/// Creates a pose without rotation from a translation.
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

/// Creates a pose from a quaternion x, y, z, w of any nonzero length and a translation.
///
/// Rotations about a coordinate axis leave that axis unchanged to the last bit, and quarter and half turns have entries
/// 0, 1 and -1 only: bodies that stand flush on a floor touch it. For this, components whose magnitudes differ from
/// zero or from each other by at most `4 * DBL_EPSILON` times the largest magnitude count as zero or as equal in
/// magnitude.
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

/// Creates a pose from a right-handed rotation about an axis of any nonzero length, by an angle in radians, and a
/// translation. It is as exact as `bvt_pose_from_quaternion`.
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

/// Creates a pose from Euler angles in radians and a translation: the pose rotates about x by `roll`, then about y by
/// `pitch`, then about z by `yaw`, all about fixed axes. It is as exact as `bvt_pose_from_quaternion`.
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

/// Creates a pose from a column-major 4x4 matrix of f32, as graphics libraries keep it; the last column is the
/// translation.
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

/// Computes B's pose in A's frame (`b_to_a`) from the poses of both in the world.
///
/// Errors: `BVT_ERROR_POSE` if a pose is invalid.
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

/// Composes two poses: the second is applied first. Given B's pose in A's frame and C's pose in B's frame, the product
/// is C's pose in A's frame.
///
/// Errors: `BVT_ERROR_POSE` if a pose is invalid.
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

/// Computes the inverse of a pose.
///
/// Errors: `BVT_ERROR_POSE` if the pose is invalid.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_pose_inverse(b_to_a: BvtPose, a_to_b: Option<&mut MaybeUninit<BvtPose>>) -> BvtStatus {
    panic_guard(|| {
        let b = b_to_a.checked()?;
        out(a_to_b, "a_to_b")?.write(b.inverse().into());
        DONE
    })
}
