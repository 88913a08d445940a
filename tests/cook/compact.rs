//! Compact files: the same mesh and nodes, in a fraction of the bytes, and the same results.

use bvtree::cook::CookError;
use bvtree::tree::TreeDefect;
use bvtree::{BvTree, Pose, Query, VolumeKind};
use bvtree_test_support::checks::cooked_files::seal;
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

/// The bytes of a plain file with a node of two volumes at each level, one of them a leaf of one triangle.
fn chain(triangles: usize) -> Vec<u8> {
    let mut bytes = bytes_of(&build(&soup(triangles, 4), VolumeKind::Aabb, 1));
    let root: Vec<[u8; 4]> = bytes[section(&bytes, 0)].chunks_exact(4).take(6).map(|w| w.try_into().unwrap()).collect();
    let (leaf, pair) = (|first: usize| 1 << 31 | first as u32, |first: usize| 1 << 28 | first as u32);
    let mut nodes = root.concat();
    nodes.extend(pair(1).to_le_bytes());
    for first in 0..triangles - 1 {
        root.iter().for_each(|word| nodes.extend([*word, *word].concat()));
        let last = first + 2 == triangles;
        let below = [leaf(first), if last { leaf(first + 1) } else { pair(2 * first + 3) }];
        nodes.extend(below.map(u32::to_le_bytes).concat());
    }
    nodes.extend([0; 32]);
    let sections: Vec<Vec<u8>> = (0..6).map(|i| bytes[section(&bytes, i)].to_vec()).collect();
    bytes.truncate(384);
    for (i, content) in [nodes].iter().chain(&sections[1..]).enumerate() {
        bytes.resize(bytes.len().next_multiple_of(64), 0);
        let table = [bytes.len() as u64, content.len() as u64].map(u64::to_le_bytes).concat();
        bytes[192 + 24 * i..208 + 24 * i].copy_from_slice(&table);
        bytes.extend(content);
    }
    let levels = triangles as u32 - 1;
    for (offset, number) in [(160, 2 * levels + 1), (176, levels), (180, levels), (184, levels + 1), (188, 1)] {
        bytes[offset..offset + 4].copy_from_slice(&number.to_le_bytes());
    }
    seal(&mut bytes);
    bytes
}

#[test]
fn deep_trees_are_written_plainly_and_refused() {
    let (deepest, deep) = (chain(101), chain(102));
    let [tree, deep_tree] = [&deepest, &deep].map(|bytes| BvTree::from_bytes(bytes).unwrap());
    assert_eq!([tree.depth(), deep_tree.depth()], [100, 101]);
    assert!(compact_bytes_of(&deep_tree) == deep);
    let mut compact = compact_bytes_of(&tree);
    assert!(compact.len() < deepest.len() / 2);
    assert_eq!(BvTree::from_bytes(&compact).unwrap().depth(), 100);
    for depth in [99, 101] {
        compact[180] = depth;
        seal(&mut compact);
        let error = BvTree::from_bytes(&compact).unwrap_err().to_string();
        let expected = if depth > 100 { "depth is 101, expected at most 100" } else { "the nodes of one tree" };
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn deeper_trees_than_any_built_are_refused() {
    let tree = BvTree::from_bytes(&chain(257)).unwrap();
    assert_eq!(tree.depth(), 256);
    assert_eq!(tree.nodes().filter(|node| node.is_leaf()).count(), 257);
    let error = BvTree::from_bytes(&chain(258)).unwrap_err().to_string();
    assert!(error.contains("depth is 257, expected at most 256"), "{error}");
    let mut forged = chain(5000);
    forged[180..184].copy_from_slice(&200u32.to_le_bytes());
    seal(&mut forged);
    let error = BvTree::from_bytes(&forged).unwrap_err();
    let expected = TreeDefect::Count { what: "depth", stored: 200, counted: 201 };
    assert!(matches!(&error, CookError::Defect(defect) if *defect == expected), "{error}");
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
