//! Boxes of the broad phase: f32, rounded outward.

use smallvec::SmallVec;

use super::dynamic_tree::DynamicTree;
use crate::probe::Ray;
use crate::shape::Aabb;

/// An axis-aligned box that contains what it was made of: every side is rounded outward, by one step at least.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Aabb32 {
    pub(crate) lower: [f32; 3],
    pub(crate) upper: [f32; 3],
}

impl Aabb32 {
    /// Contains nothing.
    pub(crate) const EMPTY: Self = Self { lower: [f32::INFINITY; 3], upper: [f32::NEG_INFINITY; 3] };

    /// Around a box of finite coordinates about an origin.
    #[inline]
    pub(crate) fn around(bounds: &Aabb, origin: &[f64; 3]) -> Self {
        // A step of f32 is far more than what the subtraction rounds.
        Self {
            lower: std::array::from_fn(|k| below((bounds.lower[k] - origin[k]) as f32)),
            upper: std::array::from_fn(|k| above((bounds.upper[k] - origin[k]) as f32)),
        }
    }

    /// Grown by a distance to all sides.
    #[inline]
    pub(crate) fn grown(&self, by: f32) -> Self {
        Self { lower: self.lower.map(|x| below(x - by)), upper: self.upper.map(|x| above(x + by)) }
    }

    #[inline(always)]
    pub(crate) fn overlaps(&self, other: &Self) -> bool {
        // Without branches, for the compiler to do all at once.
        (self.lower[0] <= other.upper[0])
            & (self.lower[1] <= other.upper[1])
            & (self.lower[2] <= other.upper[2])
            & (other.lower[0] <= self.upper[0])
            & (other.lower[1] <= self.upper[1])
            & (other.lower[2] <= self.upper[2])
    }

    #[inline]
    pub(crate) fn contains(&self, other: &Self) -> bool {
        let contains = |k: usize| (self.lower[k] <= other.lower[k]) & (other.upper[k] <= self.upper[k]);
        contains(0) & contains(1) & contains(2)
    }

    #[inline(always)]
    pub(crate) fn union(&self, other: &Self) -> Self {
        // Not `min` and `max`, which look at NaN.
        let lesser = |a: f32, b: f32| if a < b { a } else { b };
        let greater = |a: f32, b: f32| if a > b { a } else { b };
        Self {
            lower: std::array::from_fn(|k| lesser(self.lower[k], other.lower[k])),
            upper: std::array::from_fn(|k| greater(self.upper[k], other.upper[k])),
        }
    }

    /// Half of the surface area, which is what trees are built by.
    #[inline(always)]
    pub(crate) fn half_area(&self) -> f32 {
        let [x, y, z] = std::array::from_fn(|k| self.upper[k] - self.lower[k]);
        x * y + y * z + z * x
    }

    /// The longest side, of a box that is not empty.
    #[inline]
    pub(crate) fn largest_side(&self) -> f32 {
        let [x, y, z] = std::array::from_fn(|k| self.upper[k] - self.lower[k]);
        x.max(y).max(z)
    }

    /// Twice the middle.
    #[inline(always)]
    pub(crate) fn twice_center(&self) -> [f32; 3] {
        std::array::from_fn(|k| self.lower[k] + self.upper[k])
    }

    /// At most the squared distance to another box.
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

/// At most the next number below a finite one, and hardly less: without the branches of `next_down`.
#[inline(always)]
fn below(x: f32) -> f32 {
    x - (x.abs() * f32::EPSILON + f32::MIN_POSITIVE)
}

/// At least the next number above a finite one.
#[inline(always)]
fn above(x: f32) -> f32 {
    x + (x.abs() * f32::EPSILON + f32::MIN_POSITIVE)
}

impl DynamicTree {
    /// Calls `visit` with items whose boxes are entered until the limit, roughly the nearest first. It gives the new
    /// limit, which is the old one or less.
    pub(crate) fn nearest_first(
        &self,
        mut limit: f64,
        entry: impl Fn(&Aabb32) -> Option<f64>,
        mut visit: impl FnMut(u32, f64) -> f64,
    ) {
        let mut stack: SmallVec<[(u32, f64); 64]> = SmallVec::new();
        stack.extend(self.root_number().and_then(|root| Some((root, entry(&self.node(root).bounds)?))));
        while let Some((number, entered)) = stack.pop() {
            if entered.partial_cmp(&limit).is_none_or(|order| order.is_gt()) {
                continue;
            }
            let node = self.node(number);
            if node.is_leaf() {
                limit = visit(node.children[1], limit);
                continue;
            }
            let [a, b] = node.children.map(|child| entry(&self.node(child).bounds).map(|at| (child, at)));
            // The nearer one goes on top.
            match (a, b) {
                (Some(a), Some(b)) if a.1 <= b.1 => stack.extend([b, a]),
                (a, b) => stack.extend([a, b].into_iter().flatten()),
            }
        }
    }
}

/// A ray about the origin of the boxes.
pub(crate) struct LocalRay {
    origin: [f64; 3],
    direction: [f64; 3],
}

impl LocalRay {
    pub(crate) fn new(ray: &Ray, origin: &[f64; 3]) -> Self {
        Self { origin: std::array::from_fn(|k| ray.origin[k] - origin[k]), direction: ray.direction.into() }
    }

    /// When the ray enters a box, or a little earlier: intersected slabs (Kay and Kajiya 1986).
    pub(crate) fn entry(&self, bounds: &Aabb32) -> Option<f64> {
        let (mut entry, mut exit) = (0.0_f64, f64::INFINITY);
        for k in 0..3 {
            let (origin, direction) = (self.origin[k], self.direction[k]);
            let (lower, upper) = widened(bounds, origin, k);
            if direction == 0.0 {
                if origin < lower || origin > upper {
                    return None;
                }
                continue;
            }
            let times = [(lower - origin) / direction, (upper - origin) / direction];
            entry = entry.max(times[0].min(times[1]));
            exit = exit.min(times[0].max(times[1]));
        }
        (entry <= exit).then_some(entry)
    }
}

/// At most the distance of a point from a box.
pub(crate) fn distance_lower_bound(bounds: &Aabb32, point: &[f64; 3]) -> f64 {
    let gaps = (0..3).map(|k| {
        let (lower, upper) = widened(bounds, point[k], k);
        (lower - point[k]).max(point[k] - upper).max(0.0)
    });
    // Bodies' frames may stretch a little.
    gaps.map(|gap| gap * gap).sum::<f64>().sqrt() * 0.999
}

/// A box's sides along an axis, with room for what rounding does to a coordinate from far away.
fn widened(bounds: &Aabb32, coordinate: f64, axis: usize) -> (f64, f64) {
    let (lower, upper) = (f64::from(bounds.lower[axis]), f64::from(bounds.upper[axis]));
    let room = 1e-14 * (coordinate.abs() + lower.abs().max(upper.abs()));
    (lower - room, upper + room)
}
