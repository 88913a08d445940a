//! How far convex shapes and other bodies reach into each other. Against trees, a shape counts as a mesh inscribed in
//! it.

use nalgebra::{Point3, Vector3};

use super::shape_pairs::{Fixed, ShapePair};
use crate::numeric::error_bounds::CAST_ROUNDING;
use crate::options::BuildOptions;
use crate::pose::Pose;
use crate::probe::Probe;
use crate::query::{DepthOptions, OverlapDepth, PenetrationDepth, Query};
use crate::shape::ConvexShape;
use crate::tree::BvTree;

/// The largest number of steps that push a shape out of triangles that it still overlaps although its inscribed mesh no
/// longer does.
const MAX_PUSHES: usize = 32;

/// The tree of a mesh inscribed in a shape.
struct Inscribed {
    tree: BvTree,
    /// The origin of the tree's frame, in the shape's frame.
    origin: Point3<f64>,
    /// A bound on the distance by which the shape extends beyond the mesh.
    error: f64,
}

impl Inscribed {
    fn new(shape: &ConvexShape) -> Option<Self> {
        let inscribed = shape.inscribed_mesh()?;
        let tree = BvTree::build(&inscribed.mesh, &BuildOptions::default()).ok()?;
        Some(Self { tree, origin: shape.center(), error: inscribed.error })
    }
}

impl ShapePair<'_> {
    /// The penetration depth, with a translation of the second body in the frame of the pair; `None` for two shapes
    /// that are apart, for an open mesh, for a shape without a volume against a mesh, or if no translation is found.
    pub(super) fn penetration_depth(
        &self,
        query: &mut Query,
        probe: &mut Probe,
        options: &DepthOptions,
    ) -> Option<PenetrationDepth> {
        let tree = match self.fixed {
            Fixed::Shape(fixed) => {
                let contact = fixed.contact(&self.shape, 0.0)?;
                let depth = -contact.distance;
                let lower = (depth - self.distance_error() - CAST_ROUNDING * self.extent()).max(0.0);
                return Some(PenetrationDepth { lower, upper: depth, translation: contact.normal * depth });
            }
            Fixed::Tree(tree) => tree,
        };
        let inscribed = Inscribed::new(&self.shape)?;
        let pose = Pose::from_translation(inscribed.origin.coords).ok()?;
        let found = query.penetration_depth(tree, &inscribed.tree, &pose, options).ok()?;
        let translation = self.freed(probe, tree, found.translation)?;
        // After a translation shorter than `found.lower`, the inscribed mesh still overlaps, up to rounding.
        let upper = translation.norm();
        let lower = (found.lower - f64::from(f32::EPSILON) * self.extent()).clamp(0.0, upper);
        let sign = if self.side == 0 { -1.0 } else { 1.0 };
        Some(PenetrationDepth { lower, upper, translation: translation * sign })
    }

    /// A translation near the given one, after which the shape is free of the tree up to rounding; `None` if none is
    /// found.
    fn freed(&self, probe: &mut Probe, tree: &BvTree, mut translation: Vector3<f64>) -> Option<Vector3<f64>> {
        let rounding = CAST_ROUNDING * self.extent();
        for _ in 0..MAX_PUSHES {
            let moved = self.shape.transformed(&Pose::from_translation(translation).ok()?);
            match probe.closest_convex_contact(tree, &moved, 0.0) {
                Some(contact) if contact.distance < -rounding => translation -= contact.normal * contact.distance,
                _ => return Some(translation),
            }
        }
        None
    }

    /// The largest coordinate of the shape plus that of the other body, in the frame of the pair.
    fn extent(&self) -> f64 {
        let bounds = match self.fixed {
            Fixed::Tree(tree) => *tree.bounds(),
            Fixed::Shape(shape) => shape.aabb(),
        };
        [bounds, self.shape.aabb()].iter().map(|aabb| aabb.lower.coords.amax().max(aabb.upper.coords.amax())).sum()
    }

    /// The overlap depth, with points in the frame of the pair; `None` for a shape without a volume, and for an open
    /// mesh unless it counts as `Solid::Robust`. The bounds are those of the inscribed meshes, widened by how far the
    /// shapes extend beyond them.
    pub(super) fn overlap_depth(&self, query: &mut Query, options: &DepthOptions) -> Option<OverlapDepth> {
        let inscribed;
        let (fixed, origin, fixed_error) = match self.fixed {
            Fixed::Tree(tree) => (tree, Point3::origin(), 0.0),
            Fixed::Shape(shape) => {
                inscribed = Inscribed::new(shape)?;
                (&inscribed.tree, inscribed.origin, inscribed.error)
            }
        };
        let moved = Inscribed::new(&self.shape)?;
        let pose = Pose::from_translation(moved.origin - origin).ok()?;
        let mut depth = query.overlap_depth(fixed, &moved.tree, &pose, options).ok()?;
        let error = fixed_error + moved.error;
        depth.lower = (depth.lower - error).max(0.0);
        if depth.upper > 0.0 {
            depth.upper += error;
        }
        if let Some(deepest) = &mut depth.deepest {
            deepest.point += origin.coords;
            deepest.way_out += origin.coords;
            deepest.is_on_b ^= self.side == 0;
        }
        Some(depth)
    }
}
