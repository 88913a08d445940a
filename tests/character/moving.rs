//! Platforms, lifts and doors.

use std::sync::Arc;

use bvtree::character::{CharacterOptions, Intent};
use bvtree::{BvTree, Pose, Probe};
use nalgebra::{Matrix3, Point3, Rotation3, Vector3};

use super::among::{Body, Character};
use super::situations::{level_quad, standing, tree, wall_quad};

const SPEEDS: [f64; 3] = [1.0, 4.0, 12.0];
const STEPS: [f64; 5] = [1.0 / 240.0, 1.0 / 60.0, 1.0 / 30.0, 1.0 / 10.0, 1.0 / 5.0];

pub fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::new(Matrix3::identity(), Vector3::new(x, y, z)).unwrap()
}

/// A box of six faces.
pub fn cuboid(size: [f64; 3]) -> Arc<BvTree> {
    let [x, y, z] = size.map(|s| [-0.5 * s, 0.5 * s]);
    let side = |s: f64| [[x[0], s, z[0]], [x[1], s, z[0]], [x[1], s, z[1]], [x[0], s, z[1]]];
    tree(&[
        level_quad(x, y, z[0]),
        level_quad(x, y, z[1]),
        wall_quad(x[0], y, z),
        wall_quad(x[1], y, z),
        side(y[0]),
        side(y[1]),
    ])
}

/// Walks on, rides over a gap, walks off: at every speed and time step to the same place.
#[test]
fn a_platform_carries_over_a_gap() {
    let banks = tree(&[level_quad([-5.0, 0.0], [-2.0, 2.0], 0.0), level_quad([10.0, 15.0], [-2.0, 2.0], 0.0)]);
    let slab = cuboid([3.0, 3.0, 0.2]);
    // Beside the one bank, and at the end beside the other one.
    let x = |time: f64| 1.6 + 6.8 * (0.5 * time).clamp(0.0, 1.0);
    for (step, speed) in STEPS.into_iter().flat_map(|step| SPEEDS.map(|speed| (step, speed))) {
        let fixed = [Body::fixed(&banks), Body::placed(&slab, &at(x(0.0), 0.0, -0.1))];
        let mut character = standing(&fixed, [-0.5, 0.0, 0.05]);
        let walk = |speed: f64| Intent { walk: Vector3::new(speed, 0.0, 0.0), jump: 0.0 };
        // A whole number of steps, at about the speed.
        let paced = |distance: f64| {
            let steps = (distance / (speed * step)).round().max(1.0);
            (steps as usize, walk(distance / (steps * step)))
        };
        let (steps, intent) = paced(2.0);
        for _ in 0..steps {
            character.step(&fixed, &intent, step);
        }
        assert!((character.feet().x - 1.5).abs() < 1e-6, "{}", character.feet());
        let steps = (2.0 / step).round() as usize;
        for i in 0..steps {
            let [start, end] = [i, i + 1].map(|i| at(x(2.0 * i as f64 / steps as f64), 0.0, -0.1));
            let outcome = character.step(&[fixed[0].clone(), Body::moving(&slab, &start, &end)], &walk(0.0), step);
            assert!(!outcome.is_crushed && character.ground().is_some());
        }
        assert!((character.feet().x - 8.3).abs() < 1e-6, "{}", character.feet());
        let (steps, intent) = paced(3.0);
        for _ in 0..steps {
            character.step(&[fixed[0].clone(), Body::placed(&slab, &at(x(2.0), 0.0, -0.1))], &intent, step);
        }
        assert!((character.feet() - Point3::new(11.3, 0.0, 0.01)).norm() < 0.006, "{}", character.feet());
    }
}

/// A lift goes up and down with who stands on it; a jump from it has its speed.
#[test]
fn a_lift_lifts() {
    let slab = cuboid([3.0, 3.0, 0.2]);
    for step in STEPS {
        let mut character = standing(&[Body::placed(&slab, &at(0.0, 0.0, -0.1))], [0.0, 0.0, 0.05]);
        let count = (2.0 / step).round() as usize;
        let height =
            |i: usize| if i <= count { 5.0 * i as f64 / count as f64 } else { 10.0 - 5.0 * i as f64 / count as f64 };
        for i in 0..2 * count {
            let [start, end] = [i, i + 1].map(|i| at(0.0, 0.0, height(i) - 0.1));
            character.step(&[Body::moving(&slab, &start, &end)], &Intent::default(), step);
            let gap = character.feet().z - height(i + 1);
            assert!(character.ground().is_some() && (0.0..0.02).contains(&gap), "{gap} at {i} by {step}");
        }
    }
    let mut character = standing(&[Body::placed(&slab, &at(0.0, 0.0, -0.1))], [0.0, 0.0, 0.05]);
    let lift = Body::moving(&slab, &at(0.0, 0.0, -0.1), &at(0.0, 0.0, -0.05));
    character.step(&[lift], &Intent { walk: Vector3::zeros(), jump: 4.0 }, 0.01);
    assert!((character.velocity().z - (4.0 + 5.0 - 0.0981)).abs() < 1e-6, "{}", character.velocity());
}

/// A pose may stretch by nearly a ten-thousandth, which moves a mesh far from its origin by centimetres.
#[test]
fn stretched_floors_and_lifts_are_where_their_poses_say() {
    let stretch = 1.00004;
    let pose = |z: f64| Pose::new(Matrix3::from_diagonal_element(stretch), Vector3::new(0.0, 0.0, z)).unwrap();
    let floor = tree(&[level_quad([990.0, 1010.0], [-5.0, 5.0], 1000.0)]);
    let x = 1000.0 * stretch;
    let mut character = standing(&[Body::placed(&floor, &pose(0.0))], [x, 0.0, x + 0.05]);
    let gap = character.feet().z - x;
    assert!((0.0..0.02).contains(&gap), "{gap}");
    for i in 0..20 {
        let [start, end] = [i, i + 1].map(|i| 0.05 * f64::from(i));
        character.step(&[Body::moving(&floor, &pose(start), &pose(end))], &Intent::default(), 1.0 / 60.0);
        let gap = character.feet().z - x - end;
        assert!((0.0..0.02).contains(&gap) && (character.feet().x - x).abs() < 1e-6, "{} at {i}", character.feet());
    }
}

#[test]
fn a_turntable_turns() {
    let disc = cuboid([8.0, 8.0, 0.2]);
    let pose = |angle: f64| {
        let turn = Rotation3::from_axis_angle(&Vector3::z_axis(), angle).into_inner();
        Pose::new(turn, Vector3::new(0.0, 0.0, -0.1)).unwrap()
    };
    let mut character = standing(&[Body::placed(&disc, &pose(0.0))], [2.0, 0.0, 0.05]);
    for i in 0..100 {
        let [start, end] = [i, i + 1].map(|i| pose(0.01 * f64::from(i)));
        character.step(&[Body::moving(&disc, &start, &end)], &Intent::default(), 1.0 / 60.0);
    }
    let expected = Point3::new(2.0 * 1f64.cos(), 2.0 * 1f64.sin(), 0.01);
    assert!((character.feet() - expected).norm() < 0.005, "{}", character.feet());
}

/// A thin door that comes at any speed pushes and passes nobody.
#[test]
fn a_door_pushes() {
    let floor = tree(&[level_quad([-20.0, 20.0], [-3.0, 3.0], 0.0)]);
    let door = tree(&[wall_quad(0.0, [-2.0, 2.0], [0.1, 3.0])]);
    for (speed, step) in [(1.0, 1.0 / 60.0), (3.0, 1.0 / 240.0), (5.0, 0.2), (50.0, 0.2)] {
        let mut character = standing(&[Body::fixed(&floor)], [0.0, 0.0, 0.05]);
        let mut x = -3.0;
        while x < 7.0 - speed * step {
            let [start, end] = [at(x, 0.0, 0.0), at(x + speed * step, 0.0, 0.0)];
            let outcome =
                character.step(&[Body::fixed(&floor), Body::moving(&door, &start, &end)], &Intent::default(), step);
            x += speed * step;
            assert!(!outcome.is_crushed);
            assert!(character.feet().x > x + 0.3, "{} behind {x}", character.feet());
        }
        assert!(x < 0.0 || (character.feet().x - x - 0.31).abs() < 0.01, "{} and {x}", character.feet());
    }
}

/// Between a door and a wall there may be no room left: that is told, and the wall is not entered.
#[test]
fn a_door_against_a_wall_crushes() {
    let floor = tree(&[level_quad([-20.0, 20.0], [-3.0, 3.0], 0.0), wall_quad(2.0, [-3.0, 3.0], [0.0, 3.0])]);
    let door = tree(&[wall_quad(0.0, [-3.0, 3.0], [0.1, 3.0])]);
    let mut character = standing(&[Body::fixed(&floor)], [1.0, 0.0, 0.05]);
    let (mut x, mut crushed) = (0.0, false);
    while x < 1.9 {
        let [start, end] = [at(x, 0.0, 0.0), at(x + 0.05, 0.0, 0.0)];
        let outcome =
            character.step(&[Body::fixed(&floor), Body::moving(&door, &start, &end)], &Intent::default(), 0.05);
        x += 0.05;
        assert!(x > 1.3 || !outcome.is_crushed);
        crushed |= outcome.is_crushed;
        let contact = Probe::new().closest_capsule_contact(&floor, &character.capsule(), 1.0).unwrap();
        assert!(crushed || contact.distance > 0.0);
    }
    assert!(crushed);
}

#[test]
fn nothing_happens_without_bodies_but_a_fall() {
    let mut character = Character::new(&CharacterOptions::default(), Point3::origin()).unwrap();
    character.step(&[], &Intent::default(), 1.0);
    assert!((character.feet().z + 0.5 * 9.81).abs() < 1e-9);
}
