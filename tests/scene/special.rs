//! Far from the origin, in one place, of all sizes, and what is refused.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bvtree::character::{Character, CharacterError, CharacterOptions, Intent, Surroundings};
use bvtree::scene::{Body, BodyId, Scene, SceneError};
use bvtree::{Motion, Pose};
use nalgebra::{Isometry3, Matrix3, Point3, Quaternion, UnitQuaternion, Vector3};

use super::{at, on_threads, tree, trees, turned};
use crate::solids::cuboid;

#[test]
fn map_coordinates_keep_millimetres() {
    let cube = tree(&cuboid([1.0; 3]));
    let (east, north) = (500_000.0, 4_600_000.0);
    let turn = [0.0, 0.0, 0.7];
    let direction = *turned(0.0, 0.0, 0.0, turn).rotation() * Vector3::x();
    for gap in [1e-3, 1e-5, -1e-5] {
        let mut scene = Scene::new();
        let a = turned(east, north, 100.0, turn);
        let b = Pose::new(*a.rotation(), a.translation() + direction * (1.0 + gap)).unwrap();
        for pose in [a, b] {
            scene.add(Body::moving(cube.clone(), pose)).unwrap();
        }
        assert_eq!(scene.intersecting_pairs().len(), usize::from(gap < 0.0));
        let near = scene.pairs_within(0.01);
        assert!((near[0].distance - gap.max(0.0)).abs() < 1e-8, "{near:?}");
        assert!((near[0].points[0] - nalgebra::Point3::new(east, north, 100.0)).norm() < 1.0);
        assert!(scene.pairs_within(0.5 * gap.max(0.0)).len() == usize::from(gap < 0.0));
    }
}

#[test]
fn bodies_in_one_place_are_told_without_keeping_their_pairs() {
    let point = tree(&cuboid([1.0; 3]));
    let mut scene = Scene::new();
    let ids: Vec<_> = (0..1500).map(|_| scene.add(Body::moving(point.clone(), at(1.0, 2.0, 3.0))).unwrap()).collect();
    // More than a million pairs, which are not kept.
    assert_eq!(scene.first_intersecting_pair(), Some([ids[0], ids[1]]));
    let mut seen = 0;
    scene.for_each_intersecting_pair(|pair| {
        assert_eq!(pair, [ids[0], ids[seen + 1]]);
        seen += 1;
        if seen == 1400 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    assert_eq!(seen, 1400);
    let closest = scene.closest_pair().unwrap();
    assert_eq!((closest.bodies, closest.distance), ([ids[0], ids[1]], 0.0));
}

#[test]
fn sizes_from_a_billionth_to_a_billion() {
    let mut scene = Scene::new();
    let mut ids = Vec::new();
    for exponent in -9..=9 {
        let size = 10_f64.powi(exponent);
        let cube = tree(&cuboid([size as f32; 3]));
        // Each next to a copy of its own, the pairs next to each other.
        for k in 0..2 {
            ids.push(scene.add(Body::moving(cube.clone(), at(size * (10.0 + 0.99 * f64::from(k)), 0.0, 0.0))).unwrap());
        }
    }
    let expected: Vec<_> = ids.chunks(2).map(|pair| [pair[0], pair[1]]).collect();
    for threads in [1, 2] {
        assert_eq!(on_threads(threads, || scene.intersecting_pairs()), expected);
    }
}

#[test]
fn all_are_within_an_infinite_clearance() {
    let cube = tree(&cuboid([1.0; 3]));
    let mut scene = Scene::new();
    for i in 0..11 {
        scene.add(Body::moving(cube.clone(), at(3.0 * f64::from(i), 0.0, 0.0))).unwrap();
    }
    for clearance in [f64::INFINITY, f64::MAX, 1e300] {
        let near = scene.pairs_within(clearance);
        assert_eq!(near.len(), 55);
        assert!(near.iter().all(|pair| pair.distance >= 2.0));
    }
}

#[test]
fn what_can_not_be_is_refused() {
    let mut scene = Scene::new();
    let cube = trees()[0].clone();
    let id = scene.add(Body::moving(cube.clone(), Pose::identity())).unwrap();
    let far = Pose::new(Matrix3::identity(), Vector3::new(1e31, 0.0, 0.0)).unwrap();
    assert_eq!(scene.add(Body::moving(cube.clone(), far)), Err(SceneError::TooFar));
    assert_eq!(scene.set_pose(id, far), Err(SceneError::TooFar));
    // Products of poses that deviate, each by nearly as much as it may.
    let stretched = Pose::new(Matrix3::identity() * (1.0 + 4.9e-5), Vector3::zeros()).unwrap();
    let too_long = stretched * stretched;
    let refused = SceneError::NotARotation { deviation: too_long.deviation() };
    assert!(too_long.deviation() > Pose::MAX_DEVIATION);
    assert_eq!(scene.add(Body::moving(cube.clone(), too_long)), Err(refused));
    assert_eq!(scene.set_pose(id, too_long), Err(refused));
    assert_eq!(scene.impacts(&[(id, Motion::new(Pose::identity(), too_long))], 0.0), Err(refused));
    assert_eq!(scene.body(id).unwrap().pose, Pose::identity());
    let other = scene.add(Body::moving(cube.clone(), Pose::identity())).unwrap();
    scene.remove(id).unwrap();
    let again = scene.add(Body::moving(cube, at(9.0, 0.0, 0.0))).unwrap();
    assert_eq!((again.index(), other.index(), scene.len()), (0, 1, 2));
    let gone = SceneError::NoSuchBody(id);
    assert_eq!(scene.set_pose(id, at(1.0, 0.0, 0.0)), Err(gone));
    assert_eq!(scene.remove(id).unwrap_err(), gone);
    assert_eq!(scene.set_ignored(id, other, true), Err(gone));
    assert_eq!(scene.set_groups(id, 1, 1), Err(gone));
    assert_eq!(scene.relation(other, id, 0.0), Err(gone));
    let motion = Motion::new(Pose::identity(), at(1.0, 0.0, 0.0));
    assert_eq!(scene.impacts(&[(id, motion)], 0.0), Err(gone));
    assert_eq!(scene.impacts(&[(other, motion), (other, motion)], 0.0), Err(SceneError::TwoMotions(other)));
    assert_eq!(gone.to_string(), "there is no body 0 in the scene");
    assert!(scene.intersecting_pairs().is_empty());
}

#[test]
fn ids_survive_as_numbers() {
    let mut scene = Scene::new();
    let cube = trees()[0].clone();
    let first = scene.add(Body::moving(cube.clone(), Pose::identity())).unwrap();
    scene.remove(first).unwrap();
    let again = scene.add(Body::moving(cube.clone(), Pose::identity())).unwrap();
    let second = scene.add(Body::moving(cube, Pose::identity())).unwrap();
    for id in [first, again, second] {
        assert_eq!(BodyId::from_bits(id.to_bits()), id);
    }
    assert!(scene.body(BodyId::from_bits(again.to_bits())).is_some());
    assert!(scene.body(BodyId::from_bits(first.to_bits())).is_none());
    assert!(scene.body(BodyId::from_bits(u64::MAX)).is_none());
}

/// The id that a free index gives out next is an id of no body yet, also if another scene with the same history has
/// given it out.
#[test]
fn a_free_index_is_no_body() {
    let cube = trees()[0].clone();
    let body = || Body::moving(cube.clone(), Pose::identity());
    let [(mut one, _), (mut two, other)] = [(); 2].map(|()| {
        let mut scene = Scene::new();
        let ids = scene.add_all([body(), body()]).unwrap();
        scene.remove(ids[0]).unwrap();
        (scene, ids[1])
    });
    let id = one.add(body()).unwrap();
    let missing = SceneError::NoSuchBody(id);
    assert!(one.body(id).is_some() && two.body(id).is_none());
    assert_eq!(two.set_pose(id, at(0.5, 0.0, 0.0)), Err(missing));
    assert_eq!(two.set_poses([(other, Pose::identity()), (id, at(0.5, 0.0, 0.0))]), Err(missing));
    assert_eq!(two.set_geometry(id, cube.clone()).unwrap_err(), missing);
    assert_eq!(two.remove(id).unwrap_err(), missing);
    assert_eq!(two.set_groups(id, 2, 2), Err(missing));
    assert_eq!(two.set_ignored(id, other, true), Err(missing));
    assert_eq!(two.relation(id, other, 0.0), Err(missing));
    let motions = [(id, Motion::new(Pose::identity(), at(1.0, 0.0, 0.0)))];
    assert_eq!(two.impacts(&motions, 0.0), Err(missing));
    let mut character = Character::new(&CharacterOptions::default(), Point3::origin()).unwrap();
    let surroundings = Surroundings { motions: &motions, ..Surroundings::new(&two) };
    assert_eq!(character.step(&surroundings, &Intent::default(), 0.1), Err(CharacterError::Scene(missing)));
    // The index is still free, and nothing has come to it.
    assert_eq!((two.len(), two.intersecting_pairs()), (1, vec![]));
    assert_eq!(two.add(Body::moving(cube.clone(), at(9.0, 0.0, 0.0))), Ok(id));
    assert_eq!((two.len(), two.intersecting_pairs()), (2, vec![]));
    two.set_pose(id, at(0.5, 0.0, 0.0)).unwrap();
    assert_eq!(two.intersecting_pairs(), [[id, other]]);
}

/// Isometries are not checked when they become poses.
#[test]
fn poses_of_no_numbers_are_refused() {
    let nowhere = Pose::from(Isometry3::translation(0.0, f64::NAN, 0.0));
    let turn = UnitQuaternion::new_unchecked(Quaternion::new(f64::NAN, 0.0, 0.0, 0.0));
    let turned = Pose::from(Isometry3::from_parts(Vector3::zeros().into(), turn));
    let mut scene = Scene::new();
    for tree in [&trees()[0], trees().last().unwrap()] {
        let id = scene.add(Body::moving(tree.clone(), Pose::identity())).unwrap();
        assert_eq!(scene.add(Body::moving(tree.clone(), nowhere)), Err(SceneError::TooFar));
        assert_eq!(scene.set_pose(id, nowhere), Err(SceneError::TooFar));
        assert!(matches!(scene.set_pose(id, turned), Err(SceneError::NotARotation { .. })));
        for [start, end] in [[Pose::identity(), nowhere], [nowhere, Pose::identity()]] {
            assert_eq!(scene.impacts(&[(id, Motion::new(start, end))], 0.0), Err(SceneError::TooFar));
        }
        let motion = Motion::new(Pose::identity(), turned);
        assert!(matches!(scene.impacts(&[(id, motion)], 0.0), Err(SceneError::NotARotation { .. })));
    }
    assert_eq!(scene.len(), 2);
}

/// What a caller's iterator has given before it panics is in the scene, for all questions.
#[test]
fn iterators_that_panic_leave_a_scene_whole() {
    let cube = trees()[0].clone();
    let mut scene = Scene::new();
    let panics_after = |given: usize, i: usize| assert!(i < given, "the iterator's own panic");
    let bodies =
        (0..3).inspect(|&i| panics_after(2, i)).map(|i| Body::moving(cube.clone(), at(3.0 * i as f64, 0.0, 0.0)));
    assert!(catch_unwind(AssertUnwindSafe(|| scene.add_all(bodies))).is_err());
    let ids: Vec<_> = scene.bodies().map(|(id, _)| id).collect();
    assert_eq!(scene.pairs_within(5.0).len(), 1);
    let poses = (0..2).inspect(|&i| panics_after(1, i)).map(|i| (ids[i], at(3.5, 0.0, 0.0)));
    assert!(catch_unwind(AssertUnwindSafe(|| scene.set_poses(poses))).is_err());
    assert_eq!(scene.intersecting_pairs(), [[ids[0], ids[1]]]);
}
