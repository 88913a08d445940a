//! Answers about two shapes, compared with parry3d's about its own `TriMesh`.

use bvtree_parry::{InternalEdges, TreeDispatcher};
use parry3d::math::{Pose, Vector};
use parry3d::query::PointQuery;
use parry3d::query::{ClosestPoints, DefaultQueryDispatcher, NonlinearRigidMotion, QueryDispatcher, ShapeCastOptions};
use parry3d::shape::{Cuboid, HalfSpace, Shape, SharedShape};

use crate::support::{Level, Random, bumpy, shapes, soup};

const OURS: TreeDispatcher = TreeDispatcher;
const THEIRS: DefaultQueryDispatcher = DefaultQueryDispatcher;

/// The tolerance for the rounding of parry3d's numbers.
const ROUNDING: f32 = 2e-4;

/// The most by which parry3d's iterations were seen to exceed the distance.
const ITERATIONS: f32 = 2e-2;

fn cases(count: usize, seed: u64, mut check: impl FnMut(&Level, &str, &SharedShape, &mut Random)) {
    let mut random = Random(seed);
    let levels = [soup(&mut random), bumpy()].map(|mesh| Level::new(&mesh, InternalEdges::default()));
    for level in &levels {
        for (name, shape) in &shapes() {
            for _ in 0..count {
                check(level, name, shape, &mut random);
            }
        }
    }
}

#[test]
fn shapes_that_are_no_trees_are_passed_on() {
    let mut random = Random(3);
    let shapes = shapes();
    for (_, first) in &shapes {
        for (_, second) in &shapes {
            let pose = random.pose(0.7);
            let (first, second) = (&**first, &**second);
            assert_eq!(OURS.intersection_test(&pose, first, second), THEIRS.intersection_test(&pose, first, second));
            assert_eq!(OURS.distance(&pose, first, second), THEIRS.distance(&pose, first, second));
            let text = |answer: &dyn std::fmt::Debug| format!("{answer:?}");
            let contacts = [OURS.contact(&pose, first, second, 0.1), THEIRS.contact(&pose, first, second, 0.1)];
            assert_eq!(text(&contacts[0]), text(&contacts[1]));
            let points =
                [OURS.closest_points(&pose, first, second, 1.0), THEIRS.closest_points(&pose, first, second, 1.0)];
            assert_eq!(text(&points[0]), text(&points[1]));
            let (velocity, options) = (random.vector(1.0), ShapeCastOptions::default());
            let casts = [
                OURS.cast_shapes(&pose, velocity, first, second, options),
                THEIRS.cast_shapes(&pose, velocity, first, second, options),
            ];
            assert_eq!(text(&casts[0]), text(&casts[1]));
        }
    }
}

#[test]
fn distances_and_intersections_are_those_of_trimesh() {
    let mut touching = 0;
    cases(60, 4, |level, name, shape, random| {
        let pose = random.pose(3.0);
        let theirs = THEIRS.distance(&pose, &level.trimesh, &**shape).expect("supported").distance;
        let found = OURS.distance(&pose, &level.tree, &**shape).expect("supported");
        let longer = theirs - found.distance;
        assert!((-ROUNDING..ITERATIONS).contains(&longer), "{name}: {} {theirs}", found.distance);
        let swapped = OURS.distance(&pose.inverse(), &**shape, &level.tree).expect("supported");
        assert!((swapped.distance - found.distance).abs() < 1e-5, "{name}");

        let hit = OURS.intersection_test(&pose, &level.tree, &**shape).expect("supported");
        assert_eq!(hit.intersecting, found.distance == 0.0, "{name}");
        let by_trimesh = THEIRS.intersection_test(&pose, &level.trimesh, &**shape).expect("supported");
        assert!(hit.intersecting == by_trimesh.intersecting || theirs < ROUNDING, "{name}");
        touching += usize::from(hit.intersecting);
        let of_hit = level.trimesh.triangle(hit.subshape1);
        let distance = THEIRS.distance(&pose, &of_hit, &**shape).expect("supported").distance;
        assert!(!hit.intersecting || distance < ROUNDING, "{name}");
        let face = level.trimesh.triangle(found.subshape1);

        let far = OURS.closest_points(&pose, &level.tree, &**shape, found.distance * 0.99).expect("supported");
        let near = OURS.closest_points(&pose, &level.tree, &**shape, found.distance * 1.01).expect("supported");
        match (near, far) {
            (ClosestPoints::Intersecting, ClosestPoints::Intersecting) => assert_eq!(found.distance, 0.0, "{name}"),
            (ClosestPoints::WithinMargin(on_tree, on_shape), ClosestPoints::Disjoint) => {
                assert!(((pose * on_shape - on_tree).length() - found.distance).abs() < 1e-5, "{name}");
                let off = shape.distance_to_local_point(on_shape, true);
                // parry3d projects on rounded shapes by iterations that end early.
                assert!(off < if name.starts_with("round") { 2e-2 } else { 1e-4 }, "{name}: {off}");
                assert!(face.distance_to_local_point(on_tree, true) < 1e-5, "{name}");
            }
            points => panic!("{name}: {points:?}"),
        }
    });
    assert!(touching > 30, "{touching} of them touch");
}

#[test]
fn contacts_are_those_of_trimesh() {
    let mut deep = 0;
    cases(60, 5, |level, name, shape, random| {
        let pose = random.pose(2.5);
        let theirs = THEIRS.contact(&pose, &level.trimesh, &**shape, 0.3).expect("supported");
        let ours = OURS.contact(&pose, &level.tree, &**shape, 0.3).expect("supported");
        match (ours, theirs) {
            (None, None) => {}
            (Some(ours), Some(theirs)) => {
                deep += usize::from(theirs.dist < -0.01);
                let farther = theirs.dist - ours.dist;
                assert!((-1e-3..ITERATIONS).contains(&farther), "{name}: {ours:?} {theirs:?}");
                let gap = (pose * ours.point2 - ours.point1).dot(ours.normal1);
                assert!((gap - ours.dist).abs() < 1e-3, "{name}: {ours:?}");
                assert!((pose.rotation * ours.normal2 + ours.normal1).length() < 1e-4, "{name}: {ours:?}");
            }
            (ours, theirs) => {
                let dist = ours.or(theirs).expect("one of them").dist;
                assert!((dist - 0.3).abs() < ROUNDING, "{name}: {ours:?} {theirs:?}");
            }
        }
        let flipped = OURS.contact(&pose.inverse(), &**shape, &level.tree, 0.3).expect("supported");
        assert!((flipped.map_or(9.0, |c| c.dist) - ours.map_or(9.0, |c| c.dist)).abs() < 1e-3, "{name}");
    });
    assert!(deep > 30, "{deep} of them overlap");
}

#[test]
fn casts_are_those_of_trimesh() {
    let (mut hits, mut starts) = (0, 0);
    cases(40, 6, |level, name, shape, random| {
        let (pose, velocity) = (random.pose(4.0), random.vector(3.0));
        let target_distance = if random.number() < 0.0 { 0.0 } else { 0.05 };
        let options = ShapeCastOptions { max_time_of_impact: 2.0, target_distance, ..Default::default() };
        let theirs = THEIRS.cast_shapes(&pose, velocity, &level.trimesh, &**shape, options).expect("supported");
        let ours = OURS.cast_shapes(&pose, velocity, &level.tree, &**shape, options).expect("supported");
        let at = |time: f32| {
            let pose = Pose { translation: pose.translation + velocity * time, ..pose };
            OURS.distance(&pose, &level.tree, &**shape).expect("supported").distance
        };
        if let Some(hit) = ours {
            hits += usize::from(hit.time_of_impact > 0.0);
            starts += usize::from(hit.time_of_impact == 0.0);
            // The shapes are in contact at the time of impact, and not before.
            assert!(at(hit.time_of_impact) < target_distance + 1e-4, "{name}: {hit:?}");
            for k in 0..8 {
                let before = hit.time_of_impact * k as f32 / 8.0;
                assert!(hit.time_of_impact == 0.0 || at(before) > target_distance - 1e-4, "{name}: {hit:?}");
            }
            if hit.time_of_impact > 0.0 {
                let place = Pose { translation: pose.translation + velocity * hit.time_of_impact, ..pose };
                let apart = (place * hit.witness2 - hit.witness1).length();
                assert!((apart - target_distance).abs() < 1e-3, "{name}: {hit:?}");
                assert!(hit.normal1.dot(velocity) <= 1e-3, "{name}: {hit:?}");
            }
        }
        match (ours, theirs) {
            (Some(ours), Some(theirs)) => {
                // parry3d's time is sometimes late where a shape grazes an edge; it is never earlier by more than
                // rounding.
                let late = (theirs.time_of_impact - ours.time_of_impact) * velocity.length();
                assert!(late > -1e-2, "{name}: {ours:?} {theirs:?}");
            }
            (None, Some(theirs)) => {
                let gap = at(theirs.time_of_impact) - target_distance;
                assert!(gap > -1e-3, "{name}: {theirs:?} {gap}");
            }
            _ => {}
        }
        let back = -(pose.rotation.inverse() * velocity);
        let flipped = OURS.cast_shapes(&pose.inverse(), back, &**shape, &level.tree, options).expect("supported");
        let time = |hit: Option<parry3d::query::ShapeCastHit>| hit.map_or(3.0, |hit| hit.time_of_impact);
        assert!((time(flipped) - time(ours)).abs() < 1e-2 || flipped.is_some() != ours.is_some(), "{name}");
    });
    assert!(hits > 80 && starts > 20, "{hits} hits on the way, {starts} at the start");
}

#[test]
fn casts_that_turn_are_those_of_trimesh() {
    let (mut agreeing, mut all) = (0, 0);
    cases(15, 7, |level, name, shape, random| {
        let start = random.pose(4.0);
        let tree_motion =
            NonlinearRigidMotion::new(random.pose(1.0), random.vector(0.2), random.vector(0.3), random.vector(0.2));
        let motion = NonlinearRigidMotion::new(start, random.vector(0.1), random.vector(3.0), random.vector(2.0));
        let theirs = THEIRS
            .cast_shapes_nonlinear(&tree_motion, &level.trimesh, &motion, &**shape, 0.0, 1.0, true)
            .expect("supported");
        let ours = OURS
            .cast_shapes_nonlinear(&tree_motion, &level.tree, &motion, &**shape, 0.0, 1.0, true)
            .expect("supported");
        let gap = |time: f32| {
            let pose = tree_motion.position_at_time(time).inv_mul(&motion.position_at_time(time));
            OURS.distance(&pose, &level.tree, &**shape).expect("supported").distance
        };
        let time = |hit: &Option<parry3d::query::ShapeCastHit>| hit.map(|hit| hit.time_of_impact);
        all += 1;
        agreeing += usize::from((time(&ours).unwrap_or(2.0) - time(&theirs).unwrap_or(2.0)).abs() < 1e-2);
        if let Some(hit) = ours {
            assert!(gap(hit.time_of_impact) < 5e-3, "{name}: {hit:?} {}", gap(hit.time_of_impact));
        }
        let end = time(&ours).unwrap_or(1.0);
        for k in 0..20 {
            let before = end * k as f32 / 20.0;
            assert!(before == 0.0 || gap(before) > 0.0, "{name}: contact at {before}, found {end}");
        }
    });
    assert!(agreeing * 10 > all * 9, "{agreeing} of {all} times agree");
}

#[test]
fn half_spaces_and_trees_meet_trees() {
    let mut random = Random(8);
    let level = Level::new(&bumpy(), InternalEdges::default());
    let ground = HalfSpace::new(Vector::Y);
    let lowest = level.tree.compute_local_aabb().mins.y;
    for height in [0.5, 0.1, -0.1] {
        // The level above the ground.
        let pose = Pose::translation(0.0, height - lowest, 0.0);
        let distance = OURS.distance(&pose, &ground, &level.tree).expect("supported").distance;
        assert!((distance - height.max(0.0)).abs() < 1e-5, "{distance} {height}");
        let contact = OURS.contact(&pose, &ground, &level.tree, 0.2).expect("supported");
        assert_eq!(contact.is_some(), height < 0.2);
        assert!(contact.is_none_or(|contact| (contact.dist - height).abs() < 1e-5), "{contact:?} at {height}");
    }

    let (vertices, triangles) = Cuboid::new(Vector::splat(0.4)).to_trimesh();
    let vertices = vertices.iter().map(|v| nalgebra::Point3::new(v.x, v.y, v.z)).collect();
    let hollow = bvtree::Mesh::from_arrays(vertices, triangles).expect("valid");
    let hollow = Level::new(&hollow, InternalEdges::default());
    let mut touching = 0;
    for _ in 0..40 {
        let pose = random.pose(2.0);
        let theirs = THEIRS.distance(&pose, &level.trimesh, &hollow.trimesh).expect("supported").distance;
        let ours = OURS.distance(&pose, &level.tree, &hollow.tree).expect("supported").distance;
        assert!((-ROUNDING..ITERATIONS).contains(&(theirs - ours)), "{ours} {theirs}");
        let hit = OURS.intersection_test(&pose, &level.tree, &hollow.tree).expect("supported").intersecting;
        assert_eq!(hit, ours == 0.0);
        touching += usize::from(hit);
        let contact = OURS.contact(&pose, &level.tree, &hollow.tree, 0.1).expect("supported");
        assert_eq!(contact.is_some(), ours <= 0.1);
    }
    assert!((5..35).contains(&touching), "{touching}");
}
