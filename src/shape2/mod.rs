//! Elementary shapes in the plane and the tests between them, with the traits of [`crate::shape`].
//!
//! As in 3D, shapes are closed and may be degenerate, and touching counts as overlapping. Nothing allocates. Segments
//! and capsules are the generic ones: [`Segment<2>`](crate::shape::Segment) and [`Capsule<2>`](crate::shape::Capsule).
//!
//! | Pair | Queries | Method |
//! |---|---|---|
//! | point, any | `contains` (not for segments), [`closest_point`] | clamped; Ericson 2005, 5.1 |
//! | circle, circle | [`overlaps`], [`closest_points`] | squared distance of centres; Ericson 2005, 4.3.1 |
//! | circle, segment | [`overlaps`], [`closest_points`] | point nearest to centre; Ericson 2005, 5.1.2 |
//! | circle, capsule | [`overlaps`], [`closest_points`] | point nearest to centre; Ericson 2005, 4.5.1 |
//! | circle, sector | [`overlaps`], [`closest_points`] | arc, or nearest on a straight side; Ericson 2005, 5.1.2 |
//! | circle, convex polygon | [`overlaps`], [`closest_points`] | point nearest to centre; Ericson 2005, 5.1.2 |
//! | circle, AABB | [`overlaps`], [`closest_points`] | point nearest to centre; Arvo 1990 |
//! | circle, OBB | [`overlaps`], [`closest_points`] | point nearest to centre; Ericson 2005, 5.2.6 |
//! | AABB, AABB | [`overlaps`] | intervals per axis; Ericson 2005, 4.2.1 |
//! | OBB, OBB | [`overlaps`], [`closest_points`] | 4 separating axes, Gottschalk et al. 1996; edge pairs |
//! | two convex polygons | [`overlaps`], [`closest_points`] | normals of edges, Ericson 2005, 5.2.1; edge pairs |
//! | segment, segment | [`closest_points`] | crossing, or an end; Ericson 2005, 5.1.9 |
//!
//! [`Obb::separating_axis`] and [`ConvexPolygon::separating_axis`] also give the axis and the penetration depth.
//! Examples are in `examples/shapes2.rs`; [`crate::shape`] names the sources.
//!
//! [`closest_point`]: crate::shape::ClosestPoint
//! [`closest_points`]: crate::shape::Distance
//! [`overlaps`]: crate::shape::Overlaps

mod circle;
mod polygon;
mod rectangle;

pub use circle::{Circle, Sector};
pub use polygon::{ConvexPolygon, PolygonError};
pub use rectangle::{Aabb, Obb};
