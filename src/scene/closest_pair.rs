//! The smallest distance in the scene, by branch and bound over pairs of boxes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::narrow_phase::{NarrowPhase, are_apart};
use super::pair_memory::Nearest;
use super::pairs::{NearPair, near_pair};
use super::{Scene, SceneStats};
use crate::numeric::error_bounds::POSE_STRETCH;
use crate::parallel;

/// The number of pairs of bodies whose distances are computed together, per thread.
const BLOCK: usize = 4;

/// The squared distance between the boxes of two nodes of the broad phase's tree (0 if a node is paired with itself),
/// and the nodes. The squared distance is a lower bound on that between the nodes' bodies in the world. It is stored as
/// its bits, which sort like the number since it is not negative.
type NodePair = (u64, [u32; 2]);

impl Scene {
    /// The two bodies nearest to each other; ties go to the smallest ids. `None` if the scene compares no two bodies;
    /// empty bodies are ignored.
    pub fn closest_pair(&mut self) -> Option<NearPair> {
        let mut best: Option<([u32; 2], Nearest)> = None;
        let mut stats = SceneStats::default();
        let mut queue = BinaryHeap::new();
        if let Some(root) = self.tree.root_number() {
            queue.push(Reverse((0, [root, root])));
        }
        loop {
            let bound = best.map_or(f64::INFINITY, |(_, found)| found.closest.distance);
            let pairs = self.nearest_pairs(&mut queue, bound, best.map(|(pair, _)| pair));
            if pairs.is_empty() || self.interrupt.is_set() {
                break;
            }
            let find = |narrow: &mut NarrowPhase, pair: &[u32; 2]| self.distance_of(narrow, *pair, bound);
            let results = parallel::map_with(&pairs, || self.narrow_phase(), find);
            for (&pair, (found, work)) in pairs.iter().zip(&results) {
                stats += *work;
                let Some(found) = found else { continue };
                if best.is_none_or(|(at, best)| (found.closest.distance, pair) < (best.closest.distance, at)) {
                    best = Some((pair, *found));
                }
            }
        }
        self.stats = stats;
        best.map(|(pair, found)| near_pair(self.ids(pair), &found, &self.body_pair(pair).frame(found.parts)))
    }

    /// The next pairs of bodies in the order of their boxes' distances, up to `bound`; empty if none are left.
    fn nearest_pairs(
        &self,
        queue: &mut BinaryHeap<Reverse<NodePair>>,
        bound: f64,
        best: Option<[u32; 2]>,
    ) -> Vec<[u32; 2]> {
        let max_pairs = BLOCK * parallel::threads();
        let bound_sq = (bound * POSE_STRETCH) * (bound * POSE_STRETCH);
        let mut pairs = Vec::new();
        while pairs.len() < max_pairs
            && let Some(Reverse((lower_bound_sq, nodes))) = queue.pop()
        {
            if f64::from_bits(lower_bound_sq) > bound_sq {
                queue.clear();
                break;
            }
            let [x, y] = nodes.map(|node| self.tree.node(node));
            let mut push = |nodes: [u32; 2]| {
                let [a, b] = nodes.map(|node| &self.tree.node(node).bounds);
                let lower_bound_sq = if nodes[0] == nodes[1] { 0.0 } else { a.distance_sq(b) };
                if lower_bound_sq <= bound_sq {
                    queue.push(Reverse((lower_bound_sq.to_bits(), nodes)));
                }
            };
            match (x.is_leaf(), y.is_leaf()) {
                _ if nodes[0] == nodes[1] => {
                    if !x.is_leaf() {
                        let [c, d] = x.children;
                        [[c, d], [c, c], [d, d]].into_iter().for_each(push);
                    }
                }
                (true, true) => {
                    let [a, b] = [x.children[1], y.children[1]];
                    let pair = [a.min(b), a.max(b)];
                    // Contact ends the search: only pairs with smaller ids are still of interest.
                    let is_late = bound == 0.0 && best.is_some_and(|best| best < pair);
                    if !is_late && self.is_compared(a, b) {
                        pairs.push(pair);
                    }
                }
                // The larger node is opened.
                (true, false) => y.children.into_iter().for_each(|c| push([nodes[0], c])),
                (false, true) => x.children.into_iter().for_each(|c| push([c, nodes[1]])),
                (false, false) if x.bounds.half_area() < y.bounds.half_area() => {
                    y.children.into_iter().for_each(|c| push([nodes[0], c]));
                }
                (false, false) => x.children.into_iter().for_each(|c| push([c, nodes[1]])),
            }
        }
        pairs
    }

    fn distance_of(&self, narrow: &mut NarrowPhase, pair: [u32; 2], bound: f64) -> (Option<Nearest>, SceneStats) {
        narrow.stats = SceneStats { candidates: 1, ..SceneStats::default() };
        let bodies = self.body_pair(pair);
        if narrow.is_interrupted() {
            return (None, narrow.stats);
        }
        if are_apart(bodies.slots, bound) {
            narrow.stats.apart_by_bounds = 1;
            return (None, narrow.stats);
        }
        let Some(posed) = bodies.posed() else {
            let solids = bodies.slots.map(|slot| slot.body.solid());
            return (narrow.parts_distance(&bodies.parts(), solids, bound), narrow.stats);
        };
        let found = narrow.distance_of(&posed, bound);
        let inner = narrow.inner_if_apart(bodies, &posed, found.as_ref());
        (inner.map(|near| near.of_bodies()).or(found.map(Nearest::of_simple)), narrow.stats)
    }
}
