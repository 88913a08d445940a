//! A teapot, 16 cm high: a hollow body and its lid turned, spout and handle swept; each part closed.

use nalgebra::Point3;

use super::loft::{Ends, lathe, smooth_profile};
use super::obj::Obj;
use super::surface::Surface;
use super::sweep::{sweep, tube};

const SEGMENTS: usize = 40;

pub fn teapot() -> Obj {
    let mut obj = Obj::new("Teapot, 16 cm high (cm)");
    obj.object("body").surface(&body().triangulated());
    obj.object("lid").surface(&lid().triangulated());
    obj.object("spout").surface(&spout().triangulated());
    obj.object("handle").surface(&handle().triangulated());
    obj
}

/// Up the outside, over the rim and down the inside.
fn body() -> Surface {
    let outside = [
        (4.6, 0.0),
        (4.9, 0.35),
        (5.2, 0.9),
        (7.1, 3.2),
        (7.8, 6.0),
        (7.0, 9.0),
        (5.0, 11.3),
        (4.2, 11.9),
        (4.3, 12.4),
    ];
    let inside = [(3.7, 12.4), (3.7, 11.7), (4.6, 10.9), (6.5, 8.8), (7.3, 6.0), (6.6, 3.4), (4.4, 1.2), (2.0, 0.9)];
    let mut profile = vec![(0.0, 0.3), (2.2, 0.3), (3.9, 0.25), (4.2, 0.0)];
    profile.extend(smooth_profile(&outside, 3));
    profile.extend(smooth_profile(&inside, 2));
    profile.push((0.0, 0.85));
    lathe(&profile, SEGMENTS, Ends::Open)
}

fn lid() -> Surface {
    let knots =
        [(4.25, 12.75), (3.6, 13.3), (2.2, 13.9), (0.9, 14.3), (0.6, 14.7), (1.15, 15.3), (0.85, 15.9), (0.0, 16.1)];
    let mut profile = vec![(0.0, 12.1), (3.3, 12.1), (3.5, 12.45), (4.2, 12.5)];
    profile.extend(smooth_profile(&knots, 3));
    lathe(&profile, SEGMENTS, Ends::Open)
}

fn spout() -> Surface {
    let knots = [(6.0, 4.4), (8.6, 5.2), (10.7, 7.4), (11.9, 10.0), (13.6, 11.8)];
    let path = smooth_profile(&knots, 7);
    let count = path.len() as f64 - 1.0;
    let points: Vec<Point3<f64>> = path.iter().map(|&(x, z)| Point3::new(x, 0.0, z)).collect();
    let radius = |i: usize| {
        let t = i as f64 / count;
        1.75 - 1.15 * t.powf(0.7) + 0.25 * t.powi(6)
    };
    tube(&points, 24, radius, Ends::Capped)
}

fn handle() -> Surface {
    let knots = [(6.6, 9.6), (9.6, 10.6), (12.0, 9.4), (12.2, 6.8), (10.4, 4.4), (7.4, 3.5)];
    let path = smooth_profile(&knots, 8);
    let points: Vec<Point3<f64>> = path.iter().map(|&(x, z)| Point3::new(-x, 0.0, z)).collect();
    let section = |_| {
        let turns = (0..20).map(|k| (std::f64::consts::TAU * f64::from(k) / 20.0).sin_cos());
        turns.map(|(sin, cos)| [0.75 * cos, 0.5 * sin]).collect()
    };
    sweep(&points, section, Ends::Capped)
}
