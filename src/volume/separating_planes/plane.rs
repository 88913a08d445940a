//! Planes that stand between volumes of two trees, and how far apart they keep them as the trees move.
//!
//! A plane is measured at one pose and asked at others. It is kept as two directions, `n` in A's frame and `m` in B's,
//! which are the same direction at the pose where it was measured:
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
//! `h` is the support of A's volumes along `n`: none of their points is farther that way. `k` is the support of B's
//! against `m`. With B's origin at `t` the volumes are `n.t - h - k` apart at least.
//!
//! At another pose `x -> R x + t`, `n` is not `m` any more when it is seen from B, but `m + d` with `d = R^T n - m`.
//! B's support point `c` then moves the gap by `d.c`, and is still the support point if it is a corner and `d` is
//! small; if it is not (B's volumes have a flat side there, or several have one plane), other points are at most `r
//! |d|` farther, where `r` is the greatest distance from `c` to a point of B's volumes that may take its place. So
//!
//! ```text
//! gap = n.t + d.c - (h + k) - r |d|
//! ```
//!
//! which is a proof for all `d` no longer than [`MAX_TURN`] that leave `m + d` no longer than 1, and the gap as
//! measured where `d` is 0.

use crate::simd::Simd;
use crate::volume::node::WIDTH;
use crate::volume::relative_frame::RelativeFrame;

/// Numbers of a plane: `n`, `m`, `c` and `r` in A's unit, `h + k` in A's unit.
pub(super) const ROWS: usize = 11;

/// Any number of planes, eight side by side.
#[derive(Debug, Default)]
pub(crate) struct Planes {
    /// For each eight, row by row.
    words: Vec<u32>,
}

/// One plane's numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plane(pub(super) [f32; ROWS]);

impl Plane {
    /// Keeps nothing apart.
    pub(crate) const NONE: Plane = {
        let mut rows = [0.0; ROWS];
        rows[ROWS - 1] = f32::INFINITY;
        Plane(rows)
    };

    /// For an index that is not in use: keeps all infinitely far apart.
    pub(crate) const FREE: Plane = {
        let mut rows = [0.0; ROWS];
        rows[ROWS - 1] = f32::NEG_INFINITY;
        Plane(rows)
    };
}

/// So long `d` may be: the turn, in radians, up to which a plane is of use.
pub(super) const MAX_TURN: f32 = 0.3;

/// Outweighs what may be lost to rounding of a radius, the centre's included.
pub(super) const ROUNDED_UP: f32 = 1.0 + 1e-5;
// Three coordinates' differences, their squares' sum and its root: fewer than 32 roundings.
const _: () = assert!(ROUNDED_UP > 1.0 + 32.0 * f32::EPSILON);

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

    /// The gaps that eight planes show at a pose, in the unit of A's frame, by which all distances across are greater
    /// than that times the length of `n`, but for the margin of the pose. `to` is from B's frame to A's.
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
