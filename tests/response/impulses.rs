//! Random pairs of bodies in space.

use bvtree::response::{Impulse, Material, Regime, RigidBody, collide};
use nalgebra::{Matrix3, Point3, Rotation3, UnitVector3, Vector3};

use super::{PAIRS, Random};

/// A body with any principal moments that a solid may have, turned anyhow.
fn body(random: &mut Random) -> RigidBody {
    let center = Point3::from(random.vector() * 2.0);
    let mass = random.magnitude(-2.0, 2.0);
    let kind = random.within(0.0, 10.0) as u32;
    let mut body = match kind {
        0 => RigidBody::immovable(center),
        1 => RigidBody::particle(mass, center).unwrap(),
        _ => {
            let size = random.magnitude(-1.0, 0.5);
            let [x, y, z] = [0; 3].map(|_| (size * random.within(0.1, 1.0)).powi(2));
            let moments = Vector3::new(y + z, z + x, x + y) * (mass / 3.0);
            let turn = Rotation3::new(random.vector() * 3.0).into_inner();
            RigidBody::new(mass, &(turn * Matrix3::from_diagonal(&moments) * turn.transpose()), center).unwrap()
        }
    };
    body.velocity = random.vector() * 5.0;
    if kind != 1 {
        body.angular_velocity = random.vector() * 5.0;
    }
    body
}

/// What the impulse does to the point of contact, by pushing along the axes: independent of how the library does it.
fn mobility(bodies: &[RigidBody; 2], point: &Point3<f64>) -> Matrix3<f64> {
    let columns = [Vector3::x(), Vector3::y(), Vector3::z()].map(|axis| {
        let change = |body: &RigidBody, sign: f64| {
            let mut pushed = *body;
            (pushed.velocity, pushed.angular_velocity) = (Vector3::zeros(), Vector3::zeros());
            pushed.apply_impulse(&(axis * sign), point);
            pushed.velocity_at(point)
        };
        change(&bodies[1], 1.0) - change(&bodies[0], -1.0)
    });
    Matrix3::from_columns(&columns)
}

#[test]
fn random_pairs_keep_the_law() {
    let random = &mut Random(1);
    let mut regimes = [0; 3];
    for pair in 0..PAIRS {
        let before = [body(random), body(random)];
        let point = Point3::from(random.vector() * 2.0);
        let normal = UnitVector3::new_normalize(random.vector());
        let material = random.material();
        let [mut a, mut b] = before;
        let impulse = collide(&mut a, &mut b, &point, &normal, &material);
        regimes[impulse.regime as usize] += 1;
        let collision = Collision { pair, before, after: [a, b], point, normal, material, impulse };
        collision.keeps_momentum();
        if collision.impulse.regime == Regime::Parting {
            let immovable = before.iter().all(|body| !is_free(body));
            assert!((collision.approach() >= 0.0 || immovable) && collision.impulse.on_b == Vector3::zeros());
        } else {
            collision.bounces_and_rubs();
            collision.loses_energy();
        }
    }
    assert!(regimes.iter().all(|&count| count > PAIRS / 20), "{regimes:?}");
}

struct Collision {
    pair: usize,
    before: [RigidBody; 2],
    after: [RigidBody; 2],
    point: Point3<f64>,
    normal: UnitVector3<f64>,
    material: Material,
    impulse: Impulse,
}

fn is_free(body: &RigidBody) -> bool {
    body.momentum() != Vector3::zeros()
}

impl Collision {
    /// Momentum and angular momentum, where both bodies have one; about the point of contact for either else.
    fn keeps_momentum(&self) {
        let Self { pair, before: bodies, after: [a, b], point, impulse, .. } = self;
        let relative = |before: Vector3<f64>, after: Vector3<f64>, size: f64| (after - before).norm() / size;
        if bodies.iter().all(is_free) {
            let size = bodies.iter().map(|body| body.momentum().norm()).sum::<f64>() + impulse.on_b.norm();
            let before = bodies[0].momentum() + bodies[1].momentum();
            assert!(relative(before, a.momentum() + b.momentum(), size) < 1e-12, "pair {pair}");
        }
        // A particle does not turn, whatever the arm of the impulse.
        let turns = |body: &RigidBody| body.angular_momentum(&body.center) != Vector3::zeros();
        if bodies.iter().all(turns) {
            let about = Point3::new(0.3, -0.2, 0.1);
            let angular = |a: &RigidBody, b: &RigidBody| a.angular_momentum(&about) + b.angular_momentum(&about);
            let of_one = |body: &RigidBody| {
                (body.center - about).norm() * body.momentum().norm() + body.angular_momentum(&body.center).norm()
            };
            let size = bodies.iter().map(of_one).sum::<f64>() + impulse.on_b.norm() * (point - about).norm();
            assert!(relative(angular(&bodies[0], &bodies[1]), angular(a, b), size) < 1e-12, "pair {pair}");
        }
        for (before, after) in bodies.iter().zip([a, b]) {
            let size = before.angular_momentum(point).norm() + before.momentum().norm() + impulse.on_b.norm();
            if turns(before) {
                let turned = relative(before.angular_momentum(point), after.angular_momentum(point), size);
                assert!(turned < 1e-11, "pair {pair}: {turned:e}");
            } else if !is_free(before) {
                assert_eq!(before, after);
            }
        }
    }

    /// How fast the point of contact moves, as B's relative to A's.
    fn relative_velocity(&self, [a, b]: &[RigidBody; 2]) -> Vector3<f64> {
        b.velocity_at(&self.point) - a.velocity_at(&self.point)
    }

    fn approach(&self) -> f64 {
        self.relative_velocity(&self.before).dot(&self.normal)
    }

    /// A speed that errors are measured by.
    fn speed(&self) -> f64 {
        let change = mobility(&self.before, &self.point) * self.impulse.on_b;
        self.relative_velocity(&self.before).norm() + change.norm()
    }

    /// The normal part is Newton's restitution, whatever the friction; the other part is in the cone of friction.
    fn bounces_and_rubs(&self) {
        let Self { pair, before, after, point, normal, material, impulse } = self;
        let (normal_impulse, on_b) = (impulse.on_b.dot(normal), impulse.on_b);
        let (after, approach, speed) = (self.relative_velocity(after), self.approach(), self.speed());
        assert!((after.dot(normal) + material.restitution * approach).abs() <= 1e-11 * speed, "pair {pair}");
        let sideways = (on_b - normal.into_inner() * normal_impulse).norm();
        assert!(normal_impulse >= 0.0);
        let rounding = 1e-13 * (1.0 + material.friction.min(1e6)) * on_b.norm();
        assert!(sideways <= material.friction * normal_impulse + rounding, "pair {pair}");
        if impulse.regime == Regime::Sticking {
            // What the bounce alone leaves.
            let push = mobility(before, point) * normal.into_inner();
            let left = push * (material.restitution * -approach / normal.dot(&push));
            assert!((after - left).norm() <= 1e-9 * speed, "pair {pair}: {after} for {left}");
        } else {
            assert!(sideways >= material.friction * normal_impulse * (1.0 - 1e-9) - 1e-12 * on_b.norm());
        }
    }

    /// What theory says is lost in the normal part, and never more than there was.
    fn loses_energy(&self) {
        let Self { pair, before: bodies, after, point, normal, material, impulse } = self;
        let energy = |[a, b]: &[RigidBody; 2]| a.kinetic_energy() + b.kinetic_energy();
        let (before, later) = (energy(bodies), energy(after));
        // The work of the impulse, which counts immovable bodies that move as well.
        let work = impulse.on_b.dot(&(self.relative_velocity(bodies) + self.relative_velocity(after))) * 0.5;
        let size = before + impulse.on_b.norm() * self.speed();
        assert!(work <= 1e-12 * size, "pair {pair} gains {work:e} of {size:e}");
        let along_normal = normal.dot(&(mobility(bodies, point) * normal.into_inner()));
        let normal_loss = 0.5 * (1.0 - material.restitution.powi(2)) * self.approach().powi(2) / along_normal;
        assert!(-work >= normal_loss - 1e-11 * size, "pair {pair}");
        if material.friction == 0.0 {
            assert!((-work - normal_loss).abs() <= 1e-11 * size, "pair {pair}: {work:e} and {normal_loss:e}");
        }
        let at_rest = |body: &RigidBody| body.velocity == Vector3::zeros() && body.angular_velocity == Vector3::zeros();
        if bodies.iter().all(|body| is_free(body) || at_rest(body)) {
            assert!((later - before - work).abs() <= 1e-11 * size, "pair {pair}");
        }
    }
}

/// A sphere on a floor: the textbook's sliding friction, against the slip and as much as the cone allows.
#[test]
fn a_sliding_ball_is_rubbed_against_its_slip() {
    let random = &mut Random(2);
    for _ in 0..PAIRS / 10 {
        let (mass, radius) = (random.magnitude(-1.0, 1.0), random.magnitude(-1.0, 1.0));
        let inertia = 0.4 * mass * radius * radius;
        let center = Point3::from(random.vector());
        let mut ball = RigidBody::new(mass, &Matrix3::from_diagonal_element(inertia), center).unwrap();
        ball.velocity = random.vector() * 3.0 - Vector3::z() * 4.0;
        ball.angular_velocity = random.vector() * 3.0;
        let mut floor = RigidBody::immovable(Point3::origin());
        let point = center - Vector3::z() * radius;
        let material = random.material();
        let mut slip = ball.velocity_at(&point);
        slip.z = 0.0;
        let before = ball;
        let impulse = collide(&mut floor, &mut ball, &point, &Vector3::z_axis(), &material);
        let normal = (1.0 + material.restitution) * -before.velocity.z * mass;
        // Stopping the slip takes 2/7 of m slip.
        let stop = 2.0 / 7.0 * mass * slip.norm();
        let sideways = stop.min(material.friction * normal);
        let expected = Vector3::z() * normal - slip.normalize() * sideways;
        assert!((impulse.on_b - expected).norm() <= 1e-12 * (normal + sideways + stop));
    }
}
