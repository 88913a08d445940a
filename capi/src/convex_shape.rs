//! Convex shapes: spheres, capsules, boxes, cylinders, cones and convex hulls, rounded or not, to be compared with
//! trees or added to scenes.

use std::mem::MaybeUninit;

use bvtree::response::MassProperties;
use bvtree::shape::ConvexShape;
use nalgebra::Point3;

use crate::ffi::{Out, array, given, hand_over, out};
use crate::mesh::BvtMassProperties;
use crate::panic_guard::{DONE, panic_guard};
use crate::pose::{BvtPose, point, pose, vector};
use crate::shape::{BvtAabb, BvtObb};
use crate::status::{BvtStatus, Error};

/// A convex solid, closed: a sphere, capsule, box, cylinder, cone or convex hull, each with or without rounded edges.
///
/// Lengths have the unit of the meshes. Each shape has a frame of its own, and functions take a pose that maps it into
/// the frame of the mesh or the world. Axes of capsules, cylinders and cones are along z. Sizes of zero are allowed: a
/// box may be a rectangle, a segment or a point, a cylinder a disc. A shape never changes: any number of threads may
/// use it at the same time.
///
/// Overlap tests of a box or a hull that is not rounded are exact for its posed vertices, which are rounded once to
/// doubles, like those of meshes. For other shapes no overlap is missed, but a small gap may be reported as an overlap:
/// a gap of up to about 1e-14 times the triangle's largest coordinate relative to the shape's centre or, for cylinders
/// and cones, of up to a millionth of that coordinate.
pub struct BvtConvexShape {
    pub(crate) shape: ConvexShape,
}

/// Returns the shape transformed by a pose; a null pose is the identity.
pub(crate) fn placed(shape: Option<&BvtConvexShape>, to: Option<&BvtPose>, name: &str) -> Result<ConvexShape, Error> {
    let shape = &given(shape, "shape")?.shape;
    match to {
        None => Ok(shape.clone()),
        to => Ok(shape.transformed(&pose(to, name)?)),
    }
}

/// Creates a shape and passes its ownership to C.
fn make(shape: Out<'_, *mut BvtConvexShape>, made: impl FnOnce() -> Result<ConvexShape, Error>) -> BvtStatus {
    panic_guard(|| {
        let out = out(shape, "shape")?;
        hand_over(out, BvtConvexShape { shape: made()? });
        DONE
    })
}

/// Creates a sphere with its centre at the origin.
///
/// Errors: `BVT_ERROR_ARGUMENT` if the radius is negative or not finite.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_convex_shape_sphere(
    radius: f64,
    shape: Option<&mut MaybeUninit<*mut BvtConvexShape>>,
) -> BvtStatus {
    make(shape, || Ok(ConvexShape::sphere(radius)?))
}

/// Creates the capsule of all points within a radius of the segment from `-half_length` to `half_length` on the z axis.
///
/// Errors: `BVT_ERROR_ARGUMENT` if a length is negative or not finite.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_convex_shape_capsule(
    half_length: f64,
    radius: f64,
    shape: Option<&mut MaybeUninit<*mut BvtConvexShape>>,
) -> BvtStatus {
    make(shape, || Ok(ConvexShape::capsule(half_length, radius)?))
}

/// Creates the axis-aligned box with its centre at the origin.
///
/// Errors: `BVT_ERROR_ARGUMENT` if a half extent is negative or not finite.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_convex_shape_cuboid(
    half_extents: Option<&[f64; 3]>,
    shape: Option<&mut MaybeUninit<*mut BvtConvexShape>>,
) -> BvtStatus {
    make(shape, || Ok(ConvexShape::cuboid(vector(half_extents, "half_extents")?)?))
}

/// Creates the cylinder about the z axis from `-half_height` to `half_height`.
///
/// Errors: `BVT_ERROR_ARGUMENT` if a length is negative or not finite.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_convex_shape_cylinder(
    half_height: f64,
    radius: f64,
    shape: Option<&mut MaybeUninit<*mut BvtConvexShape>>,
) -> BvtStatus {
    make(shape, || Ok(ConvexShape::cylinder(half_height, radius)?))
}

/// Creates the cone about the z axis with its base at `-half_height` and its apex at `half_height`.
///
/// Errors: `BVT_ERROR_ARGUMENT` if a length is negative or not finite.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_convex_shape_cone(
    half_height: f64,
    radius: f64,
    shape: Option<&mut MaybeUninit<*mut BvtConvexShape>>,
) -> BvtStatus {
    make(shape, || Ok(ConvexShape::cone(half_height, radius)?))
}

/// Creates the convex hull of points, three coordinates each; the points' frame becomes the shape's. Points inside the
/// hull are dropped, by an exact test. The points may be in a plane, on a line or equal.
///
/// Errors: `BVT_ERROR_ARGUMENT` if there is no point or a coordinate is not finite.
///
/// # Safety
/// `points` points to three coordinates for each of `count` points; it may be null if `count` is 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bvt_convex_shape_hull(
    points: *const f64,
    count: usize,
    shape: Option<&mut MaybeUninit<*mut BvtConvexShape>>,
) -> BvtStatus {
    make(shape, || {
        // SAFETY: the caller promises it; a count too large for memory is refused.
        let coordinates = unsafe { array(points, count.saturating_mul(3), "points") }?;
        let points: Vec<Point3<f64>> = coordinates.chunks_exact(3).map(Point3::from_slice).collect();
        Ok(ConvexShape::hull(&points)?)
    })
}

/// Creates a copy of the shape `of`, enlarged by a radius on all sides, which rounds its edges: it contains all points
/// within the radius of `of`. Radii of repeated calls add up.
///
/// Errors: `BVT_ERROR_ARGUMENT` if the radius is negative or not finite.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_convex_shape_rounded(
    of: Option<&BvtConvexShape>,
    radius: f64,
    shape: Option<&mut MaybeUninit<*mut BvtConvexShape>>,
) -> BvtStatus {
    make(shape, || Ok(given(of, "of")?.shape.clone().rounded(radius)?))
}

/// Frees a shape. Null is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_convex_shape_free(shape: Option<Box<BvtConvexShape>>) {
    drop(shape);
}

/// Writes the axis-aligned box around a shape transformed by a pose. A null pose is the identity. The box is exact for
/// a box or a hull that is not rounded; for other shapes, rounding makes it slightly too large.
///
/// Errors: `BVT_ERROR_POSE`.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_convex_shape_aabb(
    shape: Option<&BvtConvexShape>,
    to_world: Option<&BvtPose>,
    aabb: Option<&mut MaybeUninit<BvtAabb>>,
) -> BvtStatus {
    panic_guard(|| {
        let out = out(aabb, "aabb")?;
        out.write((&placed(shape, to_world, "to_world")?.aabb()).into());
        DONE
    })
}

/// Writes an oriented box around a shape transformed by a pose. A null pose is the identity. The oriented box is
/// aligned with the axes of a box or with the axis of a cylinder, a cone or a capsule; for a hull it is fitted.
/// Rounding makes it slightly too large.
///
/// Errors: `BVT_ERROR_POSE`.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_convex_shape_obb(
    shape: Option<&BvtConvexShape>,
    to_world: Option<&BvtPose>,
    obb: Option<&mut MaybeUninit<BvtObb>>,
) -> BvtStatus {
    panic_guard(|| {
        let out = out(obb, "obb")?;
        out.write((&placed(shape, to_world, "to_world")?.obb()).into());
        DONE
    })
}

/// Writes a point of a shape that is farthest along a direction, up to rounding. The point and the direction, of any
/// length, are in the shape's own frame.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_convex_shape_support_point(
    shape: Option<&BvtConvexShape>,
    direction: Option<&[f64; 3]>,
    support: Option<&mut MaybeUninit<[f64; 3]>>,
) -> BvtStatus {
    panic_guard(|| {
        let (shape, direction) = (given(shape, "shape")?, vector(direction, "direction")?);
        out(support, "support")?.write(shape.shape.support_point(&direction).into());
        DONE
    })
}

/// Computes the mass properties of a shape of density 1, in the shape's own frame.
///
/// Errors: `BVT_ERROR_MASS` if the shape has no volume.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_convex_shape_mass_properties(
    shape: Option<&BvtConvexShape>,
    mass: Option<&mut MaybeUninit<BvtMassProperties>>,
) -> BvtStatus {
    panic_guard(|| {
        let (shape, out) = (given(shape, "shape")?, out(mass, "mass")?);
        out.write(MassProperties::of_shape(&shape.shape)?.into());
        DONE
    })
}

/// Writes whether a point, in the shape's own frame, is in the shape or on its surface: exactly for a box or a hull
/// that is not rounded, and otherwise up to rounding.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_convex_shape_contains(
    shape: Option<&BvtConvexShape>,
    at: Option<&[f64; 3]>,
    contains: Option<&mut MaybeUninit<bool>>,
) -> BvtStatus {
    panic_guard(|| {
        let (shape, at) = (given(shape, "shape")?, point(at, "at")?);
        out(contains, "contains")?.write(shape.shape.contains(&at));
        DONE
    })
}
