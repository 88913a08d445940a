//! A compression spring in millimetres, its last coils wound close: an open tube between two polygons.

use std::f64::consts::TAU;

use nalgebra::Point3;

use super::loft::Ends;
use super::obj::Obj;
use super::sweep::tube;

const TURNS: f64 = 8.5;
const POINTS_PER_TURN: usize = 32;
const SEGMENTS: usize = 12;
const COIL_RADIUS: f64 = 10.0;
const WIRE_RADIUS: f64 = 1.1;
const CLOSE_PITCH: f64 = 2.3;
const OPEN_PITCH: f64 = 6.5;

pub fn spring() -> Obj {
    let steps = (TURNS * POINTS_PER_TURN as f64) as usize;
    let mut z = WIRE_RADIUS;
    let mut path = Vec::new();
    for i in 0..=steps {
        let turn = i as f64 / POINTS_PER_TURN as f64;
        let (sin, cos) = (TAU * turn).sin_cos();
        path.push(Point3::new(COIL_RADIUS * cos, COIL_RADIUS * sin, z));
        let middle = (i as f64 + 0.5) / POINTS_PER_TURN as f64;
        z += pitch(middle.min(TURNS - middle)) / POINTS_PER_TURN as f64;
    }
    let spring = tube(&path, SEGMENTS, |_| WIRE_RADIUS, Ends::Capped);
    let mut obj = Obj::new("Compression spring of 2.2 mm wire (mm)");
    obj.object("spring").surface(&spring);
    obj
}

/// Rise per turn, so many turns away from the nearer end of the wire.
fn pitch(turns_from_end: f64) -> f64 {
    let t = ((turns_from_end - 1.0) / 0.6).clamp(0.0, 1.0);
    CLOSE_PITCH + (OPEN_PITCH - CLOSE_PITCH) * t * t * (3.0 - 2.0 * t)
}
