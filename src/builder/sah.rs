//! The surface area heuristic: the plane of least cost between 16 bins (Wald 2007), and the areas that it compares.

use std::marker::PhantomData;

use super::triangle_bounds::{Ends, NOTHING, TriangleBounds, half_area, joined, lengths, loaded, stored};
use crate::simd::{Simd, SimdLevel, dispatched};
use crate::volume::fit::primitives::{BLOCK, by_blocks};

/// Number of bins of equal width along an axis; the planes between them are tried.
const BINS: usize = 16;

/// The cheapest plane across the given axes; `None` if no plane tried separates the centroids.
///
/// The cost of a plane is the sum over both sides of the number of triangles times the surface area of their bounds
/// (Wald 2007, "On fast construction of SAH-based bounding volume hierarchies").
pub(super) fn cheapest_plane<B: SahBounds>(
    level: SimdLevel,
    triangles: &[TriangleBounds],
    axes: TriedAxes,
    ends: &Ends,
) -> Option<BinnedPlane> {
    let slicing = Slicing::new(ends, axes);
    let (mut bins, mut rest) = (Bins::EMPTY, triangles);
    if triangles.len() > BLOCK {
        let of_block = |block: &[TriangleBounds]| {
            let mut bins = Bins::EMPTY;
            fill(level, block, &slicing, &mut bins);
            bins
        };
        (bins, rest) = (by_blocks(triangles, of_block, Bins::joined), &[]);
    }
    let (axis, slice, sides) = cheapest_of_bins(level, PhantomData::<B>, rest, &slicing, &mut bins)?;
    Some(BinnedPlane { slicing, axis, slice, sides })
}

/// The axes across which planes are tried.
pub(super) struct TriedAxes {
    /// The axes to try come first; only the first `tried` entries are valid.
    axes: [usize; 3],
    tried: usize,
}

impl TriedAxes {
    /// The axes of positive length that are at least `ratio` times as long as the longest.
    pub(super) fn new(lengths: &[f64; 3], ratio: f64) -> Self {
        let longest = lengths.iter().copied().fold(0.0, f64::max);
        let mut axes = Self { axes: [0; 3], tried: 0 };
        for (k, &length) in lengths.iter().enumerate() {
            if length >= ratio * longest && length > 0.0 {
                axes.axes[axes.tried] = k;
                axes.tried += 1;
            }
        }
        axes
    }

    #[inline(always)]
    pub(super) fn tried(&self) -> &[usize] {
        &self.axes[..self.tried]
    }
}

/// The plane above a bin across an axis, and the bounds of the triangles below and above it.
pub(super) struct BinnedPlane {
    slicing: Slicing,
    axis: usize,
    slice: usize,
    pub(super) sides: [Ends; 2],
}

impl BinnedPlane {
    #[inline(always)]
    pub(super) fn is_below(&self, triangle: &TriangleBounds) -> bool {
        self.slicing.slice(f64::from(triangle.corner_sum[self.axis & 3]), self.axis & 3) <= self.slice
    }
}

struct Slicing {
    axes: TriedAxes,
    /// Three times the position where the first bin of each axis begins, to be compared with sums of three corners.
    first: [f64; 4],
    /// Number of bins per unit of the sum of three corners, along each axis.
    per_length: [f64; 4],
}

impl Slicing {
    fn new(ends: &Ends, axes: TriedAxes) -> Self {
        let (mut first, mut per_length) = ([0.0; 4], [0.0; 4]);
        let lengths = lengths(ends);
        for &k in axes.tried() {
            first[k] = -3.0 * f64::from(ends[0][k]);
            per_length[k] = BINS as f64 / (3.0 * lengths[k]);
        }
        Self { axes, first, per_length }
    }

    /// The bin, given the sum of the corners' coordinates along axis `k`.
    #[inline(always)]
    fn slice(&self, sum: f64, k: usize) -> usize {
        /// Adding this to a non-negative number leaves the nearest integer in the lowest bits.
        const WHOLE: f64 = (1_u64 << 52) as f64;
        const LAST: f64 = (BINS - 1) as f64;
        // Subtracting slightly less than a half makes rounding to nearest round down.
        let slices = (sum - self.first[k]) * self.per_length[k] - 0.499_999_999;
        let slices = if slices > 0.0 { slices } else { 0.0 };
        let slices = if slices < LAST { slices } else { LAST };
        (slices + WHOLE).to_bits() as usize & (BINS - 1)
    }
}

/// The number of triangles and the bounds of each bin of each axis.
#[derive(Clone)]
struct Bins {
    triangles: [[u32; BINS]; 3],
    ends: [[Ends; BINS]; 3],
}

impl Bins {
    const EMPTY: Self = Self { triangles: [[0; BINS]; 3], ends: [[NOTHING; BINS]; 3] };

    fn joined(mut self, other: Self) -> Self {
        for k in 0..3 {
            for bin in 0..BINS {
                self.triangles[k][bin] += other.triangles[k][bin];
                self.ends[k][bin] = joined(self.ends[k][bin], other.ends[k][bin]);
            }
        }
        self
    }

    #[inline(always)]
    fn fill<S: Simd>(&mut self, s: S, triangles: &[TriangleBounds], slicing: &Slicing) {
        let axes = slicing.axes.tried();
        for triangle in triangles {
            let ends = loaded(s, &triangle.ends);
            let mut slices = [0; 4];
            for (k, (slice, &sum)) in slices.iter_mut().zip(&triangle.corner_sum).enumerate() {
                *slice = slicing.slice(f64::from(sum), k);
            }
            for &k in axes {
                let slice = slices[k & 3];
                self.triangles[k][slice] += 1;
                let bin = &mut self.ends[k][slice];
                *bin = stored(s, s.max(ends, loaded(s, bin)));
            }
        }
    }
}

dispatched! {
    fn fill(triangles: &[TriangleBounds], slicing: &Slicing, bins: &mut Bins) -> () =
        |s| bins.fill(s, triangles, slicing);
    /// Adds the remaining triangles to the bins and finds the plane of least cost between bins.
    fn cheapest_of_bins[B: SahBounds](
        _side: PhantomData<B>,
        rest: &[TriangleBounds],
        slicing: &Slicing,
        bins: &mut Bins,
    ) -> Option<(usize, usize, [Ends; 2])> = |s| cheapest_of_bins_by::<S, B>(s, rest, slicing, bins);
}

#[inline(always)]
fn cheapest_of_bins_by<S: Simd, B: SahBounds>(
    s: S,
    rest: &[TriangleBounds],
    slicing: &Slicing,
    bins: &mut Bins,
) -> Option<(usize, usize, [Ends; 2])> {
    bins.fill(s, rest, slicing);
    let (mut best, mut least) = (None, f64::INFINITY);
    for &k in slicing.axes.tried() {
        let sweep = BinSweep::new(s, &bins.triangles[k & 3], &bins.ends[k & 3]);
        let costs = sweep.costs::<S, B>(s);
        for (slice, &cost) in costs.iter().enumerate() {
            // No triangle is above the last bin.
            let splits = sweep.triangles[0][slice] > 0 && sweep.triangles[1][slice] > 0;
            if splits && (cost < least || best.is_none()) {
                let sides = [sweep.ends[0][slice], sweep.ends[1][slice]];
                (best, least) = (Some((k, slice, sides)), cost);
            }
        }
    }
    best
}

/// The number and the bounds of the triangles below and above each plane. Plane `i` is the upper side of bin `i`, so
/// nothing is above the last plane.
struct BinSweep {
    triangles: [[u32; BINS]; 2],
    ends: [[Ends; BINS]; 2],
}

impl BinSweep {
    #[inline(always)]
    fn new<S: Simd>(s: S, triangles: &[u32; BINS], ends: &[Ends; BINS]) -> Self {
        let mut sweep = Self { triangles: [[0; BINS]; 2], ends: [[NOTHING; BINS]; 2] };
        let (mut joined, mut below) = (loaded(s, &NOTHING), 0);
        for slice in 0..BINS {
            below += triangles[slice];
            joined = s.max(loaded(s, &ends[slice]), joined);
            sweep.triangles[0][slice] = below;
            sweep.ends[0][slice] = stored(s, joined);
        }
        let mut joined = loaded(s, &NOTHING);
        for slice in (1..BINS).rev() {
            joined = s.max(loaded(s, &ends[slice]), joined);
            sweep.ends[1][slice - 1] = stored(s, joined);
        }
        for slice in 0..BINS {
            sweep.triangles[1][slice] = below - sweep.triangles[0][slice];
        }
        sweep
    }

    /// The cost of each plane; NaN if one side is empty.
    #[inline(always)]
    fn costs<S: Simd, B: SahBounds>(&self, s: S) -> [f64; BINS] {
        let mut costs = [0.0; BINS];
        for first in [0, 8] {
            let mut cost = s.splat64(0.0);
            for side in 0..2 {
                let (ends, zeros) = (&self.ends[side], [s.splat(0.0); 4]);
                let (mut lower, mut upper) = (zeros, zeros);
                for i in 0..4 {
                    let (one, other) = (&ends[first + i], &ends[first + 4 + i]);
                    lower[i] = s.load_halves(&one[0], &other[0]);
                    upper[i] = s.load_halves(&one[1], &other[1]);
                }
                let (lower, upper) = (s.transposed(&lower), s.transposed(&upper));
                let mut lengths = [s.splat64(0.0); 3];
                for k in 0..3 {
                    lengths[k] = s.add64(s.widen(&s.to_array(upper[k])), s.widen(&s.to_array(lower[k])));
                }
                let mut triangles = [0.0; 8];
                for (count, &of_side) in triangles.iter_mut().zip(&self.triangles[side][first..first + 8]) {
                    *count = f64::from(of_side);
                }
                cost = s.add64(cost, s.mul64(s.load64(&triangles), B::areas(s, &lengths)));
            }
            costs[first..first + 8].copy_from_slice(&s.to_array64(cost));
        }
        costs
    }
}

/// Bounds whose surface area builders compare: those of the triangles on one side of a plane, or of a cluster.
pub(super) trait SahBounds: Copy + Send + Sync {
    const EMPTY: Self;

    fn of(triangle: &TriangleBounds) -> Self {
        Self::of_box(SahBox { triangles: 1, ends: triangle.ends })
    }

    /// The bounds of triangles whose axis-aligned box is known.
    fn of_box(side: SahBox) -> Self;

    fn join(&mut self, other: &Self);

    fn triangles(&self) -> usize;

    /// The surface area of the bounding volume, up to a constant factor that depends on the kind; 0 without triangles.
    fn area(&self) -> f64;

    /// The surface areas of the bounding volumes of eight boxes with these side lengths, up to the same factor.
    fn areas<S: Simd>(s: S, lengths: &[S::F64x8; 3]) -> S::F64x8;

    fn of_triangles(triangles: &[TriangleBounds]) -> Self {
        triangles.iter().fold(Self::EMPTY, |side, triangle| side.joined(&Self::of(triangle)))
    }

    fn joined(mut self, other: &Self) -> Self {
        self.join(other);
        self
    }
}

/// An axis-aligned box.
#[derive(Clone, Copy)]
pub(super) struct SahBox {
    triangles: usize,
    ends: Ends,
}

impl SahBounds for SahBox {
    const EMPTY: Self = Self { triangles: 0, ends: NOTHING };

    fn of_box(side: SahBox) -> Self {
        side
    }

    #[inline(always)]
    fn join(&mut self, other: &Self) {
        self.triangles += other.triangles;
        self.ends = joined(self.ends, other.ends);
    }

    fn triangles(&self) -> usize {
        self.triangles
    }

    #[inline(always)]
    fn areas<S: Simd>(s: S, [x, y, z]: &[S::F64x8; 3]) -> S::F64x8 {
        s.add64(s.add64(s.mul64(*x, *y), s.mul64(*y, *z)), s.mul64(*z, *x))
    }

    fn area(&self) -> f64 {
        if self.triangles == 0 { 0.0 } else { half_area(&self.ends) }
    }
}

/// The sphere around an axis-aligned box.
#[derive(Clone, Copy)]
pub(super) struct SahSphere(SahBox);

impl SahBounds for SahSphere {
    const EMPTY: Self = Self(SahBox::EMPTY);

    fn of_box(side: SahBox) -> Self {
        Self(side)
    }

    #[inline(always)]
    fn join(&mut self, other: &Self) {
        self.0.join(&other.0);
    }

    fn triangles(&self) -> usize {
        self.0.triangles
    }

    #[inline(always)]
    fn areas<S: Simd>(s: S, [x, y, z]: &[S::F64x8; 3]) -> S::F64x8 {
        s.add64(s.add64(s.mul64(*x, *x), s.mul64(*y, *y)), s.mul64(*z, *z))
    }

    fn area(&self) -> f64 {
        let [x, y, z] = lengths(&self.0.ends);
        if self.0.triangles == 0 { 0.0 } else { x * x + y * y + z * z }
    }
}
