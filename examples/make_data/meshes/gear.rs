//! A spur gear in millimetres: involute teeth, a thinner web, a hub, and a bore with a keyway.

use std::f64::consts::{PI, TAU};

use nalgebra::Point3;

use super::loft::{Ends, Ring, loft};
use super::obj::Obj;

const TEETH: usize = 20;
/// Pitch diameter per tooth.
const MODULE: f64 = 2.0;
const PRESSURE_ANGLE: f64 = PI / 9.0;
const PITCH_RADIUS: f64 = MODULE * TEETH as f64 / 2.0;
const TIP_RADIUS: f64 = PITCH_RADIUS + MODULE;
const ROOT_RADIUS: f64 = PITCH_RADIUS - 1.25 * MODULE;
const TIP_CHAMFER: f64 = 0.3;
const BORE_RADIUS: f64 = 5.0;
const KEYWAY_HALF_WIDTH: f64 = 1.5;
const KEYWAY_TOP: f64 = 6.4;

pub fn gear() -> Obj {
    let outline = outline();
    let angles: Vec<f64> = outline.iter().map(|&(_, angle)| angle).collect();
    let teeth = |z: f64, cut: f64| -> Ring {
        outline.iter().map(|&(radius, angle)| polar(radius.min(TIP_RADIUS - cut), angle, z)).collect()
    };
    let circle = |z: f64, radius: f64| -> Ring { angles.iter().map(|&angle| polar(radius, angle, z)).collect() };
    let bore = |z: f64, widening: f64| bore(&angles, z, widening);
    let gear = loft(
        &[
            teeth(0.0, TIP_CHAMFER),
            teeth(TIP_CHAMFER, 0.0),
            teeth(8.0 - TIP_CHAMFER, 0.0),
            teeth(8.0, TIP_CHAMFER),
            circle(8.0, 15.2),
            circle(5.5, 14.8),
            circle(5.5, 9.4),
            circle(10.5, 8.8),
            circle(11.0, 8.3),
            bore(11.0, 0.3),
            bore(10.7, 0.0),
            bore(-0.7, 0.0),
            bore(-1.0, 0.3),
            circle(-1.0, 8.5),
            circle(-0.5, 9.0),
            circle(2.5, 9.4),
            circle(2.5, 14.8),
            circle(0.0, 15.2),
        ],
        Ends::Joined,
    );
    let mut obj = Obj::new("Spur gear, module 2, 20 teeth (mm)");
    obj.object("gear").surface(&gear.triangulated());
    obj
}

fn polar(radius: f64, angle: f64, z: f64) -> Point3<f64> {
    Point3::new(radius * angle.cos(), radius * angle.sin(), z)
}

/// The teeth as `(radius, angle)`, counterclockwise, the first tooth around angle zero.
fn outline() -> Vec<(f64, f64)> {
    let base_radius = PITCH_RADIUS * PRESSURE_ANGLE.cos();
    // Half of the tooth's angle at a radius outside the base circle.
    let half_angle = |radius: f64| {
        let involute = |angle: f64| angle.tan() - angle;
        PI / (2 * TEETH) as f64 + involute(PRESSURE_ANGLE) - involute((base_radius / radius).acos())
    };
    let foot = half_angle(base_radius);
    let flank = [
        (ROOT_RADIUS, foot + 0.25 * MODULE / ROOT_RADIUS),
        (ROOT_RADIUS + 0.35, foot + 0.08 * MODULE / ROOT_RADIUS),
        (base_radius + 0.1, half_angle(base_radius + 0.1)),
        (PITCH_RADIUS, half_angle(PITCH_RADIUS)),
        (TIP_RADIUS - TIP_CHAMFER, half_angle(TIP_RADIUS - TIP_CHAMFER)),
        (TIP_RADIUS, half_angle(TIP_RADIUS) - 0.005),
    ];
    let mut outline = Vec::new();
    for tooth in 0..TEETH {
        let middle = TAU * tooth as f64 / TEETH as f64;
        outline.extend(flank.iter().map(|&(radius, half)| (radius, middle - half)));
        outline.extend(flank.iter().rev().map(|&(radius, half)| (radius, middle + half)));
    }
    outline
}

/// The bore at a height; the points around the first tooth make the keyway.
fn bore(angles: &[f64], z: f64, widening: f64) -> Ring {
    let radius = BORE_RADIUS + widening;
    let wall = (radius.powi(2) - KEYWAY_HALF_WIDTH.powi(2)).sqrt();
    // The tooth has twelve points: the outermost go into the corners, and the next tooth's first onto the walls' ends.
    let (corner, mouth) = (angles[11], angles[12]);
    let wrapped = |angle: f64| if angle > PI { angle - TAU } else { angle };
    angles
        .iter()
        .map(|&angle| match wrapped(angle) {
            angle if angle.abs() < mouth - 1e-9 => {
                let y = KEYWAY_HALF_WIDTH * angle / corner;
                Point3::new(KEYWAY_TOP + widening, y, z)
            }
            angle if angle.abs() < mouth + 1e-9 => Point3::new(wall, KEYWAY_HALF_WIDTH.copysign(angle), z),
            angle => {
                // The rest of the circle, spread evenly from wall to wall.
                let from = (KEYWAY_HALF_WIDTH / radius).asin();
                let spread = from + (angle.abs() - mouth) * (PI - from) / (PI - mouth);
                polar(radius, spread.copysign(angle), z)
            }
        })
        .collect()
}
