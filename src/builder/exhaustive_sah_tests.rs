//! The plane found among few triangles against all planes above their centroids, one by one.

use super::*;
use crate::builder::sah_bounds::SahBox;
use crate::builder::split_volume::SplitVolume;
use crate::options::SplitRule;
use crate::volume::fit::gather;
use nalgebra::Point3;

/// Triangles with corners on a grid, on which sums are exact.
fn soup(triangles: u32, grid: u32, scale: f32, random: &mut u64) -> Vec<Primitive> {
    let mut below = |limit: u32| {
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*random >> 33) as u32 % limit
    };
    let vertices: Vec<Point3<f32>> =
        (0..3 * triangles).map(|_| [0; 3].map(|_| scale * below(grid) as f32).into()).collect();
    gather(&vertices, &(0..triangles).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect::<Vec<_>>())
}

fn cost(below: &[Primitive], above: &[Primitive]) -> f64 {
    [below, above].into_iter().map(|side| side.len() as f64 * SahBox::of_primitives(side).area()).sum()
}

/// The least cost of all planes above a centroid that have something above them.
fn least_cost(primitives: &[Primitive]) -> Option<f64> {
    let planes = (0..3).flat_map(|k| primitives.iter().map(move |primitive| (k, primitive.corner_sum_along(k))));
    let costs = planes.filter_map(|(k, plane)| {
        let (below, above): (Vec<Primitive>, Vec<Primitive>) =
            primitives.iter().partition(|primitive| primitive.corner_sum_along(k) <= plane);
        (!above.is_empty()).then(|| cost(&below, &above))
    });
    costs.min_by(f64::total_cmp)
}

#[test]
fn no_plane_costs_less() {
    let mut random = 1;
    for triangles in 2..=FEW as u32 {
        // A grid of two steps has many equal centroids, one of a step nothing else.
        for grid in [1, 2, 5, 1000] {
            let primitives = soup(triangles, grid, 1.0, &mut random);
            let volume = SplitVolume::axis_aligned(SimdLevel::detect(), &primitives, None, SplitRule::Sah);
            let axes = Axes::of(&volume, 0.0);
            let expected = least_cost(&primitives);
            let mut first: Option<Vec<u32>> = None;
            for level in SimdLevel::ALL.into_iter().filter(|level| level.is_available()) {
                let mut parted = primitives.clone();
                let found = partition::<SahBox>(level, &mut parted, &axes);
                assert_eq!(found.is_some(), expected.is_some(), "{triangles} triangles on {grid}");
                let Some((middle, sides)) = found else { continue };
                let (below, above) = parted.split_at(middle);
                assert_eq!(Some(cost(below, above)), expected, "{triangles} triangles on {grid}, {level}");
                for (side, ranges) in [below, above].into_iter().zip(sides) {
                    assert_eq!(SahBox::of_primitives(side).area(), ranges.half_area());
                }
                let order: Vec<u32> = parted.iter().map(Primitive::face).collect();
                assert_eq!(first.get_or_insert_with(|| order.clone()), &order, "{level}");
            }
        }
    }
}

/// Sums beyond what f32 holds: a plane may not be found, but no side is empty and no triangle is lost.
#[test]
fn sums_beyond_f32_lose_no_triangle() {
    let primitives = soup(9, 3, 1.5e38, &mut 7);
    let volume = SplitVolume::axis_aligned(SimdLevel::detect(), &primitives, None, SplitRule::Sah);
    for level in SimdLevel::ALL.into_iter().filter(|level| level.is_available()) {
        let mut parted = primitives.clone();
        if let Some((middle, _)) = partition::<SahBox>(level, &mut parted, &Axes::of(&volume, 0.3)) {
            assert!((1..9).contains(&middle));
        }
        parted.sort_unstable_by_key(Primitive::face);
        assert!(parted.iter().zip(&primitives).all(|(a, b)| a.corners == b.corners));
    }
}
