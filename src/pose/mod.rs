//! Poses: a rotation and a translation in f64. Questions about two meshes take their relative pose `b_to_a`;
//! [`Pose::relative`] finds it from where the two stand in the world.

mod motion;
pub(crate) mod rotation;

use std::ops::Mul;

use nalgebra::{Isometry3, Matrix3, Point3, Quaternion, Rotation3, Translation3, UnitQuaternion, Vector3};
use thiserror::Error;

pub use motion::Motion;

/// Where mesh B stands in mesh A's frame: `x -> R x + t`.
///
/// [`Pose::from_axis_angle`], [`Pose::from_quaternion`], [`Pose::from_euler_angles`] and [`Pose::from_translation`]
/// make poses, and conversions those of other libraries' types. [`Pose::new`] keeps a matrix exactly as given.
///
/// # Flush contact
///
/// Verdicts are exact for the posed coordinates, so a body that stands on a floor touches it only if its pose keeps the
/// body's lowest plane where it is to the last bit. If `r22` is `1 - 1.1e-16`, a body of height 40 stands `4e-15` above
/// its floor, or below, and touches it nowhere. Flush contact needs:
///
/// * a matrix that maps the planes' normal exactly: the row and the column of a turn about z end in exactly 0, 0, 1.
///   Matrices that are made of quaternions, axes and angles, or Euler angles by this library do so: a turn about a
///   coordinate axis leaves it alone, quarter turns about such axes have entries 0 and +-1 only, and no turn is the
///   identity. For this, components of quaternions that are within `4 * f64::EPSILON` (`f32::EPSILON` where they are
///   f32) of zero, or of each other, in parts of the largest, count as zero or equal. A matrix computed elsewhere is
///   only as exact as it was computed;
/// * a translation whose sum with the planes' coordinates is exact: 40 and 0.5 are, and in general what f32 holds and
///   is not much larger than the meshes;
/// * planes across a coordinate axis after the turn. The vertices of others are rounded one by one, and no pose makes
///   them flush.
///
/// Who does not care about the last bits asks [`Query::within`](crate::Query::within), or
/// [`Query::for_each_pair_within`](crate::Query::for_each_pair_within), with a small tolerance, 1e-9 of the meshes'
/// size for instance, in place of [`Query::intersects`](crate::Query::intersects).
///
/// ```
/// use bvtree::Pose;
/// use nalgebra::{Isometry3, Vector3};
///
/// // Two bodies in a world, as a physics engine holds them.
/// let a: Pose = Isometry3::translation(1.0, 0.0, 0.0).into();
/// let b: Pose = Isometry3::new(Vector3::new(1.0, 0.0, 5.0), Vector3::z()).into();
/// let b_to_a = Pose::relative(&a, &b);
/// assert_eq!(b_to_a.translation(), &Vector3::new(0.0, 0.0, 5.0));
/// assert!((a * b_to_a * b.inverse()).translation().norm() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(try_from = "Parts", into = "Parts"))]
pub struct Pose {
    rotation: Matrix3<f64>,
    translation: Vector3<f64>,
    /// Measured once, for all queries.
    deviation: f64,
}

/// A pose as it is written and read: the matrix row by row.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Pose")]
struct Parts {
    rotation: [[f64; 3]; 3],
    translation: [f64; 3],
}

#[cfg(feature = "serde")]
impl From<Pose> for Parts {
    fn from(pose: Pose) -> Self {
        Self { rotation: pose.rotation.transpose().into(), translation: pose.translation.into() }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Parts> for Pose {
    type Error = PoseError;

    fn try_from(parts: Parts) -> Result<Self, PoseError> {
        Self::new(Matrix3::from(parts.rotation).transpose(), parts.translation.into())
    }
}

/// Why a matrix and a vector are not a pose.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
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
    /// The quaternion or the axis of a rotation is zero.
    #[error("a quaternion or an axis of length zero is no rotation")]
    ZeroLength,
    /// The last row of a matrix of four rows is not 0, 0, 0, 1.
    #[error("the matrix is not affine: its last row is not 0, 0, 0, 1")]
    NotAffine,
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
    /// If an entry is not finite, or the matrix is not a proper rotation within [`Pose::MAX_DEVIATION`]. A translation may be of any
    /// size; [how large](crate#frames-and-units) it can be for exact answers is another matter.
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

    /// The pose that moves B without turning it.
    ///
    /// # Errors
    /// If a coordinate is not finite.
    pub fn from_translation(translation: Vector3<f64>) -> Result<Self, PoseError> {
        Self::new(Matrix3::identity(), translation)
    }

    /// The pose that turns B as a quaternion of any length but zero does, about B's origin, and then moves it.
    ///
    /// [What is exact stays exact](Self#flush-contact).
    ///
    /// ```
    /// use bvtree::Pose;
    /// use nalgebra::{Matrix3, Quaternion, Vector3};
    ///
    /// // w, x, y, z: a quarter turn about z.
    /// let pose = Pose::from_quaternion(&Quaternion::new(1.0, 0.0, 0.0, 1.0), Vector3::new(40.0, 0.0, 0.0))?;
    /// assert_eq!(*pose.rotation(), Matrix3::new(0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0));
    /// # Ok::<(), bvtree::pose::PoseError>(())
    /// ```
    ///
    /// # Errors
    /// If the quaternion is zero, or a number is not finite.
    pub fn from_quaternion(quaternion: &Quaternion<f64>, translation: Vector3<f64>) -> Result<Self, PoseError> {
        Self::from_rounded_quaternion(quaternion.coords.into(), rotation::ROUNDING, translation)
    }

    /// The pose that turns B about an axis through its origin, right-handed and by an angle in radians, and then moves
    /// it. The axis may have any length but zero.
    ///
    /// [What is exact stays exact](Self#flush-contact), also for angles that are multiples of pi/2 but for rounding.
    ///
    /// ```
    /// use bvtree::Pose;
    /// use nalgebra::Vector3;
    ///
    /// let pose = Pose::from_axis_angle(&Vector3::z(), 3_f64.to_radians(), Vector3::new(40.0, 0.0, 0.0))?;
    /// assert_eq!(pose.rotation().row(2).into_owned(), Vector3::z().transpose());
    /// # Ok::<(), bvtree::pose::PoseError>(())
    /// ```
    ///
    /// # Errors
    /// If the axis is zero, or a number is not finite.
    pub fn from_axis_angle(axis: &Vector3<f64>, angle: f64, translation: Vector3<f64>) -> Result<Self, PoseError> {
        if *axis == Vector3::zeros() {
            return Err(PoseError::ZeroLength);
        }
        Self::new(rotation::from_axis_angle(axis, angle, rotation::ROUNDING), translation)
    }

    /// The pose that turns B about its origin by Euler angles in radians and then moves it: first about x by `roll`,
    /// then about y by `pitch`, then about z by `yaw`. The axes are those of A's frame, and stay where they are;
    /// nalgebra and URDF have the same angles.
    ///
    /// [What is exact stays exact](Self#flush-contact), also for angles that are multiples of pi/2 but for rounding.
    ///
    /// # Errors
    /// If a number is not finite.
    pub fn from_euler_angles(roll: f64, pitch: f64, yaw: f64, translation: Vector3<f64>) -> Result<Self, PoseError> {
        Self::new(rotation::from_euler_angles(roll, pitch, yaw), translation)
    }

    /// The pose of a quaternion x, y, z, w whose components may be off by `rounding` times the largest.
    pub(crate) fn from_rounded_quaternion(
        xyzw: [f64; 4],
        rounding: f64,
        translation: Vector3<f64>,
    ) -> Result<Self, PoseError> {
        if xyzw == [0.0; 4] {
            return Err(PoseError::ZeroLength);
        }
        Self::new(rotation::from_quaternion(xyzw, rounding), translation)
    }

    /// A pose of which the entries are known to be finite and near a rotation's.
    pub(crate) fn unchecked(rotation: Matrix3<f64>, translation: Vector3<f64>) -> Self {
        Self { rotation, translation, deviation: deviation(&rotation) }
    }

    /// The rotation matrix.
    #[inline]
    pub fn rotation(&self) -> &Matrix3<f64> {
        &self.rotation
    }

    /// The translation, in A's units.
    #[inline]
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

    /// Where B stands in A's frame, given where both stand in the world (`A^-1 B`), rounded in f64. More exact than the
    /// product where both are far from the world's origin and near each other; and if both rotation matrices are equal,
    /// the result's is exactly the identity.
    pub fn relative(a_to_world: &Self, b_to_world: &Self) -> Self {
        let to_a = a_to_world.inverse_rotation();
        let between = b_to_world.translation - a_to_world.translation;
        let is_turned_alike = a_to_world.rotation == b_to_world.rotation;
        let rotation = if is_turned_alike { Matrix3::identity() } else { to_a * b_to_world.rotation };
        Self::unchecked(rotation, to_a * between)
    }

    /// Converts a pose between source frames to the pose between mesh frames that queries take as `b_to_a`.
    ///
    /// This pose takes points of B's source file into the frame of A's; `a_origin` and `b_origin` are the origins of
    /// the meshes' frames in those of their own sources ([`BvTree::origin`](crate::BvTree::origin)). If both are zero,
    /// the result is this pose, to the last bit.
    ///
    /// Points in answers are in mesh A's frame then: add `a_origin` for those of its source. A rounding error of the
    /// rotation moves points in proportion to their distance from the source's zero.
    pub fn with_origins(&self, a_origin: &Point3<f64>, b_origin: &Point3<f64>) -> Self {
        if *a_origin == Point3::origin() && *b_origin == Point3::origin() {
            return *self;
        }
        // Differences of what is far come first, so that what is near keeps its digits.
        let turned = self.rotation * b_origin.coords - b_origin.coords;
        Self { translation: turned + (b_origin - a_origin + self.translation), ..*self }
    }

    /// Where a point that the pose has moved was before; `back` is the pose's [`Pose::inverse_rotation`], which is for
    /// many points.
    pub(crate) fn inverse_transform(&self, back: &Matrix3<f64>, point: &Point3<f64>) -> Point3<f64> {
        Point3::from(back * (point.coords - self.translation))
    }

    /// The matrix's inverse: its transpose, but of a matrix that is off a rotation by more than rounding.
    pub(crate) fn inverse_rotation(&self) -> Matrix3<f64> {
        let transpose = self.rotation.transpose();
        if self.deviation < 1e-14 { transpose } else { self.rotation.try_inverse().unwrap_or(transpose) }
    }
}

impl Default for Pose {
    /// [`Pose::identity`].
    fn default() -> Self {
        Self::identity()
    }
}

impl Mul for Pose {
    type Output = Self;

    /// First the right pose, then the left one: `b_to_a * c_to_b` is C's pose in A's frame. Rounded in f64; the
    /// [deviations](Pose::deviation) of both add up.
    fn mul(self, first: Self) -> Self {
        Self::unchecked(self.rotation * first.rotation, self.rotation * first.translation + self.translation)
    }
}

impl From<Isometry3<f64>> for Pose {
    /// The isometry's rotation, as [`Pose::from_quaternion`] has it, and its translation. A unit quaternion always
    /// gives a rotation.
    fn from(isometry: Isometry3<f64>) -> Self {
        let rotation = rotation::from_quaternion(isometry.rotation.coords.into(), rotation::ROUNDING);
        Self::unchecked(rotation, isometry.translation.vector)
    }
}

impl From<Isometry3<f32>> for Pose {
    /// The isometry in f64. [What is exact](Self#flush-contact) stays exact, to f32's rounding of the quaternion.
    fn from(isometry: Isometry3<f32>) -> Self {
        let xyzw = isometry.rotation.coords.cast::<f64>().into();
        Self::unchecked(rotation::from_quaternion(xyzw, rotation::ROUNDING_F32), isometry.translation.vector.cast())
    }
}

impl From<Pose> for Isometry3<f64> {
    /// The pose, its matrix taken for the rotation it nearly is.
    fn from(pose: Pose) -> Self {
        let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(pose.rotation));
        Isometry3::from_parts(Translation3::from(pose.translation), rotation)
    }
}

impl From<Pose> for Isometry3<f32> {
    /// As to f64, then rounded.
    fn from(pose: Pose) -> Self {
        let Isometry3 { rotation, translation } = Isometry3::<f64>::from(pose);
        Isometry3::from_parts(translation.cast(), UnitQuaternion::new_normalize(rotation.into_inner().cast()))
    }
}

fn deviation(rotation: &Matrix3<f64>) -> f64 {
    (rotation.transpose() * rotation - Matrix3::identity())
        .iter()
        .fold(0.0, |m: f64, x| if x.is_nan() { f64::NAN } else { m.max(x.abs()) })
}
