//! The vertices, edges and faces of one surface that may be in contact with another.

use nalgebra::{Point3, Vector3};
use smallvec::SmallVec;

use super::candidates::{CornerName, MAX_SLOPE, mesh_names};
use super::surroundings::{MeshEdge, Surroundings};
use crate::numeric::error_bounds::SAME_DIRECTION;
use crate::shape::{ContactCore, CoreFace, NO_FACE, SurfaceBand};
use crate::triangle::Triangle;

/// The features of one surface that may be in contact, and the rounding radius around them.
#[derive(Default)]
pub(super) struct Surface {
    pub(super) points: Vec<Point3<f64>>,
    pub(super) vertices: Vec<Vertex>,
    pub(super) edges: Vec<Edge>,
    /// The faces that have an area.
    pub(super) faces: Vec<Face>,
    pub(super) radius: f64,
    pub(super) is_core: bool,
}

pub(super) struct Vertex {
    pub(super) point: u32,
    /// A face of the mesh at the vertex; [`NO_FACE`] for a core.
    pub(super) face: u32,
    /// Some points around the vertex that edges join to it; the vertex itself where there are no more.
    pub(super) around: [u32; AROUND],
}

/// The number of points around a vertex that are tested first, before all of them.
pub(super) const AROUND: usize = 4;

pub(super) struct Edge {
    pub(super) ends: [u32; 2],
    /// A face of the mesh at the edge; [`NO_FACE`] for a core.
    pub(super) face: u32,
    /// Another corner of each of up to two faces at the edge; the edge's first end where none is given.
    pub(super) beside: [u32; 2],
}

/// A triangle, or a face of a convex core.
pub(super) struct Face {
    /// The unit normal.
    pub(super) normal: Vector3<f64>,
    /// The corners, anticlockwise.
    pub(super) corners: SmallVec<[u32; 4]>,
    /// The index of the mesh's face, or the number of the core's face.
    pub(super) number: u32,
}

impl Surface {
    /// The features of a mesh that may have contacts with a convex shape, from the triangles near the shape and their
    /// indices in the mesh.
    pub(super) fn of_mesh(near: &[(Triangle, u32)], surroundings: &Surroundings, band: &SurfaceBand<'_>) -> Self {
        let points = surroundings.points().to_vec();
        let beyond: Vec<u8> = points.iter().map(|point| band.sides_beyond(point)).collect();
        let is_near = |corners: &[u32]| corners.iter().fold(u8::MAX, |sides, &at| sides & beyond[at as usize]) == 0;
        let face_of = |triangle: usize| near[triangle].1;
        let vertices = (0..points.len() as u32)
            .filter(|point| is_near(&[*point]))
            .filter_map(|point| {
                let (mut around, mut face) = ([point; AROUND], None);
                for (at, slot) in surroundings.at(point).zip(&mut around) {
                    face.get_or_insert(face_of(at.triangle));
                    *slot = at.next();
                }
                Some(Vertex { point, face: face?, around })
            })
            .collect();
        let (center, least_height) = (band.center(), band.least_height(MAX_SLOPE));
        let mut edges = surroundings.edges();
        edges.retain(|edge| is_near(&edge.ends) && !surroundings.is_hollow(edge, &center, least_height));
        let edge = |edge: &MeshEdge| Edge { ends: edge.ends, face: face_of(edge.triangle()), beside: edge.thirds() };
        let edges = edges.iter().map(edge).collect();
        let face = |(index, (_, face)): (usize, &(Triangle, u32))| {
            let (normal, corners) = (surroundings.normal(index), surroundings.corners(index));
            let may_touch = normal != Vector3::zeros() && is_near(&corners);
            may_touch.then(|| Face { normal, corners: SmallVec::from_slice(&corners), number: *face })
        };
        let faces = near.iter().enumerate().filter_map(face).collect();
        Self { points, vertices, edges, faces, radius: 0.0, is_core: false }
    }

    /// The features of the core of a convex shape, which has a rounding radius.
    pub(super) fn of_core(core: &ContactCore, radius: f64) -> Self {
        let face =
            |(number, normal, corners): &CoreFace| Face { normal: *normal, corners: corners.clone(), number: *number };
        let edge = |&ends: &[u32; 2]| Edge { ends, face: NO_FACE, beside: [ends[0]; 2] };
        let mut edges: Vec<Edge> = core.edges.iter().map(edge).collect();
        for (_, _, corners) in &core.faces {
            for (i, &third) in corners.iter().enumerate() {
                let side = |k: usize| corners[(i + k) % corners.len()];
                let (p, q) = (side(1), side(2));
                // The core's edges are sorted.
                if let Ok(at) = edges.binary_search_by_key(&[p.min(q), p.max(q)], |edge| edge.ends) {
                    let Edge { ends, beside: [last, before], .. } = &mut edges[at];
                    *(if *last == ends[0] { last } else { before }) = third;
                }
            }
        }
        Self {
            points: core.corners.clone(),
            vertices: core
                .vertices
                .iter()
                .map(|&point| Vertex { point, face: NO_FACE, around: [point; AROUND] })
                .collect(),
            edges,
            faces: core.faces.iter().map(face).collect(),
            radius,
            is_core: true,
        }
    }

    /// The name of a point, which stays the same from one time step to the next.
    pub(super) fn name(&self, point: u32) -> CornerName {
        if self.is_core {
            return [point, 0, 0];
        }
        // A vertex of a mesh is named by its coordinates in the mesh.
        let [name] = mesh_names([&self.points[point as usize].cast()]);
        name
    }

    /// The names of a face's corners, or of a core's face, which stay the same from one time step to the next.
    pub(super) fn face_names(&self, face: &Face) -> SmallVec<[CornerName; 3]> {
        if self.is_core {
            return SmallVec::from_buf([[face.number, 0, 0]; 3]);
        }
        face.corners.iter().map(|&corner| self.name(corner)).collect()
    }

    /// The index of the mesh's face; [`NO_FACE`] for a core.
    pub(super) fn face(&self, face: &Face) -> u32 {
        if self.is_core { NO_FACE } else { face.number }
    }

    pub(super) fn ends(&self, edge: &Edge) -> [Point3<f64>; 2] {
        edge.ends.map(|end| self.points[end as usize])
    }

    pub(super) fn vertex(&self, vertex: &Vertex) -> Point3<f64> {
        self.points[vertex.point as usize]
    }

    /// Whether a point of a face's plane is in the face, up to rounding.
    pub(super) fn is_over(&self, face: &Face, point: &Point3<f64>) -> bool {
        let corner = |k: usize| self.points[face.corners[k] as usize];
        let mut from = corner(face.corners.len() - 1);
        (0..face.corners.len()).all(|k| {
            let start = std::mem::replace(&mut from, corner(k));
            is_beside([start, from], &face.normal, point)
        })
    }
}

/// Whether a point of a plane is on the inner side of an edge of a face, up to rounding.
pub(super) fn is_beside([p, q]: [Point3<f64>; 2], normal: &Vector3<f64>, point: &Point3<f64>) -> bool {
    let along = q - p;
    along.cross(&(point - p)).dot(normal) >= -SAME_DIRECTION * along.norm_squared()
}
