//! The volume test of questions about motion: when may the two touch, as one moves?

use nalgebra::{Matrix3, Vector3};

use super::volume_test::{TestResult, VolumeTest};
use crate::numeric::denormals::rounded;
use crate::simd::Simd;
use crate::volume::{LinearSweep, Node, PairTests, RelativeFrame};

/// Goes on with volumes that may touch in time. Time is 0 to 1; of the entry or of the exit, whichever is asked for.
pub(in crate::query) struct Sweep {
    /// How the other tree's volumes move, in A's frame and in B's.
    pub(in crate::query) bounds: [MotionBound; 2],
    pub(in crate::query) end: SweepEnd,
}

/// Which end of the time of contact is the lower bound.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::query) enum SweepEnd {
    /// The first contact: the limit is the time after which nothing matters.
    First,
    /// The negative of the last contact: the limit is the negative of the time before which nothing matters.
    Last,
}

/// How the volumes of one tree move in the other's frame during a time.
///
/// A volume's centre moves nearly straight, and what it strays from that, with the volume's turning, is bounded and
/// added to the volume; the straight part is swept exactly.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::query) struct MotionBound {
    /// What takes a centre to its displacement at time 0, and at time 1.
    pub(in crate::query) displacements: [Affine; 2],
    /// The origin and the unit axis of the turn.
    pub(in crate::query) pivot: [f32; 3],
    pub(in crate::query) axis: [f32; 3],
    /// A centre strays from the straight path by so much, per distance from the axis, and in any case.
    pub(in crate::query) stray: [f32; 2],
    /// Half of the turn.
    pub(in crate::query) half_angle: f32,
    /// Of the volume tests, for all that is rounded.
    pub(in crate::query) margin: f32,
}

impl MotionBound {
    /// A translation.
    pub(in crate::query) fn translation(displacement: &Vector3<f64>, margin: f32) -> Self {
        let end = Affine::new(&Matrix3::zeros(), displacement);
        Self { displacements: [Affine::default(), end], margin, ..Self::default() }
    }

    /// The distance from the turn's axis.
    #[inline(always)]
    pub(in crate::query) fn off_axis(&self, center: [f32; 3]) -> f32 {
        let arm: [f32; 3] = std::array::from_fn(|k| center[k] - self.pivot[k]);
        let [x, y, z] = std::array::from_fn(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            self.axis[i] * arm[j] - self.axis[j] * arm[i]
        });
        (x * x + y * y + z * z).sqrt()
    }
}

/// `x -> matrix * x + shift`.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::query) struct Affine {
    matrix: [[f32; 3]; 3],
    shift: [f32; 3],
}

impl Affine {
    pub(in crate::query) fn new(matrix: &Matrix3<f64>, shift: &Vector3<f64>) -> Self {
        Self {
            matrix: std::array::from_fn(|i| std::array::from_fn(|j| rounded(matrix[(i, j)]))),
            shift: std::array::from_fn(|i| rounded(shift[i])),
        }
    }

    #[inline(always)]
    pub(in crate::query) fn apply(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        std::array::from_fn(|i| {
            let [a, b, c] = self.matrix[i];
            a * x + b * y + c * z + self.shift[i]
        })
    }
}

impl VolumeTest for Sweep {
    const ORDERED: bool = true;

    #[inline(always)]
    fn test<V: PairTests, S: Simd>(
        &self,
        simd: S,
        single: &V,
        wide: &Node<'_>,
        _: &RelativeFrame,
        target: usize,
        limit: f32,
    ) -> TestResult {
        let bound = &self.bounds[target];
        let center = single.center();
        let [start, end] = [bound.displacements[0].apply(center), bound.displacements[1].apply(center)];
        let displacement = [end[0] - start[0], end[1] - start[1], end[2] - start[2]];
        let last = if self.end == SweepEnd::First { limit } else { 1.0 };
        let stray = bound.stray[0] * bound.off_axis(center) + bound.stray[1];
        let slack = bound.margin + stray + bound.half_angle * single.turning_radius();
        let swept = single.sweep(simd, wide, &LinearSweep::new(start, displacement, last), slack);
        let lower_bounds = if self.end == SweepEnd::First { swept.entry } else { swept.minus_exit };
        let late = simd.bits(simd.gt(lower_bounds, simd.splat(limit)));
        let past = simd.bits(simd.gt(swept.minus_exit, simd.splat(f32::MIN_POSITIVE)));
        TestResult {
            survivors: wide.lanes() & !swept.never & !late & !past,
            larger: swept.larger,
            lower_bounds: simd.to_array(lower_bounds),
        }
    }
}
