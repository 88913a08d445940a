//! Rays, points and boxes against the volumes of a wide node: brought into the tree's frame once, in f32, with margins
//! that make up for the rounding, so that a volume is never missed.

use nalgebra::{Point3, Vector3};

use super::frame::Frame;
use super::node::Node;
use super::packed_volume::PackedVolume;
use crate::numeric::denormals::{above, rounded};
use crate::shape::Obb;
use crate::simd::Simd;

/// The tests of one ray, point or box against eight volumes. Lanes past the node's children are masked off the bits,
/// and are unspecified elsewhere.
pub(crate) trait ProbeTests: PackedVolume {
    /// Squared distances from a [`LocalPoint`]'s coordinates to the volumes.
    fn distance_sq<S: Simd>(simd: S, node: &Node<'_>, point: &[f32; 3]) -> S::F32x8;

    /// A bit for each volume that the ray may touch between two positions, and where it enters, which is not before
    /// the first position.
    fn ray_entry<S: Simd>(simd: S, node: &Node<'_>, ray: &LocalRay, within: [f32; 2]) -> (u8, S::F32x8);

    /// A bit for each volume that the box may touch.
    fn overlaps_box<S: Simd>(simd: S, node: &Node<'_>, query: &LocalBox) -> u8;
}

/// Half the distance between 1 and the next f32: what rounding changes a number by, relatively.
const ROUNDING: f64 = f32::EPSILON as f64 / 2.0;

/// Bounds the roundings on the way from stored f32 to a compared length, each of [`ROUNDING`] times the largest
/// coordinate: the box tests need the most, 47 or so.
const OPERATIONS: f64 = 64.0;

/// What rounding in f64 changes a coordinate by on the way into the frame, relatively.
const FRAME_ROUNDING: f64 = 16.0 * f64::EPSILON;

/// A point from which volumes are seen.
///
/// The mesh is in the ball of radius 1 about the frame's origin. A point far outside is replaced by one nearer, in
/// the same direction: that takes all distances down by nearly the same length, the more so the farther both are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalPoint {
    pub(crate) coordinates: [f32; 3],
    /// How much farther the true point is.
    beyond: f64,
    /// Bounds the error of distances.
    margin: f64,
    unit: f64,
}

impl LocalPoint {
    /// No point is seen from farther.
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
            beyond: distance - seen_distance,
            margin: (1.0 + seen_distance) * OPERATIONS * ROUNDING + bend + distance * FRAME_ROUNDING,
            unit: frame.unit,
        }
    }

    /// Volumes whose squared distance exceeds this hold nothing of the mesh that is as near as `distance`, which is in
    /// the mesh's unit. Negative if nothing of the mesh is.
    pub(crate) fn limit_sq(&self, distance: f64) -> f32 {
        let radius = distance / self.unit - self.beyond + self.margin;
        if radius < 0.0 { -1.0 } else { above(radius * radius) }
    }
}

/// A ray against volumes, by positions: lengths along it from its line's point nearest to the frame's origin. The mesh
/// lies between -1 and 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalRay {
    /// The point at position 0.
    pub(super) start: [f32; 3],
    /// Of length 1.
    pub(super) direction: [f32; 3],
    pub(super) reciprocal: [f32; 3],
    /// Bounds the error of a point on the ray relative to a volume.
    pub(super) margin: f32,
    /// Position at time 0, and by how much it grows in a unit of time.
    position: f64,
    speed: f64,
}

impl LocalRay {
    /// None if the ray's line misses the mesh's ball, or has no direction.
    pub(crate) fn new(frame: &Frame, origin: &Point3<f64>, direction: &Vector3<f64>) -> Option<Self> {
        Self::of_ball(frame, origin, direction, 0.0)
    }

    /// The ray of the centre of a ball, which touches volumes as far away as its radius, in the mesh's unit.
    pub(crate) fn of_ball(frame: &Frame, origin: &Point3<f64>, direction: &Vector3<f64>, radius: f64) -> Option<Self> {
        let largest = direction.amax();
        let scaled = direction / largest;
        let length = scaled.norm();
        let unit_direction = scaled / length;
        let local = frame.to_local(origin).coords;
        let position = local.dot(&unit_direction);
        let start = local - unit_direction * position;
        let radius = radius / frame.unit;
        let margin = radius + (1.0 + radius) * OPERATIONS * ROUNDING + local.norm() * FRAME_ROUNDING;
        let hits_ball = start.norm() <= 1.0 + margin;
        hits_ball.then(|| Self {
            start: start.map(rounded).into(),
            direction: unit_direction.map(rounded).into(),
            reciprocal: unit_direction.map(|x| 1.0 / rounded(x)).into(),
            margin: margin as f32,
            position,
            speed: largest / frame.unit * length,
        })
    }

    /// A position not after that at the time.
    pub(crate) fn position_before(&self, time: f64) -> f32 {
        (self.position_at(time) - f64::from(self.margin)) as f32
    }

    /// A position not before that at the time.
    pub(crate) fn position_after(&self, time: f64) -> f32 {
        (self.position_at(time) + f64::from(self.margin)) as f32
    }

    fn position_at(&self, time: f64) -> f64 {
        self.position + time * self.speed
    }
}

/// A ray against eight boxes by slabs (Kay and Kajiya 1986), widened by the margin. `t` are the centres seen from the
/// ray's start, `reciprocal` those of its direction's components, all along each box's axes. Gives the lanes that the
/// ray misses, and where it enters the others.
///
/// A ray along a slab has an infinite reciprocal. Then a bound is infinite too, or NaN on the widened slab's very
/// face, and `max` and `min` pass over a NaN in their first operand (Ize, "Robust BVH Ray Traversal", 2013).
#[inline(always)]
pub(super) fn slabs<S: Simd>(
    s: S,
    t: [S::F32x8; 3],
    reciprocal: [S::F32x8; 3],
    half_extents: [S::F32x8; 3],
    ray: &LocalRay,
    within: [f32; 2],
) -> (S::Mask, S::F32x8) {
    let [mut entry, mut exit] = within.map(|position| s.splat(position));
    let margin = s.splat(ray.margin);
    for k in 0..3 {
        let half_extent = s.add(half_extents[k], margin);
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
            margin: (scale * OPERATIONS * ROUNDING) as f32,
        }
    }
}
