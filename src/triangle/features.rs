//! Closest points of a triangle's features: of two segments, and of a point and a face.
//!
//! Coordinates are relative to an origin near the triangles, so that rounding is relative to their size and not to
//! their distance from the mesh's origin.

use nalgebra::Vector3;

use super::Triangle;
use crate::numeric::error_bounds::BARYCENTRIC_ROUNDING;

/// The segment `start + t * direction` for `t` in `0..=1`; a point if the direction is zero.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineSegment {
    pub start: Vector3<f64>,
    pub direction: Vector3<f64>,
    pub length_sq: f64,
}

impl LineSegment {
    #[inline]
    pub(super) fn new(start: Vector3<f64>, direction: Vector3<f64>) -> Self {
        Self { start, direction, length_sq: direction.norm_squared() }
    }

    /// The point of the segment that is closest to `p`.
    #[inline]
    pub(super) fn closest_point(&self, p: &Vector3<f64>) -> Vector3<f64> {
        self.at(self.parameter_near(p))
    }

    /// The point of the segment that is closest to the plane through `p` with the given normal.
    pub(super) fn crossing(&self, p: &Vector3<f64>, normal: &Vector3<f64>) -> Vector3<f64> {
        let (height, slope) = ((p - self.start).dot(normal), self.direction.dot(normal));
        self.at(if slope == 0.0 { 0.0 } else { clamp(height / slope) })
    }

    #[inline]
    fn at(&self, t: f64) -> Vector3<f64> {
        self.start + self.direction * t
    }

    #[inline]
    fn parameter_near(&self, p: &Vector3<f64>) -> f64 {
        clamped_ratio(self.direction.dot(&(p - self.start)), self.length_sq)
    }

    /// The point closest to `other`, and the vector from it to the closest point of `other`; `None` if the squared
    /// distance is certainly at least `limit_sq`.
    ///
    /// The method is that of Ericson, "Real-Time Collision Detection" (2005), section 5.1.9, except that the first
    /// parameter comes from cross products: for nearly parallel segments this keeps the error at rounding level, where
    /// the usual difference of squared dot products cancels.
    #[inline]
    pub(super) fn closest_points(&self, other: &LineSegment, limit_sq: f64) -> Option<(Vector3<f64>, Vector3<f64>)> {
        /// The squared sine below which lines are too parallel for their distance to be accurate.
        const PARALLEL: f64 = 0.01;
        let normal = self.direction.cross(&other.direction);
        let normal_sq = normal.norm_squared();
        let between = other.start - self.start;
        let height = between.dot(&normal);
        if height * height > limit_sq * normal_sq && normal_sq > PARALLEL * (self.length_sq * other.length_sq) {
            return None;
        }
        let s = clamped_ratio(between.cross(&other.direction).dot(&normal), normal_sq);
        let between = other.start - self.at(s);
        let t_free = ratio(-other.direction.dot(&between), other.length_sq);
        let t = clamp(t_free);
        if t == t_free && other.length_sq > 0.0 {
            return Some((self.at(s), between + other.direction * t));
        }
        let end = other.at(t);
        let on_self = self.closest_point(&end);
        Some((on_self, end - on_self))
    }
}

/// The interior of a triangle, as a target of projections. A triangle without area has none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    corner: Vector3<f64>,
    /// The edges from the corner.
    edges: [Vector3<f64>; 2],
    /// The cross product of the edges, not normalized.
    pub normal: Vector3<f64>,
    pub normal_sq: f64,
    /// Dot products with these vectors give barycentric coordinates times `normal_sq`.
    barycentric: [Vector3<f64>; 2],
}

impl Face {
    /// The greatest number of corrections of a projection.
    const MAX_CORRECTIONS: usize = 5;

    #[inline]
    pub(super) fn new(corner: Vector3<f64>, edges: [Vector3<f64>; 2]) -> Self {
        let normal = edges[0].cross(&edges[1]);
        let barycentric = [edges[1].cross(&normal), normal.cross(&edges[0])];
        Self { corner, edges, normal, normal_sq: normal.norm_squared(), barycentric }
    }

    /// The orthogonal projection of `p` onto the face; `None` if it lies outside.
    #[inline]
    pub(super) fn project(&self, p: &Vector3<f64>) -> Option<Vector3<f64>> {
        let p = p - self.corner;
        let [mut v, mut w] = self.scaled_barycentric(&p);
        let mut foot = self.foot([v, w])?;
        // A needle's inaccurate normal shifts the foot within the face. Projecting the remaining vector again shifts it
        // by less.
        for _ in 0..Self::MAX_CORRECTIONS {
            let [dv, dw] = self.scaled_barycentric(&(p - foot));
            (v, w) = (v + dv, w + dw);
            match self.foot([v, w]) {
                Some(corrected) => foot = corrected,
                None => break,
            }
            if dv.abs() + dw.abs() <= BARYCENTRIC_ROUNDING * self.normal_sq {
                break;
            }
        }
        Some(self.corner + foot)
    }

    #[inline]
    fn scaled_barycentric(&self, p: &Vector3<f64>) -> [f64; 2] {
        self.barycentric.map(|axis| p.dot(&axis))
    }

    /// The point, relative to the corner, whose barycentric coordinates times `normal_sq` are `v` and `w`; `None` if it
    /// is outside the triangle, or the triangle has no area.
    #[inline]
    fn foot(&self, [v, w]: [f64; 2]) -> Option<Vector3<f64>> {
        (v >= 0.0 && w >= 0.0 && v + w <= self.normal_sq && self.normal_sq > 0.0)
            .then(|| self.edges[0] * (v / self.normal_sq) + self.edges[1] * (w / self.normal_sq))
    }
}

/// The vertices, edges and face of a triangle relative to an origin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Features {
    pub(super) vertices: [Vector3<f64>; 3],
    pub(super) edges: [LineSegment; 3],
    pub(super) face: Face,
}

impl Features {
    /// The features of a triangle whose vertices relative to the origin are `vertices`. Edges are computed from the
    /// original coordinates, so that a small triangle far from the origin keeps its shape.
    #[inline]
    pub(super) fn new(triangle: &Triangle, vertices: [Vector3<f64>; 3]) -> Self {
        let [a, b, c] = triangle.vertices;
        let [ab, bc, ca] = [b - a, c - b, a - c];
        let edges =
            [LineSegment::new(vertices[0], ab), LineSegment::new(vertices[1], bc), LineSegment::new(vertices[2], ca)];
        // The face is spanned at the vertex opposite to the longest edge: between two long edges of a needle, the
        // normal would have few correct digits.
        let [ab_sq, bc_sq, ca_sq] = [edges[0].length_sq, edges[1].length_sq, edges[2].length_sq];
        let longest = if bc_sq >= ab_sq && bc_sq >= ca_sq { 1 } else { 2 * usize::from(ca_sq > ab_sq) };
        let corner = (longest + 2) % 3;
        let around = [edges[corner].direction, -edges[(longest + 1) % 3].direction];
        Self { vertices, edges, face: Face::new(vertices[corner], around) }
    }

    /// The point of the triangle that is closest to `p`.
    pub(super) fn closest_point(&self, p: &Vector3<f64>) -> Vector3<f64> {
        let on_edges = self.edges.iter().map(|edge| edge.closest_point(p));
        let mut best = self.vertices[0];
        for q in on_edges.chain(self.face.project(p)) {
            if (q - p).norm_squared() < (best - p).norm_squared() {
                best = q;
            }
        }
        best
    }
}

/// `numerator / denominator` clamped to `0..=1`; zero if the denominator is zero.
#[inline]
fn clamped_ratio(numerator: f64, denominator: f64) -> f64 {
    clamp(ratio(numerator, denominator))
}

#[inline]
fn ratio(numerator: f64, denominator: f64) -> f64 {
    if denominator > 0.0 { numerator / denominator } else { 0.0 }
}

#[inline]
fn clamp(t: f64) -> f64 {
    t.clamp(0.0, 1.0)
}
