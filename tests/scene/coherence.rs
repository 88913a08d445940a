//! What a scene needs not ask again.

use bvtree::scene::{Body, Scene};

use super::{Random, at, trees};

fn field(count: usize) -> Scene {
    let mut random = Random(21);
    let trees = trees();
    let mut scene = Scene::new();
    for i in 0..count {
        scene.add(Body::moving(trees[i % 3].clone(), random.pose(9.0))).unwrap();
    }
    scene
}

#[test]
fn pairs_that_stay_are_not_asked_again() {
    let mut scene = field(400);
    let touching = scene.intersecting_pairs();
    let first = scene.stats();
    assert!(first.queried > 0 && first.cached == 0 && first.trees.volume_tests > 0);
    assert_eq!(first.candidates, first.queried + first.apart_by_bounds);
    assert_eq!(scene.intersecting_pairs(), touching);
    let again = scene.stats();
    assert_eq!((again.queried, again.cached, again.candidates), (0, first.queried, first.candidates));

    let near = scene.pairs_within(0.2);
    let asked = scene.stats().queried;
    assert_eq!(scene.pairs_within(0.2), near);
    assert_eq!(scene.stats().queried, 0);
    // The larger clearance tells the smaller one.
    let nearer: Vec<_> = near.iter().filter(|pair| pair.distance <= 0.1).copied().collect();
    assert_eq!(scene.pairs_within(0.1), nearer);
    assert!(scene.stats().queried < asked / 2);
}

#[test]
fn a_step_of_few_asks_about_few() {
    let mut scene = field(1000);
    scene.pairs_within(0.1);
    let all = scene.stats();
    let movers: Vec<_> = scene.bodies().step_by(100).map(|(id, body)| (id, body.pose)).collect();
    let moved = movers.iter().map(|(id, pose)| {
        (*id, bvtree::Pose::new(*pose.rotation(), pose.translation() + nalgebra::Vector3::repeat(0.01)).unwrap())
    });
    scene.set_poses(moved).unwrap();
    scene.pairs_within(0.1);
    let step = scene.stats();
    assert!(step.queried * 20 < all.queried, "{step:?} {all:?}");
}

#[test]
fn bodies_far_enough_apart_are_known_to_stay_so() {
    let ring = trees()[2].clone();
    let mut scene = Scene::new();
    let still = scene.add(Body::moving(ring.clone(), at(0.0, 0.0, 0.0))).unwrap();
    // Boxes overlap, rings don't.
    let moving = scene.add(Body::moving(ring, at(1.7, 1.7, 0.0))).unwrap();
    let (mut asked, steps) = (0, 200);
    for step in 0..steps {
        let x = 1.7 - f64::from(step) * 0.001;
        scene.set_pose(moving, at(x, x, 0.0)).unwrap();
        assert!(scene.intersecting_pairs().is_empty());
        asked += scene.stats().queried;
    }
    assert!(asked > 0 && asked < 20, "{asked}");
    scene.set_pose(moving, at(1.0, 1.0, 0.0)).unwrap();
    assert_eq!(scene.intersecting_pairs(), [[still, moving]]);
}

/// Near pairs are tracked: asked again after small moves they take less work, and say what a scene says that is new.
#[test]
fn near_pairs_start_from_what_they_found_last() {
    let ring = super::tree(&crate::oracle::meshes::torus(40, 24));
    let poses = |step: u32| {
        let t = f64::from(step) * 0.002;
        (0..8)
            .map(move |i| super::turned(3.3 * f64::from(i) + t * f64::from(i % 3), t, 0.0, [t, 0.5, f64::from(i) - t]))
    };
    let mut scene = Scene::new();
    let ids: Vec<_> = poses(0).map(|pose| scene.add(Body::moving(ring.clone(), pose)).unwrap()).collect();
    let (mut tracked, mut anew) = (0, 0);
    for step in 1..30 {
        scene.set_poses(ids.iter().copied().zip(poses(step))).unwrap();
        let near = scene.pairs_within(2.0);
        let mut other = Scene::new();
        for pose in poses(step) {
            other.add(Body::moving(ring.clone(), pose)).unwrap();
        }
        assert!(near.len() > 4);
        assert_eq!(near, other.pairs_within(2.0), "step {step}");
        if step > 5 {
            tracked += scene.stats().trees.volume_tests;
            anew += other.stats().trees.volume_tests;
        }
    }
    assert!(2 * tracked < anew, "{tracked} {anew}");
}
