//! The relation of two meshes as solids: separate, touching, crossing, or one inside the other.

mod cells;
mod classification;
mod edge_crossing;
mod planar;

use std::ops::ControlFlow;

use nalgebra::{Point3, Vector3};

use crate::enum_names::names;
use crate::numeric::error_bounds::BOUNDS_ROUNDING;
use crate::pose::Pose;
use crate::query::{Query, Solid};
use crate::shape::Aabb;
use crate::traversal::{PosedTrees, TraversalPolicy};
use crate::tree::BvTree;
use crate::triangle::Triangle;
use cells::{TrianglePlane, side_of_plane};
use classification::Classification;
use edge_crossing::cross_at_edges;

/// The relation of two meshes as solids.
///
/// The inside of a closed mesh is that of [`Probe::contains`](crate::probe::Probe::contains);
/// [`Watertightness`](crate::probe::Watertightness) has the rules, also for shells within shells. Nothing is inside an
/// open mesh, unless [`Query::set_solids`] makes it [`Solid::Robust`]. Below, a part of a surface is any piece of it,
/// however small, that does not lie on the other surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Relation {
    /// The meshes have no point in common, and no component of one is inside the other. A component is a set of
    /// triangles connected by vertices.
    Separate,
    /// The surfaces touch but don't cross, and neither has a part inside the other. Identical meshes touch, unless they
    /// intersect themselves.
    Touching,
    /// The surfaces cross: the interiors of two triangles cross along a segment; or an edge of one mesh lies in a face
    /// of the other, and its triangles are on both sides of the face; or an edge lies along an edge of the other, and
    /// its triangles are on both sides of the two faces there. Also: one mesh is partly, but not wholly, inside the
    /// other, or each has a part inside the other.
    Crossing,
    /// A's surface is wholly inside B; it may touch B's surface.
    AInB,
    /// B's surface is wholly inside A; it may touch A's surface.
    BInA,
    /// The surfaces have no point in common, no plane between them was found, and a component of one has vertices
    /// within the bounds of the other, which is open: inside and outside are not defined. [`Solid::Robust`] defines
    /// them.
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
    /// don't cross; a triangle without area has no parts of its own, so its neighbours decide.
    ///
    /// The search ends at the first two triangles that cross. Otherwise it finds all intersecting pairs and, if the
    /// meshes' bounds overlap, takes some microseconds for each touching triangle, and O(n log n) for the components of
    /// a tree the first time; in this case it allocates.
    #[doc(alias = "point in mesh")]
    #[doc(alias = "containment")]
    pub fn relation(&mut self, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> Relation {
        let trees = PosedTrees::new([a, b], b_to_a);
        let mut touching: Vec<[usize; 2]> = Vec::new();
        let mut crossing = false;
        self.uncertainty = 0.0;
        self.stats = self.for_each_leaf_pair(&trees, TraversalPolicy::ALL, &mut |leaf_a, leaf_b| {
            let [triangle_a, triangle_b] = trees.pair(leaf_a, leaf_b);
            crossing = triangle_a.crosses(&triangle_b);
            touching.push([leaf_a, leaf_b]);
            if crossing { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        if crossing {
            return Relation::Crossing;
        }
        let is_robust = self.solids.map(|solid| solid == Solid::Robust);
        let is_closed = [a, b].map(|tree| tree.watertightness().is_closed());
        let has_inside = [0, 1].map(|side| is_robust[side] || is_closed[side]);
        if touching.is_empty()
            && (bounds_are_apart(a, b, b_to_a) || has_inside != [true; 2] && is_plane_between(&trees))
        {
            return Relation::Separate;
        }
        if cross_at_edges(&trees, &touching, &mut self.traversal.interrupt) {
            return Relation::Crossing;
        }
        if is_closed == [true; 2] && touch_across_a_plane(&trees, &touching) {
            return Relation::Touching;
        }
        let mut uncertainty = 0.0_f64;
        let mut classify = |side: usize| {
            let found = Classification::of([a, b], &trees, side, &touching, is_robust[1 - side], &mut self.traversal);
            uncertainty = uncertainty.max(found.uncertainty);
            found
        };
        let relation = match has_inside {
            _ if touching.is_empty() => apart(classify(0), classify(1)),
            [true, true] => in_contact(classify(0), classify(1)),
            // Nothing is inside an open mesh.
            [false, true] => in_contact(classify(0), Classification::default()),
            [true, false] => in_contact(Classification::default(), classify(1)),
            [false, false] => Relation::Touching,
        };
        self.uncertainty = uncertainty;
        relation
    }

    /// The mesh (0 for A, 1 for B) that has a component inside the other, solid mesh, if any. Precondition: the
    /// surfaces have no point in common, except in triangles that are masked out; of a component that crosses these,
    /// one vertex decides.
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
        let mut is_inner = |side: usize| {
            let solid = solids[1 - side];
            if !solid.applies_to([a, b][1 - side]) {
                return false;
            }
            let is_robust = solid == Solid::Robust;
            let found = Classification::of([a, b], &trees, side, &[], is_robust, &mut self.traversal);
            self.uncertainty = self.uncertainty.max(found.uncertainty);
            found.inside
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

/// Whether a plane separates the meshes, found by the method of Gilbert, Johnson and Keerthi ("A Fast Procedure for
/// Computing the Distance between Complex Objects in Three-Dimensional Space", 1988). False if they are too near to
/// tell.
fn is_plane_between(trees: &PosedTrees<'_>) -> bool {
    const MAX_STEPS: u32 = 64;
    let vertices = [0, 1].map(|side| -> Vec<Point3<f64>> {
        let posed = |leaf| trees.triangle(side, leaf).vertices;
        (0..trees.views[side].corners.len()).flat_map(posed).collect()
    });
    let farthest = |side: usize, direction: Vector3<f64>| {
        let height = |point: &&Point3<f64>| point.coords.dot(&direction);
        vertices[side].iter().max_by(|p, q| height(p).total_cmp(&height(q)))
    };
    let size = vertices.iter().flatten().fold(0.0, |size: f64, vertex| size.max(vertex.coords.amax()));
    let [Some(a), Some(b)] = vertices.each_ref().map(|vertices| vertices.first()) else { return true };
    // Points of the Minkowski difference of the hulls, A less B, and the nearest one to the origin.
    let mut simplex = [Point3::from(a - b); 3];
    let mut nearest = a - b;
    for _ in 0..MAX_STEPS {
        let (Some(a), Some(b)) = (farthest(0, -nearest), farthest(1, nearest)) else { return true };
        let support = a - b;
        if support.dot(&nearest) > BOUNDS_ROUNDING * size * nearest.lp_norm(1) {
            return true;
        }
        let simplices = [0, 1, 2].map(|replaced| {
            let vertices = std::array::from_fn(|i| if i == replaced { Point3::from(support) } else { simplex[i] });
            (Triangle { vertices }.closest_point(&Point3::origin()).coords, vertices)
        });
        let length = |(point, _): &(Vector3<f64>, _)| point.norm_squared();
        let Some((next, vertices)) = simplices.into_iter().min_by(|p, q| length(p).total_cmp(&length(q))) else {
            return false;
        };
        if next.norm_squared() >= nearest.norm_squared() {
            return false;
        }
        (nearest, simplex) = (next, vertices);
    }
    false
}

/// Whether the meshes are on different sides of the plane of a touching triangle, apart from what lies in the plane, as
/// where a wall stands on a slab. If the meshes are closed, no part of either is then inside the other. This is a
/// shortcut that tries few planes.
fn touch_across_a_plane(trees: &PosedTrees<'_>, touching: &[[usize; 2]]) -> bool {
    const MAX_PLANES: usize = 8;
    let vertices = |side: usize| {
        let leaves = 0..trees.views[side].corners.len();
        leaves.flat_map(move |leaf| trees.triangle(side, leaf).vertices)
    };
    let mut tried: Vec<Triangle> = Vec::new();
    for &[leaf_a, leaf_b] in touching {
        for plane in trees.pair(leaf_a, leaf_b) {
            let is_coplanar = |other: &Triangle| plane.vertices.iter().all(|p| side_of_plane(other, p) == 0.0);
            if TrianglePlane::new(&plane).is_none() || tried.iter().any(is_coplanar) {
                continue;
            }
            let is_between = |signs: [f64; 2]| {
                [0, 1].iter().all(|&side| vertices(side).all(|p| signs[side] * side_of_plane(&plane, &p) >= 0.0))
            };
            if is_between([1.0, -1.0]) || is_between([-1.0, 1.0]) {
                return true;
            }
            tried.push(plane);
            if tried.len() == MAX_PLANES {
                return false;
            }
        }
    }
    false
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
