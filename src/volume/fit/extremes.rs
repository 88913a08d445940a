//! Points extremal along a few directions: what cheap fits look at instead of all points.

use nalgebra::Point3;

/// Indices of the points with the least and the greatest projection; the first of equals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extremes {
    pub least: usize,
    pub greatest: usize,
}

/// The extremes of each of the `N` numbers that `project` makes of a point; zeros for no points.
#[inline(always)]
pub(super) fn extremes<const N: usize>(
    points: &[Point3<f64>],
    project: impl Fn(&Point3<f64>) -> [f64; N],
) -> [Extremes; N] {
    let mut extremes = [Extremes { least: 0, greatest: 0 }; N];
    let mut least = [f64::INFINITY; N];
    let mut greatest = [f64::NEG_INFINITY; N];
    for (index, point) in points.iter().enumerate() {
        let projections = project(point);
        for k in 0..N {
            if projections[k] < least[k] {
                least[k] = projections[k];
                extremes[k].least = index;
            }
            if projections[k] > greatest[k] {
                greatest[k] = projections[k];
                extremes[k].greatest = index;
            }
        }
    }
    extremes
}
