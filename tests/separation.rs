//! Separation along a direction and the penetration bound, against `intersects` and known answers.

use bvtree::query::{FreeInterval, Penetration, Solid};
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query, VolumeKind};
use nalgebra::{Isometry3, Matrix3, Unit, UnitVector3, Vector3};
use proptest::prelude::*;

use crate::cases::cases;
use crate::oracle::meshes::{grid, placed, soup, torus};
use crate::oracle::poses::{quarter_turns, rotations};
use crate::oracle::{KINDS, intersecting_pairs, levels};
use crate::solids::{cuboid, dataset_trees, shifted};

fn tree(mesh: &Mesh, volume: VolumeKind) -> BvTree {
    let options = BuildOptions { max_leaf_triangles: 2, ..BuildOptions::obbtree_rules(volume) };
    BvTree::build(mesh, &options).unwrap()
}

fn trees(a: &Mesh, b: &Mesh, volume: VolumeKind) -> [BvTree; 2] {
    [tree(a, volume), tree(b, volume)]
}

fn directions() -> impl Strategy<Value = UnitVector3<f64>> {
    let axis = prop::sample::select(vec![Vector3::x(), -Vector3::x(), Vector3::y(), -Vector3::z()]);
    let any = prop::array::uniform3(-1.0..1.0f64).prop_map(Vector3::from);
    prop_oneof![axis, any].prop_filter_map("no direction", |v| Unit::try_new(v, 1e-3))
}

/// The separations by trees of all kinds on all levels, which must be one.
fn separation(a: &Mesh, b: &Mesh, pose: &Pose, direction: &UnitVector3<f64>) -> Option<f64> {
    let mut lengths = Vec::new();
    for kinds in KINDS {
        let (tree_a, tree_b) = (tree(a, kinds[0]), tree(b, kinds[1]));
        for level in levels() {
            lengths.push(Query::with_simd(level).penetration_along(&tree_a, &tree_b, pose, direction));
        }
    }
    assert!(lengths.iter().all(|length| *length == lengths[0]), "{lengths:?}");
    lengths[0].map(|separation| separation.depth)
}

/// The last contact of all pairs, and the last translation with contact that sampling finds.
fn check(a: &Mesh, b: &Mesh, pose: &Pose, direction: &UnitVector3<f64>) -> Option<f64> {
    let found = separation(a, b, pose, direction);
    assert_eq!(found.is_some(), !intersecting_pairs(a, b, pose).is_empty());
    let length = found?;
    let size = 1e-9 * (length + a.aabb().half_extents().norm() + b.aabb().half_extents().norm());
    for beyond in [size, 10.0 * size, 0.1 * length + size, 0.5 * length + size, length + size] {
        assert!(intersecting_pairs(a, b, &shifted(pose, direction, length + beyond)).is_empty(), "{length} + {beyond}");
    }
    found
}

proptest! {
    #![proptest_config(cases(50, 2000))]

    /// Soups are crossed at positive angles, so that contact lasts to the end of the interval.
    #[test]
    fn soups_part_where_they_say(a in soup(), b in soup(), rotation in rotations(), direction in directions(),
            shift in prop::array::uniform3(-0.5..0.5f64)) {
        let pose = Pose::new(rotation, shift.into()).unwrap();
        if let Some(length) = check(&a, &b, &pose, &direction) {
            prop_assume!(length > 1e-6);
            let before = intersecting_pairs(&a, &b, &shifted(&pose, &direction, length - 1e-9));
            prop_assert!(!before.is_empty(), "no contact just before {}", length);
            // The other way round, seen from B: A moves against it.
            let seen_by_b = Unit::new_normalize(-(pose.rotation().transpose() * direction.into_inner()));
            let swapped = separation(&b, &a, &pose.inverse(), &seen_by_b).unwrap();
            prop_assert!((swapped - length).abs() < 1e-9, "{} and swapped {}", length, swapped);
        }
    }

    /// On a grid with degenerate triangles: everything glides, and still nothing touches beyond.
    #[test]
    fn grid_meshes_part_at_exact_places(a in grid(), b in grid(), turn in quarter_turns(), axis in 0usize..3,
            shift in prop::array::uniform3(-3i8..=3)) {
        let pose = Pose::new(turn, Vector3::from(shift.map(f64::from))).unwrap();
        let direction = Unit::new_unchecked(Vector3::ith(axis, 1.0));
        if let Some(length) = check(&a, &b, &pose, &direction) {
            // Where contact is in one point only, and that no fraction of a power of two, it is missed by a rounding.
            let [tree_a, tree_b] = trees(&a, &b, VolumeKind::Aabb);
            let distance = Query::new().distance(&tree_a, &tree_b, &shifted(&pose, &direction, length));
            let distance = distance.unwrap().distance;
            prop_assert!(distance < 1e-12, "{} apart at {}", distance, length);
        }
    }
}

#[test]
fn boxes_at_integers() {
    let a = cuboid([4.0, 6.0, 8.0]);
    let b = cuboid([2.0, 2.0, 2.0]);
    let pose = Pose::from(Isometry3::translation(2.0, 1.0, -1.0));
    for (direction, expected) in
        [([1, 0, 0], 1.0), ([-1, 0, 0], 5.0), ([0, 1, 0], 3.0), ([0, -1, 0], 5.0), ([0, 0, 1], 6.0), ([0, 0, -1], 4.0)]
    {
        let direction = Unit::new_normalize(Vector3::from(direction).map(f64::from));
        let length = separation(&a, &b, &pose, &direction).unwrap();
        assert!((length - expected).abs() < 1e-12, "{length}, not {expected} along {direction:?}");
    }
    // Face on face, edge on edge and corner on corner.
    for (x, y, z) in [(3.0, 0.0, 0.0), (3.0, 4.0, 0.0), (3.0, 4.0, 5.0)] {
        let pose = Pose::from(Isometry3::translation(x, y, z));
        let length = separation(&a, &b, &pose, &Vector3::x_axis()).unwrap();
        assert!((0.0..1e-12).contains(&length));
        let across = separation(&a, &b, &pose, &-Vector3::x_axis()).unwrap();
        assert!((across - 6.0).abs() < 1e-12, "{across}");
    }
    let apart = Pose::from(Isometry3::translation(3.5, 0.0, 0.0));
    assert_eq!(separation(&a, &b, &apart, &-Vector3::x_axis()), None);
}

#[test]
fn the_last_contact_counts() {
    // The wall of a hollow box: inward there is room, and then the other wall.
    let (outer, inner) = (cuboid([10.0; 3]), cuboid([1.0; 3]));
    let pose = Pose::from(Isometry3::translation(5.0, 0.0, 0.0));
    let inward = separation(&outer, &inner, &pose, &-Vector3::x_axis()).unwrap();
    assert!((inward - 10.5).abs() < 1e-12, "{inward}");
    let outward = separation(&outer, &inner, &pose, &Vector3::x_axis()).unwrap();
    assert!((outward - 0.5).abs() < 1e-12, "{outward}");
}

#[test]
fn scale_and_place_do_not_matter() {
    let torus = torus(9, 7);
    let direction = Unit::new_normalize(Vector3::new(0.3, -0.5, 0.7));
    let pose =
        |scale: f64| Pose::from(Isometry3::new(Vector3::new(0.3, 0.2, 0.1) * scale, Vector3::new(0.4, 0.5, 0.6)));
    let expected = separation(&torus, &torus, &pose(1.0), &direction).unwrap();
    for scale in [2f64.powi(-60), 2f64.powi(-10), 2f64.powi(60)] {
        let mesh = placed(&torus, scale, Vector3::zeros());
        let length = separation(&mesh, &mesh, &pose(scale), &direction).unwrap();
        assert!((length / scale - expected).abs() < 1e-12, "{length} at scale {scale}");
    }
}

#[test]
fn penetration_of_boxes_is_the_least_overlap() {
    let (a, b) = (cuboid([4.0, 6.0, 8.0]), cuboid([2.0, 2.0, 2.0]));
    for volume in VolumeKind::ALL {
        let [tree_a, tree_b] = trees(&a, &b, volume);
        let mut query = Query::new();
        let pose = Pose::from(Isometry3::translation(2.75, 1.0, -1.0));
        let Penetration { upper_bound, direction } = query.penetration(&tree_a, &tree_b, &pose).unwrap();
        assert!((upper_bound - 0.25).abs() < 1e-12 && (direction.x - 1.0).abs() < 1e-12, "{upper_bound} {direction:?}");
        // Turned with it, no axis helps.
        let turn = Isometry3::rotation(Vector3::new(0.3, 0.7, -0.2));
        let turned = Mesh::from_arrays(
            a.vertices().iter().map(|v| (turn * v.map(f64::from)).map(|x| x as f32)).collect(),
            a.triangles().to_vec(),
        )
        .unwrap();
        let [tree_a, _] = trees(&turned, &b, volume);
        let bound = query.penetration(&tree_a, &tree_b, &Pose::from(turn * Isometry3::translation(2.75, 1.0, -1.0)));
        let bound = bound.unwrap();
        assert!((bound.upper_bound - 0.25).abs() < 1e-5, "{bound:?}");
        let apart = Pose::from(Isometry3::translation(9.0, 0.0, 0.0));
        assert_eq!(query.penetration(&tree_a, &tree_b, &apart), None);
    }
}

#[test]
fn penetration_is_a_separation() {
    let mesh = torus(12, 8);
    let [a, b] = trees(&mesh, &mesh, VolumeKind::Obb);
    let mut query = Query::new();
    for i in 0..10 {
        let turn = Vector3::new(0.1, 0.3, 0.2) * f64::from(i);
        let pose = Pose::from(Isometry3::new(Vector3::new(0.1 * f64::from(i), 0.3, 0.1), turn));
        let Some(bound) = query.penetration(&a, &b, &pose) else {
            assert!(!query.intersects(&a, &b, &pose));
            continue;
        };
        let length = query.penetration_along(&a, &b, &pose, &bound.direction).unwrap().depth;
        assert!((bound.upper_bound - length).abs() < 1e-12);
        for axis in [Vector3::x_axis(), Vector3::y_axis(), Vector3::z_axis()] {
            assert!(query.penetration_along(&a, &b, &pose, &axis).unwrap().depth >= bound.upper_bound);
        }
    }
}

#[test]
fn dataset_meshes_come_free() {
    let (poses, count) = if cfg!(debug_assertions) { (2, 2) } else { (30, 9) };
    let mut query = Query::new();
    let mut hits = 0;
    for ([a, b], all) in dataset_trees(count) {
        let size = a.bounds().half_extents().norm() + b.bounds().half_extents().norm();
        // The hits are at the end.
        for (i, pose) in all.iter().rev().take(poses).enumerate() {
            let direction = Unit::new_normalize(Vector3::new((i as f64).sin(), (1.7 * i as f64).cos(), 0.3));
            let Some(found) = query.penetration_along(&a, &b, pose, &direction) else {
                assert!(!query.intersects(&a, &b, pose));
                continue;
            };
            hits += 1;
            let mut at = |s: f64| query.intersects(&a, &b, &shifted(pose, &direction, s));
            let tolerance = 1e-9 * size;
            assert!(!at(found.depth + tolerance), "contact after {found:?}");
            assert!(found.depth < tolerance || at(found.depth - tolerance), "no contact before {found:?}");
            for k in 1..50 {
                assert!(!at(found.depth + 0.01 * f64::from(k) * size), "contact after {found:?}");
            }
        }
    }
    println!("{hits} separations on the dataset");
}

#[test]
fn a_matrix_off_a_rotation() {
    let mesh = torus(9, 7);
    let pose = Pose::new(Matrix3::identity() * (1.0 + 4e-5), Vector3::new(0.3, 0.2, 0.1)).unwrap();
    assert!(check(&mesh, &mesh, &pose, &Vector3::y_axis()).is_some());
}

/// The first free interval by trees of all kinds, which must be one up to the order of rounding.
fn free_interval(a: &Mesh, b: &Mesh, pose: &Pose, direction: &UnitVector3<f64>) -> FreeInterval {
    let found: Vec<_> = KINDS
        .iter()
        .map(|kinds| Query::new().free_interval_along(&tree(a, kinds[0]), &tree(b, kinds[1]), pose, direction))
        .collect();
    assert!(found.iter().all(|interval| *interval == found[0]), "{found:?}");
    found[0]
}

proptest! {
    #![proptest_config(cases(40, 1000))]

    /// Samples before the interval touch, those in it don't.
    #[test]
    fn the_first_free_interval_is_that_of_samples(a in soup(), b in soup(), rotation in rotations(),
            direction in directions(), shift in prop::array::uniform3(-0.5..0.5f64)) {
        let pose = Pose::new(rotation, Vector3::from(shift)).unwrap();
        let FreeInterval { start, end } = free_interval(&a, &b, &pose, &direction);
        prop_assert!(0.0 <= start && start < end);
        let size = a.aabb().half_extents().norm() + b.aabb().half_extents().norm();
        let margin = 1e-9 * (1.0 + size);
        let touches = |length: f64| !intersecting_pairs(&a, &b, &shifted(&pose, &direction, length)).is_empty();
        let far = if end.is_finite() { end } else { start + 4.0 * size };
        for i in 0..60 {
            let part = (f64::from(i) + 0.5) / 60.0;
            let inside = start + part * (far - start);
            if inside - start > margin && far - inside > margin {
                prop_assert!(!touches(inside), "{} in {}..{}", inside, start, end);
            }
            if start > margin {
                prop_assert!(touches(part * start) || free_by_less(&touches, part * start, margin));
            }
        }
        if end.is_finite() {
            prop_assert!(touches(end) || touches(end + margin) || touches(end - margin));
        }
        let trees = [&a, &b].map(|mesh| tree(mesh, VolumeKind::Obb));
        let last = Query::new().penetration_along(&trees[0], &trees[1], &pose, &direction);
        prop_assert!(last.is_none_or(|last| start <= last.depth * (1.0 + 1e-12) + margin));
        prop_assert_eq!(last.is_none(), start == 0.0);
    }
}

proptest! {
    #![proptest_config(cases(40, 1000))]

    /// B starts near A, and so far away that volumes are placed nearer than they are.
    #[test]
    fn a_way_may_begin_far_away(a in soup(), b in soup(), rotation in rotations(), direction in directions(),
            beside in prop::array::uniform3(-1.0..1.0f64), far in prop::sample::select(vec![1e3, 1e5, 1e7, 1e10])) {
        prop_assume!(!a.triangles().is_empty() && !b.triangles().is_empty());
        let size = a.aabb().half_extents().norm() + b.aabb().half_extents().norm() + 1.0;
        let middle = Pose::new(rotation, Vector3::from(beside) * (0.5 * size)).unwrap();
        let [start, far_start] = [10.0 * size, far * size].map(|length| shifted(&middle, &direction, -length));
        let near = free_interval(&a, &b, &start, &direction);
        let found = free_interval(&a, &b, &far_start, &direction);
        prop_assert_eq!([near.start, found.start], [0.0; 2]);
        let expected = near.end + (far - 10.0) * size;
        // Rounding counts the more the flatter the surfaces meet.
        let rounding = (1e-9 * far * size).min(0.1 * size);
        prop_assert!(found.end == expected || (found.end - expected).abs() <= rounding, "{} {}", found.end, expected);
        let back = free_interval(&a, &b, &far_start, &-direction);
        prop_assert_eq!(back, FreeInterval { start: 0.0, end: f64::INFINITY });
    }
}

/// Whether a gap of contact is shorter than rounding.
fn free_by_less(touches: &impl Fn(f64) -> bool, length: f64, margin: f64) -> bool {
    touches(length - margin) || touches(length + margin)
}

/// A cube in a hollow cube's wall: into the hollow, or out of it if the wall is solid.
#[test]
fn first_and_last_way_out_of_a_wall() {
    let outer = cuboid([10.0; 3]);
    let inner = crate::relation::solids::inside_out(&cuboid([6.0; 3]));
    let hollow = tree(&crate::relation::solids::together(&[outer.clone(), inner]), VolumeKind::Obb);
    let (outer, small) = (tree(&outer, VolumeKind::Obb), tree(&cuboid([1.0; 3]), VolumeKind::Obb));
    let mut query = Query::new();
    let (inward, at) = (-Vector3::x_axis(), |x: f64| Pose::from_translation(Vector3::new(x, 0.25, 0.5)).unwrap());
    let close = |found: FreeInterval, start: f64, end: f64| {
        let is_end = found.end == end || (found.end - end).abs() < 1e-9;
        assert!((found.start - start).abs() < 1e-9 && is_end, "{found:?} {start} {end}");
    };
    // From 4 the cube touches the outside at 4.5 and the hollow at 3.5: not at all. From 3.25 into the hollow at 2.5.
    close(query.free_interval_along(&hollow, &small, &at(3.25), &inward), 0.75, 5.75);
    close(query.free_interval_along(&hollow, &small, &at(4.0), &inward), 0.0, 0.5);
    // The hollow's wall is solid.
    query.set_solids(Solid::IfClosed, Solid::No);
    close(query.free_interval_along(&hollow, &small, &at(4.0), &inward), 1.5, 6.5);
    close(query.free_interval_along(&hollow, &small, &at(4.0), &Vector3::x_axis()), 1.5, f64::INFINITY);
    close(query.free_interval_along(&outer, &small, &at(3.25), &inward), 8.75, f64::INFINITY);
    close(query.free_interval_along(&hollow, &small, &at(0.0), &inward), 0.0, 2.5);
    close(query.free_interval_along(&hollow, &small, &at(9.0), &Vector3::x_axis()), 0.0, f64::INFINITY);
    let empty = tree(&crate::oracle::meshes::empty(), VolumeKind::Obb);
    close(query.free_interval_along(&hollow, &empty, &at(0.0), &inward), 0.0, f64::INFINITY);
}
