//! Which pair of triangles is told where meshes touch at the start.

use std::ops::ControlFlow;

use super::motion_bounds::floor;
use super::touching::{Touching, near};
use crate::query::descent::DescentPolicy;
use crate::query::posed_trees::PosedTrees;
use crate::query::state::{Query, QueryStats};
use crate::tree::BvTree;
use crate::triangle::ClosestPoints;

impl Query {
    /// The pair to tell if the meshes touch as they are posed: the first found that touches inside of a face or crosses
    /// another. There may be very many of these, and where two faces rest on each other all have the same normal. If
    /// there are none, the first by rank.
    pub(super) fn touching_at_start(
        &mut self,
        [a, b]: [&BvTree; 2],
        trees: &PosedTrees<'_>,
    ) -> (Option<Touching>, QueryStats) {
        let touching = |[a, b]: [usize; 2], closest: Option<&ClosestPoints>, near: f64| {
            let triangles = trees.pair(a, b);
            let closest = closest.copied().unwrap_or_else(|| triangles[0].closest_points(&triangles[1]));
            Touching::new([a, b], trees.faces(a, b), triangles, closest, near)
        };
        let mut first = None;
        let mut work = self.for_each_leaf_pair(trees, DescentPolicy::FIRST, &mut |leaf_a, leaf_b| {
            first = Some(touching([leaf_a, leaf_b], None, near(floor([a, b]))));
            ControlFlow::Break(())
        });
        if let Some(first) = first.as_mut().filter(|first| !first.is_inside_or_crosses()) {
            // A face that rests on another one may be just off it, by rounding, where their edges meet.
            let near = first.near;
            work += self.for_each_leaf_pair_within(trees, near, &mut |leaves, closest| {
                let other = touching(leaves, Some(closest), near);
                let is_last = other.is_inside_or_crosses();
                if is_last || closest.distance_sq == 0.0 && other.rank() < first.rank() {
                    *first = other;
                }
                if is_last { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
        }
        (first, work)
    }
}
