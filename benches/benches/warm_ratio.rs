//! The least distance along smooth paths, with a warm start against without, by mesh pair and label, in one run.
//!
//! `cargo bench --bench warm_ratio -- [--volume KIND] [--simd LEVEL] [--rounds N]`
//!
//! A path starts at a pose of a scene where the meshes are apart, or far apart (`round`), and takes B around A's middle
//! while it turns; it is measured where the meshes stay apart. CSV on stdout: `step,pair,label,warm_us,cold_us,ratio`,
//! each the mean over the label's poses of each pose's fastest of N rounds, in which warm and cold passes along the
//! paths take turns; a step is so much of the larger box's diagonal. Geometric means and the worst cell of each step on
//! stderr.

use std::sync::Arc;

use bvtree::query::DistanceTracker;
use bvtree::{BuildOptions, BvTree, Pose, Query};
use bvtree_benches::random::Random;
use bvtree_benches::ratio::{self, Cell, Options, pass};
use bvtree_benches::scenes::{Scene, data_scenes, dataset_scenes};
use nalgebra::{Rotation3, Unit, Vector3};

/// Parts of the larger box's diagonal.
const STEPS: [f64; 4] = [0.0005, 0.001, 0.002, 0.0044];

/// Of a path, before it is cut where the meshes meet.
const POSES: u32 = 200;

/// Of the longest part without contact, at least.
const LEAST_POSES: usize = 60;

/// Paths of each label.
const PATHS: usize = 3;

fn main() {
    let Some(options) = ratio::options("warm_ratio", &[]) else { return };
    eprintln!("{} trees, {}, warm against cold", options.volume, options.simd);
    println!("step,pair,label,warm_us,cold_us,ratio");
    for (set, scenes) in [("data", data_scenes()), ("dataset", dataset_scenes())] {
        let mut cells = STEPS.map(|_| Vec::new());
        for scene in &scenes {
            let build = BuildOptions { kind: options.volume, ..BuildOptions::default() };
            let trees = [&scene.a, &scene.b].map(|mesh| Arc::new(BvTree::build(mesh, &build).expect("valid options")));
            for (step, cells) in STEPS.into_iter().zip(&mut cells) {
                cells.extend(measure(scene, &trees, step, &options));
            }
        }
        for (step, cells) in STEPS.iter().zip(&cells) {
            ratio::summarize(&format!("{set}, steps of {step}"), cells);
        }
    }
}

fn measure(scene: &Scene, trees: &[Arc<BvTree>; 2], step: f64, options: &Options) -> Vec<Cell> {
    let mut cells = Vec::new();
    for label in scene.labels().into_iter().chain(["round"]) {
        let starts = scene.poses.iter().filter(|pose| pose.label == label).map(|pose| pose.b_to_a);
        let starts = starts.chain((label == "round").then(|| far_apart(scene)));
        let paths = starts.enumerate().map(|(seed, start)| path(scene, trees, &start, step, seed as u64));
        let paths: Vec<Vec<Pose>> = paths.filter(|path| path.len() >= LEAST_POSES).take(PATHS).collect();
        let poses = paths.concat();
        if poses.is_empty() {
            continue;
        }
        let [mut best_of_warm, mut best_of_cold] = [(); 2].map(|()| vec![f64::INFINITY; poses.len()]);
        let mut query = Query::with_simd(options.simd);
        let mut tracker = DistanceTracker::new(&trees[0], &trees[1]);
        let mut ask = |pose: &Pose, warm_start: bool| {
            if warm_start { tracker.distance(&mut query, pose) } else { query.distance(&trees[0], &trees[1], pose) }
        };
        for _ in 0..options.rounds {
            pass(&poses, &mut best_of_warm, |pose| ask(pose, true));
            pass(&poses, &mut best_of_cold, |pose| ask(pose, false));
        }
        assert!(poses.iter().all(|pose| ask(pose, true) == ask(pose, false)), "answers differ: {} {label}", scene.name);
        let mean = |best: &[f64]| best.iter().sum::<f64>() / best.len() as f64;
        let times @ [warm, cold] = [mean(&best_of_warm), mean(&best_of_cold)];
        let cell = Cell { pair: scene.name.clone(), label: label.to_owned(), times };
        println!("{step},{},{label},{warm:.3},{cold:.3},{:.2}", cell.pair, cell.ratio());
        cells.push(cell);
    }
    cells
}

/// Beside each other, 0.7 mean diagonals from middle to middle.
fn far_apart(scene: &Scene) -> Pose {
    let [a, b] = [&scene.a, &scene.b].map(|mesh| mesh.aabb());
    let way = Vector3::x() * (0.7 * (a.half_extents().norm() + b.half_extents().norm()));
    Pose::new(Rotation3::identity().into_inner(), a.center() + way - b.center()).expect("a rotation")
}

/// The longest part without contact of a way around A's middle about an axis at random, while B turns about another.
fn path(scene: &Scene, trees: &[Arc<BvTree>; 2], start: &Pose, step: f64, seed: u64) -> Vec<Pose> {
    let mut random = Random(seed);
    let mut axis = || Unit::new_normalize(random.direction());
    let (around, about) = (axis(), axis());
    let [a, b] = [&scene.a, &scene.b].map(|mesh| mesh.aabb());
    let middle = start.rotation() * b.center().coords + start.translation() - a.center().coords;
    let diagonal = 2.0 * a.half_extents().norm().max(b.half_extents().norm());
    let arm = around.cross(&middle).norm().max(0.3 * diagonal);
    let pose = |index: u32| {
        let turns = step * f64::from(index);
        let orbit = Rotation3::from_axis_angle(&around, turns * diagonal / arm);
        let rotation = (orbit * Rotation3::from_axis_angle(&about, 0.5 * turns)).into_inner() * start.rotation();
        let at = a.center().coords + orbit * middle - rotation * b.center().coords;
        Pose::new(rotation, at).expect("a rotation")
    };
    let poses: Vec<Pose> = (0..POSES).map(pose).collect();
    let mut query = Query::new();
    let mut meets = |pose: &Pose| query.intersects(&trees[0], &trees[1], pose);
    let parts: Vec<&[Pose]> = poses.split(|pose| meets(pose)).collect();
    parts.into_iter().max_by_key(|part| part.len()).unwrap_or_default().to_vec()
}
