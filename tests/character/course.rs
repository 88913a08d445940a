//! The courses of the level, at three speeds and five time steps each.

use std::sync::Arc;

use bvtree::character::{CharacterOptions, Intent};
use bvtree::{BuildOptions, BvTree, VolumeKind};
use nalgebra::Point3;

use super::among::{Body, Character};
use super::level::{Course, Level, toward};

const SPEEDS: [f64; 3] = [1.0, 4.0, 12.0];
const STEPS: [f64; 5] = [1.0 / 240.0, 1.0 / 60.0, 1.0 / 30.0, 1.0 / 10.0, 1.0 / 5.0];

/// Where a walk through the course ends, and the path there.
fn walk(tree: &Arc<BvTree>, course: &Course, speed: f64, time: f64) -> Vec<Point3<f64>> {
    let bodies = [Body::fixed(tree)];
    let mut character = Character::new(&CharacterOptions::default(), course.start).unwrap();
    let mut path = vec![course.start];
    let mut next = 0;
    let mut length = 0.0;
    let mut from = course.start.xy();
    for waypoint in &course.waypoints {
        length += (waypoint - from).norm();
        from = *waypoint;
    }
    // Each waypoint has its share of the time, whether it can be reached or not.
    let patience = length / speed * 1.5 + 2.0;
    let mut spent = 0.0;
    for _ in 0..(patience * course.waypoints.len() as f64 / time) as usize {
        let walk = toward(&character.feet(), &course.waypoints[next], speed, time);
        character.step(&bodies, &Intent { walk, jump: 0.0 }, time);
        path.push(character.feet());
        spent += time;
        let reached = (character.feet().xy() - course.waypoints[next]).norm() < 0.02;
        if reached || spent > patience {
            if next + 1 == course.waypoints.len() {
                break;
            }
            (next, spent) = (next + 1, 0.0);
        }
    }
    // Time to settle.
    for _ in 0..(1.0 / time) as usize {
        character.step(&bodies, &Intent::default(), time);
        path.push(character.feet());
    }
    path
}

#[test]
fn courses_end_where_they_must() {
    let level = Level::new(1.0);
    let tree = Arc::new(BvTree::build(&level.mesh, &BuildOptions::default()).unwrap());
    let mut failures = Vec::new();
    for course in &level.courses {
        for speed in SPEEDS {
            for time in STEPS {
                let path = walk(&tree, course, speed, time);
                let end = path[path.len() - 1];
                let [low, high] = course.end;
                if !(0..3).all(|k| low[k] <= end[k] && end[k] <= high[k]) {
                    failures.push(format!("{} at {speed} by {time:.4}: {end} not in {low}..{high}", course.name));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The same input gives the same path, to the bit, with any kind of tree.
#[test]
fn paths_are_the_same_with_all_trees() {
    let level = Level::new(1.0);
    let trees = VolumeKind::ALL.map(|volume| {
        Arc::new(BvTree::build(&level.mesh, &BuildOptions { kind: volume, ..BuildOptions::default() }).unwrap())
    });
    for course in &level.courses {
        let [first, second, third] = [0, 1, 2].map(|i| walk(&trees[i], course, 4.0, 1.0 / 30.0));
        assert_eq!(first, second, "{}", course.name);
        assert_eq!(first, third, "{}", course.name);
    }
}

/// Along tiles in one plane nothing is caught: the walk along the wall is straight and even.
#[test]
fn edges_between_coplanar_tiles_catch_nothing() {
    let level = Level::new(1.0);
    let tree = Arc::new(BvTree::build(&level.mesh, &BuildOptions::default()).unwrap());
    let course = level.courses.iter().find(|course| course.name == "tiles").unwrap();
    let bodies = [Body::fixed(&tree)];
    for time in STEPS {
        let mut character = Character::new(&CharacterOptions::default(), course.start).unwrap();
        let walk = nalgebra::Vector3::new(2.0, 1.0, 0.0);
        for _ in 0..(2.0 / time) as usize {
            character.step(&bodies, &Intent { walk, jump: 0.0 }, time);
        }
        for _ in 0..(2.0 / time) as usize {
            let before = character.feet();
            character.step(&bodies, &Intent { walk, jump: 0.0 }, time);
            let moved = character.feet() - before;
            assert!((moved.x - walk.x * time).abs() < 1e-6, "{moved}");
            assert!(moved.y.abs() < 1e-6 && moved.z.abs() < 1e-6, "{moved}");
        }
    }
}
