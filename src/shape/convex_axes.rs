//! The candidate axes of the shortest translation that separates a cylinder or a cone from a triangle.
//!
//! The Minkowski difference of the two is convex. The point of its surface that is nearest to an origin inside lies on
//! a face or a curved part, never on an edge. So it suffices to try the normals of these parts.

use nalgebra::{Point3, Vector3};
use smallvec::SmallVec;

use super::convex::Frustum;
use super::triangle_depth::{PARALLEL, THIN};
use crate::numeric::any_perpendicular;
use crate::triangle::Triangle;

/// Vectors of any length along axes, pointing from the shape to the triangle.
pub(super) type Axes = SmallVec<[Vector3<f64>; 32]>;

impl Frustum {
    /// The normals of the parts of the Minkowski difference: the discs and the triangle; the side and a vertex, along
    /// the vertex's radius; a line of the side and an edge; a disc's rim and an edge, an elliptic cylinder. If the two
    /// directions of a cross product are almost parallel, the axis is inexact, but the part it belongs to is equally
    /// narrow.
    pub(super) fn axes_out_of(&self, triangle: &Triangle) -> Axes {
        let mut axes = Axes::new();
        let normal = triangle.scaled_normal();
        axes.extend([-normal, normal, self.axis, -self.axis]);
        let [sine, cosine] = self.elevation();
        let along = self.axis * sine;
        for vertex in &triangle.vertices {
            let radius = self.in_plane(&(vertex - self.centers[0]));
            // On the axis all sides are as near.
            let radius = radius.try_normalize(0.0).unwrap_or_else(|| any_perpendicular(&self.axis));
            axes.push(along + radius * cosine);
        }
        for [p, q] in triangle.edges() {
            let Some(edge) = (q - p).try_normalize(0.0) else { continue };
            let rise = edge.dot(&self.axis);
            let beside = self.beside(&edge);
            axes.extend(self.side_axes_across(&edge, &beside).into_iter().flatten());
            // In the plane across the edge, a rim is an ellipse.
            let upward = edge.cross(&beside);
            for (disc, radius) in self.radii.into_iter().enumerate().filter(|(_, radius)| *radius > 0.0) {
                let offset = self.centers[disc] - p;
                let outward = if disc == 0 { -upward } else { upward };
                let mut add = |outward: Vector3<f64>| {
                    let center = [offset.dot(&beside), offset.dot(&outward)];
                    // Where the ellipse ends the normal has no part outward.
                    if center[1].abs() <= THIN * radius {
                        axes.push(beside * -center[0].signum());
                    }
                    let axis = axis_to_ellipse([radius, radius * rise.abs()], center);
                    axes.extend(axis.map(|[x, y]| beside * x + outward * y));
                };
                add(outward);
                // The rim of the greater disc is in front up to the side's elevation.
                if self.radii[1 - disc] < radius {
                    add(-outward);
                }
            }
        }
        axes
    }

    /// The unit directions along which the core may first touch a triangle that comes to it against `displacement`,
    /// except the triangle's normal and the axis: those of the side and a vertex, of a line of the side and an edge,
    /// and of a disc's rim and an edge. Those of a vertex or a rim follow from where a line meets the cone or the disc,
    /// by a quadratic equation.
    pub(super) fn axes_of_touch(&self, triangle: &Triangle, displacement: &Vector3<f64>) -> Axes {
        let mut axes = Axes::new();
        let mut add = |axis: Vector3<f64>| {
            if axis.dot(displacement) > 0.0 {
                axes.push(axis);
            }
        };
        let [sine, cosine] = self.elevation();
        let height = (self.centers[1] - self.centers[0]).norm();
        let taper = (self.radii[1] - self.radii[0]) / height;
        let (way, rise) = (self.in_plane(displacement), taper * displacement.dot(&self.axis));
        for vertex in &triangle.vertices {
            let from = vertex - self.centers[0];
            let (across, radius) = (self.in_plane(&from), self.radii[0] + taper * from.dot(&self.axis));
            let times = roots(
                way.norm_squared() - rise * rise,
                across.dot(&way) - radius * rise,
                across.norm_squared() - radius * radius,
            );
            for outward in times.into_iter().flatten().map(|time| across - way * time) {
                outward.try_normalize(0.0).into_iter().for_each(|u| add(self.axis * sine + u * cosine));
            }
        }
        for [p, q] in triangle.edges() {
            let Some(edge) = (q - p).try_normalize(0.0) else { continue };
            self.side_axes_across(&edge, &self.beside(&edge)).into_iter().flatten().for_each(&mut add);
            let upward = edge.dot(&self.axis);
            if upward == 0.0 {
                continue;
            }
            let in_disc = |vector: &Vector3<f64>| vector - edge * (vector.dot(&self.axis) / upward);
            let way = in_disc(displacement);
            for (center, radius) in self.centers.iter().zip(self.radii).filter(|(_, radius)| *radius > 0.0) {
                let from = in_disc(&(p - center));
                let times = roots(way.norm_squared(), from.dot(&way), from.norm_squared() - radius * radius);
                // Where the line leaves the disc, they touch last.
                if let [Some(time), _] = times {
                    let tangent = self.axis.cross(&(from - way * time));
                    edge.cross(&tangent).try_normalize(0.0).into_iter().for_each(|axis| {
                        add(axis);
                        add(-axis);
                    });
                }
            }
        }
        axes
    }

    /// The greatest height of a point above the planes of the discs and those that touch the side.
    pub(super) fn height_of(&self, point: &Point3<f64>) -> f64 {
        let from = point - self.centers[0];
        let along = from.dot(&self.axis);
        let across = (from - self.axis * along).norm();
        let height = (self.centers[1] - self.centers[0]).dot(&self.axis);
        let [sine, cosine] = self.elevation();
        let side = (across - self.radii[0]) * cosine + along * sine;
        side.max(across - self.radii[0].max(self.radii[1])).max(-along).max(along - height)
    }

    /// The sine and the cosine of the elevation of the side's normals above the discs' plane.
    pub(super) fn elevation(&self) -> [f64; 2] {
        let height = (self.centers[1] - self.centers[0]).norm();
        let taper = self.radii[0] - self.radii[1];
        let slant = (height * height + taper * taper).sqrt();
        if slant > 0.0 { [taper / slant, height / slant] } else { [0.0, 1.0] }
    }

    /// A unit direction perpendicular to the axis and to an edge's direction.
    pub(super) fn beside(&self, edge: &Vector3<f64>) -> Vector3<f64> {
        let beside = self.axis.cross(edge).try_normalize(PARALLEL).unwrap_or_else(|| any_perpendicular(edge));
        (beside - edge * beside.dot(edge)).normalize()
    }

    /// The normals of the side that are perpendicular to an edge's unit direction; `beside` is [`Frustum::beside`] of
    /// that direction.
    pub(super) fn side_axes_across(&self, edge: &Vector3<f64>, beside: &Vector3<f64>) -> [Option<Vector3<f64>>; 2] {
        let [sine, cosine] = self.elevation();
        let part = -sine * edge.dot(&self.axis) / (cosine * self.in_plane(edge).norm());
        if part.abs() > 1.0 || part.is_nan() {
            return [None; 2];
        }
        let inward = beside.cross(&self.axis) * part;
        let sideways = beside * (1.0 - part * part).sqrt();
        [sideways, -sideways].map(|sideways| Some(self.axis * sine + (inward + sideways) * cosine))
    }

    /// The part of a vector in the discs' plane.
    fn in_plane(&self, vector: &Vector3<f64>) -> Vector3<f64> {
        vector - self.axis * vector.dot(&self.axis)
    }
}

/// The times at which `square t^2 - 2 half t + constant` is zero, in ascending order if `square` is positive.
fn roots(square: f64, half: f64, constant: f64) -> [Option<f64>; 2] {
    let inner = half * half - square * constant;
    if inner < 0.0 || inner.is_nan() {
        return [None; 2];
    }
    // Without a difference of numbers that are almost the same.
    let sum = half + inner.sqrt().copysign(half);
    let times = [constant / sum, sum / square].map(|time| Some(time).filter(|time| time.is_finite()));
    if half > 0.0 { times } else { [times[1], times[0]] }
}

/// A direction, of any length and with a positive second coordinate, along which an ellipse reaches less far beyond the
/// origin than along all directions near it; `None` if there is none. The first semi-axis is the greater one, and the
/// center is the ellipse's.
///
/// With the normal `(k t, 1)`, where `k` is the semi-axes' ratio, this is where `b + m t - n t / sqrt(1 + t^2)` falls
/// through zero. That function is convex for positive `t`, so that Newton's method comes near from below.
fn axis_to_ellipse([long, short]: [f64; 2], [x, y]: [f64; 2]) -> Option<[f64; 2]> {
    let ratio = short / long;
    let (m, n) = (y * ratio, long - short * ratio);
    let mut t: f64 = 0.0;
    for _ in 0..MAX_NEWTON {
        let root = (1.0 + t * t).sqrt();
        let slope = m - n / (root * root * root);
        if slope >= 0.0 {
            return None;
        }
        let step = (x.abs() + m * t - n * t / root) / -slope;
        t += step;
        if step <= SAME_ROOT * (1.0 + t) {
            break;
        }
    }
    t.is_finite().then(|| [-x.signum() * ratio * t, 1.0])
}

/// The maximum number of steps of Newton's method; each doubles the number of correct digits.
const MAX_NEWTON: usize = 40;
/// The relative size of a Newton step after which a further step would be no larger than rounding.
const SAME_ROOT: f64 = 1e-8;
