//! glTF scenes as assemblies.

use serde_json::{Value, json};

use crate::{Workplace, assert_has, json_lines};

/// A glTF file as text, with its buffer embedded: the given nodes, and one mesh, a tetrahedron.
pub fn gltf_text(nodes: &Value) -> String {
    let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let (document, bytes) = gltf_of(nodes, &[(&points, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])]);
    use base64::Engine;
    let data = base64::engine::general_purpose::STANDARD.encode(bytes);
    document.replace("x.bin", &format!("data:application/octet-stream;base64,{data}"))
}

/// The vertices and triangles of a mesh.
type Surface<'a> = (&'a [[f32; 3]], &'a [[u32; 3]]);

/// A glTF file as text with the given nodes and meshes, and the content of its buffer `x.bin`. Nothing reads the
/// ends of the positions.
pub fn gltf_of(nodes: &Value, meshes: &[Surface<'_>]) -> (String, Vec<u8>) {
    let (mut bytes, mut accessors, mut views, mut primitives) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for (points, triangles) in meshes {
        let index = accessors.len();
        primitives.push(json!({"primitives": [{"attributes": {"POSITION": index}, "indices": index + 1}]}));
        accessors.push(json!({"bufferView": index, "componentType": 5126, "count": points.len(), "type": "VEC3",
            "min": [0, 0, 0], "max": [1, 1, 1]}));
        accessors.push(json!({"bufferView": index + 1, "componentType": 5125, "count": 3 * triangles.len(),
            "type": "SCALAR"}));
        views.push(json!({"buffer": 0, "byteOffset": bytes.len(), "byteLength": 12 * points.len()}));
        bytes.extend(points.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
        views.push(json!({"buffer": 0, "byteOffset": bytes.len(), "byteLength": 12 * triangles.len()}));
        bytes.extend(triangles.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
    }
    let roots: Vec<usize> = (0..nodes.as_array().unwrap().len()).filter(|&i| nodes[i].get("below").is_none()).collect();
    let document = json!({
        "asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": roots}], "nodes": nodes,
        "meshes": primitives, "accessors": accessors, "bufferViews": views,
        "buffers": [{"byteLength": bytes.len(), "uri": "x.bin"}],
    });
    (document.to_string(), bytes)
}

/// Boxes whose faces meet at x = 1.5 only touch, although one is in millimetres and scaled by 0.001.
#[test]
fn scaled_boxes_touch_exactly() {
    let corner = |[x, y, z]: [f32; 3], [u, v, w]: [f32; 3]| -> [[f32; 3]; 8] {
        std::array::from_fn(|i| [[x, u][i & 1], [y, v][i >> 1 & 1], [z, w][i >> 2]])
    };
    let sides = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles: Vec<[u32; 3]> = sides.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let in_millimetres = corner([0.0; 3], [1500.0, 1000.0, 1000.0]);
    let in_metres = corner([1.5, 0.2, 0.2], [2.5, 0.7, 0.7]);
    let nodes = json!([{"name": "mm", "mesh": 0, "scale": [0.001, 0.001, 0.001]}, {"name": "m", "mesh": 1}]);
    let (document, bytes) = gltf_of(&nodes, &[(&in_millimetres, &triangles), (&in_metres, &triangles)]);
    let workplace = Workplace::new();
    workplace.write("units.gltf", &document);
    std::fs::write(workplace.path("x.bin"), bytes).unwrap();
    let rows = json_lines(&workplace.answer("clash units.gltf -q --format json"));
    assert_eq!(rows.iter().map(|row| row["relation"].clone()).collect::<Vec<_>>(), ["touching"], "{rows:?}");
}

/// A tetrahedron stands on another's base plane: turned about z by quaternions of f32, upside down, below parent nodes,
/// and scaled.
#[test]
fn turned_nodes_stay_flush() {
    let workplace = Workplace::new();
    let half = std::f32::consts::FRAC_1_SQRT_2;
    let turns = [
        json!({"rotation": [0.0, 0.0, 0.25881904, 0.9659258]}),
        json!({"rotation": [0.0, 0.0, half, half.next_up()]}),
        json!({"rotation": [0.0, 0.0, 1.0, -4.371139e-8]}),
        json!({"rotation": [1.0, 0.0, 0.0, -4.371139e-8]}),
        json!({"rotation": [0.0, 0.0, 0.17364818, 0.9848077], "scale": [3.0, 3.0, 3.0]}),
        json!({"rotation": [0.0, 0.0, 0.17364818, 0.9848077], "scale": [0.1, 0.1, 0.1]}),
    ];
    for turn in turns {
        let mut upper = turn.clone();
        upper["name"] = "upper".into();
        upper["mesh"] = 0.into();
        upper["translation"] = json!([0.1, 0.1, 0.0]);
        upper["below"] = true.into();
        // Upside down, the other's base is in the plane z = 0 too.
        let nodes = json!([
            {"name": "floor", "mesh": 0, "rotation": [1.0, 0.0, 0.0, 0.0], "translation": [-0.2, 0.7, 0.0]},
            {"name": "above", "rotation": [0.0, 0.0, 0.13052619, 0.9914449], "children": [2]},
            upper,
        ]);
        workplace.write("flush.gltf", &gltf_text(&nodes));
        let rows = json_lines(&workplace.answer("clash flush.gltf -q --format json"));
        let relation = if turn["rotation"][0] == 1.0 { "crossing" } else { "touching" };
        assert_eq!(rows.iter().map(|row| row["relation"].clone()).collect::<Vec<_>>(), [relation], "{turn}");
    }
}

#[test]
fn scenes_place_their_nodes() {
    let workplace = Workplace::new();
    // Far away by f64, scaled, mirrored, and two siblings of one name.
    let nodes = json!([
        {"name": "site", "translation": [500000.125, 4600000.0, 0.0], "children": [1, 2, 3]},
        {"name": "part", "mesh": 0, "below": true},
        {"name": "part", "mesh": 0, "translation": [1.0009765625, 0.0, 0.0], "below": true},
        {"name": "big", "mesh": 0, "scale": [2.0, 2.0, 2.0], "translation": [0.0, 0.0, -2.0009765625], "below": true},
        {"name": "mirrored", "mesh": 0, "scale": [-1.0, 1.0, 1.0], "translation": [499999.0, 4600000.0, 0.0]},
    ]);
    workplace.write("site.gltf", &gltf_text(&nodes));
    let objects = json_lines(&workplace.answer("clash site.gltf -q --format json --clearance 0.002"));
    let told: Vec<_> = objects.iter().map(|row| (row["a"].as_str().unwrap(), row["b"].as_str().unwrap())).collect();
    assert_eq!(told, [("site/part", "site/part#2"), ("site/part", "site/big")]);
    for object in &objects {
        // A millimetre near half a million.
        assert!((object["distance"].as_f64().unwrap() - 0.0009765625).abs() < 1e-9, "{object}");
    }
    let broken = gltf_text(&nodes).replace("\"count\":12", "\"count\":999");
    workplace.write("broken.gltf", &broken);
    assert_eq!(workplace.run("clash broken.gltf").code, Some(2));
    let endless = json!([{"name": "a", "mesh": 0, "children": [1]}, {"name": "b", "children": [0], "below": true}]);
    workplace.write("endless.gltf", &gltf_text(&endless));
    assert_eq!(workplace.run("clash endless.gltf").code, Some(2));
    workplace.write("text.glb", "glTF and more");
    assert_has(&workplace.complaint("clash text.glb"), &["text.glb: its chunks: expected a sound GLB file"]);
}

/// Two tetrahedra far from the origin. One stands on the other, but is a hundredth of a millimetre too low or too high.
#[test]
fn snapped_scenes_touch_what_they_nearly_touch() {
    let workplace = Workplace::new();
    let half = std::f32::consts::FRAC_1_SQRT_2;
    for noise in [-1e-5, 1e-5] {
        let nodes = json!([
            {"name": "base", "mesh": 0, "translation": [121_687.3, 487_316.1, 2.0], "rotation": [half, half, 0.0, 0.0]},
            {"name": "top", "mesh": 0, "translation": [121_687.3, 487_316.1, 2.0 + noise]},
        ]);
        workplace.write("scene.gltf", &gltf_text(&nodes));
        let question = "clash scene.gltf -q --format json --up z --clearance 0.001";
        let relation = |options: &str| {
            let rows = json_lines(&workplace.answer(&format!("{question} {options}")));
            rows.iter().map(|row| row["relation"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        let exact = if noise > 0.0 { "separate" } else { "crossing" };
        assert_eq!((relation(""), relation("--snap 0.0001")), (vec![exact.to_owned()], vec!["touching".to_owned()]));
    }
    let complaint = workplace.complaint("clash scene.gltf --snap=-1");
    assert_has(&complaint, &["--snap", "expected a finite number, 0 or more"]);
}

/// Extras are properties, which rules may name; a node has those of the nodes above, too.
#[test]
fn extras_are_properties() {
    let workplace = Workplace::new();
    let nodes = json!([
        {"name": "level", "children": [1, 2], "extras": {"storey": "Level 2", "file": "arch.ifc", "list": [1]}},
        {"name": "duct", "mesh": 0, "extras": {"class": "IfcDuct", "type": "D200", "number": 7}, "below": true},
        {"name": "wall", "mesh": 0, "extras": {"class": "IfcWall", "storey": "Level 3"}, "below": true},
        {"name": "plain", "mesh": 0},
    ]);
    workplace.write("scene.gltf", &gltf_text(&nodes).replace(",\"below\":true", "").replace("\"below\":true,", ""));
    let rules = "[groups]\nducts = { class = \"IfcDuct\", number = \"7\", storey = \"Level 2\" }\n\
                 others = { file = \"scene.gltf\" }\n";
    let rule = |pair: &str| format!("{rules}\n[[rules]]\nbetween = [{pair}]\n");
    let rows = |rule: &str| {
        workplace.write("rules.toml", rule);
        let rows = json_lines(&workplace.answer("clash scene.gltf -q --format json --rules rules.toml"));
        rows.iter()
            .map(|row| [&row["a"], &row["b"], &row["issue"]].map(|x| x.as_str().unwrap().to_owned()))
            .collect::<Vec<_>>()
    };
    let found = rows(&rule("\"ducts\", \"*\""));
    let names: Vec<_> = found.iter().map(|[a, b, _]| (a.as_str(), b.as_str())).collect();
    assert_eq!(names, [("level/duct", "level/wall"), ("level/duct", "plain")]);
    assert_has(&found[0][2], &["D200", "IfcWall"]);
    assert_eq!(rows(&rule("\"others\", \"others\"")).len(), 0);
    assert_eq!(rows(&rule("\"others\", \"ducts\"")).len(), 1);
}
