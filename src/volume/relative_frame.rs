//! How one tree's volumes are brought into the other tree's frame and unit.

use nalgebra::{Matrix3, Vector3};

use super::frame::Frame;
use crate::numeric::denormals::rounded;
use crate::pose::Pose;
use crate::simd::Simd;

/// From one tree's local coordinates to another's: `x -> unit * (R x) + t`, in f32, with the margin that makes up for
/// it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RelativeFrame {
    /// Row by row.
    pub(crate) rotation: [[f32; 3]; 3],
    pub(crate) translation: [f32; 3],
    /// The source tree's unit in the target tree's.
    pub(crate) unit: f32,
    /// Bounds the error of every length that a volume test computes in the target's frame, so that "apart by more than
    /// the margin" is never wrong.
    ///
    /// Every coordinate is at most `S = 1 + unit + |t|` here, and the errors of a volume test's operations, from stored
    /// f32 to the compared length, add up to less than [`VOLUME_TEST_ROUNDING`] times `S`. To that comes the matrix's
    /// deviation from a rotation, what [`POSED_ROUNDING`] says, and the smallest normal number for what underflows.
    pub(crate) margin: f32,
    /// Frames very far apart are brought nearer, to [`FAR`] times their radius: this much, in the target's unit and
    /// rounded down, is to be added to distances found there. Mostly 0.
    pub(crate) beyond: f64,
}

/// Frames further apart than this many times their radius (1 and `unit`) are brought nearer: volumes stay apart, f32
/// stays in range, and lower bounds of distances lose little.
const FAR: f64 = 256.0;

/// Bounds what the operations of a volume test are off by, times `S`: each by `2^-24` at most where axes have unit
/// length.
///
/// The longest way is that of oriented boxes' third axes, which are products of the others. In units of `2^-24`, as
/// lengths of vectors: a posed axis is off by 7, a posed third one by 18; an axis of the eight, along the single box's
/// three axes, by 25, and their third one by 57; the distance of the centres along those three axes by 45. Two boxes
/// that share a point `x` are not told apart: the single box's part of the way, from its centre to `x`, is at most its
/// radius as it is computed, from the same numbers. What is left is the error of an axis of the eight times the length
/// from `x` to their centre, and those of the centres: 115 in all. The same split at the two nearest points holds for
/// lower bounds of distances.
pub(super) const VOLUME_TEST_ROUNDING: f64 = 128.0 * ROUNDING_UNIT;

/// What a number of 1 to 2 is off by when it is rounded to f32, at most.
pub(super) const ROUNDING_UNIT: f64 = f32::EPSILON as f64 / 2.0;

// As derived above; what comes to it, of second order, is far less than the next unit.
const _: () = assert!(VOLUME_TEST_ROUNDING > 115.0 * ROUNDING_UNIT);

/// What rounding in f64 may move a posed vertex, and the offset of the frames, relative to how far from the origin both
/// frames and the translation are. It outgrows f32's where a mesh is much smaller than its distance from the origin in
/// all directions in which it extends at all.
const POSED_ROUNDING: f64 = 16.0 * f64::EPSILON;

impl RelativeFrame {
    /// From the frame of B to that of A, and back.
    pub(crate) fn both(a: &Frame, b: &Frame, b_to_a: &Pose) -> [RelativeFrame; 2] {
        let rotation = *b_to_a.rotation();
        // B's origin seen from A's, and A's from B's, where both are exact up to f64 rounding.
        let offset = rotation * b.origin.coords + b_to_a.translation() - a.origin.coords;
        let deviation = b_to_a.deviation();
        let far = b.origin.coords.amax() + b_to_a.translation().amax() + a.origin.coords.amax();
        let rounding = POSED_ROUNDING * far;
        let back = rotation.transpose();
        // Units are powers of two, whose reciprocals are exact.
        let (per_a, per_b) = (1.0 / a.unit, 1.0 / b.unit);
        [
            Self::new(rotation, offset * per_a, b.unit * per_a, deviation, rounding * per_a),
            Self::new(back, back * offset * -per_b, a.unit * per_b, deviation, rounding * per_b),
        ]
    }

    /// `translation` and `rounding` are in the target's unit.
    fn new(rotation: Matrix3<f64>, translation: Vector3<f64>, unit: f64, deviation: f64, rounding: f64) -> Self {
        let radius = 1.0 + unit;
        // Scaled first, for its square not to overflow.
        let largest = translation.amax();
        let distance = if largest > 0.0 { (translation / largest).norm() * largest } else { 0.0 };
        let nearer = if distance > FAR * radius { FAR * radius / distance } else { 1.0 };
        let (translation, rounding) = (translation * nearer, rounding * nearer);
        let scale = radius + distance * nearer;
        let relative = VOLUME_TEST_ROUNDING + 16.0 * deviation;
        let in_range = scale < 1e36;
        Self {
            rotation: std::array::from_fn(|i| std::array::from_fn(|j| rounded(rotation[(i, j)]))),
            translation: std::array::from_fn(|i| rounded(translation[i])),
            unit: unit as f32,
            margin: if in_range { (scale * relative + rounding) as f32 + f32::MIN_POSITIVE } else { f32::INFINITY },
            beyond: if nearer < 1.0 { Self::beyond(distance, radius, deviation) } else { 0.0 },
        }
    }

    /// Points of the two frames are `T + x` apart with `|x| <= radius`, and `T' + x` where T was shortened to T'. Along
    /// T they are `|T| + x_T` apart at least; across it, `|T' + x|` exceeds `|T'| + x_T` by less than `radius^2 / (2
    /// (|T'| - radius))`.
    fn beyond(distance: f64, radius: f64, deviation: f64) -> f64 {
        let radius = radius * (1.0 + 16.0 * deviation);
        let across = radius * radius / (2.0 * (FAR - 2.0) * radius);
        ((distance - FAR * radius) - across) * (1.0 - 8.0 * f64::EPSILON)
    }

    /// No two points of the frames are farther apart, in the target's unit; rounded up.
    pub(crate) fn scale(&self) -> f32 {
        let [x, y, z] = self.translation;
        (1.0 + self.unit + (x.abs() + y.abs() + z.abs())) * 1.001
    }

    /// Eight directions, coordinate by coordinate, in the target frame.
    #[inline(always)]
    pub(crate) fn rotate<S: Simd>(&self, s: S, [x, y, z]: [S::F32x8; 3]) -> [S::F32x8; 3] {
        let mut rotated = [x, y, z];
        for (coordinate, r) in rotated.iter_mut().zip(&self.rotation) {
            let sum = s.mul_add(s.splat(r[1]), y, s.mul(s.splat(r[0]), x));
            *coordinate = s.mul_add(s.splat(r[2]), z, sum);
        }
        rotated
    }

    /// Eight directions of the target frame in the source's.
    #[inline(always)]
    pub(crate) fn inverse_rotate<S: Simd>(&self, s: S, [x, y, z]: [S::F32x8; 3]) -> [S::F32x8; 3] {
        let mut rotated = [x, y, z];
        for (k, coordinate) in rotated.iter_mut().enumerate() {
            let r = [self.rotation[0][k], self.rotation[1][k], self.rotation[2][k]];
            let sum = s.mul_add(s.splat(r[1]), y, s.mul(s.splat(r[0]), x));
            *coordinate = s.mul_add(s.splat(r[2]), z, sum);
        }
        rotated
    }

    /// Eight points of the target frame, in its unit, in the source's.
    #[inline(always)]
    pub(crate) fn inverse_transform<S: Simd>(&self, s: S, [x, y, z]: [S::F32x8; 3]) -> [S::F32x8; 3] {
        let [tx, ty, tz] = self.translation;
        let rotated = self.inverse_rotate(s, [s.sub(x, s.splat(tx)), s.sub(y, s.splat(ty)), s.sub(z, s.splat(tz))]);
        let unit = s.splat(1.0 / self.unit);
        [s.mul(rotated[0], unit), s.mul(rotated[1], unit), s.mul(rotated[2], unit)]
    }

    /// Eight points, coordinate by coordinate, in the target frame and unit.
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

    /// Distances that were found with the frames brought nearer, and `beyond` added, are no greater than they are; and
    /// where points lie aside of the line from frame to frame, as those of wide flat meshes do, hardly less.
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
            let [true_distance, found] = [(offset + between).norm(), (nearer + between).norm() + to.beyond];
            assert!(found <= true_distance * (1.0 + 1e-15), "{found} for {true_distance}");
            if far < 1e5 {
                closest = closest.min((true_distance - found) / radius);
            }
        }
        // What is taken off for points aside is `radius / 508`, and at most `radius / 512` of that is needed.
        assert!(closest < 1.0 / 508.0 - 1.0 / 512.0 + 1e-6, "{closest}");
    }
}
