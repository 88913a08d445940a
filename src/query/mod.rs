//! Questions about two trees: whether they touch, which triangles do and where, how far apart they are, whether one is
//! in the other; and which triangles of one tree touch each other.
//!
//! | Question | Answer | Guarantee | Cost |
//! |---|---|---|---|
//! | [`intersects`](Query::intersects) | whether any triangles do | exact | until the first pair |
//! | [`for_each_pair`](Query::for_each_pair) | which triangles do | exact | all intersecting pairs |
//! | [`for_each_candidate`](Query::for_each_candidate) | which triangles' volumes overlap, for a narrow phase of your own | no intersecting pair is missing | volumes alone |
//! | [`distance`](Query::distance) | least distance, closest points, faces | 0 exactly when they intersect, else to rounding | as `intersects`, then the nearest first |
//! | [`DistanceTracker`] | the same, along a path of poses | the same | less, the nearer poses are to each other |
//! | [`within`](Query::within) | whether the distance is at most a tolerance | as `distance`; no comes with a proven lower bound | until the first near pair, or by volumes alone |
//! | [`for_each_within`](Query::for_each_within) | all pairs of triangles closer than a tolerance | as `distance` | all near pairs |
//! | [`relation`](Query::relation) | separate, touching, crossing, one in the other, undefined for what has holes | exact | until two triangles cross; else all pairs and microseconds for each triangle that touches; components once for each tree |
//! | [`contacts`](Query::contacts), [`contact_patches`](Query::contact_patches) | segments and polygons of contact; points, normals, depths | which pairs is exact, coordinates are rounded; depths are estimates | all intersecting pairs |
//! | [`penetration_along`](Query::penetration_along) | the last contact as B is moved along a direction: beyond that length nothing touches | exact to rounding, errs to the long side | branch and bound |
//! | [`penetration`](Query::penetration) | a translation that frees B, as short as was found | an upper bound of the penetration depth | some fifty directions |
//! | [`time_of_impact`](Query::time_of_impact) | when B, moving straight and turning evenly, first touches A (continuous collision detection) | "free" is proven for that motion; times err early only | a descent per eighth of a radian |
//! | [`for_each_self_pair`](Query::for_each_self_pair) | which triangles of one mesh intersect beyond what they share | exact | all neighbours and intersecting pairs |
//!
//! `examples/` has a program for each family: `one_pair` (pairs), `clearance` (distance, within), `contact` (relation,
//! contacts), `motion` (penetration, time of impact), `self_intersections`, `sweep` (many poses) and `probe`.
//!
//! [`many`] asks at many poses on all cores. [`Query::interrupt_when`] ends questions early. Questions about one tree
//! and a ray, a point or a box are in [`probe`](crate::probe).

mod contacts;
mod descent;
mod distance;
mod face_pair;
mod interrupt;
pub mod many;
mod pairs;
mod penetration;
mod point_key;
mod posed_trees;
mod relation;
mod state;
mod time_of_impact;
mod warm_start;

pub use contacts::{Contact, ContactPatch, DepthSource, Polyline, polylines};
pub use distance::{ClosestPair, DistanceOptions, Within};
pub use face_pair::FacePair;
pub use penetration::{DirectionalPenetration, Penetration};
pub use relation::Relation;
pub use state::{Query, QueryError, QueryStats};
pub use time_of_impact::{MotionContact, TimeOfImpact};
pub use warm_start::DistanceTracker;
