//! The vertices below a volume at their new positions: their ranges, their spread, and how far they rotated.

use std::ops::Range;

use nalgebra::{Matrix3, Point3, Vector3};

use super::frame::Frame;
use super::node::WIDTH;
use super::refit::{Box32, narrowed};
use crate::simd::vectors::Vector8;
use crate::simd::{Simd, SimdLevel, dispatched};
use crate::volume::fit;

/// Positions of all vertices of a tree, each read as four consecutive numbers, of which the last is unused.
#[derive(Clone, Copy)]
pub(crate) struct Positions<'a> {
    coordinates: &'a [f32],
    /// The last vertex, padded, because no numbers follow it.
    last: [f32; 4],
}

impl<'a> Positions<'a> {
    pub(crate) fn new(vertices: &'a [Point3<f32>]) -> Self {
        let last = vertices.last().map_or([0.0; 4], |last| [last.x, last.y, last.z, 0.0]);
        Self { coordinates: bytemuck::cast_slice(vertices), last }
    }

    /// A vertex's coordinates, followed by an unspecified number; those of the last vertex if the index is out of
    /// range.
    #[inline(always)]
    pub(crate) fn at(&self, vertex: usize) -> &[f32; 4] {
        self.coordinates.get(3 * vertex..).and_then(|from| from.first_chunk()).unwrap_or(&self.last)
    }

    /// A vertex in f64.
    #[inline(always)]
    pub(crate) fn point(&self, vertex: u32) -> Point3<f64> {
        let [x, y, z, _] = *self.at(vertex as usize);
        Point3::new(x, y, z).map(f64::from)
    }
}

/// Vertices below a volume: a range of consecutive ones, and others listed one by one.
#[derive(Clone, Copy)]
pub(crate) struct Points<'a> {
    positions: &'a Positions<'a>,
    first: usize,
    consecutive: usize,
    others: &'a [u32],
}

impl<'a> Points<'a> {
    pub(crate) fn new(positions: &'a Positions<'a>, range: Range<usize>, others: &'a [u32]) -> Self {
        Self { positions, first: range.start, consecutive: range.len(), others }
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.consecutive + self.others.len()
    }

    /// The index, among all vertices of the tree, of the `i`-th vertex below the volume.
    #[inline(always)]
    fn vertex(&self, i: usize) -> usize {
        if i < self.consecutive { self.first + i } else { self.others[i - self.consecutive] as usize }
    }

    /// Eight vertices beginning with the `from`-th, one row per coordinate; the last vertex is repeated if fewer are
    /// left.
    #[inline(always)]
    fn eight<S: Simd>(&self, s: S, from: usize) -> [[f32; 8]; 3] {
        let mut vertices = [0; 8];
        if from + 8 <= self.consecutive {
            for (lane, vertex) in vertices.iter_mut().enumerate() {
                *vertex = self.first + from + lane;
            }
        } else {
            let last = self.len() - 1;
            for (lane, vertex) in vertices.iter_mut().enumerate() {
                *vertex = self.vertex((from + lane).min(last));
            }
        }
        let mut rows = [s.splat(0.0); 4];
        for i in 0..4 {
            rows[i] = s.load_halves(self.positions.at(vertices[i]), self.positions.at(vertices[4 + i]));
        }
        let [x, y, z] = s.transposed(&rows);
        [s.to_array(x), s.to_array(y), s.to_array(z)]
    }

    /// The vertices' ranges along the columns of `axes`, in the frame's coordinates.
    #[inline(always)]
    pub(crate) fn ranges<S: Simd>(&self, s: S, frame: &Frame, axes: &Matrix3<f64>) -> [[f64; 3]; 2] {
        let (mut rows, zero) = ([[s.splat64(0.0); 3]; 3], s.splat64(0.0));
        for k in 0..3 {
            for x in 0..3 {
                rows[k][x] = s.splat64(axes[(x, k)]);
            }
        }
        let (mut lower, mut upper) = ([s.splat64(f64::INFINITY); 3], [s.splat64(f64::NEG_INFINITY); 3]);
        for from in (0..self.len()).step_by(8) {
            let [x, y, z] = frame.local(s, &self.eight(s, from));
            for k in 0..3 {
                let [ax, ay, az] = rows[k];
                let along = s.add64(s.add64(s.mul64(ax, x), s.mul64(ay, y)), s.mul64(az, z));
                lower[k] = s.min64(along, lower[k]);
                upper[k] = s.max64(along, upper[k]);
            }
        }
        let mut ranges = [[0.0; 3]; 2];
        for k in 0..3 {
            (ranges[0][k], ranges[1][k]) = (-greatest(s, s.sub64(zero, lower[k])), greatest(s, upper[k]));
        }
        ranges
    }

    /// The squared distance of the farthest vertex from each of two points, in the frame's coordinates.
    #[inline(always)]
    pub(crate) fn farthest_sq<S: Simd>(&self, s: S, frame: &Frame, from: &[Point3<f64>; 2]) -> [f64; 2] {
        let mut centers = [[s.splat64(0.0); 3]; 2];
        for i in 0..2 {
            for k in 0..3 {
                centers[i][k] = s.splat64(from[i][k]);
            }
        }
        let mut farthest_sq = [s.splat64(0.0); 2];
        for from in (0..self.len()).step_by(8) {
            let [x, y, z] = frame.local(s, &self.eight(s, from));
            for i in 0..2 {
                let [cx, cy, cz] = centers[i];
                let (x, y, z) = (s.sub64(x, cx), s.sub64(y, cy), s.sub64(z, cz));
                let distance_sq = s.add64(s.add64(s.mul64(x, x), s.mul64(y, y)), s.mul64(z, z));
                farthest_sq[i] = s.max64(distance_sq, farthest_sq[i]);
            }
        }
        [greatest(s, farthest_sq[0]), greatest(s, farthest_sq[1])]
    }

    /// The vertices in mesh coordinates.
    pub(crate) fn iter(self) -> impl ExactSizeIterator<Item = Point3<f64>> {
        (0..self.len()).map(move |i| self.positions.point(self.vertex(i) as u32))
    }
}

/// The greatest of eight numbers. Halves are compared first, because in a chain each comparison would wait for the
/// previous one.
#[inline(always)]
fn greatest<S: Simd>(s: S, numbers: S::F64x8) -> f64 {
    let numbers = s.to_array64(numbers);
    let (mut four, mut two) = ([0.0; 4], [0.0; 2]);
    for lane in 0..4 {
        four[lane] = if numbers[lane] > numbers[4 + lane] { numbers[lane] } else { numbers[4 + lane] };
    }
    for lane in 0..2 {
        two[lane] = if four[lane] > four[2 + lane] { four[lane] } else { four[2 + lane] };
    }
    if two[0] > two[1] { two[0] } else { two[1] }
}

/// Number of vertices in a group. The mean of several vertices moves more steadily than a single vertex.
const GROUP: usize = 4;

/// The vertices that define the frame of a part of the mesh while it deforms: a group at each end of the part's longest
/// and second-longest axes.
#[derive(Clone, Debug)]
pub(crate) struct Landmarks([[u32; GROUP]; 4]);

impl Landmarks {
    /// Chooses landmarks among the vertices, which are reordered. The columns of `axes` are the part's axes, the
    /// longest first. Precondition: there is at least one vertex.
    pub(crate) fn new(vertices: &mut [u32], at: impl Fn(u32) -> Point3<f64>, axes: &Matrix3<f64>) -> Self {
        let quarter = (vertices.len() / 4).max(1);
        let mut groups = [[0; GROUP]; 4];
        for k in 0..2 {
            let axis: Vector3<f64> = axes.column(k).into_owned();
            let along = |vertex: u32| at(vertex).coords.dot(&axis);
            // The first by index of equally far vertices, so that the choice is the same on every machine.
            let order = |&a: &u32, &b: &u32| along(a).total_cmp(&along(b)).then(a.cmp(&b));
            for (end, cut) in [(0, quarter - 1), (1, vertices.len() - quarter)] {
                vertices.select_nth_unstable_by(cut, order);
                let group = if end == 0 { &mut vertices[..quarter] } else { &mut vertices[cut..] };
                group.sort_unstable();
                for (i, landmark) in groups[2 * k + end].iter_mut().enumerate() {
                    *landmark = group[i * group.len() / GROUP];
                }
            }
        }
        Self(groups)
    }

    /// [`Landmarks::frame`] at the best SIMD level of the CPU.
    pub(crate) fn frame_at_rest(&self, positions: &Positions<'_>) -> (Point3<f64>, Option<Matrix3<f64>>) {
        frame_of(SimdLevel::detect(), self, positions)
    }

    /// The middle of the landmarks, and the frame whose first axis joins the first two groups and whose second axis
    /// lies in the plane of that line and the line that joins the other two groups. The frame is `None` if the two
    /// lines are nearly parallel, or one of them has no length.
    #[inline(always)]
    pub(crate) fn frame<S: Simd>(&self, s: S, positions: &Positions<'_>) -> (Point3<f64>, Option<Matrix3<f64>>) {
        let [a, b, c, d] = &self.0;
        let ([a, b], [c, d]) = (means(s, positions, a, b), means(s, positions, c, d));
        let middle = (a + b + c + d) * 0.25;
        let (frame, is_defined) = fit::quick_frame_in_plane(&(b - a), &(d - c));
        (middle.into(), is_defined.then_some(frame))
    }
}

/// The means of two groups of vertices.
#[inline(always)]
fn means<S: Simd>(s: S, positions: &Positions<'_>, one: &[u32; GROUP], other: &[u32; GROUP]) -> [Vector3<f64>; 2] {
    let mut sum = s.splat64(0.0);
    for i in 0..GROUP {
        let both = s.load_halves(positions.at(one[i] as usize), positions.at(other[i] as usize));
        sum = s.add64(sum, s.widen(&s.to_array(both)));
    }
    // The fourth numbers are unused.
    let [a, b, c, _, d, e, f, _] = s.to_array64(s.mul64(sum, s.splat64(1.0 / GROUP as f64)));
    [Vector3::new(a, b, c), Vector3::new(d, e, f)]
}

dispatched! {
    fn frame_of(landmarks: &Landmarks, positions: &Positions<'_>) -> (Point3<f64>, Option<Matrix3<f64>>) =
        |s| landmarks.frame(s, positions);
}

/// The corners of up to eight triangles, one per lane; a box is entered as two opposite corners, one of them twice.
#[derive(Default)]
pub(crate) struct LaneCorners {
    /// The points; their fourth numbers are unused.
    points: [[[f32; 4]; WIDTH]; 3],
}

impl LaneCorners {
    /// Sets the corners of a lane to those of a triangle.
    #[inline(always)]
    pub(crate) fn put_triangle(&mut self, lane: usize, corners: [&[f32; 4]; 3]) {
        for (points, corner) in self.points.iter_mut().zip(corners) {
            points[lane & 7] = *corner;
        }
    }

    /// Sets the corners of a lane to two opposite corners of a box, one of them twice.
    #[inline(always)]
    pub(crate) fn put_box(&mut self, lane: usize, [lower, upper]: &Box32) {
        for (points, [x, y, z]) in self.points.iter_mut().zip([lower, upper, lower]) {
            points[lane & 7] = [*x, *y, *z, 0.0];
        }
    }

    /// Copies the first lane into the lanes past a node's children.
    #[inline(always)]
    pub(crate) fn fill(&mut self, children: usize) {
        for lane in children..WIDTH {
            for points in &mut self.points {
                points[lane & 7] = points[0];
            }
        }
    }

    /// The coordinates of all lanes; coordinate `x` of a corner is in row `3 * corner + x`.
    #[inline(always)]
    pub(crate) fn rows<S: Simd>(&self, s: S) -> [[f32; WIDTH]; 9] {
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

    /// The corners in the frame's coordinates; see [`narrowed`].
    #[inline(always)]
    pub(crate) fn local<S: Simd>(&self, s: S, frame: &Frame) -> [Vector8<S>; 3] {
        let (rows, mut local, scale) = (self.rows(s), [[s.splat(0.0); 3]; 3], s.splat64(1.0 / frame.unit));
        for (point, local) in local.iter_mut().enumerate() {
            for (x, local) in local.iter_mut().enumerate() {
                *local = narrowed(s, &rows[3 * point + x], s.splat64(frame.origin[x]), scale);
            }
        }
        local
    }

    /// The axis-aligned box around each lane's corners: rows of lower and of upper coordinates.
    #[inline(always)]
    pub(crate) fn boxes<S: Simd>(&self, s: S) -> (Vector8<S>, Vector8<S>) {
        let rows: [S::F32x8; 9] = s.load_rows(bytemuck::cast_slice(self.rows(s).as_flattened()), WIDTH, WIDTH);
        let (mut lower, mut upper) = ([s.splat(0.0); 3], [s.splat(0.0); 3]);
        for x in 0..3 {
            lower[x] = s.min(s.min(rows[x], rows[3 + x]), rows[6 + x]);
            upper[x] = s.max(s.max(rows[x], rows[3 + x]), rows[6 + x]);
        }
        (lower, upper)
    }

    /// The box around the boxes of all lanes, given their rows.
    #[inline(always)]
    pub(crate) fn joined<S: Simd>(&self, s: S, lower: &Vector8<S>, upper: &Vector8<S>) -> Box32 {
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
