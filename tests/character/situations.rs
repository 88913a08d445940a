//! One thing at a time: falls, jumps, steps at their limit, corners, and odd input.

use std::sync::Arc;

use bvtree::character::{CharacterError, CharacterOptions, Intent};
use bvtree::{BuildOptions, BvTree, Pose, Probe};
use nalgebra::{Matrix3, Point3, Vector3};

use super::among::{Body, Character};
use super::level::{mesh, quad};

pub fn tree(quads: &[[[f64; 3]; 4]]) -> Arc<BvTree> {
    let triangles: Vec<_> = quads.iter().flat_map(|corners| quad(corners.map(Point3::from), 1.0)).collect();
    Arc::new(BvTree::build(&mesh(&triangles), &BuildOptions::default()).unwrap())
}

pub fn level_quad(x: [f64; 2], y: [f64; 2], z: f64) -> [[f64; 3]; 4] {
    [[x[0], y[0], z], [x[1], y[0], z], [x[1], y[1], z], [x[0], y[1], z]]
}

pub fn wall_quad(x: f64, y: [f64; 2], z: [f64; 2]) -> [[f64; 3]; 4] {
    [[x, y[0], z[0]], [x, y[1], z[0]], [x, y[1], z[1]], [x, y[0], z[1]]]
}

pub fn standing(bodies: &[Body], feet: [f64; 3]) -> Character {
    let mut character = Character::new(&CharacterOptions::default(), Point3::from(feet)).unwrap();
    for _ in 0..200 {
        character.step(bodies, &Intent::default(), 1.0 / 60.0);
    }
    assert!(character.ground().is_some(), "{}", character.feet());
    character
}

pub const WIDE: [f64; 2] = [-5.0, 5.0];

#[test]
fn falls_are_exact_for_any_time_step() {
    let floor = tree(&[level_quad(WIDE, WIDE, 0.0)]);
    for time in [1.0 / 240.0, 1.0 / 60.0, 0.1, 1.0] {
        let mut character = Character::new(&CharacterOptions::default(), Point3::new(0.0, 0.0, 100.0)).unwrap();
        for _ in 0..(2.0 / time) as usize {
            character.step(&[Body::fixed(&floor)], &Intent::default(), time);
        }
        let expected = 100.0 - 0.5 * 9.81 * 4.0;
        assert!((character.feet().z - expected).abs() < 1e-9, "{} for {expected}", character.feet().z);
        assert!((character.velocity().z + 2.0 * 9.81).abs() < 1e-9);
    }
}

#[test]
fn nobody_falls_through_a_thin_floor_at_any_speed() {
    let floor = tree(&[level_quad(WIDE, WIDE, 0.0)]);
    for time in [1e-3_f64, 0.2, 10.0, 1e3] {
        let mut character = Character::new(&CharacterOptions::default(), Point3::new(0.1, 0.2, 4000.0)).unwrap();
        for _ in 0..(40.0 / time).ceil() as usize {
            character.step(&[Body::fixed(&floor)], &Intent::default(), time);
        }
        let gap = character.feet().z;
        assert!((0.005..0.015).contains(&gap) && character.ground().is_some(), "{gap} by {time}");
    }
}

#[test]
fn a_jump_is_as_high_as_it_should_be() {
    let floor = tree(&[level_quad(WIDE, WIDE, 0.0)]);
    let bodies = [Body::fixed(&floor)];
    let mut character = standing(&bodies, [0.0, 0.0, 0.1]);
    let (start, mut highest) = (character.feet().z, 0.0_f64);
    let mut intent = Intent { walk: Vector3::zeros(), jump: 5.0 };
    for _ in 0..2400 {
        character.step(&bodies, &intent, 1.0 / 2400.0);
        intent.jump = 0.0;
        highest = highest.max(character.feet().z - start);
    }
    assert!((highest - 25.0 / (2.0 * 9.81)).abs() < 1e-4, "{highest}");
}

#[test]
fn a_low_ceiling_ends_a_jump() {
    let room = tree(&[level_quad(WIDE, WIDE, 0.0), level_quad(WIDE, WIDE, 2.0)]);
    let bodies = [Body::fixed(&room)];
    for time in [1.0 / 240.0, 0.2] {
        let mut character = standing(&bodies, [0.0, 0.0, 0.05]);
        character.step(&bodies, &Intent { walk: Vector3::zeros(), jump: 9.0 }, time);
        let mut highest = character.feet().z;
        for _ in 0..(1.0 / time) as usize {
            character.step(&bodies, &Intent::default(), time);
            highest = highest.max(character.feet().z);
        }
        assert!(highest < 0.2, "{highest}");
        // Down again sooner than without the ceiling.
        assert!(character.ground().is_some() && character.feet().z < 0.02);
    }
}

#[test]
fn steps_are_climbed_up_to_the_limit_and_no_higher() {
    for (rise, climbs) in
        [(0.05, true), (0.2, true), (0.299, true), (0.3, true), (0.302, false), (0.31, false), (0.5, false)]
    {
        let stairs = tree(&[
            level_quad([-5.0, 1.0], WIDE, 0.0),
            wall_quad(1.0, WIDE, [0.0, rise]),
            level_quad([1.0, 9.0], WIDE, rise),
        ]);
        let bodies = [Body::fixed(&stairs)];
        for (speed, time) in [(0.1, 1.0 / 240.0), (1.0, 1.0 / 60.0), (5.0, 0.2), (1.0, 1.0 / 240.0)] {
            let mut character = standing(&bodies, [0.0, 0.0, 0.05]);
            for _ in 0..(3.0 / (speed * time)) as usize {
                character.step(&bodies, &Intent { walk: Vector3::new(speed, 0.0, 0.0), jump: 0.0 }, time);
            }
            let feet = character.feet();
            if climbs {
                assert!((feet.z - rise - 0.01).abs() < 0.005 && feet.x > 2.9, "{rise} at {speed}: {feet}");
            } else {
                assert!(feet.z < 0.02 && feet.x < 0.8, "{rise} at {speed}: {feet}");
            }
        }
    }
}

/// A step that leads to a steep slope is none.
#[test]
fn nobody_steps_onto_a_steep_slope() {
    let slope = tree(&[
        level_quad([-5.0, 1.0], WIDE, 0.0),
        wall_quad(1.0, WIDE, [0.0, 0.2]),
        [[1.0, -5.0, 0.2], [3.0, -5.0, 4.2], [3.0, 5.0, 4.2], [1.0, 5.0, 0.2]],
    ]);
    let bodies = [Body::fixed(&slope)];
    for time in [1.0 / 240.0, 1.0 / 60.0, 0.2] {
        let mut character = standing(&bodies, [0.0, 0.0, 0.05]);
        for _ in 0..(4.0 / time) as usize {
            character.step(&bodies, &Intent { walk: Vector3::new(2.0, 0.5, 0.0), jump: 0.0 }, time);
            assert!(character.feet().z < 0.05, "{}", character.feet());
        }
    }
}

/// Walking off a step or over the top of a ramp, nobody is thrown up.
#[test]
fn nobody_is_launched() {
    let top = tree(&[
        level_quad([-5.0, 0.0], WIDE, 0.0),
        [[0.0, -5.0, 0.0], [3.0, -5.0, 2.7], [3.0, 5.0, 2.7], [0.0, 5.0, 0.0]],
        level_quad([3.0, 9.0], WIDE, 2.7),
        wall_quad(9.0, WIDE, [0.0, 2.7]),
        level_quad([9.0, 90.0], WIDE, 0.0),
    ]);
    let bodies = [Body::fixed(&top)];
    for (speed, time) in [(1.0, 1.0 / 60.0), (10.0, 1.0 / 240.0), (10.0, 0.2), (40.0, 1.0 / 60.0)] {
        let mut character = standing(&bodies, [-2.0, 0.0, 0.05]);
        for _ in 0..(20.0 / (speed * time)) as usize {
            character.step(&bodies, &Intent { walk: Vector3::new(speed, 0.0, 0.0), jump: 0.0 }, time);
            assert!(character.feet().z < 2.7 + 0.05, "{} at {speed}", character.feet());
        }
        assert!(character.feet().x > 9.0);
    }
}

/// In a corner of any angle the character comes to rest, and gets out again.
#[test]
fn corners_neither_shake_nor_hold() {
    for angle in [0.02_f64, 0.1, 0.35, 0.7, 1.0] {
        let (sin, cos) = (angle / 2.0).sin_cos();
        let side = |s: f64| {
            [
                [0.0, 0.0, 0.0],
                [-200.0 * cos, s * 200.0 * sin, 0.0],
                [-200.0 * cos, s * 200.0 * sin, 3.0],
                [0.0, 0.0, 3.0],
            ]
        };
        let corner = tree(&[side(1.0), side(-1.0), level_quad([-200.0, 1.0], [-3.0, 3.0], 0.0)]);
        let bodies = [Body::fixed(&corner)];
        let start = -1.0 - 0.4 / sin;
        for walk in [[3.0, 0.0, 0.0], [3.0, 0.4, 0.0], [3.0, -2.0, 0.0]] {
            let mut character = standing(&bodies, [start, 0.0, 0.05]);
            for _ in 0..120 {
                character.step(&bodies, &Intent { walk: Vector3::from(walk), jump: 0.0 }, 1.0 / 30.0);
            }
            let at = character.feet();
            for _ in 0..60 {
                character.step(&bodies, &Intent { walk: Vector3::from(walk), jump: 0.0 }, 1.0 / 30.0);
                let moved = (character.feet() - at).norm();
                assert!(moved < 1e-3, "shakes by {moved} at {angle}");
            }
            assert!(Probe::new().closest_capsule_contact(&corner, &character.capsule(), 1.0).unwrap().distance > 0.0);
            let at = character.feet();
            for _ in 0..30 {
                character.step(&bodies, &Intent { walk: Vector3::new(-1.0, 0.0, 0.0), jump: 0.0 }, 1.0 / 30.0);
            }
            assert!((at.x - character.feet().x - 1.0).abs() < 0.05, "held at {angle}: {} to {}", at, character.feet());
        }
    }
}

/// On a world that is turned anyhow the walk is the same but for rounding.
#[test]
fn any_way_may_be_up() {
    let stairs = tree(&[
        level_quad([-5.0, 1.0], WIDE, 0.0),
        wall_quad(1.0, WIDE, [0.0, 0.25]),
        level_quad([1.0, 9.0], WIDE, 0.25),
    ]);
    let turn = nalgebra::Rotation3::from_euler_angles(0.3, 1.1, -2.0);
    let pose = Pose::new(turn.into_inner(), Vector3::new(3.0, -50.0, 7.0)).unwrap();
    let place = |point: Point3<f64>| turn * point + Vector3::new(3.0, -50.0, 7.0);
    let straight = [Body::fixed(&stairs)];
    let turned = [Body::placed(&stairs, &pose)];
    let up = nalgebra::Unit::new_normalize(turn * Vector3::z());
    let options = CharacterOptions::default();
    let start = Point3::new(0.0, 0.0, 0.5);
    let mut here = Character::new(&options, start).unwrap();
    let mut there = Character::new(&CharacterOptions { up, ..options }, place(start)).unwrap();
    for i in 0..200 {
        let walk = Vector3::new(1.0, 0.1 * f64::from(i % 7), 0.0);
        here.step(&straight, &Intent { walk, jump: 0.0 }, 1.0 / 60.0);
        there.step(&turned, &Intent { walk: turn * walk, jump: 0.0 }, 1.0 / 60.0);
        assert!((place(here.feet()) - there.feet()).norm() < 1e-6, "{i}");
    }
    assert!(here.feet().x > 2.0 && here.feet().z > 0.25);
}

#[test]
fn out_of_what_one_is_put_into() {
    let floor = tree(&[level_quad(WIDE, WIDE, 0.0), wall_quad(1.0, WIDE, [0.0, 3.0])]);
    let bodies = [Body::fixed(&floor)];
    let mut character = Character::new(&CharacterOptions::default(), Point3::new(0.9, 0.0, -0.05)).unwrap();
    for _ in 0..60 {
        character.step(&bodies, &Intent::default(), 1.0 / 60.0);
    }
    let contact = Probe::new().closest_capsule_contact(&floor, &character.capsule(), 1.0).unwrap();
    assert!(contact.distance > 0.0 && character.ground().is_some(), "{} {contact:?}", character.feet());
}

#[test]
fn odd_input_is_refused_or_harmless() {
    let options = CharacterOptions::default();
    let fails = |options: CharacterOptions, expected: &str| match Character::new(&options, Point3::origin()) {
        Err(CharacterError::OutOfRange { name, .. }) => assert_eq!(name, expected),
        other => panic!("{expected}: {other:?}"),
    };
    for odd in [-1.0, f64::NAN, f64::INFINITY] {
        fails(CharacterOptions { radius: odd, ..options }, "radius");
        fails(CharacterOptions { height: odd, ..options }, "height");
        fails(CharacterOptions { skin: odd, ..options }, "skin");
        fails(CharacterOptions { max_step: odd, ..options }, "max_step");
        fails(CharacterOptions { max_slope: odd, ..options }, "max_slope");
        fails(CharacterOptions { snap_distance: odd, ..options }, "snap_distance");
        fails(CharacterOptions { perch_radius_threshold: odd, ..options }, "perch_radius_threshold");
        fails(CharacterOptions { camera_half_life: odd, ..options }, "camera_half_life");
        fails(CharacterOptions { gravity: odd, ..options }, "gravity");
        fails(CharacterOptions { air_acceleration: odd, ..options }, "air_acceleration");
        fails(CharacterOptions { max_substep: odd, ..options }, "max_substep");
        assert_eq!(
            Character::new(&options, Point3::new(odd, 0.0, 0.0)).err(),
            (!odd.is_finite()).then_some(CharacterError::PositionNotFinite)
        );
    }
    fails(CharacterOptions { skin: 0.0, ..options }, "skin");
    fails(CharacterOptions { skin: 0.3, ..options }, "skin");
    fails(CharacterOptions { height: 0.5, ..options }, "height");

    let floor = tree(&[level_quad(WIDE, WIDE, 0.0)]);
    let far = Pose::new(Matrix3::identity(), Vector3::new(1e9, 0.0, 0.0)).unwrap();
    for bodies in [vec![], vec![Body::fixed(&floor)], vec![Body::moving(&floor, &Pose::identity(), &far)]] {
        for odd in [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e300, 1e308, 1e-300] {
            let mut character = Character::new(&options, Point3::new(0.0, 0.0, 1.0)).unwrap();
            for (walk, jump, time) in [(odd, 0.0, 0.1), (1.0, odd, 0.1), (1.0, 1.0, odd), (odd, odd, odd)] {
                let walk = Vector3::new(walk, 0.0, walk);
                character.step(&bodies, &Intent { walk, jump }, time);
                character.step(&bodies, &Intent::default(), 0.1);
                assert!(character.velocity().iter().all(|x| x.is_finite()), "{}", character.velocity());
            }
            assert!(!character.feet().x.is_nan());
        }
    }
}
