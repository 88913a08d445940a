//! Every error bound of the library: what rounding may add to a computed number, with its derivation and the test that
//! tries to break it. Elsewhere no bare margin stands in the code.
//!
//! `u` is the unit roundoff: 2^-24 in f32 and 2^-53 in f64.

// ---- volumes: tests of a wide node's children, frames, fits, refits -------------------------------------------------

// ---- builder and fits -----------------------------------------------------------------------------------------------

// ---- queries and probes ---------------------------------------------------------------------------------------------

/// A bound of the rounding error of the computed distance of two triangles whose coordinates, relative to a vertex of
/// the first, are at most `extent`.
///
/// The points are off by a few roundings of coordinates; and a distance counts as proven minimal once an axis separates
/// the triangles by all but a part 1e-14 of it.
pub(crate) fn triangle_distance_error(extent: f64, distance: f64) -> f64 {
    32.0 * f64::EPSILON * extent + 2e-14 * distance
}

/// The factor by which a bound of distances is enlarged so that distances which round to it still count; it outweighs the
/// roundings of squares and square roots thousands of times.
pub(crate) const DISTANCE_BOUND_FACTOR: f64 = 1.0 + 1e-12;

/// The multiple of [`triangle_distance_error`] by which a known distance is enlarged to a bound that does not influence
/// which of several pairs of equal distance is found. `consistency` compares trackers with cold queries, to the bit.
pub(crate) const TIE_FACTOR: f64 = 64.0;

/// The bound below which squared distances are within a tolerance: slightly more than its square, because afterwards
/// the distance itself is compared with the tolerance.
pub(crate) fn tolerance_bound_sq(tolerance: f64) -> f64 {
    (tolerance * tolerance * DISTANCE_BOUND_FACTOR).max(2.0 * f64::MIN_POSITIVE)
}

/// A bound of the length of a plane's axis, which is a unit vector rounded to f32. A gap along the axis exceeds the
/// distance by at most this factor.
pub(crate) const MAX_AXIS_LENGTH: f32 = 1.0 + 1e-5;

/// A capsule cast's bound of the rounding error of a distance, relative to the largest coordinate: the projection onto
/// the triangle and the motion take fewer than 64 roundings.
pub(crate) const CAST_ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The gap between a capsule's segment and a triangle, relative to the coordinates, from which on its direction is known:
/// the closest points are off by a few hundred roundings at most, which turns the direction of this gap by less than
/// 0.01.
pub(crate) const RESOLVED_GAP: f64 = 1e-11;

// ---- triangles ------------------------------------------------------------------------------------------------------

// ---- scenes and characters ------------------------------------------------------------------------------------------

// ---- shapes ---------------------------------------------------------------------------------------------------------

// ---- poses, meshes and metrics --------------------------------------------------------------------------------------
