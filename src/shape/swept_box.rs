//! Between which times a box that moves along a line can meet a triangle, another box or a point: along each of the
//! axes that separate two boxes (Gottschalk, Lin and Manocha 1996) or a box and a triangle, they overlap for an interval
//! of time, and they meet at most where all intervals do.

use nalgebra::{Matrix3, Point3, Vector3};

use super::Obb;
use crate::numeric::error_bounds::CAST_ROUNDING;
use crate::triangle::Triangle;

/// A box at the start of its path, and what it meets, in the box's frame.
pub(crate) struct SweptBox {
    center: Point3<f64>,
    to_box: Matrix3<f64>,
    half_extents: Vector3<f64>,
    displacement: Vector3<f64>,
    tolerance: f64,
    /// The part of the largest error of coordinates that does not depend on what is met.
    largest: f64,
}

/// The times at which two things may overlap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Times {
    pub(crate) enter: f64,
    exit: f64,
}

impl Times {
    /// Leaves the times at which a part `way` of the path per unit of time is between two positions. `None` if there
    /// are none.
    #[inline(always)]
    pub(crate) fn within(self, low: f64, high: f64, way: f64) -> Option<Self> {
        let Self { enter, exit } = self;
        if way == 0.0 {
            return (low <= 0.0 && high >= 0.0).then_some(self);
        }
        let (first, last) = if way > 0.0 { (low / way, high / way) } else { (high / way, low / way) };
        let times = Self { enter: enter.max(first), exit: exit.min(last) };
        (times.enter <= times.exit).then_some(times)
    }
}

impl SweptBox {
    /// A box that moves along `displacement` in the time from 0 to 1, and meets what comes within the tolerance.
    pub(crate) fn new(start: &Obb, displacement: &Vector3<f64>, tolerance: f64) -> Self {
        let to_box = start.axes.transpose();
        Self {
            center: start.center,
            to_box,
            half_extents: start.half_extents,
            displacement: to_box * displacement,
            tolerance: tolerance.max(0.0),
            largest: 2.0 * (start.center.coords.amax() + start.half_extents.sum() + displacement.amax()),
        }
    }

    /// How far what is within the tolerance may seem apart along an axis, by unit of the sum of the axis's coordinates'
    /// sizes; `largest` is the largest coordinate of what is met.
    pub(crate) fn slack(&self, largest: f64) -> f64 {
        self.tolerance + CAST_ROUNDING * (self.largest + 2.0 * largest)
    }

    /// The times at which the box may meet a triangle, up to a limit.
    pub(crate) fn meets_triangle(&self, triangle: &Triangle, limit: f64) -> Option<Times> {
        let largest = triangle.vertices.iter().map(|vertex| vertex.coords.amax()).fold(0.0, f64::max);
        let slack = self.slack(largest);
        let [a, b, c] = triangle.vertices.map(|vertex| self.to_box * (vertex - self.center));
        let (half, way) = (self.half_extents, self.displacement);
        let mut times = Times { enter: 0.0, exit: limit };
        for k in 0..3 {
            let reach = half[k] + slack;
            times = times.within(a[k].min(b[k]).min(c[k]) - reach, a[k].max(b[k]).max(c[k]) + reach, way[k])?;
        }
        let along = |times: Times, axis: &Vector3<f64>| {
            let [p, q, r] = [a.dot(axis), b.dot(axis), c.dot(axis)];
            let reach = half.dot(&axis.abs()) + slack * axis.abs().sum();
            times.within(p.min(q).min(r) - reach, p.max(q).max(r) + reach, way.dot(axis))
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

    /// The times at which the box may meet another, up to a limit.
    pub(crate) fn meets_box(&self, other: &Obb, limit: f64) -> Option<Times> {
        let slack = self.slack(other.center.coords.amax() + other.half_extents.sum());
        let center = self.to_box * (other.center - self.center);
        let axes = self.to_box * other.axes;
        let (half, way, sizes) = (self.half_extents, self.displacement, axes.abs());
        let mut times = Times { enter: 0.0, exit: limit };
        let own_reach = half + sizes * other.half_extents;
        for k in 0..3 {
            let reach = own_reach[k] + slack;
            times = times.within(center[k] - reach, center[k] + reach, way[k])?;
        }
        let along = |times: Times, axis: &Vector3<f64>, others: f64| {
            let (middle, reach) = (center.dot(axis), half.dot(&axis.abs()) + others + slack * axis.abs().sum());
            times.within(middle - reach, middle + reach, way.dot(axis))
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
    pub(crate) fn meets_point(&self, point: &Point3<f64>, limit: f64) -> Option<Times> {
        let slack = self.slack(point.coords.amax());
        let from_center = self.to_box * (point - self.center);
        (0..3).try_fold(Times { enter: 0.0, exit: limit }, |times, k| {
            let reach = self.half_extents[k] + slack;
            times.within(from_center[k] - reach, from_center[k] + reach, self.displacement[k])
        })
    }
}

/// The products of a vector with the coordinate axes.
fn across(vector: &Vector3<f64>) -> [Vector3<f64>; 3] {
    let [x, y, z] = [vector.x, vector.y, vector.z];
    [Vector3::new(0.0, -z, y), Vector3::new(z, 0.0, -x), Vector3::new(-y, x, 0.0)]
}
