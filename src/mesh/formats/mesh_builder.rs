//! A mesh under construction, shared by the readers of all formats.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use nalgebra::Point3;

use super::Skipped;
use super::options::{Placement, ReadOptions};
use crate::mesh::{Group, Mesh, MeshError, MeshFormat, SourceLocation, check_count};

/// Collects vertices, polygons and groups in the order of the file.
pub(super) struct MeshBuilder {
    pub(super) placement: Placement,
    max_triangles: usize,
    vertices: Vec<Point3<f32>>,
    /// Vertices of the file so far; more than `vertices` if equal ones are welded.
    pub(super) vertices_read: usize,
    welded: Option<Welded>,
    pub(super) triangles: Vec<[u32; 3]>,
    polygons: Vec<u32>,
    polygon_count: u32,
    groups: Vec<Group>,
    /// Name of a group without polygons so far.
    next_group: Option<String>,
    skipped: Vec<Skipped>,
}

/// Welded vertices, by the bits of their coordinates.
#[derive(Default)]
struct Welded {
    by_bits: HashMap<[u32; 3], u32>,
    /// Index of the welded vertex for each vertex of the file.
    numbers: Vec<u32>,
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
            polygons: Vec::new(),
            polygon_count: 0,
            groups: Vec::new(),
            next_group: None,
            skipped: Vec::new(),
        }
    }

    /// Adds a vertex. Returns false, and adds nothing, if it is not finite in f32.
    pub(super) fn vertex(&mut self, point: [f64; 3]) -> Result<bool, MeshError> {
        let vertex = self.placement.apply(point);
        if !vertex.iter().all(|x| x.is_finite()) {
            return Ok(false);
        }
        check_count("vertices", self.vertices_read + 1)?;
        self.vertices_read += 1;
        let Some(Welded { by_bits, numbers }) = &mut self.welded else {
            self.vertices.push(vertex);
            return Ok(true);
        };
        let next = self.vertices.len() as u32;
        match by_bits.entry([vertex.x, vertex.y, vertex.z].map(f32::to_bits)) {
            Entry::Occupied(known) => numbers.push(*known.get()),
            Entry::Vacant(free) => {
                free.insert(next);
                numbers.push(next);
                self.vertices.push(vertex);
            }
        }
        Ok(true)
    }

    /// Adds a polygon by the indices of its vertices, counted from 0, which may come later in the file.
    pub(super) fn polygon(&mut self, corners: &[u32]) -> Result<(), MeshError> {
        let first_triangle = self.triangles.len();
        let [apex, fan @ ..] = corners else { return Ok(()) };
        self.triangles.extend(fan.windows(2).map(|edge| [*apex, edge[0], edge[1]]));
        check_count("triangles", self.triangles.len())?;
        if self.triangles.len() > self.max_triangles {
            return Err(MeshError::TooManyTriangles { allowed: self.max_triangles });
        }
        if corners.len() > 3 && self.polygons.is_empty() {
            self.polygons.extend(0..self.polygon_count);
        }
        if corners.len() > 3 || !self.polygons.is_empty() {
            self.polygons.resize(self.triangles.len(), self.polygon_count);
        }
        self.polygon_count += 1;
        if let Some(name) = self.next_group.take()
            && self.groups.last().is_none_or(|group| group.name != name)
        {
            self.groups.push(Group { name, first_triangle: first_triangle as u32 });
        }
        Ok(())
    }

    /// Begins a group, which the next polygons belong to.
    pub(super) fn group(&mut self, name: String) {
        self.next_group = Some(name);
    }

    /// Counts ignored content.
    pub(super) fn skip(&mut self, what: &'static str, location: impl FnOnce() -> SourceLocation) {
        match self.skipped.iter_mut().find(|skipped| skipped.what == what) {
            Some(skipped) => skipped.count += 1,
            None => self.skipped.push(Skipped { what, count: 1, first: location() }),
        }
    }

    pub(super) fn finish(mut self, format: MeshFormat) -> Result<(Mesh, Vec<Skipped>), MeshError> {
        if self.triangles.is_empty() {
            return Err(match format {
                MeshFormat::Obj => MeshError::NoFaces,
                _ => MeshError::NoTriangles { format },
            });
        }
        if let Some(Welded { numbers, .. }) = &self.welded {
            for corner in self.triangles.as_flattened_mut() {
                *corner = numbers.get(*corner as usize).copied().unwrap_or(u32::MAX);
            }
        }
        let origin = self.placement.origin();
        let mesh = Mesh::from_parts(self.vertices, self.triangles, self.polygons, self.groups)?;
        Ok((Mesh { origin, ..mesh }, self.skipped))
    }
}
