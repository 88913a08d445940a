//! The visitor that finds the two closest points.

use std::ops::ControlFlow;

use nalgebra::Point3;

use super::FacePair;
use super::traverse::{Judged, Visitor};
use crate::packed::{Node, ToFrame, Volume8};
use crate::pose::Pose;
use crate::simd::Simd;
use crate::tree::View;
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
    /// Units of the trees' frames.
    units: [f64; 2],
    pub(super) best: Option<Distance>,
    best_sq: f64,
    /// `best_sq` in units of A's tree and of B's, rounded up.
    limits: [f32; 2],
    /// Takes a lower bound in the square of B's unit to A's.
    to_a_sq: f32,
    pub(super) triangle_tests: u64,
}

impl<'a> Nearest<'a> {
    pub(super) fn new(views: [View<'a>; 2], b_to_a: &'a Pose, units: [f64; 2]) -> Self {
        let ratio = units[1] / units[0];
        let to_a_sq = (ratio * ratio) as f32;
        let limits = [f32::INFINITY; 2];
        Self { views, b_to_a, units, best: None, best_sq: f64::INFINITY, limits, to_a_sq, triangle_tests: 0 }
    }

    fn test(&mut self, a: usize, b: usize) {
        let [views_a, views_b] = self.views;
        self.triangle_tests += 1;
        let ta = Triangle { vertices: views_a.triangle(a).map(|vertex| vertex.map(f64::from)) };
        let tb = Triangle { vertices: views_b.triangle(b).map(|vertex| self.b_to_a.transform(vertex)) };
        if let Some(closest) = ta.closest_points_within(&tb, self.best_sq) {
            self.best_sq = closest.distance_sq;
            let distance = closest.distance_sq.sqrt();
            self.limits = self.units.map(|unit| {
                let limit = distance / unit;
                ((limit * limit) as f32).next_up()
            });
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
        let lower_bounds = if target == 0 { lower_bounds } else { simd.mul(lower_bounds, simd.splat(self.to_a_sq)) };
        Judged { survivors: eight.lanes() & !far, larger, lower_bounds: simd.to_array(lower_bounds) }
    }

    #[inline(always)]
    fn wants(&self, lower_bound: f32) -> bool {
        // A bound that is not a number, from units that f32 can't relate, excludes nothing.
        !(lower_bound > self.limits[0])
    }

    #[inline(always)]
    fn leaves<S: Simd>(&mut self, _: S, a: usize, b: usize, lower_bound: f32) -> ControlFlow<()> {
        if !self.wants(lower_bound) {
            return ControlFlow::Continue(());
        }
        let [views_a, views_b] = self.views;
        for a in views_a.leaf(a) {
            for b in views_b.leaf(b) {
                self.test(a, b);
            }
        }
        if self.best_sq == 0.0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    #[inline(always)]
    fn step<S: Simd>(&mut self, _: S, _: bool) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}
