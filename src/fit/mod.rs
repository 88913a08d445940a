//! Bounding volumes fitted to points and triangles.
//!
//! Every fit encloses its points as evaluated in f64 (see [`obb_with_axes`] and [`sphere_with_center`] for the exact
//! sense), takes any finite coordinates up to a magnitude of 1e150, and gives the same bits on every machine. No points
//! give a volume of zero size at the origin, except for [`aabb`], whose empty box is empty.

mod covariance;
mod enclose;
mod extremes;
mod ritter;

pub use covariance::{covariance, eigenvectors, mean, obb_by_vertex_covariance};
pub use enclose::{aabb, obb_with_axes, sphere_with_center};
pub use ritter::ritter;
