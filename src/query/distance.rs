//! The visitor that finds the two closest points.

use std::cmp::Ordering;
use std::ops::ControlFlow;

use nalgebra::Point3;

use super::FacePair;
use super::traverse::{Judged, Visitor};
use crate::packed::{Node, ToFrame, Volume8};
use crate::pose::Pose;
use crate::simd::Simd;
use crate::tree::{BvTree, View};
use crate::triangle::Triangle;

/// The least distance between two meshes and where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Distance {
    /// In A's units; 0 exactly when the meshes intersect.
    pub distance: f64,
    /// The closest point of A, in A's frame.
    pub on_a: Point3<f64>,
    /// The closest point of B, in A's frame.
    pub on_b: Point3<f64>,
    /// The triangles that the points lie on.
    pub faces: FacePair,
}

/// Finds the pair of triangles nearest to each other.
pub(super) struct Nearest<'a> {
    views: [View<'a>; 2],
    b_to_a: &'a Pose,
    /// Units of the trees' frames, A's and B's.
    units: [f64; 2],
    /// What is to be added to distances in the frames.
    beyond: [f64; 2],
    best: Option<Distance>,
    best_sq: f64,
    /// Squared lower bounds above these are too far, in A's unit and in B's.
    limits: [f32; 2],
    triangle_tests: u64,
}

impl<'a> Nearest<'a> {
    pub(super) fn new(trees: [&'a BvTree; 2], to_frames: &[ToFrame; 2], b_to_a: &'a Pose) -> Self {
        Self {
            views: trees.map(BvTree::view),
            b_to_a,
            units: trees.map(|tree| tree.meta().frame.unit),
            beyond: [to_frames[0].beyond, to_frames[1].beyond],
            best: None,
            best_sq: f64::INFINITY,
            limits: [f32::INFINITY; 2],
            triangle_tests: 0,
        }
    }

    pub(super) fn finish(self) -> (Option<Distance>, u64) {
        (self.best, self.triangle_tests)
    }

    pub(super) fn is_contact(&self) -> bool {
        self.best_sq == 0.0
    }

    /// Tests two triangles, by their places in leaf order.
    pub(super) fn test(&mut self, a: usize, b: usize) {
        let [views_a, views_b] = self.views;
        self.triangle_tests += 1;
        let triangle_a = Triangle { vertices: views_a.triangle(a).map(|vertex| vertex.map(f64::from)) };
        let triangle_b = Triangle { vertices: views_b.triangle(b).map(|vertex| self.b_to_a.transform(vertex)) };
        if let Some(closest) = triangle_a.closest_points_within(&triangle_b, self.best_sq) {
            let distance = closest.distance_sq.sqrt();
            self.best_sq = closest.distance_sq;
            for side in 0..2 {
                let limit = (distance / self.units[side] - self.beyond[side]).max(0.0);
                self.limits[side] = ((limit * limit) as f32).next_up();
            }
            let faces = FacePair { face_a: views_a.faces[a], face_b: views_b.faces[b] };
            self.best = Some(Distance { distance, on_a: closest.on_a, on_b: closest.on_b, faces });
        }
    }
}

impl Visitor for Nearest<'_> {
    const NEAREST_FIRST: bool = true;

    #[inline(always)]
    fn judge<V: Volume8, S: Simd>(&self, simd: S, one: &V, eight: &Node<'_>, to: &ToFrame, target: usize) -> Judged {
        let (lower_bounds, larger) = one.lower_bounds_sq(simd, eight, to.margin);
        let far = simd.bits(simd.gt(lower_bounds, simd.splat(self.limits[target])));
        Judged { survivors: eight.lanes() & !far, larger, lower_bounds: simd.to_array(lower_bounds) }
    }

    #[inline(always)]
    fn wants(&self, lower_bound: f32, target: usize) -> bool {
        // A bound that is not a number, past f32's range, excludes nothing.
        !matches!(lower_bound.partial_cmp(&self.limits[target]), Some(Ordering::Greater))
    }

    #[inline(always)]
    fn leaves<S: Simd>(&mut self, _: S, a: usize, b: usize) -> ControlFlow<()> {
        let [views_a, views_b] = self.views;
        for a in views_a.leaf(a) {
            for b in views_b.leaf(b) {
                self.test(a, b);
            }
        }
        if self.is_contact() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    #[inline(always)]
    fn step<S: Simd>(&mut self, _: S, _: bool) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
