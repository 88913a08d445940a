//! Right-handed orthonormal frames, from `+ - * / sqrt` alone.

use nalgebra::{Matrix3, Vector3};

/// Two unit vectors `u`, `v` such that `w`, `u`, `v` is a right-handed orthonormal frame; `w` is a unit vector.
pub(super) fn perpendicular_basis(w: &Vector3<f64>) -> [Vector3<f64>; 2] {
    let u = if w.x.abs() > w.y.abs() {
        Vector3::new(-w.z, 0.0, w.x) * (1.0 / (w.x * w.x + w.z * w.z).sqrt())
    } else {
        Vector3::new(0.0, w.z, -w.y) * (1.0 / (w.y * w.y + w.z * w.z).sqrt())
    };
    [u, w.cross(&u)]
}

/// The frame along `edge` whose first two axes span the plane of `edge` and `aside`; `None` when that plane is
/// undefined to about ten digits.
pub(super) fn frame_in_plane(edge: &Vector3<f64>, aside: &Vector3<f64>) -> Option<Matrix3<f64>> {
    let (frame, is_defined) = frame_in_defined_plane(edge, aside);
    is_defined.then_some(frame)
}

/// [`frame_in_plane`] without a branch: the frame, and whether it is one.
#[inline(always)]
pub(super) fn frame_in_defined_plane(edge: &Vector3<f64>, aside: &Vector3<f64>) -> (Matrix3<f64>, bool) {
    let first = edge / edge.norm();
    let normal = first.cross(&(aside / aside.norm()));
    let sine = normal.norm();
    // The normal of a sliver is known to few digits; its cross products with the edge are orthonormal all the same.
    let second = (normal / sine).cross(&first);
    let second = second / second.norm();
    // Not so for the NaN of a zero vector.
    (Matrix3::from_columns(&[first, second, first.cross(&second)]), sine > 1e-10)
}

/// [`frame_in_plane`] with half of the roots and a sixth of the divisions, without a branch: axes are orthonormal to
/// twelve digits, which is more than f32 keeps of them. And whether it is one.
#[inline(always)]
pub(crate) fn quick_frame_in_plane(edge: &Vector3<f64>, aside: &Vector3<f64>) -> (Matrix3<f64>, bool) {
    let normal = edge.cross(aside);
    // Neither root waits for the other.
    let (edge_sq, normal_sq) = (edge.norm_squared(), normal.norm_squared());
    let first = edge * (1.0 / edge_sq.sqrt());
    // A sliver's normal, known to six digits, leans by a millionth; crossed with the edge it is as long as 1 but for
    // the square of that.
    let second = (normal * (1.0 / normal_sq.sqrt())).cross(&first);
    let is_defined = normal_sq > 1e-20 * edge_sq * aside.norm_squared();
    (Matrix3::from_columns(&[first, second, first.cross(&second)]), is_defined)
}

/// The rotation by the quaternion `(1, half_turn)` normalised: about the vector, by twice the arctangent of its length.
pub(super) fn rotation(half_turn: &Vector3<f64>) -> Matrix3<f64> {
    let (x, y, z) = (half_turn.x, half_turn.y, half_turn.z);
    let s = 2.0 / (1.0 + half_turn.norm_squared());
    Matrix3::new(
        1.0 - s * (y * y + z * z),
        s * (x * y - z),
        s * (x * z + y),
        s * (x * y + z),
        1.0 - s * (x * x + z * z),
        s * (y * z - x),
        s * (x * z - y),
        s * (y * z + x),
        1.0 - s * (x * x + y * y),
    )
}

/// The orthonormal frame nearest in plain Gram-Schmidt sense to one that products of rotations have worn.
pub(super) fn orthonormalized(frame: &Matrix3<f64>) -> Matrix3<f64> {
    let first = frame.column(0).normalize();
    let third = first.cross(&frame.column(1)).normalize();
    Matrix3::from_columns(&[first, third.cross(&first), third])
}
