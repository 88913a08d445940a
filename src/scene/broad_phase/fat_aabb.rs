//! Fat AABBs and the f32 boxes of the broad phase, rounded outward.

use crate::numeric::error_bounds::{LOCAL_RAY_ROUNDING, LOCAL_RAY_SHORTENED, POSE_STRETCH, RAY_ROUNDING};
use crate::probe::Ray;
use crate::shape::Aabb;
use crate::simd::Simd;

/// An AABB in f32. Conversions and growth round every side outward by at least one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Aabb32 {
    pub(crate) lower: [f32; 3],
    pub(crate) upper: [f32; 3],
}

/// A moving body's fat AABB is its AABB, grown on every side by this fraction of the AABB's longest side.
const FAT_MARGIN: f32 = 0.05;

impl Aabb32 {
    pub(crate) const EMPTY: Self = Self { lower: [f32::INFINITY; 3], upper: [f32::NEG_INFINITY; 3] };

    /// The box around an AABB of finite coordinates, relative to an origin.
    #[inline(always)]
    pub(crate) fn around(bounds: &Aabb, origin: &[f64; 3]) -> Self {
        // The subtraction in f64 rounds by far less than a step of f32.
        Self {
            lower: std::array::from_fn(|k| below((bounds.lower[k] - origin[k]) as f32)),
            upper: std::array::from_fn(|k| above((bounds.upper[k] - origin[k]) as f32)),
        }
    }

    /// The box grown by a distance on every side.
    #[inline(always)]
    pub(crate) fn grown(&self, by: f32) -> Self {
        Self { lower: self.lower.map(|x| below(x - by)), upper: self.upper.map(|x| above(x + by)) }
    }

    /// The fat AABB around a moving body's AABB: moves inside it need no update of the broad phase.
    #[inline(always)]
    pub(crate) fn fattened(&self) -> Self {
        let [x, y, z] = std::array::from_fn(|k| self.upper[k] - self.lower[k]);
        let largest_side = greater(greater(x, y), z);
        self.grown(FAT_MARGIN * largest_side)
    }

    #[inline(always)]
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        // Branch-free, so that the compiler vectorizes it.
        (self.lower[0] <= other.upper[0])
            & (self.lower[1] <= other.upper[1])
            & (self.lower[2] <= other.upper[2])
            & (other.lower[0] <= self.upper[0])
            & (other.lower[1] <= self.upper[1])
            & (other.lower[2] <= self.upper[2])
    }

    /// Whether the boxes overlap, or may be at most a positive margin apart along each axis.
    #[inline(always)]
    pub(crate) fn is_within(&self, margin: f32, other: &Self) -> bool {
        if margin > 0.0 { self.grown(margin).overlaps(other) } else { self.overlaps(other) }
    }

    #[inline]
    pub(crate) fn contains(&self, other: &Self) -> bool {
        let contains = |k: usize| (self.lower[k] <= other.lower[k]) & (other.upper[k] <= self.upper[k]);
        contains(0) & contains(1) & contains(2)
    }

    #[inline(always)]
    pub(crate) fn union(&self, other: &Self) -> Self {
        let lesser = |a: f32, b: f32| if a < b { a } else { b };
        Self {
            lower: std::array::from_fn(|k| lesser(self.lower[k], other.lower[k])),
            upper: std::array::from_fn(|k| greater(self.upper[k], other.upper[k])),
        }
    }

    /// Half the surface area, the cost measure of the tree. In f64, since the largest boxes' areas overflow f32.
    #[inline(always)]
    pub(crate) fn half_area(&self) -> f64 {
        let [x, y, z] = std::array::from_fn(|k| f64::from(self.upper[k] - self.lower[k]));
        x * y + y * z + z * x
    }

    #[inline(always)]
    pub(crate) fn twice_center(&self) -> [f32; 3] {
        std::array::from_fn(|k| self.lower[k] + self.upper[k])
    }

    #[inline]
    fn largest_coordinate(&self) -> f64 {
        let corner = |k: usize| greater(self.lower[k].abs(), self.upper[k].abs());
        f64::from(greater(greater(corner(0), corner(1)), corner(2)))
    }

    /// A lower bound on the distance between a point and a body in the box, measured in the body's frame.
    pub(crate) fn distance_lower_bound(&self, point: &[f64; 3]) -> f64 {
        let widening = RAY_ROUNDING * (largest_coordinate(point) + self.largest_coordinate());
        let gaps = (0..3).map(|k| {
            let gap = (f64::from(self.lower[k]) - point[k]).max(point[k] - f64::from(self.upper[k]));
            (gap - widening).max(0.0)
        });
        gaps.map(|gap| gap * gap).sum::<f64>().sqrt() / POSE_STRETCH
    }

    pub(crate) fn distance_sq(&self, other: &Self) -> f64 {
        (0..3)
            .map(|k| {
                let gap = (f64::from(self.lower[k]) - f64::from(other.upper[k]))
                    .max(f64::from(other.lower[k]) - f64::from(self.upper[k]));
                gap.max(0.0) * gap.max(0.0)
            })
            .sum()
    }
}

/// The greater of two numbers, without the handling of NaN in `f32::max`.
#[inline(always)]
fn greater(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// The next smaller number or slightly less, for finite numbers; branch-free, unlike `next_down`.
#[inline(always)]
fn below(x: f32) -> f32 {
    x - (x.abs() * f32::EPSILON + f32::MIN_POSITIVE)
}

/// The next larger number or slightly more, for finite numbers.
#[inline(always)]
fn above(x: f32) -> f32 {
    x + (x.abs() * f32::EPSILON + f32::MIN_POSITIVE)
}

/// Eight boxes: lower and upper corners by coordinate.
pub(super) type Boxes = [[[f32; 8]; 3]; 2];

/// A ray, or the path of a moving box, relative to the broad phase's origin and from where it enters the box around all
/// boxes. Coordinates are in f32, so that four fit a register; the fourth belongs to no axis.
pub(crate) struct LocalRay {
    /// The offsets added to the lower and upper corners of boxes: minus the start point, and outward by the moving
    /// box's half extents and a margin.
    offsets: [[f32; 4]; 2],
    /// The largest absolute coordinate of the direction, divided by each of its coordinates; finite even for a zero.
    /// The fourth number is 1.
    reciprocal: [f32; 4],
    /// The ray's time at the start point.
    start: f64,
    /// The change of position per unit of time. Positions along the ray are in f32 and are measured from the start
    /// point.
    speed: f64,
}

impl LocalRay {
    /// The ray from where it enters `bounds`, the box around all boxes; `None` if the ray misses `bounds`.
    #[inline(always)]
    pub(crate) fn new(ray: &Ray, origin: &[f64; 3], bounds: &Aabb32) -> Option<Self> {
        Self::of_box(ray, [0.0; 3], origin, bounds)
    }

    /// The path of a box whose centre moves along the ray, from where it meets `bounds`; `None` if it misses `bounds`.
    #[inline(always)]
    pub(crate) fn of_box(ray: &Ray, half_extents: [f64; 3], origin: &[f64; 3], bounds: &Aabb32) -> Option<Self> {
        let local: [f64; 3] = std::array::from_fn(|k| ray.origin[k] - origin[k]);
        let widening = RAY_ROUNDING
            * (largest_coordinate(&local) + largest_coordinate(&half_extents) + bounds.largest_coordinate());
        // By the slab test (Kay and Kajiya 1986).
        let (mut start, mut end) = (0.0_f64, f64::INFINITY);
        let reciprocal = ray.direction.map(|x| (1.0 / x).clamp(f64::MIN, f64::MAX));
        for k in 0..3 {
            let per_unit = reciprocal[k];
            let margin = half_extents[k] + widening;
            let lower = (f64::from(bounds.lower[k]) - margin - local[k]) * per_unit;
            let upper = (f64::from(bounds.upper[k]) + margin - local[k]) * per_unit;
            start = start.max(lower.min(upper));
            end = end.min(lower.max(upper));
        }
        let largest = ray.direction.amax();
        if start > end || !start.is_finite() {
            return None;
        }
        let at: [f64; 3] = std::array::from_fn(|k| local[k] + ray.direction[k] * start);
        let size = largest_coordinate(&at) + largest_coordinate(&half_extents) + bounds.largest_coordinate();
        let margin = widening + LOCAL_RAY_ROUNDING * size + f64::from(f32::MIN_POSITIVE);
        let offset = |outward: f64| {
            let offset = |k: usize| (outward * (half_extents[k] + margin) - at[k]) as f32;
            // The fourth coordinate is at 0 and without end.
            [offset(0), offset(1), offset(2), if outward > 0.0 { f32::INFINITY } else { 0.0 }]
        };
        let per_unit = |k: usize| match ray.direction[k] {
            // Even if all coordinates are zero: a point that does not move meets the boxes that contain it.
            0.0 => f32::MAX,
            _ => (largest * reciprocal[k]).clamp(f32::MIN.into(), f32::MAX.into()) as f32,
        };
        Some(Self {
            offsets: [offset(-1.0), offset(1.0)],
            reciprocal: [per_unit(0), per_unit(1), per_unit(2), 1.0],
            start,
            speed: largest.max(f64::MIN_POSITIVE),
        })
    }

    /// The position along the ray at a time, or slightly farther; negative infinity for a time of negative infinity or
    /// NaN.
    #[inline(always)]
    pub(super) fn after(&self, time: f64) -> f32 {
        let position = ((time - self.start) * self.speed) as f32;
        if position > f32::NEG_INFINITY { above(position) } else { f32::NEG_INFINITY }
    }

    /// The position where the ray, or the box that moves along it, enters a box, or slightly earlier. `None` if it
    /// misses the box.
    #[inline(always)]
    pub(super) fn entry(&self, bounds: &Aabb32) -> Option<f32> {
        let lesser = |a: f32, b: f32| if a < b { a } else { b };
        let at = |corner: [f32; 3], offsets: [f32; 4]| -> [f32; 4] {
            let corner = [corner[0], corner[1], corner[2], 0.0];
            std::array::from_fn(|k| (corner[k] + offsets[k]) * self.reciprocal[k])
        };
        let [lower, upper] = [at(bounds.lower, self.offsets[0]), at(bounds.upper, self.offsets[1])];
        let near: [f32; 4] = std::array::from_fn(|k| lesser(lower[k], upper[k]));
        let far: [f32; 4] = std::array::from_fn(|k| greater(lower[k], upper[k]));
        let entry = greater(greater(near[0], near[1]), greater(near[2], near[3]));
        let exit = lesser(lesser(far[0], far[1]), lesser(far[2], far[3]));
        let entry = entry * LOCAL_RAY_SHORTENED;
        (entry <= exit).then_some(entry)
    }

    /// [`LocalRay::entry`] of eight boxes: a bit for each box that the ray enters up to the position `last`, and the
    /// positions of entry.
    #[inline(always)]
    pub(super) fn entries<S: Simd>(&self, s: S, boxes: &Boxes, last: f32) -> (u8, S::F32x8) {
        let load = |corner: usize, k: usize| {
            let [a, b, c, d, e, f, g, h] = boxes[corner][k];
            s.load_halves(&[a, b, c, d], &[e, f, g, h])
        };
        let (mut entry, mut exit) = (s.splat(0.0), s.splat(last));
        for k in 0..3 {
            let reciprocal = s.splat(self.reciprocal[k]);
            let lower = s.mul(s.add(load(0, k), s.splat(self.offsets[0][k])), reciprocal);
            let upper = s.mul(s.add(load(1, k), s.splat(self.offsets[1][k])), reciprocal);
            entry = s.max(entry, s.min(lower, upper));
            exit = s.min(exit, s.max(lower, upper));
        }
        let entry = s.mul(entry, s.splat(LOCAL_RAY_SHORTENED));
        (!s.bits(s.gt(entry, exit)), entry)
    }
}

fn largest_coordinate(point: &[f64; 3]) -> f64 {
    point.iter().fold(0.0, |largest, x| largest.max(x.abs()))
}
