//! Questions about one tree: rays, points, volumes and moving capsules against a mesh.
//!
//! | Question | Answer | Guarantee | Cost |
//! |---|---|---|---|
//! | [`closest_hit`](Probe::closest_hit), [`any_hit`](Probe::any_hit), [`for_each_hit`](Probe::for_each_hit) | where a ray meets triangles | whether they meet is exact, so closed meshes are watertight; times are rounded | O(log n) as a rule; plus the hits |
//! | [`closest_point`](Probe::closest_point), [`closest_point_within`](Probe::closest_point_within) | the mesh's nearest point | distance to a few roundings | O(log n) as a rule |
//! | [`contains`](Probe::contains) | inside, outside or on the surface | exact; undefined for a mesh that is not closed | as a ray with all its hits |
//! | [`signed_distance`](Probe::signed_distance) | distance, negative inside | sign exact, distance as above | both of the above |
//! | [`winding_number`] | how often the mesh winds around the point, as a fraction where it is open | to rounding | O(sqrt n) as a rule; the first time O(n log n) |
//! | [`for_each_in_aabb`](Probe::for_each_in_aabb), [`for_each_in_obb`](Probe::for_each_in_obb), [`for_each_in_sphere`](Probe::for_each_in_sphere) | triangles that touch the volume | as [`Overlaps`](crate::shape::Overlaps) of a triangle and the shape | O(log n) and what is found |
//! | [`cast`](Probe::cast) | when a moving sphere or capsule first meets a triangle | never too late, and within a tolerance; a result of no hit is a proof | O(log n) as a rule |
//! | [`for_each_contact`](Probe::for_each_contact), [`closest_contact`](Probe::closest_contact) | where a sphere or capsule touches or nearly touches: points, normals, depths | to a few roundings | O(log n) and what is found |
//!
//! Rays, points and volumes are in the mesh's frame and unit. Answers don't depend on the tree's kind or options, nor
//! on the instructions used: where triangles tie, the one with the lowest index is returned. An empty mesh has no hits,
//! no closest point and no inside. Coordinates and directions should be zero or of magnitude `1e-60 ..= 1e60`; beyond
//! that range answers may be wrong or missing, and what is not finite meets nothing.

mod capsule_cast;
mod capsule_contacts;
mod closest_point;
mod contains;
mod overlap;
mod ray;

pub use crate::mesh::Watertightness;
pub use crate::traversal::ProbeStats;
pub use capsule_cast::{CastHit, CastOptions};
pub use capsule_contacts::CapsuleContact;
pub use closest_point::ClosestOnMesh;
pub(crate) use contains::containment;
pub use contains::{Containment, winding_number};
pub use ray::{Ray, RayHit};

use crate::simd::SimdLevel;
use crate::traversal::{NodeStack, NodeVolumeTest, TriangleVisitor, traverse};
use crate::tree::BvTree;
use crate::volume::NodeRef;

/// Answers questions about one tree: what a ray, a point, a box, a sphere or a capsule finds there.
/// ([`Query`](crate::Query) is for two trees.) Keeps its scratch memory from one question to the next, so that a
/// warmed-up probe allocates nothing; use one per thread.
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
    /// it. Answers are the same.
    pub fn with_simd(level: SimdLevel) -> Self {
        Self { level, stack: NodeStack::default(), stats: ProbeStats::default() }
    }

    /// The work of the last question.
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
