//! Collision geometry of links: meshes as trees, primitives and hulls as exact convex shapes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bvtree::query::Solid;
use bvtree::shape::ConvexShape;
use bvtree::{BuildOptions, BvTree, Mesh, Pose};
use nalgebra::{Point3, Vector3};

use crate::body::{Part, Shape};
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
    /// A surface: what is inside it does not touch it.
    Surface,
    /// The convex hull of its vertices, a solid.
    Hull,
    /// The link is an error.
    Refuse,
}

/// Options for reading a robot.
#[derive(Clone, Debug, Default)]
pub struct RobotOptions {
    /// Folders of packages, or folders that hold them, for `package://` names. The folders around the URDF are searched
    /// too.
    pub package_dirs: Vec<PathBuf>,
    /// Whether links are surfaces, so that what is wholly inside a link does not touch it. By default they are solids.
    pub surfaces: bool,
    /// The treatment of links with open meshes.
    pub open_meshes: OpenMeshes,
    /// Whether the up axis that a COLLADA file declares is turned to z. By default coordinates are taken as they are,
    /// as RViz, MoveIt and Coal take them.
    pub turn_collada_up: bool,
    /// Options of the meshes' trees.
    pub build: BuildOptions,
}

/// Reads meshes, each file once.
pub struct Loader<'a> {
    pub options: &'a RobotOptions,
    /// The folder that relative names start from.
    pub folder: &'a Path,
    pub meshes: HashMap<(PathBuf, [u64; 3]), Shape>,
}

impl Loader<'_> {
    /// The part of a link, in the link's frame.
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
                Ok(Part::new(self.meshes[&key].clone(), collision.origin, 0.0))
            }
        }
    }

    fn mesh(&self, link: &str, path: &Path, scale: &Vector3<f64>) -> Result<Shape, RobotError> {
        let mesh = read_mesh(path, scale, self.options.turn_collada_up).map_err(|error| match error {
            MeshProblem::Mesh(source) => RobotError::Mesh { link: link.to_owned(), source },
            MeshProblem::Robot(error) => error,
        })?;
        let points = || -> Vec<Point3<f64>> { mesh.iter().flat_map(|triangle| triangle.vertices).collect() };
        let solid = if self.options.surfaces {
            Solid::No
        } else if mesh.watertightness().is_closed() {
            Solid::IfClosed
        } else {
            match self.options.open_meshes {
                OpenMeshes::Surface => Solid::No,
                OpenMeshes::Solid => Solid::Robust,
                OpenMeshes::Hull => {
                    let hull = ConvexShape::hull(&points());
                    let hull = hull.map_err(|source| RobotError::Shape { link: link.to_owned(), source })?;
                    return convex(link, hull);
                }
                OpenMeshes::Refuse => {
                    let at = Location { path: path.to_owned(), line: 0 };
                    return Err(RobotError::OpenMesh { at, link: link.to_owned() });
                }
            }
        };
        let tree = BvTree::build(&mesh, &self.options.build);
        let tree = tree.map_err(|source| RobotError::Build { link: link.to_owned(), source })?;
        Ok(Shape::Tree { tree: Arc::new(tree), solid })
    }
}

/// A convex shape of a link or an object.
pub fn convex(name: &str, shape: ConvexShape) -> Result<Shape, RobotError> {
    Shape::convex(shape).map_err(|source| RobotError::Mesh { link: name.to_owned(), source })
}

enum MeshProblem {
    Mesh(bvtree::mesh::MeshError),
    Robot(RobotError),
}

impl From<bvtree::mesh::MeshError> for MeshProblem {
    fn from(error: bvtree::mesh::MeshError) -> Self {
        Self::Mesh(error)
    }
}

/// A file's mesh with scaled coordinates; triangles face outward as before where the scale mirrors.
fn read_mesh(path: &Path, scale: &Vector3<f64>, turns_up: bool) -> Result<Mesh, MeshProblem> {
    let is_collada = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("dae"));
    let (mut vertices, mut triangles) = if is_collada {
        let read = |source| MeshProblem::Robot(RobotError::Read { path: path.to_owned(), source });
        let bytes = std::fs::read(path).map_err(read)?;
        let text = String::from_utf8_lossy(&bytes);
        let read = collada::read(&text, path, turns_up).map_err(MeshProblem::Robot)?;
        (read.vertices, read.triangles)
    } else {
        let mesh = Mesh::open(path)?;
        if *scale == Vector3::repeat(1.0) {
            return Ok(mesh);
        }
        (mesh.vertices().iter().map(|vertex| vertex.cast::<f64>().into()).collect(), mesh.triangles().to_vec())
    };
    for vertex in &mut vertices {
        *vertex = [0, 1, 2].map(|k| vertex[k] * scale[k]);
    }
    if scale.x * scale.y * scale.z < 0.0 {
        for triangle in &mut triangles {
            triangle.swap(1, 2);
        }
    }
    Ok(Mesh::from_f64_slices(&vertices, &triangles)?)
}
