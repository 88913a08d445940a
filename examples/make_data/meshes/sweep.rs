//! Sweeping a cross-section along a curve in space.

use std::f64::consts::TAU;

use nalgebra::{Point3, Rotation3, Unit, Vector3};

use super::loft::{Ends, Ring, loft};
use super::surface::Surface;

/// A tube along `path` whose radius at the `i`-th point is `radius(i)`.
pub fn tube(path: &[Point3<f64>], segments: usize, radius: impl Fn(usize) -> f64, ends: Ends) -> Surface {
    let circle: Vec<[f64; 2]> = (0..segments)
        .map(|i| {
            let angle = TAU * i as f64 / segments as f64;
            [angle.cos(), angle.sin()]
        })
        .collect();
    sweep(path, |i| circle.iter().map(|c| c.map(|x| x * radius(i))).collect(), ends)
}

/// The loft of the cross-sections `section(i)`, each counterclockwise in the plane across `path` at its `i`-th point.
///
/// The plane's axes turn as little as they can along the path. On a joined path the turn that is left at the end is
/// spread over all of it, so that the ends meet.
pub fn sweep(path: &[Point3<f64>], section: impl Fn(usize) -> Vec<[f64; 2]>, ends: Ends) -> Surface {
    let tangents = tangents(path, ends == Ends::Joined);
    let mut across = vec![start_axis(&tangents[0])];
    for pair in tangents.windows(2) {
        across.push(carry(&across[across.len() - 1], &pair[0], &pair[1]));
    }
    let leftover = if ends == Ends::Joined {
        let last = tangents.len() - 1;
        let end = carry(&across[last], &tangents[last], &tangents[0]);
        end.cross(&across[0]).dot(&tangents[0]).atan2(end.dot(&across[0]))
    } else {
        0.0
    };
    let rings: Vec<Ring> = (0..path.len())
        .map(|i| {
            let turn = leftover * i as f64 / path.len() as f64;
            let u = Rotation3::from_axis_angle(&tangents[i], turn) * across[i];
            let v = tangents[i].cross(&u);
            section(i).iter().map(|[x, y]| path[i] + u * *x + v * *y).collect()
        })
        .collect();
    loft(&rings, ends)
}

/// Directions of the path by central differences, one-sided at open ends.
fn tangents(path: &[Point3<f64>], joined: bool) -> Vec<Unit<Vector3<f64>>> {
    let count = path.len();
    (0..count)
        .map(|i| {
            let (before, after) = if joined {
                ((i + count - 1) % count, (i + 1) % count)
            } else {
                (i.max(1) - 1, (i + 1).min(count - 1))
            };
            Unit::new_normalize(path[after] - path[before])
        })
        .collect()
}

/// A direction across `tangent`, in the plane it spans with the coordinate axis farthest from it.
fn start_axis(tangent: &Vector3<f64>) -> Vector3<f64> {
    let mut axis = Vector3::zeros();
    axis[tangent.iamin()] = 1.0;
    (axis - tangent * tangent.dot(&axis)).normalize()
}

/// `axis` after the smallest rotation that takes one tangent to the other.
fn carry(axis: &Vector3<f64>, from: &Vector3<f64>, to: &Vector3<f64>) -> Vector3<f64> {
    let carried = Rotation3::rotation_between(from, to).map_or(*axis, |rotation| rotation * axis);
    (carried - to * to.dot(&carried)).normalize()
}
