//! Lofting: a skin over a row of rings. Tubes, turned solids, blades and gear wheels are all lofts.

use std::f64::consts::TAU;

use nalgebra::Point3;

use super::surface::Surface;

/// A closed line of points, counterclockwise seen from where the rings go to; a single point is a pole.
pub type Ring = Vec<Point3<f64>>;

/// What happens at the first and the last ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// They stay open, or are poles.
    Open,
    /// One polygon closes each of them.
    Capped,
    /// The last ring joins the first.
    Joined,
}

/// The skin of quads over `rings`, which have equally many points, except for poles.
pub fn loft(rings: &[Ring], ends: Ends) -> Surface {
    let mut surface = Surface::default();
    let mut ring_indices: Vec<Vec<usize>> = Vec::new();
    for ring in rings {
        let first = surface.points.len();
        surface.points.extend(ring);
        ring_indices.push((first..surface.points.len()).collect());
    }
    for pair in ring_indices.windows(2) {
        skin(&mut surface, &pair[0], &pair[1]);
    }
    if let [first, .., last] = &ring_indices[..] {
        match ends {
            Ends::Open => {}
            Ends::Capped => {
                surface.faces.push(first.iter().rev().copied().collect());
                surface.faces.push(last.clone());
            }
            Ends::Joined => skin(&mut surface, last, first),
        }
    }
    surface
}

/// Adds the faces between two neighbouring rings.
pub fn skin(surface: &mut Surface, lower: &[usize], upper: &[usize]) {
    let count = lower.len().max(upper.len());
    let at = |ring: &[usize], i: usize| ring[i % ring.len()];
    for i in 0..count {
        let mut face = vec![at(lower, i), at(lower, i + 1), at(upper, i + 1), at(upper, i)];
        face.dedup();
        surface.faces.push(face);
    }
}

/// A ring around the z axis at the given height: its radius at each of `segments` angles. Zero makes a pole.
pub fn ring(segments: usize, z: f64, radius: impl Fn(f64) -> f64) -> Ring {
    if radius(0.0) == 0.0 {
        return vec![Point3::new(0.0, 0.0, z)];
    }
    let angles = (0..segments).map(|i| TAU * i as f64 / segments as f64);
    angles.map(|angle| Point3::new(radius(angle) * angle.cos(), radius(angle) * angle.sin(), z)).collect()
}

/// A solid of revolution around z from its profile of `(radius, z)`, upwards along its outside.
pub fn lathe(profile: &[(f64, f64)], segments: usize, ends: Ends) -> Surface {
    let rings: Vec<Ring> = profile.iter().map(|&(radius, z)| ring(segments, z, |_| radius)).collect();
    loft(&rings, ends)
}

/// A smooth profile through `knots` (Catmull-Rom), with `steps` points from each knot to the next.
pub fn smooth_profile(knots: &[(f64, f64)], steps: usize) -> Vec<(f64, f64)> {
    let mut profile = Vec::new();
    for k in 0..knots.len().saturating_sub(1) {
        let window = [knots[k.saturating_sub(1)], knots[k], knots[k + 1], knots[(k + 2).min(knots.len() - 1)]];
        for step in 0..steps {
            let t = step as f64 / steps as f64;
            let radius = catmull_rom(window.map(|knot| knot.0), t);
            profile.push((radius.max(0.0), catmull_rom(window.map(|knot| knot.1), t)));
        }
    }
    profile.extend(knots.last());
    profile
}

/// Cubic through `p[1]` at 0 and `p[2]` at 1, with slopes from the neighbours.
fn catmull_rom(p: [f64; 4], t: f64) -> f64 {
    let slope = [(p[2] - p[0]) / 2.0, (p[3] - p[1]) / 2.0];
    let rise = p[2] - p[1];
    p[1] + t * (slope[0] + t * (3.0 * rise - 2.0 * slope[0] - slope[1] + t * (slope[0] + slope[1] - 2.0 * rise)))
}
