//! rapier3d fed with bvtree's contacts: balls roll in a bowl that rapier3d knows as a box only.
//!
//! The bowl is a fixed cuboid to rapier3d, around all of it, so that the pair is found; a hook puts in the contacts
//! that bvtree finds with the true mesh. Beside it the same balls on rapier3d's own triangle mesh.
//!
//! `cargo run --release --bin feed`

use std::ops::ControlFlow;

use bvtree::probe::CapsuleContact;
use bvtree::shape::{Capsule, Sphere};
use bvtree::{BuildOptions, BvTree, Mesh, Probe};
use nalgebra::Point3;
use rapier3d::prelude::*;

const RADIUS: f32 = 0.25;
const CELLS: u32 = 60;

/// A bowl with a rim, 8 wide, as a height field.
fn bowl() -> Result<Mesh, bvtree::mesh::MeshError> {
    let at = |i: u32| 8.0 * (i as f32 / CELLS as f32 - 0.5);
    let corner = |i: u32| {
        let (x, y) = (at(i % (CELLS + 1)), at(i / (CELLS + 1)));
        Point3::new(x, y, 0.12 * (x * x + y * y))
    };
    let row = CELLS + 1;
    let squares = (0..CELLS).flat_map(|j| (0..CELLS).map(move |i| j * row + i));
    let triangles = squares.flat_map(|a| [[a, a + 1, a + row + 1], [a, a + row + 1, a + row]]).collect();
    Mesh::from_arrays((0..row * row).map(corner).collect(), triangles)
}

/// Replaces the contacts of a ball and the bowl's box.
struct Feed<'a> {
    tree: &'a BvTree,
}

impl PhysicsHooks for Feed<'_> {
    fn modify_solver_contacts(&self, context: &mut ContactModificationContext) {
        let (first, second) = (&context.colliders[context.collider1], &context.colliders[context.collider2]);
        let ball_is_second = first.shape().as_cuboid().is_some();
        // Two balls are rapier3d's business.
        if !ball_is_second && second.shape().as_cuboid().is_none() {
            return;
        }
        let ball = if ball_is_second { second } else { first };
        let place = ball.translation();
        let Some(manifold) = context.rigid_mut() else { return };
        let Some(template) = manifold.solver_contacts.first().copied() else { return };
        manifold.solver_contacts.clear();
        let center = Point3::new(place.x, place.y, place.z).cast::<f64>();
        let sphere = Capsule::from(Sphere { center, radius: f64::from(RADIUS) });
        let mut nearest: Option<CapsuleContact> = None;
        // Probes are cheap; one that is kept in a lock would not need to allocate.
        Probe::new().for_each_capsule_contact(self.tree, &sphere, 0.02, |contact| {
            if nearest.is_none_or(|nearest| contact.distance < nearest.distance) {
                nearest = Some(contact);
            }
            ControlFlow::Continue(())
        });
        let Some(contact) = nearest else { return };
        let vector = |v: nalgebra::Vector3<f64>| Vector::new(v.x as f32, v.y as f32, v.z as f32);
        let (normal, point) = (vector(contact.normal), vector(contact.point.coords));
        let on_ball = place - normal * RADIUS;
        let mut fed = template;
        (fed.anchor1, fed.anchor2) = if ball_is_second { (point, on_ball) } else { (on_ball, point) };
        fed.dist = contact.distance as f32;
        // The manifold's normal is from the first to the second.
        *manifold.normal = if ball_is_second { normal } else { -normal };
        manifold.solver_contacts.push(fed);
    }
}

/// Where the balls are after some seconds.
fn run(ground: ColliderBuilder, hooks: &dyn PhysicsHooks) -> Vec<Vector> {
    let (mut bodies, mut colliders) = (RigidBodySet::new(), ColliderSet::new());
    colliders.insert(ground.friction(0.3));
    let mut balls = Vec::new();
    for i in 0..6 {
        let place = Vector::new(i as f32 - 2.5, 0.4 * i as f32 - 1.0, 2.5);
        let ball = bodies.insert(RigidBodyBuilder::dynamic().translation(place).can_sleep(false));
        let shape = ColliderBuilder::ball(RADIUS).friction(0.3).active_hooks(ActiveHooks::MODIFY_SOLVER_CONTACTS);
        colliders.insert_with_parent(shape, ball, &mut bodies);
        balls.push(ball);
    }
    let (mut pipeline, mut islands) = (PhysicsPipeline::new(), IslandManager::new());
    let (mut broad_phase, mut narrow_phase) = (BroadPhaseBvh::new(), NarrowPhase::new());
    let (mut joints, mut multibodies) = (ImpulseJointSet::new(), MultibodyJointSet::new());
    let (mut soft, mut ccd) = (SoftBodySet::new(), CCDSolver::new());
    for _ in 0..600 {
        pipeline.step(
            Vector::new(0.0, 0.0, -9.81),
            &IntegrationParameters::default(),
            &mut islands,
            &mut broad_phase,
            &mut narrow_phase,
            &mut bodies,
            &mut colliders,
            &mut joints,
            &mut multibodies,
            &mut soft,
            &mut ccd,
            hooks,
            &(),
        );
    }
    balls.into_iter().map(|ball| bodies[ball].translation()).collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mesh = bowl()?;
    let tree = BvTree::build(&mesh, &BuildOptions::default())?;
    // As high as the balls ever are, so that they are always in it.
    let cuboid = ColliderBuilder::cuboid(6.0, 6.0, 3.0).translation(Vector::new(0.0, 0.0, 2.0));
    let fed = run(cuboid, &Feed { tree: &tree });
    let vertices = mesh.vertices().iter().map(|v| Vector::new(v.x, v.y, v.z)).collect();
    let own = run(ColliderBuilder::trimesh(vertices, mesh.triangles().to_vec())?, &());
    println!("{:>32} {:>32}", "fed by bvtree", "rapier3d's own");
    let mut probe = Probe::new();
    for (fed, own) in fed.iter().zip(&own) {
        println!(
            "{:>32} {:>32}",
            format!("{:.3} {:.3} {:.3}", fed.x, fed.y, fed.z),
            format!("{:.3} {:.3} {:.3}", own.x, own.y, own.z)
        );
        let center = Point3::new(fed.x, fed.y, fed.z).cast::<f64>();
        let gap = probe.closest_point(&tree, &center).map_or(0.0, |closest| closest.distance) - f64::from(RADIUS);
        if gap < -0.02 {
            return Err(format!("a ball is {} deep in the bowl", -gap).into());
        }
    }
    Ok(())
}
