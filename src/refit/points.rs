//! The vertices below a volume, eight at a time.

use std::ops::Range;

use nalgebra::{Matrix3, Point3};

use crate::packed::Frame;
use crate::simd::Simd;

/// Vertices in a row, and others one by one.
#[derive(Clone, Copy)]
pub(super) struct Points<'a> {
    /// All vertices' coordinates.
    coordinates: [&'a [f32]; 3],
    first: usize,
    end: usize,
    others: &'a [u32],
}

impl<'a> Points<'a> {
    pub(super) fn new(coordinates: [&'a [f32]; 3], row: Range<usize>, others: &'a [u32]) -> Self {
        Self { coordinates, first: row.start, end: row.end, others }
    }

    #[inline(always)]
    fn eights_in_row(&self) -> usize {
        (self.end - self.first).div_ceil(8)
    }

    /// How many times eight there are.
    #[inline(always)]
    fn eights(&self) -> usize {
        self.eights_in_row() + self.others.len().div_ceil(8)
    }

    /// Some eight of them; where there are fewer, the last one again.
    #[inline(always)]
    fn eight(&self, number: usize) -> [[f32; 8]; 3] {
        let mut eight = [[0.0; 8]; 3];
        let in_row = self.eights_in_row();
        let first = self.first + 8 * number;
        if number < in_row && first + 8 <= self.end {
            for (row, coordinates) in eight.iter_mut().zip(&self.coordinates) {
                row.copy_from_slice(&coordinates[first..first + 8]);
            }
            return eight;
        }
        let mut vertices = [0; 8];
        for (lane, vertex) in vertices.iter_mut().enumerate() {
            *vertex = if number < in_row {
                (first + lane).min(self.end - 1)
            } else {
                self.others[(8 * (number - in_row) + lane).min(self.others.len() - 1)] as usize
            };
        }
        for (row, coordinates) in eight.iter_mut().zip(&self.coordinates) {
            for (x, &vertex) in row.iter_mut().zip(&vertices) {
                *x = coordinates[vertex];
            }
        }
        eight
    }

    /// Their ranges along axes (columns), in the frame's coordinates.
    #[inline(always)]
    pub(super) fn ranges<S: Simd>(&self, s: S, frame: &Frame, axes: &Matrix3<f64>) -> [[f64; 3]; 2] {
        let mut rows = [[s.splat64(0.0); 3]; 3];
        for k in 0..3 {
            for x in 0..3 {
                rows[k][x] = s.splat64(axes[(x, k)]);
            }
        }
        let (mut lower, mut upper) = ([s.splat64(f64::INFINITY); 3], [s.splat64(f64::NEG_INFINITY); 3]);
        for number in 0..self.eights() {
            let [x, y, z] = frame.local(s, &self.eight(number));
            for k in 0..3 {
                let [ax, ay, az] = rows[k];
                let along = s.add64(s.add64(s.mul64(ax, x), s.mul64(ay, y)), s.mul64(az, z));
                lower[k] = s.min64(along, lower[k]);
                upper[k] = s.max64(along, upper[k]);
            }
        }
        let mut ranges = [[0.0; 3]; 2];
        for k in 0..3 {
            let (lower, upper) = (s.to_array64(lower[k]), s.to_array64(upper[k]));
            ranges[0][k] = lower.into_iter().fold(f64::INFINITY, |a, b| if b < a { b } else { a });
            ranges[1][k] = upper.into_iter().fold(f64::NEG_INFINITY, |a, b| if b > a { b } else { a });
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
        for number in 0..self.eights() {
            let [x, y, z] = frame.local(s, &self.eight(number));
            for i in 0..2 {
                let [cx, cy, cz] = centers[i];
                let (x, y, z) = (s.sub64(x, cx), s.sub64(y, cy), s.sub64(z, cz));
                let distance_sq = s.add64(s.add64(s.mul64(x, x), s.mul64(y, y)), s.mul64(z, z));
                farthest_sq[i] = s.max64(distance_sq, farthest_sq[i]);
            }
        }
        let mut greatest = [0.0; 2];
        for i in 0..2 {
            greatest[i] = s.to_array64(farthest_sq[i]).into_iter().fold(0.0, |a, b| if b > a { b } else { a });
        }
        greatest
    }

    /// One by one, in mesh coordinates.
    pub(super) fn iter(self) -> impl ExactSizeIterator<Item = Point3<f64>> {
        let [x, y, z] = self.coordinates;
        let in_row = self.end - self.first;
        (0..in_row + self.others.len()).map(move |i| {
            let vertex = if i < in_row { self.first + i } else { self.others[i - in_row] as usize };
            Point3::new(x[vertex], y[vertex], z[vertex]).map(f64::from)
        })
    }
}
