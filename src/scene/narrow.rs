//! What is asked of two bodies' trees, and when that can be spared.

use super::body::Slot;
use super::candidates::{Candidate, Known};
use super::neighbors::Neighbors;
use super::{BodyId, SceneError, SceneStats};
use crate::motion::Motion;
use crate::pose::Pose;
use crate::probe::Probe;
use crate::query::{ClosestPair, DistanceOptions, DistanceTracker, Query, TimeOfImpact, Within};
use crate::tree::BvTree;

/// Asks about pairs of bodies, on one thread.
pub(super) struct Narrow {
    pub(super) query: Query,
    pub(super) probe: Probe,
    pub(super) stats: SceneStats,
}

impl Narrow {
    pub(super) fn new(level: crate::simd::SimdLevel) -> Self {
        Self { query: Query::with_simd(level), probe: Probe::with_simd(level), stats: SceneStats::default() }
    }

    pub(super) fn asked(&mut self) {
        self.stats.asked += 1;
        self.stats.trees += self.query.stats();
    }

    pub(super) fn touches(&mut self, [a, b]: [&Slot; 2], candidate: &mut Candidate) -> bool {
        self.stats.candidates += 1;
        if are_apart([a, b], 0.0) {
            self.stats.apart_by_bounds += 1;
            return false;
        }
        let past = Past::of([a, b], candidate);
        if let Some(touches) = past.touches(&candidate.known) {
            self.stats.known += 1;
            return touches;
        }
        let pose = Pose::relative(&a.body.pose, &b.body.pose);
        let [tree_a, tree_b] = [&*a.body.tree, &*b.body.tree];
        candidate.known = match candidate.known {
            // Who is asked again will be asked once more: how far apart they are saves that.
            Known::Apart(_) | Known::Distance(_) => match self.query.within(tree_a, tree_b, &pose, 0.0) {
                Within::Yes => Known::Touching,
                Within::No { lower_bound } => Known::Apart(lower_bound),
            },
            Known::Nothing | Known::Touching => match self.query.intersects(tree_a, tree_b, &pose) {
                true => Known::Touching,
                false => Known::Apart(0.0),
            },
        };
        candidate.travel = past.travel;
        self.asked();
        matches!(candidate.known, Known::Touching)
    }

    /// The distance, if it is at most the clearance, which is not negative.
    pub(super) fn within(
        &mut self,
        [a, b]: [&Slot; 2],
        clearance: f64,
        candidate: &mut Candidate,
    ) -> Option<ClosestPair> {
        self.stats.candidates += 1;
        if are_apart([a, b], clearance) {
            self.stats.apart_by_bounds += 1;
            return None;
        }
        let past = Past::of([a, b], candidate);
        if let Some(distance) = past.within(&candidate.known, clearance) {
            self.stats.known += 1;
            return distance;
        }
        let pose = Pose::relative(&a.body.pose, &b.body.pose);
        let [tree_a, tree_b] = [&*a.body.tree, &*b.body.tree];
        candidate.travel = past.travel;
        let options = DistanceOptions { upper_bound: clearance, ..DistanceOptions::default() };
        if candidate.may_track {
            let new = || Box::new(DistanceTracker::new(&a.body.tree, &b.body.tree));
            let tracker = candidate.tracker.get_or_insert_with(new);
            let distance = tracker.distance_with(&mut self.query, &pose, &options);
            self.asked();
            candidate.known = distance.map_or(Known::Apart(clearance.next_up()), Known::Distance);
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
        candidate.known = distance.map_or(Known::Nothing, Known::Distance);
        distance
    }
}

impl Narrow {
    /// Has a caller ask, if the bodies' boxes are as near as the reach.
    pub(super) fn ask<R>(
        &mut self,
        [a, b]: [&Slot; 2],
        reach: f64,
        ids: [BodyId; 2],
        ask: impl Fn(&mut Query, &Neighbors<'_>) -> Option<R>,
    ) -> Option<R> {
        self.stats.candidates += 1;
        if are_apart([a, b], reach) {
            self.stats.apart_by_bounds += 1;
            return None;
        }
        let b_to_a = Pose::relative(&a.body.pose, &b.body.pose);
        self.stats.asked += 1;
        ask(&mut self.query, &Neighbors { ids, bodies: [&a.body, &b.body], b_to_a })
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
    fn of([a, b]: [&Slot; 2], candidate: &Candidate) -> Self {
        let travel = a.travel + b.travel;
        let moved = (travel - candidate.travel).max(0.0);
        // Rounding of the sums; and distances are measured in a frame that may stretch a little.
        let change = if moved > 0.0 { moved * 1.001 + 1e-15 * travel } else { 0.0 };
        Self { travel, change }
    }

    fn touches(&self, known: &Known) -> Option<bool> {
        match known {
            Known::Apart(distance) if self.change == 0.0 || self.is_more(*distance, 0.0) => Some(false),
            Known::Distance(found) if self.change == 0.0 => Some(found.distance == 0.0),
            Known::Distance(found) if self.is_more(found.distance, 0.0) => Some(false),
            Known::Touching if self.change == 0.0 => Some(true),
            _ => None,
        }
    }

    fn within(&self, known: &Known, clearance: f64) -> Option<Option<ClosestPair>> {
        match known {
            Known::Apart(distance) if self.is_more(*distance, clearance) => Some(None),
            Known::Distance(found) if self.change == 0.0 => {
                Some(Some(*found).filter(|found| found.distance <= clearance))
            }
            Known::Distance(found) if self.is_more(found.distance, clearance) => Some(None),
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
    let reach = (a.ball.radius + b.ball.radius + clearance) * 1.001;
    if (b.ball.center - a.ball.center).norm_squared() > reach * reach {
        return true;
    }
    let clearance = clearance * 1.001;
    (0..3)
        .any(|k| a.bounds.lower[k] - b.bounds.upper[k] > clearance || b.bounds.lower[k] - a.bounds.upper[k] > clearance)
}
