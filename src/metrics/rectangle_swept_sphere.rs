//! Rectangle swept spheres around points: the points within a radius of a rectangle (Larsen, Gottschalk, Lin and
//! Manocha, "Fast Proximity Queries with Swept Sphere Volumes", 1999).

use std::cmp::Ordering;
use std::f64::consts::PI;

use nalgebra::{Matrix3, Point3, Vector2, Vector3};

use super::measured::{Measured, PointSet};
use super::random::{Random, point_in};
use super::ray_quality::{Line, lines_through};
use crate::numeric::error_bounds::SWEPT_RADIUS_ROUNDING;
use crate::shape::{Aabb, ConvexShape, Distance, Obb, Segment};
use crate::volume::Volume;
use crate::volume::fit::ObbFit;

/// The points within a radius of a rectangle.
pub(super) struct RectangleSweptSphere {
    center: Point3<f64>,
    /// Unit vectors: those of the rectangle's sides, and its normal.
    axes: Matrix3<f64>,
    /// Half the lengths of the rectangle's sides.
    half: Vector2<f64>,
    radius: f64,
}

/// The radii that are tried, as multiples of half the points' extent along the rectangle's normal: a greater radius
/// allows a smaller rectangle.
const RADII: [f64; 9] = [1.0, 1.05, 1.1, 1.17, 1.25, 1.33, 1.42, 1.55, 1.75];

/// The fractions that are tried to divide what the radius saves between the rectangle's sides: a point at height `h`
/// over the rectangle's plane may lie up to `sqrt(radius^2 - h^2)` beside the rectangle. This fraction of that square
/// shortens the first side, and the rest shortens the second.
const SHARES: [f64; 3] = [0.0, 0.5, 1.0];

impl RectangleSweptSphere {
    /// The rectangle swept sphere of least volume of those tried; ties are broken by surface area. Its rectangle is
    /// normal to one axis of a box around the points and parallel to the other two. The boxes are a tight one and, as
    /// in PQP, that of the points' covariance.
    ///
    /// Requires at least one point and finite coordinates.
    pub(super) fn fit(points: &[Point3<f64>]) -> Self {
        let boxes = [ObbFit::TightVolume, ObbFit::VertexCovariance].map(|fit| fit.fit(points).axes);
        let tried = (0..6).flat_map(|index| {
            let (axes, normal) = (&boxes[index / 3], index % 3);
            let turned = Matrix3::from_columns(&[1, 2, 3].map(|k| axes.column((normal + k) % 3)));
            let local: Vec<Vector3<f64>> = points.iter().map(|point| turned.tr_mul(&point.coords)).collect();
            let trials = SHARES.into_iter().flat_map(|share| RADII.map(|multiple| (share, multiple)));
            trials.map(move |(share, multiple)| Self::around(&local, multiple, share, turned))
        });
        let size = |swept: &Self| [swept.volume(), swept.surface_area()];
        let least = tried.min_by(|p, q| size(p).partial_cmp(&size(q)).unwrap_or(Ordering::Equal));
        let mut least = least.expect("an axis and a radius are tried");
        least.radius +=
            SWEPT_RADIUS_ROUNDING * points.iter().fold(0.0, |most: f64, point| most.max(point.coords.amax()));
        least
    }

    /// The rectangle that encloses points with a radius of `multiple` times half their extent along the third axis, and
    /// then the least radius that encloses them with that rectangle. Points are given by their coordinates along the
    /// axes; `share` is one of [`SHARES`].
    fn around(points: &[Vector3<f64>], multiple: f64, share: f64, axes: Matrix3<f64>) -> Self {
        let (least, most) = ends(points.iter().map(|point| [point.z; 2]));
        let (height, limit) = (0.5 * (least + most), multiple * 0.5 * (most - least));
        let left = |point: &Vector3<f64>| (limit * limit - (point.z - height).powi(2)).max(0.0);
        let reached = |place: f64, square: f64| [place + square.sqrt(), place - square.sqrt()];
        let first = ends(points.iter().map(|point| reached(point.x, share * left(point))));
        let (x, half_x) = middle_and_half(first);
        let beyond = |point: &Vector3<f64>| ((point.x - x).abs() - half_x).max(0.0);
        let second = points.iter().map(|point| reached(point.y, (left(point) - beyond(point).powi(2)).max(0.0)));
        let (y, half_y) = middle_and_half(ends(second));
        let (middle, half) = (Vector3::new(x, y, height), Vector2::new(half_x, half_y));
        let radius = points.iter().map(|point| distance_from_rectangle(&(point - middle), &half)).fold(0.0, f64::max);
        Self { center: Point3::from(axes * middle), axes, half, radius }
    }

    /// The box around the volume, along the rectangle's axes. The volume fills more than half of it.
    fn obb(&self) -> Volume {
        let half_extents = self.half.push(0.0).add_scalar(self.radius);
        Volume::Obb(Obb { center: self.center, axes: self.axes, half_extents })
    }
}

/// The least of the first numbers of pairs and the greatest of the second ones.
fn ends(places: impl Iterator<Item = [f64; 2]>) -> (f64, f64) {
    places.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), [p, q]| (low.min(p), high.max(q)))
}

/// The middle of an interval and half its length, which is zero if the ends are in reverse order.
fn middle_and_half((low, high): (f64, f64)) -> (f64, f64) {
    (0.5 * (low + high), (0.5 * (high - low)).max(0.0))
}

/// The distance of a point from the rectangle around the origin in the plane `z = 0` whose half sides are `half`.
fn distance_from_rectangle(point: &Vector3<f64>, half: &Vector2<f64>) -> f64 {
    let corner = Point3::from(half.push(0.0));
    Aabb { lower: -corner, upper: corner }.distance(&Point3::from(*point))
}

/// The distance of a line from the rectangle of [`distance_from_rectangle`]: zero if the line goes through the
/// rectangle, else the least distance from an edge, in the projection along the line, where the line is a point.
fn line_distance(point: &Vector3<f64>, direction: &Vector3<f64>, half: &Vector2<f64>) -> f64 {
    let crossing = point - direction * (point.z / direction.z);
    if crossing.x.abs() <= half.x && crossing.y.abs() <= half.y {
        return 0.0;
    }
    let shadow = |v: &Vector3<f64>| v - direction * v.dot(direction);
    let (middle, [side, other]) = (shadow(point), [0, 1].map(|k| shadow(&Vector3::ith(k, half[k]))));
    let from_edge = |(along, offset): (Vector3<f64>, Vector3<f64>)| {
        let [start, end] = [-along, along].map(|end| Point3::from(offset + end));
        Segment { start, end }.distance(&Point3::from(middle))
    };
    let edges = [(side, other), (side, -other), (other, side), (other, -side)].map(from_edge);
    edges.into_iter().fold(f64::INFINITY, f64::min)
}

impl Measured for RectangleSweptSphere {
    fn volume(&self) -> f64 {
        let (a, b, r) = (2.0 * self.half.x, 2.0 * self.half.y, self.radius);
        2.0 * a * b * r + PI * r * r * (a + b) + 4.0 / 3.0 * PI * r.powi(3)
    }

    fn surface_area(&self) -> f64 {
        let (a, b, r) = (2.0 * self.half.x, 2.0 * self.half.y, self.radius);
        2.0 * a * b + 2.0 * PI * r * (a + b) + 4.0 * PI * r * r
    }

    fn aabb(&self) -> Aabb {
        let reach = (self.axes.abs() * self.half.push(0.0)).add_scalar(self.radius);
        Aabb { lower: self.center - reach, upper: self.center + reach }
    }

    fn diameter(&self) -> f64 {
        2.0 * (self.half.norm() + self.radius)
    }

    fn points(&self) -> Option<PointSet<'_>> {
        None
    }

    fn contains(&self, point: &Point3<f64>) -> bool {
        distance_from_rectangle(&self.axes.tr_mul(&(point - self.center)), &self.half) <= self.radius
    }

    fn meets(&self, line: &Line) -> bool {
        let local = |v: &Vector3<f64>| self.axes.tr_mul(v);
        line_distance(&local(&(line.point - self.center)), &local(&line.direction), &self.half) <= self.radius
    }

    fn intersection_volume(&self, _: &Self) -> Option<f64> {
        None
    }

    fn shape(&self) -> Option<ConvexShape> {
        let signs = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let corner = |[x, y]: [f64; 2]| self.center + self.axes * Vector3::new(x * self.half.x, y * self.half.y, 0.0);
        ConvexShape::hull(&signs.map(corner)).and_then(|hull| hull.rounded(self.radius)).ok()
    }

    fn point_in(&self, random: &mut Random) -> Point3<f64> {
        if self.radius == 0.0 {
            return point_in(&self.obb(), random);
        }
        loop {
            let point = point_in(&self.obb(), random);
            if self.contains(&point) {
                return point;
            }
        }
    }

    fn lines_through(&self, count: usize, random: &mut Random) -> Vec<Line> {
        let around = self.obb();
        let mut lines = Vec::with_capacity(count);
        while lines.len() < count {
            let drawn = lines_through(&around, count, random);
            if drawn.is_empty() {
                break;
            }
            lines.extend(drawn.into_iter().filter(|line| self.meets(line)).take(count - lines.len()));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The least of the distances of many points on a line.
    fn sampled(point: &Vector3<f64>, direction: &Vector3<f64>, half: &Vector2<f64>) -> f64 {
        let places = (-4000..=4000).map(|step| point + direction * (f64::from(step) * 0.0025));
        places.map(|place| distance_from_rectangle(&place, half)).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn lines_are_as_far_from_a_rectangle_as_their_closest_points() {
        let mut random = Random::new(3);
        for case in 0..200 {
            let half = [Vector2::new(1.5, 0.7), Vector2::new(1.5, 0.0), Vector2::zeros()][case % 3];
            let mut direction = random.direction().into_inner();
            if case % 5 == 0 {
                direction = Vector3::new(direction.x, direction.y, 0.0).normalize();
            }
            let point = Vector3::from_fn(|_, _| 2.0 * random.coordinate());
            let [exact, sampled] = [line_distance, sampled].map(|distance| distance(&point, &direction, &half));
            assert!((exact - sampled).abs() < 2e-3, "{exact} {sampled}: {point} {direction} {half}");
        }
    }

    #[test]
    fn a_swept_rectangle_encloses_its_points_and_agrees_with_its_convex_shape() {
        let mut random = Random::new(5);
        for stretch in [[1.0, 1.0, 1.0], [4.0, 2.0, 0.01], [5.0, 0.1, 0.1], [2.0, 0.0, 0.0], [0.0; 3]] {
            let rotation = random.rotation();
            let mut place = || Vector3::from_fn(|k, _| stretch[k] * random.coordinate());
            let points: Vec<Point3<f64>> =
                (0..60).map(|_| Point3::from(rotation * place() + Vector3::new(3.0, -2.0, 5.0))).collect();
            let swept = RectangleSweptSphere::fit(&points);
            assert!(points.iter().all(|point| swept.contains(point)));
            let shape = swept.shape().unwrap();
            assert!((shape.volume() - swept.volume()).abs() <= 1e-9 * swept.volume().max(1e-6));
            assert!((shape.surface_area() - swept.surface_area()).abs() <= 1e-9 * swept.surface_area().max(1e-3));
            let difference = (shape.aabb().lower - swept.aabb().lower).amax();
            assert!(difference <= 1e-9, "{difference}");
            let lines = swept.lines_through(20, &mut random);
            assert!(lines.iter().all(|line| swept.meets(line)));
            assert!(lines.len() == 20 || swept.surface_area() < 1e-20, "{}", lines.len());
            let point = swept.point_in(&mut random);
            assert!(swept.contains(&point) || stretch == [0.0; 3], "{point}");
        }
    }
}
