//! Random motions, and the dataset's meshes from pose to pose.

use bvtree::query::TimeOfImpact;
use bvtree::{Motion, Pose, Query, VolumeKind};
use nalgebra::{Matrix3, Vector3};
use proptest::prelude::*;

use super::{TOLERANCE, check, check_sampled, sample, tree};
use crate::cases::cases;
use crate::oracle::meshes::{placed, soup, torus};
use crate::oracle::poses::{near_rotations, rotations};
use crate::solids::dataset_trees;

fn any_motion() -> impl Strategy<Value = Motion> {
    let reach = prop_oneof![Just(0.5), Just(2.0), Just(8.0)];
    let place = || prop::array::uniform3(-1.0..1.0f64).prop_map(Vector3::from);
    let turn = || prop_oneof![4 => rotations(), 1 => near_rotations(), 1 => Just(Matrix3::identity())];
    (place(), place(), reach, turn(), turn()).prop_map(|(from, to, reach, first, last)| {
        Motion::new(Pose::new(first, from * reach).unwrap(), Pose::new(last, to * reach).unwrap())
    })
}

proptest! {
    #![proptest_config(cases(100, 4000))]

    #[test]
    fn random_motions_are_never_late(
        motion in any_motion(),
        tori in any::<[bool; 2]>(),
        soups in [soup(), soup()],
        scale in prop::sample::select(vec![1.0, 0.1, 4.0]),
        kind in prop::sample::select(&VolumeKind::ALL),
        tolerance in prop::sample::select(vec![1e-3, 1e-6, 1e-9]),
    ) {
        let [soup_a, soup_b] = soups;
        let a = if tori[0] { torus(7, 5) } else { soup_a };
        let b = placed(&if tori[1] { torus(5, 6) } else { soup_b }, scale, Vector3::new(0.1, 0.0, -0.3));
        let [tree_a, tree_b] = [&a, &b].map(|mesh| tree(mesh, kind));
        let answer = Query::new().time_of_impact(&tree_a, &tree_b, &motion, tolerance).unwrap();
        check(&tree_a, &tree_b, [&a, &b], &motion, tolerance, &answer);
        sample(&tree_a, &tree_b, &motion, &answer, 100);
        if let TimeOfImpact::Impact(contact) = answer {
            // What is reported as an impact touches within the tolerance, or nearly so: a little later, or grown by it.
            let distance = Query::new().distance(&tree_a, &tree_b, &motion.at(contact.time)).unwrap().distance;
            prop_assert!(distance <= contact.distance);
        }
    }
}

proptest! {
    #![proptest_config(cases(10, 1000))]

    #[test]
    fn kinds_and_levels_agree(motion in any_motion(), a in soup(), b in soup()) {
        check_sampled(&a, &b, &motion, TOLERANCE, 30);
    }
}

#[test]
fn dataset_meshes_on_their_way_from_pose_to_pose() {
    let (motions, count, samples) = if cfg!(debug_assertions) { (1, 1, 20) } else { (25, 9, 400) };
    let mut query = Query::new();
    let (mut free, mut impacts) = (0, 0);
    for ([a, b], poses) in dataset_trees(count) {
        for i in 0..motions {
            // From a separated pose to any; most of the separated come first.
            if query.intersects(&a, &b, &poses[i % 100]) {
                continue;
            }
            let motion = Motion::new(poses[i % 100], poses[(7 * i + 3) % poses.len()]);
            let answer = query.time_of_impact(&a, &b, &motion, TOLERANCE).unwrap();
            sample(&a, &b, &motion, &answer, samples);
            match answer {
                TimeOfImpact::NoImpact => free += 1,
                TimeOfImpact::Touching(contact) => panic!("{contact:?} at a separated pose"),
                TimeOfImpact::Impact(contact) => {
                    impacts += 1;
                    let distance = query.distance(&a, &b, &motion.at(contact.time)).unwrap().distance;
                    assert!(distance <= contact.distance && contact.distance <= TOLERANCE, "{contact:?}");
                }
            }
        }
    }
    println!("{free} motions free, {impacts} with an impact");
}
