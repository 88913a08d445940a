//! Two-tree queries against the O(n*m) oracle.

use std::ops::ControlFlow;

use bvtree::pose::PoseError;
use bvtree::query::FacePair;
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query, SplitRule, VolumeKind};
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};
use proptest::prelude::*;

use crate::oracle::meshes::{self, any_mesh, placed};
use crate::oracle::poses::{meetings, near_rotations, quarter_turns, rotations};
use crate::oracle::{Rules, assert_queries_find, levels, queried_pairs, touching_pairs, transposed};

fn cases(release: u32) -> ProptestConfig {
    let cases = if cfg!(debug_assertions) { release / 40 } else { release };
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

fn any_rules() -> impl Strategy<Value = Rules> {
    (
        prop::sample::select(&SplitRule::ALL),
        prop::sample::select(&Rules::LEAF_TRIANGLES),
        prop::sample::select(&Rules::DEPTHS),
    )
        .prop_map(|(split, max_leaf_triangles, max_depth)| Rules { split, max_leaf_triangles, max_depth })
}

fn check(a: &Mesh, b: &Mesh, b_to_a: &Pose, rules: [Rules; 2]) {
    assert_queries_find(&touching_pairs(a, b, b_to_a), a, b, b_to_a, rules);
}

fn translation(x: f64, y: f64, z: f64) -> Pose {
    Pose::from(Isometry3::translation(x, y, z))
}

proptest! {
    #![proptest_config(cases(4000))]

    #[test]
    fn any_meshes_at_any_pose(
        (a, b, rotation, meeting) in (any_mesh(), any_mesh(), rotations(), meetings()),
        rules in [any_rules(), any_rules()],
    ) {
        check(&a, &b, &meeting.pose(&a, &b, rotation), rules);
    }

    #[test]
    fn matrices_that_are_not_quite_rotations(
        (a, b, rotation, meeting) in (any_mesh(), any_mesh(), near_rotations(), meetings()),
        rules in [any_rules(), any_rules()],
    ) {
        check(&a, &b, &meeting.pose(&a, &b, rotation), rules);
    }

    #[test]
    fn exact_contacts_from_both_sides(
        (a, b, turn) in (meshes::grid(), meshes::grid(), quarter_turns()),
        quarters in prop::array::uniform3(-12i8..=12),
        whole in any::<bool>(),
        rules in [any_rules(), any_rules()],
    ) {
        let shift = Vector3::from(quarters.map(|q| f64::from(q) / if whole { 4.0 } else { 1.0 }));
        let b_to_a = Pose::new(turn, shift).unwrap();
        let expected = touching_pairs(&a, &b, &b_to_a);
        prop_assert_eq!(&touching_pairs(&b, &a, &b_to_a.inverse()), &transposed(&expected));
        assert_queries_find(&expected, &a, &b, &b_to_a, rules);
        assert_queries_find(&transposed(&expected), &b, &a, &b_to_a.inverse(), [rules[1], rules[0]]);
    }
}

#[test]
fn every_build_option_on_a_few_scenes() {
    let grid = meshes::flat_square(4);
    let turned =
        Pose::new(Matrix3::new(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0), Vector3::new(2.0, 1.0, -1.0)).unwrap();
    let torus = meshes::torus(6, 5);
    let tilted = Pose::from(Isometry3::new(Vector3::new(0.6, 0.1, 0.0), Vector3::new(0.9, 0.2, 0.0)));
    for (a, b, b_to_a) in [(&grid, &grid, turned), (&torus, &torus, tilted), (&grid, &torus, tilted)] {
        let expected = touching_pairs(a, b, &b_to_a);
        assert!(!expected.is_empty());
        for rules in Rules::all() {
            assert_queries_find(&expected, a, b, &b_to_a, [rules, rules]);
        }
    }
}

/// At moderate sizes, so that all pairs of any two can be tested.
fn degenerate_meshes() -> Vec<Mesh> {
    let (n, step) = if cfg!(debug_assertions) { (24, 8) } else { (200, 1) };
    vec![
        meshes::empty(),
        meshes::point_at(Point3::origin()),
        meshes::point_at(Point3::new(1.0, 0.0, 0.0)),
        meshes::unconnected(&[meshes::corner_triangle()]),
        meshes::flat_square(6),
        meshes::identical(n as usize),
        meshes::concentric(n),
        meshes::collinear(n),
        meshes::exponential(step),
        meshes::spiral(n as i32),
    ]
}

#[test]
fn degenerate_meshes_meet_each_other() {
    let meshes = degenerate_meshes();
    let flip = Pose::new(Matrix3::from_diagonal(&Vector3::new(1.0, -1.0, -1.0)), Vector3::new(1.0, 0.0, 0.0)).unwrap();
    for a in &meshes {
        for b in &meshes {
            for b_to_a in [Pose::identity(), flip] {
                check(a, b, &b_to_a, [Rules::FINEST, Rules { split: SplitRule::Midpoint, ..Rules::FINEST }]);
            }
        }
    }
}

#[test]
fn scales_of_a_mesh_and_its_place() {
    let torus = meshes::torus(6, 4);
    for scale in [1e-44, 1e-38, 1e-30, 1e-10, 1e10, 1e30, 3e37] {
        let mesh = placed(&torus, scale, Vector3::zeros());
        for shift in [0.3, 0.9, 1.4, 2.0] {
            check(&mesh, &mesh, &translation(scale * shift, 0.0, 0.0), [Rules::FINEST; 2]);
        }
    }
    for (place, rounded) in [(1e3, true), (1e6, true), (3e7, true), (1e6, false), (1e30, false)] {
        let shift = Vector3::new(place, -place, 0.5 * place);
        // Unrounded, the unit size drowns: vertices fall together.
        let mesh = placed(&torus, if rounded { 1.0 } else { place * 1e-7 }, shift);
        for b_to_a in [
            Pose::identity(),
            translation(0.5, 0.25, 0.0),
            translation(-2.0 * place, 2.0 * place, -place),
            Pose::new(
                Matrix3::from_diagonal(&Vector3::new(-1.0, -1.0, 1.0)),
                2.0 * Vector3::new(shift.x, shift.y, 0.0),
            )
            .unwrap(),
        ] {
            check(&mesh, &mesh, &b_to_a, [Rules::FINEST; 2]);
        }
    }
}

#[test]
fn wildly_different_scales() {
    let torus = meshes::torus(6, 5);
    for (small, large) in [(1e-20, 1e10), (1e-30, 1e-24), (1e-44, 1e37), (1e-20, 2e18), (1.0, 1e6)] {
        let (a, b) = (placed(&torus, small, Vector3::zeros()), placed(&torus, large, Vector3::zeros()));
        // A vertex, and a point of an edge, of the large one at the small one.
        let [p, q] = [b.vertices()[0], b.vertices()[5]].map(|v| v.coords.cast::<f64>());
        for t in [-p, -(p + q) * 0.5, Vector3::zeros(), p * 3.0] {
            let b_to_a = Pose::new(Matrix3::identity(), t).unwrap();
            check(&a, &b, &b_to_a, [Rules::FINEST; 2]);
            check(&b, &a, &b_to_a.inverse(), [Rules::FINEST; 2]);
        }
    }
}

/// The smallest and the largest f32 coordinates overflow f32 when one is measured by the other.
#[test]
fn a_unit_near_the_largest_f32() {
    let torus = meshes::torus(6, 5);
    for large in [1e17, 3e17, 1e18, 3e18, 1e19] {
        let (a, b) = (placed(&torus, 1e-20, Vector3::zeros()), placed(&torus, large, Vector3::zeros()));
        for (x, y, z) in [(-1.0, -1.0, 1.0), (1.0, 1.0, -1.0), (1.0, 1.0, 1.0), (-0.7, 0.0, 0.0), (-1.0, 0.1, 0.3)] {
            for angle in [0.0, 0.6, 1.2] {
                let axis_angle = Vector3::new(0.3, 0.5, 0.8) * angle;
                let b_to_a = Pose::from(Isometry3::new(Vector3::new(x, y, z) * large, axis_angle));
                check(&a, &b, &b_to_a, [Rules::FINEST; 2]);
            }
        }
    }
}

#[test]
fn translations_from_tiny_to_huge() {
    let torus = meshes::torus(6, 5);
    for t in [1e-300, 1e-200, 1e-40, 1e-17, 1e17, 1e38, 1e45, 1e99, 1e200, 1e300] {
        for b_to_a in [translation(t, 0.0, 0.0), translation(-t, t, t)] {
            check(&torus, &torus, &b_to_a, [Rules::FINEST; 2]);
            for volume in VolumeKind::ALL {
                let tree = Rules::FINEST.tree(&torus, volume);
                let mut query = Query::new();
                assert_eq!(query.intersects(&tree, &tree, &b_to_a), t < 1.0);
                assert!(t < 1.0 || query.stats().volume_tests == 1, "{volume} trees, {t:e}: {:?}", query.stats());
            }
        }
    }
}

/// Posed vertices are rounded: far away they collapse onto what their exact positions miss.
#[test]
fn posed_vertices_round_onto_a_flat_mesh() {
    for place in [1e3, 1e6, 1e12, 1e20, 1e30] {
        for size in [1.0, 1e-6, 1e-12, 1e-30] {
            let a = Mesh::from_arrays(
                [[place, 0.0, 0.0], [place, size, 0.0], [place, 0.0, size]]
                    .map(|p| Point3::from(p.map(|x| x as f32)))
                    .to_vec(),
                vec![[0, 1, 2]],
            )
            .unwrap();
            let b = placed(&meshes::torus(6, 5), size, Vector3::zeros());
            let x = f64::from(a.vertices()[0].x);
            check(&a, &b, &translation(x, 0.0, 0.0), [Rules::FINEST; 2]);
            let point = meshes::point_at(a.vertices()[0]);
            check(&point, &b, &translation(x, 0.0, 0.0), [Rules::FINEST; 2]);
            check(&b, &point, &translation(-x, 0.0, 0.0), [Rules::FINEST; 2]);
        }
    }
}

#[test]
fn one_triangle_against_thousands() {
    let thousands = meshes::flat_square(if cfg!(debug_assertions) { 20 } else { 80 });
    let one = meshes::unconnected(&[meshes::corner_triangle()]);
    for shift in [[5.0, 5.0, 0.0], [5.5, 5.25, -0.5], [5.0, 5.0, -1.0], [5.0, 5.0, 0.125], [-1.0, 3.0, 0.0]] {
        let b_to_a = Pose::new(Matrix3::identity(), Vector3::from(shift)).unwrap();
        for rules in [Rules::FINEST, Rules { max_leaf_triangles: 8, ..Rules::FINEST }] {
            check(&thousands, &one, &b_to_a, [rules; 2]);
            check(&one, &thousands, &b_to_a.inverse(), [rules; 2]);
        }
    }
}

/// None of these may recurse without limit or take time out of proportion.
#[test]
fn thousands_that_hardly_split() {
    let n = if cfg!(debug_assertions) { 3_000 } else { 200_000 };
    let small_stack = std::thread::Builder::new().stack_size(256 << 10);
    let work = move || {
        for mesh in [meshes::identical(n as usize), meshes::concentric(n), meshes::collinear(n)] {
            for volume in VolumeKind::ALL {
                for split in SplitRule::ALL {
                    let tree = Rules { split, ..Rules::FINEST }.tree(&mesh, volume);
                    let one = Rules::FINEST.tree(&meshes::point_at(mesh.vertices()[1]), volume);
                    let found = queried_pairs(&mut Query::new(), &tree, &one, &Pose::identity());
                    assert!(found.contains(&FacePair { face_a: 0, face_b: 0 }));
                }
            }
        }
    };
    small_stack.spawn(work).unwrap().join().unwrap();
}

#[test]
fn lopsided_meshes_stay_shallow() {
    // Clusters at powers of two with many triangles each, a majority at one point, a long tail.
    let mut triangles = vec![meshes::corner_triangle(); 3000];
    for i in 0..1500 {
        let far = Vector3::new(1.0, (i as f32).sin(), (i as f32 * 0.7).cos()) * 1.04f32.powi(i);
        triangles.push(meshes::corner_triangle().map(|p| p + far));
    }
    let mesh = meshes::unconnected(&triangles);
    for volume in VolumeKind::ALL {
        for split in SplitRule::ALL {
            // `tree` checks the depth.
            Rules { split, ..Rules::FINEST }.tree(&mesh, volume);
        }
    }
}

#[test]
fn empty_meshes_touch_nothing() {
    for volume in VolumeKind::ALL {
        let [empty, torus] = [meshes::empty(), meshes::torus(4, 4)].map(|mesh| Rules::FINEST.tree(&mesh, volume));
        for (a, b) in [(&empty, &torus), (&torus, &empty), (&empty, &empty)] {
            let mut query = Query::new();
            assert!(!query.intersects(a, b, &Pose::identity()));
            assert_eq!(query.stats().triangle_tests, 0);
        }
    }
}

#[test]
fn a_visitor_stops_the_query() {
    let torus = meshes::torus(8, 8);
    for volume in VolumeKind::ALL {
        let tree = Rules::FINEST.tree(&torus, volume);
        for level in levels() {
            let mut query = Query::with_simd(level);
            let all = queried_pairs(&mut query, &tree, &tree, &Pose::identity());
            for limit in [1, 2, 10] {
                let mut seen = Vec::new();
                query.for_each_pair(&tree, &tree, &Pose::identity(), |pair| {
                    seen.push(pair);
                    if seen.len() == limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
                assert_eq!(seen.len(), limit);
                assert!(seen.iter().all(|pair| all.binary_search(pair).is_ok()));
            }
        }
    }
}

#[test]
fn volumes_prune() {
    let torus = meshes::torus(40, 30);
    let apart = translation(2.5, 0.0, 0.0);
    for volume in VolumeKind::ALL {
        let tree = Rules::FINEST.tree(&torus, volume);
        let mut query = Query::new();
        assert!(!query.intersects(&tree, &tree, &apart));
        assert!(query.stats().volume_tests < 100 && query.stats().triangle_tests == 0, "{:?}", query.stats());
        let found = queried_pairs(&mut query, &tree, &tree, &translation(1.9, 0.0, 0.0));
        assert!(!found.is_empty());
        query.for_each_pair(&tree, &tree, &translation(1.9, 0.0, 0.0), |_| ControlFlow::Continue(()));
        assert!(query.stats().triangle_tests < 2400 * 24, "{:?}", query.stats());
    }
}

#[test]
fn threads_do_not_change_a_tree() {
    let torus = meshes::torus(100, 60);
    for volume in VolumeKind::ALL {
        let options = BuildOptions { kind: volume, ..BuildOptions::default() };
        let [one, two, four] = [1, 2, 4].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let tree = pool.install(|| BvTree::build(&torus, &options).unwrap());
            let mut visited = Vec::new();
            let mut query = Query::new();
            query.for_each_pair(&tree, &tree, &translation(1.7, 0.2, 0.1), |pair| {
                visited.push(pair);
                ControlFlow::Continue(())
            });
            (visited, query.stats(), tree.depth(), tree.split_depth(), tree.node_count())
        });
        assert!(one == two && two == four, "{volume}");
    }
}

#[test]
fn trees_are_shared_among_threads() {
    fn shared<T: Send + Sync>() {}
    fn sent<T: Send>() {}
    shared::<BvTree>();
    sent::<Query>();
}

#[test]
fn what_is_not_a_pose() {
    let unmoved = Vector3::zeros();
    let mut not_a_number = Matrix3::identity();
    not_a_number[(1, 2)] = f64::NAN;
    assert_eq!(Pose::new(not_a_number, unmoved), Err(PoseError::NotFinite));
    for entry in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(Pose::new(Matrix3::identity(), Vector3::new(0.0, entry, 0.0)), Err(PoseError::NotFinite));
    }
    for factor in [0.0, 0.5, 1.0 + 1e-4, 1.0 - 1e-4, 1e200] {
        let answer = Pose::new(Matrix3::identity() * factor, unmoved);
        assert!(matches!(answer, Err(PoseError::NotARotation { .. })), "{factor}: {answer:?}");
    }
    let mirror = Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, -1.0));
    assert_eq!(Pose::new(mirror, unmoved), Err(PoseError::Mirrors));
    assert!(Pose::new(Matrix3::identity() * (1.0 + 4e-5), Vector3::repeat(f64::MAX)).is_ok());
}

#[test]
fn candidates_hold_every_intersecting_pair_once() {
    let (a, b) = (meshes::torus(24, 12), meshes::torus(20, 8));
    let pose = Pose::from(Isometry3::new(Vector3::new(0.3, -0.2, 0.1), Vector3::new(0.4, 0.2, -0.3)));
    let expected = touching_pairs(&a, &b, &pose);
    for [kind_a, kind_b] in VolumeKind::ALL.into_iter().flat_map(|a| VolumeKind::ALL.map(|b| [a, b])) {
        let [tree_a, tree_b] = [(&a, kind_a), (&b, kind_b)]
            .map(|(mesh, kind)| BvTree::build(mesh, &BuildOptions { kind, ..BuildOptions::default() }).unwrap());
        let mut query = Query::new();
        let mut found = Vec::new();
        query.for_each_candidate(&tree_a, &tree_b, &pose, |pair| {
            found.push(pair);
            ControlFlow::Continue(())
        });
        let count = found.len();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), count, "{kind_a} and {kind_b}: a pair came twice");
        assert!(count < a.triangles().len() * b.triangles().len());
        assert!(expected.iter().all(|pair| found.binary_search(pair).is_ok()), "{kind_a} and {kind_b}");
        let mut visits = 0;
        query.for_each_candidate(&tree_a, &tree_b, &pose, |_| {
            visits += 1;
            ControlFlow::Break(())
        });
        assert_eq!(visits, 1);
    }
    assert!(!expected.is_empty());
}
