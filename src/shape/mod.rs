//! Elementary shapes in 3D and the tests between them.

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
