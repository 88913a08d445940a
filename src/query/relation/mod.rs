//! The relation of two meshes as solids: separate, touching, crossing, or one inside the other.

mod cells;
mod classification;
mod edge_crossing;

use std::ops::ControlFlow;

use nalgebra::Point3;

use crate::enum_names::names;
use crate::numeric::error_bounds::BOUNDS_ROUNDING;
use crate::pose::Pose;
use crate::query::{Query, Solid};
use crate::shape::Aabb;
use crate::traversal::{PosedTrees, TraversalPolicy};
use crate::tree::BvTree;
use classification::Classification;
use edge_crossing::cross_at_edges;

/// The relation of two meshes as solids.
///
/// The inside of a closed mesh is that of [`Probe::contains`](crate::probe::Probe::contains);
/// [`Watertightness`](crate::probe::Watertightness) has the rules, also for shells within shells. Nothing is inside an
/// open mesh. Below, a part of a surface is any piece of it, however small, that does not lie on the other surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Relation {
    /// The meshes have no point in common, and no component of one is inside the other. A component is a set of
    /// triangles connected by vertices.
    Separate,
    /// The surfaces touch but don't cross, and neither has a part inside the other. Identical meshes touch, unless they
    /// intersect themselves.
    Touching,
    /// The surfaces cross: the interiors of two triangles share a segment, or the triangles at an edge of one mesh lie
    /// on both sides of a face of the other in which the edge lies, or of the two faces at an edge of the other along
    /// which it lies. Also: one mesh is partly, but not wholly, inside the other, or each has a part inside the other.
    Crossing,
    /// A's surface is wholly inside B; it may touch B's surface.
    AInB,
    /// B's surface is wholly inside A; it may touch A's surface.
    BInA,
    /// The surfaces have no point in common, and a component of one has vertices within the bounds of the other, which
    /// is open: inside and outside are not defined.
    Undefined,
}

names!(
    Relation,
    Separate = "separate",
    Touching = "touching",
    Crossing = "crossing",
    AInB = "a_in_b",
    BInA = "b_in_a",
    Undefined = "undefined",
);

impl Query {
    /// The relation of the meshes as solids; [`Relation::Separate`] if one is empty.
    ///
    /// The result is exact for the posed vertices that [`Pose::transform`] returns: faces that are flush in theory may
    /// cross or separate once a rotation has been rounded. Where parts are too thin for f64, rational numbers decide.
    /// Two rules complete the definition: two open meshes that share only isolated points or coplanar regions touch and
    /// don't cross; a triangle without area counts by its neighbours.
    ///
    /// The search ends at the first two triangles that cross. Otherwise it finds all intersecting pairs and, if the
    /// meshes' bounds overlap, takes some microseconds for each touching triangle, and O(n log n) for the components of
    /// a tree the first time; then it allocates.
    #[doc(alias = "point in mesh")]
    #[doc(alias = "containment")]
    pub fn relation(&mut self, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> Relation {
        let trees = PosedTrees::new([a, b], b_to_a);
        let mut touching: Vec<[usize; 2]> = Vec::new();
        let mut crossing = false;
        self.stats = self.for_each_leaf_pair(&trees, TraversalPolicy::ALL, &mut |leaf_a, leaf_b| {
            let [triangle_a, triangle_b] = trees.pair(leaf_a, leaf_b);
            crossing = triangle_a.crosses(&triangle_b);
            touching.push([leaf_a, leaf_b]);
            if crossing { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if crossing {
            return Relation::Crossing;
        }
        if touching.is_empty() && bounds_are_apart(a, b, b_to_a) {
            return Relation::Separate;
        }
        if cross_at_edges(&trees, &touching, &mut self.traversal.interrupt) {
            return Relation::Crossing;
        }
        let mut classify = |side| Classification::of([a, b], &trees, side, &touching, &mut self.traversal);
        let is_closed = [a, b].map(|tree| tree.watertightness().is_closed());
        match is_closed {
            _ if touching.is_empty() => apart(classify(0), classify(1)),
            [true, true] => in_contact(classify(0), classify(1)),
            // Nothing is inside an open mesh.
            [false, true] => in_contact(classify(0), Classification::default()),
            [true, false] => in_contact(Classification::default(), classify(1)),
            [false, false] => Relation::Touching,
        }
    }

    /// The mesh that has a component inside the other, solid one (0 for A, 1 for B), for two meshes whose surfaces have
    /// no point in common.
    #[inline]
    pub(crate) fn inner(&mut self, trees: [&BvTree; 2], b_to_a: &Pose, solids: [Solid; 2]) -> Option<usize> {
        if solids == [Solid::No; 2] { None } else { self.inner_of_solids(trees, b_to_a, solids) }
    }

    #[cold]
    fn inner_of_solids(&mut self, [a, b]: [&BvTree; 2], b_to_a: &Pose, solids: [Solid; 2]) -> Option<usize> {
        if bounds_are_apart(a, b, b_to_a) {
            return None;
        }
        let trees = PosedTrees::new([a, b], b_to_a);
        let is_solid = |side: usize| solids[side] != Solid::No && [a, b][side].watertightness().is_closed();
        let mut is_inner = |side: usize| {
            is_solid(1 - side) && Classification::of([a, b], &trees, side, &[], &mut self.traversal).inside
        };
        [0, 1].into_iter().find(|&side| is_inner(side))
    }
}

/// The relation of meshes whose surfaces have no point in common.
fn apart(in_b: Classification, in_a: Classification) -> Relation {
    match (in_b.inside, in_a.inside) {
        _ if in_b.unknown || in_a.unknown => Relation::Undefined,
        (false, false) => Relation::Separate,
        _ => in_contact(in_b, in_a),
    }
}

/// The relation of meshes that touch or have parts inside each other.
fn in_contact(in_b: Classification, in_a: Classification) -> Relation {
    match (in_b.inside, in_a.inside) {
        (false, false) => Relation::Touching,
        (true, false) if !in_b.outside => Relation::AInB,
        (false, true) if !in_a.outside => Relation::BInA,
        _ => Relation::Crossing,
    }
}

/// Whether the meshes' bounding boxes are disjoint, so that nothing can be inside. Saves computing components.
fn bounds_are_apart(a: &BvTree, b: &BvTree, b_to_a: &Pose) -> bool {
    let mut posed = Aabb::empty();
    for corner in b.bounds().corners() {
        posed.grow(&Point3::from(b_to_a.rotation() * corner.coords + b_to_a.translation()));
    }
    let rounding = BOUNDS_ROUNDING * (posed.lower.coords.amax() + posed.upper.coords.amax());
    let a = a.bounds();
    (0..3).any(|x| posed.lower[x] - rounding > a.upper[x] || posed.upper[x] + rounding < a.lower[x])
}
