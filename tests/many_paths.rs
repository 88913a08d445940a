//! Hits and distances at many poses along paths: neighbours share what was found, and no answer changes.

use bvtree::query::{DistanceOptions, Solid, many};
use bvtree::{Mesh, Pose, Query};
use nalgebra::{Isometry3, Rotation3, Vector3};
use proptest::prelude::*;

use crate::cases::cases;
use crate::oracle::meshes::{self, any_mesh};
use crate::oracle::poses::{meetings, near_rotations, quarter_turns, rotations};
use crate::oracle::{self, KINDS, Rules};
use crate::solids::cuboid;

fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

/// Compares many poses at once with one after the other, and hits with all pairs of triangles.
fn check(a: &Mesh, b: &Mesh, poses: &[Pose]) {
    let hits: Vec<bool> = poses.iter().map(|pose| !oracle::intersecting_pairs(a, b, pose).is_empty()).collect();
    for kinds in KINDS {
        let [tree_a, tree_b] = [(a, kinds[0]), (b, kinds[1])].map(|(mesh, kind)| Rules::FINEST.tree(mesh, kind));
        let mut query = Query::new();
        assert_eq!(query.intersects_many(&tree_a, &tree_b, poses), hits, "{kinds:?}");
        assert_eq!(query.first_hit(&tree_a, &tree_b, poses), hits.iter().position(|hit| *hit), "{kinds:?}");
        for options in [
            DistanceOptions::default(),
            DistanceOptions { relative_tolerance: 0.5, absolute_tolerance: 1e-3, ..DistanceOptions::default() },
            DistanceOptions { upper_bound: 0.1 * a.aabb().half_extents().amax(), ..DistanceOptions::default() },
        ] {
            let one_by_one: Vec<_> =
                poses.iter().map(|pose| query.distance_with(&tree_a, &tree_b, pose, &options)).collect();
            assert_eq!(query.distance_many(&tree_a, &tree_b, poses, &options), one_by_one, "{kinds:?} {options:?}");
        }
    }
}

proptest! {
    #![proptest_config(cases(6, 400))]

    /// Steps from tiny to large ones near contact, repeated poses, and jumps far away and back.
    #[test]
    fn batches_are_as_one_by_one(
        (a, b, rotation, meeting) in (any_mesh(), any_mesh(), prop_oneof![rotations(), near_rotations()], meetings()),
        (axis, turn, way) in (
            prop::array::uniform3(-1.0..1.0),
            prop_oneof![Just(0.0), 1e-6f64..1e-2, 1e-2f64..1.0],
            prop::array::uniform3(-1.0..1.0),
        ),
        step in prop_oneof![Just(0.0), 1e-9f64..1e-4, 1e-4f64..1e-2, 1e-2f64..0.2],
        jumps in prop::collection::vec((0usize..32, prop_oneof![Just(1.0), Just(1e3), Just(1e12)]), 0..3),
    ) {
        let start = meeting.pose(&a, &b, rotation);
        let size = [&a, &b].map(|mesh| mesh.aabb().half_extents().norm().max(0.0)).iter().sum::<f64>();
        let middle = b.aabb().center().coords;
        let pose = |number: usize| {
            let number = number as f64 - 16.0;
            let turned = start.rotation() * Rotation3::new(Vector3::from(axis) * (turn * number)).into_inner();
            let about = if b.triangles().is_empty() { Vector3::zeros() } else { (start.rotation() - turned) * middle };
            Pose::new(turned, start.translation() + about + Vector3::from(way) * (step * size * number)).ok()
        };
        let mut poses: Vec<Pose> = (0..32).filter_map(pose).collect();
        for (index, far) in jumps {
            let Some(at) = poses.get(index).copied() else { continue };
            let there = at.translation() + Vector3::from(way) * (far * size);
            poses.extend(Pose::new(*at.rotation(), there).ok());
            poses.rotate_right(index % 7);
        }
        check(&a, &b, &poses);
    }

    /// Steps on a grid, at which meshes touch exactly or miss each other by a step.
    #[test]
    fn exact_contact_on_a_grid(
        (a, b, rotation) in (meshes::grid(), meshes::grid(), quarter_turns()),
        (start, way) in (prop::array::uniform3(-6i32..6), prop::array::uniform3(-1i32..2)),
        step in prop_oneof![Just(1.0), Just(0.5), Just(0.03125)],
    ) {
        let at = |number: i32| {
            let [start, way] = [start, way].map(|vector| Vector3::from(vector).cast::<f64>());
            let shift = start + way * (step * f64::from(number));
            Pose::new(rotation, shift).unwrap()
        };
        check(&a, &b, &(0..32).map(at).collect::<Vec<_>>());
    }
}

/// A torus that passes another one, hovers over it, jumps away and turns inside a sphere.
fn long_path() -> Vec<Pose> {
    let pose = |i: i32| {
        let t = f64::from(i) * 0.01;
        let shift = match i % 100 {
            99 => Vector3::new(9.0, 0.0, 0.0),
            _ if i < 300 => Vector3::new(3.0 - t, 0.2, 0.1),
            _ => Vector3::new(0.0, 0.1 * t, 0.75),
        };
        Isometry3::new(shift, Vector3::new(0.1, 0.3, 0.2) * t).into()
    };
    (0..if cfg!(debug_assertions) { 450 } else { 900 }).map(pose).collect()
}

#[test]
fn threads_and_solids_change_nothing() {
    let [small, large] = [0.2, 1.0].map(|scale| meshes::placed(&meshes::torus(16, 10), scale, Vector3::zeros()));
    let shell = meshes::sphere(9, 12, 2.6);
    let poses = long_path();
    let mut found = Vec::new();
    for (a, b) in [(&large, &large), (&large, &small), (&shell, &small)] {
        for kinds in KINDS {
            let [a, b] = [(a, kinds[0]), (b, kinds[1])].map(|(mesh, kind)| Rules::FINEST.tree(mesh, kind));
            for solid in [Solid::No, Solid::IfClosed, Solid::Robust] {
                if solid != Solid::No && kinds != KINDS[0] {
                    continue;
                }
                let init = || {
                    let mut query = Query::new();
                    query.set_solids(solid, Solid::No);
                    query
                };
                let (mut query, options) = (init(), DistanceOptions::default());
                let hits: Vec<bool> = poses.iter().map(|pose| query.intersects(&a, &b, pose)).collect();
                let distances: Vec<_> = poses.iter().map(|pose| query.distance(&a, &b, pose)).collect();
                let first = hits.iter().position(|hit| *hit);
                for threads in [1, 2] {
                    in_pool(threads, || {
                        assert_eq!(many::intersects(&a, &b, &poses, init), hits, "{kinds:?} {solid:?}");
                        assert_eq!(many::distance(&a, &b, &poses, &options, init), distances, "{kinds:?} {solid:?}");
                        assert_eq!(many::first_hit(&a, &b, &poses, init), first, "{kinds:?} {solid:?}");
                    });
                }
                assert_eq!(query.first_hit(&a, &b, &poses[..first.unwrap_or(0)]), None);
                found.push(hits.iter().filter(|hit| **hit).count());
            }
        }
    }
    assert!(found.iter().any(|&hits| hits > 50 && hits < poses.len() - 50), "{found:?}");
}

/// Poses along a path take a fraction of the volume tests, free and in contact.
#[test]
fn neighbours_save_work() {
    let torus = meshes::torus(40, 30);
    let at = |x: f64| Pose::from(Isometry3::new(Vector3::new(x, 0.1, 0.2), Vector3::new(0.3, 0.1, 0.0)));
    for kinds in KINDS {
        let [a, b] = kinds.map(|kind| Rules::FINEST.tree(&torus, kind));
        let mut query = Query::new();
        for start in [1.2, 2.3] {
            let poses: Vec<Pose> = (0..64).map(|i| at(start + 0.001 * f64::from(i))).collect();
            let one_by_one: u64 = poses
                .iter()
                .map(|pose| {
                    query.intersects(&a, &b, pose);
                    query.stats().volume_tests
                })
                .sum();
            query.intersects_many(&a, &b, &poses);
            let many = query.stats().volume_tests;
            assert!(2 * many < one_by_one, "{many} {one_by_one} {kinds:?} {start}");
        }
    }
}

#[test]
fn no_poses_and_empty_meshes() {
    let [empty, torus] = [meshes::empty(), meshes::torus(5, 4)].map(|mesh| Rules::FINEST.tree(&mesh, KINDS[0][0]));
    let mut query = Query::new();
    assert_eq!(many::intersects(&torus, &torus, &[], Query::new), [false; 0]);
    assert_eq!(many::first_hit(&torus, &torus, &[], Query::new), None);
    assert_eq!(many::distance(&torus, &torus, &[], &DistanceOptions::default(), Query::new), [None; 0]);
    let poses = [Pose::identity(); 5];
    for [a, b] in [[&empty, &torus], [&torus, &empty], [&empty, &empty]] {
        assert_eq!(query.intersects_many(a, b, &poses), [false; 5]);
        assert_eq!(query.distance_many(a, b, &poses, &DistanceOptions::default()), [None; 5]);
        assert_eq!(query.first_hit(a, b, &poses), None);
    }
    assert_eq!(query.first_hit(&torus, &torus, &poses), Some(0));
}

/// Poses at which the surfaces are apart, but that are decided one by one since a mesh is inside a solid one or might
/// be: any number of them.
#[test]
fn solids_are_decided_at_each_of_many_poses() {
    let [small, large] = [2.0, 20.0].map(|size| Rules::FINEST.tree(&cuboid([size; 3]), KINDS[0][0]));
    let poses: Vec<Pose> =
        (0..150).map(|i| Isometry3::translation(5.0 + 1e-4 * f64::from(i), 0.0, 0.0).into()).collect();
    let mut query = Query::new();
    for (a, solid, is_hit) in [
        (&small, Solid::Robust, false),
        (&small, Solid::IfClosed, false),
        (&large, Solid::Robust, true),
        (&large, Solid::IfClosed, true),
        (&large, Solid::No, false),
    ] {
        query.set_solids(solid, Solid::No);
        assert_eq!(query.intersects_many(a, &small, &poses), vec![is_hit; poses.len()], "{solid:?}");
        assert_eq!(query.first_hit(a, &small, &poses), is_hit.then_some(0), "{solid:?}");
    }
}
