//! Vertices in a tree's frame.

use nalgebra::Point3;

use super::vertices::VERTICES;
use crate::parallel;
use crate::simd::vectors::twice64;
use crate::simd::{Simd, SimdLevel, Task, dispatch};
use crate::volume::{Frame, WIDTH};

/// Local coordinates below this count for nothing beside rounding; a number that is, so that none becomes denormal.
pub(super) const NEGLIGIBLE: f32 = 1.0 / (1 << 30) as f32;

/// Coordinates in the frame, in f32, given those of its origin and what makes its unit 1. They are at most 1, so that
/// rounding does less than 4e-8 to them.
#[inline(always)]
pub(super) fn narrowed<S: Simd>(s: S, coordinates: &[f32; WIDTH], origin: S::F64x8, scale: S::F64x8) -> S::F32x8 {
    let local = s.mul64(s.sub64(s.widen(coordinates), origin), scale);
    s.narrow(s.where_gt64(s.abs64(local), s.splat64(f64::from(NEGLIGIBLE)), local, s.splat64(0.0)))
}

/// Vertices in the frame's coordinates, in f32, with a zero each; see [`narrowed`].
#[derive(Default)]
pub(super) struct LocalVertices(Vec<[f32; 4]>);

impl LocalVertices {
    pub(super) fn with_room_for(vertices: usize) -> Self {
        Self(vec![[0.0; 4]; vertices])
    }

    /// All vertices anew, as many as there is room for.
    pub(super) fn fill(&mut self, level: SimdLevel, frame: &Frame, vertices: &[Point3<f32>]) {
        let fill = |first: usize, local: &mut [_]| dispatch(level, Fill { frame, vertices: &vertices[first..], local });
        parallel::reduce_runs(&mut self.0, VERTICES, fill, |(), ()| ());
    }

    pub(super) fn set(&mut self, vertex: usize, frame: &Frame, position: &Point3<f32>) {
        self.0[vertex] = local(frame, position);
    }

    #[inline(always)]
    pub(super) fn get(&self, vertex: usize) -> &[f32; 4] {
        &self.0[vertex]
    }
}

/// As [`narrowed`].
fn local(frame: &Frame, position: &Point3<f32>) -> [f32; 4] {
    let mut local = [0.0; 4];
    for x in 0..3 {
        let coordinate = (f64::from(position[x]) - frame.origin[x]) * (1.0 / frame.unit);
        local[x] = if coordinate.abs() > f64::from(NEGLIGIBLE) { coordinate as f32 } else { 0.0 };
    }
    local
}

struct Fill<'a> {
    frame: &'a Frame,
    vertices: &'a [Point3<f32>],
    local: &'a mut [[f32; 4]],
}

impl Task for Fill<'_> {
    type Output = ();

    /// Two vertices at a time, each with a number behind it that becomes zero.
    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Frame { origin, unit } = *self.frame;
        let (origin, scale) = ([origin.x, origin.y, origin.z, 0.0], 1.0 / unit);
        let (origin, scale) = (twice64(s, origin), twice64(s, [scale, scale, scale, 0.0]));
        let mut left = bytemuck::cast_slice::<_, f32>(self.vertices);
        let (pairs, _) = self.local.as_chunks_mut::<2>();
        let mut done = 0;
        for pair in pairs {
            let (Some(first), Some(second)) = (left.first_chunk(), left.get(3..).and_then(|left| left.first_chunk()))
            else {
                break;
            };
            let coordinates = s.to_array(s.load_halves(first, second));
            let [a, b, c, d, e, f, g, h] = s.to_array(narrowed(s, &coordinates, origin, scale));
            *pair = [[a, b, c, d], [e, f, g, h]];
            left = &left[6..];
            done += 2;
        }
        for (position, to) in self.vertices.iter().zip(self.local).skip(done) {
            *to = local(self.frame, position);
        }
    }
}
