//! The parts of the mesh below volumes of several triangles: their vertices, and their volumes before the mesh deformed.

use std::ops::Range;

use super::plan::{Plan, unmarked};
use crate::tree::View;
use crate::volume::{self, Landmarks, MAX_FIELDS, NodeRef, Points, Positions, VolumeKind};

/// The triangles below a volume of several triangles.
pub(super) struct Part<R> {
    /// Vertices that no triangle before it has; they are consecutive, because the tree numbers them by first use.
    row: Range<u32>,
    /// The range of its other vertices in the list of all parts'.
    others: Range<u32>,
    pub(super) landmarks: Landmarks,
    /// The volume in the landmarks' frame.
    pub(super) at_rest: R,
}

/// All parts, node by node and in the order of their volumes.
pub(super) struct Parts<R> {
    parts: Vec<Part<R>>,
    /// The first part of each node.
    first: Vec<u32>,
    others: Vec<u32>,
}

impl<R> Parts<R> {
    pub(super) fn none() -> Self {
        Self { parts: Vec::new(), first: Vec::new(), others: Vec::new() }
    }

    /// The parts of a tree whose vertices are numbered by first use. `at_rest` gets a volume's words and its vertices,
    /// which it may reorder.
    pub(super) fn new(
        view: &View<'_>,
        kind: VolumeKind,
        plan: &Plan,
        mut at_rest: impl FnMut(&[u32], &mut [u32]) -> (Landmarks, R),
    ) -> Self {
        let mut parts = Self { parts: Vec::new(), first: Vec::with_capacity(plan.nodes.len()), others: Vec::new() };
        let fresh = vertices_before(view);
        // The last part that has a vertex.
        let mut met = vec![u32::MAX; view.vertices.len()];
        let mut vertices = Vec::new();
        let fields = volume::fields(kind);
        for (number, node) in plan.nodes.iter().enumerate() {
            parts.first.push(parts.parts.len() as u32);
            let (first, children) = (node.first as usize, node.children as usize);
            let mut next = number + 1;
            for lane in 0..children {
                let below = NodeRef::from_word(view.nodes[first * fields + (fields - 1) * children + lane]);
                let triangles = if below.is_leaf() {
                    view.leaf(below.first_triangle())
                } else {
                    let Range { start, end } = plan.nodes[next].triangles;
                    next = plan.end(next);
                    start as usize..end as usize
                };
                if below.is_leaf() && triangles.len() == 1 {
                    continue;
                }
                let row = fresh[triangles.start]..fresh[triangles.end];
                let others = parts.others.len() as u32;
                let this = parts.parts.len() as u32;
                for vertex in view.corners[triangles].iter().flat_map(|&corners| unmarked(corners).0) {
                    if (vertex as u32) < row.start && met[vertex] != this {
                        met[vertex] = this;
                        parts.others.push(vertex as u32);
                    }
                }
                vertices.clear();
                vertices.extend(row.clone().chain(parts.others[others as usize..].iter().copied()));
                let mut words = [0; MAX_FIELDS];
                for (row, word) in words.iter_mut().take(fields).enumerate() {
                    *word = view.nodes[first * fields + row * children + lane];
                }
                let (landmarks, at_rest) = at_rest(&words, &mut vertices);
                let others = others..parts.others.len() as u32;
                parts.parts.push(Part { row, others, landmarks, at_rest });
            }
        }
        parts
    }

    /// The parts of a node and of those after it.
    #[inline(always)]
    pub(super) fn at_node(&self, number: usize) -> &[Part<R>] {
        &self.parts[self.first[number] as usize..]
    }

    #[inline(always)]
    pub(super) fn points<'a>(&'a self, part: &Part<R>, positions: &'a Positions<'a>) -> Points<'a> {
        let others = &self.others[part.others.start as usize..part.others.end as usize];
        Points::new(positions, part.row.start as usize..part.row.end as usize, others)
    }
}

/// The number of vertices used before each triangle, in leaf order, and the number of all.
fn vertices_before(view: &View<'_>) -> Vec<u32> {
    let mut before = Vec::with_capacity(view.corners.len() + 1);
    let mut used = 0;
    before.push(0);
    for &corners in view.corners {
        for vertex in unmarked(corners).0 {
            used = used.max(vertex as u32 + 1);
        }
        before.push(used);
    }
    before
}
