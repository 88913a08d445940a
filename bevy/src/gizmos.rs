//! Lines that show volumes and contacts.

use bevy_app::{App, Plugin, PostUpdate};
use bevy_color::Color;
use bevy_color::palettes::css::{LIME, ORANGE};
use bevy_ecs::prelude::*;
use bevy_gizmos::AppGizmoBuilder;
use bevy_gizmos::config::GizmoConfigGroup;
use bevy_gizmos::gizmos::{GizmoBuffer, Gizmos};
use bevy_math::Vec3;
use bevy_reflect::Reflect;
use bevy_reflect::std_traits::ReflectDefault;
use bvtree::scene::Geometry;
use bvtree::{BvTree, Pose, Volume};
use nalgebra::Point3;

use crate::pose::vec3;
use crate::{CollisionScene, CollisionSystems};

/// What the gizmos show: a group of Bevy's `GizmoConfigStore`, whose `enabled` and line settings apply as well. By
/// default nothing is drawn.
#[derive(Reflect, GizmoConfigGroup, Clone, Copy, Debug)]
#[reflect(Default)]
pub struct CollisionGizmos {
    /// The level of the volumes to draw, 0 for the root, with the leaves above it; `None` draws no volumes. Boxes are
    /// drawn as they are; spheres, k-DOPs, convex shapes and compounds as their axis-aligned boxes in the body's frame.
    pub level: Option<u32>,
    /// The colour of volumes.
    pub volume_color: Color,
    /// The gap up to which contacts are drawn, 0 for those of bodies that touch; `None` draws none.
    pub contact_margin: Option<f64>,
    /// The length of the normal at a contact, in the world's unit.
    pub normal_length: f32,
    /// The colour of contacts.
    pub contact_color: Color,
}

impl Default for CollisionGizmos {
    fn default() -> Self {
        Self {
            level: None,
            volume_color: LIME.into(),
            contact_margin: None,
            normal_length: 0.2,
            contact_color: ORANGE.into(),
        }
    }
}

/// Draws the [`CollisionScene`] as [`CollisionGizmos`] configures it. Requires Bevy's `GizmoPlugin`.
#[derive(Clone, Copy, Debug, Default)]
pub struct CollisionGizmosPlugin;

impl Plugin for CollisionGizmosPlugin {
    fn build(&self, app: &mut App) {
        app.init_gizmo_group::<CollisionGizmos>().add_systems(PostUpdate, draw.after(CollisionSystems::Follow));
    }
}

fn draw(mut collisions: ResMut<CollisionScene>, mut gizmos: Gizmos<CollisionGizmos>) {
    if !gizmos.config.enabled {
        return;
    }
    let options = *gizmos.config_ext;
    if let Some(level) = options.level {
        for (_, body) in collisions.scene().bodies() {
            match &body.geometry {
                Geometry::Tree(tree) => draw_volumes(&mut gizmos, tree, &body.pose, level, options.volume_color),
                geometry => draw_box(&mut gizmos, geometry.bounds().corners(), &body.pose, options.volume_color),
            }
        }
    }
    if let Some(margin) = options.contact_margin {
        // A query for contacts changes only what the scene remembers, not its bodies.
        let scene = collisions.bypass_change_detection().scene_mut();
        for contact in scene.contact_manifolds(margin) {
            let normal = vec3(&contact.manifold.normal) * options.normal_length;
            for point in &contact.manifold.points {
                let [a, b] = [&point.on_a, &point.on_b].map(|point| vec3(&point.coords));
                gizmos.line(a, b, options.contact_color);
                gizmos.line(b, b + normal, options.contact_color);
            }
        }
    }
}

/// Draws the volumes at a level of a tree, 0 for the root, and the leaves above it, at a pose in the world.
pub fn draw_volumes<Config: GizmoConfigGroup, Clear: Send + Sync + 'static>(
    gizmos: &mut GizmoBuffer<Config, Clear>,
    tree: &BvTree,
    pose: &Pose,
    level: u32,
    color: Color,
) {
    // Level by level.
    for node in tree.nodes().take_while(|node| node.level <= level) {
        if node.level == level || node.is_leaf() {
            let corners = match &node.volume {
                Volume::Obb(obb) => obb.corners(),
                volume => volume.aabb().corners(),
            };
            draw_box(gizmos, corners, pose, color);
        }
    }
}

/// Draws the edges of a box. Bit `k` of a corner's index is its side on axis `k`.
fn draw_box<Config: GizmoConfigGroup, Clear: Send + Sync + 'static>(
    gizmos: &mut GizmoBuffer<Config, Clear>,
    corners: [Point3<f64>; 8],
    pose: &Pose,
    color: Color,
) {
    let corners = corners.map(|corner| -> Vec3 { vec3(&(pose.rotation() * corner.coords + pose.translation())) });
    for axis in 0..3 {
        for low in (0..8).filter(|corner| corner >> axis & 1 == 0) {
            gizmos.line(corners[low], corners[low | 1 << axis], color);
        }
    }
}
