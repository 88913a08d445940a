//! A walk that `web/test/character.test.mjs` repeats in JavaScript: it ends in the same bits.

use std::sync::Arc;

use bvtree::character::{Character, CharacterOptions, Intent, Surroundings};
use bvtree::scene::{Body, Scene};
use bvtree::shape::ConvexShape;
use bvtree::{BuildOptions, BvTree, Motion, Pose};
use nalgebra::{Point3, Vector3};

use crate::solids::cuboid;

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vector3::new(x, y, z)).unwrap()
}

#[test]
fn a_walk_up_stairs_and_on_a_lift_ends_where_it_does_in_javascript() {
    let cube = Arc::new(BvTree::build(&cuboid([1.0; 3]), &BuildOptions::default()).unwrap());
    let floor = ConvexShape::cuboid(Vector3::new(9.0, 9.0, 0.5)).unwrap();
    let mut scene = Scene::new();
    scene.add(Body::fixed(floor, at(0.0, 0.0, -0.5))).unwrap();
    for i in 0..3 {
        let i = f64::from(i);
        scene.add(Body::fixed(cube.clone(), at(2.0 + i, 0.0, 0.25 * i - 0.25))).unwrap();
    }
    let lift = scene.add(Body::moving(cube, at(5.0, 0.0, 0.25))).unwrap();
    let mut character = Character::new(&CharacterOptions::default(), Point3::new(0.0, 0.1, 0.5)).unwrap();
    let mut path = Vec::new();
    for step in 0..180 {
        let walk = if step < 150 { Vector3::new(2.0, 0.05, 0.0) } else { Vector3::zeros() };
        let intent = Intent { walk, jump: if step == 30 { 3.0 } else { 0.0 } };
        let rise = |step: i32| at(5.0, 0.0, 0.25 + 0.005 * f64::from((step - 120).max(0)));
        let motions = [(lift, Motion::new(rise(step), rise(step + 1)))];
        let surroundings = Surroundings { motions: &motions, ..Surroundings::new(&scene) };
        character.step(&surroundings, &intent, 1.0 / 60.0).unwrap();
        if step % 60 == 59 {
            path.push(<[f64; 3]>::from(character.feet()));
        }
    }
    let expected = [
        [1.815367483318907, 0.14538418708297254, 0.2837500000001434],
        [3.805942543090007, 0.1951485635772498, 0.7600000000000223],
        [4.805942543090004, 0.22014856357724955, 1.0600000000000207],
    ];
    assert_eq!(path, expected);
    assert_eq!(character.ground().map(|ground| ground.body), Some(lift));
}
