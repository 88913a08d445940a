//! Convex shapes with parameters: spheres, capsules, boxes, cylinders, cones and convex hulls, each rounded or not.

use nalgebra::{Matrix3, Point3, Vector3};
use thiserror::Error;

use super::convex_hull::{facets, flat_hull};
use super::convex_polytope::{Polytope, Vertices};
use super::{Aabb, Capsule, Obb, Sphere};
use crate::numeric::error_bounds::{SHAPE_BOX_ROUNDING, TRANSPOSE_IS_INVERSE, moved_box_rounding};
use crate::pose::Pose;
use crate::volume::fit::ObbFit;

/// A convex solid, closed: a sphere, capsule, box, cylinder, cone or convex hull, each with or without rounded edges.
///
/// Lengths have the unit of the mesh that the shape is compared with. A constructor places the shape about the origin
/// of its own frame, and [`ConvexShape::transformed`] takes it into the frame of a tree, in which queries of that tree
/// expect it. Axes of capsules, cylinders and cones are along z, as in URDF and FCL. Sizes of zero are allowed: a
/// cuboid may be a rectangle, a segment or a point, a cylinder a disc. Sizes and coordinates beyond the crate's
/// [numerical range](crate#numerical-range) are not refused if they are finite, but results may be wrong.
///
/// A shape with only flat faces (a cuboid or a hull, not rounded) is the convex hull of its vertices, whose coordinates
/// are rounded once by `transformed`. On these coordinates verdicts are exact, as for meshes. For shapes with curved
/// surfaces no overlap is missed, but a gap of up to about 1e-14 of the triangle's largest coordinate, measured from
/// the shape's center, may be reported as an overlap; for cylinders and cones, of up to a millionth of that coordinate.
///
/// ```
/// use bvtree::Pose;
/// use bvtree::shape::{ConvexShape, Overlaps};
/// use bvtree::triangle::Triangle;
/// use nalgebra::{Point3, Vector3};
///
/// let can = ConvexShape::cylinder(0.5, 0.25)?.transformed(&Pose::from_translation(Vector3::new(0.0, 0.0, 0.5))?);
/// let floor = Triangle::new(Point3::new(-1.0, -1.0, 0.0), Point3::new(1.0, -1.0, 0.0), Point3::new(0.0, 1.0, 0.0));
/// assert!(can.overlaps(&floor), "it stands on the floor");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
#[doc(alias = "primitive")]
#[doc(alias = "Cuboid")]
#[doc(alias = "Cylinder")]
#[doc(alias = "Cone")]
#[doc(alias = "ConvexPolyhedron")]
pub struct ConvexShape {
    pub(super) core: Core,
    /// The rounding radius: the shape is all points within this distance of the core.
    pub(super) radius: f64,
    /// A point of the core, up to rounding.
    center: Point3<f64>,
    /// A bound on the absolute coordinates of the core's points relative to the center.
    pub(super) extent: f64,
    /// The box around the core.
    core_box: Obb,
}

/// The convex set that the rounding radius enlarges to the shape.
#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "shapes are placed without memory")]
pub(super) enum Core {
    Polytope(Polytope),
    Frustum(Frustum),
}

/// The convex hull of two parallel discs: a cylinder, a cone, or a part of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frustum {
    pub(super) centers: [Point3<f64>; 2],
    pub(super) radii: [f64; 2],
    /// The discs' unit normal, up to rounding.
    pub(super) axis: Vector3<f64>,
}

impl Frustum {
    /// The frustum moved by a pose; `unit` normalizes its moved axis.
    #[inline]
    fn moved(&self, pose: &Pose, unit: impl Fn(&Vector3<f64>) -> Vector3<f64>) -> Self {
        Self {
            centers: [pose.transform_point(&self.centers[0]), pose.transform_point(&self.centers[1])],
            axis: unit(&(pose.rotation() * self.axis)),
            ..*self
        }
    }
}

/// An invalid parameter of a [`ConvexShape`].
#[derive(Clone, Copy, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ConvexError {
    /// A length is negative, infinite or NaN.
    #[error("the {parameter} is {value}; expected a finite number that is not negative")]
    Length {
        /// The name of the parameter.
        parameter: &'static str,
        /// The parameter's value.
        value: f64,
    },
    /// A coordinate of a point is infinite or NaN.
    #[error("point {index} has a coordinate that is not finite")]
    NotFinite {
        /// The index of the point.
        index: usize,
    },
    /// A hull of no points.
    #[error("a convex hull needs at least one point")]
    NoPoints,
}

fn length(parameter: &'static str, value: f64) -> Result<f64, ConvexError> {
    if value.is_finite() && value >= 0.0 { Ok(value) } else { Err(ConvexError::Length { parameter, value }) }
}

/// Normalizes a vector of almost unit length by one step of Newton's method. Precondition: the square of the length's
/// error is below rounding.
#[inline]
fn renormalized(v: &Vector3<f64>) -> Vector3<f64> {
    v * (1.5 - 0.5 * v.norm_squared())
}

/// Orthonormal axes from the first two columns of a nearly orthonormal matrix; `unit` normalizes a vector.
#[inline]
fn orthonormal(columns: &Matrix3<f64>, unit: impl Fn(&Vector3<f64>) -> Vector3<f64>) -> Matrix3<f64> {
    let x = unit(&columns.column(0).into_owned());
    let y = columns.column(1);
    let y = unit(&(y - x * x.dot(&y)));
    Matrix3::from_columns(&[x, y, x.cross(&y)])
}

fn check_points(points: &[Point3<f64>]) -> Result<(), ConvexError> {
    match points.iter().position(|point| !point.iter().all(|x| x.is_finite())) {
        Some(index) => Err(ConvexError::NotFinite { index }),
        None if points.is_empty() => Err(ConvexError::NoPoints),
        None => Ok(()),
    }
}

impl ConvexShape {
    /// The sphere of this radius about the origin.
    ///
    /// # Errors
    /// If the radius is negative or not finite.
    pub fn sphere(radius: f64) -> Result<Self, ConvexError> {
        Self::cuboid(Vector3::zeros())?.rounded(radius)
    }

    /// The capsule of all points within `radius` of the segment from `-half_length` to `half_length` on the z axis.
    /// (The whole capsule is longer by the radius at both ends.)
    ///
    /// # Errors
    /// If a length is negative or not finite.
    pub fn capsule(half_length: f64, radius: f64) -> Result<Self, ConvexError> {
        Self::cuboid(Vector3::new(0.0, 0.0, length("half length", half_length)?))?.rounded(radius)
    }

    /// The box with these half extents about the origin, along the coordinate axes.
    ///
    /// # Errors
    /// If a half extent is negative or not finite.
    pub fn cuboid(half_extents: Vector3<f64>) -> Result<Self, ConvexError> {
        for half_extent in &half_extents {
            length("half extent", *half_extent)?;
        }
        let half = Aabb { lower: Point3::from(-half_extents), upper: Point3::from(half_extents) };
        Ok(Self::from_corners(half.corners().into(), &Matrix3::identity(), true))
    }

    /// The cylinder about the z axis, from `-half_height` to `half_height`.
    ///
    /// # Errors
    /// If a length is negative or not finite.
    pub fn cylinder(half_height: f64, radius: f64) -> Result<Self, ConvexError> {
        Self::frustum(half_height, [radius; 2])
    }

    /// The cone about the z axis with its base at `-half_height` and its apex at `half_height`.
    ///
    /// # Errors
    /// If a length is negative or not finite.
    pub fn cone(half_height: f64, radius: f64) -> Result<Self, ConvexError> {
        Self::frustum(half_height, [radius, 0.0])
    }

    fn frustum(half_height: f64, radii: [f64; 2]) -> Result<Self, ConvexError> {
        let half_height = length("half height", half_height)?;
        length("radius", radii[0])?;
        let centers = [-half_height, half_height].map(|z| Point3::new(0.0, 0.0, z));
        Ok(Self::from_frustum(Frustum { centers, radii, axis: Vector3::z() }))
    }

    /// The convex hull of points, in the frame of the points. Points inside the hull, on its faces or on its edges are
    /// dropped, exactly: every point given is in the shape.
    ///
    /// The points may be in a plane, on a line or equal. The computation takes O(n log n) time for most sets of points.
    ///
    /// # Errors
    /// If there is no point, or a coordinate is not finite.
    pub fn hull(points: &[Point3<f64>]) -> Result<Self, ConvexError> {
        check_points(points)?;
        let mut corners: Vec<usize> = facets(points).into_iter().flatten().collect();
        corners.sort_unstable();
        corners.dedup();
        let vertices: Vec<Point3<f64>> = if corners.is_empty() {
            flat_hull(points)
        } else {
            corners.into_iter().map(|corner| points[corner]).collect()
        };
        let axes = ObbFit::BestArea.fit(&vertices).axes;
        Ok(Self::from_corners(vertices.into(), &axes, false))
    }

    /// The convex hull of points that are its corners already, such as those of another library's hull, in O(n) time.
    ///
    /// Query results are those of [`ConvexShape::hull`] of the same points. Points that are not corners are kept and
    /// cost time in every query, and the box of [`ConvexShape::obb`] is along the axes of the points' frame.
    ///
    /// # Errors
    /// If there is no point, or a coordinate is not finite.
    pub fn polytope(points: &[Point3<f64>]) -> Result<Self, ConvexError> {
        check_points(points)?;
        Ok(Self::from_corners(points.into(), &Matrix3::identity(), false))
    }

    /// The shape enlarged by a radius on all sides, which rounds its edges: all points within the radius of the shape.
    /// Radii of repeated calls add up.
    ///
    /// # Errors
    /// If the radius is negative, or it or the sum is not finite.
    pub fn rounded(mut self, radius: f64) -> Result<Self, ConvexError> {
        self.radius = length("radius", self.radius + length("radius", radius)?)?;
        Ok(self)
    }

    /// The shape moved by a pose, in the frame into which the pose maps. Vertices are rounded once; radii do not
    /// change.
    ///
    /// [A pose that preserves planes](Pose#flush-contact) keeps the shape's faces flush with those of other shapes.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Self {
        let center = pose.transform_point(&self.center);
        // Each kind of core is built in place: a core built before would be copied.
        match (&self.core, self.core_box_at(pose)) {
            (Core::Polytope(core), Some(core_box)) if !core.is_moved() => {
                Self::new(Core::Polytope(core.moved_by(*pose)), self.radius, center, core_box)
            }
            (Core::Frustum(core), Some(core_box)) => {
                Self::new(Core::Frustum(core.moved(pose, renormalized)), self.radius, center, core_box)
            }
            (core, core_box) => {
                let core = match core {
                    Core::Polytope(core) => Core::Polytope(core.moved(pose, core_box.is_some())),
                    Core::Frustum(core) => Core::Frustum(core.moved(pose, Vector3::normalize)),
                };
                let core_box = core_box.unwrap_or_else(|| core.obb(&center, &self.core_axes_at(pose)));
                Self::new(core, self.radius, center, core_box)
            }
        }
    }

    /// The axes of the core's box, rotated by a pose and made orthonormal again, because a pose may deviate from a
    /// rotation.
    fn core_axes_at(&self, pose: &Pose) -> Matrix3<f64> {
        orthonormal(&(pose.rotation() * self.core_box.axes), Vector3::normalize)
    }

    /// The box around the core where a pose places it; `None` if the pose deviates from a rotation by more than
    /// rounding.
    #[inline(always)]
    pub(super) fn core_box_at(&self, pose: &Pose) -> Option<Obb> {
        if pose.deviation() >= TRANSPOSE_IS_INVERSE {
            return None;
        }
        let Obb { center, axes, half_extents } = &self.core_box;
        Some(Obb {
            center: pose.transform_point(center),
            axes: orthonormal(&(pose.rotation() * axes), renormalized),
            half_extents: half_extents.add_scalar(moved_box_rounding(&self.core_box, pose)),
        })
    }

    /// The convex hull of at least one corner. Consecutive equal corners are merged.
    fn from_corners(mut vertices: Vertices, axes: &Matrix3<f64>, is_cuboid: bool) -> Self {
        vertices.dedup();
        let first = vertices[0];
        let sum: Vector3<f64> = vertices.iter().map(|vertex| vertex - first).sum();
        let center = first + sum / vertices.len() as f64;
        let core = Core::Polytope(Polytope::new(vertices, is_cuboid));
        let core_box = core.obb(&center, axes);
        Self::new(core, 0.0, center, core_box)
    }

    /// Whether the core is known to be a cuboid along the axes of its box, which may be a rectangle, a segment or a
    /// point; false for a hull of a cuboid's corners.
    pub(crate) fn is_cuboid(&self) -> bool {
        self.cuboid_axes().is_some()
    }

    /// Whether the shape is known to be a cuboid, possibly flat, that is not rounded.
    pub(crate) fn is_box(&self) -> bool {
        self.is_cuboid() && self.radius == 0.0
    }

    /// Whether the shape is a sphere: its core is a point.
    pub(crate) fn is_sphere(&self) -> bool {
        matches!(&self.core, Core::Polytope(polytope) if polytope.is_point())
    }

    /// The axes of the core if it is known to be a cuboid; `None` for other cores.
    pub(super) fn cuboid_axes(&self) -> Option<&Matrix3<f64>> {
        matches!(&self.core, Core::Polytope(polytope) if polytope.is_cuboid).then_some(&self.core_box.axes)
    }

    fn from_frustum(frustum: Frustum) -> Self {
        let [first, second] = frustum.centers;
        let beside = Vector3::ith(frustum.axis.iamin(), 1.0);
        let u = frustum.axis.cross(&beside).normalize();
        let axes = Matrix3::from_columns(&[u, frustum.axis.cross(&u), frustum.axis]);
        let (core, center) = (Core::Frustum(frustum), nalgebra::center(&first, &second));
        let core_box = core.obb(&center, &axes);
        Self::new(core, 0.0, center, core_box)
    }

    #[inline(always)]
    fn new(core: Core, radius: f64, center: Point3<f64>, core_box: Obb) -> Self {
        let reach = core_box.axes.abs() * core_box.half_extents + (core_box.center - center).abs();
        Self { core, radius, center, extent: reach.amax(), core_box }
    }

    /// The largest dot product of a direction and a point of the core relative to the center.
    #[inline]
    pub(crate) fn core_height(&self, direction: &Vector3<f64>) -> f64 {
        match &self.core {
            Core::Polytope(polytope) => polytope.support(direction, &self.center).1,
            Core::Frustum(frustum) => {
                let [first, second] = frustum.heights(direction, &direction.cross(&frustum.axis), &self.center);
                first.max(second)
            }
        }
    }

    /// The point of the core that is farthest along a direction, and the largest dot product of the direction and a
    /// point of the core relative to the center; see
    /// [`CONVEX_GAP_ERROR`](crate::numeric::error_bounds::CONVEX_GAP_ERROR).
    #[inline]
    pub(super) fn core_support(&self, direction: &Vector3<f64>) -> (Point3<f64>, f64) {
        self.core.support(direction, &self.center)
    }

    /// A point of the shape that is farthest along a direction of any length, up to rounding.
    pub fn support_point(&self, direction: &Vector3<f64>) -> Point3<f64> {
        let outward = direction.try_normalize(0.0).unwrap_or_default();
        self.core_support(direction).0 + outward * self.radius
    }

    /// A point inside the shape, up to rounding: the mean of the vertices, or the middle of the axis. To tell whether a
    /// shape that touches no triangle lies inside a closed mesh, pass this point to
    /// [`Probe::contains`](crate::Probe::contains).
    pub fn center(&self) -> Point3<f64> {
        self.center
    }

    /// The rounding radius; for a sphere or a capsule, its radius. A cylinder's or a cone's own radius is not counted.
    pub fn rounding_radius(&self) -> f64 {
        self.radius
    }

    /// The axis-aligned box around the shape: exact for a shape with only flat faces, and otherwise larger by about
    /// 1e-14 of the largest coordinate.
    pub fn aabb(&self) -> Aabb {
        match &self.core {
            Core::Polytope(polytope) if self.radius == 0.0 => Aabb::from_points(polytope.vertices()),
            _ => {
                let rounding = SHAPE_BOX_ROUNDING * (self.extent + self.center.coords.amax() + self.radius);
                let margin = self.radius + rounding;
                self.aabb_about(&self.center, |k| (Vector3::ith(k, 1.0), margin))
            }
        }
    }

    /// The axis-aligned box around the shape where a pose places it, up to rounding. A pose that deviates from a
    /// rotation stretches radii, too, unlike in [`ConvexShape::transformed`].
    pub(crate) fn aabb_at(&self, pose: &Pose) -> Aabb {
        if self.is_cuboid() {
            let Obb { center, axes, half_extents } = &self.core_box;
            let (center, reach) = (pose.transform_point(center), (pose.rotation() * axes).abs() * half_extents);
            let reach = Vector3::from_fn(|k, _| reach[k] + self.radius * pose.rotation().row(k).norm());
            return Aabb { lower: center - reach, upper: center + reach };
        }
        let center = pose.transform_point(&self.center);
        self.aabb_about(&center, |k| {
            let direction = pose.rotation().row(k).transpose();
            (direction, if self.radius > 0.0 { self.radius * direction.norm() } else { 0.0 })
        })
    }

    /// The axis-aligned box around the core where its center is moved to `center`. For each coordinate axis, `axis`
    /// returns the direction that becomes it, in the frame of the core, and a margin.
    #[inline(always)]
    fn aabb_about(&self, center: &Point3<f64>, axis: impl Fn(usize) -> (Vector3<f64>, f64)) -> Aabb {
        let mut around = Aabb { lower: *center, upper: *center };
        for k in 0..3 {
            let (direction, margin) = axis(k);
            let [lowest, highest] = self.core_reach(&direction);
            around.lower[k] += lowest - margin;
            around.upper[k] += highest + margin;
        }
        around
    }

    /// The least and the largest dot product of a direction and a point of the core relative to the center.
    #[inline(always)]
    pub(crate) fn core_reach(&self, direction: &Vector3<f64>) -> [f64; 2] {
        match &self.core {
            Core::Polytope(polytope) => polytope.reach(direction, &self.center),
            Core::Frustum(frustum) => {
                let across = direction.cross(&frustum.axis);
                let [first, second] = frustum.heights(direction, &across, &self.center);
                let [below, above] = frustum.heights(&-direction, &across, &self.center);
                [-below.max(above), first.max(second)]
            }
        }
    }

    /// Whether the shape's own box proves that the shape is farther than `distance` from an axis-aligned box. True if
    /// the distance is negative or NaN.
    pub(crate) fn is_beyond(&self, aabb: &Aabb, distance: f64) -> bool {
        if distance.is_nan() || distance < 0.0 {
            return true;
        }
        let Obb { center, axes, half_extents } = &self.core_box;
        let size = (self.radius + distance) * (1.0 + SHAPE_BOX_ROUNDING) + SHAPE_BOX_ROUNDING * center.coords.amax();
        let reach = axes.abs() * half_extents * (1.0 + SHAPE_BOX_ROUNDING);
        (0..3).any(|k| {
            let reach = reach[k] + size;
            center[k] + reach < aabb.lower[k] || center[k] - reach > aabb.upper[k]
        })
    }

    /// A bound on the absolute coordinates of the shape's points, up to rounding.
    #[inline]
    pub(crate) fn largest_coordinate(&self) -> f64 {
        self.center.coords.amax() + self.extent + self.radius
    }

    /// A sphere around the shape.
    pub(crate) fn bounding_sphere(&self) -> Sphere {
        let radius = (self.core_box.half_extents.norm() + self.radius) * (1.0 + SHAPE_BOX_ROUNDING);
        Sphere { center: self.core_box.center, radius }
    }

    /// The rounding radius plus that of the larger disc, if any. Poses do not change it.
    pub(crate) fn largest_radius(&self) -> f64 {
        self.radius + if let Core::Frustum(frustum) = &self.core { frustum.radii[0].max(frustum.radii[1]) } else { 0.0 }
    }

    /// Whether the core has discs, so that distances may exceed the true ones by up to
    /// [`DISC_DISTANCE_ERROR`](crate::numeric::error_bounds::DISC_DISTANCE_ERROR).
    pub(crate) fn has_discs(&self) -> bool {
        matches!(self.core, Core::Frustum(_))
    }

    /// The box around the core; no point of the shape is farther from it than the rounding radius.
    pub(crate) fn core_obb(&self) -> &Obb {
        &self.core_box
    }

    /// An oriented box around the shape, larger by about 1e-14 of the largest coordinate. It is aligned with the axes
    /// of a cuboid or with the axis of a cylinder, a cone or a capsule; for a [hull](ConvexShape::hull) it is fitted,
    /// and for a [polytope](ConvexShape::polytope) it is along the axes of the points' frame.
    pub fn obb(&self) -> Obb {
        let radius = Vector3::repeat(self.radius * (1.0 + SHAPE_BOX_ROUNDING));
        Obb { half_extents: self.core_box.half_extents + radius, ..self.core_box }
    }
}

impl TryFrom<Sphere> for ConvexShape {
    type Error = ConvexError;

    fn try_from(sphere: Sphere) -> Result<Self, ConvexError> {
        Self::hull(&[sphere.center])?.rounded(sphere.radius)
    }
}

impl TryFrom<Capsule> for ConvexShape {
    type Error = ConvexError;

    fn try_from(capsule: Capsule) -> Result<Self, ConvexError> {
        Self::hull(&[capsule.segment.start, capsule.segment.end])?.rounded(capsule.radius)
    }
}

impl TryFrom<Aabb> for ConvexShape {
    type Error = ConvexError;

    /// The box; an empty one is an error.
    fn try_from(aabb: Aabb) -> Result<Self, ConvexError> {
        if aabb.is_empty() { Err(ConvexError::NoPoints) } else { Self::hull(&aabb.corners()) }
    }
}

impl TryFrom<Obb> for ConvexShape {
    type Error = ConvexError;

    /// The convex hull of the box's corners.
    fn try_from(obb: Obb) -> Result<Self, ConvexError> {
        Self::hull(&obb.corners())
    }
}

impl Core {
    /// See [`ConvexShape::core_support`].
    #[inline]
    fn support(&self, direction: &Vector3<f64>, origin: &Point3<f64>) -> (Point3<f64>, f64) {
        match self {
            Core::Polytope(polytope) => polytope.support(direction, origin),
            Core::Frustum(frustum) => frustum.support(direction, origin),
        }
    }

    /// The box around the core along orthonormal axes; the center is a point of the core.
    fn obb(&self, center: &Point3<f64>, axes: &Matrix3<f64>) -> Obb {
        let height = |axis: Vector3<f64>| self.support(&axis, center).1;
        let upper = Vector3::from_fn(|k, _| height(axes.column(k).into_owned()));
        let lower = Vector3::from_fn(|k, _| -height(-axes.column(k)));
        let rounding = SHAPE_BOX_ROUNDING * (upper.amax().max(lower.amax()) * 2.0 + center.coords.amax());
        let half_extents = ((upper - lower) * 0.5).add_scalar(rounding);
        Obb { center: center + axes * ((lower + upper) * 0.5), axes: *axes, half_extents }
    }
}

impl Frustum {
    /// See [`ConvexShape::core_support`]. The dot product is not computed from the rounded point: a disc reaches as far
    /// along a direction as its center does, plus its radius times the length of the direction's part in its plane.
    pub(super) fn support(&self, direction: &Vector3<f64>, origin: &Point3<f64>) -> (Point3<f64>, f64) {
        let across = direction.cross(&self.axis);
        let heights = self.heights(direction, &across, origin);
        let disc = usize::from(heights[1] > heights[0]);
        let outward = self.axis.cross(&across).try_normalize(0.0).unwrap_or_default();
        (self.centers[disc] + outward * self.radii[disc], heights[disc])
    }

    /// The largest dot product of a direction, of any length, and a point of each disc relative to `origin`; `across`
    /// is the cross product of the direction and the axis.
    #[inline]
    fn heights(&self, direction: &Vector3<f64>, across: &Vector3<f64>, origin: &Point3<f64>) -> [f64; 2] {
        let length = across.norm();
        let height = |i: usize| (self.centers[i] - origin).dot(direction) + self.radii[i] * length;
        [height(0), height(1)]
    }
}
