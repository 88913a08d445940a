//! What is asked of two bodies' trees, and when that can be spared.

use super::body::Slot;
use super::interrupt::Interrupt;
use super::known::{Candidate, Known, Near, SAMPLED, STRETCH, Since};
use super::neighbors::Neighbors;
use super::pair_cache::reach32;
use super::proxy::Proxy;
use super::{BodyId, SceneError, SceneStats};
use crate::pose::Motion;
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
    /// Where B stands in A's frame.
    pub(super) fn b_to_a(&self) -> Pose {
        let [a, b] = self.slots.map(|slot| &slot.body.pose);
        Pose::relative(a, b)
    }

    fn trees(&self) -> [&BvTree; 2] {
        self.slots.map(|slot| &*slot.body.tree)
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
    pub(super) interrupt: Option<Interrupt>,
    /// That were to be asked about, if questions may be interrupted.
    pub(super) pairs: u64,
}

impl NarrowPhase {
    pub(super) fn new(level: crate::simd::SimdLevel) -> Self {
        let (query, probe) = (Query::with_simd(level), Probe::with_simd(level));
        Self { query, probe, stats: SceneStats::default(), interrupt: None, pairs: 0 }
    }

    pub(super) fn asked(&mut self) {
        self.stats.asked += 1;
        self.stats.trees += self.query.stats();
    }

    /// Whether the bodies touch, or one lies inside the other, which is solid.
    pub(super) fn touches(&mut self, two: Two<'_>, candidate: &mut Candidate) -> bool {
        self.stats.candidates += 1;
        let since = Since::of(&two, candidate);
        if let Some(touches) = since.touches(&candidate.known) {
            self.stats.known += 1;
            debug_assert!(!self.is_sampled() || self.touches_anew(two) == touches, "{:?}", candidate.known);
            return touches;
        }
        if two.has_gap(0.0) || are_apart(two.slots, 0.0) {
            self.stats.apart_by_bounds += 1;
            return false;
        }
        let pose = two.b_to_a();
        let [tree_a, tree_b] = two.trees();
        // Triangles that touched mostly still do.
        let last = if let Known::Touching(last) = candidate.known { last } else { None };
        let known = match candidate.known {
            // Who is asked again will be asked once more: how far apart they are saves that.
            Known::Apart(_) | Known::Inside(_) | Known::Distance(_) => {
                match self.query.within(tree_a, tree_b, &pose, 0.0) {
                    Within::Yes => Known::Touching(None),
                    Within::No { lower_bound } => Known::Apart(lower_bound),
                }
            }
            Known::Nothing | Known::Touching(_) => {
                match self.query.intersecting_leaves([tree_a, tree_b], &pose, last) {
                    None => Known::Apart(0.0),
                    leaves => Known::Touching(leaves),
                }
            }
        };
        self.asked();
        candidate.known = match known {
            Known::Apart(distance) if self.inner(two, &pose).is_some() => Known::Inside(distance),
            known => known,
        };
        candidate.displaced = since.displaced;
        !matches!(candidate.known, Known::Apart(_))
    }

    /// The bodies' distance, if it is at most the clearance, which is not negative.
    pub(super) fn within(&mut self, two: Two<'_>, clearance: f64, candidate: &mut Candidate) -> Option<ClosestPair> {
        self.stats.candidates += 1;
        let since = Since::of(&two, candidate);
        if let Some(closest) = since.within(&candidate.known, clearance) {
            self.stats.known += 1;
            debug_assert!(
                !self.is_sampled() || self.within_anew(two, clearance) == closest.map(|closest| closest.distance),
                "{closest:?} {:?}",
                candidate.known
            );
            return closest;
        }
        if two.has_gap(clearance) || are_apart(two.slots, clearance) {
            self.stats.apart_by_bounds += 1;
            return None;
        }
        let pose = two.b_to_a();
        candidate.displaced = since.displaced;
        let closest = self.surfaces_within(two, &pose, clearance, &mut candidate.known);
        let Some(near) = self.inner_if_apart(two, closest.as_ref()) else { return closest };
        let closest = near.of_bodies();
        candidate.known = Known::Distance(near);
        Some(closest)
    }

    /// The distance of the bodies' surfaces, if it is at most the clearance.
    fn surfaces_within(&mut self, two: Two<'_>, pose: &Pose, clearance: f64, known: &mut Known) -> Option<ClosestPair> {
        let options = DistanceOptions { upper_bound: clearance, ..DistanceOptions::default() };
        if let Known::Distance(near) = known
            && near.may_track
        {
            let [a, b] = two.slots.map(|slot| &slot.body.tree);
            let tracker = near.tracker.get_or_insert_with(|| DistanceTracker::new(a, b));
            let distance = tracker.distance_with(&mut self.query, pose, &options);
            self.asked();
            match distance {
                Some(closest) => near.closest = closest,
                None => *known = Known::Apart(clearance.next_up()),
            }
            return distance;
        }
        let [tree_a, tree_b] = two.trees();
        let within = self.query.within(tree_a, tree_b, pose, clearance);
        self.asked();
        if let Within::No { lower_bound } = within {
            // The distance is more than the clearance.
            *known = Known::Apart(lower_bound.max(clearance.next_up()));
            return None;
        }
        let distance = self.distance_of(two, pose, &options);
        *known = distance.map_or(Known::Nothing, |closest| Known::Distance(Near::new(closest, None)));
        distance
    }

    /// Which of the bodies, whose surfaces don't touch, lies inside the other, which is solid: 0 for A, 1 for B.
    fn inner(&mut self, two: Two<'_>, pose: &Pose) -> Option<usize> {
        let is_solid = two.slots.map(|slot| slot.body.is_solid);
        if is_solid == [false; 2] || two.has_gap(0.0) || are_apart(two.slots, 0.0) {
            return None;
        }
        self.query.inner(two.trees(), pose, is_solid)
    }

    /// The bodies' distance where one of them lies inside the other, which is solid. `closest` is what is known of the
    /// surfaces' distance; 0 where they touch.
    pub(super) fn inner_if_apart(&mut self, two: Two<'_>, closest: Option<&ClosestPair>) -> Option<Box<Near>> {
        if closest.is_some_and(|closest| closest.distance == 0.0) {
            return None;
        }
        let pose = two.b_to_a();
        let inner = self.inner(two, &pose)?;
        let closest = self.distance_of(two, &pose, &DistanceOptions::default())?;
        Some(Near::new(closest, Some(inner)))
    }
}

/// Checks of what is remembered.
impl NarrowPhase {
    /// Whether a use of a fact is one of those that are checked.
    fn is_sampled(&self) -> bool {
        // What may be ended early is no check.
        self.interrupt.is_none() && self.stats.known % SAMPLED == 1
    }

    fn touches_anew(&mut self, two: Two<'_>) -> bool {
        let pose = two.b_to_a();
        let [a, b] = two.trees();
        self.query.intersects(a, b, &pose) || self.inner(two, &pose).is_some()
    }

    fn within_anew(&mut self, two: Two<'_>, clearance: f64) -> Option<f64> {
        let [a, b] = two.trees();
        let closest = self.query.distance(a, b, &two.b_to_a())?;
        let is_inside = closest.distance > 0.0 && self.inner(two, &two.b_to_a()).is_some();
        Some(if is_inside { 0.0 } else { closest.distance }).filter(|distance| *distance <= clearance)
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

    pub(super) fn distance_of(&mut self, two: Two<'_>, pose: &Pose, options: &DistanceOptions) -> Option<ClosestPair> {
        let [a, b] = two.trees();
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

/// Whether the bodies' balls or boxes are farther apart than the clearance.
pub(super) fn are_apart([a, b]: [&Slot; 2], clearance: f64) -> bool {
    let [ball_a, ball_b] = [a.body.ball(), b.body.ball()];
    let reach = (ball_a.radius + ball_b.radius + clearance) * STRETCH;
    if (ball_b.center - ball_a.center).norm_squared() > reach * reach {
        return true;
    }
    let clearance = clearance * STRETCH;
    (0..3)
        .any(|k| a.bounds.lower[k] - b.bounds.upper[k] > clearance || b.bounds.lower[k] - a.bounds.upper[k] > clearance)
}
