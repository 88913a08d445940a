//! Characters walk among the scene's bodies.

use bevy_app::{App, FixedUpdate};
use bevy_asset::{AssetPlugin, Assets};
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_time::{Fixed, Time};
use bevy_transform::components::Transform;
use bvtree::Probe;
use bvtree::character::CharacterOptions;
use bvtree::shape::ConvexShape;
use bvtree_bevy::{CharacterController, CollisionBody, CollisionScene, CollisionSystems, TreeAsset};

use crate::support::{app, cuboid, errors, tree};

/// An app with a floor whose top is at zero, a wall whose near side is at x = 3, and a character at the origin.
fn level() -> (App, Entity) {
    let mut app = app(AssetPlugin::default());
    spawn_box(&mut app, [20.0, 0.5, 20.0], Vec3::new(0.0, -0.5, 0.0), true);
    spawn_box(&mut app, [0.1, 2.0, 20.0], Vec3::new(3.1, 2.0, 0.0), true);
    app.update();
    let controller = CharacterController::new(&CharacterController::default_options()).unwrap();
    let character = app.world_mut().spawn((controller, Transform::from_xyz(0.0, 0.5, 0.0))).id();
    (app, character)
}

fn spawn_box(app: &mut App, half: [f32; 3], at: Vec3, is_static: bool) -> Entity {
    let handle = app.world_mut().resource_mut::<Assets<TreeAsset>>().add(tree(&cuboid(half)));
    let body = CollisionBody { is_static, ..CollisionBody::moving(handle) };
    app.world_mut().spawn((body, Transform::from_translation(at))).id()
}

fn feet(app: &App, character: Entity) -> Vec3 {
    app.world().get::<Transform>(character).unwrap().translation
}

#[test]
fn a_body_that_is_refused_is_reported_once_while_its_character_falls() {
    let (mut app, character) = level();
    let body = CollisionBody::moving(ConvexShape::sphere(1.0).unwrap());
    app.world_mut().entity_mut(character).insert(body);
    app.world_mut().get_mut::<Transform>(character).unwrap().scale = Vec3::splat(2.0);
    app.world_mut().get_mut::<Transform>(character).unwrap().translation.y = 5.0;
    let mut reported = Vec::new();
    for _ in 0..8 {
        app.update();
        reported.extend(errors(&mut app).iter().map(|error| error.entity));
    }
    assert!(feet(&app, character).y < 5.0);
    assert_eq!(reported, [character]);
}

#[test]
fn a_character_falls_walks_stays_out_of_walls_and_jumps() {
    let (mut app, character) = level();
    let mut probe = Probe::new();
    let mut is_free = |app: &App| {
        let capsule = app.world().get::<CharacterController>(character).unwrap().character().capsule();
        let scene = app.world().resource::<CollisionScene>().scene();
        scene.closest_capsule_contact(&mut probe, &capsule, 0.0, u32::MAX).is_none()
    };
    for _ in 0..64 {
        app.update();
    }
    assert!((feet(&app, character).y - 0.01).abs() < 0.005, "{}", feet(&app, character));
    app.world_mut().get_mut::<CharacterController>(character).unwrap().walk = Vec3::new(4.0, 0.0, 1.0);
    for _ in 0..128 {
        app.update();
        assert!(is_free(&app));
    }
    let at = feet(&app, character);
    // As far as the wall lets the capsule, whose radius is 0.3, and along it.
    assert!((2.6..2.7).contains(&at.x) && at.z > 1.8 && at.y < 0.02, "{at}");
    assert!(app.world().get::<CharacterController>(character).unwrap().outcome().is_blocked);
    app.world_mut().get_mut::<CharacterController>(character).unwrap().jump = 4.0;
    app.update();
    app.update();
    let controller = app.world().get::<CharacterController>(character).unwrap();
    assert!(controller.jump == 0.0 && controller.character().ground().is_none());
    assert!(feet(&app, character).y > 0.05);
    assert_eq!(errors(&mut app), []);
}

#[test]
fn a_translation_of_somebody_else_teleports_it() {
    let (mut app, character) = level();
    app.world_mut().get_mut::<Transform>(character).unwrap().translation = Vec3::new(-5.0, 0.2, 2.0);
    for _ in 0..64 {
        app.update();
    }
    let at = feet(&app, character);
    assert!(at.distance(Vec3::new(-5.0, 0.01, 2.0)) < 0.01, "{at}");
}

#[derive(Component)]
struct Lift;

#[test]
fn a_lift_that_moves_in_fixed_steps_carries_it() {
    let (mut app, character) = level();
    let lift = spawn_box(&mut app, [1.0, 0.1, 1.0], Vec3::new(-5.0, 0.1, 0.0), false);
    app.world_mut().entity_mut(lift).insert(Lift);
    let raise = |time: Res<Time<Fixed>>, mut lifts: Query<&mut Transform, With<Lift>>| {
        for mut lift in &mut lifts {
            lift.translation += Vec3::new(-0.5, 1.0, 0.0) * time.delta_secs();
        }
    };
    app.update();
    app.world_mut().get_mut::<Transform>(character).unwrap().translation = Vec3::new(-5.0, 0.25, 0.0);
    for _ in 0..32 {
        app.update();
    }
    let start = feet(&app, character);
    assert!((start.y - 0.21).abs() < 0.01, "{start}");
    app.add_systems(FixedUpdate, raise.before(CollisionSystems::Characters));
    for _ in 0..64 {
        app.update();
    }
    let moved = feet(&app, character) - start;
    assert!(moved.distance(Vec3::new(-0.5, 1.0, 0.0)) < 0.03, "{moved}");
}

#[test]
fn options_out_of_range_and_places_that_are_no_numbers_are_errors() {
    let options = CharacterOptions { radius: -1.0, ..CharacterController::default_options() };
    assert!(CharacterController::new(&options).is_err());
    let (mut app, character) = level();
    app.update();
    app.world_mut().get_mut::<Transform>(character).unwrap().translation.x = f32::NAN;
    app.update();
    app.update();
    let [error] = errors(&mut app)[..] else { panic!() };
    assert_eq!(error.entity, character);
}
