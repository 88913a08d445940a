//! glTF and GLB scenes: each node with a mesh is a body, named by its path.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bvtree::{BvTree, Mesh, Pose};
use gltf::accessor::{DataType, Dimensions};
use gltf::mesh::Mode;
use nalgebra::{Matrix3, Matrix4, Point3, Quaternion, UnitQuaternion, Vector3};
use serde_json::Value;

use super::assembly::{Assembly, Part};
use super::meshes::Meshes;
use crate::error::CliError;
use crate::input::cannot_read;

/// Whether a manifest is a glTF scene, by its name.
pub fn is_scene(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("glb") || extension.eq_ignore_ascii_case("gltf"))
}

/// A scene that is being read.
struct Reader<'a> {
    document: gltf::Document,
    /// The nodes as they are written: their numbers are f64, which the far ones need.
    nodes: Vec<Value>,
    buffers: Vec<Vec<u8>>,
    /// A tree for each mesh and what its vertices are multiplied by.
    trees: HashMap<(usize, [u64; 9]), Option<Arc<BvTree>>>,
    meshes: &'a Meshes<'a>,
    path: &'a Path,
}

/// Adds the bodies of a scene.
pub fn read(path: &Path, meshes: &Meshes<'_>, assembly: &mut Assembly) -> Result<(), CliError> {
    let bytes = fs::read(path).map_err(|error| cannot_read(path, &error))?;
    let failed =
        |error: &dyn std::error::Error| CliError::caused(format!("{}: not a glTF scene", path.display()), error);
    let gltf = gltf::Gltf::from_slice(&bytes).map_err(|error| failed(&error))?;
    let json = if bytes.starts_with(b"glTF") {
        gltf::binary::Glb::from_slice(&bytes).map_err(|error| failed(&error))?.json.into_owned()
    } else {
        bytes.clone()
    };
    let mut root: Value = serde_json::from_slice(&json).map_err(|error| failed(&error))?;
    let nodes = match root["nodes"].take() {
        Value::Array(nodes) => nodes,
        _ => Vec::new(),
    };
    let buffers = read_buffers(&gltf, path)?;
    let mut reader = Reader { document: gltf.document, nodes, buffers, trees: HashMap::new(), meshes, path };
    reader.add_bodies(assembly)
}

impl Reader<'_> {
    fn error(&self, what: impl std::fmt::Display) -> CliError {
        CliError::new(format!("{}: {what}", self.path.display()))
    }

    fn add_bodies(&mut self, assembly: &mut Assembly) -> Result<(), CliError> {
        let document = self.document.clone();
        let scene = document.default_scene().or_else(|| document.scenes().next());
        let mut stack: Vec<_> =
            scene.iter().flat_map(gltf::Scene::nodes).map(|node| (node, String::new(), Matrix4::identity())).collect();
        stack.reverse();
        let mut visits = 0;
        while let Some((node, above, to_world)) = stack.pop() {
            visits += 1;
            if visits > document.nodes().len() {
                return Err(self.error("a node is below two others, or below itself"));
            }
            let own = node.name().map_or_else(|| format!("node{}", node.index()), str::to_owned);
            let name = if above.is_empty() { own } else { format!("{above}/{own}") };
            let matrix = to_world * self.transform(node.index(), &name)?;
            if let Some(mesh) = node.mesh() {
                self.add_body(assembly, &name, &mesh, &matrix)?;
            }
            let children: Vec<_> = node.children().collect();
            stack.extend(children.into_iter().rev().map(|child| (child, name.clone(), matrix)));
        }
        Ok(())
    }

    /// A node's own transform.
    fn transform(&self, index: usize, name: &str) -> Result<Matrix4<f64>, CliError> {
        let node = &self.nodes[index];
        let numbers =
            |key: &str| -> Option<Vec<f64>> { node.get(key)?.as_array()?.iter().map(Value::as_f64).collect() };
        let matrix = if let Some(matrix) = numbers("matrix").filter(|matrix| matrix.len() == 16) {
            Matrix4::from_column_slice(&matrix)
        } else {
            let of = |key: &str, otherwise: &[f64]| match numbers(key) {
                Some(numbers) if numbers.len() == otherwise.len() => numbers,
                _ => otherwise.to_vec(),
            };
            let (t, r, s) =
                (of("translation", &[0.0; 3]), of("rotation", &[0.0, 0.0, 0.0, 1.0]), of("scale", &[1.0; 3]));
            let quaternion = UnitQuaternion::try_new(Quaternion::new(r[3], r[0], r[1], r[2]), 0.0);
            let rotation = quaternion.ok_or_else(|| self.error(format!("node '{name}': its rotation is zero")))?;
            let linear =
                rotation.to_rotation_matrix().into_inner() * Matrix3::from_diagonal(&Vector3::new(s[0], s[1], s[2]));
            linear.to_homogeneous().append_translation(&Vector3::new(t[0], t[1], t[2]))
        };
        let is_affine = matrix.row(3).iter().zip([0.0, 0.0, 0.0, 1.0]).all(|(x, expected)| (x - expected).abs() < 1e-6);
        if is_affine && matrix.iter().all(|x| x.is_finite()) {
            return Ok(matrix);
        }
        Err(self.error(format!("node '{name}': its matrix is not affine and finite")))
    }

    fn add_body(
        &mut self,
        assembly: &mut Assembly,
        name: &str,
        mesh: &gltf::Mesh<'_>,
        matrix: &Matrix4<f64>,
    ) -> Result<(), CliError> {
        let linear: Matrix3<f64> = matrix.fixed_view::<3, 3>(0, 0).into_owned();
        let (rotation, stretch) = rotation_and_stretch(&linear);
        let translation = matrix.fixed_view::<3, 1>(0, 3).into_owned();
        let pose = Pose::new(rotation, translation).map_err(|error| self.error(format!("node '{name}': {error}")))?;
        let Some(tree) = self.tree(mesh, &stretch, name)? else { return Ok(()) };
        // Siblings may share a name in glTF.
        let unique = (1..).map(|n| if n == 1 { name.to_owned() } else { format!("{name}#{n}") });
        let name = unique.into_iter().find(|name| !assembly.has(name)).unwrap_or_default();
        assembly.add(Part { name, tree, pose, groups: Vec::new() })
    }

    /// The tree of a mesh's triangles, stretched; none if it has no triangles.
    fn tree(
        &mut self,
        mesh: &gltf::Mesh<'_>,
        stretch: &Matrix3<f64>,
        name: &str,
    ) -> Result<Option<Arc<BvTree>>, CliError> {
        let key = (mesh.index(), std::array::from_fn(|i| stretch[i].to_bits()));
        if let Some(tree) = self.trees.get(&key) {
            return Ok(tree.clone());
        }
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        for primitive in mesh.primitives().filter(|primitive| primitive.mode() == Mode::Triangles) {
            let first = vertices.len() as u32;
            let Some(positions) = primitive.get(&gltf::Semantic::Positions) else { continue };
            for position in self.positions(&positions)? {
                vertices.push(Point3::from((stretch * position.cast::<f64>().coords).cast::<f32>()));
            }
            let corners = match primitive.indices() {
                Some(indices) => self.indices(&indices)?,
                None => (0..vertices.len() as u32 - first).collect(),
            };
            // A mirrored mesh keeps its outside outside.
            let mirrors = stretch.determinant() < 0.0;
            triangles.extend(corners.chunks_exact(3).map(|c| {
                let [a, b, c] = [c[0], c[1], c[2]].map(|corner| corner.saturating_add(first));
                if mirrors { [a, c, b] } else { [a, b, c] }
            }));
        }
        let tree = if triangles.is_empty() {
            None
        } else {
            let mesh = Mesh::from_arrays(vertices, triangles)
                .map_err(|error| self.error(format!("mesh of '{name}': {error}")))?;
            let tree =
                self.meshes.args.build(&mesh).map_err(|error| self.error(format!("mesh of '{name}': {error}")))?;
            Some(Arc::new(tree))
        };
        self.trees.insert(key, tree.clone());
        Ok(tree)
    }

    fn positions(&self, accessor: &gltf::Accessor<'_>) -> Result<Vec<Point3<f32>>, CliError> {
        if accessor.data_type() != DataType::F32 || accessor.dimensions() != Dimensions::Vec3 {
            return Err(self.error("positions are not three floats each"));
        }
        let number = |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        self.elements(accessor, |bytes| Point3::new(number(bytes), number(&bytes[4..]), number(&bytes[8..])))
    }

    fn indices(&self, accessor: &gltf::Accessor<'_>) -> Result<Vec<u32>, CliError> {
        match accessor.data_type() {
            DataType::U8 => self.elements(accessor, |bytes| u32::from(bytes[0])),
            DataType::U16 => self.elements(accessor, |bytes| u32::from(u16::from_le_bytes([bytes[0], bytes[1]]))),
            DataType::U32 => {
                self.elements(accessor, |bytes| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
            }
            other => Err(self.error(format!("indices of type {other:?}"))),
        }
    }

    /// An accessor's elements, which must lie in the buffer.
    fn elements<T>(&self, accessor: &gltf::Accessor<'_>, read: impl Fn(&[u8]) -> T) -> Result<Vec<T>, CliError> {
        let wrong = || self.error(format!("accessor {} does not fit its buffer, or is sparse", accessor.index()));
        let view = accessor.view().filter(|_| accessor.sparse().is_none()).ok_or_else(wrong)?;
        let size = accessor.size();
        let stride = view.stride().unwrap_or(size).max(1);
        let buffer = self.buffers.get(view.buffer().index()).ok_or_else(wrong)?;
        let end = view.offset().checked_add(view.length()).ok_or_else(wrong)?;
        let bytes = buffer.get(view.offset()..end).and_then(|view| view.get(accessor.offset()..)).ok_or_else(wrong)?;
        let needed = accessor.count().saturating_sub(1).checked_mul(stride).and_then(|last| last.checked_add(size));
        if accessor.count() == 0 || needed.is_none_or(|needed| needed > bytes.len()) {
            return Err(wrong());
        }
        Ok((0..accessor.count()).map(|i| read(&bytes[i * stride..i * stride + size])).collect())
    }
}

/// A rotation, kept as it is if the matrix is one up to a scale, and what is left, which comes first.
fn rotation_and_stretch(linear: &Matrix3<f64>) -> (Matrix3<f64>, Matrix3<f64>) {
    let scale = linear.determinant().cbrt();
    if scale > 0.0 && scale.is_finite() {
        let rotation = linear / scale;
        let deviation = (rotation.transpose() * rotation - Matrix3::identity()).amax();
        if deviation < 1e-6 {
            // One number for all instances that are scaled alike.
            let scale = if (scale - 1.0).abs() < 1e-6 { 1.0 } else { f64::from(scale as f32) };
            return (rotation, Matrix3::from_diagonal_element(scale));
        }
    }
    (Matrix3::identity(), *linear)
}

fn read_buffers(gltf: &gltf::Gltf, path: &Path) -> Result<Vec<Vec<u8>>, CliError> {
    let failed = |what: &str| CliError::new(format!("{}: {what}", path.display()));
    let read = |buffer: gltf::Buffer<'_>| {
        let bytes = match buffer.source() {
            gltf::buffer::Source::Bin => gltf.blob.clone().ok_or_else(|| failed("its binary chunk is missing"))?,
            gltf::buffer::Source::Uri(uri) => match uri.split_once(";base64,") {
                Some((_, data)) => {
                    STANDARD.decode(data).map_err(|error| failed(&format!("a buffer's data: {error}")))?
                }
                None => {
                    let file = path.parent().unwrap_or(Path::new("")).join(uri.replace("%20", " "));
                    fs::read(&file).map_err(|error| cannot_read(&file, &error))?
                }
            },
        };
        if bytes.len() < buffer.length() {
            return Err(failed(&format!("buffer {} is shorter than it says", buffer.index())));
        }
        Ok(bytes)
    };
    gltf.buffers().map(read).collect()
}
