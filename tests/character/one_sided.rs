//! Surfaces that are passed from behind.

use std::sync::Arc;

use bvtree::character::{CharacterError, CharacterOptions, Intent, Surroundings};
use bvtree::scene::{BodyId, Scene, SceneError};
use bvtree::tree::Layers;
use bvtree::{BuildOptions, BvTree};
use nalgebra::{Point3, Vector3};

use super::among::{Body, Character};
use super::moving::at;
use super::situations::{WIDE, level_quad, standing, tree, wall_quad};
use crate::solids::cuboid;

const STEPS: [f64; 4] = [1.0 / 240.0, 1.0 / 60.0, 1.0 / 20.0, 0.1];

fn intent(x: f64, jump: f64) -> Intent {
    Intent { walk: Vector3::new(x, 0.0, 0.0), jump }
}

/// A jump from the floor through a platform ends on it; the platform is passed neither downward nor, by turning it
/// over, upward.
#[test]
fn a_jump_through_a_platform_ends_on_it() {
    let floor = tree(&[level_quad(WIDE, WIDE, 0.0)]);
    let upward = level_quad([-1.0, 1.0], WIDE, 2.2);
    let platform = Body::fixed(&tree(&[upward]));
    let downward = Body::fixed(&tree(&[[upward[3], upward[2], upward[1], upward[0]]]));
    for step in STEPS {
        let end = |platform: Body, feet: [f64; 3]| {
            let bodies = [Body::fixed(&floor), platform];
            let mut character = standing(&bodies[..1], [0.0, 0.0, 0.05]);
            if feet[2] > 0.0 {
                character.teleport(Point3::from(feet)).unwrap();
            }
            for i in 0..(3.0 / step) as usize {
                let jump = if i == 0 { 7.5 } else { 0.0 };
                let outcome = character.step(&bodies, &intent(0.0, jump), step);
                assert!(outcome.overlap.is_none() && character.feet().z < 3.2, "{outcome:?} at {}", character.feet());
            }
            assert!(character.ground().is_some(), "{}", character.feet());
            character.feet().z
        };
        let near = |z: f64, expected: f64| assert!((z - expected).abs() < 0.011, "{z} for {expected} by {step}");
        near(end(platform.clone().one_sided(), [0.0; 3]), 2.21);
        near(end(platform.clone().one_sided(), [0.0, 0.0, 3.0]), 2.21);
        near(end(platform.clone(), [0.0; 3]), 0.01);
        near(end(downward.clone().one_sided(), [0.0; 3]), 0.01);
        near(end(downward.clone().one_sided(), [0.0, 0.0, 3.0]), 0.01);
    }
}

/// A wall that faces +x stops who comes from there, and lets others through, at any speed.
#[test]
fn a_wall_is_passed_one_way() {
    let room = tree(&[level_quad([-9.0, 9.0], WIDE, 0.0)]);
    let bodies = [Body::fixed(&room), Body::fixed(&tree(&[wall_quad(0.0, WIDE, [0.0, 3.0])])).one_sided()];
    for step in STEPS {
        for speed in [0.3, 2.0, 20.0] {
            let mut character = standing(&bodies, [-1.0, 0.0, 0.05]);
            while character.feet().x < 1.0 {
                let before = character.feet().x;
                assert!(!character.step(&bodies, &intent(speed, 0.0), step).is_blocked);
                // Where it has all but passed, the wall's skin pushes it on.
                let ahead = character.feet().x - before - speed * step;
                assert!((-1e-9..0.045).contains(&ahead), "{} by {ahead}", character.feet());
            }
            for _ in 0..(9.0 / (speed * step)) as usize {
                character.step(&bodies, &intent(-speed, 0.0), step);
            }
            assert!((character.feet().x - 0.31).abs() < 0.006, "{} at {speed} by {step}", character.feet());
        }
    }
}

/// A one-sided lift lifts a character above it, and passes through one that it would hit from below.
#[test]
fn a_one_sided_lift_lifts_those_above() {
    let floor = tree(&[level_quad(WIDE, WIDE, 0.0)]);
    let lid = tree(&[level_quad([-1.0, 1.0], [-1.0, 1.0], 0.0)]);
    let lift = |from: f64, to: f64| Body::moving(&lid, &at(0.0, 0.0, from), &at(0.0, 0.0, to)).one_sided();
    let mut character = standing(&[Body::fixed(&floor)], [0.0, 0.0, 0.05]);
    let height = |i: i32| -0.5 + 0.02 * f64::from(i);
    for i in 0..150 {
        // It starts under the feet.
        let bodies = [Body::fixed(&floor), lift(height(i), height(i + 1))];
        let outcome = character.step(&bodies, &intent(0.0, 0.0), 1.0 / 60.0);
        assert!(!outcome.is_crushed, "{}", character.feet());
    }
    assert!((character.feet().z - height(150) - 0.01).abs() < 0.006, "{}", character.feet());
    // It starts at the middle of the body.
    let mut character = standing(&[Body::fixed(&floor)], [0.0, 0.0, 0.05]);
    for i in 0..100 {
        let bodies = [Body::fixed(&floor), lift(1.0 + 0.02 * f64::from(i), 1.02 + 0.02 * f64::from(i))];
        let outcome = character.step(&bodies, &intent(0.0, 0.0), 1.0 / 60.0);
        assert!(outcome.overlap.is_none() && character.feet().z < 0.02, "{}", character.feet());
    }
}

#[test]
fn closed_meshes_are_as_without_and_unknown_bodies_are_refused() {
    let crate_ = Arc::new(BvTree::build(&cuboid([2.0, 2.0, 1.0]), &BuildOptions::default()).unwrap());
    let ends = [Body::fixed(&crate_), Body::fixed(&crate_).one_sided()].map(|body| {
        let bodies = [body];
        let mut character = standing(&bodies, [0.0, 0.0, 1.0]);
        for _ in 0..200 {
            character.step(&bodies, &intent(1.0, 0.0), 1.0 / 60.0);
        }
        character.feet()
    });
    assert_eq!(ends[0], ends[1]);
    let scene = Scene::new();
    let missing = [BodyId::from_bits(7)];
    let mut character = Character::new(&CharacterOptions::default(), Point3::origin()).unwrap();
    let surroundings = Surroundings { one_sided: &missing, ..Surroundings::new(&scene) };
    let expected = Err(CharacterError::Scene(SceneError::NoSuchBody(missing[0])));
    assert_eq!(std::ops::DerefMut::deref_mut(&mut character).step(&surroundings, &intent(0.0, 0.0), 0.1), expected);
}

/// In one mesh, only the platform is one-sided, and the character walks through glass.
#[test]
fn triangles_of_one_mesh_differ() {
    const GLASS: u32 = 2;
    let quads = [level_quad(WIDE, WIDE, 0.0), level_quad([-1.0, 1.0], WIDE, 2.2), wall_quad(2.0, WIDE, [0.0, 3.0])];
    let level = tree(&quads);
    level
        .set_layers(|face| {
            let vertices = level.triangle(face).unwrap().vertices;
            let all = |k: usize, at: f64| vertices.iter().all(|vertex| (vertex[k] - at).abs() < 1e-6);
            let (is_one_sided, is_glass) = (all(2, 2.2_f32.into()), all(0, 2.0));
            Layers { bits: if is_glass { GLASS } else { u32::MAX }, is_one_sided }
        })
        .unwrap();
    let mut scene = Scene::new();
    scene.add(bvtree::scene::Body::fixed(level, bvtree::Pose::identity())).unwrap();
    for (mask, jump, expected) in
        [(u32::MAX, 7.5, [0.0, 2.21]), (!GLASS, 0.0, [4.0, 0.01]), (u32::MAX, 0.0, [1.69, 0.01])]
    {
        let surroundings = Surroundings { mask, ..Surroundings::new(&scene) };
        let feet = Point3::new(0.0, 0.0, 0.01);
        let mut character = bvtree::Character::new(&CharacterOptions::default(), feet).unwrap();
        for i in 0..200 {
            let walk = if jump == 0.0 && i < 120 { 2.0 } else { 0.0 };
            let intent = intent(walk, if i == 10 { jump } else { 0.0 });
            character.step(&surroundings, &intent, 1.0 / 60.0).unwrap();
        }
        let [x, z] = [character.feet().x, character.feet().z];
        assert!((x - expected[0]).abs() < 0.05 && (z - expected[1]).abs() < 0.011, "{x} {z} for {expected:?}");
    }
}
