//! Meshes and poses on an integer grid, from bytes.

use bvtree::Mesh;
use nalgebra::Matrix3;

/// A whole number from -16 to 15.
pub fn small(byte: u8) -> f64 {
    f64::from(byte as i8 / 8)
}

/// Triangles that share no vertices.
pub fn mesh(triangles: &[[[f32; 3]; 3]]) -> Mesh {
    let corners: Vec<_> = (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    Mesh::from_slices(triangles.as_flattened(), &corners).expect("whole numbers")
}

/// One of the 24 turns that take the axes to axes.
pub fn rotation(turns: u8) -> Matrix3<f64> {
    let about_x = Matrix3::new(1., 0., 0., 0., 0., -1., 0., 1., 0.);
    let about_y = Matrix3::new(0., 0., 1., 0., 1., 0., -1., 0., 0.);
    let about_z = Matrix3::new(0., -1., 0., 1., 0., 0., 0., 0., 1.);
    let turn = |matrix: Matrix3<f64>, times: u8| (0..times % 4).fold(Matrix3::identity(), |turned, _| matrix * turned);
    turn(about_z, turns >> 4) * turn(about_y, turns >> 2) * turn(about_x, turns)
}
