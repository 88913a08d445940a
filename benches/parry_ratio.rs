//! Ours against parry3d-f64's leaf-pair traversal with our triangle test, by mesh pair and label, in one run.
//!
//! `cargo bench --bench parry_ratio -- [--mode hit|pairs] [--volume KIND] [--simd LEVEL] [--rounds N]`
//!
//! CSV on stdout: `pair,label,ours_us,parry_us,ratio`, each the mean over the label's poses of each pose's fastest of N
//! rounds, in which ours and parry's passes over the poses take turns. Geometric means and the worst cell on stderr.

mod common;

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use bvtree::{BuildOptions, BvTree, Pose, Query, SimdLevel, VolumeKind};
use common::parry::ParryTree;
use common::scenes::{LabelledPose, Scene, data_scenes, dataset_scenes};

struct Options {
    pairs: bool,
    volume: VolumeKind,
    simd: SimdLevel,
    rounds: usize,
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let benched = arguments.iter().any(|argument| argument == "--bench");
    arguments.retain(|argument| argument != "--bench");
    // Cargo hands all benches the same arguments: those that are meant for Criterion are no error here.
    match parse(&arguments) {
        Ok(options) if benched => run(&options),
        Ok(_) => eprintln!("nothing measured: run `cargo bench --bench parry_ratio`"),
        Err(error) => eprintln!("parry_ratio: nothing measured: {error}"),
    }
}

fn run(options: &Options) {
    let mode = if options.pairs { "pairs" } else { "hit" };
    eprintln!("{mode}: {} trees, {}, against parry3d-f64", options.volume, options.simd);
    println!("pair,label,ours_us,parry_us,ratio");
    for (set, scenes) in [("data", data_scenes()), ("dataset", dataset_scenes())] {
        let cells: Vec<Cell> = scenes.iter().flat_map(|scene| measure(scene, options)).collect();
        let Some(worst) = cells.iter().min_by(|a, b| a.ratio().total_cmp(&b.ratio())) else { continue };
        let mean = (cells.iter().map(|cell| cell.ratio().ln()).sum::<f64>() / cells.len() as f64).exp();
        let (count, ratio) = (cells.len(), worst.ratio());
        eprintln!(
            "{set}: geometric mean {mean:.2} over {count} pairs and labels; worst {ratio:.2} at {} {}",
            worst.pair, worst.label
        );
    }
}

fn parse(arguments: &[String]) -> Result<Options, Box<dyn Error>> {
    let volume = BuildOptions::default().volume;
    let mut options = Options { pairs: false, volume, simd: SimdLevel::detect(), rounds: 7 };
    for argument in arguments.chunks(2) {
        let [name, value] = argument else { return Err(format!("{} needs a value", argument[0]).into()) };
        match (name.as_str(), value.as_str()) {
            ("--mode", "hit") => options.pairs = false,
            ("--mode", "pairs") => options.pairs = true,
            ("--volume", kind) => options.volume = kind.parse()?,
            ("--simd", level) => options.simd = level.parse()?,
            ("--rounds", count) => options.rounds = count.parse::<usize>()?.max(1),
            _ => return Err(format!("unknown option {name} {value}").into()),
        }
    }
    Ok(options)
}

/// What both needed at the poses of one label, microseconds per query.
struct Cell {
    pair: String,
    label: String,
    ours: f64,
    parry: f64,
}

impl Cell {
    fn ratio(&self) -> f64 {
        self.parry / self.ours
    }
}

fn measure(scene: &Scene, options: &Options) -> Vec<Cell> {
    let build = BuildOptions { volume: options.volume, ..BuildOptions::default() };
    let [a, b] = [&scene.a, &scene.b].map(|mesh| BvTree::build(mesh, &build).expect("valid options"));
    let [parry_a, parry_b] = [&scene.a, &scene.b].map(ParryTree::build);
    let mut query = Query::with_simd(options.simd);
    let mut ours = |pose: &Pose| {
        if options.pairs {
            query.count_pairs(&a, &b, pose).expect("trees of one kind")
        } else {
            u64::from(query.intersects(&a, &b, pose).expect("trees of one kind"))
        }
    };
    let parry = |pose: &Pose| {
        if options.pairs { parry_a.count_pairs(&parry_b, pose) } else { u64::from(parry_a.intersects(&parry_b, pose)) }
    };
    for pose in &scene.poses {
        assert_eq!(ours(&pose.b_to_a), parry(&pose.b_to_a), "answers differ: {} {}", scene.name, pose.label);
    }
    let mut best = vec![[f64::INFINITY; 2]; scene.poses.len()];
    for _ in 0..options.rounds {
        pass(&scene.poses, best.iter_mut().map(|best| &mut best[0]), &mut ours);
        pass(&scene.poses, best.iter_mut().map(|best| &mut best[1]), parry);
    }
    cells(scene, &best)
}

/// Asks at every pose and keeps the fastest time of each.
fn pass<'a>(poses: &[LabelledPose], best: impl Iterator<Item = &'a mut f64>, mut ask: impl FnMut(&Pose) -> u64) {
    for (pose, best) in poses.iter().zip(best) {
        let began = Instant::now();
        black_box(ask(&pose.b_to_a));
        *best = best.min(began.elapsed().as_secs_f64() * 1e6);
    }
}

fn cells(scene: &Scene, best: &[[f64; 2]]) -> Vec<Cell> {
    let mut cells = Vec::new();
    for label in scene.labels() {
        let times = scene.poses.iter().zip(best).filter(|(pose, _)| pose.label == label).map(|(_, best)| best);
        let count = times.clone().count() as f64;
        let [ours, parry] = [0, 1].map(|side| times.clone().map(|best| best[side]).sum::<f64>() / count);
        let cell = Cell { pair: scene.name.clone(), label: label.to_owned(), ours, parry };
        println!("{},{label},{ours:.3},{parry:.3},{:.2}", cell.pair, cell.ratio());
        cells.push(cell);
    }
    cells
}
