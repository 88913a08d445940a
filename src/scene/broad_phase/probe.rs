//! The items of a tree in the order in which a ray or a growing ball comes to their boxes.

use smallvec::SmallVec;

use super::box32::Box32;
use super::tree::BoxTree;
use crate::probe::Ray;

impl BoxTree {
    /// Calls `visit` with items whose boxes are entered until the limit, roughly the nearest first. It gives the new
    /// limit, which is the old one or less.
    pub(crate) fn nearest_first(
        &self,
        mut limit: f64,
        entry: impl Fn(&Box32) -> Option<f64>,
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
    pub(crate) fn entry(&self, bounds: &Box32) -> Option<f64> {
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
pub(crate) fn distance(bounds: &Box32, point: &[f64; 3]) -> f64 {
    let gaps = (0..3).map(|k| {
        let (lower, upper) = widened(bounds, point[k], k);
        (lower - point[k]).max(point[k] - upper).max(0.0)
    });
    // Bodies' frames may stretch a little.
    gaps.map(|gap| gap * gap).sum::<f64>().sqrt() * 0.999
}

/// A box's sides along an axis, with room for what rounding does to a coordinate from far away.
fn widened(bounds: &Box32, coordinate: f64, axis: usize) -> (f64, f64) {
    let (lower, upper) = (f64::from(bounds.lower[axis]), f64::from(bounds.upper[axis]));
    let room = 1e-14 * (coordinate.abs() + lower.abs().max(upper.abs()));
    (lower - room, upper + room)
}
