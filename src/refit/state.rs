//! What is known of a tree between refits, for each kind of volume.

use super::dirty_nodes::Dirty;
use super::local_vertices::LocalVertices;
use super::options::ObbAxes;
use super::parts::Parts;
use super::pass::{Pass, Refit8, Written};
use super::plan::Plan;
use super::positions::Positions;
use crate::simd::SimdLevel;
use crate::tree::{BvTree, Owned};
use crate::volume::VolumeKind;
use crate::volume::{Frame, PADDING, PackedAabb, PackedObb, PackedSphere};

/// Of a tree of any kind.
pub(super) enum AnyState {
    Aabb(State<PackedAabb>),
    Obb(State<PackedObb>),
    Sphere(State<PackedSphere>),
}

/// Of a tree of one kind.
pub(super) struct State<K: Refit8> {
    parts: Parts<K::Rest>,
    /// Of no vertex where there are parts.
    local_vertices: LocalVertices,
    /// What each node gave.
    below: Vec<K::Below>,
}

/// What a refit is about, whatever the kind.
pub(super) struct Task<'a> {
    pub(super) level: SimdLevel,
    pub(super) plan: &'a Plan,
    pub(super) frame: Frame,
    /// The nodes that are fitted again; all if none.
    pub(super) dirty: Option<&'a Dirty>,
    /// The vertices that have moved; all if none.
    pub(super) moved: Option<&'a [u32]>,
}

impl AnyState {
    /// Of a tree whose structure is sound and whose vertices are numbered by first use.
    pub(super) fn new(tree: &BvTree, plan: &Plan, obb_axes: ObbAxes) -> Self {
        match tree.kind() {
            VolumeKind::Aabb => Self::Aabb(State::new(tree, plan, obb_axes)),
            VolumeKind::Obb => Self::Obb(State::new(tree, plan, obb_axes)),
            VolumeKind::Sphere => Self::Sphere(State::new(tree, plan, obb_axes)),
        }
    }

    /// Fits volumes to the vertices that stand in the arrays, and notes what visits to the nodes cost.
    pub(super) fn refit(&mut self, task: &Task<'_>, arrays: &mut Owned, costs: &mut [f64]) {
        match self {
            Self::Aabb(state) => state.refit(task, arrays, costs),
            Self::Obb(state) => state.refit(task, arrays, costs),
            Self::Sphere(state) => state.refit(task, arrays, costs),
        }
    }
}

impl<K: Refit8> State<K> {
    fn new(tree: &BvTree, plan: &Plan, obb_axes: ObbAxes) -> Self {
        let below = vec![K::Below::default(); plan.nodes.len()];
        let Some(at_rest) = K::AT_REST else {
            let local_vertices = LocalVertices::with_room_for(tree.view().vertices.len());
            return Self { parts: Parts::none(), local_vertices, below };
        };
        let view = tree.view();
        let positions = Positions::new(view.vertices);
        let parts = Parts::new(&view, K::KIND, plan, |words, vertices| {
            at_rest(words, &tree.meta().frame, obb_axes, vertices, &positions)
        });
        Self { parts, local_vertices: LocalVertices::default(), below }
    }

    fn refit(&mut self, task: &Task<'_>, arrays: &mut Owned, costs: &mut [f64]) {
        let &Task { level, plan, frame, dirty, moved } = task;
        if K::AT_REST.is_none() {
            match moved {
                Some(moved) if dirty.is_some() => {
                    for &vertex in moved {
                        self.local_vertices.set(vertex as usize, &frame, &arrays.vertices[vertex as usize]);
                    }
                }
                _ => self.local_vertices.fill(level, &frame, &arrays.vertices),
            }
        }
        let pass: Pass<'_, K> = Pass {
            level,
            plan,
            frame,
            corners: &arrays.corners,
            positions: Positions::new(&arrays.vertices),
            local_vertices: &self.local_vertices,
            parts: &self.parts,
            dirty,
        };
        let words = arrays.nodes.len() - PADDING;
        let written = Written { words: &mut arrays.nodes[..words], below: &mut self.below, costs };
        pass.subtrees(0..plan.nodes.len(), written, 0);
    }
}
