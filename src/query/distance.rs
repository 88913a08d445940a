//! The least distance between two meshes.
//!
//! A branch and bound search. It first looks for any intersecting pair of triangles by volume overlap. If there is
//! none, it traverses both trees by lower bounds on the distance: best-first for a few node pairs, to find a short
//! distance soon, then depth-first, nearer volumes first. Volumes with a lower bound above the best distance so far are
//! skipped. The constants are in [`TraversalPolicy`].

use std::ops::ControlFlow;

use nalgebra::{Point3, Vector3};

use super::{Query, QueryStats};
use crate::numeric::denormals::just_above;
use crate::numeric::error_bounds;
use crate::pose::Pose;

use crate::simd::SimdLevel;
use crate::traversal::{FacePair, LowerBoundTest, PairQueue, PairVisitor, PosedTrees, SearchRadius, TraversalPolicy};
use crate::tree::BvTree;
use crate::triangle::{DistanceBound, Distances, Triangle};

/// The closest points of two meshes, or of two of their triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ClosestPair {
    /// The distance, in A's units; 0 if and only if the two intersect or, with [`Query::set_solids`], one has a
    /// component inside the other.
    pub distance: f64,
    /// The closest point of A, in A's frame.
    pub on_a: Point3<f64>,
    /// The closest point of B, in A's frame.
    pub on_b: Point3<f64>,
    /// The triangles on which the points lie.
    pub faces: FacePair,
}

/// Options of [`Query::distance_with`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct DistanceOptions {
    /// The relative error allowed: the result may exceed the distance by this fraction of it; 0 by default.
    pub relative_tolerance: f64,
    /// The absolute error allowed: the result may exceed the distance by this much, in A's units; 0 by default.
    ///
    /// Tolerances allow the search to end early. They never change whether the result is 0. Negative values and NaN
    /// count as 0.
    pub absolute_tolerance: f64,
    /// The greatest distance of interest, in A's units; infinite by default. Smaller values take less work. NaN counts
    /// as 0.
    pub upper_bound: f64,
}

impl Default for DistanceOptions {
    fn default() -> Self {
        Self { relative_tolerance: 0.0, absolute_tolerance: 0.0, upper_bound: f64::INFINITY }
    }
}

impl DistanceOptions {
    /// Whether there are no tolerances, so that the result is unique.
    pub(super) fn is_exact(&self) -> bool {
        self.relative_tolerance.max(self.absolute_tolerance).max(0.0) == 0.0
    }
}

impl Query {
    /// The distance between the meshes and their closest points. It is 0 if and only if they intersect; `None` if one
    /// is empty. If several pairs of triangles have the same computed squared distance, the result is the first of them
    /// in the order of [`FacePair`]; if several intersect, it is any of these.
    ///
    /// A mesh is a surface, unless [`Query::set_solids`] makes it solid: the distance is positive if one surface is
    /// inside the other without touching it.
    #[doc(alias = "closest points")]
    #[doc(alias = "min_distance_other")]
    #[doc(alias = "minimum distance")]
    pub fn distance(&mut self, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> Option<ClosestPair> {
        self.distance_with(a, b, b_to_a, &DistanceOptions::default())
    }

    /// [`Query::distance`] with tolerances; `None` also if the distance exceeds the upper bound.
    pub fn distance_with(
        &mut self,
        a: &BvTree,
        b: &BvTree,
        b_to_a: &Pose,
        options: &DistanceOptions,
    ) -> Option<ClosestPair> {
        let surfaces = self.surface_distance([a, b], b_to_a, options);
        let inner = self.inner_if_apart([a, b], b_to_a, surfaces.as_ref());
        self.solid_distance([a, b], b_to_a, options, surfaces, inner)
    }

    /// [`Query::distance_with`] of the surfaces, even if a mesh is solid.
    pub(crate) fn surface_distance(
        &mut self,
        trees: [&BvTree; 2],
        b_to_a: &Pose,
        options: &DistanceOptions,
    ) -> Option<ClosestPair> {
        let trees = PosedTrees::masked(trees, b_to_a, self.masks);
        let mut nearest = Nearest::new(&trees, self.traversal.level, options);
        let mut work = self.find_touching(&trees, &mut nearest);
        nearest.bound(options.upper_bound.max(0.0));
        if !nearest.is_done() {
            let (test, limit, policy) = (LowerBoundTest::new(&nearest.radius), nearest.limit, nearest.policy());
            work.volume_tests += self.traversal.run(&trees, &test, limit, &mut nearest, policy);
        }
        self.finish(nearest, work, options)
    }

    /// Stores the statistics; returns the result if it is within the upper bound.
    pub(super) fn finish(
        &mut self,
        nearest: Nearest<'_>,
        mut work: QueryStats,
        options: &DistanceOptions,
    ) -> Option<ClosestPair> {
        work.triangle_tests += nearest.triangle_tests;
        self.stats = work;
        // NaN counts as 0, though nothing is less than NaN or equal to it.
        let upper_bound = if options.upper_bound.is_nan() { 0.0 } else { options.upper_bound };
        nearest.best.filter(|best| best.distance <= upper_bound)
    }

    /// Finds an intersecting pair if there is one; otherwise records in `nearest` that there is none. Returns the work.
    /// This takes far less time than finding the closest of many pairs.
    pub(super) fn find_touching(&mut self, trees: &PosedTrees<'_>, nearest: &mut Nearest<'_>) -> QueryStats {
        let work = self.for_each_leaf_pair(trees, TraversalPolicy::FIRST, &mut |a, b| {
            nearest.test(a, b);
            ControlFlow::Break(())
        });
        if !nearest.touches() {
            nearest.exclude_contact();
        }
        work
    }
}

/// Finds the pair of triangles nearest to each other.
pub(super) struct Nearest<'a> {
    trees: &'a PosedTrees<'a>,
    pub(super) level: SimdLevel,
    pub(super) radius: SearchRadius,
    /// Node pairs whose lower bound exceeds this are skipped: a squared distance, from [`SearchRadius::limit`].
    pub(super) limit: f32,
    relative_tolerance: f64,
    absolute_tolerance: f64,
    pub(super) best: Option<ClosestPair>,
    /// Whether a search has shown that no pair of triangles intersects.
    is_contact_excluded: bool,
    /// The vector from the closest point of A to that of B, of the best pair so far; before there is one, of the pair
    /// of `bound_by_pair`, or zero.
    separation: Vector3<f64>,
    /// The leaf indices of the best pair; `usize::MAX` if there is none.
    pub(super) leaves: [usize; 2],
    /// Pairs of triangles at a greater squared distance don't matter.
    pub(super) bound_sq: f64,
    pub(super) triangle_tests: u64,
}

impl<'a> Nearest<'a> {
    pub(super) fn new(trees: &'a PosedTrees<'a>, level: SimdLevel, options: &DistanceOptions) -> Self {
        Self {
            trees,
            level,
            radius: SearchRadius::new(trees),
            limit: f32::INFINITY,
            relative_tolerance: options.relative_tolerance.max(0.0),
            absolute_tolerance: options.absolute_tolerance.max(0.0),
            best: None,
            is_contact_excluded: false,
            separation: Vector3::zeros(),
            leaves: [usize::MAX; 2],
            bound_sq: f64::INFINITY,
            triangle_tests: 0,
        }
    }

    pub(super) fn touches(&self) -> bool {
        self.best.is_some_and(|best| best.distance == 0.0)
    }

    /// Records that no pair of triangles intersects.
    pub(super) fn exclude_contact(&mut self) {
        self.is_contact_excluded = true;
    }

    /// Whether no further pair can change the result. Small upper bounds and tolerances may reduce the bound to 0
    /// before contact is excluded; then only an intersecting pair ends the search, because the distance must be 0
    /// exactly if the meshes intersect.
    pub(super) fn is_done(&self) -> bool {
        self.touches() || self.is_contact_excluded && self.bound_sq == 0.0
    }

    /// The policy of a traversal from the roots.
    pub(super) fn policy(&self) -> TraversalPolicy {
        if self.bound_sq < f64::INFINITY { TraversalPolicy::NEAREST_WITHIN } else { TraversalPolicy::NEAREST }
    }

    /// Lowers the bound so that greater distances no longer matter; `distance` itself and distances that round to it
    /// still do.
    pub(super) fn bound(&mut self, distance: f64) {
        let distance = distance * error_bounds::DISTANCE_BOUND_FACTOR;
        if distance * distance < self.bound_sq {
            self.bound_sq = distance * distance;
            self.limit = self.radius.limit(distance);
        }
    }

    /// Lowers the bound to slightly above the distance between two triangles, given by leaf indices. The slack keeps
    /// pairs at the same distance up to rounding, so that the choice among them does not depend on this pair. Returns
    /// false if there are no such triangles, or they touch.
    pub(super) fn bound_by_pair(&mut self, [a, b]: [usize; 2]) -> bool {
        let [view_a, view_b] = &self.trees.views;
        if a >= view_a.corners.len() || b >= view_b.corners.len() {
            return false;
        }
        self.triangle_tests += 1;
        let triangles = self.trees.pair(a, b);
        let closest = triangles[0].closest_points(&triangles[1]);
        let distance = closest.distance_sq.sqrt();
        self.bound(distance + error_bounds::TIE_FACTOR * distance_error(&triangles, distance));
        self.separation = closest.on_b - closest.on_a;
        distance > 0.0
    }

    /// Tests pairs, unless an axis shows that they are too far apart. Returns what is known about their distances, and
    /// a bit for each pair beyond the bound; `with_separations` computes all separation vectors.
    #[inline]
    pub(super) fn test_pairs(&mut self, pairs: &mut PairQueue, with_separations: bool) -> (Distances, u8) {
        self.triangle_tests += pairs.len() as u64;
        // Pairs at the bound count too.
        let bound_sq = just_above(self.bound_sq);
        let (lanes, b_to_a, axis) = (pairs.lanes(), self.trees.b_to_a, &self.separation);
        let bound = DistanceBound { lanes, b_to_a, bound_sq, axis, with_separations };
        let found = pairs.batch(&self.trees.views).distances(self.level, bound);
        let mut far = 0;
        for (lane, a, b) in pairs.iter() {
            let is_near = match found.at_vertices >> lane & 1 != 0 {
                true => self.admits(found.distance_sq[lane], a, b),
                false => found.far >> lane & 1 == 0 && self.test(a, b),
            };
            far |= u8::from(!is_near) << lane;
        }
        (found, far)
    }

    /// Returns whether two triangles of known squared distance are within the bound; if they are better than the best
    /// pair, they become the best pair.
    #[inline(always)]
    fn admits(&mut self, distance_sq: f64, a: usize, b: usize) -> bool {
        distance_sq <= self.bound_sq && (distance_sq == self.bound_sq && self.is_after_best(a, b) || self.test(a, b))
    }

    /// Whether the best pair so far is at the bound and precedes these triangles, which are at the bound, in the order
    /// of faces. With a tolerance, the bound is less than the distance of the best pair.
    fn is_after_best(&self, a: usize, b: usize) -> bool {
        let faces = self.trees.faces(a, b);
        self.best.is_some_and(|best| best.distance == self.bound_sq.sqrt() && best.faces < faces)
    }

    /// Tests two triangles, given by leaf indices; returns whether they are within the bound.
    pub(super) fn test(&mut self, a: usize, b: usize) -> bool {
        let [triangle_a, triangle_b] = self.trees.pair(a, b);
        // Of pairs at the same distance, keep the first in the meshes, in whatever order they come.
        let bound_sq = just_above(self.bound_sq);
        if let Some(closest) = triangle_a.closest_points_along(&triangle_b, bound_sq, &self.separation) {
            if closest.distance_sq == self.bound_sq && self.is_after_best(a, b) {
                return true;
            }
            let faces = self.trees.faces(a, b);
            let distance = closest.distance_sq.sqrt();
            // Without tolerances this is the distance itself.
            let useful = (distance - self.absolute_tolerance).max(0.0) / (1.0 + self.relative_tolerance);
            self.bound_sq = if useful < distance { useful * useful } else { closest.distance_sq };
            self.limit = self.radius.limit(useful);
            self.leaves = [a, b];
            let (on_a, on_b) = (closest.on_a, closest.on_b);
            self.separation = on_b - on_a;
            self.best = Some(ClosestPair { distance, on_a, on_b, faces });
            return true;
        }
        false
    }
}

impl PairVisitor for Nearest<'_> {
    fn visit(&mut self, pairs: &mut PairQueue) -> ControlFlow<(), f32> {
        self.test_pairs(pairs, false);
        if self.is_done() { ControlFlow::Break(()) } else { ControlFlow::Continue(self.limit) }
    }
}

/// A bound on the rounding error of the computed distance between two triangles.
pub(super) fn distance_error([a, b]: &[Triangle; 2], distance: f64) -> f64 {
    let origin = a.vertices[0];
    let extent = a.vertices.iter().chain(&b.vertices).fold(0.0, |m: f64, p| m.max((p - origin).amax()));
    error_bounds::triangle_distance_error(extent, distance)
}
