//! The distance, within a tolerance, and the pairs within it, against the O(n*m) oracle and each other.

mod warm_start;

use std::sync::Arc;

use bvtree::query::{ClosestPair, DistanceOptions, DistanceTracker, FacePair, Within};
use bvtree::triangle::Triangle;
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query, VolumeKind};
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};
use proptest::prelude::*;

use crate::cases::cases;
use crate::oracle::meshes::{self, any_mesh};
use crate::oracle::poses::{meetings, near_rotations, quarter_turns, rotations};
use crate::oracle::{KINDS, Rules, levels};

/// Distances of all pairs of triangles.
fn all_distances(a: &Mesh, b: &Mesh, b_to_a: &Pose) -> Vec<(f64, FacePair)> {
    let mut distances = Vec::new();
    for face_b in 0..b.triangles().len() as u32 {
        let posed = b.triangles()[face_b as usize].map(|v| b_to_a.transform(&b.vertices()[v as usize]));
        for face_a in 0..a.triangles().len() as u32 {
            let closest = a.triangle(face_a).closest_points(&Triangle { vertices: posed });
            distances.push((closest.distance_sq.sqrt(), FacePair { face_a, face_b }));
        }
    }
    distances
}

/// The distance to rounding: of the coordinates, and of the distance itself.
fn rounding(a: &Mesh, b: &Mesh, b_to_a: &Pose, distance: f64) -> f64 {
    let extent = a.aabb().half_extents().norm().max(0.0) + b.aabb().half_extents().norm().max(0.0);
    let place = b_to_a.translation().amax() + a.aabb().center().coords.amax() + b.aabb().center().coords.amax();
    1e-13 * distance + 1e-14 * (extent + if place.is_finite() { 1e-3 * place } else { 0.0 })
}

fn check(a: &Mesh, b: &Mesh, b_to_a: &Pose, factor: f64) {
    let all = all_distances(a, b, b_to_a);
    let least = all.iter().map(|pair| pair.0).fold(f64::INFINITY, f64::min);
    let error = rounding(a, b, b_to_a, least.min(1e300));
    for kinds in KINDS {
        let (tree_a, tree_b) = (Rules::FINEST.tree(a, kinds[0]), Rules::FINEST.tree(b, kinds[1]));
        for level in levels() {
            let mut query = Query::with_simd(level);
            let answer = query.distance(&tree_a, &tree_b, b_to_a);
            let Some(ClosestPair { distance, on_a, on_b, faces }) = answer else {
                assert!(all.is_empty());
                assert_eq!(
                    query.within(&tree_a, &tree_b, b_to_a, f64::INFINITY),
                    Within::No { lower_bound: f64::INFINITY }
                );
                continue;
            };
            assert!((distance - least).abs() <= error, "{kinds:?}, {level}: {distance:e} instead of {least:e}");
            assert_eq!(distance == 0.0, least == 0.0);
            assert_eq!(distance == 0.0, query.intersects(&tree_a, &tree_b, b_to_a));
            let of_faces = all.iter().find(|pair| pair.1 == faces).unwrap().0;
            assert!((of_faces - distance).abs() <= error);
            let place = on_a.coords.amax().max(on_b.coords.amax());
            assert!(((on_b - on_a).norm() - distance).abs() <= error + 1e-12 * place);

            for tolerance in [distance, distance * factor, distance / factor, 0.0, -1.0, f64::NAN, f64::INFINITY] {
                match query.within(&tree_a, &tree_b, b_to_a, tolerance) {
                    Within::Yes => assert!(distance <= tolerance, "{distance:e} is not within {tolerance:e}"),
                    Within::No { lower_bound } => {
                        assert!(
                            distance > tolerance || tolerance.is_nan(),
                            "{distance:e} is within {tolerance:e}, {lower_bound:e}"
                        );
                        assert!(lower_bound >= tolerance.max(0.0) && lower_bound <= distance, "{lower_bound:e}");
                    }
                }
            }
            check_pairs(&mut query.pairs_within(&tree_a, &tree_b, b_to_a, distance * factor), &all, distance * factor);
            check_options(&mut query, [&tree_a, &tree_b], b_to_a, answer.unwrap(), factor);
        }
    }
}

fn check_pairs(found: &mut [ClosestPair], all: &[(f64, FacePair)], tolerance: f64) {
    assert!(found.windows(2).all(|pair| pair[0].distance <= pair[1].distance));
    let mut expected: Vec<FacePair> = all.iter().filter(|pair| pair.0 <= tolerance).map(|pair| pair.1).collect();
    let mut faces: Vec<FacePair> = found.iter().map(|pair| pair.faces).collect();
    expected.sort_unstable();
    faces.sort_unstable();
    assert_eq!(faces, expected);
}

fn check_options(query: &mut Query, [a, b]: [&bvtree::BvTree; 2], b_to_a: &Pose, exact: ClosestPair, factor: f64) {
    let distance = exact.distance;
    let exactly = DistanceOptions::default();
    let mut ask = |options| query.distance_with(a, b, b_to_a, &options);
    for upper_bound in [distance, distance * factor] {
        assert_eq!(ask(DistanceOptions { upper_bound, ..exactly }), Some(exact));
    }
    if distance > 0.0 {
        assert_eq!(ask(DistanceOptions { upper_bound: distance / factor, ..exactly }), None);
    }
    let relative = ask(DistanceOptions { relative_tolerance: 0.5, ..exactly }).unwrap().distance;
    assert!(
        relative >= distance && relative <= 1.5 * distance * (1.0 + 1e-12) && (relative == 0.0) == (distance == 0.0)
    );
    let absolute = ask(DistanceOptions { absolute_tolerance: distance, ..exactly }).unwrap().distance;
    assert!(
        absolute >= distance && absolute <= 2.0 * distance * (1.0 + 1e-12) && (absolute == 0.0) == (distance == 0.0)
    );
}

proptest! {
    #![proptest_config(cases(4, 300))]

    #[test]
    fn any_meshes_at_any_pose(
        (a, b, rotation, meeting) in (any_mesh(), any_mesh(), prop_oneof![rotations(), near_rotations()], meetings()),
        factor in prop_oneof![Just(2.0), 1.001f64..8.0],
    ) {
        check(&a, &b, &meeting.pose(&a, &b, rotation), factor);
    }

    #[test]
    fn grid_meshes(
        (a, b, turn) in (meshes::grid(), meshes::grid(), quarter_turns()),
        shift in prop::array::uniform3(-12i8..=12),
    ) {
        let b_to_a = Pose::new(turn, Vector3::from(shift.map(f64::from))).unwrap();
        check(&a, &b, &b_to_a, 1.5);
        let trees = [&a, &b].map(|mesh| Rules::FINEST.tree(mesh, VolumeKind::Obb));
        let mut query = Query::new();
        let there = query.distance(&trees[0], &trees[1], &b_to_a).map(|answer| answer.distance);
        let back = query.distance(&trees[1], &trees[0], &b_to_a.inverse()).map(|answer| answer.distance);
        assert_eq!(there.is_some(), back.is_some());
        assert!(there.zip(back).is_none_or(|(x, y)| (x - y).abs() <= 1e-13 * x), "{there:?} and {back:?}");
    }
}

#[test]
fn degenerate_meshes_have_distances() {
    let meshes =
        [meshes::empty(), meshes::identical(5), meshes::concentric(20), meshes::collinear(20), meshes::flat_square(3)];
    let flip = Pose::new(Matrix3::from_diagonal(&Vector3::new(1.0, -1.0, -1.0)), Vector3::new(1.0, 0.0, 0.0)).unwrap();
    for a in &meshes {
        for b in &meshes {
            for b_to_a in [Pose::identity(), flip, Pose::from(Isometry3::translation(0.0, 0.25, 9.0))] {
                check(a, b, &b_to_a, 3.0);
            }
        }
    }
}

#[test]
fn both_answers_of_within_come_early() {
    let torus = meshes::torus(40, 30);
    let near = Pose::from(Isometry3::translation(2.5, 0.0, 0.0));
    for volume in VolumeKind::ALL {
        let tree = Rules::FINEST.tree(&torus, volume);
        let mut query = Query::new();
        let distance = query.distance(&tree, &tree, &near).unwrap().distance;
        let full = query.stats();
        assert!(query.within(&tree, &tree, &near, 2.0 * distance).is_yes());
        assert!(query.stats().volume_tests < full.volume_tests && query.stats().triangle_tests < 10);
        let Within::No { lower_bound } = query.within(&tree, &tree, &near, 0.1 * distance) else { panic!() };
        assert!(query.stats().volume_tests < full.volume_tests && query.stats().triangle_tests == 0);
        assert!(lower_bound > 0.1 * distance && lower_bound <= distance);
    }
}

/// Several copies of each triangle of a mesh, in turn.
fn copies(mesh: &Mesh, count: usize) -> Mesh {
    Mesh::from_arrays(mesh.vertices().to_vec(), mesh.triangles().repeat(count)).unwrap()
}

#[test]
fn copies_of_a_triangle_are_tested_once() {
    let base = [meshes::concentric(8), meshes::identical(2), meshes::point_at(Point3::new(1.0, 2.0, 3.0))];
    let apart = Pose::from(Isometry3::new(Vector3::new(4.0, 0.5, 0.25), Vector3::new(0.1, 0.2, 0.3)));
    // Boxes overlap, triangles don't.
    let beside = Pose::from(Isometry3::translation(0.75, 0.75, 0.0));
    for a in &base {
        for b in &base {
            let [many_a, many_b] = [a, b].map(|mesh| copies(mesh, 4000 / mesh.triangles().len()));
            for (kind, b_to_a) in VolumeKind::ALL.into_iter().flat_map(|kind| [(kind, apart), (kind, beside)]) {
                let tree = |mesh: &Mesh, max_depth| {
                    BvTree::build(mesh, &BuildOptions { kind, max_depth, ..BuildOptions::default() }).unwrap()
                };
                let mut query = Query::new();
                let expected = query.distance(&tree(a, 9), &tree(b, 9), &b_to_a).unwrap();
                let (tree_a, tree_b) = (tree(&many_a, 0), tree(&many_b, 0));
                let answer = query.distance(&tree_a, &tree_b, &b_to_a).unwrap();
                // Of several pairs that touch it is any.
                let is_expected =
                    |answer: ClosestPair| answer.distance == 0.0 && expected.distance == 0.0 || answer == expected;
                assert!(is_expected(answer), "{answer:?} instead of {expected:?}");
                assert!(query.stats().triangle_tests < 200, "{:?}", query.stats());
                let touches = query.intersects(&tree_a, &tree_b, &b_to_a);
                assert_eq!(touches, expected.distance == 0.0);
                assert!(query.stats().triangle_tests < 200, "{:?}", query.stats());
                for tolerance in [0.9, 1.1].map(|factor| factor * expected.distance) {
                    let within = query.within(&tree_a, &tree_b, &b_to_a, tolerance);
                    assert_eq!(within.is_yes(), expected.distance <= tolerance);
                    assert!(query.stats().triangle_tests < 200, "{:?}", query.stats());
                }
                let mut tracker = DistanceTracker::new(&Arc::new(tree_a), &Arc::new(tree_b));
                for _ in 0..2 {
                    assert!(tracker.distance(&mut query, &b_to_a).is_some_and(is_expected));
                    assert!(query.stats().triangle_tests < 200, "{:?}", query.stats());
                }
            }
        }
    }
    // Where all pairs are asked for, copies count.
    let tree = BvTree::build(&copies(&base[1], 50), &BuildOptions::default()).unwrap();
    assert_eq!(Query::new().count_pairs(&tree, &tree, &Pose::identity()), 10_000);
}
