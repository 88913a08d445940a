//! What is known of the dataset's meshes.

use std::path::{Path, PathBuf};

use bvtree::{BuildOptions, BvTree, Mesh, Query, VolumeKind};

/// Enough for debug mode.
const SMALL: [&str; 3] = ["spot", "suzanne", "fcl-rob"];
const CLEAN: [&str; 5] = ["armadillo", "cheburashka", "fandisk", "homer", "spot"];
const CROSSED: [&str; 6] = ["cow", "suzanne", "teapot", "truck", "fcl-env", "fcl-rob"];

/// The dataset's folder, where there is one.
fn dataset() -> Option<PathBuf> {
    let folder = match std::env::var_os("BVTREE_DATASET") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/dataset"),
    };
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: no dataset at {}", folder.display());
    None
}

#[test]
fn meshes_of_the_dataset() {
    let Some(dataset) = dataset() else { return };
    let kinds = if cfg!(debug_assertions) { &[VolumeKind::Obb][..] } else { &VolumeKind::ALL };
    let meshes = CLEAN.map(|name| (name, true)).into_iter().chain(CROSSED.map(|name| (name, false)));
    for (name, is_clean) in meshes.filter(|(name, _)| !cfg!(debug_assertions) || SMALL.contains(name)) {
        let mesh = Mesh::load_obj(dataset.join(format!("meshes/{name}.obj"))).unwrap();
        let found: Vec<_> = kinds
            .iter()
            .map(|&volume| {
                let options = BuildOptions::described(volume);
                Query::new().collect_self_pairs(&BvTree::build(&mesh, &options).unwrap())
            })
            .collect();
        assert_eq!(found[0].is_empty(), is_clean, "{name}");
        assert!(found.iter().all(|pairs| *pairs == found[0]), "{name}");
    }
}
