//! Overlap depths to 1%, beside all pairs of intersecting triangles at the same pose, and penetration depths to 5%, by
//! mesh pair and label, on one thread, in one run.
//!
//! `cargo bench --bench depth_ratio -- [--mode PAIR] [--volume KIND] [--simd LEVEL] [--rounds N]`
//!
//! All poses of the dataset with `pen=` labels; open meshes are [`Solid::Robust`]. CSV on stdout:
//! `pair,label,pairs_us,overlap_us,ratio,penetration_us,penetration_95_us`. Each time of a pose is the fastest of N
//! rounds, in which the questions take turns. The columns are medians over the label's poses, `ratio` that of their
//! ratios, and the last one the 95th percentile; `refused` where the library does not answer for these meshes. A
//! summary on stderr.

use std::hint::black_box;
use std::time::Instant;

use bvtree::query::{DepthOptions, QueryError, Solid};
use bvtree::{BuildOptions, BvTree, Pose, Query};
use bvtree_benches::ratio::{self, Options};
use bvtree_benches::scenes::dataset_scenes;

/// The ratio that no median should exceed.
const MOST: f64 = 5.0;

/// The median and the 95th percentile of all penetration depths that should not be exceeded, in milliseconds.
const MOST_MS: [f64; 2] = [5.0, 50.0];

/// The fastest times of the questions at a pose, in microseconds; `None` where the library refuses.
#[derive(Clone, Copy)]
struct Times {
    pairs: f64,
    overlap: Option<f64>,
    penetration: Option<f64>,
}

fn main() {
    let mut scenes = dataset_scenes();
    for scene in &mut scenes {
        scene.poses.retain(|pose| pose.label.starts_with("pen="));
    }
    scenes.retain(|scene| !scene.poses.is_empty());
    let names: Vec<&str> = scenes.iter().map(|scene| scene.name.as_str()).collect();
    let Some(options) = ratio::options("depth_ratio", &names) else { return };
    println!("pair,label,pairs_us,overlap_us,ratio,penetration_us,penetration_95_us");
    let (mut ratios, mut penetrations, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    for scene in scenes.iter().filter(|scene| options.mode.as_ref().is_none_or(|pair| *pair == scene.name)) {
        let build = BuildOptions { kind: options.volume, ..BuildOptions::default() };
        let [a, b] = [&scene.a, &scene.b].map(|mesh| BvTree::build(mesh, &build).expect("valid options"));
        for label in scene.labels() {
            let poses = scene.poses.iter().filter(|pose| pose.label == label).map(|pose| &pose.b_to_a);
            let times = measure([&a, &b], &poses.collect::<Vec<_>>(), &options);
            let of_label = |time: fn(&Times) -> Option<f64>| times.iter().map(time).collect::<Option<Vec<f64>>>();
            let pairs = percentile(&of_label(|times| Some(times.pairs)), 0.5);
            let ratio = of_label(|times| Some(times.overlap? / times.pairs));
            let [overlap, penetration] = [of_label(|times| times.overlap), of_label(|times| times.penetration)];
            println!(
                "{},{label},{},{},{},{},{}",
                scene.name,
                shown(pairs, 1),
                shown(percentile(&overlap, 0.5), 1),
                shown(percentile(&ratio, 0.5), 2),
                shown(percentile(&penetration, 0.5), 1),
                shown(percentile(&penetration, 0.95), 1),
            );
            ratios.extend(percentile(&ratio, 0.5));
            for (question, answered) in [("overlap", &overlap), ("penetration", &penetration)] {
                if answered.is_none() {
                    refused.push(format!("{question} of {} {label}", scene.name));
                }
            }
            penetrations.extend(penetration.into_iter().flatten());
        }
    }
    let worst = ratios.iter().copied().fold(0.0, f64::max);
    let within = ratios.iter().filter(|&&ratio| ratio <= MOST).count();
    eprintln!("{within} of {} medians are at most {MOST}; the greatest is {worst:.2}", ratios.len());
    let penetrations = Some(penetrations).filter(|all| !all.is_empty());
    if let [Some(median), Some(high)] = [0.5, 0.95].map(|part| percentile(&penetrations, part)) {
        let ([most, most_high], slowest) = (MOST_MS, percentile(&penetrations, 1.0).unwrap_or(high));
        eprintln!(
            "penetration depths: median {:.2} ms (aim: {most}), 95% {:.1} ms (aim: {most_high}), slowest {:.0} ms",
            median / 1e3,
            high / 1e3,
            slowest / 1e3
        );
    }
    if !refused.is_empty() {
        eprintln!("refused: {}", refused.join(", "));
    }
}

/// Asks all questions at each pose.
fn measure([a, b]: [&BvTree; 2], poses: &[&Pose], options: &Options) -> Vec<Times> {
    let mut query = Query::with_simd(options.simd);
    query.set_solids(Solid::Robust, Solid::Robust);
    let to_a_hundredth = DepthOptions::default();
    let to_a_twentieth = DepthOptions { relative_tolerance: 0.05, ..DepthOptions::default() };
    let never = Some(f64::INFINITY);
    let mut times = vec![Times { pairs: f64::INFINITY, overlap: never, penetration: never }; poses.len()];
    for _ in 0..options.rounds {
        for (pose, times) in poses.iter().zip(&mut times) {
            let began = Instant::now();
            black_box(query.intersecting_pairs(a, b, pose));
            times.pairs = times.pairs.min(began.elapsed().as_secs_f64() * 1e6);
            keep_fastest(&mut times.overlap, || query.overlap_depth(a, b, pose, &to_a_hundredth));
            keep_fastest(&mut times.penetration, || query.penetration_depth(a, b, pose, &to_a_twentieth));
        }
    }
    times
}

/// Keeps the time of a question if it is the fastest so far; `None` if it is refused.
fn keep_fastest<T>(fastest: &mut Option<f64>, ask: impl FnOnce() -> Result<T, QueryError>) {
    let began = Instant::now();
    let answer = black_box(ask());
    let took = began.elapsed().as_secs_f64() * 1e6;
    *fastest = fastest.filter(|_| answer.is_ok()).map(|fastest| fastest.min(took));
}

/// The value that this part of the values does not exceed; `None` if there are no values.
fn percentile(values: &Option<Vec<f64>>, part: f64) -> Option<f64> {
    let mut sorted = values.clone()?;
    sorted.sort_unstable_by(f64::total_cmp);
    sorted.get(((sorted.len() as f64 * part) as usize).min(sorted.len() - 1)).copied()
}

fn shown(value: Option<f64>, decimals: usize) -> String {
    value.map_or("refused".to_owned(), |value| format!("{value:.decimals$}"))
}
