//! Planes that separate volumes and triangles of two trees, found at one pose and evaluated at others, for warm starts.
//!
//! A plane is stored as two directions, `n` in A's frame and `m` in B's, which are the same direction at the pose where
//! the plane was found:
//!
//! ```text
//!       A's volumes         gap          B's volumes
//!     .-----------.                     .-----------.
//!     |           |                     |           |          n: along the normal, seen from A
//!     |     o-----|-- h -->        <-- k -- c     o |          m: the same, seen from B
//!     |           |                     |           |          o: the frames' origins, t apart
//!     '-----------'                     '-----------'          c: B's support point against the normal
//!                    ------------> n, m
//! ```
//!
//! `h` is the support of A's volumes along `n`: none of their points is farther in that direction. `k` is the support
//! of B's volumes along `-m`. With B's origin at `t`, the volumes are at least `n.t - h - k` apart.
//!
//! At another pose `x -> R x + t`, `n` is not `m` any more when it is seen from B, but `m + d` with `d = R^T n - m`.
//! B's support point `c` then moves the gap by `d.c`, and is still the support point if it is a corner and `d` is
//! small; if it is not (B's volumes have a flat side there, or several volumes share one plane), other points are at
//! most `r |d|` farther, where `r` is the greatest distance from `c` to a point of B's volumes that may take its place.
//! So
//!
//! ```text
//! gap = n.t + d.c - (h + k) - r |d|
//! ```
//!
//! which proves a separation for all `d` no longer than [`MAX_TURN`] for which `m + d` is no longer than 1; where `d`
//! is 0, as after a mere translation, it is the gap `n.t - (h + k)` at the present pose.

mod separations;
#[cfg(test)]
mod tests;

pub(crate) use separations::{OneAgainstEight, RoundBoxes};

use super::frame::{Frame, RelativeFrame};
use super::node::WIDTH;
use crate::numeric::error_bounds::PLANE_RADIUS_ROUNDING;
use crate::simd::Simd;
use crate::simd::vectors::{difference64, dot_fused, dot_fused64, normalized, splatted};

/// Number of values of a plane: `n`, `m`, `c` and `r` in A's unit, and `h + k` in A's unit.
const ROWS: usize = 11;

/// A list of planes, stored in blocks of eight.
#[derive(Debug, Default)]
pub(crate) struct Planes {
    /// The blocks, row by row.
    words: Vec<u32>,
}

/// The values of one plane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane([f32; ROWS]);

impl Plane {
    /// A plane that separates nothing.
    pub(crate) const NONE: Plane = {
        let mut rows = [0.0; ROWS];
        rows[ROWS - 1] = f32::INFINITY;
        Plane(rows)
    };

    /// A plane for an index that is not in use: it separates everything, infinitely far.
    pub(crate) const FREE: Plane = {
        let mut rows = [0.0; ROWS];
        rows[ROWS - 1] = f32::NEG_INFINITY;
        Plane(rows)
    };
}

/// Maximum length of `d = R^T n - m`: approximately the angle, in radians, by which the normal has turned. A plane
/// whose normal has turned farther is unusable.
const MAX_TURN: f32 = 0.3;

impl Planes {
    pub(crate) fn clear(&mut self) {
        self.words.clear();
    }

    /// Replaces the plane at an index, or appends it if the index is that of the next plane.
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

    /// The gaps of the eight planes of a block at a pose, in the unit of A's frame. Distances across a plane are at
    /// least its gap divided by the length of its direction `n` in A's frame, up to the margin of the pose. `to` maps
    /// B's frame to A's.
    #[inline(always)]
    pub(crate) fn gaps<S: Simd>(&self, s: S, block: usize, to: &RelativeFrame) -> S::F32x8 {
        let rows: [S::F32x8; ROWS] = s.load_rows(&self.words[block * WIDTH * ROWS..], WIDTH, WIDTH);
        let [nx, ny, nz, m @ .., radius, offset] = rows;
        let (mut along, mut d_sq) = (s.splat(0.0), s.splat(0.0));
        for j in 0..3 {
            let r = &to.rotation;
            let (x, y, z) = (s.splat(r[0][j]), s.splat(r[1][j]), s.splat(r[2][j]));
            let d = s.mul_add(nx, x, s.mul_add(ny, y, s.mul_sub(nz, z, m[j])));
            d_sq = s.mul_add(d, d, d_sq);
            along = s.mul_add(d, m[3 + j], along);
        }
        let [x, y, z] = to.translation;
        let along = s.mul_add(nx, s.splat(x), s.mul_add(ny, s.splat(y), s.mul_add(nz, s.splat(z), along)));
        let gap = s.sub(s.sub(along, offset), s.mul(s.sqrt(d_sq), radius));
        s.select(s.gt(d_sq, s.splat(MAX_TURN * MAX_TURN)), s.splat(f32::NEG_INFINITY), gap)
    }
}

/// Planes between eight pairs of triangles.
pub(crate) struct EightPlanes {
    rows: [[f32; 8]; ROWS],
    /// A bit for each lane whose triangles the plane keeps farther apart than the `distance` given to [`Self::new`].
    pub(crate) separated: u8,
}

/// Corners of eight triangles in mesh coordinates: `[corner][coordinate][lane]`.
pub(crate) type EightTriangles = [[[f32; 8]; 3]; 3];

impl EightPlanes {
    /// Planes that separate nothing.
    pub(crate) const NONE: EightPlanes = EightPlanes { rows: [[0.0; 8]; ROWS], separated: 0 };

    /// Planes between triangles of A and B with the normals `axes[coordinate][lane]`, in A's mesh frame. A lane is
    /// separated if the triangles are farther apart than `distance`, in the unit of A's frame.
    #[inline(always)]
    pub(crate) fn new<S: Simd>(
        s: S,
        [a, b]: [&EightTriangles; 2],
        frames: &[Frame; 2],
        to: &RelativeFrame,
        axes: &[[f64; 8]; 3],
        distance: f32,
    ) -> Self {
        let scale = s.splat64(1.0 / frames[0].unit);
        let mut n = [s.splat(0.0); 3];
        for k in 0..3 {
            n[k] = s.narrow(s.mul64(s.load64(&axes[k]), scale));
        }
        let n = normalized(s, &n);
        let m = to.inverse_rotate(s, n);
        let (n_wide, m_wide) = (widened(s, n), widened(s, m));
        // The extents of A's corners along `n` and of B's against `m`, and which corner of B is farthest.
        let (mut support_a, mut support_b) = (s.splat64(f64::NEG_INFINITY), s.splat64(f64::NEG_INFINITY));
        let (mut q, mut along_b) = ([[s.splat64(0.0); 3]; 3], [s.splat64(0.0); 3]);
        let mut support_point = q[0];
        for corner in 0..3 {
            support_a = s.max64(support_a, dot_fused64(s, &n_wide, &frames[0].local(s, &a[corner])));
            q[corner] = frames[1].local(s, &b[corner]);
            along_b[corner] = s.sub64(s.splat64(0.0), dot_fused64(s, &m_wide, &q[corner]));
            for k in 0..3 {
                support_point[k] = s.where_gt64(along_b[corner], support_b, q[corner][k], support_point[k]);
            }
            support_b = s.max64(support_b, along_b[corner]);
        }
        let unit = s.splat(to.unit);
        let supports = s.narrow(s.mul_add64(support_b, s.splat64(f64::from(to.unit)), support_a));
        let offset = s.add(supports, s.splat(to.margin));
        let gap = s.sub(dot_fused(s, &n, &splatted(s, to.translation)), s.add(offset, s.splat(to.margin)));
        let mut radius = s.splat(0.0);
        for corner in 0..3 {
            let off = difference64(s, &q[corner], &support_point);
            let (off, behind) =
                (s.sqrt(s.narrow(dot_fused64(s, &off, &off))), s.narrow(s.sub64(support_b, along_b[corner])));
            radius =
                s.max(s.mul_sub(off, s.splat(PLANE_RADIUS_ROUNDING), s.mul(behind, s.splat(1.0 / MAX_TURN))), radius);
        }
        let radius = s.mul(radius, unit);
        let mut rows = [[0.0; 8]; ROWS];
        for k in 0..3 {
            rows[k] = s.to_array(n[k]);
            rows[3 + k] = s.to_array(m[k]);
            rows[6 + k] = s.to_array(s.mul(s.narrow(support_point[k]), unit));
        }
        (rows[9], rows[10]) = (s.to_array(radius), s.to_array(offset));
        Self { rows, separated: s.bits(s.gt(gap, s.splat(distance))) }
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
