//! Bodies of a scene: a shared tree, where it stands, and what it is compared with.

use std::sync::Arc;

use nalgebra::{Point3, Vector3};

use super::broad_phase::Aabb32;
use super::pair_memory::Displacement;
use crate::pose::Pose;
use crate::shape::{Aabb, Sphere};
use crate::tree::BvTree;

/// A moving body's box has room to all sides for this part of its size.
const ROOM: f32 = 0.05;

/// A posed tree. Thousands of bodies may share one tree.
#[derive(Clone, Debug)]
pub struct Body {
    /// The mesh's tree.
    pub tree: Arc<BvTree>,
    /// Takes the mesh's points into the world. Its translation is f64, so that nothing is lost far from the world's
    /// origin.
    pub pose: Pose,
    /// BodyPair static bodies are not compared unless [`Scene::include_static_pairs`](super::Scene::include_static_pairs)
    /// asks for it.
    pub is_static: bool,
    /// Whether the body is solid rather than a surface, which is the default: a body that lies inside a solid one
    /// collides with it. Then [`intersecting_pairs`](super::Scene::intersecting_pairs),
    /// [`pairs_within`](super::Scene::pairs_within), [`closest_pair`](super::Scene::closest_pair),
    /// [`bodies_intersecting`](super::Scene::bodies_intersecting) and [`bodies_within`](super::Scene::bodies_within)
    /// say that the two touch, at distance 0 where the inner one's surface is nearest to the outer one's. The mesh must
    /// be closed. Times of impact are those of surfaces.
    pub is_solid: bool,
    /// For the caller: not looked at.
    pub user: u64,
    /// The collision groups that it is in, a bit set (no groups of a mesh). Bit 0 alone by default.
    pub groups: u32,
    /// The collision groups that it is compared with, a bit set; all bits by default. BodyPair bodies are compared if each
    /// accepts the other: `a.groups & b.mask != 0 && b.groups & a.mask != 0`.
    pub mask: u32,
}

impl Body {
    /// A body that may move, in the first collision group (bit 0) and compared with all. (Unlike
    /// [`character::Body::moving`](crate::character::Body::moving), which has a motion, it has a pose alone.)
    pub fn moving(tree: Arc<BvTree>, pose: Pose) -> Self {
        Self { tree, pose, is_static: false, is_solid: false, user: 0, groups: 1, mask: u32::MAX }
    }

    /// A body that stands still, in the first collision group (bit 0) and compared with all.
    pub fn fixed(tree: Arc<BvTree>, pose: Pose) -> Self {
        Self { is_static: true, ..Self::moving(tree, pose) }
    }

    /// The box in the world around the mesh's box, with room for rounding; empty for an empty mesh.
    pub(super) fn bounds(&self) -> Aabb {
        posed_bounds(&self.tree, &self.pose)
    }

    /// A ball in the world around the mesh's box.
    pub(super) fn bounding_sphere(&self) -> Sphere {
        let bounds = self.tree.bounds();
        let center = to_world(&self.pose, &bounds.center());
        let stretch = 1.0 + 2.0 * self.pose.deviation() + 1e-12;
        let radius = bounds.half_extents().norm() * stretch + rounding(&self.pose, bounds);
        Sphere { center, radius }
    }
}

/// A body of a scene. Ids order as bodies were added, but for those that take the place of a removed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyId {
    pub(super) index: u32,
    pub(super) generation: u32,
}

impl BodyId {
    /// A small number, unique among the bodies that are in the scene together. Bodies that are added to a new scene
    /// have 0, 1, 2 and so on.
    pub fn index(self) -> usize {
        self.index as usize
    }

    /// The id as one number, for those who keep it outside of Rust.
    pub fn to_bits(self) -> u64 {
        u64::from(self.generation) << 32 | u64::from(self.index)
    }

    /// The id that [`BodyId::to_bits`] gave. Of any other number it is of no body, or of one that the caller did not
    /// mean.
    pub fn from_bits(bits: u64) -> Self {
        Self { index: bits as u32, generation: (bits >> 32) as u32 }
    }
}

/// A body in its place, with what follows from where it stands.
#[derive(Clone, Debug)]
pub(super) struct Slot {
    pub(super) body: Body,
    /// In the world, with room for rounding.
    pub(super) bounds: Aabb,
    /// What the body may move in until the broad phase has to know: its box there.
    pub(super) fat_aabb: Aabb32,
}

impl Slot {
    /// Of a body that has these bounds where it stands.
    pub(super) fn new(body: Body, bounds: Aabb) -> Self {
        Self { bounds, fat_aabb: Aabb32::EMPTY, body }
    }

    /// Where there is no body: an empty one.
    pub(super) fn vacant() -> Self {
        Self::new(Body::moving(Arc::default(), Pose::identity()), Aabb::empty())
    }

    /// Puts the body elsewhere, where its bounds are these. Returns a bound, which is positive, on how far any of its
    /// points comes.
    #[inline]
    pub(super) fn move_to(&mut self, pose: &Pose, bounds: Aabb) -> f64 {
        let before = &self.body.pose;
        let mesh_bounds = self.body.tree.bounds();
        let farthest = if are_equal(before.rotation().as_slice(), pose.rotation().as_slice()) {
            (pose.translation() - before.translation()).norm()
        } else {
            largest_corner_displacement(mesh_bounds, before, pose)
        };
        let rounding = rounding(pose, mesh_bounds) + rounding(before, mesh_bounds);
        (self.body.pose, self.bounds) = (*pose, bounds);
        // Squares of what is shorter than the last term may have become 0.
        farthest * (1.0 + 1e-14) + rounding + 4e-154
    }

    /// Bounds what rounding does to coordinates where the body stands.
    pub(super) fn rounding(&self) -> f64 {
        rounding(&self.body.pose, self.body.tree.bounds())
    }

    /// Gives the body another tree. What is known about its pairs no longer holds then.
    pub(super) fn set_tree(&mut self, tree: Arc<BvTree>) -> Arc<BvTree> {
        let before = std::mem::replace(&mut self.body.tree, tree);
        self.bounds = self.body.bounds();
        before
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.bounds.is_empty()
    }

    /// Whether it stands there already.
    #[inline]
    pub(super) fn has_pose(&self, pose: &Pose) -> bool {
        let before = &self.body.pose;
        are_equal(before.translation().as_slice(), pose.translation().as_slice())
            && are_equal(before.rotation().as_slice(), pose.rotation().as_slice())
    }

    /// What the body, which has this box, may move in until the broad phase has to know.
    #[inline]
    pub(super) fn fat_aabb_around(&self, around: &Aabb32) -> Aabb32 {
        if self.is_empty() {
            return *around;
        }
        around.grown(if self.body.is_static { 0.0 } else { ROOM * around.largest_side() })
    }
}

/// Without a branch for each number.
#[inline]
fn are_equal(a: &[f64], b: &[f64]) -> bool {
    a.iter().zip(b).fold(true, |same, (a, b)| same & (a == b))
}

/// The box around a posed mesh, with room for rounding; empty for an empty mesh.
pub(super) fn posed_bounds(tree: &BvTree, pose: &Pose) -> Aabb {
    posed(tree.bounds(), pose)
}

/// The box around a posed box, with room for rounding; empty for an empty one.
#[inline(always)]
pub(super) fn posed(bounds: &Aabb, pose: &Pose) -> Aabb {
    if bounds.is_empty() {
        return Aabb::empty();
    }
    // As `Aabb::transformed`, but with no least and greatest to be found.
    let center = pose.rotation() * bounds.center().coords + pose.translation();
    let half_extents = (pose.rotation().abs() * bounds.half_extents()).add_scalar(rounding(pose, bounds));
    Aabb { lower: (center - half_extents).into(), upper: (center + half_extents).into() }
}

/// How far the corner of a box comes that comes farthest from one pose to another.
fn largest_corner_displacement(bounds: &Aabb, from: &Pose, to: &Pose) -> f64 {
    let moved = bounds.corners().map(|corner| (to_world(to, &corner) - to_world(from, &corner)).norm_squared());
    moved.into_iter().fold(0.0, f64::max).sqrt()
}

/// A box that is not empty, grown to all sides.
pub(super) fn grown(bounds: &Aabb, by: f64) -> Aabb {
    Aabb { lower: bounds.lower.map(|x| x - by), upper: bounds.upper.map(|x| x + by) }
}

/// Bounds what rounding does to a coordinate of a body that has this box, and to another body's near it: in the world,
/// or in either one's frame.
///
/// With `m` the largest coordinate: a posed point rounds by at most 4 units of 2^-53 of 4 `m`; the relative pose's
/// matrix and translation by 4 units each of 3 `m`. The inverse of a matrix that is off a rotation by up to 1e-14 is
/// taken for its transpose ([`Pose::inverse_rotation`]), which moves points by up to 3e-14 of 2 `m`. Together less than
/// 7e-14 `m`.
#[inline]
fn rounding(pose: &Pose, bounds: &Aabb) -> f64 {
    1e-13 * (largest(&bounds.lower.coords) + largest(&bounds.upper.coords) + largest(pose.translation()))
}

/// As `amax`, of what is not NaN.
#[inline]
fn largest(v: &Vector3<f64>) -> f64 {
    let greater = |a: f64, b: f64| if a > b { a } else { b };
    greater(greater(v.x.abs(), v.y.abs()), v.z.abs())
}

#[inline]
pub(super) fn to_world(pose: &Pose, point: &Point3<f64>) -> Point3<f64> {
    Point3::from(pose.rotation() * point.coords + pose.translation())
}

/// A unit normal of a body, in the world; zero stays zero.
pub(super) fn normal_to_world(pose: &Pose, normal: &Vector3<f64>) -> Vector3<f64> {
    (pose.rotation() * normal).try_normalize(0.0).unwrap_or_default()
}

/// A body's place in a scene, which may be free: box and state, by an index that never changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Proxy {
    /// Around the body, about the scene's origin. Nothing where there is no body, or one without triangles.
    pub(super) bounds: Aabb32,
    /// How far the body has moved.
    pub(super) displacement: Displacement,
    /// How many bodies the place has had.
    pub(super) generation: u32,
    /// Whether it has a body.
    pub(super) is_taken: bool,
}

impl Proxy {
    /// That nobody has had.
    pub(super) fn new(generation: u32) -> Self {
        Self { bounds: Aabb32::EMPTY, displacement: Displacement::default(), generation, is_taken: false }
    }

    /// Puts a body there.
    pub(super) fn take(&mut self, slot: &Slot, origin: &[f64; 3]) {
        self.is_taken = true;
        self.set_bounds(slot, origin);
    }

    #[inline]
    pub(super) fn set_bounds(&mut self, slot: &Slot, origin: &[f64; 3]) {
        self.bounds = if slot.is_empty() { Aabb32::EMPTY } else { Aabb32::around(&slot.bounds, origin) };
    }

    /// Takes its body away.
    pub(super) fn leave(&mut self) {
        *self = Self::new(self.generation.wrapping_add(1));
    }

    /// Whether nothing can be near.
    pub(super) fn is_empty(&self) -> bool {
        self.bounds.lower[0] > self.bounds.upper[0]
    }
}

// Three fit in two cache lines.
const _: () = assert!(size_of::<Proxy>() == 40);
