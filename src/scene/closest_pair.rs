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
/// The interrupt callback is called for one in this many pairs of nodes, which take about a millisecond.
const NODE_PAIRS_PER_POLL: usize = 4096;

/// The squared distance between the boxes of two nodes of the broad phase's tree (0 if a node is paired with itself),
/// and the nodes. The squared distance is a lower bound on that between the nodes' bodies in the world. It is stored as
/// its bits, which sort like the number since it is not negative.
type NodePair = (u64, [u32; 2]);

/// What the bodies below a node have that decides with which others they are compared. A pair of nodes without
/// compared bodies is skipped as a whole, since there may be far more such pairs than bodies.
#[derive(Clone, Copy, Debug, Default)]
struct Selection {
    /// Whether any of the bodies is not static.
    any_moves: bool,
    /// All bits of the bodies' groups and of their masks.
    groups: u32,
    mask: u32,
}

impl Selection {
    fn union(self, other: Self) -> Self {
        Self {
            any_moves: self.any_moves | other.any_moves,
            groups: self.groups | other.groups,
            mask: self.mask | other.mask,
        }
    }

    /// Whether any body may be compared with any of the others.
    fn may_be_compared(&self, other: &Self, compares_static: bool) -> bool {
        (compares_static || self.any_moves || other.any_moves)
            && self.groups & other.mask != 0
            && other.groups & self.mask != 0
    }
}

impl Scene {
    /// The two bodies nearest to each other; ties go to the smallest ids. `None` if the scene compares no two bodies;
    /// empty bodies are ignored.
    pub fn closest_pair(&mut self) -> Option<NearPair> {
        let mut best: Option<([u32; 2], Nearest)> = None;
        let mut stats = SceneStats::default();
        let selections = self.selections();
        let mut queue = BinaryHeap::new();
        if let Some(root) = self.tree.root_number() {
            queue.push(Reverse((0, [root, root])));
        }
        loop {
            let bound = best.map_or(f64::INFINITY, |(_, found)| found.closest.distance);
            let pairs = self.nearest_pairs(&mut queue, &selections, bound, best.map(|(pair, _)| pair));
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

    /// The selection of each node's bodies; empty if all bodies are compared as far as their selections say.
    fn selections(&self) -> Vec<Selection> {
        if self.grouped == 0 && (self.compares_static || self.fixed == 0) {
            return Vec::new();
        }
        let of_body = |index: u32| {
            let body = &self.slots[index as usize].body;
            Selection { any_moves: !body.is_static, groups: body.groups, mask: body.mask }
        };
        self.tree.bottom_up(of_body, Selection::union)
    }

    /// The next pairs of bodies in the order of their boxes' distances, up to `bound`; empty if none are left.
    fn nearest_pairs(
        &self,
        queue: &mut BinaryHeap<Reverse<NodePair>>,
        selections: &[Selection],
        bound: f64,
        best: Option<[u32; 2]>,
    ) -> Vec<[u32; 2]> {
        let max_pairs = BLOCK * parallel::threads();
        let bound_sq = (bound * POSE_STRETCH) * (bound * POSE_STRETCH);
        let mut pairs = Vec::new();
        let mut popped = 0_usize;
        while pairs.len() < max_pairs
            && let Some(Reverse((lower_bound_sq, nodes))) = queue.pop()
        {
            popped += 1;
            if popped.is_multiple_of(NODE_PAIRS_PER_POLL) && self.interrupt.poll() {
                break;
            }
            if f64::from_bits(lower_bound_sq) > bound_sq {
                queue.clear();
                break;
            }
            let [x, y] = nodes.map(|node| self.tree.node(node));
            let mut push = |nodes: [u32; 2]| {
                let [x, y] = nodes.map(|node| selections.get(node as usize));
                if x.zip(y).is_some_and(|(x, y)| !x.may_be_compared(y, self.compares_static)) {
                    return;
                }
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
