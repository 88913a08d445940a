//! What a scene remembers about a pair of bodies, and how long that stays valid.
//!
//! | Fact, at the poses where it was found | Trusted |
//! |---|---|
//! | [`PairFact::Touching`]: the surfaces intersect | while neither body has moved |
//! | [`PairFact::Apart`]: the surfaces are at least a distance apart | while the bodies' displacements leave a gap |
//! | [`PairFact::Inside`]: as `Apart`, one inside the other, solid body | while the displacements leave a gap |
//! | [`PairFact::Distance`]: the surfaces' distance and closest points | while neither has moved; else as `Apart` |
//!
//! Distances are those that [`Query`](crate::Query) computes in A's frame or, for a pair with a shape, those in the
//! pair's frame. The distance of a compound is the least distance of its parts; a part inside another is at distance 0,
//! a fact that ends with any move. No point of a body has moved farther since a fact was found than the sum of the
//! body's displacements since ([`Displacement`]), so the distance between two surfaces has changed by at most both sums
//! together. While the surfaces cannot have met, what was inside stays inside: the winding number of a surface about a
//! point changes only if the point crosses it. The margins are [`POSE_STRETCH`], since A's frame may stretch distances
//! at either time, and [`body_rounding`](crate::numeric::error_bounds::body_rounding), for the coordinates that
//! distances are computed from. Replacing or deforming a tree ends all facts about its body
//! ([`PairCache::forget`](super::pair_cache::PairCache::forget)).
//!
//! In builds with debug assertions, one in [`SAMPLED`] uses of a fact is checked against the same query computed anew.

use super::Body;
use super::narrow_phase::BodyPair;
use crate::numeric::error_bounds::{DISC_DISTANCE_ERROR, MAX_SUM_PER_DISPLACEMENT, POSE_STRETCH};
use crate::query::{ClosestPair, DistanceTracker};

/// One in this many uses of remembered facts is checked in builds with debug assertions.
pub(super) const SAMPLED: u64 = 16;

/// The fact remembered about two bodies whose boxes are near each other.
#[derive(Debug, Default)]
pub(super) struct PairMemory {
    /// The sums of A's and B's displacements when the fact was found.
    pub(super) displacement_sums: [f64; 2],
    pub(super) fact: PairFact,
}

#[derive(Debug, Default)]
pub(super) enum PairFact {
    #[default]
    Unknown,
    /// The surfaces touch, at the triangles with these leaf indices of A and B if they were found.
    Touching(Option<[u32; 2]>),
    /// The surfaces are at least this far apart, and do not touch.
    Apart(f64),
    /// The surfaces are at least this far apart, do not touch, and one lies inside the other body, which is solid.
    Inside(f64),
    Distance(Box<KnownDistance>),
}

/// A known distance, and the tracker that updates it.
#[derive(Debug)]
pub(super) struct KnownDistance {
    pub(super) closest: ClosestPair,
    /// The parts that contain the closest points. If a part of a compound is inside another, `closest` already has the
    /// distance 0.
    pub(super) parts: [u32; 2],
    /// The body that lies inside the other, which is solid: 0 for A, 1 for B.
    pub(super) inner: Option<usize>,
    pub(super) may_track: bool,
    pub(super) tracker: Option<DistanceTracker>,
}

impl KnownDistance {
    pub(super) fn new(closest: ClosestPair, inner: Option<usize>) -> Box<Self> {
        Box::new(Self { closest, parts: [0; 2], inner, may_track: false, tracker: None })
    }

    /// The distance between the bodies: 0, at the inner surface's closest point, if one lies inside the other.
    pub(super) fn of_bodies(&self) -> Nearest {
        let closest = self.inner.map_or(self.closest, |inner| self.closest.inside(inner));
        Nearest { closest, parts: self.parts }
    }
}

/// The distance between two bodies, in the frame of the parts that are nearest to each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Nearest {
    pub(super) closest: ClosestPair,
    pub(super) parts: [u32; 2],
}

impl Nearest {
    /// The distance between two bodies that are not compounds.
    pub(super) fn of_simple(closest: ClosestPair) -> Self {
        Self { closest, parts: [0; 2] }
    }
}

/// How far two bodies may have moved since a fact about them was found.
pub(super) struct ChangeSince {
    pub(super) displacement_sums: [f64; 2],
    /// An upper bound on the change of the surfaces' distance in the world; 0 only if neither body has moved.
    change: f64,
}

impl ChangeSince {
    pub(super) fn of(bodies: &BodyPair<'_>, memory: &PairMemory) -> Self {
        let displacement_sums = bodies.proxies.map(|proxy| proxy.displacement.sum());
        let moved =
            (displacement_sums[0] - memory.displacement_sums[0]) + (displacement_sums[1] - memory.displacement_sums[1]);
        // A displacement includes the rounding of its body's poses; this is the rounding of both bodies' coordinates.
        let rounding = || bodies.slots.iter().map(|slot| 2.0 * slot.rounding).sum::<f64>() + shape_error(bodies);
        Self { displacement_sums, change: if moved == 0.0 { 0.0 } else { moved + rounding() } }
    }

    /// Whether the bodies touch; `None` if the fact does not decide that.
    pub(super) fn touches(&self, fact: &PairFact) -> Option<bool> {
        match fact {
            PairFact::Unknown => None,
            PairFact::Touching(_) => (self.change == 0.0).then_some(true),
            PairFact::Apart(distance) => self.is_apart(*distance).then_some(false),
            PairFact::Inside(distance) => self.is_apart(*distance).then_some(true),
            PairFact::Distance(near) if self.change == 0.0 => Some(near.of_bodies().closest.distance == 0.0),
            PairFact::Distance(near) => self.is_apart(near.closest.distance).then_some(near.inner.is_some()),
        }
    }

    /// The bodies' distance if it is at most the clearance; the outer `None` if the fact does not decide.
    pub(super) fn within(&self, fact: &PairFact, clearance: f64) -> Option<Option<Nearest>> {
        match fact {
            PairFact::Apart(distance) => self.is_more(*distance, clearance).then_some(None),
            PairFact::Distance(near) if self.change == 0.0 => {
                Some(Some(near.of_bodies()).filter(|nearest| nearest.closest.distance <= clearance))
            }
            PairFact::Distance(near) if near.inner.is_none() => {
                self.is_more(near.closest.distance, clearance).then_some(None)
            }
            PairFact::Unknown | PairFact::Touching(_) | PairFact::Inside(_) | PairFact::Distance(_) => None,
        }
    }

    /// Whether surfaces that were this far apart and did not touch still do not touch.
    fn is_apart(&self, distance: f64) -> bool {
        self.change == 0.0 || self.is_more(distance, 0.0)
    }

    /// Whether a distance, or a lower bound on it, still exceeds the clearance.
    fn is_more(&self, distance: f64, clearance: f64) -> bool {
        if self.change == 0.0 {
            distance > clearance
        } else {
            (distance / POSE_STRETCH - self.change) / POSE_STRETCH > clearance
        }
    }
}

/// A bound on what convex shapes add to the change of a distance between two times: their radii, which the frames at
/// both times stretch differently, and the error of distances from cylinders and cones. The part of that error in
/// proportion to the distance is far below the slack of [`POSE_STRETCH`].
fn shape_error(bodies: &BodyPair<'_>) -> f64 {
    let [a, b] = bodies.slots.map(|slot| &slot.body);
    let has_discs = |body: &Body| body.geometry.has_discs();
    let size = |body: &Body| body.geometry.bounding_sphere(&body.pose).radius;
    let discs = if has_discs(a) || has_discs(b) { 2.0 * DISC_DISTANCE_ERROR * (size(a) + size(b)) } else { 0.0 };
    2.0 * (a.geometry.stretch_of_radii() + b.geometry.stretch_of_radii()) + discs
}

/// An upper bound on how far any point of a body has moved: the sum of all displacements.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Displacement(f64);

impl Displacement {
    pub(super) fn sum(self) -> f64 {
        self.0
    }

    /// Adds a positive displacement; the sum grows by at least that. Returns false if the sum restarted: then facts
    /// that refer to the old sum must be forgotten.
    #[inline]
    #[must_use]
    pub(super) fn add(&mut self, length: f64) -> bool {
        let sum = self.0 + length;
        let is_fine = sum <= MAX_SUM_PER_DISPLACEMENT * length;
        // At least the next larger number, without the branches of `next_up`.
        self.0 = if is_fine { sum + (sum * f64::EPSILON + f64::MIN_POSITIVE) } else { 0.0 };
        is_fine
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Differences of sums are at least the displacements added in between, and at most a millionth larger.
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
