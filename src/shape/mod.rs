//! Elementary shapes in 3D and the tests between them.

mod aabb;
mod obb;
mod sphere;

pub use aabb::Aabb;
pub use obb::Obb;
pub use sphere::Sphere;
