//! A scene: bodies come, go, move, travel, deform and are told apart; every answer is that of a scene which has just
//! been made of the same bodies, and that of all pairs of triangles.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use bvtree::probe::Containment;
use bvtree::query::Relation;
use bvtree::refit::{DeformingTree, RefitOptions};
use bvtree::scene::{Body, BodyId, BodyImpact, Geometry, NearPair, Neighbors, Scene, SceneError};
use bvtree::shape::{ConvexShape, Distance};
use bvtree::{BvTree, Mesh, Motion, Pose, Probe, Query};
use nalgebra::{Point3, Vector3};

use super::brute::{Truth, inside, is_inside, truth, truth_of_shape, truth_of_shapes};
use super::ingredients::{
    Bound, CLOSED, Deform, MESHES, OPEN, SHAPES, build_options, far, moved_vertex, nudge, obb_axes, on_threads, place,
    with_vertices,
};
use super::machine::{BYTES, Model};

/// The bodies, and which of them are compared.
#[derive(Clone, Debug, Default)]
pub struct World {
    bodies: Vec<Known>,
    /// By their numbers, the lesser first.
    ignored: HashSet<[u32; 2]>,
    compares_static: bool,
    next_number: u32,
}

/// What is known about a body.
#[derive(Clone, Debug)]
struct Known {
    number: u32,
    mesh: Mesh,
    first: Mesh,
    /// By its number, in place of the mesh.
    shape: Option<usize>,
    pose: Pose,
    is_static: bool,
    is_solid: bool,
    groups: u32,
    mask: u32,
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
    /// Questions that end after so many looks, and what is asked before that is noticed.
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
    /// Ends after so many.
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

/// A body to be added: a mesh, or a shape in its place.
#[derive(Clone, Debug)]
pub struct NewBody {
    mesh: usize,
    shape: Option<usize>,
    options: u8,
    pose: Pose,
    is_static: bool,
    is_solid: bool,
}

pub struct System {
    scene: Scene,
    /// After so many looks a question is interrupted.
    looks_left: Arc<AtomicI64>,
    actors: Vec<Actor>,
    removed: Option<BodyId>,
    truths: HashMap<[BodyId; 2], (Key, Option<Truth>)>,
}

/// What the truth about two bodies depends on.
type Key = ([u32; 2], Pose);

struct Actor {
    id: BodyId,
    tree: DeformingTree,
    /// How often it has deformed.
    version: u32,
}

const MAX_BODIES: usize = 5;

impl NewBody {
    fn new([mesh, options, place_at @ ..]: [u8; 6]) -> Self {
        let is_solid = mesh >= 128;
        let mesh = usize::from(mesh) % MESHES.len();
        let shape = shape_of(options);
        Self {
            mesh,
            shape,
            options,
            pose: place(place_at),
            is_static: options % 5 == 4,
            is_solid: is_solid && CLOSED.contains(&mesh),
        }
    }

    fn known(&self, number: u32) -> Known {
        let Self { mesh, shape, pose, is_static, is_solid, .. } = *self;
        let mesh = MESHES[mesh].clone();
        Known { number, first: mesh.clone(), mesh, shape, pose, is_static, is_solid, groups: 1, mask: u32::MAX }
    }

    fn deforming(&self) -> DeformingTree {
        let mesh = MESHES[self.mesh].clone();
        let tree = BvTree::build(&mesh, &build_options(self.options)).expect("a tree");
        let rebuild_above = (self.options > 127).then_some(2.0);
        let options = RefitOptions { obb_axes: obb_axes(self.options / 9), rebuild_above };
        DeformingTree::with_options(tree, mesh, options).expect("its own mesh")
    }

    fn body(&self, tree: &DeformingTree) -> Body {
        let Self { is_static, is_solid, .. } = *self;
        Body { is_static, is_solid, ..Body::moving(geometry(self.shape, tree), self.pose) }
    }
}

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
                let mesh = OPEN[usize::from(b % 2)];
                Op::OpenSolid(NewBody { mesh, shape: None, is_solid: true, ..NewBody::new([b, c, d, e, f, a]) })
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
            // A shape does not deform.
            Op::Deform(who, _) | Op::MoveVertices(who, _) if self.bodies[at(who)].shape.is_some() => {}
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
                body.shape = shape_of(*options);
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

impl System {
    fn apply(&mut self, model: &World, op: &Op) {
        let count = self.actors.len();
        let at = |who: &u8| usize::from(*who) % count;
        match op {
            Op::Ask { question, two_threads } => on_threads(*two_threads, || self.ask(model, question)),
            Op::Add(new) => {
                let tree = new.deforming();
                let id = self.scene.add(new.body(&tree)).expect("near");
                self.actors.push(Actor { id, tree, version: 0 });
            }
            Op::AddAll(all) => {
                let trees = all.each_ref().map(NewBody::deforming);
                let bodies: Vec<Body> = all.iter().zip(&trees).map(|(new, tree)| new.body(tree)).collect();
                let ids = self.scene.add_all(bodies).expect("near");
                self.actors.extend(ids.into_iter().zip(trees).map(|(id, tree)| Actor { id, tree, version: 0 }));
            }
            Op::Remove(who) => {
                let Actor { id, .. } = self.actors.remove(at(who));
                self.scene.remove(id).expect("it is there");
                assert!(self.scene.remove(id).is_err() && self.scene.set_pose(id, Pose::identity()).is_err());
                self.removed = Some(id);
            }
            Op::Place(who, _) | Op::Nudge(who, _) => {
                let place = at(who);
                self.scene.set_pose(self.actors[place].id, model.bodies[place].pose).expect("near");
            }
            Op::PlaceTwo(both) => {
                let poses: Vec<_> = both.iter().map(|(who, pose)| (self.actors[at(who)].id, *pose)).collect();
                self.scene.set_poses(poses).expect("near");
            }
            Op::Travel(who, way, is_asked) => {
                let place = at(who);
                let (id, pose) = (self.actors[place].id, model.bodies[place].pose);
                self.scene.set_pose(id, moved(&pose, way)).expect("near");
                if *is_asked {
                    self.scene.pairs_within(1.0);
                }
                self.scene.set_pose(id, pose).expect("near");
            }
            Op::TooFar(who) => {
                let id = self.actors[at(who)].id;
                let beyond = moved(&Pose::identity(), &Vector3::new(0.0, 2e30, 0.0));
                assert_eq!(self.scene.set_pose(id, beyond), Err(SceneError::TooFar));
            }
            Op::Interrupted(looks, clearance) => {
                self.looks_left.store(*looks, Ordering::Relaxed);
                self.scene.pairs_within(clearance.at(None));
                self.scene.intersecting_pairs();
                self.scene.closest_pair();
                self.looks_left.store(i64::MAX, Ordering::Relaxed);
                self.scene.take_interrupted();
            }
            Op::OpenSolid(new) => {
                let refused = self.scene.add(new.body(&new.deforming()));
                assert_eq!(refused, Err(SceneError::OpenSolid));
            }
            Op::Groups(who, groups, mask) => {
                self.scene.set_groups(self.actors[at(who)].id, *groups, *mask).expect("it is there");
            }
            Op::Ignore(who, other, yes) => {
                let [a, b] = [at(who), at(other)].map(|place| self.actors[place].id);
                self.scene.set_ignored(a, b, *yes).expect("they are there");
                let odd = self.removed.filter(|id| self.scene.body(*id).is_none());
                assert!(odd.is_none_or(|id| self.scene.set_ignored(id, a, *yes).is_err()));
            }
            Op::CompareStatic(yes) => self.scene.include_static_pairs(*yes),
            Op::Deform(who, _) | Op::MoveVertices(who, _) if model.bodies[at(who)].shape.is_some() => {
                let Actor { id, tree, .. } = &mut self.actors[at(who)];
                let vertices = tree.mesh().vertices().to_vec();
                assert_eq!(self.scene.refit(*id, tree, &vertices), Err(SceneError::NotATree(*id)));
            }
            Op::Rebuild(who) if model.bodies[at(who)].shape.is_some() => {}
            Op::Deform(who, _) => {
                let place = at(who);
                let Actor { id, tree, version } = &mut self.actors[place];
                self.scene.refit(*id, tree, model.bodies[place].mesh.vertices()).expect("finite");
                *version += 1;
            }
            Op::MoveVertices(who, bytes) => {
                let Actor { id, tree, version } = &mut self.actors[at(who)];
                let moved = vertices_moved(tree.mesh(), bytes);
                self.scene.refit_moved(*id, tree, &moved).expect("finite");
                *version += 1;
            }
            Op::Rebuild(who) => {
                let Actor { id, tree, version } = &mut self.actors[at(who)];
                tree.rebuild().expect("a tree");
                self.scene.set_geometry(*id, tree.tree().clone()).expect("it is there");
                *version += 1;
            }
            Op::Replace(who, mesh, options) => {
                let Actor { id, tree, version } = &mut self.actors[at(who)];
                let pose = Pose::identity();
                let shape = shape_of(*options);
                let new = NewBody { mesh: *mesh, shape, options: *options, pose, is_static: false, is_solid: false };
                *tree = new.deforming();
                self.scene.set_geometry(*id, geometry(shape, tree)).expect("it is there");
                *version += 1;
            }
        }
    }

    /// A scene that has just been made of the same bodies, in the order of their ids, and these ids in both scenes.
    fn cold(&self, model: &World) -> (Scene, Vec<BodyId>, HashMap<BodyId, usize>) {
        let mut order: Vec<usize> = (0..self.actors.len()).collect();
        order.sort_by_key(|&place| self.actors[place].id);
        let body = |&place: &usize| {
            let Known { shape, pose, is_static, is_solid, groups, mask, .. } = model.bodies[place];
            let geometry = geometry(shape, &self.actors[place].tree);
            Body { is_static, is_solid, groups, mask, ..Body::moving(geometry, pose) }
        };
        let mut scene = Scene::new();
        scene.include_static_pairs(model.compares_static);
        let ids = scene.add_all(order.iter().map(body)).expect("near");
        for (i, a) in order.iter().enumerate() {
            for (j, b) in order.iter().enumerate() {
                if i <= j && model.ignored.contains(&model.pair([*a, *b])) {
                    scene.set_ignored(ids[i], ids[j], true).expect("they are there");
                }
            }
        }
        let ranks = order.iter().enumerate().map(|(rank, &place)| (self.actors[place].id, rank)).collect();
        (scene, ids, ranks)
    }

    /// What is true of two bodies: one inside a solid one touches it.
    fn truth(&self, model: &World, places: [usize; 2], pose: &Pose) -> Option<Truth> {
        let [a, b] = places.map(|place| &model.bodies[place]);
        match [a.shape, b.shape] {
            [None, None] => {}
            [Some(shape_a), Some(shape_b)] => {
                return Some(truth_of_shapes(&SHAPES[shape_a], &SHAPES[shape_b].transformed(pose)));
            }
            [None, Some(shape)] => {
                return self.truth_of_shape(a, places[0], &SHAPES[shape].transformed(pose));
            }
            [Some(shape), None] => {
                let pose = Pose::relative(&b.pose, &a.pose);
                return self.truth_of_shape(b, places[1], &SHAPES[shape].transformed(&pose));
            }
        }
        let found = truth(&a.mesh, &b.mesh, pose)?;
        if found.touches || !(a.is_solid || b.is_solid) {
            return Some(found);
        }
        let [a_in_b, b_in_a] = inside(&a.mesh, &b.mesh, pose);
        let [tree_a, tree_b] = places.map(|place| self.actors[place].tree.tree());
        // Nearer than rounding to the surface it is left to a query that knows nothing.
        let is = |relation: Relation| Query::new().relation(tree_a, tree_b, pose) == relation;
        let is_inside = b.is_solid && a_in_b.unwrap_or_else(|| is(Relation::AInB))
            || a.is_solid && b_in_a.unwrap_or_else(|| is(Relation::BInA));
        Some(if is_inside { Truth { touches: true, distance: 0.0, ..found } } else { found })
    }

    /// What is true of a mesh and a shape in its frame.
    fn truth_of_shape(&self, body: &Known, place: usize, shape: &ConvexShape) -> Option<Truth> {
        let found = truth_of_shape(&body.mesh, shape)?;
        let point = shape.support_point(&Vector3::zeros());
        let exactly = || Probe::new().contains(self.actors[place].tree.tree(), &point) == Containment::Inside;
        let is_inside = body.is_solid && is_inside(&body.mesh, &point).unwrap_or_else(exactly);
        Some(if is_inside { Truth { touches: true, distance: 0.0, ..found } } else { found })
    }

    /// What is true of all pairs that are compared, in the order of their ids.
    fn truths(&mut self, model: &World) -> Vec<([BodyId; 2], Truth)> {
        let mut order: Vec<usize> = (0..self.actors.len()).collect();
        order.sort_by_key(|&place| self.actors[place].id);
        let mut truths = Vec::new();
        for (i, &a) in order.iter().enumerate() {
            for &b in &order[i + 1..] {
                if !model.is_compared([a, b]) {
                    continue;
                }
                let ids = [a, b].map(|place| self.actors[place].id);
                let [known_a, known_b] = [a, b].map(|place| &model.bodies[place]);
                let pose = Pose::relative(&known_a.pose, &known_b.pose);
                let key = ([a, b].map(|place| self.actors[place].version), pose);
                let found = match self.truths.get(&ids) {
                    Some((before, found)) if *before == key => *found,
                    _ => self.truth(model, [a, b], &pose),
                };
                self.truths.insert(ids, (key, found));
                truths.extend(found.map(|found| (ids, found)));
            }
        }
        truths
    }

    fn ask(&mut self, model: &World, question: &Question) {
        let truths = self.truths(model);
        let (mut cold, cold_ids, ranks) = self.cold(model);
        let rank = |bodies: [BodyId; 2]| bodies.map(|id| ranks[&id]);
        let cold_rank = |bodies: [BodyId; 2]| bodies.map(|id| cold_ids.iter().position(|other| *other == id));
        let near = |pair: &NearPair| (rank(pair.bodies), pair.distance, pair.points, pair.faces);
        let cold_near = |pair: &NearPair| {
            (cold_rank(pair.bodies).map(|rank| rank.expect("its own")), pair.distance, pair.points, pair.faces)
        };
        let bound = |bound: &Bound, which: u8| {
            let distance = (!truths.is_empty()).then(|| {
                let [a, b] = rank(truths[usize::from(which) % truths.len()].0).map(|rank| cold_ids[rank]);
                let [a, b] = [a, b].map(|id| cold.body(id).expect("it is there"));
                distance(&mut Query::new(), a, b)
            });
            bound.at(distance.flatten())
        };
        match question {
            Question::Touching => {
                let found = self.scene.intersecting_pairs();
                let expected: Vec<_> = truths.iter().filter(|(_, truth)| truth.touches).map(|(ids, _)| *ids).collect();
                assert_eq!(found, expected);
                assert_eq!(self.scene.first_intersecting_pair(), expected.first().copied());
            }
            Question::SomeTouching(most) => {
                let mut found = Vec::new();
                self.scene.for_each_intersecting_pair(|pair| {
                    found.push(pair);
                    if found.len() > *most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
                let expected = truths.iter().filter(|(_, truth)| truth.touches).map(|(ids, _)| *ids);
                assert_eq!(found, expected.take(most + 1).collect::<Vec<_>>());
            }
            Question::Within(clearance, which) => {
                let clearance = bound(clearance, *which);
                let found = self.scene.pairs_within(clearance);
                let expected = cold.pairs_within(clearance);
                check_within(&found, &truths, clearance);
                assert_eq!(
                    found.iter().map(near).collect::<Vec<_>>(),
                    expected.iter().map(cold_near).collect::<Vec<_>>(),
                    "within {clearance:e}"
                );
            }
            Question::SomeWithin(clearance, which, most) => {
                let clearance = bound(clearance, *which);
                let mut found = Vec::new();
                self.scene.for_each_pair_within(clearance, |pair| {
                    found.push(*pair);
                    if found.len() > *most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
                let expected = cold.pairs_within(clearance);
                assert_eq!(
                    found.iter().map(near).collect::<Vec<_>>(),
                    expected.iter().take(most + 1).map(cold_near).collect::<Vec<_>>()
                );
            }
            Question::Closest => {
                let found = self.scene.closest_pair();
                assert_eq!(found.as_ref().map(near), cold.closest_pair().as_ref().map(cold_near));
                // A distance that rounds to 0 without touching is no nearer than one that touches.
                let by_distance =
                    |a: &&Truth, b: &&Truth| a.distance.total_cmp(&b.distance).then(b.touches.cmp(&a.touches));
                let least = truths.iter().map(|(_, truth)| truth).min_by(by_distance);
                assert_eq!(found.is_some(), least.is_some());
                if let (Some(found), Some(least)) = (found, least) {
                    assert!(least.allows(found.distance), "{} {least:?}", found.distance);
                }
            }
            Question::Relations(tolerance) => {
                let tolerance = bound(tolerance, 0);
                let found = self.scene.relations(tolerance);
                let expected = cold.relations(tolerance);
                let found: Vec<_> = found.iter().map(|pair| (rank(pair.bodies).map(Some), pair.relation)).collect();
                let expected: Vec<_> = expected.iter().map(|pair| (cold_rank(pair.bodies), pair.relation)).collect();
                assert_eq!(found, expected);
                for (ids, _) in truths.iter().filter(|(_, truth)| truth.touches) {
                    assert!(found.iter().any(|(pair, _)| *pair == rank(*ids).map(Some)), "{ids:?} touch");
                }
            }
            Question::Neighbors(reach) => {
                let reach = bound(reach, 1);
                let mut found = Vec::new();
                let ask = |query: &mut Query, two: &Neighbors<'_>| {
                    let [a, b] = two.bodies;
                    let distance = distance(query, a, b);
                    // Of surfaces: where one may be inside the other, there is more to it.
                    Some((two.ids, distance.filter(|_| !a.is_solid && !b.is_solid)))
                };
                self.scene.for_each_neighbor_pair(reach, ask, |answer| {
                    found.push(answer);
                    ControlFlow::Continue(())
                });
                assert!(found.is_sorted_by_key(|(ids, _)| *ids));
                for (ids, truth) in &truths {
                    let answer = found.iter().find(|(found, _)| found == ids);
                    // Boxes are no farther apart than what is in them.
                    assert!(answer.is_some() || truth.is_within(reach.max(0.0)) != Some(true), "{ids:?} missing");
                    assert!(answer.and_then(|(_, distance)| *distance).is_none_or(|distance| truth.allows(distance)));
                }
            }
            Question::Impacts(who, way) => {
                let Some(place) = usize::from(*who).checked_rem(self.actors.len()) else { return };
                let (id, pose) = (self.actors[place].id, model.bodies[place].pose);
                let motion = Motion::new(pose, moved(&pose, way));
                let found = self.scene.impacts(&[(id, motion)], 0.0);
                let expected = cold.impacts(&[(cold_ids[ranks[&id]], motion)], 0.0);
                let answer = |impact: &BodyImpact| (impact.time, impact.distance, impact.points, impact.faces);
                let hot = |impact: &BodyImpact| (rank(impact.bodies).map(Some), answer(impact));
                let new = |impact: &BodyImpact| (cold_rank(impact.bodies), answer(impact));
                assert_eq!(
                    found.map(|all| all.iter().map(hot).collect::<Vec<_>>()),
                    expected.map(|all| all.iter().map(new).collect::<Vec<_>>())
                );
            }
            Question::Probes(pose, limit) => {
                let limit = bound(limit, 2);
                let (point, direction) = (Point3::from(*pose.translation()), pose.rotation().column(0).into_owned());
                let ray = bvtree::probe::Ray { origin: point - direction * 4.0, direction };
                let [hot, new] = [&self.scene, &cold].map(|scene| {
                    let (mut probe, mut query, tree) = (Probe::new(), Query::new(), &self.actors.first());
                    let tree = tree.map(|actor| actor.tree.tree().clone());
                    let rank = |id: BodyId| ranks.get(&id).filter(|_| std::ptr::eq(scene, &self.scene)).copied();
                    let rank = |id: BodyId| rank(id).or_else(|| cold_ids.iter().position(|other| *other == id));
                    let hits = scene.hits(&mut probe, &ray, 9.0, 1);
                    let hits: Vec<_> = hits.iter().map(|hit| (rank(hit.body), hit.hit.time, hit.hit.face)).collect();
                    let first = scene.closest_hit(&mut probe, &ray, 9.0, 1);
                    let nearest = scene.closest_point(&mut probe, &point, limit, u32::MAX);
                    let nearest = nearest.map(|near| (rank(near.body), near.distance, near.point, near.face));
                    let touching =
                        tree.iter().flat_map(|tree| scene.bodies_intersecting(&mut query, tree, pose, u32::MAX));
                    let touching: Vec<_> = touching.map(rank).collect();
                    (hits, first.map(|hit| (rank(hit.body), hit.hit.time)), nearest, touching)
                });
                assert_eq!(hot, new);
            }
        }
    }
}

/// Whether just those pairs are near that are within the clearance, at their distances.
fn check_within(found: &[NearPair], truths: &[([BodyId; 2], Truth)], clearance: f64) {
    let mut left = found.iter().peekable();
    for (ids, truth) in truths {
        let pair = left.next_if(|pair| pair.bodies == *ids);
        if let Some(expected) = truth.is_within(clearance) {
            assert_eq!(pair.is_some(), expected, "{ids:?} within {clearance:e}: {truth:?}");
        }
        assert!(pair.is_none_or(|pair| truth.allows(pair.distance)), "{pair:?} {truth:?}");
    }
    assert_eq!(left.next(), None, "more than what is compared, or out of order");
}

/// The shape that options stand for, if any.
fn shape_of(options: u8) -> Option<usize> {
    options.is_multiple_of(3).then(|| usize::from(options / 3) % SHAPES.len())
}

fn geometry(shape: Option<usize>, tree: &DeformingTree) -> Geometry {
    shape.map_or_else(|| tree.tree().clone().into(), |shape| SHAPES[shape].clone().into())
}

/// The distance of two bodies' surfaces, or shapes, asked alone.
fn distance(query: &mut Query, a: &Body, b: &Body) -> Option<f64> {
    match [&a.geometry, &b.geometry] {
        [Geometry::Tree(tree_a), Geometry::Tree(tree_b)] => {
            query.distance(tree_a, tree_b, &Pose::relative(&a.pose, &b.pose)).map(|closest| closest.distance)
        }
        [Geometry::Shape(_), Geometry::Tree(_)] => distance(query, b, a),
        [first, second] => {
            let shape = second.shape().expect("no tree").transformed(&Pose::relative(&a.pose, &b.pose));
            match first.tree() {
                Some(tree) => Probe::new().closest_to_convex(tree, &shape, f64::INFINITY).map(|found| found.distance),
                None => first.shape().map(|first| first.distance(&shape)),
            }
        }
    }
}

fn vertices_moved(mesh: &Mesh, bytes: &[[u8; 4]; 2]) -> Vec<(u32, Point3<f32>)> {
    bytes.iter().filter_map(|&[vertex, x, y, z]| moved_vertex(mesh, vertex, [x, y, z])).collect()
}

fn moved(pose: &Pose, by: &Vector3<f64>) -> Pose {
    Pose::new(*pose.rotation(), pose.translation() + by).expect("finite")
}
