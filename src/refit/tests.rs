//! Volumes are the same whatever instructions fit them.

use nalgebra::Point3;

use super::{DeformingTree, ObbAxes, RefitOptions};
use crate::{BuildOptions, BvTree, Mesh, SimdLevel, VolumeKind};

/// A wavy sheet, with triangles along a line and in a point at its end.
fn sheet(side: u32, time: f32) -> Mesh {
    let at = |i: u32| {
        let [x, y] = [i % side, i / side].map(|k| k as f32 / side as f32);
        Point3::new(x, y + 0.1 * (5.0 * x + time).sin(), 0.2 * (7.0 * y - time).cos())
    };
    let squares = (0..side - 1).flat_map(|y| (0..side - 1).map(move |x| y * side + x));
    let triangles = squares.flat_map(|i| [[i, i + 1, i + side], [i + 1, i + side + 1, i + side]]);
    let flat = [[0, 1, 0], [1, 1, 1]];
    Mesh::from_arrays((0..side * side).map(at).collect(), triangles.chain(flat).collect()).unwrap()
}

#[test]
fn every_level_fits_the_same_volumes() {
    let (still, moved) = (sheet(40, 0.0), sheet(40, 1.3));
    let few: Vec<_> = (100..180).map(|i| (i, moved.vertices()[i as usize] + nalgebra::Vector3::z() * 0.05)).collect();
    for kind in VolumeKind::ALL {
        for obb_axes in ObbAxes::ALL {
            // Alone, and several in a leaf.
            let several = BuildOptions { max_leaf_triangles: 4, max_depth: 8, ..BuildOptions::obbtree_rules(kind) };
            let alone = BuildOptions { kind, max_leaf_triangles: 1, ..BuildOptions::default() };
            for build in [alone, several] {
                let refitted = |level| {
                    let tree = BvTree::build(&still, &build).unwrap();
                    let options = RefitOptions { obb_axes, rebuild_above: None };
                    let mut deforming = DeformingTree::with_options(tree, still.clone(), options).unwrap();
                    deforming.level = level;
                    deforming.refit(moved.vertices()).unwrap();
                    let mut words = deforming.tree().view().nodes.to_vec();
                    let cost = deforming.refit_moved(&few).unwrap().cost_ratio;
                    words.extend(deforming.tree().view().nodes);
                    assert!(deforming.tree().validate().is_empty(), "{kind}, {obb_axes}, {level}");
                    (words, cost)
                };
                for level in SimdLevel::available() {
                    assert!(refitted(level) == refitted(SimdLevel::Portable), "{kind}, {obb_axes}, {level}");
                }
            }
        }
    }
}
