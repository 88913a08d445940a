//! Poses of quaternions, axes and angles, and Euler angles: near the true rotation by exact arithmetic, and exact where
//! the rotation is.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use bvtree::mesh::Mesh;
use bvtree::pose::PoseError;
use bvtree::{BuildOptions, BvTree, Motion, Pose, Query};
use nalgebra::{Isometry3, Matrix3, Quaternion, UnitQuaternion, Vector3};
use num_bigint::BigInt;
use num_rational::Ratio;
use num_traits::ToPrimitive;
use proptest::prelude::*;

type Rational = Ratio<BigInt>;

const UNIT: f64 = f64::EPSILON;
const AXES: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

fn from_quaternion([x, y, z, w]: [f64; 4]) -> Matrix3<f64> {
    *Pose::from_quaternion(&Quaternion::new(w, x, y, z), Vector3::zeros()).unwrap().rotation()
}

fn from_axis_angle(axis: [f64; 3], angle: f64) -> Matrix3<f64> {
    *Pose::from_axis_angle(&axis.into(), angle, Vector3::zeros()).unwrap().rotation()
}

fn from_isometry(rotation: UnitQuaternion<f64>) -> Matrix3<f64> {
    *Pose::from(Isometry3::from_parts(Vector3::zeros().into(), rotation)).rotation()
}

/// How far the entries of a matrix are from the rotation of a quaternion, at most, by rational arithmetic.
fn error(matrix: &Matrix3<f64>, xyzw: [f64; 4]) -> f64 {
    let [x, y, z, w] = &xyzw.map(|x| Rational::from_float(x).unwrap());
    let two = Rational::from_integer(2.into());
    let length_sq = x * x + y * y + z * z + w * w;
    let numerators = [
        [w * w + x * x - y * y - z * z, &two * (x * y - w * z), &two * (x * z + w * y)],
        [&two * (x * y + w * z), w * w + y * y - x * x - z * z, &two * (y * z - w * x)],
        [&two * (x * z - w * y), &two * (y * z + w * x), w * w + z * z - x * x - y * y],
    ];
    let entries = (0..3).flat_map(|row| (0..3).map(move |column| (row, column)));
    let errors = entries.map(|(row, column)| {
        let expected = &numerators[row][column] / &length_sq;
        (Rational::from_float(matrix[(row, column)]).unwrap() - expected).to_f64().unwrap().abs()
    });
    errors.fold(0.0, f64::max)
}

/// The turn by some quarters about a coordinate axis.
fn quarters(axis: usize, count: i32) -> Matrix3<f64> {
    let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
    let mut quarter = Matrix3::zeros();
    quarter[(axis, axis)] = 1.0;
    quarter[(k, j)] = 1.0;
    quarter[(j, k)] = -1.0;
    (0..count.rem_euclid(4)).fold(Matrix3::identity(), |turn, _| turn * quarter)
}

fn leaves_alone(matrix: &Matrix3<f64>, axis: usize) -> bool {
    let exact = Vector3::from(AXES[axis]);
    matrix.column(axis) == exact && matrix.row(axis) == exact.transpose()
}

proptest! {
    #[test]
    fn quaternions_give_their_rotation(
        xyzw in [-1.0..1.0, -1.0..1.0, -1.0..1.0, -1.0..1.0f64],
        zeros in 0u8..15,
        exponent in -900i32..900,
    ) {
        let xyzw: [f64; 4] = std::array::from_fn(|k| if zeros >> k & 1 == 1 { 0.0 } else { xyzw[k] });
        prop_assume!(xyzw != [0.0; 4]);
        let matrix = from_quaternion(xyzw);
        prop_assert!(error(&matrix, xyzw) <= 4.0 * UNIT, "{:e}", error(&matrix, xyzw));
        let pose = Pose::new(matrix, Vector3::zeros()).unwrap();
        prop_assert!(pose.deviation() <= 8.0 * UNIT, "{:e}", pose.deviation());
        // The length does not matter.
        let scaled = xyzw.map(|x| libm::scalbn(x, exponent));
        prop_assert_eq!(from_quaternion(scaled), matrix);
        prop_assert_eq!(from_quaternion(xyzw.map(|x| -x)), matrix);
    }

    /// Rounding of four units and more than it: of the first nothing is left, and nothing is far from what was given.
    #[test]
    fn next_to_special_rotations_errors_are_bounded(
        turns in prop::collection::vec((0usize..3, -4i32..4), 3),
        noise in [-1.0..1.0, -1.0..1.0, -1.0..1.0, -1.0..1.0f64],
        size in prop_oneof![Just(1.4 * UNIT), 0.0..32.0 * UNIT],
    ) {
        let exact = turns.iter().fold(Matrix3::identity(), |all, &(axis, count)| all * quarters(axis, count));
        let quaternion = UnitQuaternion::from_rotation_matrix(&nalgebra::Rotation3::from_matrix_unchecked(exact));
        let largest = quaternion.coords.amax();
        let xyzw: [f64; 4] = std::array::from_fn(|k| quaternion.coords[k] + size * largest * noise[k]);
        let matrix = from_quaternion(xyzw);
        if size == 1.4 * UNIT {
            prop_assert_eq!(matrix, exact);
        }
        prop_assert!(error(&matrix, xyzw) <= 16.0 * UNIT, "{:e}", error(&matrix, xyzw));
        let pose = Pose::new(matrix, Vector3::zeros()).unwrap();
        prop_assert!(pose.deviation() <= 8.0 * UNIT, "{:e}", pose.deviation());
    }

    #[test]
    fn turns_about_an_axis_leave_it_alone(k in 0usize..3, angle in -20.0..20.0f64, length in prop_oneof![Just(1.0),
        -1e300..1e300, 1e-310..1e-300]) {
        prop_assume!(length != 0.0);
        let axis = AXES[k].map(|x| x * length);
        let turned = from_axis_angle(axis, angle);
        prop_assert!(leaves_alone(&turned, k), "{turned}");
        prop_assert!(turned.iter().all(|x| *x != 0.0 || x.is_sign_positive()), "{turned}");
        let signed = angle * length.signum();
        let by_quaternion = |factor: f64| {
            let (sin, cos) = (0.5 * signed).sin_cos();
            let [x, y, z] = AXES[k].map(|x| x * sin * factor);
            from_quaternion([x, y, z, cos * factor])
        };
        let mut angles = [0.0; 3];
        angles[k] = signed;
        let [roll, pitch, yaw] = angles;
        let isometry = UnitQuaternion::from_scaled_axis(Vector3::from(AXES[k]) * signed);
        let others = [
            by_quaternion(1.0),
            by_quaternion(-0.3),
            *Pose::from_euler_angles(roll, pitch, yaw, Vector3::zeros()).unwrap().rotation(),
            from_isometry(isometry),
        ];
        for other in others {
            prop_assert!(leaves_alone(&other, k), "{other}");
            prop_assert!((other - turned).amax() <= 16.0 * UNIT, "{other}{turned}");
        }
        let of_f32 = *Pose::from(Isometry3::from_parts(Vector3::zeros().into(), isometry.cast::<f32>())).rotation();
        prop_assert!(leaves_alone(&of_f32, k) && (of_f32 - turned).amax() < 3e-6, "{of_f32}{turned}");
    }

    #[test]
    fn axes_angles_and_quaternions_agree(axis in [-1.0..1.0, -1.0..1.0, -1.0..1.0f64], angle in -7.0..7.0f64,
        roll in -7.0..7.0, pitch in -7.0..7.0, yaw in -7.0..7.0) {
        prop_assume!(Vector3::from(axis).norm() > 1e-3);
        let unit = Vector3::from(axis).normalize();
        let (sin, cos) = angle.sin_cos();
        let along = unit * unit.transpose() * (1.0 - cos);
        let rodrigues = along + Matrix3::from_diagonal_element(cos) + unit.cross_matrix() * sin;
        let turned = from_axis_angle(axis, angle);
        prop_assert!((turned - rodrigues).amax() <= 8.0 * UNIT);
        prop_assert!((from_isometry(UnitQuaternion::from_scaled_axis(unit * angle)) - turned).amax() <= 16.0 * UNIT);
        let euler = *Pose::from_euler_angles(roll, pitch, yaw, Vector3::zeros()).unwrap().rotation();
        prop_assert!((from_isometry(UnitQuaternion::from_euler_angles(roll, pitch,
            yaw)) - euler).amax() <= 16.0 * UNIT);
        prop_assert!(Pose::new(euler, Vector3::zeros()).unwrap().deviation() <= 12.0 * UNIT);
    }

    /// However they are computed: as products of quaternions, by angles in degrees of several turns, or as Euler
    /// angles.
    #[test]
    fn rotations_of_a_cube_are_signs_and_zeros(turns in prop::collection::vec((0usize..3, -3i32..=3), 0..4)) {
        let exact = turns.iter().fold(Matrix3::identity(), |all, &(axis, count)| all * quarters(axis, count));
        let product = turns.iter().fold(UnitQuaternion::identity(), |all, &(axis, count)| {
            all * UnitQuaternion::from_scaled_axis(Vector3::from(AXES[axis]) * f64::to_radians(90.0 * f64::from(count)))
        });
        prop_assert_eq!(from_isometry(product), exact);
        let single = turns.iter().fold(UnitQuaternion::identity(), |all, &(axis, count)| {
            let axis = Vector3::from(AXES[axis]).cast::<f32>();
            all * UnitQuaternion::from_scaled_axis(axis * (90.0 * count as f32).to_radians())
        });
        prop_assert_eq!(*Pose::from(Isometry3::from_parts(Vector3::zeros().into(), single)).rotation(), exact);
        let matrices = turns.iter().fold(Matrix3::identity(), |all, &(axis, count)| {
            all * from_axis_angle(AXES[axis], f64::from(count) * FRAC_PI_2)
        });
        prop_assert_eq!(matrices, exact);
        // A pose keeps it on its way to nalgebra and back, and turned on.
        let pose = Pose::new(exact, Vector3::zeros()).unwrap();
        prop_assert_eq!(Pose::from(Isometry3::<f64>::from(pose)), pose);
        prop_assert_eq!(Pose::from(Isometry3::<f32>::from(pose)), pose);
    }

    #[test]
    fn euler_angles_of_quarters_are_exact(roll in -4i32..=4, pitch in -4i32..=4, yaw in -4i32..=4) {
        let [a, b, c] = [roll, pitch, yaw].map(|count| f64::from(count) * FRAC_PI_2);
        let exact = quarters(2, yaw) * quarters(1, pitch) * quarters(0, roll);
        prop_assert_eq!(*Pose::from_euler_angles(a, b, c, Vector3::zeros()).unwrap().rotation(), exact);
        prop_assert_eq!(from_isometry(UnitQuaternion::from_euler_angles(a, b, c)), exact);
    }

    #[test]
    fn motions_about_an_axis_leave_it_alone(k in 0usize..3, from in -3.0..3.0f64, to in -3.0..3.0f64,
        time in 0.0..=1.0f64) {
        let pose = |angle| Pose::from_axis_angle(&AXES[k].into(), angle, Vector3::new(0.5, -1.0, angle)).unwrap();
        let motion = Motion::new(pose(from), pose(to));
        prop_assert!(leaves_alone(motion.at(time).rotation(), k), "{}", motion.at(time).rotation());
    }
}

#[test]
fn half_turns_are_signs_and_no_turn_is_the_identity() {
    for (k, axis) in AXES.into_iter().enumerate() {
        let half = quarters(k, 2);
        for angle in [PI, -PI, 3.0 * PI] {
            assert_eq!(from_axis_angle(axis, angle), half);
            assert_eq!(from_isometry(UnitQuaternion::from_scaled_axis(Vector3::from(axis) * angle)), half);
        }
        for angle in [0.0, -0.0, TAU, -TAU, 2.0 * TAU] {
            assert_eq!(from_axis_angle(axis, angle), Matrix3::identity());
        }
    }
    assert_eq!(from_quaternion([0.0, 0.0, 0.0, -7e-300]), Matrix3::identity());
    assert_eq!(from_quaternion([1.0, 1.0, 1.0, 1.0]), quarters(0, 1) * quarters(1, 1));
    // Half turns about what lies between axes exchange them.
    assert_eq!(from_axis_angle([1.0, 1.0, 0.0], PI), Matrix3::new(0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, -1.0));
    // Small turns are not lost, but those of rounding.
    let entry = |angle: f64| from_axis_angle(AXES[2], angle)[(1, 0)];
    assert!((entry(1e-14) - 1e-14).abs() < 1e-28);
    assert_eq!(entry(1e-15), 0.0);
}

#[test]
fn what_has_no_rotation_is_refused() {
    let unmoved = Vector3::zeros();
    let zero = Quaternion::new(0.0, 0.0, 0.0, -0.0);
    assert_eq!(Pose::from_quaternion(&zero, unmoved), Err(PoseError::ZeroLength));
    assert_eq!(Pose::from_axis_angle(&unmoved, 1.0, unmoved), Err(PoseError::ZeroLength));
    for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert_eq!(Pose::from_quaternion(&Quaternion::new(x, 0.0, 0.0, 1.0), unmoved), Err(PoseError::NotFinite));
        assert_eq!(Pose::from_axis_angle(&Vector3::new(1.0, x, 0.0), 1.0, unmoved), Err(PoseError::NotFinite));
        assert_eq!(Pose::from_axis_angle(&Vector3::z(), x, unmoved), Err(PoseError::NotFinite));
        for angles in [[x, 0.0, 0.0], [0.0, x, 0.0], [0.0, 0.0, x]] {
            let [roll, pitch, yaw] = angles;
            assert_eq!(Pose::from_euler_angles(roll, pitch, yaw, unmoved), Err(PoseError::NotFinite));
        }
        let moved = Vector3::new(0.0, 0.0, x);
        assert_eq!(Pose::from_translation(moved), Err(PoseError::NotFinite));
        assert_eq!(Pose::from_quaternion(&Quaternion::identity(), moved), Err(PoseError::NotFinite));
    }
    let moved = Vector3::new(40.0, 0.1, -0.0);
    assert_eq!(Pose::from_translation(moved), Pose::new(Matrix3::identity(), moved));
}

/// The gears of the tour, whose upper and lower faces are flush, have one answer however the pose is written.
#[test]
fn gears_that_are_turned_stay_flush() {
    let mesh = Mesh::load_obj(concat!(env!("CARGO_MANIFEST_DIR"), "/data/gear.obj")).unwrap();
    let gear = BvTree::build(&mesh, &BuildOptions::default()).unwrap();
    let mut query = Query::new();
    let beside = Vector3::new(40.0, 0.0, 0.0);
    for (degrees, pairs) in [(0.0, 472), (3.0, 420), (6.0, 262), (9.0, 0)] {
        let angle = f64::to_radians(degrees);
        let unit = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), angle);
        let (sin, cos) = angle.sin_cos();
        let poses = [
            Pose::new(Matrix3::new(cos, -sin, 0.0, sin, cos, 0.0, 0.0, 0.0, 1.0), beside).unwrap(),
            Pose::from_axis_angle(&Vector3::z_axis(), angle, beside).unwrap(),
            Pose::from_quaternion(&unit, beside).unwrap(),
            Pose::from_euler_angles(0.0, 0.0, angle, beside).unwrap(),
            Pose::from(Isometry3::from_parts(beside.into(), unit)),
            Pose::from(Isometry3::from_parts(beside.cast::<f32>().into(), unit.cast::<f32>())),
        ];
        for pose in poses {
            assert_eq!(query.count_pairs(&gear, &gear, &pose), pairs, "{degrees}: {pose:?}");
        }
    }
}
