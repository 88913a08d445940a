//! Changes of a character while it is used: crouching, sizes, the up direction, velocity; and conveyors.

use std::sync::Arc;

use bvtree::character::{CharacterError, CharacterOptions, Intent};
use bvtree::{BuildOptions, BvTree, Probe};
use nalgebra::{Point3, UnitVector3, Vector3};

use super::among::{Body, Character};
use super::level::mesh;
use super::moving::{at, cuboid};
use super::situations::{WIDE, level_quad, standing, tree, wall_quad};

const STEP: f64 = 1.0 / 60.0;

fn walk(x: f64, y: f64) -> Intent {
    Intent { walk: Vector3::new(x, y, 0.0), jump: 0.0 }
}

fn gap(tree: &Arc<BvTree>, character: &Character) -> f64 {
    Probe::new().closest_capsule_contact(tree, &character.capsule(), 1.0).map_or(1.0, |contact| contact.distance)
}

/// Jolt: `CharacterVirtual::SetShape`: crouches to pass below a beam, and stands up only behind it.
#[test]
fn crouching_below_a_beam() {
    let level =
        tree(&[level_quad(WIDE, WIDE, 0.0), level_quad([1.0, 2.0], WIDE, 1.2), wall_quad(1.0, WIDE, [1.2, 3.0])]);
    let bodies = [Body::fixed(&level)];
    let tall = CharacterOptions::default();
    let low = CharacterOptions { height: 1.0, ..tall };
    let mut character = standing(&bodies, [0.0, 0.0, 0.05]);
    for _ in 0..60 {
        character.step(&bodies, &walk(1.5, 0.0), STEP);
    }
    assert!(character.feet().x < 0.7, "{}", character.feet());
    assert_eq!(character.has_room(&bodies, &low), Ok(true));
    character.set_options(&low).unwrap();
    let mut stood_up = 0.0;
    for _ in 0..120 {
        assert!(character.step(&bodies, &walk(1.5, 0.0), STEP).overlap.is_none() && character.ground().is_some());
        if stood_up == 0.0 && character.feet().x > 0.9 && character.has_room(&bodies, &tall).unwrap() {
            character.set_options(&tall).unwrap();
            stood_up = character.feet().x;
        }
        assert!(gap(&level, &character) > 0.0);
    }
    assert!(stood_up > 2.29 && stood_up < 2.36, "{stood_up}");
    assert!((character.feet().x - 3.6).abs() < 0.1 && character.capsule().segment.end.z > 1.5);
}

/// Standing up where there is no room is reported, and undone by crouching again.
#[test]
fn standing_up_without_room() {
    let level = tree(&[level_quad(WIDE, WIDE, 0.0), level_quad(WIDE, WIDE, 1.5)]);
    let bodies = [Body::fixed(&level)];
    let low = CharacterOptions { height: 1.0, ..CharacterOptions::default() };
    let mut character = Character::new(&low, Point3::new(0.0, 0.0, 0.05)).unwrap();
    character.step(&bodies, &Intent::default(), STEP);
    assert_eq!(character.has_room(&bodies, &CharacterOptions::default()), Ok(false));
    character.set_options(&CharacterOptions::default()).unwrap();
    for _ in 0..10 {
        let overlap = character.step(&bodies, &Intent::default(), STEP).overlap.expect("no room");
        assert!((overlap.depth - 0.31).abs() < 0.05, "{overlap:?} at {}", character.feet());
    }
    character.set_options(&low).unwrap();
    for _ in 0..30 {
        character.step(&bodies, &walk(1.0, 0.0), STEP);
    }
    assert!(character.step(&bodies, &walk(1.0, 0.0), STEP).overlap.is_none());
    assert!((character.feet().x - 31.0 * STEP).abs() < 0.05 && character.ground().is_some(), "{}", character.feet());
}

/// It grows beside a wall, which pushes it away, and shrinks again.
#[test]
fn the_radius_changes() {
    let level = tree(&[level_quad(WIDE, WIDE, 0.0), wall_quad(1.0, WIDE, [0.0, 3.0])]);
    let bodies = [Body::fixed(&level)];
    let mut character = standing(&bodies, [0.5, 0.0, 0.05]);
    for _ in 0..30 {
        character.step(&bodies, &walk(1.0, 0.0), STEP);
    }
    let wide = CharacterOptions { radius: 0.5, ..CharacterOptions::default() };
    assert_eq!(character.has_room(&bodies, &wide), Ok(false));
    character.set_options(&wide).unwrap();
    for _ in 0..10 {
        assert_eq!(character.step(&bodies, &Intent::default(), STEP).overlap, None);
    }
    assert!(character.ground().is_some() && (character.feet().x - 0.49).abs() < 0.02, "{}", character.feet());
    let odd = CharacterOptions { radius: -1.0, ..wide };
    let error = CharacterError::OutOfRange { name: "radius", value: -1.0 };
    assert_eq!(character.set_options(&odd), Err(error));
    assert_eq!(character.has_room(&bodies, &odd), Err(error));
    assert_eq!(character.options(), &wide);
}

/// Once around a planet, with the up direction away from its centre.
#[test]
fn around_a_planet() {
    let radius = 6.0;
    let point = |i: usize, j: usize| {
        let (a, b) = (std::f64::consts::TAU * i as f64 / 96.0, std::f64::consts::PI * (j as f64 / 48.0 - 0.5));
        Point3::new(a.cos() * b.cos(), a.sin() * b.cos(), b.sin()) * radius
    };
    let mut triangles = Vec::new();
    for (i, j) in (0..96).flat_map(|i| (0..48).map(move |j| (i, j))) {
        let [a, b, c, d] = [point(i, j), point(i + 1, j), point(i + 1, j + 1), point(i, j + 1)];
        triangles.extend([[a, b, c], [a, c, d]]);
    }
    let planet = Arc::new(BvTree::build(&mesh(&triangles), &BuildOptions::default()).unwrap());
    let bodies = [Body::fixed(&planet)];
    let up = |feet: &Point3<f64>| UnitVector3::new_normalize(feet.coords);
    let start = Point3::new(1.0, 0.3, 0.9) * (radius + 0.05) / (1.9_f64).sqrt();
    let mut character = Character::new(&CharacterOptions { up: up(&start), ..Default::default() }, start).unwrap();
    let axis = start.coords.cross(&Vector3::new(0.2, 1.0, 0.1)).normalize();
    let (mut turned, mut grounded) = (0.0, 0);
    for _ in 0..1200 {
        let feet = character.feet();
        let options = CharacterOptions { up: up(&feet), ..*character.options() };
        character.set_options(&options).unwrap();
        let walk = axis.cross(&up(&feet)) * 2.0;
        let outcome = character.step(&bodies, &Intent { walk, jump: 0.0 }, STEP);
        turned += feet.coords.angle(&character.feet().coords);
        grounded += u32::from(character.ground().is_some());
        let height = character.feet().coords.norm() - radius;
        assert!(outcome.overlap.is_none() && (-0.02..0.1).contains(&height), "{height}");
        assert!(gap(&planet, &character) > 0.0);
    }
    assert!(turned > std::f64::consts::TAU && grounded > 1190, "{turned} {grounded}");
}

/// A launch pad and a knockback.
#[test]
fn velocities_are_set() {
    let floor = tree(&[level_quad([-20.0, 20.0], WIDE, 0.0)]);
    let bodies = [Body::fixed(&floor)];
    let mut character = standing(&bodies, [0.0, 0.0, 0.05]);
    character.set_velocity(Vector3::new(3.0, 0.0, 5.0)).unwrap();
    let mut highest: f64 = 0.0;
    for _ in 0..120 {
        character.step(&bodies, &Intent::default(), STEP);
        highest = highest.max(character.feet().z);
    }
    assert!((highest - (0.01 + 12.5 / 9.81)).abs() < 0.01, "{highest}");
    assert!(
        (character.feet().x - 3.0 * 10.0 / 9.81).abs() < 0.1 && character.ground().is_some(),
        "{}",
        character.feet()
    );
    assert_eq!(character.set_velocity(Vector3::repeat(f64::NAN)), Err(CharacterError::VelocityNotFinite));
}

/// Jolt's course: a conveyor belt, level, sloping, against a wall, and on a platform that moves.
#[test]
fn conveyors() {
    let belt = cuboid([10.0, 2.0, 0.2]);
    let place = at(0.0, 0.0, -0.1);
    for step in [1.0 / 240.0, STEP, 0.1] {
        let count = (2.0 / step) as usize;
        let body = [Body::placed(&belt, &place).with_surface_velocity(Vector3::new(1.5, 0.0, 0.0))];
        let mut character = standing(&[Body::placed(&belt, &place)], [-2.0, 0.0, 0.05]);
        for _ in 0..count {
            character.step(&body, &walk(0.0, 0.1), step);
            assert!(character.ground().is_some());
        }
        assert!((character.feet() - Point3::new(1.0, 0.2, 0.01)).norm() < 0.01, "{}", character.feet());
        // A jump takes the velocity along.
        character.step(&body, &Intent { walk: Vector3::zeros(), jump: 2.0 }, step);
        assert!((character.velocity().x - 1.5).abs() < 1e-9, "{}", character.velocity());
        // Against a wall.
        let wall = tree(&[wall_quad(0.0, WIDE, [-1.0, 3.0])]);
        let mut character = standing(&[Body::placed(&belt, &place)], [-2.0, 0.0, 0.05]);
        for _ in 0..count {
            let outcome = character.step(&[Body::fixed(&wall), body[0].clone()], &Intent::default(), step);
            assert!(!outcome.is_crushed && outcome.overlap.is_none() && gap(&wall, &character) > 0.0);
        }
        assert!((character.feet().x + 0.31).abs() < 0.01, "{}", character.feet());
        // On a lift.
        let mut character = standing(&[Body::placed(&belt, &place)], [-2.0, 0.0, 0.05]);
        for i in 0..count {
            let [start, end] = [i, i + 1].map(|i| at(0.0, 0.0, step * i as f64 - 0.1));
            let lift = Body::moving(&belt, &start, &end).with_surface_velocity(Vector3::new(1.0, 0.0, 0.0));
            character.step(&[lift], &Intent::default(), step);
            assert!(character.ground().is_some());
        }
        assert!((character.feet().x).abs() < 0.01 && (character.feet().z - 2.01).abs() < 0.1, "{}", character.feet());
    }
    // Up a slope.
    let slope = tree(&[[[-10.0, -5.0, -5.0], [10.0, -5.0, 5.0], [10.0, 5.0, 5.0], [-10.0, 5.0, -5.0]]]);
    let mut character = standing(&[Body::fixed(&slope)], [-4.0, 0.0, -1.9]);
    let body = [Body::fixed(&slope).with_surface_velocity(Vector3::new(2.0, 0.0, 1.0))];
    let before = character.feet();
    for _ in 0..120 {
        assert!(character.step(&body, &Intent::default(), STEP).overlap.is_none() && character.ground().is_some());
    }
    assert!((character.feet() - before - Vector3::new(4.0, 0.0, 2.0)).norm() < 0.02, "{}", character.feet() - before);
}
