//! Elementary shapes in 2D and the tests between them.

mod aabb;
mod circle;
mod obb;
mod polygon;
mod sector;
mod segment;

pub use aabb::Aabb;
pub use circle::Circle;
pub use obb::Obb;
pub use polygon::{ConvexPolygon, PolygonError};
pub use sector::Sector;
