//! The interval of time in which a moving box can meet a triangle, another box or a point, and where it touches them
//! first. Along each axis that may separate two boxes (Gottschalk, Lin and Manocha 1996) or a box and a triangle, the
//! two overlap for an interval of time; they can meet only in the intersection of all intervals.

use nalgebra::{Matrix3, Point3, Vector3};
use smallvec::SmallVec;

use super::Obb;
use crate::numeric::error_bounds::CAST_ROUNDING;
use crate::triangle::Triangle;

/// A box that moves along a displacement. All but the center is in the box's frame.
pub(crate) struct SweptBox {
    center: Point3<f64>,
    to_box: Matrix3<f64>,
    half_extents: Vector3<f64>,
    displacement: Vector3<f64>,
    tolerance: f64,
    /// The box's own share of the bound on coordinates to which rounding errors are relative.
    largest: f64,
}

/// The interval of time in which two objects may overlap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) enter: f64,
    exit: f64,
    /// The axis along which the two begin to overlap last, in the box's frame and of any length; zero if they overlap
    /// at the start.
    axis: Vector3<f64>,
}

impl Times {
    fn up_to(limit: f64) -> Self {
        Self { enter: 0.0, exit: limit, axis: Vector3::zeros() }
    }

    /// Keeps the times at which a point that moves along an axis, from 0 and at the speed `way`, is between `low` and
    /// `high`. `None` if there are none.
    #[inline(always)]
    pub(crate) fn within(self, low: f64, high: f64, way: f64, axis: &Vector3<f64>) -> Option<Self> {
        let Self { enter, exit, axis: last } = self;
        if way == 0.0 {
            return (low <= 0.0 && high >= 0.0).then_some(self);
        }
        let per_way = 1.0 / way;
        let [first, end] = if way > 0.0 { [low, high] } else { [high, low] }.map(|position| position * per_way);
        let (enter, axis) = if first > enter { (first, *axis) } else { (enter, last) };
        let exit = exit.min(end);
        (enter <= exit).then_some(Self { enter, exit, axis })
    }
}

/// Where a moving box or another moving convex shape first touches an object at rest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    pub(crate) time: f64,
    /// The contact point on the object at rest.
    pub(crate) point: Point3<f64>,
    /// The unit normal of the plane of contact, from the object at rest to the moving shape.
    pub(crate) normal: Vector3<f64>,
}

impl SweptBox {
    /// A box that moves along `displacement` in the time from 0 to 1. Objects that come within the tolerance of it
    /// count as met.
    pub(crate) fn new(start: &Obb, displacement: &Vector3<f64>, tolerance: f64) -> Self {
        let to_box = start.axes.transpose();
        Self {
            center: start.center,
            to_box,
            half_extents: start.half_extents,
            displacement: to_box * displacement,
            tolerance: tolerance.max(0.0),
            largest: 2.0 * (start.half_extents.sum() + displacement.abs().sum() + tolerance.max(0.0)),
        }
    }

    /// The greatest gap that may be computed along an axis for an object within the tolerance, per unit of the axis's
    /// sum of absolute coordinates; `largest` is the object's largest coordinate relative to the box's center.
    pub(crate) fn slack(&self, largest: f64) -> f64 {
        self.tolerance + CAST_ROUNDING * (self.largest + 2.0 * largest)
    }

    fn in_its_frame(&self, triangle: &Triangle) -> [Vector3<f64>; 3] {
        triangle.vertices.map(|vertex| self.to_box * (vertex - self.center))
    }

    /// The times at which the box may meet a triangle, up to a limit.
    #[inline]
    pub(crate) fn meets_triangle(&self, triangle: &Triangle, limit: f64) -> Option<Times> {
        let corners @ [a, b, c] = self.in_its_frame(triangle);
        let slack = self.slack(largest(&corners));
        let (half, way) = (self.half_extents, self.displacement);
        let mut times = self.faces_meet(&corners, slack, limit)?;
        let along = |times: Times, axis: &Vector3<f64>| {
            let [p, q, r] = [a.dot(axis), b.dot(axis), c.dot(axis)];
            let reach = half.dot(&axis.abs()) + slack * axis.abs().sum();
            times.within(p.min(q).min(r) - reach, p.max(q).max(r) + reach, way.dot(axis), axis)
        };
        let edges = [b - a, c - b, a - c];
        times = along(times, &edges[0].cross(&edges[1]))?;
        for edge in edges {
            for axis in across(&edge) {
                times = along(times, &axis)?;
            }
        }
        Some(times)
    }

    /// The times at which the box may meet a triangle, up to a limit, judged by the box's own axes alone.
    #[inline]
    pub(crate) fn faces_meet_triangle(&self, triangle: &Triangle, limit: f64) -> Option<Times> {
        let corners = self.in_its_frame(triangle);
        self.faces_meet(&corners, self.slack(largest(&corners)), limit)
    }

    #[inline(always)]
    fn faces_meet(&self, [a, b, c]: &[Vector3<f64>; 3], slack: f64, limit: f64) -> Option<Times> {
        let mut times = Times::up_to(limit);
        for (k, axis) in UNIT_AXES.iter().enumerate() {
            let reach = self.half_extents[k] + slack;
            let [low, high] = [a[k].min(b[k]).min(c[k]) - reach, a[k].max(b[k]).max(c[k]) + reach];
            times = times.within(low, high, self.displacement[k], axis)?;
        }
        Some(times)
    }

    /// The times at which the box may meet another box, up to a limit.
    #[inline]
    pub(crate) fn meets_box(&self, other: &Obb, limit: f64) -> Option<Times> {
        let center = self.to_box * (other.center - self.center);
        let axes = self.to_box * other.axes;
        let slack = self.slack(center.amax() + other.half_extents.sum());
        let (half, way, sizes) = (self.half_extents, self.displacement, axes.abs());
        let mut times = Times::up_to(limit);
        let own_reach = half + sizes * other.half_extents;
        for (k, axis) in UNIT_AXES.iter().enumerate() {
            let reach = own_reach[k] + slack;
            times = times.within(center[k] - reach, center[k] + reach, way[k], axis)?;
        }
        let along = |times: Times, axis: &Vector3<f64>, others: f64| {
            let (middle, reach) = (center.dot(axis), half.dot(&axis.abs()) + others + slack * axis.abs().sum());
            times.within(middle - reach, middle + reach, way.dot(axis), axis)
        };
        for k in 0..3 {
            times = along(times, &axes.column(k).into_owned(), other.half_extents[k])?;
        }
        for k in 0..3 {
            for axis in across(&axes.column(k).into_owned()) {
                let reach = axes.tr_mul(&axis).abs().dot(&other.half_extents);
                times = along(times, &axis, reach)?;
            }
        }
        Some(times)
    }

    /// The times at which the box may contain a point, up to a limit.
    #[inline]
    pub(crate) fn meets_point(&self, point: &Point3<f64>, limit: f64) -> Option<Times> {
        let from_center = self.to_box * (point - self.center);
        let slack = self.slack(from_center.amax());
        let mut times = Times::up_to(limit);
        for (k, axis) in UNIT_AXES.iter().enumerate() {
            let reach = self.half_extents[k] + slack;
            times = times.within(from_center[k] - reach, from_center[k] + reach, self.displacement[k], axis)?;
        }
        Some(times)
    }

    /// Where the box first touches a triangle, given the times at which the two may meet. `None` if they may meet at
    /// the start, or if rounding leaves the point open.
    pub(crate) fn touch_of_triangle(&self, triangle: &Triangle, times: &Times) -> Option<Touch> {
        let corners = self.in_its_frame(triangle);
        self.touch(times, SmallVec::from_slice(&corners), largest(&corners))
    }

    /// Where the box first touches another box; see [`SweptBox::touch_of_triangle`].
    pub(crate) fn touch_of_box(&self, other: &Obb, times: &Times) -> Option<Touch> {
        let center = self.to_box * (other.center - self.center);
        let axes = self.to_box * other.axes;
        let edges = [0, 1, 2].map(|k| axes.column(k) * other.half_extents[k]);
        let largest = center.amax() + other.half_extents.sum();
        // The corners of the face that is most across the axis, and is nearest along it.
        let heights = edges.map(|edge| edge.dot(&times.axis).abs());
        let face = (1..3).fold(0, |face, k| if heights[k] > heights[face] { k } else { face });
        let towards = -edges[face].dot(&times.axis) * self.displacement.dot(&times.axis).signum();
        let middle = center + edges[face] * towards.signum();
        let [u, v] = [edges[(face + 1) % 3], edges[(face + 2) % 3]];
        self.touch(
            times,
            SmallVec::from_slice(&[middle + u + v, middle + u - v, middle - u - v, middle - u + v]),
            largest,
        )
    }

    /// The touch of a polygon: at the middle of its part that is nearest along the axis and touches the box.
    fn touch(&self, times: &Times, mut polygon: Polygon, largest: f64) -> Option<Touch> {
        // From the box to the polygon.
        let axis = times.axis.try_normalize(0.0)? * self.displacement.dot(&times.axis).signum();
        let moved = self.displacement * times.enter;
        let slack = 2.0 * self.slack(largest);
        let lowest = polygon.iter().map(|corner| corner.dot(&axis)).fold(f64::INFINITY, f64::min);
        polygon.retain(|corner| corner.dot(&axis) <= lowest + slack);
        polygon.iter_mut().for_each(|corner| *corner -= moved);
        let reach = self.half_extents.add_scalar(slack);
        for k in 0..3 {
            for side in [1.0, -1.0] {
                clip(&mut polygon, |corner| reach[k] - side * corner[k]);
            }
        }
        let middle = polygon.iter().sum::<Vector3<f64>>() / polygon.len() as f64;
        let is_there = (0..3).all(|k| middle[k].abs() <= reach[k]);
        let turn = |vector: Vector3<f64>| self.to_box.tr_mul(&vector);
        is_there.then(|| Touch { time: times.enter, point: self.center + turn(middle + moved), normal: turn(-axis) })
    }
}

/// The corners of a polygon, in order; two of a segment, one of a point.
type Polygon = SmallVec<[Vector3<f64>; 10]>;

/// Keeps the part of a polygon where a linear function is not negative (Sutherland and Hodgman 1974).
fn clip(polygon: &mut Polygon, depth: impl Fn(&Vector3<f64>) -> f64) {
    if polygon.iter().all(|corner| depth(corner) >= 0.0) {
        return;
    }
    let mut clipped = Polygon::new();
    for (i, corner) in polygon.iter().enumerate() {
        let last = &polygon[i.checked_sub(1).unwrap_or(polygon.len() - 1)];
        let [before, after] = [last, corner].map(&depth);
        if (before < 0.0) != (after < 0.0) {
            clipped.push(last + (corner - last) * (before / (before - after)));
        }
        if after >= 0.0 {
            clipped.push(*corner);
        }
    }
    *polygon = clipped;
}

fn largest(points: &[Vector3<f64>; 3]) -> f64 {
    points.iter().map(Vector3::amax).fold(0.0, f64::max)
}

const UNIT_AXES: [Vector3<f64>; 3] =
    [Vector3::new(1.0, 0.0, 0.0), Vector3::new(0.0, 1.0, 0.0), Vector3::new(0.0, 0.0, 1.0)];

/// The cross products of the coordinate axes with a vector.
fn across(vector: &Vector3<f64>) -> [Vector3<f64>; 3] {
    let [x, y, z] = [vector.x, vector.y, vector.z];
    [Vector3::new(0.0, -z, y), Vector3::new(z, 0.0, -x), Vector3::new(-y, x, 0.0)]
}
