//! Random boxes and meshes on a grid, and tori.

use bvtree::query::Relation::{self, *};
use bvtree::{Pose, VolumeKind};
use nalgebra::{Isometry3, Vector3};
use proptest::prelude::*;

use super::solids::cuboid;
use super::{assert_relation, relation, swapped};
use crate::cases::cases;
use crate::oracle::meshes::{self, placed};
use crate::oracle::poses::{quarter_turns, rotations};
use crate::oracle::{Rules, intersecting_pairs};

/// What two boxes on a grid are, by their intervals.
fn boxes_relation(a: [[i8; 3]; 2], b: [[i8; 3]; 2]) -> Relation {
    let all = |f: &dyn Fn(usize) -> bool| (0..3).all(f);
    if a == b {
        Touching
    } else if !all(&|k| a[0][k] <= b[1][k] && b[0][k] <= a[1][k]) {
        Separate
    } else if !all(&|k| a[0][k] < b[1][k] && b[0][k] < a[1][k]) {
        Touching
    } else if all(&|k| b[0][k] <= a[0][k] && a[1][k] <= b[1][k]) {
        AInB
    } else if all(&|k| a[0][k] <= b[0][k] && b[1][k] <= a[1][k]) {
        BInA
    } else {
        Crossing
    }
}

proptest! {
    #![proptest_config(cases(60, 1000))]

    #[test]
    fn boxes_on_a_grid(
        corners in prop::array::uniform4(prop::array::uniform3(0i8..4)),
        sizes in prop::array::uniform2(prop::array::uniform3(1i8..4)),
    ) {
        let bounds = [0, 1].map(|i| [corners[i], std::array::from_fn(|k| corners[i][k] + sizes[i][k])]);
        let [a, b] = bounds.map(|corners| corners.map(|corner| corner.map(f32::from)));
        assert_relation(&cuboid(a[0], a[1]), &cuboid(b[0], b[1]), [0.0; 3], boxes_relation(bounds[0], bounds[1]));
    }

    #[test]
    fn grid_meshes_answer_alike_from_both_sides(
        (a, b, turn) in (meshes::grid(), meshes::grid(), quarter_turns()),
        shift in prop::array::uniform3(-6i8..=6),
    ) {
        let b_to_a = Pose::new(turn, Vector3::from(shift.map(f64::from))).unwrap();
        let there = relation(&a, &b, &b_to_a);
        prop_assert_eq!(relation(&b, &a, &b_to_a.inverse()), swapped(there));
        let touching = intersecting_pairs(&a, &b, &b_to_a);
        prop_assert!(!touching.is_empty() || there != Touching);
        prop_assert!(touching.is_empty() || !matches!(there, Separate | Undefined));
    }

    #[test]
    fn tori_cross_or_not(rotation in rotations(), shift in prop::array::uniform3(-1.5..1.5)) {
        let [large, small] = [meshes::torus(8, 6), placed(&meshes::torus(6, 5), 0.15, Vector3::zeros())];
        let b_to_a = Pose::from(Isometry3::translation(shift[0], shift[1], shift[2]));
        let b_to_a = Pose::new(rotation, *b_to_a.translation()).unwrap();
        let touching = !intersecting_pairs(&large, &small, &b_to_a).is_empty();
        let inside = {
            let tree = Rules::FINEST.tree(&large, VolumeKind::Obb);
            let point = b_to_a.transform(&small.vertices()[0]);
            bvtree::probe::Probe::new().contains(&tree, &point) == bvtree::probe::Containment::Inside
        };
        let expected = if touching { Crossing } else if inside { BInA } else { Separate };
        prop_assert_eq!(relation(&large, &small, &b_to_a), expected);
    }
}
