//! How far B must be moved along a direction to come free: the visitor, a branch and bound by exits.

use std::ops::ControlFlow;

use nalgebra::{UnitVector3, Vector3};

use super::traverse::{Judged, Visitor};
use super::{FacePair, Query, QueryError, QueryStats};
use crate::packed::{Course, Node, ToFrame, Volume8, rounded};
use crate::pose::Pose;
use crate::simd::Simd;
use crate::tree::{BvTree, View};
use crate::triangle::Triangle;

/// How far B must be moved along a direction to come free of A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Separation {
    /// In A's units, 0 or more: moved by more than this, no two triangles touch, however much more it is.
    pub length: f64,
    /// The triangles that part last.
    pub faces: FacePair,
    /// The direction in which those part, from A to B, of unit length: where the surfaces there are tangent, their normal.
    pub normal: Vector3<f64>,
}

impl Query {
    /// How far B must be translated along a direction of A's frame until it touches A no more, there and beyond; `None`
    /// if they don't touch as they stand, which includes empty meshes.
    ///
    /// It is the last translation with contact. Meshes that are not convex may lose contact and find it again before
    /// that, as a ball does that starts in the wall of a hollow one. Of two triangles in contact over no length along the
    /// direction, crossed in one point, that point is the last.
    ///
    /// The length is off by rounding in f64 only: a few units of precision of the meshes' extents, divided by the sine of
    /// the angle at which surfaces glide past each other. It is rather too long than too short.
    ///
    /// # Errors
    /// If the trees are of different kinds.
    pub fn separation(
        &mut self,
        a: &BvTree,
        b: &BvTree,
        b_to_a: &Pose,
        direction: &UnitVector3<f64>,
    ) -> Result<Option<Separation>, QueryError> {
        if !self.intersects(a, b, b_to_a)? {
            return Ok(None);
        }
        let work = self.stats;
        let separation = self.last_exit([a, b], b_to_a, direction, f64::INFINITY)?;
        self.stats += work;
        Ok(separation)
    }

    /// The last contact along a direction of meshes that touch as they stand; the first found where that is `enough` or
    /// more.
    pub(super) fn last_exit(
        &mut self,
        trees: [&BvTree; 2],
        b_to_a: &Pose,
        direction: &Vector3<f64>,
        enough: f64,
    ) -> Result<Option<Separation>, QueryError> {
        let to_frames = ToFrame::both(&trees[0].meta().frame, &trees[1].meta().frame, b_to_a);
        let mut exits = Exits::new(trees, &to_frames, b_to_a, direction, enough);
        let volume_tests = self.engine.descend(trees, &to_frames, &mut exits)?;
        self.stats = QueryStats { volume_tests, triangle_tests: exits.triangle_tests };
        Ok(exits.best)
    }
}

/// Finds the pair of triangles that part last.
struct Exits<'a> {
    views: [View<'a>; 2],
    b_to_a: &'a Pose,
    direction: &'a Vector3<f64>,
    enough: f64,
    /// Of the other tree's volumes, in A's frame and in B's. The parameter is the translation in A's unit.
    courses: [Course; 2],
    unit: f64,
    best: Option<Separation>,
    best_length: f64,
    /// Exits before this one's negative are too early.
    limit: f32,
    triangle_tests: u64,
}

impl<'a> Exits<'a> {
    fn new(
        trees: [&'a BvTree; 2],
        to_frames: &[ToFrame; 2],
        b_to_a: &'a Pose,
        direction: &'a Vector3<f64>,
        enough: f64,
    ) -> Self {
        let [unit, unit_b] = trees.map(|tree| tree.meta().frame.unit);
        // No contact is farther away than both frames are wide.
        let farthest = to_frames[0].scale();
        let seen_by_b = b_to_a.rotation().tr_mul(direction) * (-unit / unit_b);
        let courses = [*direction, seen_by_b].map(|way| Course::new([0.0; 3], way.map(rounded).into(), farthest));
        Self {
            views: trees.map(BvTree::view),
            b_to_a,
            direction,
            enough,
            courses,
            unit,
            best: None,
            best_length: 0.0,
            limit: 0.0,
            triangle_tests: 0,
        }
    }

    fn test(&mut self, a: usize, b: usize) {
        self.triangle_tests += 1;
        let [views_a, views_b] = self.views;
        let triangle_a = Triangle { vertices: views_a.triangle(a).map(|vertex| vertex.map(f64::from)) };
        let triangle_b = Triangle { vertices: views_b.triangle(b).map(|vertex| self.b_to_a.transform(vertex)) };
        if let Some(range) = triangle_a.contact_range(&triangle_b, self.direction, self.best_length) {
            let faces = FacePair { face_a: views_a.faces[a], face_b: views_b.faces[b] };
            // Of pairs that part together the first in the meshes, in whatever order they come.
            if range.exit == self.best_length && self.best.is_some_and(|best| best.faces <= faces) {
                return;
            }
            self.best_length = range.exit;
            self.limit = ((-self.best_length / self.unit) as f32).next_up();
            let normal = range.exit_normal.try_normalize(0.0).unwrap_or(*self.direction);
            self.best = Some(Separation { length: self.best_length, faces, normal });
        }
    }
}

impl Visitor for Exits<'_> {
    const NEAREST_FIRST: bool = true;

    #[inline(always)]
    fn judge<V: Volume8, S: Simd>(&self, simd: S, one: &V, eight: &Node<'_>, to: &ToFrame, target: usize) -> Judged {
        // Twice, for the direction is rounded as the volumes are.
        let swept = one.sweep(simd, eight, &self.courses[target], 2.0 * to.margin);
        let early = simd.bits(simd.gt(swept.minus_exit, simd.splat(self.limit)));
        Judged {
            survivors: eight.lanes() & !swept.never & !early,
            larger: swept.larger,
            lower_bounds: simd.to_array(swept.minus_exit),
        }
    }

    #[inline(always)]
    fn wants(&self, minus_exit: f32) -> bool {
        // An exit that is not a number, past f32's range, excludes nothing.
        !matches!(minus_exit.partial_cmp(&self.limit), Some(std::cmp::Ordering::Greater))
    }

    #[inline(always)]
    fn pair<S: Simd>(&mut self, _: S, a: usize, b: usize) -> ControlFlow<()> {
        self.test(a, b);
        if self.best_length >= self.enough { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}
