//! A distance tracker: whatever was asked before, it answers as a query that knows nothing, and as all pairs of
//! triangles do unless these are many.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bvtree::query::{ClosestPair, DistanceOptions, DistanceTracker, Solid};
use bvtree::{BvTree, Pose, Query};
use nalgebra::{Rotation3, Vector3};

use super::brute::{Truth, inside, truth};
use super::ingredients::{ALL_MESHES, Bound, MESHES, build_options, far, nudge, on_threads, place};
use super::machine::{BYTES, Model};

/// More pairs of triangles are not all compared.
const MOST_PAIRS: usize = 130_000;

/// Two meshes, and where the second stands in the first one's frame.
#[derive(Clone, Debug)]
pub struct Tracked {
    meshes: [usize; 2],
    trees: [Arc<BvTree>; 2],
    pose: Pose,
}

#[derive(Clone, Debug)]
pub enum Op {
    Ask {
        bound: Bound,
        relative: Bound,
        absolute: Bound,
        two_threads: bool,
    },
    Place(Pose),
    Nudge(Vector3<f64>),
    /// Towards contact: so far of the way between the closest points remains.
    Approach(f64),
    /// Small equal steps, asked at each, one by one and all at once, and back.
    Glide(Glide),
    /// There and back; whether it is asked there.
    Travel(Vector3<f64>, bool),
    /// The tracker's query object answers another question.
    Elsewhere,
    /// A tracker of the meshes the other way round is asked, by the same query object.
    Swapped,
    /// Whether questions are interrupted from now on.
    Interrupt(bool),
    /// Whether the meshes are solids from now on.
    Solids([Solid; 2]),
}

/// Steps along a direction and about an axis.
#[derive(Clone, Copy, Debug)]
pub struct Glide {
    step: Vector3<f64>,
    turn: Vector3<f64>,
}

impl Glide {
    fn new([way, size, axis, angle]: [u8; 4]) -> Self {
        let sizes = [0.002, 0.0, 0.01, 1e-4, 0.05, 1e-9];
        let way = Vector3::new(f64::from(way % 5) - 2.0, f64::from(way / 5 % 5) - 2.0, f64::from(way / 25 % 5) - 2.0);
        let axis =
            Vector3::new(f64::from(axis % 3) - 1.0, f64::from(axis / 3 % 3) - 1.0, f64::from(axis / 9 % 3) - 1.0);
        Self {
            step: way * sizes[usize::from(size) % sizes.len()],
            turn: axis * sizes[usize::from(angle) % sizes.len()],
        }
    }

    /// The first is where it starts. A matrix that stretches as much as a pose may can be refused once it is turned.
    fn poses(self, from: &Pose) -> impl Iterator<Item = Pose> {
        (0..60).filter_map(move |i| {
            let turn = Rotation3::new(self.turn * f64::from(i)).into_inner();
            Pose::new(turn * from.rotation(), from.translation() + self.step * f64::from(i)).ok()
        })
    }
}

pub struct System {
    trees: [Arc<BvTree>; 2],
    query: Query,
    tracker: DistanceTracker,
    swapped: DistanceTracker,
    interrupts: Arc<AtomicBool>,
    /// What is true at the pose that was asked about last.
    known: Option<(Pose, Option<Truth>)>,
}

impl Model for Tracked {
    type Op = Op;
    type System = System;

    fn new([a, b, options_a, options_b, place_at @ ..]: [u8; BYTES]) -> Self {
        let meshes = [a, b].map(|byte| match byte {
            ..128 => usize::from(byte) % MESHES.len(),
            128.. => MESHES.len() + usize::from(byte) % (ALL_MESHES.len() - MESHES.len()),
        });
        let tree = |i: usize, options| {
            Arc::new(BvTree::build(&ALL_MESHES[meshes[i]], &build_options(options)).expect("a tree"))
        };
        Self { meshes, trees: [tree(0, options_a), tree(1, options_b)], pose: place(place_at) }
    }

    fn op([what, a, b, c, d, ..]: [u8; BYTES]) -> Op {
        let exact = || Bound::Is(0.0);
        match what % 20 {
            // Mostly without tolerances: then the answer is one.
            0..=3 => Op::Ask { bound: Bound::new(a), relative: exact(), absolute: exact(), two_threads: what > 127 },
            4 => Op::Solids([a, b].map(|byte| [Solid::IfClosed, Solid::No][usize::from(byte % 4 == 3)])),
            5 => Op::Ask { bound: Bound::new(a), relative: Bound::new(b), absolute: Bound::new(c), two_threads: false },
            6..=8 => Op::Place(place([a, b, c, d])),
            9..=11 => Op::Nudge(nudge([a, b])),
            12 => Op::Travel(far([a, b]), d % 2 == 0),
            13 => Op::Elsewhere,
            14 => Op::Swapped,
            15 => Op::Approach([0.0, 0.5, 0.1, 1e-3, 1e-9, -1e-3, 2.0][usize::from(a) % 7]),
            16..=18 => Op::Glide(Glide::new([a, b, c, d])),
            _ => Op::Interrupt(a % 2 == 1),
        }
    }

    fn apply(&mut self, op: &Op) {
        match op {
            Op::Place(pose) => self.pose = *pose,
            Op::Nudge(step) => self.pose = moved(&self.pose, step),
            Op::Approach(rest) => {
                let closest = Query::new().distance(&self.trees[0], &self.trees[1], &self.pose);
                let way = closest.map(|closest| (closest.on_a - closest.on_b) * (1.0 - rest));
                self.pose = moved(&self.pose, &way.unwrap_or_default());
            }
            _ => {}
        }
    }

    fn system(&self) -> System {
        let trees = self.trees.clone();
        let tracker = DistanceTracker::new(&trees[0], &trees[1]);
        let swapped = DistanceTracker::new(&trees[1], &trees[0]);
        let (mut query, interrupts) = (Query::new(), Arc::new(AtomicBool::new(false)));
        let is_on = interrupts.clone();
        query.interrupt_when(move || is_on.load(Ordering::Relaxed));
        System { trees, query, tracker, swapped, interrupts, known: None }
    }

    fn run(&self, system: &mut System, op: &Op) {
        match op {
            Op::Ask { bound, relative, absolute, two_threads } => {
                let distance = Query::new().distance(&system.trees[0], &system.trees[1], &self.pose);
                let distance = distance.map(|closest| closest.distance);
                let options = DistanceOptions {
                    upper_bound: bound.at(distance),
                    relative_tolerance: relative.at(distance),
                    absolute_tolerance: absolute.at(distance),
                };
                on_threads(*two_threads, || self.ask(system, &self.pose, &options));
            }
            Op::Travel(way, is_asked) => {
                for pose in [moved(&self.pose, way), self.pose] {
                    if *is_asked {
                        self.ask(system, &pose, &DistanceOptions::default());
                    }
                }
            }
            Op::Glide(glide) => {
                let poses: Vec<Pose> = glide.poses(&self.pose).collect();
                let System { trees: [a, b], query, tracker, .. } = system;
                let warm = poses.iter().map(|pose| (tracker.distance(query, pose), query.take_interrupted()));
                let warm: Vec<_> = warm.collect();
                let mut cold = cold(query);
                let many = cold.distance_many(a, b, &poses, &DistanceOptions::default());
                let hits = cold.intersects_many(a, b, &poses);
                for (i, pose) in poses.iter().enumerate() {
                    let (answer, is_interrupted) = warm[i];
                    let expected = cold.distance(a, b, pose);
                    assert!(is_interrupted || answer == expected, "{answer:?}, {expected:?}, step {i} to {pose:?}");
                    assert_eq!(many[i], expected, "of many, step {i} to {pose:?}");
                    assert_eq!(hits[i], cold.intersects(a, b, pose), "of many, step {i} to {pose:?}");
                }
            }
            Op::Elsewhere => {
                system.query.intersecting_pairs(&system.trees[0], &system.trees[0], &self.pose);
                system.query.take_interrupted();
            }
            Op::Swapped => {
                let pose = self.pose.inverse();
                let answer = system.swapped.distance(&mut system.query, &pose);
                if !system.query.take_interrupted() {
                    let mut cold = cold(&system.query);
                    assert_eq!(answer, cold.distance(&system.trees[1], &system.trees[0], &pose));
                }
            }
            Op::Solids([a, b]) => system.query.set_solids(*a, *b),
            Op::Interrupt(yes) => system.interrupts.store(*yes, Ordering::Relaxed),
            Op::Place(_) | Op::Nudge(_) | Op::Approach(_) => {}
        }
    }
}

impl Tracked {
    fn ask(&self, system: &mut System, pose: &Pose, options: &DistanceOptions) {
        let System { trees: [a, b], query, tracker, known, .. } = system;
        let mut ask = || tracker.distance_with(query, pose, options);
        let answer = ask();
        if query.take_interrupted() {
            return;
        }
        let mut cold = cold(query);
        let expected = cold.distance_with(a, b, pose, options);
        if !(options.relative_tolerance > 0.0 || options.absolute_tolerance > 0.0) {
            assert_eq!(answer, expected, "warm and cold, {pose:?}, {options:?}");
        }
        let [triangles_a, triangles_b] = self.meshes.map(|mesh| ALL_MESHES[mesh].triangles().len());
        if triangles_a * triangles_b > MOST_PAIRS {
            return;
        }
        let truth = match known {
            Some((at, truth)) if at == pose => *truth,
            _ => known.insert((*pose, truth(&ALL_MESHES[self.meshes[0]], &ALL_MESHES[self.meshes[1]], pose))).1,
        };
        let solids = [&*a, &*b].map(|tree| tree.watertightness().is_closed()).into_iter().zip(query.solids());
        let is_solid: Vec<_> = solids.map(|(is_closed, solid)| is_closed && solid != Solid::No).collect();
        let truth = match truth {
            Some(truth) if !truth.touches && is_solid.contains(&true) => {
                let [a_in_b, b_in_a] = inside(&ALL_MESHES[self.meshes[0]], &ALL_MESHES[self.meshes[1]], pose);
                match (is_solid[1].then_some(a_in_b), is_solid[0].then_some(b_in_a)) {
                    (Some(None), _) | (_, Some(None)) => return,
                    (a_in_b, b_in_a) => {
                        let touches = a_in_b.flatten() == Some(true) || b_in_a.flatten() == Some(true);
                        Some(if touches { Truth { touches, distance: 0.0, ..truth } } else { truth })
                    }
                }
            }
            truth => truth,
        };
        let touches = truth.is_some_and(|truth| truth.touches);
        assert_eq!(cold.intersects(a, b, pose), touches, "{pose:?}");
        assert_eq!(cold.within(a, b, pose, 0.0).is_yes(), touches, "{pose:?}");
        for answer in [answer, expected] {
            check(answer, truth, options);
        }
    }
}

/// A query object that knows nothing, with the same choice of solids.
fn cold(query: &Query) -> Query {
    let (mut cold, [a, b]) = (Query::new(), query.solids());
    cold.set_solids(a, b);
    cold
}

/// Whether an answer is true, with all that tolerances allow.
fn check(answer: Option<ClosestPair>, truth: Option<Truth>, options: &DistanceOptions) {
    let Some(truth) = truth else { return assert_eq!(answer, None) };
    let [relative, absolute] =
        [options.relative_tolerance, options.absolute_tolerance].map(|tolerance| tolerance.max(0.0));
    match answer.map(|closest| closest.distance) {
        Some(distance) => {
            let most = (truth.distance + truth.error) * (1.0 + relative) + absolute + truth.error;
            let exceeds = distance > options.upper_bound || options.upper_bound.is_nan() && distance > 0.0;
            assert!(!exceeds, "{distance}, {options:?}");
            assert_eq!(distance == 0.0, truth.touches, "{distance}, {truth:?}");
            assert!(truth.distance - truth.error <= distance && distance <= most, "{distance}, {truth:?}, {options:?}");
        }
        None => {
            // NaN counts as 0.
            let bound = if options.upper_bound.is_nan() { 0.0 } else { options.upper_bound };
            assert_ne!(truth.is_within(bound), Some(true), "no answer, {truth:?}, {options:?}");
        }
    }
}

fn moved(pose: &Pose, by: &Vector3<f64>) -> Pose {
    Pose::new(*pose.rotation(), pose.translation() + by).expect("finite")
}
