//! glTF 2.0 in its binary form: a chunk of JSON that tells what is there, and one of the arrays it speaks of.
//!
//! The mesh is stored once, and so is the unit cube or ball; each volume is a node that places the latter. See the
//! Khronos glTF 2.0 specification, sections 3 and 4.4.

use std::path::{Path, PathBuf};

use bvtree::VolumeKind;
use nalgebra::Point3;
use serde_json::{Value, json};

use super::{Files, Model, Part, Up};
use crate::error::CliError;
use crate::palette::Rgb;
use crate::solid::UnitShape;

const MAGIC: &[u8; 4] = b"glTF";
const VERSION: u32 = 2;
const JSON_CHUNK: &[u8; 4] = b"JSON";
const BINARY_CHUNK: &[u8; 4] = b"BIN\0";

/// Component types and buffer targets, as glTF numbers them.
const F32: u32 = 5126;
const U32: u32 = 5125;
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

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
        VolumeKind::Aabb | VolumeKind::Obb => json!({"POSITION": positions}),
    };
    let first_unit = meshes.len();
    meshes.extend((0..model.colours.len()).map(|colour| surface(model.kind.name(), &attributes, indices, colour)));
    let first_volume = nodes.len();
    nodes.extend(model.volumes.iter().map(|part| placed(part, first_unit)));
    children.push(nodes.len());
    let volumes: Vec<usize> = (first_volume..first_volume + model.volumes.len()).collect();
    nodes.push(json!({"name": "volumes", "children": volumes}));

    let mut root = json!({"name": model.name, "children": children});
    if model.up == Up::Z {
        // A quarter turn about x takes z to y.
        let half = std::f64::consts::FRAC_1_SQRT_2;
        root["rotation"] = json!([-half, 0.0, 0.0, half]);
    }
    nodes.push(root);
    let document = json!({
        "asset": {"version": "2.0", "generator": concat!("bvtree ", env!("CARGO_PKG_VERSION"))},
        "scene": 0,
        "scenes": [{"nodes": [nodes.len() - 1]}],
        "nodes": nodes,
        "meshes": meshes,
        "materials": materials,
        "accessors": arrays.accessors,
        "bufferViews": arrays.views,
        "buffers": [{"byteLength": arrays.bytes.len()}],
    });
    let bytes = container(&document, arrays.bytes)
        .ok_or_else(|| CliError::new("the model would be larger than 4 GiB, which .glb can't hold"))?;
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

fn material(name: &str, colour: Rgb, opacity: f64) -> Value {
    let [red, green, blue] = colour.map(linear);
    let blended = opacity < 1.0;
    json!({
        "name": name,
        "pbrMetallicRoughness": {
            "baseColorFactor": [red, green, blue, opacity],
            "metallicFactor": 0.0,
            "roughnessFactor": 0.7,
        },
        "alphaMode": if blended { "BLEND" } else { "OPAQUE" },
        "doubleSided": true,
    })
}

/// sRGB to linear light, which glTF's factors are in (IEC 61966-2-1).
fn linear(component: f64) -> f64 {
    if component <= 0.04045 { component / 12.92 } else { ((component + 0.055) / 1.055).powf(2.4) }
}

/// The binary chunk, and what glTF says about its parts.
#[derive(Default)]
struct Arrays {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Arrays {
    fn positions(&mut self, points: impl Iterator<Item = Point3<f32>> + Clone) -> usize {
        let view =
            self.view(VERTICES, points.clone().flat_map(|point| [point.x, point.y, point.z].map(f32::to_le_bytes)));
        let count = points.clone().count();
        let start = points.clone().next().unwrap_or_default();
        let (lower, upper) =
            points.fold((start, start), |(lower, upper), point| (lower.inf(&point), upper.sup(&point)));
        self.accessor(json!({
            "bufferView": view, "componentType": F32, "count": count, "type": "VEC3",
            "min": lower.coords.as_slice(), "max": upper.coords.as_slice(),
        }))
    }

    fn indices(&mut self, triangles: &[[u32; 3]]) -> usize {
        let view = self.view(INDICES, triangles.iter().flatten().map(|index| index.to_le_bytes()));
        self.accessor(json!({
            "bufferView": view, "componentType": U32, "count": 3 * triangles.len(), "type": "SCALAR",
        }))
    }

    /// Words have four bytes, so that every view begins where it must.
    fn view(&mut self, target: u32, words: impl Iterator<Item = [u8; 4]>) -> usize {
        let start = self.bytes.len();
        self.bytes.extend(words.flatten());
        let length = self.bytes.len() - start;
        self.views.push(json!({"buffer": 0, "byteOffset": start, "byteLength": length, "target": target}));
        self.views.len() - 1
    }

    fn accessor(&mut self, accessor: Value) -> usize {
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }
}

/// The file around the two chunks; `None` if its length has no 32-bit number.
fn container(document: &Value, mut binary: Vec<u8>) -> Option<Vec<u8>> {
    let mut json = document.to_string().into_bytes();
    json.resize(json.len().next_multiple_of(4), b' ');
    binary.resize(binary.len().next_multiple_of(4), 0);
    let header = MAGIC.len() + 8;
    let length = u32::try_from(header + 8 + json.len() + 8 + binary.len()).ok()?;
    let mut file = Vec::with_capacity(length as usize);
    file.extend(MAGIC);
    file.extend(VERSION.to_le_bytes());
    file.extend(length.to_le_bytes());
    for (name, chunk) in [(JSON_CHUNK, &json), (BINARY_CHUNK, &binary)] {
        file.extend((chunk.len() as u32).to_le_bytes());
        file.extend(name);
        file.extend(chunk);
    }
    Some(file)
}
