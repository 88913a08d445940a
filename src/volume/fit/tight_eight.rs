//! The search of [`tight`](super::tight) for eight sets of few points at once, a lane for each and without branches:
//! where sets are small, sorting points and walking around a hull is mostly waiting for branches that were
//! mispredicted.

use super::frame_eight::{Axes8, inverse_roots, perpendicular, scaled, turned, where_gt};
use super::tight::{LEAST_GAIN, box_cost_by};
use crate::simd::Simd;
use crate::simd::vectors::{Vector8x64, dot_unfused64};

/// Sets less thick along the normal than by this factor, beside either side of their rectangle, are flat.
const FLAT: f64 = 10.0;
/// Turns about a box's own axes after the first candidates, at most.
const MAX_TURNS: usize = 4;

/// Axes of small boxes, by volume or by surface area, around eight sets of points, found from `start` and from
/// directions normal to surfaces (of any length) as [`tight_axes`](super::tight_axes) does; but by area, sets that are
/// flat along the first direction are turned about no other.
///
/// `points` has, [`MAX_POINTS`] at most, in each element one point of each set; sets of fewer points have their last
/// one again. Coordinates are offsets of at most about 1, or all zero.
#[inline(always)]
pub(crate) fn tight_axes_of_eight<S: Simd>(
    s: S,
    points: &[Vector8x64<S>],
    start: &Axes8<S>,
    normals: &Vector8x64<S>,
    by_volume: bool,
) -> Axes8<S> {
    let mut best = *start;
    let mut least = cost_by(s, lengths_along(s, points, start), by_volume);
    let first = unit_or(s, normals, &start[0]);
    // The points as seen along an axis.
    let mut flat = [[s.splat64(0.0); 2]; MAX_POINTS];
    let flat = &mut flat[..points.len()];
    // Bit by bit of each lane: whether its last turn was in vain, and whether its search has ended.
    let (mut failed, mut ended) = (0_u8, 0_u8);
    for turn in 0..4 + MAX_TURNS {
        if ended == 0xff {
            break;
        }
        // The last axis of the best box is the one that it was found about.
        let axis = match turn {
            0 => first,
            1..=3 => start[turn - 1],
            _ => best[turn % 2],
        };
        let (axes, lengths) = turned_about(s, points, flat, &axis);
        let cost = cost_by(s, lengths, by_volume);
        let mut handicap = [0.0; 8];
        for (lane, handicap) in handicap.iter_mut().enumerate() {
            *handicap = if ended >> lane & 1 != 0 { f64::INFINITY } else { 0.0 };
        }
        let cost = s.add64(cost, s.load64(&handicap));
        let gains = s.gt64(s.mul64(least, s.splat64(1.0 - LEAST_GAIN)), cost);
        for k in 0..3 {
            best[k] = where_gt(s, [least, cost], &axes[k], &best[k]);
        }
        least = s.min64(cost, least);
        if turn == 0 && !by_volume {
            // Little area is to be gained.
            let [x, y, thickness] = lengths;
            ended = s.gt64(s.min64(x, y), s.mul64(thickness, s.splat64(FLAT)));
        }
        if turn >= 4 {
            ended |= failed & !gains;
            failed = !gains;
        }
    }
    best
}

/// The axes of the box with the last one given and the least rectangle about it, and its lengths.
#[inline(always)]
fn turned_about<S: Simd>(
    s: S,
    points: &[Vector8x64<S>],
    flat: &mut [[S::F64x8; 2]],
    axis: &Vector8x64<S>,
) -> (Axes8<S>, [S::F64x8; 3]) {
    let [u, v] = perpendicular(s, axis);
    let (mut least, mut greatest) = (s.splat64(f64::INFINITY), s.splat64(f64::NEG_INFINITY));
    for (flat, point) in flat.iter_mut().zip(points) {
        *flat = [dot_unfused64(s, point, &u), dot_unfused64(s, point, &v)];
        let above = dot_unfused64(s, point, axis);
        (least, greatest) = (s.min64(above, least), s.max64(above, greatest));
    }
    let Rectangles { along, lengths: [x, y] } = least_rectangles(s, flat);
    let [first, second] = turned(s, &[u, v], along);
    ([first, second, *axis], [x, y, s.sub64(greatest, least)])
}

/// What boxes of these lengths cost: one kernel for both measures.
#[inline(always)]
fn cost_by<S: Simd>(s: S, lengths: [S::F64x8; 3], by_volume: bool) -> S::F64x8 {
    if by_volume { box_cost_by::<S, true>(s, lengths) } else { box_cost_by::<S, false>(s, lengths) }
}

/// Points of a set, at most: three of each of 16 triangles.
pub(crate) const MAX_POINTS: usize = 48;

/// Rectangles of any place: the direction of one side; the lengths along it and across.
struct Rectangles<S: Simd> {
    along: [S::F64x8; 2],
    lengths: [S::F64x8; 2],
}

/// Those of least area around the points. A side lies on an edge of the convex hull (Freeman and Shapira 1975), around
/// which the way leads from edge to edge (Jarvis 1973, "On the identification of the convex hull of a finite set of
/// points in the plane").
///
/// Whichever way rounding may lead, each rectangle weighed is one around all points.
#[inline(always)]
fn least_rectangles<S: Simd>(s: S, points: &[[S::F64x8; 2]]) -> Rectangles<S> {
    let zero = s.splat64(0.0);
    let mut begin = points[0];
    for point in &points[1..] {
        let y = s.where_gt64(begin[0], point[0], point[1], begin[1]);
        begin = [s.min64(point[0], begin[0]), y];
    }
    let (mut at, mut second) = (begin, begin);
    // Downward from the leftmost point.
    let mut direction = [zero, s.splat64(-1.0)];
    let mut least = s.splat64(f64::INFINITY);
    let mut best = Rectangles { along: [s.splat64(1.0), zero], lengths: [zero; 2] };
    // Infinite for those that are around.
    let (inf, mut around) = (s.splat64(f64::INFINITY), zero);
    for step in 0..=MAX_POINTS {
        // The edge to the point that all others are left of; until one is found, the way back.
        let mut edge = [s.sub64(zero, direction[0]), s.sub64(zero, direction[1])];
        let mut next = at;
        for point in points {
            let offset = [s.sub64(point[0], at[0]), s.sub64(point[1], at[1])];
            let right = s.sub64(s.mul64(edge[1], offset[0]), s.mul64(edge[0], offset[1]));
            for x in 0..2 {
                next[x] = s.where_gt64(right, zero, point[x], next[x]);
                edge[x] = s.where_gt64(right, zero, offset[x], edge[x]);
            }
        }
        direction = unit(s, edge);
        let [cos, sin] = direction;
        let (mut lower, mut upper) = ([inf; 2], [s.sub64(zero, inf); 2]);
        for [x, y] in points {
            let along = s.add64(s.mul64(*x, cos), s.mul64(*y, sin));
            let across = s.sub64(s.mul64(*y, cos), s.mul64(*x, sin));
            lower = [s.min64(along, lower[0]), s.min64(across, lower[1])];
            upper = [s.max64(along, upper[0]), s.max64(across, upper[1])];
        }
        let lengths = [s.sub64(upper[0], lower[0]), s.sub64(upper[1], lower[1])];
        let area = s.add64(s.mul64(lengths[0], lengths[1]), around);
        for x in 0..2 {
            best.along[x] = s.where_gt64(least, area, direction[x], best.along[x]);
            best.lengths[x] = s.where_gt64(least, area, lengths[x], best.lengths[x]);
        }
        least = s.min64(area, least);
        at = next;
        if step == 0 {
            second = next;
        } else {
            // The first point may lie on an edge, between two corners.
            around = s.where_gt64(apart(s, &at, &begin), zero, around, inf);
            around = s.where_gt64(apart(s, &at, &second), zero, around, inf);
            if s.gt64(inf, around) == 0 {
                break;
            }
        }
    }
    best
}

/// A distance.
#[inline(always)]
fn apart<S: Simd>(s: S, a: &[S::F64x8; 2], b: &[S::F64x8; 2]) -> S::F64x8 {
    s.add64(s.abs64(s.sub64(a[0], b[0])), s.abs64(s.sub64(a[1], b[1])))
}

/// Of directions in the plane, none of them zero.
#[inline(always)]
fn unit<S: Simd>(s: S, [x, y]: [S::F64x8; 2]) -> [S::F64x8; 2] {
    let per_length = inverse_roots(s, s.add64(s.mul64(x, x), s.mul64(y, y)));
    [s.mul64(x, per_length), s.mul64(y, per_length)]
}

/// Unit vectors; others in place of those that have no direction.
#[inline(always)]
fn unit_or<S: Simd>(s: S, vectors: &Vector8x64<S>, others: &Vector8x64<S>) -> Vector8x64<S> {
    let least = s.splat64(f64::MIN_POSITIVE);
    let length_sq = dot_unfused64(s, vectors, vectors);
    let per_length = inverse_roots(s, s.max64(length_sq, least));
    where_gt(s, [length_sq, least], &scaled(s, vectors, per_length), others)
}

/// Lengths of the boxes along the axes.
#[inline(always)]
fn lengths_along<S: Simd>(s: S, points: &[Vector8x64<S>], axes: &Axes8<S>) -> [S::F64x8; 3] {
    let mut lengths = [s.splat64(0.0); 3];
    for k in 0..3 {
        let (mut least, mut greatest) = (s.splat64(f64::INFINITY), s.splat64(f64::NEG_INFINITY));
        for point in points {
            let along = dot_unfused64(s, point, &axes[k]);
            (least, greatest) = (s.min64(along, least), s.max64(along, greatest));
        }
        lengths[k] = s.sub64(greatest, least);
    }
    lengths
}
