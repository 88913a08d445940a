//! Compact files: the same mesh and nodes, in a fraction of the bytes, and the same results.

use bvtree::{BvTree, Pose, Query, VolumeKind};
use nalgebra::{Isometry3, Vector3};

use super::damage::section;
use super::meshes::{self, sheet, soup};
use super::{all_options, build, bytes_of, compact_bytes_of};

#[test]
fn every_tree_comes_back_but_for_its_volumes() {
    for (name, mesh) in meshes::all(60) {
        for options in all_options() {
            let built = BvTree::build(&mesh, &options).unwrap();
            let compact = compact_bytes_of(&built);
            let opened = BvTree::from_bytes(&compact).unwrap_or_else(|error| panic!("{name}, {options:?}: {error}"));
            assert_eq!(opened.validate_against(&mesh), [], "{name}, {options:?}");
            let [expected, found] = [&built, &opened].map(bytes_of);
            // The header but for the checksums of the whole and of the nodes; then all that is not nodes.
            for range in [0..24, 32..208, 216..384, section(&expected, 1).start..expected.len()] {
                assert!(expected[range.clone()] == found[range.clone()], "{name}, {options:?}: {range:?}");
            }
            let below = |tree: &BvTree| -> Vec<_> {
                tree.nodes().map(|node| (node.parent, node.children, node.first_triangle, node.triangles)).collect()
            };
            assert_eq!(below(&opened), below(&built), "{name}, {options:?}");
            assert!(compact_bytes_of(&opened) == compact, "{name}, {options:?}: one encoding");
        }
    }
}

#[test]
fn results_are_those_of_the_tree_that_was_saved() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.bvt");
    let mut query = Query::new();
    for kind in VolumeKind::ALL {
        let built = [build(&soup(150, 2), kind, 1), build(&sheet(9, 1.0), kind, 3)];
        built[0].save_compact(&path).unwrap();
        let opened = [BvTree::open(&path).unwrap(), BvTree::open_trusted(&path).unwrap()];
        let mut hits = 0;
        for step in 0..12 {
            let shift = Vector3::new(0.4 * f64::from(step % 6), 0.1, 0.0);
            let pose = Pose::from(Isometry3::new(shift, Vector3::new(0.3, 0.5, 0.1) * f64::from(step)));
            let pairs = query.intersecting_pairs(&built[0], &built[1], &pose);
            let distance = query.distance(&built[0], &built[1], &pose);
            hits += pairs.len();
            for a in &opened {
                assert_eq!(query.intersecting_pairs(a, &built[1], &pose), pairs);
                assert_eq!(query.distance(a, &built[1], &pose), distance);
            }
        }
        assert!(hits > 50, "{hits}");
    }
}

#[test]
fn the_same_volumes_for_any_number_of_threads() {
    let mesh = sheet(if cfg!(debug_assertions) { 72 } else { 200 }, 1.0);
    for kind in VolumeKind::ALL {
        let compact = compact_bytes_of(&build(&mesh, kind, 1));
        let open = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| bytes_of(&BvTree::from_bytes(&compact).unwrap()))
        };
        assert!(open(1) == open(2), "{kind}");
    }
}

#[test]
fn a_triangle_takes_few_bytes() {
    let mesh = sheet(60, 1.0);
    for options in all_options() {
        let tree = BvTree::build(&mesh, &options).unwrap();
        let bytes = compact_bytes_of(&tree).len();
        assert!(bytes < 14 * tree.triangle_count(), "{bytes} bytes, {options:?}");
    }
}
