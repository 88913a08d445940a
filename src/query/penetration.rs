//! Penetration: the last contact as B is moved along a direction, and an upper bound on the penetration depth.

use std::ops::ControlFlow;

use nalgebra::{Unit, UnitVector3, Vector3};

use super::{Query, QueryStats};
use crate::numeric::denormals::above;
use crate::numeric::{any_perpendicular, sphere_direction};
use crate::pose::Pose;
use crate::traversal::{
    FacePair, MotionBound, PairQueue, PairVisitor, PosedTrees, SweepEnd, SweepTest, TraversalPolicy,
};
use crate::tree::BvTree;

/// A translation that frees B from A.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Penetration {
    /// The length of the translation, in A's units: an upper bound on the penetration depth, which is the least length
    /// over all directions.
    pub upper_bound: f64,
    /// The direction of the translation, in A's frame.
    pub direction: UnitVector3<f64>,
}

/// The number of touching pairs of triangles whose normals are tried, at most.
const MAX_CONTACTS: usize = 32;
/// The number of directions evenly spread over the sphere that are tried.
const SPHERE_DIRECTIONS: usize = 24;
/// The number of directions tried in a row, at most: a given one, and then normals of last contacts.
const MAX_FOLLOWED: usize = 4;
/// The first and last angles of the refinement, in radians.
const REFINEMENT_ANGLES: [f64; 2] = [0.25, 1e-3];

impl Query {
    /// An upper bound on the penetration depth, and the translation that attains it: moved by more than
    /// [`Penetration::upper_bound`] along the direction, B is free of A. `None` if the surfaces don't touch.
    ///
    /// The penetration depth is the length of the shortest translation that frees B (Dobkin, Hershberger, Kirkpatrick
    /// and Suri, "Computing the intersection-depth of polyhedra", 1993). The result is never less than that, but a
    /// shorter translation may exist; for non-convex meshes there is no limit on how much shorter.
    ///
    /// It is the least result of [`Query::penetration_along`] for up to about a hundred directions: normals of touching
    /// triangles, the axes, the vector between the meshes' centres, and directions spread over the sphere. From each
    /// direction that improves the best, the search continues along the normal of its last contact, a few times; then
    /// the best direction is varied by smaller and smaller angles.
    #[doc(alias = "penetration depth")]
    #[doc(alias = "minimum translation vector")]
    #[doc(alias = "MTV")]
    pub fn penetration(&mut self, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> Option<Penetration> {
        let trees = PosedTrees::new([a, b], b_to_a);
        let mut normals = Vec::with_capacity(2 * MAX_CONTACTS);
        let work = self.for_each_leaf_pair(&trees, TraversalPolicy::FIRST, &mut |a, b| {
            let [triangle_a, triangle_b] = trees.pair(a, b);
            normals.extend([triangle_a.scaled_normal(), -triangle_b.scaled_normal()]);
            if normals.len() < 2 * MAX_CONTACTS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if normals.is_empty() {
            self.stats = work;
            return None;
        }
        let best = self.least_exit(&trees, normals);
        self.stats += work;
        best
    }

    /// The shortest translation found that frees B from A: along the given normals, the axes and other directions.
    /// Precondition: the surfaces touch at the given pose, or one solid is inside the other.
    pub(super) fn least_exit(&mut self, trees: &PosedTrees<'_>, normals: Vec<Vector3<f64>>) -> Option<Penetration> {
        let [center_a, center_b] = trees.frames.map(|frame| frame.origin.coords);
        let axes = (0..3).flat_map(|k| [Vector3::ith(k, 1.0), Vector3::ith(k, -1.0)]);
        let between = trees.b_to_a.rotation() * center_b + trees.b_to_a.translation() - center_a;
        let spread = (0..SPHERE_DIRECTIONS).map(|i| sphere_direction(i, SPHERE_DIRECTIONS));
        let directions = axes.chain([between]).chain(normals).chain(spread);

        let mut search = DirectionSearch { query: self, trees, best: None, work: QueryStats::default() };
        for direction in directions.filter_map(|direction| Unit::try_new(direction, 0.0)) {
            search.follow(direction);
        }
        search.refine();
        let (best, work) = (search.best, search.work);
        self.stats = work;
        best
    }
}

/// The search for the direction of least directional penetration.
struct DirectionSearch<'a> {
    query: &'a mut Query,
    trees: &'a PosedTrees<'a>,
    best: Option<Penetration>,
    work: QueryStats,
}

impl DirectionSearch<'_> {
    /// Accepts a direction if it is better than the best, and then returns the normal to try next.
    fn offer(&mut self, direction: UnitVector3<f64>) -> Option<UnitVector3<f64>> {
        let enough = self.best.map_or(f64::INFINITY, |best| best.upper_bound);
        let exit = self.query.last_exit(self.trees, &direction, enough);
        self.work += self.query.stats;
        exit.filter(|exit| exit.depth < enough).map(|exit| {
            self.best = Some(Penetration { upper_bound: exit.depth, direction });
            Unit::new_unchecked(exit.normal)
        })
    }

    /// Tries a direction, then the normals of last contacts: along such a normal the contact ends sooner, if it is
    /// still the last.
    fn follow(&mut self, mut direction: UnitVector3<f64>) {
        for _ in 0..MAX_FOLLOWED {
            match self.offer(direction) {
                Some(normal) => direction = normal,
                None => break,
            }
        }
    }

    /// Refines the best direction by a pattern search.
    fn refine(&mut self) {
        let [mut angle, least] = REFINEMENT_ANGLES;
        while angle > least {
            let Some(Penetration { direction, upper_bound }) = self.best else { return };
            let aside = any_perpendicular(&direction);
            let beside = direction.cross(&aside);
            for side in [aside, -aside, beside, -beside] {
                self.follow(Unit::new_normalize(*direction + side * angle));
            }
            if self.best.is_none_or(|best| best.upper_bound >= upper_bound) {
                angle *= 0.5;
            }
        }
    }
}

/// The last contact of A and B as B is translated along a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct DirectionalPenetration {
    /// The directional penetration depth, in A's units, 0 or more: moved by any greater length, B is free of A.
    pub depth: f64,
    /// The triangles that separate last.
    pub faces: FacePair,
    /// The unit direction, from A to B, in which these triangles separate, in A's frame: the surface normal if the
    /// surfaces are tangent there.
    pub normal: Vector3<f64>,
}

impl Query {
    /// The last contact along a direction in A's frame: the greatest length by which B, translated along it, still
    /// touches A. Translated any farther, B is free. `None` if the meshes don't touch at the given pose, or if one of
    /// them is empty.
    ///
    /// For convex meshes this is the directional penetration depth. Non-convex meshes may also be free at some shorter
    /// translations: for example, a ball that starts in the wall of a hollow ball and crosses the hollow. If the last
    /// two triangles touch at a single length only, that length is the result.
    ///
    /// The length is exact up to rounding in f64: a few ulps of the meshes' extents, divided by the sine of the angle
    /// between the direction and the surfaces. Rounding only makes it longer.
    #[doc(alias = "directional penetration depth")]
    #[doc(alias = "escape distance")]
    pub fn penetration_along(
        &mut self,
        a: &BvTree,
        b: &BvTree,
        b_to_a: &Pose,
        direction: &UnitVector3<f64>,
    ) -> Option<DirectionalPenetration> {
        if self.has_masked_solids([a, b]) {
            return self.unmasked(|query| query.penetration_along(a, b, b_to_a, direction));
        }
        if !self.intersects(a, b, b_to_a) {
            return None;
        }
        let work = self.stats;
        let found = self.last_exit(&PosedTrees::masked([a, b], b_to_a, self.masks), direction, f64::INFINITY);
        self.stats += work;
        found
    }

    /// The last contact along a direction, for meshes that touch at the given pose; or the first contact found at a
    /// length of at least `enough`.
    pub(super) fn last_exit(
        &mut self,
        trees: &PosedTrees<'_>,
        direction: &Vector3<f64>,
        enough: f64,
    ) -> Option<DirectionalPenetration> {
        let (test, max_length) = translation_sweep(trees, direction, 0.0);
        let mut last =
            LastContact { trees, direction, enough, max_length, best: None, best_length: 0.0, triangle_tests: 0 };
        let volume_tests = self.traversal.run(trees, &test, last.limit(), &mut last, TraversalPolicy::ONE_BY_ONE);
        self.stats = QueryStats { volume_tests, triangle_tests: last.triangle_tests };
        last.best
    }
}

/// The volume test for contacts during a translation of B along a unit direction, and the length of the translation, in
/// A's unit. The translation ends beyond the last contact. `rounding` bounds the rounding of the pose.
pub(super) fn translation_sweep(trees: &PosedTrees<'_>, direction: &Vector3<f64>, rounding: f64) -> (SweepTest, f64) {
    let [unit, unit_b] = trees.frames.map(|frame| frame.unit);
    // No contact is farther away than the sum of the frames' widths.
    let max_length = f64::from(trees.to_frames[0].scale());
    let seen_by_b = trees.b_to_a.rotation().tr_mul(direction) * (-unit / unit_b);
    let mut bounds = [MotionBound::default(); 2];
    for (side, direction) in [*direction, seen_by_b].into_iter().enumerate() {
        // Twice the margin: the direction is rounded as well as the volumes.
        let margin = 2.0 * trees.to_frames[side].margin + above(rounding / trees.frames[side].unit);
        bounds[side] = MotionBound::translation(&(direction * max_length), margin);
    }
    (SweepTest { bounds, end: SweepEnd::Last }, max_length * unit)
}

/// Finds the pair of triangles that separates last.
struct LastContact<'a> {
    trees: &'a PosedTrees<'a>,
    direction: &'a Vector3<f64>,
    enough: f64,
    /// The length of the whole translation, at time 1, in A's units.
    max_length: f64,
    best: Option<DirectionalPenetration>,
    best_length: f64,
    triangle_tests: u64,
}

impl LastContact<'_> {
    /// The limit of the volume test, a negated time: contacts that end earlier than that time don't matter.
    fn limit(&self) -> f32 {
        above(-self.best_length / self.max_length)
    }

    fn test(&mut self, a: usize, b: usize) {
        self.triangle_tests += 1;
        let [triangle_a, triangle_b] = self.trees.pair(a, b);
        if let Some(range) = triangle_a.contact_range(&triangle_b, self.direction, self.best_length) {
            let faces = self.trees.faces(a, b);
            // Of pairs that separate at the same length, keep the first in the meshes, in whatever order they come.
            if range.exit == self.best_length && self.best.is_some_and(|best| best.faces <= faces) {
                return;
            }
            self.best_length = range.exit;
            let normal = range.exit_normal.try_normalize(0.0).unwrap_or(*self.direction);
            self.best = Some(DirectionalPenetration { depth: self.best_length, faces, normal });
        }
    }
}

impl PairVisitor for LastContact<'_> {
    fn visit(&mut self, pairs: &mut PairQueue) -> ControlFlow<(), f32> {
        for (_, a, b) in pairs.iter() {
            self.test(a, b);
            if self.best_length >= self.enough {
                return ControlFlow::Break(());
            }
        }
        ControlFlow::Continue(self.limit())
    }
}
