//! Apps and meshes that the tests share.

use std::path::Path;
use std::time::Duration;

use bevy_app::{App, TaskPoolPlugin};
use bevy_asset::processor::{AssetProcessor, FileTransactionLogFactory};
use bevy_asset::{AssetMode, AssetPlugin};
use bevy_ecs::message::Messages;
use bevy_time::{Fixed, Time, TimePlugin, TimeUpdateStrategy};
use bevy_transform::TransformPlugin;
use bvtree::{BuildOptions, BvTree, Mesh};
use bvtree_bevy::{CollisionError, CollisionPlugin, TreeAsset, TreeAssetPlugin};

/// An app whose frames and fixed steps last a sixty-fourth of a second.
pub fn app(assets: AssetPlugin) -> App {
    app_with(assets, |_| {})
}

/// An app as that of [`app`], with more plugins.
pub fn app_with(assets: AssetPlugin, add: impl FnOnce(&mut App)) -> App {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), assets, TransformPlugin, TimePlugin))
        .add_plugins((TreeAssetPlugin::default(), CollisionPlugin))
        .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(1.0 / 64.0)))
        .insert_resource(Time::<Fixed>::from_hz(64.0));
    add(&mut app);
    app.finish();
    app.cleanup();
    app
}

/// An app that reads the folder as it is, and watches it.
pub fn app_in(folder: &Path) -> App {
    app(AssetPlugin {
        file_path: folder.to_str().unwrap().into(),
        watch_for_changes_override: Some(true),
        ..AssetPlugin::default()
    })
}

/// An app whose asset processor turns the folder `source` into the folder `processed`.
pub fn app_processing(folder: &Path) -> App {
    let within = |name| folder.join(name).to_str().unwrap().to_owned();
    let app = app(AssetPlugin {
        file_path: within("source"),
        processed_file_path: within("processed"),
        mode: AssetMode::Processed,
        watch_for_changes_override: Some(true),
        use_asset_processor_override: Some(true),
        ..AssetPlugin::default()
    });
    // By default all apps of a package share one log.
    let log = FileTransactionLogFactory { file_path: folder.join("log") };
    app.world().resource::<AssetProcessor>().data().set_log_factory(Box::new(log)).unwrap();
    app
}

/// Updates the app until something holds, for at most twenty seconds.
pub fn update_until(app: &mut App, what: &str, mut holds: impl FnMut(&mut App) -> bool) {
    for _ in 0..2000 {
        app.update();
        if holds(app) {
            return;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    panic!("waited in vain: {what}");
}

/// The errors that were written since the last call.
pub fn errors(app: &mut App) -> Vec<CollisionError> {
    app.world_mut().resource_mut::<Messages<CollisionError>>().drain().collect()
}

/// The triangles of an axis-aligned box.
pub fn cuboid([x, y, z]: [f32; 3]) -> Mesh {
    let corners: Vec<[f32; 3]> = (0..8)
        .map(|corner| {
            [(corner & 1, x), (corner >> 1 & 1, y), (corner >> 2 & 1, z)]
                .map(|(side, half)| if side == 1 { half } else { -half })
        })
        .collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles: Vec<[u32; 3]> = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh::from_slices(&corners, &triangles).unwrap()
}

pub fn tree(mesh: &Mesh) -> TreeAsset {
    BvTree::build(mesh, &BuildOptions::default()).unwrap().into()
}

/// The text of a mesh as an OBJ file.
pub fn obj(mesh: &Mesh) -> String {
    let vertices = mesh.vertices().iter().map(|v| format!("v {} {} {}\n", v.x, v.y, v.z));
    let faces = mesh.triangles().iter().map(|[a, b, c]| format!("f {} {} {}\n", a + 1, b + 1, c + 1));
    vertices.chain(faces).collect()
}

/// Numbers in -1..1, the same in each run.
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 40) as f32 / (1u64 << 23) as f32 - 1.0
    }
}
