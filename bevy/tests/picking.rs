//! Pointers hit bodies' entities.

use bevy_app::App;
use bevy_asset::{AssetPlugin, Assets};
use bevy_camera::Camera;
use bevy_ecs::message::Messages;
use bevy_ecs::prelude::*;
use bevy_math::{Dir3, Ray3d, Vec3};
use bevy_picking::Pickable;
use bevy_picking::backend::PointerHits;
use bevy_picking::backend::ray::{RayId, RayMap};
use bevy_picking::pointer::PointerId;
use bevy_transform::components::Transform;
use bvtree::shape::ConvexShape;
use bvtree_bevy::{CollisionBody, CollisionPickingOptions, CollisionPickingPlugin, PickedFace, TreeAsset};

use crate::support::{app_with, cuboid, tree};

/// What the only pointer hits, by entity and depth.
fn picks(app: &mut App) -> Vec<(Entity, f32)> {
    app.world_mut().resource_mut::<Messages<PointerHits>>().clear();
    app.update();
    let hits: Vec<PointerHits> = app.world_mut().resource_mut::<Messages<PointerHits>>().drain().collect();
    hits.iter().flat_map(|hits| &hits.picks).map(|(entity, hit)| (*entity, hit.depth)).collect()
}

#[test]
fn pointers_hit_the_nearest_body_and_pass_what_is_not_pickable() {
    let mut app = app_with(AssetPlugin::default(), |app| {
        app.init_resource::<RayMap>().add_message::<PointerHits>().add_plugins(CollisionPickingPlugin);
    });
    let camera = app.world_mut().spawn((Camera { order: 3, ..Camera::default() }, Transform::IDENTITY)).id();
    let ray = Ray3d::new(Vec3::new(0.0, 0.25, 10.0), Dir3::NEG_Z);
    app.world_mut().resource_mut::<RayMap>().map.insert(RayId::new(camera, PointerId::Mouse), ray);
    let handle = app.world_mut().resource_mut::<Assets<TreeAsset>>().add(tree(&cuboid([1.0, 1.0, 1.0])));
    let crate_at = |z| (CollisionBody::fixed(handle.clone()), Transform::from_xyz(0.0, 0.0, z));
    let [near, far] = [5.0, 0.0].map(|z| app.world_mut().spawn(crate_at(z)).id());
    let shape = CollisionBody { groups: 2, ..CollisionBody::moving(ConvexShape::sphere(1.0).unwrap()) };
    let ball = app.world_mut().spawn((shape, Transform::from_xyz(0.0, 0.25, -5.0))).id();
    app.update();

    app.world_mut().resource_mut::<Messages<PointerHits>>().clear();
    app.update();
    let [hits] = &app.world_mut().resource_mut::<Messages<PointerHits>>().drain().collect::<Vec<_>>()[..] else {
        panic!()
    };
    assert_eq!((hits.pointer, hits.order), (PointerId::Mouse, 3.0));
    let [(entity, hit)] = &hits.picks[..] else { panic!() };
    assert_eq!((*entity, hit.camera, hit.depth), (near, camera, 4.0));
    assert_eq!((hit.position, hit.normal), (Some(Vec3::new(0.0, 0.25, 6.0)), Some(Vec3::Z)));
    // The face is one of the two that look at the camera.
    assert!([2, 3].contains(&hit.extra_as::<PickedFace>().unwrap().face));

    app.world_mut().entity_mut(near).insert(Pickable::IGNORE);
    assert_eq!(picks(&mut app), [(far, 9.0)]);
    app.world_mut().entity_mut(far).insert(Pickable { should_block_lower: false, is_hoverable: true });
    assert_eq!(picks(&mut app), [(far, 9.0), (ball, 14.0)]);
    app.world_mut().resource_mut::<CollisionPickingOptions>().mask = 2;
    assert_eq!(picks(&mut app), [(ball, 14.0)]);
    app.world_mut().resource_mut::<CollisionPickingOptions>().max_distance = 13.0;
    assert_eq!(picks(&mut app), []);
}
