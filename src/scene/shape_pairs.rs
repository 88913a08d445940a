//! Pairs with a convex shape: a tree and a shape, compared in the tree's frame, or two shapes, compared in the first
//! one's frame.

use std::sync::Arc;

use nalgebra::{Point3, Vector3};

use super::BodyRelation;
use super::compound::Simple;
use crate::numeric::error_bounds::DISC_DISTANCE_ERROR;
use crate::pose::Pose;
use crate::probe::{CastOptions, Containment, Probe};
use crate::query::{ChoosePoints, ClosestPair, ContactManifold, FacePair, FindNeighbors, Solid};
use crate::shape::{Advance, ConvexShape, NO_FACE, Proximity};
use crate::tree::BvTree;

/// Which of two bodies (0 or 1) gives the frame in which both are compared: the first, unless only the second is a
/// tree.
pub(super) fn frame_side(geometries: [Simple<'_>; 2]) -> usize {
    usize::from(matches!(geometries, [Simple::Shape(_), Simple::Tree(_)]))
}

/// A convex shape, and a tree or another shape, both in the latter's frame.
pub(super) struct ShapePair<'a> {
    pub(super) fixed: Fixed<'a>,
    pub(super) shape: ConvexShape,
    /// Which body `shape` is: 0 for A, 1 for B.
    pub(super) side: usize,
}

/// The object in whose frame a pair is compared: a tree or a shape.
pub(super) enum Fixed<'a> {
    Tree(&'a BvTree),
    Shape(&'a ConvexShape),
}

/// Two bodies in one frame.
// It lives on the stack, for one pair at a time.
#[allow(clippy::large_enum_variant)]
pub(super) enum PosedPair<'a> {
    /// Two trees, and B's pose in A's frame.
    Trees([&'a Arc<BvTree>; 2], Pose),
    Shapes(ShapePair<'a>),
}

impl<'a> PosedPair<'a> {
    /// Two bodies, or parts of bodies, at their poses in the world.
    pub(super) fn new([a, b]: [Simple<'a>; 2], [pose_a, pose_b]: [&Pose; 2]) -> Self {
        let b_to_a = || Pose::relative(pose_a, pose_b);
        match (a, b) {
            (Simple::Tree(a), Simple::Tree(b)) => Self::Trees([a, b], b_to_a()),
            (Simple::Tree(tree), Simple::Shape(shape)) => Self::Shapes(ShapePair::of_tree(tree, shape, &b_to_a())),
            (Simple::Shape(shape), Simple::Tree(tree)) => {
                let a_to_b = Pose::relative(pose_b, pose_a);
                Self::Shapes(ShapePair { side: 0, ..ShapePair::of_tree(tree, shape, &a_to_b) })
            }
            (Simple::Shape(fixed), Simple::Shape(shape)) => {
                Self::Shapes(ShapePair { fixed: Fixed::Shape(fixed), shape: shape.transformed(&b_to_a()), side: 1 })
            }
        }
    }
}

impl<'a> ShapePair<'a> {
    /// The pair of a tree, A, and a shape, B, whose pose is in the tree's frame.
    pub(super) fn of_tree(tree: &'a BvTree, shape: &ConvexShape, b_to_a: &Pose) -> Self {
        Self { fixed: Fixed::Tree(tree), shape: shape.transformed(b_to_a), side: 1 }
    }

    pub(super) fn has_tree(&self) -> bool {
        matches!(self.fixed, Fixed::Tree(_))
    }

    /// The closest points in the frame of the pair, if the distance is at most a bound; the distance is 0 if and only
    /// if the bodies touch, whatever the bound.
    pub(super) fn distance(&self, probe: &mut Probe, upper_bound: f64) -> Option<ClosestPair> {
        let (distance, on_fixed, on_shape, face) = match self.fixed {
            Fixed::Tree(tree) => {
                let found = probe.closest_to_convex(tree, &self.shape, upper_bound)?;
                (found.distance, found.on_mesh, found.on_shape, found.face)
            }
            Fixed::Shape(fixed) => match fixed.proximity_to(&self.shape, upper_bound) {
                Proximity::Beyond => return None,
                Proximity::Apart { distance, on_shape, on_triangle } => (distance, on_shape, on_triangle, NO_FACE),
                Proximity::Overlap(common) => (0.0, common, common, NO_FACE),
            },
        };
        let closest = |on_a: Point3<f64>, on_b: Point3<f64>, [face_a, face_b]: [u32; 2]| ClosestPair {
            distance,
            on_a,
            on_b,
            faces: FacePair { face_a, face_b },
        };
        (distance <= upper_bound).then(|| match self.side {
            0 => closest(on_shape, on_fixed, [NO_FACE, face]),
            _ => closest(on_fixed, on_shape, [face, NO_FACE]),
        })
    }

    /// Which body the shape is (0 for A, 1 for B), if the other object is a solid tree that contains it; else `None`.
    /// Precondition: the shape does not touch the tree's triangles.
    pub(super) fn inner(&self, probe: &mut Probe, solids: [Solid; 2]) -> Option<usize> {
        let Fixed::Tree(tree) = self.fixed else { return None };
        let is_inside = match solids[1 - self.side] {
            Solid::No => false,
            Solid::IfClosed => probe.contains(tree, &self.any_point()) == Containment::Inside,
            Solid::Robust => probe.contains_robust(tree, &self.any_point()).containment == Containment::Inside,
        };
        is_inside.then_some(self.side)
    }

    /// A point of the shape.
    fn any_point(&self) -> Point3<f64> {
        self.shape.support_point(&Vector3::zeros())
    }

    /// The contact manifolds of A and B in the frame of the pair. `may_continue` and `neighbors` only matter for a
    /// tree; see `Query::contact_manifolds_among`.
    pub(super) fn contact_manifolds(
        &self,
        probe: &mut Probe,
        margin: f64,
        may_continue: [bool; 2],
        neighbors: FindNeighbors<'_>,
        choose: ChoosePoints,
    ) -> Vec<ContactManifold> {
        match self.fixed {
            Fixed::Shape(fixed) => fixed.manifolds_with(&self.shape, margin, choose),
            Fixed::Tree(tree) => {
                let of_tree = 1 - self.side;
                let neighbors = &mut |_, point: &Point3<f64>| neighbors(of_tree, point);
                let shape = &self.shape;
                let mut found =
                    probe.convex_manifolds_among(tree, shape, margin, may_continue[of_tree], neighbors, choose);
                if self.side == 0 {
                    found.iter_mut().for_each(ContactManifold::swap);
                }
                found
            }
        }
    }

    /// The relation of A and B; undefined if they touch, or if the tree's mesh is open.
    pub(super) fn relation(&self, probe: &mut Probe) -> BodyRelation {
        if self.distance(probe, 0.0).is_some() {
            return BodyRelation::Undefined;
        }
        match self.fixed {
            Fixed::Shape(_) => BodyRelation::Separate,
            Fixed::Tree(tree) => match (probe.contains(tree, &self.any_point()), self.side) {
                (Containment::Undefined, _) => BodyRelation::Undefined,
                (Containment::Inside, 0) => BodyRelation::AInB,
                (Containment::Inside, _) => BodyRelation::BInA,
                _ => BodyRelation::Separate,
            },
        }
    }

    /// The first contact of the shape as it moves along a displacement without turning: the time, as a fraction of the
    /// displacement, and the unit normal from A to B. A contact at the start is reported, at time 0.
    pub(super) fn cast(
        &self,
        probe: &mut Probe,
        displacement: &Vector3<f64>,
        tolerance: f64,
    ) -> Option<(f64, Vector3<f64>)> {
        let (time, to_shape) = match self.fixed {
            Fixed::Tree(tree) => {
                let options = CastOptions { tolerance, ..CastOptions::default() };
                let hit = probe.cast_convex(tree, &self.shape, displacement, &options)?;
                (hit.time, hit.normal)
            }
            Fixed::Shape(fixed) => {
                let advance = Advance { displacement, from: 0.0, tolerance, limit: 1.0, departing: true };
                let touch = self.shape.cast_to(fixed, &advance)?;
                (touch.time, touch.normal)
            }
        };
        Some((time, if self.side == 0 { -to_shape } else { to_shape }))
    }

    /// A bound on how much the pair's computed distance may exceed the true one, not counting rounding.
    pub(super) fn distance_error(&self) -> f64 {
        let size = |shape: &ConvexShape| {
            let sphere = shape.bounding_sphere();
            (sphere.center - self.shape.center()).norm() + sphere.radius
        };
        let (is_rounded, extent) = match self.fixed {
            Fixed::Tree(tree) => {
                let corners = tree.bounds().corners().map(|corner| (corner - self.shape.center()).norm());
                (self.shape.has_discs(), corners.into_iter().fold(0.0, f64::max))
            }
            Fixed::Shape(fixed) => (self.shape.has_discs() || fixed.has_discs(), size(fixed)),
        };
        if is_rounded { DISC_DISTANCE_ERROR * (extent + size(&self.shape)) } else { 0.0 }
    }
}
