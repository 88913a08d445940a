//! The motion of mesh B in mesh A's frame from one pose to another, in the time from 0 to 1.

use nalgebra::{Matrix3, Point3, Rotation3, UnitQuaternion, Vector3};

use crate::pose::Pose;
use crate::pose::rotation;

/// A motion between two poses: the translation is linear in time, and the rotation is a slerp along the shorter arc
/// about the origin of B's mesh frame.
///
/// B's origin moves along a line, and B turns about it at the same time. Links of a robot, which joints carry along
/// arcs, and bodies of an engine that turn about their centres of mass (unless that centre is the mesh's origin) move
/// differently. [`Query::time_of_impact`](crate::Query::time_of_impact) and
/// [`Scene::impacts`](crate::scene::Scene::impacts) give results for this motion only; other paths can be approximated
/// by short motions, but the results then prove nothing.
///
/// If the rotations differ by exactly half a turn, the direction of the rotation is unspecified.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(from = "Ends", into = "Ends"))]
#[doc(alias = "continuous collision detection")]
#[doc(alias = "interpolated motion")]
pub struct Motion {
    start: Pose,
    end: Pose,
    /// The unit axis of the rotation from start to end, in A's frame; zero without rotation.
    axis: Vector3<f64>,
    /// The angle of the rotation, in radians from 0 to pi.
    angle: f64,
    /// The difference between the end's matrix, rotated back, and the start's matrix, due to rounding and to matrices
    /// that are not quite rotations. It is added linearly in time.
    drift: Matrix3<f64>,
}

/// A motion's serialized form.
#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(rename = "Motion")]
struct Ends {
    start: Pose,
    end: Pose,
}

#[cfg(feature = "serde")]
impl From<Motion> for Ends {
    fn from(motion: Motion) -> Self {
        Self { start: motion.start, end: motion.end }
    }
}

#[cfg(feature = "serde")]
impl From<Ends> for Motion {
    fn from(ends: Ends) -> Self {
        Self::new(ends.start, ends.end)
    }
}

impl Motion {
    /// The motion between two poses.
    pub fn new(start: Pose, end: Pose) -> Self {
        let [from, to] = [&start, &end]
            .map(|pose| UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(*pose.rotation())));
        let (axis, angle) = if start.rotation() == end.rotation() {
            (Vector3::zeros(), 0.0)
        } else {
            axis_angle(&(to * from.inverse()))
        };
        let drift = turn(&axis, angle).transpose() * end.rotation() - start.rotation();
        Self { start, end, axis, angle, drift }
    }

    /// B's pose at time 0.
    pub fn start(&self) -> &Pose {
        &self.start
    }

    /// B's pose at time 1.
    pub fn end(&self) -> &Pose {
        &self.end
    }

    /// B's pose at a time, which is clamped to the range from 0 to 1; NaN counts as 0. At 0 and 1 the poses are exactly
    /// as given; between them they are rounded in f64.
    pub fn at(&self, time: f64) -> Pose {
        // NaN counts as the start.
        let time = if time > 0.0 { time.min(1.0) } else { 0.0 };
        self.turned(&turn(&self.axis, self.angle * time), time)
    }

    /// B's pose at a time from 0 to 1, and the rate of change of its matrix then, apart from rotation.
    pub(crate) fn at_with_drift(&self, time: f64) -> (Pose, Matrix3<f64>) {
        let turn = turn(&self.axis, self.angle * time);
        (self.turned(&turn, time), turn * self.drift)
    }

    /// B's pose at a time from 0 to 1, given the rotation since the start.
    fn turned(&self, turn: &Matrix3<f64>, time: f64) -> Pose {
        if time == 1.0 {
            return self.end;
        }
        if time == 0.0 {
            return self.start;
        }
        let translation = self.start.translation() * (1.0 - time) + self.end.translation() * time;
        if self.angle == 0.0 {
            return Pose::unchecked(self.start.rotation() + self.drift * time, translation);
        }
        Pose::unchecked(turn * (self.start.rotation() + self.drift * time), translation)
    }

    /// The velocity of B's origin, in A's frame; constant.
    pub(crate) fn linear(&self) -> Vector3<f64> {
        self.end.translation() - self.start.translation()
    }

    /// The angular velocity, in A's frame; constant.
    pub(crate) fn angular(&self) -> Vector3<f64> {
        self.axis * self.angle
    }

    /// The angle of the rotation, in radians; also the length of the angular velocity.
    pub(crate) fn angle(&self) -> f64 {
        self.angle
    }

    /// An upper bound on the speed, per distance from B's origin, at which a point departs from pure rotation.
    pub(crate) fn drift(&self) -> f64 {
        self.drift.norm()
    }

    /// An upper bound on the speed of a point of B, given in B's coordinates, at all times.
    pub(crate) fn speed(&self, point: &Point3<f64>) -> f64 {
        let off_axis = self.axis.cross(&(self.start.rotation() * point.coords)).norm();
        let drift = self.drift() * point.coords.norm();
        self.linear().norm() + self.angle * (off_axis + drift) + drift
    }
}

/// The unit axis of a rotation (zero for the identity) and the angle from 0 to pi, computed with libm's portable arc
/// tangent.
fn axis_angle(turn: &UnitQuaternion<f64>) -> (Vector3<f64>, f64) {
    let imag = if turn.w >= 0.0 { turn.imag() } else { -turn.imag() };
    let sin = imag.norm();
    if sin == 0.0 { (Vector3::zeros(), 0.0) } else { (imag / sin, 2.0 * libm::atan2(sin, turn.w.abs())) }
}

/// The right-handed rotation about a unit axis. Unlike in a pose, components of its quaternion that are nearly zero or
/// nearly equal are kept as they are, so that the motion is uniform.
fn turn(axis: &Vector3<f64>, angle: f64) -> Matrix3<f64> {
    if angle == 0.0 { Matrix3::identity() } else { rotation::from_axis_angle(axis, angle, 0.0) }
}
