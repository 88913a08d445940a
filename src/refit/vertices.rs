//! Passes over all vertices: a check that they are finite, their box, and their coordinates in a frame.

use nalgebra::Point3;

use crate::parallel;
use crate::shape::Aabb;
use crate::simd::vectors::twice64;
use crate::simd::{Simd, SimdLevel, dispatched};
use crate::volume::{Frame, NEGLIGIBLE, narrowed};

/// Number of vertices in a run that one thread processes.
pub(super) const VERTICES: usize = 1 << 12;

/// Whether all coordinates are finite.
pub(super) fn all_finite(positions: &[Point3<f32>]) -> bool {
    const INFINITE: u32 = 0x7f80_0000;
    if positions.len() > VERTICES {
        let (left, right) = positions.split_at(positions.len() / 2);
        let (left, right) = parallel::join(|| all_finite(left), || all_finite(right));
        return left && right;
    }
    let words: &[u32] = bytemuck::cast_slice(positions);
    // There is no early exit, which would keep the loop from being vectorised.
    words.iter().fold(true, |all, word| all & (word & INFINITE != INFINITE))
}

dispatched! {
    /// The box of finite vertices.
    pub(super) fn bounds(vertices: &[Point3<f32>]) -> Aabb = |s| bounds_by(s, vertices);
    fn fill(frame: &Frame, vertices: &[Point3<f32>], local: &mut [[f32; 4]]) -> () =
        |s| fill_by(s, frame, vertices, local);
}

#[inline(always)]
fn bounds_by<S: Simd>(s: S, vertices: &[Point3<f32>]) -> Aabb {
    // Eight vertices fill three rows, whose lanes hold x, y and z in turn.
    let (eights, rest) = vertices.as_chunks::<8>();
    let (mut lower, mut upper) = ([s.splat(f32::INFINITY); 3], [s.splat(f32::NEG_INFINITY); 3]);
    for eight in eights {
        let rows: [S::F32x8; 3] = s.load_rows(bytemuck::cast_slice(eight), 8, 8);
        for i in 0..3 {
            lower[i] = s.min(rows[i], lower[i]);
            upper[i] = s.max(rows[i], upper[i]);
        }
    }
    let mut bounds = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
    let mut add = |x: usize, low: f32, high: f32| {
        bounds[0][x] = if low < bounds[0][x] { low } else { bounds[0][x] };
        bounds[1][x] = if high > bounds[1][x] { high } else { bounds[1][x] };
    };
    for i in 0..3 {
        let (lower, upper) = (s.to_array(lower[i]), s.to_array(upper[i]));
        for lane in 0..8 {
            add((8 * i + lane) % 3, lower[lane], upper[lane]);
        }
    }
    for vertex in rest {
        for x in 0..3 {
            add(x, vertex[x], vertex[x]);
        }
    }
    let [lower, upper] = bounds.map(|end| Point3::from(end).map(f64::from));
    Aabb { lower, upper }
}

/// Vertices in a frame's coordinates, rounded to f32 by [`narrowed`], each followed by a zero.
#[derive(Default)]
pub(super) struct LocalVertices(Vec<[f32; 4]>);

impl LocalVertices {
    pub(super) fn with_capacity_for(vertices: usize) -> Self {
        Self(vec![[0.0; 4]; vertices])
    }

    /// Recomputes the vertices, as many as there is space for.
    pub(super) fn fill(&mut self, level: SimdLevel, frame: &Frame, vertices: &[Point3<f32>]) {
        let fill = |first: usize, local: &mut [_]| fill(level, frame, &vertices[first..], local);
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

/// A vertex in the frame's coordinates, rounded as in [`narrowed`].
fn local(frame: &Frame, position: &Point3<f32>) -> [f32; 4] {
    let mut local = [0.0; 4];
    for x in 0..3 {
        let coordinate = (f64::from(position[x]) - frame.origin[x]) * (1.0 / frame.unit);
        local[x] = if coordinate.abs() > f64::from(NEGLIGIBLE) { coordinate as f32 } else { 0.0 };
    }
    local
}

/// Converts vertices, two by two, to the frame's coordinates; the number after each becomes zero.
#[inline(always)]
fn fill_by<S: Simd>(s: S, frame: &Frame, vertices: &[Point3<f32>], to: &mut [[f32; 4]]) {
    let Frame { origin, unit } = *frame;
    let (origin, scale) = ([origin.x, origin.y, origin.z, 0.0], 1.0 / unit);
    let (origin, scale) = (twice64(s, origin), twice64(s, [scale, scale, scale, 0.0]));
    let mut left = bytemuck::cast_slice::<_, f32>(vertices);
    let (pairs, _) = to.as_chunks_mut::<2>();
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
    for (position, to) in vertices.iter().zip(to).skip(done) {
        *to = local(frame, position);
    }
}
