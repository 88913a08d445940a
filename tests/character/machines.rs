//! A random walk among doors, lifts, presses and arms: in a closed room with tables, grooves and funnels, and in real
//! levels.
//!
//! `BVTREE_CHARACTER_STEPS` sets the number of steps.

use std::sync::Arc;

use bvtree::character::{CharacterOptions, Intent};
use bvtree::mesh::{ReadOptions, UpAxis};
use bvtree::probe::{Ray, RayHit};
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Probe};
use bvtree_test_support::dataset_folder::real;
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

/// What happened to a character that walked at random among machines.
#[derive(Debug, Default)]
struct Roamed {
    /// Steps that ended inside the level, passed through it or left the place that the level encloses; and times when
    /// the character stopped in the air.
    inside: u64,
    through: u64,
    out: u64,
    asleep: u64,
    grounded: u64,
    crushed: u64,
    embedded: u64,
    /// The first of those that must not happen.
    first: String,
}

impl Roamed {
    fn assert_safe(&self) {
        println!("{self:?}");
        assert!(self.inside + self.through + self.out + self.asleep == 0, "{self:?}");
    }
}

/// How many steps a test takes.
fn steps_or(default: u64) -> u64 {
    std::env::var("BVTREE_CHARACTER_STEPS").map_or(default, |steps| steps.parse().expect("a whole number"))
}

/// Walks at random through a level with machines. Now and then `place` moves the character to another place and returns
/// the one around which new machines stand; it does so, too, where the character `has_left`.
fn roam(
    level: &Arc<BvTree>,
    steps: u64,
    mut place: impl FnMut(&mut Random, &mut Character, &mut Probe) -> Vector3<f64>,
    has_left: impl Fn(&Point3<f64>) -> bool,
    is_out: impl Fn(&Point3<f64>) -> bool,
) -> Roamed {
    let (mut random, mut probe, mut roamed) = (Random(11), Probe::new(), Roamed::default());
    let mut character = Character::new(&CharacterOptions::default(), Point3::new(0.0, 0.0, 0.1)).unwrap();
    let (mut machines, mut origin) = (Machines::new(&mut random), Vector3::zeros());
    let (mut time, mut walk, mut still) = (0.0, Vector3::zeros(), 0);
    for i in 0..steps {
        if i % 1000 == 0 || has_left(&character.feet()) {
            (machines, time) = (Machines::new(&mut random), 0.0);
            origin = place(&mut random, &mut character, &mut probe);
        }
        if random.next() < 0.03 {
            let speed = random.within(0.0, 6.0);
            walk = Vector3::new(random.within(-1.0, 1.0), random.within(-1.0, 1.0), 0.0) * speed;
        }
        let jump = if random.next() < 0.03 { random.within(1.0, 6.0) } else { 0.0 };
        let step = if random.next() < 0.02 { random.within(0.001, 0.1) } else { 1.0 / 60.0 };
        let around = |pose: Pose| Pose::new(*pose.rotation(), pose.translation() + origin).unwrap();
        let [start, end] =
            [time, time + step].map(|time| machines.poses(time).map(|(mesh, pose)| (mesh, around(pose))));
        time += step;
        let mut bodies = vec![Body::fixed(level)];
        bodies.extend(start.iter().zip(&end).map(|((mesh, a), (_, b))| Body::moving(&machines.meshes[*mesh], a, b)));
        let (before, middle) = (character.feet(), 0.9 * Vector3::z());
        let outcome = character.step(&bodies, &Intent { walk, jump }, step);
        let feet = character.feet();
        let distance =
            probe.closest_capsule_contact(level, &character.capsule(), 1.0).map_or(1.0, |contact| contact.distance);
        let is_inside = distance.is_nan() || distance <= -1e-9;
        // A step that is shorter than two radii and free at both ends can't pass through a surface.
        let moved = feet - before;
        let crosses = |hit: RayHit| nalgebra::distance(&hit.point, &(before + middle)) < moved.norm();
        let is_through = moved.norm() > 0.5
            && probe.closest_hit(level, &Ray::new(before + middle, moved), f64::INFINITY).is_some_and(crosses);
        let is_still = character.ground().is_none() && outcome.overlap.is_none() && moved.norm() < 1e-7;
        still = if is_still { still + 1 } else { 0 };
        let (is_out, is_asleep) = (is_out(&feet), still == 10);
        roamed.inside += u64::from(is_inside);
        roamed.through += u64::from(is_through);
        roamed.out += u64::from(is_out);
        roamed.asleep += u64::from(is_asleep);
        roamed.crushed += u64::from(outcome.is_crushed);
        roamed.embedded += u64::from(outcome.overlap.is_some());
        roamed.grounded += u64::from(character.ground().is_some());
        if (is_inside || is_through || is_out || is_asleep) && roamed.first.is_empty() {
            roamed.first =
                format!("step {i}: {before} to {feet}, {distance} from the level, {outcome:?}, {walk} {jump} {step}");
        }
    }
    roamed
}

/// Whether the character is free of the level.
fn is_free(level: &BvTree, character: &Character, probe: &mut Probe) -> bool {
    probe.closest_capsule_contact(level, &character.capsule(), 1.0).is_none_or(|contact| contact.distance > 0.01)
}

#[test]
fn nobody_is_pushed_out_or_falls_asleep() {
    let (room, steps) = (room(), steps_or(6_000));
    let place = |random: &mut Random, character: &mut Character, probe: &mut Probe| loop {
        let [x, y] = [(); 2].map(|()| random.within(0.4 - HALF, HALF - 0.4));
        character.teleport(Point3::new(x, y, random.within(0.02, 2.5))).unwrap();
        if is_free(&room, character, probe) {
            break Vector3::zeros();
        }
    };
    let is_out = |feet: &Point3<f64>| {
        !(feet.x.abs() < HALF - 0.3 && feet.y.abs() < HALF - 0.3 && (0.0..TOP - 1.8).contains(&feet.z))
    };
    let roamed = roam(&room, steps, place, |_| false, is_out);
    roamed.assert_safe();
    // A jump takes longer than the time between two of them.
    assert!(roamed.grounded > steps / 3 && (roamed.crushed > 0 || steps < 6_000), "{roamed:?}");
}

/// The machines stand around the character wherever it is placed, across walls and floors. Who walks off the edge of a
/// level is placed anew.
#[test]
fn nobody_is_pushed_through_real_levels() {
    let Some(folder) = real("levels") else { return };
    let mut levels: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    levels.sort();
    let steps = steps_or(700);
    for path in &levels {
        // All but this one are in metres, with y up.
        let is_in_centimetres = path.ends_with("box3d-collision_mesh_01.obj");
        let (up, scale) = if is_in_centimetres { (UpAxis::Z, 0.01) } else { (UpAxis::Y, 1.0) };
        let options = ReadOptions { up: Some(up), scale, ..ReadOptions::default() };
        let mesh = Mesh::open_with(path, &options).unwrap().mesh;
        let level = Arc::new(BvTree::build(&mesh, &BuildOptions::default()).unwrap());
        let bounds = *level.bounds();
        let place = |random: &mut Random, character: &mut Character, probe: &mut Probe| loop {
            let [x, y, z] = [0, 1, 2].map(|k| random.within(bounds.lower[k], bounds.upper[k] + 2.0));
            let down = Ray::new(Point3::new(x, y, z), -Vector3::z());
            let Some(floor) = probe.closest_hit(&level, &down, f64::INFINITY) else { continue };
            character.teleport(floor.point + 0.02 * Vector3::z()).unwrap();
            if is_free(&level, character, probe) {
                break floor.point.coords;
            }
        };
        let has_left = |feet: &Point3<f64>| feet.z < bounds.lower.z - 2.0;
        let roamed = roam(&level, steps / levels.len() as u64, place, has_left, |_| false);
        println!("{}", path.display());
        roamed.assert_safe();
        assert!(roamed.grounded > steps / levels.len() as u64 / 20, "{roamed:?}");
    }
}
