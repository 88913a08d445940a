//! Scenes: many posed bodies, asked about all at once. Points and normals in answers are in the world.

use std::mem::MaybeUninit;

mod against;
mod bodies;
mod capsules;
mod deform;
mod impacts;
mod near;
mod probes;
mod relations;

use std::sync::RwLock;

use bvtree::scene::{BodyId, Scene, SceneStats};

use crate::ffi::{hand_over, out, shared};
use crate::panic_guard::{DONE, panic_guard};
use crate::simd::level;
use crate::status::BvtStatus;

pub use against::*;
pub use bodies::*;
pub use capsules::*;
pub use deform::*;
pub use impacts::*;
pub use near::*;
pub use probes::*;
pub use relations::*;

/// Many bodies. Questions whose scene is `const` may be asked by any number of threads at once, each with a query
/// object or probe of its own; the others, and changes, by one thread alone.
pub struct BvtScene {
    pub(crate) scene: RwLock<Scene>,
}

/// A body of a scene; of no other body of that scene, also after the body was removed.
pub type BvtBodyId = u64;

pub(crate) fn id(id: BvtBodyId) -> BodyId {
    BodyId::from_bits(id)
}

pub(crate) fn ids(ids: [BodyId; 2]) -> [BvtBodyId; 2] {
    ids.map(BodyId::to_bits)
}

/// A scene without bodies. `simd` is a BvtSimd; 0 is best.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_new(simd: u32, scene: Option<&mut MaybeUninit<*mut BvtScene>>) -> BvtStatus {
    panic_guard(|| {
        let (out, level) = (out(scene, "scene")?, level(simd)?);
        hand_over(out, BvtScene { scene: RwLock::new(Scene::with_simd(level)) });
        DONE
    })
}

/// Frees a scene; null is nothing.
#[unsafe(no_mangle)]
pub extern "C" fn bvt_scene_free(scene: Option<Box<BvtScene>>) {
    // The last owner of a tree may call the function that gives back a buffer.
    panic_guard(|| {
        drop(scene);
        DONE
    });
}

/// How much work a scene's question was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct BvtSceneStats {
    /// Pairs of bodies, or bodies, whose boxes are near enough.
    pub candidates: u64,
    /// Of these, how many were found to be apart by their bounding spheres and boxes alone.
    pub apart_by_bounds: u64,
    /// How many were answered by what was known from an earlier question.
    pub known: u64,
    /// How many times the trees were asked.
    pub asked: u64,
    /// Pairs of volumes that were tested.
    pub volume_tests: u64,
    /// Pairs of triangles that were tested.
    pub triangle_tests: u64,
}

impl From<SceneStats> for BvtSceneStats {
    fn from(stats: SceneStats) -> Self {
        Self {
            candidates: stats.candidates,
            apart_by_bounds: stats.apart_by_bounds,
            known: stats.cached,
            asked: stats.queried,
            volume_tests: stats.trees.volume_tests,
            triangle_tests: stats.trees.triangle_tests,
        }
    }
}

/// How much work a scene's last question about pairs was.
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
