//! Costs of single queries, and what is fitted to them.

use std::time::Duration;

use bvtree::metrics::{CostTerms, Estimate, PoseCost, PoseSet, QueryCost, log_log_slope, query_cost, time_queries};
use bvtree::{Mesh, Pose, Query, VolumeKind};

use super::meshes::{box_mesh, build, ellipsoid};

/// A query of so many tests that takes so many nanoseconds.
fn query(volume_tests: u64, triangle_tests: u64, nanos: u64) -> PoseCost {
    let time = Duration::from_nanos(nanos);
    PoseCost { hit: false, volume_tests, triangle_tests, time, time_range: [time; 2] }
}

#[test]
fn terms_are_found_again() {
    let counts = [(1000, 10), (2000, 400), (50_000, 1), (300, 300)];
    let exact = counts.map(|(volumes, triangles)| query(volumes, triangles, 3 * volumes + 20 * triangles));
    let terms = CostTerms::fit(&exact).unwrap();
    assert!((terms.volume_test - 3e-9).abs() < 1e-15 && (terms.triangle_test - 20e-9).abs() < 1e-15, "{terms:?}");
    // A tenth more or less in turn.
    let mut noisy = exact;
    for (i, pose) in (0..).zip(&mut noisy) {
        pose.time = pose.time * if i % 2 == 0 { 11 } else { 9 } / 10;
    }
    let terms = CostTerms::fit(&noisy).unwrap();
    assert!((terms.volume_test - 3e-9).abs() < 0.5e-9 && (terms.triangle_test - 20e-9).abs() < 5e-9, "{terms:?}");
}

#[test]
fn what_the_queries_do_not_tell_is_none() {
    assert_eq!(CostTerms::fit(&[]), None);
    assert_eq!(CostTerms::fit(&[query(10, 1, 100), query(1, 10, 100)]), None);
    assert_eq!(CostTerms::fit(&[query(10, 1, 0), query(1, 10, 0), query(2, 2, 0)]), None);
    let proportional = [query(100, 10, 700), query(1000, 100, 7100), query(10_000, 1000, 69_000)];
    assert_eq!(CostTerms::fit(&proportional), None);
    assert_eq!(CostTerms::fit(&[query(100, 0, 300), query(1000, 0, 3000), query(5000, 0, 15_000)]), None);
    // Triangle tests that save time.
    assert_eq!(CostTerms::fit(&[query(1000, 0, 3000), query(1000, 100, 2000), query(1000, 50, 2500)]), None);
}

#[test]
fn timed_poses_add_up_to_the_counted_ones() {
    let [a, b] = [ellipsoid([1.0, 2.0, 0.5], 16, 8), box_mesh([9.0, 0.0, 0.0], [10.0, 2.0, 0.5])];
    let [a, b] = [a, b].map(|mesh| build(&mesh, VolumeKind::Obb));
    let poses: Vec<Pose> = PoseSet::default().poses(&a, &b).iter().map(|posed| posed.pose).collect();
    let costs = time_queries(&mut Query::new(), &a, &b, &poses, 3);
    assert_eq!(costs.len(), poses.len());
    assert!(costs.iter().all(|cost| cost.volume_tests > 0 && !cost.time.is_zero()));
    assert_eq!(costs.iter().collect::<QueryCost>(), query_cost(&mut Query::new(), &a, &b, &poses));
    let untimed = time_queries(&mut Query::new(), &a, &b, &poses, 0);
    assert!(untimed.iter().all(|cost| cost.time.is_zero()));
}

#[test]
fn slopes_of_power_laws() {
    let law = |exponent: f64| (1..6).map(move |x| (f64::from(x), 7.0 * f64::from(x).powf(exponent)));
    for exponent in [-2.0, 0.0, 0.5, 1.0] {
        let slope = log_log_slope(law(exponent)).unwrap();
        assert!(slope.standard_error < 1e-12);
        let slope = slope.value;
        assert!((slope - exponent).abs() < 1e-12, "{slope} instead of {exponent}");
    }
    assert_eq!(log_log_slope(law(1.0).take(2)), None);
    assert_eq!(log_log_slope([(1.0, 1.0), (1.0, 2.0), (1.0, 3.0)]), None);
    assert_eq!(log_log_slope([(1.0, 0.0), (2.0, -2.0), (3.0, 3.0), (0.0, 1.0), (f64::NAN, 1.0)]), None);
}

#[test]
fn what_lies_upon_itself_ends() {
    // 2,000 triangles on one another have four million pairs.
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let tree_of = |corners: [[f32; 3]; 3]| {
        let mesh = Mesh::from_slices(&corners, &vec![[0, 1, 2]; 2000]).unwrap();
        build(&mesh, VolumeKind::Obb)
    };
    let tree = tree_of(corners);
    let cost = query_cost(&mut Query::new(), &tree, &tree, &[Pose::default()]);
    assert_eq!((cost.queries, cost.hits), (1, 1));
    assert!((65_536..200_000).contains(&cost.triangle_tests), "{}", cost.triangle_tests);
    // As many that nearly coincide, and whose boxes overlap, but of which none touch; a hundred million pairs.
    let pile = |shift: f32| {
        let corners = [[0.0, 0.0, shift], [1.0, 0.0, 1.0 + shift], [0.0, 1.0, shift]];
        build(&Mesh::from_slices(&corners, &vec![[0, 1, 2]; 10_000]).unwrap(), VolumeKind::Aabb)
    };
    let cost = query_cost(&mut Query::new(), &pile(0.0), &pile(0.5), &[Pose::default()]);
    assert_eq!((cost.queries, cost.hits), (1, 0));
    assert!((1 << 22..1 << 23).contains(&cost.triangle_tests), "{}", cost.triangle_tests);
    // Separations are parts of a diagonal.
    let point = tree_of([[1.0, 2.0, 3.0]; 3]);
    assert!(PoseSet::default().poses(&point, &point).is_empty());
}

/// The textbook's ratio estimator, by hand; and what varies alike in both sums is no error.
#[test]
fn ratios_of_sums_are_paired() {
    let found = Estimate::ratio_of_sums([[2.0, 1.0], [3.0, 2.0], [7.0, 3.0]]).unwrap();
    // Deviations from twice the second number are 0, -1 and 1.
    assert_eq!(found.value, 2.0);
    assert!((found.standard_error - (2.0 * 3.0 / 2.0_f64).sqrt() / 6.0).abs() < 1e-15, "{found:?}");
    let alike = Estimate::ratio_of_sums([[3.0, 1.0], [300.0, 100.0], [0.03, 0.01]]).unwrap();
    assert!((alike.value - 3.0).abs() < 1e-12 && alike.standard_error < 1e-12);
    for none in [vec![], vec![[1.0, 2.0]], vec![[1.0, 0.0], [2.0, 0.0]], vec![[0.0, 0.0]; 3]] {
        assert_eq!(Estimate::ratio_of_sums(none), None);
    }
}
