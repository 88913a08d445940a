//! The surface area heuristic's plane among a few.

use std::marker::PhantomData;

use super::exhaustive_sah;
use super::partition::partition_in_place;
use super::sah_bounds::SahBounds;
use super::split_volume::SplitVolume;
use crate::simd::{Simd, SimdLevel, Task, dispatch};
use crate::volume::fit::Primitive;
use crate::volume::fit::kernels::{BLOCK, Ranges, by_blocks};

/// Slices of equal width along an axis; planes between them are tried.
const BINS: usize = 16;

/// Brings the triangles below the cheapest plane to the front and returns their number, and what is around each side's;
/// `None` if no plane tried separates the centroids. Axes shorter than `axis_ratio` of the longest are not tried.
///
/// The cost of a plane is the triangles on each side times the surface area of what is around them (Wald 2007, "On fast
/// construction of SAH-based bounding volume hierarchies").
pub(super) fn partition<B: SahBounds>(
    level: SimdLevel,
    primitives: &mut [Primitive],
    volume: &SplitVolume,
    axis_ratio: f64,
) -> Option<(usize, [Ranges; 2])> {
    let axes = Axes::of(volume, axis_ratio);
    if primitives.len() <= exhaustive_sah::FEW {
        return exhaustive_sah::partition::<B>(level, primitives, &axes);
    }
    let slicing = Slicing::new(volume, axes);
    let (mut bins, mut rest) = (Bins::EMPTY, &*primitives);
    if primitives.len() > BLOCK {
        let of_block = |block: &[Primitive]| {
            let mut bins = Bins::EMPTY;
            dispatch(level, Fill { primitives: block, slicing: &slicing, bins: &mut bins });
            bins
        };
        (bins, rest) = (by_blocks(primitives, of_block, Bins::joined), &[]);
    }
    let Plane { axis, slice, sides } =
        dispatch(level, Cheapest::<B> { rest, slicing: &slicing, bins: &mut bins, side: PhantomData })?;
    let middle =
        partition_in_place(primitives, |primitive| slicing.slice(primitive.corner_sum_along(axis), axis) <= slice);
    Some((middle, sides.map(|[lower, upper]| Ranges::of_ends(lower.map(|x| -x), upper))))
}

/// Least coordinates, negated so that a maximum joins both ends, and greatest ones; the fourth lanes are idle.
type Ends = [[f32; 4]; 2];

/// The box around nothing.
const NOTHING: Ends = [[f32::NEG_INFINITY; 4]; 2];

/// Axes across which planes are tried.
pub(super) struct Axes {
    /// In order, the first so many.
    axes: [usize; 3],
    tried: usize,
}

impl Axes {
    /// Those not shorter than `ratio` of the longest.
    pub(super) fn of(volume: &SplitVolume, ratio: f64) -> Self {
        let longest = (0..3).map(|k| volume.length(k)).fold(0.0, f64::max);
        let mut axes = Self { axes: [0; 3], tried: 0 };
        for k in 0..3 {
            if volume.length(k) >= ratio * longest && volume.length(k) > 0.0 {
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

/// Which slice a triangle is in.
struct Slicing {
    axes: Axes,
    /// Three times where the first slices begin: centroids are not divided.
    first: [f64; 4],
    /// Slices per three times a length.
    per_length: [f64; 4],
}

impl Slicing {
    fn new(volume: &SplitVolume, axes: Axes) -> Self {
        let (mut first, mut per_length) = ([0.0; 4], [0.0; 4]);
        for &k in axes.tried() {
            first[k] = 3.0 * volume.ranges.lower[k];
            per_length[k] = BINS as f64 / (3.0 * volume.length(k));
        }
        Self { axes, first, per_length }
    }

    /// By the sum of the corners' coordinates along axis `k`.
    #[inline(always)]
    fn slice(&self, sum: f64, k: usize) -> usize {
        /// Added to what is not negative, it leaves the nearest whole number in the lowest bits.
        const WHOLE: f64 = (1_u64 << 52) as f64;
        const LAST: f64 = (BINS - 1) as f64;
        // Rounded down: a little less than a half more would be rounded to the nearest.
        let slices = (sum - self.first[k]) * self.per_length[k] - 0.499_999_999;
        let slices = if slices > 0.0 { slices } else { 0.0 };
        let slices = if slices < LAST { slices } else { LAST };
        (slices + WHOLE).to_bits() as usize & (BINS - 1)
    }
}

/// What is in each slice of each axis.
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
                let (ends, others) = (self.ends[k][bin].as_flattened_mut(), other.ends[k][bin].as_flattened());
                for (end, &other) in ends.iter_mut().zip(others) {
                    *end = if other > *end { other } else { *end };
                }
            }
        }
        self
    }

    #[inline(always)]
    fn fill<S: Simd>(&mut self, s: S, primitives: &[Primitive], slicing: &Slicing) {
        let signs = s.load_halves(&[-1.0; 4], &[1.0; 4]);
        let axes = slicing.axes.tried();
        for primitive in primitives {
            let [a, b, c] = &primitive.corners;
            let ends = s.max(s.mul(s.load_halves(a, a), signs), s.mul(s.load_halves(b, b), signs));
            let ends = s.max(s.mul(s.load_halves(c, c), signs), ends);
            let mut slices = [0; 4];
            for k in 0..4 {
                slices[k] = slicing.slice(f64::from(a[k]) + f64::from(b[k]) + f64::from(c[k]), k);
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

#[inline(always)]
fn loaded<S: Simd>(s: S, ends: &Ends) -> S::F32x8 {
    let [row] = s.load_rows(bytemuck::cast_slice(ends.as_flattened()), 0, 8);
    row
}

#[inline(always)]
fn stored<S: Simd>(s: S, ends: S::F32x8) -> Ends {
    bytemuck::cast(s.to_array(ends))
}

/// Fills bins with the triangles.
struct Fill<'a> {
    primitives: &'a [Primitive],
    slicing: &'a Slicing,
    bins: &'a mut Bins,
}

impl Task for Fill<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        self.bins.fill(s, self.primitives, self.slicing);
    }
}

/// Fills bins with what is not in them yet and finds the plane of least cost between them.
struct Cheapest<'a, B> {
    rest: &'a [Primitive],
    slicing: &'a Slicing,
    bins: &'a mut Bins,
    side: PhantomData<B>,
}

/// The plane above a slice across an axis, and what is around the triangles below and above it.
struct Plane {
    axis: usize,
    slice: usize,
    sides: [Ends; 2],
}

impl<B: SahBounds> Task for Cheapest<'_, B> {
    type Output = Option<Plane>;

    #[inline(always)]
    fn run<S: Simd>(self, s: S) -> Option<Plane> {
        let Self { rest, slicing, bins, .. } = self;
        bins.fill(s, rest, slicing);
        let (mut best, mut least) = (None, f64::INFINITY);
        for &k in slicing.axes.tried() {
            let sweep = Sweep::new(s, &bins.triangles[k & 3], &bins.ends[k & 3]);
            let costs = sweep.costs::<S, B>(s);
            for (slice, &cost) in costs.iter().enumerate() {
                // Nothing is above the last slice.
                let splits = sweep.triangles[0][slice] > 0 && sweep.triangles[1][slice] > 0;
                if splits && (cost < least || best.is_none()) {
                    let sides = [sweep.ends[0][slice], sweep.ends[1][slice]];
                    (best, least) = (Some(Plane { axis: k, slice, sides }), cost);
                }
            }
        }
        best
    }
}

/// What is below and above each plane across an axis, that above its slice; the last one has nothing above.
struct Sweep {
    triangles: [[u32; BINS]; 2],
    ends: [[Ends; BINS]; 2],
}

impl Sweep {
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

    /// No number where a plane has nothing on one side.
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
