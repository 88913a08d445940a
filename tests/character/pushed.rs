//! Moving bodies push no character into what stands still; what can't be resolved is reported, while it lasts.

use std::sync::Arc;

use bvtree::character::{CharacterOptions, Intent, StepOutcome};
use bvtree::{BvTree, Pose, Probe};
use nalgebra::{Point3, Rotation3, Vector3};

use super::among::{Body, Character};
use super::moving::{at, cuboid};
use super::situations::{WIDE, level_quad, standing, tree, wall_quad};

const STEP: f64 = 1.0 / 60.0;

fn gap(tree: &Arc<BvTree>, character: &Character) -> f64 {
    Probe::new().closest_capsule_contact(tree, &character.capsule(), 1.0).map_or(1.0, |contact| contact.distance)
}

/// Floors whose top is at zero: a sheet of triangles, and slabs.
fn floors() -> Vec<Arc<BvTree>> {
    let slab = |depth: f64| {
        tree(&[
            level_quad(WIDE, WIDE, 0.0),
            level_quad(WIDE, WIDE, -depth),
            wall_quad(-5.0, WIDE, [-depth, 0.0]),
            wall_quad(5.0, WIDE, [-depth, 0.0]),
        ])
    };
    vec![tree(&[level_quad(WIDE, WIDE, 0.0)]), slab(0.01), slab(0.2), slab(1.0), slab(10.0)]
}

/// A press comes down from 2 m to 0.5 m, or to 0.02 m, stays, and rises.
#[test]
fn a_press_pushes_nobody_through_the_floor() {
    let sheet = tree(&[level_quad([-1.0, 1.0], [-1.0, 1.0], -0.25)]);
    let presses = [cuboid([2.0, 2.0, 0.5]), cuboid([2.0, 2.0, 5.0]), sheet];
    for (floor, press, speed, lowest) in floors().iter().flat_map(|floor| {
        presses.iter().flat_map(move |press| {
            [1.0, 4.0, 100.0].into_iter().flat_map(move |speed| [0.5, 0.02].map(|lowest| (floor, press, speed, lowest)))
        })
    }) {
        let half_thickness = 0.5 * (press.bounds().upper.z - press.bounds().lower.z).max(0.5);
        let pose = |underside: f64| at(0.1, 0.05, underside + half_thickness);
        let mut character = standing(&[Body::fixed(floor)], [0.0, 0.0, 0.05]);
        let mut underside = 2.0;
        let mut step = |character: &mut Character, next: f64| -> StepOutcome {
            let press = Body::moving(press, &pose(underside), &pose(next));
            let outcome = character.step(&[Body::fixed(floor), press], &Intent::default(), STEP);
            underside = next;
            let (feet, gap) = (character.feet(), gap(floor, character));
            assert!(gap > 0.0 && feet.z > 0.0 && feet.z < 0.05, "{feet}, {gap} from the floor; press at {next}");
            outcome
        };
        let mut height = 2.0;
        while height > lowest {
            height = (height - speed * STEP).max(lowest);
            let outcome = step(&mut character, height);
            let overlap = outcome.overlap;
            let depth = 1.81 - height;
            assert!(depth < -0.01 || outcome.is_crushed == (depth > 0.01) || depth < 0.01, "{outcome:?} at {height}");
            if depth > 0.011 && depth < 0.9 {
                let overlap = overlap.expect("no room");
                assert_eq!(overlap.body.index(), 1);
                assert!((overlap.depth - depth).abs() < 0.02, "{overlap:?} at {height}");
            }
        }
        for _ in 0..10 {
            let outcome = step(&mut character, height);
            assert!(!outcome.is_crushed);
            assert!(lowest < 0.3 || outcome.overlap.is_some_and(|overlap| overlap.body.index() == 1), "{outcome:?}");
        }
        while height < 2.5 {
            height += speed * STEP;
            step(&mut character, height);
        }
        let outcome = step(&mut character, height);
        assert_eq!(outcome.overlap, None);
        assert!(character.ground().is_some());
    }
}

/// A door closes on somebody who stands before a wall, thick or thin, straight or turning.
#[test]
fn a_door_pushes_nobody_into_a_wall() {
    for depth in [0.0, 0.1, 1.0] {
        let walls = tree(&[
            level_quad([-20.0, 20.0], [-3.0, 3.0], 0.0),
            wall_quad(2.0, [-3.0, 3.0], [0.0, 3.0]),
            wall_quad(2.0 + depth, [-3.0, 3.0], [0.0, 3.0]),
        ]);
        for (speed, step) in [(1.0, STEP), (4.0, STEP), (4.0, 0.1), (50.0, STEP)] {
            let door = cuboid([0.1, 6.0, 2.9]);
            let mut character = standing(&[Body::fixed(&walls)], [1.0, 0.0, 0.05]);
            let (mut x, mut crushed) = (0.0, 0);
            while x < 2.0 {
                let [start, end] = [at(x, 0.0, 1.5), at(x + speed * step, 0.0, 1.5)];
                let bodies = [Body::fixed(&walls), Body::moving(&door, &start, &end)];
                let outcome = character.step(&bodies, &Intent::default(), step);
                x += speed * step;
                crushed += u32::from(outcome.is_crushed);
                assert!(gap(&walls, &character) > 0.0 && character.feet().x < 1.7, "{}", character.feet());
                assert!(outcome.is_crushed == (x > 1.34) || (x - 1.34).abs() < 0.02 || x > 1.95, "{outcome:?} at {x}");
                assert_eq!(outcome.is_crushed, outcome.overlap.is_some());
            }
            assert!(crushed > 0);
        }
        // It turns about its edge toward the wall, and sweeps the character along.
        let leaf = cuboid([2.0, 0.05, 2.9]);
        let hinge = |angle: f64| {
            let turn = Rotation3::from_axis_angle(&Vector3::z_axis(), angle).into_inner();
            Pose::new(turn, Vector3::new(0.5, 0.0, 1.5) + turn * Vector3::x()).unwrap()
        };
        let mut character = standing(&[Body::fixed(&walls)], [1.5, 0.5, 0.05]);
        for i in 0..90 {
            let bodies = [
                Body::fixed(&walls),
                Body::moving(&leaf, &hinge(0.02 * f64::from(i)), &hinge(0.02 * f64::from(i + 1))),
            ];
            character.step(&bodies, &Intent::default(), STEP);
            assert!(gap(&walls, &character) > 0.0 && character.feet().x < 1.7, "{}", character.feet());
        }
    }
}

/// A lift rises under a ceiling, and comes down again.
#[test]
fn a_lift_pushes_nobody_into_the_ceiling() {
    for depth in [0.0, 0.1, 1.0] {
        let ceiling = tree(&[level_quad(WIDE, WIDE, 3.0), level_quad(WIDE, WIDE, 3.0 + depth)]);
        let slab = cuboid([3.0, 3.0, 0.2]);
        for (speed, top) in [(1.0, 1.8), (4.0, 1.8), (1.0, 2.5), (4.0, 2.9)] {
            let mut character = standing(&[Body::placed(&slab, &at(0.0, 0.0, -0.1))], [0.0, 0.0, 0.05]);
            let (mut height, mut speed) = (0.0_f64, speed);
            while height >= 0.0 {
                let next = (height + speed * STEP).min(top);
                let bodies = [
                    Body::fixed(&ceiling),
                    Body::moving(&slab, &at(0.0, 0.0, height - 0.1), &at(0.0, 0.0, next - 0.1)),
                ];
                let outcome = character.step(&bodies, &Intent::default(), STEP);
                height = next;
                assert!(gap(&ceiling, &character) > 0.0 && character.feet().z < 1.2, "{}", character.feet());
                let depth = height - 1.2;
                if depth > 0.02 {
                    let overlap = outcome.overlap.expect("no room");
                    assert_eq!(overlap.body.index(), 1);
                    assert!(depth > 0.9 || (overlap.depth - depth).abs() < 0.03, "{overlap:?} for {depth}");
                }
                if next == top {
                    speed = -speed;
                }
            }
        }
    }
}

/// Something appears around the character: it gets out where there is room, and through nothing else.
#[test]
fn a_body_that_appears_is_left_or_reported() {
    let floor = tree(&[level_quad(WIDE, WIDE, 0.0)]);
    let crate_of = cuboid([1.0, 1.0, 1.0]);
    for x in [0.0, 0.2, 0.4, 0.6, 0.75] {
        let mut character = standing(&[Body::fixed(&floor)], [0.0, 0.0, 0.05]);
        let bodies = [Body::fixed(&floor), Body::placed(&crate_of, &at(x, 0.1, 0.5))];
        for _ in 0..30 {
            let outcome = character.step(&bodies, &Intent::default(), STEP);
            assert_eq!(outcome.overlap, None);
            assert!(gap(&floor, &character) > 0.0 && character.feet().z > 0.0, "{}", character.feet());
        }
        assert!(character.ground().is_some());
    }
    // A room too low: there is no way out.
    let low = tree(&[level_quad(WIDE, WIDE, 1.6)]);
    let mut character = standing(&[Body::fixed(&floor)], [0.0, 0.0, 0.05]);
    for _ in 0..30 {
        let outcome = character.step(&[Body::fixed(&floor), Body::fixed(&low)], &Intent::default(), STEP);
        let overlap = outcome.overlap.expect("no way out");
        assert!(!outcome.is_crushed && overlap.body.index() == 1 && (overlap.depth - 0.21).abs() < 0.01, "{overlap:?}");
        assert!(gap(&floor, &character) > 0.0);
    }
    // It goes again, and the character walks on.
    for _ in 0..30 {
        let walk = Intent { walk: Vector3::x(), jump: 0.0 };
        assert_eq!(character.step(&[Body::fixed(&floor)], &walk, STEP).overlap, None);
    }
    assert!((character.feet().x - 0.5).abs() < 0.02, "{}", character.feet());
}

/// A character that is placed in a floor comes up on it, wherever in the mesh. Placed in a room that is too low, it
/// reports the overlap.
#[test]
fn out_of_a_slab_by_the_shortest_way() {
    for floor in &floors()[..4] {
        for (x, y) in [(0.0, 0.0), (0.3, 0.1), (-1.2, 2.2), (0.75, 0.75)] {
            for depth in [0.02, 0.2, 0.5, 0.8] {
                let mut character = Character::new(&CharacterOptions::default(), Point3::new(x, y, -depth)).unwrap();
                let outcome = character.step(&[Body::fixed(floor)], &Intent::default(), STEP);
                assert_eq!(outcome.overlap, None, "{depth}");
                let expected = Point3::new(x, y, 0.01);
                assert!((character.feet() - expected).norm() < 0.01, "{} from {depth}", character.feet());
            }
        }
    }
    let room = tree(&[level_quad(WIDE, WIDE, 0.0), level_quad(WIDE, WIDE, -1.0), level_quad(WIDE, WIDE, 1.0)]);
    let mut character = Character::new(&CharacterOptions::default(), Point3::new(0.2, 0.1, -0.55)).unwrap();
    for _ in 0..10 {
        let overlap = character.step(&[Body::fixed(&room)], &Intent::default(), STEP).overlap.unwrap();
        assert!((overlap.depth - 0.55).abs() < 0.02, "{overlap:?} at {}", character.feet());
    }
}

/// What turns quickly beside a wall may overlap the character, but the wall does not.
#[test]
fn a_mill_between_walls() {
    let walls = tree(&[
        level_quad(WIDE, WIDE, 0.0),
        wall_quad(1.5, WIDE, [0.0, 3.0]),
        wall_quad(-1.5, WIDE, [0.0, 3.0]),
        [[-5.0, 1.5, 0.0], [5.0, 1.5, 0.0], [5.0, 1.5, 3.0], [-5.0, 1.5, 3.0]],
        [[-5.0, -1.5, 0.0], [5.0, -1.5, 0.0], [5.0, -1.5, 3.0], [-5.0, -1.5, 3.0]],
    ]);
    let arm = cuboid([2.6, 0.1, 2.0]);
    let pose = |angle: f64| {
        let turn = Rotation3::from_axis_angle(&Vector3::z_axis(), angle).into_inner();
        Pose::new(turn, Vector3::new(0.0, 0.0, 1.2)).unwrap()
    };
    for turn in [0.01, 0.1, 0.7] {
        let mut character = standing(&[Body::fixed(&walls)], [0.8, 0.5, 0.05]);
        for i in 0..300 {
            let [start, end] = [i, i + 1].map(|i| pose(turn * f64::from(i)));
            let walk = Vector3::new((f64::from(i) * 0.1).sin(), (f64::from(i) * 0.13).cos(), 0.0);
            let bodies = [Body::fixed(&walls), Body::moving(&arm, &start, &end)];
            character.step(&bodies, &Intent { walk, jump: 0.0 }, STEP);
            let feet = character.feet();
            assert!(gap(&walls, &character) > 0.0, "{feet}");
            assert!(feet.x.abs() < 1.2 && feet.y.abs() < 1.2 && (0.0..3.0).contains(&feet.z), "{feet}");
        }
    }
}
