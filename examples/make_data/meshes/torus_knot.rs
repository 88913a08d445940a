//! A tube along the (2, 3) torus knot, with normals.

use std::f64::consts::TAU;

use nalgebra::Point3;

use super::loft::Ends;
use super::obj::{Obj, Shading};
use super::sweep::tube;

const PATH_POINTS: usize = 216;
const SEGMENTS: usize = 16;

pub fn torus_knot() -> Obj {
    let path: Vec<Point3<f64>> = (0..PATH_POINTS)
        .map(|i| {
            let t = TAU * i as f64 / PATH_POINTS as f64;
            let from_axis = 2.0 + (3.0 * t).cos();
            Point3::new(from_axis * (2.0 * t).cos(), from_axis * (2.0 * t).sin(), 1.2 * (3.0 * t).sin())
        })
        .collect();
    let knot = tube(&path, SEGMENTS, |_| 0.42, Ends::Joined).triangulated();
    let normals = knot.normals();
    let mut obj = Obj::new("Tube along the (2, 3) torus knot");
    obj.object("torus_knot").shaded_surface(&knot, Shading { normals, ..Shading::default() });
    obj
}
