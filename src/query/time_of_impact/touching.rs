//! Two triangles that touch: whether they touch inside a face, and the direction from one to the other.

use nalgebra::{Point3, Vector3};

use crate::numeric::error_bounds::resolved_touching_gap;
use crate::traversal::FacePair;
use crate::triangle::{ClosestPoints, CommonPoints, Triangle};

/// A triangle of A and one of B that touch, or are so near that f64 cannot tell whether they do.
pub(super) struct Touching {
    /// The leaf indices of the triangles.
    pub(super) leaves: [usize; 2],
    pub(super) faces: FacePair,
    pub(super) closest: ClosestPoints,
    triangles: [Triangle; 2],
    /// The axis along the normal of a face inside which the triangles touch; `None` if they touch only at edges and
    /// vertices, or cross.
    inside: Option<ContactAxis>,
    /// Distances up to this count as 0.
    pub(super) near: f64,
}

/// The rank of a pair among those that touch at the same time; the lowest is reported. Pairs that touch inside a face
/// come before those that touch at edges and vertices; then the order of the faces decides.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    pub(super) is_boundary: bool,
    pub(super) faces: FacePair,
}

impl Touching {
    pub(super) fn new(
        leaves: [usize; 2],
        faces: FacePair,
        triangles: [Triangle; 2],
        closest: ClosestPoints,
        near: f64,
    ) -> Self {
        let [a, b] = &triangles;
        let inside = [[a, b], [b, a]].into_iter().find_map(|[face, other]| {
            let axis = ContactAxis::along(&face.scaled_normal(), &triangles, near)?;
            (axis.gap >= -near && touches_inside(face, other, near)).then_some(axis)
        });
        Self { leaves, faces, closest, triangles, inside, near }
    }

    pub(super) fn rank(&self) -> Rank {
        Rank { is_boundary: self.inside.is_none(), faces: self.faces }
    }

    /// Whether the triangles touch inside a face, or cross in a segment too long to be due to rounding.
    pub(super) fn is_inside_or_crosses(&self) -> bool {
        let [a, b] = &self.triangles;
        let overlaps = |axis: Vector3<f64>| {
            ContactAxis::along(&axis, &self.triangles, self.near).is_none_or(|axis| axis.gap < -self.near)
        };
        self.inside.is_some()
            || overlaps(a.scaled_normal())
                && overlaps(b.scaled_normal())
                && matches!(a.intersection(b)[..], [p, q] if (q - p).norm() > self.near)
    }

    /// The unit direction from A to B; `is_sided` is false if its opposite is possible, too. It is zero if all edges of
    /// both triangles are parallel and the closest points coincide.
    pub(super) fn direction(&self) -> ContactAxis {
        let resolved = resolved_touching_gap(self.near);
        let separation = self.closest.on_b - self.closest.on_a;
        let distance = separation.norm();
        let widest = self.inside.or_else(|| {
            // The direction in which they are farthest apart or overlap least.
            let normals = self.triangles.each_ref().map(Triangle::scaled_normal);
            let edges = self.triangles.each_ref().map(|triangle| triangle.edges().map(|[p, q]| q - p));
            let products = edges[0].iter().flat_map(|a| edges[1].iter().map(|b| a.cross(b)));
            let axes = normals.into_iter().chain(products);
            let axes = axes.filter_map(|axis| ContactAxis::along(&axis, &self.triangles, self.near));
            let axes = axes.filter(|axis| distance <= resolved || axis.gap >= 0.9 * distance);
            axes.reduce(|widest, axis| if axis.gap > widest.gap + resolved { axis } else { widest })
        });
        let Some(axis) = widest else {
            // Between vertices.
            let normal = separation.try_normalize(0.0).unwrap_or_default();
            return ContactAxis { normal, gap: distance, is_sided: true };
        };
        let across = separation.dot(&axis.normal);
        if axis.is_sided || across.abs() <= resolved {
            return axis;
        }
        ContactAxis { normal: axis.normal * across.signum(), is_sided: true, ..axis }
    }
}

/// A direction and the gap between two triangles along it.
#[derive(Clone, Copy)]
pub(super) struct ContactAxis {
    /// The unit direction.
    pub(super) normal: Vector3<f64>,
    /// The gap from A to B along the direction or, if not sided, along it or its opposite, whichever is greater;
    /// negative if the triangles overlap.
    gap: f64,
    /// Whether the sign of the direction is known: B lies ahead of A along it, and not also behind A.
    pub(super) is_sided: bool,
}

impl ContactAxis {
    fn along(direction: &Vector3<f64>, [a, b]: &[Triangle; 2], near: f64) -> Option<Self> {
        let normal = direction.try_normalize(0.0)?;
        let [of_a, of_b] = [a, b].map(|triangle| heights(triangle, &a.vertices[0], &normal));
        let (ahead, behind) = (lowest(of_b) - highest(of_a), lowest(of_a) - highest(of_b));
        let is_sided = (ahead >= -near) != (behind >= -near);
        let normal = if is_sided && behind > ahead { -normal } else { normal };
        Some(Self { normal, gap: ahead.max(behind), is_sided })
    }
}

/// The heights of a triangle's vertices along a unit normal, from an origin.
pub(super) fn heights(triangle: &Triangle, origin: &Point3<f64>, normal: &Vector3<f64>) -> [f64; 3] {
    triangle.vertices.map(|vertex| (vertex - origin).dot(normal))
}

pub(super) fn highest(heights: [f64; 3]) -> f64 {
    heights.into_iter().fold(f64::NEG_INFINITY, f64::max)
}

pub(super) fn lowest(heights: [f64; 3]) -> f64 {
    heights.into_iter().fold(f64::INFINITY, f64::min)
}

/// Whether the part of another triangle that lies in a face's plane (a vertex, an edge, or all of it) reaches inside
/// the face.
fn touches_inside(face: &Triangle, other: &Triangle, near: f64) -> bool {
    let Some(normal) = face.scaled_normal().try_normalize(0.0) else { return false };
    let is_in_plane = |vertex: &Point3<f64>| (vertex - face.vertices[0]).dot(&normal).abs() <= near;
    let mut common: CommonPoints = other.vertices.into_iter().filter(is_in_plane).collect();
    let heights = face.edges().map(|[p, q]| {
        let inward = normal.cross(&(q - p)).normalize();
        move |vertex: &Point3<f64>| (vertex - p).dot(&inward)
    });
    // Clip by one edge after the other (Sutherland and Hodgman 1974).
    for height in &heights {
        let mut kept = CommonPoints::new();
        for (i, from) in common.iter().enumerate() {
            let to = common[(i + 1) % common.len()];
            let (start, end) = (height(from), height(&to));
            if start >= 0.0 {
                kept.push(*from);
            }
            if (start > 0.0 && end < 0.0) || (start < 0.0 && end > 0.0) {
                kept.push(from + (to - from) * (start / (start - end)));
            }
        }
        common = kept;
    }
    // The face is convex, so the middle is inside all edges if any part is.
    let sum: Vector3<f64> = common.iter().map(|point| point.coords).sum();
    let middle = Point3::from(sum / common.len() as f64);
    !common.is_empty() && heights.iter().all(|height| height(&middle) > near)
}
