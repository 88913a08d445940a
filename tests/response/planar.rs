//! Random pairs of bodies in the plane, and the plane as a part of space.

use bvtree::response::planar::{self, RigidBody};
use bvtree::response::{self, Material, Regime};
use bvtree::shape2::ConvexPolygon;
use nalgebra::{Matrix3, Point2, Point3, UnitVector2, UnitVector3, Vector2, Vector3};

use super::{PAIRS, Random};

#[test]
fn the_plane_is_a_part_of_space() {
    let random = &mut Random(3);
    for _ in 0..PAIRS {
        let mut flat = Vec::new();
        let mut full = Vec::new();
        for _ in 0..2 {
            let (mass, inertia) = (random.magnitude(-2.0, 2.0), random.magnitude(-3.0, 2.0));
            let center = random.vector().xy() * 2.0;
            let (velocity, turning) = (random.vector().xy() * 4.0, random.within(-4.0, 4.0));
            let mut body = RigidBody::new(mass, inertia, Point2::from(center)).unwrap();
            (body.velocity, body.angular_velocity) = (velocity, turning);
            flat.push(body);
            let moments = Matrix3::from_diagonal(&Vector3::new(inertia, 2.0 * inertia, inertia));
            let mut body = response::RigidBody::new(mass, &moments, Point3::from(center.push(0.0))).unwrap();
            (body.velocity, body.angular_velocity) = (velocity.push(0.0), Vector3::z() * turning);
            full.push(body);
        }
        let point = random.vector().xy() * 2.0;
        let normal = UnitVector2::new_normalize(random.vector().xy());
        let material = random.material();
        let (mut a, mut b) = (flat[0], flat[1]);
        let impulse = planar::collide(&mut a, &mut b, &Point2::from(point), &normal, &material);
        let (mut c, mut d) = (full[0], full[1]);
        let normal3 = UnitVector3::new_unchecked(normal.push(0.0));
        let impulse3 = response::collide(&mut c, &mut d, &Point3::from(point.push(0.0)), &normal3, &material);
        let size = impulse.on_b.norm();
        assert!((impulse.on_b.push(0.0) - impulse3.on_b).norm() <= 1e-10 * size);

        let momentum = |a: &RigidBody, b: &RigidBody| a.momentum() + b.momentum();
        let scale = flat[0].momentum().norm() + flat[1].momentum().norm() + size;
        assert!((momentum(&flat[0], &flat[1]) - momentum(&a, &b)).norm() <= 1e-12 * scale);
        let about = Point2::origin();
        let angular = |a: &RigidBody, b: &RigidBody| a.angular_momentum(&about) + b.angular_momentum(&about);
        let turning = |body: &RigidBody| 3.0 * body.momentum().norm() + body.angular_momentum(&body.center).abs();
        let scale = turning(&flat[0]) + turning(&flat[1]) + 3.0 * size;
        assert!((angular(&flat[0], &flat[1]) - angular(&a, &b)).abs() <= 1e-12 * scale);
        let energy = |a: &RigidBody, b: &RigidBody| a.kinetic_energy() + b.kinetic_energy();
        let before = energy(&flat[0], &flat[1]);
        assert!(energy(&a, &b) <= before * (1.0 + 1e-12));
        if impulse.regime != Regime::Parting {
            let along = impulse.on_b.dot(&normal);
            let across = (impulse.on_b - normal.into_inner() * along).norm();
            assert!(across <= material.friction * along + 1e-13 * (1.0 + material.friction) * size);
            let part = |a: &RigidBody, b: &RigidBody| {
                (b.velocity_at(&point.into()) - a.velocity_at(&point.into())).dot(&normal)
            };
            let speed = 10.0 + (a.velocity_at(&point.into()) - b.velocity_at(&point.into())).norm();
            let error = part(&a, &b) + material.restitution * part(&flat[0], &flat[1]);
            assert!(error.abs() <= 1e-11 * speed);
        }
    }
}

/// At rest at (0, 0) and hit at the end by a particle: the textbook's rod, m l^2 / 12.
#[test]
fn a_rod_struck_at_its_end() {
    let (mass, length) = (3.0, 2.0);
    let mut rod = RigidBody::new(mass, mass * length * length / 12.0, Point2::origin()).unwrap();
    let end = Point2::new(1.0, 0.0);
    // Struck by an impulse J, its centre moves on at J / m, and it turns by 6 J / m l.
    rod.apply_impulse(&Vector2::new(0.0, 6.0), &end);
    assert_eq!((rod.velocity, rod.angular_velocity), (Vector2::new(0.0, 2.0), 6.0));
    // A third of the length from the other end nothing moves: the centre of percussion.
    assert!(rod.velocity_at(&Point2::new(-1.0 / 3.0, 0.0)).norm() < 1e-15);

    // Elastically by a particle whose mass is a quarter of the rod's, the effective mass of its end: it stops there.
    let mut rod = RigidBody::new(mass, mass * length * length / 12.0, Point2::origin()).unwrap();
    let mut particle = RigidBody::particle(mass / 4.0, end).unwrap();
    particle.velocity = Vector2::new(0.0, 8.0);
    let elastic = Material { restitution: 1.0, friction: 0.0 };
    planar::collide(&mut particle, &mut rod, &end, &Vector2::y_axis(), &elastic);
    assert!(particle.velocity.norm() < 1e-15);
    assert!((rod.velocity.y - 2.0).abs() < 1e-15 && (rod.angular_velocity - 6.0).abs() < 1e-15);
}

#[test]
fn shapes_have_the_inertia_of_the_books() {
    let square = [[1.0, 1.0], [3.0, 1.0], [3.0, 2.0], [1.0, 2.0]].map(Point2::from);
    let polygon = RigidBody::polygon(6.0, &ConvexPolygon::new(&square).unwrap()).unwrap();
    let rectangle = RigidBody::rectangle(6.0, &Vector2::new(1.0, 0.5), Point2::new(2.0, 1.5)).unwrap();
    assert!((polygon.inertia() - rectangle.inertia()).abs() < 1e-14 && polygon.center == rectangle.center);
    assert_eq!(rectangle.inertia(), 6.0 * (4.0 + 1.0) / 12.0);
    // Clockwise, and far away.
    let far = square.map(|p| p + Vector2::new(1e6, -1e6));
    let backward = [far[3], far[2], far[1], far[0]];
    let polygon = RigidBody::polygon(6.0, &ConvexPolygon::new(&backward).unwrap()).unwrap();
    assert!((polygon.inertia() - rectangle.inertia()).abs() < 1e-9);
    // A right triangle of legs 1 about its middle: m / 9.
    let triangle = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]].map(Point2::from);
    let triangle = RigidBody::polygon(9.0, &ConvexPolygon::new(&triangle).unwrap()).unwrap();
    assert!((triangle.inertia() - 1.0).abs() < 1e-15 && (triangle.center.x - 1.0 / 3.0).abs() < 1e-15);
    assert_eq!(RigidBody::disc(3.0, 2.0, Point2::origin()).unwrap().inertia(), 6.0);
    for odd in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(RigidBody::new(odd, 1.0, Point2::origin()).is_err());
        assert!(RigidBody::new(1.0, odd, Point2::origin()).is_err());
    }
}
