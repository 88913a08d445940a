//! A patch of mountains with a river valley, 100 units wide, with texture coordinates and normals: a height field.

use nalgebra::{Point2, Point3};

use super::noise::{fractal, value_noise};
use super::obj::{Obj, Shading};
use super::surface::Surface;

const CELLS: usize = 60;
const SIZE: f64 = 100.0;

pub fn terrain() -> Obj {
    let mut patch = Surface::default();
    let mut texture = Vec::new();
    for j in 0..=CELLS {
        for i in 0..=CELLS {
            let (u, v) = (i as f64 / CELLS as f64, j as f64 / CELLS as f64);
            let (x, y) = (SIZE * (u - 0.5), SIZE * (v - 0.5));
            patch.points.push(Point3::new(x, y, height(u, v)));
            texture.push(Point2::new(u, v));
        }
    }
    let at = |i: usize, j: usize| j * (CELLS + 1) + i;
    for j in 0..CELLS {
        for i in 0..CELLS {
            patch.faces.push(vec![at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
        }
    }
    let patch = patch.triangulated();
    let normals = patch.normals();
    let mut obj = Obj::new("Patch of mountains with a river valley");
    obj.object("terrain").shaded_surface(&patch, Shading { texture, normals });
    obj
}

/// Height over the unit square.
fn height(u: f64, v: f64) -> f64 {
    let bend = 0.12 * value_noise(2.0 * u + 7.0, 2.0 * v + 3.0, 99);
    let ridges = fractal(3.0 * (u + bend) + 0.4, 3.0 * (v - bend) + 0.7, 5, 0.45, |n| (1.0 - n.abs()).powi(2));
    let hills = fractal(4.0 * u, 4.0 * v, 4, 0.5, |n| 0.5 + 0.5 * n);
    let river = 0.42 + 0.16 * (5.0 * v + 0.6).sin() + 0.05 * value_noise(6.0 * v, 0.5, 5);
    let away = ((u - river).abs() / 0.42).min(1.0);
    let slope = away * away * (3.0 - 2.0 * away);
    3.0 * hills * (0.25 + slope) + 30.0 * ridges * slope
}
