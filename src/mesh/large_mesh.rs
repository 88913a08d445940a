//! Meshes larger than memory.

use std::path::Path;

use nalgebra::Point3;

use super::formats::{PartsOnDisk, read_on_disk};
use super::groups::{GroupsOfPart, VerticesOfPart, kept_runs};
use super::report::is_zero_area;
use super::{Group, MeshError, ReadOptions, check_count, digest};
use crate::disk_array::DiskArray;
use crate::shape::Aabb;
use crate::triangle::Triangle;

/// A mesh whose triangles are in a temporary file, to cook a mesh that does not fit into memory.
///
/// Only the vertices are in memory, 12 bytes each, and, if the mesh has polygons of more than three corners, the
/// numbers of its polygons, 4 bytes for each triangle. Equal vertices of an STL file are welded while it is read, which
/// takes up to 12 bytes more for each vertex. [`LargeMesh::cook`] writes the cooked file.
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

/// Receives the triangles that are kept, with their face numbers.
type TakeKept<'a> = dyn FnMut(&[(u32, [u32; 3])]) -> Result<(), MeshError> + 'a;

impl LargeMesh {
    /// Reads an STL or PLY file, binary or text, and keeps its triangles in a temporary file in `folder`, 12 bytes
    /// each. The file is unnamed where the system allows it, and disappears with the mesh or the process. `memory` is
    /// the number of bytes that reading and, later, cooking may take besides what the program itself takes.
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

    /// The runs of triangles in order, each with the name of its group; empty if the source has no groups.
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// The mesh without the groups whose names `is_kept` rejects, like
    /// [`Mesh::retain_groups`](super::Mesh::retain_groups). The triangles that are kept go to another temporary file.
    ///
    /// # Errors
    /// Fails if the temporary files cannot be read or written, and if the vertices and the numbers of the remaining
    /// triangles' polygons do not fit into the memory given to [`LargeMesh::open`].
    pub fn retain_groups(self, is_kept: impl FnMut(&str) -> bool) -> Result<Self, MeshError> {
        let kept: Vec<_> = kept_runs(&self.groups, self.triangles.len(), is_kept).collect();
        self.part(|_, face, _| {
            let after = kept.partition_point(|run| run.start <= face);
            kept[..after].last().is_some_and(|run| run.contains(&face))
        })
    }

    /// The mesh without its zero-area triangles, like
    /// [`Mesh::without_zero_area_triangles`](super::Mesh::without_zero_area_triangles). If there are any, the remaining
    /// triangles go to another temporary file.
    ///
    /// # Errors
    /// Fails as [`LargeMesh::retain_groups`] does.
    pub fn without_zero_area_triangles(self) -> Result<Self, MeshError> {
        let has_area = |vertices: &[Point3<f32>], corners: &[u32; 3]| {
            !is_zero_area(&Triangle { vertices: corners.map(|corner| vertices[corner as usize].cast()) })
        };
        let mut have_area = true;
        self.triangles.for_each_piece(|_, piece| {
            have_area &= piece.iter().all(|corners| has_area(&self.vertices, corners));
            Ok::<_, MeshError>(())
        })?;
        if have_area { Ok(self) } else { self.part(|vertices, _, corners| has_area(vertices, corners)) }
    }

    /// The triangles for which `is_kept` holds, given all vertices, the face's number and its corners; and the vertices
    /// that they use. Vertices and the numbers of polygons are moved up in their arrays, because there may be no memory
    /// for others.
    fn part(self, is_kept: impl Fn(&[Point3<f32>], u32, &[u32; 3]) -> bool) -> Result<Self, MeshError> {
        let Self { mut vertices, triangles, mut polygons, groups, origin, memory, .. } = self;
        let for_each_kept = |take: &mut TakeKept<'_>| {
            let mut kept = Vec::new();
            triangles.for_each_piece(|first, piece| {
                let faces = (first as u32..).zip(piece.iter().copied());
                kept.clear();
                kept.extend(faces.filter(|(face, corners)| is_kept(&vertices, *face, corners)));
                take(&kept)
            })
        };
        let (mut used, mut count) = (VerticesOfPart::new(vertices.len()), 0);
        for_each_kept(&mut |kept| {
            kept.iter().for_each(|(_, corners)| used.add(*corners));
            count += kept.len();
            Ok(())
        })?;
        // 12 bytes for a vertex and 4 for its number.
        if 16 * vertices.len() as u64 + 4 * polygons.len().max(count) as u64 > memory {
            return Err(MeshError::BeyondMemory { allowed: memory });
        }
        let are_triangles = polygons.is_empty();
        if are_triangles {
            polygons.reserve_exact(count);
        }
        let (numbers, mut written) = (used.finish(), DiskArray::new_in(triangles.folder())?);
        let (mut groups, mut renumbered) = (GroupsOfPart::new(&groups), Vec::new());
        for_each_kept(&mut |kept| {
            renumbered.clear();
            renumbered.extend(kept.iter().map(|(_, corners)| corners.map(|corner| numbers[corner as usize])));
            for (index, &(face, _)) in (written.len()..).zip(kept) {
                if are_triangles {
                    polygons.push(face);
                } else {
                    polygons[index] = polygons[face as usize];
                }
                groups.add(face);
            }
            Ok(written.extend(&renumbered)?)
        })?;
        polygons.truncate(count);
        polygons.shrink_to_fit();
        let mut numbers = numbers.into_iter();
        vertices.retain(|_| numbers.next().is_some_and(VerticesOfPart::is_used));
        drop(numbers);
        vertices.shrink_to_fit();
        let parts = PartsOnDisk { vertices, triangles: written, polygons, groups: groups.part, origin };
        Self::new(parts, memory)
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
        // Adding 0 turns -0 into 0: otherwise the signs of zeros would depend on the order of the triangles.
        let [lower, upper] = [lower, upper].map(|end| end.map(|x| f64::from(x) + 0.0));
        let bounds = Aabb { lower: lower.into(), upper: upper.into() };
        let digest = digest::end(hasher, &polygons, &groups, &origin);
        Ok(Self { vertices, triangles, polygons, groups, origin, bounds, digest, memory })
    }
}
