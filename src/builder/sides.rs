//! On which side of a plane triangles' centroids lie.

use super::partition::{WORD, partition_by_bits};
use crate::simd::{Simd, SimdLevel, Task, dispatch};
use crate::volume::WIDTH;
use crate::volume::fit::Primitive;
use crate::volume::fit::corner_rows;

/// A plane across an axis, at three times its offset: centroids are not divided.
#[derive(Clone, Copy)]
pub(super) struct Plane {
    pub(super) axis: [f64; 3],
    pub(super) at: f64,
    /// Whether what lies in the plane counts as below.
    pub(super) is_included: bool,
}

impl Plane {
    /// Brings the triangles below to the front; returns their count.
    pub(super) fn partition(self, level: SimdLevel, primitives: &mut [Primitive]) -> usize {
        partition_by_bits(primitives, |primitives| dispatch(level, Below { plane: self, primitives }))
    }
}

/// A bit for each of up to [`WORD`] triangles, set where it is below.
struct Below<'a> {
    plane: Plane,
    primitives: &'a [Primitive],
}

impl Task for Below<'_> {
    type Output = u64;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> u64 {
        let Plane { axis: [x, y, z], at, is_included } = self.plane;
        let (axis, at) = ([s.splat64(x), s.splat64(y), s.splat64(z)], s.splat64(at));
        let mut below = [0; WORD / WIDTH];
        for (bits, primitives) in below.iter_mut().zip(self.primitives.chunks(WIDTH)) {
            let primitive = |lane: usize| primitives.get(lane).unwrap_or(&primitives[0]);
            // As `along` has it, to the last bit.
            let mut sum = corner_rows(s, |lane| &primitive(lane).corners[0]);
            for k in 1..3 {
                let corner = corner_rows(s, |lane| &primitive(lane).corners[k]);
                sum = [s.add64(sum[0], corner[0]), s.add64(sum[1], corner[1]), s.add64(sum[2], corner[2])];
            }
            let along = s.add64(s.mul64(axis[0], sum[0]), s.mul64(axis[1], sum[1]));
            let along = s.add64(along, s.mul64(axis[2], sum[2]));
            *bits = if is_included { !s.gt64(along, at) } else { s.gt64(at, along) };
        }
        u64::from_le_bytes(below)
    }
}
