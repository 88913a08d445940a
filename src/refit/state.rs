//! The state of a tree between refits, for a kind of volume; and the costs of its nodes according to the surface area
//! heuristic.

use super::moved::Dirty;
use super::pass::{Output, Pass, RefitMethod};
use super::topology::{Parts, Topology, WideNode};
use super::vertices::LocalVertices;
use crate::simd::{Simd, SimdLevel, dispatched};
use crate::tree::{BvTree, Owned, View};
use crate::volume::{BoundingVolume, Frame, ObbAxes, PADDING, Positions, VolumeKind, WIDTH, fields, for_kind};

/// The state of a tree, for any kind of volume.
pub(super) trait State: Send + Sync {
    /// Fits volumes to the vertices in the arrays, and records the costs of the nodes.
    fn refit(&mut self, request: &Request<'_>, arrays: &mut Owned, costs: &mut [f64]);
}

pub(super) struct Request<'a> {
    pub(super) level: SimdLevel,
    pub(super) topology: &'a Topology,
    pub(super) frame: Frame,
    /// The nodes to refit; `None` for all.
    pub(super) dirty: Option<&'a Dirty>,
    /// The vertices that moved; `None` for all.
    pub(super) moved: Option<&'a [u32]>,
}

/// The state of a tree whose structure is sound and whose vertices are numbered by first use.
pub(super) fn state_of(tree: &BvTree, topology: &Topology, obb_axes: ObbAxes) -> Box<dyn State> {
    for_kind!(tree.kind(), V => Box::new(StateOf::<<V as BoundingVolume>::FitMethod>::new(tree, topology, obb_axes)))
}

/// The state of a tree whose kind of volume uses this refit method.
struct StateOf<M: RefitMethod> {
    parts: Parts<M::AtRest>,
    /// The vertices in the frame's coordinates; empty if the refit method uses `parts`.
    local_vertices: LocalVertices,
    /// The value that each node passed to its parent.
    below: Vec<M::Below>,
}

impl<M: RefitMethod> StateOf<M> {
    fn new(tree: &BvTree, topology: &Topology, obb_axes: ObbAxes) -> Self {
        let below = vec![M::UNSET; topology.nodes.len()];
        let Some(at_rest) = M::AT_REST else {
            let local_vertices = LocalVertices::with_capacity_for(tree.view().vertices.len());
            return Self { parts: Parts::none(), local_vertices, below };
        };
        let view = tree.view();
        let positions = Positions::new(view.vertices);
        let parts = Parts::new(&view, M::Volume::KIND, topology, |words, vertices| {
            at_rest(words, &tree.meta().frame, obb_axes, vertices, &positions)
        });
        Self { parts, local_vertices: LocalVertices::default(), below }
    }
}

impl<M: RefitMethod> State for StateOf<M> {
    fn refit(&mut self, request: &Request<'_>, arrays: &mut Owned, costs: &mut [f64]) {
        let &Request { level, topology, frame, dirty, moved } = request;
        if M::AT_REST.is_none() {
            match moved {
                Some(moved) if dirty.is_some() => {
                    for &vertex in moved {
                        self.local_vertices.set(vertex as usize, &frame, &arrays.vertices[vertex as usize]);
                    }
                }
                _ => self.local_vertices.fill(level, &frame, &arrays.vertices),
            }
        }
        let pass: Pass<'_, M> = Pass {
            level,
            topology,
            frame,
            corners: &arrays.corners,
            positions: Positions::new(&arrays.vertices),
            local_vertices: &self.local_vertices,
            parts: &self.parts,
            dirty,
        };
        let words = arrays.nodes.len() - PADDING;
        let output = Output { words: &mut arrays.nodes[..words], below: &mut self.below, costs };
        pass.subtrees(0..topology.nodes.len(), output, 0);
    }
}

pub(super) fn costs_of(level: SimdLevel, view: &View<'_>, kind: VolumeKind, topology: &Topology, costs: &mut [f64]) {
    let areas = for_kind!(kind, V => V::areas);
    let first = |node: &WideNode| node.first as usize * fields(kind);
    let areas_of = |node: &WideNode| {
        areas(&view.nodes[first(node)..first(node) + node.children as usize * fields(kind)], node.children as usize)
    };
    node_costs(level, topology, &areas_of, costs);
}

dispatched! {
    fn node_costs(topology: &Topology, areas: &dyn Fn(&WideNode) -> [f32; WIDTH], costs: &mut [f64]) -> () =
        |s| for (node, cost) in topology.nodes.iter().zip(costs) {
            *cost = node_cost(s, &areas(node), &topology.tests(s, node));
        };
}

/// The area of a tree's root volume, in the unit of [`BoundingVolume::areas`].
pub(super) fn root_area(nodes: &[u32], kind: VolumeKind) -> f64 {
    f64::from(for_kind!(kind, V => V::areas(nodes, 1)[0]))
}

/// The sum of the costs of all nodes.
pub(super) fn sum_of(costs: &[f64]) -> f64 {
    // Eight sums at once, because in a single one each addition would wait for the last.
    let (eights, rest) = costs.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for eight in eights {
        for lane in 0..8 {
            sums[lane] += eight[lane];
        }
    }
    sums.iter().sum::<f64>() + rest.iter().sum::<f64>()
}

/// The cost of visits below a node's volumes: the sum over the volumes of area times number of tests directly below.
#[inline(always)]
pub(super) fn node_cost<S: Simd>(s: S, areas: &[f32; WIDTH], tests: &[f32; WIDTH]) -> f64 {
    let costs = s.to_array64(s.mul64(s.widen(areas), s.widen(tests)));
    let mut sums = [0.0; 4];
    for lane in 0..4 {
        sums[lane] = costs[lane] + costs[4 + lane];
    }
    (sums[0] + sums[2]) + (sums[1] + sums[3])
}
