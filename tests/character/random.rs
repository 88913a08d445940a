//! Random walks, jumps and places: never in anything, never a number that is none, never up without a reason.

use std::sync::Arc;

use bvtree::character::{CharacterOptions, Intent};
use bvtree::{BuildOptions, BvTree, Probe};
use nalgebra::{Point3, Vector3};

use super::among::{Body, Character};
use super::level::Level;

pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn within(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
}

#[test]
fn random_moves_keep_the_gap_and_gain_no_height() {
    let level = Level::new(1.0);
    let tree = Arc::new(BvTree::build(&level.mesh, &BuildOptions::default()).unwrap());
    let bodies = [Body::fixed(&tree)];
    let options = CharacterOptions::default();
    let mut character = Character::new(&options, level.courses[0].start).unwrap();
    let (mut random, mut probe) = (Random(7), Probe::new());
    let moves = if cfg!(debug_assertions) { 6_000 } else { 100_000 };
    let mut walk = Vector3::zeros();
    let (mut least, mut on_ground) = (f64::INFINITY, 0);
    for i in 0..moves {
        let is_placed = i % 200 == 0 || character.feet().z < -20.0;
        if is_placed {
            let course = &level.courses[(random.next() * level.courses.len() as f64) as usize];
            let aside = Vector3::new(random.within(-1.0, 1.0), random.within(-1.0, 1.0), 0.0);
            character.teleport(course.start + aside + Vector3::z() * random.within(0.05, 1.0)).unwrap();
        }
        if random.next() < 0.1 {
            let speed = 10f64.powf(random.within(-1.0, 1.5));
            walk = Vector3::new(random.within(-1.0, 1.0), random.within(-1.0, 1.0), random.within(-1.0, 1.0)) * speed;
        }
        let jump = if random.next() < 0.02 { random.within(0.0, 6.0) } else { 0.0 };
        let time = 1.0 / 10f64.powf(random.within(0.7, 2.4));
        let before = character.feet();
        let (rising, stood) = (character.velocity().z.max(0.0), character.ground().is_some());
        let fast = character.velocity().xy().norm().max(walk.xy().norm());
        character.step(&bodies, &Intent { walk, jump }, time);
        let feet = character.feet();
        assert!(feet.iter().chain(&character.velocity()).all(|x| x.is_finite()), "move {i}");
        let contact = probe.closest_capsule_contact(&tree, &character.capsule(), 1.0);
        let distance = contact.map_or(1.0, |contact| contact.distance);
        least = distance.min(least);
        assert!(distance > -1e-9, "move {i} ends {distance} in {contact:?}");
        on_ground += usize::from(character.ground().is_some());
        // Up by what a jump or a rise gives, by the slope, or by steps as many as there may have been.
        let gained = feet.z - before.z;
        let moved = (feet - before).xy().norm();
        let parts = (time / options.max_substep).max(walk.xy().norm() * time / options.radius).ceil();
        let jumped = if stood || !is_placed { jump.max(rising) * time } else { rising * time };
        let slope = walk.xy().norm() * time * options.max_slope;
        let steps = parts * options.max_step;
        let most = 2.0 * options.skin * parts + jumped + if moved > 1e-6 { slope + steps } else { 0.0 };
        assert!(gained <= most || is_placed, "move {i} rises by {gained} of {most}");
        // In several parts it may have landed and walked in between.
        if !stood && character.ground().is_none() && !is_placed && parts <= 1.0 {
            // A jump that goes up may follow a slope.
            let slope = if rising > 0.0 { fast * time * options.max_slope } else { 0.0 };
            let most = rising * time + slope + 2.0 * options.skin;
            assert!(gained <= most, "move {i} rises by {gained} of {most} in the air");
        }
    }
    assert!(on_ground > moves / 4, "only {on_ground} of {moves} on ground");
    println!("least distance {least:e}, {on_ground} of {moves} moves end on ground");
}

/// Anywhere, at any speed and time step, into walls of no thickness all around: nothing leaves the room.
#[test]
fn nobody_leaves_a_closed_room() {
    let at = |x: f64, y: f64, z: f64| Point3::new(x, y, z);
    let mut triangles = Vec::new();
    for (k, side) in [(0, 0.0), (0, 1.0), (1, 0.0), (1, 1.0), (2, 0.0), (2, 1.0)] {
        let corner = |u: f64, v: f64| {
            let mut corner = at(0.0, 0.0, 0.0);
            corner[k] = 6.0 * side;
            corner[(k + 1) % 3] = 6.0 * u;
            corner[(k + 2) % 3] = 6.0 * v;
            corner
        };
        triangles
            .extend(super::level::quad([corner(0.0, 0.0), corner(1.0, 0.0), corner(1.0, 1.0), corner(0.0, 1.0)], 1.5));
    }
    let tree = Arc::new(BvTree::build(&super::level::mesh(&triangles), &BuildOptions::default()).unwrap());
    let bodies = [Body::fixed(&tree)];
    let mut random = Random(3);
    let mut character = Character::new(&CharacterOptions::default(), at(3.0, 3.0, 1.0)).unwrap();
    for i in 0..if cfg!(debug_assertions) { 400 } else { 20_000 } {
        let speed = 10f64.powf(random.within(-3.0, 7.0));
        let walk = Vector3::new(random.within(-1.0, 1.0), random.within(-1.0, 1.0), 0.0) * speed;
        let jump = if random.next() < 0.5 { 10f64.powf(random.within(-1.0, 6.0)) } else { 0.0 };
        character.step(&bodies, &Intent { walk, jump }, 10f64.powf(random.within(-4.0, 1.0)));
        let feet = character.feet();
        let inside = (0.3..5.7).contains(&feet.x) && (0.3..5.7).contains(&feet.y) && (0.0..4.2).contains(&feet.z);
        assert!(inside, "move {i}: {feet}");
    }
}
