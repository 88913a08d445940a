//! Axis-aligned and oriented rectangles.

use nalgebra::{Point2, Vector2};

use super::polygon::closest_points_of_loops;
use crate::shape::{self, Distance, Overlaps, Projection, Separation};

/// An axis-aligned rectangle, closed. Empty if `lower` exceeds `upper` along any axis.
pub type Aabb = shape::Aabb<2>;

/// An oriented rectangle, closed: `{ c + axes * x : |x_i| <= half_extents_i }`.
pub type Obb = shape::Obb<2>;

impl Obb {
    /// The four corners, in order around the outline.
    pub fn corners(&self) -> [Point2<f64>; 4] {
        [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
            .map(|(x, y)| self.center + self.axes * self.half_extents.component_mul(&Vector2::new(x, y)))
    }

    /// The separating axis with the widest gap, or else the axis of least overlap and the penetration depth.
    ///
    /// The rectangles are apart if and only if [`Overlaps::overlaps`] is false.
    pub fn separating_axis(&self, other: &Obb) -> Separation<2> {
        Separation::of(self.projections(other))
    }

    /// The projections of both rectangles on the two axes of each, with a margin as for boxes in 3D
    /// ([`shape::Obb::TOLERANCE`]).
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
}

impl Overlaps for Obb {
    /// Tests the four separating axes (Gottschalk, Lin and Manocha, OBBTree, 1996, section 5, in the plane).
    fn overlaps(&self, other: &Obb) -> bool {
        !self.projections(other).any(|projection| projection.separates())
    }
}

impl Distance<Obb, 2> for Obb {
    /// Compares each edge of one rectangle with each of the other.
    fn closest_points(&self, other: &Obb) -> (Point2<f64>, Point2<f64>) {
        let (own, others) = (self.corners(), other.corners());
        closest_points_of_loops(&own, &others, |corner| self.contains(corner), |corner| other.contains(corner))
    }
}
