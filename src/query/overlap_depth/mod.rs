//! Overlap depth: the depth to which the surfaces of two solids reach into each other; and the Hausdorff distance, for
//! which the same search examines all points of the surfaces, not only those inside.

mod candidates;
mod caps;
mod extent;
mod hull;
mod mixture;
mod moves;
mod piece;
mod pieces;
mod regions;
mod search;
mod surface;

use std::ops::ControlFlow;
use std::time::Duration;

use nalgebra::Point3;

use super::{Query, QueryError, QueryStats, Relation, Solid};
use crate::enum_names::parsed_names;
use crate::pose::Pose;
use crate::shape::Aabb;
use crate::traversal::{PosedTrees, TraversalPolicy};
use crate::tree::BvTree;
pub(super) use candidates::Marks;
use search::{Bounds, Search};
use surface::Surface;

/// The tolerances and limits of a search for a depth or a Hausdorff distance.
///
/// The search ends once `upper - lower` is at most the larger of both tolerances or the rounding error of the
/// coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DepthOptions {
    /// The greatest `upper - lower` at which the search ends, as a fraction of `lower`. 0.01 by default.
    pub relative_tolerance: f64,
    /// The greatest `upper - lower` at which the search ends, in A's unit. 0 by default.
    pub absolute_tolerance: f64,
    /// The number of regions that the search may examine before it returns the interval that it has; each takes about a
    /// microsecond and some 600 bytes. A million by default.
    pub max_regions: usize,
    /// The time after which the search returns the interval that it has. Unlimited by default, and on bare WebAssembly
    /// (`wasm32-unknown-unknown`) unless the program has set a clock with `query::set_clock`.
    pub time_limit: Option<Duration>,
}

impl Default for DepthOptions {
    fn default() -> Self {
        Self { relative_tolerance: 0.01, absolute_tolerance: 0.0, max_regions: 1_000_000, time_limit: None }
    }
}

/// The overlap depth of two solids: a proven interval, and the deepest point that was found.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias = "protrusion")]
pub struct OverlapDepth {
    /// A lower bound on the depth, in A's unit: the depth of the `deepest` point, less rounding. 0 if the interiors
    /// don't overlap.
    pub lower: f64,
    /// An upper bound on the depth, in A's unit. 0 if the interiors don't overlap.
    pub upper: f64,
    /// The deepest point and the point of the other surface closest to it; `None` if none was found inside.
    pub deepest: Option<DeepestPoint>,
}

/// A point of one surface inside the other solid.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DeepestPoint {
    /// The point, in A's frame.
    pub point: Point3<f64>,
    /// The closest point of the other surface, in A's frame. The direction from `point` to it is the shortest way out.
    pub way_out: Point3<f64>,
    /// Whether the point is on B's surface, inside A. Otherwise it is on A's, inside B.
    pub is_on_b: bool,
}

/// A region of overlap of two solids: a connected piece of their intersection.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct OverlapRegion {
    /// The overlap depth in this region.
    pub depth: OverlapDepth,
    /// The bounding box of the region, in A's frame.
    pub bounds: Aabb,
}

/// The direction of a Hausdorff distance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum HausdorffDirection {
    /// The distances from the points of A to the surface of B.
    AToB,
    /// The distances from the points of B to the surface of A.
    BToA,
    /// The greater of the distances in the two directions.
    #[default]
    Both,
}

parsed_names!(HausdorffDirection, "direction", AToB = "a_to_b" | "a-to-b", BToA = "b_to_a" | "b-to-a", Both = "both");

/// The Hausdorff distance between two surfaces: a proven interval.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct HausdorffDistance {
    /// A lower bound, in A's unit: the distance of `point` from the other surface, less rounding.
    pub lower: f64,
    /// An upper bound, in A's unit.
    pub upper: f64,
    /// The point farthest from the other surface that was found, in A's frame.
    pub point: Point3<f64>,
    /// The point of the other surface closest to `point`, in A's frame.
    pub closest: Point3<f64>,
    /// Whether `point` is on B's surface.
    pub is_on_b: bool,
}

impl Bounds {
    fn depth(&self, b_to_a: &Pose) -> OverlapDepth {
        let deepest = self.farthest.map(|found| {
            let [point, way_out] = found.in_frame_of_a(b_to_a);
            DeepestPoint { point, way_out, is_on_b: found.side == 1 }
        });
        OverlapDepth { lower: self.lower, upper: self.upper, deepest }
    }
}

impl Query {
    /// The overlap depth of two solids: the distance from the deepest point of either surface inside the other solid to
    /// that solid's surface. It is 0 if the interiors don't overlap, and nanometres where parts that fit snugly overlap
    /// by rounding. The depth is the same if A and B are swapped, within the interval.
    ///
    /// This is a local depth: what reports of clashes call protrusion. It may be far less than the shortest translation
    /// that separates the meshes, which is [`Query::penetration_depth`].
    ///
    /// The search is a branch and bound over the trees and then over parts of triangles, as for Hausdorff distances
    /// (Tang, Lee and Kim, "Interactive Hausdorff Distance Computation for General Polygonal Models", 2009). A triangle
    /// that meets the other surface is clipped to its part inside, weighted distances from several triangles bound a
    /// part's depth, and a part is cut where the triangle that is closest to it changes. B is also moved along the
    /// shortest way out from the deepest point: points that are outside after the move are no deeper than its length.
    /// The search stops at the tolerances or limits of `options`. Both bounds are proven, including the rounding of
    /// coordinates.
    ///
    /// # Errors
    ///
    /// [`QueryError::OpenMesh`] if a mesh is not closed ([`BvTree::watertightness`]) and not [`Solid::Robust`]
    /// ([`Query::set_solids`]): then nothing is inside it. For an open mesh the interval is an estimate, since the
    /// inside that [`Solid::Robust`] defines also ends where there is no surface.
    #[doc(alias = "penetration depth")]
    #[doc(alias = "protrusion")]
    pub fn overlap_depth(
        &mut self,
        a: &BvTree,
        b: &BvTree,
        b_to_a: &Pose,
        options: &DepthOptions,
    ) -> Result<OverlapDepth, QueryError> {
        let bounds = self.search_overlap([a, b], b_to_a, options, |search| search.run(&[0, 1]))?;
        Ok(bounds.map_or(OverlapDepth { lower: 0.0, upper: 0.0, deepest: None }, |bounds| bounds.depth(b_to_a)))
    }

    /// The regions in which two solids overlap, each with its overlap depth; the deepest first. Empty if the interiors
    /// don't overlap. The greatest depth is [`Query::overlap_depth`].
    ///
    /// A region is a connected piece of the intersection, found by following the surfaces: where a table with four legs
    /// sinks into a floor, there are four. Regions that touch, up to rounding, count as one. A hollow inside a region,
    /// which is bounded by a surface of its own, counts as a region. Regions whose depth is 0 up to rounding are left
    /// out. The tolerances and limits of `options` apply to each region.
    ///
    /// # Errors
    ///
    /// As [`Query::overlap_depth`].
    #[doc(alias = "contact patch")]
    pub fn overlap_regions(
        &mut self,
        a: &BvTree,
        b: &BvTree,
        b_to_a: &Pose,
        options: &DepthOptions,
    ) -> Result<Vec<OverlapRegion>, QueryError> {
        let found = self.search_overlap([a, b], b_to_a, options, |search| search.run_by_region())?;
        let regions = found.into_iter().flatten();
        let depths = regions.map(|(found, bounds)| OverlapRegion { depth: found.depth(b_to_a), bounds });
        let mut regions: Vec<_> = depths.filter(|region| region.depth.deepest.is_some()).collect();
        regions.sort_by(|p, q| q.depth.lower.total_cmp(&p.depth.lower));
        Ok(regions)
    }

    /// Prepares a search for depths, and calls `run` with it. `None` if the interiors don't overlap.
    fn search_overlap<T>(
        &mut self,
        [a, b]: [&BvTree; 2],
        b_to_a: &Pose,
        options: &DepthOptions,
        run: impl FnOnce(&mut Search<'_>) -> T,
    ) -> Result<Option<T>, QueryError> {
        QueryError::require_closed([a, b], self.solids.map(|solid| solid == Solid::Robust))?;
        let trees = PosedTrees::new([a, b], b_to_a);
        let contacts = self.leaf_contacts(&trees, usize::MAX).unwrap_or_default();
        let mut work = self.stats;
        self.uncertainty = 0.0;
        let cross = |&[leaf_a, leaf_b]: &[u32; 2]| {
            let [triangle_a, triangle_b] = trees.pair(leaf_a as usize, leaf_b as usize);
            triangle_a.crosses(&triangle_b)
        };
        if !contacts.iter().any(cross) {
            let relation = self.relation(a, b, b_to_a);
            work += self.stats;
            self.stats = work;
            if matches!(relation, Relation::Touching | Relation::Separate) {
                return Ok(None);
            }
        }
        let surfaces = [0, 1].map(|side| Surface::new([a, b], &trees, side, &contacts));
        let mut search = Search::new(self, surfaces, true, options);
        let found = run(&mut search);
        work += search.stats();
        self.stats = work;
        Ok(Some(found))
    }

    /// The pairs of intersecting triangles, by leaf indices; `None` if there are more than `most`.
    fn leaf_contacts(&mut self, trees: &PosedTrees<'_>, most: usize) -> Option<Vec<[u32; 2]>> {
        let mut contacts: Vec<[u32; 2]> = Vec::new();
        self.stats = self.for_each_leaf_pair(trees, TraversalPolicy::ALL, &mut |leaf_a, leaf_b| {
            contacts.push([leaf_a as u32, leaf_b as u32]);
            if contacts.len() > most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        (contacts.len() <= most).then_some(contacts)
    }

    /// The Hausdorff distance between two surfaces: the greatest distance from a point of one to the closest point of
    /// the other, in one direction, or the greater of the distances in the two directions. `None` if a mesh is empty.
    /// Meshes may be open.
    pub fn hausdorff_distance(
        &mut self,
        a: &BvTree,
        b: &BvTree,
        b_to_a: &Pose,
        direction: HausdorffDirection,
        options: &DepthOptions,
    ) -> Option<HausdorffDistance> {
        let trees = PosedTrees::new([a, b], b_to_a);
        if trees.is_empty() {
            self.stats = QueryStats::default();
            return None;
        }
        let surfaces = [0, 1].map(|side| Surface::new([a, b], &trees, side, &[]));
        let mut search = Search::new(self, surfaces, false, options);
        let sides: &[usize] = match direction {
            HausdorffDirection::AToB => &[0],
            HausdorffDirection::BToA => &[1],
            HausdorffDirection::Both => &[0, 1],
        };
        let Bounds { lower, upper, farthest } = search.run(sides);
        let work = search.stats();
        self.stats = work;
        // Where all distances round to 0, any point is the farthest.
        let side = farthest.map_or(sides[0], |found| found.side);
        let [point, closest] = match farthest {
            Some(found) => found.in_frame_of_a(b_to_a),
            None => [trees.triangle(side, 0).vertices[0]; 2],
        };
        Some(HausdorffDistance { lower, upper, point, closest, is_on_b: side == 1 })
    }
}
