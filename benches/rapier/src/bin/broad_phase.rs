//! The broad phase alone: bvtree's scene, parry3d's `Bvh` and rapier3d's `BroadPhaseBvh`, in one run on one thread.
//!
//! `cargo run --release --bin broad_phase [ROUNDS]`
//!
//! Unit boxes in a cube, two overlapping pairs for each. CSV on stdout, milliseconds, the best of ROUNDS (9) in which
//! all take turns:
//!
//! * `put and pairs`: all boxes put in, and all pairs told.
//! * `all moved`, `1% moved`: so many boxes go on by 0.2 along all axes, farther than any of the three leaves them
//!   room, and all pairs are told; rapier3d tells what has changed only.
//! * `all shaken`: all boxes move by 0.002 along all axes.
//!
//! bvtree has a scene and [`Scene::for_each_neighbor_pair`], with all that it keeps about bodies and their pairs, and
//! is given poses; parry3d boxes and what is near what, and in a second column poses of which it makes boxes
//! (`Cuboid::aabb`), as whoever has bodies must; rapier3d boxes. All are given what they take ready made.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;

use bvtree::scene::{Body, BodyId, Scene};
use bvtree::{BuildOptions, BvTree, Mesh, Pose};
use nalgebra::{Matrix3, Vector3};
use rapier3d::geometry::{BroadPhaseBvh, BroadPhasePairEvent};
use rapier3d::parry::bounding_volume::Aabb;
use rapier3d::parry::partitioning::{Bvh, BvhBuildStrategy, BvhWorkspace};
use rapier3d::prelude::{
    ActiveCollisionTypes, ColliderBuilder, ColliderHandle, ColliderSet, IntegrationParameters, RigidBodySet,
    SharedShape, Vector,
};

/// What is done in a round: every so many boxes move by so much.
const STEPS: [(&str, usize, f64); 3] = [("all moved", 1, 0.2), ("1% moved", 100, 0.2), ("all shaken", 1, 0.002)];

type Places = Vec<Vector3<f64>>;

/// Finds which boxes are near which.
trait BroadPhase {
    /// Boxes of size 1 from these corners on.
    fn put(corners: &Places) -> Self;
    /// A box's corner as it is told.
    type Place;
    fn place(corner: &Vector3<f64>) -> Self::Place;
    /// Brings every so many boxes to other places.
    fn move_to(&mut self, places: &[Self::Place], each: usize);
    /// How many pairs are told.
    fn pairs(&mut self) -> usize;
}

struct Ours {
    scene: Scene,
    ids: Vec<BodyId>,
}

fn pose(corner: &Vector3<f64>) -> Pose {
    Pose::new(Matrix3::identity(), *corner).expect("a rotation")
}

impl BroadPhase for Ours {
    fn put(corners: &Places) -> Self {
        let mesh = Mesh::from_arrays(vec![[0.0; 3].into(), [1.0; 3].into(), [1.0, 0.0, 0.0].into()], vec![[0, 1, 2]]);
        let tree = BvTree::build(&mesh.expect("a triangle"), &BuildOptions::default());
        let tree = Arc::new(tree.expect("valid options"));
        let mut scene = Scene::new();
        let bodies = corners.iter().map(|corner| Body::moving(tree.clone(), pose(corner)));
        let ids = scene.add_all(bodies).expect("near enough");
        Self { scene, ids }
    }

    type Place = Pose;

    fn place(corner: &Vector3<f64>) -> Pose {
        pose(corner)
    }

    fn move_to(&mut self, places: &[Pose], each: usize) {
        let poses = places.iter().zip(&self.ids).step_by(each).map(|(pose, id)| (*id, *pose));
        self.scene.set_poses(poses).expect("near enough");
    }

    fn pairs(&mut self) -> usize {
        let mut pairs = 0;
        self.scene.for_each_neighbor_pair(
            0.0,
            |_, _| Some(()),
            |()| {
                pairs += 1;
                ControlFlow::Continue(())
            },
        );
        pairs
    }
}

fn aabb(corner: &Vector3<f64>) -> Aabb {
    let lower = Vector::new(corner.x as f32, corner.y as f32, corner.z as f32);
    Aabb::new(lower, lower + Vector::splat(1.0))
}

struct Parry {
    bvh: Bvh,
    workspace: BvhWorkspace,
}

impl BroadPhase for Parry {
    fn put(corners: &Places) -> Self {
        let bvh = Bvh::from_iter(BvhBuildStrategy::Binned, corners.iter().map(aabb).enumerate());
        Self { bvh, workspace: BvhWorkspace::default() }
    }

    type Place = Aabb;

    fn place(corner: &Vector3<f64>) -> Aabb {
        aabb(corner)
    }

    fn move_to(&mut self, places: &[Aabb], each: usize) {
        for (number, aabb) in places.iter().enumerate().step_by(each) {
            self.bvh.insert_or_update_partially(*aabb, number as u32, 0.0);
        }
        self.bvh.refit_without_opt();
    }

    fn pairs(&mut self) -> usize {
        let mut pairs = Vec::new();
        self.bvh.traverse_bvtt_single_tree::<false>(&mut self.workspace, &mut |a, b| pairs.push([a, b]));
        pairs.len()
    }
}

/// As [`Parry`], of the poses of cuboids.
struct ParryOfPoses {
    boxes: Parry,
    cuboid: SharedShape,
}

impl BroadPhase for ParryOfPoses {
    fn put(corners: &Places) -> Self {
        Self { boxes: Parry::put(corners), cuboid: SharedShape::cuboid(0.5, 0.5, 0.5) }
    }

    type Place = rapier3d::math::Pose;

    fn place(corner: &Vector3<f64>) -> Self::Place {
        Self::Place::from_translation(middle(corner))
    }

    fn move_to(&mut self, places: &[Self::Place], each: usize) {
        for (number, pose) in places.iter().enumerate().step_by(each) {
            self.boxes.bvh.insert_or_update_partially(self.cuboid.compute_aabb(pose), number as u32, 0.0);
        }
        self.boxes.bvh.refit_without_opt();
    }

    fn pairs(&mut self) -> usize {
        self.boxes.pairs()
    }
}

struct Rapier {
    bodies: RigidBodySet,
    colliders: ColliderSet,
    broad_phase: BroadPhaseBvh,
    handles: Vec<ColliderHandle>,
    /// Of which it does not know yet.
    new: Vec<ColliderHandle>,
    pairs: usize,
}

fn middle(corner: &Vector3<f64>) -> Vector {
    let middle = corner.add_scalar(0.5);
    Vector::new(middle.x as f32, middle.y as f32, middle.z as f32)
}

impl BroadPhase for Rapier {
    fn put(corners: &Places) -> Self {
        let mut colliders = ColliderSet::new();
        let cube = |corner| {
            let cube = ColliderBuilder::cuboid(0.5, 0.5, 0.5).translation(middle(corner));
            cube.active_collision_types(ActiveCollisionTypes::all())
        };
        let handles: Vec<_> = corners.iter().map(|corner| colliders.insert(cube(corner))).collect();
        let (bodies, broad_phase) = (RigidBodySet::new(), BroadPhaseBvh::new());
        Self { bodies, colliders, broad_phase, new: handles.clone(), handles, pairs: 0 }
    }

    type Place = Aabb;

    fn place(corner: &Vector3<f64>) -> Aabb {
        aabb(corner)
    }

    fn move_to(&mut self, places: &[Aabb], each: usize) {
        for (aabb, &handle) in places.iter().zip(&self.handles).step_by(each) {
            self.broad_phase.set_aabb(&IntegrationParameters::default(), handle, *aabb);
        }
    }

    fn pairs(&mut self) -> usize {
        let mut events = Vec::new();
        let (bodies, colliders) = (&self.bodies, &self.colliders);
        self.broad_phase.update(&IntegrationParameters::default(), colliders, bodies, &self.new, &[], &mut events);
        self.new.clear();
        let added = events.iter().filter(|event| matches!(event, BroadPhasePairEvent::AddPair(_))).count();
        self.pairs = self.pairs + added - (events.len() - added);
        self.pairs
    }
}

/// Milliseconds of each step and the pairs told after it.
fn round<B: BroadPhase>(places: &Places) -> Vec<(f64, usize)> {
    let mut rows = Vec::new();
    let mut began = Instant::now();
    let mut row = |began: Instant, pairs| rows.push((1e3 * began.elapsed().as_secs_f64(), pairs));
    let mut broad_phase = B::put(places);
    let pairs = broad_phase.pairs();
    row(began, pairs);
    let mut corners = places.clone();
    for (_, each, by) in STEPS {
        // Here one way, there another.
        for (number, corner) in corners.iter_mut().enumerate().step_by(each) {
            *corner += Vector3::from_fn(|k, _| if number >> (k + 3) & 1 == 0 { by } else { -by });
        }
        let places: Vec<_> = corners.iter().map(B::place).collect();
        began = Instant::now();
        broad_phase.move_to(&places, each);
        let pairs = broad_phase.pairs();
        row(began, pairs);
    }
    rows
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rounds: usize = std::env::args().nth(1).map_or(Ok(9), |rounds| rounds.parse())?;
    let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
    println!("boxes,what,bvtree_ms,parry_ms,parry_of_poses_ms,rapier_ms,bvtree_pairs,parry_pairs,rapier_pairs");
    for count in [1_000, 10_000, 100_000] {
        let side = f64::from(count).cbrt() * 1.25;
        let mut bits = 3_u64;
        let mut unit = || {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (bits >> 11) as f64 / (1_u64 << 53) as f64
        };
        let places: Places = (0..count).map(|_| Vector3::from_fn(|_, _| side * unit())).collect();
        let mut best = [[(f64::INFINITY, 0); STEPS.len() + 1]; 4];
        for _ in 0..rounds {
            // No two in a row that run the same code: the second would find its branches predicted.
            let all = one_thread.install(|| {
                let (ours, poses) = (round::<Ours>(&places), round::<ParryOfPoses>(&places));
                let (rapier, boxes) = (round::<Rapier>(&places), round::<Parry>(&places));
                [ours, boxes, poses, rapier]
            });
            for (best, rows) in best.iter_mut().zip(all) {
                best.iter_mut().zip(rows).for_each(|(best, row)| *best = (best.0.min(row.0), row.1));
            }
        }
        let names = std::iter::once("put and pairs").chain(STEPS.map(|(name, ..)| name));
        for (i, what) in names.enumerate() {
            let [(ours, x), (parry, y), (poses, _), (rapier, z)] = [0, 1, 2, 3].map(|who| best[who][i]);
            println!("{count},{what},{ours:.3},{parry:.3},{poses:.3},{rapier:.3},{x},{y},{z}");
        }
    }
    Ok(())
}
