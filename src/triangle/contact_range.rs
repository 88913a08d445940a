//! The interval of translations along a direction at which two triangles touch.
//!
//! It is the part of the line through the origin along the direction that lies in the Minkowski difference of the two
//! triangles, a convex polyhedron. Each axis gives a slab that contains the polyhedron, and the axes of the separating
//! axis test (Gottschalk, Lin and Manocha 1996) give all its faces.

use nalgebra::Vector3;

use crate::numeric::error_bounds::{DEGENERATE_SINE, SLAB_ERROR};

use super::Triangle;
use super::separation::{Corners, interval};

/// The interval of translations along a direction at which the second of two triangles touches the first, in units of
/// the direction's length.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactRange {
    /// The first translation of contact; negative if it is opposite to the direction.
    pub entry: f64,
    /// The last translation of contact.
    pub exit: f64,
    /// The axis along which the triangles separate at the exit, pointing from the first to the second; not normalized.
    pub exit_normal: Vector3<f64>,
}

impl Triangle {
    /// The interval of translations of `other` along a direction, in units of the direction's length, at which the two
    /// triangles touch; `None` if the interval is empty or wholly below `least`. There is only one interval, because
    /// triangles are convex.
    ///
    /// The interval may be slightly longer than the exact one: by f64's rounding errors at the size of the triangles,
    /// divided by the sine of the angle between the direction and the surfaces.
    pub fn contact_range(&self, other: &Triangle, direction: &Vector3<f64>, least: f64) -> Option<ContactRange> {
        let mut slabs = SlabClip::new(Corners::new(self, other), direction, least);
        slabs.clip(direction);
        let [edges_a, edges_b] = [self, other].map(|triangle| triangle.edges().map(|[p, q]| q - p));
        let [normal_a, normal_b] = [&edges_a, &edges_b].map(|edges| edges[0].cross(&edges[1]));
        let normals = [(&normal_a, &edges_a), (&normal_b, &edges_b)];
        for (normal, edges) in normals {
            slabs.clip(normal);
            for edge in edges {
                slabs.clip(&direction.cross(edge));
            }
        }
        if slabs.is_over() {
            return None;
        }
        for a in &edges_a {
            for b in &edges_b {
                slabs.clip(&a.cross(b));
            }
        }
        // For coplanar triangles, only the edges bound the difference.
        for (normal, edges) in normals {
            for edge in edges {
                slabs.clip(&normal.cross(edge));
            }
        }
        if normals.iter().any(|(normal, edges)| is_degenerate(normal, edges)) {
            slabs.clip_flat(&edges_a, &edges_b);
        }
        (!slabs.is_over()).then_some(slabs.range)
    }
}

/// Whether a triangle with this scaled normal is a segment or a point, up to rounding.
fn is_degenerate(normal: &Vector3<f64>, edges: &[Vector3<f64>; 3]) -> bool {
    let longest_sq = edges.iter().fold(0.0, |max: f64, edge| max.max(edge.norm_squared()));
    normal.norm() <= DEGENERATE_SINE * longest_sq
}

/// The interval that remains after clipping by some slabs.
struct SlabClip<'a> {
    corners: Corners,
    direction: &'a Vector3<f64>,
    least: f64,
    range: ContactRange,
}

impl<'a> SlabClip<'a> {
    fn new(corners: Corners, direction: &'a Vector3<f64>, least: f64) -> Self {
        let range = ContactRange { entry: f64::NEG_INFINITY, exit: f64::INFINITY, exit_normal: *direction };
        Self { corners, direction, least, range }
    }

    fn is_over(&self) -> bool {
        self.range.entry > self.range.exit || self.range.exit < self.least
    }

    /// Clips the interval to the translations at which the triangles overlap along the axis.
    fn clip(&mut self, axis: &Vector3<f64>) {
        if self.is_over() {
            return;
        }
        let ((low_a, high_a), (low_b, high_b)) = (interval(&self.corners.a, axis), interval(&self.corners.b, axis));
        let rounding = SLAB_ERROR * self.corners.extent * (axis.x.abs() + axis.y.abs() + axis.z.abs());
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

    /// Clips by the faces of the Minkowski difference if a triangle is a segment or a point; the difference itself may
    /// be flat.
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
