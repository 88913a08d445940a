//! A link of a chain, 10 mm wire, with the bead of its weld: a joined tube.

use std::f64::consts::PI;

use nalgebra::Point3;

use super::loft::Ends;
use super::obj::Obj;
use super::sweep::tube;

const WIRE_RADIUS: f64 = 5.0;
/// Radius of the two bows, to the middle of the wire.
const BOW_RADIUS: f64 = 11.0;
const HALF_STRAIGHT: f64 = 10.0;
const BOW_POINTS: usize = 28;
const STRAIGHT_POINTS: usize = 14;
const SEGMENTS: usize = 20;

pub fn chain_link() -> Obj {
    let mut path = Vec::new();
    for end in [1.0, -1.0] {
        for i in 0..BOW_POINTS {
            let angle = PI * i as f64 / BOW_POINTS as f64;
            let (sin, cos) = angle.sin_cos();
            path.push(Point3::new(end * (HALF_STRAIGHT + BOW_RADIUS * sin), -end * BOW_RADIUS * cos, 0.0));
        }
        for i in 0..STRAIGHT_POINTS {
            let along = HALF_STRAIGHT * (1.0 - 2.0 * i as f64 / STRAIGHT_POINTS as f64);
            path.push(Point3::new(end * along, end * BOW_RADIUS, 0.0));
        }
    }
    let radius = |i: usize| {
        let point: Point3<f64> = path[i];
        let weld = if point.y > 0.0 { (-(point.x / 1.8).powi(2)).exp() } else { 0.0 };
        WIRE_RADIUS + 0.7 * weld
    };
    let link = tube(&path, SEGMENTS, radius, Ends::Joined).triangulated();
    let mut obj = Obj::new("Chain link of 10 mm wire (mm)");
    obj.object("chain_link").surface(&link);
    obj
}
