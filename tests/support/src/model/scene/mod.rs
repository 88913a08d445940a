//! A scene: bodies come, go, move, travel, deform and are told apart; every answer is that of a scene which has just
//! been made of the same bodies, and that of all pairs of triangles.

mod body;
mod questions;
mod system;
mod truths;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use bvtree::scene::Scene;
use bvtree::{Mesh, Pose};
use nalgebra::{Point3, Vector3};

use super::ingredients::{Bound, Deform, MESHES, OPEN, far, moved_vertex, nudge, place, with_vertices};
use super::machine::{BYTES, Model};
use body::{Form, Known, NewBody};
use system::System;

/// The bodies, and which of them are compared.
#[derive(Clone, Debug, Default)]
pub struct World {
    bodies: Vec<Known>,
    /// By their numbers, the lesser first.
    ignored: HashSet<[u32; 2]>,
    compares_static: bool,
    next_number: u32,
}

#[derive(Clone, Debug)]
pub enum Op {
    Ask {
        question: Question,
        two_threads: bool,
    },
    Add(NewBody),
    AddAll([NewBody; 2]),
    Remove(u8),
    Place(u8, Pose),
    PlaceTwo([(u8, Pose); 2]),
    Nudge(u8, Vector3<f64>),
    /// There and back; whether the scene is asked there.
    Travel(u8, Vector3<f64>, bool),
    /// Farther than a scene goes: refused.
    TooFar(u8),
    /// A question that is interrupted after so many looks at the interrupt, and the clearance that it asks for.
    Interrupted(i64, Bound),
    /// Solid, but of an open mesh: refused.
    OpenSolid(NewBody),
    Groups(u8, u32, u32),
    Ignore(u8, u8, bool),
    CompareStatic(bool),
    Deform(u8, Deform),
    /// Of bytes for a vertex and its place.
    MoveVertices(u8, [[u8; 4]; 2]),
    Rebuild(u8),
    Replace(u8, usize, u8),
}

#[derive(Clone, Debug)]
pub enum Question {
    Touching,
    /// The touching pairs, up to so many.
    SomeTouching(usize),
    /// The bound of a pair's distance, if it is of one.
    Within(Bound, u8),
    SomeWithin(Bound, u8, usize),
    Closest,
    Relations(Bound),
    Neighbors(Bound),
    Impacts(u8, Vector3<f64>),
    /// Rays, points and meshes.
    Probes(Pose, Bound),
}

const MAX_BODIES: usize = 5;

impl Model for World {
    type Op = Op;
    type System = System;

    fn new(bytes: [u8; BYTES]) -> Self {
        Self { compares_static: bytes[0] % 2 == 1, ..Self::default() }
    }

    fn op([what, who, a, b, c, d, e, f]: [u8; BYTES]) -> Op {
        let question = || match a % 12 {
            0..=1 => Question::Touching,
            2 => Question::SomeTouching(usize::from(b % 3)),
            3..=6 => Question::Within(Bound::new(b), c),
            7 => Question::SomeWithin(Bound::new(b), c, usize::from(d % 3)),
            8 => Question::Closest,
            9 => Question::Relations(Bound::new(b)),
            10 => Question::Neighbors(Bound::new(b)),
            _ if b % 2 == 0 => Question::Impacts(who, place([c, d, e, 0]).translation() * 2.0),
            _ => Question::Probes(place([c, d, e, f]), Bound::new(b)),
        };
        match what % 32 {
            0..=9 => Op::Ask { question: question(), two_threads: who > 127 },
            10..=12 => Op::Add(NewBody::new([a, b, c, d, e, f])),
            13 => Op::AddAll([NewBody::new([a, b, c, d, e, f]), NewBody::new([b, a, d, e, c, f])]),
            14 => Op::Remove(who),
            15..=18 => Op::Place(who, place([a, b, c, d])),
            19 => Op::PlaceTwo([(who, place([a, b, c, d])), (e, place([b, c, a, f]))]),
            20..=22 => Op::Nudge(who, nudge([a, b])),
            23..=24 => Op::Travel(who, far([a, b]), c % 2 == 0),
            25 if a % 3 == 0 => Op::TooFar(who),
            25 if a % 3 == 1 => Op::Interrupted(i64::from(b % 4), Bound::new(c)),
            25 => {
                let (mesh, form) = (OPEN[usize::from(b % 2)], if c % 2 == 0 { Form::Mesh } else { Form::Compound(0) });
                Op::OpenSolid(NewBody { mesh, form, is_solid: true, ..NewBody::new([b, c, d, e, f, a]) })
            }
            26 if a < 128 => Op::Ignore(who, a, b % 2 == 0),
            26 => Op::CompareStatic(b % 2 == 0),
            27 => Op::Groups(who, 1 << (a % 3), [u32::MAX, 1, 3, 0][usize::from(b % 4)]),
            28 => Op::Deform(who, Deform::new([a, b, c, d])),
            29 => Op::MoveVertices(who, [[a, b, c, d], [e, c, b, f]]),
            30 => Op::Rebuild(who),
            _ => Op::Replace(who, usize::from(a) % MESHES.len(), b),
        }
    }

    fn allows(&self, op: &Op) -> bool {
        match op {
            Op::Ask { .. } | Op::Interrupted(..) | Op::OpenSolid(_) | Op::CompareStatic(_) => true,
            Op::Add(_) => self.bodies.len() < MAX_BODIES,
            Op::AddAll(_) => self.bodies.len() + 2 <= MAX_BODIES,
            // Where a solid's surface passes through itself, what is inside is a matter of taste.
            Op::Deform(who, _) | Op::MoveVertices(who, _) | Op::Replace(who, ..) => {
                let place = usize::from(*who).checked_rem(self.bodies.len());
                place.is_some_and(|place| !self.bodies[place].is_solid)
            }
            _ => !self.bodies.is_empty(),
        }
    }

    fn apply(&mut self, op: &Op) {
        let count = self.bodies.len();
        let at = |who: &u8| usize::from(*who) % count;
        match op {
            Op::Ask { .. }
            | Op::Travel(..)
            | Op::TooFar(_)
            | Op::Interrupted(..)
            | Op::OpenSolid(_)
            | Op::Rebuild(_) => {}
            Op::Add(new) => self.add(new),
            Op::AddAll(all) => all.iter().for_each(|new| self.add(new)),
            Op::Remove(who) => {
                let number = self.bodies.remove(at(who)).number;
                self.ignored.retain(|pair| !pair.contains(&number));
            }
            Op::Place(who, pose) => self.bodies[at(who)].pose = *pose,
            Op::PlaceTwo(both) => both.iter().for_each(|(who, pose)| self.bodies[at(who)].pose = *pose),
            Op::Nudge(who, by) => self.bodies[at(who)].pose = moved(&self.bodies[at(who)].pose, by),
            Op::Groups(who, groups, mask) => {
                let body = &mut self.bodies[at(who)];
                (body.groups, body.mask) = (*groups, *mask);
            }
            Op::Ignore(who, other, yes) => {
                let pair = self.pair([at(who), at(other)]);
                if *yes {
                    self.ignored.insert(pair)
                } else {
                    self.ignored.remove(&pair)
                };
            }
            Op::CompareStatic(yes) => self.compares_static = *yes,
            // A shape does not deform, nor does a compound.
            Op::Deform(who, _) | Op::MoveVertices(who, _) if self.bodies[at(who)].form != Form::Mesh => {}
            Op::Deform(who, how) => {
                let body = &mut self.bodies[at(who)];
                body.mesh = with_vertices(&body.mesh, how.of(&body.mesh, &body.first));
            }
            Op::MoveVertices(who, bytes) => {
                let body = &mut self.bodies[at(who)];
                let mut vertices = body.mesh.vertices().to_vec();
                for (vertex, position) in vertices_moved(&body.mesh, bytes) {
                    vertices[vertex as usize] = position;
                }
                body.mesh = with_vertices(&body.mesh, vertices);
            }
            Op::Replace(who, mesh, options) => {
                let body = &mut self.bodies[at(who)];
                body.form = Form::of(*options);
                (body.mesh, body.first) = (MESHES[*mesh].clone(), MESHES[*mesh].clone());
            }
        }
    }

    fn system(&self) -> System {
        let mut scene = Scene::new();
        scene.include_static_pairs(self.compares_static);
        let looks_left = Arc::new(AtomicI64::new(i64::MAX));
        let left = looks_left.clone();
        scene.interrupt_when(move || left.fetch_sub(1, Ordering::Relaxed) <= 0);
        System { scene, looks_left, actors: Vec::new(), removed: None, truths: HashMap::new() }
    }

    fn run(&self, system: &mut System, op: &Op) {
        system.apply(self, op);
        assert_eq!(system.scene.len(), self.bodies.len());
        for (actor, known) in system.actors.iter().zip(&self.bodies) {
            let body = system.scene.body(actor.id).expect("it is there");
            assert_eq!((body.pose, body.groups, body.mask), (known.pose, known.groups, known.mask));
            assert_eq!(body.is_solid, known.is_solid);
            assert_eq!(actor.tree.mesh().vertices(), known.mesh.vertices());
        }
    }
}

impl World {
    fn add(&mut self, new: &NewBody) {
        self.bodies.push(new.known(self.next_number));
        self.next_number += 1;
    }

    /// The numbers of two bodies in their places.
    fn pair(&self, places: [usize; 2]) -> [u32; 2] {
        let mut pair = places.map(|place| self.bodies[place].number);
        pair.sort_unstable();
        pair
    }

    fn is_compared(&self, places: [usize; 2]) -> bool {
        let [a, b] = places.map(|place| &self.bodies[place]);
        (self.compares_static || !(a.is_static && b.is_static))
            && a.groups & b.mask != 0
            && b.groups & a.mask != 0
            && !self.ignored.contains(&self.pair(places))
    }
}

fn vertices_moved(mesh: &Mesh, bytes: &[[u8; 4]; 2]) -> Vec<(u32, Point3<f32>)> {
    bytes.iter().filter_map(|&[vertex, x, y, z]| moved_vertex(mesh, vertex, [x, y, z])).collect()
}

fn moved(pose: &Pose, by: &Vector3<f64>) -> Pose {
    Pose::new(*pose.rotation(), pose.translation() + by).expect("finite")
}
