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

/// The bound below which squared distances are within a tolerance: slightly more than its square, because afterwards
/// the distance itself is compared with the tolerance.
pub(crate) fn tolerance_bound_sq(tolerance: f64) -> f64 {
    (tolerance * tolerance * (1.0 + 1e-12)).max(2.0 * f64::MIN_POSITIVE)
}

// ---- triangles ------------------------------------------------------------------------------------------------------

// ---- scenes and characters ------------------------------------------------------------------------------------------

// ---- shapes ---------------------------------------------------------------------------------------------------------

// ---- poses, meshes and metrics --------------------------------------------------------------------------------------
