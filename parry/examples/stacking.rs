//! Drops a hundred boxes and five chains on a level with stairs, in rapier3d: on a cooked tree that is opened without a
//! build, and on rapier's own `TriMesh` with and without its correction of internal edges. Prints how many bodies come
//! to rest, how far they are from those on the `TriMesh`, and the time per step.
//!
//! `cargo run --release -p bvtree-parry --example stacking`

use std::error::Error;
use std::time::{Duration, Instant};

use bvtree::{BuildOptions, BvTree, Mesh};
use bvtree_parry::{TreeDispatcher, TreeShape};
use nalgebra::Point3;
use rapier3d::prelude::*;

const STEPS: usize = 600;
const RUNS: usize = 9;
/// Half the level's side, in metres.
const HALF: f32 = 20.0;
/// The number of the level's cells per side.
const CELLS: u32 = 160;

fn main() -> Result<(), Box<dyn Error>> {
    let mesh = level()?;
    let mut cooked = Vec::new();
    BvTree::build(&mesh, &BuildOptions::default())?.write_to(&mut cooked)?;

    let start = Instant::now();
    let tree = TreeShape::new(BvTree::from_bytes(&cooked)?)?;
    let opened = start.elapsed();
    let vertices: Vec<_> = mesh.vertices().iter().map(|v| Vector::new(v.x, v.y, v.z)).collect();
    let start = Instant::now();
    let trimesh = |flags| TriMesh::with_flags(vertices.clone(), mesh.triangles().to_vec(), flags);
    let corrected = trimesh(TriMeshFlags::FIX_INTERNAL_EDGES_TWO_SIDED)?;
    let built = start.elapsed();
    println!("{} triangles: opened in {opened:.1?}, a TriMesh is built in {built:.1?}", mesh.triangles().len());

    let levels = [
        ("cooked tree", SharedShape::new(tree)),
        ("TriMesh, corrected edges", SharedShape::new(corrected)),
        ("TriMesh", SharedShape::new(trimesh(TriMeshFlags::empty())?)),
    ];
    // Runs alternate between levels, because the machine's speed changes.
    let mut runs = vec![Vec::new(); levels.len()];
    for _ in 0..RUNS {
        for ((_, level), runs) in levels.iter().zip(&mut runs) {
            runs.push(simulate(level));
        }
    }
    let reference = &runs[1][0];
    println!(
        "{:26} {:>9} {:>8} {:>12} {:>12} {:>12}",
        "level", "at rest", "fallen", "apart, m", "awake, us", "all, us"
    );
    for ((name, _), runs) in levels.iter().zip(&runs) {
        let bodies = &runs[0].bodies;
        let resting = bodies.iter().filter(|body| body.1 < 0.02).count();
        let fallen = bodies.iter().filter(|body| body.0.y < -1.0).count();
        let apart = bodies.iter().zip(&reference.bodies).map(|(body, other)| (body.0 - other.0).length());
        let apart = median(apart.collect());
        let per_step = |time: fn(&Run) -> Duration, steps: usize| {
            median(runs.iter().map(|run| time(run).as_secs_f32() * 1e6 / steps as f32).collect())
        };
        let (awake, all) = (per_step(|run| run.awake, STEPS / 4), per_step(|run| run.all, STEPS));
        let resting = format!("{resting}/{}", bodies.len());
        println!("{name:26} {resting:>9} {fallen:>8} {apart:>12.4} {awake:>12.0} {all:>12.0}");
        if fallen > 0 {
            return Err(format!("{fallen} bodies fell through the level: {name}").into());
        }
    }
    println!("apart: the median distance of rest positions from those on the TriMesh with corrected edges");
    println!("awake: time per step in the first quarter, while everything moves; medians of {RUNS} runs");
    Ok(())
}

/// The result of a run: the bodies' final positions and speeds, and the time that it took.
#[derive(Clone)]
struct Run {
    bodies: Vec<(Vector, f32)>,
    awake: Duration,
    all: Duration,
}

fn simulate(level: &SharedShape) -> Run {
    let mut world = PhysicsWorld::new();
    world.narrow_phase = NarrowPhase::with_query_dispatcher(TreeDispatcher);
    world.insert_collider(ColliderBuilder::new(level.clone()).density(0.0), None);
    let mut bodies = Vec::new();
    for i in 0..100 {
        // Ten towers of ten crates.
        let (tower, floor) = (i % 10, i / 10);
        let at = Vector::new(-12.0 + 2.7 * tower as f32, 3.5 + 0.75 * floor as f32, 1.5 * (tower % 3) as f32 - 7.0);
        let turned = Vector::new(0.05 * floor as f32, 0.3 * tower as f32, 0.0);
        let body = RigidBodyBuilder::dynamic().can_sleep(false).translation(at).rotation(turned);
        let half = 0.25 + 0.02 * (i % 5) as f32;
        bodies.push(world.insert(body, ColliderBuilder::cuboid(half, half, half)).0);
    }
    for chain in 0..5 {
        let mut last = None;
        for link in 0..8 {
            let at = Vector::new(-10.0 + 5.0 * chain as f32 + 0.6 * link as f32, 4.0, 6.0 + 0.1 * link as f32);
            let body = RigidBodyBuilder::dynamic().can_sleep(false).translation(at).angular_damping(0.5);
            let body = world.insert(body, ColliderBuilder::capsule_x(0.2, 0.1)).0;
            if let Some(last) = last {
                let joint = SphericalJointBuilder::new();
                let joint = joint.local_anchor1(Vector::new(0.3, 0.0, 0.0)).local_anchor2(Vector::new(-0.3, 0.0, 0.0));
                world.insert_impulse_joint(last, body, joint);
            }
            last = Some(body);
            bodies.push(body);
        }
    }
    let start = Instant::now();
    let mut awake = Duration::ZERO;
    for step in 0..STEPS {
        world.step();
        if step + 1 == STEPS / 4 {
            awake = start.elapsed();
        }
    }
    let all = start.elapsed();
    let end = |body: RigidBodyHandle| (world.bodies[body].translation(), world.bodies[body].linvel().length());
    Run { bodies: bodies.into_iter().map(end).collect(), awake, all }
}

fn median(mut values: Vec<f32>) -> f32 {
    values.sort_by(f32::total_cmp);
    values[values.len() / 2]
}

/// A bumpy terrain, and a flight of stairs on it. Y is up.
fn level() -> Result<Mesh, Box<dyn Error>> {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    let at = |i: u32| HALF * (2.0 * i as f32 / CELLS as f32 - 1.0);
    for (i, k) in (0..=CELLS).flat_map(|i| (0..=CELLS).map(move |k| (i, k))) {
        let (x, z) = (at(i), at(k));
        vertices.push(Point3::new(x, 0.15 * (x * 1.3).sin() * (z * 0.9).cos() + 0.3 * (x * 0.2).cos(), z));
    }
    for (i, k) in (0..CELLS).flat_map(|i| (0..CELLS).map(move |k| (i, k))) {
        let corner = |i: u32, k: u32| i * (CELLS + 1) + k;
        triangles.push([corner(i, k), corner(i, k + 1), corner(i + 1, k + 1)]);
        triangles.push([corner(i, k), corner(i + 1, k + 1), corner(i + 1, k)]);
    }
    // Each step is a front and a tread.
    let mut quad = |corners: [[f32; 3]; 4]| {
        let first = vertices.len() as u32;
        vertices.extend(corners.map(Point3::from));
        triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    };
    for step in 0..12 {
        let (z, y) = (-9.0 + 0.4 * step as f32, -0.5 + 0.2 * step as f32);
        let (left, right) = (-6.0, 6.0);
        quad([[left, y, z], [left, y + 0.2, z], [right, y + 0.2, z], [right, y, z]]);
        quad([[left, y + 0.2, z], [left, y + 0.2, z + 0.4], [right, y + 0.2, z + 0.4], [right, y + 0.2, z]]);
    }
    Ok(Mesh::from_arrays(vertices, triangles)?)
}
