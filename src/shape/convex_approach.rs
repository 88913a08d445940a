//! When a moving convex shape reaches a triangle, and where it touches the triangle.
//!
//! The search is that of GJK, but the triangle comes nearer (van den Bergen, "Ray casting against general convex
//! objects", 2004). Each plane tried between the two gives a time before which they do not meet, so a few planes rule
//! out most triangles. On round surfaces such a search advances in small steps, but the planes along which a cylinder
//! or a cone may touch a triangle are known in closed form.

use nalgebra::{Point3, Vector3};

use super::ConvexShape;
use super::convex::{Core, Frustum};
use super::convex_cast::Advance;
use super::convex_distance::{Along, Opposite, RelativeTriangle};
use super::simplex::{Difference, Simplex};
use super::swept_box::Touch;
use crate::triangle::{SegmentTarget, Triangle};

/// When and where a moving shape meets a triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Approach {
    /// A lower bound on the time at which the shape meets the triangle.
    pub(crate) time: f64,
    /// Where the two touch at `time`, if that is known.
    pub(crate) touch: Option<Touch>,
}

/// The number of planes that a search tries before the distance itself is sought.
const MAX_SEARCHED: usize = 20;

/// The number of planes that a search tries before those in closed form: fewer planes rule out most triangles.
const BEFORE_AXES: usize = 5;

impl ConvexShape {
    /// When and where the shape meets a triangle; `None` if they do not meet up to the time limit.
    pub(crate) fn approach(&self, triangle: &Triangle, advance: &Advance<'_>) -> Option<Approach> {
        let mut search = Search::new(self, triangle, advance);
        let mut simplex = Simplex::default();
        let mut direction = RelativeTriangle::new(self, &search.moved).first_direction();
        for step in 0..MAX_SEARCHED {
            if step == BEFORE_AXES
                && let Core::Frustum(frustum) = &self.core
                && self.radius == 0.0
            {
                let rounding = search.try_axes(frustum)?;
                let touch = search.touch_of_line(frustum, rounding);
                if touch.is_some() {
                    return Some(Approach { time: search.time, touch });
                }
                simplex.set_vectors(|known| search.vector(known));
            }
            if direction == Vector3::zeros() {
                break;
            }
            let time = search.time;
            let Along { on_core, on_triangle, rounding, .. } = search.tried(&direction)?;
            if search.time > time {
                simplex.set_vectors(|known| search.vector(known));
            }
            let on_triangle = on_triangle + advance.displacement * time;
            let mut difference = Difference { on_core, on_triangle, vector: Vector3::zeros() };
            difference.vector = search.vector(&difference);
            if !simplex.has(&difference.vector) {
                simplex.push(difference);
            } else if search.time == time {
                break;
            }
            let mut closest = simplex.closest_to_origin();
            if closest.is_inside() || closest.vector.norm() <= self.radius + advance.tolerance + rounding {
                let [_, point] = closest.points(&simplex);
                return Some(Approach { time: search.time, touch: search.touch(point) });
            }
            if closest.vector == direction {
                break;
            }
            direction = closest.vector;
            simplex.keep(&mut closest);
        }
        Some(Approach { time: search.time, touch: None })
    }
}

/// A shape and a triangle that comes nearer, as seen from the shape.
struct Search<'a> {
    shape: &'a ConvexShape,
    triangle: &'a Triangle,
    advance: &'a Advance<'a>,
    /// A time before which the shape and the triangle don't meet.
    time: f64,
    /// The unit direction, pointing from the shape to the triangle, along which the two are apart until `time`; zero as
    /// long as `time` is the one at which the search began.
    axis: Vector3<f64>,
    /// The triangle at `time`.
    moved: Triangle,
}

impl<'a> Search<'a> {
    fn new(shape: &'a ConvexShape, triangle: &'a Triangle, advance: &'a Advance<'a>) -> Self {
        let time = advance.from;
        Self { shape, triangle, advance, time, axis: Vector3::zeros(), moved: advance.come_back(triangle, time) }
    }

    /// Compares the two along a direction, and advances to the time until which they are apart along it. `None` if they
    /// stay apart along it until after [`Advance::limit`].
    fn tried(&mut self, direction: &Vector3<f64>) -> Option<Along> {
        let other = RelativeTriangle::new(self.shape, &self.moved);
        let along = self.shape.along(&other, other.extent().max(self.shape.extent), direction);
        let gap = along.gap - along.rounding - self.shape.radius;
        if gap > self.advance.tolerance {
            let axis = direction.normalize();
            let next = self.advance.next(self.time, gap, axis.dot(self.advance.displacement))?;
            if next > self.time {
                (self.time, self.axis) = (next, axis);
                self.moved = self.advance.come_back(self.triangle, next);
            }
        }
        Some(along)
    }

    /// The vector of a difference at `time`. The difference has the triangle's point where it is at time 0.
    fn vector(&self, known: &Difference) -> Vector3<f64> {
        known.on_triangle - self.advance.displacement * self.time - known.on_core
    }

    /// The [`Touch`] at a point of the triangle; `point` is where that point is at time 0. `Some` if a direction is
    /// known along which the two were apart before `time`, or if `time` is 0 and contacts count from which the shape
    /// moves away or along which it slides; otherwise `None`.
    fn touch(&self, point: Point3<f64>) -> Option<Touch> {
        let is_at_start = self.time == 0.0 && self.advance.departing;
        (is_at_start || self.axis != Vector3::zeros()).then(|| Touch { time: self.time, point, normal: -self.axis })
    }

    /// Tries the directions along which a cylinder or a cone may touch the triangle, and returns the greatest rounding
    /// error of the gaps along them. `None` if one of them shows that the shape and the triangle do not meet within the
    /// time limit.
    fn try_axes(&mut self, frustum: &Frustum) -> Option<f64> {
        let mut rounding = 0.0_f64;
        for axis in frustum.axes_of_touch(self.triangle, self.advance.displacement) {
            rounding = rounding.max(self.tried(&axis)?.rounding);
        }
        Some(rounding)
    }

    /// The touch of a point of a disc's rim, or of a line of the side, that is farthest along the axis; `None` if the
    /// triangle is apart from it, or `axis` is zero or along the shape's axis.
    fn touch_of_line(&self, frustum: &Frustum, rounding: f64) -> Option<Touch> {
        let line = frustum.line_along(&self.axis)?;
        let heights = line.map(|end| (end - self.shape.center()).dot(&self.axis));
        let [start, end] = if (heights[0] - heights[1]).abs() <= rounding {
            line
        } else {
            [line[usize::from(heights[1] > heights[0])]; 2]
        };
        let target = SegmentTarget::new(&self.moved);
        let pair = target.closest(&(start - target.origin), &(end - start));
        let point = target.origin + pair.on_segment + pair.to_triangle + self.advance.displacement * self.time;
        let is_near = pair.to_triangle.norm() <= self.advance.tolerance + rounding;
        self.touch(point).filter(|_| is_near)
    }
}
