//! Ray metrics against cases worked by hand.

use bvtree::VolumeKind;
use bvtree::metrics::{Estimate, MeshFacts, MetricsOptions, RayQuality, Tightness};

use super::meshes::{build, ellipsoid, mesh, sheet};

fn exact(value: f64) -> Option<Estimate> {
    Some(Estimate { value, standard_error: 0.0 })
}

/// All samples say the same, and what they might have missed is in the standard error.
fn assert_unanimous(estimate: Option<Estimate>, value: f64, standard_error_max: f64) {
    let found = estimate.unwrap();
    assert_eq!(found.value, value);
    assert!(found.standard_error > 0.0 && found.standard_error < standard_error_max, "{found:?}");
}

/// Two right triangles of one square: the box of either holds the other.
#[test]
fn boxes_of_half_squares_overlap_wholly() {
    let square = mesh(&[[0., 0., 0.], [2., 0., 0.], [2., 2., 0.], [0., 2., 0.]], &[[0, 1, 2], [0, 2, 3]]);
    let rays = RayQuality::new(&build(&square, VolumeKind::Aabb));
    assert_eq!((rays.levels[0].epo, rays.levels[0].lcv), (exact(0.0), exact(0.0)));
    assert_unanimous(rays.total.epo, 1.0, 1e-3);
    // And every line that meets the root meets both.
    assert_unanimous(rays.total.lcv, 0.0, 0.01);
}

/// Two right triangles three apart: boxes of 1 x 1 at the ends of one of 4 x 1, so that half of the lines miss both.
#[test]
fn leaves_apart_are_met_now_and_then() {
    let pair = mesh(
        &[[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [3., 0., 0.], [4., 0., 0.], [3., 1., 0.]],
        &[[0, 1, 2], [3, 4, 5]],
    );
    let rays = RayQuality::new(&build(&pair, VolumeKind::Aabb));
    assert_eq!(rays.levels.len(), 2);
    assert_unanimous(rays.total.epo, 0.0, 1e-3);
    let variability = rays.total.lcv.unwrap().value;
    assert!((variability - 0.5).abs() < 0.02, "{variability}");
}

/// A small triangle in the box of a large one, a sixteenth of the area: the large one's leaf holds all of it.
#[test]
fn overlap_counts_by_area_and_cost() {
    let nested = mesh(
        &[[0., 0., 0.], [4., 0., 0.], [0., 4., 0.], [3., 3., 0.], [4., 3., 0.], [3., 4., 0.]],
        &[[0, 1, 2], [3, 4, 5]],
    );
    let rays = RayQuality::new(&build(&nested, VolumeKind::Aabb));
    let overlap = rays.total.epo.unwrap();
    // Chosen by area, to within one point of all.
    assert!((overlap.value - 1.0 / 17.0).abs() < 1.0 / 512.0 && overlap.standard_error < 1.0 / 512.0, "{overlap:?}");
}

fn options(seed: u64, samples: usize) -> MetricsOptions {
    MetricsOptions { seed, samples, ..MetricsOptions::default() }
}

#[test]
fn without_area_there_are_no_rays() {
    let points = mesh(&[[1., 2., 3.]], &[[0, 0, 0], [0, 0, 0]]);
    let segments = mesh(&[[0., 0., 0.], [1., 0., 0.], [2., 0., 0.]], &[[0, 1, 1], [1, 2, 2]]);
    for mesh in [points, segments, mesh(&[], &[])] {
        for kind in VolumeKind::ALL {
            let rays = RayQuality::new(&build(&mesh, kind));
            assert!(rays.levels.iter().chain([&rays.total]).all(|metrics| metrics.epo.is_none()));
            assert!(rays.total.lcv.is_none_or(|lcv| lcv.value.is_finite()));
        }
    }
}

/// The root is everyone's own; a tree that ends there is one leaf.
#[test]
fn a_root_alone_has_no_overlap_and_no_variability() {
    for kind in VolumeKind::ALL {
        let rays = RayQuality::new(&build(&sheet(6, |x, y| x * y), kind));
        assert_eq!((rays.levels[0].epo, rays.levels[0].lcv), (exact(0.0), exact(0.0)));
        assert_eq!(rays.levels.last(), Some(&rays.total));
        assert!(rays.total.epo.unwrap().value > 0.0 && rays.total.lcv.unwrap().value > 0.0);
    }
}

/// The formula is what a traversal expects where volumes are nested, and more where they are not.
#[test]
fn a_line_takes_as_many_tests_as_the_surface_area_heuristic_says_of_nested_volumes() {
    let meshes = [ellipsoid([3.0, 2.0, 1.0], 24, 12), sheet(12, |x, y| x * x - y * y)];
    for mesh in &meshes {
        for kind in VolumeKind::ALL {
            let tree = build(mesh, kind);
            let formula = Tightness::new(&tree, &MeshFacts::new(mesh)).total.sah_cost.unwrap();
            let rays = RayQuality::new(&tree).total;
            let Estimate { value, standard_error } = rays.line_tests.unwrap();
            assert!(standard_error > 0.0 && standard_error < 0.03 * value, "{kind} {rays:?}");
            assert!(value <= formula + 4.0 * standard_error, "{kind}: {formula} and {rays:?}");
            // Nested but for rounding to f32.
            if kind == VolumeKind::Aabb {
                assert!((value - formula).abs() <= 4.0 * standard_error, "{kind}: {formula} and {rays:?}");
                assert!((rays.epo.unwrap().value - rays.epo_reached.unwrap().value).abs() < 0.05, "{rays:?}");
            }
            if kind == VolumeKind::Sphere {
                assert!(value + 2.0 * standard_error < formula, "{formula} and {rays:?}");
                assert!(rays.epo_reached.unwrap().value < rays.epo.unwrap().value, "{rays:?}");
            }
            assert!(rays.epo_reached.unwrap().value <= rays.epo.unwrap().value, "{kind} {rays:?}");
        }
    }
}

/// Lines are uniform among those that meet the root: of a box of 4 x 1 x 1, in which two leaves are apart, the part
/// that meets a leaf is that of their areas (Crofton).
#[test]
fn lines_meet_leaves_in_proportion_to_their_areas() {
    let pair = mesh(
        &[[0., 0., 0.], [1., 0., 0.], [0., 1., 1.], [3., 0., 0.], [4., 0., 0.], [3., 1., 1.]],
        &[[0, 1, 2], [3, 4, 5]],
    );
    for seed in 0..4 {
        let tests =
            RayQuality::with_options(&build(&pair, VolumeKind::Aabb), &options(seed, 4096)).total.line_tests.unwrap();
        // The root tests two volumes, and each leaf a triangle.
        let expected = 2.0 + 2.0 * 6.0 / 18.0;
        assert!((tests.value - expected).abs() < 4.0 * tests.standard_error, "{tests:?} instead of {expected}");
    }
}

/// Two boxes of 1 x 1 x 1 in one of 16 x 1 x 1, of whose lines few meet either and hardly any both: the number of
/// leaves is skewed, and that must not show in the standard error.
#[test]
fn estimates_of_lines_scatter_as_their_standard_errors_say() {
    let pair = mesh(
        &[[0., 0., 0.], [1., 0., 0.], [0., 1., 1.], [15., 0., 0.], [16., 0., 0.], [15., 1., 1.]],
        &[[0, 1, 2], [3, 4, 5]],
    );
    let tree = build(&pair, VolumeKind::Aabb);
    let exact = RayQuality::with_options(&tree, &options(1 << 32, 1 << 19)).total.lcv.unwrap();
    let root = 2.0 * (16.0 + 16.0 + 1.0);
    let expected = [exact.value, 2.0 + 2.0 * 6.0 / root];
    let off = |seed| {
        let rays = RayQuality::with_options(&tree, &options(seed, 1024)).total;
        let found = [rays.lcv, rays.line_tests].map(Option::unwrap);
        [0, 1].map(|figure| (found[figure].value - expected[figure]).abs() / found[figure].standard_error)
    };
    let off: Vec<[f64; 2]> = (0..200).map(off).collect();
    for figure in [0, 1] {
        let beyond = |many: f64| off.iter().filter(|off| off[figure] > many).count();
        assert!((2..=20).contains(&beyond(2.0)) && beyond(4.0) == 0, "{figure}: {off:?}");
    }
}

#[test]
fn without_samples_there_are_no_estimates() {
    let rays = RayQuality::with_options(&build(&sheet(6, |x, y| x * y), VolumeKind::Obb), &options(0, 0));
    assert!(rays.total == Default::default() && rays.levels.iter().all(|level| *level == Default::default()));
}
