//! Simplices of GJK: the hulls of up to four differences between points of a convex shape's core and of a triangle or
//! another core, and their points closest to the origin.

use std::ops::Deref;

use nalgebra::{Point3, Vector3};

use crate::numeric::error_bounds::NO_AREA_SQ;
use crate::triangle::triple_and_error;

/// The difference of a point of the triangle and one of the core.
#[derive(Clone, Copy, Default)]
pub(super) struct Difference {
    pub(super) on_core: Point3<f64>,
    pub(super) on_triangle: Point3<f64>,
    /// The vector from the core's point to the triangle's.
    pub(super) vector: Vector3<f64>,
}

/// A simplex whose corners are up to four differences.
#[derive(Clone, Copy, Default)]
pub(super) struct Simplex {
    corners: [Difference; 4],
    len: usize,
}

impl Deref for Simplex {
    type Target = [Difference];

    #[inline]
    fn deref(&self) -> &[Difference] {
        &self.corners[..self.len]
    }
}

impl Simplex {
    /// Adds a corner to a simplex of at most three.
    #[inline]
    pub(super) fn push(&mut self, corner: Difference) {
        self.corners[self.len] = corner;
        self.len += 1;
    }

    #[inline]
    pub(super) fn has(&self, vector: &Vector3<f64>) -> bool {
        self.iter().any(|known| known.vector == *vector)
    }

    /// Computes the vector of each difference again, after the triangle has moved.
    #[inline]
    pub(super) fn set_vectors(&mut self, vector: impl Fn(&Difference) -> Vector3<f64>) {
        for corner in &mut self.corners[..self.len] {
            corner.vector = vector(corner);
        }
    }

    /// Keeps only the corners between which the closest point lies.
    #[inline]
    pub(super) fn keep(&mut self, closest: &mut Closest) {
        for i in 0..closest.len {
            self.corners[i] = self.corners[closest.corners[i]];
            closest.corners[i] = i;
        }
        self.len = closest.len;
    }

    /// The point of the simplex that is closest to the origin; the simplex must not be empty. For a tetrahedron it is
    /// the origin if that is certainly inside, despite rounded differences, or else the closest point of the surface.
    #[inline]
    pub(super) fn closest_to_origin(&self) -> Closest {
        let vector = |i: usize| self.corners[i].vector;
        match self.len {
            1 => Closest::vertex(vector, 0),
            2 => Closest::on_edge(vector, [0, 1]),
            3 => Closest::on_face(vector, [0, 1, 2]),
            _ => Closest::of_tetrahedron([0, 1, 2, 3].map(vector)),
        }
    }

    /// The normals of the faces, of any length, pointing away from the origin.
    pub(super) fn face_normals(&self) -> impl Iterator<Item = Vector3<f64>> {
        FACES.iter().filter(|face| face.iter().all(|&corner| corner < self.len)).map(|face| {
            let corners = face.map(|corner| self.corners[corner].vector);
            let normal = face_normal(&corners);
            normal * corners[0].dot(&normal).signum()
        })
    }

    /// The vectors from the origin to the closest points of the edges' lines.
    pub(super) fn edge_normals(&self) -> impl Iterator<Item = Vector3<f64>> {
        let ends = (0..self.len).flat_map(|i| (0..i).map(move |k| [i, k]));
        ends.filter_map(|ends| {
            let [p, q] = ends.map(|corner| self.corners[corner].vector);
            let along = (q - p).try_normalize(0.0)?;
            let near = if q.norm_squared() < p.norm_squared() { q } else { p };
            Some(near - along * near.dot(&along))
        })
    }
}

/// The point of a simplex that is closest to the origin.
#[derive(Clone, Copy)]
pub(super) struct Closest {
    pub(super) vector: Vector3<f64>,
    /// The indices of the corners between which the point lies, in order; `weights` are positive.
    corners: [usize; 4],
    weights: [f64; 4],
    len: usize,
}

impl Closest {
    #[inline]
    fn vertex(vector: impl Fn(usize) -> Vector3<f64>, i: usize) -> Self {
        Self { vector: vector(i), corners: [i, 0, 0, 0], weights: [1.0, 0.0, 0.0, 0.0], len: 1 }
    }

    /// The closest point of an edge.
    #[inline]
    fn on_edge(vector: impl Fn(usize) -> Vector3<f64> + Copy, [i, j]: [usize; 2]) -> Self {
        let [start, end] = [i, j].map(vector);
        let edge = end - start;
        let per_length_sq = 1.0 / edge.norm_squared();
        let part = -start.dot(&edge) * per_length_sq;
        if part.is_nan() || part <= 0.0 {
            return Self::vertex(vector, i);
        }
        if part >= 1.0 {
            return Self::vertex(vector, j);
        }
        let vector = start + edge * part;
        // Perpendicular again, because what is left of long vectors is mostly rounding.
        let vector = vector - edge * (vector.dot(&edge) * per_length_sq);
        Self { vector, corners: [i, j, 0, 0], weights: [1.0 - part, part, 0.0, 0.0], len: 2 }
    }

    /// The closest point of a triangle: inside it, along its normal, or on an edge beyond which the origin is.
    #[inline]
    fn on_face(vector: impl Fn(usize) -> Vector3<f64> + Copy, corners @ [i, j, k]: [usize; 3]) -> Self {
        let [a, b, c] = corners.map(vector);
        let normal = face_normal(&[a, b, c]);
        let normal_sq = normal.norm_squared();
        let areas = [b.cross(&c).dot(&normal), c.cross(&a).dot(&normal), a.cross(&b).dot(&normal)];
        let total = areas[0] + areas[1] + areas[2];
        let has_area = normal_sq > NO_AREA_SQ * ((b - a).norm_squared() * (c - a).norm_squared()) && total > 0.0;
        if has_area && areas.iter().all(|&area| area > 0.0) {
            let nearest = [b, c].iter().fold(a, |p, q| if q.norm_squared() < p.norm_squared() { *q } else { p });
            let vector = normal * (nearest.dot(&normal) / normal_sq);
            let [p, q, r] = areas.map(|area| area / total);
            return Self { vector, corners: [i, j, k, 0], weights: [p, q, r, 0.0], len: 3 };
        }
        let mut closest = Self::NONE;
        for (edge, area) in [[j, k], [i, k], [i, j]].into_iter().zip(areas) {
            if !has_area || area <= 0.0 {
                closest = closest.nearer(Self::on_edge(vector, edge));
            }
        }
        closest
    }

    /// The point of a triangle that is closest to the origin.
    #[inline]
    pub(super) fn of_triangle(vertices: &[Vector3<f64>; 3]) -> Self {
        Self::on_face(|i| vertices[i], [0, 1, 2])
    }

    fn of_tetrahedron(vectors: [Vector3<f64>; 4]) -> Self {
        let [a, b, c, d] = vectors;
        // Six times the volumes of the origin with each face; all have the same sign if the origin is inside.
        let volumes = [[b, d, c], [a, c, d], [a, d, b], [a, b, c]].map(|[u, v, w]| triple_and_error(&u, &v, &w));
        let total: f64 = volumes.iter().map(|(volume, _)| volume).sum();
        let error: f64 = volumes.iter().map(|(_, error)| error).sum();
        // Whether the origin and the opposite corner are on the same side of each face.
        let is_within = volumes.map(|(volume, of_volume)| total.abs() > error && volume * total.signum() > of_volume);
        if is_within == [true; 4] {
            let weights = volumes.map(|(volume, _)| volume / total);
            return Self { vector: Vector3::zeros(), corners: [0, 1, 2, 3], weights, len: 4 };
        }
        let mut closest = Self::NONE;
        for (opposite, face) in [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]].into_iter().enumerate() {
            if !is_within[opposite] {
                closest = closest.nearer(Self::on_face(|i| vectors[i], face));
            }
        }
        closest
    }

    const NONE: Self = Self {
        vector: Vector3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        corners: [0; 4],
        weights: [0.0; 4],
        len: 0,
    };

    #[inline]
    fn nearer(self, other: Self) -> Self {
        if other.vector.norm_squared() < self.vector.norm_squared() { other } else { self }
    }

    /// Whether the point is the origin, certainly inside a tetrahedron.
    #[inline]
    pub(super) fn is_inside(&self) -> bool {
        self.len == 4
    }

    /// The weighted sum of the corners' vectors: a point of the simplex even where `vector` is inaccurate, as between
    /// nearby corners on a round surface.
    #[inline]
    pub(super) fn weighted(&self, vector: impl Fn(usize) -> Vector3<f64>) -> Vector3<f64> {
        self.parts().fold(Vector3::zeros(), |sum, (corner, part)| sum + vector(corner) * part)
    }

    /// The points of the core and the triangle whose difference is this point.
    pub(super) fn points(&self, simplex: &Simplex) -> [Point3<f64>; 2] {
        let first = &simplex.corners[self.corners[0]];
        let sum = [Vector3::zeros(); 2];
        let [on_core, on_triangle] = self.parts().fold(sum, |[core, triangle], (corner, part)| {
            let corner = &simplex.corners[corner];
            [core + (corner.on_core - first.on_core) * part, triangle + (corner.on_triangle - first.on_triangle) * part]
        });
        [first.on_core + on_core, first.on_triangle + on_triangle]
    }

    #[inline]
    fn parts(&self) -> impl Iterator<Item = (usize, f64)> {
        (0..self.len).map(|i| (self.corners[i], self.weights[i]))
    }
}

/// The faces of a simplex, as indices of corners; a simplex of three corners has only the first.
const FACES: [[usize; 3]; 4] = [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]];

/// A normal of a face, not normalized: the cross product of its two shorter edges, which is the most accurate choice.
#[inline]
fn face_normal([a, b, c]: &[Vector3<f64>; 3]) -> Vector3<f64> {
    let (ab, ac, bc) = (b - a, c - a, c - b);
    let (ab_sq, ac_sq, bc_sq) = (ab.norm_squared(), ac.norm_squared(), bc.norm_squared());
    if bc_sq >= ab_sq.max(ac_sq) {
        ab.cross(&ac)
    } else if ac_sq >= ab_sq {
        ab.cross(&bc)
    } else {
        ac.cross(&bc)
    }
}
