//! How far overlapping bodies reach into each other, and how far they have to move to be free, for all pairs.

use std::ops::ControlFlow;

use nalgebra::Vector3;

use super::compound::BodyParts;
use super::narrow_phase::{BodyPair, NarrowPhase, are_apart};
use super::shape_pairs::PosedPair;
use super::{BodyId, Scene};
use crate::pose::Pose;
use crate::query::{DepthOptions, OverlapDepth, PenetrationDepth, Solid};

/// Two bodies that overlap, and the depth of their overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OverlappingPair {
    /// The bodies, the smaller id first.
    pub bodies: [BodyId; 2],
    /// The overlap depth; its points are in the world.
    pub depth: OverlapDepth,
    /// The indices of the parts that reach deepest into each other; 0 for a body that is not a compound.
    pub parts: [u32; 2],
}

/// The largest number of translations that move parts of compounds out of each other.
const MAX_PUSHES: usize = 32;

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
    /// All bodies count as solids, whatever [`Body::is_solid`](super::Body::is_solid) says. `open` decides about bodies
    /// whose mesh is open: [`Solid::Robust`] gives them an inside; with any other value, their pairs are left out. A
    /// convex shape counts as a mesh inscribed in it, and the bounds allow for how far the shape extends beyond that
    /// mesh: about 1% of a sphere's radius, or rounding to f32 for a shape with only flat faces. Overlaps that do not
    /// reach the inscribed mesh are left out. The depth of two compounds is the greatest depth of any two of their
    /// parts; each part counts as a body by itself.
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
            |bodies, (parts, depth)| visit(&OverlappingPair { bodies, depth, parts }),
        );
    }

    /// The penetration depths of all pairs of bodies whose interiors overlap, in the order of their ids; see
    /// [`Query::penetration_depth`](crate::Query::penetration_depth). The limits of `options` apply to each pair by
    /// itself.
    ///
    /// Each translation separates its own pair, even if it moves the body into others. All bodies count as solids,
    /// whatever [`Body::is_solid`](super::Body::is_solid) says. Pairs with an open mesh are left out. The depth of two
    /// convex shapes is that of [`ConvexShape::contact`](crate::shape::ConvexShape::contact). Against a mesh, the lower
    /// bound is that of a mesh inscribed in the shape, up to rounding to f32, and the upper bound that of the shape.
    /// Pairs of a mesh and a shape without a volume are left out.
    ///
    /// For compounds, the lower bound is the greatest lower bound of any two parts, since a translation that separates
    /// the bodies separates all parts. The translation leaves all parts free up to rounding: after the translation of
    /// the deepest parts, parts that still overlap are moved apart in turn, or the bodies' boxes are moved apart if
    /// that is shorter. Parts that would be left out as bodies, such as open meshes, are ignored.
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
    /// Whether the bodies' boxes and bounding spheres leave a contact possible. Counts the pair as a candidate.
    fn are_near(&mut self, bodies: &BodyPair<'_>) -> bool {
        self.stats.candidates += 1;
        let are_apart = bodies.has_gap(0.0) || are_apart(bodies.slots, 0.0);
        self.stats.apart_by_bounds += u64::from(are_apart);
        !are_apart
    }

    fn penetration_depth(&mut self, bodies: BodyPair<'_>, options: &DepthOptions) -> Option<PenetrationDepth> {
        if !self.are_near(&bodies) {
            return None;
        }
        let parts = bodies.parts();
        let mut depth = self.deepest_penetration(&parts, options)?;
        if !parts.has_compound() {
            return Some(depth);
        }
        if parts.geometries.iter().any(|geometry| geometry.part_count() > 1) {
            depth.translation = self.freed(&bodies, depth.translation, options);
            depth.upper = depth.translation.norm().max(depth.lower);
        }
        Some(depth)
    }

    /// The greatest penetration depth of two parts, with its translation in the world. Both bounds are the greatest of
    /// any two parts.
    fn deepest_penetration(&mut self, bodies: &BodyParts<'_>, options: &DepthOptions) -> Option<PenetrationDepth> {
        let mut deepest: Option<([u32; 2], PenetrationDepth)> = None;
        let mut lower = 0.0_f64;
        bodies.for_each_pair(0.0, |pair, limit| {
            let found = match pair.posed() {
                PosedPair::Trees([a, b], b_to_a) => self.query.penetration_depth(a, b, &b_to_a, options).ok(),
                PosedPair::Shapes(pair) => pair.penetration_depth(&mut self.query, &mut self.probe, options),
            };
            self.count_query();
            let Some(mut depth) = found.filter(|depth| depth.upper > 0.0) else { return limit };
            lower = lower.max(depth.lower);
            let key = |parts: [u32; 2], depth: &PenetrationDepth| (-depth.upper, parts);
            if deepest.as_ref().is_none_or(|(parts, best)| key(pair.parts, &depth) < key(*parts, best)) {
                depth.translation = pair.frame().rotation() * depth.translation;
                deepest = Some((pair.parts, depth));
            }
            limit
        });
        deepest.map(|(_, depth)| PenetrationDepth { lower, ..depth })
    }

    /// A translation of B in the world after which no parts penetrate each other: `first`, followed by the translations
    /// of parts that still do, or one that separates the bodies' boxes if that is shorter.
    fn freed(&mut self, bodies: &BodyPair<'_>, first: Vector3<f64>, options: &DepthOptions) -> Vector3<f64> {
        let [a, b] = bodies.slots;
        let rounding = a.rounding + b.rounding;
        let mut shortest = (0..3)
            .flat_map(|k| [(k, a.bounds.upper[k] - b.bounds.lower[k]), (k, a.bounds.lower[k] - b.bounds.upper[k])])
            .min_by(|(_, p), (_, q)| p.abs().total_cmp(&q.abs()))
            .map(|(k, length)| Vector3::ith(k, length))
            .unwrap_or_default();
        let mut translation = first;
        for _ in 0..MAX_PUSHES {
            if translation.norm() >= shortest.norm() {
                break;
            }
            let pose = &b.body.pose;
            let Ok(moved) = Pose::new(*pose.rotation(), pose.translation() + translation) else { break };
            let parts = BodyParts { poses: [&a.body.pose, &moved], ..bodies.parts() };
            match self.deepest_penetration(&parts, options).filter(|depth| depth.upper > rounding) {
                Some(depth) => translation += depth.translation,
                None => {
                    shortest = translation;
                    break;
                }
            }
        }
        shortest
    }

    fn overlap_depth(
        &mut self,
        bodies: BodyPair<'_>,
        open: Solid,
        options: &DepthOptions,
    ) -> Option<([u32; 2], OverlapDepth)> {
        if !self.are_near(&bodies) {
            return None;
        }
        let mut deepest: Option<([u32; 2], OverlapDepth)> = None;
        let mut upper = 0.0_f64;
        self.query.set_solids(open, open);
        bodies.parts().for_each_pair(0.0, |pair, limit| {
            let found = match &pair.posed() {
                PosedPair::Trees([a, b], b_to_a) => self.query.overlap_depth(a, b, b_to_a, options).ok(),
                PosedPair::Shapes(pair) => pair.overlap_depth(&mut self.query, options),
            };
            self.count_query();
            let Some(mut depth) = found.filter(|depth| depth.upper > 0.0) else { return limit };
            upper = upper.max(depth.upper);
            let key = |parts: [u32; 2], depth: &OverlapDepth| (-depth.lower, -depth.upper, parts);
            if deepest.as_ref().is_none_or(|(parts, best)| key(pair.parts, &depth) < key(*parts, best)) {
                if let Some(deepest) = &mut depth.deepest {
                    deepest.point = pair.frame().transform_point(&deepest.point);
                    deepest.way_out = pair.frame().transform_point(&deepest.way_out);
                }
                deepest = Some((pair.parts, depth));
            }
            limit
        });
        self.query.set_solids(Solid::No, Solid::No);
        deepest.map(|(parts, depth)| (parts, OverlapDepth { upper, ..depth }))
    }
}
