//! A sword, 1.1 m long, pointing up: blade, guard, grip and pommel are closed and in groups of their own.

use std::f64::consts::TAU;

use nalgebra::{Isometry3, Point3, Vector3};

use super::loft::{Ends, Ring, lathe, loft, ring, smooth_profile};
use super::obj::Obj;
use super::surface::Surface;
use super::sweep::sweep;

const BLADE_LENGTH: f64 = 0.88;
const BLADE_RINGS: usize = 48;
const GRIP_LENGTH: f64 = 0.2;
const SEGMENTS: usize = 24;

pub fn sword() -> Obj {
    let mut obj = Obj::new("Sword, 1.1 m");
    obj.object("sword");
    obj.group("blade").surface(&blade().triangulated());
    obj.group("guard").surface(&guard().triangulated());
    obj.group("grip").surface(&grip().triangulated());
    obj.group("pommel").surface(&pommel().triangulated());
    obj
}

/// Lens-shaped with a fuller along the middle, and a pole for the point.
fn blade() -> Surface {
    let mut rings: Vec<Ring> = (0..BLADE_RINGS)
        .map(|i| {
            let t = i as f64 / BLADE_RINGS as f64;
            let point = ((t - 0.85) / 0.15).max(0.0);
            let narrowing = (1.0 - 0.35 * t) * (1.0 - point * point);
            let half_width = 0.026 * narrowing;
            let half_thickness = 0.0042 * (1.0 - 0.4 * t) * (1.0 - 0.8 * point * point);
            let fuller = 0.65 * ((0.66 - t) / 0.08).clamp(0.0, 1.0);
            // One side from edge to edge, as parts of the half width and half thickness.
            let side = [(1.0, 0.0), (0.62, 0.62), (0.3, 1.0), (0.16, 1.0 - 0.75 * fuller), (0.0, 1.0 - fuller)];
            let whole = side.into_iter().chain(side[1..4].iter().rev().map(|&(x, y)| (-x, y)));
            let upper: Vec<[f64; 2]> = whole.map(|(x, y)| [half_width * x, half_thickness * y]).collect();
            let lower = upper.iter().map(|[x, y]| [-x, -y]);
            upper.iter().copied().chain(lower).map(|[x, y]| Point3::new(x, y, BLADE_LENGTH * t - 0.01)).collect()
        })
        .collect();
    rings.push(vec![Point3::new(0.0, 0.0, BLADE_LENGTH)]);
    let mut blade = loft(&rings, Ends::Open);
    let tang: Vec<usize> = (0..rings[0].len()).rev().collect();
    blade.faces.push(tang);
    blade
}

/// A bar across the blade that bends towards the point and swells at its ends.
fn guard() -> Surface {
    const STEPS: usize = 36;
    let along = |i: usize| 2.0 * i as f64 / STEPS as f64 - 1.0;
    let path: Vec<Point3<f64>> =
        (0..=STEPS).map(|i| Point3::new(0.115 * along(i), 0.0, 0.03 * along(i).powi(4) - 0.006)).collect();
    let section = |i: usize| {
        let t = along(i).abs();
        let knob = (-((t - 0.93) / 0.07).powi(2)).exp();
        let end = (1.0 - ((t - 0.93).max(0.0) / 0.08).powi(2)).sqrt();
        let middle = (-(t / 0.25).powi(2)).exp();
        let size = (0.0065 + 0.005 * knob) * end;
        let wide = size + 0.005 * middle;
        let turns = (0..SEGMENTS).map(|k| (TAU * k as f64 / SEGMENTS as f64).sin_cos());
        turns.map(|(sin, cos)| [wide * cos, size * sin]).collect()
    };
    sweep(&path, section, Ends::Capped)
}

/// An oval handle with a cord wound around it.
fn grip() -> Surface {
    const RINGS: usize = 60;
    const WINDINGS: f64 = 12.0;
    let rings: Vec<Ring> = (0..=RINGS)
        .map(|i| {
            let t = i as f64 / RINGS as f64;
            let swelling = 0.0135 + 0.002 * (TAU * t / 2.0).sin();
            let radius = move |angle: f64| swelling + 0.0011 * (TAU * WINDINGS * t - angle).cos();
            let mut ring = ring(SEGMENTS, -0.012 - GRIP_LENGTH * (1.0 - t), radius);
            ring.iter_mut().for_each(|point| point.y *= 0.8);
            ring
        })
        .collect();
    loft(&rings, Ends::Capped)
}

/// A wheel pommel, turned around the y axis, on a collar's height below the grip.
fn pommel() -> Surface {
    let half = [(0.0, -0.014), (0.009, -0.014), (0.013, -0.0115), (0.021, -0.0105), (0.027, -0.006), (0.0285, 0.0)];
    let mut knots = half.to_vec();
    knots.extend(half.iter().rev().skip(1).map(|&(radius, z)| (radius, -z)));
    let wheel = lathe(&smooth_profile(&knots, 2), SEGMENTS, Ends::Open);
    let center = Vector3::new(0.0, 0.0, -0.012 - GRIP_LENGTH - 0.026);
    let quarter_turn = Vector3::x() * (TAU / 4.0);
    wheel.moved(&Isometry3::new(center, quarter_turn))
}
