//! Contacts of features that are near each other: a vertex and a face, two edges, or what is closest across a gap.

use nalgebra::{Point3, Vector3};
use smallvec::SmallVec;

use super::candidates::{Candidates, Contact, CornerName, crossing, id};
use super::near_features::NearFeatures;
use super::surface::Surface;
use crate::traversal::FacePair;

/// For A and for B, the point indices of a vertex or an edge, and a face at that vertex or edge.
type Corners<'a> = [(&'a [u32], u32); 2];

impl Candidates<'_> {
    /// Adds the contacts of two surfaces.
    pub(super) fn add_near(&mut self, surfaces: [&Surface; 2], near: &NearFeatures) {
        let [a, b] = surfaces;
        for &[face, vertex] in &near.face_vertex {
            self.add_on_face(surfaces, 0, face, vertex);
        }
        for &[vertex, face] in &near.vertex_face {
            self.add_on_face(surfaces, 1, face, vertex);
        }
        for &[i, k] in &near.edge_edge {
            self.add_crossing(surfaces, [i, k]);
        }
        for &[vertex, edge] in &near.vertex_edge {
            let (vertex, edge) = (&a.vertices[vertex as usize], &b.edges[edge as usize]);
            let point = a.vertex(vertex);
            if let Some(foot) = foot(&b.ends(edge), &point) {
                self.add_closest(surfaces, [(&[vertex.point], vertex.face), (&edge.ends, edge.face)], [point, foot]);
            }
        }
        for &[edge, vertex] in &near.edge_vertex {
            let (edge, vertex) = (&a.edges[edge as usize], &b.vertices[vertex as usize]);
            let point = b.vertex(vertex);
            if let Some(foot) = foot(&a.ends(edge), &point) {
                self.add_closest(surfaces, [(&edge.ends, edge.face), (&[vertex.point], vertex.face)], [foot, point]);
            }
        }
        for &[i, k] in &near.vertex_vertex {
            let (p, q) = (&a.vertices[i as usize], &b.vertices[k as usize]);
            let on = [a.vertex(p), b.vertex(q)];
            self.add_closest(surfaces, [(&[p.point], p.face), (&[q.point], q.face)], on);
        }
    }

    /// Adds the contact of a face of one surface (`side`: 0 for A, 1 for B) and a vertex of the other.
    fn add_on_face(&mut self, surfaces: [&Surface; 2], side: usize, face: u32, vertex: u32) {
        let [plane, other] = [surfaces[side], surfaces[1 - side]];
        let (face, vertex) = (&plane.faces[face as usize], &other.vertices[vertex as usize]);
        let (point, normal) = (other.vertex(vertex), face.normal);
        let gap = (point - plane.points[face.corners[0] as usize]).dot(&normal);
        let foot = point - normal * gap;
        if !self.is_near(gap)
            || !plane.is_over(face, &foot)
            || !self.ends_near(1 - side, &[vertex.point], None, &point, &-normal)
        {
            return;
        }
        let names = [plane.face_names(face), SmallVec::from_slice(&[other.name(vertex.point)])];
        let faces = [plane.face(face), vertex.face];
        let contact = match side {
            0 => Contact { id: id(names), on: [foot, point], direction: normal, gap, faces: pair(faces), region: 0 },
            _ => {
                let ([face_names, vertex_names], [face, vertex]) = (names, faces);
                let id = id([vertex_names, face_names]);
                Contact { id, on: [point, foot], direction: -normal, gap, faces: pair([vertex, face]), region: 0 }
            }
        };
        self.push(&contact);
    }

    /// Adds the contact of two edges that cross.
    fn add_crossing(&mut self, surfaces: [&Surface; 2], [i, k]: [u32; 2]) {
        let [a, b] = [&surfaces[0].edges[i as usize], &surfaces[1].edges[k as usize]];
        let Some((on, line)) = crossing(&surfaces[0].ends(a), &surfaces[1].ends(b)) else { return };
        let gap = (on[1] - on[0]).dot(&line);
        // Sheets may end in both directions: then the gap decides.
        let line = if gap < 0.0 { -line } else { line };
        for (direction, gap) in [(line, gap.abs()), (-line, -gap.abs())] {
            if self.is_near(gap)
                && self.ends_near(1, &b.ends, None, &on[1], &-direction)
                && self.ends_near(0, &a.ends, None, &on[0], &direction)
            {
                let id = id([names(surfaces[0], &a.ends), names(surfaces[1], &b.ends)]);
                self.push(&Contact { id, on, direction, gap, faces: pair([a.face, b.face]), region: 0 });
                break;
            }
        }
    }

    /// Adds the contact of two vertices, or of a vertex and an edge, across the gap between the closest points of the
    /// two.
    fn add_closest(&mut self, surfaces: [&Surface; 2], corners: Corners<'_>, on: [Point3<f64>; 2]) {
        let between = on[1] - on[0];
        let Some(direction) = between.try_normalize(0.0) else { return };
        let gap = between.norm();
        let mut ends =
            |side: usize, direction: Vector3<f64>| self.ends_at(side, corners[side].0, &on[side], &direction);
        if ends(1, -direction) && ends(0, direction) && self.is_near(gap) {
            let id = id([0, 1].map(|side| names(surfaces[side], corners[side].0)));
            self.push(&Contact { id, on, direction, gap, faces: pair(corners.map(|(_, face)| face)), region: 0 });
        }
    }
}

fn pair([face_a, face_b]: [u32; 2]) -> FacePair {
    FacePair { face_a, face_b }
}

fn names(surface: &Surface, corners: &[u32]) -> SmallVec<[CornerName; 3]> {
    corners.iter().map(|&corner| surface.name(corner)).collect()
}

/// The point of an edge that is nearest to a point; `None` if that is one of the edge's ends.
pub(super) fn foot([p, q]: &[Point3<f64>; 2], point: &Point3<f64>) -> Option<Point3<f64>> {
    let along = q - p;
    let part = (point - p).dot(&along) / along.norm_squared();
    (part > 0.0 && part < 1.0).then(|| p + along * part)
}
