//! The time of impact: a descent for each window of time, until one has a contact.

use super::advance::Advance;
use super::answer::{MotionContact, TimeOfImpact};
use super::first_contact::FirstContact;
use super::motion_bounds::Windows;
use crate::pose::Motion;
use crate::query::descent::{DescentPolicy, Sweep, SweepEnd};
use crate::query::posed_trees::PosedTrees;
use crate::query::state::{Query, QueryError};
use crate::tree::BvTree;

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
            let (trees, test) = (PosedTrees::new([a, b], &pose), Sweep { bounds, end: SweepEnd::First });
            work.volume_tests += self.engine.descend(&trees, &test, 1.0, &mut first, DescentPolicy::ONE_BY_ONE);
            found = first.found();
            if found.is_some() || self.engine.interrupt.step().is_break() {
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
