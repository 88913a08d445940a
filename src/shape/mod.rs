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
pub(crate) mod ball;
mod capsule;
mod obb;
mod obb_overlap;
pub(crate) mod pair;
mod segment;
pub(crate) mod separation;
mod sphere;
mod triangle;

pub use aabb::Aabb;
pub use capsule::Capsule;
pub use obb::Obb;
pub use pair::{ClosestPoint, ContactInterval, Distance, Overlaps, TimeOfContact};
pub use segment::Segment;
pub use separation::Separation;
pub use sphere::Sphere;
