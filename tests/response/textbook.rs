//! Collisions whose outcome is known exactly.

use bvtree::response::{Material, Regime, RigidBody, RigidBodyError, collide, planar};
use nalgebra::{Matrix3, Point2, Point3, Vector3};

const ELASTIC: Material = Material { restitution: 1.0, friction: 0.0 };
const PLASTIC: Material = Material { restitution: 0.0, friction: 0.0 };

fn particles(masses: [f64; 2], velocities: [f64; 2]) -> [RigidBody; 2] {
    [0, 1].map(|i| {
        let mut body = RigidBody::particle(masses[i], Point3::new(i as f64, 0.0, 0.0)).unwrap();
        body.velocity.x = velocities[i];
        body
    })
}

fn velocities(masses: [f64; 2], before: [f64; 2], material: &Material) -> [f64; 2] {
    let [mut a, mut b] = particles(masses, before);
    collide(&mut a, &mut b, &Point3::new(0.5, 0.0, 0.0), &Vector3::x_axis(), material);
    [a.velocity.x, b.velocity.x]
}

#[test]
fn central_collisions_are_exact() {
    assert_eq!(velocities([1.0, 1.0], [3.0, -2.0], &ELASTIC), [-2.0, 3.0]);
    assert_eq!(velocities([1.0, 1.0], [4.0, 0.0], &PLASTIC), [2.0, 2.0]);
    assert_eq!(velocities([1.0, 1.0], [4.0, 0.0], &Material { restitution: 0.5, friction: 0.0 }), [1.0, 3.0]);
    assert_eq!(velocities([1.0, 3.0], [4.0, 0.0], &ELASTIC), [-2.0, 2.0]);
    assert_eq!(velocities([3.0, 1.0], [4.0, 0.0], &PLASTIC), [3.0, 3.0]);
    // Those that part, and those at rest, are left alone.
    assert_eq!(velocities([1.0, 1.0], [0.0, 1.0], &ELASTIC), [0.0, 1.0]);
    assert_eq!(velocities([1.0, 1.0], [1.0, 1.0], &ELASTIC), [1.0, 1.0]);
}

#[test]
fn a_ball_on_a_wall() {
    for (restitution, back) in [(1.0, 4.0), (0.5, 2.0), (0.0, 0.0)] {
        let mut ball = RigidBody::new(2.0, &Matrix3::identity(), Point3::new(0.0, 0.0, 1.0)).unwrap();
        ball.velocity = Vector3::new(3.0, 0.0, -4.0);
        let mut wall = RigidBody::immovable(Point3::origin());
        let material = Material { restitution, friction: 0.0 };
        let impulse = collide(&mut wall, &mut ball, &Point3::origin(), &Vector3::z_axis(), &material);
        assert_eq!(ball.velocity, Vector3::new(3.0, 0.0, back));
        assert_eq!(ball.angular_velocity, Vector3::zeros());
        assert_eq!(impulse.on_b, Vector3::z() * (2.0 * (4.0 + back)));
        assert_eq!(wall, RigidBody::immovable(Point3::origin()));
    }
}

/// A wall that moves gives twice its speed.
#[test]
fn a_ball_on_a_bat() {
    let mut ball = RigidBody::particle(0.25, Point3::new(0.0, 0.0, 1.0)).unwrap();
    ball.velocity.z = -4.0;
    let mut bat = RigidBody::immovable(Point3::origin());
    bat.velocity.z = 3.0;
    collide(&mut bat, &mut ball, &Point3::origin(), &Vector3::z_axis(), &ELASTIC);
    assert_eq!(ball.velocity.z, 10.0);
}

/// Dropped without a turn on a floor that grips, a solid ball rolls on at 5/7 of its speed.
#[test]
fn a_ball_that_grips_rolls() {
    let (mass, radius) = (2.0, 0.5);
    let mut ball = RigidBody::new(
        mass,
        &Matrix3::from_diagonal_element(0.4 * mass * radius * radius),
        Point3::new(0.0, 0.0, radius),
    )
    .unwrap();
    ball.velocity = Vector3::new(7.0, 0.0, -1.0);
    let mut floor = RigidBody::immovable(Point3::origin());
    let material = Material { restitution: 0.0, friction: f64::INFINITY };
    let impulse = collide(&mut floor, &mut ball, &Point3::origin(), &Vector3::z_axis(), &material);
    assert_eq!(impulse.regime, Regime::Sticking);
    assert!((ball.velocity - Vector3::new(5.0, 0.0, 0.0)).norm() < 1e-14);
    assert!((ball.angular_velocity - Vector3::new(0.0, 10.0, 0.0)).norm() < 1e-13);
}

/// Where friction and the normal part are coupled, clamping them one by one would gain energy: this does not.
#[test]
fn a_tilted_rod_gains_no_energy() {
    for tilt in 1..90 {
        let angle = f64::from(tilt).to_radians();
        let end = Vector3::new(angle.cos(), 0.0, -angle.sin());
        let across = Matrix3::identity() - end * end.transpose() * 0.999;
        for friction in [0.1, 0.5, 1.0, 3.0, f64::INFINITY] {
            for sideways in [-5.0, -1.0, 0.0, 1.0, 5.0] {
                let mut rod = RigidBody::new(1.0, &(across / 3.0), Point3::origin()).unwrap();
                rod.velocity = Vector3::new(sideways, 0.3, -1.0);
                let before = rod.kinetic_energy();
                let mut floor = RigidBody::immovable(Point3::origin());
                let material = Material { restitution: 1.0, friction };
                collide(&mut floor, &mut rod, &Point3::from(end), &Vector3::z_axis(), &material);
                assert!(rod.kinetic_energy() <= before * (1.0 + 1e-13));
            }
        }
    }
}

#[test]
fn odd_bodies_are_refused() {
    for mass in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(RigidBody::particle(mass, Point3::origin()), Err(RigidBodyError::Mass { .. })));
    }
    let diagonal = |x, y, z| Matrix3::from_diagonal(&Vector3::new(x, y, z));
    let mut lopsided = Matrix3::identity();
    lopsided[(0, 1)] = 0.5;
    for inertia in [diagonal(1.0, 1.0, 0.0), diagonal(1.0, -1.0, 1.0), diagonal(f64::NAN, 1.0, 1.0), lopsided] {
        assert_eq!(RigidBody::new(1.0, &inertia, Point3::origin()), Err(RigidBodyError::Inertia));
    }
    // Odd velocities and points give odd numbers, but nothing else.
    let [mut a, mut b] = particles([1.0, 1.0], [f64::NAN, 0.0]);
    let impulse = collide(&mut a, &mut b, &Point3::origin(), &Vector3::x_axis(), &ELASTIC);
    assert_eq!(impulse.regime, Regime::Parting);
}

#[test]
fn what_has_no_finite_inverse_is_refused() {
    for tiny in [1e-310, f64::from_bits(1)] {
        let refused = RigidBodyError::Mass { mass: tiny };
        assert_eq!(RigidBody::particle(tiny, Point3::origin()), Err(refused));
        assert_eq!(RigidBody::new(tiny, &Matrix3::identity(), Point3::origin()), Err(refused));
        assert_eq!(planar::RigidBody::particle(tiny, Point2::origin()), Err(refused));
        assert_eq!(planar::RigidBody::new(tiny, 1.0, Point2::origin()), Err(refused));
        assert_eq!(planar::RigidBody::new(1.0, tiny, Point2::origin()), Err(RigidBodyError::Inertia));
        assert!(RigidBody::new(1.0, &(Matrix3::identity() * tiny), Point3::origin()).is_err());
    }
    let least = f64::MIN_POSITIVE;
    assert_eq!(velocities([least, least], [3.0, -2.0], &ELASTIC), [-2.0, 3.0]);
    assert!(planar::RigidBody::new(least, least, Point2::origin()).is_ok());
}

#[test]
fn coefficients_of_no_number_count_as_zero() {
    let with = |material: Material| {
        let [mut a, mut b] = particles([1.0, 3.0], [4.0, 0.0]);
        a.velocity.y = 1.0;
        let impulse = collide(&mut a, &mut b, &Point3::new(0.5, 0.0, 0.0), &Vector3::x_axis(), &material);
        (a, b, impulse)
    };
    let rough = Material { restitution: 0.0, friction: 0.5 };
    assert_eq!(with(Material { restitution: f64::NAN, ..rough }), with(rough));
    assert_eq!(with(Material { friction: f64::NAN, ..ELASTIC }), with(ELASTIC));
}
