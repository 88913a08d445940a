//! The translations along a direction at which two triangles touch.
//!
//! They are where the line along the direction through the origin is within the Minkowski difference of the two, a
//! convex polyhedron: each axis gives a slab that it lies in, and the axes of the separating axis test (Gottschalk, Lin
//! and Manocha 1996) give all its faces.

use nalgebra::Vector3;

use super::Triangle;
use super::separation::{Corners, interval};

/// Where, along a direction, the second of two triangles touches the first.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactRange {
    /// The first translation, negative if it lies behind.
    pub entry: f64,
    /// The last translation.
    pub exit: f64,
    /// The axis along which they part at the exit, not normalized: from the first triangle to the second.
    pub exit_normal: Vector3<f64>,
}

impl Triangle {
    /// The translations of `other` along a direction, in its lengths, at which the two triangles touch: one interval,
    /// since they are convex. None if there are none, or all are below `least`.
    ///
    /// The interval may be longer than the exact one by what a few roundings move the triangles, wherever they are;
    /// that counts for more the flatter the surfaces glide past each other.
    pub fn contact_range(&self, other: &Triangle, direction: &Vector3<f64>, least: f64) -> Option<ContactRange> {
        let mut sweep = SlabClip::new(Corners::new(self, other), direction, least);
        sweep.clip(direction);
        let [edges_a, edges_b] = [self, other].map(|triangle| triangle.edges().map(|[p, q]| q - p));
        let [normal_a, normal_b] = [&edges_a, &edges_b].map(|edges| edges[0].cross(&edges[1]));
        let normals = [(&normal_a, &edges_a), (&normal_b, &edges_b)];
        for (normal, edges) in normals {
            sweep.clip(normal);
            for edge in edges {
                sweep.clip(&direction.cross(edge));
            }
        }
        if sweep.is_over() {
            return None;
        }
        for a in &edges_a {
            for b in &edges_b {
                sweep.clip(&a.cross(b));
            }
        }
        // In a common plane only the edges bound the difference.
        for (normal, edges) in normals {
            for edge in edges {
                sweep.clip(&normal.cross(edge));
            }
        }
        if normals.iter().any(|(normal, edges)| is_degenerate(normal, edges)) {
            sweep.clip_flat(&edges_a, &edges_b);
        }
        (!sweep.is_over()).then_some(sweep.range)
    }
}

/// Whether the normal, twice the area, is of a triangle that is a segment or a point up to rounding.
fn is_degenerate(normal: &Vector3<f64>, edges: &[Vector3<f64>; 3]) -> bool {
    const LEAST_SINE: f64 = 1e-12;
    let longest_sq = edges.iter().fold(0.0, |max: f64, edge| max.max(edge.norm_squared()));
    normal.norm() <= LEAST_SINE * longest_sq
}

struct SlabClip<'a> {
    corners: Corners,
    direction: &'a Vector3<f64>,
    least: f64,
    range: ContactRange,
}

impl<'a> SlabClip<'a> {
    /// Times the axis's 1-norm and the extent, this bounds the rounding of a slab's ends.
    const ROUNDING: f64 = 4e-15;

    fn new(corners: Corners, direction: &'a Vector3<f64>, least: f64) -> Self {
        let range = ContactRange { entry: f64::NEG_INFINITY, exit: f64::INFINITY, exit_normal: *direction };
        Self { corners, direction, least, range }
    }

    fn is_over(&self) -> bool {
        self.range.entry > self.range.exit || self.range.exit < self.least
    }

    /// Keeps the translations at which the triangles overlap along the axis.
    fn clip(&mut self, axis: &Vector3<f64>) {
        if self.is_over() {
            return;
        }
        let ((low_a, high_a), (low_b, high_b)) = (interval(&self.corners.a, axis), interval(&self.corners.b, axis));
        let rounding = Self::ROUNDING * self.corners.extent * (axis.x.abs() + axis.y.abs() + axis.z.abs());
        let (low, high) = (low_a - high_b - rounding, high_a - low_b + rounding);
        let along = self.direction.dot(axis);
        if along == 0.0 {
            if low > 0.0 || high < 0.0 {
                self.range.exit = f64::NEG_INFINITY;
            }
            return;
        }
        let (entry, exit, normal) =
            if along > 0.0 { (low / along, high / along, *axis) } else { (high / along, low / along, -axis) };
        self.range.entry = self.range.entry.max(entry);
        if exit < self.range.exit {
            (self.range.exit, self.range.exit_normal) = (exit, normal);
        }
    }

    /// The faces of the difference where a triangle is a segment or a point, and it may be flat itself.
    #[cold]
    fn clip_flat(&mut self, edges_a: &[Vector3<f64>; 3], edges_b: &[Vector3<f64>; 3]) {
        let coordinates = [Vector3::x(), Vector3::y(), Vector3::z()];
        coordinates.iter().for_each(|axis| self.clip(axis));
        for a in edges_a.iter().chain(edges_b) {
            self.clip(a);
            for b in edges_b.iter().chain(&coordinates).chain([self.direction]) {
                let normal = a.cross(b);
                self.clip(&normal);
                self.clip(&normal.cross(a));
                self.clip(&normal.cross(b));
            }
        }
    }
}
