//! Triangle meshes: f32 vertices, indexed triangles, and where each triangle came from.
//!
//! A [`Mesh`] always has finite coordinates and indices in range, however it was made. It may have anything else:
//! zero-area triangles, holes, duplicates. [`Mesh::report`] counts those.

mod digest;
mod error;
mod format;
mod formats;
mod groups;
mod report;
mod topology;

use nalgebra::Point3;

use crate::parallel::Sorting;
use crate::shape::Aabb;
use crate::triangle::Triangle;

pub use error::{MeshError, ObjProblem, Place};
pub use format::MeshFormat;
pub use formats::{GroupBy, Import, MeshInstance, MeshInstances, Origin, ReadOptions, Skipped, UpAxis};
pub use report::MeshReport;
pub use topology::Watertightness;
pub(crate) use topology::{BoundaryEdge, Components, DisjointSets, border, distinct_points};

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
    /// Where the mesh's zero is in the source's frame.
    pub(crate) origin: Point3<f64>,
}

/// A run of triangles that belong to one object or group of the source file (no collision group of a scene).
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Group {
    /// Name of the object or group, as in the file. Several runs may bear one name.
    pub name: String,
    /// The run goes from here to the next run's first triangle.
    pub first_triangle: u32,
}

impl Group {
    /// The run among these that a triangle belongs to.
    pub(crate) fn of(groups: &[Self], triangle: u32) -> Option<&Self> {
        let after = groups.partition_point(|group| group.first_triangle <= triangle);
        groups[..after].last()
    }
}

impl Mesh {
    /// The most vertices, and the most triangles, that a mesh can have.
    pub const MAX_COUNT: usize = i32::MAX as usize;

    /// A mesh of the given triangles, each three indices into `vertices`. No triangles at all is a valid mesh.
    ///
    /// # Errors
    /// If a coordinate is not finite, an index is out of range, or there are more than [`Mesh::MAX_COUNT`] vertices
    /// or triangles.
    pub fn from_arrays(vertices: Vec<Point3<f32>>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshError> {
        Self::from_parts(vertices, triangles, Vec::new(), Vec::new())
    }

    /// A mesh of slices, which are copied once: of points as `[f32; 3]` or whatever converts to that (as the points of
    /// nalgebra, glam and mint do), and of triangles, each three indices into them.
    ///
    /// ```
    /// let mesh = bvtree::Mesh::from_slices(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// # assert_eq!(mesh.vertices()[1].x, 1.0);
    /// # Ok::<(), bvtree::mesh::MeshError>(())
    /// ```
    ///
    /// # Errors
    /// As [`Mesh::from_arrays`].
    pub fn from_slices<P: Into<[f32; 3]> + Copy>(vertices: &[P], triangles: &[[u32; 3]]) -> Result<Self, MeshError> {
        Self::from_arrays(vertices.iter().map(|&vertex| vertex.into().into()).collect(), triangles.to_vec())
    }

    /// As [`Mesh::from_slices`], of points in f64, which are rounded to f32: the mesh, and all answers about it, are
    /// those of the rounded points. Bring a mesh far from the origin near to it first.
    ///
    /// # Errors
    /// As [`Mesh::from_arrays`]; and if a coordinate is beyond the range of f32.
    pub fn from_f64_slices<P: Into<[f64; 3]> + Copy>(
        vertices: &[P],
        triangles: &[[u32; 3]],
    ) -> Result<Self, MeshError> {
        let rounded: Vec<Point3<f32>> = vertices.iter().map(|&vertex| vertex.into().map(|x| x as f32).into()).collect();
        let is_beyond = |vertex: &P, rounded: &Point3<f32>| {
            (*vertex).into().iter().zip(rounded.iter()).any(|(x, rounded)| x.is_finite() && rounded.is_infinite())
        };
        match vertices.iter().zip(&rounded).position(|(vertex, rounded)| is_beyond(vertex, rounded)) {
            Some(vertex) => Err(MeshError::BeyondF32 { vertex }),
            None => Self::from_arrays(rounded, triangles.to_vec()),
        }
    }

    /// A mesh that knows where its triangles came from: `polygons` has the source's polygon of each triangle, or
    /// is empty where every polygon was a triangle; `groups` are the runs, in order of their first triangle.
    /// Triangles before the first run belong to no group.
    ///
    /// # Errors
    /// As [`Mesh::from_arrays`]; and if there are polygons but not one for each triangle, or a run is empty, out of
    /// order or out of range.
    pub fn from_parts(
        mut vertices: Vec<Point3<f32>>,
        mut triangles: Vec<[u32; 3]>,
        mut polygons: Vec<u32>,
        mut groups: Vec<Group>,
    ) -> Result<Self, MeshError> {
        check_count("vertices", vertices.len())?;
        check_count("triangles", triangles.len())?;
        // Both without an early exit, which would keep the loops from being vectorised.
        if !bytemuck::cast_slice(&vertices).iter().fold(true, |all, x: &f32| all & x.is_finite()) {
            let vertex = vertices.iter().position(|v| !v.iter().all(|x| x.is_finite())).unwrap_or(0);
            return Err(MeshError::NotFinite { vertex });
        }
        let vertex_count = vertices.len() as u32;
        if triangles.as_flattened().iter().fold(false, |any, &index| any | (index >= vertex_count)) {
            let place = triangles.as_flattened().iter().position(|&index| index >= vertex_count).unwrap_or(0);
            let (face, index) = (place / 3, triangles.as_flattened()[place]);
            return Err(MeshError::IndexOutOfRange { face, index, vertices: vertices.len() });
        }
        if !polygons.is_empty() && polygons.len() != triangles.len() {
            return Err(MeshError::PolygonCount { polygons: polygons.len(), triangles: triangles.len() });
        }
        if polygons.iter().zip(0..).all(|(&polygon, triangle)| polygon == triangle) {
            polygons = Vec::new();
        }
        let ends = groups.iter().skip(1).map(|next| next.first_triangle as usize).chain([triangles.len()]);
        if let Some(group) = groups.iter().zip(ends).position(|(group, end)| group.first_triangle as usize >= end) {
            return Err(MeshError::GroupRange { group });
        }
        vertices.shrink_to_fit();
        triangles.shrink_to_fit();
        polygons.shrink_to_fit();
        groups.shrink_to_fit();
        Ok(Self { vertices, triangles, polygons, groups, origin: Point3::origin() })
    }

    /// The vertices, in the order of the source.
    pub fn vertices(&self) -> &[Point3<f32>] {
        &self.vertices
    }

    /// Where the mesh's zero is in its source's frame, turned and scaled as the mesh is: zero, unless it was read with
    /// an [`Origin`]. A vertex added to it is the source's point, but for what f32 rounds off.
    pub fn origin(&self) -> Point3<f64> {
        self.origin
    }

    /// The triangles as vertex indices, in the order of the source after fan triangulation. A triangle's place
    /// here is its *face* number in every answer.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The polygon of the source that a triangle was cut from, counted from 0 over all polygons.
    ///
    /// # Panics
    /// If `triangle` is out of range and the mesh has polygons other than triangles.
    pub fn polygon(&self, triangle: u32) -> u32 {
        if self.polygons.is_empty() { triangle } else { self.polygons[triangle as usize] }
    }

    /// All triangles in their order, each widened to f64 without loss.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Triangle> + '_ {
        (0..self.triangles.len() as u32).map(|triangle| self.triangle(triangle))
    }

    /// The runs of triangles, in order, each with its group's name; empty when the source has no groups.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The run a triangle belongs to; `None` before the first run.
    pub fn group_of(&self, triangle: u32) -> Option<&Group> {
        Group::of(&self.groups, triangle)
    }

    /// A triangle's corners, widened to f64 without loss.
    ///
    /// # Panics
    /// If `triangle` is out of range.
    #[inline]
    pub fn triangle(&self, triangle: u32) -> Triangle {
        let corners = self.triangles[triangle as usize];
        Triangle { vertices: corners.map(|index| self.vertices[index as usize].cast()) }
    }

    /// The box of all triangles; empty when there are none. Vertices that no triangle uses don't count.
    pub fn aabb(&self) -> Aabb {
        let mut aabb = Aabb::empty();
        for &index in self.triangles.iter().flatten() {
            aabb.grow(&self.vertices[index as usize].cast());
        }
        aabb
    }

    /// Whether the mesh is closed, and oriented. Takes O(n log n) time; a tree finds it out once and keeps it
    /// ([`BvTree::watertightness`](crate::BvTree::watertightness)).
    pub fn watertightness(&self) -> Watertightness {
        Watertightness::new(&self.vertices, self.triangles.iter().copied(), Sorting::InPool)
    }

    /// Counts what may surprise in the mesh: zero-area and duplicate triangles, open edges and the like.
    /// Takes O(n log n) time and, while it runs, about twice the mesh's memory.
    pub fn report(&self) -> MeshReport {
        MeshReport::new(self)
    }
}

fn check_count(what: &'static str, count: usize) -> Result<(), MeshError> {
    if count > Mesh::MAX_COUNT { Err(MeshError::TooMany { what }) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_limited() {
        assert!(check_count("vertices", Mesh::MAX_COUNT).is_ok());
        let error = check_count("vertices", Mesh::MAX_COUNT + 1).unwrap_err();
        assert_eq!(error.to_string(), "more than 2147483647 vertices");
    }
}
