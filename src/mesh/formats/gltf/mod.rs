//! glTF 2.0, as JSON with its buffers (`.gltf`) or in one file (`.glb`): the nodes of its scene that have meshes.
//!
//! The reader takes the default scene, or else the first. Transforms of nodes are multiplied in f64, and shared meshes
//! are read once. It supports triangles, strips, fans, quantized positions (`KHR_mesh_quantization`) and sparse
//! accessors. Points and lines are ignored and listed in `Import::skipped`. Compressed meshes are rejected. Skins and
//! morph targets stay at rest.

mod document;

use std::collections::{BTreeMap, HashMap};
use std::io::BufRead;
use std::path::Path;
use std::rc::Rc;

use gltf::Accessor;
use gltf::accessor::{DataType, Dimensions};
use gltf::json::Value;
use gltf::mesh::Mode;
use nalgebra::{Matrix3, Matrix4, Point3, RowVector4, Vector3};

use super::Import;
use super::instances::{MAX_INSTANCED, MeshInstance, MeshInstances};
use super::mesh_builder::{MeshBuilder, NameBytes};
use super::options::{GroupBy, ReadOptions};
use crate::mesh::{Group, Mesh, MeshError, MeshFormat};
use crate::numeric::error_bounds::QUATERNION_ROUNDING_F32;
use crate::pose::rotation;
use document::{Document, element, unexpected};

/// Reads the scene as one mesh.
pub(super) fn read(reader: impl BufRead, path: &Path, options: &ReadOptions) -> Result<Import, MeshError> {
    let mut builder = MeshBuilder::new(options, options.weld.unwrap_or(false));
    let instances = instances(reader, path, options.group_by, Some(&mut builder))?;
    instances.merge(builder, MeshFormat::Gltf, options.group_by)
}

/// Reads the meshes and their nodes; counts ignored content in the builder `notes`.
pub(super) fn instances(
    mut reader: impl BufRead,
    path: &Path,
    group_by: GroupBy,
    mut notes: Option<&mut MeshBuilder>,
) -> Result<MeshInstances, MeshError> {
    let mut file = Vec::new();
    reader.read_to_end(&mut file)?;
    let document = Document::read(&file, path.parent().unwrap_or(Path::new("")))?;
    drop(file);
    if document.gltf.scenes().next().is_none() {
        let what = "the glTF file has no scene: meshes are read where a scene's nodes place them".into();
        return Err(MeshError::Unsupported { what });
    }
    let mut meshes = Vec::new();
    let mut total = Total::default();
    for mesh in document.gltf.meshes() {
        let mut skipped = 0;
        let mesh = read_mesh(&document, &mesh, group_by, &mut total, &mut skipped)?;
        if let Some(notes) = notes.as_deref_mut() {
            for _ in 0..skipped {
                notes.skip("primitives of points or lines", || element(format_args!("mesh {}", meshes.len())));
            }
        }
        meshes.push(mesh);
    }
    let instances = placed_nodes(&document)?;
    Ok(MeshInstances { meshes, instances, files: document.files })
}

/// Maximum total length of all nodes' paths and extras in bytes; those of a node contain those of the nodes above it.
const MAX_TEXTS: usize = 1 << 26;

/// The scene's nodes with meshes, in the order of the file's tree. Nodes are named by path; a number is appended to a
/// path that occurred before.
fn placed_nodes(document: &Document) -> Result<Vec<MeshInstance>, MeshError> {
    let gltf = &document.gltf;
    let scene = gltf.default_scene().or_else(|| gltf.scenes().next());
    let roots = scene.iter().flat_map(gltf::Scene::nodes);
    let world = Rc::new(Place { name: String::new(), extras: BTreeMap::new(), to_world: Matrix4::identity() });
    let mut stack: Vec<_> = roots.map(|node| (node, Rc::clone(&world))).collect();
    stack.reverse();
    let (mut instances, mut names, mut bytes) = (Vec::new(), HashMap::new(), 0);
    // Whether a node is on the stack, or was.
    let mut is_met = vec![false; gltf.nodes().len()];
    let mut meet = |node: &gltf::Node<'_>| {
        if !std::mem::replace(&mut is_met[node.index()], true) {
            return Ok(());
        }
        let location = format!("node {}", node.index());
        Err(unexpected(location, "nodes that are a tree", "a node below two others, or below itself"))
    };
    stack.iter().try_for_each(|(node, _)| meet(node))?;
    while let Some((node, above)) = stack.pop() {
        let own = node.name().filter(|name| !name.is_empty());
        let own = own.map_or_else(|| format!("node{}", node.index()), str::to_owned);
        let name = if above.name.is_empty() { own } else { format!("{}/{own}", above.name) };
        let json = &document.nodes[node.index()];
        bytes += name.len();
        // Texts from above are copied for each node; short ones take more memory than their length.
        bytes += above.extras.len() * size_of::<(String, String)>();
        bytes += lengths(&above.extras) + lengths(texts(&json["extras"]));
        if bytes > MAX_TEXTS {
            return Err(unexpected("its nodes", "paths and extras of at most 64 MiB in all", "longer ones"));
        }
        let mut extras = above.extras.clone();
        extras.extend(texts(&json["extras"]));
        let to_world = above.to_world * transform(json, &name)?;
        if let Some(mesh) = node.mesh() {
            let name = distinct(&name, &mut names);
            instances.push(MeshInstance { name, extras: extras.clone(), mesh: mesh.index(), to_world });
        }
        let place = Rc::new(Place { name, extras, to_world });
        let begin = stack.len();
        for child in node.children() {
            meet(&child)?;
            stack.push((child, Rc::clone(&place)));
        }
        stack[begin..].reverse();
    }
    Ok(instances)
}

/// What the nodes below a node begin with.
struct Place {
    name: String,
    extras: BTreeMap<String, String>,
    to_world: Matrix4<f64>,
}

/// The total length of keys and texts in bytes.
fn lengths<T: AsRef<str>>(texts: impl IntoIterator<Item = (T, T)>) -> usize {
    texts.into_iter().map(|(key, text)| key.as_ref().len() + text.as_ref().len()).sum()
}

/// The name, or the name with the least number that makes it another than all before it. `next` has, for each name, the
/// number to try next, so that equal names take no longer than others.
fn distinct(name: &str, next: &mut HashMap<String, usize>) -> String {
    let mut number = next.get(name).copied().unwrap_or(1);
    let distinct = loop {
        let distinct = if number == 1 { name.to_owned() } else { format!("{name}#{number}") };
        number += 1;
        if !next.contains_key(&distinct) {
            break distinct;
        }
    };
    next.insert(name.to_owned(), number);
    next.entry(distinct.clone()).or_insert(2);
    distinct
}

/// The strings, numbers and booleans of an object, as text.
fn texts(object: &Value) -> impl Iterator<Item = (String, String)> {
    object.as_object().into_iter().flatten().filter_map(|(key, value)| {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(_) | Value::Bool(_) => value.to_string(),
            _ => return None,
        };
        Some((key.clone(), text))
    })
}

fn transform(node: &Value, name: &str) -> Result<Matrix4<f64>, MeshError> {
    let location = || format!("node '{name}'");
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
            return Err(unexpected(location(), "a rotation", "zero"));
        }
        // The numbers of glTF are f32, however many digits they have.
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
    Err(unexpected(location(), "an affine and finite matrix", "another"))
}

/// What all meshes have together, which is limited because primitives may share buffers and materials: a short file
/// could describe a huge mesh.
#[derive(Default)]
struct Total {
    vertices_and_corners: usize,
    names: NameBytes,
}

/// Reads a mesh's primitives as one mesh in its own frame, and adds what it has to `total`.
fn read_mesh(
    document: &Document,
    mesh: &gltf::Mesh<'_>,
    group_by: GroupBy,
    total: &mut Total,
    skipped: &mut usize,
) -> Result<Mesh, MeshError> {
    let (mut vertices, mut triangles, mut groups) = (Vec::new(), Vec::new(), Vec::<Group>::new());
    let mut last_material = None;
    for primitive in mesh.primitives() {
        let location = || format!("mesh {}, primitive {}", mesh.index(), primitive.index());
        if matches!(primitive.mode(), Mode::Points | Mode::Lines | Mode::LineLoop | Mode::LineStrip) {
            *skipped += 1;
            continue;
        }
        let Some(positions) = primitive.get(&gltf::Semantic::Positions) else { continue };
        let first = vertices.len();
        let points = read_positions(document, &positions)?;
        let count = points.len();
        if let Some(point) = points.iter().find(|point| !point.iter().all(|x| x.is_finite())) {
            return Err(unexpected(location(), "coordinates that are finite", format!("{point:?}")));
        }
        vertices.extend(points.into_iter().map(Point3::from));
        let corners = match primitive.indices() {
            Some(indices) => read_indices(document, &indices)?,
            None => (0..count as u32).collect(),
        };
        if let Some(corner) = corners.iter().find(|&&corner| corner as usize >= count) {
            return Err(unexpected(location(), format!("indices below {count}"), corner.to_string()));
        }
        total.vertices_and_corners += count + corners.len();
        if total.vertices_and_corners > MAX_INSTANCED {
            let found = "more: primitives share buffers";
            return Err(unexpected(location(), format!("at most {MAX_INSTANCED} vertices and corners in all"), found));
        }
        let corners: Vec<u32> = corners.into_iter().map(|corner| corner + first as u32).collect();
        let first_triangle = triangles.len();
        add_triangles(&mut triangles, &corners, primitive.mode())
            .ok_or_else(|| unexpected(location(), "whole triangles", format!("{} corners", corners.len())))?;
        let material = primitive.material();
        let is_new = last_material != Some(material.index());
        if group_by != GroupBy::Object && triangles.len() > first_triangle && is_new {
            last_material = Some(material.index());
            total.names.add(material.name().map_or(0, str::len))?;
            let name = match (material.name(), material.index()) {
                (Some(name), _) => name.to_owned(),
                (None, Some(index)) => format!("material{index}"),
                (None, None) => String::new(),
            };
            if groups.last().is_none_or(|group| group.name != name) {
                groups.push(Group { name, material: String::new(), first_triangle: first_triangle as u32 });
            }
        }
    }
    Mesh::from_parts(vertices, triangles, Vec::new(), groups)
}

/// Appends the triangles of a primitive; `None` if the number of corners does not fit whole triangles.
fn add_triangles(triangles: &mut Vec<[u32; 3]>, corners: &[u32], mode: Mode) -> Option<()> {
    match mode {
        Mode::TriangleStrip => {
            // Every other triangle of a strip is reversed.
            let strip = corners.windows(3).enumerate();
            triangles.extend(strip.map(|(i, c)| if i % 2 == 0 { [c[0], c[1], c[2]] } else { [c[1], c[0], c[2]] }));
        }
        Mode::TriangleFan => {
            let [apex, fan @ ..] = corners else { return Some(()) };
            triangles.extend(fan.windows(2).map(|edge| [edge[0], edge[1], *apex]));
        }
        _ => {
            let (whole, rest) = corners.as_chunks::<3>();
            if !rest.is_empty() {
                return None;
            }
            triangles.extend_from_slice(whole);
        }
    }
    Some(())
}

/// Reads positions; normalized integers become fractions.
fn read_positions(document: &Document, accessor: &Accessor<'_>) -> Result<Vec<[f32; 3]>, MeshError> {
    if accessor.dimensions() != Dimensions::Vec3 {
        return Err(unexpected(
            location(accessor),
            "positions of three numbers",
            format!("{:?}", accessor.dimensions()),
        ));
    }
    let is_normalized = accessor.normalized();
    // Equations of the specification, section 3.11 (Accessor data types); signed integers begin below -largest.
    let fraction = |number: f32, largest: f32| if is_normalized { (number / largest).max(-1.0) } else { number };
    let number = |bytes: &[u8]| match (accessor.data_type(), bytes) {
        (DataType::F32, &[a, b, c, d]) => f32::from_le_bytes([a, b, c, d]),
        (DataType::I8, &[a]) => fraction(f32::from(a as i8), i8::MAX.into()),
        (DataType::U8, &[a]) => fraction(f32::from(a), u8::MAX.into()),
        (DataType::I16, &[a, b]) => fraction(f32::from(i16::from_le_bytes([a, b])), i16::MAX.into()),
        (DataType::U16, &[a, b]) => fraction(f32::from(u16::from_le_bytes([a, b])), u16::MAX.into()),
        _ => f32::NAN,
    };
    if accessor.data_type() == DataType::U32 {
        return Err(unexpected(location(accessor), "positions of floats, bytes or shorts", "32-bit integers"));
    }
    let size = accessor.data_type().size();
    elements(document, accessor, |bytes| {
        [number(&bytes[..size]), number(&bytes[size..2 * size]), number(&bytes[2 * size..])]
    })
}

fn read_indices(document: &Document, accessor: &Accessor<'_>) -> Result<Vec<u32>, MeshError> {
    if accessor.dimensions() != Dimensions::Scalar {
        return Err(unexpected(location(accessor), "single indices", format!("{:?}", accessor.dimensions())));
    }
    match accessor.data_type() {
        DataType::U8 | DataType::U16 | DataType::U32 => elements(document, accessor, whole),
        other => Err(unexpected(location(accessor), "indices of unsigned integers", format!("{other:?}"))),
    }
}

/// A little-endian integer of one, two or four bytes.
fn whole(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte))
}

fn location(accessor: &Accessor<'_>) -> String {
    format!("accessor {}", accessor.index())
}

/// Zeros for the largest element: sixteen numbers of four bytes.
const ZEROS: [u8; 64] = [0; 64];

/// The elements of an accessor, including sparse replacements.
fn elements<T>(document: &Document, accessor: &Accessor<'_>, read: impl Fn(&[u8]) -> T) -> Result<Vec<T>, MeshError> {
    let wrong = || unexpected(location(accessor), "elements that lie in its buffer", "others, or none");
    let (size, count) = (accessor.size(), accessor.count());
    let mut elements: Vec<T> = match accessor.view() {
        Some(view) => {
            let stride = view.stride().unwrap_or(size);
            let bytes = slice(document, &view, accessor.offset(), count, size, stride).ok_or_else(wrong)?;
            (0..count).map(|i| read(&bytes[i * stride..i * stride + size])).collect()
        }
        // All elements are zero except the sparse ones; their number is limited by the size of the file.
        None if accessor.sparse().is_some() && count <= document.buffer_bytes => {
            (0..count).map(|_| read(&ZEROS[..size])).collect()
        }
        None => return Err(wrong()),
    };
    if let Some(sparse) = accessor.sparse() {
        let (indices, values) = (sparse.indices(), sparse.values());
        let index_size = indices.index_type().size();
        let at = slice(document, &indices.view(), indices.offset(), sparse.count(), index_size, index_size);
        let to = slice(document, &values.view(), values.offset(), sparse.count(), size, size);
        let (at, to) = at.zip(to).ok_or_else(wrong)?;
        for (index, value) in at.chunks_exact(index_size).zip(to.chunks_exact(size)).take(sparse.count()) {
            *elements.get_mut(whole(index) as usize).ok_or_else(wrong)? = read(value);
        }
    }
    Ok(elements)
}

/// The bytes of a view from `offset` on, if it has `count` elements there.
fn slice<'a>(
    document: &'a Document,
    view: &gltf::buffer::View<'_>,
    offset: usize,
    count: usize,
    size: usize,
    stride: usize,
) -> Option<&'a [u8]> {
    let buffer = document.buffers.get(view.buffer().index())?;
    let bytes = buffer.get(view.offset()..view.offset().checked_add(view.length())?)?.get(offset..)?;
    let needed = count.checked_sub(1)?.checked_mul(stride)?.checked_add(size)?;
    (stride >= size && needed <= bytes.len()).then_some(bytes)
}
