use super::super::methods::FitMethods;
use super::*;
use crate::volume::Volume;
use crate::volume::fit::ObbFit;
use crate::volume::fit::primitives::gather;
use crate::volume::{MAX_FIELDS, PackedObb};

/// Sets of 2 to [`SMALL_SET`] triangles: strips of a bent grid with steps of `1 / steps`, and triangles anywhere.
fn sets(steps: u32, scale: f32) -> Vec<Vec<Primitive>> {
    let mut random = 1_u64;
    let mut below = |limit: u32| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as u32 % limit
    };
    let mut sets = Vec::new();
    for number in 0..if cfg!(debug_assertions) { 60 } else { 600 } {
        let triangles = 2 + below(SMALL_SET as u32 - 1);
        let (mut vertices, mut corners) = (Vec::new(), Vec::new());
        if number % 3 == 0 {
            for _ in 0..3 * triangles {
                vertices.push([0; 3].map(|_| scale * below(steps + 1) as f32 / steps as f32).into());
            }
            corners.extend((0..triangles).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]));
        } else {
            for i in 0..triangles + 2 {
                let height = below(steps + 1) as f32 / steps as f32 * (number % 5) as f32 * 0.1;
                vertices.push([(i / 2) as f32, (i % 2) as f32, height].map(|x| scale * x).into());
            }
            corners.extend((0..triangles).map(|i| [i, i + 1, i + 2]));
        }
        sets.push(gather(&vertices, &corners));
    }
    sets
}

fn methods(obb_fit: ObbFit) -> FitMethods {
    FitMethods { obb: obb_fit, sphere: Default::default() }
}

fn words(rows: &[[u32; WIDTH]; MAX_FIELDS], lane: usize) -> [u32; MAX_FIELDS] {
    rows.map(|row| row[lane])
}

fn levels() -> impl Iterator<Item = SimdLevel> {
    SimdLevel::ALL.into_iter().filter(|level| level.is_available())
}

fn area(words: &[u32; MAX_FIELDS]) -> f64 {
    match PackedObb::unpack(words, &Frame::LOCAL) {
        Volume::Obb(obb) => {
            let [x, y, z] = obb.half_extents.into();
            x * y + y * z + z * x
        }
        _ => unreachable!(),
    }
}

/// So that a run of eight nodes or of one, on any machine, gives the same file.
#[test]
fn a_box_depends_on_its_own_triangles_alone() {
    for (steps, scale) in [(1000, 1.0), (2, 1.0), (1, 1e-40), (3, 1e30)] {
        let sets = sets(steps, scale);
        let frame = Frame { origin: [0.0; 3].into(), unit: f64::from(scale) };
        for axes in [Axes::Covariance, Axes::Area, Axes::Volume] {
            for eight in sets.as_chunks::<WIDTH>().0.iter().take(10) {
                let sets = eight.each_ref().map(Vec::as_slice);
                let together = fit(SimdLevel::detect(), sets, axes, &frame);
                for level in levels() {
                    assert_eq!(fit(level, sets, axes, &frame), together, "{level}");
                }
                for (lane, &set) in sets.iter().enumerate() {
                    let alone = fit(SimdLevel::detect(), [set; WIDTH], axes, &frame);
                    assert_eq!(words(&alone, lane), words(&together, lane));
                }
            }
        }
    }
}

#[test]
fn boxes_are_as_small_as_those_fitted_one_by_one() {
    for (steps, scale) in [(1000, 1.0), (2, 1.0), (1, 1e-40), (3, 1e30)] {
        let sets = sets(steps, scale);
        let frame = Frame { origin: [0.0; 3].into(), unit: f64::from(scale) };
        // Corners on a coarse grid may have covariances without a preferred direction, where rounding decides.
        let most = if steps == 1000 { 1.000_001 } else { 1.001 };
        for (axes, obb_fit, most) in
            [(Axes::Covariance, ObbFit::VertexCovariance, most), (Axes::Area, ObbFit::Tight, 1.002)]
        {
            let (mut all, mut all_by_one) = (0.0, 0.0);
            for eight in sets.as_chunks::<WIDTH>().0 {
                let sets = eight.each_ref().map(Vec::as_slice);
                let rows = fit(SimdLevel::detect(), sets, axes, &frame);
                for (lane, set) in sets.iter().enumerate() {
                    let (words, mut expected) = (words(&rows, lane), [0; MAX_FIELDS]);
                    PackedObb::pack(&PackedObb::fit(SimdLevel::detect(), set, methods(obb_fit), &frame), &mut expected);
                    all += area(&words);
                    all_by_one += area(&expected);
                    for point in set.iter().flat_map(Primitive::points) {
                        assert!(PackedObb::encloses(&words, &frame.to_local(&point)));
                    }
                }
            }
            assert!(all <= most * all_by_one, "{all} {all_by_one}");
        }
    }
}
