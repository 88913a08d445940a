//! Hits and distances at 10,000 poses along paths: all at once against one after the other, by mesh pair, path and
//! step, on one thread, in one run.
//!
//! `cargo bench --bench many_ratio -- [--volume KIND] [--simd LEVEL] [--rounds N] [--mode hit|first|distance]`
//!
//! Paths start at the scenes' poses. `near` takes B around A's middle while it turns, `through` moves it straight
//! towards the middle, so that it is at the scene's pose halfway, and `far` is `near` half a diagonal farther out;
//! `thread` turns the nut on its bolt. Poses of `random` have nothing in common. `first` asks each path for its first
//! hit, against a loop that ends there. CSV on stdout: `mode,step,pair,path,hits,many_us,one_us,ratio`, per pose, of
//! each path's fastest of N rounds in which both take turns; a step is so much of the larger box's diagonal.

use std::time::Instant;

use bvtree::query::DistanceOptions;
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query};
use bvtree_benches::meshes::real;
use bvtree_benches::random::Random;
use bvtree_benches::ratio::{self, Cell, Options};
use bvtree_benches::scenes::{LabelledPose, Scene, dataset_scenes};
use nalgebra::{Matrix3, Rotation3, Unit, Vector3};

const MODES: [&str; 3] = ["hit", "first", "distance"];

/// Parts of the larger box's diagonal.
const STEPS: [f64; 2] = [0.001, 0.01];

/// Paths of one kind, and the poses of each.
const PATHS: usize = 20;
const POSES: usize = 500;

const KINDS: [&str; 4] = ["near", "through", "far", "random"];

fn main() {
    let Some(options) = ratio::options("many_ratio", &MODES) else { return };
    println!("mode,step,pair,path,hits,many_us,one_us,ratio");
    let mut cells: Vec<(String, Vec<Cell>)> = Vec::new();
    for scene in dataset_scenes().into_iter().chain(nut_and_bolt()) {
        let build = BuildOptions { kind: options.volume, ..BuildOptions::default() };
        let trees = [&scene.a, &scene.b].map(|mesh| BvTree::build(mesh, &build).expect("valid options"));
        let thread = (scene.name == NUT_AND_BOLT).then_some("thread");
        for step in STEPS {
            for kind in KINDS.into_iter().chain(thread) {
                let poses = paths(&scene, kind, step);
                for mode in MODES.into_iter().filter(|mode| options.mode.as_ref().is_none_or(|only| only == mode)) {
                    let (times, hits) = measure([&trees[0], &trees[1]], &poses, mode, &options);
                    let cell = Cell { pair: scene.name.clone(), label: kind.to_owned(), times };
                    let [many, one] = times;
                    println!("{mode},{step},{},{kind},{hits},{many:.3},{one:.3},{:.2}", scene.name, cell.ratio());
                    let set = format!("{mode}, steps of {step}, {kind}");
                    match cells.iter_mut().find(|(name, _)| *name == set) {
                        Some((_, cells)) => cells.push(cell),
                        None => cells.push((set, vec![cell])),
                    }
                }
            }
        }
    }
    cells.iter().for_each(|(set, cells)| ratio::summarize(set, cells));
}

const NUT_AND_BOLT: &str = "bolt-nut";

/// The nut at four heights of its bolt's thread; `None` without the real meshes.
fn nut_and_bolt() -> Option<Scene> {
    let folder = real("nut-and-bolt")?;
    let mesh = |name: &str| Mesh::load_obj(folder.join(name)).ok();
    let at = |height: f64| LabelledPose {
        label: "thread".into(),
        b_to_a: Pose::new(Matrix3::identity(), Vector3::z() * height).expect("a rotation"),
    };
    let poses = [0.012, 0.016, 0.02, 0.024].map(at).into();
    Some(Scene { name: NUT_AND_BOLT.into(), a: mesh("bolt.obj")?, b: mesh("nut.obj")?, poses })
}

/// The mean times of both ways, in microseconds, and the number of hits. Each path's fastest pass counts, because the
/// machine may be busy in another's.
fn measure([a, b]: [&BvTree; 2], poses: &[Pose], mode: &str, options: &Options) -> ([f64; 2], usize) {
    let mut query = Query::with_simd(options.simd);
    let exactly = DistanceOptions::default();
    let (mut sums, mut hits) = ([0.0; 2], 0);
    for path in poses.chunks(POSES) {
        let mut fastest = [f64::INFINITY; 2];
        let mut time = |way: usize, began: Instant| fastest[way] = fastest[way].min(began.elapsed().as_secs_f64());
        let mut found = 0;
        for _ in 0..options.rounds {
            let began = Instant::now();
            found = match mode {
                "hit" => {
                    let many = query.intersects_many(a, b, path);
                    time(0, began);
                    let began = Instant::now();
                    let one: Vec<bool> = path.iter().map(|pose| query.intersects(a, b, pose)).collect();
                    time(1, began);
                    assert!(many == one, "answers differ");
                    one.iter().filter(|hit| **hit).count()
                }
                "first" => {
                    let many = query.first_hit(a, b, path);
                    time(0, began);
                    let began = Instant::now();
                    let one = path.iter().position(|pose| query.intersects(a, b, pose));
                    time(1, began);
                    assert!(many == one, "answers differ");
                    usize::from(one.is_some())
                }
                _ => {
                    let many = query.distance_many(a, b, path, &exactly);
                    time(0, began);
                    let began = Instant::now();
                    let one: Vec<_> = path.iter().map(|pose| query.distance(a, b, pose)).collect();
                    time(1, began);
                    assert!(many == one, "answers differ");
                    one.iter().flatten().filter(|closest| closest.distance == 0.0).count()
                }
            };
        }
        hits += found;
        sums = [sums[0] + fastest[0], sums[1] + fastest[1]];
    }
    (sums.map(|sum| sum / poses.len() as f64 * 1e6), hits)
}

fn paths(scene: &Scene, kind: &str, step: f64) -> Vec<Pose> {
    let mut random = Random(7);
    let bounds = [&scene.a, &scene.b].map(|mesh| mesh.aabb());
    let [middle_a, middle_b] = bounds.map(|bounds| bounds.center().coords);
    let radii = bounds.map(|bounds| bounds.half_extents().norm());
    let diagonal = 2.0 * radii[0].max(radii[1]);
    let mut poses = Vec::new();
    for number in 0..PATHS {
        let start = &scene.poses[number * scene.poses.len() / PATHS % scene.poses.len()].b_to_a;
        let (around, about) = (Unit::new_normalize(random.direction()), Unit::new_normalize(random.direction()));
        let mut offset = start.rotation() * middle_b + start.translation() - middle_a;
        if kind == "far" {
            offset += offset.try_normalize(0.0).unwrap_or(Vector3::x()) * (0.5 * diagonal);
        }
        let arm = around.cross(&offset).norm().max(0.3 * diagonal);
        for index in 0..POSES {
            let turns = step * index as f64;
            let (turn, moved) = match kind {
                "through" => {
                    let way = turns - step * POSES as f64 / 2.0;
                    let towards = -offset.try_normalize(0.0).unwrap_or(Vector3::x()) * (way * diagonal);
                    (Rotation3::from_axis_angle(&about, 0.3 * way), offset + towards)
                }
                "thread" => {
                    let angle = turns * diagonal / radii[1] * 2.0;
                    let moved = offset + Vector3::z() * (angle / std::f64::consts::TAU * 0.002);
                    (Rotation3::from_axis_angle(&Vector3::z_axis(), angle), moved)
                }
                "random" => {
                    let moved = random.direction() * (diagonal * random.unit());
                    (Rotation3::from_matrix_unchecked(random.rotation()), moved)
                }
                _ => {
                    let orbit = Rotation3::from_axis_angle(&around, turns * diagonal / arm);
                    (orbit * Rotation3::from_axis_angle(&about, 0.5 * turns), orbit * offset)
                }
            };
            let rotation = turn.into_inner() * start.rotation();
            poses.push(Pose::new(rotation, middle_a + moved - rotation * middle_b).expect("a rotation"));
        }
    }
    poses
}
