//! Rotation matrices from quaternions, from an axis and an angle, and from Euler angles: all poses that are not given
//! as a matrix.
//!
//! Bodies are posed by quaternions and stand on flat floors, so the matrix preserves what is exact. A quaternion `(x,
//! y, z, w)` of any length gives quotients such as `r22 = ((w^2 + z^2) - (x^2 + y^2)) / (w^2 + x^2 + y^2 + z^2)`: if x
//! and y are zero, numerator and denominator are equal, and a rotation about z preserves z to the last bit.
//!
//! Sines and cosines of pi/2 and pi/4 are rounded: a half turn arrives as `(0, 0, 1, 6e-17)`, a quarter turn with two
//! components that differ in their last bit. Therefore components within [`QUATERNION_ROUNDING`] of each other or of
//! zero, relative to the largest, count as equal or zero. Then half turns about coordinate axes are sign changes, and
//! the 24 rotations of a cube have entries 0 and +-1 only. Rotations by less than about 1e-15 (1e-6 for quaternions in
//! f32) are lost; they move a point by a few units in the last place of its distance from the origin.
//!
//! The error is part of the contract: each entry is within `4 * f64::EPSILON` of the true rotation's, or within `16 *
//! f64::EPSILON` near those special quaternions; `|R^T R - I|` is at most `8 * f64::EPSILON`. `tests/rotations.rs`
//! measures all three by rational arithmetic.

use nalgebra::{Matrix3, Vector3};

use crate::numeric::error_bounds::QUATERNION_ROUNDING;

/// The rotation matrix of a quaternion x, y, z, w of any length; NaN for a zero or non-finite quaternion.
pub(crate) fn from_quaternion(xyzw: [f64; 4], rounding: f64) -> Matrix3<f64> {
    let largest = xyzw.iter().fold(0.0, |largest: f64, x| if x.is_nan() { f64::NAN } else { largest.max(x.abs()) });
    if !(largest > 0.0 && largest.is_finite()) {
        return Matrix3::repeat(f64::NAN);
    }
    // Scaling by a power of two is exact: squares neither overflow nor vanish.
    let exponent = libm::ilogb(largest);
    let scaled = |x| libm::scalbn(x, -exponent);
    let [x, y, z, w] = without_rounding(xyzw.map(scaled), rounding * scaled(largest));
    let (xx, yy, zz, ww) = (x * x, y * y, z * z, w * w);
    let numerators = Matrix3::new(
        (ww + xx) - (yy + zz),
        2.0 * (x * y - w * z),
        2.0 * (x * z + w * y),
        2.0 * (x * y + w * z),
        (ww + yy) - (xx + zz),
        2.0 * (y * z - w * x),
        2.0 * (x * z - w * y),
        2.0 * (y * z + w * x),
        (ww + zz) - (xx + yy),
    );
    // Adding 0 turns a negative zero into zero.
    (numerators / ((ww + xx) + (yy + zz))).add_scalar(0.0)
}

/// Removes rounding that hides which components are zero and which are equal.
fn without_rounding(mut components: [f64; 4], rounding: f64) -> [f64; 4] {
    for i in 0..4 {
        let component: f64 = components[i];
        let is_near = |value: f64| (component.abs() - value).abs() <= rounding;
        let special = components[..i].iter().map(|earlier| earlier.abs()).find(|&value| is_near(value));
        let magnitude = if is_near(0.0) { 0.0 } else { special.unwrap_or(component.abs()) };
        components[i] = magnitude.copysign(component);
    }
    components
}

/// The right-handed rotation about an axis of any length by an angle in radians; NaN for a zero axis or non-finite
/// numbers.
pub(crate) fn from_axis_angle(axis: &Vector3<f64>, angle: f64, rounding: f64) -> Matrix3<f64> {
    // Scaled first, so that squares of huge and tiny components stay in range.
    let axis = axis / axis.amax();
    let axis = axis / axis.norm();
    // Platforms' sines differ in the last bits; libm's do not.
    let (sin, cos) = libm::sincos(0.5 * angle);
    from_quaternion([axis.x * sin, axis.y * sin, axis.z * sin, cos], rounding)
}

/// The rotation about x by `roll`, then about y by `pitch`, then about z by `yaw`, in radians.
pub(crate) fn from_euler_angles(roll: f64, pitch: f64, yaw: f64) -> Matrix3<f64> {
    let [x, y, z] = [(Vector3::x(), roll), (Vector3::y(), pitch), (Vector3::z(), yaw)]
        .map(|(axis, angle)| from_axis_angle(&axis, angle, QUATERNION_ROUNDING));
    (z * y * x).add_scalar(0.0)
}
