//! Queries about all pairs of bodies near each other: contact, clearance, and callers' own queries.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use nalgebra::Point3;

use super::body::Body;
use super::broad_phase::ItemPair;
use super::narrow_phase::{BodyPair, NarrowPhase};
use super::pair_cache::{PairCache, margin_f32};
use super::pair_memory::{Nearest, PairMemory};
use super::{BodyId, Scene, SceneStats};
use crate::parallel;
use crate::pose::Pose;
use crate::query::{FacePair, Query};

/// Two bodies within a distance of each other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct NearPair {
    /// The bodies, the smaller id first.
    pub bodies: [BodyId; 2],
    /// The distance; 0 if and only if the bodies touch
    /// ([`ClosestPair::distance`](crate::query::ClosestPair::distance)).
    pub distance: f64,
    /// The closest points of both bodies, in the world.
    pub points: [Point3<f64>; 2],
    /// The triangles that contain the points; [`NO_FACE`](super::NO_FACE) for a convex shape.
    pub faces: FacePair,
    /// The indices of the parts that contain the points; 0 for a body that is not a compound.
    pub parts: [u32; 2],
}

/// The number of pairs computed before the first results are flushed; it doubles from block to block.
const FIRST_BLOCK: usize = 256;
/// The largest number of pairs computed before results are flushed.
const LARGEST_BLOCK: usize = 1 << 16;
/// The number of pairs whose boxes are compared before the near ones are queried.
const BATCH: usize = 256;
/// The smallest number of pairs for a thread.
const MIN_PAIRS: usize = 8;

impl Scene {
    /// All pairs of bodies that touch, in the order of their ids.
    pub fn intersecting_pairs(&mut self) -> Vec<[BodyId; 2]> {
        let mut pairs = Vec::new();
        self.for_each_intersecting_pair(|pair| {
            pairs.push(pair);
            ControlFlow::Continue(())
        });
        pairs
    }

    /// Calls `visit` for each pair of bodies that touch, in the order of their ids, until it breaks. Memory does not
    /// grow with the number of pairs.
    pub fn for_each_intersecting_pair(&mut self, mut visit: impl FnMut([BodyId; 2]) -> ControlFlow<()>) {
        self.for_each_result(
            0.0,
            |narrow, bodies, memory| narrow.touches(bodies, memory).then_some(()),
            |bodies, ()| visit(bodies),
        );
    }

    /// The pair of touching bodies with the smallest ids.
    pub fn first_intersecting_pair(&mut self) -> Option<[BodyId; 2]> {
        let mut first = None;
        self.for_each_intersecting_pair(|pair| {
            first = Some(pair);
            ControlFlow::Break(())
        });
        first
    }

    /// All pairs of bodies whose distance is at most a clearance, in the order of their ids; none if the clearance is
    /// negative or NaN.
    #[doc(alias = "clearance")]
    pub fn pairs_within(&mut self, clearance: f64) -> Vec<NearPair> {
        let mut pairs = Vec::new();
        self.for_each_pair_within(clearance, |pair| {
            pairs.push(*pair);
            ControlFlow::Continue(())
        });
        pairs
    }

    /// Calls `visit` for each pair of bodies whose distance is at most a clearance, in the order of their ids, until it
    /// breaks; see [`Scene::pairs_within`]. Memory does not grow with the number of pairs.
    pub fn for_each_pair_within(&mut self, clearance: f64, mut visit: impl FnMut(&NearPair) -> ControlFlow<()>) {
        if clearance.is_nan() || clearance < 0.0 {
            self.stats = SceneStats::default();
            return;
        }
        self.pair_cache.choose_trackers();
        self.for_each_result(
            clearance,
            |narrow, bodies, memory| {
                let nearest = narrow.within(bodies, clearance, memory)?;
                Some((nearest, bodies.frame(nearest.parts)))
            },
            |bodies, (nearest, frame)| visit(&near_pair(bodies, &nearest, &frame)),
        );
    }

    /// Runs a custom query: calls `query` for each pair of bodies whose world AABBs are at most `margin` apart along
    /// each axis (in the world's unit; slightly farther pairs may be included; a negative or NaN margin counts as 0),
    /// in parallel, and `take` with the results on the caller's thread, in the order of the bodies' ids, until `take`
    /// breaks. Memory does not grow with the number of pairs.
    pub fn for_each_neighbor_pair<R: Send>(
        &mut self,
        margin: f64,
        query: impl Fn(&mut Query, &Neighbors<'_>) -> Option<R> + Sync,
        mut take: impl FnMut(R) -> ControlFlow<()>,
    ) {
        let margin = if margin > 0.0 { margin } else { 0.0 };
        self.for_each_block(margin, false, |scene, pairs, _| {
            let chunks = parallel::map_runs(pairs.chunks(chunk_length(pairs)), |pairs| {
                let mut narrow = scene.narrow_phase();
                let mut results = Vec::new();
                for pairs in pairs.chunks(BATCH) {
                    let mut near = [[0; 2]; BATCH];
                    let near = scene.near(pairs, margin, &mut near);
                    narrow.stats.candidates += pairs.len() as u64;
                    narrow.stats.apart_by_bounds += (pairs.len() - near.len()) as u64;
                    if scene.query_pairs(&mut narrow, near, &query, &mut results).is_break() {
                        break;
                    }
                }
                (results, narrow.stats)
            });
            flush(chunks, &mut take)
        });
    }

    /// [`Scene::for_each_neighbor_pair`] for the given pairs of bodies, however far apart the bodies are. Results come
    /// in the order of `pairs`, until `take` breaks; the body with the smaller id is A, and a body may be empty. Leaves
    /// out pairs that the scene does not compare, and those in which a body does not exist or is given twice.
    pub fn for_each_given_pair<R: Send>(
        &mut self,
        pairs: &[[BodyId; 2]],
        query: impl Fn(&mut Query, &Neighbors<'_>) -> Option<R> + Sync,
        mut take: impl FnMut(R) -> ControlFlow<()>,
    ) {
        let is_compared = |&[a, b]: &[u32; 2]| a != b && self.is_compared(a, b);
        let exist = |pair: &&[BodyId; 2]| pair.iter().all(|&id| self.slot(id).is_some());
        let indices = |[a, b]: &[BodyId; 2]| [a.index.min(b.index), a.index.max(b.index)];
        let compared: Vec<ItemPair> = pairs.iter().filter(exist).map(indices).filter(is_compared).collect();
        let mut stats = SceneStats::default();
        let (mut rest, mut size) = (&compared[..], FIRST_BLOCK);
        while !rest.is_empty() {
            let (block, later) = rest.split_at(size.min(rest.len()));
            (rest, size) = (later, (2 * size).min(LARGEST_BLOCK));
            let chunks = parallel::map_runs(block.chunks(chunk_length(block)), |pairs| {
                let mut narrow = self.narrow_phase();
                let mut results = Vec::new();
                narrow.stats.candidates += pairs.len() as u64;
                let _ = self.query_pairs(&mut narrow, pairs, &query, &mut results);
                (results, narrow.stats)
            });
            let (work, flow) = flush(chunks, &mut take);
            stats += work;
            if flow.is_break() || self.interrupt.is_set() {
                break;
            }
        }
        self.stats = stats;
    }

    /// Appends the results of a custom query about pairs; breaks if the scene is interrupted.
    fn query_pairs<R>(
        &self,
        narrow: &mut NarrowPhase,
        pairs: &[ItemPair],
        query: impl Fn(&mut Query, &Neighbors<'_>) -> Option<R>,
        results: &mut Vec<R>,
    ) -> ControlFlow<()> {
        for &pair in pairs {
            if narrow.is_interrupted() {
                return ControlFlow::Break(());
            }
            narrow.stats.queried += 1;
            let bodies = self.body_pair(pair).slots.map(|slot| &slot.body);
            results.extend(query(&mut narrow.query, &Neighbors { ids: self.ids(pair), bodies }));
        }
        ControlFlow::Continue(())
    }

    /// Calls `compute` for all pairs whose boxes are within the margin, and `take` with the results in the order of the
    /// pairs, until `take` breaks. Facts about pairs are remembered.
    pub(super) fn for_each_result<R: Send>(
        &mut self,
        margin: f64,
        compute: impl Fn(&mut NarrowPhase, BodyPair<'_>, &mut PairMemory) -> Option<R> + Sync,
        mut take: impl FnMut([BodyId; 2], R) -> ControlFlow<()>,
    ) {
        self.for_each_block(margin, true, |scene, pairs, memories| {
            let length = chunk_length(pairs);
            let mut work: Vec<_> = pairs.chunks(length).zip(memories.chunks_mut(length)).collect();
            let chunks = parallel::map_chunks_mut(&mut work, 1, |work| {
                let mut narrow = scene.narrow_phase();
                let work = work.iter_mut().flat_map(|(pairs, memories)| pairs.iter().zip(memories.iter_mut()));
                let mut results = Vec::new();
                for (&pair, memory) in work {
                    if narrow.is_interrupted() {
                        break;
                    }
                    results.extend(compute(&mut narrow, scene.body_pair(pair), memory).map(|result| (pair, result)));
                }
                (results, narrow.stats)
            });
            flush(chunks, |(pair, result)| take(scene.ids(pair), result))
        });
    }

    /// Calls `process` with all pairs whose boxes are within the margin, block by block in order, until it breaks; with
    /// the pairs' memories if `remembers`. Adds up the work.
    fn for_each_block(
        &mut self,
        margin: f64,
        remembers: bool,
        mut process: impl FnMut(&Self, &[ItemPair], &mut [PairMemory]) -> (SceneStats, ControlFlow<()>),
    ) {
        self.stats = SceneStats::default();
        let mut cache = std::mem::take(&mut self.pair_cache);
        let all = self.ignored.is_empty()
            && self.grouped == 0
            && (self.compares_static || self.fixed == 0)
            && self.pair_filter.accepts.is_none();
        let keep = |a, b| all || self.is_compared(a, b);
        let mut stats = SceneStats::default();
        let mut process_block = |pairs: &[ItemPair], memories: &mut [PairMemory]| {
            let (work, flow) = process(self, pairs, memories);
            stats += work;
            if self.interrupt.is_set() { ControlFlow::Break(()) } else { flow }
        };
        if cache.refresh(&self.tree, &self.slots, margin, keep) {
            if remembers {
                cache.memories.resize_with(cache.pairs.len(), PairMemory::default);
            }
            let mut memories = if remembers { &mut cache.memories[..] } else { &mut [] };
            let mut pairs = &cache.pairs[..];
            let mut size = FIRST_BLOCK;
            while !pairs.is_empty() {
                let (block, rest) = pairs.split_at(size.min(pairs.len()));
                let (known, more) = memories.split_at_mut(size.min(memories.len()));
                if process_block(block, known).is_break() {
                    break;
                }
                (pairs, memories, size) = (rest, more, (2 * size).min(LARGEST_BLOCK));
            }
        } else {
            self.for_each_block_unkept(margin, remembers, &mut process_block);
            cache = PairCache::default();
        }
        self.pair_cache = cache;
        self.stats = stats;
    }

    /// As [`Scene::for_each_block`], but without keeping the pairs: there are too many.
    fn for_each_block_unkept(
        &self,
        margin: f64,
        remembers: bool,
        process: &mut impl FnMut(&[ItemPair], &mut [PairMemory]) -> ControlFlow<()>,
    ) {
        let mut first = 0;
        let mut bodies = 1;
        while first < self.proxies.len() {
            let last = (first + bodies).min(self.proxies.len());
            let found: Vec<Vec<u32>> =
                parallel::map_range(first..last, 1, |index| self.greater_neighbors(index as u32, margin));
            let pairs = (first..last).zip(&found).flat_map(|(a, near)| near.iter().map(move |&b| [a as u32, b]));
            let block: Vec<ItemPair> = pairs.collect();
            let mut memories = Vec::new();
            memories.resize_with(if remembers { block.len() } else { 0 }, PairMemory::default);
            if process(&block, &mut memories).is_break() {
                return;
            }
            bodies = if block.len() < LARGEST_BLOCK / 2 { 2 * bodies } else { (bodies / 2).max(1) };
            first = last;
        }
    }

    /// The bodies whose indices are greater than the given one and whose boxes are within the margin of that body's, in
    /// order.
    fn greater_neighbors(&self, index: u32, margin: f64) -> Vec<u32> {
        let mut found = Vec::new();
        if !self.proxies[index as usize].is_empty() {
            let near = self.slots[index as usize].fat_aabb.grown(margin_f32(margin));
            let _ = self.tree.for_each_overlap(&near, |other| {
                if other > index && self.is_compared(index, other) {
                    found.push(other);
                }
                ControlFlow::Continue(())
            });
        }
        found.sort_unstable();
        found
    }

    /// Those of the given pairs whose boxes are within the margin. Precondition: at most [`BATCH`] pairs are given.
    fn near<'a>(&self, pairs: &[ItemPair], margin: f64, near: &'a mut [ItemPair; BATCH]) -> &'a [ItemPair] {
        let margin = margin_f32(margin);
        let mut count = 0;
        for &pair in pairs {
            // Branch-free: the next proxies, which lie anywhere in memory, are loaded meanwhile.
            near[count] = pair;
            let [a, b] = pair.map(|index| &self.proxies[index as usize].bounds);
            count += usize::from(a.is_within(margin, b));
        }
        &near[..count]
    }

    #[inline]
    pub(super) fn body_pair(&self, pair: ItemPair) -> BodyPair<'_> {
        BodyPair {
            scene: self,
            indices: pair,
            proxies: pair.map(|index| &self.proxies[index as usize]),
            slots: pair.map(|index| &self.slots[index as usize]),
        }
    }

    pub(super) fn is_compared(&self, a: u32, b: u32) -> bool {
        let [x, y] = [a, b].map(|index| &self.slots[index as usize].body);
        (self.compares_static || !(x.is_static && y.is_static))
            && x.groups & y.mask != 0
            && y.groups & x.mask != 0
            && (self.ignored.is_empty() || !self.ignored.contains(&[a.min(b), a.max(b)]))
            && self.pair_filter.accepts.as_ref().is_none_or(|accepts| {
                let [a, b] = [a.min(b), a.max(b)];
                let bodies = [a, b].map(|index| &self.slots[index as usize].body);
                accepts(&Neighbors { ids: self.ids([a, b]), bodies })
            })
    }

    #[inline]
    pub(super) fn ids(&self, pair: [u32; 2]) -> [BodyId; 2] {
        pair.map(|index| self.id(index))
    }

    #[inline]
    pub(super) fn id(&self, index: u32) -> BodyId {
        BodyId { index, generation: self.proxies[index as usize].generation }
    }
}

fn chunk_length(pairs: &[ItemPair]) -> usize {
    (pairs.len() / (4 * parallel::threads())).max(MIN_PAIRS)
}

/// Calls `take` with the results in order until it breaks. Returns the work of all chunks, and whether `take` broke.
fn flush<R>(
    chunks: Vec<(Vec<R>, SceneStats)>,
    mut take: impl FnMut(R) -> ControlFlow<()>,
) -> (SceneStats, ControlFlow<()>) {
    let mut stats = SceneStats::default();
    chunks.iter().for_each(|(_, work)| stats += *work);
    (stats, chunks.into_iter().flat_map(|(results, _)| results).try_for_each(&mut take))
}

/// Converts a distance in a body's frame to one with points in the world.
pub(super) fn near_pair(bodies: [BodyId; 2], nearest: &Nearest, frame: &Pose) -> NearPair {
    let Nearest { closest: found, parts } = nearest;
    let points = [found.on_a, found.on_b].map(|point| frame.transform_point(&point));
    NearPair { bodies, distance: found.distance, points, faces: found.faces, parts: *parts }
}

/// The caller's choice of pairs; see [`Scene::set_pair_filter`].
#[derive(Clone, Default)]
pub(super) struct PairFilter {
    pub(super) accepts: Option<Arc<PairPredicate>>,
}

type PairPredicate = dyn Fn(&Neighbors<'_>) -> bool + Send + Sync;

impl fmt::Debug for PairFilter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("PairFilter").field(&self.accepts.as_ref().map(|_| "Fn")).finish()
    }
}

/// Two bodies whose boxes are near each other, given to [`Scene::for_each_neighbor_pair`]'s query and to the predicate
/// of [`Scene::set_pair_filter`].
#[derive(Clone, Copy, Debug)]
pub struct Neighbors<'a> {
    /// The ids, the smaller first.
    pub ids: [BodyId; 2],
    /// The bodies, A and B.
    pub bodies: [&'a Body; 2],
}

impl Neighbors<'_> {
    /// B's pose in A's frame.
    pub fn b_to_a(&self) -> Pose {
        let [a, b] = self.bodies.map(|body| &body.pose);
        Pose::relative(a, b)
    }
}
