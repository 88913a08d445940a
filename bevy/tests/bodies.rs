//! The scene follows entities.

use std::collections::BTreeSet;

use bevy_app::App;
use bevy_asset::{AssetPlugin, Assets};
use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_transform::components::{GlobalTransform, Transform};
use bvtree::pose::PoseError;
use bvtree::scene::SceneError;
use bvtree::shape::ConvexShape;
use bvtree::{Pose, Query as MeshQuery};
use bvtree_bevy::{CollisionBody, CollisionErrorKind, CollisionGeometry, CollisionScene, TreeAsset};
use nalgebra::Matrix3;

use crate::support::{Numbers, app, cuboid, errors, tree};

fn transform(numbers: &mut Numbers) -> Transform {
    let mut next = || Vec3::new(numbers.next(), numbers.next(), numbers.next());
    let (translation, axis) = (next() * 3.0, next());
    Transform::from_translation(translation).with_rotation(Quat::from_scaled_axis(axis * 3.0))
}

/// The pairs of entities whose meshes intersect, from the app's components alone.
fn pairs_by_brute_force(app: &mut App) -> BTreeSet<[Entity; 2]> {
    let mut bodies = app.world_mut().query::<(Entity, &CollisionBody, &GlobalTransform)>();
    let world = app.world();
    let trees = world.resource::<Assets<TreeAsset>>();
    let posed: Vec<_> = bodies
        .iter(world)
        .map(|(entity, body, transform)| {
            let CollisionGeometry::Tree(handle) = &body.geometry else { unreachable!() };
            let matrix = transform.affine().matrix3.as_dmat3();
            let rotation = Matrix3::from_column_slice(&matrix.to_cols_array());
            let pose = Pose::new(rotation, transform.translation().as_dvec3().to_array().into()).unwrap();
            (entity, trees.get(handle).unwrap().0.clone(), pose)
        })
        .collect();
    let mut query = MeshQuery::new();
    let mut pairs = BTreeSet::new();
    for (k, (a, a_tree, a_pose)) in posed.iter().enumerate() {
        for (b, b_tree, b_pose) in &posed[..k] {
            if query.intersects(a_tree, b_tree, &Pose::relative(a_pose, b_pose)) {
                pairs.insert([*a.min(b), *a.max(b)]);
            }
        }
    }
    pairs
}

fn pairs_of_scene(app: &mut App) -> BTreeSet<[Entity; 2]> {
    let mut collisions = app.world_mut().resource_mut::<CollisionScene>();
    let pairs = collisions.scene_mut().intersecting_pairs();
    pairs
        .into_iter()
        .map(|pair| {
            let mut pair = pair.map(|body| collisions.entity_of(body).unwrap());
            assert_eq!(collisions.entity_of(collisions.body_of(pair[0]).unwrap()), Some(pair[0]));
            pair.sort();
            pair
        })
        .collect()
}

#[test]
fn the_scene_follows_transforms_parents_and_despawns() {
    let mut app = app(AssetPlugin::default());
    let mut numbers = Numbers(1);
    let mut trees = app.world_mut().resource_mut::<Assets<TreeAsset>>();
    let trees = [[0.4, 0.5, 0.6], [0.2, 0.2, 1.5]].map(|half| trees.add(tree(&cuboid(half))));
    let mut entities: Vec<Entity> = Vec::new();
    for k in 0..40 {
        let body = CollisionBody::moving(trees[k % 2].clone());
        let entity = app.world_mut().spawn((body, transform(&mut numbers))).id();
        // A quarter of the entities are children of earlier ones.
        if k % 4 == 3 {
            let parent = entities[k / 2];
            app.world_mut().entity_mut(parent).add_child(entity);
        }
        entities.push(entity);
    }
    let mut found = 0;
    for frame in 0..12 {
        app.update();
        let pairs = pairs_by_brute_force(&mut app);
        found += pairs.len();
        assert_eq!(pairs_of_scene(&mut app), pairs, "frame {frame}");
        // Some entities move, one ceases to be a body, and one is despawned with its children.
        for &entity in entities.iter().skip(frame % 3).step_by(3) {
            *app.world_mut().get_mut::<Transform>(entity).unwrap() = transform(&mut numbers);
        }
        app.world_mut().entity_mut(entities[frame]).remove::<CollisionBody>();
        app.world_mut().entity_mut(*entities.last().unwrap()).despawn();
        entities.retain(|&entity| app.world().get_entity(entity).is_ok());
        let left = app.world_mut().query::<&CollisionBody>().iter(app.world()).count();
        app.update();
        assert_eq!(app.world().resource::<CollisionScene>().scene().len(), left);
    }
    assert!(found > 50, "{found} pairs prove little");
    assert_eq!(errors(&mut app), []);
}

#[test]
fn changes_of_a_body_reach_the_scene() {
    let mut app = app(AssetPlugin::default());
    let entity = app.world_mut().spawn(CollisionBody::moving(ConvexShape::sphere(1.0).unwrap())).id();
    app.update();
    let body = |app: &App| {
        let collisions = app.world().resource::<CollisionScene>();
        let id = collisions.body_of(entity).unwrap();
        (id, collisions.scene().body(id).unwrap().clone())
    };
    let (before, _) = body(&app);
    {
        let mut component = app.world_mut().get_mut::<CollisionBody>(entity).unwrap();
        component.geometry = ConvexShape::sphere(2.0).unwrap().into();
        (component.groups, component.mask) = (2, 4);
    }
    app.update();
    let (after, changed) = body(&app);
    assert_eq!(after, before);
    assert_eq!((changed.geometry.bounds().upper.x.round(), changed.groups, changed.mask), (2.0, 2, 4));
    app.world_mut().get_mut::<CollisionBody>(entity).unwrap().is_static = true;
    app.update();
    assert!(body(&app).1.is_static);
}

#[test]
fn what_is_not_rigid_is_reported_once_and_comes_back() {
    let mut app = app(AssetPlugin::default());
    let parent = app.world_mut().spawn(Transform::from_scale(Vec3::splat(2.0))).id();
    let body = CollisionBody::moving(ConvexShape::sphere(1.0).unwrap());
    let entity = app.world_mut().spawn((body, ChildOf(parent))).id();
    let is_in_scene = |app: &App| app.world().resource::<CollisionScene>().body_of(entity).is_some();
    app.update();
    assert!(!is_in_scene(&app));
    let [error] = errors(&mut app)[..] else { panic!() };
    assert_eq!(error.entity, entity);
    assert!(matches!(error.kind, CollisionErrorKind::Transform(PoseError::NotARotation { .. })));
    for (scale, is_in, reported) in
        [(3.0, false, 0), (1.0, true, 0), (-1.0, false, 1), (f32::NAN, false, 0), (1.0, true, 0)]
    {
        app.world_mut().get_mut::<Transform>(parent).unwrap().scale = Vec3::splat(scale);
        app.update();
        assert_eq!(is_in_scene(&app), is_in, "scale {scale}");
        assert_eq!(errors(&mut app).len(), reported, "scale {scale}");
    }
    // An open mesh that is said to be solid.
    let mesh = bvtree::Mesh::from_slices(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]).unwrap();
    let handle = app.world_mut().resource_mut::<Assets<TreeAsset>>().add(tree(&mesh));
    let open = app.world_mut().spawn(CollisionBody { is_solid: true, ..CollisionBody::fixed(handle) }).id();
    // Another one, whose neighbour goes beyond all coordinates, moves all the same.
    let far =
        app.world_mut().spawn((CollisionBody::moving(ConvexShape::sphere(1.0).unwrap()), Transform::IDENTITY)).id();
    app.update();
    let [error] = errors(&mut app)[..] else { panic!() };
    assert_eq!((error.entity, error.kind), (open, CollisionErrorKind::Scene(SceneError::OpenSolid)));
    app.world_mut().get_mut::<Transform>(far).unwrap().translation.x = 1e35;
    app.world_mut().get_mut::<Transform>(parent).unwrap().translation.x = 7.0;
    app.update();
    let [error] = errors(&mut app)[..] else { panic!() };
    assert_eq!((error.entity, error.kind), (far, CollisionErrorKind::Scene(SceneError::TooFar)));
    let collisions = app.world().resource::<CollisionScene>();
    let id = collisions.body_of(entity).unwrap();
    assert_eq!(collisions.scene().body(id).unwrap().pose.translation().x, 7.0);
}
