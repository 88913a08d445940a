//! The volume, the first and the second moments of convex shapes, in closed form.
//!
//! All points within `r` of a polytope are the polytope, a prism over each face, a sector of a cylinder about each
//! edge, and a sector of a ball about each vertex. A sector extends along the outward normals of its edge or vertex: an
//! arc from one face's normal to the other's, or the spherical polygon that the arcs of its edges bound. Integrals of
//! `n` and `n n^T` over such a polygon follow from Stokes' theorem and the sphere's Laplacian (Schneider and Weil,
//! "Stochastic and Integral Geometry", 2008, treat them as Minkowski tensors).

use std::f64::consts::PI;

use nalgebra::{Matrix3, Point3, Vector3};

use super::ConvexShape;
use super::convex::{Core, Frustum};
use super::convex_measure::BentEdge;
use super::convex_polytope::Polytope;
use super::moments::Moments;
use crate::numeric::any_perpendicular;

impl ConvexShape {
    /// The integrals over the shape of 1, `x` and `x x^T`, with `x` relative to an origin.
    pub(crate) fn moments_about(&self, origin: &Point3<f64>) -> Moments {
        match &self.core {
            Core::Polytope(polytope) => polytope.moments(self.radius, origin),
            Core::Frustum(frustum) => frustum.moments(self.radius, origin),
        }
    }
}

/// The integrals of 1, `n` and `n n^T` over outward unit normals: lengths of arcs, or areas of the unit sphere.
#[derive(Clone, Copy, Default)]
struct Normals {
    size: f64,
    first: Vector3<f64>,
    second: Matrix3<f64>,
}

/// The normals along an edge: an arc from one face's to the other's.
struct Arc {
    /// The edge's unit direction, about which the arc turns.
    along: Vector3<f64>,
    /// The normals at the start, in the middle and at the end.
    normals: [Vector3<f64>; 3],
    integrals: Normals,
}

impl Arc {
    fn of(edge: &BentEdge) -> Self {
        let along = (edge.ends[1] - edge.ends[0]).try_normalize(0.0).unwrap_or_else(Vector3::z);
        let (first, angle, chord) = match edge.normals.first() {
            Some(first) => (first.normalize(), edge.angle(), 2.0 * libm::sin(0.5 * edge.angle())),
            // A segment has normals all around.
            None => (any_perpendicular(&along), 2.0 * PI, 0.0),
        };
        let turned = |angle: f64| first * libm::cos(angle) + along.cross(&first) * libm::sin(angle);
        let normals = [first, turned(0.5 * angle), turned(angle)];
        let [_, middle, _] = normals;
        let across = along.cross(&middle);
        let (half, sine) = (0.5 * angle, 0.5 * libm::sin(angle));
        let second = middle * middle.transpose() * (half + sine) + across * across.transpose() * (half - sine);
        let integrals = Normals { size: angle, first: middle * chord, second };
        Self { along, normals, integrals }
    }

    /// The area of the unit sphere between the arc and the great arcs from a normal to its ends.
    fn area_seen_from(&self, apex: &Vector3<f64>) -> f64 {
        let [start, middle, end] = &self.normals;
        spherical_triangle(apex, start, middle) + spherical_triangle(apex, middle, end)
    }
}

/// The area of a triangle on the unit sphere (van Oosterom and Strackee 1983).
fn spherical_triangle(a: &Vector3<f64>, b: &Vector3<f64>, c: &Vector3<f64>) -> f64 {
    2.0 * libm::atan2(a.dot(&b.cross(c)).abs(), 1.0 + a.dot(b) + b.dot(c) + c.dot(a))
}

/// The outward normals at a vertex: the spherical polygon inside the arcs of the edges that leave it in the given
/// directions. An edge's direction is at right angles to its arc and points out of the polygon.
fn vertex_normals(edges: &[(Point3<f64>, Vector3<f64>, &Arc)]) -> Normals {
    let inward: Vector3<f64> = edges.iter().map(|(.., arc)| arc.integrals.first).sum();
    let area: f64 = match inward.try_normalize(0.0) {
        Some(inside) => edges.iter().map(|(.., arc)| arc.area_seen_from(&inside)).sum(),
        // Half circles about the end of a segment; or none about a point in the middle of a face.
        None => edges.iter().map(|(.., arc)| arc.integrals.size).sum(),
    };
    let flux: Vector3<f64> = edges.iter().map(|(_, away, arc)| away * arc.integrals.size).sum();
    let outer = |(_, away, arc): &(_, Vector3<f64>, &Arc)| away * arc.integrals.first.transpose();
    let flux_of_normals: Matrix3<f64> = edges.iter().map(outer).sum();
    // By Stokes, for on the unit sphere the Laplacian of `n` is `-2 n`, and that of `n n^T` is `2 I - 6 n n^T`.
    let second = Matrix3::from_diagonal_element(2.0 * area) - flux_of_normals - flux_of_normals.transpose();
    Normals { size: area, first: flux * -0.5, second: second / 6.0 }
}

impl Polytope {
    fn moments(&self, radius: f64, origin: &Point3<f64>) -> Moments {
        let mut moments = Moments::default();
        let solid = self.solid_triangles();
        for triangle in solid {
            moments.add_tetrahedron(triangle.vertices.map(|vertex| vertex - origin));
        }
        if radius == 0.0 {
            return moments;
        }
        let sides: &[f64] = if solid.is_empty() { &[1.0, -1.0] } else { &[1.0] };
        for triangle in self.triangles() {
            let normal = triangle.scaled_normal();
            let Some(outward) = normal.try_normalize(0.0) else { continue };
            let corners = triangle.vertices.map(|vertex| vertex - origin);
            sides.iter().for_each(|side| moments.add_prism(corners, 0.5 * normal.norm(), &(outward * *side), radius));
        }
        moments.add_rounding(&self.bent_edges(), radius, origin);
        moments
    }
}

/// The integrals from 0 to a radius of `t^(d - 1)`, the density at a distance `t` from a base with normals in `d`
/// dimensions, times 1, `t` and `t^2`.
fn reach(radius: f64, dimensions: i32) -> [f64; 3] {
    [0, 1, 2].map(|k| dimensions + k).map(|power| radius.powi(power) / f64::from(power))
}

impl Moments {
    /// Adds the prism of height `radius` over a triangle of this area, on the side of its outward unit normal.
    fn add_prism(&mut self, corners: [Vector3<f64>; 3], area: f64, outward: &Vector3<f64>, radius: f64) {
        let sum: Vector3<f64> = corners.iter().sum();
        let squares: Matrix3<f64> = corners.iter().map(|corner| corner * corner.transpose()).sum();
        let base =
            Self { volume: area, first: sum * (area / 3.0), second: (sum * sum.transpose() + squares) * (area / 12.0) };
        let normals = Normals { size: 1.0, first: *outward, second: outward * outward.transpose() };
        self.add_reach(&base, &normals, reach(radius, 1));
    }

    /// Adds all points `p + t n` of a base and its outward normals with the density `w(t)`; `reach` holds the integrals
    /// of `w(t)`, `t w(t)` and `t^2 w(t)`.
    fn add_reach(&mut self, base: &Self, normals: &Normals, reach: [f64; 3]) {
        let [whole, mean, square] = reach;
        let mixed = base.first * normals.first.transpose();
        self.volume += whole * normals.size * base.volume;
        self.first += base.first * (whole * normals.size) + normals.first * (mean * base.volume);
        self.second += base.second * (whole * normals.size)
            + (mixed + mixed.transpose()) * mean
            + normals.second * (square * base.volume);
    }

    /// Adds the sectors about edges, and about the vertices at their ends.
    fn add_rounding(&mut self, edges: &[BentEdge], radius: f64, origin: &Point3<f64>) {
        let arcs: Vec<Arc> = edges.iter().map(Arc::of).collect();
        let mut ends = Vec::new();
        for (edge, arc) in edges.iter().zip(&arcs) {
            let [start, end] = edge.ends;
            let (middle, whole) = (nalgebra::center(&start, &end) - origin, end - start);
            let length = whole.norm();
            let base = Self {
                volume: length,
                first: middle * length,
                second: (middle * middle.transpose() + whole * whole.transpose() / 12.0) * length,
            };
            self.add_reach(&base, &arc.integrals, reach(radius, 2));
            ends.extend([(start, arc.along, arc), (end, -arc.along, arc)]);
        }
        ends.sort_by_key(|(vertex, ..)| [0, 1, 2].map(|k| vertex[k].to_bits()));
        for ends in ends.chunk_by(|(p, ..), (q, ..)| p == q) {
            let vertex = ends[0].0 - origin;
            let base = Self { volume: 1.0, first: vertex, second: vertex * vertex.transpose() };
            self.add_reach(&base, &vertex_normals(ends), reach(radius, 3));
        }
    }
}

impl Frustum {
    fn moments(&self, radius: f64, origin: &Point3<f64>) -> Moments {
        let height = (self.centers[1] - self.centers[0]).norm();
        let [first, second] = self.radii;
        let rise = self.rise();
        let (sine, cosine) = (radius * libm::sin(rise), radius * libm::cos(rise));
        let mut turned = Revolved::default();
        turned.add_arc(-0.5 * height, first, radius, [-0.5 * PI, rise]);
        turned.add_line([sine - 0.5 * height, sine + 0.5 * height], [first + cosine, second + cosine]);
        turned.add_arc(0.5 * height, second, radius, [rise, 0.5 * PI]);
        turned.moments(&(nalgebra::center(&self.centers[0], &self.centers[1]) - origin), &self.axis)
    }
}

/// The integrals over a solid of revolution about z of 1, `z`, `z^2` and `x^2`.
#[derive(Default)]
struct Revolved {
    volume: f64,
    z: f64,
    z_squared: f64,
    x_squared: f64,
}

impl Revolved {
    /// Adds a disc of thickness `dz` at a height `z`.
    fn add_slice(&mut self, z: f64, radius: f64, dz: f64) {
        let disc = PI * radius * radius * dz;
        self.volume += disc;
        self.z += disc * z;
        self.z_squared += disc * z * z;
        self.x_squared += disc * radius * radius / 4.0;
    }

    /// Adds the part inside a straight side, by Gauss-Legendre quadrature with three points, which is exact for
    /// polynomials of up to the fifth degree.
    fn add_line(&mut self, [z0, z1]: [f64; 2], [r0, r1]: [f64; 2]) {
        for (at, weight) in [(-0.6f64.sqrt(), 5.0 / 18.0), (0.0, 8.0 / 18.0), (0.6f64.sqrt(), 5.0 / 18.0)] {
            let of = |from: f64, to: f64| 0.5 * (from + to) + 0.5 * at * (to - from);
            self.add_slice(of(z0, z1), of(r0, r1), weight * (z1 - z0));
        }
    }

    /// Adds the part inside a circular arc of the profile: its centre is at height `z` and `distance` from the axis,
    /// and it extends between two elevation angles, in radians. Integrated in closed form.
    fn add_arc(&mut self, z: f64, distance: f64, radius: f64, elevations: [f64; 2]) {
        let [from, to] = elevations.map(powers_integrated);
        // The integrals of `cos^m`, and those times `sin` and `sin^2`.
        let of = |m: usize| to[m][0] - from[m][0];
        let times_sine = |m: usize| to[m][1] - from[m][1];
        let times_square = |m: usize| of(m) - of(m + 2);
        // The square of `distance + radius cos`, by powers of the cosine, times `dz = radius cos`.
        let square = [distance * distance, 2.0 * distance * radius, radius * radius];
        let sum = |integral: &dyn Fn(usize) -> f64| -> f64 {
            square.iter().zip(1..).map(|(factor, power)| factor * integral(power)).sum::<f64>() * PI * radius
        };
        let (plain, sine, sine_squared) = (sum(&of), sum(&times_sine), sum(&times_square));
        self.volume += plain;
        self.z += z * plain + radius * sine;
        self.z_squared += z * z * plain + 2.0 * z * radius * sine + radius * radius * sine_squared;
        let fourth =
            square.iter().enumerate().flat_map(|(i, x)| square.iter().zip(i + 1..).map(move |(y, n)| (x * y, n)));
        self.x_squared += 0.25 * PI * radius * fourth.map(|(factor, power)| factor * of(power)).sum::<f64>();
    }

    /// The moments, relative to an origin, of the solid with this axis instead of z; `middle` is the offset of its
    /// middle from that origin.
    fn moments(&self, middle: &Vector3<f64>, axis: &Vector3<f64>) -> Moments {
        let along = axis * axis.transpose();
        let mixed = middle * axis.transpose() * self.z;
        Moments {
            volume: self.volume,
            first: middle * self.volume + axis * self.z,
            second: middle * middle.transpose() * self.volume
                + mixed
                + mixed.transpose()
                + along * self.z_squared
                + (Matrix3::identity() - along) * self.x_squared,
        }
    }
}

/// Antiderivatives at an angle of `cos^m` and of `cos^m sin`, for `m` up to 5.
fn powers_integrated(angle: f64) -> [[f64; 2]; 6] {
    let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
    let mut integrals = [[angle, -cosine]; 6];
    let mut power = 1.0;
    for m in 1..integrals.len() {
        let before = if m == 1 { 0.0 } else { integrals[m - 2][0] };
        let exponent = m as f64;
        integrals[m][0] = (power * sine + (exponent - 1.0) * before) / exponent;
        power *= cosine;
        integrals[m][1] = -power * cosine / (exponent + 1.0);
    }
    integrals
}
