//! The last contact as B is moved along a direction: the visitor of a branch and bound.

use std::ops::ControlFlow;

use nalgebra::{UnitVector3, Vector3};

use crate::numeric::denormals::above;
use crate::pose::Pose;
use crate::query::descent::{DescentPolicy, LeafVisitor, MotionBound, PairQueue, Sweep, SweepEnd};
use crate::query::face_pair::FacePair;
use crate::query::posed_trees::PosedTrees;
use crate::query::state::{Query, QueryStats};
use crate::tree::BvTree;

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
        let test = Sweep { bounds, end: SweepEnd::Last };
        let volume_tests = self.engine.descend(trees, &test, last.limit(), &mut last, DescentPolicy::ONE_BY_ONE);
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

impl LeafVisitor for LastContact<'_> {
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
