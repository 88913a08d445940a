//! Triangle meshes: f32 vertices, indexed triangles, and where each triangle came from.

use nalgebra::Point3;

/// A triangle mesh. Coordinates are finite and indices in range; everything else (zero-area triangles, holes,
/// duplicates) is allowed.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    pub(crate) vertices: Vec<Point3<f32>>,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Polygon of the source file for each triangle; empty when every polygon was a triangle.
    pub(crate) polygons: Vec<u32>,
    /// Runs of triangles in file order, each with its group's name; empty when there are no groups.
    pub(crate) groups: Vec<Group>,
}

/// A run of triangles that belong to one object or group of the source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Name of the object or group, as in the file.
    pub name: String,
    /// The run goes from here to the next run's first triangle.
    pub first_triangle: u32,
}
