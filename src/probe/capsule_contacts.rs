//! Contacts of a sphere or a capsule with the triangles of a mesh.

use std::ops::ControlFlow;

use nalgebra::{Point3, Vector3};

use super::Probe;
use crate::numeric::error_bounds::{RESOLVED_CAPSULE_GAP, cast_rounding};
use crate::shape::{Aabb, Capsule};
use crate::traversal::{NearPoint, OverlapsBox, TriangleVisitor};
use crate::tree::BvTree;
use crate::triangle::{SegmentPair, SegmentTarget, Triangle};
use crate::volume::{LocalBox, LocalPoint};

/// The contact of a sphere or capsule with a triangle: where they are nearest, or where they overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CapsuleContact {
    /// The signed distance between the two, in the mesh's unit. If they overlap, it is the negative of the penetration
    /// depth: the least displacement that frees the capsule from the triangle, which is along the normal.
    pub distance: f64,
    /// The point of contact on the triangle, up to rounding.
    pub point: Point3<f64>,
    /// The unit direction from the triangle to the capsule. If none is defined, as for a sphere whose center is on the
    /// triangle, it is the triangle's normal or its opposite; zero if the triangle has no area.
    pub normal: Vector3<f64>,
    /// The triangle's own unit normal by the right-hand rule. It differs from `normal` if an edge or a vertex is
    /// nearest. Zero for a triangle without area.
    pub face_normal: Vector3<f64>,
    /// The index of the triangle in the mesh.
    pub face: u32,
}

impl Probe {
    /// Calls `visit` with the contact of each triangle within `max_distance` of the capsule (a sphere:
    /// `&sphere.into()`), in no particular order, until it breaks. Triangles that overlap the capsule have a negative
    /// distance.
    #[doc(alias = "contact manifold")]
    #[doc(alias = "for_each_contact")]
    pub fn for_each_capsule_contact(
        &mut self,
        tree: &BvTree,
        capsule: &Capsule,
        max_distance: f64,
        mut visit: impl FnMut(CapsuleContact) -> ControlFlow<()>,
    ) {
        let mut visitor = CapsuleContactVisitor { capsule, max_distance, visit: &mut visit };
        self.visit_contacts(tree, &mut visitor);
    }

    /// [`Probe::for_each_capsule_contact`] without generics, so that it is compiled once and not for each caller.
    fn visit_contacts(&mut self, tree: &BvTree, visitor: &mut CapsuleContactVisitor<'_>) {
        let CapsuleContactVisitor { capsule, max_distance, .. } = *visitor;
        self.stats = Default::default();
        let around = bounds(capsule).grown(max_distance);
        // A triangle outside by less than rounding may have a computed distance of at most the limit.
        let around = around.grown(cast_rounding(&around.union(tree.bounds())));
        // A NaN distance finds nothing.
        if let Some(common) = around.intersection(tree.bounds()).filter(|_| max_distance >= 0.0) {
            let local = LocalBox::new(&tree.meta().frame, &common.into());
            self.traverse_masked(tree, &OverlapsBox(local), f32::INFINITY, visitor, None);
        }
    }

    /// The contact of least signed distance: with the triangle that overlaps the capsule (or sphere) most deeply, or
    /// else with the nearest one. `None` if no triangle is within `max_distance`. Of several at the same distance, the
    /// one with the lowest face index is returned.
    #[doc(alias = "closest_contact")]
    #[doc(alias = "nearest contact")]
    #[doc(alias = "penetration depth")]
    #[doc(alias = "depenetration")]
    pub fn closest_capsule_contact(
        &mut self,
        tree: &BvTree,
        capsule: &Capsule,
        max_distance: f64,
    ) -> Option<CapsuleContact> {
        let middle = nalgebra::center(&capsule.segment.start, &capsule.segment.end);
        let half_length = 0.5 * (capsule.segment.end - capsule.segment.start).norm();
        let local = LocalPoint::new(&tree.meta().frame, &middle);
        let mut search = ClosestContactVisitor { capsule, local, half_length, best: None, max_distance };
        let limit = search.limit_sq();
        self.traverse_masked(tree, &NearPoint(local), limit, &mut search, None);
        search.best
    }
}

/// The axis-aligned bounding box of a capsule.
pub(super) fn bounds(capsule: &Capsule) -> Aabb {
    Aabb::from_points([&capsule.segment.start, &capsule.segment.end]).grown(capsule.radius)
}

/// The segment of a capsule relative to a triangle's first vertex.
pub(super) struct RelativeSegment {
    pub(super) start: Vector3<f64>,
    pub(super) axis: Vector3<f64>,
    /// A bound on the coordinates of the segment and the triangle relative to the triangle's first vertex, to which
    /// rounding errors are proportional.
    pub(super) extent: f64,
}

impl RelativeSegment {
    #[inline]
    pub(super) fn new(capsule: &Capsule, target: &SegmentTarget) -> Self {
        let start = capsule.segment.start - target.origin;
        let axis = capsule.segment.end - capsule.segment.start;
        let [_, b, c] = target.vertices();
        let extent = start.amax() + axis.amax() + b.amax().max(c.amax());
        Self { start, axis, extent }
    }
}

impl CapsuleContact {
    /// The contact at the nearest points. If these coincide, its normal is the triangle's.
    pub(super) fn new(target: &SegmentTarget, pair: &SegmentPair, radius: f64, face: u32) -> Self {
        let distance = pair.to_triangle.norm();
        let face_normal = target.scaled_normal().try_normalize(0.0).unwrap_or_default();
        let normal = if distance > 0.0 { pair.to_triangle / -distance } else { face_normal };
        let point = target.origin + (pair.on_segment + pair.to_triangle);
        Self { distance: distance - radius, point, normal, face_normal, face }
    }
}

/// The contact of a capsule with a triangle that its segment may cross.
///
/// If it does, the shortest way out crosses a face of the Minkowski difference of the two, a prism: it is along the
/// triangle's normal or along the cross product of an edge with the axis.
pub(super) fn deepest(target: &SegmentTarget, segment: &RelativeSegment, radius: f64, face: u32) -> CapsuleContact {
    let pair = target.closest(&segment.start, &segment.axis);
    let contact = CapsuleContact::new(target, &pair, radius, face);
    let gap = pair.to_triangle.norm();
    if gap > RESOLVED_CAPSULE_GAP * segment.extent || segment.axis == Vector3::zeros() {
        return contact;
    }
    let ends = [segment.start, segment.start + segment.axis];
    let axes = target.edges().map(|edge| edge.cross(&segment.axis));
    let mut least = (f64::INFINITY, contact.normal);
    for axis in [*target.scaled_normal()].iter().chain(&axes).filter_map(|axis| axis.try_normalize(0.0)) {
        for normal in [axis, -axis] {
            let highest = target.vertices().iter().map(|v| v.dot(&normal)).fold(f64::NEG_INFINITY, f64::max);
            let lowest = ends.iter().map(|v| v.dot(&normal)).fold(f64::INFINITY, f64::min);
            if highest - lowest < least.0 {
                least = (highest - lowest, normal);
            }
        }
    }
    let (depth, normal) = if least.0 < f64::INFINITY { least } else { (0.0, contact.normal) };
    let distance = if gap > 0.0 { contact.distance } else { -depth.max(0.0) - radius };
    CapsuleContact { distance, normal, ..contact }
}

/// The contact of a capsule with a triangle, however far they are apart.
pub(super) fn contact(capsule: &Capsule, triangle: &Triangle, face: u32) -> CapsuleContact {
    let target = SegmentTarget::new(triangle);
    deepest(&target, &RelativeSegment::new(capsule, &target), capsule.radius, face)
}

struct CapsuleContactVisitor<'a> {
    capsule: &'a Capsule,
    max_distance: f64,
    visit: &'a mut dyn FnMut(CapsuleContact) -> ControlFlow<()>,
}

impl TriangleVisitor for CapsuleContactVisitor<'_> {
    fn visit(&mut self, triangle: &Triangle, face: u32) -> ControlFlow<(), f32> {
        let contact = contact(self.capsule, triangle, face);
        if contact.distance <= self.max_distance {
            (self.visit)(contact)?;
        }
        ControlFlow::Continue(f32::INFINITY)
    }
}

struct ClosestContactVisitor<'a> {
    capsule: &'a Capsule,
    local: LocalPoint,
    half_length: f64,
    best: Option<CapsuleContact>,
    max_distance: f64,
}

impl ClosestContactVisitor<'_> {
    /// The squared distance from the middle of the segment, in the unit of the tree's frame, within which triangles
    /// matter; negative if none does.
    fn limit_sq(&self) -> f32 {
        let distance = self.best.map_or(self.max_distance, |best| best.distance) + self.capsule.radius;
        if distance.is_nan() { -1.0 } else { self.local.limit_sq(distance.max(0.0) + self.half_length) }
    }
}

impl TriangleVisitor for ClosestContactVisitor<'_> {
    fn visit(&mut self, triangle: &Triangle, face: u32) -> ControlFlow<(), f32> {
        let contact = contact(self.capsule, triangle, face);
        let is_best = match &self.best {
            Some(best) => (contact.distance, face) < (best.distance, best.face),
            None => contact.distance <= self.max_distance,
        };
        if is_best {
            self.best = Some(contact);
        }
        ControlFlow::Continue(self.limit_sq())
    }
}
