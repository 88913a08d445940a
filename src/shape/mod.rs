//! Elementary shapes in 3D and the tests between them. Shapes in the plane are in [`crate::shape2`].
//!
//! Shapes are closed: touching counts as overlapping. Degenerate shapes are allowed: a sphere of radius zero is a
//! point, a triangle without area is a segment, a box may be flat. Only an [`Aabb`] or a [`KDop`] can be empty; an
//! empty box overlaps nothing, and its distances are NaN. Numbers are f64. Only [`ConvexShape`] and [`KDop`] allocate.
//! Results are rounded in f64; each item states where touching is exact. Each query is one trait for all pairs, in
//! either order of the arguments.
//!
//! | Pair | Queries | Method |
//! |---|---|---|
//! | point, sphere | `contains`, [`closest_point`] | radius along the offset; Ericson 2005, 4.3 |
//! | point, AABB | `contains`, [`closest_point`] | clamped; Ericson 2005, 5.1.3 |
//! | point, OBB | `contains`, [`closest_point`] | clamped in the box's frame; Ericson 2005, 5.1.4 |
//! | point, segment | [`closest_point`] | clamped projection; Ericson 2005, 5.1.2 |
//! | point, capsule | `contains`, [`closest_point`] | segment less radius; Ericson 2005, 4.5 |
//! | point, triangle | [`closest_point`] | [`crate::triangle`]; Ericson 2005, 5.1.5 |
//! | sphere, sphere | [`overlaps`], [`closest_points`] | squared distance of centres; Ericson 2005, 4.3.1 |
//! | sphere, sphere, moving | [`time_of_contact`] | quadratic in time; Ericson 2005, 5.5.5 |
//! | sphere, AABB | [`overlaps`], [`closest_points`] | point nearest to centre; Arvo 1990 |
//! | sphere, OBB | [`overlaps`], [`closest_points`] | point nearest to centre; Ericson 2005, 5.2.6 |
//! | sphere, segment | [`overlaps`], [`closest_points`] | point nearest to centre; Ericson 2005, 5.1.2 |
//! | sphere, capsule | [`overlaps`], [`closest_points`] | point nearest to centre; Ericson 2005, 4.5.1 |
//! | sphere, triangle | [`overlaps`], [`closest_points`] | point nearest to centre; Ericson 2005, 5.2.7 |
//! | AABB, AABB | [`overlaps`], [`intersection`], [`union`] | intervals per axis; Ericson 2005, 4.2.1 |
//! | AABB, AABB, moving | [`time_of_contact`] | intersected intervals of time; Ericson 2005, 5.5.8 |
//! | AABB, transform | [`transformed`] | smaller and larger product per entry; Arvo 1990 |
//! | OBB, OBB | [`overlaps`], [`separating_axis`] | 15 separating axes; Gottschalk et al. 1996 |
//! | OBB, AABB | [`overlaps`] | as two OBBs; Gottschalk et al. 1996 |
//! | segment, AABB | [`overlaps`], [`closest_points`] | slabs, Kay and Kajiya 1986; convex minimum |
//! | segment, OBB | [`overlaps`], [`closest_points`] | the same in the box's frame; Kay and Kajiya 1986 |
//! | triangle, AABB | [`overlaps`], [`closest_points`] | edges, then one diagonal; Green and Hatch 1995 |
//! | triangle, OBB | [`overlaps`], [`closest_points`] | the same in the box's frame; Green and Hatch 1995 |
//! | capsule, AABB | [`overlaps`], [`closest_points`] | segment less radius; Ericson 2005, 4.5 |
//! | capsule, OBB | [`overlaps`], [`closest_points`] | segment less radius; Ericson 2005, 4.5 |
//! | convex shape, convex shape | [`overlaps`], [`closest_points`] | GJK, then exact; Gilbert, Johnson, Keerthi 1988 |
//! | convex shapes that overlap | [`contact`] | expanding polytope, exact hulls; van den Bergen 2001 |
//! | convex shape, triangle | [`overlaps`], [`closest_points`] | GJK, then exact; Gilbert, Johnson and Keerthi 1988 |
//!
//! [`closest_points`] comes with `distance` and `distance_sq`. Pairs of triangles are in [`crate::triangle`], whose
//! methods on a triangle hide those of the traits: write `cube.distance(&triangle)`. Examples are in
//! `examples/shapes*.rs`. Arvo 1990 is Graphics Gems; Ericson 2005 is Real-Time Collision Detection; Gottschalk et al.
//! 1996 is OBBTree; Green and Hatch 1995 is in Graphics Gems V.
//!
//! [`closest_point`]: ClosestPoint
//! [`closest_points`]: Distance
//! [`contact`]: ConvexShape::contact
//! [`intersection`]: Aabb::intersection
//! [`overlaps`]: Overlaps
//! [`separating_axis`]: Obb::separating_axis
//! [`time_of_contact`]: TimeOfContact
//! [`transformed`]: Aabb::transformed
//! [`union`]: Aabb::union

mod aabb;
mod box_segment;
mod capsule;
mod convex;
mod convex_approach;
mod convex_axes;
mod convex_band;
mod convex_capsule;
mod convex_cast;
mod convex_core;
mod convex_depth;
mod convex_distance;
pub(crate) mod convex_hull;
mod convex_measure;
mod convex_mesh;
mod convex_moments;
mod convex_pair;
mod convex_planes;
mod convex_polytope;
mod frustum_distance;
pub(crate) mod half_spaces;
mod kdop;
mod moments;
mod obb;
mod polytope_lanes;
mod round_axes;
mod segment;
mod simplex;
pub(crate) mod sphere;
mod swept_box;
mod triangle;
mod triangle_depth;

use nalgebra::{Point, SVector, Vector3};

use crate::numeric::error_bounds::PARALLEL_EDGES;

pub use aabb::Aabb;
pub use capsule::Capsule;
pub use convex::{ConvexError, ConvexShape};
pub(crate) use convex_band::SurfaceBand;
pub(crate) use convex_capsule::{CorePair, thin_triangle};
pub(crate) use convex_cast::Advance;
pub(crate) use convex_core::{ContactCore, CoreFace};
pub use convex_depth::ShapeContact;
pub(crate) use convex_distance::{Proximity, SeparatingPlane};
pub(crate) use convex_planes::KnownPlanes;
pub use kdop::KDop;
pub(crate) use moments::Moments;
pub use obb::Obb;
pub use segment::Segment;
pub use sphere::Sphere;
pub(crate) use swept_box::{SweptBox, Times, Touch};

/// The face index that stands for a convex shape, which has no triangles.
pub const NO_FACE: u32 = u32::MAX;

/// The overlap test of two closed shapes.
pub trait Overlaps<Other = Self> {
    /// Whether the two share a point. Touching counts as overlapping; the empty box overlaps nothing.
    fn overlaps(&self, other: &Other) -> bool;
}

/// The closest point of a shape to a given point.
pub trait ClosestPoint<const D: usize = 3> {
    /// The closest point of the shape to `point`: `point` itself if the shape contains it.
    fn closest_point(&self, point: &Point<f64, D>) -> Point<f64, D>;
}

/// The closest points of two shapes and their distance.
#[doc(alias = "closest points")]
pub trait Distance<Other = Self, const D: usize = 3> {
    /// The closest points, the first on `self` and the second on `other`. If the shapes overlap, both are the same
    /// common point. Of several equally near pairs, any one may be returned.
    fn closest_points(&self, other: &Other) -> (Point<f64, D>, Point<f64, D>);

    /// The squared distance; zero if the shapes overlap.
    fn distance_sq(&self, other: &Other) -> f64 {
        let (on_self, on_other) = self.closest_points(other);
        (on_other - on_self).norm_squared()
    }

    /// The distance; zero if the shapes overlap.
    fn distance(&self, other: &Other) -> f64 {
        self.distance_sq(other).sqrt()
    }
}

impl<Shape: ClosestPoint<D>, const D: usize> Distance<Point<f64, D>, D> for Shape {
    fn closest_points(&self, point: &Point<f64, D>) -> (Point<f64, D>, Point<f64, D>) {
        (self.closest_point(point), *point)
    }
}

/// The time of contact of two shapes that move at constant velocity without rotating.
pub trait TimeOfContact<Other = Self> {
    /// The interval of contact within one unit of time, if any.
    ///
    /// `velocity` is that of `other` relative to `self`, in length units per unit of time.
    fn contact_interval(&self, other: &Other, velocity: &Vector3<f64>) -> Option<ContactInterval>;

    /// The first time in [0, 1] at which the shapes overlap: zero if they overlap at the start.
    fn time_of_contact(&self, other: &Other, velocity: &Vector3<f64>) -> Option<f64> {
        self.contact_interval(other, velocity).map(|contact| contact.entry)
    }
}

/// The interval of time in which two moving shapes overlap: `0 <= entry <= exit <= 1`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactInterval {
    /// The first time of contact; zero if the shapes overlap at the start.
    pub entry: f64,
    /// The last time of contact; one if the shapes still overlap at the end.
    pub exit: f64,
}

impl ContactInterval {
    /// The intersection of `[entry, exit]` and [0, 1], if any. `None` if a time is NaN.
    pub(super) fn clipped(entry: f64, exit: f64) -> Option<Self> {
        (entry <= exit && entry <= 1.0 && exit >= 0.0).then(|| Self { entry: entry.max(0.0), exit: exit.min(1.0) })
    }
}

/// Implements `overlaps` and `closest_points` of `$other` with each of the shapes by exchanging the arguments.
macro_rules! reversed {
    ($other:ty, $dimension:literal: $($shape:ty),+) => {$(
        impl $crate::shape::Overlaps<$shape> for $other {
            /// The same as with the arguments exchanged.
            #[inline]
            fn overlaps(&self, shape: &$shape) -> bool {
                $crate::shape::Overlaps::overlaps(shape, self)
            }
        }

        impl $crate::shape::Distance<$shape, $dimension> for $other {
            /// The same as with the arguments exchanged.
            fn closest_points(
                &self,
                shape: &$shape,
            ) -> (nalgebra::Point<f64, $dimension>, nalgebra::Point<f64, $dimension>) {
                let (on_shape, on_other) = $crate::shape::Distance::closest_points(shape, self);
                (on_other, on_shape)
            }
        }
    )+};
}

pub(crate) use reversed;

/// The result of the separating-axis test (SAT) of two convex shapes: an axis and the gap, or the axis of least overlap
/// and the penetration depth.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias = "penetration depth")]
pub enum Separation<const D: usize = 3> {
    /// The shapes' projections on `axis` are apart.
    Apart {
        /// The separating axis with the widest gap: unit length, from the first shape to the second.
        axis: SVector<f64, D>,
        /// The gap between the projections, a lower bound on the distance.
        gap: f64,
    },
    /// No axis separates the shapes.
    Overlapping {
        /// The axis of least overlap: unit length, from the first shape to the second.
        axis: SVector<f64, D>,
        /// The penetration depth: how far to move the second shape along `axis` until the two only touch. No other
        /// direction needs less.
        depth: f64,
    },
}

/// The projections of two shapes on an axis, all multiplied by the axis's length.
pub(crate) struct Projection<const D: usize> {
    pub axis: SVector<f64, D>,
    /// The distance from the centre of the first shape's projection to that of the second's.
    pub distance: f64,
    /// The sum of the projections' half widths.
    pub radius: f64,
    /// A bound on the rounding error.
    pub margin: f64,
}

impl<const D: usize> Projection<D> {
    pub fn separates(&self) -> bool {
        self.distance.abs() > self.radius + self.margin
    }
}

impl<const D: usize> Separation<D> {
    /// The widest gap of the projections that separate the shapes, or else the least overlap.
    pub(crate) fn of(projections: impl Iterator<Item = Projection<D>>) -> Self {
        let mut widest: Option<(SVector<f64, D>, f64)> = None;
        let mut least = (SVector::zeros(), f64::INFINITY);
        for projection in projections {
            let length = projection.axis.norm();
            let overlap = (projection.radius - projection.distance.abs()) / length;
            let toward_second = projection.axis * (1f64.copysign(projection.distance) / length);
            if projection.separates() && widest.is_none_or(|(_, gap)| -overlap > gap) {
                widest = Some((toward_second, -overlap));
            }
            if length > PARALLEL_EDGES && overlap < least.1 {
                least = (toward_second, overlap);
            }
        }
        match (widest, least) {
            (Some((axis, gap)), _) => Self::Apart { axis, gap },
            (None, (axis, depth)) => Self::Overlapping { axis, depth: depth.max(0.0) },
        }
    }
}
