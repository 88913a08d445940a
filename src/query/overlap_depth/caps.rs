//! Flat caps: a bound on the depth of all points of a part of a triangle.
//!
//! A cap is a flat rectangle that is outside the other solid and covers a set of points: each has its foot on the cap.
//! The straight way from a point inside to its foot leaves the solid, so the point's depth is at most its distance from
//! the cap.

use std::ops::ControlFlow;

use nalgebra::{Matrix3, Point3, Vector3};

use super::search::Search;
use crate::numeric::any_perpendicular;
use crate::probe::Containment;
use crate::shape::Obb;

/// The extents of points along a way out and across it.
struct Footprint {
    /// The first of the points, from which the extents are measured.
    at: Point3<f64>,
    /// Two axes across the way out, and the way out.
    axes: Matrix3<f64>,
    lower: Vector3<f64>,
    upper: Vector3<f64>,
}

impl Footprint {
    /// The footprint of points; `None` if there is no point, or the way out has no direction.
    fn new(points: &[Point3<f64>], way_out: &Vector3<f64>) -> Option<Self> {
        let (out, at) = (way_out.try_normalize(f64::MIN_POSITIVE)?, *points.first()?);
        let across = any_perpendicular(&out);
        let axes = Matrix3::from_columns(&[across, out.cross(&across), out]);
        let (mut lower, mut upper) = (Vector3::zeros(), Vector3::zeros());
        for point in points {
            let local = axes.tr_mul(&(point - at));
            (lower, upper) = (lower.inf(&local), upper.sup(&local));
        }
        Some(Self { at, axes, lower, upper })
    }
}

impl Search<'_> {
    /// An upper bound on the depth of all points of a surface that are in the convex hull of `points`, which are given
    /// in the other mesh's frame. The bound is near enough to the search's lower bound; `None` if no cap proves such a
    /// bound.
    pub(super) fn cap(&mut self, side: usize, points: &[Point3<f64>], way_out: &Vector3<f64>) -> Option<f64> {
        let bound = self.move_length();
        let footprint = Footprint::new(points, way_out)?;
        if !self.is_capped(side, &footprint, bound) {
            return None;
        }
        let tight = self.tight_length().filter(|&tight| self.is_capped(side, &footprint, tight));
        Some(tight.unwrap_or(bound))
    }

    /// Whether the rectangle at this height over the deepest of the points is outside the other solid.
    fn is_capped(&mut self, side: usize, footprint: &Footprint, height: f64) -> bool {
        let &Footprint { at, axes, lower, upper } = footprint;
        let level = lower.z + height - 4.0 * self.rounding;
        // Points may lie beyond the cap, but by no more than its height.
        let beyond = upper.z - level;
        if beyond > height || beyond.is_nan() {
            return false;
        }
        let (middle, half) = (0.5 * (lower + upper), 0.5 * (upper - lower).add_scalar(8.0 * self.rounding));
        let center = at + axes * Vector3::new(middle.x, middle.y, level);
        let cap = Obb { center, axes, half_extents: Vector3::new(half.x, half.y, self.rounding) };
        let (mut is_met, other) = (false, self.surfaces[side].other);
        self.probe.for_each_face_in_obb(other, &cap, |_| {
            is_met = true;
            ControlFlow::Break(())
        });
        self.stats += self.probe.stats();
        !is_met && self.containment(side, &center) == Containment::Outside
    }
}
