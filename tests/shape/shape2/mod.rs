//! Shapes in the plane: random ones, and what makes a convex one.

mod certified;
mod exact;
mod sector;

use std::f64::consts::PI;

use bvtree::shape2::{Aabb, Circle, ConvexPolygon, Obb};
use nalgebra::{Matrix2, Point2, Rotation2, Vector2};

use crate::shape::cases::{Convex, Random, greatest_along};

impl Convex<2> for Circle {
    fn support(&self, direction: &Vector2<f64>) -> f64 {
        self.center.coords.dot(direction) + self.radius * direction.norm()
    }
    fn excess(&self, point: &Point2<f64>) -> f64 {
        (point - self.center).norm() - self.radius
    }
}

impl Convex<2> for Aabb {
    fn support(&self, direction: &Vector2<f64>) -> f64 {
        (0..2).map(|k| (self.lower[k] * direction[k]).max(self.upper[k] * direction[k])).sum()
    }
    fn excess(&self, point: &Point2<f64>) -> f64 {
        (0..2).map(|k| (self.lower[k] - point[k]).max(point[k] - self.upper[k])).fold(f64::NEG_INFINITY, f64::max)
    }
}

impl Convex<2> for Obb {
    fn support(&self, direction: &Vector2<f64>) -> f64 {
        let reach: f64 = (0..2).map(|k| self.half_extents[k] * self.axes.column(k).dot(direction).abs()).sum();
        self.center.coords.dot(direction) + reach
    }
    fn excess(&self, point: &Point2<f64>) -> f64 {
        let offset = point - self.center;
        (0..2).map(|k| self.axes.column(k).dot(&offset).abs() - self.half_extents[k]).fold(f64::NEG_INFINITY, f64::max)
    }
}

impl Convex<2> for ConvexPolygon<'_> {
    fn support(&self, direction: &Vector2<f64>) -> f64 {
        greatest_along(self.vertices(), direction)
    }
    fn excess(&self, point: &Point2<f64>) -> f64 {
        let vertices = self.vertices();
        let middle = vertices.iter().map(|vertex| vertex.coords).sum::<Vector2<f64>>() / vertices.len() as f64;
        (0..vertices.len())
            .map(|i| (vertices[i], vertices[(i + 1) % vertices.len()]))
            .filter(|(start, end)| start != end)
            .map(|(start, end)| {
                let along = (end - start).normalize();
                let normal = Vector2::new(along.y, -along.x);
                let outward = -(middle - start.coords).dot(&normal).signum();
                outward * normal.dot(&(point - start))
            })
            .fold(f64::NEG_INFINITY, f64::max)
    }
}

fn circle(random: &mut Random) -> Circle {
    Circle { center: random.point(4.0), radius: random.size(2.0) }
}

fn aabb(random: &mut Random) -> Aabb {
    let lower: Point2<f64> = random.point(4.0);
    Aabb { lower, upper: lower + Vector2::new(random.size(3.0), random.size(3.0)) }
}

fn obb(random: &mut Random) -> Obb {
    let angle = match random.below(4) {
        0 => 10f64.powf(random.within(-17.0, -3.0)),
        _ => random.within(-PI, PI),
    };
    let exact = Matrix2::from([[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [-1.0, 0.0]]][random.below(2) as usize]);
    let axes = if random.one_in(4) { exact } else { Rotation2::new(angle).into_inner() * exact };
    Obb { center: random.point(4.0), axes, half_extents: Vector2::new(random.size(2.0), random.size(2.0)) }
}

/// Corners of a convex polygon around either way: on an ellipse, or of a grid rectangle with points along its sides.
fn corners(random: &mut Random) -> Vec<Point2<f64>> {
    let mut corners = if random.one_in(3) {
        let lower: Point2<f64> = random.grid_point(3);
        let size = Vector2::new(random.integer(1, 3) as f64, random.integer(1, 3) as f64);
        let around = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (2.0, 1.0), (2.0, 2.0), (1.0, 2.0), (0.0, 2.0)];
        around.map(|(x, y)| lower + 0.5 * size.component_mul(&Vector2::new(x, y))).to_vec()
    } else {
        let (center, radii) = (random.point(4.0), Vector2::new(random.within(0.1, 2.0), random.within(0.1, 2.0)));
        let mut angles: Vec<f64> = (0..random.integer(3, 9)).map(|_| random.within(-PI, PI)).collect();
        angles.sort_by(f64::total_cmp);
        angles.iter().map(|angle| center + radii.component_mul(&Vector2::new(angle.cos(), angle.sin()))).collect()
    };
    if random.one_in(2) {
        corners.reverse();
    }
    corners
}
