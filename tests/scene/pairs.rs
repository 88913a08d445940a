//! Touching pairs, clearances and the least distance after random adds, moves and removals.

use std::cmp::Reverse;
use std::ops::ControlFlow;

use bvtree::query::DistanceOptions;
use bvtree::scene::{Body, BodyId, NearPair, Neighbors, Scene};
use bvtree::{Pose, Query, SimdLevel};
use nalgebra::Point3;
use proptest::prelude::*;

use super::{Random, compared, on_threads, tree_of, trees};
use crate::cases::cases;

/// Bodies come, go and move.
struct Play {
    scene: Scene,
    ids: Vec<BodyId>,
    ignored: Vec<[BodyId; 2]>,
    with_static: bool,
    random: Random,
    half_size: f64,
}

impl Play {
    fn new(seed: u64, bodies: usize, half_size: f64) -> Self {
        let scene = Scene::new();
        let random = Random(seed);
        let mut play = Self { scene, ids: Vec::new(), ignored: Vec::new(), with_static: false, random, half_size };
        (0..bodies).for_each(|_| play.add());
        play
    }

    fn add(&mut self) {
        let trees = trees();
        let tree = trees[self.random.below(trees.len())].clone();
        let pose = self.random.pose(self.half_size);
        let groups = 1 << self.random.below(3);
        let mask = if self.random.below(3) == 0 { 0b011 } else { u32::MAX };
        let body = Body { groups, mask, is_static: self.random.below(3) == 0, ..Body::moving(tree, pose) };
        self.ids.push(self.scene.add(body).unwrap());
    }

    fn step(&mut self) {
        match self.random.below(8) {
            0 => self.add(),
            1 if !self.ids.is_empty() => {
                let id = self.ids.swap_remove(self.random.below(self.ids.len()));
                self.scene.remove(id).unwrap();
                self.ignored.retain(|pair| !pair.contains(&id));
                assert!(self.scene.remove(id).is_err() && self.scene.body(id).is_none());
            }
            2 if self.ids.len() > 1 => {
                let pair = [0, 1].map(|_| self.ids[self.random.below(self.ids.len())]);
                let ignored = self.random.below(3) > 0;
                self.scene.set_ignored(pair[0], pair[1], ignored).unwrap();
                self.ignored.retain(|other| *other != pair && *other != [pair[1], pair[0]]);
                self.ignored.extend(ignored.then_some(pair));
            }
            3 if self.random.below(4) == 0 => {
                self.with_static = !self.with_static;
                self.scene.include_static_pairs(self.with_static);
            }
            4 if !self.ids.is_empty() => {
                let id = self.ids[self.random.below(self.ids.len())];
                self.scene.set_groups(id, 1 << self.random.below(3), 0b101).unwrap();
            }
            _ => self.shift(),
        }
    }

    /// Some bodies move: most by little, some far.
    fn shift(&mut self) {
        let movers = 1 + self.random.below(4);
        let mut poses = Vec::new();
        for _ in 0..movers.min(self.ids.len()) {
            let id = self.ids[self.random.below(self.ids.len())];
            let pose = self.scene.body(id).unwrap().pose;
            let size = [1e-9, 0.01, 0.3, 5.0][self.random.below(4)];
            let shift = self.random.vector(size);
            poses.push((id, bvtree::Pose::new(*pose.rotation(), pose.translation() + shift).unwrap()));
        }
        self.scene.set_poses(poses).unwrap();
    }

    fn check(&mut self, clearance: f64) {
        let pairs = compared(&self.scene, &self.ignored, self.with_static);
        let mut query = Query::new();
        let mut distances: Vec<NearPair> = Vec::new();
        for [(id_a, a), (id_b, b)] in &pairs {
            let pose = Pose::relative(&a.pose, &b.pose);
            if let Some(found) = query.distance(tree_of(a), tree_of(b), &pose) {
                let world = |point: Point3<f64>| a.pose.rotation() * point + a.pose.translation();
                let points = [world(found.on_a), world(found.on_b)];
                let bodies = [*id_a, *id_b];
                distances.push(NearPair {
                    bodies,
                    distance: found.distance,
                    points,
                    faces: found.faces,
                    parts: [0; 2],
                });
            }
        }
        let touching: Vec<_> = distances.iter().filter(|pair| pair.distance == 0.0).map(|pair| pair.bodies).collect();
        let near: Vec<_> = distances.iter().filter(|pair| pair.distance <= clearance).copied().collect();
        assert_eq!(self.scene.intersecting_pairs(), touching);
        assert_eq!(self.scene.first_intersecting_pair(), touching.first().copied());
        assert_near(&self.scene.pairs_within(clearance), &near);
        assert_near(
            &self.scene.pairs_within(0.5 * clearance),
            &[&near[..]].concat().into_iter().filter(|pair| pair.distance <= 0.5 * clearance).collect::<Vec<_>>(),
        );
        let least =
            distances.iter().copied().min_by(|p, q| p.distance.total_cmp(&q.distance).then(p.bodies.cmp(&q.bodies)));
        assert_near(self.scene.closest_pair().as_slice(), least.as_slice());
        self.check_given_pairs(&pairs.iter().map(|[a, b]| [a.0, b.0]).collect::<Vec<_>>());
    }

    /// All pairs of bodies, given in the reverse order, and pairs of a body with itself and with one that is gone.
    fn check_given_pairs(&mut self, compared: &[[BodyId; 2]]) {
        let gone = BodyId::from_bits(u64::MAX);
        let mut given: Vec<_> = self.ids.iter().flat_map(|&id| [[id, id], [id, gone]]).collect();
        let ids: Vec<BodyId> = self.scene.bodies().map(|(id, _)| id).collect();
        given.extend(ids.iter().enumerate().rev().flat_map(|(i, &a)| ids[..i].iter().rev().map(move |&b| [a, b])));
        let mut found = Vec::new();
        let ids_of = |_: &mut Query, pair: &Neighbors<'_>| Some(pair.ids);
        self.scene.for_each_given_pair(&given, ids_of, |pair| {
            found.push(pair);
            ControlFlow::Continue(())
        });
        let mut expected = compared.to_vec();
        expected.sort_by_key(|&[a, b]| Reverse([b, a]));
        assert_eq!(found, expected);
        if let Some(first) = expected.first() {
            let mut found = Vec::new();
            self.scene.for_each_given_pair(&given, ids_of, |pair| {
                found.push(pair);
                ControlFlow::Break(())
            });
            assert_eq!(found, [*first]);
        }
    }
}

/// The same; of bodies that touch any point may be told.
fn assert_near(found: &[NearPair], expected: &[NearPair]) {
    assert_eq!(found.len(), expected.len(), "{found:?} {expected:?}");
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!((found.bodies, found.distance), (expected.bodies, expected.distance));
        if found.distance > 0.0 {
            assert_eq!(found, expected);
        }
    }
}

proptest! {
    #![proptest_config(cases(24, 200))]

    #[test]
    fn a_scene_says_what_all_pairs_say(seed in any::<u64>(), bodies in 0_usize..40, half_size in 1.0..8.0,
        threads in 1_usize..3) {
        let mut play = Play::new(seed, bodies, half_size);
        on_threads(threads, || {
            for round in 0..6 {
                play.check([0.1, 0.0, 1.0, 0.3][round % 4]);
                (0..1 + play.random.below(6)).for_each(|_| play.step());
            }
            play.check(0.2);
        });
    }
}

#[test]
fn answers_do_not_depend_on_threads_or_instructions() {
    let build = |level: SimdLevel| {
        let mut random = Random(7);
        let trees = trees();
        let mut scene = Scene::with_simd(level);
        for i in 0..300 {
            scene.add(Body::moving(trees[i % trees.len()].clone(), random.pose(7.0))).unwrap();
        }
        scene
    };
    let expected = on_threads(1, || {
        let mut scene = build(SimdLevel::Portable);
        (scene.intersecting_pairs(), scene.pairs_within(0.5), scene.closest_pair())
    });
    assert!(expected.0.len() > 20 && expected.1.len() > expected.0.len());
    for threads in [1, 2, 5] {
        for level in SimdLevel::ALL.into_iter().filter(|level| level.is_available()) {
            let found = on_threads(threads, || {
                let mut scene = build(level);
                (scene.intersecting_pairs(), scene.pairs_within(0.5), scene.closest_pair())
            });
            assert_eq!(found.0, expected.0);
            assert_near(&found.1, &expected.1);
            assert_near(found.2.as_slice(), expected.2.as_slice());
        }
    }
}

#[test]
fn a_tree_is_compared_with_all_bodies() {
    let mut random = Random(3);
    let trees = trees();
    let mut scene = Scene::new();
    for i in 0..80 {
        let body = Body { groups: 1 << (i % 2), ..Body::fixed(trees[i % trees.len()].clone(), random.pose(4.0)) };
        scene.add(body).unwrap();
    }
    let mut query = Query::new();
    for mask in [u32::MAX, 1, 2, 4] {
        for tree in &trees {
            let pose = random.pose(4.0);
            let options = DistanceOptions { upper_bound: 0.4, ..DistanceOptions::default() };
            let expected: Vec<_> = scene
                .bodies()
                .filter(|(_, body)| body.groups & mask != 0)
                .filter_map(|(id, body)| {
                    let pose = Pose::relative(&pose, &body.pose);
                    let found = query.distance_with(tree, tree_of(body), &pose, &options)?;
                    Some((id, found.distance))
                })
                .collect();
            let touching: Vec<_> =
                expected.iter().filter(|(_, distance)| *distance == 0.0).map(|(id, _)| *id).collect();
            assert_eq!(scene.bodies_intersecting(&mut query, tree, &pose, mask), touching);
            let near = scene.bodies_within(&mut query, tree, &pose, 0.4, mask);
            assert_eq!(near.iter().map(|near| (near.body, near.distance)).collect::<Vec<_>>(), expected);
            assert_eq!(scene.bodies_within(&mut query, tree, &pose, f64::NAN, mask), []);
        }
    }
}

#[test]
fn many_at_once_are_as_one_by_one() {
    let trees = trees();
    let mut random = Random(29);
    let bodies: Vec<Body> = (0..400).map(|i| Body::moving(trees[i % trees.len()].clone(), random.pose(7.0))).collect();
    let [mut one_by_one, mut at_once] = [0, 1].map(|_| Scene::new());
    // Most of them, then a few more, also where others were.
    for part in [&bodies[..300], &bodies[300..303], &bodies[303..]] {
        let ids = at_once.add_all(part.iter().cloned()).unwrap();
        let expected: Vec<_> = part.iter().map(|body| one_by_one.add(body.clone()).unwrap()).collect();
        assert_eq!(ids, expected);
        assert_eq!(at_once.intersecting_pairs(), one_by_one.intersecting_pairs());
        assert_near(&at_once.pairs_within(0.2), &one_by_one.pairs_within(0.2));
        for id in ids.into_iter().step_by(4) {
            at_once.remove(id).unwrap();
            one_by_one.remove(id).unwrap();
        }
    }
    assert!(at_once.intersecting_pairs().len() > 20);
    // Those before one that is too far away are there.
    let too_far = Body { pose: super::at(2e30, 0.0, 0.0), ..bodies[0].clone() };
    let before = at_once.len();
    assert!(at_once.add_all([bodies[0].clone(), too_far, bodies[1].clone()]).is_err());
    one_by_one.add(bodies[0].clone()).unwrap();
    assert_eq!(at_once.len(), before + 1);
    assert_eq!(at_once.intersecting_pairs(), one_by_one.intersecting_pairs());
    assert_eq!(at_once.add_all([]).unwrap(), []);
}
