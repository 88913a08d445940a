//! Elementary shapes in 3D and the tests between them. Those in the plane are in [`crate::shape2`].
//!
//! Shapes are closed: touching is overlapping. One of no size is what it looks like: a sphere of radius zero is a
//! point, a triangle of no area a segment, a box may be flat. Only an [`Aabb`] can be empty; the empty one overlaps
//! nothing and its distances are NaN. All numbers are f64 and nothing allocates. A verdict is as good as f64 lets it
//! be; each says where touching is exact. Every question is a trait with the same names and order for all pairs, and
//! can be asked of a pair either way around.
//!
//! | Pair | Questions | How, and where from | Test | Example |
//! |---|---|---|---|---|
//! | point, sphere | `contains` [`closest_point`](ClosestPoint) | radius along the offset; Ericson 2005, 4.3 | `nearest_points_to_a_point_are_certified` | `points` |
//! | point, AABB | `contains` [`closest_point`](ClosestPoint) | clamped; Ericson 2005, 5.1.3 | `nearest_points_to_a_point_are_certified` | `points` |
//! | point, OBB | `contains` [`closest_point`](ClosestPoint) | clamped in the box's frame; Ericson 2005, 5.1.4 | `nearest_points_to_a_point_are_certified` | `points` |
//! | point, segment | [`closest_point`](ClosestPoint) | clamped projection; Ericson 2005, 5.1.2 | `nearest_points_to_a_point_are_certified` | `thin_shapes` |
//! | point, capsule | `contains` [`closest_point`](ClosestPoint) | segment less radius; Ericson 2005, 4.5 | `nearest_points_to_a_point_are_certified` | `thin_shapes` |
//! | point, triangle | [`closest_point`](ClosestPoint) | [`crate::triangle`]; Ericson 2005, 5.1.5 | `triangles_against_points_spheres_and_boxes_are_certified` | `thin_shapes` |
//! | sphere, sphere | [`overlaps`](Overlaps) [`closest_points`](Distance) | squared distance of centres; Ericson 2005, 4.3.1 | `integer_spheres_touch_exactly` | `volumes` |
//! | sphere, sphere, moving | [`time_of_contact`](TimeOfContact) | quadratic in time; Ericson 2005, 5.5.5 | `moving_spheres_meet_when_a_search_says` | `moving` |
//! | sphere, AABB | [`overlaps`](Overlaps) [`closest_points`](Distance) | point nearest to the centre; Arvo 1990 | `spheres_against_all_are_certified` | `volumes` |
//! | sphere, OBB | [`overlaps`](Overlaps) [`closest_points`](Distance) | point nearest to the centre; Ericson 2005, 5.2.6 | `spheres_against_all_are_certified` | `volumes` |
//! | sphere, segment | [`overlaps`](Overlaps) [`closest_points`](Distance) | point nearest to the centre; Ericson 2005, 5.1.2 | `spheres_against_all_are_certified` | `thin_shapes` |
//! | sphere, capsule | [`overlaps`](Overlaps) [`closest_points`](Distance) | point nearest to the centre; Ericson 2005, 4.5.1 | `spheres_against_all_are_certified` | `thin_shapes` |
//! | sphere, triangle | [`overlaps`](Overlaps) [`closest_points`](Distance) | point nearest to the centre; Ericson 2005, 5.2.7 | `triangles_against_points_spheres_and_boxes_are_certified` | `thin_shapes` |
//! | AABB, AABB | [`overlaps`](Overlaps) [`intersection`](Aabb::intersection) [`union`](Aabb::union) | intervals per axis; Ericson 2005, 4.2.1 | `integer_boxes_share_the_points_of_their_intersection` | `volumes` |
//! | AABB, AABB, moving | [`time_of_contact`](TimeOfContact) | intersected intervals of time; Ericson 2005, 5.5.8 | `moving_boxes_meet_when_a_search_says` | `moving` |
//! | AABB, transform | [`transformed`](Aabb::transformed) | lesser and greater product per entry; Arvo 1990 | `moved_box_is_the_box_of_the_moved_corners` | `volumes` |
//! | OBB, OBB | [`overlaps`](Overlaps) [`separating_axis`](Obb::separating_axis) | 15 separating axes; Gottschalk et al. 1996 | `oriented_boxes_overlap_when_an_edge_of_one_meets_the_other` | `volumes` |
//! | OBB, AABB | [`overlaps`](Overlaps) | as two OBBs; Gottschalk et al. 1996 | `oriented_boxes_overlap_when_an_edge_of_one_meets_the_other` | `volumes` |
//! | segment, AABB | [`overlaps`](Overlaps) [`closest_points`](Distance) | slabs, Kay and Kajiya 1986; least of a convex piecewise quadratic | `segments_and_capsules_against_boxes_are_certified` | `thin_shapes` |
//! | segment, OBB | [`overlaps`](Overlaps) [`closest_points`](Distance) | the same in the box's frame; Kay and Kajiya 1986 | `segments_and_capsules_against_boxes_are_certified` | `thin_shapes` |
//! | triangle, AABB | [`overlaps`](Overlaps) [`closest_points`](Distance) | edges, then one diagonal; Green and Hatch 1995 | `integer_triangles_and_boxes_touch_exactly` | `thin_shapes` |
//! | triangle, OBB | [`overlaps`](Overlaps) [`closest_points`](Distance) | the same in the box's frame; Green and Hatch 1995 | `integer_triangles_and_boxes_touch_exactly` | `thin_shapes` |
//! | capsule, AABB | [`overlaps`](Overlaps) [`closest_points`](Distance) | segment less radius; Ericson 2005, 4.5 | `segments_and_capsules_against_boxes_are_certified` | `thin_shapes` |
//! | capsule, OBB | [`overlaps`](Overlaps) [`closest_points`](Distance) | segment less radius; Ericson 2005, 4.5 | `segments_and_capsules_against_boxes_are_certified` | `thin_shapes` |
//!
//! Where there is [`closest_points`](Distance) there are `distance` and `distance_sq`. Two triangles are the business
//! of [`crate::triangle`], whose methods hide the traits' on a triangle: write `cube.distance(&triangle)`. Tests are in
//! `tests/shape*.rs`, examples in `examples/shapes*.rs`. Arvo 1990 is Graphics Gems; Ericson 2005 is Real-Time
//! Collision Detection; Gottschalk et al. 1996 is OBBTree; Green and Hatch 1995 is in Graphics Gems V.

mod aabb;
mod capsule;
mod obb;
mod segment;
pub(crate) mod sphere;
mod triangle;

use nalgebra::{Point, SVector, Vector3};

pub use aabb::Aabb;
pub use capsule::Capsule;
pub use obb::Obb;
pub use segment::Segment;
pub use sphere::Sphere;

/// Whether two closed shapes share a point.
pub trait Overlaps<Other = Self> {
    /// Whether the two share a point. Touching counts; the empty box overlaps nothing.
    fn overlaps(&self, other: &Other) -> bool;
}

/// The point of a shape that is nearest to a given point.
pub trait ClosestPoint<const D: usize = 3> {
    /// The nearest point of the shape to `point`: `point` itself when the shape contains it.
    fn closest_point(&self, point: &Point<f64, D>) -> Point<f64, D>;
}

/// The nearest points of two shapes, and how far apart they are.
pub trait Distance<Other = Self, const D: usize = 3> {
    /// The nearest points, the first on `self` and the second on `other`. Where the shapes overlap both are one common
    /// point; where several pairs are equally near, it is one of them.
    fn closest_points(&self, other: &Other) -> (Point<f64, D>, Point<f64, D>);

    /// The square of the distance; zero when the shapes overlap.
    fn distance_sq(&self, other: &Other) -> f64 {
        let (on_self, on_other) = self.closest_points(other);
        (on_other - on_self).norm_squared()
    }

    /// The distance; zero when the shapes overlap.
    fn distance(&self, other: &Other) -> f64 {
        self.distance_sq(other).sqrt()
    }
}

impl<Shape: ClosestPoint<D>, const D: usize> Distance<Point<f64, D>, D> for Shape {
    fn closest_points(&self, point: &Point<f64, D>) -> (Point<f64, D>, Point<f64, D>) {
        (self.closest_point(point), *point)
    }
}

/// When two shapes that move at constant velocity, without turning, touch.
pub trait TimeOfContact<Other = Self> {
    /// The part of one unit of time during which the shapes overlap, or none.
    ///
    /// `velocity` is the velocity of `other` less that of `self`, so that `self` stands still.
    fn contact_interval(&self, other: &Other, velocity: &Vector3<f64>) -> Option<ContactInterval>;

    /// The first time in [0, 1] at which the shapes overlap: zero when they do at the start.
    fn time_of_contact(&self, other: &Other, velocity: &Vector3<f64>) -> Option<f64> {
        self.contact_interval(other, velocity).map(|contact| contact.entry)
    }
}

/// The times between which two moving shapes overlap: `0 <= entry <= exit <= 1`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactInterval {
    /// The first moment of contact; zero when the shapes overlap at the start.
    pub entry: f64,
    /// The last moment of contact; one when they still overlap at the end.
    pub exit: f64,
}

impl ContactInterval {
    /// The part of `[entry, exit]` that lies in [0, 1], if any does. A NaN time is no contact.
    pub(super) fn clipped(entry: f64, exit: f64) -> Option<Self> {
        (entry <= exit && entry <= 1.0 && exit >= 0.0).then(|| Self { entry: entry.max(0.0), exit: exit.min(1.0) })
    }
}

/// `overlaps` and `closest_points` of `$other` with each of the shapes, which have both with `$other`.
macro_rules! reversed {
    ($other:ty, $dimension:literal: $($shape:ty),+) => {$(
        impl $crate::shape::Overlaps<$shape> for $other {
            /// The same as with the arguments exchanged.
            #[inline]
            fn overlaps(&self, shape: &$shape) -> bool {
                $crate::shape::Overlaps::overlaps(shape, self)
            }
        }

        impl $crate::shape::Distance<$shape, $dimension> for $other {
            /// The same as with the arguments exchanged.
            fn closest_points(
                &self,
                shape: &$shape,
            ) -> (nalgebra::Point<f64, $dimension>, nalgebra::Point<f64, $dimension>) {
                let (on_shape, on_other) = $crate::shape::Distance::closest_points(shape, self);
                (on_other, on_shape)
            }
        }
    )+};
}

pub(crate) use reversed;

/// The result of the separating-axis test (SAT) of two convex shapes: the axis and the gap, or the axis of least
/// overlap and the depth.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Separation<const D: usize = 3> {
    /// The shapes' projections on `axis` are apart.
    Apart {
        /// Of the axes that separate, the one that does by most: unit length, from the first shape to the second.
        axis: SVector<f64, D>,
        /// The free space between the projections: a lower bound of the distance.
        gap: f64,
    },
    /// No axis separates the shapes.
    Overlapping {
        /// The axis of least overlap: unit length, from the first shape to the second.
        axis: SVector<f64, D>,
        /// How far to move the second shape along `axis` until the two only touch. No other direction needs less.
        depth: f64,
    },
}

/// Two shapes projected on an axis. Lengths are as the axis gives them, whatever its own length.
pub(crate) struct Projection<const D: usize> {
    pub axis: SVector<f64, D>,
    /// From the middle of the first shape's projection to that of the second's.
    pub distance: f64,
    /// The sum of the projections' half widths.
    pub radius: f64,
    /// What rounding may have changed.
    pub margin: f64,
}

impl<const D: usize> Projection<D> {
    pub fn separates(&self) -> bool {
        self.distance.abs() > self.radius + self.margin
    }
}

impl<const D: usize> Separation<D> {
    /// The widest gap of the projections that separate, or else the least overlap.
    pub(crate) fn of(projections: impl Iterator<Item = Projection<D>>) -> Self {
        let mut widest: Option<(SVector<f64, D>, f64)> = None;
        let mut least = (SVector::zeros(), f64::INFINITY);
        for projection in projections {
            let length = projection.axis.norm();
            let overlap = (projection.radius - projection.distance.abs()) / length;
            let toward_second = projection.axis * (1f64.copysign(projection.distance) / length);
            if projection.separates() && widest.is_none_or(|(_, gap)| -overlap > gap) {
                widest = Some((toward_second, -overlap));
            }
            if length > PARALLEL && overlap < least.1 {
                least = (toward_second, overlap);
            }
        }
        match (widest, least) {
            (Some((axis, gap)), _) => Self::Apart { axis, gap },
            (None, (axis, depth)) => Self::Overlapping { axis, depth: depth.max(0.0) },
        }
    }
}

/// The length of a cross product of unit edges below which its direction is mostly rounding error.
const PARALLEL: f64 = 1e-8;
