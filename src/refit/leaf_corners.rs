//! The corners of a node's triangles, a lane for each leaf.

use super::local_vertices::narrowed;
use super::pass::{Box32, Pass, Refit8};
use super::plan::unmarked;
use crate::simd::Simd;
use crate::simd::vectors::Vector8;
use crate::volume::{Frame, WIDTH};

/// Three points for each lane.
#[derive(Default)]
pub(super) struct Corners {
    /// The fourth numbers mean nothing.
    points: [[[f32; 4]; WIDTH]; 3],
}

impl Corners {
    /// The corners of a leaf's triangle, or those of the box around several; returns whether it is one.
    #[inline(always)]
    pub(super) fn put_leaf<K: Refit8>(&mut self, pass: &Pass<'_, K>, lane: usize, first: usize) -> bool {
        let (corners, is_last) = unmarked(pass.corners[first]);
        if !is_last {
            self.put_box(lane, &pass.leaf_box(first));
            return false;
        }
        for (points, vertex) in self.points.iter_mut().zip(corners) {
            points[lane & 7] = *pass.positions.at(vertex);
        }
        true
    }

    /// Two corners of a box, one of them twice.
    #[inline(always)]
    pub(super) fn put_box(&mut self, lane: usize, [lower, upper]: &Box32) {
        for (points, [x, y, z]) in self.points.iter_mut().zip([lower, upper, lower]) {
            points[lane & 7] = [*x, *y, *z, 0.0];
        }
    }

    /// Has lanes past a node's children be like the first.
    #[inline(always)]
    pub(super) fn fill(&mut self, children: usize) {
        for lane in children..WIDTH {
            for points in &mut self.points {
                points[lane & 7] = points[0];
            }
        }
    }

    /// Their coordinates; row `3 * point + x` has one of all lanes.
    #[inline(always)]
    pub(super) fn rows<S: Simd>(&self, s: S) -> [[f32; WIDTH]; 9] {
        let mut coordinates = [[0.0; WIDTH]; 9];
        for point in 0..3 {
            let (points, mut rows) = (&self.points[point], [s.splat(0.0); 4]);
            for i in 0..4 {
                rows[i] = s.load_halves(&points[i], &points[4 + i]);
            }
            let rows = s.transposed(&rows);
            for x in 0..3 {
                coordinates[3 * point + x] = s.to_array(rows[x]);
            }
        }
        coordinates
    }

    /// The points in the frame's coordinates; see [`narrowed`].
    #[inline(always)]
    pub(super) fn local<S: Simd>(&self, s: S, frame: &Frame) -> [Vector8<S>; 3] {
        let (rows, mut local, scale) = (self.rows(s), [[s.splat(0.0); 3]; 3], s.splat64(1.0 / frame.unit));
        for (point, local) in local.iter_mut().enumerate() {
            for (x, local) in local.iter_mut().enumerate() {
                *local = narrowed(s, &rows[3 * point + x], s.splat64(frame.origin[x]), scale);
            }
        }
        local
    }

    /// The boxes around each lane's points.
    #[inline(always)]
    pub(super) fn boxes<S: Simd>(&self, s: S) -> (Vector8<S>, Vector8<S>) {
        let rows: [S::F32x8; 9] = s.load_rows(bytemuck::cast_slice(self.rows(s).as_flattened()), WIDTH, WIDTH);
        let (mut lower, mut upper) = ([s.splat(0.0); 3], [s.splat(0.0); 3]);
        for x in 0..3 {
            lower[x] = s.min(s.min(rows[x], rows[3 + x]), rows[6 + x]);
            upper[x] = s.max(s.max(rows[x], rows[3 + x]), rows[6 + x]);
        }
        (lower, upper)
    }

    /// The box around the boxes of all lanes.
    #[inline(always)]
    pub(super) fn joined<S: Simd>(&self, s: S, lower: &Vector8<S>, upper: &Vector8<S>) -> Box32 {
        let mut joined = [[0.0; 3]; 2];
        for x in 0..3 {
            let (lower, upper) = (s.to_array(lower[x]), s.to_array(upper[x]));
            let (mut lows, mut highs) = ([0.0; 4], [0.0; 4]);
            for lane in 0..4 {
                lows[lane] = if lower[lane] < lower[4 + lane] { lower[lane] } else { lower[4 + lane] };
                highs[lane] = if upper[lane] > upper[4 + lane] { upper[lane] } else { upper[4 + lane] };
            }
            for lane in 0..2 {
                lows[lane] = if lows[lane] < lows[2 + lane] { lows[lane] } else { lows[2 + lane] };
                highs[lane] = if highs[lane] > highs[2 + lane] { highs[lane] } else { highs[2 + lane] };
            }
            joined[0][x] = if lows[0] < lows[1] { lows[0] } else { lows[1] };
            joined[1][x] = if highs[0] > highs[1] { highs[0] } else { highs[1] };
        }
        joined
    }
}
