//! Planes that stand between volumes of two trees, and how far apart they keep them as the trees move.
//!
//! With an axis `n` in A's frame and a vector `m` in B's, let `h` be how far A's volumes reach along `n` and `k` how far B's
//! reach along `-m`, and let `k - d c + |d| r` be no less than they reach along `-(m + d)` for all `d` no longer than
//! [`MOST_TURN`] that leave `m + d` no longer than 1. At the pose `x -> R x + t`, with `d = R^T n - m`, every point of B's is
//! then at least `n t - k + d c - |d| r` along `n`. That less `h` is a gap; it is the one between the volumes where `m` is
//! what `n` was in B's frame when it was measured.
//!
//! `r` is nothing where B's volumes reach farthest along `-m` with a corner, `c`, that stays foremost.

use super::round_boxes::normalized;
use super::{Frame, ToFrame, WIDTH};
use crate::simd::Simd;
use crate::simd::vectors::{difference64, dot, dot64, splatted};

/// Numbers of a plane.
const ROWS: usize = 11;

/// Any number of planes, eight side by side.
#[derive(Debug, Default)]
pub(crate) struct Planes {
    /// For each eight, row by row: `n`, `m`, `c` and `r` in A's unit, `h + k` in A's unit.
    words: Vec<u32>,
}

/// One plane's numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane(pub(super) [f32; ROWS]);

impl Plane {
    /// Shows nothing.
    pub(crate) const NONE: Plane = {
        let mut rows = [0.0; ROWS];
        rows[ROWS - 1] = f32::INFINITY;
        Plane(rows)
    };

    /// Shows nothing, infinitely far apart.
    pub(crate) const VACANT: Plane = {
        let mut rows = [0.0; ROWS];
        rows[ROWS - 1] = f32::NEG_INFINITY;
        Plane(rows)
    };
}

/// So long `d` may be; past that a plane shows nothing.
pub(super) const MOST_TURN: f32 = 0.3;

/// Outweighs what may be lost to rounding of a radius, the centre's included.
pub(super) const ROUNDED_UP: f32 = 1.0 + 1e-5;

impl Planes {
    pub(crate) fn clear(&mut self) {
        self.words.clear();
    }

    /// Replaces a plane, or adds one behind the last.
    pub(crate) fn set(&mut self, index: usize, plane: &Plane) {
        let (block, lane) = (index / WIDTH * WIDTH * ROWS, index % WIDTH);
        if block == self.words.len() {
            self.words.resize(block + WIDTH * ROWS, 0);
        }
        let lanes = self.words[block..block + WIDTH * ROWS].iter_mut().skip(lane).step_by(WIDTH);
        for (word, value) in lanes.zip(&plane.0) {
            *word = value.to_bits();
        }
    }

    /// The gaps that eight planes show at a pose, in the unit of A's frame, by which all distances across are greater than
    /// that times the length of `n`, but for the margin of the pose. `to` is from B's frame to A's.
    #[inline(always)]
    pub(crate) fn gaps<S: Simd>(&self, s: S, block: usize, to: &ToFrame) -> S::F32x8 {
        let rows: [S::F32x8; ROWS] = s.load_rows(&self.words[block * WIDTH * ROWS..], WIDTH, WIDTH);
        let [nx, ny, nz, m @ .., radius, offset] = rows;
        let (mut along, mut turned_sq) = (s.splat(0.0), s.splat(0.0));
        for j in 0..3 {
            let r = &to.rotation;
            let (x, y, z) = (s.splat(r[0][j]), s.splat(r[1][j]), s.splat(r[2][j]));
            let turned = s.mul_add(nx, x, s.mul_add(ny, y, s.mul_sub(nz, z, m[j])));
            turned_sq = s.mul_add(turned, turned, turned_sq);
            along = s.mul_add(turned, m[3 + j], along);
        }
        let [x, y, z] = to.translation;
        let along = s.mul_add(nx, s.splat(x), s.mul_add(ny, s.splat(y), s.mul_add(nz, s.splat(z), along)));
        let gap = s.sub(s.sub(along, offset), s.mul(s.sqrt(turned_sq), radius));
        s.select(s.gt(turned_sq, s.splat(MOST_TURN * MOST_TURN)), s.splat(f32::NEG_INFINITY), gap)
    }
}

/// Planes between eight pairs of triangles, side by side.
pub(crate) struct EightPlanes {
    rows: [[f32; 8]; ROWS],
    /// Lanes that are kept apart by more than was asked for.
    pub(crate) kept: u8,
}

/// Corners of eight triangles in the coordinates of their mesh: `[corner][coordinate][lane]`.
pub(crate) type EightTriangles = [[[f32; 8]; 3]; 3];

impl EightPlanes {
    /// Keep nothing apart.
    pub(crate) const NONE: EightPlanes = EightPlanes { rows: [[0.0; 8]; ROWS], kept: 0 };

    /// Planes between triangles of A and of B along vectors of A's mesh, `axes[coordinate][lane]`, that keep them farther
    /// apart than `distance`, in the unit of A's frame.
    #[inline(always)]
    pub(crate) fn new<S: Simd>(
        s: S,
        [a, b]: [&EightTriangles; 2],
        frames: &[Frame; 2],
        to: &ToFrame,
        axes: &[[f64; 8]; 3],
        distance: f32,
    ) -> Self {
        let scale = s.splat64(1.0 / frames[0].unit);
        let mut n = [s.splat(0.0); 3];
        for k in 0..3 {
            n[k] = s.narrow(s.mul64(s.load64(&axes[k]), scale));
        }
        let n = normalized(s, &n);
        let m = to.turned_back(s, n);
        let (n_wide, m_wide) = (widened(s, n), widened(s, m));
        let (mut reach_a, mut reach_b) = (s.splat64(f64::NEG_INFINITY), s.splat64(f64::NEG_INFINITY));
        let (mut q, mut reaches) = ([[s.splat64(0.0); 3]; 3], [s.splat64(0.0); 3]);
        let mut foremost = q[0];
        for corner in 0..3 {
            reach_a = s.max64(reach_a, dot64(s, &n_wide, &frames[0].local(s, &a[corner])));
            q[corner] = frames[1].local(s, &b[corner]);
            reaches[corner] = s.sub64(s.splat64(0.0), dot64(s, &m_wide, &q[corner]));
            for k in 0..3 {
                foremost[k] = s.where_gt64(reaches[corner], reach_b, q[corner][k], foremost[k]);
            }
            reach_b = s.max64(reach_b, reaches[corner]);
        }
        let unit = s.splat(to.unit);
        let reach = s.narrow(s.mul_add64(reach_b, s.splat64(f64::from(to.unit)), reach_a));
        let offset = s.add(reach, s.splat(to.margin));
        let gap = s.sub(dot(s, &n, &splatted(s, to.translation)), s.add(offset, s.splat(to.margin)));
        let mut radius = s.splat(0.0);
        for corner in 0..3 {
            let off = difference64(s, &q[corner], &foremost);
            let (off, behind) = (s.sqrt(s.narrow(dot64(s, &off, &off))), s.narrow(s.sub64(reach_b, reaches[corner])));
            radius = s.max(s.mul_sub(off, s.splat(ROUNDED_UP), s.mul(behind, s.splat(1.0 / MOST_TURN))), radius);
        }
        let radius = s.mul(radius, unit);
        let mut rows = [[0.0; 8]; ROWS];
        for k in 0..3 {
            rows[k] = s.to_array(n[k]);
            rows[3 + k] = s.to_array(m[k]);
            rows[6 + k] = s.to_array(s.mul(s.narrow(foremost[k]), unit));
        }
        (rows[9], rows[10]) = (s.to_array(radius), s.to_array(offset));
        Self { rows, kept: s.bits(s.gt(gap, s.splat(distance))) }
    }

    /// The plane of a lane.
    pub(crate) fn plane(&self, lane: usize) -> Plane {
        Plane(self.rows.map(|row| row[lane & 7]))
    }
}

#[inline(always)]
fn widened<S: Simd>(s: S, [x, y, z]: [S::F32x8; 3]) -> [S::F64x8; 3] {
    [s.widen(&s.to_array(x)), s.widen(&s.to_array(y)), s.widen(&s.to_array(z))]
}
