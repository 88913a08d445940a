//! Points with rational coordinates, and exact tests of them against triangles: for points that no f64 represents.

use std::cmp::Ordering;

use nalgebra::Point3;
use num_rational::BigRational;
use num_traits::{ToPrimitive, Zero};

use super::{RayCrossing, Triangle};
use crate::numeric::error_bounds::RATIONAL_ROUNDING;

/// A point with exact rational coordinates.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct RationalPoint {
    coordinates: [BigRational; 3],
    /// The point, up to a few roundings.
    rounded: Point3<f64>,
}

impl RationalPoint {
    pub(crate) fn new(coordinates: [BigRational; 3]) -> Self {
        let rounded = Point3::from(std::array::from_fn(|k| coordinates[k].to_f64().unwrap_or(f64::NAN)));
        Self { coordinates, rounded }
    }

    /// The rational point equal to a finite point; coordinates that are not finite become zero.
    pub(crate) fn exactly(point: &Point3<f64>) -> Self {
        Self { coordinates: [point.x, point.y, point.z].map(rational), rounded: *point }
    }

    pub(crate) fn coordinates(&self) -> &[BigRational; 3] {
        &self.coordinates
    }

    /// The point, up to a few roundings.
    pub(crate) fn rounded(&self) -> &Point3<f64> {
        &self.rounded
    }

    /// The point between this and another, at the fraction `part` of the way.
    pub(crate) fn toward(&self, other: &Self, part: &BigRational) -> Self {
        let [from, to] = [&self.coordinates, &other.coordinates];
        Self::new(std::array::from_fn(|k| &from[k] + (&to[k] - &from[k]) * part))
    }

    /// How a ray along x from this point crosses the triangle. The point is shifted by an infinitesimal along y and by
    /// far less along z, so that the ray passes through no edge or vertex (Edelsbrunner and Mücke, "Simulation of
    /// Simplicity", 1990).
    pub(crate) fn crossing(&self, triangle: &Triangle) -> RayCrossing {
        if self.is_beside(triangle) {
            return RayCrossing::None;
        }
        let corners = triangle.vertices.map(|vertex| [vertex.x, vertex.y, vertex.z].map(rational));
        let [a, b, c] = &corners;
        let edges = [(a, b), (b, c), (c, a)];
        let above = self.height(&corners);
        if above.is_zero() && self.is_in_plane_part(&corners) {
            return RayCrossing::StartsOn;
        }
        let shifted = edges.map(|(from, to)| {
            let sides = [self.turn(0, from, to), &from[2] - &to[2], &to[1] - &from[1]];
            sides.iter().map(|side| side.cmp(&BigRational::zero())).find(|side| side.is_ne()).unwrap_or(Ordering::Equal)
        });
        // If the triangle turns counterclockwise seen from ahead of the ray, its normal points along the ray.
        let faces_along = match shifted {
            [Ordering::Greater, Ordering::Greater, Ordering::Greater] => true,
            [Ordering::Less, Ordering::Less, Ordering::Less] => false,
            _ => return RayCrossing::None,
        };
        match (above < BigRational::zero(), faces_along) {
            (true, true) => RayCrossing::Out,
            (false, false) => RayCrossing::In,
            _ => RayCrossing::None,
        }
    }

    /// Whether the ray along x certainly misses the triangle's bounds.
    fn is_beside(&self, triangle: &Triangle) -> bool {
        (0..3).any(|k| self.is_past(triangle, k)) || (1..3).any(|k| self.is_before(triangle, k))
    }

    /// Whether the `k`-th coordinates of the triangle are certainly all less than the point's.
    fn is_past(&self, triangle: &Triangle, k: usize) -> bool {
        let limit = self.rounded[k] - RATIONAL_ROUNDING * self.rounded[k].abs();
        triangle.vertices.iter().all(|vertex| vertex[k] < limit)
    }

    /// Whether the `k`-th coordinates of the triangle are certainly all greater than the point's.
    fn is_before(&self, triangle: &Triangle, k: usize) -> bool {
        let limit = self.rounded[k] + RATIONAL_ROUNDING * self.rounded[k].abs();
        triangle.vertices.iter().all(|vertex| vertex[k] > limit)
    }

    /// Twice the signed area of the triangle of the point and an edge, projected along an axis.
    fn turn(&self, axis: usize, from: &[BigRational; 3], to: &[BigRational; 3]) -> BigRational {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let p = &self.coordinates;
        (&to[u] - &from[u]) * (&p[v] - &from[v]) - (&to[v] - &from[v]) * (&p[u] - &from[u])
    }

    /// Six times the signed volume of the tetrahedron of the point and a triangle; positive on the side of the normal.
    fn height(&self, [a, b, c]: &[[BigRational; 3]; 3]) -> BigRational {
        let from_a = |point: &[BigRational; 3]| -> [BigRational; 3] { std::array::from_fn(|k| &point[k] - &a[k]) };
        let [u, v, w] = [from_a(b), from_a(c), from_a(&self.coordinates)];
        let normal = |k: usize| &u[(k + 1) % 3] * &v[(k + 2) % 3] - &u[(k + 2) % 3] * &v[(k + 1) % 3];
        normal(0) * &w[0] + normal(1) * &w[1] + normal(2) * &w[2]
    }

    /// Whether the closed triangle contains the point. Precondition: the point is in the triangle's plane.
    pub(crate) fn is_in(&self, triangle: &Triangle) -> bool {
        !(0..3).any(|k| self.is_past(triangle, k) || self.is_before(triangle, k))
            && self.is_in_plane_part(&triangle.vertices.map(|vertex| [vertex.x, vertex.y, vertex.z].map(rational)))
    }

    fn is_in_plane_part(&self, corners: &[[BigRational; 3]; 3]) -> bool {
        let [a, b, c] = corners;
        let is_on_a_side = |axis: usize| {
            let sides = [(a, b), (b, c), (c, a)].map(|(from, to)| self.turn(axis, from, to).cmp(&BigRational::zero()));
            sides.iter().all(|side| side.is_le()) || sides.iter().all(|side| side.is_ge())
        };
        // For a triangle without area, the bounds decide.
        let is_within = |k: usize| {
            let side = [a, b, c].map(|corner| corner[k].cmp(&self.coordinates[k]));
            side.iter().any(|side| side.is_le()) && side.iter().any(|side| side.is_ge())
        };
        (0..3).all(|axis| is_on_a_side(axis) && is_within(axis))
    }
}

/// The rational number equal to `x`; zero if `x` is not finite.
pub(crate) fn rational(x: f64) -> BigRational {
    BigRational::from_float(x).unwrap_or_else(BigRational::zero)
}
