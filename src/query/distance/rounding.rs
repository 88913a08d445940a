//! What rounding may do to the distance of two triangles.

use crate::triangle::Triangle;

/// Bounds what rounding may add to the computed distance of two triangles, or take from it.
pub(super) fn distance_error([a, b]: &[Triangle; 2], distance: f64) -> f64 {
    let origin = a.vertices[0];
    let extent = a.vertices.iter().chain(&b.vertices).fold(0.0, |m: f64, p| m.max((p - origin).amax()));
    // A few roundings of coordinates, and the part of it by which a proof of a least distance may fall short.
    32.0 * f64::EPSILON * extent + 2e-14 * distance
}

/// The bound below which squared distances must be to be within a tolerance: some more than its square, since the
/// distance itself is compared.
pub(super) fn bound_sq(tolerance: f64) -> f64 {
    (tolerance * tolerance * (1.0 + 1e-12)).max(2.0 * f64::MIN_POSITIVE)
}
