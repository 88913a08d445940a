//! The front of a distance traversal: the pairs of volumes and of triangles at which it ended. They cover all pairs of
//! triangles, and a separating plane is kept for each if one was found.
//!
//! At the next pose, the traversal continues only where the plane no longer proves that the two are too far apart to matter.
//! The front is due to Ehmann and Lin, "Accurate and Fast Proximity Queries Between Polyhedra Using Convex Surface
//! Decomposition" (2001), section 5.

use super::plane_search::PlaneSearch;
use crate::traversal::{NodePair, PairQueue};
use crate::volume::{EightPlanes, Plane, Planes};

/// Where a descent ended.
#[derive(Debug, Default)]
pub(super) struct Front {
    nodes: Vec<FrontNode>,
    /// A plane for each node.
    planes: Planes,
    /// Indices of nodes that are free for others.
    free: Vec<u32>,
    /// How many nodes it had when it was built from the roots.
    built: usize,
    /// Nodes that may be near, while they are looked for.
    near: Vec<u32>,
    /// Pairs of triangles that were taken out, to be tested again.
    pub(super) reactivated: Vec<[u32; 2]>,
    /// What the last search for planes found.
    found: Vec<(Plane, u8)>,
    costs: CostModel,
}

/// More nodes are not kept: some 4 MB.
const MAX_NODES: usize = 1 << 16;

#[derive(Clone, Copy, Debug)]
enum FrontNode {
    Free,
    Volumes(NodePair),
    /// A's and B's, by their leaf indices.
    Triangles([u32; 2]),
}

impl Front {
    /// Whether to follow the front, or to build one: fronts have paid of late.
    pub(super) fn is_of_use(&mut self) -> bool {
        self.costs.take_turn()
    }

    /// Whether nodes are to be added.
    pub(super) fn is_recording(&self) -> bool {
        !self.costs.is_paused()
    }

    /// To be called after a descent; gives whether it went on to its end.
    pub(super) fn finish(&mut self, is_complete: bool) {
        /// Nodes are only ever divided: at so many times their first number it is time to begin anew.
        const OVERGROWN: usize = 3;
        if !self.is_recording() {
            return;
        }
        self.costs.end_question();
        let nodes = self.nodes.len() - self.free.len();
        if !is_complete || nodes > MAX_NODES || self.built > 0 && nodes > OVERGROWN * self.built {
            self.end();
        } else if self.built == 0 {
            self.built = nodes;
        }
    }

    /// Forgets all nodes, after having used them.
    fn end(&mut self) {
        self.built = 0;
        self.nodes.clear();
        self.planes.clear();
        self.free.clear();
        self.reactivated.clear();
        self.costs.end_front();
    }

    /// Takes out the nodes that may be near enough to matter: pairs of triangles, and volumes, which are added to the
    /// entries of a descent. False if there are too many, or the front is empty: then the descent is to start from the
    /// roots.
    pub(super) fn reactivate(&mut self, search: &PlaneSearch<'_>, entries: &mut Vec<NodePair>) -> bool {
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
        if self.costs.exceeds_descent(self.near.iter().map(cost).sum()) {
            self.end();
            return false;
        }
        for i in 0..self.near.len() {
            let index = self.near[i] as usize;
            match self.nodes.get(index) {
                Some(&FrontNode::Volumes(mut entry)) => {
                    self.remove(index);
                    self.add_with_planes(search, &mut entry);
                    if entry.wide_lanes != 0 {
                        entries.push(entry);
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

    /// Adds volumes that were found too far apart, with planes that keep them apart where there are such.
    pub(super) fn add_separated(&mut self, search: &PlaneSearch<'_>, mut entry: NodePair) {
        self.costs.add_test();
        if entry.wide_lanes == 0 {
            return;
        }
        self.add_with_planes(search, &mut entry);
        if entry.wide_lanes != 0 {
            self.add_volumes_without_plane(entry);
        }
    }

    /// Adds those of the wide node's lanes that planes keep apart, and leaves the others in the entry; all, where the
    /// entry has several single volumes.
    fn add_with_planes(&mut self, search: &PlaneSearch<'_>, entry: &mut NodePair) {
        self.found.clear();
        let Some(without) = search.between_volumes(entry, entry.wide_lanes, &mut self.found) else { return };
        self.costs.add_search();
        entry.wide_lanes = without;
        for i in 0..self.found.len() {
            let (plane, separated) = self.found[i];
            self.add_volumes(NodePair { wide_lanes: separated, ..*entry }, &plane);
        }
    }

    /// Adds volumes without a plane: at the next pose the descent goes on there.
    pub(super) fn add_volumes_without_plane(&mut self, entry: NodePair) {
        self.add_volumes(NodePair { wide_lanes: entry.wide_lanes & entry.wide.lanes(), ..entry }, &Plane::NONE);
    }

    fn add_volumes(&mut self, entry: NodePair, plane: &Plane) {
        // Lower bounds are of this pose alone.
        self.add(FrontNode::Volumes(NodePair { lower_bound: 0.0, ..entry }), plane);
    }

    /// Adds pairs of triangles. Those of `far` get planes that keep them apart, if there are such with the axes.
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

/// What takes long, in one unit: a test of a volume against eight or of eight pairs of triangles,
pub(super) const TEST: u64 = 5;
/// a search for planes between a volume and eight, or between eight pairs of triangles,
pub(super) const SEARCH: u64 = 15;
/// and asking eight planes whether they still keep enough apart. Measured (`benches/NOTES.md`); only the ratios matter.
const EIGHT_PLANES: u64 = 1;

/// Adds up what a front costs, and compares it with descents from the roots.
///
/// Tests save nothing and searches are extra while a front is built, so its first question, searches not counted, tells
/// what a descent from the roots takes. A front has paid if its questions, that first one included, took on average
/// less than two thirds of that: what is not counted takes half as much again. After one that has not paid there is a
/// pause of one question without a front, and after the next such one of 3, 7 and so on up to 63.
#[derive(Debug, Default)]
pub(super) struct CostModel {
    /// Of this question so far.
    question: u64,
    /// Of a descent from the roots.
    from_roots: u64,
    /// Of all the front's questions, and how many those are.
    total: u64,
    questions: u64,
    /// Questions that are left of the pause, and how long it was.
    pause: u32,
    last_pause: u32,
}

impl CostModel {
    pub(super) fn add_test(&mut self) {
        self.question += TEST;
        self.from_roots += if self.questions == 0 { TEST } else { 0 };
    }

    pub(super) fn add_search(&mut self) {
        self.question += SEARCH;
    }

    /// For so many planes that are asked.
    pub(super) fn add_planes(&mut self, count: usize) {
        self.question += EIGHT_PLANES * count.div_ceil(8) as u64;
    }

    /// Whether work of this cost is more than starting from the roots.
    pub(super) fn exceeds_descent(&self, cost: u64) -> bool {
        cost > self.from_roots
    }

    pub(super) fn is_paused(&self) -> bool {
        self.pause > 0
    }

    /// Counts a question off the pause; whether there was none.
    pub(super) fn take_turn(&mut self) -> bool {
        let is_paused = self.is_paused();
        self.pause = self.pause.saturating_sub(1);
        !is_paused
    }

    pub(super) fn end_question(&mut self) {
        self.total += std::mem::take(&mut self.question);
        self.questions += 1;
    }

    pub(super) fn end_front(&mut self) {
        let has_paid = 3 * self.total < 2 * self.from_roots * self.questions;
        let pause = if has_paid { 0 } else { (2 * self.last_pause + 1).min(63) };
        *self = Self { pause, last_pause: pause, ..Self::default() };
    }
}
