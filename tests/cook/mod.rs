//! Cooked files and the validator.

mod compact;
mod damage;
mod direct;
mod format;
mod meshes;
mod opening;
mod round_trip;
mod saving;
#[cfg(all(feature = "stl", feature = "ply"))]
mod tiles;
mod validate;

use bvtree::{BuildOptions, Builder, BvTree, Mesh, Preset, SplitRule, VolumeKind};

fn build(mesh: &Mesh, volume: VolumeKind, max_leaf_triangles: u32) -> BvTree {
    let options = BuildOptions { kind: volume, max_leaf_triangles, ..BuildOptions::default() };
    BvTree::build(mesh, &options).unwrap()
}

fn bytes_of(tree: &BvTree) -> Vec<u8> {
    let mut bytes = Vec::new();
    tree.write_to(&mut bytes).unwrap();
    bytes
}

fn compact_bytes_of(tree: &BvTree) -> Vec<u8> {
    let mut bytes = Vec::new();
    tree.write_compact_to(&mut bytes).unwrap();
    bytes
}

/// Every kind and split rule with several stop rules, and the presets.
fn all_options() -> impl Iterator<Item = BuildOptions> {
    let stops = [(u32::MAX, 1), (u32::MAX, 4), (u32::MAX, 100_000), (0, 1), (3, 1), (3, 16)];
    let presets = |volume| [Preset::Balanced, Preset::Tight].map(|preset| preset.options(volume));
    let clustered =
        |volume| BuildOptions { builder: Builder::Ploc, rotation_passes: 3, ..BuildOptions::obbtree_rules(volume) };
    let others =
        VolumeKind::ALL.into_iter().flat_map(move |volume| presets(volume).into_iter().chain([clustered(volume)]));
    let described = VolumeKind::ALL.into_iter().flat_map(move |volume| {
        SplitRule::ALL.into_iter().flat_map(move |split| {
            stops.map(|(max_depth, max_leaf_triangles)| BuildOptions {
                split,
                max_depth,
                max_leaf_triangles,
                ..BuildOptions::obbtree_rules(volume)
            })
        })
    });
    described.chain(others)
}
