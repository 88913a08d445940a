//! The nodes of a scene, and where they are.

use std::collections::HashSet;

use gltf::json::Value;
use nalgebra::{Matrix3, Matrix4, RowVector4, Vector3};

use super::document::Document;
use super::part::unexpected;
use crate::mesh::MeshError;
use crate::mesh::formats::instances::MeshInstance;
use crate::numeric::error_bounds::QUATERNION_ROUNDING_F32;
use crate::pose::rotation;

/// The most bytes that all names have together: each holds those of the nodes above it.
const MAX_NAMES: usize = 1 << 26;

/// The scene's nodes with meshes, in the order of the file's tree. Each is named by its path, and siblings of one name
/// get numbers.
pub(super) fn instances(document: &Document) -> Result<Vec<MeshInstance>, MeshError> {
    let gltf = &document.gltf;
    let scene = gltf.default_scene().or_else(|| gltf.scenes().next());
    let mut stack: Vec<_> =
        scene.iter().flat_map(gltf::Scene::nodes).map(|node| (node, String::new(), Matrix4::identity())).collect();
    stack.reverse();
    let mut instances = Vec::new();
    let mut names = HashSet::new();
    let (mut visits, mut name_bytes) = (0, 0);
    while let Some((node, above, above_to_world)) = stack.pop() {
        visits += 1;
        if visits > gltf.nodes().len() {
            let place = format!("node {}", node.index());
            return Err(unexpected(place, "nodes that are a tree", "a node below two others, or below itself"));
        }
        let own = node.name().filter(|name| !name.is_empty());
        let own = own.map_or_else(|| format!("node{}", node.index()), str::to_owned);
        let name = if above.is_empty() { own } else { format!("{above}/{own}") };
        name_bytes += name.len();
        if name_bytes > MAX_NAMES {
            return Err(unexpected("its nodes", "paths of at most 64 MiB in all", "longer ones"));
        }
        let to_world = above_to_world * transform(&document.nodes[node.index()], &name)?;
        if let Some(mesh) = node.mesh() {
            let mut distinct = (1..).map(|n| if n == 1 { name.clone() } else { format!("{name}#{n}") });
            let name = distinct.find(|name| !names.contains(name)).unwrap_or_default();
            names.insert(name.clone());
            instances.push(MeshInstance { name, mesh: mesh.index(), to_world });
        }
        let children: Vec<_> = node.children().collect();
        stack.extend(children.into_iter().rev().map(|child| (child, name.clone(), to_world)));
    }
    Ok(instances)
}

/// A node's own transform.
fn transform(node: &Value, name: &str) -> Result<Matrix4<f64>, MeshError> {
    let place = || format!("node '{name}'");
    let numbers = |key: &str| -> Option<Vec<f64>> { node.get(key)?.as_array()?.iter().map(Value::as_f64).collect() };
    let matrix = if let Some(matrix) = numbers("matrix").filter(|matrix| matrix.len() == 16) {
        Matrix4::from_column_slice(&matrix)
    } else {
        let of = |key: &str, otherwise: &[f64]| match numbers(key) {
            Some(numbers) if numbers.len() == otherwise.len() => numbers,
            _ => otherwise.to_vec(),
        };
        let (t, r, s) = (of("translation", &[0.0; 3]), of("rotation", &[0.0, 0.0, 0.0, 1.0]), of("scale", &[1.0; 3]));
        let xyzw = [r[0], r[1], r[2], r[3]];
        if xyzw == [0.0; 4] {
            return Err(unexpected(place(), "a rotation", "zero"));
        }
        // Numbers of glTF are f32's, whatever they are written with.
        let rotation = rotation::from_quaternion(xyzw, QUATERNION_ROUNDING_F32);
        let linear = rotation * Matrix3::from_diagonal(&Vector3::new(s[0], s[1], s[2]));
        linear.to_homogeneous().append_translation(&Vector3::new(t[0], t[1], t[2]))
    };
    let mut matrix = matrix;
    let is_affine = matrix.row(3).iter().zip([0.0, 0.0, 0.0, 1.0]).all(|(x, expected)| (x - expected).abs() < 1e-6);
    if is_affine && matrix.iter().all(|x| x.is_finite()) {
        matrix.set_row(3, &RowVector4::new(0.0, 0.0, 0.0, 1.0));
        return Ok(matrix);
    }
    Err(unexpected(place(), "an affine and finite matrix", "another"))
}
