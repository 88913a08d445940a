//! Scenes: queries over many posed bodies. Points and normals of results are in the world.

use std::mem::MaybeUninit;

mod bodies;
mod depths;
mod outside_mesh;
mod pairs;
mod probes;

use std::sync::RwLock;

use bvtree::scene::{BodyId, Scene, SceneStats};

use crate::ffi::{hand_over, out, shared};
use crate::panic_guard::{DONE, panic_guard};
use crate::runtime::simd_level;
use crate::status::BvtStatus;

pub use bodies::*;
pub use depths::*;
pub use outside_mesh::*;
pub use pairs::*;
pub use probes::*;

/// A scene of many bodies. Any number of threads may, at the same time, query rays, points, capsules, moving convex
/// shapes and other meshes, each with its own query object or probe, move their own characters in it, and call
/// `bvt_scene_relation`, `bvt_scene_count`, `bvt_scene_body`, `bvt_scene_is_solid` and `bvt_scene_stats`. All other
/// functions need exclusive access, queries of all pairs of bodies among them.
pub struct BvtScene {
    pub(crate) scene: RwLock<Scene>,
}

/// Identifier of a body in a scene. The scene never reuses an identifier, not even after the body is removed. The low
/// 32 bits are the body's index, which is unique among the bodies in the scene at the same time: 0, 1, 2 and so on,
/// except that a new body takes the index of a removed one. Bodies and pairs are reported in the order of indices.
pub type BvtBodyId = u64;

pub(crate) fn id(id: BvtBodyId) -> BodyId {
    BodyId::from_bits(id)
}

pub(crate) fn ids(ids: [BodyId; 2]) -> [BvtBodyId; 2] {
    ids.map(BodyId::to_bits)
}

/// Creates an empty scene. `simd` is a value of `BvtSimd`; 0 selects the best.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_new(simd: u32, scene: Option<&mut MaybeUninit<*mut BvtScene>>) -> BvtStatus {
    panic_guard(|| {
        let (out, level) = (out(scene, "scene")?, simd_level(simd)?);
        hand_over(out, BvtScene { scene: RwLock::new(Scene::with_simd(level)) });
        DONE
    })
}

/// Frees a scene. Null is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_free(scene: Option<Box<BvtScene>>) {
    // The last owner of a tree may call the function that releases a buffer.
    panic_guard(|| {
        drop(scene);
        DONE
    });
}

/// Work done by a scene query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct BvtSceneStats {
    /// Number of pairs of bodies that the broad phase did not rule out by their boxes.
    pub candidates: u64,
    /// Number of candidates that bounding spheres or boxes alone proved to be apart.
    pub apart_by_bounds: u64,
    /// Number of candidates that results of earlier queries answered.
    pub cached: u64,
    /// Number of queries on two trees, a tree and a shape, or two shapes, parts of compounds included.
    pub queried: u64,
    /// Number of pairs of volumes that were tested.
    pub volume_tests: u64,
    /// Number of pairs of triangles that were tested.
    pub triangle_tests: u64,
}

impl From<SceneStats> for BvtSceneStats {
    fn from(stats: SceneStats) -> Self {
        Self {
            candidates: stats.candidates,
            apart_by_bounds: stats.apart_by_bounds,
            cached: stats.cached,
            queried: stats.queried,
            volume_tests: stats.trees.volume_tests,
            triangle_tests: stats.trees.triangle_tests,
        }
    }
}

/// Writes the work done by a scene's last query over pairs of bodies.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_stats(
    scene: Option<&BvtScene>,
    stats: Option<&mut MaybeUninit<BvtSceneStats>>,
) -> BvtStatus {
    panic_guard(|| {
        let (scene, out) = (shared(scene.map(|scene| &scene.scene), "scene")?, out(stats, "stats")?);
        out.write(scene.stats().into());
        DONE
    })
}
