//! The scene of the 3D view as JSON for `scene.js`: meshes, simplified if they are large, and the upper levels
//! of their trees.
//!
//! Coordinates are 16-bit fractions of a cube around the mesh, which is finer than a screen can show.

use std::collections::HashMap;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bvtree::shape::Aabb;
use bvtree::tree::NodeInfo;
use bvtree::{BvTree, Mesh, Pose, Volume, VolumeKind};
use nalgebra::{Point3, Vector3};
use serde_json::{Map, Value, json};

use crate::args::Up;
use crate::output::object;
use crate::solids::{Solid, cut, shades};

/// Limits on the meshes and trees that a page includes.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The maximum number of triangles of a mesh; larger meshes are simplified.
    pub triangles: usize,
    /// The maximum number of volumes of a tree; levels that would exceed it are left out.
    pub volumes: usize,
    /// The maximum number of triangles that are highlighted.
    pub highlighted: usize,
    /// Whether the page can colour a mesh by the volumes that hold its triangles.
    pub owners: bool,
}

/// A mesh in the view, to which trees are added.
pub struct Part {
    value: Map<String, Value>,
    trees: Vec<Value>,
    frame: Frame,
    drawn: Drawn,
    limits: Limits,
}

impl Part {
    pub fn new(name: &str, mesh: &Mesh, limits: Limits) -> Self {
        let drawn = simplified(mesh, limits.triangles);
        let frame = Frame::around(&drawn.bounds);
        let corners: Vec<u32> = drawn.triangles.iter().flatten().copied().collect();
        let value = json!({
            "name": name,
            "frame": {"origin": frame.origin.coords.as_slice(), "size": frame.size},
            "positions": frame.positions(&drawn.vertices),
            "indices": indices(&corners),
            "triangles": mesh.triangles().len(),
            "drawn": drawn.triangles.len(),
        });
        let value = if let Value::Object(members) = value { members } else { Map::new() };
        Self { value, trees: Vec::new(), frame, drawn, limits }
    }

    /// Sets the mesh's pose in the scene; the identity by default.
    pub fn pose(&mut self, pose: &Pose) {
        self.value.insert("pose".into(), pose_rows(pose).into());
    }

    /// Highlights triangles of the mesh, unsimplified even if the mesh is drawn simplified.
    pub fn highlight(&mut self, mesh: &Mesh, faces: &[u32]) {
        let shown = faces.iter().take(self.limits.highlighted);
        let corners: Vec<Point3<f64>> = shown.flat_map(|&face| mesh.triangle(face).vertices).collect();
        self.value.insert("highlighted".into(), self.frame.positions(&corners));
        self.value.insert("highlights".into(), faces.len().into());
    }

    /// Adds a tree of the mesh; `label` distinguishes it from others of its kind.
    pub fn add_tree(&mut self, tree: &BvTree, label: &str) {
        let nodes: Vec<NodeInfo> = tree.nodes().collect();
        let levels: Vec<usize> = nodes.chunk_by(|a, b| a.level == b.level).map(<[_]>::len).collect();
        let cuts: Vec<usize> = (0..levels.len() as u32).map(|level| cut(&nodes, level).count()).collect();
        let ends: Vec<usize> = levels
            .iter()
            .scan(0, |end, count| {
                *end += count;
                Some(*end)
            })
            .collect();
        let shown = ends.iter().take_while(|&&end| end <= self.limits.volumes).count().max(1).min(levels.len());
        let kept = &nodes[..ends.get(shown.wrapping_sub(1)).copied().unwrap_or(0)];
        let parents: Vec<u32> = kept.iter().map(|node| node.parent.unwrap_or(0) as u32).collect();
        self.trees.push(json!({
            "kind": tree.kind().name(),
            "label": label,
            "nodes": nodes.len(),
            "cuts": cuts,
            "levels": &levels[..shown],
            "children": bytes(kept.iter().map(|node| node.children as u8).collect()),
            "parents": indices(&parents),
            "volumes": shorts(kept.iter().flat_map(|node| self.frame.volume(&node.volume))),
            "owners": self.limits.owners.then(|| indices(&self.owners(tree, kept, shown))),
        }));
    }

    /// For each drawn triangle, the index of the node that holds it in the deepest cut shown.
    fn owners(&self, tree: &BvTree, kept: &[NodeInfo], shown: usize) -> Vec<u32> {
        let mut owner = vec![0; tree.triangle_count()];
        for (number, node) in cut(kept, (shown as u32).saturating_sub(1)) {
            for &face in tree.faces().iter().skip(node.first_triangle).take(node.triangles) {
                owner[face as usize] = number as u32;
            }
        }
        self.drawn.faces.iter().map(|&face| owner[face as usize]).collect()
    }

    fn json(mut self) -> Value {
        self.value.insert("trees".into(), self.trees.into());
        self.value.into()
    }
}

/// The 12 numbers of the matrix `[R | t]` of a pose, row by row.
pub fn pose_rows(pose: &Pose) -> Vec<f64> {
    let (rotation, translation) = (pose.rotation(), pose.translation());
    let row = |row: usize| [rotation[(row, 0)], rotation[(row, 1)], rotation[(row, 2)], translation[row]];
    (0..3).flat_map(row).collect()
}

/// The JSON of a scene of meshes.
pub fn scene(parts: Vec<Part>, up: Up) -> Value {
    let up = match up {
        Up::Y => "y",
        Up::Z => "z",
    };
    json!({"up": up, "parts": parts.into_iter().map(Part::json).collect::<Value>()})
}

/// The volumes' colours, by kind.
pub fn palette() -> Value {
    let colours = |kind| shades(kind).iter().map(|colour| Value::from(colour.to_vec())).collect::<Value>();
    object(VolumeKind::ALL.map(|kind| (kind.name(), colours(kind)))).into()
}

/// The cube in which coordinates are encoded, as 16-bit fractions of its edge.
#[derive(Clone, Copy, Debug)]
struct Frame {
    origin: Point3<f64>,
    size: f64,
}

impl Frame {
    /// The cube around bounds, with room for volumes that exceed the mesh's box.
    fn around(bounds: &Aabb) -> Self {
        if bounds.is_empty() {
            return Self { origin: Point3::origin(), size: 1.0 };
        }
        let size = 2.0 * bounds.size().max();
        let size = if size > 0.0 { size } else { 1.0 };
        Self { origin: bounds.center() - Vector3::repeat(size / 2.0), size }
    }

    fn positions(&self, points: &[Point3<f64>]) -> Value {
        shorts(points.iter().flat_map(|point| self.point(point)))
    }

    fn point(&self, point: &Point3<f64>) -> [u16; 3] {
        (point - self.origin).map(|x| self.length(x)).into()
    }

    fn length(&self, length: f64) -> u16 {
        fraction(length / self.size)
    }

    /// Encodes a volume: center and radius, or center and half extents, with a quaternion for an oriented box.
    fn volume(&self, volume: &Volume) -> Vec<u16> {
        let solid = Solid::new(volume);
        let mut words = self.point(&solid.center).to_vec();
        let scale: [u16; 3] = solid.scale.map(|x| self.length(x)).into();
        match volume.kind() {
            VolumeKind::Sphere => words.push(scale[0]),
            VolumeKind::Aabb | VolumeKind::KDop => words.extend(scale),
            VolumeKind::Obb => {
                words.extend(scale);
                words.extend(solid.rotation.coords.iter().map(|x| fraction(0.5 * x + 0.5)));
            }
        }
        words
    }
}

/// Encodes a number from 0 to 1 in 16 bits.
fn fraction(x: f64) -> u16 {
    (x.clamp(0.0, 1.0) * f64::from(u16::MAX)).round() as u16
}

/// Encodes 16-bit numbers as a JSON string: little-endian, in base64.
pub fn shorts(values: impl IntoIterator<Item = u16>) -> Value {
    bytes(values.into_iter().flat_map(u16::to_le_bytes).collect())
}

/// Encodes indices, with 16 bits each if that is enough, else 32.
pub fn indices(values: &[u32]) -> Value {
    let wide = values.iter().any(|&value| value > u32::from(u16::MAX));
    let data = if wide {
        bytes(values.iter().flat_map(|value| value.to_le_bytes()).collect())
    } else {
        shorts(values.iter().map(|&value| value as u16))
    };
    json!({"wide": wide, "data": data})
}

pub fn bytes(bytes: Vec<u8>) -> Value {
    STANDARD.encode(bytes).into()
}

/// A mesh as it is drawn.
pub struct Drawn {
    pub vertices: Vec<Point3<f64>>,
    pub triangles: Vec<[u32; 3]>,
    /// For each drawn triangle, the index of the triangle of the mesh that it stands for.
    pub faces: Vec<u32>,
    /// The box around the mesh's triangles. Vertices that no triangle uses may be outside.
    bounds: Aabb,
}

/// The number of cells along the mesh's longest side in the finest grid; each coarser grid has [`COARSER`] times as
/// many.
const FINEST: f64 = 1024.0;
const COARSER: f64 = 0.8;

/// The mesh itself if it has at most `most_triangles` triangles, else a similar mesh with fewer.
pub fn simplified(mesh: &Mesh, most_triangles: usize) -> Drawn {
    let (vertices, numbers) = used_vertices(mesh);
    let bounds = Aabb::from_points(&vertices);
    if mesh.triangles().len() <= most_triangles {
        let triangles = mesh.triangles().iter().map(|corners| corners.map(|corner| numbers[corner as usize])).collect();
        return Drawn { vertices, triangles, faces: (0..mesh.triangles().len() as u32).collect(), bounds };
    }
    let mut cells = FINEST;
    loop {
        let drawn = clustered(mesh, bounds, cells);
        // A grid of one cell leaves no triangles, so this loop ends.
        if drawn.triangles.len() <= most_triangles {
            return drawn;
        }
        cells *= COARSER;
    }
}

/// The vertices that triangles use, and for each vertex of the mesh its index among them, or `u32::MAX` if it is
/// unused.
fn used_vertices(mesh: &Mesh) -> (Vec<Point3<f64>>, Vec<u32>) {
    let mut numbers = vec![u32::MAX; mesh.vertices().len()];
    mesh.triangles().iter().flatten().for_each(|&corner| numbers[corner as usize] = 0);
    let mut used = Vec::new();
    for (vertex, number) in mesh.vertices().iter().zip(&mut numbers).filter(|(_, number)| **number == 0) {
        *number = used.len() as u32;
        used.push(vertex.cast());
    }
    (used, numbers)
}

fn clustered(mesh: &Mesh, bounds: Aabb, cells: f64) -> Drawn {
    let cell_size = bounds.size().max() / cells;
    let mut clusters: HashMap<[i64; 3], u32> = HashMap::new();
    let mut sums: Vec<(Point3<f64>, f64)> = Vec::new();
    let mut cluster_of: Vec<Option<u32>> = vec![None; mesh.vertices().len()];
    let mut cluster = |vertex: u32| {
        *cluster_of[vertex as usize].get_or_insert_with(|| {
            let point: Point3<f64> = mesh.vertices()[vertex as usize].cast();
            let cell = ((point - bounds.lower) / cell_size).map(|x| x.floor() as i64);
            let number = *clusters.entry(cell.into()).or_insert_with(|| {
                sums.push((Point3::origin(), 0.0));
                sums.len() as u32 - 1
            });
            let (sum, count) = &mut sums[number as usize];
            *sum += point.coords;
            *count += 1.0;
            number
        })
    };
    let (mut triangles, mut faces) = (Vec::new(), Vec::new());
    for (face, corners) in mesh.triangles().iter().enumerate() {
        let [a, b, c] = corners.map(&mut cluster);
        if a != b && b != c && c != a {
            triangles.push([a, b, c]);
            faces.push(face as u32);
        }
    }
    Drawn { vertices: sums.iter().map(|(sum, count)| sum / *count).collect(), triangles, faces, bounds }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_triangles_near_those_that_were() {
        let mesh = Mesh::load_obj(concat!(env!("CARGO_MANIFEST_DIR"), "/../data/torus_knot.obj")).unwrap();
        let all = simplified(&mesh, mesh.triangles().len());
        assert_eq!((all.triangles.as_slice(), all.faces.len()), (mesh.triangles(), mesh.triangles().len()));
        for most in [5000, 1000, 100, 0] {
            let drawn = simplified(&mesh, most);
            assert!(drawn.triangles.len() <= most && drawn.triangles.len() >= most / 3, "{}", drawn.triangles.len());
            assert!(drawn.faces.is_sorted_by(|a, b| a < b) && drawn.faces.len() == drawn.triangles.len());
            let bounds = mesh.aabb();
            assert!(drawn.vertices.iter().all(|vertex| bounds.contains(vertex)));
            for (triangle, &face) in drawn.triangles.iter().zip(&drawn.faces) {
                let [a, b, c] = triangle.map(|index| drawn.vertices[index as usize]);
                assert!(a != b && b != c && c != a);
                // A vertex moves within its cell, and cells grow as triangles become fewer.
                let slack = if most >= 1000 { 0.1 } else { 0.5 } * bounds.size().max();
                assert!((a - mesh.triangle(face).vertices[0]).norm() < slack);
            }
        }
    }

    #[test]
    fn vertices_without_triangles_are_not_drawn() {
        let mut text = "v 9e9 0 0\n".to_owned();
        let square = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]];
        square.iter().for_each(|[x, y, z]| text += &format!("v {x} {y} {z}\n"));
        let mesh = Mesh::read_obj((text + "f 2 3 4\nf 2 4 5\n").as_bytes()).unwrap();
        let whole = simplified(&mesh, 2);
        assert_eq!((whole.vertices.len(), &whole.triangles[..]), (4, &[[0, 1, 2], [0, 2, 3]][..]));
        for drawn in [whole, simplified(&mesh, 1)] {
            assert_eq!(drawn.bounds, Aabb { lower: Point3::origin(), upper: Point3::new(1.0, 1.0, 0.0) });
        }
    }
}
