//! Flat caps: bounds of the depth of many points at once.
//!
//! A cap is a flat rectangle that is outside the other solid and covers a set of points: each has its foot on the cap.
//! The straight way from a point inside to its foot leaves the solid, so the point is no deeper than the cap is high
//! over it. Where two solids press into each other shallowly, one cap over each side mostly bounds the whole overlap.

use std::ops::ControlFlow;

use nalgebra::{Matrix3, Point3, Vector3};

use super::candidates::Candidates;
use super::search::Search;
#[cfg(doc)]
use super::surface::Surface;
use crate::numeric::any_perpendicular;
use crate::probe::Containment;
use crate::shape::Obb;

/// The segment in which two triangles meet; `None` if rounding hides it.
type CommonSegment = Option<[Point3<f64>; 2]>;

/// The overlap as a whole, over which caps are tried.
#[derive(Default)]
pub(super) struct Overlap {
    /// Points whose convex hull contains all points of each surface that may be inside the other solid, in the other
    /// mesh's frame.
    points: [Vec<Point3<f64>>; 2],
    /// The segments of the contacts of A's surface that have been computed: [`Surface::common_segment`]. Empty if there
    /// are many.
    segments: Vec<Option<CommonSegment>>,
    /// An upper bound of the depth of all points of each surface, where there is a cap.
    capped: [Option<f64>; 2],
    /// The depth from which on caps are tried again.
    try_from: f64,
    tries_left: usize,
}

/// The maximum number of points of an overlap; a cap over more takes longer than what it saves.
const MOST_POINTS: usize = 400;

/// The number of triangles' corners inside among which the deepest is looked for first.
const MOST_VERTICES: usize = 24;

/// The number of tries.
const TRIES: usize = 3;

/// The part of the tolerance that a cap leaves between its bound and the greatest depth found.
const SPARE: f64 = 0.25;

/// The factor by which the depth has to rise before the next try.
const RISE: f64 = 1.1;

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
    /// `None` if there is no point, or the way out has no direction.
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
    /// Looks for the deepest vertex and puts caps over the overlap, if there is little of it.
    pub(super) fn prepare_caps(&mut self) {
        self.overlap = Overlap::default();
        let Some(candidates) = self.candidates.take() else { return };
        let count = |side: usize| 2 * self.surfaces[side].contacts.len() + 3 * candidates[side].inner.len();
        if count(0) + count(1) <= MOST_POINTS {
            self.overlap.tries_left = TRIES;
            self.overlap.segments = vec![None; self.surfaces[0].contacts.len()];
            self.collect(&candidates);
        }
        self.candidates = Some(candidates);
        self.cap_overlap();
    }

    fn collect(&mut self, candidates: &[Candidates; 2]) {
        let mut vertices = 0;
        for (side, of_side) in candidates.iter().enumerate() {
            for triangle in of_side.crossing.iter().chain(&of_side.inner) {
                let leaf = triangle.leaf as usize;
                let (points, corners) = (self.surfaces[side].points(leaf), self.surfaces[side].vertices(leaf));
                let contacts = self.surfaces[side].contacts_of(leaf);
                let near = match contacts.is_empty() {
                    true => self.surfaces[side].other_triangle(0),
                    false => self.surfaces[side].contact(contacts.start),
                };
                let segments: Option<Vec<_>> = contacts.map(|i| self.common_segment(side, i)).collect();
                match segments {
                    Some(segments) => self.overlap.points[side].extend(segments.into_iter().flatten()),
                    // Rounding hides where the triangle is inside.
                    None => self.overlap.points[side].extend(corners),
                }
                for k in 0..3 {
                    if triangle.vertices[k].unwrap_or_else(|| self.may_be_inside(side, points[k], &corners[k])) {
                        self.overlap.points[side].push(corners[k]);
                        vertices += 1;
                        if vertices <= MOST_VERTICES {
                            self.nearest_to_vertex(side, points[k], &corners[k], near, triangle);
                        }
                    }
                }
            }
        }
    }

    /// The segment in which the triangles of a contact meet, in the frame of the other mesh; see
    /// [`Surface::common_segment`].
    pub(super) fn common_segment(&mut self, side: usize, contact: u32) -> CommonSegment {
        let [a, b] = &self.surfaces;
        let number = if side == 0 { contact } else { a.number_of(b.contacts[contact as usize]) };
        let in_a = match self.overlap.segments.get_mut(number as usize) {
            Some(known) => *known.get_or_insert_with(|| a.common_segment(number)),
            None => a.common_segment(number),
        };
        if side == 1 { in_a } else { in_a.map(|ends| ends.map(|end| a.to_other(&end))) }
    }

    /// Puts caps over the overlap along the way out of the deepest point, if a deeper one was found since the last try.
    pub(super) fn cap_overlap(&mut self) {
        if self.overlap.tries_left == 0 || self.lower <= self.overlap.try_from.max(16.0 * self.rounding) {
            return;
        }
        self.overlap.tries_left -= 1;
        self.overlap.try_from = self.lower * RISE;
        for side in 0..2 {
            let Some(way) = self.way_out(side) else { continue };
            let points = std::mem::take(&mut self.overlap.points[side]);
            if self.overlap.capped[side].is_none() {
                self.overlap.capped[side] = self.cap(side, &points, &way);
            }
            self.overlap.points[side] = points;
        }
    }

    /// The way out of the other solid at the deepest point found, for points of a surface; not of length 1. `None` if
    /// there can't be caps, since not only points inside a closed mesh count.
    pub(super) fn way_out(&self, side: usize) -> Option<Vector3<f64>> {
        let is_solid = self.candidates.is_some() && self.surfaces[side].other.watertightness().is_closed();
        let farthest = self.farthest.filter(|_| is_solid)?;
        let [point, way_out] = farthest.points;
        let back = |p: &Point3<f64>| self.surfaces[side].to_other(p);
        Some(if farthest.side == side { way_out - point } else { back(&point) - back(&way_out) })
    }

    /// An upper bound, near enough, of the depth of all points of a surface, if there is a cap.
    pub(super) fn capped(&self, side: usize) -> Option<f64> {
        self.overlap.capped[side]
    }

    /// An upper bound, near enough, of the depth of all points of a surface in the convex hull of these points, which
    /// are in the other mesh's frame; `None` if there is no cap at that height over the deepest of them.
    pub(super) fn cap(&mut self, side: usize, points: &[Point3<f64>], way_out: &Vector3<f64>) -> Option<f64> {
        let bound = self.enough() - SPARE * (self.enough() - self.lower);
        let footprint = Footprint::new(points, way_out)?;
        let is_capped = self.is_capped(side, &footprint, bound);
        // Where the other solid is flat, the cap may be as low as the greatest depth found. That does not help if
        // another bound is higher.
        let tight = self.lower + 16.0 * self.rounding;
        let is_flat =
            is_capped && tight < bound && self.regions.settled() <= tight && self.is_capped(side, &footprint, tight);
        is_capped.then_some(if is_flat { tight } else { bound })
    }

    /// Whether the rectangle at this height over the deepest of the points is outside the other solid.
    fn is_capped(&mut self, side: usize, footprint: &Footprint, height: f64) -> bool {
        let &Footprint { at, axes, lower, upper } = footprint;
        let level = lower.z + height - 4.0 * self.rounding;
        // Points may be beyond the cap, if they are not too far.
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
