//! Every error bound of the library: how large the rounding error of a computed number can be, with the derivation and
//! the name of the test that tries to break the bound. Other files contain only single roundings (the next number, or
//! one epsilon), thresholds, and a few margins that exceed any rounding by far. Bounds that are functions are also
//! compared with exact errors in `tests.rs`, term by term.
//!
//! `u` is the unit roundoff: 2^-24 in f32 and 2^-53 in f64.

use nalgebra::Vector3;

use crate::numeric::denormals::above;
use crate::pose::Pose;
use crate::shape::{Aabb, Obb};

pub(crate) const U: f64 = 0.5 * f64::EPSILON;

// ---- volumes: tests of a wide node's children, frames, fits, refits -------------------------------------------------

/// The unit roundoff `u` of f32: the largest error of a number from 1 to 2 that is rounded to f32.
pub(crate) const F32_ROUNDING: f64 = f32::EPSILON as f64 / 2.0;

/// A bound on the rounding error of a test of one volume of a tree against eight of another, relative to `S`, the
/// largest coordinate: each operation is off by at most `u` if axes have unit length.
///
/// The longest chain is that of the third axes of oriented boxes, which are cross products of the other two. In units
/// of `u`, as lengths of vectors: a posed axis is off by 7, a posed third axis by 18; an axis of one of the eight
/// boxes, along the single box's three axes, by 25, and their third axis by 57; the distance between the centres along
/// those three axes by 45. Two boxes that share a point `x` are not found to be apart: the distance from the single
/// box's centre to `x` is at most its computed radius, from the same numbers. What remains is the error of an axis of
/// one of the eight boxes, times the distance from `x` to that box's centre, and the errors of the centres: 115 in
/// total. The same split at the two nearest points holds for lower bounds on distances. Test:
/// `each_step_is_off_by_no_more_than_derived`, `packed_volumes_touch_where_volumes_do`.
pub(crate) const VOLUME_TEST_ROUNDING: f64 = 128.0 * F32_ROUNDING;

// As derived; the terms of second order are far smaller than the next unit.
const _: () = assert!(VOLUME_TEST_ROUNDING > 115.0 * F32_ROUNDING);

/// A bound on how far rounding in f64 moves a posed vertex and the offset of the frames, relative to the sum of the
/// largest coordinates of both frames' origins and of the translation: a product of a matrix and two sums, fewer than
/// 32 roundings of `u`. It exceeds f32's rounding if a mesh is much smaller than its distance from the origin. Test:
/// `packed_volumes_touch_where_volumes_do`.
pub(crate) const POSED_ROUNDING: f64 = 16.0 * f64::EPSILON;

/// A bound on how far rounding in f64 moves a triangle's corner on the way into another tree's frame, and on the error
/// of the triangle's box along the axes, relative to the sum of all coordinates involved: fewer than 64 roundings of
/// `u` for the map, and as many for the axes. Test: `tests/loose_leaves.rs`.
pub(crate) const TRIANGLE_BOX_ROUNDING: f64 = 64.0 * f64::EPSILON;

/// A factor that raises a sum of five f32 by more than its few roundings. Test: `tests/distance/warm_start.rs`.
pub(crate) const SCALE_ROUNDING: f32 = 1.001;

/// A bound on the f64 rounding error of a length in local coordinates, which are at most 1: fewer than 32 roundings of
/// `u`. Test: `random_node` of `volume/tests.rs` checks that every packed volume encloses its contents.
pub(crate) const LENGTH_ROUNDING: f64 = 4e-15;
const _: () = assert!(LENGTH_ROUNDING > 32.0 * f64::EPSILON / 2.0);

/// A factor that lowers a squared length in f32 by more than its rounding error, fewer than 64 roundings of `u`. Test:
/// `swept_volumes_hold_all_meetings` and `tests/distance`.
pub(crate) const SQUARE_ROUNDING: f32 = 1.0 - 1e-5;
const _: () = assert!(SQUARE_ROUNDING < 1.0 - 64.0 * F32_ROUNDING as f32);

/// A bound on the rounding error of a compared length, computed from stored f32, in tests of a ray, a point or a box,
/// in units of `u` times the largest coordinate: the tests of boxes have the most, about 47. Test: `tests/probe`.
pub(crate) const PROBE_OPERATIONS: f64 = 64.0;

/// The relative f64 rounding error of a coordinate converted into a frame. Test: `tests/probe`.
pub(crate) const FRAME_ROUNDING: f64 = 16.0 * f64::EPSILON;

/// A factor that raises the bounding radius stored with a separating plane by more than its rounding error: three
/// differences of coordinates, the sum of their squares and its root, fewer than 32 roundings. Test:
/// `volume/separating_planes/tests.rs`.
pub(crate) const PLANE_RADIUS_ROUNDING: f32 = 1.0 + 1e-5;
const _: () = assert!(PLANE_RADIUS_ROUNDING > 1.0 + 32.0 * f32::EPSILON);

/// A bound on the f32 rounding error of a refitted box's half extent, in the frame's unit: 4e-8 for an end, and as much
/// each for the centre, for the difference between the two, and for the sum with this margin. Test:
/// `every_level_fits_the_same_volumes`, which validates.
pub(crate) const REFIT_BOX_ROUNDING: f32 = 2.5e-7;

/// Like [`REFIT_BOX_ROUNDING`], for offsets along the sum or the difference of two axes, which are at most `sqrt(2)`:
/// 3e-8 for each coordinate, 6e-8 for their sum, twice that for the difference from the middle, and as much for the sum
/// with this margin. Test: that of [`REFIT_BOX_ROUNDING`].
pub(crate) const REFIT_DIAGONAL_ROUNDING: f32 = 6e-7;

/// An upper bound on the length of the sum of two perpendicular unit axes, which scales a margin along that sum. The
/// offsets that tests of k-DOPs compute are off by fewer than 64 roundings of `u` times `S`: 8 for a posed direction,
/// 40 for its factors, 8 for the sums; [`VOLUME_TEST_ROUNDING`] covers them. Test: `swept_volumes_hold_all_meetings`.
pub(crate) const DIAGONAL_LENGTH: f32 = 1.415;

/// A bound on the f32 rounding error of the radius of a refitted triangle's sphere, both as a length in the frame's
/// unit and as a fraction of the radius, which are added: 4e-8 along each axis, as much for each difference, and a few
/// roundings of the length. Test: that of [`REFIT_BOX_ROUNDING`].
pub(crate) const REFIT_SPHERE_ROUNDING: f32 = 1e-6;

/// The largest allowed deviation of the axes of a stored oriented box from a rotation: more than rounding to f32 causes
/// (2.4e-7, and twice that in a refit that turns axes recorded in f32), and within [`VOLUME_TEST_ROUNDING`]. Tests:
/// `tests/cook/damage.rs`, `axes_stay_orthonormal_however_often_a_tree_is_adopted`.
pub(crate) const AXES_DEVIATION_MAX: f64 = 5e-7;

/// How far a stored volume's contents may be outside the box that its stored axes and half extents span, relative to
/// the box's radius. A point `p` of the contents has `|A^T (p - c)| <= h`, the box's points are `c + A y` with
/// `|y| <= h`, and no entry of `A^T A - I` exceeds [`AXES_DEVIATION_MAX`]. Test: `extents_hold_the_triangles`.
pub(crate) const UNPACKED_VOLUME: f64 = 4.0 * AXES_DEVIATION_MAX;

// ---- builder and fits -----------------------------------------------------------------------------------------------

/// A bound on the rounding error of sums of products of offsets, relative to the sum of the three squares. Blocked sums
/// are off by at most a few `u`; this is a few times the observed error. Test:
/// `moments::tests::one_pass_finds_what_two_find`.
pub(crate) const MOMENT_ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Moments may be computed as a difference while their rounding error is at most this fraction of them. Test:
/// `moments::tests::what_rounding_has_spoilt_is_summed_anew`.
pub(crate) const MAX_MOMENT_ERROR: f64 = 1e-13;

/// Eigenvectors are well defined if the discriminant, relative to its greatest value, is above this: an error of
/// [`MAX_MOMENT_ERROR`] then rotates them by less than 1e-7, below the precision of stored axes, unless all three
/// eigenvalues nearly agree. In that case the rotation is up to 3e-8 over their relative spread, and hardly changes the
/// fit. No test covers this bound.
pub(crate) const MIN_DISCRIMINANT: f64 = 1e-11;

/// The inflation of an oriented box's half extents, relative to the size of the point set: the roundings of
/// `obb_with_axes` and of the containment test add up to less than six epsilons. Test: `tests/fit/enclosing.rs`.
pub(crate) const OBB_INFLATION: f64 = 8.0 * f64::EPSILON;

/// Two directions span a plane if the sine of their angle is above this: the cross product is then known to six digits.
pub(crate) const MIN_PLANE_SINE: f64 = 1e-10;
/// The square of [`MIN_PLANE_SINE`].
pub(crate) const MIN_PLANE_SINE_SQ: f64 = 1e-20;

/// A candidate for the smallest sphere of a node counts as enclosing a point whose distance from the center is at most
/// this times the radius: the distance, from the solution of three equations, has a far smaller relative error. Test:
/// `tests/fit/spheres.rs`.
pub(crate) const SPHERE_TOLERANCE: f64 = 1.0 + 1e-12;

// ---- queries and probes ---------------------------------------------------------------------------------------------

/// A bound on the rounding error of the computed distance between two triangles whose coordinates, relative to a vertex
/// of the first, are at most `extent`.
///
/// The closest points are off by a few roundings of coordinates; and a distance counts as proven minimal once an axis
/// separates the triangles by all but a fraction of 1e-14 of that distance ([`PROVEN_DISTANCE_PART`]). Test:
/// `any_meshes_at_any_pose` in `tests/distance`.
pub(crate) fn triangle_distance_error(extent: f64, distance: f64) -> f64 {
    32.0 * f64::EPSILON * extent + 2e-14 * distance
}

/// The fraction of the computed `RelativeFrame::far_offset`, by which shortening a translation reduces distances, that
/// is certain despite rounding. In the function that computes it, the distance is off by 8 roundings, the radius and
/// `across` by fewer; where the differences nearly cancel, these errors are small compared with `across`. Test:
/// `frames_brought_nearer_add_no_distance`.
pub(crate) const FAR_OFFSET_PART: f64 = 1.0 - 16.0 * U;

/// The margin that is added to the computed radius of a rectangle swept sphere, relative to the points' largest
/// coordinate: a point along three axes is off by 4 roundings in each, so by 7 in all, as are the middle of the
/// rectangle and its sides, and the distance by 4 more. Test: `rectangle_swept_spheres_around_plates_rods_and_balls`.
pub(crate) const SWEPT_RADIUS_ROUNDING: f64 = 32.0 * U;

/// The factor by which a bound on distances is enlarged so that distances which round to it still count; it outweighs
/// the roundings of squares and square roots thousands of times. Test: `a_warm_start_changes_nothing`.
pub(crate) const DISTANCE_BOUND_FACTOR: f64 = 1.0 + 1e-12;

/// The multiple of [`triangle_distance_error`] by which a known distance is enlarged to a bound that does not influence
/// which of several pairs of equal distance is found. Test: `a_warm_start_changes_nothing`.
pub(crate) const TIE_FACTOR: f64 = 64.0;

/// The bound below which squared distances are within a tolerance: slightly more than its square, because afterwards
/// the distance itself is compared with the tolerance. Test: `any_meshes_at_any_pose` in `tests/distance`.
pub(crate) fn tolerance_bound_sq(tolerance: f64) -> f64 {
    (tolerance * tolerance * DISTANCE_BOUND_FACTOR).max(2.0 * f64::MIN_POSITIVE)
}

/// A bound on the length of a separating plane's axis, which is a unit vector rounded to f32. A gap along the axis
/// exceeds the distance by at most this factor. Test: `a_warm_start_changes_nothing_along_paths`.
pub(crate) const MAX_AXIS_LENGTH: f32 = 1.0 + 1e-5;

/// A bound on the rounding error of a distance in a capsule cast, relative to the largest coordinate: the moved start
/// and the closest points are off by a few roundings each, and this allows 128. Test: `no_bullet_passes_a_plate`, whose
/// bullets pass edges and vertices.
pub(crate) const CAST_ROUNDING: f64 = 64.0 * f64::EPSILON;

/// A bound on the rounding error of a computed distance between a triangle and a capsule in a box: [`CAST_ROUNDING`]
/// of its coordinates. Test: `contacts_at_the_limit_are_found`.
pub(crate) fn cast_rounding(bounds: &Aabb) -> f64 {
    CAST_ROUNDING * (bounds.lower.coords.amax() + bounds.upper.coords.amax())
}

/// The gap between a capsule's segment and a triangle, relative to the coordinates, from which on its direction is
/// known: the closest points are off by a few roundings of the coordinates, which turns a gap of this length by about
/// 1e-4 at most. Test: `contacts_on_a_grid`.
pub(crate) const RESOLVED_CAPSULE_GAP: f64 = 1e-11;

/// Like [`RESOLVED_CAPSULE_GAP`], for the cores of two convex shapes, or of a convex shape and a triangle, where a
/// search ended without certainty of the gap: their Minkowski difference may be as thin as some roundings, as for a
/// segment that is almost along an edge. Test: `depths_below_triangles_are_certified`, repeated.
pub(crate) const RESOLVED_UNPROVEN_GAP: f64 = 1e-8;

/// A bound on how far rounding moves a point that is posed, or posed back, relative to its coordinates, the translation
/// and the mesh's bounds: three products and sums for each coordinate, some 1e-15. A thousand times as much is allowed,
/// because points within it are decided exactly. Test: `parts_thinner_than_rounding`.
pub(crate) const BOUNDS_ROUNDING: f64 = 1e-12;

/// A bound on the rounding error of the distance of a point of one mesh from the other, in the frame of either.
/// `coordinates` bounds the sum of both meshes' coordinates and of the translation.
///
/// A vertex that is posed, or posed back, is off by some 12 `u` in each coordinate, the closest point by 16. Each cut
/// of a triangle loses what is within 2 `u` of an edge, and pieces of the last digits are not cut: 110 cuts are
/// allowed. Test: `overlap_depth::far_from_the_origin`.
pub(crate) fn depth_rounding(coordinates: f64) -> f64 {
    128.0 * f64::EPSILON * coordinates
}

/// A distance that f64 cannot distinguish from 0, relative to the coordinates of two moving meshes: it allows 128
/// roundings for the pose at an instant and for the posed vertices. Test: `random_motions_are_never_late`.
pub(crate) const MOTION_ROUNDING: f64 = 64.0 * f64::EPSILON;

/// What the translations of a motion add to the distance that f64 cannot distinguish from 0 ([`MOTION_ROUNDING`]),
/// relative to the sum of the lengths `s` and `e` of the translations at its start and its end.
///
/// The translation at time `t`, `s (1 - t) + e t`, is off by `u / 2` of `s` for the rounded `1 - t`, by `u` of each
/// product, and by `u` of the sum: by at most `2.5 u (s + e)`. This is twice that, because triangles are advanced to
/// half of the distance that counts as contact. Test: `nothing_tunnels_through_a_plate`.
pub(crate) const TRAVEL_ROUNDING: f64 = 5.0 * U;

/// A bound on the rounding error of the computed speed along a unit direction, relative to the velocity's length: one
/// rounding of the velocity, and three of a product and two sums. Rotation adds roundings of coordinates, for which
/// [`MOTION_ROUNDING`] allows. Test: `nothing_tunnels_through_a_plate`.
pub(crate) const VELOCITY_ROUNDING: f64 = 5.0 * U;

/// The fraction by which the spheres around two moving meshes are enlarged: it outweighs the roundings of their
/// centres' distance and of their radii thousands of times. Test: `random_motions_are_never_late`.
pub(crate) const MOTION_RADIUS_ERROR: f64 = 1e-12;

/// The factor by which steps in time are shortened: it outweighs the roundings of a step's quotients and square roots
/// thousands of times. Test: `random_motions_are_never_late`.
pub(crate) const ROUNDED_STEP: f64 = 1.0 - 1e-12;

/// The factor by which bounds on deviation and rotation in a time window are enlarged. It covers f32 rounding and poses
/// that are not quite rotations. Test: `sampled_points_stay_inside_the_bounds_and_come_near_them`.
pub(crate) const MOTION_BOUND_FACTOR: f64 = 1.01;

/// The distance up to which moving triangles count as touching, given the distance `floor` that f64 cannot distinguish
/// from 0: a pair may stop at `floor`, and so may a face that rests beside it. Test: `a_box_on_a_plane_of_triangles`.
pub(crate) fn touching_distance(floor: f64) -> f64 {
    2.0 * floor
}

/// The gap from which on the direction between two touching triangles is known, given their [`touching_distance`]: a
/// multiple of the last bits of coordinates. Test: `turned_cubes_that_touch_up_to_rounding`.
pub(crate) fn resolved_touching_gap(touching_distance: f64) -> f64 {
    0.125 * touching_distance
}

/// The difference up to which two times of contact count as equal, given the distance `floor` that f64 cannot
/// distinguish from 0 and a bound on the speed. Test: `two_walls_met_at_once`.
pub(crate) fn same_contact_time(floor: f64, speed: f64) -> f64 {
    (4.0 * floor / speed).max(4.0 * f64::EPSILON)
}

// ---- triangles ------------------------------------------------------------------------------------------------------

/// A bound on the relative rounding error of an orientation determinant, computed in f64 from differences of
/// coordinates: `(1 + u)^8 - 1` for the differences (1), the minor (3 more), its product with the third difference (2)
/// and the sum (2) is below 8.9e-16; the rest covers the bound's own rounding. Test:
/// `agrees_near_contact_at_all_scales`.
pub(crate) const ORIENTATION_ERROR: f64 = 1e-15;

/// The squared sine of the angle between a triangle's two shorter sides below which heights over the triangle's plane
/// are too inexact to compare segments with it.
///
/// An entry of the normal is off by `4 u` of the product of the two lengths, and a height by the sum of three such
/// errors times coordinates: by `12 u` of the largest coordinate, divided by the sine, and `9 u` more for the height's
/// own rounding. With a sine of 1/16 that is below `201 u`. Test: `contacts_with_needles`.
pub(crate) const NEEDLE_SINE_SQ: f64 = 1.0 / 256.0;

/// A bound on the rounding error of `(a x b) . c` for three vectors that are differences of points, relative to the
/// product of their lengths or to the sum of the magnitudes of its six products, which is less than twice the former: 8
/// roundings of each product as in [`ORIENTATION_ERROR`], so at most 16 of the lengths; the rest covers the roundings
/// of the lengths. Parts of the product, and coordinates that are added to it, have fewer roundings. Test:
/// `triple_products`.
pub(crate) const TRIPLE_PRODUCT_ROUNDING: f64 = 32.0 * U;

/// The factor that makes a vector's computed length no less than the true one: half of the roundings of the squares and
/// their sums (3), the square root (1), and the product with this factor (1). Squares must not underflow: coordinates
/// are 0 or at least 1e-150. Test: `lengths_of_vectors`.
pub(crate) const LENGTH_FACTOR: f64 = 1.0 + 8.0 * U;

/// A point found on a triangle counts as the closest one to a query point if no vertex lies farther than this on the
/// query point's side of the plane through the found point that is normal to the vector between the two points. It is
/// relative to the triangle's size: a dot product of two vectors that are off by two roundings each, 7 in all. Test:
/// `little_is_added_to_distances`.
pub(crate) const FOOT_ERROR: f64 = 8.0 * U;

/// A bound on the rounding error of a product of three differences of coordinates, summed as in `Batch::verdicts`,
/// relative to the product of the greatest differences. Test: `verdicts_are_exact_where_rounding_takes_most`.
pub(crate) const BATCH_VERDICT_ERROR: f64 = 64.0 * U;
// Each of the six products has three differences, two products, the sum in a component and at most two more with
// others: 8 roundings, 48 in total. The terms of second order are far less than one more.
const _: () = assert!(BATCH_VERDICT_ERROR > 48.0 * U);

/// A bound on the rounding error of the gap between two triangles along an axis, relative to the axis's 1-norm times
/// the extent: each end is off by at most 4 roundings (the vertex, and a sum of 3 products), the difference by 2; the
/// rest covers the comparison with a bound. Test: `no_axis_proves_more_than_the_distance`.
pub(crate) const GAP_ERROR: f64 = 2e-15;

/// The fraction of its own length by which a vector between two points must separate the triangles to prove that no
/// pair of points is nearer: it allows the roundings of both lengths, 45 of them. Test: `agrees_across_small_gaps`.
pub(crate) const PROVEN_DISTANCE_PART: f64 = 1.0 - 1e-14;

/// A bound on the rounding error of the ends of a slab in `Triangle::contact_range`, relative to the axis's 1-norm
/// times the extent: twice that of a gap. Test: `grid_meshes_part_at_exact_places`.
pub(crate) const SLAB_ERROR: f64 = 4e-15;

/// The sine of an angle in a triangle below which the triangle's normal may be mostly rounding, so that the triangle is
/// also treated as a segment or a point: edges are off by 2^-53 each, so the normal of this sine keeps three digits.
/// Test: `grid_meshes_part_at_exact_places`.
pub(crate) const DEGENERATE_SINE: f64 = 1e-12;

/// The correction of barycentric coordinates, relative to the squared normal, below which it is mere rounding: the
/// coordinates of a point are off by several roundings. Test: `closest_point_of_any_triangle`.
pub(crate) const BARYCENTRIC_ROUNDING: f64 = 1e-15;

/// A bound on the relative rounding error of a rational number converted to f64: a correct conversion rounds once, and
/// this allows 90 roundings. Test: `solids_of_cells`.
pub(crate) const RATIONAL_ROUNDING: f64 = 1e-14;

// ---- scenes and characters ------------------------------------------------------------------------------------------

/// A bound on the factor by which a length in a body's frame differs from the same length in the world, in either
/// direction, relative rounding errors included.
///
/// No entry of `|R^T R - I|` exceeds `d =` [`Pose::MAX_DEVIATION`], so by Gershgorin the eigenvalues of `R^T R` lie
/// between `1 - 3 d` and `1 + 3 d`: lengths grow by at most `sqrt(1 + 3 d)` and shrink by at most `sqrt(1 - 3 d)`,
/// factors that differ from `1 + 1.5 d` and its inverse by less than 1e-7. Of the remaining `0.5 d`, the assertions
/// below keep 4e-5 for relative errors of a few `u` and for the 3e-14 of [`TRANSPOSE_IS_INVERSE`]. Tests:
/// `scene::margins`.
pub(crate) const POSE_STRETCH: f64 = 1.0 + 2.0 * Pose::MAX_DEVIATION;
const _: () = assert!(POSE_STRETCH * POSE_STRETCH > 1.0 + 3.0 * Pose::MAX_DEVIATION + 8e-5);
const _: () = assert!(POSE_STRETCH * POSE_STRETCH * (1.0 - 3.0 * Pose::MAX_DEVIATION - 8e-5) > 1.0);

/// A bound on the factor by which a matrix `R` with the deviation `d` (the largest entry of `|R^T R - I|`) lengthens a
/// vector: `sqrt(1 + 3 d) <= 1 + 1.5 d`. 1e-12 covers the rounding of the deviation (about 10 `u`) and of the lengths
/// that the factor is applied to. Test: `spheres_and_swept_boxes_hold_what_moves`.
pub(crate) fn stretch(deviation: f64) -> f64 {
    1.0 + 2.0 * deviation + 1e-12
}

/// The rounding error of a coordinate of a body in a scene, in the world or in the frame of a body nearby, relative to
/// `s`: the sum of the largest coordinates of the two corners of its mesh's box and of its translation.
///
/// * A posed point `R x + t` is off by at most `4 u (sqrt(3) + 1) s < 11 u s`.
/// * In the other body's frame, with `b <= s` for each mesh's largest coordinate and the origins at most `2 sqrt(3) b`
///   apart: the relative matrix is off by `3 u` an entry, the relative translation by `4 sqrt(3) u` times that
///   distance, and the posed point by `4 u` of the sum. Together less than `70 u s`. Errors in proportion to a distance
///   beyond that are relative errors of the distance, which [`POSE_STRETCH`] covers.
/// * [`TRANSPOSE_IS_INVERSE`] moves a point of the frame by at most `3e-14 b`.
///
/// The sum is below 4e-14 `s`; the rest is for the closest points, whose distance is off by a few `u` of coordinates,
/// and for rounding in the boxes and spheres themselves. Tests: `bodies_touch_far_out`, and the fault `scene-rounding`.
const BODY_ROUNDING: f64 = 1e-13;
const _: () = assert!(BODY_ROUNDING > 2.0 * (3.0 * TRANSPOSE_IS_INVERSE + 70.0 * U));

/// A bound on the rounding error of a coordinate of a body, in the world or in the frame of a body nearby:
/// [`BODY_ROUNDING`] times the body's `s`. `bounds` is the box of its mesh.
#[inline]
pub(crate) fn body_rounding(pose: &Pose, bounds: &Aabb) -> f64 {
    // The largest absolute coordinate of a vector without NaN.
    let greater = |a: f64, b: f64| if a > b { a } else { b };
    let largest = |v: &Vector3<f64>| greater(greater(v.x.abs(), v.y.abs()), v.z.abs());
    BODY_ROUNDING * (largest(&bounds.lower.coords) + largest(&bounds.upper.coords) + largest(pose.translation()))
}

/// An upper bound on the displacement of any point of a body between two poses, given that of the box corner that moves
/// most: displacement is a convex function of the point. `rounding` bounds the rounding error of both positions of that
/// corner.
///
/// The norm is off by at most 8 `u < 1e-14` of itself. Squares of components below 1.5e-154 underflow, which loses at
/// most `sqrt(3) * 1.5e-154 < 4e-154`. The result is positive. Tests: `no_move_is_lost_and_none_counts_for_more`,
/// `small_moves_count_after_long_ways`.
#[inline]
pub(crate) fn displacement_bound(corner_displacement: f64, rounding: f64) -> f64 {
    corner_displacement * (1.0 + 1e-14) + rounding + 4e-154
}

/// A bound on how far any vertex of a body moves between two poses: the center of a sphere around its box moves as the
/// poses say, and other points differ from it by at most the matrices' difference times the radius. `extent` is the
/// largest coordinate of the meshes.
///
/// Norms and products are off by a few `u` of themselves. The posed vertices and the difference of the posed centers
/// are off by less than 12 `u` of the coordinates and translations each, far below [`BODY_ROUNDING`]. Test:
/// `batches_are_as_one_by_one`.
pub(crate) fn displacement_between(from: &Pose, to: &Pose, center: &Vector3<f64>, radius: f64, extent: f64) -> f64 {
    let turn = to.rotation() - from.rotation();
    let shift = turn * center + (to.translation() - from.translation());
    let rounding = BODY_ROUNDING * (2.0 * extent + from.translation().amax() + to.translation().amax());
    (shift.norm() + turn.norm() * radius) * (1.0 + 1e-12) + rounding
}

/// The margin of volume tests, enlarged so that volumes found to be apart are apart by more than `distance`; both
/// lengths are in the unit of the frame in which the test runs. The stretch covers axes that are longer than 1 after
/// rounding, by less than 1e-4, and both frames' deviation from a rotation, as in [`POSE_STRETCH`]. Test:
/// `clear_poses_are_as_far_apart_as_claimed`.
pub(crate) fn enlarged_margin(margin: f32, distance: f64) -> f32 {
    above(f64::from(margin) + distance * MARGIN_STRETCH)
}

const MARGIN_STRETCH: f64 = 1.0 + 1e-3;
const _: () = assert!(MARGIN_STRETCH > POSE_STRETCH * POSE_STRETCH * (1.0 + 1e-4));

/// A sum of displacements restarts before it is this many times the length being added.
///
/// Each addition rounds up by at most two units in the last place of the sum, `4 u * 2^30 = 2^-21 < 1e-6` of the
/// length, so that no displacement is lost and none counts for more than a millionth too much. Test:
/// `no_move_is_lost_and_none_counts_for_more`.
pub(crate) const MAX_SUM_PER_DISPLACEMENT: f64 = (1_u64 << 30) as f64;

/// The fraction by which the relative frame of two moving bodies may shorten or lengthen distances during a motion.
///
/// Between its ends a motion's matrix is `turn * (M0 + (M1 - M0) t)`, with `M0` and `M1` of deviation `d =`
/// [`Pose::MAX_DEVIATION`] and `|M1 - M0| <= 8 d` (the quaternions of stretching matrices are off by about `2 d`
/// each). So singular values stay within `1 - 9.5 d` and `1 + 9.5 d`. Test: `frames_stretch_by_less_than_a_thousandth`.
pub(crate) const MOTION_STRETCH: f64 = 1e-3;
const _: () = assert!(MOTION_STRETCH >= 10.0 * Pose::MAX_DEVIATION);

/// The factor that turns a bound on the speed at which bodies approach, measured in the world, into a bound on the
/// speed measured in a body's frame. 1e-12 covers the rounding of the norms and sums in the bound, a few `u` each.
/// Test: `impacts_are_where_samples_say`.
pub(crate) const APPROACH_SPEED: f64 = 1.0 + MOTION_STRETCH + 1e-12;

/// The fraction of a step of conservative advancement that is safe to take.
///
/// The quotient of distance and speed is off by a few `u`, far less than 1e-9 of itself. Adding it to the time rounds
/// by `u` of 1, during which bodies come nearer by `u` of the motion. Steps are only taken at distances above 1e-9 of
/// the motion, of which [`MOTION_STRETCH`] leaves far more than that. Test: `impacts_are_where_samples_say`.
pub(crate) const ADVANCEMENT_STEP: f64 = 1.0 - 1e-9;

/// The speed due to rotation alone, from the bound on a point's speed `speed >= linear` and the linear part of it. The
/// sum inside `speed` and the difference here round by at most `2 u < 1e-15` of the sum. Test:
/// `impacts_are_where_samples_say`.
pub(crate) fn angular_part(speed: f64, linear: f64) -> f64 {
    (speed - linear).max(0.0) + 1e-15 * speed
}

/// How far a point at distance `arm` from a body's origin strays, during a motion, from the chord between its positions
/// at both ends; `deviation` is the matrix's at the start, and the motion's matrix drifts by `drift` besides turning.
///
/// A curve strays from its chord by at most an eighth of its largest second derivative. That of the turn is `angle^2`
/// times the length of the stretched arm, and that of the drift is `(2 angle + angle^2) drift` per arm, an eighth of
/// which is below `angle * drift` because `angle <= pi`. Test: `spheres_and_swept_boxes_hold_what_moves`.
pub(crate) fn chord_error(arm: f64, angle: f64, drift: f64, deviation: f64) -> f64 {
    arm * (angle * angle / 8.0 * stretch(deviation) + angle * drift)
}

/// The rounding error of a ray's or point's coordinates about the broad phase's origin, and of where the ray enters a
/// box, relative to the sum of the largest coordinates of ray origin and box.
///
/// Subtracting the origin rounds by `u`, and a body's frame turns origin and direction with errors of `4 sqrt(3) u`
/// along any axis of the length of the ray up to the box, which is at most `sqrt(3)` of that sum. Together less than 40
/// `u`. Test: `rays_from_far_away_meet_what_their_bodies_say`.
pub(crate) const RAY_ROUNDING: f64 = 1e-14;
const _: () = assert!(RAY_ROUNDING > 40.0 * U);

/// The rounding error in f32 of where a ray starts and of its offset from a box of the broad phase, relative to the sum
/// of the largest coordinates of the start, of the box, and of the half extents of the box that moves: the start is
/// rounded once, the sum with a corner once. Test: `rays_from_far_away_meet_what_their_bodies_say`.
pub(crate) const LOCAL_RAY_ROUNDING: f64 = 4.0 * F32_ROUNDING;

/// The fraction of the time from a ray's start to a box that is certain: an offset in f32 is multiplied with a rounded
/// reciprocal, for where the ray enters and where it leaves, so that six roundings matter at most. Test:
/// `rays_from_far_away_meet_what_their_bodies_say`.
pub(crate) const LOCAL_RAY_SHORTENED: f32 = 1.0 - 8.0 * f32::EPSILON;

/// The error allowed in the cosine of a slope that is compared with the steepest walkable one: unit normals of
/// well-shaped triangles are off by a few `u`, and those of needles by more. Test: `character::situations`.
pub(crate) const SLOPE_COSINE_ERROR: f64 = 1e-9;

/// The error of a step's height, as a fraction of the skin: casts stop at distances that are off by a few `u` of
/// coordinates, far less than the skin. Test: `character::situations`.
pub(crate) const STEP_HEIGHT_ERROR: f64 = 0.01;

/// The angle, in radians, below which a surface is flat for contact manifolds: vertices of f32 in a plane are off by
/// `2^-24` of their coordinates, which are up to a thousand times as long as the triangles. Test: `contact_manifolds`.
pub(crate) const FLAT_ANGLE: f64 = 1e-4;

/// How far the test whether a triangle is near a convex shape's surface may err, relative to the coordinates. The test
/// only errs by counting triangles as near. Test: `convex_manifolds`.
pub(crate) const SHAPE_BAND_ROUNDING: f64 = 1e-9;
/// [`SHAPE_BAND_ROUNDING`] for the test in f32: a few tens of roundings of `2^-24`. Test:
/// `what_is_left_out_has_no_contacts`.
pub(crate) const NARROW_BAND_ROUNDING: f32 = 1e-5;

/// How far a quick test in f32 of edges near a cylinder's or a cone's side may err, relative to the coordinates: for an
/// edge that is nearly along the axis, one component `x` of a unit vector in the discs' plane is off by some hundred
/// roundings of `2^-24`, and so is `1 - x^2`. Its root, the other component, is off by 4e-3 where it should be zero.
/// Test: `quick_tests_leave_out_no_axis`.
pub(crate) const SIDE_TEST_ROUNDING: f32 = 5e-3;

/// A margin for f64 coordinates of at most one, not yet rounded to f32; it exceeds their rounding errors by far. Tests:
/// `convex_manifolds`.
pub(crate) const FEATURE_COORDINATE_ROUNDING: f64 = 1e-6;

/// How far a test of features in f32 may err, if everything near has coordinates of at most one: a few tens of
/// roundings of `2^-24`. Tests: `convex_manifolds`.
pub(crate) const NEAR_FEATURE_ROUNDING: f32 = 2e-5;
/// [`NEAR_FEATURE_ROUNDING`] for squared distances.
pub(crate) const NEAR_FEATURE_ROUNDING_SQ: f32 = 1e-5;

/// How far two tiles of a level may be apart at their seam, as a fraction of each tile's largest coordinate: the same
/// point in two frames is rounded to f32 in both, twice along each axis. Test: `scene::seams`.
pub(crate) const SEAM_ROUNDING: f64 = 1.0 / (1 << 22) as f64;

/// The length of the difference of two unit normals below which they are the same up to rounding; and the length of a
/// projection of a unit vector below which it has no direction, since it is off by a few `u`. Tests:
/// `character::random`.
pub(crate) const SAME_DIRECTION: f64 = 1e-9;
/// The square of [`SAME_DIRECTION`].
pub(crate) const SAME_DIRECTION_SQ: f64 = 1e-18;

/// The length of the sum of two unit normals below which their planes face each other: those of parallel faces are off
/// by the rounding of their `f32` vertices, some 1e-7 divided by the ratio of a face's size to its coordinates. A move
/// along both enters one of them by at most this fraction of its length, far less than the skin. Test:
/// `character::wedged`.
pub(crate) const OPPOSITE: f64 = 1e-5;

/// How far a move is turned away from the planes that it slides along, as a fraction of the move.
///
/// A projection onto a plane is off by about 6 `u` of the move; onto the crease of two planes by 4 `u` over the sine of
/// their angle, which exceeds this number for nearly parallel planes. Therefore the result is checked against all
/// planes, and a failed projection only stops the move. Test: `no_part_is_longer_or_goes_into_a_plane`.
pub(crate) const SLIDE_CLEARANCE: f64 = 1e-9;

// ---- shapes ---------------------------------------------------------------------------------------------------------

/// The margin of the separating-axis test of two boxes, relative to the sum of all their half extents, which bounds the
/// distance of overlapping boxes' centres.
///
/// With `e` for that sum: the offset is off by `7 u e` a coordinate and the relative rotation by `3 u` an entry; an
/// edge axis takes two products of them and a radius of four, so that the comparison is off by less than `64 u e`. Axes
/// whose `|axes^T axes - I|` is at most `d` add `16 d e`. This is 2048 `u`: enough for `d <= 64 u`. Tests:
/// `shape::volumes`.
pub(crate) const BOX_OVERLAP: f64 = f64::EPSILON * 1024.0;
const _: () = assert!(BOX_OVERLAP >= 64.0 * U + 16.0 * (BOX_OVERLAP / 32.0));

/// The length of the cross product of two unit edges below which its direction counts as rounding noise: the product is
/// off by about 4 `u`, so that longer ones have a direction to within 5e-8. Tests: `shape::volumes`.
pub(crate) const PARALLEL_EDGES: f64 = 1e-8;

/// The squared length of a triangle's normal, relative to the product of two edges' squared lengths, below which the
/// triangle is a segment up to rounding: edges are off by `u` and their cross product by `4 u` of the product of
/// lengths, so that a normal of `64 * 2 u` has a direction to within 4 percent. Tests: `shape::convex`.
pub(crate) const NO_AREA_SQ: f64 = (64.0 * f64::EPSILON) * (64.0 * f64::EPSILON);

/// A bound on the rounding error of a triangle's heights over a box's corner along the triangle's computed normal, and
/// of the box's own extent along it, relative to the sum of the absolute products. The normal itself may be off: boxes
/// and triangles that are apart along any direction are apart.
///
/// A difference of coordinates is off by `u`, its product by another, and the sum of three by two more: 4 for the
/// triangle and 4 for the box. Tests: `integer_triangles_and_boxes_touch_exactly`,
/// `needles_and_boxes_in_their_faces_touch`.
pub(crate) const PLANE_HEIGHT: f64 = 16.0 * U;

/// A bound on the rounding error of the gap between a convex shape and a triangle along a direction, relative to the
/// direction's 1-norm times the largest coordinate relative to the shape's center.
///
/// A vertex relative to the center is off by `u` of each coordinate, its product with the direction by `3 u` more: 4
/// for each side and 2 for the difference. The disc of a cylinder or cone adds its radius times the length of a cross
/// product, which is off by `6 u` of the direction's length, and the sum by `u`. The axis is off by `2 u` from a unit
/// vector. Together less than 24 `u`, and the quotient by the direction's length adds 4 `u` of the gap, which is at
/// most twice the coordinate times `sqrt(3)`. Tests: `tests/shape/convex.rs`.
pub(crate) const CONVEX_GAP_ERROR: f64 = 64.0 * U;
const _: () = assert!(CONVEX_GAP_ERROR > 24.0 * U + 4.0 * U * 2.0 * 1.7321);

/// How far one of the two points that touch after a translation may seem to lie outside its shape or triangle, relative
/// to the largest coordinate about the shape's center: the translation is off by [`CONVEX_GAP_ERROR`], and the point by
/// its product with the axis, which may be off a facet's normal by some roundings more. A point that seems farther
/// outside is found by a search instead. Test: `depths_below_triangles_are_certified`.
pub(crate) const TOUCHING_POINTS: f64 = 1e-13;

/// The fraction of its own length by which a vector between closest points must separate a convex shape and a triangle
/// to count as their distance. Smaller differences are rounding. Tests: `tests/shape/convex.rs`.
pub(crate) const CONVEX_DISTANCE_PART: f64 = 1.0 - 1e-14;

/// The margin of boxes around convex shapes, relative to the largest coordinates of the shape's center and of the shape
/// relative to it: a support height is off by less than `16 u`, and the sums with the center by `2 u`. Tests:
/// `tests/shape/convex.rs`.
pub(crate) const SHAPE_BOX_ROUNDING: f64 = 16.0 * f64::EPSILON;

/// How much a box around a convex shape must grow to enclose the shape after a pose has moved both.
///
/// A point `c + A y` of the box moves to `R (c + A y) + t`, off by `4 u` of the coordinates of `c`, the box and `t`,
/// and the center likewise. The axes of the moved box, made orthonormal again, are off from `R A` by twice the pose's
/// deviation and `16 u`, so that the point's offset along them differs from `y` by at most four times both of the sum
/// of half extents. Test: `convex_shapes_and_triangles_are_certified`.
#[inline]
pub(crate) fn moved_box_rounding(obb: &Obb, pose: &Pose) -> f64 {
    let coordinates = obb.center.coords.abs().sum() + pose.translation().amax();
    4.0 * (pose.deviation() + 16.0 * U) * obb.half_extents.sum() + 16.0 * U * coordinates
}

/// How far a radius of a convex shape may reach in the world beyond where the shape's pose places it, relative to the
/// radius: poses move cores, but radii stay what they are in the frame in which two bodies are compared.
///
/// With `d =` [`Pose::MAX_DEVIATION`], a frame lengthens by `sqrt(1 - 3 d)` to `sqrt(1 + 3 d)`, so that two frames
/// disagree about a sphere's radius by `3 d`. A disc that is perpendicular to its axis in one of them is off by `6 d`
/// in angle and `3 d` in length in the other: together `6.8 d` of its radius. Test: `shapes_in_frames_that_stretch`.
pub(crate) const SHAPE_STRETCH: f64 = 10.0 * Pose::MAX_DEVIATION;

/// Two candidates for the closest points of a frustum and a triangle count as equally near if their squared distances
/// differ by at most this factor, which allows for 45 roundings of each squared distance. The error of either distance
/// is then within the bound [`DISC_DISTANCE_ERROR`]. Test: `convex_shapes_and_triangles_are_certified`.
pub(crate) const SAME_DISTANCE_SQ: f64 = 1.0 + 1e-14;

/// A bound on the error of the distance from a cylinder or a cone to another object, relative to the largest coordinate
/// of that object about the cylinder or cone. It is twice the error that [`ConvexShape`](crate::shape::ConvexShape)
/// states.
pub(crate) const DISC_DISTANCE_ERROR: f64 = 2e-6;

// ---- poses, meshes and metrics --------------------------------------------------------------------------------------

/// Components of a quaternion in f64 that differ by at most this part of the largest component count as equal, and
/// components smaller than that count as zero: it covers the rounding of sines, cosines and about four products of
/// rotations, `2 u` each.
///
/// Turns by less than about 1e-15 radians are lost. Tests: `rotations` (rational arithmetic).
pub(crate) const QUATERNION_ROUNDING: f64 = 4.0 * f64::EPSILON;
/// [`QUATERNION_ROUNDING`] for quaternions in f32.
pub(crate) const QUATERNION_ROUNDING_F32: f64 = 4.0 * f32::EPSILON as f64;

/// The deviation (largest entry of `|R^T R - I|`) below which a matrix's transpose stands for its inverse.
///
/// `R^T = (I + E) R^-1` with entries of `E` below this, so a point of the frame moves by at most 3 times this, 3e-14 of
/// its largest coordinate. Products of rounded rotations stay below for some tens of factors. Tests: `scene::margins`.
pub(crate) const TRANSPOSE_IS_INVERSE: f64 = 1e-14;

/// A bound on the rounding error of the volume of a mesh of `n` triangles, computed as a sum of determinants
/// `a . (b x c)`. The given sums are those of the products of lengths `|a| |b| |c|` and of the determinants' absolute
/// values. A common factor, such as the sixth that makes a determinant a volume, scales all three.
///
/// A determinant is off by at most 6 `u` of the permanent of absolute values, which is below `1.16 |a| |b| |c|`, and
/// the corners' rounding adds `3 u` of it: together less than `32 u |a| |b| |c|`. Adding `n` of them one after the
/// other rounds by at most `n u` of the sum of absolute values. Tests: `response::mass`, `enclosed_volumes_by_hand`,
/// `volumes_within_rounding_are_none`.
pub(crate) fn volume_error(triangles: usize, sum_of_lengths: f64, sum_of_magnitudes: f64) -> f64 {
    32.0 * U * sum_of_lengths + triangles as f64 * U * sum_of_magnitudes
}

/// A bound on the thickness of a flat mesh after rounding to f32, if its largest coordinate is `largest`: each of a
/// vertex's three coordinates moves by at most half of `f32::EPSILON` of it, so that the vertex moves by at most
/// `sqrt(3)` times that, on both sides of the plane. Test: `oblique_planes_are_flat`.
pub(crate) fn flatness(largest: f64) -> f64 {
    const ROOT_OF_3: f64 = 1.732_050_807_568_878;
    ROOT_OF_3 * f64::from(f32::EPSILON) * largest.max(f64::from(f32::MIN_POSITIVE))
}

/// A bound on the area, `x (y + z) + y z` of half extents in the frame's unit, of the stored box along a line around
/// points that were on it before they were rounded to f32, if their largest coordinate is `largest`.
///
/// Half the points' [`flatness`] is the half extent across the line; the box's axes, computed from such points, lean
/// as much again. Axes, centre and half extents in f32 add fewer than 8 roundings of 2^-24. With `h` for the sum, the
/// half extents are at most `1 + h`, `h` and `h`. Test: `collapsed_meshes_are_rebuilt_once_they_expand`.
pub(crate) fn area_of_line(largest: f64, unit: f64) -> f64 {
    let h = flatness(largest) / unit + 4.0 * f64::from(f32::EPSILON);
    h * (2.0 + 3.0 * h)
}

/// The diameter, relative to the root's, below which a volume counts as exact: it exceeds its triangles only by the
/// outward rounding to f32 in the frame, 2^-24 of the frame's unit for each bound. Test:
/// `boxes_that_fit_exactly_have_no_error`.
pub(crate) const NEGLIGIBLE_DIAMETER: f64 = 1e-6;

/// The diameter, relative to the largest coordinate, below which a volume counts as exact: its points coincide in f32,
/// and the rounding errors of distances in f64 would exceed the tolerances of their intervals. Test:
/// `degenerate_meshes_give_finite_figures_or_none`.
pub(crate) const NEGLIGIBLE_EXTENT: f64 = 1e-9;

/// How far outside a plane a point still counts as on it, relative to the polytope's size: a corner of three planes is
/// off by some 20 roundings over the sine of their angle. Test: `roots_reach_as_far_as_sampled`.
pub(crate) const ON_PLANE: f64 = 1e-12;

/// The fraction of its largest coordinate by which a polytope's planes are moved out: a plane through three of its
/// points, and the distance of a fourth from it, are off by some 30 roundings over the sine of the points' angle, and a
/// hundred times as much is allowed. Test: `polytopes_have_the_figures_of_the_library_s_volumes`.
pub(crate) const POLYTOPE_SLACK: f64 = 1e-12;

/// How far the faces of a k-DOP reach beyond it, relative to the largest extent of its box: each is clipped with a
/// slack of 1e-12 of the half diagonal, and a corner lies on three planes at angles of 30 degrees or more. Test:
/// `roots_reach_as_far_as_sampled`.
pub(crate) const KDOP_FACE_ROUNDING: f64 = 1e-11;

#[cfg(test)]
mod tests;
