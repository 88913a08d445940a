//! Planes that stand between volumes of two trees, and how far apart they keep them as the trees move.
//!
//! With an axis `n` in A's frame and a vector `m` in B's, let `h` be how far A's volumes reach along `n` and `k` how far B's
//! reach along `-m`, and let B's lie in a ball about `c` of radius `r`. At the pose `x -> R x + t` every point of B's is
//! then at least `n t - k + (R^T n - m) c - |R^T n - m| r` along `n`. That less `h` is a gap, for any pose and any `m`; it is
//! the one between the volumes where `m` is what `n` was in B's frame when it was measured, and loses little near there.

use nalgebra::Point3;

use super::sweep::length;
use super::{Node, ToFrame, Volume8, WIDTH, norm};
use crate::simd::Simd;

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
pub(crate) struct Plane([f32; ROWS]);

impl Plane {
    /// Shows nothing.
    pub(crate) const NONE: Plane = {
        let mut rows = [0.0; ROWS];
        rows[ROWS - 1] = f32::INFINITY;
        Plane(rows)
    };

    /// The plane with an axis in A's frame, of at most unit length, between three points of A and three of B, each in its
    /// own frame; `None` if it does not keep them farther apart than `distance`, in the unit of A's frame.
    pub(crate) fn between(
        points_a: &[Point3<f64>; 3],
        points_b: &[Point3<f64>; 3],
        to: &ToFrame,
        n: [f32; 3],
        distance: f32,
    ) -> Option<Self> {
        let m = turned_back(to, n);
        let unit = f64::from(to.unit);
        let along = |axis: [f32; 3], p: &Point3<f64>| (0..3).map(|x| f64::from(axis[x]) * p[x]).sum::<f64>();
        let reach_a = points_a.iter().map(|p| along(n, p)).fold(f64::NEG_INFINITY, f64::max);
        let reach_b = points_b.iter().map(|p| -along(m, p)).fold(f64::NEG_INFINITY, f64::max);
        let offset = (reach_a + unit * reach_b) as f32 + to.margin;
        let is_kept = dot(n, to.translation) - offset - to.margin > distance;
        is_kept.then(|| {
            let radius = points_b.iter().map(|p| (p - points_b[0]).norm()).fold(0.0, f64::max);
            let c = points_b[0].map(|x| (x * unit) as f32);
            Self([n[0], n[1], n[2], m[0], m[1], m[2], c[0], c[1], c[2], (radius * unit) as f32 * ROUNDED_UP, offset])
        })
    }
}

/// Outweighs what may be lost to rounding of a radius, the centre's included.
const ROUNDED_UP: f32 = 1.0 + 1e-5;

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

    /// Makes a plane keep whatever it was between infinitely far apart.
    pub(crate) fn vacate(&mut self, index: usize) {
        self.words[(index / WIDTH * ROWS + ROWS - 1) * WIDTH + index % WIDTH] = f32::NEG_INFINITY.to_bits();
    }

    /// The gaps that eight planes show at a pose, in the unit of A's frame, by which all distances across are greater than
    /// that times the length of `n`, but for the margin of the pose. `to` is from B's frame to A's.
    #[inline(always)]
    pub(crate) fn gaps<S: Simd>(&self, s: S, block: usize, to: &ToFrame) -> S::F32x8 {
        let rows: [S::F32x8; ROWS] = s.load_rows(&self.words[block * WIDTH * ROWS..], WIDTH);
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
        s.sub(s.sub(along, offset), s.mul(s.sqrt(turned_sq), radius))
    }
}

/// Some children of a node of A, and some of one of B, each in its own frame.
#[derive(Clone, Copy)]
pub(crate) struct Across<'a> {
    pub(crate) nodes: [Node<'a>; 2],
    pub(crate) lanes: [u8; 2],
}

impl Across<'_> {
    /// A unit vector from the middle of A's to that of B's, in A's frame; not a number if they are in one place.
    #[inline(always)]
    pub(crate) fn way<V: Volume8, S: Simd>(&self, s: S, to: &ToFrame) -> [f32; 3] {
        let here = middle(s, self.lanes[0], V::balls(s, &self.nodes[0]).0);
        let there = to.point(middle(s, self.lanes[1], V::balls(s, &self.nodes[1]).0));
        let way = [there[0] - here[0], there[1] - here[1], there[2] - here[2]];
        let length = length(&way);
        [way[0] / length, way[1] / length, way[2] / length]
    }

    /// The plane with an axis in A's frame, of at most unit length, that keeps as many children of one side (0 for A's, 1
    /// for B's) farther than `distance`, in the unit of A's frame, from all of the other's as possible; and which.
    #[inline(always)]
    pub(crate) fn plane<V: Volume8, S: Simd>(
        &self,
        s: S,
        to: &ToFrame,
        side: usize,
        n: [f32; 3],
        distance: f32,
    ) -> (Plane, u8) {
        let m = turned_back(to, n);
        let support_a = V::support(s, &self.nodes[0], n);
        let support_b = s.mul(V::support(s, &self.nodes[1], [-m[0], -m[1], -m[2]]), s.splat(to.unit));
        let (eight, others) = if side == 0 {
            (support_a, greatest(s, self.lanes[1], support_b))
        } else {
            (support_b, greatest(s, self.lanes[0], support_a))
        };
        // A margin for what is rounded here, and one for what will be when the gap is asked for.
        let gaps = s.sub(s.splat(dot(n, to.translation) - 2.0 * to.margin - others), eight);
        let kept = self.lanes[side] & s.bits(s.gt(gaps, s.splat(distance)));
        if kept == 0 {
            return (Plane::NONE, 0);
        }
        let offset = greatest(s, kept, eight) + others + to.margin;
        let lanes_b = if side == 0 { self.lanes[1] } else { kept };
        let (centers, radii) = V::balls(s, &self.nodes[1]);
        let [x, y, z] = middle(s, lanes_b, centers);
        let (dx, dy, dz) =
            (s.sub(centers[0], s.splat(x)), s.sub(centers[1], s.splat(y)), s.sub(centers[2], s.splat(z)));
        let radius = greatest(s, lanes_b, s.add(norm(s, [dx, dy, dz]), radii));
        let unit = to.unit;
        let plane =
            [n[0], n[1], n[2], m[0], m[1], m[2], x * unit, y * unit, z * unit, radius * unit * ROUNDED_UP, offset];
        (Plane(plane), kept)
    }
}

#[inline(always)]
fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// A direction of A's frame in B's.
#[inline(always)]
fn turned_back(to: &ToFrame, n: [f32; 3]) -> [f32; 3] {
    let r = &to.rotation;
    let back = |j: usize| r[0][j] * n[0] + r[1][j] * n[1] + r[2][j] * n[2];
    [back(0), back(1), back(2)]
}

/// The mean of some lanes' points.
#[inline(always)]
fn middle<S: Simd>(s: S, lanes: u8, points: [S::F32x8; 3]) -> [f32; 3] {
    let (mask, zero) = (s.mask(lanes), s.splat(0.0));
    let share = 1.0 / lanes.count_ones() as f32;
    let mut mean = [0.0; 3];
    for (mean, row) in mean.iter_mut().zip(points) {
        let [a, b, c, d, e, f, g, h] = s.to_array(s.select(mask, row, zero));
        *mean = (((a + b) + (c + d)) + ((e + f) + (g + h))) * share;
    }
    mean
}

/// The greatest of some lanes.
#[inline(always)]
fn greatest<S: Simd>(s: S, lanes: u8, row: S::F32x8) -> f32 {
    let [a, b, c, d, e, f, g, h] = s.to_array(s.select(s.mask(lanes), row, s.splat(f32::NEG_INFINITY)));
    let max = |x: f32, y: f32| if x > y { x } else { y };
    max(max(max(a, b), max(c, d)), max(max(e, f), max(g, h)))
}
