//! Collision geometry of links: meshes as trees, primitives and hulls as exact convex shapes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bvtree::mesh::{MeshError, ReadOptions};
use bvtree::query::Solid;
use bvtree::shape::ConvexShape;
use bvtree::{BuildOptions, BvTree, Mesh, Pose};
use nalgebra::{Point3, Vector3};

use crate::body::{Bounds, Part, Shape};
use crate::cache::{Cooked, Entry};
use crate::collada;
use crate::error::{Location, RobotError};
use crate::resolve::candidates;
use crate::urdf::{Collision, Geometry};

/// The treatment of a link whose mesh is not closed, so that nothing is strictly inside it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OpenMeshes {
    /// A solid: what is inside is decided by winding numbers
    /// ([`Probe::contains_robust`](bvtree::Probe::contains_robust)). The default.
    #[default]
    Solid,
    /// A surface: what is wholly inside does not collide with it.
    Surface,
    /// The convex hull of the mesh's vertices, a solid.
    Hull,
    /// Reading the robot fails.
    Refuse,
}

/// Options for reading a robot.
#[derive(Clone, Debug, Default)]
pub struct RobotOptions {
    /// Folders of packages, or folders that hold packages, for `package://`, `model://` and relative names. The URDF's
    /// folder is searched too, and for `package://` and `model://` also every folder that it lies in.
    pub package_dirs: Vec<PathBuf>,
    /// Whether meshes of links are surfaces, so that what is wholly inside one does not collide with it. By default
    /// they are solids; primitive shapes always are.
    pub surfaces: bool,
    /// The treatment of links with open meshes; without effect if `surfaces` is true.
    pub open_meshes: OpenMeshes,
    /// Whether the up axis that a COLLADA file declares is turned to z. By default coordinates are taken as they are,
    /// as RViz, MoveIt and Coal take them.
    pub turn_collada_up: bool,
    /// Options for building the meshes' trees.
    pub build: BuildOptions,
    /// A folder that keeps the meshes' trees, so that robots with the same meshes open in less time from then on;
    /// `None` by default. It is created if need be, several processes may share it, and its files may be deleted at any
    /// time. A tree is built again if its mesh changes or its file in the folder is damaged. Whoever can write to the
    /// folder can change robots, just like whoever can write to their meshes.
    pub cache: Option<PathBuf>,
}

/// Reads meshes, each file once for each scale.
pub struct Loader<'a> {
    pub options: &'a RobotOptions,
    /// The folder that relative names start from.
    pub folder: &'a Path,
    pub meshes: HashMap<(PathBuf, [u64; 3]), (Shape, Bounds)>,
}

impl Loader<'_> {
    /// A collision geometry of a link, as a part in the link's frame.
    pub fn part(&mut self, link: &str, collision: &Collision) -> Result<Part, RobotError> {
        let primitive = |shape: Result<ConvexShape, _>| {
            let shape = shape.map_err(|source| RobotError::Shape { link: link.to_owned(), source })?;
            Ok(Part::new(convex(link, shape.transformed(&collision.origin))?, Pose::identity(), 0.0))
        };
        match &collision.geometry {
            Geometry::Box { size } => primitive(ConvexShape::cuboid(size * 0.5)),
            Geometry::Cylinder { radius, length } => primitive(ConvexShape::cylinder(length * 0.5, *radius)),
            Geometry::Capsule { radius, length } => primitive(ConvexShape::capsule(length * 0.5, *radius)),
            Geometry::Sphere { radius } => primitive(ConvexShape::sphere(*radius)),
            Geometry::Mesh { uri, scale } => {
                let tried = candidates(uri, self.folder, &self.options.package_dirs);
                let Some(path) = tried.iter().find(|path| path.is_file()).cloned() else {
                    let (at, link, uri) = (collision.at.clone(), link.to_owned(), uri.clone());
                    return Err(RobotError::NotFound { at, link, uri, tried });
                };
                let key = (path, [scale.x.to_bits(), scale.y.to_bits(), scale.z.to_bits()]);
                if !self.meshes.contains_key(&key) {
                    let shape = self.mesh(link, &key.0, scale)?;
                    self.meshes.insert(key.clone(), shape);
                }
                let (shape, bounds) = self.meshes[&key].clone();
                Ok(Part::with_bounds(shape, bounds, collision.origin, 0.0))
            }
        }
    }

    fn mesh(&self, link: &str, path: &Path, scale: &Vector3<f64>) -> Result<(Shape, Bounds), RobotError> {
        let Cooked { tree, is_closed, bounds } = self.cooked(link, path, scale)?;
        let solid = match self.options.open_meshes {
            _ if self.options.surfaces => Solid::No,
            _ if is_closed => Solid::IfClosed,
            OpenMeshes::Surface => Solid::No,
            OpenMeshes::Solid => Solid::Robust,
            OpenMeshes::Hull => {
                let mesh = tree.to_mesh().map_err(|source| RobotError::Mesh { link: link.to_owned(), source })?;
                let points: Vec<Point3<f64>> = mesh.vertices().iter().map(|vertex| vertex.cast()).collect();
                let hull = ConvexShape::hull(&points);
                let hull = hull.map_err(|source| RobotError::Shape { link: link.to_owned(), source })?;
                let shape = convex(link, hull)?;
                let bounds = Bounds::of_shape(&shape);
                return Ok((shape, bounds));
            }
            OpenMeshes::Refuse => {
                let at = Location { path: path.to_owned(), line: 0 };
                return Err(RobotError::OpenMesh { at, link: link.to_owned() });
            }
        };
        Ok((Shape::Tree { tree: Arc::new(tree), solid }, bounds))
    }

    /// A mesh's tree from the cache; if the cache has none, the tree is built, and added to the cache if the file alone
    /// holds the mesh.
    fn cooked(&self, link: &str, path: &Path, scale: &Vector3<f64>) -> Result<Cooked, RobotError> {
        let RobotOptions { turn_collada_up, build, cache, .. } = self.options;
        let bytes = std::fs::read(path).map_err(|source| RobotError::Read { path: path.to_owned(), source })?;
        let entry = cache.as_ref().map(|folder| Entry::new(folder, path, &bytes, (scale, *turn_collada_up), build));
        if let Some(cooked) = entry.as_ref().and_then(Entry::read) {
            return Ok(cooked);
        }
        let (mesh, is_whole) = read_mesh(path, &bytes, scale, *turn_collada_up).map_err(|error| match error {
            MeshProblem::Mesh(error) => {
                let source = MeshError::File { path: path.to_owned(), error: Box::new(error) };
                RobotError::Mesh { link: link.to_owned(), source }
            }
            MeshProblem::Robot(error) => error,
        })?;
        let tree = BvTree::build(&mesh, build);
        let tree = tree.map_err(|source| RobotError::Build { link: link.to_owned(), source })?;
        let cooked = Cooked { is_closed: tree.watertightness().is_closed(), bounds: Bounds::of_tree(&tree), tree };
        if let Some(entry) = entry.filter(|_| is_whole) {
            entry.write(&cooked).map_err(|source| RobotError::Write { path: entry.path, source })?;
        }
        Ok(cooked)
    }
}

/// A convex shape of a link or an object.
pub fn convex(name: &str, shape: ConvexShape) -> Result<Shape, RobotError> {
    Shape::convex(shape).map_err(|source| RobotError::Mesh { link: name.to_owned(), source })
}

enum MeshProblem {
    Mesh(MeshError),
    Robot(RobotError),
}

impl From<MeshError> for MeshProblem {
    fn from(error: MeshError) -> Self {
        Self::Mesh(error)
    }
}

/// A file's mesh with scaled coordinates, and whether this file alone holds the mesh (not so for a glTF with buffers in
/// other files). If the scale mirrors, triangles are flipped, so that they still face outward.
fn read_mesh(path: &Path, bytes: &[u8], scale: &Vector3<f64>, turns_up: bool) -> Result<(Mesh, bool), MeshProblem> {
    let is_collada = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("dae"));
    let (mut vertices, mut triangles, is_whole) = if is_collada {
        let text = String::from_utf8_lossy(bytes);
        let read = collada::read(&text, path, turns_up).map_err(MeshProblem::Robot)?;
        (read.vertices, read.triangles, true)
    } else {
        let import = Mesh::read_with(bytes, path, &ReadOptions::default())?;
        let (mesh, is_whole) = (import.mesh, import.files.is_empty());
        if *scale == Vector3::repeat(1.0) {
            return Ok((mesh, is_whole));
        }
        let vertices = mesh.vertices().iter().map(|vertex| vertex.cast::<f64>().into()).collect();
        (vertices, mesh.triangles().to_vec(), is_whole)
    };
    for vertex in &mut vertices {
        *vertex = [0, 1, 2].map(|k| vertex[k] * scale[k]);
    }
    if scale.x * scale.y * scale.z < 0.0 {
        for triangle in &mut triangles {
            triangle.swap(1, 2);
        }
    }
    Ok((Mesh::from_f64_slices(&vertices, &triangles)?, is_whole))
}
