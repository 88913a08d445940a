//! Cubic cells of space, by which near points are found.

use nalgebra::Point3;

/// A cell's place along each axis, in edge lengths.
pub type Cell = [i64; 3];

/// The cell of a point; the edge length is 1 if `edge` is 0.
pub fn of(point: &Point3<f64>, edge: f64) -> Cell {
    const FAR: f64 = (1_u64 << 62) as f64;
    let edge = if edge > 0.0 { edge } else { 1.0 };
    [point.x, point.y, point.z].map(|x| (x / edge).floor().clamp(-FAR, FAR) as i64)
}

/// The cell and the 26 around it.
pub fn around([i, j, k]: Cell) -> impl Iterator<Item = Cell> {
    (0..27).map(move |n| [i + n % 3 - 1, j + n / 3 % 3 - 1, k + n / 9 - 1])
}
