//! Many poses at once against one after the other.

use bvtree::query::{FacePair, many};
use bvtree::{BvTree, Pose, Query, VolumeKind};
use nalgebra::{Isometry3, Vector3};

use crate::oracle::{Rules, meshes};

fn tree() -> BvTree {
    Rules::FINEST.tree(&meshes::torus(8, 6), VolumeKind::Obb)
}

/// From contact to apart, turning.
fn poses(n: u32) -> Vec<Pose> {
    let pose = |i: u32| {
        let t = f64::from(i) / f64::from(n);
        Isometry3::new(Vector3::new(2.5 * t, 0.1, 0.0), Vector3::new(0.0, 3.0 * t, 20.0 * t)).into()
    };
    (0..n).map(pose).collect()
}

fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

#[test]
fn answers_come_in_order_whatever_the_threads() {
    let (tree, poses) = (tree(), poses(150));
    let ask = |query: &mut Query, pose: &Pose| {
        let pairs = query.intersecting_pairs(&tree, &tree, pose);
        (pairs, query.stats())
    };
    let mut query = Query::new();
    let expected: Vec<_> = poses.iter().map(|pose| ask(&mut query, pose)).collect();
    assert!(expected.iter().any(|(pairs, _)| pairs.is_empty()) && expected.iter().any(|(pairs, _)| pairs.len() > 9));
    for threads in [1, 2, 5] {
        assert_eq!(in_pool(threads, || many::map(&poses, Query::new, ask)), expected);
        let (mut asked, mut answers) = (Vec::new(), Vec::new());
        let done = in_pool(threads, || {
            many::for_each_block(&poses, Query::new, ask, |poses, block| {
                assert_eq!(poses.len(), block.len());
                asked.extend_from_slice(poses);
                answers.extend(block);
                Ok::<(), ()>(())
            })
        });
        assert_eq!(done, Ok(()));
        assert_eq!((asked, answers), (poses.clone(), expected.clone()));
    }
}

#[test]
fn an_error_ends_it() {
    let (tree, poses) = (tree(), poses(150));
    let mut taken = 0;
    let count = |query: &mut Query, pose: &Pose| query.count_pairs(&tree, &tree, pose);
    let done = in_pool(2, || {
        many::for_each_block(&poses, Query::new, count, |_, block| {
            taken += block.len();
            if taken > 20 { Err(taken) } else { Ok(()) }
        })
    });
    assert_eq!(done, Err(taken));
    assert!(taken < poses.len());
}

#[test]
fn no_poses_have_no_answers() {
    let none: Vec<FacePair> = many::map(&[(); 0], Query::new, |_, ()| unreachable!());
    assert_eq!(none, []);
    let ask = |_: &mut Query, (): &()| ();
    assert_eq!(many::for_each_block(&[], Query::new, ask, |_, _| Err("no block")), Ok(()));
}

/// What a tree finds out about its mesh when first asked, while all threads of a pool ask: none may wait for itself.
/// The mesh is so large that finding out would pay in a pool.
#[test]
fn a_large_mesh_is_first_looked_at_in_many_questions_at_a_time() {
    let poses = poses(16);
    let points: Vec<_> = poses.iter().map(|pose| nalgebra::Point3::from(*pose.translation())).collect();
    let tree = || Rules::FINEST.tree(&meshes::torus(160, 80), VolumeKind::Aabb);
    let (asked, mut query) = (tree(), Query::new());
    let relation = |query: &mut Query, pose: &Pose| query.relation(&asked, &asked, pose);
    let relations = in_pool(4, || many::map(&poses, Query::new, relation));
    assert!(poses.iter().zip(relations).all(|(pose, found)| relation(&mut query, pose) == found));
    let asked = tree();
    let winds = |(): &mut (), point: &_| bvtree::probe::winding_number(&asked, point);
    let found = in_pool(4, || many::map(&points, || (), winds));
    assert!(found.iter().all(|winds| (winds - winds.round()).abs() < 1e-6));
}
