//! The objects around a robot.

use std::sync::Arc;

use bvtree::query::Solid;
use bvtree::shape::ConvexShape;
use bvtree::{BuildOptions, BvTree, Mesh, Pose};
use nalgebra::{Point3, Vector3};

use crate::body::{Body, Part, Shape};
use crate::error::RobotError;
use crate::geometry::convex;
use crate::robot::{Robot, unknown};

/// Stationary objects around a robot, in the frame of its root link: meshes, convex shapes and points.
///
/// Objects are not compared with each other. Clones share their geometry.
///
/// ```
/// use bvtree::Pose;
/// use bvtree_robot::World;
/// use nalgebra::{Point3, Vector3};
///
/// let mut world = World::new();
/// let table = Pose::from_translation(Vector3::new(0.6, 0.0, -0.05))?;
/// world.add_box("table", Vector3::new(0.8, 1.2, 0.1), &table)?;
/// world.add_points("camera", &[Point3::new(0.5, 0.1, 0.2), Point3::new(0.5, 0.1, 0.3)], 0.01)?;
/// assert_eq!(world.names().collect::<Vec<_>>(), ["table", "camera"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct World {
    pub(crate) objects: Vec<Object>,
}

#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub body: Arc<Body>,
    /// The names of the links and attached objects that may touch the object.
    pub allowed: Vec<String>,
    /// The distance that queries add to their margin for this object.
    pub margin: f64,
}

impl World {
    /// An empty world.
    pub fn new() -> Self {
        Self::default()
    }

    /// The objects' names, in the order in which they were added.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.objects.iter().map(|object| object.body.name.as_str())
    }

    fn add(&mut self, name: &str, part: Part) -> Result<usize, RobotError> {
        if self.names().any(|known| known == name) {
            return Err(RobotError::Duplicate { at: Default::default(), kind: "object", name: name.to_owned() });
        }
        let body = Arc::new(Body::new(name.to_owned(), vec![part]));
        self.objects.push(Object { body, allowed: Vec::new(), margin: 0.0 });
        Ok(self.objects.len() - 1)
    }

    /// Adds a tree, which counts as solid unless `surface` is true: for an open mesh, winding numbers decide what is
    /// inside. Returns the object's index.
    ///
    /// # Errors
    /// If the name is taken.
    pub fn add_tree(&mut self, name: &str, tree: Arc<BvTree>, pose: &Pose, surface: bool) -> Result<usize, RobotError> {
        let is_closed = tree.watertightness().is_closed();
        let solid = if surface {
            Solid::No
        } else if is_closed {
            Solid::IfClosed
        } else {
            Solid::Robust
        };
        self.add(name, Part::new(Shape::Tree { tree, solid }, *pose, 0.0))
    }

    /// Adds a mesh, which is solid: [`World::add_tree`] with a tree of default options.
    ///
    /// # Errors
    /// If the name is taken, or the tree can't be built.
    pub fn add_mesh(&mut self, name: &str, mesh: &Mesh, pose: &Pose) -> Result<usize, RobotError> {
        let tree = BvTree::build(mesh, &BuildOptions::default());
        let tree = tree.map_err(|source| RobotError::Build { link: name.to_owned(), source })?;
        self.add_tree(name, Arc::new(tree), pose, false)
    }

    /// Adds a convex shape, which is solid.
    ///
    /// # Errors
    /// If the name is taken, or a coordinate is beyond f32.
    pub fn add_shape(&mut self, name: &str, shape: &ConvexShape, pose: &Pose) -> Result<usize, RobotError> {
        self.add(name, Part::new(convex(name, shape.transformed(pose))?, Pose::identity(), 0.0))
    }

    /// Adds a box with full side lengths `size`, centred at the pose's origin.
    ///
    /// # Errors
    /// If the name is taken, a size is negative or not finite, or a coordinate is beyond f32.
    pub fn add_box(&mut self, name: &str, size: Vector3<f64>, pose: &Pose) -> Result<usize, RobotError> {
        let shape = ConvexShape::cuboid(size * 0.5);
        self.add_shape(name, &shape.map_err(|source| RobotError::Shape { link: name.to_owned(), source })?, pose)
    }

    /// Adds points, such as those of a depth camera, each as a sphere of the given radius. Coordinates are rounded to
    /// f32.
    ///
    /// # Errors
    /// If the name is taken, a coordinate is NaN, infinite or beyond f32, or the radius is negative or not finite.
    pub fn add_points(&mut self, name: &str, points: &[Point3<f64>], radius: f64) -> Result<usize, RobotError> {
        ConvexShape::sphere(radius).map_err(|source| RobotError::Shape { link: name.to_owned(), source })?;
        let triangles: Vec<[u32; 3]> = (0..points.len() as u32).map(|index| [index; 3]).collect();
        let mesh = Mesh::from_f64_slices(points, &triangles);
        let mesh = mesh.map_err(|source| RobotError::Mesh { link: name.to_owned(), source })?;
        let tree = BvTree::build(&mesh, &BuildOptions::default());
        let tree = Arc::new(tree.map_err(|source| RobotError::Build { link: name.to_owned(), source })?);
        self.add(name, Part::new(Shape::Tree { tree, solid: Solid::No }, Pose::identity(), radius))
    }

    /// Lets a link, or an attached object, touch an object.
    ///
    /// # Errors
    /// If there is no such object. The link's name is not checked: a name that the robot lacks has no effect.
    pub fn allow(&mut self, link: &str, object: &str) -> Result<(), RobotError> {
        self.object(object)?.allowed.push(link.to_owned());
        Ok(())
    }

    /// Lets two bodies touch, in either order: two of a robot, or one of the robot and an object of this world. A name
    /// that a body of the robot and an object share stands for the object.
    ///
    /// # Errors
    /// If a name is unknown or is that of a link without collision geometry, or both names are those of objects, which
    /// are never compared with each other.
    pub fn allow_in(&mut self, robot: &mut Robot, a: &str, b: &str) -> Result<(), RobotError> {
        match [a, b].map(|name| self.names().any(|known| known == name)) {
            [false, true] => {
                robot.body(a)?;
                self.allow(a, b)
            }
            [true, false] => self.allow_in(robot, b, a),
            [true, true] => Err(unknown("body, other than an object of the world,", b)),
            _ => robot.allow(a, b),
        }
    }

    /// Sets the distance that queries add to their margin for an object; 0 by default.
    ///
    /// # Errors
    /// If there is no such object, or the margin is NaN.
    pub fn set_margin(&mut self, object: &str, margin: f64) -> Result<(), RobotError> {
        if margin.is_nan() {
            return Err(RobotError::Margin { within: format!("`{object}`") });
        }
        self.object(object)?.margin = margin;
        Ok(())
    }

    fn object(&mut self, name: &str) -> Result<&mut Object, RobotError> {
        self.objects.iter_mut().find(|object| object.body.name == name).ok_or_else(|| RobotError::Unknown {
            at: Default::default(),
            within: "world".to_owned(),
            kind: "object",
            name: name.to_owned(),
        })
    }
}
