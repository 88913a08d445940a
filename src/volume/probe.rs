//! Rays, points and boxes in a tree's frame, for tests against the volumes of wide nodes. They are in f32, with margins
//! for rounding, so that no volume is missed.

use nalgebra::{Point3, Vector3};

use super::bounding_volume::BoundingVolume;
use super::frame::Frame;
use super::node::Node;
use super::obb::PackedObb;
use crate::numeric::denormals::{above, rounded};
use crate::numeric::error_bounds::{F32_ROUNDING, FRAME_ROUNDING, PROBE_OPERATIONS};
use crate::shape::Obb;
use crate::simd::Simd;
use crate::simd::vectors::{Vector8, dot_fused, splatted};

/// A query point.
///
/// The mesh lies in the sphere of radius 1 about the frame's origin. A point far outside is moved nearer in the same
/// direction, which shortens all distances by nearly the same length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalPoint {
    pub(crate) coordinates: [f32; 3],
    /// The length by which the true point is farther from the origin than `coordinates`, in the frame's unit.
    far_offset: f64,
    /// A bound on the error of distances, in the frame's unit.
    margin: f64,
    unit: f64,
}

impl LocalPoint {
    /// The distance from the origin to which farther points are moved, in the frame's unit.
    const MAX_DISTANCE: f64 = 512.0;

    pub(crate) fn new(frame: &Frame, point: &Point3<f64>) -> Self {
        let local = frame.to_local(point).coords;
        let distance = local.norm();
        let (seen_from, seen_distance, bend) = if distance > Self::MAX_DISTANCE {
            // With distance d from the origin, x is sqrt((d - u)^2 + v^2) away, u along the direction and v across,
            // which exceeds d - u by v^2 / 2(d - u) at most.
            (local * (Self::MAX_DISTANCE / distance), Self::MAX_DISTANCE, 1.0 / Self::MAX_DISTANCE)
        } else {
            (local, distance, 0.0)
        };
        Self {
            coordinates: seen_from.map(rounded).into(),
            far_offset: distance - seen_distance,
            margin: (1.0 + seen_distance) * PROBE_OPERATIONS * F32_ROUNDING + bend + distance * FRAME_ROUNDING,
            unit: frame.unit,
        }
    }

    /// Converts a distance in the mesh's unit to a limit of squared distances in the frame's unit: a volume farther
    /// from `coordinates` contains no part of the mesh within the distance. Negative if no part of the mesh is that
    /// near.
    pub(crate) fn limit_sq(&self, distance: f64) -> f32 {
        let radius = distance / self.unit - self.far_offset + self.margin;
        if radius < 0.0 { -1.0 } else { above(radius * radius) }
    }
}

/// A ray parametrized by position: the signed length along the ray from its point nearest to the frame's origin. The
/// mesh lies between the positions -1 and 1. The ray may be the path of the centre of a [`SweptBody`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalRay {
    /// The point at position 0.
    pub(super) start: [f32; 3],
    /// The direction, of length 1.
    pub(super) direction: [f32; 3],
    pub(super) reciprocal: [f32; 3],
    /// Bounds the error of a point on the ray relative to a volume.
    rounding: f64,
    /// `rounding` plus the greatest distance of the body's points from its centre.
    pub(super) margin: f32,
    /// The half-edge vectors of the body's box; `None` for a ray without a body.
    half_edges: Option<[[f32; 3]; 3]>,
    /// The body's radius around its box plus `rounding`; `margin` for a ray without a body.
    thickness: f32,
    /// The position at time 0.
    position: f64,
    /// The change of the position per unit of time.
    speed: f64,
}

/// A body that moves along a line without turning, in the mesh's frame: all points within `radius` of a box.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SweptBody {
    pub(crate) center: Point3<f64>,
    /// The box's three half-edge vectors, perpendicular to each other.
    pub(crate) half_edges: [Vector3<f64>; 3],
    pub(crate) radius: f64,
}

impl LocalRay {
    /// The ray in a frame; `None` if its line misses the mesh's bounding sphere, or `direction` is zero.
    #[inline(always)]
    pub(crate) fn new(frame: &Frame, origin: &Point3<f64>, direction: &Vector3<f64>) -> Option<Self> {
        Self::reaching(frame, origin, direction, 0.0, 1.0 / frame.unit)
    }

    /// The path of a body's centre; `None` if the body misses the mesh's bounding sphere, or `direction` is zero.
    pub(crate) fn of_body(frame: &Frame, body: &SweptBody, direction: &Vector3<f64>) -> Option<Self> {
        let per_unit = 1.0 / frame.unit;
        let radius = body.radius * per_unit;
        let half_edges = body.half_edges.map(|edge| edge * per_unit);
        let reach = radius + half_edges.iter().map(|edge| edge.norm_squared()).sum::<f64>().sqrt();
        let path = Self::reaching(frame, &body.center, direction, reach, per_unit)?;
        Some(Self {
            half_edges: Some(half_edges.map(|edge| edge.map(rounded).into())),
            thickness: (radius + path.rounding) as f32,
            ..path
        })
    }

    #[inline(always)]
    fn reaching(
        frame: &Frame,
        origin: &Point3<f64>,
        direction: &Vector3<f64>,
        reach: f64,
        per_unit: f64,
    ) -> Option<Self> {
        let largest = direction.amax();
        let scaled = direction / largest;
        let length = scaled.norm();
        let unit_direction = scaled * (1.0 / length);
        let local = frame.to_local(origin).coords;
        let position = local.dot(&unit_direction);
        let start = local - unit_direction * position;
        // The sum of the coordinates is no less than the distance.
        let distance = local.x.abs() + local.y.abs() + local.z.abs();
        let rounding = (1.0 + reach) * PROBE_OPERATIONS * F32_ROUNDING + distance * FRAME_ROUNDING;
        let margin = reach + rounding;
        let hits_sphere = start.norm_squared() <= (1.0 + margin) * (1.0 + margin) + rounding;
        hits_sphere.then(|| Self {
            start: start.map(rounded).into(),
            direction: unit_direction.map(rounded).into(),
            reciprocal: unit_direction.map(|x| 1.0 / rounded(x)).into(),
            rounding,
            margin: margin as f32,
            half_edges: None,
            thickness: margin as f32,
            position,
            speed: largest * per_unit * length,
        })
    }

    /// A position at or before the position at `time`, allowing for rounding.
    pub(crate) fn position_before(&self, time: f64) -> f32 {
        (self.position_at(time) - self.rounding) as f32
    }

    /// A position at or after the position at `time`, allowing for rounding.
    pub(crate) fn position_after(&self, time: f64) -> f32 {
        (self.position_at(time) + self.rounding) as f32
    }

    fn position_at(&self, time: f64) -> f64 {
        self.position + time * self.speed
    }

    /// Upper bounds on how far the body extends from its centre along `N` directions: `products` returns a vector's dot
    /// products with the directions, and `length(k)` is at least the length of direction `k`.
    #[inline(always)]
    pub(super) fn reach<const N: usize>(
        &self,
        products: impl Fn([f32; 3]) -> [f32; N],
        length: impl Fn(usize) -> f32,
    ) -> [f32; N] {
        let mut reach = std::array::from_fn(|k| self.thickness * length(k));
        for edge in self.half_edges.iter().flatten() {
            let along = products(*edge);
            for k in 0..N {
                reach[k] += along[k].abs();
            }
        }
        reach
    }

    /// Upper bounds on how far the body extends from its centre along the axes of eight boxes.
    #[inline(always)]
    pub(super) fn reach_along<S: Simd>(&self, s: S, axes: &[Vector8<S>; 3]) -> [S::F32x8; 3] {
        let mut reach = [s.splat(self.thickness); 3];
        for edge in self.half_edges.iter().flatten() {
            let edge = splatted(s, *edge);
            for k in 0..3 {
                reach[k] = s.add(reach[k], s.abs(dot_fused(s, &axes[k], &edge)));
            }
        }
        reach
    }
}

/// Tests a ray against eight intersections of slabs (Kay and Kajiya 1986), each widened by a margin. Along each slab's
/// normal, `t` is the slab's middle relative to the ray's start, and `reciprocal` is the reciprocal of the direction's
/// component. Returns the lanes that the ray misses between the two positions `within`, and the positions where it
/// enters the others, but no less than the first of the two.
///
/// For a ray parallel to a slab, the reciprocal is infinite. A bound is then infinite too, or NaN exactly on the
/// widened slab's face, and `max` and `min` pass over a NaN in their first operand (Ize, "Robust BVH Ray Traversal",
/// 2013).
#[inline(always)]
pub(super) fn slabs<S: Simd, const SLABS: usize>(
    s: S,
    t: [S::F32x8; SLABS],
    reciprocal: [S::F32x8; SLABS],
    half_extents: [S::F32x8; SLABS],
    margins: [S::F32x8; SLABS],
    within: [f32; 2],
) -> (S::Mask, S::F32x8) {
    let [mut entry, mut exit] = within.map(|position| s.splat(position));
    for k in 0..SLABS {
        let half_extent = s.add(half_extents[k], margins[k]);
        let lower = s.mul(s.sub(t[k], half_extent), reciprocal[k]);
        let upper = s.mul(s.add(t[k], half_extent), reciprocal[k]);
        entry = s.max(s.min(lower, upper), entry);
        exit = s.min(s.max(lower, upper), exit);
    }
    (s.gt(entry, exit), entry)
}

/// A box in the tree's frame and unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalBox {
    pub(super) center: [f32; 3],
    /// `axes[x][k]`: coordinate x of axis k.
    pub(super) axes: [[f32; 3]; 3],
    pub(super) half_extents: [f32; 3],
    pub(super) margin: f32,
    unit: f64,
}

impl LocalBox {
    pub(crate) fn new(frame: &Frame, obb: &Obb) -> Self {
        let center = frame.to_local(&obb.center).coords;
        let half_extents = obb.half_extents / frame.unit;
        let scale = 1.0 + center.norm() + half_extents.norm();
        Self {
            center: center.map(rounded).into(),
            axes: std::array::from_fn(|x| std::array::from_fn(|k| rounded(obb.axes[(x, k)]))),
            half_extents: half_extents.map(|x| x as f32).into(),
            margin: (scale * PROBE_OPERATIONS * F32_ROUNDING) as f32,
            unit: frame.unit,
        }
    }

    /// Squared lower bounds on the distances to the volumes of a node's children. Bounds above `limit` may be looser
    /// than necessary.
    #[inline(always)]
    pub(crate) fn lower_bounds_sq<V: BoundingVolume, S: Simd>(&self, s: S, node: &Node<'_>, limit: f32) -> S::F32x8 {
        let boxes = V::boxes(s, node);
        PackedObb::of(self).lower_bounds_sq_of_boxes(s, &boxes, node.lanes(), self.margin, [1.0, limit]).0
    }

    /// Converts a distance in the mesh's unit to a limit of squared distances in the frame's unit: a volume farther
    /// from the box contains no part of the mesh within the distance.
    pub(crate) fn limit_sq(&self, distance: f64) -> f32 {
        let distance = distance / self.unit;
        above(distance * distance)
    }
}
