//! Penetration: the last contact as B is moved along a direction, and an upper bound of the penetration depth.

use std::f64::consts::TAU;
use std::ops::ControlFlow;

use nalgebra::{Unit, UnitVector3, Vector3};

use super::{Query, QueryStats};
use crate::numeric::denormals::above;
use crate::pose::Pose;
use crate::traversal::{
    FacePair, MotionBound, PairQueue, PairVisitor, PosedTrees, SweepEnd, SweepTest, TraversalPolicy,
};
use crate::tree::BvTree;

/// A translation that frees B of A.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Penetration {
    /// Its length, in A's units: an upper bound of the penetration depth, which is the least over all directions.
    pub upper_bound: f64,
    /// Its direction, in A's frame.
    pub direction: UnitVector3<f64>,
}

/// Pairs of touching triangles whose normals are tried.
const CONTACTS: usize = 32;
/// Directions all around that are tried.
const AROUND: usize = 24;
/// Normals followed from each direction, at most.
const FOLLOWED: usize = 4;
/// Angles of the refinement, in radians: the first one, and the one that ends it.
const ANGLES: [f64; 2] = [0.25, 1e-3];

impl Query {
    /// An upper bound of the penetration depth: the least of [`Query::penetration_along`] over directions that are
    /// tried and refined; `None` if the meshes don't touch.
    ///
    /// The depth is the length of the least translation that frees B (Dobkin, Hershberger, Kirkpatrick and Suri,
    /// "Computing the intersection-depth of polyhedra", 1993). Tried are about fifty directions: normals of touching
    /// triangles, the axes, the vector between the meshes' middles and directions all around. From each that is better
    /// than the best so far, the search goes on to the normal of the contact that was the last along it, a few times;
    /// then the best is varied by smaller and smaller angles. Moved by more than the bound, B is free; but a shorter
    /// translation may free it too, and for meshes that are not convex there is no limit on how much shorter.
    #[doc(alias = "penetration depth")]
    #[doc(alias = "minimum translation vector")]
    #[doc(alias = "MTV")]
    pub fn penetration(&mut self, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> Option<Penetration> {
        let trees = PosedTrees::new([a, b], b_to_a);
        let mut normals = Vec::with_capacity(2 * CONTACTS);
        let work = self.for_each_leaf_pair(&trees, TraversalPolicy::FIRST, &mut |a, b| {
            let [triangle_a, triangle_b] = trees.pair(a, b);
            normals.extend([triangle_a.scaled_normal(), -triangle_b.scaled_normal()]);
            if normals.len() < 2 * CONTACTS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        if normals.is_empty() {
            self.stats = work;
            return None;
        }
        let [middle_a, middle_b] = trees.frames.map(|frame| frame.origin.coords);
        let axes = (0..3).flat_map(|k| [Vector3::ith(k, 1.0), Vector3::ith(k, -1.0)]);
        let between = b_to_a.rotation() * middle_b + b_to_a.translation() - middle_a;
        let directions = axes.chain([between]).chain(normals).chain((0..AROUND).map(around));

        let mut search = DirectionSearch { query: self, trees: &trees, best: None, work };
        for direction in directions.filter_map(|direction| Unit::try_new(direction, 0.0)) {
            search.follow(direction);
        }
        search.refine();
        let (best, work) = (search.best, search.work);
        self.stats = work;
        best
    }
}

/// Directions spread evenly: a spiral on the sphere by the golden ratio.
fn around(i: usize) -> Vector3<f64> {
    let height = 1.0 - (2.0 * i as f64 + 1.0) / AROUND as f64;
    let (sin, cos) = libm::sincos(i as f64 * TAU * 0.618_033_988_749_895);
    let radius = (1.0 - height * height).sqrt();
    Vector3::new(radius * cos, radius * sin, height)
}

struct DirectionSearch<'a> {
    query: &'a mut Query,
    trees: &'a PosedTrees<'a>,
    best: Option<Penetration>,
    work: QueryStats,
}

impl DirectionSearch<'_> {
    /// Takes the direction if it is better than the best; gives the normal to try next if so.
    fn offer(&mut self, direction: UnitVector3<f64>) -> Option<UnitVector3<f64>> {
        let enough = self.best.map_or(f64::INFINITY, |best| best.upper_bound);
        let exit = self.query.last_exit(self.trees, &direction, enough);
        self.work += self.query.stats;
        exit.filter(|exit| exit.depth < enough).map(|exit| {
            self.best = Some(Penetration { upper_bound: exit.depth, direction });
            Unit::new_unchecked(exit.normal)
        })
    }

    /// Along the normal the last contact is left sooner, if it stays the last.
    fn follow(&mut self, mut direction: UnitVector3<f64>) {
        for _ in 0..FOLLOWED {
            match self.offer(direction) {
                Some(normal) => direction = normal,
                None => break,
            }
        }
    }

    /// A pattern search around the best direction.
    fn refine(&mut self) {
        let [mut angle, least] = ANGLES;
        while angle > least {
            let Some(Penetration { direction, upper_bound }) = self.best else { return };
            let aside = direction.cross(&Vector3::ith(direction.iamin(), 1.0)).normalize();
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
    /// In A's units, 0 or more: moved by more than this, no two triangles touch, however much more it is.
    pub depth: f64,
    /// The triangles that part last.
    pub faces: FacePair,
    /// The direction in which those part, from A to B, of unit length: where the surfaces there are tangent, their
    /// normal.
    pub normal: Vector3<f64>,
}

impl Query {
    /// The last contact along a direction of A's frame: the greatest length by which B, translated that way, still
    /// touches A. Moved any farther they are apart. `None` if they don't touch as they stand, which includes empty
    /// meshes.
    ///
    /// Of meshes that are not convex it need not be the first way out: they may be apart for some shorter translations
    /// too, as a ball is that starts in the wall of a hollow one and crosses the hollow. For convex ones it is the
    /// directional penetration depth. Of two triangles in contact over no length along the direction, crossed in one
    /// point, that point is the last.
    ///
    /// The length is off by rounding in f64 only: a few units of precision of the meshes' extents, divided by the sine
    /// of the angle at which surfaces glide past each other. It is rather too long than too short.
    #[doc(alias = "directional penetration depth")]
    #[doc(alias = "escape distance")]
    pub fn penetration_along(
        &mut self,
        a: &BvTree,
        b: &BvTree,
        b_to_a: &Pose,
        direction: &UnitVector3<f64>,
    ) -> Option<DirectionalPenetration> {
        if !self.intersects(a, b, b_to_a) {
            return None;
        }
        let work = self.stats;
        let found = self.last_exit(&PosedTrees::new([a, b], b_to_a), direction, f64::INFINITY);
        self.stats += work;
        found
    }

    /// The last contact along a direction of meshes that touch as they stand; the first found where that is `enough` or
    /// more.
    pub(super) fn last_exit(
        &mut self,
        trees: &PosedTrees<'_>,
        direction: &Vector3<f64>,
        enough: f64,
    ) -> Option<DirectionalPenetration> {
        let [unit, unit_b] = trees.frames.map(|frame| frame.unit);
        // No contact is farther away than both frames are wide.
        let farthest = f64::from(trees.to_frames[0].scale());
        let seen_by_b = trees.b_to_a.rotation().tr_mul(direction) * (-unit / unit_b);
        let mut bounds = [MotionBound::default(); 2];
        for ((bound, direction), to) in bounds.iter_mut().zip([*direction, seen_by_b]).zip(&trees.to_frames) {
            // Twice the margin, for the direction is rounded as the volumes are.
            *bound = MotionBound::translation(&(direction * farthest), 2.0 * to.margin);
        }
        let mut last = LastContact {
            trees,
            direction,
            enough,
            farthest: farthest * unit,
            best: None,
            best_length: 0.0,
            triangle_tests: 0,
        };
        let test = SweepTest { bounds, end: SweepEnd::Last };
        let volume_tests = self.traversal.run(trees, &test, last.limit(), &mut last, TraversalPolicy::ONE_BY_ONE);
        self.stats = QueryStats { volume_tests, triangle_tests: last.triangle_tests };
        last.best
    }
}

/// Finds the pair of triangles that part last.
struct LastContact<'a> {
    trees: &'a PosedTrees<'a>,
    direction: &'a Vector3<f64>,
    enough: f64,
    /// The translation at time 1, in A's units.
    farthest: f64,
    best: Option<DirectionalPenetration>,
    best_length: f64,
    triangle_tests: u64,
}

impl LastContact<'_> {
    /// LastContact before this one's negative are too early.
    fn limit(&self) -> f32 {
        above(-self.best_length / self.farthest)
    }

    fn test(&mut self, a: usize, b: usize) {
        self.triangle_tests += 1;
        let [triangle_a, triangle_b] = self.trees.pair(a, b);
        if let Some(range) = triangle_a.contact_range(&triangle_b, self.direction, self.best_length) {
            let faces = self.trees.faces(a, b);
            // Of pairs that part together the first in the meshes, in whatever order they come.
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
