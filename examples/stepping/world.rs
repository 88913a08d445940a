//! Bodies, and a time step for all of them by times of impact and impulses.

use std::error::Error;

use bvtree::query::{MotionContact, TimeOfImpact};
use bvtree::response::{MassProperties, Material, RigidBody, collide};
use bvtree::{BuildOptions, BvTree, Mesh, Motion, Pose, Query};
use nalgebra::{Isometry3, Matrix3, Point3, Translation3, UnitQuaternion, UnitVector3, Vector3};

pub const GRAVITY: f64 = 9.81;
const MATERIAL: Material = Material { restitution: 0.4, friction: 0.5 };
/// The speed below which impacts do not bounce, in m/s.
const SLOW: f64 = 0.3;
/// The distance at which surfaces count as touching, in metres.
const TOLERANCE: f64 = 1e-3;
/// The largest rotation in a substep, in radians.
const MAX_TURN: f64 = 0.05;
/// The gap that bodies keep before contact, in metres.
const MARGIN: f64 = 2e-3;
/// The impacts of a body in a step after which it rests until the next step.
const MAX_IMPACTS: usize = 24;

/// A moving body, whose mesh has its centre of mass at the origin.
pub struct Body {
    pub mesh: Mesh,
    pub state: RigidBody,
    pub rotation: UnitQuaternion<f64>,
    tree: BvTree,
    /// The inertia tensor along the mesh's axes.
    inertia: Matrix3<f64>,
    mass: f64,
    radius: f64,
    impacts: usize,
}

impl Body {
    pub fn new(mesh: &Mesh, density: f64, place: Isometry3<f64>) -> Result<Self, Box<dyn Error>> {
        let MassProperties { volume, center, inertia } = MassProperties::of(mesh)?;
        let about_center = mesh.vertices().iter().map(|v| (v.cast::<f64>() - center.coords).cast()).collect();
        let mesh = Mesh::from_arrays(about_center, mesh.triangles().to_vec())?;
        let (mass, inertia) = (density * volume, inertia * density);
        let radius = mesh.vertices().iter().map(|v| v.cast::<f64>().coords.norm()).fold(0.0, f64::max);
        let tree = BvTree::build(&mesh, &BuildOptions::default())?;
        let state = RigidBody::new(mass, &inertia, Point3::from(place.translation.vector))?;
        let mut body = Self { mesh, state, rotation: place.rotation, tree, inertia, mass, radius, impacts: 0 };
        body.turn(Vector3::zeros())?;
        Ok(body)
    }

    pub fn pose(&self) -> Pose {
        Pose::from(Isometry3::from_parts(Translation3::from(self.state.center), self.rotation))
    }

    /// Rotates the body and its inertia; the angular momentum is preserved.
    fn turn(&mut self, by: Vector3<f64>) -> Result<(), Box<dyn Error>> {
        let momentum = self.state.angular_momentum(&self.state.center.clone());
        self.rotation = UnitQuaternion::from_scaled_axis(by) * self.rotation;
        let turn = self.rotation.to_rotation_matrix().into_inner();
        self.state.set_inertia(&(turn * self.inertia * turn.transpose()))?;
        let inverse = (turn * self.inertia * turn.transpose()).try_inverse().ok_or("no inertia")?;
        self.state.angular_velocity = inverse * momentum;
        Ok(())
    }

    /// The pose after a time if the body meets nothing.
    fn after(&self, time: f64) -> Pose {
        let fall = Vector3::z() * (-0.5 * GRAVITY * time * time);
        let rotation = UnitQuaternion::from_scaled_axis(self.state.angular_velocity * time) * self.rotation;
        Pose::from(Isometry3::from_parts(
            Translation3::from(self.state.center + self.state.velocity * time + fall),
            rotation,
        ))
    }

    fn is_resting(&self) -> bool {
        self.impacts >= MAX_IMPACTS
    }

    pub fn energy(&self) -> f64 {
        self.state.kinetic_energy() + self.mass * GRAVITY * self.state.center.z
    }
}

pub struct World {
    pub terrain: Mesh,
    pub bodies: Vec<Body>,
    tree: BvTree,
    query: Query,
    /// The numbers of impacts and of overlaps so far; overlaps should stay 0.
    pub impacts: usize,
    pub overlaps: usize,
}

/// The first impact of a step: its time and its bodies, where `None` is the terrain.
struct First {
    time: f64,
    bodies: (Option<usize>, usize),
    contact: MotionContact,
}

impl World {
    pub fn new(terrain: Mesh, bodies: Vec<Body>) -> Result<Self, Box<dyn Error>> {
        let tree = BvTree::build(&terrain, &BuildOptions::default())?;
        Ok(Self { terrain, bodies, tree, query: Query::new(), impacts: 0, overlaps: 0 })
    }

    pub fn energy(&self) -> f64 {
        self.bodies.iter().map(Body::energy).sum()
    }

    pub fn momentum(&self) -> Vector3<f64> {
        self.bodies.iter().map(|body| body.state.momentum()).sum()
    }

    /// Moves all bodies to the first impact, resolves it, and repeats until the time is used up.
    pub fn step(&mut self, time: f64) -> Result<(), Box<dyn Error>> {
        for body in &mut self.bodies {
            // A body that still rattled is jammed and loses half of its speed to friction.
            if body.is_resting() {
                body.state.velocity *= 0.5;
                body.state.angular_velocity *= 0.5;
            }
            body.impacts = 0;
        }
        let mut remaining = time;
        while remaining > 0.0 {
            // Fast rotations take shorter substeps.
            let spins = self.bodies.iter().map(|body| body.state.angular_velocity.norm());
            let substep = remaining.min(MAX_TURN / spins.fold(1e-9, f64::max));
            let Some(First { time, bodies: (a, b), contact }) = self.first_impact(substep)? else {
                self.advance(substep)?;
                remaining -= substep;
                continue;
            };
            // Stop slightly earlier: rotating bodies deviate from the straight paths of the query.
            let moved = (time * substep - MARGIN / self.speed(a, b)).max(0.0);
            self.advance(moved)?;
            remaining -= moved;
            self.respond(a, b, &contact)?;
        }
        Ok(())
    }

    fn respond(&mut self, a: Option<usize>, b: usize, contact: &MotionContact) -> Result<(), Box<dyn Error>> {
        self.impacts += 1;
        let ground = RigidBody::immovable(Point3::origin());
        let (mut of_a, mut of_b) = (a.map_or(ground, |a| self.bodies[a].state), self.bodies[b].state);
        let point = nalgebra::center(&contact.on_a, &contact.on_b);
        let normal = UnitVector3::try_new(contact.normal, 0.5).ok_or("a contact without a normal")?;
        let approach = (of_a.velocity_at(&point) - of_b.velocity_at(&point)).dot(&normal);
        let restitution = if approach < SLOW { 0.0 } else { MATERIAL.restitution };
        collide(&mut of_a, &mut of_b, &point, &normal, &Material { restitution, ..MATERIAL });
        for (body, state) in a.map(|a| (a, of_a)).into_iter().chain([(b, of_b)]) {
            self.bodies[body].state = state;
            self.bodies[body].impacts += 1;
        }
        Ok(())
    }

    fn advance(&mut self, time: f64) -> Result<(), Box<dyn Error>> {
        for body in self.bodies.iter_mut().filter(|body| !body.is_resting()) {
            body.state.center += body.state.velocity * time - Vector3::z() * (0.5 * GRAVITY * time * time);
            body.state.velocity.z -= GRAVITY * time;
            body.turn(body.state.angular_velocity * time)?;
        }
        Ok(())
    }

    /// The first impact within a time, if any. Paths are straight between the current poses and those at the end, and
    /// are proven free of contact before the returned time.
    fn first_impact(&mut self, time: f64) -> Result<Option<First>, Box<dyn Error>> {
        let mut first: Option<First> = None;
        for b in 0..self.bodies.len() {
            for a in std::iter::once(None).chain((0..b).map(Some)) {
                let (start, end) = (self.relative(a, b, 0.0), self.relative(a, b, time));
                let is_resting = |body: Option<usize>| body.is_none_or(|body| self.bodies[body].is_resting());
                if (is_resting(a) && is_resting(Some(b))) || !self.may_meet(a, b, time) {
                    continue;
                }
                let tree = a.map_or(&self.tree, |a| &self.bodies[a].tree);
                let impact =
                    self.query.time_of_impact(tree, &self.bodies[b].tree, &Motion::new(start, end), TOLERANCE)?;
                let contact = match impact {
                    TimeOfImpact::NoImpact => continue,
                    TimeOfImpact::Touching(contact) => {
                        self.overlaps += 1;
                        contact
                    }
                    TimeOfImpact::Impact(contact) => contact,
                };
                if first.as_ref().is_none_or(|first| contact.time < first.time) {
                    let contact = self.in_space(a, &contact, contact.time * time);
                    first = Some(First { time: contact.time, bodies: (a, b), contact });
                }
            }
        }
        Ok(first)
    }

    fn pose(&self, body: Option<usize>, time: f64) -> Pose {
        let Some(body) = body.map(|body| &self.bodies[body]) else { return Pose::identity() };
        if body.is_resting() { body.pose() } else { body.after(time) }
    }

    /// The pose of B in A's frame.
    fn relative(&self, a: Option<usize>, b: usize, time: f64) -> Pose {
        let (a, b) = (self.pose(a, time).inverse(), self.pose(Some(b), time));
        Pose::new(a.rotation() * b.rotation(), a.rotation() * b.translation() + a.translation()).unwrap_or(b)
    }

    fn in_space(&self, a: Option<usize>, contact: &MotionContact, time: f64) -> MotionContact {
        let pose = self.pose(a, time);
        let place = |point: Point3<f64>| Point3::from(pose.rotation() * point.coords + pose.translation());
        MotionContact {
            on_a: place(contact.on_a),
            on_b: place(contact.on_b),
            normal: pose.rotation() * contact.normal,
            ..*contact
        }
    }

    /// An upper bound of the speed at which two bodies approach each other.
    fn speed(&self, a: Option<usize>, b: usize) -> f64 {
        let of = |body: &Body| body.state.velocity.norm() + body.state.angular_velocity.norm() * body.radius;
        a.map_or(0.0, |a| of(&self.bodies[a])) + of(&self.bodies[b]) + 1e-6
    }

    /// Whether the bounding spheres of two bodies may come near each other in the time.
    fn may_meet(&self, a: Option<usize>, b: usize, time: f64) -> bool {
        let Some(a) = a.map(|a| &self.bodies[a]) else { return true };
        let b = &self.bodies[b];
        let travel = (a.state.velocity.norm() + b.state.velocity.norm() + GRAVITY * time) * time;
        (a.state.center - b.state.center).norm() <= a.radius + b.radius + travel + TOLERANCE
    }
}
