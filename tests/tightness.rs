//! What the presets promise: `tight`, on the meshes of the dataset, at every level no more volume than the described
//! rules, and on average at least 15% less; oriented trees of both never looser than axis-aligned ones.

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
        let ratio = tree.levels[level.min(tree.levels.len() - 1)].volume_ratio.expect("no mesh of the dataset is flat");
        // Flat boxes have the volume that rounding gives them.
        ratio.max(1e-6)
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

/// Meshes of `data/` and of the dataset, and what has no preferred direction: waves, a plate, a step field, boxes side
/// by side.
fn all_meshes() -> Vec<(String, Mesh)> {
    let data = fs::read_dir(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("data")).unwrap();
    let data = data.map(|entry| entry.unwrap().path()).filter(|path| path.extension().is_some_and(|end| end == "obj"));
    let load = |path: PathBuf| (path.display().to_string(), Mesh::load_obj(&path).unwrap());
    let mut meshes: Vec<_> = data.chain(dataset_meshes()).map(load).collect();
    let waves = |x: f64, y: f64| 0.05 * (9.0 * x).sin() * (11.0 * y).cos();
    meshes.push(("waves".into(), ground(60, waves)));
    meshes.push(("plate".into(), ground(32, |_, _| 0.0)));
    meshes.push(("steps".into(), ground(48, |x, _| (8.0 * x).floor() * 0.1)));
    meshes.push(("boxes".into(), boxes(5)));
    meshes
}

/// A height field over the unit square.
fn ground(cells: u32, height: impl Fn(f64, f64) -> f64) -> Mesh {
    let grid = (0..=cells).flat_map(|i| (0..=cells).map(move |j| [i, j].map(|k| f64::from(k) / f64::from(cells))));
    let vertices = grid.map(|[x, y]| [x as f32, y as f32, height(x, y) as f32].into()).collect();
    let at = |i: u32, j: u32| i * (cells + 1) + j;
    let cell = |i, j| [[at(i, j), at(i + 1, j), at(i + 1, j + 1)], [at(i, j), at(i + 1, j + 1), at(i, j + 1)]];
    let triangles = (0..cells).flat_map(|i| (0..cells).flat_map(move |j| cell(i, j))).collect();
    Mesh::from_arrays(vertices, triangles).unwrap()
}

/// Unit boxes one unit apart, so many along each axis.
fn boxes(along: u32) -> Mesh {
    const FACES: [[u32; 4]; 6] = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for number in 0..along.pow(3) {
        let first = vertices.len() as u32;
        let place = [number % along, number / along % along, number / along / along];
        vertices.extend((0..8).map(|corner| {
            let x = [0, 1, 2].map(|k| (2 * place[k] + (corner >> k & 1)) as f32);
            nalgebra::Point3::from(x)
        }));
        let halves = FACES.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]);
        triangles.extend(halves.map(|half| half.map(|corner| first + corner)));
    }
    Mesh::from_arrays(vertices, triangles).unwrap()
}

/// At every level the oriented boxes have in all no more volume and no more area than the axis-aligned ones.
#[test]
fn oriented_trees_are_never_looser_than_aligned_ones() {
    for (name, mesh) in all_meshes() {
        let facts = MeshFacts::new(&mesh);
        for preset in [Preset::Balanced, Preset::Tight] {
            let [oriented, aligned] = [VolumeKind::Obb, VolumeKind::Aabb]
                .map(|kind| Tightness::new(&BvTree::build(&mesh, &preset.options(kind)).unwrap(), &facts));
            let last = aligned.levels.len().max(oriented.levels.len()) - 1;
            for level in 0..=last {
                let [ours, theirs] = [&oriented, &aligned].map(|tree| tree.levels[level.min(tree.levels.len() - 1)]);
                let what = format!("{name}, {preset}, level {level}: {ours:?} {theirs:?}");
                // Flat boxes have the volume that rounding gives them.
                let volumes = ours.volume_ratio.zip(theirs.volume_ratio);
                assert!(volumes.is_none_or(|(ours, theirs)| ours <= theirs * 1.002 + 1e-6), "{what}");
                // Where `tight` gives flat triangles of an axis-aligned tree one box, it may give each an oriented one.
                let limit = if preset == Preset::Tight && level + 1 >= aligned.levels.len() { 1.5 } else { 1.001 };
                let areas = ours.area_ratio.zip(theirs.area_ratio);
                assert!(areas.is_none_or(|(ours, theirs)| ours <= theirs * limit), "{what}");
            }
        }
    }
}
