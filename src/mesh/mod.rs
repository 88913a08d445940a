//! Triangle meshes: f32 vertices, indexed triangles, and where each triangle came from.
//!
//! A [`Mesh`] always has finite coordinates and indices in range. Everything else is allowed: zero-area triangles,
//! holes, duplicates. [`Mesh::report`] counts such defects.

mod error;
mod format;
mod formats;
mod groups;
mod height_field;
#[cfg(feature = "files")]
mod large_mesh;
mod report;
mod topology;

use nalgebra::Point3;
use xxhash_rust::xxh3::Xxh3;

use crate::parallel::Sorting;
use crate::shape::Aabb;
use crate::triangle::Triangle;

pub use error::{MeshError, ObjProblem, SourceLocation};
pub use format::MeshFormat;
pub use formats::{GroupBy, Import, MeshInstance, MeshInstances, Origin, ReadOptions, Skipped, UpAxis};
pub use groups::{Group, GroupIds};
#[cfg(feature = "files")]
pub use large_mesh::LargeMesh;
pub use report::MeshReport;
pub(crate) use report::is_zero_area;
pub use topology::Watertightness;
pub(crate) use topology::{BoundaryEdge, Components, DisjointSets, PointTriangles, boundary, distinct_points};

/// A triangle mesh. Coordinates are finite and indices in range; everything else (zero-area triangles, holes,
/// duplicates) is allowed.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    pub(crate) vertices: Vec<Point3<f32>>,
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Polygon of the source file for each triangle; empty if every polygon is a triangle.
    pub(crate) polygons: Vec<u32>,
    /// Runs of triangles in file order, each with the name of its group.
    pub(crate) groups: Vec<Group>,
    /// The origin of the mesh's frame, in the source's frame after rotation and scaling.
    pub(crate) origin: Point3<f64>,
}

impl Mesh {
    /// Maximum number of vertices, and of triangles, of a mesh.
    pub const MAX_COUNT: usize = i32::MAX as usize;

    /// Creates a mesh of triangles, each three indices into `vertices`. A mesh without triangles is valid.
    ///
    /// # Errors
    /// Fails if a coordinate is not finite, an index is out of range, or there are more than
    /// [`Mesh::MAX_COUNT`] vertices or triangles.
    pub fn from_arrays(vertices: Vec<Point3<f32>>, triangles: Vec<[u32; 3]>) -> Result<Self, MeshError> {
        Self::from_parts(vertices, triangles, Vec::new(), Vec::new())
    }

    /// Creates a mesh from slices, which are copied once. Points are `[f32; 3]` or convert to it, as those of nalgebra,
    /// glam and mint do; triangles are three indices each.
    ///
    /// ```
    /// let mesh = bvtree::Mesh::from_slices(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// # assert_eq!(mesh.vertices()[1].x, 1.0);
    /// # Ok::<(), bvtree::mesh::MeshError>(())
    /// ```
    ///
    /// # Errors
    /// Fails as [`Mesh::from_arrays`] does.
    pub fn from_slices<P: Into<[f32; 3]> + Copy>(vertices: &[P], triangles: &[[u32; 3]]) -> Result<Self, MeshError> {
        Self::from_arrays(vertices.iter().map(|&vertex| vertex.into().into()).collect(), triangles.to_vec())
    }

    /// Creates a mesh from f64 points, which are rounded to f32. All results refer to the rounded points, so move a
    /// mesh that is far from the origin near to it first.
    ///
    /// # Errors
    /// Fails as [`Mesh::from_arrays`] does, and if a coordinate is beyond the range of f32.
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

    /// Creates a mesh whose triangles refer to their source. `polygons` has the source polygon of each triangle, or is
    /// empty if every polygon is a triangle; `groups` are runs in the order of their first triangles. Triangles before
    /// the first run belong to no group.
    ///
    /// # Errors
    /// Fails as [`Mesh::from_arrays`] does, if `polygons` is neither empty nor has one entry for each triangle, and if
    /// a run is empty, out of order or out of range, or has a name of more than [`Mesh::MAX_COUNT`] bytes.
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
            let corner = triangles.as_flattened().iter().position(|&index| index >= vertex_count).unwrap_or(0);
            let (face, index) = (corner / 3, triangles.as_flattened()[corner]);
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
        for group in &groups {
            check_count("bytes in a group's name", group.name.len().max(group.material.len()))?;
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

    /// The origin of the mesh's frame, in the source's frame after rotation and scaling: zero, unless the mesh was read
    /// with another [`Origin`]. Adding it to a vertex gives the source's rotated and scaled point, up to rounding to
    /// f32.
    pub fn origin(&self) -> Point3<f64> {
        self.origin
    }

    /// The mesh with another [origin](Mesh::origin) of its frame, three finite numbers. Its vertices stay as they are.
    pub fn with_origin(self, origin: Point3<f64>) -> Self {
        Self { origin, ..self }
    }

    /// The triangles as vertex indices, in the order of the source, whose polygons are cut into triangles. A triangle's
    /// index in this slice is its *face* number in every result.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The polygon of the source that a triangle was cut from, counted from 0 over all polygons.
    ///
    /// # Panics
    /// Panics if `triangle` is out of range and the mesh has polygons other than triangles.
    pub fn polygon(&self, triangle: u32) -> u32 {
        if self.polygons.is_empty() { triangle } else { self.polygons[triangle as usize] }
    }

    /// Iterates over the triangles in order, widened to f64 without loss.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Triangle> + '_ {
        (0..self.triangles.len() as u32).map(|triangle| self.triangle(triangle))
    }

    /// The runs of triangles in order, each with the name of its group; empty if the source has no groups.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The run that a triangle belongs to; `None` before the first run.
    pub fn group_of(&self, triangle: u32) -> Option<&Group> {
        Group::of(&self.groups, triangle)
    }

    /// A triangle's corners, widened to f64 without loss.
    ///
    /// # Panics
    /// Panics if `triangle` is out of range.
    #[inline]
    pub fn triangle(&self, triangle: u32) -> Triangle {
        let corners = self.triangles[triangle as usize];
        Triangle { vertices: corners.map(|index| self.vertices[index as usize].cast()) }
    }

    /// The bounding box of all triangles; empty without triangles. Vertices that no triangle uses are ignored.
    pub fn aabb(&self) -> Aabb {
        let mut aabb = Aabb::empty();
        for &index in self.triangles.iter().flatten() {
            aabb.grow(&self.vertices[index as usize].cast());
        }
        aabb
    }

    /// Whether the mesh is closed (watertight) and consistently oriented, in O(n log n) time. A tree computes it once
    /// and keeps it: [`BvTree::watertightness`](crate::BvTree::watertightness).
    #[doc(alias = "watertight")]
    #[doc(alias = "is_closed")]
    pub fn watertightness(&self) -> Watertightness {
        Watertightness::new(&self.vertices, self.triangles.iter().copied(), Sorting::InPool)
    }

    /// Counts defects of the mesh: zero-area and duplicate triangles, open and non-manifold edges. Takes O(n log n)
    /// time and, while it runs, about twice the memory of the mesh.
    #[doc(alias = "manifold")]
    pub fn report(&self) -> MeshReport {
        MeshReport::new(self)
    }
}

impl Mesh {
    /// XXH3-128 (seed 0) of the whole mesh, the same on every machine. -0 and 0 as coordinates give different digests.
    /// A cooked file stores it to recognise its mesh.
    ///
    /// The hashed bytes are, all little-endian: the numbers of vertices, triangles, polygon numbers and groups as u64;
    /// the vertices' x, y, z as f32; the triangles' indices as u32; the polygon numbers as u32 (none if every polygon
    /// is a triangle); the origin's x, y, z as f64, unless it is zero; and for each group its first triangle as u32,
    /// the lengths of its name and its material's name in bytes as u32, and both names in UTF-8.
    pub fn digest(&self) -> u128 {
        let Self { vertices, triangles, polygons, groups, origin } = self;
        let mut hasher = digest::begin(vertices, triangles.len(), polygons, groups);
        hasher.update(bytemuck::cast_slice(triangles));
        digest::end(hasher, polygons, groups, origin)
    }

    /// XXH3-128 (seed 0) of the triangles alone: nine little-endian f32 coordinates for each face in order, with -0 as
    /// 0. Files of different formats with the same triangles have the same digest, however they share vertices and name
    /// groups.
    pub fn geometry_digest(&self) -> u128 {
        let mut hasher = Xxh3::new();
        let mut words = Vec::with_capacity(9 * 1024);
        for triangles in self.triangles.chunks(1024) {
            words.clear();
            for &corner in triangles.as_flattened() {
                let vertex = self.vertices[corner as usize];
                words.extend([vertex.x, vertex.y, vertex.z].map(|x| (x + 0.0).to_bits()));
            }
            hasher.update(bytemuck::cast_slice::<u32, u8>(&words));
        }
        hasher.digest128()
    }
}

/// The parts of [`Mesh::digest`] before and after the triangles.
mod digest {
    use super::{Group, Point3, Xxh3};

    pub(super) fn begin(vertices: &[Point3<f32>], triangles: usize, polygons: &[u32], groups: &[Group]) -> Xxh3 {
        let mut hasher = Xxh3::new();
        for count in [vertices.len(), triangles, polygons.len(), groups.len()] {
            hasher.update(&(count as u64).to_le_bytes());
        }
        // Hosts are little-endian: `cook` refuses others.
        hasher.update(bytemuck::cast_slice(vertices));
        hasher
    }

    pub(super) fn end(mut hasher: Xxh3, polygons: &[u32], groups: &[Group], origin: &Point3<f64>) -> u128 {
        hasher.update(bytemuck::cast_slice(polygons));
        if *origin != Point3::origin() {
            origin.iter().for_each(|x| hasher.update(&x.to_le_bytes()));
        }
        for group in groups {
            group.encode(|bytes| hasher.update(bytes));
        }
        hasher.digest128()
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
