//! What splitting needs to know of a node's volume.

use nalgebra::{Matrix3, Vector3};

use crate::numeric::insertion_sort;
use crate::options::SplitRule;
use crate::simd::SimdLevel;
use crate::volume::fit;
use crate::volume::fit::Moments;
use crate::volume::fit::Primitive;
use crate::volume::fit::kernels::{self, Ranges};
use crate::volume::{FittedBox, Frame};

/// Three times the offset of the triangle's centroid along the axis.
#[inline(always)]
pub(super) fn along(axis: &[f64; 3], primitive: &Primitive) -> f64 {
    let [x, y, z] = primitive.corner_sum();
    axis[0] * x + axis[1] * y + axis[2] * z
}

/// What is known of a node's oriented box once it is split.
pub(super) struct Oriented {
    pub(super) moments: Moments,
    /// The box as the tree will have it.
    pub(super) fit: FittedBox,
}

/// What splitting needs to know of a node's volume: an oriented box for oriented boxes, else an axis-aligned one.
pub(super) struct SplitVolume {
    axes: Matrix3<f64>,
    /// Where ranges are seen from.
    origin: Vector3<f64>,
    /// Of the corners along the axes.
    pub(super) ranges: Ranges,
    /// Of the centroids; where the rule asks for it.
    pub(super) mean: Vector3<f64>,
    /// None along the coordinate axes.
    pub(super) oriented: Option<Oriented>,
}

impl SplitVolume {
    /// `moments` are the triangles', where they are known.
    pub(super) fn oriented(
        level: SimdLevel,
        primitives: &[Primitive],
        moments: Option<Moments>,
        frame: &Frame,
    ) -> Self {
        let moments = moments.unwrap_or_else(|| Moments::of(level, primitives));
        let axes = FittedBox::stored(&fit::eigenvectors(&moments.covariance()));
        let Ranges { lower, upper } = kernels::local_ranges(level, primitives, frame, &axes);
        let ranges = Ranges { lower: lower.map(|end| end * frame.unit), upper: upper.map(|end| end * frame.unit) };
        let oriented = Oriented { moments, fit: FittedBox::along(axes, [lower, upper]) };
        Self { axes, origin: frame.origin.coords, ranges, mean: moments.mean(), oriented: Some(oriented) }
    }

    /// `bounds` are the triangles', where they are known.
    pub(super) fn axis_aligned(
        level: SimdLevel,
        primitives: &[Primitive],
        bounds: Option<Ranges>,
        rule: SplitRule,
    ) -> Self {
        let (ranges, mean) = match (rule, bounds) {
            (SplitRule::Mean, _) => kernels::bounds_and_mean(level, primitives),
            (_, Some(bounds)) => (bounds, Vector3::zeros()),
            (_, None) => (kernels::bounds(level, primitives), Vector3::zeros()),
        };
        Self { axes: Matrix3::identity(), origin: Vector3::zeros(), ranges, mean, oriented: None }
    }

    pub(super) fn axis(&self, k: usize) -> [f64; 3] {
        self.axes.column(k).into_owned().into()
    }

    /// The middle of the volume along an axis.
    pub(super) fn middle(&self, k: usize) -> f64 {
        0.5 * (self.ranges.lower[k] + self.ranges.upper[k]) + self.axes.column(k).dot(&self.origin)
    }

    pub(super) fn length(&self, k: usize) -> f64 {
        self.ranges.upper[k] - self.ranges.lower[k]
    }

    pub(super) fn axes_by_length(&self) -> [usize; 3] {
        let mut order = [0, 1, 2];
        insertion_sort(&mut order, |&i, &j| self.length(j).total_cmp(&self.length(i)));
        order
    }
}
