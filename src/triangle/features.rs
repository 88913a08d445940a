//! Closest points of a triangle's features: of two segments, and of a point and a face.
//!
//! Points and directions are given relative to an origin near the triangles, so that rounding is relative to their
//! size and not to how far out they are.

use nalgebra::Vector3;

/// A segment `start + t * direction`, `t` in 0..=1; a zero direction makes it a point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    pub start: Vector3<f64>,
    pub direction: Vector3<f64>,
    pub length_sq: f64,
}

impl Segment {
    #[inline]
    pub(super) fn new(start: Vector3<f64>, direction: Vector3<f64>) -> Self {
        Self { start, direction, length_sq: direction.norm_squared() }
    }

    /// The point nearest to `p`.
    #[inline]
    pub(super) fn closest_point(&self, p: &Vector3<f64>) -> Vector3<f64> {
        self.at(self.parameter_near(p))
    }

    /// The point nearest to the plane through `p`.
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

    /// The point nearest to `other` and the vector from there to `other`'s nearest point; None if all of `other` is
    /// certainly `limit_sq` or farther away.
    ///
    /// Ericson, "Real-Time Collision Detection" (2005), section 5.1.9, but with the first parameter from cross
    /// products: for nearly parallel segments that keeps the error of the points at rounding level, where the usual
    /// difference of squared dot products cancels.
    #[inline]
    pub(super) fn closest_points(&self, other: &Segment, limit_sq: f64) -> Option<(Vector3<f64>, Vector3<f64>)> {
        /// Squared sine below which lines count as too parallel to judge their distance.
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

/// A triangle's interior as a target of projections. A zero-area triangle has none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Face {
    corner: Vector3<f64>,
    /// The edges from the corner.
    edges: [Vector3<f64>; 2],
    /// Cross product of the edges, not normalized.
    pub normal: Vector3<f64>,
    normal_sq: f64,
    /// Scalar products with these give barycentric coordinates times `normal_sq`.
    barycentric: [Vector3<f64>; 2],
}

impl Face {
    /// A correction of barycentric coordinates by this much is mere rounding.
    const CORRECT: f64 = 1e-15;
    const MAX_CORRECTIONS: usize = 5;

    #[inline]
    pub(super) fn new(corner: Vector3<f64>, edges: [Vector3<f64>; 2]) -> Self {
        let normal = edges[0].cross(&edges[1]);
        let barycentric = [edges[1].cross(&normal), normal.cross(&edges[0])];
        Self { corner, edges, normal, normal_sq: normal.norm_squared(), barycentric }
    }

    /// The point of the face straight above or below `p`; None if that lies outside.
    #[inline]
    pub(super) fn project(&self, p: &Vector3<f64>) -> Option<Vector3<f64>> {
        let p = p - self.corner;
        let [mut v, mut w] = self.scaled_barycentric(&p);
        let mut foot = self.foot([v, w])?;
        // A needle's inaccurate normal shifts the foot within the face. What is left to `p` is shorter, and so is the
        // shift of its own foot.
        for _ in 0..Self::MAX_CORRECTIONS {
            let [dv, dw] = self.scaled_barycentric(&(p - foot));
            (v, w) = (v + dv, w + dw);
            match self.foot([v, w]) {
                Some(corrected) => foot = corrected,
                None => break,
            }
            if dv.abs() + dw.abs() <= Self::CORRECT * self.normal_sq {
                break;
            }
        }
        Some(self.corner + foot)
    }

    #[inline]
    fn scaled_barycentric(&self, p: &Vector3<f64>) -> [f64; 2] {
        self.barycentric.map(|axis| p.dot(&axis))
    }

    /// The point with these barycentric coordinates relative to the corner, if it is in the triangle.
    #[inline]
    fn foot(&self, [v, w]: [f64; 2]) -> Option<Vector3<f64>> {
        (v >= 0.0 && w >= 0.0 && v + w <= self.normal_sq && self.normal_sq > 0.0)
            .then(|| self.edges[0] * (v / self.normal_sq) + self.edges[1] * (w / self.normal_sq))
    }
}

/// `numerator / denominator` clamped to 0..=1; zero where the denominator is.
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
