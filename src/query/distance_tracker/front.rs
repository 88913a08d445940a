//! The front of a distance traversal: the pairs of volumes and of triangles at which it ended. Together they cover all
//! pairs of triangles. Each is kept with a separating plane if one was found.
//!
//! At the next pose, the traversal continues only where the plane no longer proves that the volumes or triangles are
//! too far apart to matter. The front is due to Ehmann and Lin, "Accurate and Fast Proximity Queries Between Polyhedra
//! Using Convex Surface Decomposition" (2001), section 5.

use super::plane_search::PlaneSearch;
use crate::traversal::{NodePair, PairQueue};
use crate::volume::{EightPlanes, Plane, Planes};

/// The node pairs and pairs of triangles at which a traversal ended.
#[derive(Debug, Default)]
pub(super) struct Front {
    nodes: Vec<FrontNode>,
    /// A plane for each node.
    planes: Planes,
    /// Indices of unused entries of `nodes`.
    free: Vec<u32>,
    /// The number of nodes when the front was built from the roots.
    initial_count: usize,
    /// Whether this query gave up recording: what it recorded afterwards would not cover all pairs of triangles.
    is_given_up: bool,
    /// Scratch memory: nodes that may be near.
    near: Vec<u32>,
    /// Pairs of triangles that were removed from the front, to be tested again.
    pub(super) reactivated: Vec<[u32; 2]>,
    /// Scratch memory: the planes found by the last search.
    found: Vec<(Plane, u8)>,
    costs: CostModel,
}

/// The greatest number of nodes kept, about 4 MB.
const MAX_NODES: usize = 1 << 16;

#[derive(Clone, Copy, Debug)]
enum FrontNode {
    Free,
    Volumes(NodePair),
    /// A triangle of A and one of B, by leaf index.
    Triangles([u32; 2]),
}

impl Front {
    /// Whether this query should use a front at all: follow the existing one, or build one. Called once for each query.
    pub(super) fn is_worthwhile(&mut self) -> bool {
        self.is_given_up = false;
        self.costs.take_turn()
    }

    /// Whether the traversal must add nodes to the front.
    pub(super) fn is_recording(&self) -> bool {
        !self.is_given_up && !self.costs.is_paused()
    }

    /// Removes all nodes and records nothing more in this query.
    pub(super) fn give_up(&mut self) {
        self.end();
        self.is_given_up = true;
    }

    /// Ends a query. `is_complete` is false if the traversal stopped before it had covered all pairs of triangles.
    pub(super) fn finish(&mut self, is_complete: bool) {
        /// The front is dropped once it has grown by this factor: it never shrinks, since nodes are only divided.
        const MAX_GROWTH: usize = 3;
        if !self.is_recording() {
            return;
        }
        self.costs.end_query();
        let nodes = self.nodes.len() - self.free.len();
        if !is_complete || nodes > MAX_NODES || self.initial_count > 0 && nodes > MAX_GROWTH * self.initial_count {
            self.end();
        } else if self.initial_count == 0 {
            self.initial_count = nodes;
        }
    }

    /// Removes all nodes. If this front has not paid off (see [`CostModel`]), the next queries do without one for a
    /// while.
    pub(super) fn end(&mut self) {
        self.initial_count = 0;
        self.nodes.clear();
        self.planes.clear();
        self.free.clear();
        self.reactivated.clear();
        self.costs.end_front();
    }

    /// Removes the nodes that may be near enough to matter: pairs of triangles go to `reactivated`, pairs of volumes to
    /// the traversal's `stack`. Returns false if the front is empty or would cost more than a traversal from the roots:
    /// the traversal must then start from the roots.
    pub(super) fn reactivate(&mut self, search: &PlaneSearch<'_>, stack: &mut Vec<NodePair>) -> bool {
        let count = self.nodes.len();
        if count == 0 {
            return false;
        }
        self.costs.add_planes(count);
        self.near.clear();
        search.find_near(&self.planes, count, &mut self.near);
        let cost = |index: &u32| match self.nodes.get(*index as usize) {
            Some(FrontNode::Volumes(_)) => SEARCH,
            Some(FrontNode::Triangles(_)) => (SEARCH + TEST) / 8,
            Some(FrontNode::Free) | None => 0,
        };
        if self.costs.exceeds_traversal(self.near.iter().map(cost).sum()) {
            self.end();
            return false;
        }
        for i in 0..self.near.len() {
            let index = self.near[i] as usize;
            match self.nodes.get(index) {
                Some(&FrontNode::Volumes(mut nodes)) => {
                    self.remove(index);
                    self.add_with_planes(search, &mut nodes);
                    if nodes.wide_lanes() != 0 {
                        stack.push(nodes);
                    }
                }
                Some(&FrontNode::Triangles(pair)) => {
                    self.remove(index);
                    self.reactivated.push(pair);
                }
                Some(FrontNode::Free) | None => {}
            }
        }
        true
    }

    /// Adds volumes that are too far apart, with separating planes if there are any.
    pub(super) fn add_separated(&mut self, search: &PlaneSearch<'_>, mut nodes: NodePair) {
        self.costs.add_test();
        if nodes.wide_lanes() == 0 {
            return;
        }
        self.add_with_planes(search, &mut nodes);
        if nodes.wide_lanes() != 0 {
            self.add_volumes_without_plane(nodes);
        }
    }

    /// Adds the lanes of the wide node that planes separate from the single volume, and removes them from `nodes`. Does
    /// nothing if there are several single volumes.
    fn add_with_planes(&mut self, search: &PlaneSearch<'_>, nodes: &mut NodePair) {
        self.found.clear();
        let Some(without) = search.between_volumes(nodes, nodes.wide_lanes(), &mut self.found) else { return };
        self.costs.add_search();
        *nodes = nodes.with_wide_lanes(without);
        for i in 0..self.found.len() {
            let (plane, separated) = self.found[i];
            self.add_volumes(nodes.with_wide_lanes(separated), &plane);
        }
    }

    /// Adds volumes without a plane: at the next pose the traversal continues there.
    pub(super) fn add_volumes_without_plane(&mut self, nodes: NodePair) {
        self.add_volumes(nodes.with_wide_lanes(nodes.wide_lanes() & nodes.wide.lanes()), &Plane::NONE);
    }

    fn add_volumes(&mut self, nodes: NodePair, plane: &Plane) {
        // Lower bounds hold at this pose only.
        self.add(FrontNode::Volumes(NodePair { lower_bound: 0.0, ..nodes }), plane);
    }

    /// Adds pairs of triangles. Those in the lanes `far` get separating planes along the given axes, if there are any.
    pub(super) fn add_pairs(&mut self, search: &PlaneSearch<'_>, pairs: &PairQueue, far: u8, axes: &[[f64; 8]; 3]) {
        self.costs.add_test();
        let mut planes = EightPlanes::NONE;
        if far != 0 {
            self.costs.add_search();
            planes = search.between_triangles(pairs.triangles(), axes);
        }
        for (lane, a, b) in pairs.iter() {
            let is_separated = (far & planes.separated) >> lane & 1 != 0;
            let plane = if is_separated { planes.plane(lane) } else { Plane::NONE };
            self.add(FrontNode::Triangles([a as u32, b as u32]), &plane);
        }
    }

    fn add(&mut self, node: FrontNode, plane: &Plane) {
        let index = match self.free.pop() {
            Some(index) => index as usize,
            None => {
                self.nodes.push(FrontNode::Free);
                self.nodes.len() - 1
            }
        };
        self.nodes[index] = node;
        self.planes.set(index, plane);
    }

    fn remove(&mut self, index: usize) {
        self.nodes[index] = FrontNode::Free;
        self.planes.set(index, &Plane::FREE);
        self.free.push(index as u32);
    }
}

/// The cost of testing one volume against eight, or of testing eight pairs of triangles. The three costs are measured
/// (`benches/NOTES.md`); only their ratios matter.
const TEST: u64 = 5;
/// The cost of searching for planes between one volume and eight, or between eight pairs of triangles.
const SEARCH: u64 = 15;
/// The cost of evaluating eight planes at a pose.
const EIGHT_PLANES: u64 = 1;

/// Decides when a front pays off: compares its cost with that of traversals from the roots.
///
/// The first query of a front builds it from the roots; its tests are the cost of a traversal from the roots. A front
/// has paid off if its queries, the first included, cost less than two thirds of that on average, since work that is
/// not counted adds half as much again. After a front that has not paid off, one query is answered without a front;
/// after the next such front 3 queries, then 7, and so on up to 63.
#[derive(Debug, Default)]
struct CostModel {
    /// The cost of this query so far.
    query: u64,
    /// The cost of a traversal from the roots.
    from_roots: u64,
    /// The cost of all queries of this front.
    total: u64,
    /// The number of queries of this front.
    query_count: u64,
    /// The number of queries still to be answered without a front.
    pause: u32,
    /// The length of the last pause.
    last_pause: u32,
}

impl CostModel {
    fn add_test(&mut self) {
        self.query += TEST;
        self.from_roots += if self.query_count == 0 { TEST } else { 0 };
    }

    fn add_search(&mut self) {
        self.query += SEARCH;
    }

    /// Adds the cost of evaluating planes.
    fn add_planes(&mut self, count: usize) {
        self.query += EIGHT_PLANES * count.div_ceil(8) as u64;
    }

    /// Whether a cost exceeds that of a traversal from the roots.
    fn exceeds_traversal(&self, cost: u64) -> bool {
        cost > self.from_roots
    }

    fn is_paused(&self) -> bool {
        self.pause > 0
    }

    /// Counts a query; returns whether it may use a front.
    fn take_turn(&mut self) -> bool {
        let is_paused = self.is_paused();
        self.pause = self.pause.saturating_sub(1);
        !is_paused
    }

    fn end_query(&mut self) {
        self.total += std::mem::take(&mut self.query);
        self.query_count += 1;
    }

    fn end_front(&mut self) {
        let has_paid = 3 * self.total < 2 * self.from_roots * self.query_count;
        let pause = if has_paid { 0 } else { (2 * self.last_pause + 1).min(63) };
        *self = Self { pause, last_pause: pause, ..Self::default() };
    }
}
