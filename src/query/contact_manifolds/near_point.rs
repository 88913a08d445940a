//! Finds the vertices, edges and faces of a mesh that may touch a sphere: those that are nearer to its center than all
//! of the mesh around them. These candidates are tested again afterwards, with the surface around them. An edge is
//! found once for each of its triangles.

use nalgebra::{Point3, Vector3};
use smallvec::SmallVec;

use super::near_features::NearFeatures;
use super::surface::{AROUND, Edge, Face, Surface, Vertex};
use super::surroundings::Surroundings;
use crate::numeric::error_bounds::{FLAT_ANGLE, SHAPE_BAND_ROUNDING};
use crate::triangle::Triangle;

/// The shell around a sphere in which contacts lie: the points between a least and a greatest distance from its center.
pub(super) struct Shell {
    center: Point3<f64>,
    /// The least and the greatest distance from the center.
    distances: [f64; 2],
    squares: [f64; 2],
}

impl Shell {
    /// The shell of a sphere, for contacts up to a margin.
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
        // The number of triangles at each vertex in which it is not the nearest point to the center.
        let mut others = vec![0_u32; points.len()];
        let mut surface = Surface { points: points.to_vec(), ..Surface::default() };
        // The last triangles first, whose faces name vertices and edges.
        for (index, &(ref triangle, number)) in near.iter().enumerate().rev() {
            let corners = surroundings.corners(index);
            let ([p, q, r], [a, b, c]) =
                (corners.map(|corner| &offsets[corner as usize]), corners.map(|corner| squares[corner as usize]));
            // Use the sides and not products of offsets, whose differences are inaccurate for short sides.
            let [pq, qr, rp] = [q - p, r - q, p - r];
            let lengths = [pq.norm_squared(), qr.norm_squared(), rp.norm_squared()];
            // How far a side's start, and its end, is from the point of its line that is nearest to the center, times
            // the side's length.
            let before = [-p.dot(&pq), -q.dot(&qr), -r.dot(&rp)];
            let after = [lengths[0] - before[0], lengths[1] - before[1], lengths[2] - before[2]];
            // How far along a side something may rise, times the distance from the center.
            let longest_sq = lengths[0].max(lengths[1]).max(lengths[2]);
            let room = 1.01 * FLAT_ANGLE * (longest_sq * a.max(b).max(c)).sqrt();
            for (corner, own, rise) in
                [(0, a, before[0].max(after[2])), (1, b, before[1].max(after[0])), (2, c, before[2].max(after[1]))]
            {
                let is_nearest = self.holds(own) & (rise <= room);
                others[corners[corner] as usize] += u32::from(!is_nearest);
            }
            let mut is_over = true;
            for (k, ends, offset, along, to_third) in
                [(0, [0, 1], p, pq, -rp), (1, [1, 2], q, qr, -pq), (2, [2, 0], r, rp, -qr)]
            {
                // Times the square of the side's length: how far the third corner is behind the side's nearest point,
                // seen from the center, and the square of that point's distance.
                let behind = offset.dot(&to_third) * lengths[k] + before[k] * along.dot(&to_third);
                let distance_sq = offset.cross(&along).norm_squared();
                let room_sq = room * lengths[k];
                is_over &= behind <= room_sq;
                let is_between = (before[k] >= -room) & (after[k] >= -room);
                let is_within =
                    (distance_sq >= self.squares[0] * lengths[k]) & (distance_sq <= self.squares[1] * lengths[k]);
                if is_between & (behind >= -room_sq) & is_within {
                    let ends = surroundings.sorted(ends.map(|end: usize| corners[end]));
                    surface.edges.push(Edge { ends, face: number, beside: [ends[0]; 2] });
                }
            }
            if is_over {
                let normal = triangle.unit_normal();
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
