//! Scenes against the same questions asked of all pairs of bodies, one by one.

mod assembly;
mod capsules;
mod coherence;
mod compounds;
mod convex_casts;
mod deform;
mod margins;
mod motion;
mod pairs;
mod probes;
mod relations;
mod remembering;
mod shape_contacts;
mod shapes;
mod special;
mod standing;

use std::sync::Arc;

use bvtree::scene::{Body, BodyId, Scene};
use bvtree::{BuildOptions, BvTree, Mesh, Pose, VolumeKind};
use nalgebra::{Isometry3, Matrix3, UnitQuaternion, Vector3};

use crate::oracle::meshes;
use crate::solids::cuboid;

/// The SplitMix64 sequence.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// 0 to 1.
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    pub fn vector(&mut self, half_size: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| (2.0 * self.unit() - 1.0) * half_size)
    }

    pub fn pose(&mut self, half_size: f64) -> Pose {
        let turn = if self.bits().is_multiple_of(4) { Vector3::zeros() } else { self.vector(3.0) };
        Isometry3::new(self.vector(half_size), turn).into()
    }
}

fn tree(mesh: &Mesh) -> Arc<BvTree> {
    Arc::new(BvTree::build(mesh, &BuildOptions::obbtree_rules(VolumeKind::Obb)).unwrap())
}

/// Trees of a few shapes and of all kinds; the last one is empty.
fn trees() -> Vec<Arc<BvTree>> {
    let meshes =
        [cuboid([1.0; 3]), cuboid([3.0, 0.2, 0.2]), meshes::torus(8, 5), meshes::flat_square(2), meshes::empty()];
    let kinds = VolumeKind::ALL.into_iter().cycle();
    let build = |(mesh, kind): (&Mesh, _)| BvTree::build(mesh, &BuildOptions::obbtree_rules(kind)).unwrap();
    meshes.iter().zip(kinds).map(build).map(Arc::new).collect()
}

/// The tree of a body that is no convex shape.
fn tree_of(body: &Body) -> &Arc<BvTree> {
    body.geometry.tree().expect("a tree")
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::new(Matrix3::identity(), Vector3::new(x, y, z)).unwrap()
}

fn turned(x: f64, y: f64, z: f64, turn: [f64; 3]) -> Pose {
    Isometry3::from_parts(Vector3::new(x, y, z).into(), UnitQuaternion::from_scaled_axis(turn.into())).into()
}

/// All pairs of bodies that are to be compared, by brute force.
fn compared(scene: &Scene, ignored: &[[BodyId; 2]], with_static: bool) -> Vec<[(BodyId, Body); 2]> {
    let bodies: Vec<_> = scene.bodies().map(|(id, body)| (id, body.clone())).collect();
    let mut pairs = Vec::new();
    for (i, a) in bodies.iter().enumerate() {
        for b in &bodies[i + 1..] {
            let is_ignored = ignored.iter().any(|pair| *pair == [a.0, b.0] || *pair == [b.0, a.0]);
            let are_static = a.1.is_static && b.1.is_static && !with_static;
            let in_groups = a.1.groups & b.1.mask != 0 && b.1.groups & a.1.mask != 0;
            if !is_ignored && !are_static && in_groups {
                pairs.push([a.clone(), b.clone()]);
            }
        }
    }
    pairs
}

/// Asks on one and on two threads.
fn on_threads<R: Send>(threads: usize, ask: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(ask)
}
