//! Pairs of intersecting triangles of two trees, against the O(n*m) oracle.

mod degenerate;
mod scales;
mod visits;

use bvtree::{Mesh, Pose, SplitRule};
use nalgebra::{Isometry3, Matrix3, Vector3};
use proptest::prelude::*;

use crate::cases::cases;
use crate::oracle::meshes::{self, any_mesh};
use crate::oracle::poses::{meetings, near_rotations, quarter_turns, rotations};
use crate::oracle::{Rules, assert_queries_find, intersecting_pairs, transposed};

fn any_rules() -> impl Strategy<Value = Rules> {
    (
        prop::sample::select(&SplitRule::ALL),
        prop::sample::select(&Rules::LEAF_TRIANGLES),
        prop::sample::select(&Rules::DEPTHS),
    )
        .prop_map(|(split, max_leaf_triangles, max_depth)| Rules { split, max_leaf_triangles, max_depth })
}

fn check(a: &Mesh, b: &Mesh, b_to_a: &Pose, rules: [Rules; 2]) {
    assert_queries_find(&intersecting_pairs(a, b, b_to_a), a, b, b_to_a, rules);
}

fn translation(x: f64, y: f64, z: f64) -> Pose {
    Pose::from(Isometry3::translation(x, y, z))
}

proptest! {
    #![proptest_config(cases(100, 1000))]

    #[test]
    fn any_meshes_at_any_pose(
        (a, b, rotation, meeting) in (any_mesh(), any_mesh(), rotations(), meetings()),
        rules in [any_rules(), any_rules()],
    ) {
        check(&a, &b, &meeting.pose(&a, &b, rotation), rules);
    }

    #[test]
    fn matrices_that_are_not_quite_rotations(
        (a, b, rotation, meeting) in (any_mesh(), any_mesh(), near_rotations(), meetings()),
        rules in [any_rules(), any_rules()],
    ) {
        check(&a, &b, &meeting.pose(&a, &b, rotation), rules);
    }

    #[test]
    fn exact_contacts_from_both_sides(
        (a, b, turn) in (meshes::grid(), meshes::grid(), quarter_turns()),
        quarters in prop::array::uniform3(-12i8..=12),
        whole in any::<bool>(),
        rules in [any_rules(), any_rules()],
    ) {
        let shift = Vector3::from(quarters.map(|q| f64::from(q) / if whole { 4.0 } else { 1.0 }));
        let b_to_a = Pose::new(turn, shift).unwrap();
        let expected = intersecting_pairs(&a, &b, &b_to_a);
        prop_assert_eq!(&intersecting_pairs(&b, &a, &b_to_a.inverse()), &transposed(&expected));
        assert_queries_find(&expected, &a, &b, &b_to_a, rules);
        assert_queries_find(&transposed(&expected), &b, &a, &b_to_a.inverse(), [rules[1], rules[0]]);
    }
}

#[test]
fn every_build_option_on_a_few_scenes() {
    let grid = meshes::flat_square(4);
    let turned =
        Pose::new(Matrix3::new(0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0), Vector3::new(2.0, 1.0, -1.0)).unwrap();
    let torus = meshes::torus(6, 5);
    let tilted = Pose::from(Isometry3::new(Vector3::new(0.6, 0.1, 0.0), Vector3::new(0.9, 0.2, 0.0)));
    for (a, b, b_to_a) in [(&grid, &grid, turned), (&torus, &torus, tilted), (&grid, &torus, tilted)] {
        let expected = intersecting_pairs(a, b, &b_to_a);
        assert!(!expected.is_empty());
        for rules in Rules::all() {
            assert_queries_find(&expected, a, b, &b_to_a, [rules, rules]);
        }
    }
}
