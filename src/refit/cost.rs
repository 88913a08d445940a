//! What queries cost by the surface area heuristic.

use super::node_cost::node_cost;
use super::pass::Refit8;
use super::plan::Plan;
use crate::simd::{Simd, SimdLevel, Task, dispatch};
use crate::tree::View;
use crate::volume::VolumeKind;
use crate::volume::{PackedAabb, PackedObb, PackedSphere, WIDTH, fields};

/// The costs of a tree's nodes as it is.
pub(super) fn costs_of(level: SimdLevel, view: &View<'_>, kind: VolumeKind, plan: &Plan, costs: &mut [f64]) {
    let areas = match kind {
        VolumeKind::Aabb => PackedAabb::areas,
        VolumeKind::Obb => PackedObb::areas,
        VolumeKind::Sphere => PackedSphere::areas,
    };
    dispatch(level, CostsOf { view, fields: fields(kind), areas, plan, costs });
}

struct CostsOf<'a> {
    view: &'a View<'a>,
    fields: usize,
    areas: fn(&[u32], usize) -> [f32; WIDTH],
    plan: &'a Plan,
    costs: &'a mut [f64],
}

impl Task for CostsOf<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        for (node, cost) in self.plan.nodes.iter().zip(self.costs) {
            let children = node.children as usize;
            let words = &self.view.nodes[node.first as usize * self.fields..][..children * self.fields];
            *cost = node_cost(s, &(self.areas)(words, children), &self.plan.tests(s, node));
        }
    }
}

/// All nodes' costs over the root's area. NaN where that is 0.
pub(super) fn cost_by_root(nodes: &[u32], kind: VolumeKind, costs: &[f64]) -> f64 {
    let root = match kind {
        VolumeKind::Aabb => PackedAabb::areas(nodes, 1)[0],
        VolumeKind::Obb => PackedObb::areas(nodes, 1)[0],
        VolumeKind::Sphere => PackedSphere::areas(nodes, 1)[0],
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
