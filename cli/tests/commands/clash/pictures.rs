//! The model and the page.

use std::fs;

use serde_json::Value;

use super::{rows, workplace};

#[test]
fn the_model_and_the_page_show_what_clashes() {
    let workplace = workplace();
    workplace.answer("clash plant.json -q --format csv --glb plant.glb --html plant.html");
    let bytes = fs::read(workplace.path("plant.glb")).unwrap();
    let gltf = gltf::Gltf::from_slice(&bytes).unwrap();
    let names: Vec<_> = gltf.nodes().filter_map(|node| node.name().map(str::to_owned)).collect();
    for name in ["cube", "small", "far", "cube x bar", "assembly"] {
        assert!(names.contains(&name.to_owned()), "{names:?}");
    }
    let material = |name: &str| {
        let node = gltf.nodes().find(|node| node.name() == Some(name)).unwrap();
        let primitive = node.mesh().unwrap().primitives().next().unwrap();
        (primitive.material().name().unwrap().to_owned(), primitive.mode())
    };
    assert_eq!(material("cube").0, "clashing");
    assert_eq!(material("far").0, "body");
    assert_eq!(material("cube x bar"), ("contact".to_owned(), gltf::mesh::Mode::LineStrip));
    let blob = gltf.blob.as_deref().unwrap();
    for mesh in gltf.meshes() {
        for primitive in mesh.primitives() {
            assert!(primitive.reader(|_| Some(blob)).read_positions().unwrap().count() > 1);
        }
    }
    let html = fs::read_to_string(workplace.path("plant.html")).unwrap();
    let (_, rest) = html.split_once("id=\"data\">").unwrap();
    let data: Value = serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap();
    assert_eq!(data["clashes"].as_array().unwrap().len(), 11);
    assert_eq!(data["bodies"].as_array().unwrap().len(), 7);
    assert_eq!(data["scene"]["parts"].as_array().unwrap().len(), 3, "a mesh is there once");
    assert!(!data["clashes"][1]["curves"].as_array().unwrap().is_empty());

    // The model can be read as a scene: rotated to y up, centered, and with the same clashes.
    let again = rows(&workplace.answer("clash plant.glb -q --format csv --clearance 0.2500001"));
    let pairs: Vec<_> = again.iter().map(|row| (row[0].rsplit('/').next().unwrap(), row[3].as_str())).collect();
    assert_eq!(pairs.iter().filter(|(_, class)| *class == "duplicate").count(), 1, "{again:?}");
    assert_eq!(pairs.iter().filter(|(_, class)| *class == "piercing").count(), 3, "{again:?}");
}
