//! What the preset `tight` promises, on the dataset's meshes: at every level no more volume than the described rules, and
//! on average at least 15% less.

use std::fs;
use std::path::PathBuf;

use crate::dataset_folder::dataset;
use bvtree::metrics::{MeshFacts, Tightness};
use bvtree::{BuildOptions, BvTree, Mesh, Preset, VolumeKind};

/// The dataset's meshes, where there are any; in debug the smaller ones.
fn dataset_meshes() -> Vec<PathBuf> {
    let Some(folder) = dataset() else { return Vec::new() };
    let entries = fs::read_dir(folder.join("meshes")).unwrap();
    let most_bytes = if cfg!(debug_assertions) { 200_000 } else { u64::MAX };
    let entries = entries.map(|entry| entry.unwrap()).filter(|entry| entry.metadata().unwrap().len() <= most_bytes);
    let mut meshes: Vec<_> = entries.map(|entry| entry.path()).collect();
    meshes.sort();
    meshes
}

/// Ratios of the volumes of two trees' cuts, level by level; past its leaves a tree's cut stays as it is.
fn ratios(tree: &Tightness, other: &Tightness) -> Vec<f64> {
    let volume = |tree: &Tightness, level: usize| {
        tree.levels[level.min(tree.levels.len() - 1)].volume_ratio.expect("no mesh of the dataset is flat")
    };
    (0..tree.levels.len().max(other.levels.len())).map(|level| volume(tree, level) / volume(other, level)).collect()
}

#[test]
fn tight_trees_are_tighter_at_every_level() {
    for kind in [VolumeKind::Obb, VolumeKind::Sphere] {
        for path in dataset_meshes() {
            let mesh = Mesh::load_obj(&path).unwrap();
            let facts = MeshFacts::new(&mesh);
            let [tight, described] = [Preset::Tight.options(kind), BuildOptions::obbtree_rules(kind)]
                .map(|options| Tightness::new(&BvTree::build(&mesh, &options).unwrap(), &facts));
            let ratios = ratios(&tight, &described);
            let what = format!("{} {kind}: {ratios:.4?}", path.display());
            assert!(ratios.iter().all(|&ratio| ratio <= 1.0), "{what}");
            assert!(ratios.iter().sum::<f64>() / ratios.len() as f64 <= 0.85, "{what}");
        }
    }
}
