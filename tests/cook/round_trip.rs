//! What is opened is what was built.

use std::ops::ControlFlow;

use bvtree::query::{FacePair, QueryStats};
use bvtree::{BvTree, Pose, Query, VolumeKind};
use nalgebra::{Isometry3, Vector3};

use super::meshes::{self, soup};
use super::{all_options, build, bytes_of};

fn pairs(a: &BvTree, b: &BvTree, pose: &Pose) -> (Vec<FacePair>, QueryStats) {
    let (mut query, mut pairs) = (Query::new(), Vec::new());
    query.for_each_intersecting_pair(a, b, pose, |pair| {
        pairs.push(pair);
        ControlFlow::Continue(())
    });
    (pairs, query.stats())
}

fn assert_same(built: &BvTree, opened: &BvTree) {
    assert_eq!(opened.options(), built.options());
    assert_eq!(opened.bounds(), built.bounds());
    assert_eq!(opened.groups(), built.groups());
    assert_eq!(opened.mesh_digest(), built.mesh_digest());
    let counts =
        |tree: &BvTree| (tree.triangle_count(), tree.node_count(), tree.leaf_count(), tree.leaf_triangles_max());
    assert_eq!(counts(opened), counts(built));
    assert_eq!((opened.depth(), opened.split_depth()), (built.depth(), built.split_depth()));
    for face in 0..built.triangle_count() as u32 + 1 {
        assert_eq!(opened.polygon(face), built.polygon(face));
    }
    assert_eq!(bytes_of(opened), bytes_of(built));
}

#[test]
fn every_tree_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tree.bvt");
    for (name, mesh) in meshes::all(200) {
        for (i, options) in all_options().enumerate() {
            let built = BvTree::build(&mesh, &options).unwrap();
            let opened =
                BvTree::from_bytes(&bytes_of(&built)).unwrap_or_else(|error| panic!("{name}, {options:?}: {error}"));
            assert_same(&built, &opened);
            // Files cost a disk write each: a few of the options.
            if i % 9 == 0 {
                built.save(&path).unwrap();
                assert_same(&built, &BvTree::open(&path).unwrap());
                assert_same(&built, &BvTree::open_trusted(&path).unwrap());
            }
        }
    }
}

#[test]
fn opened_trees_answer_as_built_ones() {
    let folder = tempfile::tempdir().unwrap();
    let (mesh_a, mesh_b) = (soup(150, 2), soup(80, 3));
    for kind in VolumeKind::ALL {
        let built = [build(&mesh_a, kind, 1), build(&mesh_b, kind, 3)];
        let paths = [folder.path().join("a.bvt"), folder.path().join("b.bvt")];
        std::iter::zip(&built, &paths).for_each(|(tree, path)| tree.save(path).unwrap());
        let opened = [
            paths.each_ref().map(|path| BvTree::open(path).unwrap()),
            paths.each_ref().map(|path| BvTree::open_trusted(path).unwrap()),
            paths.each_ref().map(|path| BvTree::from_bytes(&std::fs::read(path).unwrap()).unwrap()),
        ];
        let mut hits = 0;
        for step in 0..6 {
            let isometry = Isometry3::new(
                Vector3::new(0.4 * f64::from(step), 0.1, 0.0),
                Vector3::new(0.3, 0.5, 0.1) * f64::from(step),
            );
            let pose = Pose::from(isometry);
            let expected = pairs(&built[0], &built[1], &pose);
            hits += expected.0.len();
            for [a, b] in &opened {
                assert_eq!(pairs(a, b, &pose), expected);
            }
        }
        assert!(hits > 100, "{hits}");
    }
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    // Enough triangles for every builder's parallel path.
    let mesh = meshes::sheet(if cfg!(debug_assertions) { 72 } else { 200 }, 1.0);
    for kind in VolumeKind::ALL {
        let cook = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| bytes_of(&build(&mesh, kind, 1)))
        };
        let one = cook(1);
        assert!(one == cook(1), "{kind}: twice");
        assert!(one == cook(2), "{kind}: two threads");
    }
}
