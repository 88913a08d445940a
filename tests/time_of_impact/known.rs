//! Motions of which the answer is known.

use std::sync::atomic::{AtomicU32, Ordering};

use bvtree::query::{QueryError, TimeOfImpact};
use bvtree::{Motion, Pose, Query, VolumeKind};
use nalgebra::{Isometry3, Matrix3, Point3, Rotation3, UnitQuaternion, Vector3};

use super::{TOLERANCE, check_sampled, impact, posed, tree};
use crate::oracle::meshes::{self, torus};
use crate::scene::Random;
use crate::solids::cuboid;

const NO_TURN: Vector3<f64> = Vector3::new(0.0, 0.0, 0.0);

#[test]
fn motions_end_where_they_say() {
    let turn = |x: f64| Isometry3::rotation(Vector3::new(x, 0.3, -0.2) * 1.3).rotation;
    for (from, to) in [(0.1, 0.1), (0.1, 2.0), (-1.0, 1.0), (0.0, 1e-9)] {
        let [start, end] =
            [from, to].map(|x| Pose::from(Isometry3::from_parts(Vector3::new(x, 1.0, 2.0).into(), turn(x))));
        let motion = Motion::new(start, end);
        assert_eq!((motion.start(), motion.end()), (&start, &end));
        assert_eq!((motion.at(0.0), motion.at(1.0), motion.at(-1.0), motion.at(2.0)), (start, end, start, end));
        assert_eq!(motion.at(f64::NAN), start);
        for i in 1..10 {
            let t = f64::from(i) / 10.0;
            let expected: UnitQuaternion<f64> = turn(from).slerp(&turn(to), t);
            let pose = motion.at(t);
            // The slerp compared with takes no turn of a billionth for one.
            let error = if to - from > 1e-6 { 1e-13 } else { 2e-9 };
            let difference = (pose.rotation() - expected.to_rotation_matrix().into_inner()).amax();
            assert!(difference < error, "{from} to {to} at {t}: {difference:e}");
            assert!((pose.translation() - Vector3::new(from + (to - from) * t, 1.0, 2.0)).amax() < 1e-14);
        }
        // Close to its ends it is close to them.
        assert!((motion.at(1e-15).rotation() - start.rotation()).amax() < 1e-14);
        assert!((motion.at(1.0 - 1e-15).rotation() - end.rotation()).amax() < 1e-14);
    }
    // Half a turn has two shortest ways; either is taken at constant speed.
    let half = Motion::new(
        Pose::identity(),
        Pose::new(Matrix3::from_diagonal(&Vector3::new(-1.0, -1.0, 1.0)), Vector3::zeros()).unwrap(),
    );
    let middle = half.at(0.5);
    assert!(middle.rotation()[(0, 0)].abs() < 1e-15 && (middle.rotation()[(0, 1)].abs() - 1.0).abs() < 1e-15);
}

#[test]
fn a_box_meets_a_box_at_an_exact_time() {
    let cube = cuboid([1.0; 3]);
    let motion = Motion::new(posed(3.0, 0.25, 0.125, Vector3::zeros()), posed(-1.0, 0.25, 0.125, Vector3::zeros()));
    let TimeOfImpact::Impact(contact) = check_sampled(&cube, &cube, &motion, TOLERANCE, 100) else {
        panic!("no impact")
    };
    assert!(contact.time <= 0.5 && contact.time > 0.5 - TOLERANCE, "{contact:?}");
    assert!((contact.normal - Vector3::x()).amax() < 1e-6, "{contact:?}");
    assert!((contact.on_a.x - 0.5).abs() < 1e-6);
    // With no tolerance it is exact but for rounding.
    let TimeOfImpact::Impact(contact) = impact(&cube, &cube, &motion, 0.0) else { panic!("no impact") };
    assert!(contact.time <= 0.5 && contact.time > 0.5 - 1e-12, "{contact:?}");

    let touching = Motion::new(posed(1.0, 0.0, 0.0, Vector3::zeros()), posed(3.0, 0.0, 0.0, Vector3::zeros()));
    let TimeOfImpact::Touching(contact) = impact(&cube, &cube, &touching, TOLERANCE) else { panic!("not touching") };
    assert!(contact.time == 0.0 && contact.distance == 0.0 && contact.on_a.x == 0.5, "{contact:?}");

    // Next to each other, along each other and away.
    for (to, gap) in [((1.0, 9.0, 0.0), 1e-3), ((5.0, 0.0, 0.0), 1e-9), ((1.0, 3.0, 0.0), 1e-7)] {
        let (x, y, z) = to;
        let beside = Motion::new(posed(1.0 + gap, 0.0, 0.0, Vector3::zeros()), posed(x + gap, y, z, Vector3::zeros()));
        assert_eq!(impact(&cube, &cube, &beside, TOLERANCE), TimeOfImpact::NoImpact, "{to:?} {gap}");
    }
    let still = Motion::new(posed(1.1, 0.0, 0.0, Vector3::zeros()), posed(1.1, 0.0, 0.0, Vector3::zeros()));
    assert_eq!(impact(&cube, &cube, &still, TOLERANCE), TimeOfImpact::NoImpact);
}

#[test]
fn a_thin_plate_crossed_at_high_speed() {
    let plate = cuboid([10.0, 10.0, 1e-4]);
    let bullet = cuboid([0.1, 0.1, 0.01]);
    for speed in [1.0, 1e3, 1e6, 1e9] {
        for turn in [Vector3::zeros(), Vector3::new(0.0, 0.0, 2.5), Vector3::new(1.0, -2.0, 0.5)] {
            let motion = Motion::new(posed(0.3, 0.2, speed, Vector3::zeros()), posed(0.1, 0.4, -1.1 * speed, turn));
            let answer = impact(&plate, &bullet, &motion, TOLERANCE);
            let TimeOfImpact::Impact(contact) = answer else { panic!("tunnelled at {speed} {turn:?}") };
            assert!((contact.time - 1.0 / 2.1).abs() < 0.2 / speed, "{contact:?} at {speed}");
            assert!(contact.normal.z > 0.999, "{contact:?}");
            let beside = Motion::new(posed(5.2, 0.2, speed, Vector3::zeros()), posed(5.2, 0.4, -1.1 * speed, turn));
            assert_eq!(impact(&plate, &bullet, &beside, TOLERANCE), TimeOfImpact::NoImpact);
        }
    }
    let too_long = Motion::new(posed(0.0, 0.0, 1e20, Vector3::zeros()), posed(0.0, 0.0, -1e20, Vector3::zeros()));
    let [plate, bullet] = [plate, bullet].map(|mesh| tree(&mesh, VolumeKind::Aabb));
    assert_eq!(Query::new().time_of_impact(&plate, &bullet, &too_long, TOLERANCE), Err(QueryError::MotionTooLong));
}

#[test]
fn a_needle_through_a_ring() {
    // The hole's radius is 0.4.
    let (ring, needle) = (torus(40, 24), cuboid([0.05, 0.05, 4.0]));
    let through = Motion::new(posed(0.0, 0.0, 5.0, Vector3::zeros()), posed(0.0, 0.0, -5.0, Vector3::zeros()));
    assert_eq!(check_sampled(&ring, &needle, &through, TOLERANCE, 300), TimeOfImpact::NoImpact);
    // Spinning about its axis, and nodding a little.
    let nodding = Motion::new(
        posed(0.0, 0.0, 5.0, Vector3::new(0.02, 0.0, -1.5)),
        posed(0.05, 0.0, -5.0, Vector3::new(0.0, 0.03, 1.5)),
    );
    assert_eq!(check_sampled(&ring, &needle, &nodding, TOLERANCE, 300), TimeOfImpact::NoImpact);
    let tilted =
        Motion::new(posed(0.0, 0.0, 5.0, Vector3::zeros()), posed(0.0, 0.0, -5.0, Vector3::new(2.0, 0.0, 0.0)));
    assert!(matches!(check_sampled(&ring, &needle, &tilted, TOLERANCE, 300), TimeOfImpact::Impact(_)));
    let off = Motion::new(posed(0.5, 0.0, 5.0, Vector3::zeros()), posed(0.5, 0.0, -5.0, Vector3::zeros()));
    assert!(matches!(check_sampled(&ring, &needle, &off, TOLERANCE, 300), TimeOfImpact::Impact(_)));
    let thin = cuboid([1e-4, 1e-4, 4.0]);
    // Within a hair of the inner wall, all along.
    let close = 0.4 * (std::f64::consts::PI / 40.0).cos() - 1e-3;
    let close = Motion::new(posed(close, 0.0, 5.0, Vector3::zeros()), posed(close, 0.0, -5.0, Vector3::zeros()));
    assert_eq!(check_sampled(&ring, &thin, &close, TOLERANCE, 300), TimeOfImpact::NoImpact);
}

#[test]
fn a_rod_that_hits_because_it_spins() {
    let post = cuboid([0.2, 0.2, 2.0]);
    let rod = cuboid([4.0, 0.1, 0.1]);
    // The rod turns from along y to along x; at 1.5 away the post is out of its way at both ends.
    let quarter = std::f64::consts::FRAC_PI_2;
    let place = |angle: f64, x: f64| posed(x, 1.5, 0.0, Vector3::new(0.0, 0.0, angle));
    let spins = Motion::new(place(-0.3, 0.0), place(quarter + 0.6, 0.0));
    let TimeOfImpact::Impact(contact) = check_sampled(&post, &rod, &spins, TOLERANCE, 1000) else { panic!("missed") };
    assert!(contact.time > 0.3 && contact.time < 0.9, "{contact:?}");
    let still = Motion::new(place(-0.3, 0.0), place(-0.3, 0.0));
    assert_eq!(impact(&post, &rod, &still, TOLERANCE), TimeOfImpact::NoImpact);
    // Out of reach it spins freely, in place and on its way.
    let far = |angle: f64, x: f64| posed(x, 2.2, 0.0, Vector3::new(0.0, 0.0, angle));
    assert_eq!(
        check_sampled(&post, &rod, &Motion::new(far(-1.5, 0.0), far(1.5, 0.0)), TOLERANCE, 300),
        TimeOfImpact::NoImpact
    );
    assert_eq!(
        check_sampled(&post, &rod, &Motion::new(far(-1.5, -9.0), far(1.5, 9.0)), TOLERANCE, 300),
        TimeOfImpact::NoImpact
    );
}

#[test]
fn empty_meshes_are_free() {
    let (empty, cube) = (meshes::empty(), cuboid([1.0; 3]));
    let motion = Motion::new(posed(3.0, 0.0, 0.0, Vector3::zeros()), posed(-3.0, 0.0, 0.0, Vector3::x()));
    assert_eq!(impact(&empty, &cube, &motion, TOLERANCE), TimeOfImpact::NoImpact);
    assert_eq!(impact(&cube, &empty, &motion, TOLERANCE), TimeOfImpact::NoImpact);
    let point = meshes::point_at(Point3::origin());
    assert!(matches!(check_sampled(&point, &point, &motion, TOLERANCE, 50), TimeOfImpact::Impact(_)));
}

/// An accuracy far beyond the meshes' size makes no work of a long way that passes them.
#[test]
fn the_work_does_not_grow_with_the_accuracy() {
    let cube = tree(&cuboid([1.0; 3]), VolumeKind::Obb);
    let motion = Motion::new(posed(-1e5, 50.0, 0.0, Vector3::zeros()), posed(1e5, 50.0, 0.0, Vector3::zeros()));
    let mut query = Query::new();
    for accuracy in [0.0, 1.0, 1e3, 1e9, f64::INFINITY, f64::NAN] {
        assert_eq!(query.time_of_impact(&cube, &cube, &motion, accuracy), Ok(TimeOfImpact::NoImpact), "{accuracy}");
        let tests = query.stats().volume_tests;
        assert!(tests < 100, "{accuracy}: {tests} tests of volumes");
    }
}

/// However long a motion is compared with the meshes, it crosses no plate between two of its times.
#[test]
fn nothing_tunnels_through_a_plate() {
    let plate = meshes::unconnected(&[[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Point3::from)]);
    let plate = tree(&plate, VolumeKind::Obb);
    let mut random = Random(7);
    for exponent in 1..=11 {
        for round in 0..200 {
            let length = 10_f64.powi(exponent);
            let [part, x, y, z] = [0, 1, 2, 3].map(|_| random.unit());
            let displacement = Vector3::new(x - 0.5, y - 0.5, 0.2 + z) * length;
            let aside = Vector3::new(0.1 * x, 0.1 * y, 0.0);
            let end = |by: f64| Pose::from_translation(aside + displacement * by).unwrap();
            let motion = match round {
                0 => Motion::new(posed(0.0, 0.0, -length, NO_TURN), posed(0.0, 0.0, 1.1 * length, NO_TURN)),
                _ => Motion::new(end(-part), end(1.0 - part)),
            };
            let [from, to] = [motion.start(), motion.end()].map(|pose| pose.translation().z);
            let expected = -from / (to - from);
            for accuracy in [0.0, 1e-3] {
                let found = Query::new().time_of_impact(&plate, &plate, &motion, accuracy).unwrap();
                let TimeOfImpact::Impact(contact) = found else { panic!("{found:?} {motion:?}") };
                let early = expected - contact.time;
                assert!(early >= -1e-15 && early <= 1e-13 + 2.0 * accuracy / (to - from), "{early:e} {motion:?}");
            }
        }
    }
}

/// Matrices that are not quite rotations stretch B along A, within a plane just above it.
#[test]
fn stretching_is_no_approach() {
    let square = tree(&meshes::flat_square(1), VolumeKind::Obb);
    let height = Vector3::new(0.0, 0.0, 1e-12);
    for angle in [0.0, 1.0] {
        let end = Rotation3::from_axis_angle(&Vector3::z_axis(), angle).into_inner() * (1.0 + 3e-5);
        let motion = Motion::new(Pose::new(Matrix3::identity(), height).unwrap(), Pose::new(end, height).unwrap());
        let mut query = Query::new();
        let looks = AtomicU32::new(0);
        query.interrupt_when(move || looks.fetch_add(1, Ordering::Relaxed) == 20);
        let found = query.time_of_impact(&square, &square, &motion, 0.0).unwrap();
        assert!(!query.take_interrupted() && found == TimeOfImpact::NoImpact, "{angle}: {found:?}");
    }
}
