//! EPOS: the exact ball of a few extremal points, enlarged to hold the rest.

use nalgebra::{Point3, Vector3};

use super::enclose::sphere_with_center;
use super::extremes::extremes;
use super::ritter::{grown, smaller};
use super::smallest_sphere::smallest_sphere;
use crate::shape::{Aabb, Sphere};

/// The EPOS ball from the extremes along 3, 7, 13 or 49 directions: `epos::<3>` to `epos::<49>` are the paper's EPOS-6,
/// EPOS-14, EPOS-26 and EPOS-98.
///
/// Never larger, to rounding, than the sphere around the points' AABB. After Larsson 2008, "Fast and tight fitting
/// bounding spheres", SIGRAD.
pub fn epos<const N: usize>(points: &[Point3<f64>]) -> Sphere {
    let directions = directions::<N>();
    let along_directions = extremes(points, |point| directions.map(|direction| direction.dot(&point.coords)));
    let extremal: Vec<_> = along_directions
        .iter()
        .flat_map(|pair| [points.get(pair.least), points.get(pair.greatest)])
        .flatten()
        .copied()
        .collect();
    let Some(&first) = extremal.first() else { return sphere_with_center(points, &Point3::origin()) };
    let ball = grown(points, smallest_sphere(&extremal).sphere.into());

    // The extremes along any directions that include the coordinate axes span the points' AABB.
    let mut aabb = Aabb { lower: first, upper: first };
    extremal.iter().for_each(|point| aabb.grow(point));
    smaller(ball, sphere_with_center(points, &aabb.center()))
}

/// The first `N` of the directions from a cube's centre to the points of a grid on its surface, in the paper's order:
/// axes, corners, edge middles, and 36 between.
pub(super) fn directions<const N: usize>() -> [Vector3<f64>; N] {
    let mut first = all_directions().into_iter();
    std::array::from_fn(|_| first.next().map_or(Vector3::zeros(), |d| Vector3::from(d).cast()))
}

fn all_directions() -> Vec<[i32; 3]> {
    let mut all: Vec<[i32; 3]> = Vec::new();
    for x in -2..=2 {
        for y in -2..=2 {
            for z in -2..=2 {
                let first_nonzero = [x, y, z].into_iter().find(|&c| c != 0);
                let primitive = [x, y, z].iter().any(|c| c % 2 != 0);
                if primitive && first_nonzero > Some(0) {
                    all.push([x, y, z]);
                }
            }
        }
    }
    let rank = |d: &[i32; 3]| match d.map(i32::abs).iter().sum::<i32>() {
        1 => 0,
        3 if d.iter().all(|c| c.abs() == 1) => 1,
        2 => 2,
        _ => 3,
    };
    all.sort_by_key(rank);
    all
}
