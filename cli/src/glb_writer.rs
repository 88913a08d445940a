//! Writes binary glTF 2.0 (GLB): a JSON chunk that describes the scene and a binary chunk of its arrays. See the
//! Khronos glTF 2.0 specification, sections 3 and 4.4.

use nalgebra::Point3;
use serde_json::{Value, json};

use crate::error::CliError;
use crate::solids::Rgb;

const MAGIC: &[u8; 4] = b"glTF";
const VERSION: u32 = 2;
const JSON_CHUNK: &[u8; 4] = b"JSON";
const BINARY_CHUNK: &[u8; 4] = b"BIN\0";

/// glTF's code for the component type `f32`; `U32` is that for `u32`, `VERTICES` and `INDICES` those for buffer
/// targets.
const F32: u32 = 5126;
const U32: u32 = 5125;
const VERTICES: u32 = 34962;
const INDICES: u32 = 34963;

/// The value of glTF's `asset`.
fn asset() -> Value {
    json!({"version": "2.0", "generator": concat!("bvtree ", env!("CARGO_PKG_VERSION"))})
}

/// A matte material of an sRGB colour, alpha-blended if the opacity is below 1.
pub fn material(name: &str, colour: Rgb, opacity: f64) -> Value {
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

/// Converts an sRGB component to linear light, in which glTF's colour factors are (IEC 61966-2-1).
fn linear(component: f64) -> f64 {
    if component <= 0.04045 { component / 12.92 } else { ((component + 0.055) / 1.055).powf(2.4) }
}

/// The binary chunk with the buffer views and accessors that describe its parts.
#[derive(Default)]
pub struct Arrays {
    pub bytes: Vec<u8>,
    pub views: Vec<Value>,
    pub accessors: Vec<Value>,
}

impl Arrays {
    /// Appends points and returns their accessor's index.
    pub fn positions(&mut self, points: impl Iterator<Item = Point3<f32>> + Clone) -> usize {
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

    /// Appends the vertex indices of triangles and returns their accessor's index.
    pub fn indices(&mut self, triangles: &[[u32; 3]]) -> usize {
        let view = self.view(INDICES, triangles.iter().flatten().map(|index| index.to_le_bytes()));
        self.accessor(json!({
            "bufferView": view, "componentType": U32, "count": 3 * triangles.len(), "type": "SCALAR",
        }))
    }

    /// Appends 32-bit values, which keep every view aligned, and returns the view's index.
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

/// The GLB file of a scene. The root becomes the last node and is rotated if the meshes have z up, because glTF has y
/// up.
pub fn scene(
    arrays: Arrays,
    meshes: Vec<Value>,
    mut nodes: Vec<Value>,
    materials: Vec<Value>,
    mut root: Value,
    is_z_up: bool,
) -> Result<Vec<u8>, CliError> {
    if is_z_up {
        // A quarter turn about x maps z to y.
        let half = std::f64::consts::FRAC_1_SQRT_2;
        root["rotation"] = json!([-half, 0.0, 0.0, half]);
    }
    nodes.push(root);
    let document = json!({
        "asset": asset(),
        "scene": 0,
        "scenes": [{"nodes": [nodes.len() - 1]}],
        "nodes": nodes,
        "meshes": meshes,
        "materials": materials,
        "accessors": arrays.accessors,
        "bufferViews": arrays.views,
        "buffers": [{"byteLength": arrays.bytes.len()}],
    });
    container(&document, arrays.bytes)
        .ok_or_else(|| CliError::new("the model would be larger than 4 GiB, which .glb can't hold"))
}

/// The GLB file of a JSON and a binary chunk; `None` if its length does not fit into 32 bits.
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
