//! Elementary shapes in the plane and the tests between them, by the traits of [`crate::shape`].
//!
//! As there, shapes are closed, touching is overlapping, shapes of no size are what they look like, and nothing
//! allocates. Segments and capsules are the generic ones: [`Segment<2>`](crate::shape::Segment) and
//! [`Capsule<2>`](crate::shape::Capsule).
//!
//! | Pair | Questions | How, and where from | Test | Example |
//! |---|---|---|---|---|
//! | point, any | `contains` [`closest_point`](crate::shape::ClosestPoint) | clamped; Ericson 2005, 5.1 | `nearest_points_to_a_point_are_certified` | `sectors` |
//! | circle, circle | [`overlaps`](crate::shape::Overlaps) [`closest_points`](crate::shape::Distance) | squared distance of centres; Ericson 2005, 4.3.1 | `circles_against_convex_shapes_are_certified` | `circles` |
//! | circle, segment | [`overlaps`](crate::shape::Overlaps) [`closest_points`](crate::shape::Distance) | point nearest to the centre; Ericson 2005, 5.1.2 | `circles_against_convex_shapes_are_certified` | `circles` |
//! | circle, capsule | [`overlaps`](crate::shape::Overlaps) [`closest_points`](crate::shape::Distance) | point nearest to the centre; Ericson 2005, 4.5.1 | `circles_against_convex_shapes_are_certified` | `circles` |
//! | circle, sector | [`overlaps`](crate::shape::Overlaps) [`closest_points`](crate::shape::Distance) | arc, or nearest point of a straight side; Ericson 2005, 5.1.2 | `sectors_are_as_near_as_their_sampled_outline` | `sectors` |
//! | circle, convex polygon | [`overlaps`](crate::shape::Overlaps) [`closest_points`](crate::shape::Distance) | point nearest to the centre; Ericson 2005, 5.1.2 | `circles_against_convex_shapes_are_certified` | `polygons` |
//! | circle, AABB | [`overlaps`](crate::shape::Overlaps) [`closest_points`](crate::shape::Distance) | point nearest to the centre; Arvo 1990 | `circles_against_convex_shapes_are_certified` | `circles` |
//! | circle, OBB | [`overlaps`](crate::shape::Overlaps) [`closest_points`](crate::shape::Distance) | point nearest to the centre; Ericson 2005, 5.2.6 | `circles_against_convex_shapes_are_certified` | `circles` |
//! | AABB, AABB | [`overlaps`](crate::shape::Overlaps) | intervals per axis; Ericson 2005, 4.2.1 | `integer_rectangles_touch_exactly` | `circles` |
//! | OBB, OBB | [`overlaps`](crate::shape::Overlaps) [`separating_axis`](Obb::separating_axis) [`closest_points`](crate::shape::Distance) | 4 separating axes, Gottschalk et al. 1996; edge against edge | `rectangles_and_polygons_are_certified` | `polygons` |
//! | convex polygon, convex polygon | [`overlaps`](crate::shape::Overlaps) [`separating_axis`](ConvexPolygon::separating_axis) [`closest_points`](crate::shape::Distance) | normals of all edges, Ericson 2005, 5.2.1; edge against edge | `rectangles_and_polygons_are_certified` | `polygons` |
//! | segment, segment | [`closest_points`](crate::shape::Distance) | crossing, or an end; Ericson 2005, 5.1.9 | `rectangles_and_polygons_are_certified` | `circles` |
//!
//! Tests are in `tests/shape/shape2/`, examples in `examples/shapes2.rs`; the sources are named in [`crate::shape`].

mod circle;
mod polygon;
mod rectangle;

pub use circle::{Circle, Sector};
pub use polygon::{ConvexPolygon, PolygonError};
pub use rectangle::{Aabb, Obb};
