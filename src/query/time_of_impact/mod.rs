//! The time of impact of a moving mesh with one at rest: continuous collision detection.
//!
//! The motion is divided into time windows of at most an eighth of a radian of rotation; windows in which the bounding
//! spheres of the meshes do not meet are skipped. For each of the others, both trees are traversed once: a volume's centre
//! moves nearly straight within a window, so the straight part is swept exactly, and a bound of the rest (deviation and
//! rotation) is added to the volume. Pairs of triangles are decided by conservative advancement.

mod conservative_advancement;
mod first_contact;
mod motion_bounds;
mod touching;

use nalgebra::{Point3, Vector3};

use crate::pose::Motion;
use crate::query::{Query, QueryError};
use crate::traversal::{FacePair, PosedTrees, SweepEnd, SweepTest, TraversalPolicy};
use crate::tree::BvTree;
use crate::triangle::ClosestPoints;
use conservative_advancement::Advance;
use first_contact::FirstContact;
use motion_bounds::Windows;
use touching::Touching;

impl Query {
    /// When B, on a motion, first touches A: the time of impact, by continuous collision detection.
    ///
    /// [`TimeOfImpact::NoImpact`] is proven, up to rounding in f64, and not sampled: for this [`Motion`], in which B's
    /// origin goes straight from one pose to the other while B turns about it at a constant rate. It says nothing about
    /// other ways between the same two poses. The links of a robot, for instance, are carried along arcs when its
    /// joints move.
    ///
    /// The time of an impact is never later than the true one. `accuracy` is how far apart, in A's units, the two
    /// triangles may still be at that time, and so how early it may be; 0 is as exact as rounding allows. **It is no
    /// clearance**: a motion that passes A at 5 mm is free even if the accuracy is 20 mm (or an impact: which one such
    /// a near miss is, is left open). If the meshes touch at the start it is [`TimeOfImpact::Touching`], at time 0. For
    /// a motion of a large multiple of B's size, one unit in the last place of the time may be a longer way than the
    /// accuracy.
    ///
    /// # Errors
    /// If the motion is more than 1e12 times as long as the meshes are large.
    #[doc(alias = "continuous collision detection")]
    #[doc(alias = "continuous collide")]
    #[doc(alias = "cast shapes")]
    #[doc(alias = "CCD")]
    pub fn time_of_impact(
        &mut self,
        a: &BvTree,
        b: &BvTree,
        motion: &Motion,
        accuracy: f64,
    ) -> Result<TimeOfImpact, QueryError> {
        let at_start = PosedTrees::new([a, b], motion.start());
        let (touching, mut work) = self.touching_at_start([a, b], &at_start);
        self.stats = work;
        if let Some(touching) = touching {
            return Ok(TimeOfImpact::Touching(MotionContact::new(&at_start, 0.0, &touching, &touching.closest)));
        }
        if at_start.is_empty() {
            return Ok(TimeOfImpact::NoImpact);
        }
        let windows = Windows::new([a, b], motion, accuracy)?;
        let mut first = FirstContact::new(&at_start, Advance::new(motion, accuracy, windows.floor), &windows);
        let (mut time, mut found) = (0.0, None);
        while let Some(window) = windows.next(time) {
            let (pose, bounds) = windows.motion_bounds(window);
            first.enter(window);
            let (trees, test) = (PosedTrees::new([a, b], &pose), SweepTest { bounds, end: SweepEnd::First });
            work.volume_tests += self.traversal.run(&trees, &test, 1.0, &mut first, TraversalPolicy::ONE_BY_ONE);
            found = first.found();
            if found.is_some() || self.traversal.interrupt.step().is_break() {
                break;
            }
            time = window[1];
        }
        work.triangle_tests += first.triangle_tests;
        self.stats = work;
        Ok(match found {
            Some((time, touching)) => {
                let pose = motion.at(time);
                let trees = PosedTrees::new([a, b], &pose);
                let [of_a, of_b] = trees.pair(touching.leaves[0], touching.leaves[1]);
                let closest = of_a.closest_points(&of_b);
                TimeOfImpact::Impact(MotionContact::new(&trees, time, &touching, &closest))
            }
            None => TimeOfImpact::NoImpact,
        })
    }
}

/// What comes of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias = "TOI")]
pub enum TimeOfImpact {
    /// The meshes don't touch at any time of this motion: proven for it, and for no other way between the same poses.
    /// They may come as near as they like.
    NoImpact,
    /// They touch at the start: one pair of triangles that does, up to rounding. One that touches inside of a face, if
    /// any does; which one of several, and which of those that pass through each other, depends on how the trees were
    /// built. Of pairs that touch at edges and corners only it is the first in the meshes.
    Touching(MotionContact),
    /// They meet later: the first pair of triangles that does. Of several at the same time, up to rounding, it is one
    /// that touches inside of a face, if any does, and of these the first in the meshes, however the trees were built.
    Impact(MotionContact),
}

/// Where two meshes meet.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MotionContact {
    /// 0 to 1; no two triangles touch earlier.
    pub time: f64,
    /// How far apart the two triangles still are at that time, in A's units.
    pub distance: f64,
    /// The closest point of A's triangle, in A's frame.
    pub on_a: Point3<f64>,
    /// The closest point of B's triangle at that time, in A's frame.
    pub on_b: Point3<f64>,
    /// Of unit length, from A to B, in A's frame: the normal of a face inside of which they touch, of A's triangle
    /// rather than of B's; else, where edges or corners meet, the direction in which the triangles are farthest apart
    /// or overlap least. Where both sides of a plane would do, the one that B's centre is on, or A's is not. Zero for
    /// triangles without area that touch.
    pub normal: Vector3<f64>,
    /// The two triangles.
    pub faces: FacePair,
}

impl MotionContact {
    /// At a time at which the trees are so posed, and the triangles' closest points so placed.
    fn new(trees: &PosedTrees<'_>, time: f64, touching: &Touching, closest: &ClosestPoints) -> Self {
        let (faces, distance) = (touching.faces, closest.distance_sq.sqrt());
        let ClosestPoints { on_a, on_b, .. } = *closest;
        let direction = touching.direction();
        let normal =
            if direction.is_sided { direction.normal } else { toward_b(trees, &on_a, direction.normal, touching.near) };
        Self { time, distance, on_a, on_b, normal, faces }
    }
}

/// A normal or its opposite, to the side that B's centre is on, or A's is not.
fn toward_b(trees: &PosedTrees<'_>, on_a: &Point3<f64>, normal: Vector3<f64>, near: f64) -> Vector3<f64> {
    let [a, b] = trees.frames.map(|frame| frame.origin);
    let pose = trees.b_to_a;
    let height = |center: Vector3<f64>| (center - on_a.coords).dot(&normal);
    let of_b = height(pose.rotation() * b.coords + pose.translation());
    let side = if of_b.abs() > near { of_b } else { -height(a.coords) };
    if side < -near { -normal } else { normal }
}
