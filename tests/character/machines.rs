//! A random walk among doors, lifts, presses and arms, in a closed room with tables, grooves and funnels.
//!
//! `BVTREE_CHARACTER_STEPS` sets the number of steps.

use std::sync::Arc;

use bvtree::character::{CharacterOptions, Intent};
use bvtree::{BvTree, Pose, Probe};
use nalgebra::{Point3, Rotation3, Vector3};

use super::among::{Body, Character};
use super::moving::{at, cuboid};
use super::random::Random;
use super::situations::{level_quad, tree, wall_quad};

const HALF: f64 = 8.0;
const TOP: f64 = 5.0;

/// A room of sheets, with what gets in the way.
pub fn room() -> Arc<BvTree> {
    let all = [-HALF, HALF];
    let side = |y: f64, z: [f64; 2]| [[-HALF, y, z[0]], [HALF, y, z[0]], [HALF, y, z[1]], [-HALF, y, z[1]]];
    let mut quads = vec![
        level_quad(all, all, 0.0),
        level_quad(all, all, TOP),
        wall_quad(-HALF, all, [0.0, TOP]),
        wall_quad(HALF, all, [0.0, TOP]),
        side(-HALF, [0.0, TOP]),
        side(HALF, [0.0, TOP]),
        // A gallery with a low room below, and a wall with a way through.
        level_quad([-8.0, -5.0], [-8.0, 8.0], 2.5),
        wall_quad(2.0, [-8.0, -1.0], [0.0, TOP]),
        wall_quad(2.0, [1.0, 8.0], [0.0, TOP]),
        wall_quad(2.2, [-8.0, -1.0], [0.0, TOP]),
        wall_quad(2.2, [1.0, 8.0], [0.0, TOP]),
    ];
    // Stairs to the gallery.
    for i in 0..9 {
        let (y, z) = (-4.0 + 0.4 * f64::from(i), 0.28 * f64::from(i));
        let step = [[-5.0, y, z], [-4.0, y, z], [-4.0, y, z + 0.28], [-5.0, y, z + 0.28]];
        quads.extend([step, level_quad([-5.0, -4.0], [y, y + 0.4], z + 0.28)]);
    }
    // Tables 0.58 apart.
    for x in [[3.0, 4.0], [4.58, 5.58]] {
        for y in [4.0, 6.0] {
            quads.push([[x[0], y, 0.0], [x[1], y, 0.0], [x[1], y, 0.6], [x[0], y, 0.6]]);
        }
        quads.extend([
            level_quad(x, [4.0, 6.0], 0.6),
            wall_quad(x[0], [4.0, 6.0], [0.0, 0.6]),
            wall_quad(x[1], [4.0, 6.0], [0.0, 0.6]),
        ]);
    }
    // A groove of steep slopes, and a funnel.
    quads.push([[4.0, -6.0, 0.0], [4.0, -3.0, 0.0], [5.5, -3.0, 1.8], [5.5, -6.0, 1.8]]);
    quads.push([[4.0, -6.0, 0.0], [4.0, -3.0, 0.0], [2.5, -3.0, 1.8], [2.5, -6.0, 1.8]]);
    quads.push([[6.0, -2.5, 1.8], [7.5, -2.5, 1.8], [7.5, -1.0, 0.0], [6.0, -1.0, 0.0]]);
    quads.push([[6.0, 0.5, 1.8], [7.5, 0.5, 1.8], [7.5, -1.0, 0.0], [6.0, -1.0, 0.0]]);
    quads.push([[5.0, -2.5, 1.8], [5.0, 0.5, 1.8], [6.5, 0.5, 0.0], [6.5, -2.5, 0.0]]);
    tree(&quads)
}

/// Runs up and down between 0 and 1, and rests at both ends for a while.
fn back_and_forth(phase: f64) -> f64 {
    (3.0 * (phase - 2.0 * (0.5 * phase).floor() - 1.0).abs() - 1.0).clamp(0.0, 1.0)
}

pub struct Machines {
    pub meshes: [Arc<BvTree>; 6],
    rates: [f64; 8],
}

impl Machines {
    pub fn new(random: &mut Random) -> Self {
        let sheet = tree(&[wall_quad(0.0, [-1.0, 1.0], [-1.2, 1.2])]);
        Self {
            meshes: [
                cuboid([2.0, 2.0, 0.3]),
                cuboid([0.2, 2.0, 2.4]),
                sheet,
                cuboid([3.0, 0.2, 1.5]),
                cuboid([2.5, 2.5, 2.0]),
                cuboid([1.5, 1.5, 0.2]),
            ],
            rates: [(); 8].map(|()| random.within(0.1, 1.5)),
        }
    }

    /// The bodies' meshes and poses at a time.
    pub fn poses(&self, time: f64) -> [(usize, Pose); 8] {
        let go = |i: usize| back_and_forth(self.rates[i] * time + i as f64 * 0.3);
        let turn = Rotation3::from_axis_angle(&Vector3::z_axis(), self.rates[3] * time).into_inner();
        let tilt = Rotation3::from_axis_angle(&Vector3::x_axis(), 0.6 * (self.rates[7] * time).sin()).into_inner();
        [
            // Lifts to the gallery and to the ceiling.
            (0, at(-3.5, -5.5, -0.14 + 2.64 * go(0))),
            (0, at(-2.0, 5.0, -0.14 + 4.7 * go(1))),
            // A door in the way through the wall, and a sheet that closes against a wall.
            (1, at(2.1, -2.0 + 2.0 * go(2), 1.25)),
            (2, at(5.5 + 2.3 * go(4), 2.5, 1.25)),
            // An arm that turns about the middle of the room.
            (3, Pose::new(turn, Vector3::new(-1.0, 0.0, 0.9)).unwrap()),
            // A thick press, and a thin one in the low room below the gallery.
            (4, at(0.0, -5.5, 1.02 + 2.5 * go(5))),
            (5, at(-6.5, 3.0, 0.15 + 2.0 * go(6))),
            // A platform that tilts.
            (0, Pose::new(tilt, Vector3::new(-1.0, 6.0 - 3.0 * go(7), 0.5)).unwrap()),
        ]
    }
}

#[test]
fn nobody_is_pushed_out_or_falls_asleep() {
    let steps = std::env::var("BVTREE_CHARACTER_STEPS").map_or(6_000, |steps| steps.parse().expect("a whole number"));
    let (room, mut random, mut probe) = (room(), Random(11), Probe::new());
    let mut character = Character::new(&CharacterOptions::default(), Point3::new(0.0, 0.0, 0.1)).unwrap();
    let (mut machines, mut time, mut walk) = (Machines::new(&mut random), 0.0, Vector3::zeros());
    let (mut crushed, mut embedded, mut still, mut grounded, mut inside, mut asleep, mut out) = (0, 0, 0, 0, 0, 0, 0);
    let mut first = String::new();
    for i in 0..steps {
        if i % 3000 == 0 {
            (machines, time) = (Machines::new(&mut random), 0.0);
            loop {
                let place = |random: &mut Random| random.within(0.4 - HALF, HALF - 0.4);
                let feet = Point3::new(place(&mut random), place(&mut random), random.within(0.02, 2.5));
                character.teleport(feet).unwrap();
                let contact = probe.closest_capsule_contact(&room, &character.capsule(), 1.0);
                if contact.is_none_or(|contact| contact.distance > 0.01) {
                    break;
                }
            }
        }
        if random.next() < 0.03 {
            let speed = random.within(0.0, 6.0);
            walk = Vector3::new(random.within(-1.0, 1.0), random.within(-1.0, 1.0), 0.0) * speed;
        }
        let jump = if random.next() < 0.03 { random.within(1.0, 6.0) } else { 0.0 };
        let step = if random.next() < 0.02 { random.within(0.001, 0.1) } else { 1.0 / 60.0 };
        let (start, end) = (machines.poses(time), machines.poses(time + step));
        time += step;
        let mut bodies = vec![Body::fixed(&room)];
        bodies.extend(start.iter().zip(&end).map(|((mesh, a), (_, b))| Body::moving(&machines.meshes[*mesh], a, b)));
        let before = character.feet();
        let outcome = character.step(&bodies, &Intent { walk, jump }, step);
        let feet = character.feet();
        let distance =
            probe.closest_capsule_contact(&room, &character.capsule(), 1.0).map_or(1.0, |contact| contact.distance);
        let is_inside = distance.is_nan() || distance <= -1e-9;
        let is_out = !(feet.x.abs() < HALF - 0.3 && feet.y.abs() < HALF - 0.3 && (0.0..TOP - 1.8).contains(&feet.z));
        let is_still = character.ground().is_none() && outcome.overlap.is_none() && (feet - before).norm() < 1e-7;
        still = if is_still { still + 1 } else { 0 };
        (inside, out) = (inside + u64::from(is_inside), out + u64::from(is_out));
        asleep += u64::from(still == 10);
        (crushed, embedded) =
            (crushed + u64::from(outcome.is_crushed), embedded + u64::from(outcome.overlap.is_some()));
        grounded += u64::from(character.ground().is_some());
        if (is_inside || is_out || still == 10) && first.is_empty() {
            first =
                format!("step {i}: {before} to {feet}, {distance} from the room, {outcome:?}, {walk} {jump} {step}");
        }
    }
    println!(
        "{steps} steps: {inside} inside, {out} out, {asleep} asleep; {grounded} on ground, {crushed} crushed, \
         {embedded} embedded"
    );
    assert!(inside + out + asleep == 0, "{inside} inside, {out} out, {asleep} asleep; first {first}");
    // A jump takes longer than the time between two of them.
    assert!(grounded > steps / 3 && (crushed > 0 || steps < 6_000));
}
