//! A character walks through a level that was cooked to a file, climbs two steps and is stopped by a wall; a ray finds
//! what the character looks at. No window is opened: the app runs for five simulated seconds and prints where the
//! character is.

use std::time::Duration;

use bevy_app::{App, Startup, TaskPoolPlugin, Update};
use bevy_asset::{AssetEvent, AssetPlugin, AssetServer, Handle};
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::TransformPlugin;
use bevy_transform::components::Transform;
use bvtree::probe::Ray;
use bvtree::shape::ConvexShape;
use bvtree::{BuildOptions, BvTree, Mesh, Probe};
use bvtree_bevy::{CharacterController, CollisionBody, CollisionPlugin, CollisionScene, TreeAsset, TreeAssetPlugin};
use nalgebra::{Point3, Vector3};

/// The handle that keeps the level's tree loaded.
#[derive(Resource)]
struct Level(Handle<TreeAsset>);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    BvTree::cook(&level()?, &BuildOptions::default(), folder.path().join("level.bvt"))?;

    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TransformPlugin, TimePlugin))
        .add_plugins(AssetPlugin { file_path: folder.path().to_string_lossy().into(), ..AssetPlugin::default() })
        .add_plugins((TreeAssetPlugin::default(), CollisionPlugin))
        .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(1.0 / 64.0)))
        .add_systems(Startup, spawn)
        .add_systems(Update, enter);
    app.finish();
    app.cleanup();

    let mut characters = app.world_mut().query::<(&Transform, &CharacterController)>();
    let mut frames = 0;
    while frames < 5 * 64 {
        app.update();
        let Some((transform, controller)) = characters.iter(app.world()).next() else {
            // The level is still being loaded.
            std::thread::sleep(Duration::from_millis(1));
            continue;
        };
        if frames % 64 == 0 {
            let stands = if controller.character().ground().is_some() { "stands" } else { "falls" };
            println!("{} s: at {:.2}, {stands}", frames / 64, transform.translation);
        }
        frames += 1;
    }
    let (transform, controller) = characters.single(app.world())?;
    assert!(transform.translation.x < 6.0 && controller.outcome().is_blocked, "the wall is at 6");

    let eyes = Point3::from(transform.translation.as_dvec3().to_array()) + Vector3::new(0.0, 1.7, 0.0);
    let collisions = app.world().resource::<CollisionScene>();
    let ray = Ray::new(eyes, Vector3::new(0.0, 0.0, 1.0));
    let hit = collisions.scene().closest_hit(&mut Probe::new(), &ray, 100.0, u32::MAX).ok_or("nothing is in sight")?;
    let entity = collisions.entity_of(hit.body).ok_or("the body belongs to no entity")?;
    let name = app.world().get::<Name>(entity).ok_or("the entity has no name")?;
    println!("it looks at the {name}, {:.2} away", hit.hit.time);
    assert_eq!(name.as_str(), "column");
    Ok(())
}

/// Spawns the level and a column.
fn spawn(mut commands: Commands, assets: Res<AssetServer>) -> Result {
    let level = assets.load("level.bvt");
    commands.spawn((Name::new("level"), CollisionBody::fixed(level.clone())));
    commands.insert_resource(Level(level));
    let column = CollisionBody::fixed(ConvexShape::cuboid(Vector3::new(0.5, 2.0, 0.5))?);
    commands.spawn((Name::new("column"), column, Transform::from_xyz(5.6, 2.0, 3.0)));
    Ok(())
}

/// Spawns the character once the level is loaded.
fn enter(mut commands: Commands, level: Res<Level>, mut events: MessageReader<AssetEvent<TreeAsset>>) -> Result {
    if events.read().any(|event| event.is_added(&level.0)) {
        let mut controller = CharacterController::new(&CharacterController::default_options())?;
        controller.walk = Vec3::new(2.0, 0.0, 0.0);
        commands.spawn((controller, Transform::from_xyz(0.0, 1.0, 0.0)));
    }
    Ok(())
}

/// A floor, two steps up and a wall, as strips along z.
fn level() -> Result<Mesh, Box<dyn std::error::Error>> {
    let profile = [[-4.0, 0.0], [3.0, 0.0], [3.0, 0.2], [4.0, 0.2], [4.0, 0.4], [6.0, 0.4], [6.0, 4.0]];
    let corners: Vec<[f32; 3]> = profile.iter().flat_map(|&[x, y]| [[x, y, -8.0], [x, y, 8.0]]).collect();
    let strips = (0..profile.len() as u32 - 1).map(|strip| 2 * strip);
    let triangles: Vec<[u32; 3]> = strips.flat_map(|k| [[k, k + 1, k + 3], [k, k + 3, k + 2]]).collect();
    Ok(Mesh::from_slices(&corners, &triangles)?)
}
