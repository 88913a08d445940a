//! Which vertices, edges and faces of a mesh may touch a sphere: those that are nearer to its center than all of the
//! mesh around them. What is found is decided again afterwards, by the surface around it.

use nalgebra::{Point3, Vector3};
use smallvec::SmallVec;

use super::near_features::NearFeatures;
use super::surface::{AROUND, Edge, Face, Surface, Vertex};
use super::surroundings::{Surroundings, unit_normal};
use crate::numeric::error_bounds::{FLAT_ANGLE, SHAPE_BAND_ROUNDING};
use crate::triangle::Triangle;

/// The points at the distances of contacts from the center of a sphere.
pub(super) struct Shell {
    center: Point3<f64>,
    /// The least and the greatest.
    distances: [f64; 2],
    squares: [f64; 2],
}

impl Shell {
    /// Of a sphere, and contacts up to a margin.
    pub(super) fn new(center: Point3<f64>, radius: f64, margin: f64) -> Self {
        let rounding = SHAPE_BAND_ROUNDING * (radius + margin);
        let distances = [radius - margin - rounding, radius + margin + rounding];
        let squares = distances.map(|distance| if distance > 0.0 { distance * distance } else { 0.0 });
        Self { center, distances, squares }
    }

    fn holds(&self, distance_sq: f64) -> bool {
        distance_sq >= self.squares[0] && distance_sq <= self.squares[1]
    }

    /// The features of the triangles near the shell that may touch the sphere, and their pairs with its center.
    pub(super) fn features(&self, near: &[(Triangle, u32)], surroundings: &Surroundings) -> (Surface, NearFeatures) {
        let points = surroundings.points();
        let offsets: Vec<Vector3<f64>> = points.iter().map(|point| point - self.center).collect();
        let squares: Vec<f64> = offsets.iter().map(|offset| offset.norm_squared()).collect();
        // How many triangles are at each vertex, less those in which it is the nearest.
        let mut others = vec![0_u32; points.len()];
        let mut surface = Surface { points: points.to_vec(), ..Surface::default() };
        // The last triangles first, whose faces name vertices and edges.
        for (index, &(ref triangle, number)) in near.iter().enumerate().rev() {
            let corners = surroundings.corners(index);
            let ([p, q, r], [a, b, c]) =
                (corners.map(|corner| &offsets[corner as usize]), corners.map(|corner| squares[corner as usize]));
            let [pq, qr, rp] = [p.dot(q), q.dot(r), r.dot(p)];
            let sides = [a + b - 2.0 * pq, b + c - 2.0 * qr, c + a - 2.0 * rp];
            // How far along a side something may rise, times the distance from the point.
            let largest = a.max(b).max(c);
            let room = 1.01 * FLAT_ANGLE * (sides[0].max(sides[1]).max(sides[2]) * largest).sqrt()
                + SHAPE_BAND_ROUNDING * largest;
            for (corner, own, to) in [(0, a, pq.min(rp)), (1, b, qr.min(pq)), (2, c, rp.min(qr))] {
                let is_nearest = self.holds(own) & (own <= to + room);
                others[corners[corner] as usize] += u32::from(!is_nearest);
            }
            let mut is_over = true;
            for (ends, [start, end], along, to_third, length_sq) in [
                ([0, 1], [a, b], pq, [rp, qr], sides[0]),
                ([1, 2], [b, c], qr, [pq, rp], sides[1]),
                ([2, 0], [c, a], rp, [qr, pq], sides[2]),
            ] {
                // All times the square of the side's length: how far the third corner rises from the side's nearest
                // point towards the center, and the distance of that point.
                let before = start - along;
                let fall = (to_third[0] - start) * length_sq + before * (to_third[1] - to_third[0] + before);
                let distance_sq = start * length_sq - before * before;
                let [least, most] = self.squares.map(|square| square * length_sq);
                let room_sq = room * length_sq;
                is_over &= fall <= room_sq;
                let is_between = (before >= -room) & (along <= end + room);
                let is_within = (distance_sq >= least - room_sq) & (distance_sq <= most + room_sq);
                if is_between & (fall >= -room_sq) & is_within {
                    let ends = surroundings.sorted(ends.map(|end: usize| corners[end]));
                    surface.edges.push(Edge { ends, face: number, beside: [ends[0]; 2] });
                }
            }
            if is_over {
                let normal = unit_normal(triangle);
                let height = -p.dot(&normal);
                if height >= self.distances[0] && height <= self.distances[1] && normal != Vector3::zeros() {
                    surface.faces.push(Face { normal, corners: SmallVec::from_slice(&corners), number });
                }
            }
        }
        surface.faces.reverse();
        let vertices = (0..).zip(&others).filter(|(_, others)| **others == 0);
        let vertex = |(point, _)| {
            Some(Vertex { point, face: near[surroundings.at(point).next()?.triangle].1, around: [point; AROUND] })
        };
        surface.vertices = vertices.filter_map(vertex).collect();
        let all = |count: usize| (0..count as u32).map(|index| [index, 0]).collect();
        let features = NearFeatures {
            face_vertex: all(surface.faces.len()),
            edge_vertex: all(surface.edges.len()),
            vertex_vertex: all(surface.vertices.len()),
            ..NearFeatures::default()
        };
        (surface, features)
    }
}
