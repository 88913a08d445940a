//! What queries cost by the surface area heuristic.

use super::node_cost::node_cost;
use super::pass::Refit8;
use super::plan::Plan;
use crate::packed::{Aabb8, NodeRef, Obb8, Sphere8, WIDTH};
use crate::tree::View;
use crate::volume::VolumeKind;

/// The costs of a tree's nodes as it is.
pub(super) fn costs_of(view: &View<'_>, kind: VolumeKind, plan: &Plan, costs: &mut [f64]) {
    match kind {
        VolumeKind::Aabb => costs_of_kind::<Aabb8>(view, plan, costs),
        VolumeKind::Obb => costs_of_kind::<Obb8>(view, plan, costs),
        VolumeKind::Sphere => costs_of_kind::<Sphere8>(view, plan, costs),
    }
}

fn costs_of_kind<K: Refit8>(view: &View<'_>, plan: &Plan, costs: &mut [f64]) {
    for (node, cost) in plan.nodes.iter().zip(costs) {
        let children = node.children as usize;
        let words = &view.nodes[node.first as usize * K::FIELDS..][..children * K::FIELDS];
        let mut tests = [0; WIDTH];
        for (lane, tests) in tests.iter_mut().enumerate().take(children) {
            let below = NodeRef::from_word(words[(K::FIELDS - 1) * children + lane]);
            *tests = match below.is_leaf() {
                true => view.leaf(below.first_triangle()).len() as u32,
                false => below.children() as u32,
            };
        }
        *cost = node_cost(&K::areas(words, children), &tests);
    }
}

/// All nodes' costs over the root's area. NaN where that is 0.
pub(super) fn cost_by_root(nodes: &[u32], kind: VolumeKind, costs: &[f64]) -> f64 {
    let root = match kind {
        VolumeKind::Aabb => Aabb8::areas(nodes, 1)[0],
        VolumeKind::Obb => Obb8::areas(nodes, 1)[0],
        VolumeKind::Sphere => Sphere8::areas(nodes, 1)[0],
    };
    // Several sums at once: each alone would wait for its own additions.
    let (eights, rest) = costs.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for eight in eights {
        for lane in 0..8 {
            sums[lane] += eight[lane];
        }
    }
    (sums.iter().sum::<f64>() + rest.iter().sum::<f64>()) / f64::from(root)
}
