//! The scene that is tried, and what is done to it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use bvtree::Pose;
use bvtree::refit::DeformingTree;
use bvtree::scene::{Body, BodyId, Scene, SceneError};
use nalgebra::Vector3;

use super::body::{Form, Known, NewBody};
use super::truths::Key;
use super::{Op, World, moved, vertices_moved};
use crate::model::brute::Truth;
use crate::model::ingredients::on_threads;

pub struct System {
    pub(super) scene: Scene,
    /// After so many looks a question is interrupted.
    pub(super) looks_left: Arc<AtomicI64>,
    pub(super) actors: Vec<Actor>,
    pub(super) removed: Option<BodyId>,
    pub(super) truths: HashMap<[BodyId; 2], (Key, Option<Truth>)>,
}

pub(super) struct Actor {
    pub(super) id: BodyId,
    pub(super) tree: DeformingTree,
    /// How often it has deformed.
    pub(super) version: u32,
}

impl System {
    pub(super) fn apply(&mut self, model: &World, op: &Op) {
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
            Op::Deform(who, _) | Op::MoveVertices(who, _) if model.bodies[at(who)].form != Form::Mesh => {
                let Actor { id, tree, .. } = &mut self.actors[at(who)];
                let vertices = tree.mesh().vertices().to_vec();
                assert_eq!(self.scene.refit(*id, tree, &vertices), Err(SceneError::NotATree(*id)));
            }
            Op::Rebuild(who) if model.bodies[at(who)].form != Form::Mesh => {}
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
                let form = Form::of(*options);
                let new = NewBody { mesh: *mesh, form, options: *options, pose, is_static: false, is_solid: false };
                *tree = new.deforming();
                self.scene.set_geometry(*id, form.geometry(tree)).expect("it is there");
                *version += 1;
            }
        }
    }

    /// A scene that has just been made of the same bodies, in the order of their ids, and these ids in both scenes.
    pub(super) fn cold(&self, model: &World) -> (Scene, Vec<BodyId>, HashMap<BodyId, usize>) {
        let mut order: Vec<usize> = (0..self.actors.len()).collect();
        order.sort_by_key(|&place| self.actors[place].id);
        let body = |&place: &usize| {
            let Known { form, pose, is_static, is_solid, groups, mask, .. } = model.bodies[place];
            let geometry = form.geometry(&self.actors[place].tree);
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
}
