//! Meshes larger than memory.

use std::path::Path;

use nalgebra::Point3;

use super::formats::{PartsOnDisk, read_on_disk};
use super::{Group, MeshError, ReadOptions, check_count, digest};
use crate::disk_array::DiskArray;
use crate::shape::Aabb;

/// A mesh whose triangles are in a temporary file, to cook a mesh that does not fit into memory.
///
/// Only the vertices are in memory, 12 bytes each, and the polygons' numbers, 4 bytes for each triangle, of a mesh with
/// polygons of more than three corners. Equal vertices of STL are welded while it is read, which takes up to 12 bytes
/// more for each vertex. [`LargeMesh::cook`] writes the cooked file.
#[derive(Debug)]
pub struct LargeMesh {
    pub(crate) vertices: Vec<Point3<f32>>,
    pub(crate) triangles: DiskArray<[u32; 3]>,
    pub(crate) polygons: Vec<u32>,
    pub(crate) groups: Vec<Group>,
    pub(crate) origin: Point3<f64>,
    /// The box of all triangles.
    pub(crate) bounds: Aabb,
    pub(crate) digest: u128,
    /// The number of bytes of memory that reading and cooking may take.
    pub(crate) memory: u64,
}

impl LargeMesh {
    /// Reads an STL or PLY file, binary or text, and keeps its triangles in a temporary file in `folder`, 12 bytes
    /// each. The file has no name where the system allows it, and ends with the mesh or the process. `memory` is the
    /// number of bytes that reading and, later, cooking may take beside what the program takes itself.
    ///
    /// # Errors
    /// Fails as [`Mesh::open_with`](super::Mesh::open_with) does, if the file is of another format, if its vertices do
    /// not fit into the memory, and if the temporary file cannot be written.
    pub fn open(
        path: impl AsRef<Path>,
        options: &ReadOptions,
        folder: impl AsRef<Path>,
        memory: u64,
    ) -> Result<Self, MeshError> {
        let path = path.as_ref();
        let parts = read_on_disk(path, options, folder.as_ref(), memory);
        parts.and_then(|parts| Self::new(parts, memory)).map_err(|error| error.of_file(path))
    }

    /// The number of triangles.
    pub fn triangle_count(&self) -> usize {
        self.triangles.len()
    }

    /// The number of vertices, including those that no triangle uses.
    pub fn vertex_count(&self) -> usize {
        self.vertices.len()
    }

    fn new(parts: PartsOnDisk, memory: u64) -> Result<Self, MeshError> {
        let PartsOnDisk { vertices, triangles, mut polygons, groups, origin } = parts;
        check_count("vertices", vertices.len())?;
        check_count("triangles", triangles.len())?;
        if polygons.iter().zip(0..).all(|(&polygon, triangle)| polygon == triangle) {
            polygons = Vec::new();
        }
        let mut hasher = digest::begin(&vertices, triangles.len(), &polygons, &groups);
        let (mut lower, mut upper) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        triangles.for_each_piece(|first, piece| {
            hasher.update(bytemuck::cast_slice(piece));
            for (corner, &index) in piece.as_flattened().iter().enumerate() {
                let Some(vertex) = vertices.get(index as usize) else {
                    let face = first + corner / 3;
                    return Err(MeshError::IndexOutOfRange { face, index, vertices: vertices.len() });
                };
                for k in 0..3 {
                    lower[k] = if vertex[k] < lower[k] { vertex[k] } else { lower[k] };
                    upper[k] = if vertex[k] > upper[k] { vertex[k] } else { upper[k] };
                }
            }
            Ok(())
        })?;
        let bounds = Aabb { lower: lower.map(f64::from).into(), upper: upper.map(f64::from).into() };
        let digest = digest::end(hasher, &polygons, &groups, &origin);
        Ok(Self { vertices, triangles, polygons, groups, origin, bounds, digest, memory })
    }
}
