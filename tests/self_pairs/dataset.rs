//! What is known of the dataset's meshes.

use bvtree::{BuildOptions, BvTree, Mesh, Query, VolumeKind};

use crate::dataset_folder::dataset;

/// Enough for debug mode.
const SMALL: [&str; 3] = ["spot", "suzanne", "fcl-rob"];
const CLEAN: [&str; 5] = ["armadillo", "cheburashka", "fandisk", "homer", "spot"];
const CROSSED: [&str; 6] = ["cow", "suzanne", "teapot", "truck", "fcl-env", "fcl-rob"];

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
                let options = BuildOptions::obbtree_rules(volume);
                Query::new().self_pairs(&BvTree::build(&mesh, &options).unwrap())
            })
            .collect();
        assert_eq!(found[0].is_empty(), is_clean, "{name}");
        assert!(found.iter().all(|pairs| *pairs == found[0]), "{name}");
    }
}
