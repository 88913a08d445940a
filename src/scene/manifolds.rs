//! Contact manifolds of all pairs of bodies, for a solver.

use std::ops::ControlFlow;

use nalgebra::Point3;

use super::narrow_phase::{BodyPair, NarrowPhase, are_apart};
use super::shape_pairs::PosedPair;
use super::{BodyId, Scene, SceneStats};
use crate::query::{ChoosePoints, ContactManifold, spread};

/// A contact manifold of two bodies.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyManifold {
    /// The bodies, A and B, the smaller id first.
    pub bodies: [BodyId; 2],
    /// The manifold; its normal, from A to B, and its points are in the world. A point's id is unique among the points
    /// of the same two parts.
    pub manifold: ContactManifold,
    /// The indices of the parts that touch; 0 for a body that is not a compound.
    pub parts: [u32; 2],
}

impl Scene {
    /// The contact manifolds of all pairs of bodies, in the order of their ids, each pair's deepest manifold first; see
    /// [`Query::contact_manifolds`](crate::Query::contact_manifolds). `margin` is in the world's unit; a negative or
    /// NaN margin gives no manifolds. Meshes make contact only with their surfaces, even if their bodies are solid; two
    /// convex shapes always make contact as solids. Manifolds of a convex shape are as in
    /// [`Probe::convex_contact_manifolds`](crate::Probe::convex_contact_manifolds).
    ///
    /// Static bodies with open meshes, such as the tiles of a level, may continue each other: where the boundary of one
    /// lies on another, a body that the scene compares with both gets the contacts of a single surface and does not
    /// catch on the seam.
    #[doc(alias = "contact manifold")]
    pub fn contact_manifolds(&mut self, margin: f64) -> Vec<BodyManifold> {
        let mut manifolds = Vec::new();
        self.for_each_contact_manifold(margin, |manifold| {
            manifolds.push(manifold.clone());
            ControlFlow::Continue(())
        });
        manifolds
    }

    /// Calls `visit` with each contact manifold of each pair of bodies, in the order of the bodies' ids, until it
    /// breaks; see [`Scene::contact_manifolds`]. Memory does not grow with the number of pairs.
    pub fn for_each_contact_manifold(&mut self, margin: f64, visit: impl FnMut(&BodyManifold) -> ControlFlow<()>) {
        self.for_each_manifold_of(margin, spread, visit);
    }

    /// [`Scene::for_each_contact_manifold`], with the points that `choose` keeps.
    pub(super) fn for_each_manifold_of(
        &mut self,
        margin: f64,
        choose: ChoosePoints,
        mut visit: impl FnMut(&BodyManifold) -> ControlFlow<()>,
    ) {
        if margin.is_nan() || margin < 0.0 {
            self.stats = SceneStats::default();
            return;
        }
        self.for_each_result(
            margin,
            |narrow, bodies, _| {
                Some(narrow.contact_manifolds(bodies, margin, choose)).filter(|found| !found.is_empty())
            },
            |bodies, found| {
                found.into_iter().try_for_each(|(parts, manifold)| visit(&BodyManifold { bodies, manifold, parts }))
            },
        );
    }
}

impl NarrowPhase {
    /// The contact manifolds of two bodies, in the world, each with the indices of its two parts.
    fn contact_manifolds(
        &mut self,
        bodies: BodyPair<'_>,
        margin: f64,
        choose: ChoosePoints,
    ) -> Vec<([u32; 2], ContactManifold)> {
        self.stats.candidates += 1;
        if bodies.has_gap(margin) || are_apart(bodies.slots, margin) {
            self.stats.apart_by_bounds += 1;
            return Vec::new();
        }
        let may_continue = bodies.slots.map(|slot| slot.body.is_static);
        let mut manifolds = Vec::new();
        bodies.parts().for_each_pair(margin, |pair, limit| {
            let posed = pair.posed();
            let Self { query, probe, seams, .. } = self;
            let neighbors = &mut |side: usize, point: &Point3<f64>| bodies.seam_triangles(pair, seams, side, point);
            let mut found = match &posed {
                PosedPair::Trees([a, b], b_to_a) => {
                    query.contact_manifolds_among([a, b], b_to_a, margin, may_continue, neighbors, choose)
                }
                PosedPair::Shapes(pair) => pair.contact_manifolds(probe, margin, may_continue, neighbors, choose),
            };
            match &posed {
                PosedPair::Trees(..) => self.count_query(),
                PosedPair::Shapes(pair) => self.count_shapes(pair),
            }
            let to_world = pair.frame();
            for manifold in &mut found {
                manifold.normal = to_world.rotation() * manifold.normal;
                for point in &mut manifold.points {
                    point.on_a = to_world.transform_point(&point.on_a);
                    point.on_b = to_world.transform_point(&point.on_b);
                }
            }
            manifolds.extend(found.into_iter().map(|manifold| (pair.parts, manifold)));
            limit
        });
        // The manifolds of the same two parts are in this order already.
        if bodies.parts().has_compound() {
            let depth = |manifold: &ContactManifold| manifold.points.first().map_or(f64::NEG_INFINITY, |p| p.depth);
            manifolds.sort_by(|(p, a), (q, b)| depth(b).total_cmp(&depth(a)).then(p.cmp(q)));
        }
        manifolds
    }
}
