//! Poses: a rotation and a translation in f64. Queries of two meshes take their relative pose `b_to_a`, which
//! [`Pose::relative`] computes from both world poses.

mod motion;
pub(crate) mod rotation;

use std::ops::Mul;

use nalgebra::{
    Isometry3, Matrix3, Point3, Quaternion, Rotation3, Translation3, Unit, UnitQuaternion, UnitVector3, Vector3,
};
use thiserror::Error;

use crate::numeric::error_bounds::{QUATERNION_ROUNDING, QUATERNION_ROUNDING_F32, TRANSPOSE_IS_INVERSE};
use crate::shape::Aabb;

pub use motion::Motion;

/// The unit vector along a vector of any length, however long or short; `None` if the vector is zero or not finite.
///
/// ```
/// use bvtree::pose::unit_vector;
/// use nalgebra::Vector3;
///
/// // The square of its length overflows.
/// assert_eq!(unit_vector(&Vector3::new(0.0, 1e200, 0.0)), Some(Vector3::y_axis()));
/// assert_eq!(unit_vector(&Vector3::zeros()), None);
/// ```
pub fn unit_vector(vector: &Vector3<f64>) -> Option<UnitVector3<f64>> {
    let largest = vector.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    if largest == 0.0 || !vector.iter().all(|x| x.is_finite()) {
        return None;
    }
    // Scaled first if squares of its components might overflow or vanish.
    let is_scaled = (1e-140..1e140).contains(&largest);
    Some(Unit::new_normalize(if is_scaled { *vector } else { vector / largest }))
}

/// A rigid transform that maps mesh B's points into mesh A's frame: `x -> R x + t`.
///
/// Poses are made by [`Pose::from_axis_angle`], [`Pose::from_quaternion`], [`Pose::from_euler_angles`] and
/// [`Pose::from_translation`], or converted from other libraries' types. [`Pose::new`] keeps a matrix exactly as given.
///
/// # Flush contact
///
/// Verdicts are exact for the posed coordinates, so a body that stands on a floor touches it only if its pose preserves
/// the body's lowest plane to the last bit. If `r22` is `1 - 1.1e-16`, a body of height 40 stands `4e-15` above or
/// below its floor and touches it nowhere. Flush contact needs:
///
/// * a matrix that maps the planes' normal exactly: for a rotation about z, the last row and column are those of the
///   identity. Matrices that this library makes from quaternions, axes and angles, or Euler angles are exact in this
///   sense: a rotation about a coordinate axis preserves the axis, quarter turns about such axes have entries 0 and +-1
///   only, and a rotation by zero is the identity. For this, components of quaternions within `4 * f64::EPSILON` (`4 *
///   f32::EPSILON` for f32) of zero or of each other, relative to the largest, count as zero or equal. A matrix
///   computed elsewhere is only as exact as it was computed;
/// * a translation whose sum with the planes' coordinates is exact, as it is for 40, for 0.5 and in general for numbers
///   that f32 holds and that are not much larger than the meshes;
/// * planes normal to a coordinate axis after the rotation. The vertices of other planes are rounded individually, and
///   no pose makes them flush.
///
/// If the last bits do not matter, use [`Query::within`](crate::Query::within) or
/// [`Query::for_each_pair_within`](crate::Query::for_each_pair_within) with a small tolerance, such as 1e-9 of the
/// meshes' size, instead of [`Query::intersects`](crate::Query::intersects).
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
    /// The deviation from a rotation, computed once for all queries.
    deviation: f64,
}

/// A pose's serialized form: the matrix row by row.
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

/// An invalid pose.
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
    /// The last row of a 4x4 matrix is not 0, 0, 0, 1.
    #[error("the matrix is not affine: its last row is not 0, 0, 0, 1")]
    NotAffine,
}

impl Pose {
    /// The largest entry of `|R^T R - I|` that [`Pose::new`] accepts. It admits matrices written in f32; tests of
    /// bounding volumes widen their margins by the actual deviation.
    pub const MAX_DEVIATION: f64 = 1e-4;

    /// The identity.
    pub fn identity() -> Self {
        Self { rotation: Matrix3::identity(), translation: Vector3::zeros(), deviation: 0.0 }
    }

    /// A pose from a rotation matrix and a translation, kept exactly as given.
    ///
    /// # Errors
    /// If an entry is not finite, or the matrix is not a proper rotation within [`Pose::MAX_DEVIATION`]. The size of
    /// the translation is not limited; [frames and units](crate#frames-and-units) explains how large it can be for
    /// exact results.
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

    /// A translation without rotation.
    ///
    /// # Errors
    /// If a coordinate is not finite.
    pub fn from_translation(translation: Vector3<f64>) -> Result<Self, PoseError> {
        Self::new(Matrix3::identity(), translation)
    }

    /// Rotates B by a quaternion of any nonzero length about B's origin, then translates it.
    ///
    /// [Exact rotations stay exact](Self#flush-contact).
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
        Self::from_rounded_quaternion(quaternion.coords.into(), QUATERNION_ROUNDING, translation)
    }

    /// Rotates B about an axis through its origin, right-handed, by an angle in radians, then translates it. The axis
    /// may have any nonzero length.
    ///
    /// [Exact rotations stay exact](Self#flush-contact), also for angles that are multiples of pi/2 up to rounding.
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
        Self::new(rotation::from_axis_angle(axis, angle, QUATERNION_ROUNDING), translation)
    }

    /// Rotates B about its origin by Euler angles in radians, first about x by `roll`, then about y by `pitch`, then
    /// about z by `yaw`, and translates it. The axes are A's and fixed; nalgebra and URDF use the same convention.
    ///
    /// [Exact rotations stay exact](Self#flush-contact), also for angles that are multiples of pi/2 up to rounding.
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

    /// A pose whose entries are known to be finite and near a rotation's.
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

    /// The deviation of the matrix from a rotation: the largest entry of `|R^T R - I|`.
    #[inline]
    pub fn deviation(&self) -> f64 {
        self.deviation
    }

    /// B's vertex in A's frame, computed by the operations on which every verdict is based: f64 without fused
    /// multiply-add, `x' = ((r00*x + r01*y) + r02*z) + tx`, and the same for y' and z'.
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

    /// The inverse pose, from A's frame into B's (`R^T`, `-R^T t`), rounded in f64.
    pub fn inverse(&self) -> Self {
        let rotation = self.rotation.transpose();
        Self::unchecked(rotation, -(rotation * self.translation))
    }

    /// B's pose in A's frame from both world poses (`A^-1 B`), rounded in f64. This is more precise than the product
    /// `a_to_world.inverse() * b_to_world` if both bodies are far from the world's origin and near each other; if both
    /// rotation matrices are equal, the result's rotation is exactly the identity.
    pub fn relative(a_to_world: &Self, b_to_world: &Self) -> Self {
        let to_a = a_to_world.inverse_rotation();
        let between = b_to_world.translation - a_to_world.translation;
        let is_turned_alike = a_to_world.rotation == b_to_world.rotation;
        let rotation = if is_turned_alike { Matrix3::identity() } else { to_a * b_to_world.rotation };
        Self::unchecked(rotation, to_a * between)
    }

    /// The world pose of a part, given its pose `local` in the body that this pose places in the world. If `local` is
    /// the identity, the result is this pose.
    pub(crate) fn of_part(&self, local: &Self) -> Self {
        let turned = self.rotation * local.translation;
        Self::unchecked(self.rotation * local.rotation, turned + self.translation)
    }

    /// Converts a pose between source frames to the pose between mesh frames that queries take as `b_to_a`.
    ///
    /// This pose maps points of B's source file into the frame of A's; `a_origin` and `b_origin` are the origins of the
    /// mesh frames in their sources ([`BvTree::origin`](crate::BvTree::origin)). If both are zero, the result is this
    /// pose, to the last bit.
    ///
    /// Points in results are in mesh A's frame: add `a_origin` to get points in its source's frame. A rounding error of
    /// the rotation moves points in proportion to their distance from the source's origin.
    pub fn with_origins(&self, a_origin: &Point3<f64>, b_origin: &Point3<f64>) -> Self {
        if *a_origin == Point3::origin() && *b_origin == Point3::origin() {
            return *self;
        }
        // Differences of distant points come first, so that near points keep their digits.
        let turned = self.rotation * b_origin.coords - b_origin.coords;
        Self { translation: turned + (b_origin - a_origin + self.translation), ..*self }
    }

    /// Maps a point of f64 coordinates into A's frame, with rounding in f64.
    #[inline]
    pub(crate) fn transform_point(&self, point: &Point3<f64>) -> Point3<f64> {
        Point3::from(self.rotation * point.coords + self.translation)
    }

    /// The inverse image of a point; `back` is the pose's [`Pose::inverse_rotation`], computed once for many points.
    pub(crate) fn inverse_transform(&self, back: &Matrix3<f64>, point: &Point3<f64>) -> Point3<f64> {
        Point3::from(back * (point.coords - self.translation))
    }

    /// The largest distance between the positions at which this pose and another place the same corner of a box.
    pub(crate) fn largest_displacement_from(&self, other: &Self, bounds: &Aabb) -> f64 {
        let moved = bounds
            .corners()
            .map(|corner| (self.transform_point(&corner) - other.transform_point(&corner)).norm_squared());
        moved.into_iter().fold(0.0, f64::max).sqrt()
    }

    /// The inverse of the matrix: the transpose, unless the matrix deviates from a rotation by more than rounding.
    #[inline]
    pub(crate) fn inverse_rotation(&self) -> Matrix3<f64> {
        if self.deviation < TRANSPOSE_IS_INVERSE { self.rotation.transpose() } else { self.inverse_of_matrix() }
    }

    #[cold]
    fn inverse_of_matrix(&self) -> Matrix3<f64> {
        self.rotation.try_inverse().unwrap_or_else(|| self.rotation.transpose())
    }
}

impl Default for Pose {
    fn default() -> Self {
        Self::identity()
    }
}

impl Mul for Pose {
    type Output = Self;

    /// The composition, right pose first: `b_to_a * c_to_b` is C's pose in A's frame. Rounded in f64; the
    /// [deviations](Pose::deviation) add up.
    fn mul(self, first: Self) -> Self {
        Self::unchecked(self.rotation * first.rotation, self.rotation * first.translation + self.translation)
    }
}

impl From<Isometry3<f64>> for Pose {
    /// The isometry's rotation, as in [`Pose::from_quaternion`], and its translation. A unit quaternion always gives a
    /// rotation.
    fn from(isometry: Isometry3<f64>) -> Self {
        let rotation = rotation::from_quaternion(isometry.rotation.coords.into(), QUATERNION_ROUNDING);
        Self::unchecked(rotation, isometry.translation.vector)
    }
}

impl From<Isometry3<f32>> for Pose {
    /// The isometry in f64. [Exact rotations stay exact](Self#flush-contact), up to f32's rounding of the quaternion.
    fn from(isometry: Isometry3<f32>) -> Self {
        let xyzw = isometry.rotation.coords.cast::<f64>().into();
        Self::unchecked(rotation::from_quaternion(xyzw, QUATERNION_ROUNDING_F32), isometry.translation.vector.cast())
    }
}

impl From<Pose> for Isometry3<f64> {
    /// The pose, with its matrix treated as an exact rotation.
    fn from(pose: Pose) -> Self {
        let rotation = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(pose.rotation));
        Isometry3::from_parts(Translation3::from(pose.translation), rotation)
    }
}

impl From<Pose> for Isometry3<f32> {
    /// The isometry in f64, as in the conversion to `Isometry3<f64>`, then rounded to f32.
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
