//! Checks a robot arm's motions in its cell, in short steps; neighbouring links are not compared:
//! `cargo run --release -p bvtree --example robot_cell`.
//!
//! Joints move links along arcs, but `Scene::first_impact` assumes that a link's translation is linear and its rotation
//! uniform. It therefore proves that this approximate motion is free, not the motion of the joints. In one step here,
//! the two differ by less than a millimetre; a whole motion in one step would be off by up to 0.26 m. The package
//! `bvtree-robot` proves the motion of the joints itself (`Checker::first_impact`).

use std::error::Error;
use std::sync::Arc;

use bvtree::scene::{Body, BodyId, BodyImpact, Scene, SceneError};
use bvtree::{BuildOptions, BvTree, Mesh, Motion, Pose};
use nalgebra::{Isometry3, Point3, Translation3, UnitQuaternion, Vector3};

const LENGTHS: [f64; 3] = [0.6, 0.5, 0.3];
const THICKNESS: f64 = 0.12;
/// The number of steps that a motion of the joints is divided into.
const STEPS: u32 = 64;

/// A box from `lower` to `upper`.
fn cuboid(lower: [f64; 3], upper: [f64; 3]) -> Result<Arc<BvTree>, Box<dyn Error>> {
    let corner = |i: usize| Point3::from([0, 1, 2].map(|k| [lower, upper][i >> k & 1][k] as f32));
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let mesh = Mesh::from_arrays((0..8).map(corner).collect(), triangles)?;
    Ok(Arc::new(BvTree::build(&mesh, &BuildOptions::default())?))
}

/// The links' poses: the base rotates about z, the others about their own y axes.
fn links(angles: [f64; 3]) -> [Pose; 3] {
    let mut at = Isometry3::translation(0.0, 0.0, 0.8);
    let axes = [Vector3::z_axis(), Vector3::y_axis(), Vector3::y_axis()];
    [0, 1, 2].map(|link| {
        at *= UnitQuaternion::from_axis_angle(&axes[link], angles[link]);
        let pose = Pose::from(at);
        at *= Translation3::new(LENGTHS[link], 0.0, 0.0);
        pose
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut scene = Scene::new();
    let half = 0.5 * THICKNESS;
    let start = [-1.0, 0.2, 0.4];
    let mut arm: Vec<BodyId> = Vec::new();
    for (length, pose) in LENGTHS.into_iter().zip(links(start)) {
        // Links overlap at their joints.
        let tree = cuboid([-half, -half, -half], [length + half, half, half])?;
        arm.push(scene.add(Body::moving(tree, pose))?);
    }
    for pair in arm.windows(2) {
        scene.set_ignored(pair[0], pair[1], true)?;
    }
    let post = scene.add(Body::fixed(cuboid([0.9, 0.5, 0.0], [1.0, 0.6, 1.5])?, Pose::identity()))?;
    scene.add(Body::fixed(cuboid([-2.0, -2.0, -0.1], [2.0, 2.0, 0.0])?, Pose::identity()))?;

    let mut from = start;
    for to in [[-0.5, 0.1, 0.3], [0.0, 0.0, 0.2], [1.4, 0.0, 0.2]] {
        match first_impact(&mut scene, &arm, from, to)? {
            None => println!("to {to:?}: no contact in {STEPS} steps"),
            Some((part, impact)) => {
                let what = if impact.bodies[1] == post { "the post" } else { "something else" };
                println!("to {to:?}: link {} meets {what} after a fraction of {part:.4}", impact.bodies[0].index());
                break;
            }
        }
        scene.set_poses(arm.iter().copied().zip(links(to)))?;
        for pair in scene.pairs_within(0.3) {
            println!("  {:.3} between {:?}", pair.distance, pair.bodies.map(|id| id.index()));
        }
        from = to;
    }
    Ok(())
}

/// The first impact while the joints turn evenly between two configurations, and the fraction of the motion until then.
/// Within a step, links move on straight lines.
fn first_impact(
    scene: &mut Scene,
    arm: &[BodyId],
    from: [f64; 3],
    to: [f64; 3],
) -> Result<Option<(f64, BodyImpact)>, SceneError> {
    let at = |step: u32| {
        let part = f64::from(step) / f64::from(STEPS);
        links([0, 1, 2].map(|joint| from[joint] * (1.0 - part) + to[joint] * part))
    };
    for step in 0..STEPS {
        let ends = at(step).into_iter().zip(at(step + 1));
        let motions: Vec<_> = arm.iter().zip(ends).map(|(&id, (start, end))| (id, Motion::new(start, end))).collect();
        if let Some(impact) = scene.first_impact(&motions, 1e-6)? {
            return Ok(Some(((f64::from(step) + impact.time) / f64::from(STEPS), impact)));
        }
    }
    Ok(None)
}
