//! The time of impact: a descent for each window of time, until one has a contact.

use std::ops::ControlFlow;

use super::advance::{Advance, Approach};
use super::answer::{MotionContact, TimeOfImpact};
use super::first_contact::FirstContact;
use super::motion_bounds::Windows;
use crate::motion::Motion;
use crate::query::descent::{DescentPolicy, Sweep, SweepEnd};
use crate::query::posed_trees::PosedTrees;
use crate::query::state::{Query, QueryError, QueryStats};
use crate::tree::BvTree;

impl Query {
    /// When B, on a motion, first touches A: the time of impact, by continuous collision detection.
    ///
    /// [`TimeOfImpact::Free`] is a proof for the motion as stated, up to rounding in f64, not a sampling. The time of an
    /// impact is never later than the true one, and the two triangles are then apart by the larger of `tolerance` (in A's
    /// units) and the rounding error at most; a tolerance of 0 is allowed. If the meshes touch at the start it is
    /// [`TimeOfImpact::Touching`], at time 0. A near miss, of triangles that come within the tolerance and part again, may be
    /// reported as free or as an impact. For a motion of a large multiple of B's size, one unit in the last place of the time
    /// may be a longer way than the tolerance.
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
        tolerance: f64,
    ) -> Result<TimeOfImpact, QueryError> {
        let at_start = PosedTrees::new([a, b], motion.start());
        let mut touching = None;
        let mut work = self.for_each_leaf_pair(&at_start, DescentPolicy::FIRST, &mut |a, b| {
            touching = Some([a, b]);
            ControlFlow::Break(())
        });
        self.stats = work;
        if let Some(leaves) = touching {
            let [triangle_a, triangle_b] = at_start.pair(leaves[0], leaves[1]);
            let approach = Approach { time: 0.0, closest: triangle_a.closest_points(&triangle_b) };
            return Ok(TimeOfImpact::Touching(MotionContact::new(&at_start, leaves, &approach)));
        }
        if at_start.is_empty() {
            return Ok(TimeOfImpact::Free);
        }
        let windows = Windows::new([a, b], motion, tolerance)?;
        let mut first = FirstContact::new(&at_start, Advance::new(motion, tolerance, windows.floor));
        let mut time = 0.0;
        while let Some(window) = windows.next(time) {
            let (pose, bounds) = windows.motion_bounds(window);
            first.enter(window);
            let (trees, test) = (PosedTrees::new([a, b], &pose), Sweep { bounds, end: SweepEnd::First });
            work.volume_tests += self.engine.descend(&trees, &test, 1.0, &mut first, DescentPolicy::ONE_BY_ONE);
            if first.best.is_some() || self.engine.interrupt.step().is_break() {
                break;
            }
            time = window[1];
        }
        self.stats = QueryStats { triangle_tests: work.triangle_tests + first.triangle_tests, ..work };
        Ok(match first.best {
            Some((leaves, approach)) => {
                let pose = motion.at(approach.time);
                TimeOfImpact::Impact(MotionContact::new(&PosedTrees::new([a, b], &pose), leaves, &approach))
            }
            None => TimeOfImpact::Free,
        })
    }
}
