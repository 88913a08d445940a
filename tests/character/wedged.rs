//! Gaps, grooves and funnels that are narrower than the character: it stands in them, moves along them and jumps out.

use std::sync::Arc;

use bvtree::character::{CharacterOptions, Intent};
use bvtree::{BvTree, Pose};
use nalgebra::{Point3, Rotation3, Vector3};

use super::among::{Body, Character};
use super::moving::cuboid;
use super::situations::{WIDE, level_quad, tree};

const STEP: f64 = 1.0 / 60.0;

fn step(character: &mut Character, bodies: &[Body], walk: [f64; 3], jump: f64) {
    character.step(bodies, &Intent { walk: Vector3::from(walk), jump }, STEP);
}

/// Whether it hangs: neither ground nor a change of its position in a second.
fn hangs(character: &mut Character, bodies: &[Body]) -> bool {
    let before = character.feet();
    for _ in 0..60 {
        step(character, bodies, [0.0; 3], 0.0);
        if character.ground().is_some() {
            return false;
        }
    }
    (character.feet() - before).norm() < 1e-3
}

/// Rests, and moves along the free direction, out of what it rests in.
fn is_awake(character: &mut Character, bodies: &[Body], free: Vector3<f64>) {
    for _ in 0..120 {
        step(character, bodies, [0.0; 3], 0.0);
    }
    assert!(character.ground().is_some(), "no ground at {}", character.feet());
    let before = character.feet();
    if free != Vector3::zeros() {
        for _ in 0..30 {
            step(character, bodies, free.into(), 0.0);
        }
        let moved = (character.feet() - before).dot(&free);
        assert!(moved > 0.3, "moved {moved} along {free} from {before}");
    }
    let before = character.feet();
    step(character, bodies, [0.0; 3], 4.0);
    assert!(character.feet().z > before.z + 0.02, "no jump at {before}");
}

/// Two tables, also turned, so that their sides are parallel only up to rounding.
#[test]
fn a_jump_along_a_gap_between_tables() {
    let floor = tree(&[level_quad([-20.0, 20.0], [-20.0, 20.0], 0.0)]);
    let table = cuboid([2.0, 4.0, 0.6]);
    for angle in [0.0, 0.3, 1.234_567] {
        let turn = Rotation3::from_axis_angle(&Vector3::z_axis(), angle);
        let place = |x: f64| Pose::new(turn.into_inner(), turn * Vector3::new(x, 0.0, 0.3)).unwrap();
        for gap in [0.1, 0.4, 0.58, 0.599, 0.6, 0.605, 0.61, 0.62] {
            let aside = 1.0 + 0.5 * gap;
            let bodies =
                [Body::fixed(&floor), Body::placed(&table, &place(aside)), Body::placed(&table, &place(-aside))];
            for (i, speed) in [0.5, 1.0, 2.0, 4.0, 8.0].into_iter().enumerate() {
                for x in [-0.2, -0.05, 0.0, 1e-9, 0.03, 0.15] {
                    let start = turn * Point3::new(x, -3.0 - 0.1 * i as f64, 0.01);
                    let mut character = Character::new(&CharacterOptions::default(), start).unwrap();
                    step(&mut character, &bodies, [0.0; 3], 0.0);
                    let along = turn * Vector3::new(0.0, speed, 0.0);
                    for k in 0..150 {
                        step(&mut character, &bodies, along.into(), if k % 45 == 20 { 4.5 } else { 0.0 });
                    }
                    assert!(!hangs(&mut character, &bodies), "{gap} {speed} {x}: {}", character.feet());
                    for free in [1.0, -1.0] {
                        let along = turn * Vector3::new(0.0, free, 0.0);
                        let before = character.feet();
                        for _ in 0..60 {
                            step(&mut character, &bodies, along.into(), 0.0);
                        }
                        let moved = (character.feet() - before).dot(&along);
                        let local = turn.inverse() * before;
                        let mouth = local.y.abs() < 2.4 || local.y * free > 0.0;
                        assert!(moved > 0.5 || !mouth || local.z < 0.3, "{gap} {speed} {x}: {moved} from {local}");
                    }
                }
            }
        }
    }
}

/// A groove of two slopes of 50 degrees, level or sloping along its crease.
#[test]
fn a_groove_is_walked_along() {
    for turn in [0.0, 0.4] {
        for fall in [0.0, 0.3] {
            let turn = Rotation3::from_axis_angle(&Vector3::z_axis(), turn);
            let at = |x: f64, y: f64| {
                let point = turn * Point3::new(x, y, 1.19 * x.abs() - fall * y);
                [point.x, point.y, point.z]
            };
            let side = |x: f64| [at(0.0, -5.0), at(0.0, 5.0), at(x, 5.0), at(x, -5.0)];
            let groove = tree(&[side(3.0), side(-3.0)]);
            let bodies = [Body::fixed(&groove)];
            for (x, y) in [(0.0, 0.0), (0.5, 0.1), (-0.8, -0.3)] {
                let start = turn * Point3::new(x, y, 2.5);
                let mut character = Character::new(&CharacterOptions::default(), start).unwrap();
                is_awake(&mut character, &bodies, turn * Vector3::y());
            }
        }
    }
}

/// Funnels of two to six slopes of 50 degrees.
#[test]
fn a_funnel_holds_nobody_asleep() {
    for sides in 2..=6 {
        for turn in [0.0, 0.123, 1.0] {
            let corner = |i: usize, radius: f64| {
                let angle = turn + i as f64 * std::f64::consts::TAU / f64::from(sides);
                [radius * angle.cos(), radius * angle.sin(), 1.19 * radius]
            };
            let count = sides as usize;
            let funnel: Arc<BvTree> = if sides == 2 {
                tree(&[
                    [[0.0, -5.0, 0.0], [0.0, 5.0, 0.0], [3.0, 5.0, 3.6], [3.0, -5.0, 3.6]],
                    [[0.0, -5.0, 0.0], [0.0, 5.0, 0.0], [-3.0, 5.0, 3.6], [-3.0, -5.0, 3.6]],
                ])
            } else {
                let steep = 1.0 / (std::f64::consts::PI / f64::from(sides)).cos();
                let side = |i: usize| {
                    let [a, b] = [corner(i, 3.0 * steep), corner(i + 1, 3.0 * steep)];
                    let lower = |p: [f64; 3]| [p[0], p[1], p[2] / steep];
                    [[0.0; 3], lower(a), lower(b), [0.0; 3]]
                };
                tree(&(0..count).map(side).collect::<Vec<_>>())
            };
            let bodies = [Body::fixed(&funnel)];
            for (x, y) in [(0.0, 0.0), (0.3, 0.2), (-0.5, 0.1)] {
                let mut character = Character::new(&CharacterOptions::default(), Point3::new(x, y, 3.0)).unwrap();
                is_awake(&mut character, &bodies, Vector3::zeros());
                // It stays in the funnel however it walks and jumps.
                for i in 0..120 {
                    let walk = [f64::from(i % 7) - 3.0, f64::from(i % 5) - 2.0, 0.0];
                    step(&mut character, &bodies, walk, if i % 30 == 0 { 3.0 } else { 0.0 });
                    let feet = character.feet();
                    assert!(feet.z > 0.0, "{feet}");
                }
            }
        }
    }
}

/// A steep slope against a wall: between them the character stands, walks along and jumps.
#[test]
fn between_a_slope_and_a_wall() {
    let corner = tree(&[
        [[0.0, -5.0, 0.0], [0.0, 5.0, 0.0], [3.0, 5.0, 3.6], [3.0, -5.0, 3.6]],
        [[0.0, -5.0, 0.0], [0.0, 5.0, 0.0], [0.0, 5.0, 5.0], [0.0, -5.0, 5.0]],
    ]);
    let bodies = [Body::fixed(&corner)];
    let mut character = Character::new(&CharacterOptions::default(), Point3::new(1.0, 0.0, 2.5)).unwrap();
    is_awake(&mut character, &bodies, Vector3::y());
}

/// A single slope of 50 degrees is no ground, also with a wall along it, and nobody stands still on it.
#[test]
fn a_slope_alone_carries_nobody() {
    let slope = tree(&[
        [[-30.0, -5.0, 36.0], [0.0, -5.0, 0.0], [0.0, 5.0, 0.0], [-30.0, 5.0, 36.0]],
        [[-30.0, 1.0, 40.0], [0.0, 1.0, 0.0], [0.0, 1.0, 5.0], [-30.0, 1.0, 45.0]],
        level_quad([0.0, 5.0], WIDE, 0.0),
    ]);
    let bodies = [Body::fixed(&slope)];
    for walk in [[0.0; 3], [0.0, 3.0, 0.0], [-3.0, 0.0, 0.0], [-2.0, 2.0, 0.0]] {
        let mut character = Character::new(&CharacterOptions::default(), Point3::new(-12.0, 0.0, 15.0)).unwrap();
        let mut seconds = 0.0;
        while character.feet().z > 0.2 {
            step(&mut character, &bodies, walk, 0.0);
            assert!(character.ground().is_none() || character.feet().z < 0.35, "{}", character.feet());
            seconds += STEP;
            assert!(seconds < 10.0, "{}", character.feet());
        }
    }
}
