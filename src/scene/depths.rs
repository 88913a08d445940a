//! How deep bodies overlap, and how far they have to move to be free, for all pairs.

use std::ops::ControlFlow;

use super::narrow_phase::{BodyPair, NarrowPhase, are_apart};
use super::shape_pairs::PosedPair;
use super::{BodyId, Scene};
use crate::query::{DepthOptions, OverlapDepth, PenetrationDepth, Solid};

/// Two bodies that overlap, and how deep.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OverlappingPair {
    /// The bodies, the smaller id first.
    pub bodies: [BodyId; 2],
    /// The overlap depth; its points are in the world.
    pub depth: OverlapDepth,
}

/// Two bodies whose interiors overlap, and how far one has to move to be free of the other.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PenetratingPair {
    /// The bodies, A and B; A has the smaller id.
    pub bodies: [BodyId; 2],
    /// The penetration depth; its translation of B is in the world.
    pub depth: PenetrationDepth,
}

impl Scene {
    /// The overlap depths of all pairs of bodies that overlap, in the order of their ids; see
    /// [`Query::overlap_depth`](crate::Query::overlap_depth).
    ///
    /// All bodies count as solids, whatever [`Body::is_solid`](super::Body::is_solid) says. `open` is the choice for
    /// bodies whose mesh is open: [`Solid::Robust`] gives them an inside; otherwise their pairs are left out. A
    /// convex shape counts as a mesh inscribed in it, and the bounds include how far it reaches beyond: about 1% of the
    /// radius of a sphere, and roundings to f32 for a shape of flat faces. Overlaps that do not reach the inscribed mesh
    /// are left out.
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

    /// The penetration depths of all pairs of bodies whose interiors overlap, in the order of their ids; see
    /// [`Query::penetration_depth`](crate::Query::penetration_depth). The limits of `options` hold for each pair.
    ///
    /// Each translation separates its own pair, whatever it moves the body into. All bodies count as solids, whatever
    /// [`Body::is_solid`](super::Body::is_solid) says. Pairs with an open mesh are left out. The depth of
    /// two convex shapes is that of [`ConvexShape::contact`](crate::shape::ConvexShape::contact). Against a mesh, the
    /// lower bound is that of a mesh inscribed in the shape, to roundings to f32, and the upper bound that of the shape.
    /// Shapes without a volume are left out there.
    #[doc(alias = "minimum translation vector")]
    #[doc(alias = "MTV")]
    pub fn penetration_depths(&mut self, options: &DepthOptions) -> Vec<PenetratingPair> {
        let mut pairs = Vec::new();
        self.for_each_penetration_depth(options, |pair| {
            pairs.push(*pair);
            ControlFlow::Continue(())
        });
        pairs
    }

    /// Calls `visit` for each pair of bodies whose interiors overlap, in the order of their ids, until it breaks; see
    /// [`Scene::penetration_depths`]. Memory does not grow with the number of pairs.
    pub fn for_each_penetration_depth(
        &mut self,
        options: &DepthOptions,
        mut visit: impl FnMut(&PenetratingPair) -> ControlFlow<()>,
    ) {
        self.for_each_result(
            0.0,
            |narrow, bodies, _| narrow.penetration_depth(bodies, options),
            |bodies, depth| visit(&PenetratingPair { bodies, depth }),
        );
    }
}

impl NarrowPhase {
    /// The two bodies in one frame; `None` if their boxes or spheres are apart.
    fn near<'b>(&mut self, bodies: &'b BodyPair<'_>) -> Option<PosedPair<'b>> {
        self.stats.candidates += 1;
        if bodies.has_gap(0.0) || are_apart(bodies.slots, 0.0) {
            self.stats.apart_by_bounds += 1;
            return None;
        }
        Some(bodies.posed())
    }

    fn penetration_depth(&mut self, bodies: BodyPair<'_>, options: &DepthOptions) -> Option<PenetrationDepth> {
        let found = match self.near(&bodies)? {
            PosedPair::Trees([a, b], b_to_a) => self.query.penetration_depth(a, b, &b_to_a, options).ok(),
            PosedPair::Shapes(pair) => pair.penetration_depth(&mut self.query, &mut self.probe, options),
        };
        self.count_query();
        let mut depth = found.filter(|depth| depth.upper > 0.0)?;
        depth.translation = bodies.frame().rotation() * depth.translation;
        Some(depth)
    }

    fn overlap_depth(&mut self, bodies: BodyPair<'_>, open: Solid, options: &DepthOptions) -> Option<OverlapDepth> {
        let posed = self.near(&bodies)?;
        self.query.set_solids(open, open);
        let found = match &posed {
            PosedPair::Trees([a, b], b_to_a) => self.query.overlap_depth(a, b, b_to_a, options).ok(),
            PosedPair::Shapes(pair) => pair.overlap_depth(&mut self.query, options),
        };
        self.query.set_solids(Solid::No, Solid::No);
        self.count_query();
        let mut depth = found.filter(|depth| depth.upper > 0.0)?;
        if let Some(deepest) = &mut depth.deepest {
            let to_world = bodies.frame();
            deepest.point = to_world.transform_point(&deepest.point);
            deepest.way_out = to_world.transform_point(&deepest.way_out);
        }
        Some(depth)
    }
}
