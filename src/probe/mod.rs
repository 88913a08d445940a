//! Queries about one tree: ray casts, closest points, containment, overlaps, and contacts and casts of capsules
//! and other convex shapes.
//!
//! | Query | Result and guarantee |
//! |---|---|
//! | [`Probe::closest_hit`], [`Probe::any_hit`], [`Probe::for_each_hit`] | ray casts; exact (watertight) |
//! | [`Probe::closest_point`], [`Probe::closest_point_within`] | the closest point, up to rounding |
//! | [`Probe::contains`] | inside, outside or on the surface, exactly; undefined for an open mesh |
//! | [`Probe::contains_robust`] | the same for a mesh that may have holes, and how certain it is |
//! | [`Probe::signed_distance`] | the distance, negative inside; the sign is exact |
//! | [`winding_number`] | the generalized winding number, also for an open mesh |
//! | [`Probe::for_each_face_in_aabb`], [`Probe::for_each_face_in_obb`] | the triangles that touch a box |
//! | [`Probe::for_each_face_in_sphere`] | the triangles that touch a sphere |
//! | [`Probe::intersects_convex`], [`Probe::for_each_face_in_convex`] | the triangles that touch a convex shape |
//! | [`Probe::closest_to_convex`] | the closest points of a convex shape and the mesh |
//! | [`Probe::support_point`] | the vertex that is farthest along a direction, to compare with half-spaces |
//! | [`Probe::cast_convex`] | when a moving convex shape first meets a triangle; `None` is a proof |
//! | [`Probe::for_each_convex_contact`] | contacts of a convex shape: points, normals, signed distances |
//! | [`Probe::closest_convex_contact`] | the deepest or nearest of these contacts |
//! | [`Probe::convex_contact_manifolds`] | points, depths and normals for a solver of rigid bodies |
//! | [`Probe::for_each_capsule_contact`] | contacts of a capsule or sphere: points, normals, signed distances |
//! | [`Probe::closest_capsule_contact`] | the deepest or nearest of these contacts |
//! | [`Probe::cast_capsule`] | when a moving capsule or sphere first meets a triangle; `None` is a proof |
//!
//! Most take O(log n) time, plus time for each result; the first [`winding_number`] and [`Probe::contains`] take O(n
//! log n).
//!
//! Rays, points and volumes are in the mesh's frame and unit. Results don't depend on the tree's volume kind or build
//! options, nor on the SIMD level: of triangles that tie, the one with the lowest index is returned (of several that
//! touch the shape, [`Probe::closest_to_convex`] may return any). An empty mesh has no hits, no closest point and no
//! inside. Coordinates and lengths of directions must be zero or in `1e-60 ..= 1e60`; beyond that range results may be
//! wrong or missing. Input that is not finite meets nothing.

mod capsule_cast;
mod capsule_contacts;
mod capsule_convex;
mod closest_point;
mod contains;
mod convex;
mod convex_cast;
mod convex_contacts;
mod masked;
mod near_shape;
mod overlap;
mod ray;
mod support;
mod swept_path;

pub use crate::mesh::Watertightness;
pub use crate::traversal::QueryStats;
pub(crate) use capsule_cast::is_from_behind;
pub use capsule_cast::{CapsuleCastHit, CastOptions};
pub use capsule_contacts::CapsuleContact;
pub use closest_point::ClosestOnMesh;
pub(crate) use contains::containment;
pub use contains::{Containment, RobustContainment, winding_number};
pub use convex::ClosestToConvex;
pub use convex_cast::ConvexCastHit;
pub use convex_contacts::ConvexContact;
pub use ray::{Ray, RayHit};
pub use support::SupportPoint;

use masked::Masked;
use nalgebra::Vector3;

use crate::simd::SimdLevel;
use crate::traversal::{NodeStack, NodeVolumeTest, TriangleVisitor, traverse};
use crate::tree::BvTree;
#[cfg(doc)]
use crate::tree::Layers;
use crate::volume::NodeRef;

/// Answers queries about one tree: with a ray, a point, a box, a sphere, a capsule or another convex shape.
/// ([`Query`](crate::Query) is for two trees.)
///
/// It keeps scratch memory between queries and does not allocate after warm-up. Use one per thread.
#[derive(Debug)]
#[doc(alias = "RayCast")]
#[doc(alias = "PointQuery")]
#[doc(alias = "TreeQuery")]
#[doc(alias = "single-tree query")]
pub struct Probe {
    pub(crate) level: SimdLevel,
    stack: NodeStack,
    stats: QueryStats,
    mask: Option<u32>,
}

impl Default for Probe {
    fn default() -> Self {
        Self::new()
    }
}

impl Probe {
    /// A probe that uses the best instructions of this CPU.
    pub fn new() -> Self {
        Self::with_simd(SimdLevel::detect())
    }

    /// A probe that uses the given SIMD level, or the baseline (SSE2, NEON, simd128 or portable code) if this CPU lacks
    /// it. Results are the same for all levels.
    pub fn with_simd(level: SimdLevel) -> Self {
        Self { level, stack: NodeStack::default(), stats: QueryStats::default(), mask: None }
    }

    /// The work of the last query.
    pub fn stats(&self) -> QueryStats {
        self.stats
    }

    /// Restricts later queries to the triangles with a layer in a mask (`layers.bits & mask != 0`), and lets rays and
    /// casts pass one-sided triangles from behind; see [`Layers`]. `None`, the default, admits all triangles, from both
    /// sides. For a tree without [layers](BvTree::set_layers), the mask has no effect.
    ///
    /// [`Probe::contains`], [`Probe::contains_robust`] and [`Probe::signed_distance`] ignore the mask: they are about
    /// the whole mesh. Queries of a [`Scene`](crate::scene::Scene) that take a mask use that mask in place of this one.
    #[doc(alias = "filter")]
    #[doc(alias = "layer mask")]
    pub fn set_mask(&mut self, mask: Option<u32>) {
        self.mask = mask;
    }

    /// The mask of later queries, as set by [`Probe::set_mask`].
    pub fn mask(&self) -> Option<u32> {
        self.mask
    }

    /// Runs a query with another mask, then restores the present one.
    pub(crate) fn masked<R>(&mut self, mask: Option<u32>, ask: impl FnOnce(&mut Self) -> R) -> R {
        let before = std::mem::replace(&mut self.mask, mask);
        let answer = ask(self);
        self.mask = before;
        answer
    }

    /// Traverses like [`Probe::traverse`]; the visitor gets only the triangles that the mask lets through. Given a
    /// direction of movement, one-sided triangles are left out unless the movement is toward their front.
    fn traverse_masked(
        &mut self,
        tree: &BvTree,
        test: &impl NodeVolumeTest,
        limit: f32,
        visitor: &mut dyn TriangleVisitor,
        direction: Option<&Vector3<f64>>,
    ) {
        let mut masked;
        let visitor: &mut dyn TriangleVisitor = match tree.layer_filter(self.mask) {
            None => visitor,
            Some(filter) => {
                masked = Masked { filter, direction, limit, visitor };
                &mut masked
            }
        };
        self.traverse(tree, test, limit, visitor);
    }

    fn traverse(&mut self, tree: &BvTree, test: &impl NodeVolumeTest, limit: f32, visitor: &mut dyn TriangleVisitor) {
        traverse(self.level, tree, NodeRef::ROOT, &mut self.stack, (test, limit), visitor, &mut self.stats);
    }
}
