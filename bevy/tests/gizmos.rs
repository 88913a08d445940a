//! Lines show volumes and contacts.

use bevy_asset::{AssetPlugin, Assets};
use bevy_color::Color;
use bevy_gizmos::config::{DefaultGizmoConfigGroup, GizmoConfigStore};
use bevy_gizmos::gizmos::GizmoBuffer;
use bevy_gizmos::{GizmoHandles, GizmoPlugin};
use bevy_math::Vec3;
use bevy_transform::components::Transform;
use bvtree::shape::Aabb;
use bvtree::{BvTree, Pose};
use bvtree_bevy::{CollisionBody, CollisionGizmos, CollisionGizmosPlugin, TreeAsset, draw_volumes};
use nalgebra::{Point3, Vector3};

use crate::support::{app_with, cuboid, tree};

fn lines(tree: &BvTree, level: u32) -> Vec<Vec3> {
    let pose = Pose::from_translation(Vector3::new(5.0, 0.0, 0.0)).unwrap();
    let mut buffer = GizmoBuffer::<DefaultGizmoConfigGroup, ()>::new();
    draw_volumes(&mut buffer, tree, &pose, level, Color::WHITE);
    buffer.list_positions
}

#[test]
fn the_boxes_of_a_level_are_around_the_mesh() {
    let tree = tree(&cuboid([1.0, 2.0, 3.0])).0;
    let root = lines(&tree, 0);
    assert_eq!(root.len(), 24);
    let points: Vec<Point3<f64>> =
        root.iter().map(|p| Point3::new(f64::from(p.x), f64::from(p.y), f64::from(p.z))).collect();
    let Aabb { lower, upper } = Aabb::from_points(&points);
    assert!((lower - Point3::new(4.0, -2.0, -3.0)).norm() < 1e-4, "{lower}");
    assert!((upper - Point3::new(6.0, 2.0, 3.0)).norm() < 1e-4, "{upper}");
    // Each edge of a box is drawn once: four along each of its axes.
    let mut lengths: Vec<f32> = root.chunks(2).map(|ends| ends[0].distance(ends[1])).collect();
    lengths.sort_by(f32::total_cmp);
    for (k, length) in lengths.into_iter().enumerate() {
        assert!((length - [2.0, 4.0, 6.0][k / 4]).abs() < 1e-4);
    }
    let deepest = tree.nodes().map(|node| node.level).max().unwrap();
    let leaves = tree.nodes().filter(|node| node.is_leaf()).count();
    assert_eq!(lines(&tree, deepest).len(), 24 * leaves);
}

#[test]
fn an_app_draws_what_its_configuration_says() {
    let mut app = app_with(AssetPlugin::default(), |app| {
        app.add_plugins((GizmoPlugin, CollisionGizmosPlugin));
    });
    let handle = app.world_mut().resource_mut::<Assets<TreeAsset>>().add(tree(&cuboid([1.0, 1.0, 1.0])));
    app.world_mut().spawn(CollisionBody::fixed(handle.clone()));
    app.world_mut().spawn((CollisionBody::moving(handle), Transform::from_xyz(0.0, 2.05, 0.0)));
    // The ends of all lines that the renderer would get.
    let mut count = |options: CollisionGizmos| -> usize {
        *app.world_mut().resource_mut::<GizmoConfigStore>().config_mut::<CollisionGizmos>().1 = options;
        app.update();
        app.update();
        let handles = app.world().resource::<GizmoHandles>().handles();
        let drawn = handles.get(&std::any::TypeId::of::<CollisionGizmos>()).and_then(Option::as_ref);
        let assets = app.world().resource::<Assets<bevy_gizmos::GizmoAsset>>();
        drawn.and_then(|handle| assets.get(handle)).map_or(0, |asset| asset.buffer().list_positions.len())
    };
    assert_eq!(count(CollisionGizmos::default()), 0);
    assert_eq!(count(CollisionGizmos { level: Some(0), ..CollisionGizmos::default() }), 48);
    assert_eq!(count(CollisionGizmos { contact_margin: Some(0.01), ..CollisionGizmos::default() }), 0);
    // One manifold of four points, each a line across the gap and a normal.
    assert_eq!(count(CollisionGizmos { contact_margin: Some(0.1), ..CollisionGizmos::default() }), 16);
}
