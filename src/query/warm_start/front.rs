//! The front of a descent for the least distance: the pairs of volumes and of triangles at which it ended, which cover
//! all pairs of triangles, each with a plane that keeps the two apart where one was found.
//!
//! At another pose the descent need only go on where the plane no longer shows that the two are too far apart to
//! matter. After Ehmann and Lin, "Accurate and Fast Proximity Queries Between Polyhedra Using Convex Surface
//! Decomposition" (2001), section 5, who keep the front.

use super::cost_model::{CostModel, SEARCH, TEST};
use super::plane_search::PlaneSearch;
use crate::query::descent::{Entry, PairQueue};
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
    Volumes(Entry),
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
    pub(super) fn reactivate(&mut self, search: &PlaneSearch<'_>, entries: &mut Vec<Entry>) -> bool {
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
    pub(super) fn add_separated(&mut self, search: &PlaneSearch<'_>, mut entry: Entry) {
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
    fn add_with_planes(&mut self, search: &PlaneSearch<'_>, entry: &mut Entry) {
        self.found.clear();
        let Some(without) = search.between_volumes(entry, entry.wide_lanes, &mut self.found) else { return };
        self.costs.add_search();
        entry.wide_lanes = without;
        for i in 0..self.found.len() {
            let (plane, separated) = self.found[i];
            self.add_volumes(Entry { wide_lanes: separated, ..*entry }, &plane);
        }
    }

    /// Adds volumes without a plane: at the next pose the descent goes on there.
    pub(super) fn add_volumes_without_plane(&mut self, entry: Entry) {
        self.add_volumes(Entry { wide_lanes: entry.wide_lanes & entry.wide.lanes(), ..entry }, &Plane::NONE);
    }

    fn add_volumes(&mut self, entry: Entry, plane: &Plane) {
        // Lower bounds are of this pose alone.
        self.add(FrontNode::Volumes(Entry { lower_bound: 0.0, ..entry }), plane);
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
