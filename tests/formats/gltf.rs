use super::forms::{base64, glb_of};
use super::{complaint, read, read_with};
use bvtree::Mesh;
use bvtree::mesh::{GroupBy, MeshError, MeshInstances, ReadOptions};
use serde_json::{Value, json};

/// Four corners of a unit square; indices of two triangles as u8, padded; four positions as normalized u16, padded to 8
/// bytes.
fn buffer() -> Vec<u8> {
    let square = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let mut bytes: Vec<u8> = square.as_flattened().iter().flat_map(|x| x.to_le_bytes()).collect();
    bytes.extend([0, 1, 2, 0, 2, 3, 0, 0]);
    for point in square {
        let words = point.map(|x| (x * 65535.0) as u16);
        bytes.extend(words.iter().chain(&[0]).flat_map(|word| word.to_le_bytes()));
    }
    bytes
}

fn document() -> Value {
    let buffer = buffer();
    json!({
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "square", "mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}],
        "materials": [{"name": "steel"}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [1, 1, 0]},
            {"bufferView": 1, "componentType": 5121, "count": 6, "type": "SCALAR"},
            {"bufferView": 2, "componentType": 5123, "count": 4, "type": "VEC3", "normalized": true, "min": [0, 0, 0],
                "max": [1, 1, 0]},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": 48},
            {"buffer": 0, "byteOffset": 48, "byteLength": 8},
            {"buffer": 0, "byteOffset": 56, "byteLength": 32, "byteStride": 8},
        ],
        "buffers": [{"byteLength": buffer.len(), "uri": format!("data:;base64,{}", base64(&buffer))}],
    })
}

/// With the value at the pointer replaced.
fn changed(pointer: &str, value: Value) -> String {
    let mut document = document();
    match document.pointer_mut(pointer) {
        Some(there) => *there = value,
        None => {
            let (parent, key) = pointer.rsplit_once('/').unwrap();
            document.pointer_mut(parent).unwrap()[key] = value;
        }
    }
    document.to_string()
}

fn points(mesh: &Mesh) -> Vec<[f32; 3]> {
    mesh.vertices().iter().map(|v| [v.x, v.y, v.z]).collect()
}

#[test]
fn nodes_place_their_meshes_and_name_groups() {
    let nodes = json!([
        {"name": "arm", "translation": [10, 0, 0], "children": [1, 2], "mesh": 0},
        {"mesh": 0, "scale": [2, 2, 2]},
        {"name": "hand", "rotation": [0, 0, 1, 0], "mesh": 0},
    ]);
    let mesh = read("a.gltf", changed("/nodes", nodes)).unwrap();
    let groups: Vec<_> = mesh.groups().iter().map(|group| (group.name.as_str(), group.first_triangle)).collect();
    assert_eq!(groups, [("arm", 0), ("arm/node1", 2), ("arm/hand", 4)]);
    assert_eq!(
        points(&mesh)[..6],
        [[10., 0., 0.], [11., 0., 0.], [11., 1., 0.], [10., 1., 0.], [10., 0., 0.], [12., 0., 0.]]
    );
    assert_eq!(points(&mesh)[9], [9.0, 0.0, 0.0]);
    assert_eq!(mesh.triangles()[2], [4, 5, 6]);
}

/// Exporters write quaternions of f32: a half turn has a component of 4e-8, a quarter turn two that differ in their
/// last digit.
#[test]
fn turns_of_nodes_keep_what_is_exact() {
    for (rotation, corners) in [
        (json!([0, 0, 1, -4.371_138_828_673_793e-8]), [[-1.0, 0.0, 0.0], [-1.0, -1.0, 0.0]]),
        (json!([0.707_106_828_689_575_2, 0, 0, 0.707_106_709_480_285_6]), [[1.0, 0.0, 0.0], [1.0, 0.0, 1.0]]),
        (json!([0, 0, 0, 3]), [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]]),
    ] {
        let mesh = read("a.gltf", changed("/nodes/0/rotation", rotation)).unwrap();
        assert_eq!(points(&mesh)[1..3], corners);
    }
}

#[test]
fn a_mirrored_mesh_keeps_its_outside() {
    let mesh = read("a.gltf", changed("/nodes/0/scale", json!([-1, 1, 1]))).unwrap();
    assert_eq!(mesh.triangles(), [[0, 2, 1], [0, 3, 2]]);
}

#[test]
fn far_nodes_lose_no_digits_with_an_origin() {
    let text = changed("/nodes/0/translation", json!([500_000_000.25, 0, 0]));
    let options = ReadOptions { origin: bvtree::mesh::Origin::FirstVertex, ..ReadOptions::default() };
    let mesh = read_with("a.gltf", text, &options).unwrap().mesh;
    assert_eq!(mesh.origin().x, 500_000_000.0);
    assert_eq!(points(&mesh)[1], [1.25, 0.0, 0.0]);
}

#[test]
fn materials_strips_fans_and_quantized_positions_are_read() {
    let options = ReadOptions { group_by: GroupBy::Material, ..ReadOptions::default() };
    let mesh = read_with("a.gltf", document().to_string(), &options).unwrap().mesh;
    assert_eq!(mesh.groups()[0].name, "steel");
    let objects = read("a.gltf", document().to_string()).unwrap();
    let options = ReadOptions { group_by: GroupBy::Both, ..ReadOptions::default() };
    let both = read_with("a.gltf", document().to_string(), &options).unwrap().mesh;
    assert_eq!((both.group_ids(), both.material_ids()), (objects.group_ids(), mesh.group_ids()));
    let primitive = |extra: Value| {
        let mut primitive = json!({"attributes": {"POSITION": 2}});
        primitive.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        let mut document: Value = serde_json::from_str(&changed("/meshes/0/primitives/0", primitive)).unwrap();
        document["extensionsRequired"] = json!(["KHR_mesh_quantization"]);
        read("a.gltf", document.to_string())
    };
    let strip = primitive(json!({"mode": 5})).unwrap();
    assert_eq!(strip.triangles(), [[0, 1, 2], [2, 1, 3]]);
    assert_eq!(points(&strip), [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]);
    assert_eq!(primitive(json!({"mode": 6})).unwrap().triangles(), [[1, 2, 0], [2, 3, 0]]);
    assert_eq!(
        primitive(json!({"mode": 4})).unwrap_err().to_string(),
        "mesh 0, primitive 0: expected whole triangles, found 4 corners"
    );
    assert_eq!(primitive(json!({"mode": 1})).unwrap_err().to_string(), "the glTF file has no faces");
}

#[test]
fn sparse_accessors_replace_elements() {
    let mut document = document();
    document["accessors"][0]["sparse"] = json!({"count": 1, "indices": {"bufferView": 1, "byteOffset": 1,
        "componentType": 5121}, "values": {"bufferView": 0, "byteOffset": 24}});
    let mesh = read("a.gltf", document.to_string()).unwrap();
    assert_eq!(points(&mesh)[1], [1.0, 1.0, 0.0]);
    document["accessors"][0]["sparse"]["count"] = json!(99);
    assert!(
        complaint("a.gltf", document.to_string()).starts_with("accessor 0: expected elements that lie in its buffer")
    );
}

#[test]
fn sparse_accessors_without_a_buffer_replace_zeros() {
    let mut document = document();
    let sparse = json!({"count": 1, "indices": {"bufferView": 1, "byteOffset": 1, "componentType": 5121},
        "values": {"bufferView": 0, "byteOffset": 24}});
    let accessor = document["accessors"][0].as_object_mut().unwrap();
    accessor.remove("bufferView");
    accessor.insert("sparse".into(), sparse);
    let mesh = read("a.gltf", document.to_string()).unwrap();
    assert_eq!(points(&mesh)[..2], [[0.0; 3], [1.0, 1.0, 0.0]]);
    // A short file means no vast mesh.
    document["accessors"][0]["count"] = json!(1_000_000_000);
    assert!(
        complaint("a.gltf", document.to_string()).starts_with("accessor 0: expected elements that lie in its buffer")
    );
}

#[test]
fn points_and_lines_are_told() {
    let mut document = document();
    document["meshes"][0]["primitives"].as_array_mut().unwrap().push(json!({"attributes": {"POSITION": 0}, "mode": 0}));
    let import = read_with("a.gltf", document.to_string(), &ReadOptions::default()).unwrap();
    assert_eq!((import.skipped.len(), import.skipped[0].count), (1, 1));
}

#[test]
fn what_is_not_read_is_refused_by_name() {
    for (name, part) in [
        ("KHR_draco_mesh_compression", "decompress the file first"),
        ("EXT_meshopt_compression", "gltfpack"),
        ("EXT_mesh_gpu_instancing", "a node for each"),
        ("XYZ_unheard_of", "requires the extension XYZ_unheard_of"),
    ] {
        let text = complaint("a.gltf", changed("/extensionsRequired", json!([name])));
        assert!(text.contains(part) && text.contains(name), "{text}");
    }
    for name in ["KHR_materials_unlit", "KHR_lights_punctual"] {
        assert!(read("a.gltf", changed("/extensionsRequired", json!([name]))).is_ok());
    }
    // Not required, but without them the mesh is somewhere else.
    let instances = json!({"EXT_mesh_gpu_instancing": {"attributes": {"TRANSLATION": 0}}});
    let text = complaint("a.gltf", changed("/nodes/0/extensions", instances));
    assert!(text.contains("a node for each"), "{text}");
}

#[test]
fn only_the_first_buffer_is_in_a_binary_chunk() {
    let mut document = document();
    let bytes = buffer();
    document["buffers"] = json!([{"byteLength": bytes.len()}, {"byteLength": bytes.len()}]);
    assert_eq!(
        complaint("a.glb", glb_of(document.to_string(), &bytes)),
        "buffer 1: expected the file's binary chunk, found none"
    );
}

#[test]
fn errors_name_the_place() {
    let with = |pointer: &str, value: Value| complaint("a.gltf", changed(pointer, value));
    assert!(with("/nodes/0/mesh", json!(7)).starts_with("its JSON: expected a valid glTF document"));
    assert_eq!(
        with("/meshes/0/primitives/0/attributes/POSITION", json!(3)),
        "mesh 0: expected positions in an accessor, found 3"
    );
    assert!(complaint("a.gltf", "{\n \"asset\": }").starts_with("line 2: expected the JSON of glTF"));
    assert!(complaint("a.glb", "glTF\x02\0\0\0\x0c").starts_with("its chunks: expected a sound GLB file"));
    assert_eq!(
        with("/accessors/0/count", json!(5)),
        "accessor 0: expected elements that lie in its buffer, found others, or none"
    );
    assert_eq!(
        with("/bufferViews/0/byteLength", json!(u64::MAX)),
        "accessor 0: expected elements that lie in its buffer, found others, or none"
    );
    assert_eq!(with("/accessors/0/count", json!(2)), "mesh 0, primitive 0: expected indices below 2, found 2");
    assert_eq!(
        with("/accessors/1/componentType", json!(5126)),
        "accessor 1: expected indices of unsigned integers, found F32"
    );
    assert_eq!(with("/nodes/0/rotation", json!([0, 0, 0, 0])), "node 'square': expected a rotation, found zero");
    assert_eq!(
        with("/nodes/0/matrix", json!(vec![0; 16])),
        "node 'square': expected an affine and finite matrix, found another"
    );
    assert_eq!(
        with("/nodes/0/children", json!([0])),
        "node 0: expected nodes that are a tree, found a node below two others, or below itself"
    );
    assert_eq!(with("/buffers/0/byteLength", json!(1000)), "buffer 0: expected 1000 bytes, as it says, found 88");
    for uri in ["/etc/passwd", "../up.bin", "https://example.com/a.bin", "data:text,abc"] {
        assert!(with("/buffers/0/uri", json!(uri)).starts_with("buffer 0: expected "), "{uri}");
    }
    assert!(
        complaint("a.glb", glb_of(changed("/buffers/0", json!({"byteLength": 999})), &buffer()))
            .starts_with("buffer 0: expected 999 bytes")
    );
}

#[test]
fn buffers_lie_beside_the_file_and_scenes_keep_their_meshes() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("the data")).unwrap();
    std::fs::write(folder.path().join("the data/all.bin"), buffer()).unwrap();
    let nodes = json!([{"name": "a", "mesh": 0, "children": [1]}, {"name": "b", "mesh": 0, "translation": [0, 0, 5]}]);
    let mut document: Value = serde_json::from_str(&changed("/nodes", nodes)).unwrap();
    document["buffers"][0]["uri"] = json!("the%20data/all.bin");
    let path = folder.path().join("scene.gltf");
    std::fs::write(&path, document.to_string()).unwrap();
    assert_eq!(Mesh::open(&path).unwrap().triangles().len(), 4);
    let scene = MeshInstances::open(&path).unwrap();
    assert_eq!((scene.meshes.len(), scene.instances.len()), (1, 2));
    assert_eq!((scene.instances[1].name.as_str(), scene.instances[1].to_world[(2, 3)]), ("a/b", 5.0));
    std::fs::remove_file(folder.path().join("the data/all.bin")).unwrap();
    let text = Mesh::open(&path).unwrap_err().to_string();
    assert!(text.contains("scene.gltf: ") && text.contains("all.bin: "), "{text}");
    let obj = folder.path().join("one.obj");
    std::fs::write(&obj, "v 0 0 0\nf 1 1 1\n").unwrap();
    assert_eq!(MeshInstances::open(&obj).unwrap().instances[0].name, "one");
}

#[test]
fn a_node_placed_twice_is_refused_before_its_names_are_copied() {
    let children = vec![1; 20_000];
    let nodes = json!([{"name": "A".repeat(20_000), "children": children}, {"mesh": 0}]);
    assert_eq!(
        complaint("a.gltf", changed("/nodes", nodes)),
        "node 1: expected nodes that are a tree, found a node below two others, or below itself"
    );
    let mut document = document();
    document["scenes"] = json!([{"nodes": [0, 0]}]);
    assert!(complaint("a.gltf", document.to_string()).starts_with("node 0: expected nodes that are a tree"));
}

#[test]
fn nodes_of_one_name_are_numbered() {
    let count = 20_000;
    let mut nodes = vec![json!({"name": "all", "children": (1..count).collect::<Vec<_>>()})];
    nodes.extend((1..count).map(|i| json!({"name": if i == 5 { "a#3" } else { "a" }, "mesh": 0})));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.gltf");
    std::fs::write(&path, changed("/nodes", json!(nodes))).unwrap();
    let names: Vec<String> =
        MeshInstances::open(&path).unwrap().instances.into_iter().map(|instance| instance.name).collect();
    assert_eq!(names[..6], ["all/a", "all/a#2", "all/a#3", "all/a#4", "all/a#3#2", "all/a#5"]);
    assert_eq!(names.last().unwrap(), &format!("all/a#{}", count - 2));
}

#[test]
fn inherited_extras_are_limited() {
    let extras: serde_json::Map<String, Value> = (0..1000).map(|i| (format!("{i}"), json!(""))).collect();
    let mut nodes = vec![json!({"extras": extras, "children": (1..4000).collect::<Vec<_>>()})];
    nodes.extend((1..4000).map(|_| json!({"mesh": 0})));
    assert_eq!(
        complaint("a.gltf", changed("/nodes", json!(nodes))),
        "its nodes: expected paths and extras of at most 64 MiB in all, found longer ones"
    );
}

#[test]
fn a_file_of_several_buffers_is_read_once() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("all.bin"), buffer()).unwrap();
    let mut document = document();
    let length = buffer().len();
    // The shortest first: each buffer has its own length.
    document["buffers"] = json!([
        {"byteLength": 48, "uri": "all.bin"},
        {"byteLength": length, "uri": "./all.bin"},
        {"byteLength": length, "uri": "%61ll.bin"},
    ]);
    for (view, buffer) in [(0, 0), (1, 1), (2, 2)] {
        document["bufferViews"][view]["buffer"] = json!(buffer);
    }
    let path = folder.path().join("scene.gltf");
    std::fs::write(&path, document.to_string()).unwrap();
    let scene = MeshInstances::open(&path).unwrap();
    assert_eq!((scene.files, scene.meshes[0].triangles().len()), (vec![folder.path().join("all.bin")], 2));
    document["buffers"][2]["byteLength"] = json!(length + 1);
    std::fs::write(&path, document.to_string()).unwrap();
    let text = MeshInstances::open(&path).unwrap_err().to_string();
    assert!(text.ends_with(&format!("buffer 2: expected {} bytes, as it says, found {length}", length + 1)), "{text}");
}

#[test]
fn long_names_of_materials_are_limited() {
    let primitives: Vec<Value> =
        (0..3000).map(|i| json!({"attributes": {"POSITION": 0}, "indices": 1, "material": i % 2})).collect();
    let mut document = document();
    document["meshes"][0]["primitives"] = json!(primitives);
    document["materials"] = json!([{"name": "A".repeat(50_000)}, {"name": "b"}]);
    let by = |group_by| ReadOptions { group_by, ..ReadOptions::default() };
    let text = document.to_string();
    assert!(read_with("a.gltf", &text, &by(GroupBy::Object)).is_ok());
    assert_eq!(read_with("a.gltf", &text, &by(GroupBy::Material)).unwrap().mesh.groups().len(), 3000);
    document["materials"][1]["name"] = json!("B".repeat(50_000));
    let error = read_with("a.gltf", document.to_string(), &by(GroupBy::Material)).unwrap_err();
    assert!(matches!(error, MeshError::LongNames { allowed } if allowed == 1 << 27), "{error}");
}
