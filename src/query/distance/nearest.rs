//! The visitor that finds the pair of triangles nearest to each other.

use std::ops::ControlFlow;

use nalgebra::Vector3;

use super::answer::{ClosestPair, DistanceOptions};
use super::rounding::distance_error;
use crate::numeric::denormals::just_above;
use crate::query::descent::{DescentPolicy, LeafVisitor, PairQueue, SearchRadius};
use crate::query::posed_trees::PosedTrees;
use crate::simd::SimdLevel;
use crate::triangle::{DistanceBound, Distances};

/// Finds the pair of triangles nearest to each other.
pub(in crate::query) struct Nearest<'a> {
    trees: &'a PosedTrees<'a>,
    pub(in crate::query) level: SimdLevel,
    pub(in crate::query) radius: SearchRadius,
    /// Of volumes' lower bounds.
    pub(in crate::query) limit: f32,
    relative_tolerance: f64,
    absolute_tolerance: f64,
    pub(in crate::query) best: Option<ClosestPair>,
    /// Whether no pair of triangles intersects, as a search for one has shown.
    is_contact_excluded: bool,
    /// From the best point of A to that of B.
    separation: Vector3<f64>,
    /// The best pair's leaf indices.
    pub(in crate::query) leaves: [usize; 2],
    /// Squared distances that are not below this are of no use.
    pub(in crate::query) bound_sq: f64,
    pub(in crate::query) triangle_tests: u64,
}

impl<'a> Nearest<'a> {
    pub(in crate::query) fn new(trees: &'a PosedTrees<'a>, level: SimdLevel, options: &DistanceOptions) -> Self {
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

    pub(in crate::query) fn touches(&self) -> bool {
        self.best.is_some_and(|best| best.distance == 0.0)
    }

    /// Notes that a search for an intersecting pair has found none.
    pub(in crate::query) fn exclude_contact(&mut self) {
        self.is_contact_excluded = true;
    }

    /// Whether no pair that is still to be tested can change the answer. Small upper bounds and tolerances take the
    /// bound to 0 while nothing is known of contact: then only an intersecting pair ends the search, for 0 is the
    /// distance exactly when the meshes intersect.
    pub(in crate::query) fn is_done(&self) -> bool {
        self.touches() || self.is_contact_excluded && self.bound_sq == 0.0
    }

    /// How to descend from the roots.
    pub(in crate::query) fn policy(&self) -> DescentPolicy {
        if self.bound_sq < f64::INFINITY { DescentPolicy::NEAREST_WITHIN } else { DescentPolicy::NEAREST }
    }

    /// Makes distances above the given one of no use; this one, and what rounds to it, stay of use.
    pub(in crate::query) fn bound(&mut self, distance: f64) {
        let distance = distance * (1.0 + 1e-12);
        if distance * distance < self.bound_sq {
            self.bound_sq = distance * distance;
            self.limit = self.radius.limit(distance);
        }
    }

    /// Bounds by the distance of two triangles, by so much more that which pairs are as near as the nearest, up to
    /// rounding, and which of them comes first, does not depend on it. False if there are no such triangles, or they
    /// touch.
    pub(in crate::query) fn bound_by_pair(&mut self, [a, b]: [usize; 2]) -> bool {
        let [view_a, view_b] = &self.trees.views;
        if a >= view_a.corners.len() || b >= view_b.corners.len() {
            return false;
        }
        self.triangle_tests += 1;
        let triangles = self.trees.pair(a, b);
        let closest = triangles[0].closest_points(&triangles[1]);
        let distance = closest.distance_sq.sqrt();
        self.bound(distance + 64.0 * distance_error(&triangles, distance));
        self.separation = closest.on_b - closest.on_a;
        distance > 0.0
    }

    /// Tests pairs as far as no axis shows that they are too far apart. Gives what is known of them, and which are not
    /// as near as any so far; `with_separations` asks for the separation vectors of all of them.
    #[inline]
    pub(in crate::query) fn test_pairs(&mut self, pairs: &mut PairQueue, with_separations: bool) -> (Distances, u8) {
        self.triangle_tests += pairs.len() as u64;
        // Pairs at the bound count as well.
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

    /// Takes two triangles of known distance as the nearest if they are; whether they are as near as any so far.
    #[inline(always)]
    fn admits(&mut self, distance_sq: f64, a: usize, b: usize) -> bool {
        distance_sq <= self.bound_sq && (distance_sq == self.bound_sq && self.is_after_best(a, b) || self.test(a, b))
    }

    /// Whether the answer so far comes before these triangles, which are at the bound. A tolerance's bound is nearer
    /// than the answer so far.
    fn is_after_best(&self, a: usize, b: usize) -> bool {
        let faces = self.trees.faces(a, b);
        self.best.is_some_and(|best| best.distance == self.bound_sq.sqrt() && best.faces < faces)
    }

    /// Tests two triangles, by their leaf indices; whether they are as near as any so far.
    pub(super) fn test(&mut self, a: usize, b: usize) -> bool {
        let [triangle_a, triangle_b] = self.trees.pair(a, b);
        // Of pairs at the same distance the first in the meshes, in whatever order they come.
        let bound_sq = just_above(self.bound_sq);
        if let Some(closest) = triangle_a.closest_points_along(&triangle_b, bound_sq, &self.separation) {
            if closest.distance_sq == self.bound_sq && self.is_after_best(a, b) {
                return true;
            }
            let faces = self.trees.faces(a, b);
            let distance = closest.distance_sq.sqrt();
            // Without tolerances, the distance itself.
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

impl LeafVisitor for Nearest<'_> {
    fn visit(&mut self, pairs: &mut PairQueue) -> ControlFlow<(), f32> {
        self.test_pairs(pairs, false);
        if self.is_done() { ControlFlow::Break(()) } else { ControlFlow::Continue(self.limit) }
    }
}
