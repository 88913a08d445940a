//! Triangles as the builder moves them, and the passes over them that take most of a build's time.
//!
//! A corner fills four lanes, the last of them idle; or eight corners fill a row for each coordinate. Nothing is fused
//! or reordered, and passes over many triangles run over fixed blocks: results are the same to the last bit on every
//! machine and for any number of threads.

use bytemuck::{Pod, Zeroable};
use nalgebra::{Matrix3, Point3};

use crate::parallel;
use crate::simd::vectors::{Vector8, Vector8x64};
use crate::simd::{Simd, SimdLevel, dispatched};
use crate::volume::Frame;

/// A triangle and its index in the mesh. A corner fills a register of four lanes. The fourth lanes of the first two
/// corners hold the 16-bit halves of the index, converted to f32: passes compute with whole registers, and the bits of
/// an index would be those of a denormal.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(16))]
pub(crate) struct Primitive {
    pub(crate) corners: [[f32; 4]; 3],
}

/// All corners in pairs, four lanes each, and the last corner if their number is odd.
#[inline(always)]
pub(crate) fn corners_by_two(primitives: &[Primitive]) -> (&[[f32; 8]], Option<&[f32; 4]>) {
    let (twos, last) = bytemuck::cast_slice::<Primitive, f32>(primitives).as_chunks();
    (twos, last.first_chunk())
}

impl Primitive {
    fn new([a, b, c]: [&Point3<f32>; 3], face: u32) -> Self {
        let corner = |p: &Point3<f32>, lane: f32| [p.x, p.y, p.z, lane];
        let [low, high] = [face as u16, (face >> 16) as u16].map(f32::from);
        Self { corners: [corner(a, low), corner(b, high), corner(c, 0.0)] }
    }

    /// A triangle of a mesh.
    #[inline(always)]
    pub(crate) fn of_face(vertices: &[Point3<f32>], triangles: &[[u32; 3]], face: u32) -> Self {
        Self::new(triangles[face as usize].map(|vertex| &vertices[vertex as usize]), face)
    }

    pub(crate) fn face(&self) -> u32 {
        ((self.corners[1][3] as u32) << 16) | self.corners[0][3] as u32
    }

    #[inline(always)]
    pub(crate) fn points(&self) -> [Point3<f64>; 3] {
        let [a, b, c] = &self.corners;
        [widened_point(a), widened_point(b), widened_point(c)]
    }

    /// The corners' twelve lanes as bits.
    #[inline(always)]
    pub(crate) fn words(&self) -> &[u32] {
        bytemuck::cast_slice(self.corners.as_flattened())
    }

    /// Three times the centroid: splits compare it with three times the plane's offset.
    #[inline(always)]
    pub(crate) fn corner_sum(&self) -> [f64; 3] {
        [self.corner_sum_along(0), self.corner_sum_along(1), self.corner_sum_along(2)]
    }

    /// One coordinate of [`corner_sum`](Self::corner_sum).
    #[inline(always)]
    pub(crate) fn corner_sum_along(&self, x: usize) -> f64 {
        // By reference, because a copy that is indexed at run time would be in memory.
        let [a, b, c] = &self.corners;
        f64::from(a[x & 3]) + f64::from(b[x & 3]) + f64::from(c[x & 3])
    }
}

#[inline(always)]
fn widened_point([x, y, z, _]: &[f32; 4]) -> Point3<f64> {
    Point3::new(f64::from(*x), f64::from(*y), f64::from(*z))
}

/// Fewer triangles than this are not worth a second thread.
const MIN_LEN: usize = 1 << 12;

/// The triangles in order, each with its index as its face.
pub(crate) fn gather(vertices: &[Point3<f32>], triangles: &[[u32; 3]]) -> Vec<Primitive> {
    parallel::map_range(0..triangles.len(), MIN_LEN, |face| Primitive::of_face(vertices, triangles, face as u32))
}

/// Three triangles that have the eight corners of a box, rounded to f32, as their vertices.
#[cfg(feature = "files")]
pub(crate) fn over_corners(Ranges { lower, upper }: &Ranges) -> [Primitive; 3] {
    let end = |k: usize, is_upper: bool| if is_upper { upper[k] as f32 } else { lower[k] as f32 };
    let corner = |i: usize| Point3::new(end(0, i & 1 != 0), end(1, i & 2 != 0), end(2, i & 4 != 0));
    [[0, 1, 2], [3, 4, 5], [6, 7, 0]].map(|corners| {
        let [a, b, c] = corners.map(corner);
        Primitive::new([&a, &b, &c], 0)
    })
}

/// Permutes the items: afterwards, the item at `i` is the one that was at `order[i]`.
pub(crate) fn permute<T>(items: &mut [T], mut order: Vec<u32>) {
    for begin in 0..items.len() {
        // Follows one cycle of the permutation, moving its first item along until its position is reached.
        let mut to = begin;
        loop {
            let from = std::mem::replace(&mut order[to], to as u32) as usize;
            if from == begin {
                break;
            }
            items.swap(to, from);
            to = from;
        }
    }
}

/// All corners in groups of eight, and the corners left over.
#[inline(always)]
pub(crate) fn by_eight(primitives: &[Primitive]) -> (&[[[f32; 4]; 8]], &[[f32; 4]]) {
    bytemuck::cast_slice::<Primitive, [f32; 4]>(primitives).as_chunks()
}

/// Eight consecutive corners; their order among the lanes is unspecified.
#[inline(always)]
pub(crate) fn rows<S: Simd>(s: S, eight: &[[f32; 4]; 8]) -> Vector8x64<S> {
    widened(s, &s.load_rows(bytemuck::cast_slice(eight.as_flattened()), 8, 8))
}

/// The corners left over, with the corner `idle` in the lanes past them.
#[inline(always)]
pub(crate) fn rest_rows<S: Simd>(s: S, rest: &[[f32; 4]], idle: &[f32; 4]) -> Vector8x64<S> {
    corner_rows(s, |lane| rest.get(lane).unwrap_or(idle))
}

/// One corner for each lane.
#[inline(always)]
pub(crate) fn corner_rows<'a, S: Simd>(s: S, corner: impl Fn(usize) -> &'a [f32; 4]) -> Vector8x64<S> {
    widened(s, &halves(s, corner))
}

/// [`corner_rows`] in f32.
#[inline(always)]
pub(crate) fn corner_rows_f32<'a, S: Simd>(s: S, corner: impl Fn(usize) -> &'a [f32; 4]) -> Vector8<S> {
    s.transposed(&halves(s, corner))
}

#[inline(always)]
fn halves<'a, S: Simd>(s: S, corner: impl Fn(usize) -> &'a [f32; 4]) -> [S::F32x8; 4] {
    [
        s.load_halves(corner(0), corner(4)),
        s.load_halves(corner(1), corner(5)),
        s.load_halves(corner(2), corner(6)),
        s.load_halves(corner(3), corner(7)),
    ]
}

#[inline(always)]
fn widened<S: Simd>(s: S, halves: &[S::F32x8; 4]) -> Vector8x64<S> {
    let [x, y, z] = s.transposed(halves);
    [s.widen(&s.to_array(x)), s.widen(&s.to_array(y)), s.widen(&s.to_array(z))]
}

/// The least and the greatest coordinates along three axes.
#[derive(Clone, Copy)]
pub(crate) struct Ranges {
    pub(crate) lower: [f64; 3],
    pub(crate) upper: [f64; 3],
}

impl Ranges {
    pub(crate) fn length(&self, k: usize) -> f64 {
        self.upper[k] - self.lower[k]
    }

    /// Half the surface area of the box with these ranges.
    pub(crate) fn half_area(&self) -> f64 {
        let [x, y, z] = [0, 1, 2].map(|k| self.length(k));
        x * y + y * z + z * x
    }

    /// Widens bounds in f32; the fourth lanes are idle.
    #[inline(always)]
    pub(crate) fn of_ends(lower: [f32; 4], upper: [f32; 4]) -> Self {
        let ([a, b, c, _], [d, e, f, _]) = (lower.map(f64::from), upper.map(f64::from));
        Self { lower: [a, b, c], upper: [d, e, f] }
    }

    #[inline(always)]
    fn of_halves([a, b, c, _, d, e, f, _]: [f64; 8], [p, q, r, _, s, t, u, _]: [f64; 8]) -> Self {
        Self { lower: [a, b, c], upper: [p, q, r] }.joined(Self { lower: [d, e, f], upper: [s, t, u] })
    }

    /// The union. For equal ends it takes those of `self`; `f64::min` may return either zero.
    #[inline(always)]
    fn joined(self, other: Self) -> Self {
        Self {
            lower: std::array::from_fn(|k| if other.lower[k] < self.lower[k] { other.lower[k] } else { self.lower[k] }),
            upper: std::array::from_fn(|k| if other.upper[k] > self.upper[k] { other.upper[k] } else { self.upper[k] }),
        }
    }
}

/// Number of triangles of a block.
pub(crate) const BLOCK: usize = 1 << 14;

/// The result of `run` over the triangles, joined from its results for each block in order.
pub(crate) fn by_blocks<I: Sync, T: Send>(
    triangles: &[I],
    run: impl Fn(&[I]) -> T + Sync,
    join: impl Fn(T, T) -> T,
) -> T {
    if triangles.len() <= BLOCK {
        return run(triangles);
    }
    let blocks: Vec<T> = parallel::map_runs(triangles.chunks(BLOCK), &run);
    blocks.into_iter().reduce(join).unwrap_or_else(|| run(triangles))
}

dispatched! {
    fn bounds_of_block(primitives: &[Primitive]) -> Ranges = |s| bounds_by(s, primitives);
    fn ranges_along(primitives: &[Primitive], axes: &Matrix3<f64>, origin: [f64; 3]) -> Ranges =
        |s| ranges_along_by(s, primitives, axes, origin);
}

/// The corners' ranges along the axes (columns), in the frame's coordinates; the corners are in the mesh's.
pub(crate) fn local_ranges(level: SimdLevel, primitives: &[Primitive], frame: &Frame, axes: &Matrix3<f64>) -> Ranges {
    let Frame { origin, unit } = frame;
    let along = |primitives: &[Primitive]| ranges_along(level, primitives, axes, (*origin).into());
    let Ranges { lower, upper } = by_blocks(primitives, along, Ranges::joined);
    // The unit is a power of two, so scaling the ends is as exact as scaling the corners.
    Ranges { lower: lower.map(|end| end * (1.0 / unit)), upper: upper.map(|end| end * (1.0 / unit)) }
}

/// The corners' ranges along the coordinate axes. For an end at zero, the sign is the same on every machine.
pub(crate) fn bounds(level: SimdLevel, primitives: &[Primitive]) -> Ranges {
    by_blocks(primitives, |block| bounds_of_block(level, block), Ranges::joined)
}

/// A corner in both halves of a register, for passes in which a repeated corner has no effect.
#[inline(always)]
pub(crate) fn corner_twice([x, y, z, w]: &[f32; 4]) -> [f32; 8] {
    [*x, *y, *z, *w, *x, *y, *z, *w]
}

#[inline(always)]
pub(crate) fn sum(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]]
}

/// A row for each of x, y and z, with that coordinate of the three axes (columns); the fourth lane is idle.
#[inline(always)]
pub(crate) fn axis_rows(axes: &Matrix3<f64>) -> [[f64; 4]; 3] {
    [0, 1, 2].map(|x| [axes[(x, 0)], axes[(x, 1)], axes[(x, 2)], 0.0])
}

/// Ranges of the corners along axes, relative to an origin.
#[inline(always)]
fn ranges_along_by<S: Simd>(s: S, primitives: &[Primitive], axes: &Matrix3<f64>, [x, y, z]: [f64; 3]) -> Ranges {
    let origin = [s.splat64(x), s.splat64(y), s.splat64(z)];
    let mut columns = [origin; 3];
    for (k, column) in columns.iter_mut().enumerate() {
        *column = [s.splat64(axes[(0, k)]), s.splat64(axes[(1, k)]), s.splat64(axes[(2, k)])];
    }
    let mut ends = [[s.splat64(f64::INFINITY); 3], [s.splat64(f64::NEG_INFINITY); 3]];
    let (eights, rest) = by_eight(primitives);
    for eight in eights {
        ends = joined_along(s, ends, &columns, &origin, &rows(s, eight));
    }
    if let Some(first) = rest.first() {
        // Repeating a corner has no effect.
        ends = joined_along(s, ends, &columns, &origin, &rest_rows(s, rest, first));
    }
    let [lower, upper] = ends;
    let mut ranges = Ranges { lower: [0.0; 3], upper: [0.0; 3] };
    for k in 0..3 {
        ranges.lower[k] = first_of(s.to_array64(lower[k]), |a, b| b < a);
        ranges.upper[k] = first_of(s.to_array64(upper[k]), |a, b| b > a);
    }
    ranges
}

/// The ends of the ranges along the axes after eight more corners.
#[inline(always)]
fn joined_along<S: Simd>(
    s: S,
    [mut lower, mut upper]: [Vector8x64<S>; 2],
    axes: &[Vector8x64<S>; 3],
    origin: &Vector8x64<S>,
    eight: &Vector8x64<S>,
) -> [Vector8x64<S>; 2] {
    let [x, y, z] = [s.sub64(eight[0], origin[0]), s.sub64(eight[1], origin[1]), s.sub64(eight[2], origin[2])];
    for (k, axis) in axes.iter().enumerate() {
        let along = s.add64(s.mul64(axis[0], x), s.mul64(axis[1], y));
        let along = s.add64(along, s.mul64(axis[2], z));
        lower[k] = s.min64(along, lower[k]);
        upper[k] = s.max64(along, upper[k]);
    }
    [lower, upper]
}

/// The value that comes first among the lanes, found by comparing the lower half of the lanes to the upper, repeatedly.
/// `is_before(a, b)` is true if `b` comes before `a`.
#[inline(always)]
fn first_of(mut lanes: [f64; 8], is_before: impl Fn(f64, f64) -> bool) -> f64 {
    for half in [4, 2, 1] {
        for lane in 0..half {
            let (a, b) = (lanes[lane], lanes[lane + half]);
            lanes[lane] = if is_before(a, b) { b } else { a };
        }
    }
    lanes[0]
}

#[inline(always)]
fn bounds_by<S: Simd>(s: S, primitives: &[Primitive]) -> Ranges {
    let [lower, upper] = ends_by(s, primitives);
    Ranges::of_halves(lower.map(f64::from), upper.map(f64::from))
}

/// The least and the greatest coordinates of the corners, each end in two halves, of which either may be the farther.
#[inline(always)]
pub(crate) fn ends_by<S: Simd>(s: S, primitives: &[Primitive]) -> [[f32; 8]; 2] {
    let (mut lower, mut upper) = (s.splat(f32::INFINITY), s.splat(f32::NEG_INFINITY));
    for primitive in primitives {
        // The first two corners in eight lanes, then the last two.
        let rows: [S::F32x8; 2] = s.load_rows(primitive.words(), 4, 8);
        lower = s.min(s.min(rows[0], rows[1]), lower);
        upper = s.max(s.max(rows[0], rows[1]), upper);
    }
    [s.to_array(lower), s.to_array(upper)]
}

/// Triangles that share no vertices.
#[cfg(test)]
pub(crate) fn soup(triangles: u32, vertex: impl FnMut(u32) -> Point3<f32>) -> Vec<Primitive> {
    let vertices: Vec<Point3<f32>> = (0..3 * triangles).map(vertex).collect();
    gather(&vertices, &(0..triangles).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Point3;

    #[test]
    fn primitives_come_into_the_order_asked_for() {
        let primitive = |face| Primitive::new([&Point3::origin(); 3], face);
        // One cycle of all, a few cycles, and none.
        for factor in [2, 3, 10, 1] {
            let order: Vec<u32> = (0..101).map(|i| (i * factor + factor - 1) % 101).collect();
            let mut primitives: Vec<Primitive> = (0..101).map(primitive).collect();
            permute(&mut primitives, order.clone());
            assert_eq!(primitives.iter().map(Primitive::face).collect::<Vec<_>>(), order);
        }
        permute::<Primitive>(&mut [], Vec::new());
    }

    #[test]
    fn faces_are_kept_in_lanes_without_a_denormal() {
        for face in [0, 1, 0xffff, 0x1_0000, 0x7fff_0001, u32::MAX] {
            let primitive = Primitive::new([&Point3::origin(); 3], face);
            assert_eq!(primitive.face(), face);
            assert!(primitive.corners.as_flattened().iter().all(|lane| !lane.is_subnormal()));
        }
    }
}
