//! The tests in f32: a row of the first surface's features with each feature of the second surface.

use super::super::candidates::MAX_SLOPE;
use super::super::surface::AROUND;
use super::NearFeatures;
use super::features::{EDGE_FIELDS, FACE_FIELDS, LANES, Rows, Second, SecondEdge, VERTEX_FIELDS};
use crate::simd::Simd;
use crate::simd::vectors::{Vector8, cross_fused, difference, dot_fused, lanes_in, negative, norm, on_line, splatted};

/// The sine of an angle at which a face surely rises along a direction, so that the surface does not end at its edge in
/// that direction: twice the greatest ratio of [`FLAT_ANGLE`] times a triangle's size to its height, slivers left out.
///
/// [`FLAT_ANGLE`]: crate::numeric::error_bounds::FLAT_ANGLE
const RISING: f32 = 0.02;

/// If a point is below all faces of a core by this depth or more, no vertex and no edge of the core ends toward it:
/// some of the core's corners are farther in that direction by at least this depth. It is more than [`FLAT_ANGLE`] of
/// the core's size, since that size is at most twice the unit.
///
/// [`FLAT_ANGLE`]: crate::numeric::error_bounds::FLAT_ANGLE
pub(super) const INSIDE: f32 = 1e-3;

/// The limits on the distances of contacts, each in all eight lanes.
pub(super) struct Limits<S: Simd> {
    pub(super) radius: S::F32x8,
    /// The margin, with room for rounding.
    pub(super) margin: S::F32x8,
    /// The square of the sum of radius and margin, with room for rounding.
    pub(super) reach_sq: S::F32x8,
    /// `reach_sq` without room for rounding.
    pub(super) bare_reach_sq: S::F32x8,
    /// The square of the least distance of contacts outside the core, with room for rounding.
    pub(super) least_sq: S::F32x8,
    /// `least_sq` without room for rounding.
    pub(super) bare_least_sq: S::F32x8,
    /// The greatest height above a face's plane at which anything may be near the face.
    pub(super) beyond: S::F32x8,
    pub(super) rounding: S::F32x8,
    pub(super) rounding_sq: S::F32x8,
}

impl<S: Simd> Limits<S> {
    /// Whether squared distances may be those of contacts, as bits.
    #[inline(always)]
    fn are_within(&self, s: S, distance_sq: S::F32x8) -> u8 {
        s.bits(s.gt(self.reach_sq, distance_sq)) & s.bits(s.gt(distance_sq, self.least_sq))
    }

    /// The rise along a direction of the given length for a slope of the given sine, with room for rounding.
    #[inline(always)]
    fn slope(&self, s: S, sine: f32, length: S::F32x8) -> S::F32x8 {
        s.mul_add(s.splat(sine), length, self.rounding)
    }

    /// Whether gaps may be those of contacts across a face, as bits.
    #[inline(always)]
    fn are_gaps(&self, s: S, gap: S::F32x8) -> u8 {
        s.bits(s.gt(self.margin, s.abs(s.sub(gap, self.radius))))
    }
}

/// Adds the pairs of the first surface's vertices with faces, vertices and edges of the second surface.
#[inline(always)]
pub(super) fn vertices_near<S: Simd>(
    s: S,
    second: &Second,
    limits: &Limits<S>,
    rows: &Rows<VERTEX_FIELDS>,
    near: &mut NearFeatures,
) {
    for (words, names) in rows.iter() {
        let [x, y, z, square, least_room, u, v, w] = s.load_rows(words, LANES, LANES);
        let (point, highest) = ([x, y, z], [u, v, w]);
        for &(face, [x, y, z, height]) in &second.faces {
            let normal = splatted(s, [x, y, z]);
            let gap = s.sub(dot_fused(s, &normal, &point), s.splat(height));
            // The foot is in the core, below the plane that the vertex is highest above.
            let room = s.mul_add(gap, dot_fused(s, &normal, &highest), limits.rounding);
            let is_beside = s.bits(s.gt(least_room, room));
            let is_near = !is_beside & limits.are_gaps(s, gap);
            if is_near != 0 {
                // Directions that are about the same count.
                let slope = limits.slope(s, MAX_SLOPE as f32 + RISING, s.splat(1.0));
                let rise = rise(s, &around_of(s, words), &negative(s, &normal), slope);
                push(&mut near.vertex_face, names, face, is_near & !rise);
            }
        }
        let is_inside = s.bits(s.gt(s.splat(-INSIDE), least_room));
        if is_inside == u8::MAX {
            continue;
        }
        for &(vertex, [x, y, z, own]) in &second.vertices {
            let distance_sq = distances_sq(s, [x, y, z], own, &point, square);
            let is_near = !is_inside & limits.are_within(s, distance_sq);
            if is_near != 0 {
                let to_vertex = difference(s, &splatted(s, [x, y, z]), &point);
                let rise = rise(s, &around_of(s, words), &to_vertex, limits.slope(s, RISING, norm(s, &to_vertex)));
                push(&mut near.vertex_vertex, names, vertex, is_near & !rise);
            }
        }
        for (edge, other) in &second.edges {
            let ([start, length, own], along) = (other.rest, splatted(s, other.along));
            let part = s.sub(dot_fused(s, &along, &point), s.splat(start));
            let to_start_sq = distances_sq(s, other.start, own, &point, square);
            let distance_sq = s.sub(to_start_sq, s.mul(part, part));
            let beyond = s.max(s.sub(s.splat(0.0), part), s.sub(part, s.splat(length)));
            let is_within = s.bits(s.gt(limits.rounding, beyond));
            let is_near = !is_inside & is_within & limits.are_within(s, distance_sq);
            if is_near != 0 {
                let to_point = difference(s, &point, &on_line(s, &splatted(s, other.start), &along, part));
                let slope = limits.slope(s, RISING, norm(s, &to_point));
                let rise =
                    other.rise(s, &to_point, slope) | rise(s, &around_of(s, words), &negative(s, &to_point), slope);
                push(&mut near.vertex_edge, names, *edge, is_near & !rise);
            }
        }
    }
}

/// Adds the pairs of the first surface's edges with vertices and edges of the second surface.
#[inline(always)]
pub(super) fn edges_near<S: Simd>(
    s: S,
    second: &Second,
    limits: &Limits<S>,
    rows: &Rows<EDGE_FIELDS>,
    near: &mut NearFeatures,
) {
    for (words, names) in rows.iter() {
        let [x, y, z, u, v, w, k, l, m, first, last, square] = s.load_rows(words, LANES, LANES);
        let (foot, along, moment) = ([x, y, z], [u, v, w], [k, l, m]);
        for &(vertex, [x, y, z, own]) in &second.vertices {
            let part = dot_fused(s, &splatted(s, [x, y, z]), &along);
            let to_foot_sq = distances_sq(s, [x, y, z], own, &foot, square);
            let distance_sq = s.sub(to_foot_sq, s.mul(part, part));
            let is_within = s.bits(s.gt(limits.rounding, s.max(s.sub(first, part), s.sub(part, last))));
            let is_near = is_within & limits.are_within(s, distance_sq);
            if is_near != 0 {
                let vertex_at = splatted(s, [x, y, z]);
                let to_vertex = difference(s, &vertex_at, &on_line(s, &foot, &along, part));
                let rise = rise(s, &beside_of(s, words), &to_vertex, limits.slope(s, RISING, norm(s, &to_vertex)));
                push(&mut near.edge_vertex, names, vertex, is_near & !rise);
            }
        }
        for (edge, other) in &second.edges {
            // The lines' nearest points (Ericson, Real-Time Collision Detection, 5.1.8), times the sine's square; and
            // their distance by Plücker's coordinates, times the sine.
            let [start, length, _] = other.rest;
            let (other_along, length) = (splatted(s, other.along), s.splat(length));
            let cosine = dot_fused(s, &other_along, &along);
            let sine_sq = s.sub(s.splat(1.0), s.mul(cosine, cosine));
            let along_a = dot_fused(s, &splatted(s, other.start), &along);
            let along_b = s.sub(s.splat(start), dot_fused(s, &other_along, &foot));
            let part_a = s.sub(along_a, s.mul(along_b, cosine));
            let part_b = s.sub(s.mul(along_a, cosine), along_b);
            let beyond_a = s.max(s.sub(s.mul(first, sine_sq), part_a), s.sub(part_a, s.mul(last, sine_sq)));
            let beyond_b = s.max(s.sub(s.splat(0.0), part_b), s.sub(part_b, s.mul(length, sine_sq)));
            let across = s.add(dot_fused(s, &splatted(s, other.moment), &along), dot_fused(s, &other_along, &moment));
            let too_far = s.sub(s.mul(across, across), s.mul(limits.bare_reach_sq, sine_sq));
            let is_within = s.bits(s.gt(limits.rounding, s.max(beyond_a, beyond_b)));
            let too_near = s.sub(s.mul(limits.bare_least_sq, sine_sq), s.mul(across, across));
            let is_near = is_within & s.bits(s.gt(limits.rounding_sq, s.max(too_far, too_near)));
            if is_near != 0 {
                let across = cross_fused(s, &along, &other_along);
                let sine = s.sqrt(s.max(sine_sq, s.splat(0.0)));
                // Across edges, directions that are about the same count.
                let slope = limits.slope(s, MAX_SLOPE as f32 + RISING, sine);
                let (beside, against) = (beside_of(s, words), negative(s, &across));
                let rise = [
                    rise(s, &beside, &across, slope) | other.rise(s, &against, slope),
                    rise(s, &beside, &against, slope) | other.rise(s, &across, slope),
                ];
                push(&mut near.edge_edge, names, *edge, is_near & !(rise[0] & rise[1]));
            }
        }
    }
}

/// The squared distances of a point from eight points, given the squared lengths of all as position vectors.
#[inline(always)]
fn distances_sq<S: Simd>(s: S, [x, y, z]: [f32; 3], own: f32, points: &Vector8<S>, squares: S::F32x8) -> S::F32x8 {
    let twice = splatted(s, [-2.0 * x, -2.0 * y, -2.0 * z]);
    s.add(dot_fused(s, &twice, points), s.add(s.splat(own), squares))
}

/// The offsets to the points beside eight edges of the first surface.
#[inline(always)]
fn beside_of<S: Simd>(s: S, words: &[u32]) -> [Vector8<S>; 2] {
    let [a, b, c, d, e, f] = s.load_rows(&words[12 * LANES..], LANES, LANES);
    [[a, b, c], [d, e, f]]
}

/// The offsets to points around eight vertices of the first surface.
#[inline(always)]
fn around_of<S: Simd>(s: S, words: &[u32]) -> [Vector8<S>; AROUND] {
    let mut around = [[s.splat(0.0); 3]; AROUND];
    for (k, offset) in around.iter_mut().enumerate() {
        *offset = s.load_rows(&words[(8 + 3 * k) * LANES..], LANES, LANES);
    }
    around
}

/// A bit for each lane in which one of the offsets rises along the direction by more than the slope.
#[inline(always)]
fn rise<S: Simd, const N: usize>(s: S, offsets: &[Vector8<S>; N], direction: &Vector8<S>, slope: S::F32x8) -> u8 {
    let mut rise = 0;
    for offset in offsets {
        // The length of a very short one may be zero.
        let length = s.max(norm(s, offset), s.splat(1e-12));
        rise |= s.bits(s.gt(dot_fused(s, offset, direction), s.mul(length, slope)));
    }
    rise
}

impl SecondEdge {
    /// [`rise`] of the offsets beside this edge.
    #[inline(always)]
    fn rise<S: Simd>(&self, s: S, direction: &Vector8<S>, slope: S::F32x8) -> u8 {
        rise(s, &[splatted(s, self.beside[0]), splatted(s, self.beside[1])], direction, slope)
    }
}

/// Adds the pairs of the first surface's faces with vertices of the second surface.
#[inline(always)]
pub(super) fn faces_near<S: Simd>(
    s: S,
    second: &Second,
    limits: &Limits<S>,
    rows: &Rows<FACE_FIELDS>,
    near: &mut NearFeatures,
) {
    for (words, names) in rows.iter() {
        let [u, v, w, height, x, y, z, room] = s.load_rows(words, LANES, LANES);
        let (normal, center) = ([u, v, w], [x, y, z]);
        for &(vertex, [x, y, z, own]) in &second.vertices {
            let gap = s.sub(dot_fused(s, &splatted(s, [x, y, z]), &normal), height);
            let twice = splatted(s, [-2.0 * x, -2.0 * y, -2.0 * z]);
            let is_beside = s.bits(s.gt(room, s.add(dot_fused(s, &twice, &center), s.splat(own))));
            push(&mut near.face_vertex, names, vertex, is_beside & limits.are_gaps(s, gap));
        }
    }
}

/// Adds a pair for each lane of a row whose bit is set.
#[inline(always)]
fn push(pairs: &mut Vec<[u32; 2]>, names: &[u32], other: u32, bits: u8) {
    for lane in lanes_in(0, bits) {
        pairs.push([names[lane], other]);
    }
}
