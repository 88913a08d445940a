//! Planes that stand between volumes of two trees, and how far apart they keep them as the trees move.
//!
//! With an axis `n` in A's frame and a vector `m` in B's, let `h` be how far A's volumes reach along `n` and `k` how far B's
//! reach along `-m`, and let B's lie in a ball about `c` of radius `r`. At the pose `x -> R x + t` every point of B's is
//! then at least `n t - k + (R^T n - m) c - |R^T n - m| r` along `n`. That less `h` is a gap, for any pose and any `m`; it is
//! the one between the volumes where `m` is what `n` was in B's frame when it was measured, and loses little near there.

use super::round_boxes::{RoundBoxes, difference, dot};
use super::{Frame, Node, ToFrame, Volume8, WIDTH, norm};
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
        let n = normalized(s, n);
        let m = to.turned_back(s, n);
        let (mut reach_a, mut reach_b) = (s.splat64(f64::NEG_INFINITY), s.splat64(f64::NEG_INFINITY));
        let (n_wide, m_wide) = (widened(s, n), widened(s, m));
        let (mut first, mut radius_sq) = ([s.splat64(0.0); 3], s.splat64(0.0));
        for corner in 0..3 {
            reach_a = s.max64(reach_a, dot64(s, &n_wide, &frames[0].local(s, &a[corner])));
            let q = frames[1].local(s, &b[corner]);
            reach_b = s.max64(reach_b, s.sub64(s.splat64(0.0), dot64(s, &m_wide, &q)));
            first = if corner == 0 { q } else { first };
            let off = [s.sub64(q[0], first[0]), s.sub64(q[1], first[1]), s.sub64(q[2], first[2])];
            radius_sq = s.max64(radius_sq, dot64(s, &off, &off));
        }
        let unit = s.splat(to.unit);
        let reach = s.narrow(s.mul_add64(reach_b, s.splat64(f64::from(to.unit)), reach_a));
        let offset = s.add(reach, s.splat(to.margin));
        let [x, y, z] = to.translation;
        let gap = s.sub(dot(s, n, [s.splat(x), s.splat(y), s.splat(z)]), s.add(offset, s.splat(to.margin)));
        let radius = s.mul(s.mul(s.sqrt(s.narrow(radius_sq)), unit), s.splat(ROUNDED_UP));
        let mut rows = [[0.0; 8]; ROWS];
        for k in 0..3 {
            rows[k] = s.to_array(n[k]);
            rows[3 + k] = s.to_array(m[k]);
            rows[6 + k] = s.to_array(s.mul(s.narrow(first[k]), unit));
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

#[inline(always)]
fn dot64<S: Simd>(s: S, a: &[S::F64x8; 3], b: &[S::F64x8; 3]) -> S::F64x8 {
    s.mul_add64(a[2], b[2], s.mul_add64(a[1], b[1], s.mul64(a[0], b[0])))
}

/// Directions, of less than unit length where a vector is next to none.
#[inline(always)]
fn normalized<S: Simd>(s: S, vectors: [S::F32x8; 3]) -> [S::F32x8; 3] {
    let length = s.max(norm(s, vectors), s.splat(1e-10));
    [s.div(vectors[0], length), s.div(vectors[1], length), s.div(vectors[2], length)]
}

/// Children of a node of A and of one of B, each in its own frame: one of either, and eight of the other.
#[derive(Clone, Copy)]
pub(crate) struct Across<'a> {
    pub(crate) nodes: [Node<'a>; 2],
    /// The one's.
    pub(crate) lane: [Option<usize>; 2],
}

impl Across<'_> {
    /// Finds the shortest ways from the one to the eight, nearly.
    #[inline(always)]
    pub(crate) fn apart<V: Volume8, S: Simd>(&self, s: S, to: &ToFrame) -> Apart<S> {
        let a = V::round_boxes(s, &self.nodes[0], self.lane[0]);
        let b = V::round_boxes(s, &self.nodes[1], self.lane[1]);
        // By projecting onto the one and the other in turn (Cheney and Goldstein, "Proximity maps for convex sets", 1959).
        let on_a = a.nearest(s, to.moved(s, b.centers));
        let on_b = to.moved(s, b.nearest(s, to.moved_back(s, on_a)));
        let way = difference(s, on_b, a.nearest(s, on_b));
        let [x, y, z] = normalized(s, way);
        let rounding = s.mul_add(b.rounding, s.splat(to.unit), a.rounding);
        Apart {
            axes: [s.to_array(x), s.to_array(y), s.to_array(z)],
            lengths: s.to_array(s.sub(norm(s, way), rounding)),
            a,
            b,
        }
    }
}

/// How eight pairs of volumes lie to each other.
pub(crate) struct Apart<S: Simd> {
    a: RoundBoxes<S>,
    b: RoundBoxes<S>,
    /// Of nearly the shortest ways from A's to B's, in A's frame: of at most unit length.
    axes: [[f32; 8]; 3],
    lengths: [f32; 8],
}

impl<S: Simd> Apart<S> {
    /// Takes the nearest of some lanes out of them, and such others as the same plane keeps no less far apart. Tells those
    /// that it keeps farther apart than `distance`, in the unit of A's frame.
    #[inline(always)]
    pub(crate) fn plane(&self, s: S, to: &ToFrame, lanes: &mut u8, distance: f32) -> (Plane, u8) {
        let nearest = least(*lanes, &self.lengths);
        let n = self.axes.map(|x| x[nearest]);
        let m = turned_back(to, n);
        let unit = s.splat(to.unit);
        let support_b = self.b.support(s, [s.splat(-m[0]), s.splat(-m[1]), s.splat(-m[2])]);
        let reach = s.mul_add(support_b, unit, self.a.support(s, [s.splat(n[0]), s.splat(n[1]), s.splat(n[2])]));
        let along = n[0] * to.translation[0] + n[1] * to.translation[1] + n[2] * to.translation[2];
        // A margin for what is rounded here, and one for what will be when the gap is asked for.
        let gaps = s.sub(s.splat(along - 2.0 * to.margin), reach);
        let own = 1 << nearest;
        let nearer = s.bits(s.gt(s.splat(s.to_array(gaps)[nearest]), gaps));
        let taken = own | *lanes & !nearer;
        *lanes &= !taken;
        let kept = taken & s.bits(s.gt(gaps, s.splat(distance)));
        if kept == 0 {
            return (Plane::NONE, 0);
        }
        let centers = self.b.centers;
        let c = [mean(s, kept, centers[0]), mean(s, kept, centers[1]), mean(s, kept, centers[2])];
        let off = norm(s, difference(s, centers, [s.splat(c[0]), s.splat(c[1]), s.splat(c[2])]));
        let radius = greatest(s, kept, s.add(self.b.radii(s), off)) * to.unit * ROUNDED_UP;
        let [x, y, z] = c.map(|x| x * to.unit);
        let offset = greatest(s, kept, reach) + to.margin;
        (Plane([n[0], n[1], n[2], m[0], m[1], m[2], x, y, z, radius, offset]), kept)
    }
}

/// The place of the least among the lanes of a mask, which is not 0.
#[inline(always)]
fn least(lanes: u8, values: &[f32; 8]) -> usize {
    let mut least = lanes.trailing_zeros() as usize & 7;
    for lane in 0..WIDTH {
        least = if lanes >> lane & 1 != 0 && values[lane] < values[least] { lane } else { least };
    }
    least
}

/// A direction of A's frame in B's.
#[inline(always)]
fn turned_back(to: &ToFrame, n: [f32; 3]) -> [f32; 3] {
    let r = &to.rotation;
    let back = |j: usize| r[0][j] * n[0] + r[1][j] * n[1] + r[2][j] * n[2];
    [back(0), back(1), back(2)]
}

/// The mean of some lanes.
#[inline(always)]
fn mean<S: Simd>(s: S, lanes: u8, row: S::F32x8) -> f32 {
    let [a, b, c, d, e, f, g, h] = s.to_array(s.select(s.mask(lanes), row, s.splat(0.0)));
    (((a + b) + (c + d)) + ((e + f) + (g + h))) / lanes.count_ones() as f32
}

/// The greatest of some lanes.
#[inline(always)]
fn greatest<S: Simd>(s: S, lanes: u8, row: S::F32x8) -> f32 {
    let [a, b, c, d, e, f, g, h] = s.to_array(s.select(s.mask(lanes), row, s.splat(f32::NEG_INFINITY)));
    let max = |x: f32, y: f32| if x > y { x } else { y };
    max(max(max(a, b), max(c, d)), max(max(e, f), max(g, h)))
}
