//! Planes that keep volumes and triangles of two trees apart, found at one pose and asked at others: for warm starts.

mod plane;
mod round_boxes;
mod separating_axis;
mod separations;
#[cfg(test)]
mod tests;
mod triangle_planes;

pub(crate) use plane::{Plane, Planes};
pub(crate) use separations::OneAgainstEight;
pub(crate) use triangle_planes::{EightPlanes, EightTriangles};
