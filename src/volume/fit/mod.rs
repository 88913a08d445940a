//! Bounding volumes fitted to points and triangles.
//!
//! [`ObbFit`] and [`SphereFit`] are the fits by name; each is also a function. Every fit encloses its points as
//! evaluated in f64 (see [`obb_with_axes`] and [`sphere_with_center`] for the exact sense) and takes any finite
//! coordinates up to a magnitude of 1e150; others give a meaningless volume, but no panic. No points give a volume of
//! zero size at the origin, except for [`aabb`], whose empty box is empty. The fits use no function whose result
//! differs between machines.

pub(crate) mod batched_obb_fit;
mod best_of;
mod corners;
mod covariance;
mod covariance_eight;
mod dito14;
mod enclose;
mod epos;
mod extremes;
mod farthest;
mod frame;
mod frame_eight;
mod hull;
mod hull_covariance;
pub(crate) mod kernels;
pub(crate) mod leaf_boxes;
mod methods;
mod minimum_box;
mod minimum_rectangle;
mod moments;
mod node_fit;
mod node_ritter;
mod normals;
mod outermost;
mod primitives;
mod ritter;
mod smallest_sphere;
mod surface_covariance;
mod tight;
mod tight_eight;

pub(crate) use batched_obb_fit::SMALL_SET;
pub use best_of::{best_box_by_area, best_box_by_volume};
pub(crate) use corners::{corner_rows, corner_rows_f32};
pub(crate) use covariance::proper_triangle_axes;
pub use covariance::{covariance, eigenvectors, mean, obb_by_vertex_covariance, triangle_covariance_axes};
pub(crate) use covariance_eight::eigenvectors_of_eight;
pub use dito14::dito14;
pub use enclose::{aabb, obb_with_axes, sphere_with_center};
pub use epos::epos;
pub(crate) use frame::quick_frame_in_plane;
pub(crate) use frame_eight::{Axes8, inverses};
pub(crate) use hull::convex_hull_volume;
pub use hull_covariance::obb_by_hull_covariance;
pub(crate) use kernels::Ranges;
pub(crate) use leaf_boxes::{LeafBoxes, leaf_boxes, triangle_box_axes};
pub(crate) use methods::{FitMethods, TightAxes};
pub use methods::{ObbFit, SphereFit};
pub use minimum_box::minimum_volume_box;
pub(crate) use moments::Moments;
pub(crate) use node_fit::{box_along, obb_of, sphere_of};
pub(crate) use primitives::{Primitive, gather, permute};
pub use ritter::ritter;
pub(crate) use ritter::{Growing, middle, triangle_sphere_center};
pub use smallest_sphere::{SmallestSphere, smallest_sphere};
pub use surface_covariance::{obb_by_surface_covariance, surface_covariance};
pub(crate) use tight::quick_longest_edge_axes;
pub use tight::{tight_axes, tight_axes_by_volume, triangle_axes};
pub(crate) use tight_eight::{MAX_POINTS, tight_axes_of_eight};
