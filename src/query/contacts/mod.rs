//! Contact geometry: where each pair of triangles intersects, the segments of that chained to polylines, and patches of
//! contact.

mod contact;
mod patches;
mod polylines;

pub use contact::Contact;
pub use patches::{ContactPatch, DepthSource};
pub use polylines::{Polyline, polylines};
