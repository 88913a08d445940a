//! Packed oriented boxes and their separating axis test, one against eight.

use nalgebra::{Matrix3, Point3, Vector3};

use super::{Node, ToFrame, Volume8, length_word, widen};
use crate::shape::Obb;
use crate::simd::Simd;
use crate::volume::Volume;

/// An oriented box. Words of a child: x, y, z of the three axes and the centre
/// (`a0x a1x a2x cx, a0y a1y a2y cy, a0z a1z a2z cz`), the half extents, the reference.
#[derive(Clone, Copy)]
pub(crate) struct Obb8 {
    /// `coordinates[x][k]`: coordinate x of axis k, and of the centre for k = 3.
    coordinates: [[f32; 4]; 3],
    half_extents: [f32; 3],
}

impl Volume8 for Obb8 {
    const FIELDS: usize = 16;

    /// The axes, in columns.
    type Fit = Matrix3<f64>;

    fn pack(axes: &Matrix3<f64>, points: impl Iterator<Item = Point3<f64>> + Clone, words: &mut [u32]) {
        let axes = axes.map(|x| f64::from(x as f32));
        let to_axes = axes.transpose();
        let (mut lower, mut upper) = (Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY));
        for point in points {
            let along = to_axes * point.coords;
            lower = lower.inf(&along);
            upper = upper.sup(&along);
        }
        let center = (axes * ((lower + upper) * 0.5)).map(|x| f64::from(x as f32));
        let along = to_axes * center;
        for x in 0..3 {
            for k in 0..3 {
                words[4 * x + k] = (axes[(x, k)] as f32).to_bits();
            }
            words[4 * x + 3] = (center[x] as f32).to_bits();
            words[12 + x] = length_word((upper[x] - along[x]).max(along[x] - lower[x]));
        }
    }

    fn unpack(words: &[u32]) -> Volume {
        let (axes, center, half_extents) = parts(words);
        Volume::Obb(Obb { center: center.into(), axes, half_extents })
    }

    fn encloses(words: &[u32], point: &Point3<f64>) -> bool {
        let (axes, center, half_extents) = parts(words);
        let along = axes.transpose() * (point.coords - center);
        (0..3).all(|k| along[k].abs() <= half_extents[k])
    }

    #[inline(always)]
    fn one(node: &Node<'_>, lane: usize, to: &ToFrame) -> Self {
        let words: [f32; 15] = node.column(lane);
        let [x, y, z]: [[f32; 4]; 3] = std::array::from_fn(|i| std::array::from_fn(|k| words[4 * i + k]));
        let coordinates = std::array::from_fn(|i| {
            let [rx, ry, rz] = to.rotation[i];
            let mut turned: [f32; 4] = std::array::from_fn(|k| rx * x[k] + ry * y[k] + rz * z[k]);
            turned[3] = to.unit * turned[3] + to.translation[i];
            turned
        });
        Self { coordinates, half_extents: std::array::from_fn(|k| to.unit * words[12 + k]) }
    }

    #[inline(always)]
    fn size(&self) -> f32 {
        let [x, y, z] = self.half_extents;
        x.max(y).max(z)
    }

    /// The 15 separating axes of two boxes (Gottschalk, Lin and Manocha 1996, section 5): the face normals of both
    /// first, and the nine products of edges where those leave a lane. A lane is apart on an axis when the centres'
    /// distance along it exceeds the half extents' by more than the margin.
    #[inline(always)]
    fn overlaps<S: Simd>(&self, s: S, node: &Node<'_>, margin: f32, ratio: f32) -> (u8, u8) {
        let rows: [S::F32x8; 15] = node.rows(s);
        let axis = |x: usize, k: usize| rows[4 * x + k];
        let half: [S::F32x8; 3] = std::array::from_fn(|k| rows[12 + k]);
        let margin = s.splat(margin);
        let one = |x: usize, k: usize| s.splat(self.coordinates[x][k]);
        let one_half: [S::F32x8; 3] = std::array::from_fn(|k| s.splat(self.half_extents[k]));

        // r[i][j]: axis i of the one box along axis j of the eight.
        let r: [[S::F32x8; 3]; 3] = std::array::from_fn(|i| {
            std::array::from_fn(|j| {
                s.mul_add(
                    one(2, i),
                    axis(2, j),
                    s.mul_add(one(1, i), axis(1, j), s.mul(one(0, i), axis(0, j))),
                )
            })
        });
        let r_abs = r.map(|row| row.map(|x| s.abs(x)));
        let t: [S::F32x8; 3] = std::array::from_fn(|x| s.sub(axis(x, 3), one(x, 3)));
        let t_one: [S::F32x8; 3] = std::array::from_fn(|i| {
            s.mul_add(one(2, i), t[2], s.mul_add(one(1, i), t[1], s.mul(one(0, i), t[0])))
        });
        let t_eight: [S::F32x8; 3] = std::array::from_fn(|j| {
            s.mul_add(axis(2, j), t[2], s.mul_add(axis(1, j), t[1], s.mul(axis(0, j), t[0])))
        });

        let mut apart = 0;
        for i in 0..3 {
            let eight = s.mul_add(half[0], r_abs[i][0], s.add(one_half[i], margin));
            let eight = s.mul_add(half[2], r_abs[i][2], s.mul_add(half[1], r_abs[i][1], eight));
            apart |= s.gt(s.abs(t_one[i]), eight);
            let one = s.mul_add(one_half[0], r_abs[0][i], s.add(half[i], margin));
            let one = s.mul_add(one_half[2], r_abs[2][i], s.mul_add(one_half[1], r_abs[1][i], one));
            apart |= s.gt(s.abs(t_eight[i]), one);
        }
        let lanes = node.lanes();
        if apart & lanes == lanes {
            return (0, 0);
        }
        for i in 0..3 {
            let (i1, i2) = ((i + 1) % 3, (i + 2) % 3);
            for j in 0..3 {
                let (j1, j2) = ((j + 1) % 3, (j + 2) % 3);
                let reach = s.mul_add(one_half[i1], r_abs[i2][j], margin);
                let reach = s.mul_add(one_half[i2], r_abs[i1][j], reach);
                let reach = s.mul_add(half[j1], r_abs[i][j2], reach);
                let reach = s.mul_add(half[j2], r_abs[i][j1], reach);
                let along = s.mul_sub(t_one[i2], r[i1][j], s.mul(t_one[i1], r[i2][j]));
                apart |= s.gt(s.abs(along), reach);
            }
        }
        let size = s.max(half[0], s.max(half[1], half[2]));
        (lanes & !apart, s.gt(size, s.splat(ratio * self.size())))
    }
}

/// Axes, centre and half extents of a child's words, widened.
fn parts(words: &[u32]) -> (Matrix3<f64>, Vector3<f64>, Vector3<f64>) {
    (
        Matrix3::from_fn(|x, k| widen(words[4 * x + k])),
        Vector3::from_fn(|x, _| widen(words[4 * x + 3])),
        Vector3::from_fn(|k, _| widen(words[12 + k])),
    )
}
