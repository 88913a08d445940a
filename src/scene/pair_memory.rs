//! What a scene remembers about a pair of bodies, and when it may trust that.
//!
//! | Fact | Claim, at the poses at which it was found | Trusted |
//! |---|---|---|
//! | [`PairFact::Touching`] | the surfaces intersect, at two triangles if they are named | while neither body has moved; else the triangles are only tested first |
//! | [`PairFact::Apart`] | the surfaces don't intersect, and are at least so far apart | while the bodies' displacements leave a gap |
//! | [`PairFact::Inside`] | as `Apart`, and one surface lies inside the other body, which is solid | likewise |
//! | [`PairFact::Distance`] | the least distance of the surfaces, with its points | the points while neither body has moved; the distance as `Apart`'s |
//!
//! All distances are those that [`Query`](crate::Query) computes in A's frame. **Displacements**: no point of a body is
//! farther from where it was at the time of the fact than the sum of the body's displacements since ([`Displacement`]),
//! which is kept for each body and never loses a move. The distance of two surfaces changes by no more than both
//! displacements together; and as long as they can't have met, what was inside stays inside: the winding number of a
//! surface about a point changes only where the point crosses it. **Margins**: [`STRETCH`] for the unit of A's frame at
//! both times, [`rounding`](super::body::rounding) for the coordinates that distances are computed from. A replaced or
//! deformed tree ends all facts about its body ([`PairCache::forget`](super::pair_cache::PairCache::forget)).
//!
//! In builds with debug assertions, one in [`SAMPLED`] uses of a fact is checked against the same question asked anew.

use super::narrow_phase::BodyPair;
use crate::pose::Pose;
use crate::query::{ClosestPair, DistanceTracker};

/// A length in a body's frame is at most so many times the length in the world, and the reverse, because poses may
/// stretch a little.
///
/// No entry of `|R^T R - I|` exceeds `d =` [`Pose::MAX_DEVIATION`], so no eigenvalue of `R^T R` is beyond `1 - 3 d` and
/// `1 + 3 d`. What is left, 4e-5, is for relative errors of rounding.
pub(super) const STRETCH: f64 = 1.0 + 2.0 * Pose::MAX_DEVIATION;
const _: () = assert!(STRETCH * STRETCH > 1.0 + 3.0 * Pose::MAX_DEVIATION + 8e-5);
const _: () = assert!(STRETCH * STRETCH * (1.0 - 3.0 * Pose::MAX_DEVIATION - 8e-5) > 1.0);

/// One in so many uses of remembered facts is checked in builds with debug assertions.
pub(super) const SAMPLED: u64 = 16;

/// BodyPair bodies that may be near each other.
#[derive(Debug, Default)]
pub(super) struct PairMemory {
    /// The sums of A's and of B's displacements when the fact was found.
    pub(super) displacement_sums: [f64; 2],
    pub(super) fact: PairFact,
}

/// What was found out about two bodies.
#[derive(Debug, Default)]
pub(super) enum PairFact {
    #[default]
    Unknown,
    /// Their surfaces touch: two triangles that do, of A and of B by their leaf indices, if that was asked.
    Touching(Option<[u32; 2]>),
    /// Their surfaces don't touch, and are at least this far apart.
    Apart(f64),
    /// Their surfaces don't touch, are at least this far apart, and one lies inside the other body, which is solid.
    Inside(f64),
    /// Their surfaces' distance.
    Distance(Box<KnownDistance>),
}

/// BodyPair bodies that are near each other.
#[derive(Debug)]
pub(super) struct KnownDistance {
    /// The closest points of the surfaces.
    pub(super) closest: ClosestPair,
    /// The side, 0 for A and 1 for B, that lies inside the other body, which is solid.
    pub(super) inner: Option<usize>,
    /// Whether their distances may be tracked.
    pub(super) may_track: bool,
    /// Starts from what it found last.
    pub(super) tracker: Option<DistanceTracker>,
}

impl KnownDistance {
    pub(super) fn new(closest: ClosestPair, inner: Option<usize>) -> Box<Self> {
        Box::new(Self { closest, inner, may_track: false, tracker: None })
    }

    /// The distance of the bodies, of which one may be solid: 0 at the inner one's point, where one is inside.
    pub(super) fn of_bodies(&self) -> ClosestPair {
        let Some(inner) = self.inner else { return self.closest };
        let point = [self.closest.on_a, self.closest.on_b][inner];
        ClosestPair { distance: 0.0, on_a: point, on_b: point, ..self.closest }
    }
}

/// What has happened to two bodies since a fact about them was found.
pub(super) struct ChangeSince {
    /// The sums of displacements now.
    pub(super) displacement_sums: [f64; 2],
    /// At most so much have the surfaces come nearer each other or gone apart, in the world; 0 only where neither body
    /// has moved.
    change: f64,
}

impl ChangeSince {
    pub(super) fn of(bodies: &BodyPair<'_>, memory: &PairMemory) -> Self {
        let displacement_sums = bodies.proxies.map(|proxy| proxy.displacement.sum());
        let moved =
            (displacement_sums[0] - memory.displacement_sums[0]) + (displacement_sums[1] - memory.displacement_sums[1]);
        // A displacement has the rounding of its own body's poses; the other body's rounds the coordinates then and
        // now.
        let rounding = || bodies.slots.iter().map(|slot| 2.0 * slot.rounding()).sum::<f64>();
        Self { displacement_sums, change: if moved == 0.0 { 0.0 } else { moved + rounding() } }
    }

    /// Whether the bodies touch, if that is known.
    pub(super) fn touches(&self, fact: &PairFact) -> Option<bool> {
        match fact {
            PairFact::Unknown => None,
            PairFact::Touching(_) => (self.change == 0.0).then_some(true),
            PairFact::Apart(distance) => self.is_apart(*distance).then_some(false),
            PairFact::Inside(distance) => self.is_apart(*distance).then_some(true),
            PairFact::Distance(near) if self.change == 0.0 => Some(near.of_bodies().distance == 0.0),
            PairFact::Distance(near) => self.is_apart(near.closest.distance).then_some(near.inner.is_some()),
        }
    }

    /// The bodies' distance, if it is at most the clearance, and if that is known.
    pub(super) fn within(&self, fact: &PairFact, clearance: f64) -> Option<Option<ClosestPair>> {
        match fact {
            PairFact::Apart(distance) => self.is_more(*distance, clearance).then_some(None),
            PairFact::Distance(near) if self.change == 0.0 => {
                Some(Some(near.of_bodies()).filter(|closest| closest.distance <= clearance))
            }
            PairFact::Distance(near) if near.inner.is_none() => {
                self.is_more(near.closest.distance, clearance).then_some(None)
            }
            PairFact::Unknown | PairFact::Touching(_) | PairFact::Inside(_) | PairFact::Distance(_) => None,
        }
    }

    /// Whether surfaces that did not touch, and were at least so far apart, still don't touch.
    fn is_apart(&self, distance: f64) -> bool {
        self.change == 0.0 || self.is_more(distance, 0.0)
    }

    /// Whether what was at least a distance is still more than the clearance.
    fn is_more(&self, distance: f64, clearance: f64) -> bool {
        if self.change == 0.0 { distance > clearance } else { (distance / STRETCH - self.change) / STRETCH > clearance }
    }
}

/// How far any point of a body has come, all its moves added up.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Displacement(f64);

impl Displacement {
    /// A sum is begun anew before it is this many times as long as a single move: each move counts for at most 1e-6
    /// more than it is.
    const COARSEST: f64 = (1_u64 << 30) as f64;

    pub(super) fn sum(self) -> f64 {
        self.0
    }

    /// Adds a move's length, which is positive. The sum grows by at least that. False if it was begun anew: what is
    /// remembered with the sum that was is to be forgotten.
    #[inline]
    #[must_use]
    pub(super) fn add(&mut self, length: f64) -> bool {
        let sum = self.0 + length;
        let is_fine = sum <= Self::COARSEST * length;
        // At least the next number, without the branches of `next_up`.
        self.0 = if is_fine { sum + (sum * f64::EPSILON + f64::MIN_POSITIVE) } else { 0.0 };
        is_fine
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the lengths and their order, differences of sums are at least what was added in between, and no more
    /// than a millionth longer.
    #[test]
    fn no_move_is_lost_and_none_counts_for_more() {
        let lengths = [1e-300, 1e-9, 1e-4, 0.3, 1.0, 1e5, 1e12, 1e30];
        for far in lengths {
            for near in lengths {
                let mut sum = Displacement::default();
                let _ = sum.add(far);
                let mut begun_anew = 0;
                for _ in 0..100 {
                    let before = sum.sum();
                    if sum.add(near) {
                        let difference = sum.sum() - before;
                        assert!(difference >= near && difference <= near * (1.0 + 1e-6), "{far} {near} {difference}");
                    } else {
                        begun_anew += 1;
                    }
                }
                assert!(begun_anew <= 1, "{far} {near} {begun_anew}");
            }
        }
    }
}
