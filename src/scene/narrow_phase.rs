//! The narrow phase: queries between two bodies, unless a remembered fact answers them; and the interruption of
//! queries.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::body::{Proxy, Slot};
use super::compound::BodyParts;
use super::pair_cache::{PairCache, margin_f32};
use super::pair_memory::{ChangeSince, KnownDistance, Nearest, PairFact, PairMemory, SAMPLED};
use super::shape_pairs::{PosedPair, ShapePair};
use super::{Scene, SceneError, SceneStats};
use crate::numeric::error_bounds::POSE_STRETCH;
use crate::pose::{Motion, Pose};
use crate::probe::Probe;
use crate::query::{ClosestPair, DistanceOptions, DistanceTracker, Query, Solid, TimeOfImpact, Within};
use crate::shape::{Aabb, Sphere};
use crate::tree::BvTree;

#[derive(Clone, Copy)]
pub(super) struct BodyPair<'a> {
    pub(super) scene: &'a Scene,
    pub(super) indices: [u32; 2],
    pub(super) proxies: [&'a Proxy; 2],
    pub(super) slots: [&'a Slot; 2],
}

impl<'a> BodyPair<'a> {
    /// The two bodies in one frame; `None` if either is a compound.
    pub(super) fn posed(&self) -> Option<PosedPair<'a>> {
        let [a, b] = self.slots.map(|slot| &slot.body);
        Some(PosedPair::new([a.geometry.simple()?, b.geometry.simple()?], [&a.pose, &b.pose]))
    }

    pub(super) fn parts(&self) -> BodyParts<'a> {
        let [a, b] = self.slots.map(|slot| &slot.body);
        BodyParts { geometries: [&a.geometry, &b.geometry], poses: [&a.pose, &b.pose] }
    }

    /// The pose of the frame in which distances between two parts are measured.
    pub(super) fn frame(&self, parts: [u32; 2]) -> Pose {
        *self.parts().pair(parts).frame()
    }

    fn solids(&self) -> [Solid; 2] {
        self.slots.map(|slot| slot.body.solid())
    }

    /// Whether the boxes are farther apart than the margin. Reads only the proxies.
    #[inline]
    pub(super) fn has_gap(&self, margin: f64) -> bool {
        let [a, b] = self.proxies.map(|proxy| &proxy.bounds);
        !a.is_within(margin_f32(margin), b)
    }
}

/// The query objects of one thread and the work they did.
pub(super) struct NarrowPhase {
    pub(super) query: Query,
    pub(super) probe: Probe,
    /// Finds the triangles that continue a body at its seams, while another query runs.
    pub(super) seams: Probe,
    pub(super) stats: SceneStats,
    pub(super) interrupt: Option<Interrupt>,
    /// The number of pairs so far, counted if queries can be interrupted.
    pub(super) pairs: u64,
}

impl NarrowPhase {
    pub(super) fn new(level: crate::simd::SimdLevel) -> Self {
        let [probe, seams] = [(); 2].map(|()| Probe::with_simd(level));
        Self { query: Query::with_simd(level), probe, seams, stats: SceneStats::default(), interrupt: None, pairs: 0 }
    }

    pub(super) fn count_query(&mut self) {
        self.stats.queried += 1;
        self.stats.trees += self.query.take_stats();
    }

    /// Whether the bodies touch or one lies inside the other, which is solid.
    pub(super) fn touches(&mut self, bodies: BodyPair<'_>, memory: &mut PairMemory) -> bool {
        self.stats.candidates += 1;
        let since = ChangeSince::of(&bodies, memory);
        if let Some(touches) = since.touches(&memory.fact) {
            self.stats.cached += 1;
            debug_assert!(!self.is_sampled() || self.touches_recomputed(bodies) == touches, "{:?}", memory.fact);
            return touches;
        }
        if bodies.has_gap(0.0) || are_apart(bodies.slots, 0.0) {
            self.stats.apart_by_bounds += 1;
            return false;
        }
        memory.fact = match bodies.posed() {
            None => self.parts_touch(bodies, &memory.fact),
            Some(posed) => {
                let known = match &posed {
                    PosedPair::Trees(trees, b_to_a) => self.trees_touch(*trees, b_to_a, &memory.fact),
                    PosedPair::Shapes(pair) => self.shapes_touch(pair, &memory.fact),
                };
                match known {
                    PairFact::Apart(distance) if self.inner(bodies, &posed).is_some() => PairFact::Inside(distance),
                    known => known,
                }
            }
        };
        memory.displacement_sums = since.displacement_sums;
        !matches!(memory.fact, PairFact::Apart(_))
    }

    /// Whether two surfaces touch, as a fact to remember about the pair.
    fn trees_touch(&mut self, [a, b]: [&Arc<BvTree>; 2], b_to_a: &Pose, known: &PairFact) -> PairFact {
        // Triangles that touched mostly still touch.
        let last = if let PairFact::Touching(last) = known { *last } else { None };
        let found = match known {
            // A pair that is queried again will probably be queried once more, which its distance may save.
            PairFact::Apart(_) | PairFact::Inside(_) | PairFact::Distance(_) => {
                match self.query.within(a, b, b_to_a, 0.0) {
                    Within::Yes => PairFact::Touching(None),
                    Within::No { lower_bound } => PairFact::Apart(lower_bound),
                }
            }
            PairFact::Unknown | PairFact::Touching(_) => match self.query.intersecting_leaves([a, b], b_to_a, last) {
                None => PairFact::Apart(0.0),
                leaves => PairFact::Touching(leaves),
            },
        };
        self.count_query();
        found
    }

    /// Whether a shape and another body touch, as a fact to remember about the pair.
    fn shapes_touch(&mut self, pair: &ShapePair<'_>, known: &PairFact) -> PairFact {
        let again = matches!(known, PairFact::Apart(_) | PairFact::Inside(_) | PairFact::Distance(_));
        match self.shape_distance(pair, if again { f64::INFINITY } else { 0.0 }) {
            None => PairFact::Apart(0.0),
            Some(found) if found.distance == 0.0 => PairFact::Touching(None),
            Some(found) => PairFact::Apart(found.distance),
        }
    }

    /// The bodies' distance, if it is at most the clearance. The clearance is not negative.
    pub(super) fn within(&mut self, bodies: BodyPair<'_>, clearance: f64, memory: &mut PairMemory) -> Option<Nearest> {
        self.stats.candidates += 1;
        let since = ChangeSince::of(&bodies, memory);
        if let Some(closest) = since.within(&memory.fact, clearance) {
            self.stats.cached += 1;
            debug_assert!(
                !self.is_sampled()
                    || self.within_recomputed(bodies, clearance) == closest.map(|nearest| nearest.closest.distance),
                "{closest:?} {:?}",
                memory.fact
            );
            return closest;
        }
        if bodies.has_gap(clearance) || are_apart(bodies.slots, clearance) {
            self.stats.apart_by_bounds += 1;
            return None;
        }
        memory.displacement_sums = since.displacement_sums;
        let Some(posed) = bodies.posed() else {
            let found = self.parts_distance(&bodies.parts(), bodies.solids(), clearance);
            memory.fact = match found {
                None => PairFact::Apart(clearance.next_up()),
                Some(Nearest { closest, parts }) => {
                    let mut known = KnownDistance::new(closest, None);
                    known.parts = parts;
                    PairFact::Distance(known)
                }
            };
            return found;
        };
        let closest = match &posed {
            PosedPair::Trees(trees, b_to_a) => self.trees_within(*trees, b_to_a, clearance, &mut memory.fact),
            PosedPair::Shapes(_) => self.shapes_within(&posed, clearance, &mut memory.fact),
        };
        let Some(near) = self.inner_if_apart(bodies, &posed, closest.as_ref()) else {
            return closest.map(Nearest::of_simple);
        };
        let nearest = near.of_bodies();
        memory.fact = PairFact::Distance(near);
        Some(nearest)
    }

    /// The distance of a pair with a shape, if it is at most the clearance.
    fn shapes_within(&mut self, posed: &PosedPair<'_>, clearance: f64, known: &mut PairFact) -> Option<ClosestPair> {
        let found = self.distance_of(posed, clearance);
        *known = match found {
            // The distance is more than the clearance.
            None => PairFact::Apart(clearance.next_up()),
            Some(closest) => PairFact::Distance(KnownDistance::new(closest, None)),
        };
        found
    }

    /// The distance between the bodies' surfaces, if it is at most the clearance.
    fn trees_within(
        &mut self,
        [a, b]: [&Arc<BvTree>; 2],
        pose: &Pose,
        clearance: f64,
        known: &mut PairFact,
    ) -> Option<ClosestPair> {
        let options = DistanceOptions { upper_bound: clearance, ..DistanceOptions::default() };
        if let PairFact::Distance(near) = known
            && near.may_track
        {
            let tracker = near.tracker.get_or_insert_with(|| DistanceTracker::new(a, b));
            let distance = tracker.distance_with(&mut self.query, pose, &options);
            self.count_query();
            match distance {
                Some(closest) => near.closest = closest,
                None => *known = PairFact::Apart(clearance.next_up()),
            }
            return distance;
        }
        let within = self.query.within(a, b, pose, clearance);
        self.count_query();
        if let Within::No { lower_bound } = within {
            // The distance is more than the clearance.
            *known = PairFact::Apart(lower_bound.max(clearance.next_up()));
            return None;
        }
        let distance = self.query.distance_with(a, b, pose, &options);
        self.count_query();
        *known = distance.map_or(PairFact::Unknown, |closest| PairFact::Distance(KnownDistance::new(closest, None)));
        distance
    }

    /// The body that lies inside the other, which is solid, if their surfaces do not touch: 0 for A, 1 for B.
    fn inner(&mut self, bodies: BodyPair<'_>, posed: &PosedPair<'_>) -> Option<usize> {
        let solids = bodies.solids();
        if solids == [Solid::No; 2] || bodies.has_gap(0.0) || are_apart(bodies.slots, 0.0) {
            return None;
        }
        self.inner_of(posed, solids)
    }

    pub(super) fn inner_of(&mut self, posed: &PosedPair<'_>, solids: [Solid; 2]) -> Option<usize> {
        match posed {
            PosedPair::Trees([a, b], b_to_a) => self.query.inner([a, b], b_to_a, solids),
            PosedPair::Shapes(pair) => pair.inner(&mut self.probe, solids),
        }
    }

    /// The bodies' distance if one lies inside the other, which is solid; `closest` is the surfaces' distance if known.
    pub(super) fn inner_if_apart(
        &mut self,
        bodies: BodyPair<'_>,
        posed: &PosedPair<'_>,
        closest: Option<&ClosestPair>,
    ) -> Option<Box<KnownDistance>> {
        if closest.is_some_and(|closest| closest.distance == 0.0) {
            return None;
        }
        let inner = self.inner(bodies, posed)?;
        let closest = self.distance_of(posed, f64::INFINITY)?;
        Some(KnownDistance::new(closest, Some(inner)))
    }
}

/// Distances and contacts of compounds.
impl NarrowPhase {
    /// The fact to remember about two bodies, at least one of which is a compound: that a part of one touches or is
    /// inside a part of the other, or else a lower bound on their distance.
    fn parts_touch(&mut self, bodies: BodyPair<'_>, known: &PairFact) -> PairFact {
        // A pair that is queried again will probably be queried once more, which its distance may save.
        let again = matches!(known, PairFact::Apart(_) | PairFact::Distance(_));
        let limit = if again { f64::INFINITY } else { 0.0 };
        match self.parts_distance(&bodies.parts(), bodies.solids(), limit) {
            None => PairFact::Apart(0.0),
            Some(found) if found.closest.distance == 0.0 => PairFact::Touching(None),
            Some(found) => PairFact::Apart(found.closest.distance),
        }
    }

    /// The least distance between two parts, if it is at most a bound; ties go to the smallest part indices. A part
    /// inside another, whose body is solid, is at distance 0.
    pub(super) fn parts_distance(
        &mut self,
        bodies: &BodyParts<'_>,
        solids: [Solid; 2],
        upper_bound: f64,
    ) -> Option<Nearest> {
        let mut best: Option<Nearest> = None;
        bodies.for_each_pair(upper_bound, |pair, limit| {
            if limit == 0.0 && best.is_some_and(|best| best.parts < pair.parts) {
                return limit;
            }
            let posed = pair.posed();
            let mut found = self.distance_of(&posed, limit);
            if found.is_none_or(|found| found.distance > 0.0)
                && solids != [Solid::No; 2]
                && !pair.are_apart(0.0)
                && let Some(inner) = self.inner_of(&posed, solids)
            {
                found = self.distance_of(&posed, f64::INFINITY).map(|closest| closest.inside(inner));
            }
            let Some(closest) = found else { return limit };
            if best.is_none_or(|best| (closest.distance, pair.parts) < (best.closest.distance, best.parts)) {
                best = Some(Nearest { closest, parts: pair.parts });
            }
            closest.distance.min(limit)
        });
        best
    }
}

/// Checks of remembered facts in builds with debug assertions.
impl NarrowPhase {
    /// Whether this use of a remembered fact is checked by a new query.
    fn is_sampled(&self) -> bool {
        // A check must not be interrupted.
        self.interrupt.is_none() && self.stats.cached % SAMPLED == 1
    }

    fn touches_recomputed(&mut self, bodies: BodyPair<'_>) -> bool {
        let Some(posed) = bodies.posed() else {
            return matches!(self.parts_touch(bodies, &PairFact::Unknown), PairFact::Touching(_));
        };
        let touches = match &posed {
            PosedPair::Trees([a, b], b_to_a) => self.query.intersects(a, b, b_to_a),
            PosedPair::Shapes(pair) => pair.distance(&mut self.probe, 0.0).is_some(),
        };
        touches || self.inner(bodies, &posed).is_some()
    }

    fn within_recomputed(&mut self, bodies: BodyPair<'_>, clearance: f64) -> Option<f64> {
        let Some(posed) = bodies.posed() else {
            let found = self.parts_distance(&bodies.parts(), bodies.solids(), clearance);
            return found.map(|found| found.closest.distance);
        };
        let closest = match &posed {
            PosedPair::Trees([a, b], b_to_a) => self.query.distance(a, b, b_to_a),
            PosedPair::Shapes(pair) => pair.distance(&mut self.probe, f64::INFINITY),
        }?;
        let is_inside = closest.distance > 0.0 && self.inner(bodies, &posed).is_some();
        Some(if is_inside { 0.0 } else { closest.distance }).filter(|distance| *distance <= clearance)
    }
}

impl NarrowPhase {
    /// The distance between two bodies, if it is at most a bound. Trees count as surfaces, convex shapes as solids.
    pub(super) fn distance_of(&mut self, posed: &PosedPair<'_>, upper_bound: f64) -> Option<ClosestPair> {
        match posed {
            PosedPair::Trees([a, b], b_to_a) => {
                let options = DistanceOptions { upper_bound, ..DistanceOptions::default() };
                let distance = self.query.distance_with(a, b, b_to_a, &options);
                self.count_query();
                distance
            }
            PosedPair::Shapes(pair) => self.shape_distance(pair, upper_bound),
        }
    }

    pub(super) fn shape_distance(&mut self, pair: &ShapePair<'_>, upper_bound: f64) -> Option<ClosestPair> {
        let distance = pair.distance(&mut self.probe, upper_bound);
        self.count_shapes(pair);
        distance
    }

    pub(super) fn count_shapes(&mut self, pair: &ShapePair<'_>) {
        self.stats.queried += 1;
        if pair.has_tree() {
            self.stats.trees += self.probe.stats();
        }
    }

    pub(super) fn time_of_impact(
        &mut self,
        a: &BvTree,
        b: &BvTree,
        motion: &Motion,
        tolerance: f64,
    ) -> Result<TimeOfImpact, SceneError> {
        let impact = self.query.time_of_impact(a, b, motion, tolerance);
        self.count_query();
        impact.map_err(|_| SceneError::MotionTooLong)
    }
}

/// Whether the bounding spheres or boxes are farther apart than the clearance.
pub(super) fn are_apart([a, b]: [&Slot; 2], clearance: f64) -> bool {
    let spheres = [a, b].map(|slot| slot.body.geometry.bounding_sphere(&slot.body.pose));
    are_boxed_apart(spheres, [&a.bounds, &b.bounds], clearance)
}

/// Whether spheres or boxes around two geometries are farther apart than the clearance.
pub(super) fn are_boxed_apart([sphere_a, sphere_b]: [Sphere; 2], [a, b]: [&Aabb; 2], clearance: f64) -> bool {
    let margin = (sphere_a.radius + sphere_b.radius + clearance) * POSE_STRETCH;
    if (sphere_b.center - sphere_a.center).norm_squared() > margin * margin {
        return true;
    }
    let clearance = clearance * POSE_STRETCH;
    (0..3).any(|k| a.lower[k] - b.upper[k] > clearance || b.lower[k] - a.upper[k] > clearance)
}

/// The interrupt callback is called for one in this many pairs, since a call takes as long as some pairs do.
const PAIRS_PER_POLL: u64 = 16;

/// The callback that interrupts queries, and whether it has done so.
#[derive(Clone, Default)]
pub(super) struct Interrupt {
    check: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
    is_set: Arc<AtomicBool>,
}

impl Interrupt {
    pub(super) fn is_set(&self) -> bool {
        self.is_set.load(Ordering::Relaxed)
    }

    pub(super) fn poll(&self) -> bool {
        if self.check.as_ref().is_some_and(|check| !self.is_set() && check()) {
            self.is_set.store(true, Ordering::Relaxed);
        }
        self.is_set()
    }
}

impl fmt::Debug for Interrupt {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let check = self.check.as_ref().map(|_| "Fn");
        formatter.debug_struct("Interrupt").field("check", &check).field("is_set", &self.is_set).finish()
    }
}

impl Scene {
    /// Lets queries about pairs of bodies end early: `check` is called about every millisecond on all threads that
    /// work. Once it returns true, this query and all later ones return immediately, until
    /// [`take_interrupted`](Scene::take_interrupted) is called.
    ///
    /// The result of an interrupted query is meaningless: call `take_interrupted` before using it. An interrupted scene
    /// forgets what it remembered about pairs. See [`Query::interrupt_when`](crate::Query::interrupt_when).
    #[doc(alias = "cancel")]
    #[doc(alias = "abort")]
    #[doc(alias = "timeout")]
    pub fn interrupt_when(&mut self, check: impl Fn() -> bool + Send + Sync + 'static) {
        self.interrupt.check = Some(Arc::new(check));
    }

    /// Returns whether a query was interrupted since this method was last called, and clears the interruption, so that
    /// later queries are no longer cut short by it.
    pub fn take_interrupted(&mut self) -> bool {
        let was_set = self.interrupt.is_set.swap(false, Ordering::Relaxed);
        if was_set {
            // Facts found by an interrupted query are not true.
            self.pair_cache = PairCache::default();
        }
        was_set
    }

    pub(super) fn narrow_phase(&self) -> NarrowPhase {
        let mut narrow = NarrowPhase::new(self.level);
        if self.interrupt.check.is_some() {
            let interrupt = self.interrupt.clone();
            narrow.query.interrupt_when(move || interrupt.poll());
            narrow.interrupt = Some(self.interrupt.clone());
        }
        narrow
    }
}

impl NarrowPhase {
    /// Whether this pair and all later ones are skipped because of an interruption.
    #[inline]
    pub(super) fn is_interrupted(&mut self) -> bool {
        let Some(interrupt) = &self.interrupt else { return false };
        self.pairs += 1;
        if self.pairs % PAIRS_PER_POLL == 1 { interrupt.poll() } else { interrupt.is_set() }
    }
}
