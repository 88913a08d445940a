//! What is asked of two bodies' trees, and when that can be spared.

use super::body::Slot;
use super::neighbors::Neighbors;
use super::pair_cache::{Candidate, Known, reach32};
use super::proxy::Proxy;
use super::{BodyId, SceneError, SceneStats};
use crate::motion::Motion;
use crate::pose::Pose;
use crate::probe::Probe;
use crate::query::{ClosestPair, DistanceOptions, DistanceTracker, Query, TimeOfImpact, Within};
use crate::tree::BvTree;

/// Two bodies, A and B.
#[derive(Clone, Copy)]
pub(super) struct Two<'a> {
    pub(super) proxies: [&'a Proxy; 2],
    pub(super) slots: [&'a Slot; 2],
}

impl Two<'_> {
    /// How far both have travelled.
    fn travel(&self) -> f64 {
        self.proxies[0].travel + self.proxies[1].travel
    }

    /// Whether their boxes are farther apart than the reach. Looks at their places alone.
    #[inline]
    pub(super) fn has_gap(&self, reach: f64) -> bool {
        let [a, b] = self.proxies;
        if reach > 0.0 { !a.bounds.grown(reach32(reach)).overlaps(&b.bounds) } else { !a.bounds.overlaps(&b.bounds) }
    }
}

/// Asks about pairs of bodies, on one thread.
pub(super) struct NarrowPhase {
    pub(super) query: Query,
    pub(super) probe: Probe,
    pub(super) stats: SceneStats,
}

impl NarrowPhase {
    pub(super) fn new(level: crate::simd::SimdLevel) -> Self {
        Self { query: Query::with_simd(level), probe: Probe::with_simd(level), stats: SceneStats::default() }
    }

    pub(super) fn asked(&mut self) {
        self.stats.asked += 1;
        self.stats.trees += self.query.stats();
    }

    pub(super) fn touches(&mut self, two: Two<'_>, candidate: &mut Candidate) -> bool {
        self.stats.candidates += 1;
        let past = Past::of(&two, candidate);
        if let Some(touches) = past.touches(&candidate.known) {
            self.stats.known += 1;
            return touches;
        }
        let [a, b] = two.slots;
        if two.has_gap(0.0) || are_apart([a, b], 0.0) {
            self.stats.apart_by_bounds += 1;
            return false;
        }
        let pose = Pose::relative(&a.body.pose, &b.body.pose);
        let [tree_a, tree_b] = [&*a.body.tree, &*b.body.tree];
        // Triangles that touched mostly still do.
        let last = if let Known::Touching(last) = candidate.known { last } else { None };
        candidate.known = match candidate.known {
            // Who is asked again will be asked once more: how far apart they are saves that.
            Known::Apart(_) | Known::Distance(_) => match self.query.within(tree_a, tree_b, &pose, 0.0) {
                Within::Yes => Known::Touching(None),
                Within::No { lower_bound } => Known::Apart(lower_bound),
            },
            Known::Nothing | Known::Touching(_) => {
                match self.query.intersecting_leaves([tree_a, tree_b], &pose, last) {
                    None => Known::Apart(0.0),
                    leaves => Known::Touching(leaves),
                }
            }
        };
        candidate.travel = past.travel;
        self.asked();
        matches!(candidate.known, Known::Touching(_))
    }

    /// The distance, if it is at most the clearance, which is not negative.
    pub(super) fn within(&mut self, two: Two<'_>, clearance: f64, candidate: &mut Candidate) -> Option<ClosestPair> {
        self.stats.candidates += 1;
        let past = Past::of(&two, candidate);
        if let Some(distance) = past.within(&candidate.known, clearance) {
            self.stats.known += 1;
            return distance;
        }
        let [a, b] = two.slots;
        if two.has_gap(clearance) || are_apart([a, b], clearance) {
            self.stats.apart_by_bounds += 1;
            return None;
        }
        let pose = Pose::relative(&a.body.pose, &b.body.pose);
        let [tree_a, tree_b] = [&*a.body.tree, &*b.body.tree];
        candidate.travel = past.travel;
        let options = DistanceOptions { upper_bound: clearance, ..DistanceOptions::default() };
        if let Known::Distance(near) = &mut candidate.known
            && near.may_track
        {
            let new = || DistanceTracker::new(&a.body.tree, &b.body.tree);
            let tracker = near.tracker.get_or_insert_with(new);
            let distance = tracker.distance_with(&mut self.query, &pose, &options);
            self.asked();
            match distance {
                Some(closest) => near.closest = closest,
                None => candidate.known = Known::Apart(clearance.next_up()),
            }
            return distance;
        }
        let within = self.query.within(tree_a, tree_b, &pose, clearance);
        self.asked();
        if let Within::No { lower_bound } = within {
            // The distance is more than the clearance.
            candidate.known = Known::Apart(lower_bound.max(clearance.next_up()));
            return None;
        }
        let distance = self.distance_of([tree_a, tree_b], &pose, &options);
        candidate.known = distance.map_or(Known::Nothing, Known::from);
        distance
    }
}

impl NarrowPhase {
    /// Has a caller ask about two bodies whose boxes are near.
    pub(super) fn ask<R>(
        &mut self,
        ids: [BodyId; 2],
        two: Two<'_>,
        ask: impl Fn(&mut Query, &Neighbors<'_>) -> Option<R>,
    ) -> Option<R> {
        self.stats.asked += 1;
        ask(&mut self.query, &Neighbors { ids, bodies: two.slots.map(|slot| &slot.body) })
    }

    pub(super) fn distance_of(
        &mut self,
        [a, b]: [&BvTree; 2],
        pose: &Pose,
        options: &DistanceOptions,
    ) -> Option<ClosestPair> {
        let distance = self.query.distance_with(a, b, pose, options);
        self.asked();
        distance
    }

    pub(super) fn time_of_impact(
        &mut self,
        a: &BvTree,
        b: &BvTree,
        motion: &Motion,
        tolerance: f64,
    ) -> Result<TimeOfImpact, SceneError> {
        let impact = self.query.time_of_impact(a, b, motion, tolerance);
        self.asked();
        impact.map_err(|_| SceneError::MotionTooLong)
    }
}

/// What has happened since something was found out about two bodies.
struct Past {
    travel: f64,
    /// At most so much may their distance have become less or more.
    change: f64,
}

impl Past {
    fn of(two: &Two<'_>, candidate: &Candidate) -> Self {
        let travel = two.travel();
        let moved = (travel - candidate.travel).max(0.0);
        // Rounding of the sums; and distances are measured in a frame that may stretch a little.
        let change = if moved > 0.0 { moved * 1.001 + 1e-15 * travel } else { 0.0 };
        Self { travel, change }
    }

    fn touches(&self, known: &Known) -> Option<bool> {
        match known {
            Known::Apart(distance) if self.change == 0.0 || self.is_more(*distance, 0.0) => Some(false),
            Known::Distance(near) if self.change == 0.0 => Some(near.closest.distance == 0.0),
            Known::Distance(near) if self.is_more(near.closest.distance, 0.0) => Some(false),
            Known::Touching(_) if self.change == 0.0 => Some(true),
            _ => None,
        }
    }

    fn within(&self, known: &Known, clearance: f64) -> Option<Option<ClosestPair>> {
        match known {
            Known::Apart(distance) if self.is_more(*distance, clearance) => Some(None),
            Known::Distance(near) if self.change == 0.0 => {
                Some(Some(near.closest).filter(|closest| closest.distance <= clearance))
            }
            Known::Distance(near) if self.is_more(near.closest.distance, clearance) => Some(None),
            _ => None,
        }
    }

    /// Whether what was a distance once is still more than the clearance.
    fn is_more(&self, distance: f64, clearance: f64) -> bool {
        distance * (1.0 - 1e-12) - self.change > clearance || self.change == 0.0 && distance > clearance
    }
}

/// Whether the bodies' balls or boxes are farther apart than the clearance.
pub(super) fn are_apart([a, b]: [&Slot; 2], clearance: f64) -> bool {
    let [ball_a, ball_b] = [a.body.ball(), b.body.ball()];
    let reach = (ball_a.radius + ball_b.radius + clearance) * 1.001;
    if (ball_b.center - ball_a.center).norm_squared() > reach * reach {
        return true;
    }
    let clearance = clearance * 1.001;
    (0..3)
        .any(|k| a.bounds.lower[k] - b.bounds.upper[k] > clearance || b.bounds.lower[k] - a.bounds.upper[k] > clearance)
}
