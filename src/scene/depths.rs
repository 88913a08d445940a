//! How deep bodies overlap, for all pairs.

use std::ops::ControlFlow;

use super::narrow_phase::{BodyPair, NarrowPhase, are_apart};
use super::shape_pairs::PosedPair;
use super::{BodyId, Scene};
use crate::query::{DepthOptions, OverlapDepth, Solid};

/// Two bodies that overlap, and how deep.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OverlappingPair {
    /// The bodies, the smaller id first.
    pub bodies: [BodyId; 2],
    /// The overlap depth; its points are in the world.
    pub depth: OverlapDepth,
}

impl Scene {
    /// The overlap depths of all pairs of bodies that overlap, in the order of their ids; see
    /// [`Query::overlap_depth`](crate::Query::overlap_depth).
    ///
    /// All bodies count as solids, whatever [`Body::is_solid`](super::Body::is_solid) says. `open` is the choice for
    /// bodies whose mesh is open: [`Solid::Robust`] gives them an inside; otherwise their pairs are left out. Pairs
    /// with a convex shape are left out, too.
    #[doc(alias = "protrusion")]
    pub fn overlap_depths(&mut self, open: Solid, options: &DepthOptions) -> Vec<OverlappingPair> {
        let mut pairs = Vec::new();
        self.for_each_overlap_depth(open, options, |pair| {
            pairs.push(*pair);
            ControlFlow::Continue(())
        });
        pairs
    }

    /// Calls `visit` for each pair of bodies that overlap, in the order of their ids, until it breaks; see
    /// [`Scene::overlap_depths`]. Memory does not grow with the number of pairs.
    pub fn for_each_overlap_depth(
        &mut self,
        open: Solid,
        options: &DepthOptions,
        mut visit: impl FnMut(&OverlappingPair) -> ControlFlow<()>,
    ) {
        self.for_each_result(
            0.0,
            |narrow, bodies, _| narrow.overlap_depth(bodies, open, options),
            |bodies, depth| visit(&OverlappingPair { bodies, depth }),
        );
    }
}

impl NarrowPhase {
    fn overlap_depth(&mut self, bodies: BodyPair<'_>, open: Solid, options: &DepthOptions) -> Option<OverlapDepth> {
        self.stats.candidates += 1;
        if bodies.has_gap(0.0) || are_apart(bodies.slots, 0.0) {
            self.stats.apart_by_bounds += 1;
            return None;
        }
        let PosedPair::Trees([a, b], b_to_a) = bodies.posed() else { return None };
        self.query.set_solids(open, open);
        let found = self.query.overlap_depth(a, b, &b_to_a, options);
        self.query.set_solids(Solid::No, Solid::No);
        self.count_query();
        let mut depth = found.ok().filter(|depth| depth.upper > 0.0)?;
        if let Some(deepest) = &mut depth.deepest {
            let to_world = bodies.frame();
            deepest.point = to_world.transform_point(&deepest.point);
            deepest.way_out = to_world.transform_point(&deepest.way_out);
        }
        Some(depth)
    }
}
