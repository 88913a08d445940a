//! What is visited: each pair once, until the visitor stops, and few volumes; the same on any number of threads.

use std::ops::ControlFlow;

use bvtree::{BuildOptions, BvTree, Pose, Query, VolumeKind};
use nalgebra::{Isometry3, Vector3};

use super::translation;
use crate::oracle::meshes;
use crate::oracle::{Rules, intersecting_pairs, levels, queried_pairs};

#[test]
fn a_visitor_stops_the_query() {
    let torus = meshes::torus(8, 8);
    for volume in VolumeKind::ALL {
        let tree = Rules::FINEST.tree(&torus, volume);
        for level in levels() {
            let mut query = Query::with_simd(level);
            let all = queried_pairs(&mut query, &tree, &tree, &Pose::identity());
            for limit in [1, 2, 10] {
                let mut seen = Vec::new();
                query.for_each_intersecting_pair(&tree, &tree, &Pose::identity(), |pair| {
                    seen.push(pair);
                    if seen.len() == limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
                });
                assert_eq!(seen.len(), limit);
                assert!(seen.iter().all(|pair| all.binary_search(pair).is_ok()));
            }
        }
    }
}

#[test]
fn volumes_prune() {
    let torus = meshes::torus(40, 30);
    let apart = translation(2.5, 0.0, 0.0);
    for volume in VolumeKind::ALL {
        let tree = Rules::FINEST.tree(&torus, volume);
        let mut query = Query::new();
        assert!(!query.intersects(&tree, &tree, &apart));
        assert!(query.stats().volume_tests < 100 && query.stats().triangle_tests == 0, "{:?}", query.stats());
        let found = queried_pairs(&mut query, &tree, &tree, &translation(1.9, 0.0, 0.0));
        assert!(!found.is_empty());
        query.for_each_intersecting_pair(&tree, &tree, &translation(1.9, 0.0, 0.0), |_| ControlFlow::Continue(()));
        assert!(query.stats().triangle_tests < 2400 * 24, "{:?}", query.stats());
    }
}

#[test]
fn threads_do_not_change_a_tree() {
    let torus = meshes::torus(100, 60);
    for volume in VolumeKind::ALL {
        let options = BuildOptions { kind: volume, ..BuildOptions::default() };
        let [one, two, four] = [1, 2, 4].map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let tree = pool.install(|| BvTree::build(&torus, &options).unwrap());
            let mut visited = Vec::new();
            let mut query = Query::new();
            query.for_each_intersecting_pair(&tree, &tree, &translation(1.7, 0.2, 0.1), |pair| {
                visited.push(pair);
                ControlFlow::Continue(())
            });
            (visited, query.stats(), tree.depth(), tree.split_depth(), tree.node_count())
        });
        assert!(one == two && two == four, "{volume}");
    }
}

#[test]
fn trees_are_shared_among_threads() {
    fn shared<T: Send + Sync>() {}
    fn sent<T: Send>() {}
    shared::<BvTree>();
    sent::<Query>();
}

#[test]
fn candidates_hold_every_intersecting_pair_once() {
    let (a, b) = (meshes::torus(24, 12), meshes::torus(20, 8));
    let pose = Pose::from(Isometry3::new(Vector3::new(0.3, -0.2, 0.1), Vector3::new(0.4, 0.2, -0.3)));
    let expected = intersecting_pairs(&a, &b, &pose);
    for [kind_a, kind_b] in VolumeKind::ALL.into_iter().flat_map(|a| VolumeKind::ALL.map(|b| [a, b])) {
        let [tree_a, tree_b] = [(&a, kind_a), (&b, kind_b)]
            .map(|(mesh, kind)| BvTree::build(mesh, &BuildOptions { kind, ..BuildOptions::default() }).unwrap());
        let mut query = Query::new();
        let mut found = Vec::new();
        query.for_each_candidate(&tree_a, &tree_b, &pose, |pair| {
            found.push(pair);
            ControlFlow::Continue(())
        });
        let count = found.len();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), count, "{kind_a} and {kind_b}: a pair came twice");
        assert!(count < a.triangles().len() * b.triangles().len());
        assert!(expected.iter().all(|pair| found.binary_search(pair).is_ok()), "{kind_a} and {kind_b}");
        let mut visits = 0;
        query.for_each_candidate(&tree_a, &tree_b, &pose, |_| {
            visits += 1;
            ControlFlow::Break(())
        });
        assert_eq!(visits, 1);
    }
    assert!(!expected.is_empty());
}
