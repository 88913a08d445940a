//! Poses: what is none, products, inverses, relative poses, conversions; and meshes of slices.

use bvtree::mesh::MeshError;
use bvtree::pose::{PoseError, unit_vector};
use bvtree::{Mesh, Pose};
use nalgebra::{Isometry3, Matrix3, Point3, Unit, Vector3};
use proptest::prelude::*;

fn isometry() -> impl Strategy<Value = Isometry3<f64>> {
    let three = |most: f64| [-most..most, -most..most, -most..most].prop_map(Vector3::from);
    (three(100.0), three(4.0)).prop_map(|(translation, turn)| Isometry3::new(translation, turn))
}

fn is_near(a: &Pose, b: &Pose, tolerance: f64) -> bool {
    (a.rotation() - b.rotation()).amax() < tolerance && (a.translation() - b.translation()).amax() < tolerance
}

proptest! {
    #[test]
    fn products_are_those_of_isometries(a in isometry(), b in isometry(), point in [-9.0f32..9.0, -9.0f32..9.0,
        -9.0f32..9.0]) {
        let [pose_a, pose_b] = [a, b].map(Pose::from);
        prop_assert!(is_near(&(pose_a * pose_b), &(a * b).into(), 1e-12));
        prop_assert!(is_near(&pose_a.inverse(), &a.inverse().into(), 1e-12));
        prop_assert!(is_near(&Pose::relative(&pose_a, &pose_b), &(a.inverse() * b).into(), 1e-12));
        prop_assert!(is_near(&(pose_a * Pose::relative(&pose_a, &pose_b)), &pose_b, 1e-12));
        let point = Point3::from(point);
        prop_assert!((pose_a.transform(&point) - a * point.cast::<f64>()).norm() < 1e-12);
    }

    #[test]
    fn isometries_come_back(a in isometry()) {
        let pose = Pose::from(a);
        prop_assert!(is_near(&Pose::from(Isometry3::<f64>::from(pose)), &pose, 1e-13));
        let rounded = Isometry3::<f32>::from(pose);
        let back = Pose::from(rounded);
        prop_assert!(is_near(&back, &pose, 1e-4));
        // The quaternion's rounding is no part of the rotation.
        prop_assert!(back.deviation() < 1e-14);
    }

    #[test]
    fn far_from_the_world_bodies_near_each_other_keep_their_digits(a in isometry(), b in isometry()) {
        let far = Vector3::new(1e9, -2e9, 3e9);
        let moved = |isometry: &Isometry3<f64>| {
            Pose::new(isometry.rotation.to_rotation_matrix().into_inner(), isometry.translation.vector + far).unwrap()
        };
        let (moved_a, moved_b) = (moved(&a), moved(&b));
        let expected = (a.inverse() * b).into();
        prop_assert!(is_near(&Pose::relative(&moved_a, &moved_b), &expected, 1e-5));
    }

    #[test]
    fn f64_points_are_rounded(coordinates in prop::collection::vec([-1e30f64..1e30, -1.0..1.0, -1e-30..1e-30], 3..20)) {
        let mesh = Mesh::from_f64_slices(&coordinates, &[[0, 1, 2]]).unwrap();
        let rounded: Vec<[f32; 3]> = coordinates.iter().map(|point| point.map(|x| x as f32)).collect();
        prop_assert_eq!(&mesh, &Mesh::from_slices(&rounded, &[[0, 1, 2]]).unwrap());
        let points: Vec<Point3<f64>> = coordinates.iter().map(|point| (*point).into()).collect();
        prop_assert_eq!(&mesh, &Mesh::from_f64_slices(&points, &[[0, 1, 2]]).unwrap());
    }
}

#[test]
fn the_default_leaves_b_where_it_is() {
    assert_eq!(Pose::default(), Pose::identity());
    let pose = Pose::from(Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.5, 0.0, 0.1)));
    assert_eq!(pose * Pose::default(), pose);
    assert_eq!(Pose::relative(&pose, &pose).translation(), &Vector3::zeros());
}

#[test]
fn what_does_not_fit_into_f32_is_refused() {
    let with = |x: f64| Mesh::from_f64_slices(&[[0.0; 3], [0.0, x, 0.0], [1.0; 3]], &[[0, 1, 2]]);
    assert!(with(f64::from(f32::MAX)).is_ok() && with(-f64::from(f32::MAX)).is_ok() && with(1e-300).is_ok());
    for beyond in [1e39, -1e300] {
        assert!(matches!(with(beyond), Err(MeshError::BeyondF32 { vertex: 1 })));
    }
    for x in [f64::NAN, f64::INFINITY] {
        assert!(matches!(with(x), Err(MeshError::NotFinite { vertex: 1 })));
    }
    assert!(matches!(
        Mesh::from_slices(&[[0.0; 3]], &[[0, 0, 1]]),
        Err(MeshError::IndexOutOfRange { face: 0, index: 1, vertices: 1 })
    ));
    assert_eq!(Mesh::from_slices::<[f32; 3]>(&[], &[]).unwrap().iter().len(), 0);
}

/// Two meshes that stand at 500 km and differ by a millimetre, turned alike and not.
#[test]
fn origins_far_away_lose_nothing() {
    let [a, b] = [Point3::new(5e5, 4.6e6, 100.0), Point3::new(500_000.001, 4.6e6, 100.5)];
    let pose = Pose::identity().with_origins(&a, &b);
    assert_eq!(*pose.translation(), b - a);
    let quarter = Matrix3::new(0.0, -1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0);
    let turned = Pose::new(quarter, Vector3::new(5.1e6, 4.1e6, 0.0)).unwrap().with_origins(&a, &b);
    let vertex = Point3::new(1.0_f32, 2.0, 3.0);
    // (500001.001, 4600002, 103.5) is at (-4600002, 500001.001, 103.5) after the turn.
    let expected = Point3::new(5.1e6 - 4_600_002.0 - a.x, 4.1e6 + 500_001.001 - a.y, 103.5 - a.z);
    assert!((turned.transform(&vertex) - expected).amax() < 1e-8, "{turned:?}");
    let zero = Point3::origin();
    let odd = Pose::new(Matrix3::identity(), Vector3::new(0.1, -0.0, 3.0)).unwrap();
    assert_eq!(odd.with_origins(&zero, &zero), odd);
}

#[test]
fn what_is_not_a_pose() {
    let unmoved = Vector3::zeros();
    let mut not_a_number = Matrix3::identity();
    not_a_number[(1, 2)] = f64::NAN;
    assert_eq!(Pose::new(not_a_number, unmoved), Err(PoseError::NotFinite));
    for entry in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(Pose::new(Matrix3::identity(), Vector3::new(0.0, entry, 0.0)), Err(PoseError::NotFinite));
    }
    for factor in [0.0, 0.5, 1.0 + 1e-4, 1.0 - 1e-4, 1e200] {
        let answer = Pose::new(Matrix3::identity() * factor, unmoved);
        assert!(matches!(answer, Err(PoseError::NotARotation { .. })), "{factor}: {answer:?}");
    }
    let mirror = Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, -1.0));
    assert_eq!(Pose::new(mirror, unmoved), Err(PoseError::Mirrors));
    assert!(Pose::new(Matrix3::identity() * (1.0 + 4e-5), Vector3::repeat(f64::MAX)).is_ok());
}

#[test]
fn vectors_of_any_length_have_directions() {
    let (tiny, huge) = (f64::from_bits(1), f64::MAX);
    for length in [tiny, 1e-310, 1e-200, 1e-140, 1.0, 1e140, 1e200, 0.5 * huge] {
        let unit = unit_vector(&Vector3::new(length, -length, 0.0)).unwrap();
        assert!((unit.x - 0.5_f64.sqrt()).abs() < 1e-15 && unit.y == -unit.x && unit.z == 0.0, "{length}: {unit:?}");
    }
    let usual = Vector3::new(1.0, 2.0, -3.0);
    assert_eq!(unit_vector(&usual), Some(Unit::new_normalize(usual)));
    for odd in [0.0, -0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(unit_vector(&Vector3::new(0.0, odd, 0.0)), None);
        assert_eq!(unit_vector(&Vector3::new(1.0, f64::NAN, odd)), None);
    }
}
