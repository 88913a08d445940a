//! Questions that are ended early, by hand at each of their looks in turn, and what is asked after them.

use std::fmt::Debug;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use bvtree::query::DistanceTracker;
use bvtree::scene::{Body, Scene};
use bvtree::shape::ConvexShape;
use bvtree::{BvTree, Mesh, Motion, Pose, Query, VolumeKind};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::oracle::{Rules, meshes};

/// Triangles in almost the same place: so many pairs are looked at one by one that each question looks up many times.
const COPIES: usize = 240;
/// How far one is from the next: equal triangles of a leaf would be looked at once.
const STEP: f32 = 1e-6;

type Question = Box<dyn Fn(&mut Query) -> Box<dyn Debug>>;

fn copies(corners: [[f32; 3]; 3], kind: VolumeKind) -> Arc<BvTree> {
    let corners: Vec<Point3<f32>> =
        (0..COPIES).flat_map(|i| corners.map(|[x, y, z]| Point3::new(x - STEP * i as f32, y, z))).collect();
    let faces = (0..COPIES as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
    Arc::new(Rules::FINEST.tree(&Mesh::from_arrays(corners, faces).unwrap(), kind))
}

/// Copies of a triangle, and copies of one that stands upright just beyond its apex, a little turned: their volumes
/// overlap, they don't.
fn trees([kind_a, kind_b]: [VolumeKind; 2]) -> [Arc<BvTree>; 2] {
    let one = [[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.7, 0.0]];
    let beyond = [[-4.0, 0.3, -1.0], [4.0, 3.2, -1.0], [0.0, 1.75, 1.0]];
    [copies(one, kind_a), copies(beyond, kind_b)]
}

/// Every question that descends two trees.
fn questions(kinds: [VolumeKind; 2]) -> Vec<(&'static str, Question)> {
    let [a, b] = trees(kinds);
    let here = Pose::identity();
    let through: Pose = Isometry3::new(Vector3::new(0.2, 0.2, -0.1), Vector3::new(0.0, -1.2, 0.0)).into();
    let motion =
        Motion::new(Isometry3::translation(0.0, 0.0, 1.0).into(), Isometry3::translation(0.3, 0.3, -1.0).into());
    let ask = |a: &Arc<BvTree>, b: &Arc<BvTree>, pose: Pose| (a.clone(), b.clone(), pose);
    macro_rules! question {
        ($query:ident, $trees:expr, |$a:ident, $b:ident, $pose:ident| $answer:expr) => {{
            let ($a, $b, $pose) = $trees;
            Box::new(move |$query: &mut Query| Box::new($answer) as Box<dyn Debug>) as Question
        }};
    }
    vec![
        ("intersects", question!(query, ask(&a, &b, here), |a, b, pose| query.intersects(&a, &b, &pose))),
        (
            "intersecting_pairs",
            question!(query, ask(&a, &a, here), |a, b, pose| query.intersecting_pairs(&a, &b, &pose)),
        ),
        ("count_pairs", question!(query, ask(&a, &a, through), |a, b, pose| query.count_pairs(&a, &b, &pose))),
        ("distance", question!(query, ask(&a, &b, here), |a, b, pose| query.distance(&a, &b, &pose))),
        ("within", question!(query, ask(&a, &b, here), |a, b, pose| query.within(&a, &b, &pose, 0.01))),
        ("pairs", question!(query, ask(&a, &b, here), |a, b, pose| query.pairs_within(&a, &b, &pose, 2.0))),
        ("contacts", question!(query, ask(&a, &a, through), |a, b, pose| query.contacts(&a, &b, &pose))),
        ("patches", question!(query, ask(&a, &a, through), |a, b, pose| query.contact_patches(&a, &b, &pose))),
        ("relation", question!(query, ask(&a, &a, here), |a, b, pose| query.relation(&a, &b, &pose))),
        ("penetration", question!(query, ask(&a, &a, through), |a, b, pose| query.penetration(&a, &b, &pose))),
        ("self", question!(query, ask(&a, &a, here), |a, _b, _pose| query.self_pairs(&a))),
        ("motion", question!(query, ask(&a, &b, through), |a, b, _pose| query.time_of_impact(&a, &b, &motion, 0.0))),
    ]
}

/// A query that is interrupted at its look of that number, counted from 0, and the looks so far.
fn interrupted_at(look: u32) -> (Query, Arc<AtomicU32>) {
    let (mut query, looks) = (Query::new(), Arc::new(AtomicU32::new(0)));
    let seen = looks.clone();
    query.interrupt_when(move || seen.fetch_add(1, Ordering::Relaxed) == look);
    (query, looks)
}

#[test]
fn every_question_ends_where_it_is_told_to_and_is_asked_again() {
    for kinds in [[VolumeKind::Aabb; 2], [VolumeKind::Obb; 2], [VolumeKind::Sphere, VolumeKind::Obb]] {
        for (name, question) in questions(kinds) {
            let expected = format!("{:?}", question(&mut Query::new()));
            let (mut query, looks) = interrupted_at(u32::MAX);
            assert_eq!(format!("{:?}", question(&mut query)), expected, "{kinds:?} {name}");
            assert!(!query.take_interrupted());
            let looks = looks.load(Ordering::Relaxed);
            assert!(looks > 3, "{kinds:?} {name} looks up {looks} times only");
            for look in [0, looks / 2] {
                let (mut query, seen) = interrupted_at(look);
                question(&mut query);
                assert_eq!(seen.load(Ordering::Relaxed), look + 1, "{kinds:?} {name} went on");
                // A traversal may have ended just before its next look.
                assert!(query.stats().triangle_tests <= u64::from(look + 2) * 8 * 1024, "{kinds:?} {name}");
                // Until it is taken note of nothing is asked.
                question(&mut query);
                assert_eq!(query.stats().triangle_tests, 0, "{kinds:?} {name}");
                assert!(query.take_interrupted());
                assert!(!query.take_interrupted());
                assert_eq!(format!("{:?}", question(&mut query)), expected, "{kinds:?} {name} after {look}");
            }
        }
    }
}

/// A tracker that was interrupted, at any of its looks along a path, tells what it would have told after.
#[test]
fn a_tracker_forgets_what_it_was_about_to_learn() {
    let tree = Arc::new(Rules::FINEST.tree(&meshes::torus(96, 64), VolumeKind::Obb));
    let poses: Vec<Pose> = (0..24).map(|i| Isometry3::translation(0.0, 0.01 * f64::from(i), 1.5).into()).collect();
    let expected: Vec<_> = poses.iter().map(|pose| Query::new().distance(&tree, &tree, pose)).collect();
    let mut interrupted = 0;
    for look in 0..12 {
        let (mut query, _) = interrupted_at(look);
        let mut tracker = DistanceTracker::new(&tree, &tree);
        for (pose, expected) in poses.iter().zip(&expected) {
            let found = tracker.distance(&mut query, pose);
            if query.take_interrupted() {
                interrupted += 1;
            } else {
                assert_eq!(found, *expected, "after look {look}");
            }
        }
    }
    assert!(interrupted > 6, "only {interrupted} were interrupted");
}

/// What an unfinished question found out about pairs of bodies is forgotten.
#[test]
fn a_scene_that_was_interrupted_answers_as_one_that_was_not() {
    let [a, b] = trees([VolumeKind::Obb; 2]);
    let scene = || {
        let mut scene = Scene::new();
        for i in 0..5_u8 {
            let (tree, at) = ([&a, &b][usize::from(i % 2)], 0.1 * f64::from(i));
            scene.add(Body::moving(tree.clone(), Isometry3::translation(at, 0.0, 0.0).into())).unwrap();
        }
        scene
    };
    type Question = fn(&mut Scene) -> String;
    let questions: [Question; 4] = [
        |scene| format!("{:?}", scene.intersecting_pairs()),
        |scene| format!("{:?}", scene.pairs_within(0.5)),
        |scene| format!("{:?}", scene.closest_pair()),
        |scene| format!("{:?}", scene.relations(0.0)),
    ];
    let expected = questions.map(|question| question(&mut scene()));
    for question in questions {
        let mut interruptions = 0;
        for look in [0, 2, 20] {
            let mut scene = scene();
            let looks = AtomicU32::new(0);
            scene.interrupt_when(move || looks.fetch_add(1, Ordering::Relaxed) == look);
            question(&mut scene);
            interruptions += u32::from(scene.take_interrupted());
            assert!(!scene.take_interrupted());
            // A question that was over sooner leaves the interruption to none of these.
            scene.interrupt_when(|| false);
            assert_eq!(questions.map(|question| question(&mut scene)), expected, "after {look}");
        }
        assert!(interruptions > 1);
    }
}

/// Bodies that are not compared are left out together, not pair by pair; and a search among pairs that a filter refuses
/// one by one can be interrupted.
#[test]
fn the_closest_of_few_compared_pairs() {
    let ball = Arc::new(ConvexShape::sphere(0.5).unwrap());
    let at = |i: u8, j: u8| Pose::from_translation(Vector3::new(f64::from(i), f64::from(j), 0.0) * 2.0).unwrap();
    let scene = |of: fn(Arc<ConvexShape>, Pose) -> Body| {
        let mut scene = Scene::new();
        for (i, j) in (0..20).flat_map(|i| (0..20).map(move |j| (i, j))) {
            scene.add(of(ball.clone(), at(i, j))).unwrap();
        }
        let looks = Arc::new(AtomicU32::new(0));
        let count = looks.clone();
        scene.interrupt_when(move || count.fetch_add(1, Ordering::Relaxed) > 0);
        (scene, looks)
    };
    let never_compared: [fn(Arc<ConvexShape>, Pose) -> Body; 2] =
        [|ball, pose| Body::fixed(ball, pose), |ball, pose| Body { mask: 2, ..Body::moving(ball, pose) }];
    for of in never_compared {
        let (mut scene, looks) = scene(of);
        assert_eq!(scene.closest_pair(), None);
        assert_eq!(looks.load(Ordering::Relaxed), 0);
    }
    let (mut scene, looks) = scene(Body::moving);
    scene.set_pair_filter(|_| false);
    assert_eq!(scene.closest_pair(), None);
    assert!(scene.take_interrupted());
    assert_eq!(looks.load(Ordering::Relaxed), 2);
}
