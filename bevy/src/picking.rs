//! Picking by rays among the bodies of the scene.

use bevy_app::{App, Plugin, PreUpdate};
use bevy_camera::Camera;
use bevy_ecs::entity::EntityHashSet;
use bevy_ecs::prelude::*;
use bevy_math::Ray3d;
use bevy_picking::backend::ray::RayMap;
use bevy_picking::backend::{HitData, PointerHits};
use bevy_picking::{Pickable, PickingSystems};
use bvtree::Probe;
use bvtree::probe::Ray;
use bvtree::scene::BodyHit;

use crate::CollisionScene;
use crate::pose::{point, vec3, vector};

/// A backend of bevy_picking: pointers hit the entities of the [`CollisionScene`]'s bodies, by exact tests of rays
/// against the triangles of meshes. It requires Bevy's `PickingPlugin`, and respects [`Pickable`].
#[derive(Clone, Copy, Debug, Default)]
pub struct CollisionPickingPlugin;

impl Plugin for CollisionPickingPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<CollisionPickingOptions>().add_systems(PreUpdate, pick.in_set(PickingSystems::Backend));
    }
}

/// Options of the [`CollisionPickingPlugin`]: which bodies pointers can hit.
#[derive(Resource, Clone, Copy, Debug)]
pub struct CollisionPickingOptions {
    /// The collision groups of the bodies that can be hit; all by default.
    pub mask: u32,
    /// The largest distance of a hit from the camera's near plane, in the world's unit; unlimited by default.
    pub max_distance: f64,
}

impl Default for CollisionPickingOptions {
    fn default() -> Self {
        Self { mask: u32::MAX, max_distance: f64::INFINITY }
    }
}

/// The triangle that a pointer hits, in [`HitData::extra`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PickedFace {
    /// The triangle's index in the body's mesh; [`NO_FACE`](bvtree::scene::NO_FACE) for a convex shape.
    pub face: u32,
}

/// Writes the entities that pointers hit.
fn pick(
    options: Res<CollisionPickingOptions>,
    rays: Res<RayMap>,
    collisions: Res<CollisionScene>,
    cameras: Query<&Camera>,
    pickables: Query<&Pickable>,
    mut probe: Local<Option<Probe>>,
    mut hits: MessageWriter<PointerHits>,
) {
    let probe = probe.get_or_insert_default();
    for (id, ray) in rays.iter() {
        let Ok(camera) = cameras.get(id.camera) else { continue };
        let data = |BodyHit { hit, .. }: &BodyHit| {
            let (point, normal) = (vec3(&hit.point.coords), vec3(&hit.normal));
            HitData::new_with_extra(
                id.camera,
                hit.time as f32,
                Some(point),
                Some(normal),
                PickedFace { face: hit.face },
            )
        };
        let picks: Vec<_> = entities_hit(&collisions, probe, ray, &options, &pickables)
            .into_iter()
            .map(|(entity, hit)| (entity, data(&hit)))
            .collect();
        if !picks.is_empty() {
            hits.write(PointerHits::new(id.pointer, picks, camera.order as f32));
        }
    }
}

/// The hoverable and the blocking entities along a ray up to the first one that blocks those behind it, each with its
/// first hit.
fn entities_hit(
    collisions: &CollisionScene,
    probe: &mut Probe,
    ray: &Ray3d,
    options: &CollisionPickingOptions,
    pickables: &Query<&Pickable>,
) -> Vec<(Entity, BodyHit)> {
    let pickable = |entity: Entity| pickables.get(entity).copied().unwrap_or_default();
    let CollisionPickingOptions { mask, max_distance } = *options;
    let ray = Ray::new(point(ray.origin), vector(*ray.direction));
    let scene = collisions.scene();
    let Some(first) = scene.closest_hit(probe, &ray, max_distance, mask) else { return Vec::new() };
    if let Some(entity) = collisions.entity_of(first.body)
        && pickable(entity) == Pickable::default()
    {
        return vec![(entity, first)];
    }
    let (mut picks, mut seen) = (Vec::new(), EntityHashSet::default());
    for hit in scene.hits(probe, &ray, max_distance, mask) {
        let Some(entity) = collisions.entity_of(hit.body).filter(|&entity| seen.insert(entity)) else { continue };
        let Pickable { is_hoverable, should_block_lower } = pickable(entity);
        if is_hoverable || should_block_lower {
            picks.push((entity, hit));
        }
        if should_block_lower {
            break;
        }
    }
    picks
}
