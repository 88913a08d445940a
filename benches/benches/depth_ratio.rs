//! Overlap depths to 1%, beside all pairs of intersecting triangles at the same pose, by mesh pair and label, on one
//! thread, in one run.
//!
//! `cargo bench --bench depth_ratio -- [--mode PAIR] [--volume KIND] [--simd LEVEL] [--rounds N]`
//!
//! The dataset's poses with `pen=` labels, of its pairs of closed meshes. CSV on stdout:
//! `pair,label,pairs_us,depth_us,ratio`, each the median over the label's poses: of the fastest of N rounds, in which
//! both questions take turns, and of the poses' ratios of these. A summary on stderr.

use std::hint::black_box;
use std::time::Instant;

use bvtree::query::DepthOptions;
use bvtree::{BuildOptions, BvTree, Pose, Query};
use bvtree_benches::ratio::{self, Options};
use bvtree_benches::scenes::dataset_scenes;

/// The dataset's pairs of closed meshes.
const PAIRS: [&str; 3] = ["fandisk-fandisk", "spot-spot", "armadillo-armadillo"];

/// The ratio that no median should exceed.
const MOST: f64 = 5.0;

fn main() {
    let Some(options) = ratio::options("depth_ratio", &PAIRS) else { return };
    println!("pair,label,pairs_us,depth_us,ratio");
    let mut ratios = Vec::new();
    for scene in dataset_scenes().into_iter().filter(|scene| PAIRS.contains(&scene.name.as_str())) {
        if options.mode.as_ref().is_some_and(|pair| *pair != scene.name) {
            continue;
        }
        let build = BuildOptions { kind: options.volume, ..BuildOptions::default() };
        let [a, b] = [&scene.a, &scene.b].map(|mesh| BvTree::build(mesh, &build).expect("valid options"));
        for label in scene.labels().into_iter().filter(|label| label.starts_with("pen=")) {
            let poses = scene.poses.iter().filter(|pose| pose.label == label).map(|pose| &pose.b_to_a);
            let times: Vec<[f64; 2]> = measure([&a, &b], &poses.collect::<Vec<_>>(), &options);
            let [pairs, depth] = [0, 1].map(|way| median(times.iter().map(|times| times[way])));
            let ratio = median(times.iter().map(|[pairs, depth]| depth / pairs));
            println!("{},{label},{pairs:.1},{depth:.1},{ratio:.2}", scene.name);
            ratios.push(ratio);
        }
    }
    let worst = ratios.iter().copied().fold(0.0, f64::max);
    let within = ratios.iter().filter(|&&ratio| ratio <= MOST).count();
    eprintln!("{within} of {} medians are at most {MOST}; the greatest is {worst:.2}", ratios.len());
}

/// The fastest times of both questions at each pose, in microseconds: all pairs, and the overlap depth.
fn measure([a, b]: [&BvTree; 2], poses: &[&Pose], options: &Options) -> Vec<[f64; 2]> {
    let (mut query, to_a_hundredth) = (Query::with_simd(options.simd), DepthOptions::default());
    let mut times = vec![[f64::INFINITY; 2]; poses.len()];
    for _ in 0..options.rounds {
        for (pose, [pairs, depth]) in poses.iter().zip(&mut times) {
            let began = Instant::now();
            black_box(query.intersecting_pairs(a, b, pose));
            *pairs = pairs.min(began.elapsed().as_secs_f64() * 1e6);
            let began = Instant::now();
            black_box(query.overlap_depth(a, b, pose, &to_a_hundredth)).expect("closed meshes");
            *depth = depth.min(began.elapsed().as_secs_f64() * 1e6);
        }
    }
    times
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}
