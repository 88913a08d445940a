//! Penetration depths: solids of known depth, and translations by samples and by the separating axes of convex solids
//! as the oracle.

use std::time::Duration;

use bvtree::query::{DepthOptions, PenetrationDepth, QueryError, Relation};
use bvtree::{BvTree, Mesh, Pose, Query, VolumeKind};
use nalgebra::{Isometry3, Matrix3, Point3, Vector3};
use proptest::prelude::*;

use crate::cases::cases;
use crate::oracle::meshes;
use crate::oracle::poses::rotations;
use crate::oracle::{Rules, levels};
use crate::solids::{cuboid, frame_with_opening};

fn tree(mesh: &Mesh) -> BvTree {
    Rules::FINEST.tree(mesh, VolumeKind::Obb)
}

fn shift(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vector3::new(x, y, z)).unwrap()
}

fn moved(pose: &Pose, by: &Vector3<f64>) -> Pose {
    Pose::new(*pose.rotation(), pose.translation() + by).unwrap()
}

/// The depth within 5%.
fn depth(a: &BvTree, b: &BvTree, pose: &Pose) -> PenetrationDepth {
    let found = interval(a, b, pose, 1_000_000);
    assert!(found.upper <= 1.0501 * found.lower + 1e-11, "{found:?}");
    found
}

/// The interval that a search for 5% reaches within a number of regions. The translation is checked to separate.
fn interval(a: &BvTree, b: &BvTree, pose: &Pose, max_regions: usize) -> PenetrationDepth {
    let options = DepthOptions { relative_tolerance: 0.05, max_regions, ..Default::default() };
    let found = Query::new().penetration_depth(a, b, pose, &options).unwrap();
    assert!(found.lower <= found.upper, "{found:?}");
    assert!((found.translation.norm() - found.upper).abs() <= 1e-14 * found.upper, "{found:?}");
    let relation = Query::new().relation(a, b, &moved(pose, &found.translation));
    assert!(matches!(relation, Relation::Separate | Relation::Touching), "{relation:?}: {found:?}");
    found
}

fn contains(found: &PenetrationDepth, truth: f64) -> bool {
    found.lower <= truth * (1.0 + 1e-12) && truth <= found.upper * (1.0 + 1e-12)
}

/// Checks that no translation shorter than the lower bound separates the solids, by samples of the ball.
fn check_lower(a: &BvTree, b: &BvTree, pose: &Pose, found: &PenetrationDepth, directions: usize) {
    let mut query = Query::new();
    for i in 0..if found.lower > 0.0 { directions } else { 0 } {
        let height = 1.0 - (2.0 * i as f64 + 1.0) / directions as f64;
        let (sin, cos) = (i as f64 * 2.399_963).sin_cos();
        let across = (1.0 - height * height).sqrt();
        let direction = Vector3::new(across * cos, across * sin, height);
        for part in [0.3, 0.7, 0.9, 0.999_999] {
            let pose = moved(pose, &(direction * found.lower * part));
            let relation = query.relation(a, b, &pose);
            let overlaps = matches!(relation, Relation::Crossing | Relation::AInB | Relation::BInA);
            assert!(overlaps, "{relation:?} after {part} of {found:?} along {direction:?}");
        }
    }
}

/// The penetration depth of two convex meshes, by all axes that can separate polyhedra.
fn convex_depth(a: &Mesh, b: &Mesh, pose: &Pose) -> f64 {
    let a: Vec<[Point3<f64>; 3]> = (0..a.triangles().len() as u32).map(|face| a.triangle(face).vertices).collect();
    let posed = |point: Point3<f64>| Point3::from(pose.rotation() * point.coords + pose.translation());
    let b: Vec<[Point3<f64>; 3]> =
        (0..b.triangles().len() as u32).map(|face| b.triangle(face).vertices.map(posed)).collect();
    let edges = |mesh: &[[Point3<f64>; 3]]| -> Vec<Vector3<f64>> {
        mesh.iter().flat_map(|&[p, q, r]| [q - p, r - q, p - r]).collect()
    };
    let normals = |mesh: &[[Point3<f64>; 3]]| -> Vec<Vector3<f64>> {
        mesh.iter().map(|[p, q, r]| (q - p).cross(&(r - p))).collect()
    };
    let crossed: Vec<_> = edges(&a).iter().flat_map(|p| edges(&b).into_iter().map(move |q| p.cross(&q))).collect();
    let axes = normals(&a).into_iter().chain(normals(&b)).chain(crossed);
    let lengths = axes.filter_map(|axis| axis.try_normalize(1e-6)).flat_map(|axis| [axis, -axis]).map(|axis| {
        let along = |mesh: &[[Point3<f64>; 3]]| {
            mesh.iter().flatten().fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], point| {
                let x = axis.dot(&point.coords);
                [least.min(x), most.max(x)]
            })
        };
        along(&a)[1] - along(&b)[0]
    });
    lengths.fold(f64::INFINITY, f64::min).max(0.0)
}

#[test]
fn cubes() {
    let (cube, small) = (tree(&cuboid([2.0, 2.0, 2.0])), tree(&cuboid([0.5, 0.5, 0.5])));
    for (pose, truth) in [
        (shift(1.5, 0.0, 0.0), 0.5),
        (shift(1.75, 1.5, 1.25), 0.25),
        (shift(0.5, -1.9, 0.3), 0.1),
        // The same solid twice.
        (shift(0.0, 0.0, 0.0), 2.0),
    ] {
        let found = depth(&cube, &cube, &pose);
        assert!(contains(&found, truth), "{found:?}, not {truth}");
        check_lower(&cube, &cube, &pose, &found, 100);
    }
    // Inside without any contact: out through the nearest face.
    let found = depth(&cube, &small, &shift(0.3, 0.2, -0.1));
    assert!(contains(&found, 0.95), "{found:?}");
    assert!(contains(&depth(&small, &cube, &shift(-0.3, -0.2, 0.1)), 0.95));
}

#[test]
fn what_does_not_overlap_has_no_depth() {
    let cube = tree(&cuboid([2.0, 2.0, 2.0]));
    let none = PenetrationDepth { lower: 0.0, upper: 0.0, translation: Vector3::zeros() };
    for pose in [shift(2.0, 0.0, 0.0), shift(2.0, 1.0, 0.5), shift(2.0, 2.0, 2.0), shift(2.5, 0.0, 0.0)] {
        assert_eq!(depth(&cube, &cube, &pose), none);
    }
    let (ring, grain) = (tree(&meshes::torus(32, 16)), tree(&cuboid([0.01, 0.01, 0.01])));
    assert_eq!(depth(&ring, &grain, &Pose::identity()), none);
    let empty = tree(&meshes::empty());
    assert_eq!(depth(&empty, &cube, &Pose::identity()), none);
    assert_eq!(depth(&cube, &empty, &Pose::identity()), none);
}

/// A triangle without area inside the other solid is no overlap.
#[test]
fn a_segment_has_no_depth() {
    use crate::relation::solids::{cuboid, with_segment};
    let a = tree(&with_segment(&cuboid([0.0; 3], [1.0; 3]), [[1.0; 3], [3.0, 1.0, 1.0]]));
    let b = tree(&cuboid([2.0, 0.0, 0.0], [4.0, 2.0, 2.0]));
    let none = PenetrationDepth { lower: 0.0, upper: 0.0, translation: Vector3::zeros() };
    assert_eq!(depth(&a, &b, &Pose::identity()), none);
    assert_eq!(depth(&b, &a, &Pose::identity()), none);
    // Beside it, the solids overlap by less than the segment is deep.
    for (a, b, by) in [(&a, &b, -1.125), (&b, &a, 1.125)] {
        let found = interval(a, b, &shift(by, 0.0, 0.0), 10_000);
        assert!(contains(&found, 0.125), "{found:?}");
    }
}

/// The walls of a hollow solid may be far thinner than the solid.
#[test]
fn the_same_thin_shell_twice() {
    use crate::relation::solids::{cube, inside_out, sphere, together};
    let thin = 2f32.powi(-20);
    let shells = [
        together(&[sphere(1.0), inside_out(&sphere(1.0 - 1e-5))]),
        together(&[cube(1.0), inside_out(&cube(1.0 - thin))]),
        // Inside out, a shell has the same inside.
        together(&[inside_out(&cube(1.0)), cube(1.0 - thin)]),
    ];
    for shell in &shells {
        let shell = tree(shell);
        let found = interval(&shell, &shell, &Pose::identity(), 1000);
        assert!(1.8 < found.upper && found.upper < 2.000_001, "{found:?}");
    }
    // Where one shell has the other in it, they only touch.
    let (outer, inner) = (tree(&shells[1]), tree(&cube(1.0 - thin)));
    assert_eq!(interval(&outer, &inner, &Pose::identity(), 1000).upper, 0.0);
}

#[test]
fn open_meshes_are_refused() {
    let (cube, open) = (tree(&cuboid([2.0, 2.0, 2.0])), tree(&meshes::flat_square(3)));
    let mut query = Query::new();
    let options = DepthOptions::default();
    let b = query.penetration_depth(&cube, &open, &Pose::identity(), &options);
    assert_eq!(b, Err(QueryError::OpenMesh { mesh: 'B' }));
    let a = query.penetration_depth(&open, &cube, &Pose::identity(), &options);
    assert_eq!(a, Err(QueryError::OpenMesh { mesh: 'A' }));
}

/// A door that overlaps the wall around its opening by nanometres leaves it only across the wall.
#[test]
fn a_door_in_its_opening() {
    let wall = tree(&frame_with_opening([2.0, 1.5], [0.5, 1.0], 0.2));
    // Where it has room on the other side, it goes back by what overlaps.
    let narrow = tree(&cuboid([1.0 - 1.0 / 512.0, 2.0 - 1.0 / 512.0, 0.2]));
    for by in [1e-7, 1e-3] {
        let found = depth(&wall, &narrow, &shift(1.0 / 1024.0 + by, 0.0, 0.03));
        assert!(found.lower <= by + 1e-13 && by <= found.upper + 1e-13, "{found:?}");
    }
    let door = tree(&cuboid([1.000_001, 2.000_001, 0.2]));
    // Nothing is deep anywhere on the way, so little is proven: the interval stays wide.
    let found = interval(&wall, &door, &shift(0.0, 0.0, 0.03), 10_000);
    assert!(found.lower > 0.0 && contains(&found, 0.17) && found.upper < 0.170_001, "{found:?}");
}

/// A quarter turn, by which one ring goes through another.
fn linked() -> Pose {
    let turned = Vector3::new(std::f64::consts::FRAC_PI_2, 0.0, 0.0);
    Pose::from(Isometry3::new(Vector3::new(0.75, 0.0, 0.1), turned))
}

#[test]
fn linked_rings() {
    let ring = meshes::torus(16, 8);
    let pose =
        Pose::from(Isometry3::new(Vector3::new(0.75, 0.0, 0.1), Vector3::new(std::f64::consts::FRAC_PI_2, 0.0, 0.0)));
    let trees = [tree(&ring), tree(&ring)];
    let found = depth(&trees[0], &trees[1], &pose);
    check_lower(&trees[0], &trees[1], &pose, &found, 300);
}

#[test]
fn all_kinds_and_levels_agree() {
    let (a, b) = (meshes::torus(16, 8), meshes::sphere(6, 8, 0.7));
    let pose = Pose::from(Isometry3::new(Vector3::new(1.0, 0.3, 0.2), Vector3::new(0.3, 0.2, 0.9)));
    let options = DepthOptions { relative_tolerance: 0.02, ..Default::default() };
    let mut found = Vec::new();
    for kind in VolumeKind::ALL {
        let [a, b] = [&a, &b].map(|mesh| Rules::FINEST.tree(mesh, kind));
        for level in levels() {
            found.push(Query::with_simd(level).penetration_depth(&a, &b, &pose, &options).unwrap());
        }
        found.push(Query::new().penetration_depth(&b, &a, &pose.inverse(), &options).unwrap());
    }
    let least = found.iter().map(|depth| depth.upper).fold(f64::INFINITY, f64::min);
    let most = found.iter().map(|depth| depth.lower).fold(0.0, f64::max);
    assert!(most <= least && found.iter().all(|depth| depth.upper <= 1.0201 * depth.lower), "{most} {least}");
}

#[test]
fn a_small_budget_gives_a_wide_interval() {
    let (a, b) = (tree(&meshes::torus(16, 8)), tree(&meshes::torus(16, 8)));
    let pose = linked();
    let full = depth(&a, &b, &pose);
    let options = DepthOptions { max_regions: 1, ..Default::default() };
    let cut = Query::new().penetration_depth(&a, &b, &pose, &options).unwrap();
    assert!(cut.lower <= full.upper && full.lower <= cut.upper, "{cut:?} {full:?}");
    assert!(cut.upper - cut.lower > full.upper - full.lower, "{cut:?} {full:?}");
}

#[test]
fn far_from_the_origin() {
    let (a, b) = (tree(&meshes::torus(16, 8)), meshes::sphere(6, 8, 0.7));
    let near = shift(1.0, 0.2, 0.1);
    let reference = depth(&a, &tree(&b), &near);
    for distance in [1e3, 1e6] {
        let far = Vector3::new(distance, -distance, 0.5 * distance);
        let shifted = tree(&meshes::moved(&b, |vertex| vertex + far));
        let found = depth(&a, &shifted, &moved(&near, &-far));
        let slack = 1e-6 * distance;
        assert!(found.lower <= reference.upper + slack && reference.lower <= found.upper + slack, "{found:?}");
    }
}

proptest! {
    #![proptest_config(cases(12, 150))]

    #[test]
    fn convex_solids(
        rotation in rotations(),
        at in prop::array::uniform3(-1.0..1.0f64),
        lengths in prop::array::uniform3(0.3..2.0f32),
        is_round: bool,
    ) {
        let a = cuboid([1.4, 1.0, 0.6]);
        let b = if is_round { meshes::sphere(4, 6, 0.6) } else { cuboid(lengths) };
        let pose = Pose::new(rotation, at.into()).unwrap();
        let found = interval(&tree(&a), &tree(&b), &pose, 200_000);
        let truth = convex_depth(&a, &b, &pose);
        // The sphere's quads are convex only up to f32's rounding.
        prop_assert!(found.lower <= truth + 1e-7 && truth <= found.upper + 1e-7, "{found:?}, not {truth}");
    }

    #[test]
    fn cuboids_on_a_grid(sizes in prop::array::uniform6(1..4i32), at in prop::array::uniform3(-4..5i32)) {
        let lengths: [f32; 6] = sizes.map(|size| size as f32 / 2.0);
        let [a, b] = [&lengths[..3], &lengths[3..]].map(|l| cuboid([l[0], l[1], l[2]]));
        let pose = Pose::new(Matrix3::identity(), Vector3::from(at.map(|x| f64::from(x) / 4.0))).unwrap();
        let found = depth(&tree(&a), &tree(&b), &pose);
        let truth = convex_depth(&a, &b, &pose);
        prop_assert!(found.lower <= truth + 1e-12 && truth <= found.upper + 1e-12, "{found:?}, not {truth}");
    }

    #[test]
    fn solids_that_are_not_convex(
        (rotation, x, y, z, shape) in (rotations(), -1.5..1.5f64, -1.5..1.5f64, -0.8..0.8f64, 0..3usize)
    ) {
        let a = meshes::torus(12, 8);
        let b = match shape {
            0 => frame_with_opening([0.8, 0.6], [0.5, 0.3], 0.3),
            1 => meshes::sphere(6, 8, 0.5),
            _ => meshes::torus(10, 6),
        };
        let pose = Pose::new(rotation, Vector3::new(x, y, z)).unwrap();
        let [a, b] = [tree(&a), tree(&b)];
        let found = interval(&a, &b, &pose, 100_000);
        check_lower(&a, &b, &pose, &found, 100);
    }
}

/// A limit beyond what a clock can count is none.
#[test]
fn the_longest_time_limit_is_no_limit() {
    let cube = tree(&cuboid([1.0; 3]));
    let by = shift(0.5, 0.0, 0.0);
    let limit = |time_limit| DepthOptions { time_limit, ..Default::default() };
    let mut query = Query::new();
    for time_limit in [Duration::MAX, Duration::from_secs(u64::MAX / 2)].map(Some) {
        let mut depth = |time_limit| query.penetration_depth(&cube, &cube, &by, &limit(time_limit)).unwrap();
        assert_eq!(depth(time_limit), depth(None));
        let mut depth = |time_limit| query.overlap_depth(&cube, &cube, &by, &limit(time_limit)).unwrap();
        assert_eq!(depth(time_limit), depth(None));
    }
}
