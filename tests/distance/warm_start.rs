//! Distances again and again: a warm start changes no answer, and saves work.

use std::sync::Arc;

use bvtree::query::{ClosestPair, DistanceOptions, DistanceTracker};
use bvtree::{Mesh, Pose, Query, VolumeKind};
use nalgebra::{Isometry3, Rotation3, Vector3};
use proptest::prelude::*;

use crate::cases::cases;
use crate::oracle::meshes::{self, any_mesh};
use crate::oracle::poses::{meetings, near_rotations, rotations};
use crate::oracle::{KINDS, Rules, levels};
use crate::solids::cuboid;

proptest! {
    #![proptest_config(cases(4, 300))]

    /// Whatever was asked before.
    #[test]
    fn a_warm_start_changes_nothing(
        (a, b) in (meshes::small_mesh(), meshes::small_mesh()),
        steps in prop::collection::vec((rotations(), prop::array::uniform3(-3.0..3.0)), 1..8),
    ) {
        for kinds in KINDS {
            let [a, b] = [(&a, kinds[0]), (&b, kinds[1])].map(|(mesh, kind)| Arc::new(Rules::FINEST.tree(mesh, kind)));
            let (mut query, mut tracker) = (Query::new(), DistanceTracker::new(&a, &b));
            for (rotation, shift) in &steps {
                let b_to_a = Pose::new(*rotation, Vector3::from(*shift)).unwrap();
                let answer = tracker.distance(&mut query, &b_to_a);
                assert_eq!(answer, Query::new().distance(&a, &b, &b_to_a));
            }
        }
    }
}

/// Runs along steps of a path, warm and cold, with other questions in between where `mixed` says so.
fn check_path(a: &Mesh, b: &Mesh, poses: &[Pose], mixed: u64) {
    let exactly = DistanceOptions::default();
    for kinds in KINDS {
        let [tree_a, tree_b] =
            [(a, kinds[0]), (b, kinds[1])].map(|(mesh, kind)| Arc::new(Rules::FINEST.tree(mesh, kind)));
        for level in levels() {
            let mut query = Query::with_simd(level);
            // One is asked nothing but the path's steps.
            let [mut tracker, mut following] = [(); 2].map(|()| DistanceTracker::new(&tree_a, &tree_b));
            let mut swapped = DistanceTracker::new(&tree_b, &tree_a);
            for (step, b_to_a) in poses.iter().enumerate() {
                match mixed >> (2 * (step % 32)) & 3 {
                    0 => drop(swapped.distance(&mut query, b_to_a)),
                    1 => drop(query.intersects(&tree_a, &tree_b, b_to_a)),
                    _ => {}
                }
                let expected = query.distance(&tree_a, &tree_b, b_to_a);
                let found = tracker.distance(&mut query, b_to_a);
                assert_eq!(found, expected, "{kinds:?}, {level}, step {step}");
                let found = following.distance(&mut query, b_to_a);
                assert_eq!(found, expected, "{kinds:?}, {level}, step {step} of the path alone");
                let Some(ClosestPair { distance, .. }) = expected else { continue };
                let bounded = DistanceOptions { upper_bound: distance, ..exactly };
                assert_eq!(tracker.distance_with(&mut query, b_to_a, &bounded), expected);
                if distance > 0.0 {
                    let none = DistanceOptions { upper_bound: 0.9 * distance, ..exactly };
                    assert_eq!(tracker.distance_with(&mut query, b_to_a, &none), None);
                    let loose = DistanceOptions { relative_tolerance: 0.1, ..exactly };
                    let loose = tracker.distance_with(&mut query, b_to_a, &loose).unwrap().distance;
                    assert!(loose >= distance && loose <= distance * (1.1 + 1e-9));
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(2, 250))]

    /// Steps from tiny to large ones, through contact and out of it, at any scale.
    #[test]
    fn a_warm_start_changes_nothing_along_paths(
        (a, b, rotation, meeting) in (any_mesh(), any_mesh(), prop_oneof![rotations(), near_rotations()], meetings()),
        (axis, turn, way) in (
            prop::array::uniform3(-1.0..1.0),
            prop_oneof![Just(0.0), 1e-6f64..1e-2, 1e-2f64..1.0],
            prop::array::uniform3(-1.0..1.0),
        ),
        step in prop_oneof![Just(0.0), 1e-9f64..1e-4, 1e-4f64..1e-2, 1e-2f64..1.0],
        mixed in prop_oneof![Just(u64::MAX), any::<u64>()],
    ) {
        let begin = meeting.pose(&a, &b, rotation);
        let size = [&a, &b].map(|mesh| mesh.aabb().half_extents().norm().max(0.0)).iter().sum::<f64>();
        let middle = b.aabb().center().coords;
        let pose = |step_number: u32| {
            let turn = Rotation3::new(Vector3::from(axis) * (turn * f64::from(step_number))).into_inner();
            let turned = begin.rotation() * turn;
            let about = if b.triangles().is_empty() { Vector3::zeros() } else { (begin.rotation() - turned) * middle };
            let shift = Vector3::from(way) * (step * size * f64::from(step_number));
            Pose::new(turned, begin.translation() + about + shift).ok()
        };
        check_path(&a, &b, &(0..12).filter_map(pose).collect::<Vec<_>>(), mixed);
    }
}

#[test]
fn a_warm_start_follows_tori_gliding_rolling_and_colliding() {
    let (torus, small) =
        (meshes::torus(24, 16), meshes::placed(&meshes::torus(16, 10), 0.01, Vector3::new(5.0, 0.0, 0.0)));
    let steps = if cfg!(debug_assertions) { 20 } else { 200 };
    for b in [&torus, &small] {
        let path = |at: &dyn Fn(f64) -> (Vector3<f64>, Vector3<f64>)| -> Vec<Pose> {
            let pose = |i: i32| {
                let (shift, turn) = at(f64::from(i) / f64::from(steps));
                let turn = Rotation3::new(turn);
                Pose::new(turn.into_inner(), shift - turn * b.aabb().center().coords).unwrap()
            };
            (0..steps).map(pose).collect()
        };
        let around = |t: f64| Vector3::new(t.cos(), t.sin(), 0.2 * (3.0 * t).sin());
        check_path(&torus, b, &path(&|t| (around(t) * 2.5, Vector3::zeros())), u64::MAX);
        check_path(&torus, b, &path(&|t| (around(0.3) * 2.3, Vector3::new(0.3, 1.0, 0.2) * t)), u64::MAX);
        check_path(&torus, b, &path(&|t| (around(t) * (0.2 + 3.0 * t), Vector3::z() * t)), 0x1234_5678_9abc_def0);
        // Coming nearer in small steps, from far and from near.
        check_path(&torus, b, &path(&|t| (around(0.3 + 0.1 * t) * (4.0 - t), Vector3::z() * t)), u64::MAX);
        check_path(&torus, b, &path(&|t| (around(0.3) * (2.2 - 0.2 * t), Vector3::x() * (0.1 * t))), u64::MAX);
    }
}

/// A front that has paid is given up in the middle of a query, where large triangles are tested in place of their leaf:
/// what that query finds afterwards must not pass for a whole front.
#[test]
fn a_front_that_was_given_up_is_not_followed() {
    let (coarse, fine) = (meshes::torus(8, 5), meshes::placed(&meshes::torus(40, 30), 0.3, Vector3::zeros()));
    let pose = |i: i32| {
        let t = f64::from(i) * 0.004;
        let way = Vector3::new((t + 1.0).cos(), (t + 1.0).sin(), 0.2 * (3.0 * t).sin());
        Isometry3::new(way * (1.4 + 0.5 * t), Vector3::new(0.3, 1.0, 0.2) * (0.5 * t)).into()
    };
    let [a, b] = [&coarse, &fine].map(|mesh| Arc::new(Rules::FINEST.tree(mesh, VolumeKind::Obb)));
    let (mut query, mut tracker) = (Query::new(), DistanceTracker::new(&a, &b));
    for i in 0..120 {
        let pose: Pose = pose(i);
        assert_eq!(tracker.distance(&mut query, &pose), query.distance(&a, &b, &pose), "step {i}");
    }
}

#[test]
fn a_warm_start_and_tolerances_save_work() {
    let torus = meshes::torus(40, 30);
    let at = |x: f64| Pose::from(Isometry3::new(Vector3::new(x, 0.1, 0.2), Vector3::new(0.3, 0.1, 0.0)));
    for volume in VolumeKind::ALL {
        let tree = Arc::new(Rules::FINEST.tree(&torus, volume));
        let (mut query, mut tracker) = (Query::new(), DistanceTracker::new(&tree, &tree));
        let mut work = |step: f64, options: &DistanceOptions, is_warm: bool| {
            let steps = (0..20).map(|i| {
                let pose = at(2.2 + step * f64::from(i));
                match is_warm {
                    true => tracker.distance_with(&mut query, &pose, options),
                    false => query.distance_with(&tree, &tree, &pose, options),
                };
                query.stats().volume_tests + query.stats().triangle_tests
            });
            steps.sum::<u64>()
        };
        let exactly = DistanceOptions::default();
        let cold = work(0.01, &exactly, false);
        let warm = work(0.01, &exactly, true);
        let loose = work(0.01, &DistanceOptions { relative_tolerance: 0.5, ..exactly }, false);
        assert!(warm < cold && loose < cold, "{volume}: cold {cold}, warm {warm}, loose {loose}");
        // The smaller the steps, the less there is to do.
        let fine = work(1e-5, &exactly, true);
        assert!(5 * fine < cold, "{volume}: cold {cold}, in tiny steps {fine}");
        // Where triangles touch, and touched at the pose before, there is no more to do than without a start.
        let found = query.distance(&tree, &tree, &at(0.5)).unwrap();
        assert_eq!(found.distance, 0.0);
        let cold = query.stats();
        for _ in 0..2 {
            assert_eq!(tracker.distance(&mut query, &at(0.5)), Some(found));
        }
        assert_eq!(query.stats(), cold, "{volume}");
    }
}

/// A tracker that knows how near two meshes are is asked about contact alone: by an upper bound, or a tolerance, that
/// leaves no room for anything else.
#[test]
fn a_warm_start_finds_contact_whatever_the_bound_and_tolerance() {
    let [a, b] =
        [cuboid([2.0; 3]), meshes::sphere(6, 8, 0.8)].map(|mesh| Arc::new(Rules::FINEST.tree(&mesh, VolumeKind::Obb)));
    let grid = [-2.5, -1.5, -0.25, 0.75].map(|x| [-1.5, 0.125, 1.5].map(|y| [-2.375, -0.25, 1.25].map(|z| [x, y, z])));
    let poses = grid.as_flattened().as_flattened().iter().map(|t| Isometry3::translation(t[0], t[1], t[2]).into());
    let poses: Vec<Pose> = poses.collect();
    let mut query = Query::new();
    let mut contacts = 0;
    for start in poses.iter().step_by(7) {
        for end in &poses {
            let expected = query.distance(&a, &b, end).unwrap();
            contacts += usize::from(expected.distance == 0.0);
            for upper_bound in [0.0, 5e-324, 1e-300, 1e-12] {
                let mut tracker = DistanceTracker::new(&a, &b);
                tracker.distance(&mut query, start);
                let options = DistanceOptions { upper_bound, ..DistanceOptions::default() };
                let found = tracker.distance_with(&mut query, end, &options);
                assert_eq!(
                    found,
                    Some(expected).filter(|found| found.distance == 0.0),
                    "{start:?} {end:?} {upper_bound}"
                );
                // What the bound left out changes nothing later.
                assert_eq!(tracker.distance(&mut query, end), Some(expected));
            }
            for absolute_tolerance in [1e-300, 0.5, 1e300] {
                let mut tracker = DistanceTracker::new(&a, &b);
                tracker.distance(&mut query, start);
                let options = DistanceOptions { absolute_tolerance, ..DistanceOptions::default() };
                let found = tracker.distance_with(&mut query, end, &options).unwrap();
                assert_eq!(found.distance == 0.0, expected.distance == 0.0, "{start:?} {end:?} {absolute_tolerance}");
                assert!(found.distance <= expected.distance + absolute_tolerance);
            }
        }
    }
    assert!(contacts > 20, "{contacts}");
}
