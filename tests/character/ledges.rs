//! How much of the foot must stand on a ledge.

use std::sync::Arc;

use bvtree::character::{CharacterError, CharacterOptions, Intent};
use bvtree::{BuildOptions, BvTree, Probe};
use nalgebra::{Point3, Vector3};

use super::among::{Body, Character};
use super::level::Level;
use super::random::Random;
use super::situations::{WIDE, level_quad, tree, wall_quad};

const STEP: f64 = 1.0 / 60.0;
const IDLE: Intent = Intent { walk: Vector3::new(0.0, 0.0, 0.0), jump: 0.0 };

fn walk(x: f64) -> Intent {
    Intent { walk: Vector3::new(x, 0.0, 0.0), jump: 0.0 }
}

fn options(perch_radius_threshold: f64) -> CharacterOptions {
    CharacterOptions { perch_radius_threshold, ..CharacterOptions::default() }
}

/// A character placed just above `feet`, after a step.
fn placed(bodies: &[Body], options: &CharacterOptions, feet: [f64; 3]) -> Character {
    let mut character = Character::new(options, Point3::from(feet)).unwrap();
    character.step(bodies, &IDLE, STEP);
    character
}

/// Where the feet of a capsule are that stands on a ledge of height `z` whose edge is `out` behind its axis.
fn on_edge(z: f64, out: f64) -> f64 {
    z - 0.3 + (0.31_f64.powi(2) - out.max(0.0).powi(2)).sqrt() + 1e-4
}

#[test]
fn a_ledge_holds_a_foot_of_which_enough_is_on_it() {
    // A table 2 high, with its edge at 0, over a floor.
    let table =
        tree(&[level_quad(WIDE, WIDE, 0.0), level_quad([-9.0, 0.0], WIDE, 2.0), wall_quad(0.0, WIDE, [0.0, 2.0])]);
    let bodies = [Body::fixed(&table)];
    for threshold in [0.0, 0.05, 0.1, 0.2, 0.29] {
        for out in (0..30).map(|i| 0.01 * f64::from(i) + 0.005) {
            let feet = [out, 0.0, on_edge(2.0, out)];
            let mut character = placed(&bodies, &options(threshold), feet);
            for _ in 0..120 {
                character.step(&bodies, &IDLE, STEP);
            }
            // The foot's top that is on the table is cut off by the skin.
            let stands = threshold == 0.0 || out < 0.3 - threshold;
            let told = format!("{out} out with {threshold}: {}", character.feet());
            assert_eq!(character.feet().z > 1.5, stands, "{told}");
            assert!(character.ground().is_some(), "{told}");
            if stands {
                assert!((character.feet().x - out).abs() < 1e-3, "{told}");
            }
        }
        // Off the ledge, at a walk.
        let mut character = placed(&bodies, &options(threshold), [-1.0, 0.0, 2.01]);
        while character.ground().is_some() && character.feet().x < 1.0 {
            character.step(&bodies, &walk(0.3), STEP);
        }
        let least = if threshold == 0.0 { 0.28 } else { 0.3 - threshold };
        let left = character.feet().x;
        assert!(left >= least - 0.001 && left < least + 0.035, "left at {left} with {threshold}");
    }
}

/// A flight of stairs that begins at 0.
fn stairs(tread: f64, rise: f64) -> Body {
    let mut quads = vec![level_quad(WIDE, WIDE, 0.0)];
    for i in 0..8 {
        let (x, z) = (tread * f64::from(i), rise * f64::from(i));
        let end = if i == 7 { x + 9.0 } else { x + tread };
        quads.extend([wall_quad(x, WIDE, [z, z + rise]), level_quad([x, end], WIDE, z + rise)]);
    }
    Body::fixed(&tree(&quads))
}

/// Treads as wide as the threshold are climbed, and narrower ones not: a character before them stays on the floor.
#[test]
fn treads_are_climbed_that_are_wide_enough() {
    for (rise, tread, threshold, climbs) in [
        (0.28, 0.05, 0.1, false),
        (0.2, 0.08, 0.1, false),
        (0.2, 0.13, 0.1, true),
        (0.28, 0.17, 0.2, false),
        (0.28, 0.23, 0.2, true),
        (0.28, 0.3, 0.1, true),
        (0.15, 0.3, 0.2, true),
    ] {
        let bodies = [stairs(tread, rise)];
        for (speed, time) in [(0.5, STEP), (2.0, STEP), (4.0, 1.0 / 240.0), (4.0, 0.1)] {
            let mut character = placed(&bodies, &options(threshold), [-1.0, 0.0, 0.02]);
            for _ in 0..((1.5 + 8.0 * tread + 4.0 * speed) / (speed * time)) as usize {
                character.step(&bodies, &walk(speed), time);
                if character.feet().x > 8.0 * tread + 1.0 {
                    break;
                }
            }
            let told = format!("{} of {tread} and {rise} with {threshold} at {speed}", character.feet());
            assert_eq!(character.feet().z > 8.0 * rise, climbs, "{told}");
            if !climbs {
                assert!(character.feet().z < 0.02 && character.ground().is_some(), "{told}");
                continue;
            }
            // Down again, in the air nowhere.
            while character.feet().x > -1.0 {
                let before = character.feet().x;
                character.step(&bodies, &walk(-speed), time);
                assert!(character.ground().is_some(), "{told}");
                assert!(character.feet().x < before, "{told}");
            }
        }
    }
}

/// What is no ledge holds as without the option: slopes, ridges, a beam under the axis, two tables with a gap between.
#[test]
fn slopes_ridges_beams_and_gaps_hold() {
    let ridge = |rise: f64| {
        let slope = |x: f64, y: [f64; 2]| {
            [[0.0, y[0], 0.0], [x, y[0], -rise * x.abs()], [x, y[1], -rise * x.abs()], [0.0, y[1], 0.0]]
        };
        tree(&[slope(-9.0, WIDE), slope(9.0, WIDE)])
    };
    let beam = tree(&[level_quad([-0.025, 0.025], WIDE, 0.0)]);
    let gap = tree(&[level_quad([-9.0, -0.2], WIDE, 0.0), level_quad([0.2, 9.0], WIDE, 0.0)]);
    for threshold in [0.0, 0.1, 0.2, 0.29] {
        for (name, tree, x, z) in [
            ("slope", ridge(0.9), 2.0, -1.8 + 0.31 * 1.81_f64.sqrt() - 0.3),
            ("ridge", ridge(0.9), 0.0, 0.02),
            ("beside a ridge", ridge(0.9), 0.1, on_edge(0.0, 0.1)),
            ("beam", beam.clone(), 0.0, 0.02),
            ("gap", gap.clone(), 0.0, on_edge(0.0, 0.2)),
        ] {
            let bodies = [Body::fixed(&tree)];
            let mut character = placed(&bodies, &options(threshold), [x, 0.0, z + 1e-3]);
            for _ in 0..60 {
                character.step(&bodies, &IDLE, STEP);
            }
            let feet = character.feet();
            assert!(character.ground().is_some(), "{name} with {threshold}: {feet}");
            assert!((feet.x - x).abs() < 0.02 && (feet.z - z).abs() < 0.03, "{name} with {threshold}: {feet} at {z}");
        }
    }
}

/// The camera lags behind steps by at most their height, glides at any frame rate, and keeps up on slopes and in falls.
#[test]
fn a_camera_glides_over_stairs() {
    let bodies = [stairs(0.3, 0.25)];
    let options = CharacterOptions { camera_half_life: 0.1, ..CharacterOptions::default() };
    for time in [STEP, 1.0 / 240.0, 1.0 / 30.0] {
        let mut character = placed(&bodies, &options, [-1.0, 0.0, 0.01]);
        let height = |character: &Character| character.feet().z + character.camera_offset();
        // Up and down: the height of the feet jumps, and that of the camera does not.
        for speed in [1.0, -1.0] {
            let (mut jump, mut camera) = (0.0_f64, 0.0_f64);
            for _ in 0..(3.5 / time) as usize {
                let (feet, before) = (character.feet().z, height(&character));
                character.step(&bodies, &walk(speed), time);
                let offset = character.camera_offset();
                assert!(offset.abs() <= options.max_step && offset * speed <= 0.01, "{offset} at {speed}");
                jump = jump.max((character.feet().z - feet).abs());
                camera = camera.max((height(&character) - before).abs());
            }
            // A step onto an edge goes 2.5 skins ahead.
            assert!(camera < 3.5 * time + 0.025, "the camera moves by {camera} in {time}");
            assert!(jump > 0.05 || speed < 0.0, "{jump}");
        }
    }
    // The offset after one step does not depend on the frame rate.
    let offsets = [1.0 / 60.0, 1.0 / 240.0].map(|time| {
        let options = CharacterOptions { max_substep: time, ..options };
        let mut character = placed(&bodies, &options, [-0.4, 0.0, 0.01]);
        while character.camera_offset().abs() < 0.01 {
            character.step(&bodies, &walk(0.5), time);
        }
        let before = character.camera_offset();
        for _ in 0..(0.2 / time).round() as usize {
            character.step(&bodies, &IDLE, time);
        }
        character.camera_offset() / before
    });
    assert!(offsets.iter().all(|offset| (offset - 0.25).abs() < 1e-9), "{offsets:?}");
    let rise = 0.7;
    let slope =
        tree(&[[[-9.0, -9.0, -9.0 * rise], [9.0, -9.0, 9.0 * rise], [9.0, 9.0, 9.0 * rise], [-9.0, 9.0, -9.0 * rise]]]);
    let bodies = [Body::fixed(&slope)];
    let mut character = placed(&bodies, &options, [0.0, 0.0, 2.0]);
    for step in 0..240 {
        character.step(&bodies, &walk(if step < 90 { 0.0 } else { 2.0 }), STEP);
        assert!(character.camera_offset().abs() < 0.001, "{}", character.camera_offset());
    }
    assert!(character.ground().is_some() && character.feet().x > 4.0);
}

/// Left anywhere in the level, it comes to stand or falls out of it, but never hangs in the air.
#[test]
fn nobody_hangs_beside_a_ledge() {
    let level = Level::new(1.0);
    let tree = Arc::new(BvTree::build(&level.mesh, &BuildOptions::default()).unwrap());
    let bodies = [Body::fixed(&tree)];
    let (mut random, mut probe, mut standing) = (Random(5), Probe::new(), 0);
    for i in 0..300 {
        let options = options(random.within(0.0, 0.299));
        let course = &level.courses[(random.next() * level.courses.len() as f64) as usize];
        let near = course.waypoints[(random.next() * course.waypoints.len() as f64) as usize];
        let aside = Vector3::new(random.within(-1.5, 1.5), random.within(-1.5, 1.5), random.within(0.0, 4.0));
        let start = Point3::new(near.x, near.y, course.start.z) + aside;
        let mut character = placed(&bodies, &options, start.into());
        let intent = Intent { walk: Vector3::new(random.within(-3.0, 3.0), random.within(-3.0, 3.0), 0.0), jump: 0.0 };
        for step in 0..240 {
            character.step(&bodies, if step < 40 { &intent } else { &IDLE }, STEP);
        }
        let before = character.feet();
        character.step(&bodies, &IDLE, STEP);
        let overlaps = probe.closest_capsule_contact(&tree, &character.capsule(), 0.0).is_some();
        let moves = (character.feet() - before).norm() > 1e-5;
        assert!(character.ground().is_some() || moves || overlaps, "{i}: {} from {start}", character.feet());
        standing += usize::from(character.ground().is_some());
    }
    assert!(standing > 150, "{standing}");
}

#[test]
fn thresholds_are_less_than_the_radius() {
    for threshold in [-0.1, 0.3, f64::NAN, f64::INFINITY] {
        let error = Character::new(&options(threshold), Point3::origin()).unwrap_err();
        assert!(matches!(error, CharacterError::OutOfRange { name: "perch_radius_threshold", .. }), "{error}");
    }
}
