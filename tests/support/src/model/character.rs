//! A character among bodies that stand still: once it is free it never overlaps one of them, by all of their triangles,
//! and one that is put where it was put last and does the same since comes to the same place. (What moving bodies push
//! is not modelled.)

use std::sync::Arc;

use bvtree::character::{Character, CharacterOptions, Intent, Surroundings};
use bvtree::scene::{Body, Scene};
use bvtree::{BvTree, Mesh, Pose};
use nalgebra::{Point3, Vector3};

use super::brute::truth;
use super::ingredients::{MESHES, build_options, eighths, place};
use super::machine::{BYTES, Model};

/// What it walks among, and what it did since it was put where it was.
#[derive(Clone, Debug)]
pub struct Walk {
    bodies: Vec<(usize, Pose)>,
    options: u8,
    placed: Point3<f64>,
    steps: Vec<(Intent, f64)>,
}

#[derive(Clone, Debug)]
pub enum Op {
    Step(Intent, f64),
    Place(Point3<f64>),
    /// Where there is none.
    PlaceNowhere,
    /// Another one does the same since it was placed.
    Again,
}

pub struct System {
    scene: Scene,
    character: Character,
    /// It was out of everything after some step since it was placed.
    was_free: bool,
}

/// How much less than the radius the distance may be: rounding.
const OVERLAP: f64 = 1e-9;

impl Model for Walk {
    type Op = Op;
    type System = System;

    fn new([count, a, b, c, options, x, y, z]: [u8; BYTES]) -> Self {
        // A floor, and what stands about on it.
        let at = |bytes: [u8; 4], height: f64| {
            let pose = place(bytes);
            Pose::new(*pose.rotation(), pose.translation() + Vector3::z() * height).expect("a pose")
        };
        let around = [[a, b, c, a], [b, c, a, b], [c, a, b, c]].map(|bytes| (usize::from(bytes[0]), at(bytes, 1.0)));
        let mut bodies = vec![(MESHES.len() - 1, at([0; 4], -4.0))];
        bodies.extend(around.into_iter().take(usize::from(count % 4)).map(|(m, pose)| (m % MESHES.len(), pose)));
        Self { bodies, options, placed: start([x, y, z]), steps: Vec::new() }
    }

    fn op([what, a, b, c, d, e, ..]: [u8; BYTES]) -> Op {
        let speeds = [1.0, 3.0, 0.1, 30.0, 1e-9, 1e3, 1e-300];
        let times = [1.0 / 60.0, 0.1, 1.0, 0.0, 1e-3, 5e-324, 1e-9, 10.0, f64::NAN, -1.0, f64::INFINITY];
        let jumps = [0.0, 0.0, 0.0, 4.0, 0.5, 1e-300, 50.0, f64::NAN];
        match what % 16 {
            0 => Op::Place(start([a, b, c])),
            1 if a % 8 == 0 => Op::PlaceNowhere,
            1 | 2 => Op::Again,
            _ => {
                let speed = speeds[usize::from(c) % speeds.len()];
                let walk = Vector3::new(eighths(a), eighths(b), eighths(what / 16)) * speed;
                Op::Step(
                    Intent { walk, jump: jumps[usize::from(d) % jumps.len()] },
                    times[usize::from(e) % times.len()],
                )
            }
        }
    }

    fn apply(&mut self, op: &Op) {
        match op {
            Op::Step(intent, time) => self.steps.push((*intent, *time)),
            Op::Place(at) => (self.placed, self.steps) = (*at, Vec::new()),
            Op::PlaceNowhere | Op::Again => {}
        }
    }

    fn system(&self) -> System {
        let mut scene = Scene::new();
        for &(mesh, pose) in &self.bodies {
            let tree = BvTree::build(&MESHES[mesh], &build_options(self.options)).expect("a tree");
            scene.add(Body::fixed(Arc::new(tree), pose)).expect("a body");
        }
        System { scene, character: self.character(), was_free: false }
    }

    fn run(&self, system: &mut System, op: &Op) {
        match op {
            Op::Place(at) => {
                system.character.teleport(*at).expect("finite");
                system.was_free = false;
            }
            Op::PlaceNowhere => {
                let before = system.character.feet();
                assert!(system.character.teleport(Point3::new(0.0, f64::NAN, 0.0)).is_err());
                assert_eq!(system.character.feet(), before);
            }
            Op::Step(intent, time) => {
                let outcome = system.character.step(&Surroundings::new(&system.scene), intent, *time);
                let outcome = outcome.expect("nothing moves");
                let character = &system.character;
                assert!(character.feet().iter().chain(&character.velocity()).all(|x| x.is_finite()), "{character:?}");
                assert!(!outcome.is_crushed, "nothing moves");
                let depth = self.overlap(character);
                assert!(!system.was_free || depth <= OVERLAP, "in something by {depth:e}: {character:?}");
                system.was_free |= depth <= 0.0;
            }
            Op::Again => {
                let mut again = self.character();
                for (intent, time) in &self.steps {
                    again.step(&Surroundings::new(&system.scene), intent, *time).expect("nothing moves");
                }
                let character = &system.character;
                assert_eq!((again.feet(), again.velocity()), (character.feet(), character.velocity()));
                assert_eq!(format!("{:?}", again.ground()), format!("{:?}", character.ground()));
            }
        }
    }
}

impl Walk {
    fn character(&self) -> Character {
        // Sizes that f32 has, so that the axis is one of its segments.
        let person = CharacterOptions { radius: 0.25, height: 1.75, ..CharacterOptions::default() };
        let options = match self.options % 4 {
            0 | 1 => person,
            2 => CharacterOptions { radius: 0.125, height: 0.25, skin: 1e-3, ..person },
            _ => CharacterOptions { max_step: 0.0, snap_distance: 0.0, gravity: 0.0, ..person },
        };
        Character::new(&options, self.placed).expect("in range")
    }

    /// How deep the capsule is in the triangle that it is deepest in: its radius less the distance of its axis.
    fn overlap(&self, character: &Character) -> f64 {
        let capsule = character.capsule();
        let (start, end) = (capsule.segment.start, capsule.segment.end);
        let depth = |(mesh, pose): &(usize, Pose)| {
            // About the axis's start, so that f32 has its end.
            let axis = Mesh::from_f64_slices(&[[0.0; 3], (end - start).into()], &[[0, 1, 1]]).expect("finite");
            let body = Pose::new(*pose.rotation(), pose.translation() - start.coords).expect("a pose");
            truth(&axis, &MESHES[*mesh], &body).map_or(f64::NEG_INFINITY, |truth| capsule.radius - truth.distance)
        };
        self.bodies.iter().map(depth).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// Somewhere over the floor, or in something.
fn start(bytes: [u8; 3]) -> Point3<f64> {
    let [x, y, z] = bytes.map(eighths);
    Point3::new(x, y, z.abs() + 0.02)
}
