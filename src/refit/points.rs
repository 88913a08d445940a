//! The vertices below a volume, eight at a time.

use std::ops::Range;

use nalgebra::{Matrix3, Point3};

use super::positions::Positions;
use crate::simd::Simd;
use crate::volume::Frame;

/// Vertices in a row, and others one by one.
#[derive(Clone, Copy)]
pub(super) struct Points<'a> {
    positions: &'a Positions<'a>,
    first: usize,
    in_row: usize,
    others: &'a [u32],
}

impl<'a> Points<'a> {
    pub(super) fn new(positions: &'a Positions<'a>, row: Range<usize>, others: &'a [u32]) -> Self {
        Self { positions, first: row.start, in_row: row.len(), others }
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.in_row + self.others.len()
    }

    /// The number of one of them among all vertices.
    #[inline(always)]
    fn vertex(&self, i: usize) -> usize {
        if i < self.in_row { self.first + i } else { self.others[i - self.in_row] as usize }
    }

    /// Eight of them from a certain one on, by coordinates; where there are fewer, the last one again.
    #[inline(always)]
    fn eight<S: Simd>(&self, s: S, from: usize) -> [[f32; 8]; 3] {
        let mut vertices = [0; 8];
        if from + 8 <= self.in_row {
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

    /// Their ranges along axes (columns), in the frame's coordinates.
    #[inline(always)]
    pub(super) fn ranges<S: Simd>(&self, s: S, frame: &Frame, axes: &Matrix3<f64>) -> [[f64; 3]; 2] {
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

    /// The squares of the distances from two points to the farthest of them from each, in the frame's coordinates.
    #[inline(always)]
    pub(super) fn farthest_sq<S: Simd>(&self, s: S, frame: &Frame, from: &[Point3<f64>; 2]) -> [f64; 2] {
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

    /// One by one, in mesh coordinates.
    pub(super) fn iter(self) -> impl ExactSizeIterator<Item = Point3<f64>> {
        (0..self.len()).map(move |i| self.positions.point(self.vertex(i) as u32))
    }
}

/// The greatest of eight numbers, halves against each other: one after the other would wait.
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
