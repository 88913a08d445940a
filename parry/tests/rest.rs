//! Bodies of rapier3d that fall on trees, compared with the same bodies on parry3d's `TriMesh`.

use bvtree::Mesh;
use bvtree_parry::{InternalEdges, TreeDispatcher};
use parry3d::shape::SharedShape;
use rapier3d::prelude::*;

use crate::support::{Level, bumpy, flat, shapes};

const STEPS: usize = 600;

/// The position and speed of each shape after ten seconds; each starts above the lowest point of a bowl of its own.
fn rest(level: SharedShape, edit: impl Fn(RigidBodyBuilder) -> RigidBodyBuilder) -> Vec<(&'static str, Pose, f32)> {
    let mut world = PhysicsWorld::new();
    world.narrow_phase = NarrowPhase::with_query_dispatcher(TreeDispatcher);
    world.insert_collider(ColliderBuilder::new(level).density(0.0).friction(1.0), None);
    let mut bodies = Vec::new();
    for (index, (name, shape)) in (0..).zip(shapes()) {
        let (row, column) = (index / 4, index % 4);
        let start = Vector::new(4.0 * column as f32 - 8.0, 1.0, 4.0 * row as f32 - 4.0);
        let body = RigidBodyBuilder::dynamic().translation(start).angular_damping(2.0);
        let collider = ColliderBuilder::new(shape).friction(1.0);
        bodies.push((name, world.insert(edit(body), collider).0));
    }
    for step in 0..STEPS {
        world.step();
        for (name, body) in &bodies {
            let at = world.bodies[*body].translation();
            let is_above_ground = at.x.abs() < 12.0 && at.z.abs() < 12.0;
            assert!(at.y > 0.05 || !is_above_ground, "the {name} falls through: it is at {at} after {step} steps");
        }
    }
    let end = |(name, body)| {
        let body: &RigidBody = &world.bodies[body];
        (name, *body.position(), body.linvel().length())
    };
    bodies.into_iter().map(end).collect()
}

fn all_rest_where_they_do_on_trimesh(mesh: &Mesh, tolerance: f32) {
    let level = Level::new(mesh, InternalEdges::default());
    let ours = rest(SharedShape::new(level.tree), |body| body);
    let theirs = rest(SharedShape::new(level.trimesh), |body| body);
    for ((name, ours, speed), (_, theirs, _)) in ours.iter().zip(&theirs) {
        assert!(*speed < 0.02, "the {name} moves at {speed}");
        let apart = (ours.translation - theirs.translation).length();
        assert!(apart < tolerance, "the {name} is at {ours:?}, on a TriMesh {theirs:?}: {apart} apart");
    }
}

#[test]
fn every_shape_rests_on_flat_ground_where_it_does_on_trimesh() {
    all_rest_where_they_do_on_trimesh(&flat(), 0.02);
}

#[test]
fn every_shape_rests_on_bumpy_ground_where_it_does_on_trimesh() {
    all_rest_where_they_do_on_trimesh(&bumpy(), 0.05);
}

/// At 200 m/s a body passes 3.3 m in a step.
#[test]
fn continuous_collision_detection_stops_bullets() {
    let level = Level::new(&flat(), InternalEdges::default());
    let fast = |body: RigidBodyBuilder| body.linvel(Vector::new(0.0, -200.0, 0.0)).ccd_enabled(true);
    rest(SharedShape::new(level.tree), fast);
}
