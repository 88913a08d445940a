//! The convex hull's volume, by parry3d.

use std::panic::catch_unwind;

use nalgebra::{Point3, Vector3};
use parry3d::math::Vector;
use parry3d::transformation::try_convex_hull;

use crate::shape::Obb;

/// Volume of the points' convex hull; `None` where parry3d finds no sound one. `frame` is any box of non-zero extents
/// near the points' own.
///
/// parry3d works in f32 and takes thin sets for flat. A hull stays a hull under linear maps, so the points are first
/// stretched to fill a cube.
pub(super) fn volume(points: &[Point3<f64>], frame: &Obb) -> Option<f64> {
    let stretched = |point: &Point3<f64>| {
        let in_box = frame.axes.tr_mul(&(point - frame.center)).component_div(&frame.half_extents);
        Vector::from_array(in_box.map(|x| x as f32).into())
    };
    let stretched: Vec<Vector> = points.iter().map(stretched).collect();
    // try_convex_hull returns most failures as values, but asserts inside on some nearly degenerate sets.
    let (vertices, faces) = catch_unwind(|| try_convex_hull(&stretched)).ok()?.ok()?;

    let mut volume = 0.0;
    let mut closure = Vector3::zeros();
    for face in faces {
        let [a, b, c] = face.map(|vertex| vertices.get(vertex as usize));
        let [a, b, c] = [a?, b?, c?].map(|v| Vector3::from(v.to_array()).cast::<f64>());
        volume += a.dot(&b.cross(&c)) / 6.0;
        closure += (b - a).cross(&(c - a)) / 2.0;
    }
    // A sound hull is closed, faces outward and lies in the cube.
    let sound = closure.amax() < 1e-3 && volume > 0.0 && volume < 8.001;
    sound.then(|| volume * frame.half_extents.product())
}
