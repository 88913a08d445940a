//! Axis-aligned and oriented rectangles.

use nalgebra::{Matrix2, Point2, Vector2};

use super::polygon::closest_points_of_loops;
use crate::shape::{self, ClosestPoint, Distance, Overlaps, Projection, Separation};

/// An axis-aligned rectangle, closed. Empty when any `lower` exceeds its `upper`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Aabb {
    /// The corner with the smallest coordinates.
    pub lower: Point2<f64>,
    /// The corner with the largest coordinates.
    pub upper: Point2<f64>,
}

impl Aabb {
    /// Whether the rectangle contains no point at all.
    pub fn is_empty(&self) -> bool {
        (0..2).any(|k| self.lower[k] > self.upper[k])
    }

    /// Whether `point` lies in the rectangle, its outline included.
    pub fn contains(&self, point: &Point2<f64>) -> bool {
        (0..2).all(|k| self.lower[k] <= point[k] && point[k] <= self.upper[k])
    }
}

impl Overlaps for Aabb {
    /// Compares two intervals; exact.
    fn overlaps(&self, other: &Aabb) -> bool {
        (0..2).all(|k| self.lower[k].max(other.lower[k]) <= self.upper[k].min(other.upper[k]))
    }
}

impl ClosestPoint<2> for Aabb {
    /// Clamps each coordinate; exact (Ericson, Real-Time Collision Detection, 2005, section 5.1.3). NaN for an empty
    /// rectangle.
    fn closest_point(&self, point: &Point2<f64>) -> Point2<f64> {
        if self.is_empty() { Vector2::repeat(f64::NAN).into() } else { point.sup(&self.lower).inf(&self.upper) }
    }
}

/// An oriented rectangle, closed: `{ c + axes * x : |x_i| <= half_extents_i }`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Obb {
    /// The centre of the rectangle.
    pub center: Point2<f64>,
    /// Columns are the rectangle's axes, orthonormal.
    pub axes: Matrix2<f64>,
    /// Half the size along each axis, none negative.
    pub half_extents: Vector2<f64>,
}

impl Obb {
    /// The four corners, in order around the outline.
    pub fn corners(&self) -> [Point2<f64>; 4] {
        [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
            .map(|(x, y)| self.center + self.axes * self.half_extents.component_mul(&Vector2::new(x, y)))
    }

    /// Whether `point` lies in the rectangle or on its outline, up to rounding.
    pub fn contains(&self, point: &Point2<f64>) -> bool {
        self.in_box_frame().contains(&self.to_local(point))
    }

    /// The best separating axis, or the axis of least overlap and the penetration depth.
    ///
    /// The rectangles are apart exactly if [`Overlaps::overlaps`] is false.
    pub fn separating_axis(&self, other: &Obb) -> Separation<2> {
        Separation::of(self.projections(other))
    }

    /// Both rectangles on the two axes of each, with a margin as for boxes in 3D ([`shape::Obb::TOLERANCE`]).
    fn projections(&self, other: &Obb) -> impl Iterator<Item = Projection<2>> {
        let (a, b) = (self.half_extents, other.half_extents);
        let margin = shape::Obb::TOLERANCE * (a.sum() + b.sum());
        let offset = other.center - self.center;
        let cosines = self.axes.tr_mul(&other.axes).abs();
        let (own, others) = (self.axes, other.axes);
        let projection =
            move |axis: Vector2<f64>, radius| Projection { axis, distance: offset.dot(&axis), radius, margin };
        let on_own = (0..2).map(move |i| projection(own.column(i).into(), a[i] + cosines.row(i).tr_dot(&b)));
        let on_others = (0..2).map(move |j| projection(others.column(j).into(), cosines.column(j).dot(&a) + b[j]));
        on_own.chain(on_others)
    }

    fn to_local(self, point: &Point2<f64>) -> Point2<f64> {
        Point2::from(self.axes.tr_mul(&(point - self.center)))
    }

    fn in_box_frame(&self) -> Aabb {
        Aabb { lower: Point2::from(-self.half_extents), upper: Point2::from(self.half_extents) }
    }
}

impl Overlaps for Obb {
    /// Tests the four separating axes (Gottschalk, Lin and Manocha, OBBTree, 1996, section 5, in the plane).
    fn overlaps(&self, other: &Obb) -> bool {
        !self.projections(other).any(|projection| projection.separates())
    }
}

impl ClosestPoint<2> for Obb {
    /// Clamps each coordinate in the rectangle's frame (Ericson, Real-Time Collision Detection, 2005, section 5.1.4).
    fn closest_point(&self, point: &Point2<f64>) -> Point2<f64> {
        let local = self.to_local(point);
        let closest = self.in_box_frame().closest_point(&local);
        if closest == local { *point } else { self.center + self.axes * closest.coords }
    }
}

impl Distance<Obb, 2> for Obb {
    /// Compares each edge of one rectangle with each of the other.
    fn closest_points(&self, other: &Obb) -> (Point2<f64>, Point2<f64>) {
        let (own, others) = (self.corners(), other.corners());
        closest_points_of_loops(&own, &others, |corner| self.contains(corner), |corner| other.contains(corner))
    }
}
