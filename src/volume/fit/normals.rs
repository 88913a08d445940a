//! The normal of a surface, as triangles make it up.

use nalgebra::Vector3;

use super::kernels::{by_blocks, sum};
use super::primitives::Primitive;
use crate::simd::{Simd, SimdLevel, Task, dispatch};

/// The sum of the triangles' normals, each as long as the triangle's area twice.
pub(crate) fn scaled_normal(level: SimdLevel, primitives: &[Primitive]) -> Vector3<f64> {
    let [x, y, z, _] = by_blocks(primitives, |block| dispatch(level, ScaledNormal(block)), sum);
    Vector3::new(x, y, z)
}

struct ScaledNormal<'a>(&'a [Primitive]);

impl Task for ScaledNormal<'_> {
    type Output = [f64; 4];

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> [f64; 4] {
        scaled_normal_by(s, self.0)
    }
}

/// As [`scaled_normal`], by a level's instructions; the fourth lane is idle.
#[inline(always)]
pub(crate) fn scaled_normal_by<S: Simd>(_: S, primitives: &[Primitive]) -> [f64; 4] {
    let mut sum = [0.0; 4];
    for primitive in primitives {
        let [a, b, c] = &primitive.corners;
        let (mut ab, mut ac) = ([0.0; 4], [0.0; 4]);
        for k in 0..4 {
            ab[k] = f64::from(b[k]) - f64::from(a[k]);
            ac[k] = f64::from(c[k]) - f64::from(a[k]);
        }
        // The cross product but for its lanes' order: z, x, y.
        for k in 0..3 {
            sum[k] += ab[k] * ac[(k + 1) % 3] - ab[(k + 1) % 3] * ac[k];
        }
    }
    [sum[1], sum[2], sum[0], 0.0]
}
