//! A motion of mesh B in mesh A's frame: from one pose to another in the time from 0 to 1.

use nalgebra::{Matrix3, Point3, Rotation3, UnitQuaternion, Vector3};

use crate::pose::Pose;
use crate::pose::rotation;

/// From one pose to another: the translation is linear in time, and the rotation a slerp along the shorter arc, about
/// the origin of B's mesh frame.
///
/// That is B's own motion, each point of it on a line plus a turn. It is not how the links of a robot move, which
/// joints carry along arcs, nor what an engine does whose bodies turn about their centres of mass (unless the mesh's
/// origin is there). [`Query::time_of_impact`](crate::Query::time_of_impact) and
/// [`Scene::impacts`](crate::scene::Scene::impacts) answer for this motion and no other; other ways can be cut into
/// short motions, which are near to them and no proof for them.
///
/// If the rotations differ by exactly half a turn, which of the two arcs is taken is unspecified.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(from = "Ends", into = "Ends"))]
#[doc(alias = "continuous collision detection")]
#[doc(alias = "interpolated motion")]
pub struct Motion {
    start: Pose,
    end: Pose,
    /// Unit axis of the turn from start to end, in A's frame; zero where there is no turn.
    axis: Vector3<f64>,
    /// In radians, 0 to pi.
    angle: f64,
    /// What turning the start's matrix misses of the end's, as seen before the turn: rounding, and how far the two are
    /// from rotations. It is made up for in linear time.
    drift: Matrix3<f64>,
}

/// A motion as it is written and read.
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

    /// Where B is at time 0.
    pub fn start(&self) -> &Pose {
        &self.start
    }

    /// Where B is at time 1.
    pub fn end(&self) -> &Pose {
        &self.end
    }

    /// Where B is at a time, which is clamped to 0 to 1 (NaN to 0). At 0 and 1 the poses are returned exactly as given;
    /// between them they are rounded in f64.
    pub fn at(&self, time: f64) -> Pose {
        if time >= 1.0 {
            return self.end;
        }
        // A time that is not a number is the start.
        if time.is_nan() || time <= 0.0 {
            return self.start;
        }
        let translation = self.start.translation() * (1.0 - time) + self.end.translation() * time;
        if self.angle == 0.0 {
            return Pose::unchecked(self.start.rotation() + self.drift * time, translation);
        }
        Pose::unchecked(turn(&self.axis, self.angle * time) * (self.start.rotation() + self.drift * time), translation)
    }

    /// The velocity of B's origin.
    pub(crate) fn linear(&self) -> Vector3<f64> {
        self.end.translation() - self.start.translation()
    }

    /// The angular velocity, in A's frame; constant.
    pub(crate) fn angular(&self) -> Vector3<f64> {
        self.axis * self.angle
    }

    /// The angle of the turn: the angular velocity's length.
    pub(crate) fn angle(&self) -> f64 {
        self.angle
    }

    /// At most so fast, per distance from B's origin, does a point stray from the turning.
    pub(crate) fn drift(&self) -> f64 {
        self.drift.norm()
    }

    /// Bounds the speed of a point of B, given in B's coordinates, at all times.
    pub(crate) fn speed(&self, point: &Point3<f64>) -> f64 {
        let off_axis = self.axis.cross(&(self.start.rotation() * point.coords)).norm();
        let drift = self.drift() * point.coords.norm();
        self.linear().norm() + self.angle * (off_axis + drift) + drift
    }
}

/// The unit axis of a turn, zero if there is none, and its angle, 0 to pi. The arc is libm's and not the platform's,
/// which differ in their last bits.
fn axis_angle(turn: &UnitQuaternion<f64>) -> (Vector3<f64>, f64) {
    let imag = if turn.w >= 0.0 { turn.imag() } else { -turn.imag() };
    let sin = imag.norm();
    if sin == 0.0 { (Vector3::zeros(), 0.0) } else { (imag / sin, 2.0 * libm::atan2(sin, turn.w.abs())) }
}

/// The right-handed turn about a unit axis; the identity where there is none. No angle is rounded, for the motion to be
/// even.
fn turn(axis: &Vector3<f64>, angle: f64) -> Matrix3<f64> {
    if angle == 0.0 { Matrix3::identity() } else { rotation::from_axis_angle(axis, angle, 0.0) }
}
