//! The formats, written as plainly as they can be.

use std::fmt::Write as _;

use bvtree::Mesh;
use serde_json::json;

/// How a mesh becomes a file, and what the file would be called.
#[derive(Clone, Copy)]
pub(super) struct Form {
    pub(super) name: &'static str,
    pub(super) write: fn(&Mesh) -> Vec<u8>,
}

pub(super) const FORMS: [Form; 8] = [
    Form { name: "text.stl", write: stl_text },
    Form { name: "binary.stl", write: stl_binary },
    Form { name: "text.ply", write: ply_text },
    Form { name: "little.ply", write: |mesh| ply_binary(mesh, false) },
    Form { name: "big.ply", write: |mesh| ply_binary(mesh, true) },
    Form { name: "text.off", write: off },
    Form { name: "data.gltf", write: gltf },
    Form { name: "binary.glb", write: glb },
];

fn stl_text(mesh: &Mesh) -> Vec<u8> {
    let mut text = String::from("solid of triangles\n");
    for triangle in mesh.triangles() {
        text += " facet normal 0 0 nan\n  outer loop\n";
        for &corner in triangle {
            let v = mesh.vertices()[corner as usize];
            writeln!(text, "   vertex {:?} {:?} {:?}", v.x, v.y, v.z).unwrap();
        }
        text += "  endloop\n endfacet\n";
    }
    (text + "endsolid of triangles\n").into_bytes()
}

fn stl_binary(mesh: &Mesh) -> Vec<u8> {
    // As some programs have it.
    let mut bytes = b"solid exported".to_vec();
    bytes.resize(80, b' ');
    bytes.extend((mesh.triangles().len() as u32).to_le_bytes());
    for triangle in mesh.triangles() {
        bytes.extend([0; 12]);
        for &corner in triangle {
            let v = mesh.vertices()[corner as usize];
            bytes.extend([v.x, v.y, v.z].iter().flat_map(|x| x.to_le_bytes()));
        }
        bytes.extend([7, 7]);
    }
    bytes
}

fn ply_header(mesh: &Mesh, format: &str) -> String {
    format!(
        "ply\nformat {format} 1.0\ncomment of triangles\nelement vertex {}\nproperty float x\nproperty float y\n\
         property float z\nproperty uchar red\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
        mesh.vertices().len(),
        mesh.triangles().len()
    )
}

fn ply_text(mesh: &Mesh) -> Vec<u8> {
    let mut text = ply_header(mesh, "ascii");
    for v in mesh.vertices() {
        writeln!(text, "{:?} {:?} {:?} 255", v.x, v.y, v.z).unwrap();
    }
    for [a, b, c] in mesh.triangles() {
        writeln!(text, "3 {a} {b} {c}").unwrap();
    }
    text.into_bytes()
}

fn ply_binary(mesh: &Mesh, is_big_endian: bool) -> Vec<u8> {
    let format = if is_big_endian { "binary_big_endian" } else { "binary_little_endian" };
    let mut bytes = ply_header(mesh, format).into_bytes();
    let word = |word: u32| if is_big_endian { word.to_be_bytes() } else { word.to_le_bytes() };
    for v in mesh.vertices() {
        bytes.extend([v.x, v.y, v.z].iter().flat_map(|x| word(x.to_bits())));
        bytes.push(255);
    }
    for triangle in mesh.triangles() {
        bytes.push(3);
        bytes.extend(triangle.iter().flat_map(|&corner| word(corner)));
    }
    bytes
}

fn off(mesh: &Mesh) -> Vec<u8> {
    let mut text = format!("OFF\n# of triangles\n{} {} 0\n\n", mesh.vertices().len(), mesh.triangles().len());
    for v in mesh.vertices() {
        writeln!(text, "{:?} {:?} {:?}", v.x, v.y, v.z).unwrap();
    }
    for [a, b, c] in mesh.triangles() {
        writeln!(text, "3 {a} {b} {c} # red").unwrap();
    }
    text.into_bytes()
}

/// The document and its one buffer.
fn document(mesh: &Mesh) -> (serde_json::Value, Vec<u8>) {
    let mut buffer: Vec<u8> =
        mesh.vertices().iter().flat_map(|v| [v.x, v.y, v.z]).flat_map(|x| x.to_le_bytes()).collect();
    let positions = buffer.len();
    buffer.extend(mesh.triangles().as_flattened().iter().flat_map(|corner| corner.to_le_bytes()));
    let document = json!({
        "asset": {"version": "2.0"},
        "scene": 0,
        "scenes": [{"nodes": [0]}],
        "nodes": [{"name": "triangles", "mesh": 0}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
        "accessors": [
            {"bufferView": 0, "componentType": 5126, "count": mesh.vertices().len(), "type": "VEC3",
             "min": [0, 0, 0], "max": [0, 0, 0]},
            {"bufferView": 1, "componentType": 5125, "count": 3 * mesh.triangles().len(), "type": "SCALAR"},
        ],
        "bufferViews": [
            {"buffer": 0, "byteOffset": 0, "byteLength": positions},
            {"buffer": 0, "byteOffset": positions, "byteLength": buffer.len() - positions},
        ],
        "buffers": [{"byteLength": buffer.len()}],
    });
    (document, buffer)
}

fn gltf(mesh: &Mesh) -> Vec<u8> {
    let (mut document, buffer) = document(mesh);
    document["buffers"][0]["uri"] = format!("data:application/octet-stream;base64,{}", base64(&buffer)).into();
    document.to_string().into_bytes()
}

pub(super) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let word = chunk.iter().enumerate().fold(0, |word, (i, &byte)| word | u32::from(byte) << (16 - 8 * i));
        for i in 0..4 {
            let letter = char::from(LETTERS[(word >> (18 - 6 * i) & 63) as usize]);
            text.push(if i <= chunk.len() { letter } else { '=' });
        }
    }
    text
}

fn glb(mesh: &Mesh) -> Vec<u8> {
    let (document, buffer) = document(mesh);
    glb_of(document.to_string(), &buffer)
}

pub(super) fn glb_of(mut json: String, buffer: &[u8]) -> Vec<u8> {
    while !json.len().is_multiple_of(4) {
        json.push(' ');
    }
    let mut buffer = buffer.to_vec();
    buffer.resize(buffer.len().next_multiple_of(4), 0);
    let word = |length: usize| (length as u32).to_le_bytes();
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend(word(12 + 8 + json.len() + 8 + buffer.len()));
    bytes.extend(word(json.len()));
    bytes.extend(b"JSON");
    bytes.extend(json.into_bytes());
    bytes.extend(word(buffer.len()));
    bytes.extend(b"BIN\0");
    bytes.extend(buffer);
    bytes
}
