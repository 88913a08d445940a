//! Cooked files are loaded, mesh files are cooked on import, and reloaded assets replace bodies' trees.

use std::fs;
use std::path::Path;

use bevy_app::App;
use bevy_asset::{AssetServer, Assets, Handle};
use bvtree::{BuildOptions, BvTree, VolumeKind};
use bvtree_bevy::{CollisionBody, CollisionScene, TreeAsset};

use crate::support::{app_in, app_processing, cuboid, obj, tree, update_until};

fn loaded(app: &mut App, path: &'static str) -> (Handle<TreeAsset>, TreeAsset) {
    let handle: Handle<TreeAsset> = app.world().resource::<AssetServer>().load(path);
    let get = |app: &App| app.world().resource::<Assets<TreeAsset>>().get(&handle).cloned();
    update_until(app, path, |app| get(app).is_some());
    let asset = get(app).unwrap();
    (handle, asset)
}

fn bytes(tree: &BvTree) -> Vec<u8> {
    let mut bytes = Vec::new();
    tree.write_to(&mut bytes).unwrap();
    bytes
}

#[test]
fn a_cooked_file_arrives_byte_by_byte_and_a_damaged_one_fails() {
    let folder = tempfile::tempdir().unwrap();
    let cooked = tree(&cuboid([1.0, 2.0, 3.0])).0;
    let mut damaged = bytes(&cooked);
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    fs::write(folder.path().join("level.bvt"), bytes(&cooked)).unwrap();
    fs::write(folder.path().join("damaged.bvt"), damaged).unwrap();
    let mut app = app_in(folder.path());
    let (_, asset) = loaded(&mut app, "level.bvt");
    assert_eq!(bytes(&asset.0), bytes(&cooked));
    let damaged: Handle<TreeAsset> = app.world().resource::<AssetServer>().load("damaged.bvt");
    update_until(&mut app, "a failure", |app| app.world().resource::<AssetServer>().load_state(&damaged).is_failed());
}

#[test]
fn a_reloaded_file_replaces_the_tree_of_the_same_body() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("level.bvt"), bytes(&tree(&cuboid([1.0, 2.0, 3.0])).0)).unwrap();
    let mut app = app_in(folder.path());
    let (handle, _) = loaded(&mut app, "level.bvt");
    check_reload(&mut app, handle, |_| {
        fs::write(folder.path().join("level.bvt"), bytes(&tree(&cuboid([4.0, 2.0, 3.0])).0)).unwrap();
    });
}

/// A body follows a file whose box becomes four units wide instead of one.
fn check_reload(app: &mut App, handle: Handle<TreeAsset>, change: impl Fn(usize)) {
    let entity = app.world_mut().spawn(CollisionBody::fixed(handle)).id();
    app.update();
    let width = |app: &App| {
        let collisions = app.world().resource::<CollisionScene>();
        let id = collisions.body_of(entity).unwrap();
        (id, collisions.scene().body(id).unwrap().geometry.bounds().upper.x)
    };
    let (before, one) = width(app);
    assert_eq!(one, 1.0);
    // Bevy misses a change now and then, which the next one makes up for.
    let mut frames = 0;
    update_until(app, "the reload", |app| {
        if frames % 100 == 0 {
            change(frames);
        }
        frames += 1;
        width(app) == (before, 4.0)
    });
}

fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) {
    fs::create_dir_all(folder.join("source")).unwrap();
    fs::write(folder.join("source").join(name), content).unwrap();
}

#[test]
fn the_processor_cooks_a_mesh_and_cooks_it_again_when_it_changes() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "level.collider.obj", obj(&cuboid([1.0, 2.0, 3.0])));
    let mut app = app_processing(folder.path());
    let (handle, _) = loaded(&mut app, "level.collider.obj");
    // What lies in the processed folder is a cooked file, the same as the library's.
    let processed = fs::read(folder.path().join("processed/level.collider.obj")).unwrap();
    assert_eq!(processed, bytes(&tree(&cuboid([1.0, 2.0, 3.0])).0));
    check_reload(&mut app, handle, |time| {
        // The content differs each time, since a file with the same content is not cooked again.
        write(folder.path(), "level.collider.obj", obj(&cuboid([4.0, 2.0, 3.0])) + &format!("# {time}"));
    });
}

#[test]
fn a_meta_file_sets_the_options() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "crate.obj", obj(&cuboid([1.0, 2.0, 3.0])));
    let meta = r#"(
        meta_format_version: "1.0",
        asset: Process(
            processor: "LoadTransformAndSave<MeshLoader, IdentityAssetTransformer<TreeAsset>, TreeSaver>",
            settings: (
                loader_settings: (build: (kind: "aabb"), scale: 0.5),
                transformer_settings: (),
                saver_settings: (compact: true),
            ),
        ),
    )"#;
    write(folder.path(), "crate.obj.meta", meta);
    let mut app = app_processing(folder.path());
    let (_, asset) = loaded(&mut app, "crate.obj");
    assert_eq!(asset.0.kind(), VolumeKind::Aabb);
    let options = BuildOptions { kind: VolumeKind::Aabb, ..BuildOptions::default() };
    let tree = BvTree::build(&cuboid([0.5, 1.0, 1.5]), &options).unwrap();
    let mut compact = Vec::new();
    tree.write_compact_to(&mut compact).unwrap();
    assert_eq!(fs::read(folder.path().join("processed/crate.obj")).unwrap(), compact);
}

/// A glTF document of one triangle, with its buffer in a file beside it.
fn gltf(width: f32) -> (String, Vec<u8>) {
    let corners = [[0.0f32, 0.0, 0.0], [width, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let buffer: Vec<u8> = corners.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
    let document = format!(
        r#"{{"asset":{{"version":"2.0"}},"scenes":[{{"nodes":[0]}}],"nodes":[{{"mesh":0}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}}}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3","min":[0,0,0],"max":[{width},1,0]}}],
        "bufferViews":[{{"buffer":0,"byteLength":36}}],"buffers":[{{"uri":"triangle.bin","byteLength":36}}]}}"#
    );
    (document, buffer)
}

#[test]
fn buffers_of_gltf_are_assets() {
    let folder = tempfile::tempdir().unwrap();
    let (document, buffer) = gltf(2.0);
    write(folder.path(), "marked.gltf", format!("\u{feff}{document}"));
    write(folder.path(), "level.collider.gltf", document);
    write(folder.path(), "triangle.bin", buffer);
    let mut plain = app_in(&folder.path().join("source"));
    assert_eq!(loaded(&mut plain, "marked.gltf").1.0.bounds().upper.x, 2.0, "with a byte order mark");
    assert_eq!(loaded(&mut plain, "level.collider.gltf").1.0.bounds().upper.x, 2.0);
    let mut processing = app_processing(folder.path());
    assert_eq!(loaded(&mut processing, "level.collider.gltf").1.0.bounds().upper.x, 2.0);
}

/// A GLB file may name buffers beside it, too, and keeps those inside it.
#[test]
fn buffers_of_glb_are_assets() {
    let folder = tempfile::tempdir().unwrap();
    let (document, buffer) = gltf(2.0);
    write(folder.path(), "beside.glb", glb(&document, &[]));
    write(folder.path(), "triangle.bin", &buffer);
    write(folder.path(), "inside.glb", glb(&document.replace(r#""uri":"triangle.bin","#, ""), &buffer));
    // The first of two buffers is inside.
    let both = document.replace(r#""buffers":["#, r#""buffers":[{"byteLength":36},"#);
    write(folder.path(), "both.glb", glb(&both.replace(r#""buffer":0"#, r#""buffer":1"#), &[0; 36]));
    let mut plain = app_in(&folder.path().join("source"));
    for name in ["beside.glb", "inside.glb", "both.glb"] {
        assert_eq!(loaded(&mut plain, name).1.0.bounds().upper.x, 2.0, "{name}");
    }
}

/// A GLB file with this binary chunk, or without one if it is empty.
fn glb(document: &str, binary: &[u8]) -> Vec<u8> {
    let mut json = document.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let chunk = |kind: &[u8], content: &[u8]| [&(content.len() as u32).to_le_bytes()[..], kind, content].concat();
    let mut chunks = chunk(b"JSON", &json);
    if !binary.is_empty() {
        chunks.extend(chunk(b"BIN\0", binary));
    }
    let length = 12 + chunks.len() as u32;
    [&b"glTF"[..], &2u32.to_le_bytes(), &length.to_le_bytes(), &chunks].concat()
}

/// As in glTF, names are percent-encoded; what looks like an asset's label is part of a name.
#[test]
fn names_of_buffers_are_decoded() {
    let folder = tempfile::tempdir().unwrap();
    let (document, buffer) = gltf(2.0);
    write(folder.path(), "level.gltf", document.replace("triangle.bin", "a%20b%231.bin"));
    write(folder.path(), "a b#1.bin", buffer);
    let mut plain = app_in(&folder.path().join("source"));
    assert_eq!(loaded(&mut plain, "level.gltf").1.0.bounds().upper.x, 2.0);
}
