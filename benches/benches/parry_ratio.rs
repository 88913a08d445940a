//! Ours against parry3d-f64's leaf-pair traversal with our triangle test, by mesh pair and label, in one run.
//!
//! `cargo bench --bench parry_ratio -- [--mode hit|pairs] [--volume KIND] [--simd LEVEL] [--rounds N]`
//!
//! CSV on stdout: `pair,label,ours_us,parry_us,ratio`, each the mean over the label's poses of each pose's fastest of N
//! rounds, in which ours and parry's passes over the poses take turns. Geometric means and the worst cell on stderr.

use bvtree::{BuildOptions, BvTree, Pose, Query};
use bvtree_benches::parry::ParryTree;
use bvtree_benches::ratio::{self, Cell, Options, pass};
use bvtree_benches::scenes::{Scene, data_scenes, dataset_scenes};

fn main() {
    let Some(options) = ratio::options("parry_ratio", &["hit", "pairs"]) else { return };
    let mode = options.mode.as_deref().unwrap_or("hit");
    eprintln!("{mode}: {} trees, {}, against parry3d-f64", options.volume, options.simd);
    println!("pair,label,ours_us,parry_us,ratio");
    for (set, scenes) in [("data", data_scenes()), ("dataset", dataset_scenes())] {
        let cells: Vec<Cell> = scenes.iter().flat_map(|scene| measure(scene, mode == "pairs", &options)).collect();
        ratio::summarize(set, &cells);
    }
}

fn measure(scene: &Scene, counts_pairs: bool, options: &Options) -> Vec<Cell> {
    let build = BuildOptions { kind: options.volume, ..BuildOptions::default() };
    let [a, b] = [&scene.a, &scene.b].map(|mesh| BvTree::build(mesh, &build).expect("valid options"));
    let [parry_a, parry_b] = [&scene.a, &scene.b].map(ParryTree::build);
    let mut query = Query::with_simd(options.simd);
    let mut ours = |pose: &Pose| {
        if counts_pairs { query.count_pairs(&a, &b, pose) } else { u64::from(query.intersects(&a, &b, pose)) }
    };
    let parry = |pose: &Pose| {
        if counts_pairs { parry_a.count_pairs(&parry_b, pose) } else { u64::from(parry_a.intersects(&parry_b, pose)) }
    };
    for pose in &scene.poses {
        assert_eq!(ours(&pose.b_to_a), parry(&pose.b_to_a), "answers differ: {} {}", scene.name, pose.label);
    }
    let [mut best_of_ours, mut best_of_parry] = [(); 2].map(|()| vec![f64::INFINITY; scene.poses.len()]);
    for _ in 0..options.rounds {
        pass(&scene.poses, &mut best_of_ours, |pose| ours(&pose.b_to_a));
        pass(&scene.poses, &mut best_of_parry, |pose| parry(&pose.b_to_a));
    }
    let cell = |label: &str| {
        let mean = |best: &[f64]| {
            let of_label = scene.poses.iter().zip(best).filter(|(pose, _)| pose.label == label);
            of_label.clone().map(|(_, best)| best).sum::<f64>() / of_label.count() as f64
        };
        let times @ [ours, parry] = [&best_of_ours, &best_of_parry].map(|best| mean(best));
        let cell = Cell { pair: scene.name.clone(), label: label.to_owned(), times };
        println!("{},{label},{ours:.3},{parry:.3},{:.2}", cell.pair, cell.ratio());
        cell
    };
    scene.labels().into_iter().map(cell).collect()
}
