//! Bodies of a scene: the public [`Body`] and [`BodyId`], and the boxes that the scene derives from a body's pose.

use std::sync::Arc;

use nalgebra::Vector3;

use super::broad_phase::Aabb32;
use super::compound::{Compound, Simple};
use super::pair_cache::margin_f32;
use super::pair_memory::Displacement;
use crate::numeric::error_bounds::{SEAM_ROUNDING, body_rounding, displacement_bound, stretch};
use crate::pose::Pose;
use crate::query::Solid;
use crate::shape::{Aabb, ConvexShape, Sphere};
use crate::tree::BvTree;

/// The geometry of a body: the tree of a mesh, a convex shape, or a compound of several of either. Thousands of bodies
/// may share one tree, shape or compound.
///
/// A shape is always solid, and takes part in all queries of a scene. Two trees are compared in the first body's frame,
/// a tree and a shape in the tree's frame, and two shapes in the first shape's frame; verdicts are as exact as
/// [`ConvexShape`] states for the shape in that frame. Parts of compounds are compared like bodies of their own.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Geometry {
    /// The tree of a mesh.
    Tree(Arc<BvTree>),
    /// A convex shape in its own frame.
    Shape(Arc<ConvexShape>),
    /// Several trees and shapes, with poses in the body's frame.
    Compound(Arc<Compound>),
}

impl From<Arc<BvTree>> for Geometry {
    fn from(tree: Arc<BvTree>) -> Self {
        Self::Tree(tree)
    }
}

impl From<Arc<ConvexShape>> for Geometry {
    fn from(shape: Arc<ConvexShape>) -> Self {
        Self::Shape(shape)
    }
}

impl From<ConvexShape> for Geometry {
    fn from(shape: ConvexShape) -> Self {
        Self::Shape(Arc::new(shape))
    }
}

impl From<Arc<Compound>> for Geometry {
    fn from(compound: Arc<Compound>) -> Self {
        Self::Compound(compound)
    }
}

impl From<Compound> for Geometry {
    fn from(compound: Compound) -> Self {
        Self::Compound(Arc::new(compound))
    }
}

impl Geometry {
    /// The tree; `None` for a shape or a compound.
    pub fn tree(&self) -> Option<&Arc<BvTree>> {
        if let Self::Tree(tree) = self { Some(tree) } else { None }
    }

    /// The convex shape; `None` for a tree or a compound.
    pub fn shape(&self) -> Option<&Arc<ConvexShape>> {
        if let Self::Shape(shape) = self { Some(shape) } else { None }
    }

    /// The compound; `None` for a tree or a shape.
    pub fn compound(&self) -> Option<&Arc<Compound>> {
        if let Self::Compound(compound) = self { Some(compound) } else { None }
    }

    /// The axis-aligned box in the body's frame; empty for an empty mesh or compound.
    pub fn bounds(&self) -> Aabb {
        match self {
            Self::Tree(tree) => *tree.bounds(),
            Self::Shape(shape) => shape.aabb(),
            Self::Compound(compound) => compound.bounds(),
        }
    }

    /// The world AABB at a pose, grown by the rounding error and by [`Geometry::stretch_of_radii`].
    pub(super) fn posed(&self, pose: &Pose) -> Aabb {
        self.posed_and_rounding(pose).0
    }

    /// The results of [`Geometry::posed`] and [`Geometry::rounding`].
    #[inline(always)]
    pub(super) fn posed_and_rounding(&self, pose: &Pose) -> (Aabb, f64) {
        if let Self::Tree(tree) = self {
            let rounding = body_rounding(pose, tree.bounds());
            return (posed_by(tree.bounds(), pose, rounding), rounding);
        }
        // The call gets and returns copies, so that the pose and the box of a tree stay in registers.
        let (Aabb { lower, upper }, rounding) = self.posed_and_rounding_by_call(*pose);
        (Aabb { lower, upper }, rounding)
    }

    /// [`Geometry::posed_and_rounding`] as a call that is not inlined, for all kinds but trees.
    #[inline(never)]
    fn posed_and_rounding_by_call(&self, pose: Pose) -> (Aabb, f64) {
        let rounding = self.rounding(&pose);
        let bounds = match self {
            Self::Tree(tree) => Simple::Tree(tree).posed_by(&pose, rounding),
            Self::Shape(shape) => Simple::Shape(shape).posed_by(&pose, rounding),
            Self::Compound(compound) if compound.bounds().is_empty() => Aabb::empty(),
            Self::Compound(compound) => posed(&compound.bounds(), &pose).grown(rounding + compound.stretch_of_radii()),
        };
        (bounds, rounding)
    }

    /// How far a convex shape, compared in another body's frame, may extend beyond its posed box: a pose that is not
    /// exactly a rotation stretches or shrinks the box, but not the shape's radii.
    pub(super) fn stretch_of_radii(&self) -> f64 {
        match self {
            Self::Tree(_) => 0.0,
            Self::Shape(shape) => Simple::Shape(shape).stretch_of_radii(),
            Self::Compound(compound) => compound.stretch_of_radii(),
        }
    }

    pub(super) fn has_discs(&self) -> bool {
        match self {
            Self::Tree(_) => false,
            Self::Shape(shape) => shape.has_discs(),
            Self::Compound(compound) => compound.has_discs(),
        }
    }

    /// A bound on the rounding error of the coordinates at a pose.
    #[inline(always)]
    pub(super) fn rounding(&self, pose: &Pose) -> f64 {
        match self {
            Self::Tree(tree) => Simple::Tree(tree).rounding(pose),
            Self::Shape(shape) => Simple::Shape(shape).rounding(pose),
            Self::Compound(compound) => compound.rounding(pose),
        }
    }

    /// A bounding sphere at a pose.
    pub(super) fn bounding_sphere(&self, pose: &Pose) -> Sphere {
        let compound = match self {
            Self::Tree(tree) => return Simple::Tree(tree).bounding_sphere(pose),
            Self::Shape(shape) => return Simple::Shape(shape).bounding_sphere(pose),
            Self::Compound(compound) => compound,
        };
        let bounds = compound.bounds();
        let margin = compound.rounding(pose) + compound.stretch_of_radii();
        let radius = bounds.half_extents().norm() * stretch(pose.deviation()) + margin;
        Sphere { center: pose.transform_point(&bounds.center()), radius }
    }
}

/// A tree, a convex shape or a compound with a pose in the world.
#[derive(Clone, Debug)]
pub struct Body {
    /// The mesh's tree, the convex shape, or the compound.
    pub geometry: Geometry,
    /// The pose that maps the geometry's points into the world. The translation is f64 and keeps its precision far from
    /// the origin.
    pub pose: Pose,
    /// Whether the body is static. Two static bodies are compared only after
    /// [`Scene::include_static_pairs`](super::Scene::include_static_pairs).
    pub is_static: bool,
    /// Whether the body is a solid rather than a surface; false by default. A body inside a solid one collides with it:
    /// [`intersecting_pairs`](super::Scene::intersecting_pairs), [`pairs_within`](super::Scene::pairs_within),
    /// [`closest_pair`](super::Scene::closest_pair), [`bodies_intersecting`](super::Scene::bodies_intersecting) and
    /// [`bodies_within`](super::Scene::bodies_within) report contact: the distance is 0, and both points are the inner
    /// surface's point nearest to the outer surface. [`impacts`](super::Scene::impacts) reports a contact at time 0. A
    /// solid body's mesh must be closed. A convex shape is solid in any case. Each part of a compound is a solid by
    /// itself.
    pub is_solid: bool,
    /// A number for the caller, which the scene ignores.
    pub user: u64,
    /// The collision groups that the body is in, as a bit set (unrelated to groups of a mesh). Bit 0 alone by default.
    pub groups: u32,
    /// The collision groups that the body is compared with, as a bit set; all bits by default. Bodies `a` and `b` are
    /// compared if `a.groups & b.mask != 0 && b.groups & a.mask != 0`.
    pub mask: u32,
}

impl Body {
    /// A movable body in collision group 0, compared with all groups.
    pub fn moving(geometry: impl Into<Geometry>, pose: Pose) -> Self {
        Self { geometry: geometry.into(), pose, is_static: false, is_solid: false, user: 0, groups: 1, mask: u32::MAX }
    }

    /// A static body in collision group 0, compared with all groups.
    pub fn fixed(geometry: impl Into<Geometry>, pose: Pose) -> Self {
        Self { is_static: true, ..Self::moving(geometry, pose) }
    }
}

impl Body {
    /// Whether queries treat the body as a solid; a solid body's mesh is closed.
    pub(super) fn solid(&self) -> Solid {
        if self.is_solid { Solid::IfClosed } else { Solid::No }
    }
}

/// The identifier of a body in a scene. Ids are ordered by insertion, except that a new body reuses the index of a
/// removed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyId {
    pub(super) index: u32,
    pub(super) generation: u32,
}

impl BodyId {
    /// A small index, unique among the bodies in the scene at the same time. The first bodies of a new scene have
    /// indices 0, 1, 2 and so on.
    pub fn index(self) -> usize {
        self.index as usize
    }

    /// The id as one number, for storage outside Rust.
    pub fn to_bits(self) -> u64 {
        u64::from(self.generation) << 32 | u64::from(self.index)
    }

    /// The id that [`BodyId::to_bits`] encoded. Other numbers give an id of no body or of an arbitrary one.
    pub fn from_bits(bits: u64) -> Self {
        Self { index: bits as u32, generation: (bits >> 32) as u32 }
    }
}

/// A body of the scene with the boxes derived from its pose.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) body: Body,
    /// The world AABB, grown as in [`Geometry::posed`].
    pub(super) bounds: Aabb,
    /// A bound on the rounding error of the body's coordinates.
    pub(super) rounding: f64,
    /// The box in the broad phase's tree: the body's AABB may move inside it without an update.
    pub(super) fat_aabb: Aabb32,
}

impl Slot {
    pub(super) fn new(body: Body) -> Self {
        let (bounds, rounding) = body.geometry.posed_and_rounding(&body.pose);
        Self { bounds, rounding, fat_aabb: Aabb32::EMPTY, body }
    }

    /// A slot without a body, which holds an empty mesh instead.
    pub(super) fn vacant() -> Self {
        Self::new(Body::moving(Arc::<BvTree>::default(), Pose::identity()))
    }

    /// Sets the pose, and the box and the rounding error that [`Geometry::posed_and_rounding`] returns for it. Returns
    /// a positive upper bound on the displacement of any of the body's points.
    #[inline(always)]
    pub(super) fn move_to(&mut self, pose: &Pose, bounds: Aabb, rounding: f64) -> f64 {
        let before = &self.body.pose;
        let farthest = if are_equal(before.rotation().as_slice(), pose.rotation().as_slice()) {
            (pose.translation() - before.translation()).norm()
        } else {
            // A copy, as in `posed_and_rounding`.
            let pose = *pose;
            pose.largest_displacement_from(before, &self.body.geometry.bounds())
        };
        let bound = displacement_bound(farthest, rounding + self.rounding);
        (self.body.pose, self.bounds, self.rounding) = (*pose, bounds, rounding);
        bound
    }

    /// Replaces the geometry and returns the old one. What the scene remembers about the body's pairs no longer holds.
    pub(super) fn set_geometry(&mut self, geometry: Geometry) -> Geometry {
        let before = std::mem::replace(&mut self.body.geometry, geometry);
        (self.bounds, self.rounding) = self.body.geometry.posed_and_rounding(&self.body.pose);
        before
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.bounds.is_empty()
    }

    #[inline]
    pub(super) fn has_pose(&self, pose: &Pose) -> bool {
        let (before, [from, to]) = (&self.body.pose, [self.body.pose.translation(), pose.translation()]);
        // Mostly one coordinate shows that a body moves.
        from.x == to.x
            && from.y == to.y
            && from.z == to.z
            && are_equal(before.rotation().as_slice(), pose.rotation().as_slice())
    }

    /// How far rounding may move a point of a seam off the body's surface, in the world's unit.
    pub(super) fn seam_tolerance(&self) -> f64 {
        let bounds = self.body.geometry.bounds();
        self.rounding + SEAM_ROUNDING * bounds.lower.coords.amax().max(bounds.upper.coords.amax())
    }

    /// The fat AABB around the body's AABB. A static body's is larger only by [`Slot::seam_tolerance`], so that the
    /// seams of other bodies find it.
    #[inline(always)]
    pub(super) fn fat_aabb_around(&self, around: &Aabb32) -> Aabb32 {
        if self.is_empty() {
            return *around;
        }
        if self.body.is_static { around.grown(margin_f32(self.seam_tolerance())) } else { around.fattened() }
    }
}

/// Whether two slices are equal, compared without a branch per number.
#[inline]
fn are_equal(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).fold(true, |same, (a, b)| same & (a == b))
}

/// The AABB of a posed box, grown by the rounding error; empty for an empty box.
#[inline(always)]
pub(super) fn posed(bounds: &Aabb, pose: &Pose) -> Aabb {
    posed_by(bounds, pose, body_rounding(pose, bounds))
}

/// [`posed`] with another margin in place of the rounding error.
#[inline(always)]
pub(super) fn posed_by(bounds: &Aabb, pose: &Pose, margin: f64) -> Aabb {
    if bounds.is_empty() {
        return Aabb::empty();
    }
    // Equivalent to `Aabb::transformed` without searching for the smaller and larger products.
    let center = pose.rotation() * bounds.center().coords + pose.translation();
    let half_extents = (pose.rotation().abs() * bounds.half_extents()).add_scalar(margin);
    Aabb { lower: (center - half_extents).into(), upper: (center + half_extents).into() }
}

/// A body's unit normal in world coordinates; zero stays zero.
pub(super) fn normal_to_world(pose: &Pose, normal: &Vector3<f64>) -> Vector3<f64> {
    (pose.rotation() * normal).try_normalize(0.0).unwrap_or_default()
}

/// The data of a body that are read for every candidate pair, in a dense array; also the state of a free index.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proxy {
    /// The body's AABB relative to the scene's origin; empty if there is no body or it is empty.
    pub(super) bounds: Aabb32,
    pub(super) displacement: Displacement,
    /// The number of bodies that had this index before.
    pub(super) generation: u32,
    pub(super) is_taken: bool,
}

impl Proxy {
    /// The proxy of a free index.
    pub(super) fn new(generation: u32) -> Self {
        Self { bounds: Aabb32::EMPTY, displacement: Displacement::default(), generation, is_taken: false }
    }

    /// Whether a body with this id has the index.
    #[inline]
    pub(super) fn holds(&self, id: BodyId) -> bool {
        self.is_taken & (self.generation == id.generation)
    }

    #[inline]
    pub(super) fn set_bounds(&mut self, slot: &Slot, origin: &[f64; 3]) {
        self.bounds = if slot.is_empty() { Aabb32::EMPTY } else { Aabb32::around(&slot.bounds, origin) };
    }

    pub(super) fn is_empty(&self) -> bool {
        self.bounds.lower[0] > self.bounds.upper[0]
    }
}

// Three proxies fit in two cache lines.
const _: () = assert!(size_of::<Proxy>() == 40);
