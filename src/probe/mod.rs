//! Queries about one tree: ray casts, closest points, containment, overlaps, and contacts and casts of capsules.
//!
//! | Query | Result | Guarantee | Cost |
//! |---|---|---|---|
//! | [`closest_hit`](Probe::closest_hit), [`any_hit`](Probe::any_hit), [`for_each_hit`](Probe::for_each_hit) | where a ray meets triangles | hit or miss is exact, so closed meshes are watertight; times are rounded | usually O(log n), plus the hits |
//! | [`closest_point`](Probe::closest_point), [`closest_point_within`](Probe::closest_point_within) | the closest point of the mesh | distance to a few roundings | usually O(log n) |
//! | [`contains`](Probe::contains) | inside, outside or on the surface | exact; undefined for a mesh that is not closed | a ray with all its hits |
//! | [`signed_distance`](Probe::signed_distance) | the distance, negative inside | the sign is exact, the distance as above | both of the above |
//! | [`winding_number`] | the winding number; a fraction if the mesh is open | to rounding | usually O(sqrt n); the first time O(n log n) |
//! | [`for_each_in_aabb`](Probe::for_each_in_aabb), [`for_each_in_obb`](Probe::for_each_in_obb), [`for_each_in_sphere`](Probe::for_each_in_sphere) | the triangles that touch a box or sphere | see [`Overlaps`](crate::shape::Overlaps) | O(log n) plus the results |
//! | [`cast_capsule`](Probe::cast_capsule) | when a moving sphere or capsule first meets a triangle | never late, and within a tolerance; no hit is proven | usually O(log n) |
//! | [`for_each_capsule_contact`](Probe::for_each_capsule_contact), [`closest_capsule_contact`](Probe::closest_capsule_contact) | contacts of a sphere or capsule: points, normals, signed distances | to a few roundings | O(log n) plus the results |
//!
//! Rays, points and volumes are in the mesh's frame and unit. Results don't depend on the tree's volume kind or build
//! options, nor on the SIMD level: of triangles that tie, the one with the lowest index is returned. An empty mesh has
//! no hits, no closest point and no inside. Coordinates and lengths of directions must be zero or in `1e-60 ..= 1e60`;
//! beyond that range results may be wrong or missing. Input that is not finite meets nothing.

mod capsule_cast;
mod capsule_contacts;
mod closest_point;
mod contains;
mod overlap;
mod ray;

pub use crate::mesh::Watertightness;
pub use crate::traversal::ProbeStats;
pub use capsule_cast::{CapsuleCastHit, CastOptions};
pub use capsule_contacts::CapsuleContact;
pub use closest_point::ClosestOnMesh;
pub(crate) use contains::containment;
pub use contains::{Containment, winding_number};
pub use ray::{Ray, RayHit};

use crate::simd::SimdLevel;
use crate::traversal::{NodeStack, NodeVolumeTest, TriangleVisitor, traverse};
use crate::tree::BvTree;
use crate::volume::NodeRef;

/// Answers queries about one tree: with a ray, a point, a box, a sphere or a capsule. ([`Query`](crate::Query) is for
/// two trees.)
///
/// It keeps scratch memory between queries and does not allocate after warm-up. Use one per thread.
#[derive(Debug)]
#[doc(alias = "RayCast")]
#[doc(alias = "PointQuery")]
#[doc(alias = "TreeQuery")]
#[doc(alias = "single-tree query")]
pub struct Probe {
    level: SimdLevel,
    stack: NodeStack,
    stats: ProbeStats,
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
        Self { level, stack: NodeStack::default(), stats: ProbeStats::default() }
    }

    /// The work of the last query.
    pub fn stats(&self) -> ProbeStats {
        self.stats
    }

    fn traverse(&mut self, tree: &BvTree, test: impl NodeVolumeTest, visitor: &mut dyn TriangleVisitor) {
        self.traverse_from(tree, NodeRef::ROOT, test, visitor);
    }

    fn traverse_from(
        &mut self,
        tree: &BvTree,
        from: NodeRef,
        test: impl NodeVolumeTest,
        visitor: &mut dyn TriangleVisitor,
    ) {
        self.stats = traverse(self.level, tree, from, &mut self.stack, test, visitor);
    }
}
