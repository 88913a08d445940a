//! Meshes of bodies, for drawing.

use std::f64::consts::PI;

use bvtree::Mesh;
use bvtree::mesh::MeshError;
use bvtree::shape::ConvexShape;
use nalgebra::{Point3, Vector3};

use crate::body::{Body, Shape};
use crate::placement::Placement;
use crate::robot::Robot;
use crate::world::World;

/// The number of sampled directions around an axis of a convex shape.
const SIDES: u32 = 48;
/// The number of steps of the sampled directions from one end of the axis to the other.
const RINGS: u32 = 24;

impl Robot {
    /// The collision geometry of a body in its link's frame, for drawing: meshes as they are, and convex shapes as some
    /// 2,000 triangles between points of their surface. `number` is the body's index in [`Robot::bodies`]. `None` for a
    /// link without geometry, or if there is no such body.
    ///
    /// # Errors
    /// If the geometry exceeds the limits of a mesh.
    pub fn body_mesh(&self, number: usize) -> Option<Result<Mesh, MeshError>> {
        self.bodies.iter().find(|body| body.number == number).map(|body| mesh(&body.body))
    }

    /// The index of the link that a body moves with: the body's own link, or the one that an object is attached to.
    /// `None` for a link without geometry, or if there is no such body.
    pub fn body_link(&self, number: usize) -> Option<usize> {
        self.bodies.iter().find(|body| body.number == number).map(|body| body.link)
    }
}

impl World {
    /// The geometry of an object in the root link's frame, for drawing; see [`Robot::body_mesh`]. The spheres of
    /// [`World::add_points`] are drawn as triangles without area.
    ///
    /// # Errors
    /// If the geometry exceeds the limits of a mesh.
    ///
    /// # Panics
    /// If there is no such object.
    pub fn object_mesh(&self, index: usize) -> Result<Mesh, MeshError> {
        mesh(&self.objects[index].body)
    }
}

fn mesh(body: &Body) -> Result<Mesh, MeshError> {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for part in &body.parts {
        let (points, corners) = match &part.shape {
            Shape::Tree { tree, .. } => {
                let mesh = tree.to_mesh()?;
                (mesh.vertices().iter().map(|vertex| vertex.cast()).collect(), mesh.triangles().to_vec())
            }
            Shape::Convex(convex) => surface(&convex.shape),
        };
        let first = vertices.len() as u32;
        let place = Placement::from(part.pose);
        vertices.extend(points.iter().map(|point| place.point(point)));
        triangles.extend(corners.iter().map(|corners| corners.map(|corner| first + corner)));
    }
    Mesh::from_f64_slices(&vertices, &triangles)
}

/// Points on the surface of a convex shape: the farthest ones in directions on circles around the third axis of its
/// box. Also the triangles between them.
fn surface(shape: &ConvexShape) -> (Vec<Point3<f64>>, Vec<[u32; 3]>) {
    let axes = shape.obb().axes;
    let point = |ring: u32, side: u32| {
        let (sin, cos) = (PI * f64::from(ring) / f64::from(RINGS)).sin_cos();
        let (y, x) = (2.0 * PI * f64::from(side) / f64::from(SIDES)).sin_cos();
        let direction = Vector3::new(sin * x, sin * y, cos);
        shape.support_point(&(axes * direction))
    };
    let points =
        (0..=RINGS).flat_map(|ring| (0..SIDES).map(move |side| (ring, side))).map(|(ring, side)| point(ring, side));
    let points = points.collect();
    let quads = (0..RINGS).flat_map(|ring| (0..SIDES).map(move |side| (ring, side, (side + 1) % SIDES)));
    let triangles = quads.flat_map(|(ring, side, next)| {
        let [a, b, c, d] = [(ring, side), (ring + 1, side), (ring + 1, next), (ring, next)].map(|(r, s)| r * SIDES + s);
        [[a, b, c], [a, c, d]]
    });
    (points, triangles.collect())
}
