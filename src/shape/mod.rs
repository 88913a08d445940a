//! Elementary shapes in 3D and the tests between them.

mod aabb;
mod obb;
mod pair;
mod separation;
mod sphere;

pub use aabb::Aabb;
pub use obb::Obb;
pub use pair::{ClosestPoint, ClosestPoints, ContactInterval, Overlaps, TimeOfContact};
pub use separation::Separation;
pub use sphere::Sphere;
