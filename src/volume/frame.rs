//! The frame in which a tree's volumes are stored, relative to the mesh's middle and in a unit near the mesh's size;
//! and the map from one tree's frame to another's.

use nalgebra::{Matrix3, Point3, Vector3};

use crate::numeric::denormals::rounded;
use crate::numeric::error_bounds::{FAR_OFFSET_PART, POSED_ROUNDING, SCALE_ROUNDING, VOLUME_TEST_ROUNDING};
use crate::pose::Pose;
use crate::shape::Aabb;
use crate::simd::Simd;
use crate::simd::vectors::{Vector8, difference, dot_fused, splatted};

/// The frame in which a tree's volumes are stored: `stored = (x - origin) / unit`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Frame {
    pub(crate) origin: Point3<f64>,
    /// A power of two, at least the mesh's half diagonal (1 for a mesh without extent).
    pub(crate) unit: f64,
}

impl Frame {
    /// The frame in which local and mesh coordinates are the same.
    pub(crate) const LOCAL: Self = Self { origin: Point3::new(0.0, 0.0, 0.0), unit: 1.0 };

    /// The frame whose origin is the middle of the bounds, with the least power of two not below their half diagonal as
    /// its unit.
    pub(crate) fn of(bounds: &Aabb) -> Self {
        if bounds.is_empty() {
            return Self::LOCAL;
        }
        // Adding 0 turns -0 into 0: the signs of zeros in bounds depend on the order of the vertices.
        let origin = bounds.center().map(|x| x + 0.0);
        Self { origin, unit: power_of_two_from(bounds.half_extents().norm()) }
    }

    /// Whether the frame is valid for the bounds: the unit is a power of two, the origin is finite, and no point of the
    /// bounds is farther than one unit from the origin. Empty bounds have one valid frame, [`Self::LOCAL`].
    pub(crate) fn is_for(&self, bounds: &Aabb) -> bool {
        if bounds.is_empty() {
            return *self == Self::LOCAL;
        }
        let Self { origin, unit } = *self;
        let is_power_of_two = unit.is_normal() && unit > 0.0 && unit.to_bits().trailing_zeros() >= 52;
        let radius = if bounds.center() == origin {
            // Computed as when the unit was chosen, because an offset's square may round up.
            bounds.half_extents().norm()
        } else {
            (bounds.half_extents() + (bounds.center() - origin).abs()).norm()
        };
        is_power_of_two && radius <= unit && origin.iter().all(|x| x.is_finite())
    }

    /// Converts a point of the mesh to local coordinates.
    #[inline(always)]
    pub(crate) fn to_local(self, point: &Point3<f64>) -> Point3<f64> {
        // The reciprocal of a power of two is exact, and multiplication is faster than division.
        Point3::from((point - self.origin) * (1.0 / self.unit))
    }

    /// Converts eight points of the mesh to local coordinates.
    #[inline(always)]
    pub(crate) fn local<S: Simd>(&self, s: S, points: &[[f32; 8]; 3]) -> [S::F64x8; 3] {
        let (mut local, scale) = ([s.splat64(0.0); 3], s.splat64(1.0 / self.unit));
        for k in 0..3 {
            local[k] = s.mul64(s.sub64(s.widen(&points[k]), s.splat64(self.origin[k])), scale);
        }
        local
    }

    /// Converts an area to the frame's unit squared, in which those of the mesh's volumes are in the range of f32.
    #[inline(always)]
    pub(crate) fn area(&self, in_mesh: f64) -> f32 {
        // The reciprocal of a power of two is exact.
        let per_unit = 1.0 / self.unit;
        (in_mesh * (per_unit * per_unit)) as f32
    }

    /// Converts a point in local coordinates back to the mesh's.
    pub(crate) fn to_mesh(self, local: &Point3<f64>) -> Point3<f64> {
        self.origin + local.coords * self.unit
    }
}

/// The least power of two not below `x`; 1 for 0.
fn power_of_two_from(x: f64) -> f64 {
    const EXPONENT: u64 = 0x7ff0_0000_0000_0000;
    let below = f64::from_bits(x.to_bits() & EXPONENT);
    if x == 0.0 {
        1.0
    } else if below < x {
        2.0 * below
    } else {
        below
    }
}

/// The map between two trees' local coordinates, `x -> unit * (R x) + t`, in f32, with a margin for its rounding.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RelativeFrame {
    /// The rotation, row by row.
    pub(crate) rotation: [[f32; 3]; 3],
    pub(crate) translation: [f32; 3],
    /// The source tree's unit as a multiple of the target tree's.
    pub(crate) unit: f32,
    /// Bounds the error of every length that a volume test computes in the target's frame, so that "apart by more than
    /// the margin" is never wrong.
    ///
    /// It is the sum of four bounds, with `S = 1 + unit + |t|`, which no coordinate exceeds: [`VOLUME_TEST_ROUNDING`]
    /// times `S`; 16 times the matrix's deviation from a rotation, times `S`; [`POSED_ROUNDING`] times the size of the
    /// coordinates from which the translation was computed; and the smallest normal number, for underflow. It is
    /// infinite if `S` is 1e36 or more.
    pub(crate) margin: f32,
    /// The length to add to distances computed with this map, in the target's unit and rounded down. It is 0 unless the
    /// frames are farther apart than [`FAR`] times `1 + unit`, in which case `translation` is shortened to that length.
    pub(crate) far_offset: f64,
}

/// Frames farther apart than this many times the sum of their radii (1 and `unit`) are moved nearer: their volumes stay
/// apart, f32 stays in range, and lower bounds on distances lose little.
const FAR: f64 = 256.0;

impl RelativeFrame {
    /// The offset from A's origin to B's, along A's axes and in A's unit of length, exact up to f64 rounding; and a
    /// bound on the rounding of posed coordinates.
    #[inline]
    pub(crate) fn offset(a: &Frame, b: &Frame, b_to_a: &Pose) -> (Vector3<f64>, f64) {
        let far = b.origin.coords.amax() + b_to_a.translation().amax() + a.origin.coords.amax();
        let offset = b_to_a.rotation() * b.origin.coords + b_to_a.translation() - a.origin.coords;
        (offset, POSED_ROUNDING * far)
    }

    /// The maps from B's frame to A's and from A's to B's.
    pub(crate) fn both(a: &Frame, b: &Frame, b_to_a: &Pose) -> [RelativeFrame; 2] {
        let (rotation, deviation) = (*b_to_a.rotation(), b_to_a.deviation());
        let (offset, rounding) = Self::offset(a, b, b_to_a);
        let back = rotation.transpose();
        // The units are powers of two, so the reciprocals are exact.
        let (per_a, per_b) = (1.0 / a.unit, 1.0 / b.unit);
        [
            Self::new(rotation, offset * per_a, b.unit * per_a, deviation, rounding * per_a),
            Self::new(back, back * offset * -per_b, a.unit * per_b, deviation, rounding * per_b),
        ]
    }

    /// `translation` and `rounding` are in the target's unit.
    fn new(rotation: Matrix3<f64>, translation: Vector3<f64>, unit: f64, deviation: f64, rounding: f64) -> Self {
        let radius = 1.0 + unit;
        // The translation is scaled first, so that its square does not overflow.
        let largest = translation.amax();
        let distance = if largest > 0.0 { (translation / largest).norm() * largest } else { 0.0 };
        let nearer = if distance > FAR * radius { FAR * radius / distance } else { 1.0 };
        // The distance that is cut off keeps its whole rounding; what stays of it has its part.
        let far_offset = if nearer < 1.0 { Self::far_offset(distance, radius, deviation, rounding) } else { 0.0 };
        let (translation, rounding) = (translation * nearer, rounding * nearer);
        let scale = radius + distance * nearer;
        let relative = VOLUME_TEST_ROUNDING + 16.0 * deviation;
        let in_range = scale < 1e36;
        Self {
            rotation: std::array::from_fn(|i| std::array::from_fn(|j| rounded(rotation[(i, j)]))),
            translation: std::array::from_fn(|i| rounded(translation[i])),
            unit: unit as f32,
            margin: if in_range { (scale * relative + rounding) as f32 + f32::MIN_POSITIVE } else { f32::INFINITY },
            far_offset,
        }
    }

    /// The length by which shortening the translation reduces distances, rounded down; above 0. `rounding` bounds the
    /// rounding of posed coordinates.
    ///
    /// Points of the two frames are `T + x` apart with `|x| <= radius`, and `T' + x` after T is shortened to T'. Along
    /// T they are at least `|T| + x_T` apart; across it, `|T' + x|` exceeds `|T'| + x_T` by less than `radius^2 / (2
    /// (|T'| - radius))`.
    fn far_offset(distance: f64, radius: f64, deviation: f64, rounding: f64) -> f64 {
        let radius = radius * (1.0 + 16.0 * deviation);
        let across = radius * radius / (2.0 * (FAR - 2.0) * radius);
        let cut_off = ((distance - FAR * radius) - across) * FAR_OFFSET_PART - rounding;
        cut_off.max(f64::MIN_POSITIVE)
    }

    /// An upper bound on the distance between a point of one mesh and a point of the other as this map places them, in
    /// the target's unit.
    pub(crate) fn scale(&self) -> f32 {
        let [x, y, z] = self.translation;
        (1.0 + self.unit + (x.abs() + y.abs() + z.abs())) * SCALE_ROUNDING
    }

    /// Converts eight directions, coordinate by coordinate, to the target frame.
    #[inline(always)]
    pub(crate) fn rotate<S: Simd>(&self, s: S, directions: Vector8<S>) -> Vector8<S> {
        let mut rotated = directions;
        for (coordinate, row) in rotated.iter_mut().zip(self.rotation) {
            *coordinate = dot_fused(s, &splatted(s, row), &directions);
        }
        rotated
    }

    /// Converts eight directions of the target frame to the source frame.
    #[inline(always)]
    pub(crate) fn inverse_rotate<S: Simd>(&self, s: S, directions: Vector8<S>) -> Vector8<S> {
        let mut rotated = directions;
        for (k, coordinate) in rotated.iter_mut().enumerate() {
            let column = [self.rotation[0][k], self.rotation[1][k], self.rotation[2][k]];
            *coordinate = dot_fused(s, &splatted(s, column), &directions);
        }
        rotated
    }

    /// Converts eight points of the target frame, in its unit, to the source frame.
    #[inline(always)]
    pub(crate) fn inverse_transform<S: Simd>(&self, s: S, points: Vector8<S>) -> Vector8<S> {
        let rotated = self.inverse_rotate(s, difference(s, &points, &splatted(s, self.translation)));
        let unit = s.splat(1.0 / self.unit);
        [s.mul(rotated[0], unit), s.mul(rotated[1], unit), s.mul(rotated[2], unit)]
    }

    /// Converts eight points, coordinate by coordinate, to the target frame and unit.
    #[inline(always)]
    pub(crate) fn transform<S: Simd>(&self, s: S, points: [S::F32x8; 3]) -> [S::F32x8; 3] {
        let mut transformed = self.rotate(s, points);
        for (coordinate, translation) in transformed.iter_mut().zip(self.translation) {
            *coordinate = s.mul_add(*coordinate, s.splat(self.unit), s.splat(translation));
        }
        transformed
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Isometry3, Point3};

    use super::*;
    use crate::volume::tests::Random;

    /// Distances computed with the frames moved nearer, plus `far_offset`, do not exceed the true ones; and they are
    /// hardly less, even where points are far from the line between the frames, as on wide flat meshes.
    #[test]
    fn frames_brought_nearer_add_no_distance() {
        let mut random = Random(31);
        let mut closest = f64::INFINITY;
        for _ in 0..20_000 {
            let frames = [0, 1]
                .map(|_| Frame { origin: Point3::from(random.vector()), unit: random.pick([0.25, 1.0, 1.0, 64.0]) });
            let [a, b] = frames;
            let turn = Isometry3::rotation(random.vector() * 3.0).rotation.to_rotation_matrix().into_inner();
            let direction = random.vector().normalize();
            let far = random.pick([257.0, 300.0, 700.0, 1e4, 1e9]) * (a.unit + b.unit);
            let pose = Pose::new(turn, direction * far).unwrap();
            let [to, _] = RelativeFrame::both(&a, &b, &pose);
            let offset = (turn * b.origin.coords + pose.translation() - a.origin.coords) / a.unit;
            let radius = 1.0 + f64::from(to.unit);
            let Some(aside) = direction.cross(&random.vector()).try_normalize(1e-6) else { continue };
            let between = if random.bits() & 1 == 0 { aside } else { random.vector() * 0.577 } * radius;
            let nearer = offset * (FAR * radius / offset.norm()).min(1.0);
            assert!((nearer - Vector3::from(to.translation).map(f64::from)).norm() <= f64::from(to.margin));
            let [true_distance, found] = [(offset + between).norm(), (nearer + between).norm() + to.far_offset];
            assert!(found <= true_distance * (1.0 + 1e-15), "{found} for {true_distance}");
            if far < 1e5 {
                closest = closest.min((true_distance - found) / radius);
            }
        }
        // What is taken off for points aside is `radius / 508`, and at most `radius / 512` of that is needed.
        assert!(closest < 1.0 / 508.0 - 1.0 / 512.0 + 1e-6, "{closest}");
    }
}
