//! A mesh under construction, shared by the readers of all formats.

#[cfg(feature = "files")]
use std::path::Path;

use nalgebra::Point3;

use super::options::{Placement, ReadOptions};
use super::welding::Welding;
use super::{Skipped, polygon};
#[cfg(feature = "files")]
use crate::disk_array::DiskArray;
use crate::mesh::{Group, Mesh, MeshError, MeshFormat, SourceLocation, check_count};

/// Collects vertices, polygons and groups in the order of the file.
pub(super) struct MeshBuilder {
    pub(super) placement: Placement,
    max_triangles: usize,
    vertices: Vec<Point3<f32>>,
    /// Number of the file's vertices so far; more than are in `vertices` if equal ones are welded.
    pub(super) vertices_read: usize,
    welded: Option<Welded>,
    /// The triangles, except those that are on disk.
    pub(super) triangles: Vec<[u32; 3]>,
    /// The first triangles, if they are kept in a file.
    #[cfg(feature = "files")]
    on_disk: Option<DiskArray<[u32; 3]>>,
    /// The maximum number of bytes of memory that vertices and polygons may take.
    memory: u64,
    polygons: Vec<u32>,
    polygon_count: u32,
    groups: Vec<Group>,
    /// Group without polygons so far.
    next_group: Option<Group>,
    names: NameBytes,
    skipped: Vec<Skipped>,
}

/// The state of welding equal vertices.
#[derive(Default)]
struct Welded {
    welding: Welding,
    /// For each vertex of the file, the index of its welded vertex; empty if polygons do not name vertices by number.
    numbers: Vec<u32>,
}

impl Welded {
    /// Replaces numbers of vertices in the file by indices of welded ones, if polygons name vertices by number.
    fn renumber(&self, triangles: &mut [[u32; 3]]) {
        if self.numbers.is_empty() {
            return;
        }
        for corner in triangles.as_flattened_mut() {
            *corner = self.numbers.get(*corner as usize).copied().unwrap_or(u32::MAX);
        }
    }
}

/// The total length of the names of groups and materials in bytes. A short file may use a long name many times.
#[derive(Debug, Default)]
pub(super) struct NameBytes(usize);

impl NameBytes {
    /// The greatest total length.
    const MAX: usize = 1 << 27;

    /// Counts a name.
    pub(super) fn add(&mut self, length: usize) -> Result<(), MeshError> {
        self.0 = self.0.saturating_add(length);
        if self.0 > Self::MAX { Err(MeshError::LongNames { allowed: Self::MAX }) } else { Ok(()) }
    }
}

/// The most bytes that cutting a polygon takes for each of its corners: the corner and its point, lists of the corners
/// that are left, and two triangles.
const CUTTING: u64 = 80;

/// Number of triangles that are written to disk at a time.
#[cfg(feature = "files")]
const PIECE: usize = 1 << 16;

/// The data that a builder with triangles on disk has collected.
#[cfg(feature = "files")]
pub(in crate::mesh) struct PartsOnDisk {
    pub(in crate::mesh) vertices: Vec<Point3<f32>>,
    pub(in crate::mesh) triangles: DiskArray<[u32; 3]>,
    pub(in crate::mesh) polygons: Vec<u32>,
    pub(in crate::mesh) groups: Vec<Group>,
    pub(in crate::mesh) origin: Point3<f64>,
}

impl MeshBuilder {
    pub(super) fn new(options: &ReadOptions, weld: bool) -> Self {
        Self {
            placement: Placement::new(options.up, options.scale, options.origin),
            max_triangles: options.max_triangles.min(Mesh::MAX_COUNT),
            vertices: Vec::new(),
            vertices_read: 0,
            welded: weld.then(Welded::default),
            triangles: Vec::new(),
            #[cfg(feature = "files")]
            on_disk: None,
            memory: u64::MAX,
            polygons: Vec::new(),
            polygon_count: 0,
            groups: Vec::new(),
            next_group: None,
            names: NameBytes::default(),
            skipped: Vec::new(),
        }
    }

    /// Keeps the triangles in a file, and the vertices and polygons within `memory` bytes of memory.
    #[cfg(feature = "files")]
    pub(super) fn on_disk(self, triangles: DiskArray<[u32; 3]>, memory: u64) -> Self {
        Self { on_disk: Some(triangles), memory, ..self }
    }

    /// Adds a vertex. Returns false, and adds nothing, if it is not finite in f32.
    pub(super) fn vertex(&mut self, point: [f64; 3]) -> Result<bool, MeshError> {
        let Some(index) = self.corner(point)? else { return Ok(false) };
        if let Some(Welded { numbers, .. }) = &mut self.welded {
            numbers.push(index);
        }
        Ok(true)
    }

    /// Adds a vertex of a file whose polygons do not name vertices by number; returns the index to give to
    /// [`Self::polygon`], or `None`, and adds nothing, if the vertex is not finite in f32.
    pub(super) fn corner(&mut self, point: [f64; 3]) -> Result<Option<u32>, MeshError> {
        let vertex = self.placement.apply(point);
        if !vertex.iter().all(|x| x.is_finite()) {
            return Ok(None);
        }
        check_count("vertices", self.vertices_read + 1)?;
        self.vertices_read += 1;
        let next = self.vertices.len();
        let index = self.welded.as_mut().map_or(next as u32, |welded| welded.welding.index_of(&vertex, &self.vertices));
        if index as usize == next {
            self.vertices.push(vertex);
            self.check_memory(0)?;
        }
        Ok(Some(index))
    }

    /// Checks that the vertices and polygons, and `more` bytes, take no more memory than allowed.
    fn check_memory(&self, more: u64) -> Result<(), MeshError> {
        let (per_vertex, numbers) = self.welded.as_ref().map_or((16, 0), |welded| (24, welded.numbers.len()));
        let needed = per_vertex * self.vertices.len() as u64 + 4 * (numbers + self.polygons.len()) as u64 + more;
        if needed > self.memory { Err(MeshError::BeyondMemory { allowed: self.memory }) } else { Ok(()) }
    }

    /// The number of triangles so far.
    fn triangle_count(&self) -> usize {
        #[cfg(feature = "files")]
        let on_disk = self.on_disk.as_ref().map_or(0, DiskArray::len);
        #[cfg(not(feature = "files"))]
        let on_disk = 0;
        on_disk + self.triangles.len()
    }

    /// Adds a polygon by the indices of its vertices, counted from 0, which may come later in the file.
    pub(super) fn polygon(&mut self, corners: &[u32]) -> Result<(), MeshError> {
        let first_triangle = self.triangle_count();
        // A fan, or another cut of the same number of triangles.
        let triangles = first_triangle + corners.len().saturating_sub(2);
        check_count("triangles", triangles)?;
        if triangles > self.max_triangles {
            return Err(MeshError::TooManyTriangles { allowed: self.max_triangles });
        }
        if corners.len() > 3 {
            self.check_memory(CUTTING * corners.len() as u64)?;
        }
        let point = |corner: u32| {
            let numbers = self.welded.as_ref().map_or(&[][..], |welded| &welded.numbers);
            let vertex = if numbers.is_empty() { corner } else { *numbers.get(corner as usize)? };
            self.vertices.get(vertex as usize).copied()
        };
        polygon::cut(corners, point, &mut self.triangles);
        if corners.len() > 3 && self.polygons.is_empty() {
            self.polygons.extend(0..self.polygon_count);
        }
        if corners.len() > 3 || !self.polygons.is_empty() {
            self.polygons.resize(triangles, self.polygon_count);
            self.check_memory(0)?;
        }
        self.polygon_count += 1;
        if let Some(group) = self.next_group.take()
            && self.groups.last().is_none_or(|last| !last.has_names_of(&group))
        {
            self.groups.push(Group { first_triangle: first_triangle as u32, ..group });
        }
        #[cfg(feature = "files")]
        if self.triangles.len() >= PIECE {
            self.write_triangles()?;
        }
        Ok(())
    }

    /// Moves the triangles in memory to disk, unless all are kept in memory.
    #[cfg(feature = "files")]
    fn write_triangles(&mut self) -> Result<(), MeshError> {
        if let Some(on_disk) = &mut self.on_disk {
            on_disk.extend(&self.triangles)?;
            self.triangles.clear();
        }
        Ok(())
    }

    /// Begins a group, which the next polygons belong to; its material is that of the previous polygons.
    pub(super) fn group(&mut self, name: String) -> Result<(), MeshError> {
        self.begin(|group| &mut group.name, name)
    }

    /// Begins a material, which the next polygons of the same group have.
    pub(super) fn material(&mut self, name: String) -> Result<(), MeshError> {
        self.begin(|group| &mut group.material, name)
    }

    /// Begins a group or a material, and counts the bytes of its name and of the other name of the previous polygons,
    /// which is repeated. A name that the last statement gave too changes nothing.
    fn begin(&mut self, part: impl Fn(&mut Group) -> &mut String, name: String) -> Result<(), MeshError> {
        let Self { next_group, groups, names, .. } = self;
        if next_group.is_none()
            && let Some(last) = groups.last_mut()
        {
            let replaced = part(last);
            if *replaced == name {
                return Ok(());
            }
            let replaced = replaced.len();
            names.add(last.name.len() + last.material.len() - replaced)?;
        }
        names.add(name.len())?;
        *part(next_group.get_or_insert_with(|| groups.last().cloned().unwrap_or_default())) = name;
        Ok(())
    }

    /// Counts ignored content.
    pub(super) fn skip(&mut self, what: &'static str, location: impl FnOnce() -> SourceLocation) {
        match self.skipped.iter_mut().find(|skipped| skipped.what == what) {
            Some(skipped) => skipped.count += 1,
            None => self.skipped.push(Skipped { what, count: 1, first: location() }),
        }
    }

    pub(super) fn finish(mut self, format: MeshFormat) -> Result<(Mesh, Vec<Skipped>), MeshError> {
        self.check_any(format)?;
        if let Some(welded) = &self.welded {
            welded.renumber(&mut self.triangles);
        }
        let origin = self.placement.origin();
        let mesh = Mesh::from_parts(self.vertices, self.triangles, self.polygons, self.groups)?;
        Ok((Mesh { origin, ..mesh }, self.skipped))
    }

    /// Finishes a mesh whose triangles are on disk. Indices are not checked.
    #[cfg(feature = "files")]
    pub(super) fn finish_on_disk(mut self, format: MeshFormat, folder: &Path) -> Result<PartsOnDisk, MeshError> {
        self.check_any(format)?;
        self.write_triangles()?;
        let mut triangles = self.on_disk.take().map_or_else(|| DiskArray::new_in(folder), Ok)?;
        if let Some(welded) = self.welded.take().filter(|welded| !welded.numbers.is_empty()) {
            let mut renumbered = DiskArray::new_in(folder)?;
            triangles.for_each_piece(|_, piece| {
                welded.renumber(piece);
                renumbered.extend(piece)
            })?;
            triangles = renumbered;
        }
        let origin = self.placement.origin();
        let Self { vertices, polygons, groups, .. } = self;
        Ok(PartsOnDisk { vertices, triangles, polygons, groups, origin })
    }

    fn check_any(&self, format: MeshFormat) -> Result<(), MeshError> {
        match format {
            _ if self.triangle_count() > 0 => Ok(()),
            MeshFormat::Obj => Err(MeshError::NoFaces),
            _ => Err(MeshError::NoTriangles { format }),
        }
    }
}
