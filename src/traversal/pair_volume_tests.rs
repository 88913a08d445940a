//! The volume tests of the traversal of two trees: one volume against the eight children of a node of the other tree.
//!
//! [`OverlapTest`] is for contact, [`LowerBoundTest`] for distances, [`SweepTest`] for motions.

use std::cell::Cell;

use nalgebra::{Matrix3, Vector3};

use super::posed_trees::PosedTrees;
use crate::numeric::denormals::{above, rounded};
use crate::numeric::error_bounds::SQUARE_ROUNDING;
use crate::simd::{Simd, Task};
use crate::volume::{LinearSweep, Node, PackedAnyBox, PairTests};

/// A test of one volume against eight volumes of the other tree.
pub(crate) trait PairVolumeTest {
    /// Whether the order of the traversal matters: if so, the sibling of least lower bound is visited first where
    /// siblings are visited one by one, and node pairs are skipped once the visitor's limit has fallen below their
    /// lower bound.
    const ORDERED: bool;

    /// The number of the other tree's volumes, on one path of the traversal, that must pass the test against a leaf
    /// before the leaf's triangles are tested in its place, each by its own box: the leaf's volume is then too loose to
    /// be useful. `None` if leaves are never replaced.
    const LOOSE_LEAF_SURVIVORS: Option<u32>;

    /// Whether a triangle can be skipped, given a lower bound on its distance from the tree `target`, in the unit of
    /// that tree's storage frame. Called only for triangles whose own boxes are tested in place of their leaf's volume.
    fn is_beyond(&self, _distance: f32, _target: usize, _limit: f32) -> bool {
        false
    }

    /// Tests the volume `single`, in the frame of the other tree, against the children of a node of that tree.
    fn test<V: PairTests, S: Simd>(&self, simd: S, single: &V, other: &WideSide<'_>) -> PairTestResult;
}

/// The eight volumes of a test of one volume against eight.
pub(crate) struct WideSide<'a> {
    pub(super) node: Node<'a>,
    /// The margin for rounding.
    pub(super) margin: f32,
    /// The tree of the node: 0 for A, 1 for B.
    pub(super) target: usize,
    /// Volumes whose lower bound is above this don't matter.
    pub(super) limit: f32,
}

/// The result of a test of one volume against eight.
pub(crate) struct PairTestResult {
    /// A bit for each lane whose volume may matter.
    pub(crate) survivors: u8,
    /// A bit for each lane whose volume is much larger than the single one.
    pub(crate) larger: u8,
    /// The lower bounds of the lanes in `survivors`, which each test defines (a squared distance, or a time, which is
    /// negated for the last contact); unspecified if the test is not ordered.
    pub(crate) lower_bounds: [f32; 8],
}

/// A test of a triangle's box, compiled once for all volume kinds.
pub(super) struct TriangleTest<'a, T> {
    pub(super) test: &'a T,
    pub(super) triangle: &'a PackedAnyBox,
    pub(super) other: WideSide<'a>,
}

impl<T: PairVolumeTest> Task for TriangleTest<'_, T> {
    type Output = PairTestResult;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> PairTestResult {
        self.test.test(simd, self.triangle, &self.other)
    }
}

/// A volume test that keeps the volumes that may overlap, in any order.
pub(crate) struct OverlapTest;

impl PairVolumeTest for OverlapTest {
    const ORDERED: bool = false;
    const LOOSE_LEAF_SURVIVORS: Option<u32> = Some(6);

    fn is_beyond(&self, distance: f32, _: usize, _: f32) -> bool {
        distance > 0.0
    }

    #[inline(always)]
    fn test<V: PairTests, S: Simd>(&self, simd: S, single: &V, other: &WideSide<'_>) -> PairTestResult {
        let (survivors, larger) = single.overlaps(simd, &other.node, other.margin);
        PairTestResult { survivors, larger, lower_bounds: [0.0; 8] }
    }
}

/// Converts distances to limits of squared lower bounds, in one unit for the storage frames of both trees.
#[derive(Clone, Copy)]
pub(crate) struct SearchRadius {
    /// The larger of the two frames' units, so that the bounds of both are in range.
    unit: f64,
    /// The factors that convert squared bounds of A's frame and of B's to that unit. Powers of two.
    scales: [f32; 2],
    /// The distance, in mesh units, to add to distances computed in the frames, which are moved nearer if they are far
    /// apart; see [`RelativeFrame`].
    far_offset: f64,
}

impl SearchRadius {
    pub(crate) fn new(trees: &PosedTrees<'_>) -> Self {
        let units = trees.frames.map(|frame| frame.unit);
        let unit = units[0].max(units[1]);
        let far_offset = [0, 1].map(|side| trees.to_frames[side].far_offset * units[side]);
        Self {
            unit,
            scales: units.map(|own| (own / unit).powi(2) as f32),
            far_offset: far_offset[0].min(far_offset[1]),
        }
    }

    /// Converts a distance in mesh units to a limit of squared lower bounds in `unit`: volumes with a greater bound are
    /// certainly farther apart.
    pub(crate) fn limit(&self, distance: f64) -> f32 {
        let limit = ((distance - self.far_offset) / self.unit).max(0.0);
        // Scaling may have rounded bounds below the least normal number.
        above(limit * limit + f64::from(f32::MIN_POSITIVE))
    }

    /// The distance in mesh units that corresponds to a squared lower bound in `unit`.
    pub(crate) fn distance(&self, lower_bound: f32) -> f64 {
        f64::from((lower_bound - f32::MIN_POSITIVE).max(0.0)).sqrt() * self.unit + self.far_offset
    }
}

/// A volume test that keeps the volumes whose squared distance may be at most the limit, the nearest first.
pub(crate) struct LowerBoundTest {
    scales: [f32; 2],
    /// The least squared lower bound of all excluded volumes, if it is recorded.
    excluded: Option<Cell<f32>>,
}

impl LowerBoundTest {
    pub(crate) fn new(radius: &SearchRadius) -> Self {
        Self { scales: radius.scales, excluded: None }
    }

    /// A test that also records the least squared lower bound of all excluded volumes.
    pub(crate) fn with_excluded(radius: &SearchRadius) -> Self {
        Self { scales: radius.scales, excluded: Some(Cell::new(f32::INFINITY)) }
    }

    /// The least squared lower bound of all excluded volumes; infinite if none was excluded or they were not recorded.
    pub(crate) fn excluded(&self) -> f32 {
        self.excluded.as_ref().map_or(f32::INFINITY, Cell::get)
    }
}

impl PairVolumeTest for LowerBoundTest {
    const ORDERED: bool = true;
    const LOOSE_LEAF_SURVIVORS: Option<u32> = Some(8);

    fn is_beyond(&self, distance: f32, target: usize, limit: f32) -> bool {
        // The squares of shorter distances may be denormal, and those of longer ones overflow before they are scaled.
        let squared = if distance > 1e-15 { (distance * distance).min(f32::MAX) } else { 0.0 };
        let lower_bound = squared * self.scales[target] * SQUARE_ROUNDING;
        let is_beyond = lower_bound > limit;
        if let Some(excluded) = self.excluded.as_ref().filter(|_| is_beyond) {
            excluded.set(excluded.get().min(lower_bound));
        }
        is_beyond
    }

    #[inline(always)]
    fn test<V: PairTests, S: Simd>(&self, simd: S, single: &V, other: &WideSide<'_>) -> PairTestResult {
        let &WideSide { node: ref wide, margin, target, limit } = other;
        let scale = self.scales[target];
        let (lower_bounds, larger) = single.lower_bounds_sq(simd, wide, margin, scale, limit);
        // A bound that overflowed before it was scaled proves only that it was greater than `f32::MAX` then.
        let lower_bounds = simd.min(lower_bounds, simd.splat(f32::MAX * scale));
        let far = simd.bits(simd.gt(lower_bounds, simd.splat(limit)));
        let survivors = wide.lanes() & !far;
        let lower_bounds = simd.to_array(lower_bounds);
        if let Some(excluded) = &self.excluded {
            for (lane, &lower_bound) in lower_bounds.iter().enumerate() {
                if wide.lanes() & !survivors & 1 << lane != 0 {
                    excluded.set(excluded.get().min(lower_bound));
                }
            }
        }
        PairTestResult { survivors, larger, lower_bounds }
    }
}

/// A volume test that keeps the volumes that may touch during a motion, ordered by the time (0 to 1) of their first
/// contact, the earliest first, or of their last contact, the latest first.
pub(crate) struct SweepTest {
    /// The motion of the other tree's volumes, in A's frame and in B's.
    pub(crate) bounds: [MotionBound; 2],
    pub(crate) end: SweepEnd,
}

/// The end of the interval of contact that serves as the lower bound.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SweepEnd {
    /// The time of the first contact; the limit is the time after which nothing matters.
    First,
    /// The negated time of the last contact; the limit is the negated time before which nothing matters.
    Last,
}

/// A bound on the motion of one tree's volumes in the other tree's frame.
///
/// A volume's centre moves nearly straight. The straight part is swept exactly; the deviation from it and the rotation
/// of the volume are bounded and added to the volume's size.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct MotionBound {
    /// The maps from a centre to its displacement at time 0 and at time 1.
    pub(crate) displacements: [Affine; 2],
    /// A point on the axis of rotation.
    pub(crate) pivot: [f32; 3],
    /// The unit direction of the axis of rotation.
    pub(crate) axis: [f32; 3],
    /// A bound on a centre's deviation from its straight path: a factor of the centre's distance from the axis, and a
    /// constant term.
    pub(crate) stray: [f32; 2],
    /// Half of the angle of rotation, in radians.
    pub(crate) half_angle: f32,
    /// The margin for rounding in the volume tests.
    pub(crate) margin: f32,
}

impl MotionBound {
    /// The bound on a translation's motion.
    pub(crate) fn translation(displacement: &Vector3<f64>, margin: f32) -> Self {
        let end = Affine::new(&Matrix3::zeros(), displacement);
        Self { displacements: [Affine::default(), end], margin, ..Self::default() }
    }

    /// The distance of a centre from the axis of rotation.
    #[inline(always)]
    pub(crate) fn off_axis(&self, center: [f32; 3]) -> f32 {
        let arm: [f32; 3] = std::array::from_fn(|k| center[k] - self.pivot[k]);
        let [x, y, z] = std::array::from_fn(|k| {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            self.axis[i] * arm[j] - self.axis[j] * arm[i]
        });
        (x * x + y * y + z * z).sqrt()
    }
}

/// An affine map, `x -> matrix * x + shift`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Affine {
    matrix: [[f32; 3]; 3],
    shift: [f32; 3],
}

impl Affine {
    pub(crate) fn new(matrix: &Matrix3<f64>, shift: &Vector3<f64>) -> Self {
        Self {
            matrix: std::array::from_fn(|i| std::array::from_fn(|j| rounded(matrix[(i, j)]))),
            shift: std::array::from_fn(|i| rounded(shift[i])),
        }
    }

    #[inline(always)]
    pub(crate) fn apply(&self, [x, y, z]: [f32; 3]) -> [f32; 3] {
        std::array::from_fn(|i| {
            let [a, b, c] = self.matrix[i];
            a * x + b * y + c * z + self.shift[i]
        })
    }
}

impl PairVolumeTest for SweepTest {
    const ORDERED: bool = true;
    /// A triangle's own box is cut down to the part near the other tree at one pose, so it may lack parts that the
    /// other tree reaches during the motion.
    const LOOSE_LEAF_SURVIVORS: Option<u32> = None;

    #[inline(always)]
    fn test<V: PairTests, S: Simd>(&self, simd: S, single: &V, other: &WideSide<'_>) -> PairTestResult {
        let &WideSide { node: ref wide, target, limit, .. } = other;
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
        PairTestResult {
            survivors: wide.lanes() & !swept.never & !late & !past,
            larger: swept.larger,
            lower_bounds: simd.to_array(lower_bounds),
        }
    }
}
