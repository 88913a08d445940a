//! Rotations, and poses that bring two meshes into contact.

use bvtree::{Mesh, Pose};
use nalgebra::{Matrix3, Rotation3, Vector3};
use proptest::prelude::*;

/// One of the 24 rotations of a cube: every product with it is exact.
pub fn quarter_turns() -> impl Strategy<Value = Matrix3<f64>> {
    (0usize..3, any::<[bool; 3]>(), any::<bool>()).prop_map(|(first, negative, swap)| {
        let columns =
            if swap { [first, (first + 2) % 3, (first + 1) % 3] } else { [first, (first + 1) % 3, (first + 2) % 3] };
        let signs = negative.map(|negative| if negative { -1.0 } else { 1.0 });
        let turn: Matrix3<f64> = Matrix3::from_fn(|i, j| if columns[i] == j { signs[i] } else { 0.0 });
        turn * turn.determinant()
    })
}

/// Any rotation, to rounding in f64; often about an axis or by little.
pub fn rotations() -> impl Strategy<Value = Matrix3<f64>> {
    let angle = || prop_oneof![2 => -3.2..3.2, 1 => Just(0.0), 1 => -1e-6..1e-6];
    prop::array::uniform3(angle())
        .prop_map(|[roll, pitch, yaw]| Rotation3::from_euler_angles(roll, pitch, yaw).into_inner())
}

/// Matrices off a rotation by up to what [`Pose::new`] allows: scaled, sheared, or written in f32.
pub fn near_rotations() -> impl Strategy<Value = Matrix3<f64>> {
    let error = prop_oneof![Just(3e-5), Just(1e-5), Just(1e-7), Just(1e-12)];
    (rotations(), prop::array::uniform9(-1.0..1.0), error, 0..3).prop_map(|(rotation, noise, error, how)| match how {
        0 => rotation * (1.0 + error),
        1 => rotation + Matrix3::from_column_slice(&noise) * (0.9 * error),
        _ => rotation.map(|x| f64::from(x as f32)),
    })
}

/// Where two meshes are brought together.
#[derive(Clone, Debug)]
pub struct Meeting {
    vertex_a: prop::sample::Index,
    vertex_b: prop::sample::Index,
    /// In parts of A's coordinates.
    shift: [f64; 3],
}

/// A vertex of one on a vertex of the other, or near it.
pub fn meetings() -> impl Strategy<Value = Meeting> {
    let nearby = || prop_oneof![Just(0.0), -1.0..1.0, -1e-6..1e-6, -1e-16..1e-16];
    let shift = prop_oneof![1 => Just([0.0; 3]), 1 => prop::array::uniform3(nearby())];
    (any::<prop::sample::Index>(), any::<prop::sample::Index>(), shift)
        .prop_map(|(vertex_a, vertex_b, shift)| Meeting { vertex_a, vertex_b, shift })
}

impl Meeting {
    /// The pose with the given rotation. Meshes without vertices are put anywhere.
    pub fn pose(&self, a: &Mesh, b: &Mesh, rotation: Matrix3<f64>) -> Pose {
        let vertex = |mesh: &Mesh, index: &prop::sample::Index| {
            let vertices = mesh.vertices();
            if vertices.is_empty() { Vector3::zeros() } else { index.get(vertices).coords.cast::<f64>() }
        };
        let (at_a, at_b) = (vertex(a, &self.vertex_a), vertex(b, &self.vertex_b));
        let size = a.aabb().half_extents().amax().max(0.0);
        let size = if size.is_finite() { size } else { 1.0 };
        Pose::new(rotation, at_a - rotation * at_b + Vector3::from(self.shift) * size).unwrap()
    }
}
