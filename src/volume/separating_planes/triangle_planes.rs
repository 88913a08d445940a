//! Planes between eight pairs of triangles at once.

use super::plane::{MAX_TURN, Plane, ROUNDED_UP, ROWS};
use crate::simd::Simd;
use crate::simd::vectors::{difference64, dot_fused, dot_fused64, normalized, splatted};
use crate::volume::frame::Frame;
use crate::volume::relative_frame::RelativeFrame;

/// Planes between eight pairs of triangles, side by side.
pub(crate) struct EightPlanes {
    rows: [[f32; 8]; ROWS],
    /// Lanes that are kept apart by more than was asked for.
    pub(crate) separated: u8,
}

/// Corners of eight triangles in the coordinates of their mesh: `[corner][coordinate][lane]`.
pub(crate) type EightTriangles = [[[f32; 8]; 3]; 3];

impl EightPlanes {
    /// Keep nothing apart.
    pub(crate) const NONE: EightPlanes = EightPlanes { rows: [[0.0; 8]; ROWS], separated: 0 };

    /// Planes between triangles of A and of B along vectors of A's mesh, `axes[coordinate][lane]`, that keep them
    /// farther apart than `distance`, in the unit of A's frame.
    #[inline(always)]
    pub(crate) fn new<S: Simd>(
        s: S,
        [a, b]: [&EightTriangles; 2],
        frames: &[Frame; 2],
        to: &RelativeFrame,
        axes: &[[f64; 8]; 3],
        distance: f32,
    ) -> Self {
        let scale = s.splat64(1.0 / frames[0].unit);
        let mut n = [s.splat(0.0); 3];
        for k in 0..3 {
            n[k] = s.narrow(s.mul64(s.load64(&axes[k]), scale));
        }
        let n = normalized(s, &n);
        let m = to.inverse_rotate(s, n);
        let (n_wide, m_wide) = (widened(s, n), widened(s, m));
        // How far A's corners are along `n`, B's against `m`, and which of B's is farthest.
        let (mut support_a, mut support_b) = (s.splat64(f64::NEG_INFINITY), s.splat64(f64::NEG_INFINITY));
        let (mut q, mut along_b) = ([[s.splat64(0.0); 3]; 3], [s.splat64(0.0); 3]);
        let mut support_point = q[0];
        for corner in 0..3 {
            support_a = s.max64(support_a, dot_fused64(s, &n_wide, &frames[0].local(s, &a[corner])));
            q[corner] = frames[1].local(s, &b[corner]);
            along_b[corner] = s.sub64(s.splat64(0.0), dot_fused64(s, &m_wide, &q[corner]));
            for k in 0..3 {
                support_point[k] = s.where_gt64(along_b[corner], support_b, q[corner][k], support_point[k]);
            }
            support_b = s.max64(support_b, along_b[corner]);
        }
        let unit = s.splat(to.unit);
        let supports = s.narrow(s.mul_add64(support_b, s.splat64(f64::from(to.unit)), support_a));
        let offset = s.add(supports, s.splat(to.margin));
        let gap = s.sub(dot_fused(s, &n, &splatted(s, to.translation)), s.add(offset, s.splat(to.margin)));
        let mut radius = s.splat(0.0);
        for corner in 0..3 {
            let off = difference64(s, &q[corner], &support_point);
            let (off, behind) =
                (s.sqrt(s.narrow(dot_fused64(s, &off, &off))), s.narrow(s.sub64(support_b, along_b[corner])));
            radius = s.max(s.mul_sub(off, s.splat(ROUNDED_UP), s.mul(behind, s.splat(1.0 / MAX_TURN))), radius);
        }
        let radius = s.mul(radius, unit);
        let mut rows = [[0.0; 8]; ROWS];
        for k in 0..3 {
            rows[k] = s.to_array(n[k]);
            rows[3 + k] = s.to_array(m[k]);
            rows[6 + k] = s.to_array(s.mul(s.narrow(support_point[k]), unit));
        }
        (rows[9], rows[10]) = (s.to_array(radius), s.to_array(offset));
        Self { rows, separated: s.bits(s.gt(gap, s.splat(distance))) }
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
