//! Questions about all pairs of bodies that are near each other.

use std::ops::ControlFlow;

use nalgebra::Point3;

use super::body::to_world;
use super::narrow_phase::{NarrowPhase, Two};
use super::neighbors::Neighbors;
use super::pair_cache::{Candidate, PairCache, reach32};
use super::{BodyId, Scene, SceneStats};
use crate::parallel;
use crate::pose::Pose;
use crate::query::{ClosestPair, FacePair, Query};

/// Two bodies that are near each other, and where.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NearPair {
    /// The bodies, the lesser id first.
    pub bodies: [BodyId; 2],
    /// As [`ClosestPair::distance`]: 0 exactly when they touch.
    pub distance: f64,
    /// The closest points of both, in the world.
    pub points: [Point3<f64>; 2],
    /// The triangles that they are on.
    pub faces: FacePair,
}

/// Pairs that are asked about before answers are handed over: at first, and at most.
const FIRST_BLOCK: usize = 256;
const LARGEST_BLOCK: usize = 1 << 16;
/// Pairs that are not worth another thread.
const MIN_PAIRS: usize = 8;

impl Scene {
    /// All pairs of bodies that touch.
    pub fn touching_pairs(&mut self) -> Vec<[BodyId; 2]> {
        let mut pairs = Vec::new();
        self.for_each_touching(|pair| {
            pairs.push(pair);
            ControlFlow::Continue(())
        });
        pairs
    }

    /// Calls `visit` for each pair of bodies that touch, in the order of their ids, until it breaks. Takes little memory however many
    /// there are.
    pub fn for_each_touching(&mut self, mut visit: impl FnMut([BodyId; 2]) -> ControlFlow<()>) {
        self.for_each_answer(
            0.0,
            |narrow, two, candidate| narrow.touches(two, candidate).then_some(()),
            |bodies, ()| visit(bodies),
        );
    }

    /// The first pair of bodies that touch, by their ids.
    pub fn first_touching(&mut self) -> Option<[BodyId; 2]> {
        let mut first = None;
        self.for_each_touching(|pair| {
            first = Some(pair);
            ControlFlow::Break(())
        });
        first
    }

    /// All pairs of bodies whose distance is at most a clearance. None are within a negative one, and NaN counts as negative.
    pub fn pairs_within(&mut self, clearance: f64) -> Vec<NearPair> {
        let mut pairs = Vec::new();
        self.for_each_within(clearance, |pair| {
            pairs.push(*pair);
            ControlFlow::Continue(())
        });
        pairs
    }

    /// Calls `visit` for each pair of bodies whose distance is at most a clearance, in the order of their ids, until it breaks; see
    /// [`Scene::pairs_within`]. Takes little memory however many there are.
    pub fn for_each_within(&mut self, clearance: f64, mut visit: impl FnMut(&NearPair) -> ControlFlow<()>) {
        if clearance.is_nan() || clearance < 0.0 {
            self.stats = SceneStats::default();
            return;
        }
        self.pair_cache.choose_trackers();
        self.for_each_answer(
            clearance,
            |narrow, two, candidate| {
                let distance = narrow.within(two, clearance, candidate)?;
                Some((distance, two.slots[0].body.pose))
            },
            |bodies, (distance, pose_a)| visit(&near_pair(bodies, &distance, &pose_a)),
        );
    }

    /// A question of one's own: calls `ask` on all threads for each pair of bodies whose world AABBs are at most `reach` apart (in the
    /// world's unit, along each axis; some that are a little farther may come too, none so near is missing), and `take` on this thread
    /// with what it answers, in the order of the bodies' ids, until that breaks. Takes little memory however many pairs there are.
    pub fn for_each_neighbor<R: Send>(
        &mut self,
        reach: f64,
        ask: impl Fn(&mut Query, &Neighbors<'_>) -> Option<R> + Sync,
        mut take: impl FnMut(R) -> ControlFlow<()>,
    ) {
        let reach = if reach > 0.0 { reach } else { 0.0 };
        self.for_each_answer(
            reach,
            |narrow, two, candidate| narrow.ask(two, reach, candidate.pair, &ask),
            |_, answer| take(answer),
        );
    }

    /// Asks about all pairs whose boxes are as near as a reach, and hands over what is answered in the pairs' order.
    pub(super) fn for_each_answer<R: Send>(
        &mut self,
        reach: f64,
        ask: impl Fn(&mut NarrowPhase, Two<'_>, &mut Candidate) -> Option<R> + Sync,
        mut take: impl FnMut([BodyId; 2], R) -> ControlFlow<()>,
    ) {
        self.stats = SceneStats::default();
        let mut cache = std::mem::take(&mut self.pair_cache);
        let all = self.compares_all();
        let keep = |a, b| all || self.is_compared(a, b);
        let mut stats = SceneStats::default();
        let mut answer = |block: &mut [Candidate]| {
            let (answers, work) = self.answers(block, &ask);
            stats += work;
            answers.into_iter().try_for_each(|(bodies, answer)| take(bodies, answer))
        };
        if cache.refresh(&self.tree, &self.slots, reach, keep) {
            let mut left = &mut cache.list[..];
            let mut size = FIRST_BLOCK;
            while !left.is_empty() {
                let (block, rest) = left.split_at_mut(size.min(left.len()));
                if answer(block).is_break() {
                    break;
                }
                (left, size) = (rest, (2 * size).min(LARGEST_BLOCK));
            }
        } else {
            self.for_each_block_unkept(reach, &mut answer);
            cache = PairCache::default();
        }
        self.pair_cache = cache;
        self.stats = stats;
    }

    /// Gathers candidates in blocks, without keeping them.
    fn for_each_block_unkept(&self, reach: f64, answer: &mut impl FnMut(&mut [Candidate]) -> ControlFlow<()>) {
        let mut first = 0;
        let mut bodies = 1;
        while first < self.proxies.len() {
            let last = (first + bodies).min(self.proxies.len());
            let found: Vec<Vec<u32>> =
                parallel::map_range(first..last, 1, |place| self.greater_neighbors(place as u32, reach));
            let pairs = (first..last).zip(&found).flat_map(|(a, near)| near.iter().map(move |&b| [a as u32, b]));
            let mut block: Vec<Candidate> = pairs.map(Candidate::new).collect();
            if answer(&mut block).is_break() {
                return;
            }
            bodies = if block.len() < LARGEST_BLOCK / 2 { 2 * bodies } else { (bodies / 2).max(1) };
            first = last;
        }
    }

    /// The bodies that come after one and whose boxes are near its own, in order.
    fn greater_neighbors(&self, place: u32, reach: f64) -> Vec<u32> {
        let mut found = Vec::new();
        if !self.proxies[place as usize].is_empty() {
            let near = self.slots[place as usize].room.grown(reach32(reach));
            let _ = self.tree.for_each_overlap(&near, |other| {
                if other > place && self.is_compared(place, other) {
                    found.push(other);
                }
                ControlFlow::Continue(())
            });
        }
        found.sort_unstable();
        found
    }

    /// Asks about candidates on all threads.
    fn answers<R: Send>(
        &self,
        block: &mut [Candidate],
        ask: impl Fn(&mut NarrowPhase, Two<'_>, &mut Candidate) -> Option<R> + Sync,
    ) -> (Vec<([BodyId; 2], R)>, SceneStats) {
        let chunk = (block.len() / (4 * parallel::threads())).max(MIN_PAIRS);
        let chunks = parallel::map_chunks_mut(block, chunk, |candidates| {
            let mut narrow = NarrowPhase::new(self.level);
            let answers: Vec<_> = candidates
                .iter_mut()
                .filter_map(|candidate| {
                    let proxies = candidate.pair.map(|place| &self.proxies[place as usize]);
                    let slots = candidate.pair.map(|place| &self.slots[place as usize]);
                    let answer = ask(&mut narrow, Two { proxies, slots }, candidate)?;
                    Some((self.ids(candidate.pair), answer))
                })
                .collect();
            (answers, narrow.stats)
        });
        let mut stats = SceneStats::default();
        let mut answers = Vec::with_capacity(chunks.iter().map(|(answers, _)| answers.len()).sum());
        for (more, work) in chunks {
            answers.extend(more);
            stats += work;
        }
        (answers, stats)
    }

    /// Whether any two bodies are to be compared.
    fn compares_all(&self) -> bool {
        self.ignored.is_empty() && self.grouped == 0 && (self.compares_static || self.fixed == 0)
    }

    /// Whether two bodies are to be compared.
    pub(super) fn is_compared(&self, a: u32, b: u32) -> bool {
        let [x, y] = [a, b].map(|place| &self.slots[place as usize].body);
        (self.compares_static || !(x.is_static && y.is_static))
            && x.groups & y.mask != 0
            && y.groups & x.mask != 0
            && (self.ignored.is_empty() || !self.ignored.contains(&[a.min(b), a.max(b)]))
    }

    pub(super) fn ids(&self, pair: [u32; 2]) -> [BodyId; 2] {
        pair.map(|place| self.id(place))
    }

    pub(super) fn id(&self, place: u32) -> BodyId {
        BodyId { place, generation: self.proxies[place as usize].generation }
    }
}

/// A distance in A's frame, with its points in the world.
pub(super) fn near_pair(bodies: [BodyId; 2], found: &ClosestPair, pose_a: &Pose) -> NearPair {
    let points = [found.on_a, found.on_b].map(|point| to_world(pose_a, &point));
    NearPair { bodies, distance: found.distance, points, faces: found.faces }
}
