//! Segments, which are the axes of capsules, against convex shapes: how near they are.

use nalgebra::{Point3, Vector3};
use smallvec::SmallVec;

use super::box_segment::{nearest_part, on_box};
use super::convex::{Core, Frustum};
use super::convex_distance::SeparatingPlane;
use super::convex_polytope::Polytope;
use super::{Advance, ConvexShape, Obb, Segment, SweptBox};
use crate::numeric::error_bounds::{DISC_DISTANCE_ERROR, RESOLVED_CAPSULE_GAP, TRIPLE_PRODUCT_ROUNDING};
use crate::triangle::{SegmentTarget, Triangle};

/// The closest points of a shape's core, which has discs, and a segment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CorePair {
    pub(crate) on_core: Point3<f64>,
    pub(crate) on_segment: Point3<f64>,
    pub(crate) distance: f64,
}

/// A segment as a triangle without area.
pub(crate) fn thin_triangle(segment: &Segment) -> Triangle {
    Triangle::new(segment.start, segment.end, segment.end)
}

impl ConvexShape {
    /// The triangles of the core's surface; `None` for a core with discs.
    pub(crate) fn facets(&self) -> Option<&[Triangle]> {
        if let Core::Polytope(polytope) = &self.core { Some(polytope.triangles()) } else { None }
    }

    /// The time from which on a moving segment may be within a distance of the shape; `None` if it is not by the time
    /// `limit`.
    pub(crate) fn near_from(
        &self,
        segment: &Segment,
        displacement: &Vector3<f64>,
        distance: f64,
        limit: f64,
    ) -> Option<f64> {
        // Seen from the segment, the shape comes to it.
        let moving = SweptBox::new(self.core_obb(), &-displacement, distance + self.radius);
        Some(moving.meets_triangle(&thin_triangle(segment), limit)?.enter)
    }

    /// When a moving segment first comes within a distance of a cuboid's core, and the plane between the two then. The
    /// segment must not be within that distance at the start. `advance` describes the motion as that of the shape,
    /// which comes to the segment.
    pub(crate) fn segment_beside_box(
        &self,
        segment: &Segment,
        distance: f64,
        advance: &Advance<'_>,
    ) -> Option<(f64, SeparatingPlane)> {
        let Obb { center, axes, half_extents } = self.core_obb();
        let into_box = |vector: Vector3<f64>| axes.tr_mul(&vector);
        let (start, axis) = (into_box(segment.start - center), into_box(segment.end - segment.start));
        let mut normal = into_box(*advance.displacement).try_normalize(0.0)?;
        advance.first_contact(|moved, _| {
            let start = start - into_box(*moved);
            let nearest = start + axis * nearest_part(half_extents, &start, &axis);
            let on_box = on_box(half_extents, &nearest);
            let apart = nearest - on_box;
            let length = apart.norm();
            // Nearer than that, the direction is only rounding.
            if length > RESOLVED_CAPSULE_GAP * (half_extents.amax() + start.amax() + axis.amax()) {
                normal = apart / length;
            }
            SeparatingPlane { axis: axes * normal, gap: length - distance, on_triangle: center + axes * on_box }
        })
    }

    /// The outward unit normal of a cuboid's face that points most along a direction.
    pub(crate) fn face_normal_along(&self, direction: &Vector3<f64>) -> Vector3<f64> {
        let axes = &self.core_obb().axes;
        let along = axes.tr_mul(direction);
        let face = along.iamax();
        axes.column(face) * along[face].signum()
    }

    /// The facets of a polytope, with their indices, that an object that comes from outside along a direction may meet
    /// first: those that face it, however slightly, or all of a flat polytope. None for a core with discs.
    pub(crate) fn facets_before(&self, direction: Vector3<f64>) -> impl Iterator<Item = (u32, &Triangle)> {
        let polytope = if let Core::Polytope(polytope) = &self.core { Some(polytope) } else { None };
        let facets = polytope.map_or(&[][..], Polytope::triangles);
        let is_solid = polytope.is_some_and(|polytope| !polytope.solid_triangles().is_empty());
        (0..).zip(facets).filter(move |(_, facet)| !is_solid || may_face(facet, &direction))
    }

    /// Whether a segment reaches into the core, up to rounding; false for a core with discs.
    pub(crate) fn is_core_reached(&self, segment: &Segment) -> bool {
        let Core::Polytope(polytope) = &self.core else { return false };
        if polytope.solid_triangles().is_empty() {
            polytope.is_crossed(segment)
        } else {
            polytope.contains_part(segment)
        }
    }

    /// The closest points of a core with discs and a segment; `None` if they are farther apart than `limit`. The
    /// distance is 0 if the two overlap, or are so near that the direction between them is not known.
    pub(crate) fn core_pair(&self, segment: &Segment, limit: f64) -> Option<CorePair> {
        let gap = self.search(&thin_triangle(segment), limit, -1.0);
        if gap.lower > limit {
            return None;
        }
        let extent = self.extent + (segment.start - self.center()).amax() + (segment.end - segment.start).amax();
        let distance = if gap.overlaps || gap.upper <= RESOLVED_CAPSULE_GAP * extent { 0.0 } else { gap.upper };
        Some(CorePair { on_core: gap.on_core, on_segment: gap.on_triangle, distance })
    }

    /// The unit normals of those faces of a core with discs (its discs and its side) on which `point`, a point of the
    /// core, lies.
    pub(crate) fn disc_and_side_normals(&self, point: &Point3<f64>) -> SmallVec<[Vector3<f64>; 2]> {
        let Core::Frustum(frustum) = &self.core else { return SmallVec::new() };
        let tolerance = DISC_DISTANCE_ERROR * self.extent;
        let mut normals = SmallVec::new();
        for (i, normal) in [-frustum.axis, frustum.axis].into_iter().enumerate() {
            if frustum.radii[i] > 0.0 && (point - frustum.centers[i]).dot(&normal).abs() <= tolerance {
                normals.push(normal);
            }
        }
        if let Some(outward) = frustum.outward(point) {
            let normal = frustum.side_normal(&outward);
            let [first, second] = [0, 1].map(|i| (frustum.centers[i] - point).dot(&normal) + frustum.reach(i, &normal));
            if first.max(second) <= tolerance {
                normals.push(normal);
            }
        }
        normals
    }
}

impl Polytope {
    /// Whether a segment meets a flat polytope, up to rounding.
    fn is_crossed(&self, segment: &Segment) -> bool {
        self.triangles().iter().any(|facet| {
            let target = SegmentTarget::new(facet);
            let pair = target.closest(&(segment.start - target.origin), &(segment.end - segment.start));
            pair.to_triangle == Vector3::zeros()
        })
    }

    /// Whether a segment reaches behind all facets of a solid polytope, up to rounding.
    fn contains_part(&self, segment: &Segment) -> bool {
        let (mut enter, mut leave) = (0.0_f64, 1.0_f64);
        for facet in self.triangles() {
            let normal = facet.scaled_normal();
            // A needle's corners are not at one height over its rounded normal.
            let height = |point: &Point3<f64>| (point - facet.vertices[0]).dot(&normal);
            let top = facet.vertices.iter().map(height).fold(0.0, f64::max);
            let [start, end] = [&segment.start, &segment.end].map(|point| height(point) - top);
            match (start <= 0.0, end <= 0.0) {
                (false, false) => return false,
                (true, true) => {}
                (true, false) => leave = leave.min(start / (start - end)),
                (false, true) => enter = enter.max(start / (start - end)),
            }
            if enter > leave {
                return false;
            }
        }
        true
    }
}

impl Frustum {
    /// The unit direction from the axis to a point; `None` on the axis.
    fn outward(&self, point: &Point3<f64>) -> Option<Vector3<f64>> {
        let offset = point - self.centers[0];
        (offset - self.axis * offset.dot(&self.axis)).try_normalize(0.0)
    }

    /// The unit normal of the side where the direction from the axis is `outward`.
    fn side_normal(&self, outward: &Vector3<f64>) -> Vector3<f64> {
        let height = (self.centers[1] - self.centers[0]).dot(&self.axis);
        let normal = outward * height + self.axis * (self.radii[0] - self.radii[1]);
        normal.try_normalize(0.0).unwrap_or(*outward)
    }

    /// How far a disc reaches from its center along a unit direction.
    fn reach(&self, disc: usize, direction: &Vector3<f64>) -> f64 {
        self.radii[disc] * direction.cross(&self.axis).norm()
    }
}

/// Whether a direction may point to the front of a triangle, or lie in its plane: `false` only if it certainly comes
/// from behind.
fn may_face(facet: &Triangle, direction: &Vector3<f64>) -> bool {
    let [a, b, c] = facet.vertices;
    let [u, v] = [b - a, c - a];
    let rounding = TRIPLE_PRODUCT_ROUNDING * u.abs().sum() * v.abs().sum() * direction.abs().sum();
    u.cross(&v).dot(direction) <= rounding
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_below_a_needle_is_inside() {
        for i in (1..=200).map(f64::from) {
            let [b, apex, beside] = [1.0, 2.0, 3.0].map(|k| Point3::new((i * k).sin(), (i + k).cos(), (i / k).sin()));
            let middle = b * 0.5;
            let c = middle + beside.coords * 1e-9;
            let shape = ConvexShape::hull(&[Point3::origin(), b, c, apex]).unwrap();
            let on_face = nalgebra::center(&middle, &c) * 0.5;
            let below = on_face + (apex - on_face) * 1e-12;
            assert!(shape.is_core_reached(&Segment { start: below, end: below }), "{i}");
        }
    }
}
