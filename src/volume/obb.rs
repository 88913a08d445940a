//! Packed oriented boxes: how one is stored.

use nalgebra::{Matrix3, Point3, Vector3};

use super::packed_volume::{PackedVolume, length_word, widen};
use crate::numeric::denormals::rounded;
use crate::shape::Obb;
use crate::volume::{Volume, VolumeKind};

/// An oriented box. Words of a child: x, y, z of two axes and the centre (`a0x a1x cx, a0y a1y cy, a0z a1z cz`), the
/// half extents, the reference. The third axis is the product of the two.
#[derive(Clone, Copy)]
pub(crate) struct PackedObb {
    /// `coordinates[x][k]`: coordinate x of axis k, and of the centre for k = 3.
    pub(super) coordinates: [[f32; 4]; 3],
    pub(super) half_extents: [f32; 3],
}

/// Axes as they are stored, and the points' ranges along them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FittedBox {
    axes: Matrix3<f64>,
    lower: Vector3<f64>,
    upper: Vector3<f64>,
}

impl FittedBox {
    /// Takes the axes (columns, orthonormal) as they are stored and has the points' ranges measured along those.
    #[inline(always)]
    pub(crate) fn new(axes: &Matrix3<f64>, ranges: impl FnOnce(&Matrix3<f64>) -> [[f64; 3]; 2]) -> Self {
        let axes = Self::stored(axes);
        Self::along(axes, ranges(&axes))
    }

    /// Axes as they are stored: two in f32, and their product.
    #[inline(always)]
    pub(crate) fn stored(axes: &Matrix3<f64>) -> Matrix3<f64> {
        let axes = axes.map(|x| f64::from(rounded(x)));
        with_third(axes.column(0).into(), axes.column(1).into())
    }

    /// Along stored axes.
    #[inline(always)]
    pub(crate) fn along(axes: Matrix3<f64>, ranges: [[f64; 3]; 2]) -> Self {
        let [lower, upper] = ranges.map(Vector3::from);
        Self { axes, lower, upper }
    }

    /// Whether its volume or its area is greater than another's.
    pub(crate) fn is_looser_than(&self, other: &Self) -> bool {
        let measures = |fit: &Self| {
            let [x, y, z] = (fit.upper - fit.lower).into();
            [x * y * z, x * y + y * z + z * x]
        };
        let ([volume, area], [least_volume, least_area]) = (measures(self), measures(other));
        volume > least_volume || area > least_area
    }
}

impl PackedVolume for PackedObb {
    const KIND: VolumeKind = VolumeKind::Obb;

    type Fit = FittedBox;

    #[inline(always)]
    fn pack(fit: &FittedBox, words: &mut [u32]) {
        let FittedBox { axes, lower, upper } = fit;
        let center = (axes * ((lower + upper) * 0.5)).map(|x| f64::from(rounded(x)));
        let along = axes.tr_mul(&center);
        for x in 0..3 {
            for k in 0..2 {
                words[3 * x + k] = (axes[(x, k)] as f32).to_bits();
            }
            words[3 * x + 2] = (center[x] as f32).to_bits();
            words[9 + x] = length_word((upper[x] - along[x]).max(along[x] - lower[x]));
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
}

/// Axes, centre and half extents of a child's words, widened.
pub(crate) fn parts(words: &[u32]) -> (Matrix3<f64>, Vector3<f64>, Vector3<f64>) {
    let column = |k: usize| Vector3::from_fn(|x, _| widen(words[3 * x + k]));
    let half_extents = Vector3::from_fn(|k, _| widen(words[9 + k]));
    (with_third(column(0), column(1)), column(2), half_extents)
}

/// The axes of which two are given.
#[inline(always)]
fn with_third(one: Vector3<f64>, other: Vector3<f64>) -> Matrix3<f64> {
    Matrix3::from_columns(&[one, other, one.cross(&other)])
}
