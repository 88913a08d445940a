//! Every error bound of the library: what rounding may add to a computed number, with its derivation and the test that
//! tries to break it. Elsewhere no bare margin stands in the code.
//!
//! `u` is the unit roundoff: 2^-24 in f32 and 2^-53 in f64.

// ---- volumes: tests of a wide node's children, frames, fits, refits -------------------------------------------------

/// What a number of 1 to 2 is off by when it is rounded to f32, at most: `u` of f32.
pub(crate) const F32_ROUNDING: f64 = f32::EPSILON as f64 / 2.0;

/// Bounds what the operations of a volume test of two trees are off by, relative to `S`, the largest coordinate: each is
/// off by `u` at most where axes have unit length.
///
/// The longest chain is that of oriented boxes' third axes, which are products of the others. In units of `u`, as
/// lengths of vectors: a posed axis is off by 7, a posed third one by 18; an axis of the eight, along the single box's
/// three axes, by 25, and their third one by 57; the distance of the centres along those three axes by 45. Two boxes
/// that share a point `x` are not told apart: the distance from the single box's centre to `x` is at most its radius as
/// it is computed, from the same numbers. What is left is the error of an axis of the eight times the length from `x` to
/// their centre, and those of the centres: 115 in all. The same split at the two nearest points holds for lower bounds
/// of distances. Test: `each_step_is_off_by_no_more_than_derived`, and `packed_*_touch_*` for every kind.
pub(crate) const VOLUME_TEST_ROUNDING: f64 = 128.0 * F32_ROUNDING;

// As derived; the terms of second order are far less than the next unit.
const _: () = assert!(VOLUME_TEST_ROUNDING > 115.0 * F32_ROUNDING);

/// What rounding in f64 may move a posed vertex, and the offset of the frames, relative to the distance of both frames
/// and the translation from the origin: a product of a matrix and two sums, fewer than 32 roundings of `u`. It outgrows
/// f32's where a mesh is much smaller than its distance from the origin. Test: `packed_*_touch_*`.
pub(crate) const POSED_ROUNDING: f64 = 16.0 * f64::EPSILON;

/// A factor that outweighs the few roundings of a sum of five f32. Test: `tests/distance/warm_start.rs`.
pub(crate) const SCALE_ROUNDING: f32 = 1.001;

/// What rounding in f64 may add to a length in local coordinates, which are at most 1: fewer than 32 roundings of `u`.
/// Test: `random_node` of `volume/tests.rs` checks that every packed volume encloses its contents.
pub(crate) const LENGTH_ROUNDING: f64 = 4e-15;
const _: () = assert!(LENGTH_ROUNDING > 32.0 * f64::EPSILON / 2.0);

/// A factor that outweighs what rounding adds to a squared length in f32: fewer than 64 roundings of `u`.
/// Test: `swept_*_hold_all_meetings` and `tests/distance`.
pub(crate) const SQUARE_ROUNDING: f32 = 1.0 - 1e-5;
const _: () = assert!(SQUARE_ROUNDING < 1.0 - 64.0 * F32_ROUNDING as f32);

/// Bounds the roundings on the way from stored f32 to a compared length in tests of a ray, a point or a box, in units of
/// `u` times the largest coordinate: the tests of boxes need the most, 47 or so. Test: `tests/probe`.
pub(crate) const PROBE_OPERATIONS: f64 = 64.0;

/// What rounding in f64 changes a coordinate by on the way into a frame, relatively. Test: `tests/probe`.
pub(crate) const FRAME_ROUNDING: f64 = 16.0 * f64::EPSILON;

/// A factor that outweighs what rounding takes from the radius of a separating plane: three coordinates' differences,
/// the sum of their squares and its root, fewer than 32 roundings. Test: `volume/separating_planes/tests.rs`.
pub(crate) const PLANE_RADIUS_ROUNDING: f32 = 1.0 + 1e-5;
const _: () = assert!(PLANE_RADIUS_ROUNDING > 1.0 + 32.0 * f32::EPSILON);

/// What rounding to f32 may add to a refitted box's half extent, in the frame's unit: 4e-8 of an end, and as much each
/// for the centre, the difference of both and this sum. Test: `every_level_fits_the_same_volumes`, which validates.
pub(crate) const REFIT_BOX_ROUNDING: f32 = 2.5e-7;

/// What rounding to f32 may add to the radius of a refitted triangle's sphere, in the frame's unit and relative: 4e-8
/// along each axis, as much for each difference, and a few roundings of the length. Test: as before.
pub(crate) const REFIT_SPHERE_ROUNDING: f32 = 1e-6;

/// How far the axes of a stored oriented box may be from a rotation: more than rounding them to f32 does (2.4e-7), and
/// within [`VOLUME_TEST_ROUNDING`]. Test: `tests/cook/damage.rs`.
pub(crate) const AXES_DEVIATION_MAX: f64 = 5e-7;

// ---- builder and fits -----------------------------------------------------------------------------------------------

/// The rounding error of sums of products of offsets, relative to the sum of the three squares, is at most a few `u`
/// for blocked sums; this is a few times what is observed. `moments::tests::one_pass_finds_what_two_find` tries it.
pub(crate) const MOMENT_ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Moments may be computed as a difference while their rounding error is at most this part of them.
/// `moments::tests::what_rounding_has_spoilt_is_summed_anew` tries it.
pub(crate) const MAX_MOMENT_ERROR: f64 = 1e-13;

/// Eigenvectors are well defined if the discriminant, relative to its greatest value, is above this: an error of
/// [`MAX_MOMENT_ERROR`] then turns them by less than 1e-7, below the precision of stored axes.
pub(crate) const MIN_DISCRIMINANT: f64 = 1e-11;

/// The inflation of an oriented box's half extents, relative to the size of the point set: the roundings of
/// `obb_with_axes` and of the containment test sum to less than six epsilons. `tests/fit/enclosing.rs` tries it.
pub(crate) const OBB_INFLATION: f64 = 8.0 * f64::EPSILON;

/// Two directions span a plane if the sine between them is above this: the cross product is then known to six digits.
pub(crate) const MIN_PLANE_SINE: f64 = 1e-10;
/// The square of [`MIN_PLANE_SINE`].
pub(crate) const MIN_PLANE_SINE_SQ: f64 = 1e-20;

/// The smallest sphere of a node encloses a point at a distance of this times its radius: the distance, the solution of
/// a system of three equations, has a relative error of far less. `tests/fit/balls.rs` tries it.
pub(crate) const SPHERE_TOLERANCE: f64 = 1.0 + 1e-12;

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
