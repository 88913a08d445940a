//! The geometry of COLLADA files (1.4 and 1.5): triangles, strips, fans, polylists and polygons, placed by the nodes of
//! the scene.
//!
//! Polygons are cut into fans, as in OBJ files. Where a transform mirrors, the order of the corners of triangles is
//! reversed, so that what faced outward still does. Lines, materials, normals, controllers and animations are ignored.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

use bvtree::pose::unit_vector;
use nalgebra::{Matrix4, Point3, Rotation3, Vector3};

use crate::error::RobotError;
use crate::xml::{Element, parse};

/// Vertices and triangles of a scene, in metres.
#[derive(Debug, Default)]
pub struct Triangles {
    pub vertices: Vec<[f64; 3]>,
    pub triangles: Vec<[u32; 3]>,
}

/// The greatest depth of nodes in nodes.
const MAX_DEPTH: usize = 100;
/// The greatest number of nodes, each counted as often as it is instanced.
const MAX_NODES: usize = 100_000;
/// The greatest number of bytes of nodes, each counted as often as it is instanced, that exceed the file's size.
const MAX_REPEATED_BYTES: usize = 100_000_000;
/// The greatest number of vertices, and of corners of triangles, each counted as often as it is instanced, that exceed
/// the file's size in bytes. Without instances, hardly any do: a vertex is three numbers, and each index of a polygon
/// gives at most three corners.
const MAX_REPEATED_CORNERS: usize = 10_000_000;
/// The greatest number of vertices, and of corners of triangles, of any file.
const MAX_CORNERS: usize = 300_000_000;

/// Reads a file's text, and scales coordinates to metres. `turns_up` also turns the file's up axis to z.
pub fn read(text: &str, path: &Path, turns_up: bool) -> Result<Triangles, RobotError> {
    let document = parse(text, path)?;
    let root = Element::root(&document, path, "COLLADA")?;
    let mut reader = Reader {
        ids: HashMap::new(),
        arrays: HashMap::new(),
        meshes: HashMap::new(),
        nodes: 0,
        bytes: 0,
        max_bytes: text.len() + MAX_REPEATED_BYTES,
        max_corners: (text.len() + MAX_REPEATED_CORNERS).min(MAX_CORNERS),
        out: Triangles::default(),
    };
    for node in root.node.descendants().filter(|node| node.is_element()) {
        if let Some(id) = node.attribute("id") {
            reader.ids.entry(id).or_insert(Element { node, ..root });
        }
    }
    let placed = to_metres(&root, turns_up)?;
    let scene = root.first("scene").and_then(|scene| scene.first("instance_visual_scene"));
    let scene = match scene {
        Some(instance) => Some(reader.target(&instance, "url", "visual_scene")?),
        None => root.first("library_visual_scenes").and_then(|library| library.first("visual_scene")),
    };
    if let Some(scene) = scene {
        for node in scene.all("node") {
            reader.node(&node, &placed, 0)?;
        }
    } else {
        for geometry in root.all("library_geometries").flat_map(|library| library.all("geometry")) {
            reader.geometry(&geometry, &placed)?;
        }
    }
    if reader.out.triangles.is_empty() {
        return Err(root.error("expected triangles or polygons in the scene"));
    }
    Ok(reader.out)
}

fn to_metres(root: &Element<'_, '_>, turns_up: bool) -> Result<Matrix4<f64>, RobotError> {
    let Some(asset) = root.first("asset") else { return Ok(Matrix4::identity()) };
    let mut metre = 1.0;
    if let Some(unit) = asset.first("unit") {
        metre = unit.number("meter")?.unwrap_or(1.0);
        if !(1e-12..=1e12).contains(&metre) {
            return Err(unit.error(format!("expected a positive number of metres, found {metre}")));
        }
    }
    let up = asset.first("up_axis").map(|up| up.text());
    let axes = match up.as_deref().map_or("Y_UP", str::trim) {
        _ if !turns_up => Matrix4::identity(),
        "Z_UP" => Matrix4::identity(),
        "X_UP" => Matrix4::new(0., -1., 0., 0., 0., 0., -1., 0., 1., 0., 0., 0., 0., 0., 0., 1.),
        _ => Matrix4::new(1., 0., 0., 0., 0., 0., -1., 0., 0., 1., 0., 0., 0., 0., 0., 1.),
    };
    Ok(axes * Matrix4::new_scaling(metre))
}

struct Reader<'a, 'input> {
    ids: HashMap<&'a str, Element<'a, 'input>>,
    /// Arrays of numbers already read, by the positions of their elements.
    arrays: HashMap<usize, Vec<f64>>,
    /// Geometry already read, by the position of its element.
    meshes: HashMap<usize, Triangles>,
    /// The number of nodes so far, each counted as often as it is instanced, and that of the bytes in them.
    nodes: usize,
    bytes: usize,
    max_bytes: usize,
    /// The greatest number of vertices, and of corners of triangles.
    max_corners: usize,
    out: Triangles,
}

impl<'a, 'input> Reader<'a, 'input> {
    /// The element that an attribute refers to.
    fn target(
        &self,
        from: &Element<'a, 'input>,
        attribute: &str,
        name: &str,
    ) -> Result<Element<'a, 'input>, RobotError> {
        let url = from.required(attribute)?;
        let id = url.strip_prefix('#').unwrap_or(url);
        let found = self.ids.get(id).filter(|element| element.name() == name);
        found
            .copied()
            .ok_or_else(|| from.error(format!("expected a <{name}> of this file as `{attribute}`, found `{url}`")))
    }

    fn node(&mut self, node: &Element<'a, 'input>, above: &Matrix4<f64>, depth: usize) -> Result<(), RobotError> {
        self.nodes += 1;
        if depth > MAX_DEPTH || self.nodes > MAX_NODES {
            return Err(node.error(format!("expected at most {MAX_NODES} nodes, at most {MAX_DEPTH} deep")));
        }
        // Comments count, too.
        let nested: usize = node.children().filter(|child| child.name() == "node").map(|child| child.bytes()).sum();
        self.bytes += node.bytes() - nested;
        if self.bytes > self.max_bytes {
            return Err(node.error(format!("expected at most {} bytes of nodes with their instances", self.max_bytes)));
        }
        let mut placed = *above;
        for child in node.children() {
            match child.name() {
                "matrix" => placed *= Matrix4::from_row_slice(&exactly::<16>(&child)?),
                "translate" => placed *= Matrix4::new_translation(&exactly::<3>(&child)?.into()),
                "scale" => placed *= Matrix4::new_nonuniform_scaling(&exactly::<3>(&child)?.into()),
                "rotate" => {
                    let [x, y, z, degrees] = exactly::<4>(&child)?;
                    if let Some(axis) = unit_vector(&Vector3::new(x, y, z)) {
                        placed *= Rotation3::from_axis_angle(&axis, degrees.to_radians()).to_homogeneous();
                    }
                }
                "lookat" | "skew" => return Err(child.error("this transform is not supported")),
                "instance_geometry" => {
                    let geometry = self.target(&child, "url", "geometry")?;
                    self.geometry(&geometry, &placed)?;
                }
                "instance_node" => {
                    let target = self.target(&child, "url", "node")?;
                    self.node(&target, &placed, depth + 1)?;
                }
                "node" => self.node(&child, &placed, depth + 1)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn geometry(&mut self, geometry: &Element<'a, 'input>, placed: &Matrix4<f64>) -> Result<(), RobotError> {
        let key = geometry.node.range().start;
        if !self.meshes.contains_key(&key) {
            let mesh = self.mesh(geometry)?;
            self.meshes.insert(key, mesh);
        }
        let mesh = &self.meshes[&key];
        self.check_size(geometry, [mesh.vertices.len(), mesh.triangles.len()])?;
        let first = self.out.vertices.len();
        for vertex in &mesh.vertices {
            let vertex = placed * Point3::from(*vertex).to_homogeneous();
            if !vertex.iter().all(|x| x.is_finite()) || vertex.w == 0.0 {
                return Err(geometry.error("the scene takes a vertex out of all bounds"));
            }
            self.out.vertices.push((vertex.xyz() / vertex.w).into());
        }
        let mirrors = placed.fixed_view::<3, 3>(0, 0).determinant() < 0.0;
        let first = first as u32;
        self.out.triangles.extend(mesh.triangles.iter().map(|&[a, b, c]| {
            let [a, b, c] = [a + first, b + first, c + first];
            if mirrors { [a, c, b] } else { [a, b, c] }
        }));
        Ok(())
    }

    /// An error if the scene so far and a mesh with these numbers of vertices and triangles are too large together.
    fn check_size(&self, at: &Element<'_, '_>, [vertices, triangles]: [usize; 2]) -> Result<(), RobotError> {
        let (vertices, triangles) = (self.out.vertices.len() + vertices, self.out.triangles.len() + triangles);
        if vertices <= self.max_corners && 3 * triangles <= self.max_corners {
            return Ok(());
        }
        let most = self.max_corners;
        Err(at.error(format!("expected at most {most} vertices, and corners of triangles, with their instances")))
    }

    fn mesh(&mut self, geometry: &Element<'a, 'input>) -> Result<Triangles, RobotError> {
        // Splines and the like have no triangles.
        let Some(mesh) = geometry.first("mesh") else { return Ok(Triangles::default()) };
        let mut out = Triangles::default();
        let mut starts: HashMap<usize, (u32, usize)> = HashMap::new();
        for primitive in mesh.children() {
            let cut: fn(&[usize]) -> Vec<[usize; 3]> = match primitive.name() {
                "triangles" => |corners| corners.as_chunks::<3>().0.to_vec(),
                "polylist" | "polygons" | "trifans" => fan,
                "tristrips" => strip,
                _ => continue,
            };
            let inputs = Inputs::of(&primitive)?;
            let Some(vertices) = inputs.vertices else { continue };
            let vertices = self.target(&vertices, "source", "vertices")?;
            let key = vertices.node.range().start;
            if let Entry::Vacant(entry) = starts.entry(key) {
                let first = out.vertices.len();
                out.vertices.extend(self.positions(&vertices)?);
                self.check_size(&vertices, [out.vertices.len(), out.triangles.len()])?;
                entry.insert((first as u32, out.vertices.len() - first));
            }
            let (first, count) = starts[&key];
            for polygon in polygons(&primitive, &inputs)? {
                let corners = inputs.corners(&polygon, count, &primitive)?;
                out.triangles
                    .extend(cut(&corners).into_iter().map(|corners| corners.map(|corner| first + corner as u32)));
            }
        }
        Ok(out)
    }

    /// The points of a `<vertices>`.
    fn positions(&mut self, vertices: &Element<'a, 'input>) -> Result<Vec<[f64; 3]>, RobotError> {
        let input = vertices.all("input").find(|input| input.attribute("semantic") == Some("POSITION"));
        let input = input.ok_or_else(|| vertices.error("expected an input of semantic POSITION"))?;
        let source = self.target(&input, "source", "source")?;
        let accessor = source.child("technique_common")?.child("accessor")?;
        let array = self.target(&accessor, "source", "float_array")?;
        let whole = |name: &str, default: usize| match accessor.attribute(name) {
            Some(text) => {
                text.trim().parse().map_err(|_| accessor.error(format!("expected a whole number as `{name}`")))
            }
            None => Ok(default),
        };
        let (stride, offset, count) = (whole("stride", 1)?, whole("offset", 0)?, whole("count", 0)?);
        if stride < 3 {
            return Err(accessor.error(format!("expected points of three coordinates, found a stride of {stride}")));
        }
        let points: Vec<[f64; 3]> = self
            .numbers(&array)?
            .get(offset..)
            .unwrap_or_default()
            .chunks(stride)
            .take(count)
            .filter_map(|point| point.first_chunk::<3>().copied())
            .collect();
        let expected = format!("expected {count} points, found {}", points.len());
        if points.len() < count { Err(accessor.error(expected)) } else { Ok(points) }
    }

    /// The numbers of an array, which is read once however many sources refer to it.
    fn numbers(&mut self, array: &Element<'a, 'input>) -> Result<&[f64], RobotError> {
        Ok(match self.arrays.entry(array.node.range().start) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(entry) => entry.insert(numbers(array)?),
        })
    }
}

/// The inputs of a primitive.
struct Inputs<'a, 'input> {
    vertices: Option<Element<'a, 'input>>,
    /// The position of the vertex index among the indices of a corner.
    offset: usize,
    stride: usize,
}

impl<'a, 'input> Inputs<'a, 'input> {
    fn of(primitive: &Element<'a, 'input>) -> Result<Self, RobotError> {
        let mut inputs = Self { vertices: None, offset: 0, stride: 1 };
        for input in primitive.all("input") {
            let offset = input.attribute("offset").unwrap_or("0").trim();
            let offset = offset.parse().ok().filter(|&offset: &usize| offset < 1000);
            let offset = offset.ok_or_else(|| input.error("expected a whole number below 1000 as `offset`"))?;
            inputs.stride = inputs.stride.max(offset + 1);
            if input.attribute("semantic") == Some("VERTEX") {
                (inputs.vertices, inputs.offset) = (Some(input), offset);
            }
        }
        Ok(inputs)
    }

    /// The vertices of a polygon's corners.
    fn corners(&self, indices: &[usize], count: usize, primitive: &Element<'_, '_>) -> Result<Vec<usize>, RobotError> {
        let corners: Vec<usize> = indices.iter().skip(self.offset).step_by(self.stride).copied().collect();
        match corners.iter().find(|&&corner| corner >= count) {
            Some(corner) => Err(primitive.error(format!("expected indices below {count}, found {corner}"))),
            None => Ok(corners),
        }
    }
}

/// The indices of each polygon, or of all triangles.
fn polygons(primitive: &Element<'_, '_>, inputs: &Inputs<'_, '_>) -> Result<Vec<Vec<usize>>, RobotError> {
    let mut lists = Vec::new();
    for list in primitive.children() {
        match list.name() {
            "p" => lists.push(list),
            "ph" => return Err(list.error("polygons with holes are not supported")),
            _ => {}
        }
    }
    let mut polygons = lists.iter().map(indices).collect::<Result<Vec<_>, _>>()?;
    if primitive.name() == "polylist" {
        let all = polygons.concat();
        polygons.clear();
        let mut rest = &all[..];
        for corners in indices(&primitive.child("vcount")?)? {
            let taken = corners.checked_mul(inputs.stride).and_then(|taken| rest.split_at_checked(taken));
            let Some((polygon, after)) = taken else {
                return Err(primitive.error("expected as many indices in <p> as <vcount> says"));
            };
            polygons.push(polygon.to_vec());
            rest = after;
        }
    }
    Ok(polygons)
}

fn fan(corners: &[usize]) -> Vec<[usize; 3]> {
    let [first, rest @ ..] = corners else { return Vec::new() };
    rest.windows(2).map(|edge| [*first, edge[0], edge[1]]).collect()
}

fn strip(corners: &[usize]) -> Vec<[usize; 3]> {
    let turned = |(i, corners): (usize, &[usize])| {
        if i % 2 == 0 { [corners[0], corners[1], corners[2]] } else { [corners[1], corners[0], corners[2]] }
    };
    corners.windows(3).enumerate().map(turned).collect()
}

/// The numbers of an element's text.
fn numbers(element: &Element<'_, '_>) -> Result<Vec<f64>, RobotError> {
    let text = element.text();
    let number = |word: &str| {
        let number = word.parse().ok().filter(|x: &f64| x.is_finite());
        number.ok_or_else(|| element.error(format!("expected a finite number, found `{}`", shown(word))))
    };
    text.split_ascii_whitespace().map(number).collect()
}

fn exactly<const N: usize>(element: &Element<'_, '_>) -> Result<[f64; N], RobotError> {
    let numbers = numbers(element)?;
    let found = numbers.len();
    numbers.try_into().map_err(|_| element.error(format!("expected {N} numbers, found {found}")))
}

fn indices(element: &Element<'_, '_>) -> Result<Vec<usize>, RobotError> {
    let text = element.text();
    let index = |word: &str| {
        // Below 2^31, so that an index of a scene fits its type.
        let index = word.parse().ok().filter(|&index: &usize| index < 1 << 31);
        index.ok_or_else(|| element.error(format!("expected an index, found `{}`", shown(word))))
    };
    text.split_ascii_whitespace().map(index).collect()
}

fn shown(word: &str) -> String {
    word.chars().take(40).collect()
}
