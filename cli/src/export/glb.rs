//! glTF 2.0: the mesh is stored once, and so is the unit cube or ball; each volume is a node that places the latter.

use std::path::{Path, PathBuf};

use bvtree::VolumeKind;
use serde_json::{Value, json};

use super::model::{Files, Model, Part};
use crate::error::CliError;
use crate::glb_file::{Arrays, material, scene};
use crate::palette::Rgb;
use crate::solid::UnitShape;
use crate::up_axis::Up;

/// How much of what is behind a volume it hides.
const OPACITY: f64 = 0.3;
const MESH_COLOUR: Rgb = [0.72, 0.74, 0.78];

pub fn files(model: &Model, output: &Path) -> Result<Files, CliError> {
    let mut arrays = Arrays::default();
    let (mut meshes, mut nodes) = (Vec::new(), Vec::new());
    let mut children = Vec::new();

    let mut materials: Vec<Value> =
        model.colours.iter().map(|&colour| material(model.kind.name(), colour, OPACITY)).collect();
    if let Some(mesh) = &model.mesh {
        let positions = arrays.positions(mesh.vertices().iter().copied());
        let indices = arrays.indices(mesh.triangles());
        materials.push(material("mesh", MESH_COLOUR, 1.0));
        children.push(nodes.len());
        nodes.push(json!({"name": "mesh", "mesh": meshes.len()}));
        meshes.push(surface("mesh", &json!({"POSITION": positions}), indices, materials.len() - 1));
    }
    let unit = UnitShape::of(model.kind);
    let positions = arrays.positions(unit.vertices.iter().map(|vertex| vertex.cast()));
    let indices = arrays.indices(&unit.triangles);
    let attributes = match model.kind {
        // A ball's points are its normals. A cube has none, and then viewers shade it flat.
        VolumeKind::Sphere => json!({"POSITION": positions, "NORMAL": positions}),
        VolumeKind::Aabb | VolumeKind::Obb | VolumeKind::KDop => json!({"POSITION": positions}),
    };
    let first_unit = meshes.len();
    meshes.extend((0..model.colours.len()).map(|colour| surface(model.kind.name(), &attributes, indices, colour)));
    let first_volume = nodes.len();
    nodes.extend(model.volumes.iter().map(|part| placed(part, first_unit)));
    children.push(nodes.len());
    let volumes: Vec<usize> = (first_volume..first_volume + model.volumes.len()).collect();
    nodes.push(json!({"name": "volumes", "children": volumes}));

    let root = json!({"name": model.name, "children": children});
    let bytes = scene(arrays, meshes, nodes, materials, root, model.up == Up::Z)?;
    Ok(vec![(PathBuf::from(output), bytes)])
}

fn placed(part: &Part, first_unit: usize) -> Value {
    let solid = &part.solid;
    let rotation = solid.rotation.as_ref().coords;
    json!({
        "name": part.name,
        "mesh": first_unit + part.colour,
        "translation": solid.center.coords.as_slice(),
        "rotation": rotation.as_slice(),
        "scale": solid.scale.as_slice(),
        "extras": {"triangles": part.triangles},
    })
}

fn surface(name: &str, attributes: &Value, indices: usize, material: usize) -> Value {
    json!({"name": name, "primitives": [{"attributes": attributes, "indices": indices, "material": material}]})
}
