//! Convex shapes against triangles: GJK in f64 with a proven lower bound, and exact verdicts for polytopes.
//!
//! GJK (Gilbert, Johnson and Keerthi 1988) descends on the Minkowski difference of the triangle and the shape's core.
//! Each direction it tries gives a lower bound on the distance, the gap between the two along it, less its rounding
//! error; and each simplex an upper bound, the length of the vector between two points. Where neither the gap nor four
//! differences around the origin decide whether a polytope meets a triangle, exact predicates do, on the triangles of
//! its surface.

use nalgebra::{Point3, Vector3};

use super::convex::Core;
use super::convex_planes::KnownPlanes;
use super::convex_polytope::Polytope;
use super::frustum_distance::Nearest;
use super::simplex::{Closest, Difference, Simplex};
use super::sphere::closest_on_sphere;
use super::{ClosestPoint, ConvexShape, Distance, Overlaps, reversed};
use crate::numeric::error_bounds::{CONVEX_DISTANCE_PART, CONVEX_GAP_ERROR, triangle_distance_error};
use crate::simd::SimdLevel;
use crate::triangle::Triangle;

/// The result of comparing a convex shape with a triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Proximity {
    /// The shape and the triangle are proven to be farther apart than the given limit.
    Beyond,
    /// The closest points, and their distance, which is positive.
    Apart { distance: f64, on_shape: Point3<f64>, on_triangle: Point3<f64> },
    /// The shape and the triangle have a point in common: this point of the triangle, up to rounding.
    Overlap(Point3<f64>),
}

impl ConvexShape {
    /// Whether the shape and a triangle are within the distance `limit`, and their closest points if they are.
    pub(crate) fn proximity(&self, triangle: &Triangle, limit: f64) -> Proximity {
        KnownPlanes::new(self, SimdLevel::detect()).proximity(triangle, limit)
    }

    /// The gap that a search found, or that exact tests find if the search leaves open whether a polytope meets the
    /// triangle.
    pub(super) fn decided_gap(&self, triangle: &Triangle, gap: CoreGap, limit: f64) -> CoreGap {
        let is_open = !gap.overlaps && gap.lower <= limit + self.radius && (!gap.is_proven || gap.lower <= 0.0);
        match &self.core {
            Core::Polytope(polytope) if is_open && !(self.radius > 0.0 && gap.upper <= self.radius) => {
                polytope.gap(triangle, self.extent)
            }
            _ => gap,
        }
    }

    /// The verdict of a search, or of exact tests if the search leaves it open.
    pub(super) fn decided(&self, triangle: &Triangle, gap: CoreGap, limit: f64) -> Proximity {
        if gap.lower > limit + self.radius {
            return Proximity::Beyond;
        }
        let gap = self.decided_gap(triangle, gap, limit);
        if gap.overlaps || gap.lower <= self.radius {
            return Proximity::Overlap(gap.on_triangle);
        }
        let on_shape = closest_on_sphere(&gap.on_core, self.radius, &gap.on_triangle);
        let distance = (gap.upper - self.radius).max(f64::MIN_POSITIVE);
        Proximity::Apart { distance, on_shape, on_triangle: gap.on_triangle }
    }

    /// Runs GJK between the core and a triangle. Stops if the two overlap, if their distance is certain up to rounding,
    /// if it is certainly above `limit`, if its upper bound is at most `enough`, or if the search gains nothing more or
    /// has taken too many steps: then the result may be undecided.
    pub(super) fn search(&self, triangle: &Triangle, limit: f64, enough: f64) -> CoreGap {
        self.search_to(&RelativeTriangle::new(self, triangle), limit, enough)
    }

    /// [`ConvexShape::search`] of the core and anything convex.
    pub(super) fn search_to(&self, other: &impl Opposite, limit: f64, enough: f64) -> CoreGap {
        let extent = other.extent().max(self.extent);
        if let Some(closest) = self.closest_to_point(other, extent) {
            return closest;
        }
        let mut gap = CoreGap::unknown(other.any_point());
        let mut simplex = Simplex::default();
        let mut nearest: Option<Closest> = None;
        let mut direction = other.first_direction();
        if direction == Vector3::zeros() {
            direction = Vector3::x();
        }
        for step in 0..MAX_STEPS {
            if step == BEFORE_DISCS
                && let Some(closest) = self.closest_of_discs(other, extent)
            {
                return closest;
            }
            let Along { on_core, on_triangle, .. } = self.tried(other, extent, &direction, &mut gap);
            if gap.lower > limit || gap.is_proven {
                break;
            }
            let vector = on_triangle - on_core;
            if simplex.has(&vector) {
                self.try_normals(other, extent, &simplex, &mut gap);
                break;
            }
            simplex.push(Difference { on_core, on_triangle, vector });
            let mut closest = simplex.closest_to_origin();
            if closest.is_inside() {
                gap.overlaps = true;
                nearest = Some(closest);
                break;
            }
            let upper = closest.weighted(|i| simplex[i].vector).norm();
            // Nothing is gained any more: this is as near as rounding lets a search come.
            if upper >= gap.upper {
                self.try_normals(other, extent, &simplex, &mut gap);
                break;
            }
            gap.upper = upper;
            simplex.keep(&mut closest);
            nearest = Some(closest);
            if upper <= enough || upper == 0.0 {
                break;
            }
            direction = closest.vector;
        }
        if let Some(closest) = nearest {
            [gap.on_core, gap.on_triangle] = closest.points(&simplex);
        }
        gap
    }
}

impl ConvexShape {
    /// The point of a triangle that is closest to a core that is a point, if the plane between them proves that it is.
    #[inline]
    fn closest_to_point(&self, other: &impl Opposite, extent: f64) -> Option<CoreGap> {
        let triangle = other.triangle().filter(|_| self.is_sphere())?;
        let closest = Closest::of_triangle(&triangle.relative);
        let vector = closest.weighted(|i| triangle.relative[i]);
        let (on_core, upper) = (self.center(), vector.norm());
        let mut gap = CoreGap { on_core, upper, ..CoreGap::unknown(on_core + vector) };
        self.tried(other, extent, &closest.vector, &mut gap);
        gap.is_proven.then_some(gap)
    }

    /// The closest points of a cylinder or a cone and a triangle, if the plane between them proves that they are.
    fn closest_of_discs(&self, other: &impl Opposite, extent: f64) -> Option<CoreGap> {
        let (Core::Frustum(frustum), Some(triangle)) = (&self.core, other.triangle()) else { return None };
        let Nearest { on_shape: on_core, on_triangle, axis, .. } = frustum.closest_to_triangle(triangle.triangle)?;
        let upper = (on_triangle - on_core).norm();
        let mut gap = CoreGap { on_core, upper, ..CoreGap::unknown(on_triangle) };
        self.tried(other, extent, &axis, &mut gap);
        gap.is_proven.then_some(gap)
    }

    /// Tries a direction: the gap along it may be a greater lower bound on the distance, and proves the upper bound if
    /// it is as great.
    #[inline]
    fn tried(&self, other: &impl Opposite, extent: f64, direction: &Vector3<f64>, gap: &mut CoreGap) -> Along {
        let along = self.along(other, extent, direction);
        if along.gap - along.rounding > gap.lower {
            (gap.lower, gap.axis) = (along.gap - along.rounding, *direction);
        }
        gap.is_proven = along.gap >= CONVEX_DISTANCE_PART * gap.upper - along.rounding;
        along
    }

    /// Tries the normals of a simplex's faces and edges. Near the edge of a face, or the end of an edge, rounding may
    /// keep a search from the normal, along which alone the gap is as great as the distance.
    #[cold]
    fn try_normals(&self, other: &impl Opposite, extent: f64, simplex: &Simplex, gap: &mut CoreGap) {
        for normal in simplex.face_normals().chain(simplex.edge_normals()) {
            if normal != Vector3::zeros() && !gap.is_proven {
                self.tried(other, extent, &normal, gap);
            }
        }
    }

    /// Compares the core with a triangle or another core along a direction.
    #[inline]
    pub(super) fn along(&self, other: &impl Opposite, extent: f64, direction: &Vector3<f64>) -> Along {
        let (on_core, core_height) = self.core_support(direction);
        let (on_triangle, height) = other.lowest(direction);
        let length = direction.norm();
        let rounding = CONVEX_GAP_ERROR * extent * (direction.abs().sum() / length);
        Along { on_core, on_triangle, gap: (height - core_height) / length, rounding }
    }

    /// The plane of greatest gap between the shape and a triangle that the search finds. Where they are near or overlap
    /// it may be far from the best.
    pub(crate) fn separating_plane(&self, triangle: &Triangle) -> SeparatingPlane {
        self.plane_to(&RelativeTriangle::new(self, triangle))
    }

    /// [`ConvexShape::separating_plane`] to anything convex.
    pub(super) fn plane_to(&self, other: &impl Opposite) -> SeparatingPlane {
        let gap = self.search_to(other, f64::INFINITY, -1.0);
        let axis = gap.axis.try_normalize(0.0).unwrap_or_default();
        SeparatingPlane { axis, gap: gap.lower - self.radius, on_triangle: gap.on_triangle }
    }

    /// The plane across a unit axis between the shape and anything convex.
    pub(super) fn plane_along(&self, other: &impl Opposite, axis: &Vector3<f64>) -> SeparatingPlane {
        let extent = other.extent().max(self.extent);
        let Along { on_triangle, gap, rounding, .. } = self.along(other, extent, axis);
        SeparatingPlane { axis: *axis, gap: gap - rounding - self.radius, on_triangle }
    }
}

/// What a shape's core is compared with, relative to the shape's center: a triangle, or the core of another shape.
pub(super) trait Opposite {
    /// A point of the triangle or core.
    fn any_point(&self) -> Point3<f64>;
    /// A bound on the absolute coordinates of the triangle or core.
    fn extent(&self) -> f64;
    /// A direction towards the triangle or core, of any length.
    fn first_direction(&self) -> Vector3<f64>;
    /// The point that is least far along a direction, and the least dot product of the direction and a point relative
    /// to the shape's center.
    fn lowest(&self, direction: &Vector3<f64>) -> (Point3<f64>, f64);
    /// The axis, of any length, that is preferred to others along which the overlap is equally deep; zero if there is
    /// none.
    fn preferred_axis(&self) -> Vector3<f64>;
    /// The triangle; `None` if this is a core.
    fn triangle(&self) -> Option<&RelativeTriangle<'_>>;
    /// [`ConvexShape::has_discs`] of the core.
    fn has_discs(&self) -> bool;
}

pub(super) struct RelativeTriangle<'a> {
    pub(super) triangle: &'a Triangle,
    relative: [Vector3<f64>; 3],
}

impl<'a> RelativeTriangle<'a> {
    pub(super) fn new(shape: &ConvexShape, triangle: &'a Triangle) -> Self {
        Self { triangle, relative: triangle.vertices.map(|vertex| vertex - shape.center()) }
    }

    /// The dot products of the vertices, relative to the shape's centre, with a direction.
    #[inline]
    pub(super) fn heights(&self, direction: &Vector3<f64>) -> [f64; 3] {
        self.relative.map(|vertex| vertex.dot(direction))
    }
}

impl Opposite for RelativeTriangle<'_> {
    fn any_point(&self) -> Point3<f64> {
        self.triangle.vertices[0]
    }

    fn extent(&self) -> f64 {
        self.relative.iter().map(|vertex| vertex.amax()).fold(0.0, f64::max)
    }

    fn first_direction(&self) -> Vector3<f64> {
        self.relative[0] + self.relative[1] + self.relative[2]
    }

    #[inline]
    fn lowest(&self, direction: &Vector3<f64>) -> (Point3<f64>, f64) {
        let [x, y, z] = self.heights(direction);
        let (nearest, height) = if x <= y && x <= z { (0, x) } else { [(1, y), (2, z)][usize::from(z < y)] };
        (self.triangle.vertices[nearest], height)
    }

    /// Against the triangle's normal, so that the shape counts as being on the triangle's front.
    fn preferred_axis(&self) -> Vector3<f64> {
        -self.triangle.scaled_normal()
    }

    fn triangle(&self) -> Option<&RelativeTriangle<'_>> {
        Some(self)
    }

    fn has_discs(&self) -> bool {
        false
    }
}

/// A plane between a convex shape and a triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SeparatingPlane {
    /// The unit normal, from the shape to the triangle; zero if no plane is known.
    pub(crate) axis: Vector3<f64>,
    /// A proven lower bound on the gap between the two along the axis; negative if they overlap along it.
    pub(crate) gap: f64,
    /// A point of the triangle or other shape, near the shape.
    pub(crate) on_triangle: Point3<f64>,
}

/// A core and a triangle or another core, compared along a direction.
pub(super) struct Along {
    /// The core's point that is farthest along the direction.
    pub(super) on_core: Point3<f64>,
    /// The triangle's vertex, or the other core's point, that is least far along the direction.
    pub(super) on_triangle: Point3<f64>,
    /// The gap between the core and the other object along the direction, off by at most `rounding`.
    pub(super) gap: f64,
    pub(super) rounding: f64,
}

/// The number of steps of a search before the closest points of cylinders and cones are found in another way: most
/// triangles farther away than the limit in question need fewer.
const BEFORE_DISCS: usize = 6;

/// The greatest number of steps of a search; more than cylinders and cones were ever seen to need.
const MAX_STEPS: usize = 100;

/// Bounds on the distance between a shape's core and a triangle or another core.
pub(super) struct CoreGap {
    /// A proven lower bound; negative if there is none.
    pub(super) lower: f64,
    /// The direction, of any length, along which the gap is `lower`; zero without one.
    pub(super) axis: Vector3<f64>,
    /// The distance between `on_core` and `on_triangle`, up to rounding.
    pub(super) upper: f64,
    pub(super) on_core: Point3<f64>,
    pub(super) on_triangle: Point3<f64>,
    /// Whether `upper` is the distance up to rounding.
    pub(super) is_proven: bool,
    /// Whether the two have a point in common for certain.
    pub(super) overlaps: bool,
}

impl CoreGap {
    pub(super) fn unknown(point: Point3<f64>) -> Self {
        let (lower, upper) = (f64::NEG_INFINITY, f64::INFINITY);
        let axis = Vector3::zeros();
        Self { lower, axis, upper, on_core: point, on_triangle: point, is_proven: false, overlaps: false }
    }
}

impl Polytope {
    /// The gap to a triangle, by testing it against every triangle of the surface: slow, but whether the two meet is
    /// decided exactly.
    #[cold]
    pub(super) fn gap(&self, triangle: &Triangle, extent: f64) -> CoreGap {
        let mut gap = CoreGap::unknown(triangle.vertices[0]);
        gap.overlaps = self.is_inside(&triangle.vertices[0]);
        for facet in self.triangles() {
            if gap.overlaps {
                break;
            }
            let closest = facet.closest_points(triangle);
            gap.overlaps = closest.distance_sq == 0.0;
            let distance = closest.distance_sq.sqrt();
            if distance < gap.upper {
                (gap.upper, gap.on_core, gap.on_triangle) = (distance, closest.on_a, closest.on_b);
            }
        }
        // Apart for certain, however near: at a distance of 0 for rounded shapes, and above it for others.
        gap.lower = (gap.upper - triangle_distance_error(extent + gap.upper, gap.upper)).max(f64::MIN_POSITIVE);
        gap.is_proven = true;
        gap
    }
}

impl Overlaps<Triangle> for ConvexShape {
    /// Whether the two share a point. For shapes with only flat faces the answer is exact for the given coordinates.
    /// For others, `false` is proven, and `true` may be wrong for a gap within the error that [`ConvexShape`] states.
    fn overlaps(&self, triangle: &Triangle) -> bool {
        KnownPlanes::new(self, SimdLevel::detect()).overlaps(triangle)
    }
}

impl Distance<Triangle> for ConvexShape {
    fn closest_points(&self, triangle: &Triangle) -> (Point3<f64>, Point3<f64>) {
        match self.proximity(triangle, f64::INFINITY) {
            Proximity::Apart { on_shape, on_triangle, .. } => (on_shape, on_triangle),
            Proximity::Overlap(common) => (common, common),
            Proximity::Beyond => (self.center(), triangle.vertices[0]),
        }
    }

    /// The squared distance; zero if and only if the two overlap.
    fn distance_sq(&self, triangle: &Triangle) -> f64 {
        match self.proximity(triangle, f64::INFINITY) {
            Proximity::Apart { distance, .. } => (distance * distance).max(f64::MIN_POSITIVE),
            _ => 0.0,
        }
    }
}

impl ClosestPoint for ConvexShape {
    fn closest_point(&self, point: &Point3<f64>) -> Point3<f64> {
        self.closest_points(&Triangle::new(*point, *point, *point)).0
    }
}

impl ConvexShape {
    /// Whether `point` lies in the shape or on its surface; as exact as [`Overlaps::overlaps`] with a triangle.
    pub fn contains(&self, point: &Point3<f64>) -> bool {
        self.overlaps(&Triangle::new(*point, *point, *point))
    }
}

reversed!(Triangle, 3: ConvexShape);
