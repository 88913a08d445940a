//! Every error bound of the library: what rounding may add to a computed number, with its derivation and the test that
//! tries to break it. Elsewhere no bare margin stands in the code.
//!
//! `u` is the unit roundoff: 2^-24 in f32 and 2^-53 in f64.

// ---- volumes: tests of a wide node's children, frames, fits, refits -------------------------------------------------

/// What a number of 1 to 2 is off by when it is rounded to f32, at most: `u` of f32.
pub(crate) const F32_ROUNDING: f64 = f32::EPSILON as f64 / 2.0;

/// Bounds what the operations of a volume test of two trees are off by, relative to `S`, the largest coordinate: each
/// is off by `u` at most where axes have unit length.
///
/// The longest chain is that of oriented boxes' third axes, which are products of the others. In units of `u`, as
/// lengths of vectors: a posed axis is off by 7, a posed third one by 18; an axis of the eight, along the single box's
/// three axes, by 25, and their third one by 57; the distance of the centres along those three axes by 45. Two boxes
/// that share a point `x` are not told apart: the distance from the single box's centre to `x` is at most its radius as
/// it is computed, from the same numbers. What is left is the error of an axis of the eight times the length from `x`
/// to their centre, and those of the centres: 115 in all. The same split at the two nearest points holds for lower
/// bounds of distances. Test: `each_step_is_off_by_no_more_than_derived`, and `packed_*_touch_*` for every kind.
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

/// Bounds the roundings on the way from stored f32 to a compared length in tests of a ray, a point or a box, in units
/// of `u` times the largest coordinate: the tests of boxes need the most, 47 or so. Test: `tests/probe`.
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

// ---- queries and probes ---------------------------------------------------------------------------------------------

/// A bound of the rounding error of the computed distance of two triangles whose coordinates, relative to a vertex of
/// the first, are at most `extent`.
///
/// The points are off by a few roundings of coordinates; and a distance counts as proven minimal once an axis separates
/// the triangles by all but a part 1e-14 of it ([`PROVEN_DISTANCE_PART`]). Test: `any_meshes_at_any_pose` in
/// `tests/distance`.
pub(crate) fn triangle_distance_error(extent: f64, distance: f64) -> f64 {
    32.0 * f64::EPSILON * extent + 2e-14 * distance
}

/// The factor by which a bound of distances is enlarged so that distances which round to it still count; it outweighs
/// the roundings of squares and square roots thousands of times.
pub(crate) const DISTANCE_BOUND_FACTOR: f64 = 1.0 + 1e-12;

/// The multiple of [`triangle_distance_error`] by which a known distance is enlarged to a bound that does not influence
/// which of several pairs of equal distance is found. Test: `a_warm_start_changes_nothing`.
pub(crate) const TIE_FACTOR: f64 = 64.0;

/// The bound below which squared distances are within a tolerance: slightly more than its square, because afterwards
/// the distance itself is compared with the tolerance. Test: `any_meshes_at_any_pose` in `tests/distance`.
pub(crate) fn tolerance_bound_sq(tolerance: f64) -> f64 {
    (tolerance * tolerance * DISTANCE_BOUND_FACTOR).max(2.0 * f64::MIN_POSITIVE)
}

/// A bound of the length of a plane's axis, which is a unit vector rounded to f32. A gap along the axis exceeds the
/// distance by at most this factor. Test: `a_warm_start_changes_nothing_along_paths`.
pub(crate) const MAX_AXIS_LENGTH: f32 = 1.0 + 1e-5;

/// A bound of the rounding error of a distance in a capsule cast, relative to the largest coordinate: the moved start
/// and the closest points are off by a few roundings each, and this allows 128. Test: `no_bullet_passes_a_plate`, whose
/// bullets pass edges and vertices.
pub(crate) const CAST_ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The gap between a capsule's segment and a triangle, relative to the coordinates, from which on its direction is
/// known: the closest points are off by a few roundings of the coordinates, which turns this gap by about 1e-4 at most.
/// Test: `contacts_on_a_grid`.
pub(crate) const RESOLVED_CAPSULE_GAP: f64 = 1e-11;

/// A bound of how far rounding moves a point that is posed, or posed back, relative to its coordinates, the translation
/// and the mesh's bounds: three products and sums for each coordinate, some 1e-15. A thousand times as much is allowed,
/// because points within it are decided exactly. Test: `parts_thinner_than_rounding`.
pub(crate) const BOUNDS_ROUNDING: f64 = 1e-12;

/// A distance that f64 cannot distinguish from 0, relative to the coordinates of two moving meshes: it allows 128
/// roundings for the pose at a time and the posed vertices. Test: `random_motions_are_never_late`.
pub(crate) const MOTION_ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The fraction by which the spheres around two moving meshes are enlarged: it outweighs the roundings of their
/// centres' distance and of their radii thousands of times. Test: `random_motions_are_never_late`.
pub(crate) const MOTION_RADIUS_ERROR: f64 = 1e-12;

/// The factor by which steps in time are shortened: it outweighs the roundings of a step's quotients and square roots
/// thousands of times. Test: `random_motions_are_never_late`.
pub(crate) const ROUNDED_STEP: f64 = 1.0 - 1e-12;

/// The factor by which bounds of deviation and rotation in a time window are enlarged. It covers f32 rounding and poses
/// that are not quite rotations. Test: `sampled_points_stay_inside_the_bounds_and_come_near_them`.
pub(crate) const MOTION_BOUND_FACTOR: f64 = 1.01;

/// The distance up to which moving triangles count as touching, from the distance `floor` that f64 cannot distinguish
/// from 0: a pair may stop at that distance, and so may a face that rests beside it. Test:
/// `a_box_on_a_plane_of_triangles`.
pub(crate) fn touching_distance(floor: f64) -> f64 {
    2.0 * floor
}

/// The gap from which on the direction between two touching triangles is known, from their [`touching_distance`]: a
/// multiple of the last bits of coordinates. Test: `turned_cubes_that_touch_up_to_rounding`.
pub(crate) fn resolved_touching_gap(touching_distance: f64) -> f64 {
    0.125 * touching_distance
}

/// The difference of times of contact up to which they are equal, from the `floor` and a bound of the speed.
/// Test: `two_walls_met_at_once`.
pub(crate) fn same_contact_time(floor: f64, speed: f64) -> f64 {
    (4.0 * floor / speed).max(4.0 * f64::EPSILON)
}

// ---- triangles ------------------------------------------------------------------------------------------------------

/// A bound of the relative rounding error of an orientation determinant, computed in f64 from differences of
/// coordinates: `(1 + u)^8 - 1` for the differences (1), the minor (3 more), its product with the third difference (2)
/// and the sum (2) is below 8.9e-16; the rest covers the bound's own rounding. Test:
/// `agrees_near_contact_at_all_scales`.
pub(crate) const ORIENTATION_ERROR: f64 = 1e-15;

/// A bound of the rounding error of a product of three differences of coordinates, summed as in `Batch::verdicts`,
/// relative to the product of the greatest differences. Test: `verdicts_are_exact_where_rounding_takes_most`.
pub(crate) const BATCH_VERDICT_ERROR: f64 = 64.0 * UNIT_ROUNDOFF;
/// The unit roundoff of f64, the greatest rounding error of a number from 1 to 2.
pub(crate) const UNIT_ROUNDOFF: f64 = 0.5 * f64::EPSILON;
// Each of the six products has three differences, two products, the sum in a component and at most two more with
// others: 8 roundings, 48 in total. The terms of second order are far less than one more.
const _: () = assert!(BATCH_VERDICT_ERROR > 48.0 * UNIT_ROUNDOFF);

/// A bound of the rounding error of the gap between two triangles along an axis, relative to the axis's 1-norm times
/// the extent: each end is off by at most 4 roundings (the vertex, and a sum of 3 products), the difference by 2; the
/// rest covers the comparison with a bound. Test: `no_axis_proves_more_than_the_distance`.
pub(crate) const GAP_ERROR: f64 = 2e-15;

/// The fraction of its own length by which a vector between two points must separate the triangles to prove that no
/// pair of points is nearer: it allows the roundings of both lengths, 45 of them. Test: `agrees_across_small_gaps`.
pub(crate) const PROVEN_DISTANCE_PART: f64 = 1.0 - 1e-14;

/// A bound of the rounding error of the ends of a slab in `Triangle::contact_range`, relative to the axis's 1-norm
/// times the extent: twice that of a gap. Test: `grid_meshes_part_at_exact_places`.
pub(crate) const SLAB_ERROR: f64 = 4e-15;

/// The sine of an angle in a triangle below which its normal may be mostly rounding, and the triangle is also treated
/// as a segment or a point: edges are off by 2^-53 each, so the normal of this sine keeps three digits. Test:
/// `grid_meshes_part_at_exact_places`.
pub(crate) const DEGENERATE_SINE: f64 = 1e-12;

/// The correction of barycentric coordinates, relative to the squared normal, below which it is mere rounding: the
/// coordinates of a point are off by several roundings. Test: `closest_point_of_any_triangle`.
pub(crate) const BARYCENTRIC_ROUNDING: f64 = 1e-15;

/// A bound of the relative rounding error of a rational number converted to f64: a correct conversion rounds once, and
/// this allows 90 roundings. Test: `solids_of_cells`.
pub(crate) const RATIONAL_ROUNDING: f64 = 1e-14;

// ---- scenes and characters ------------------------------------------------------------------------------------------

// ---- shapes ---------------------------------------------------------------------------------------------------------

// ---- poses, meshes and metrics --------------------------------------------------------------------------------------
