//! Planes that stand between volumes of two trees, and how far apart they keep them as the trees move.
//!
//! With an axis `n` in A's frame and a vector `m` in B's, let `h` be how far A's volumes reach along `n` and `k` how far B's
//! reach along `-m`, and let B's lie in a ball about `c` of radius `r`. At the pose `x -> R x + t` every point of B's is
//! then at least `n t - k + (R^T n - m) c - |R^T n - m| r` along `n`. That less `h` is a gap, for any pose and any `m`; it is
//! the one between the volumes where `m` is what `n` was in B's frame when it was measured, and loses little near there.

use nalgebra::Point3;

use super::round_boxes::{RoundBoxes, difference, dot};
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
        let reach = |axis: [f32; 3], p: &Point3<f64>| (0..3).map(|x| f64::from(axis[x]) * p[x]).sum::<f64>();
        let reach_a = points_a.iter().map(|p| reach(n, p)).fold(f64::NEG_INFINITY, f64::max);
        let reach_b = points_b.iter().map(|p| -reach(m, p)).fold(f64::NEG_INFINITY, f64::max);
        let offset = (reach_a + unit * reach_b) as f32 + to.margin;
        let is_kept = along(n, to.translation) - offset - to.margin > distance;
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

/// Children of a node of A and of one of B, each in its own frame: one of either, and eight of the other.
#[derive(Clone, Copy)]
pub(crate) struct Across<'a> {
    pub(crate) nodes: [Node<'a>; 2],
    /// The one's.
    pub(crate) lane: [Option<usize>; 2],
}

impl Across<'_> {
    /// Measures how far each of the eight is from the one.
    #[inline(always)]
    pub(crate) fn apart<V: Volume8, S: Simd>(&self, s: S, to: &ToFrame) -> Apart<S> {
        let a = V::round_boxes(s, &self.nodes[0], self.lane[0]);
        let b = V::round_boxes(s, &self.nodes[1], self.lane[1]);
        let own = SideBySide::new(s, to, &a, &b, ways(s, to, &a, &b));
        Apart { gaps: s.to_array(own.gaps), a, b, own }
    }
}

/// How far eight pairs of volumes are apart.
pub(crate) struct Apart<S: Simd> {
    a: RoundBoxes<S>,
    b: RoundBoxes<S>,
    /// Each pair along an axis of its own.
    own: SideBySide<S>,
    gaps: [f32; 8],
}

impl<S: Simd> Apart<S> {
    /// The lanes that are farther apart than `distance`, in the unit of A's frame.
    #[inline(always)]
    pub(crate) fn beyond(&self, s: S, distance: f32) -> u8 {
        s.bits(s.gt(self.own.gaps, s.splat(distance)))
    }

    /// A plane that keeps the nearest of some lanes apart, and such others of them as it keeps no less far apart; and which.
    #[inline(always)]
    pub(crate) fn plane(&self, s: S, to: &ToFrame, lanes: u8) -> (Plane, u8) {
        let mut nearest = lanes.trailing_zeros() as usize & 7;
        for lane in 0..WIDTH {
            nearest = if lanes >> lane & 1 != 0 && self.gaps[lane] < self.gaps[nearest] { lane } else { nearest };
        }
        let own = 1 << nearest;
        if lanes == own {
            return (self.own.plane(s, own), own);
        }
        let [x, y, z] = self.own.n;
        let n = [s.splat(s.to_array(x)[nearest]), s.splat(s.to_array(y)[nearest]), s.splat(s.to_array(z)[nearest])];
        let along = SideBySide::new(s, to, &self.a, &self.b, n);
        let nearer = s.bits(s.gt(s.splat(self.gaps[nearest]), along.gaps));
        let kept = own | lanes & !nearer;
        (along.plane(s, kept), kept)
    }
}

/// Planes between eight pairs of volumes.
struct SideBySide<S: Simd> {
    n: [S::F32x8; 3],
    m: [S::F32x8; 3],
    /// B's, in its frame but A's unit.
    centers: [S::F32x8; 3],
    radii: S::F32x8,
    /// How far both reach.
    offsets: S::F32x8,
    /// What is certainly between them.
    gaps: S::F32x8,
}

impl<S: Simd> SideBySide<S> {
    /// `n`: axes of at most unit length in A's frame.
    #[inline(always)]
    fn new(s: S, to: &ToFrame, a: &RoundBoxes<S>, b: &RoundBoxes<S>, n: [S::F32x8; 3]) -> Self {
        let (unit, zero) = (s.splat(to.unit), s.splat(0.0));
        let m = to.turned_back(s, n);
        let reach_b = b.support(s, [s.sub(zero, m[0]), s.sub(zero, m[1]), s.sub(zero, m[2])]);
        // A margin for what is rounded here, and one for what will be when the gap is asked for.
        let offsets = s.mul_add(reach_b, unit, s.add(a.support(s, n), s.splat(to.margin)));
        let [x, y, z] = to.translation;
        let along = dot(s, n, [s.splat(x), s.splat(y), s.splat(z)]);
        let gaps = s.sub(s.sub(along, offsets), s.splat(to.margin));
        let centers = [s.mul(b.centers[0], unit), s.mul(b.centers[1], unit), s.mul(b.centers[2], unit)];
        Self { n, m, centers, radii: s.mul(b.radii(s), unit), offsets, gaps }
    }

    /// A plane for some lanes, if their axes are the same.
    #[inline(always)]
    fn plane(&self, s: S, lanes: u8) -> Plane {
        let mut rows = [0.0; ROWS];
        let first = lanes.trailing_zeros() as usize & 7;
        for x in 0..3 {
            rows[x] = s.to_array(self.n[x])[first];
            rows[3 + x] = s.to_array(self.m[x])[first];
            rows[6 + x] = mean(s, lanes, self.centers[x]);
        }
        let middle = [s.splat(rows[6]), s.splat(rows[7]), s.splat(rows[8])];
        let radii = s.add(self.radii, norm(s, difference(s, self.centers, middle)));
        rows[9] = greatest(s, lanes, radii) * ROUNDED_UP;
        rows[10] = greatest(s, lanes, self.offsets);
        Plane(rows)
    }
}

/// Vectors of at most unit length from A's volumes to B's, in A's frame, nearly along the shortest ways between them: by
/// projecting onto the one and the other in turn (Cheney and Goldstein, "Proximity maps for convex sets", 1959).
#[inline(always)]
fn ways<S: Simd>(s: S, to: &ToFrame, a: &RoundBoxes<S>, b: &RoundBoxes<S>) -> [S::F32x8; 3] {
    const ROUNDS: usize = 2;
    let mut on_a = a.nearest(s, to.moved(s, b.centers));
    let mut on_b = to.moved(s, b.nearest(s, to.moved_back(s, on_a)));
    for _ in 1..ROUNDS {
        on_a = a.nearest(s, on_b);
        on_b = to.moved(s, b.nearest(s, to.moved_back(s, on_a)));
    }
    let way = difference(s, on_b, on_a);
    // Where there is next to none, less than a vector of unit length.
    let length = s.max(norm(s, way), s.splat(1e-10));
    [s.div(way[0], length), s.div(way[1], length), s.div(way[2], length)]
}

#[inline(always)]
fn along(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
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
