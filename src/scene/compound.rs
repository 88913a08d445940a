//! Compounds: several trees and convex shapes in one body; and the search for the parts of two bodies that are near
//! each other.

use std::sync::Arc;

use thiserror::Error;

use super::body::{Geometry, posed_by};
use super::broad_phase::{Aabb32, DynamicTree, LocalRay};
use super::narrow_phase::are_boxed_apart;
use super::shape_pairs::{PosedPair, frame_side};
use super::updates::are_near;
use crate::numeric::error_bounds::{POSE_STRETCH, SHAPE_STRETCH, body_rounding, stretch};
use crate::pose::Pose;
use crate::probe::Ray;
use crate::shape::{Aabb, ConvexShape, Sphere};
use crate::simd::SimdLevel;
use crate::tree::BvTree;

/// Several trees and convex shapes that move as one body, each with a pose in the body's frame.
///
/// The parts are compared with those of other bodies, each as a body of its own would be, and never with each other.
/// They may overlap. A compound may be empty: then nothing touches it.
///
/// ```
/// use bvtree::Pose;
/// use bvtree::scene::{Body, Compound, Part, Scene};
/// use bvtree::shape::ConvexShape;
/// use nalgebra::Vector3;
///
/// let ball = |x: f64| Ok::<_, Box<dyn std::error::Error>>(Part {
///     geometry: ConvexShape::sphere(1.0)?.into(),
///     pose: Pose::from_translation(Vector3::new(x, 0.0, 0.0))?,
/// });
/// let dumbbell = Compound::new([ball(-3.0)?, ball(3.0)?])?;
/// let mut scene = Scene::new();
/// scene.add(Body::moving(dumbbell, Pose::identity()))?;
/// scene.add(Body::moving(ConvexShape::sphere(1.0)?, Pose::from_translation(Vector3::new(4.5, 0.0, 0.0))?))?;
/// assert_eq!(scene.pairs_within(0.0)[0].parts, [1, 0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Compound {
    parts: Vec<Part>,
    bounds: Aabb,
    /// The boxes of the parts that are not empty.
    boxes: DynamicTree,
    /// The largest absolute value of a coordinate of the parts' boxes, in their own frames and in the body's, and of
    /// the parts' translations.
    largest: f64,
    /// The largest [`Simple::stretch_of_radii`] of the parts.
    stretch_of_radii: f64,
    has_discs: bool,
}

/// A part of a [`Compound`].
#[derive(Clone, Debug)]
pub struct Part {
    /// The mesh's tree, or the convex shape.
    pub geometry: Geometry,
    /// The pose that maps the geometry's points into the body's frame.
    pub pose: Pose,
}

/// An error of a compound.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum CompoundError {
    /// A part is a compound itself.
    #[error("part {part} is a compound itself")]
    Nested {
        /// The part's index.
        part: usize,
    },
    /// A part's pose deviates from a rotation by more than [`Compound::MAX_DEVIATION`].
    #[error("the pose of part {part} is not a rotation: R^T R differs from the identity by {deviation:e}")]
    NotARotation {
        /// The part's index.
        part: usize,
        /// The largest entry of `|R^T R - I|`.
        deviation: f64,
    },
    /// A part's coordinates, in its own frame or in the body's, exceed
    /// [`Scene::MAX_COORDINATE`](super::Scene::MAX_COORDINATE) or are NaN.
    #[error("a coordinate of part {part} exceeds {:e}", super::Scene::MAX_COORDINATE)]
    TooFar {
        /// The part's index.
        part: usize,
    },
    /// There are more than [`Compound::MAX_PARTS`] parts.
    #[error("a compound has at most {} parts", Compound::MAX_PARTS)]
    TooMany,
}

impl Compound {
    /// The largest number of parts.
    pub const MAX_PARTS: usize = 1 << 30;
    /// The largest allowed entry of `|R^T R - I|` for a part's pose. It admits matrices written in f32, and is smaller
    /// than the limit for a body's pose, because the part's and the body's pose both stretch a part.
    pub const MAX_DEVIATION: f64 = 1e-6;

    /// A compound of parts, which are indexed in the given order.
    ///
    /// # Errors
    /// If a part is a compound itself, its pose is not a rotation, it is too far from the body's origin, or there are
    /// more than [`Compound::MAX_PARTS`].
    pub fn new(parts: impl IntoIterator<Item = Part>) -> Result<Self, CompoundError> {
        let parts: Vec<Part> = parts.into_iter().collect();
        if parts.len() > Self::MAX_PARTS {
            return Err(CompoundError::TooMany);
        }
        let mut bounds = Aabb::empty();
        let mut boxes = Vec::new();
        let (mut largest, mut stretch_of_radii, mut has_discs) = (0.0_f64, 0.0_f64, false);
        for (index, part) in parts.iter().enumerate() {
            let Part { geometry, pose } = part;
            let Some(simple) = geometry.simple() else { return Err(CompoundError::Nested { part: index }) };
            if pose.deviation().is_nan() || pose.deviation() > Self::MAX_DEVIATION {
                return Err(CompoundError::NotARotation { part: index, deviation: pose.deviation() });
            }
            let (own, around) = (simple.bounds(), simple.posed(pose));
            let corners = [own.lower.coords, own.upper.coords, around.lower.coords, around.upper.coords];
            let is_near = around.is_empty() || corners.iter().all(are_near);
            if !is_near || !are_near(pose.translation()) {
                return Err(CompoundError::TooFar { part: index });
            }
            if around.is_empty() {
                continue;
            }
            let reach = corners.iter().map(|corner| corner.amax()).fold(pose.translation().amax(), f64::max);
            bounds = bounds.union(&around);
            boxes.push((index as u32, Aabb32::around(&around, &[0.0; 3])));
            largest = largest.max(reach);
            stretch_of_radii = stretch_of_radii.max(simple.stretch_of_radii());
            has_discs |= simple.has_discs();
        }
        let boxes = DynamicTree::build(&boxes, SimdLevel::detect());
        Ok(Self { parts, bounds, boxes, largest, stretch_of_radii, has_discs })
    }

    /// The parts, in the order of their indices.
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// The axis-aligned box in the body's frame: the union of the boxes of the posed parts, grown by their rounding
    /// errors; empty if all parts are.
    pub fn bounds(&self) -> Aabb {
        self.bounds
    }

    /// [`body_rounding`] of the parts, including that of their poses in the body.
    pub(super) fn rounding(&self, pose: &Pose) -> f64 {
        2.0 * rounding_within(2.0 * self.largest, pose)
    }

    pub(super) fn stretch_of_radii(&self) -> f64 {
        self.stretch_of_radii
    }

    pub(super) fn has_discs(&self) -> bool {
        self.has_discs
    }

    /// Calls `visit` with the parts that a ray in the body's frame may meet up to the time `limit`; `visit` returns the
    /// new limit, which must not increase.
    pub(super) fn along_ray(&self, ray: &Ray, limit: f64, visit: impl FnMut(u32, f64) -> f64) {
        let Some(local) = self.boxes.root().and_then(|root| LocalRay::new(ray, &[0.0; 3], &root.bounds)) else {
            return;
        };
        self.boxes.along_ray(&local, limit, visit);
    }

    /// Calls `visit` with the parts that may be within the distance `limit` of the contents of a box in the body's
    /// frame, roughly the nearest first; `visit` returns the new limit, which must not increase.
    pub(super) fn near(&self, bounds: &Aabb, limit: f64, visit: impl FnMut(u32, f64) -> f64) {
        if bounds.is_empty() {
            return;
        }
        let around = Aabb32::around(bounds, &[0.0; 3]);
        // A distance is measured in the frame of a body or of a part.
        let distance = |part: &Aabb32| part.distance_sq(&around).sqrt() / (POSE_STRETCH * POSE_STRETCH);
        self.boxes.nearest_first(limit, distance, visit);
    }
}

/// A geometry that is not a compound.
#[derive(Clone, Copy, Debug)]
pub(super) enum Simple<'a> {
    Tree(&'a Arc<BvTree>),
    Shape(&'a ConvexShape),
}

impl Simple<'_> {
    pub(super) fn bounds(&self) -> Aabb {
        match self {
            Self::Tree(tree) => *tree.bounds(),
            Self::Shape(shape) => shape.aabb(),
        }
    }

    /// The AABB at a pose, grown by the rounding error and by [`Simple::stretch_of_radii`].
    #[inline]
    pub(super) fn posed(&self, pose: &Pose) -> Aabb {
        self.posed_by(pose, self.rounding(pose))
    }

    /// [`Simple::posed`] with the given rounding error.
    #[inline(always)]
    pub(super) fn posed_by(&self, pose: &Pose, rounding: f64) -> Aabb {
        match self {
            Self::Tree(tree) => posed_by(tree.bounds(), pose, rounding),
            Self::Shape(shape) => shape.aabb_at(pose).grown(rounding + self.stretch_of_radii()),
        }
    }

    /// How far a convex shape, compared in another body's frame, may extend beyond its posed box: a pose that is not
    /// exactly a rotation stretches or shrinks the box, but not the shape's radii.
    pub(super) fn stretch_of_radii(&self) -> f64 {
        if let Self::Shape(shape) = self { SHAPE_STRETCH * shape.largest_radius() } else { 0.0 }
    }

    pub(super) fn has_discs(&self) -> bool {
        matches!(self, Self::Shape(shape) if shape.has_discs())
    }

    /// A bounding sphere at a pose.
    pub(super) fn bounding_sphere(&self, pose: &Pose) -> Sphere {
        let Sphere { center, radius } = match self {
            Self::Tree(tree) => Sphere { center: tree.bounds().center(), radius: tree.bounds().half_extents().norm() },
            Self::Shape(shape) => shape.bounding_sphere(),
        };
        let margin = self.rounding(pose) + self.stretch_of_radii();
        Sphere { center: pose.transform_point(&center), radius: radius * stretch(pose.deviation()) + margin }
    }

    /// A bound on the rounding error of the coordinates at a pose.
    #[inline(always)]
    pub(super) fn rounding(&self, pose: &Pose) -> f64 {
        match self {
            Self::Tree(tree) => body_rounding(pose, tree.bounds()),
            Self::Shape(shape) => rounding_within(shape.largest_coordinate(), pose),
        }
    }
}

/// [`body_rounding`] of a box whose coordinates are at most `bound` in magnitude.
fn rounding_within(bound: f64, pose: &Pose) -> f64 {
    let corner = nalgebra::Point3::from(nalgebra::Vector3::repeat(bound));
    body_rounding(pose, &Aabb { lower: -corner, upper: corner })
}

impl Geometry {
    pub(super) fn simple(&self) -> Option<Simple<'_>> {
        match self {
            Self::Tree(tree) => Some(Simple::Tree(tree)),
            Self::Shape(shape) => Some(Simple::Shape(shape)),
            Self::Compound(_) => None,
        }
    }

    /// The number of parts: 1 for a tree or a shape, which is its own part.
    pub(super) fn part_count(&self) -> u32 {
        if let Self::Compound(compound) = self { compound.parts.len() as u32 } else { 1 }
    }

    /// A part, and the part's pose if the geometry has the given pose.
    #[inline]
    pub(super) fn part(&self, index: u32, pose: &Pose) -> (Simple<'_>, Pose) {
        match self {
            Self::Tree(tree) => (Simple::Tree(tree), *pose),
            Self::Shape(shape) => (Simple::Shape(shape), *pose),
            Self::Compound(compound) => {
                let part = &compound.parts[index as usize];
                (part.geometry.part(0, pose).0, pose.of_part(&part.pose))
            }
        }
    }

    /// Calls `visit` with the parts that may be within the distance `limit` of the contents of `bounds`, a box in the
    /// geometry's frame, roughly the nearest first; `visit` returns the new limit, which must not increase. Returns the
    /// last limit.
    pub(super) fn near_parts(&self, bounds: &Aabb, mut limit: f64, mut visit: impl FnMut(u32, f64) -> f64) -> f64 {
        match self {
            Self::Compound(compound) => {
                compound.near(bounds, limit, |part, at| {
                    limit = visit(part, at);
                    limit
                });
                limit
            }
            _ => visit(0, limit),
        }
    }
}

/// Two bodies at poses in the world, whose parts are compared.
#[derive(Clone, Copy)]
pub(super) struct BodyParts<'a> {
    pub(super) geometries: [&'a Geometry; 2],
    pub(super) poses: [&'a Pose; 2],
}

/// Two parts, one of each of two bodies, at their poses in the world.
pub(super) struct PartPair<'a> {
    /// The parts' indices; 0 for a body that is not a compound.
    pub(super) parts: [u32; 2],
    pub(super) geometries: [Simple<'a>; 2],
    pub(super) poses: [Pose; 2],
}

impl<'a> BodyParts<'a> {
    pub(super) fn has_compound(&self) -> bool {
        self.geometries.iter().any(|geometry| geometry.compound().is_some())
    }

    pub(super) fn pair(&self, parts: [u32; 2]) -> PartPair<'a> {
        PartPair::new(self.geometries, self.poses, parts)
    }

    /// Calls `visit` with the pairs of parts that may be within the distance `limit` of each other; `visit` returns the
    /// new limit, which must not increase. A negative limit ends the search. Two bodies that are not compounds are
    /// visited as one pair, whatever the limit.
    pub(super) fn for_each_pair(&self, mut limit: f64, mut visit: impl FnMut(&PartPair<'_>, f64) -> f64) {
        let counts = self.geometries.map(Geometry::part_count);
        let searched = match self.geometries.map(|geometry| geometry.compound().is_some()) {
            [false, false] => {
                visit(&self.pair([0; 2]), limit);
                return;
            }
            [true, true] => usize::from(counts[1] > counts[0]),
            [is_first, _] => usize::from(!is_first),
        };
        let other = 1 - searched;
        let rounding: f64 = [0, 1].map(|side| self.geometries[side].rounding(self.poses[side])).iter().sum();
        for part in 0..counts[other] {
            let (simple, pose) = self.geometries[other].part(part, self.poses[other]);
            let bounds = simple.posed(&Pose::relative(self.poses[searched], &pose));
            let bounds = if bounds.is_empty() { bounds } else { bounds.grown(rounding) };
            limit = self.geometries[searched].near_parts(&bounds, limit, |found, limit| {
                let pair = self.pair(if searched == 0 { [found, part] } else { [part, found] });
                if pair.are_apart(limit) { limit } else { visit(&pair, limit) }
            });
            if limit < 0.0 {
                return;
            }
        }
    }
}

impl<'a> PartPair<'a> {
    /// Parts of bodies at poses in the world.
    pub(super) fn new(bodies: [&'a Geometry; 2], poses: [&Pose; 2], parts: [u32; 2]) -> Self {
        let [(a, pose_a), (b, pose_b)] = [0, 1].map(|side| bodies[side].part(parts[side], poses[side]));
        Self { parts, geometries: [a, b], poses: [pose_a, pose_b] }
    }

    /// The two parts in one frame.
    pub(super) fn posed(&self) -> PosedPair<'_> {
        PosedPair::new(self.geometries, self.poses.each_ref())
    }

    /// The pose of the frame in which the parts are compared.
    pub(super) fn frame(&self) -> &Pose {
        &self.poses[frame_side(self.geometries)]
    }

    /// Whether the bounding spheres or boxes are farther apart than the clearance.
    pub(super) fn are_apart(&self, clearance: f64) -> bool {
        let sides = [0, 1].map(|side| (&self.geometries[side], &self.poses[side]));
        let spheres = sides.map(|(geometry, pose)| geometry.bounding_sphere(pose));
        are_boxed_apart(spheres, sides.map(|(geometry, pose)| geometry.posed(pose)).each_ref(), clearance)
    }
}
