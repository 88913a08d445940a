//! Impacts against pairwise ones and against samples of the motions.

use bvtree::query::TimeOfImpact;
use bvtree::scene::{Body, BodyId, BodyImpact, Scene, SceneError};
use bvtree::{Motion, Pose, Query};
use nalgebra::Vector3;

use super::{Random, at, on_threads, tree, tree_of, trees, turned};
use crate::solids::cuboid;

const TOLERANCE: f64 = 1e-6;

/// A time before the told one, or any if none is told, at which the two touch.
fn touches_before(scene: &Scene, motions: &[Motion; 2], bodies: [BodyId; 2], time: Option<f64>, samples: u32) -> bool {
    let trees = bodies.map(|id| tree_of(scene.body(id).unwrap()).clone());
    let mut query = Query::new();
    (0..=samples).map(|i| f64::from(i) / f64::from(samples)).any(|at| {
        let [a, b] = motions.map(|motion| motion.at(at));
        time.is_none_or(|time| at < time) && query.intersects(&trees[0], &trees[1], &Pose::relative(&a, &b))
    })
}

fn check_contact(scene: &Scene, motions: &[Motion; 2], impact: &BodyImpact, near: f64) {
    let [a, b] = impact.bodies.map(|id| scene.body(id).unwrap());
    let pose = Pose::relative(&motions[0].at(impact.time), &motions[1].at(impact.time));
    let distance = Query::new().distance(tree_of(a), tree_of(b), &pose).unwrap().distance;
    assert!(distance <= near && (0.0..=1.0).contains(&impact.time), "{impact:?} {distance}");
    let across = impact.points[1] - impact.points[0];
    assert!((across.norm() - impact.distance).abs() < 1e-9);
    if impact.distance > 1e-7 {
        assert!((across.normalize() - impact.normal).norm() < 1e-3, "{impact:?}");
    }
}

#[test]
fn impacts_are_where_samples_say() {
    let mut random = Random(17);
    let trees = trees();
    for round in 0..if cfg!(debug_assertions) { 12 } else { 200 } {
        let mut scene = Scene::new();
        let ids: Vec<_> = (0..14)
            .map(|i| scene.add(Body::moving(trees[i % trees.len()].clone(), random.pose(4.0))).unwrap())
            .collect();
        let poses: Vec<Pose> = ids.iter().map(|&id| scene.body(id).unwrap().pose).collect();
        let motions: Vec<Motion> = (0..ids.len())
            .map(|i| {
                let shift = random.vector(4.0);
                let turn = if random.below(2) == 0 { Vector3::zeros() } else { random.vector(1.5) };
                let turn = turned(0.0, 0.0, 0.0, turn.into());
                let end = Pose::new(turn.rotation() * poses[i].rotation(), poses[i].translation() + shift).unwrap();
                if random.below(3) == 0 { Motion::new(poses[i], poses[i]) } else { Motion::new(poses[i], end) }
            })
            .collect();
        // Those that don't move need no motion.
        let given: Vec<_> =
            ids.iter().copied().zip(motions.iter().copied()).filter(|(_, m)| m.start() != m.end()).collect();
        let impacts = on_threads(1 + round % 2, || scene.impacts(&given, TOLERANCE)).unwrap();
        for (i, &a) in ids.iter().enumerate() {
            for (j, &b) in ids.iter().enumerate().skip(i + 1) {
                let pair = [motions[i], motions[j]];
                let told = impacts.iter().find(|impact| impact.bodies == [a, b]);
                let still = motions[i].start() == motions[i].end() && motions[j].start() == motions[j].end();
                if still {
                    assert!(told.is_none(), "neither of the two moves");
                    continue;
                }
                // A way of 20 at most.
                let near = 1e-5 * 20.0;
                if let Some(impact) = told {
                    check_contact(&scene, &pair, impact, near);
                }
                let time = told.map(|impact| impact.time);
                assert!(!touches_before(&scene, &pair, [a, b], time, 60), "{:?} {told:?}", [a, b]);
            }
        }
        let first = scene.first_impact(&given, TOLERANCE).unwrap();
        let expected = impacts.iter().min_by(|p, q| p.time.total_cmp(&q.time).then(p.bodies.cmp(&q.bodies)));
        assert_eq!(first.as_ref(), expected);
        assert!(ids.iter().zip(&poses).all(|(&id, pose)| scene.body(id).unwrap().pose == *pose));
    }
}

#[test]
fn one_moving_body_meets_as_the_pair_question_says() {
    let cube = tree(&cuboid([1.0; 3]));
    let mut scene = Scene::new();
    let wall = scene.add(Body::fixed(cube.clone(), turned(5.0, 0.0, 0.0, [0.0, 0.3, 0.0]))).unwrap();
    let thrown = scene.add(Body::moving(cube.clone(), at(0.0, 0.0, 0.0))).unwrap();
    let motion = Motion::new(at(0.0, 0.0, 0.0), turned(10.0, 0.2, 0.1, [1.0, 2.0, 0.0]));
    let wall_pose = scene.body(wall).unwrap().pose;
    let seen = Motion::new(Pose::relative(&wall_pose, motion.start()), Pose::relative(&wall_pose, motion.end()));
    let TimeOfImpact::Impact(expected) = Query::new().time_of_impact(&cube, &cube, &seen, TOLERANCE).unwrap() else {
        panic!("no impact")
    };
    let impacts = scene.impacts(&[(thrown, motion)], TOLERANCE).unwrap();
    assert_eq!(impacts.len(), 1);
    assert_eq!(
        (impacts[0].time, impacts[0].distance, impacts[0].faces),
        (expected.time, expected.distance, expected.faces)
    );
    assert_eq!(impacts[0].bodies, [wall, thrown]);
    assert!(impacts[0].normal.x < -0.5);
}

#[test]
fn thin_fast_bodies_do_not_tunnel() {
    // Two plates a hundredth thick that pass through each other in a hundred-thousandth of the time, each turning.
    let plate = tree(&cuboid([0.01, 4.0, 4.0]));
    let mut scene = Scene::new();
    for turns in [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, -1.0]] {
        let ids = [-500.0, 500.0].map(|x| scene.add(Body::moving(plate.clone(), at(x, 0.0, 0.0))).unwrap());
        let motion = |x: f64, turn: f64| Motion::new(at(x, 0.0, 0.0), turned(-x, 0.0, 0.0, [turn, 0.3 * turn, 0.0]));
        let motions = [(ids[0], motion(-500.0, turns[0])), (ids[1], motion(500.0, turns[1]))];
        let impacts = scene.impacts(&motions, TOLERANCE).unwrap();
        assert_eq!(impacts.len(), 1, "{turns:?}");
        assert!((impacts[0].time - 0.5).abs() < 2e-3, "{impacts:?}");
        // Flat on each other they touch with their sides as well.
        assert!(turns == [0.0, 0.0] || (impacts[0].normal.x - 1.0).abs() < 0.1, "{impacts:?}");
        // Next to each other they pass.
        let aside = motions.map(|(id, motion)| {
            let up = |pose: &Pose| {
                Pose::new(*pose.rotation(), pose.translation() + Vector3::z() * if id == ids[0] { 9.0 } else { 0.0 })
            };
            (id, Motion::new(up(motion.start()).unwrap(), up(motion.end()).unwrap()))
        });
        assert_eq!(scene.impacts(&aside, TOLERANCE).unwrap(), []);
        assert_eq!(scene.first_impact(&aside, TOLERANCE).unwrap(), None);
        for id in ids {
            scene.remove(id).unwrap();
        }
    }
}

#[test]
fn turning_bodies_may_pass_each_other_closely() {
    // Two square bars turn about their own axes while they pass, each with an edge towards the other when they are
    // nearest.
    let bar = tree(&cuboid([0.5, 0.5, 4.0]));
    let quarter = std::f64::consts::FRAC_PI_2;
    for gap in [1e-4, 1e-6, -1e-6, -1e-4] {
        let y = 2.0_f64.sqrt() * 0.5 + gap;
        let mut scene = Scene::new();
        let ids = [-10.0, 10.0].map(|x| scene.add(Body::moving(bar.clone(), at(x, 0.0, 0.0))).unwrap());
        let motion = |x: f64, y: f64| Motion::new(at(x, y, 0.0), turned(-x, y, 0.0, [0.0, 0.0, quarter]));
        let motions = [(ids[0], motion(-10.0, 0.0)), (ids[1], motion(10.0, y))];
        let impacts = scene.impacts(&motions, 1e-9).unwrap();
        if gap > 0.0 {
            assert_eq!(impacts, [], "{gap}");
            continue;
        }
        assert_eq!(impacts.len(), 1, "{gap}");
        assert!((impacts[0].time - 0.5).abs() < 1e-3 && impacts[0].distance < 1e-7, "{impacts:?}");
    }
}

#[test]
fn bodies_that_touch_at_the_start_meet_at_once() {
    let cube = tree(&cuboid([1.0; 3]));
    for turns in [[0.0, 0.0], [1.0, 0.5]] {
        let mut scene = Scene::new();
        let ids = [0.0, 1.0].map(|x| scene.add(Body::moving(cube.clone(), at(x, 0.0, 0.0))).unwrap());
        let motions = [0, 1].map(|i| {
            let x = i as f64;
            (ids[i], Motion::new(at(x, 0.0, 0.0), turned(9.0 * x, 0.0, 0.0, [0.0, 0.0, turns[i]])))
        });
        let impact = scene.first_impact(&motions, TOLERANCE).unwrap().unwrap();
        assert_eq!((impact.time, impact.distance, impact.bodies), (0.0, 0.0, ids));
        assert!((impact.normal.x - 1.0).abs() < 1e-9, "{impact:?}");
    }
}

/// Both bodies of a slow pair turn, and are within the accuracy from the start, so that their impact is reported at
/// time 0, long before their bounding spheres can meet; quick pairs, whose spheres meet earlier, are looked at first.
#[test]
fn the_first_impact_may_be_within_the_accuracy_from_the_start() {
    let cube = tree(&cuboid([1.0; 3]));
    let mut scene = Scene::new();
    let mut motions = Vec::new();
    let to_corner = nalgebra::Rotation3::rotation_between(&Vector3::repeat(1.0), &Vector3::x()).unwrap();
    let mut add = |y: f64, start: f64, end: f64, orientation: nalgebra::Rotation3<f64>| {
        for (from, to) in [(0.0, 0.0), (start, end)] {
            let pose = |x: f64, angle: f64| {
                let turn = nalgebra::Rotation3::from_axis_angle(&Vector3::x_axis(), angle);
                Pose::new((turn * orientation).into_inner(), Vector3::new(x, y, 0.0)).unwrap()
            };
            let id = scene.add(Body::moving(cube.clone(), pose(from, 0.0))).unwrap();
            motions.push((id, Motion::new(pose(from, 0.0), pose(to, 1e-3 * (1.0 + from)))));
        }
    };
    (0..20).for_each(|i| add(10.0 * f64::from(i), 4.0, -2.0, nalgebra::Rotation3::identity()));
    add(-10.0, 3.0_f64.sqrt() + 0.2, 3.0_f64.sqrt() - 0.05, to_corner);
    let (impacts, first) =
        on_threads(1, || (scene.impacts(&motions, 0.3).unwrap(), scene.first_impact(&motions, 0.3).unwrap()));
    assert_eq!(impacts.len(), 21);
    assert_eq!(first.as_ref(), impacts.iter().find(|impact| impact.time == 0.0));
    assert!(first.is_some_and(|first| first.distance > 0.19));
}

/// A pair whose motion is too long is an error where it may meet before the first impact, on any number of threads.
#[test]
fn a_motion_too_long_matters_before_the_first_impact() {
    let cube = tree(&cuboid([1.0; 3]));
    for (height, is_refused) in [(1e13, false), (2.0, true)] {
        let mut scene = Scene::new();
        let mut add = |pose: Pose| scene.add(Body::moving(cube.clone(), pose)).unwrap();
        let near = [add(at(-1e5, 0.0, 0.0)), add(at(2.0 - 1e5, 0.0, 0.0))];
        add(at(0.0, 0.0, 0.0));
        let far = add(at(0.0, height, 0.0));
        let motions = [
            (near[1], Motion::new(at(2.0 - 1e5, 0.0, 0.0), at(-1e6, 0.0, 0.0))),
            (far, Motion::new(at(0.0, height, 0.0), at(0.0, -1e15, 0.0))),
        ];
        assert_eq!(scene.impacts(&motions, TOLERANCE), Err(SceneError::MotionTooLong));
        for threads in [1, 2] {
            let first = on_threads(threads, || scene.first_impact(&motions, TOLERANCE));
            match is_refused {
                true => assert_eq!(first, Err(SceneError::MotionTooLong)),
                false => assert_eq!(first.unwrap().unwrap().bodies, near),
            }
        }
    }
}
