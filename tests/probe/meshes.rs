//! Meshes to ask, and the ways to ask them.

use std::collections::HashSet;

use bvtree::{BuildOptions, BvTree, Mesh, Probe, SimdLevel, SplitRule, VolumeKind};
use proptest::prelude::*;

use super::exact::P;
use crate::dataset_folder::dataset;

/// Trees of every kind, with one triangle in a leaf and with several.
pub fn trees(mesh: &Mesh) -> Vec<BvTree> {
    let options = VolumeKind::ALL.into_iter().flat_map(|volume| {
        let usual = BuildOptions { kind: volume, ..BuildOptions::default() };
        let single = BuildOptions { max_leaf_triangles: 1, ..usual };
        [
            single,
            usual,
            BuildOptions { split: SplitRule::Median, max_leaf_triangles: 4, ..BuildOptions::obbtree_rules(volume) },
        ]
    });
    options.map(|options| BvTree::build(mesh, &options).unwrap()).collect()
}

/// A probe for each level that the CPU has.
pub fn probes() -> Vec<Probe> {
    SimdLevel::ALL.into_iter().filter(|level| level.is_available()).map(Probe::with_simd).collect()
}

/// Triangles with corners on a small grid: many are degenerate, share corners, or touch.
pub fn grid_soup() -> impl Strategy<Value = Vec<[P; 3]>> {
    prop::collection::vec(prop::array::uniform3(prop::array::uniform3(-4..=4_i64)), 0..60)
}

/// Triangles with corners anywhere, of all sizes.
pub fn soup() -> impl Strategy<Value = Mesh> {
    let triangle = (prop::array::uniform3(-1f32..1.0), prop::array::uniform9(-1f32..1.0), -12..1_i32);
    prop::collection::vec(triangle, 1..80).prop_map(|triangles| {
        let vertices = triangles.iter().flat_map(|(center, offsets, size)| {
            (0..3).map(|corner| std::array::from_fn(|k| center[k] + offsets[3 * corner + k] * 2f32.powi(*size)).into())
        });
        let corners = (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]);
        Mesh::from_arrays(vertices.collect(), corners.collect()).unwrap()
    })
}

/// Which cells of a small grid are solid. Cell `[i, j, k]` reaches from twice that to twice that plus 2.
pub fn cells() -> impl Strategy<Value = HashSet<P>> {
    prop::collection::hash_set(prop::array::uniform3(-2..2_i64), 0..50)
}

/// The closed surface of the cells, with normals outward.
pub fn surface(cells: &HashSet<P>) -> Vec<[P; 3]> {
    let mut triangles = Vec::new();
    for cell in cells {
        for axis in 0..3 {
            for side in [0, 1] {
                let mut neighbour = *cell;
                neighbour[axis] += 2 * side - 1;
                if cells.contains(&neighbour) {
                    continue;
                }
                let corner = |u: i64, v: i64| {
                    let mut corner = cell.map(|x| 2 * x);
                    corner[axis] += 2 * side;
                    corner[(axis + 1) % 3] += 2 * u;
                    corner[(axis + 2) % 3] += 2 * v;
                    corner
                };
                let mut square = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                if side == 0 {
                    square.reverse();
                }
                let [a, b, c, d] = square;
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
    }
    triangles.sort_unstable();
    triangles
}

/// A mesh of the dataset, where there is one.
pub fn dataset_mesh(name: &str) -> Option<Mesh> {
    let folder = dataset()?;
    Some(Mesh::load_obj(folder.join("meshes").join(name)).unwrap())
}
