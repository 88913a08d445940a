//! Contacts of a sphere or a capsule with the triangles of a mesh.

use std::ops::ControlFlow;

use nalgebra::{Point3, Vector3};

use super::Probe;
use crate::shape::{Aabb, Capsule};
use crate::traversal::{NearPoint, OverlapsBox, TriangleVisitor};
use crate::tree::BvTree;
use crate::triangle::{SegmentPair, SegmentTarget, Triangle};
use crate::volume::{LocalBox, LocalPoint};

/// A sphere or capsule and a triangle, where they are nearest or overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CapsuleContact {
    /// How far apart the two are, in the mesh's unit; negative by how far the capsule would have to move along the
    /// normal to free itself of the triangle, the least of all directions.
    pub distance: f64,
    /// The triangle's point, up to rounding.
    pub point: Point3<f64>,
    /// Of unit length, from the triangle to the capsule. Where the side is not defined (a point on a face) it is the
    /// triangle's normal by its corners' order; zero where there is none.
    pub normal: Vector3<f64>,
    /// The triangle's own unit normal, by its corners' order: not the same where an edge or a corner is nearest. Zero
    /// for a triangle without area.
    pub face_normal: Vector3<f64>,
    /// The triangle, by its index in the mesh.
    pub face: u32,
}

impl Probe {
    /// Calls `visit` with the contact of each triangle that is no farther than `max_distance` from the capsule (or
    /// sphere), in no particular order, until it breaks. Those that overlap it have a negative distance.
    pub fn for_each_contact(
        &mut self,
        tree: &BvTree,
        capsule: &Capsule,
        max_distance: f64,
        mut visit: impl FnMut(CapsuleContact) -> ControlFlow<()>,
    ) {
        self.contacts(tree, capsule, max_distance, &mut visit);
    }

    /// Compiled once, not for each caller.
    fn contacts(&mut self, tree: &BvTree, capsule: &Capsule, max_distance: f64, visit: Visit<'_>) {
        self.stats = Default::default();
        let slack = Vector3::repeat(max_distance);
        let aabb = bounds(capsule);
        let aabb = Aabb { lower: aabb.lower - slack, upper: aabb.upper + slack };
        // Not for a distance that is not a number.
        if let Some(common) = aabb.intersection(tree.bounds()).filter(|_| max_distance >= 0.0) {
            let local = LocalBox::new(&tree.meta().frame, &common.into());
            self.traverse(tree, OverlapsBox(local), &mut Touching { capsule, max_distance, visit });
        }
    }

    /// The contact of least distance: of the triangle that is nearest to the capsule (or sphere), or
    /// overlaps it most deeply. None if none is as near as `max_distance`. Of equal ones that of least face.
    #[doc(alias = "nearest contact")]
    #[doc(alias = "penetration depth")]
    #[doc(alias = "depenetration")]
    pub fn closest_contact(&mut self, tree: &BvTree, capsule: &Capsule, max_distance: f64) -> Option<CapsuleContact> {
        let middle = nalgebra::center(&capsule.segment.start, &capsule.segment.end);
        let half_length = 0.5 * (capsule.segment.end - capsule.segment.start).norm();
        let local = LocalPoint::new(&tree.meta().frame, &middle);
        let mut search = Nearest { capsule, local, half_length, best: None, max_distance };
        self.traverse(tree, NearPoint { point: local, limit: search.limit_sq() }, &mut search);
        search.best
    }
}

/// The capsule's axis-aligned box.
pub(super) fn bounds(capsule: &Capsule) -> Aabb {
    let aabb = Aabb::from_points([&capsule.segment.start, &capsule.segment.end]);
    let radius = Vector3::repeat(capsule.radius);
    Aabb { lower: aabb.lower - radius, upper: aabb.upper + radius }
}

/// A capsule's segment relative to a triangle's first corner.
pub(super) struct Placed {
    pub(super) start: Vector3<f64>,
    pub(super) axis: Vector3<f64>,
    /// The largest coordinate of the segment and the triangle, to bound rounding errors by.
    pub(super) extent: f64,
}

impl Placed {
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
    /// From the nearest points, which must be apart for the normal to be more than a guess.
    pub(super) fn new(target: &SegmentTarget, pair: &SegmentPair, radius: f64, face: u32) -> Self {
        let distance = pair.to_triangle.norm();
        let face_normal = target.scaled_normal().try_normalize(0.0).unwrap_or_default();
        let normal = if distance > 0.0 { pair.to_triangle / -distance } else { face_normal };
        let point = target.origin + (pair.on_segment + pair.to_triangle);
        Self { distance: distance - radius, point, normal, face_normal, face }
    }
}

/// The direction of a smaller gap, in parts of the coordinates, is little but rounding.
const SURE_GAP: f64 = 1e-11;

/// The contact of a capsule with a triangle, which its segment may cross.
///
/// Then the way out is across a face of the Minkowski difference of the two, which is a prism: along the triangle's
/// normal, or one of its edges crossed with the axis.
pub(super) fn deepest(target: &SegmentTarget, placed: &Placed, radius: f64, face: u32) -> CapsuleContact {
    let pair = target.closest(&placed.start, &placed.axis);
    let contact = CapsuleContact::new(target, &pair, radius, face);
    let gap = pair.to_triangle.norm();
    if gap > SURE_GAP * placed.extent || placed.axis == Vector3::zeros() {
        return contact;
    }
    let ends = [placed.start, placed.start + placed.axis];
    let axes = target.edges().map(|edge| edge.cross(&placed.axis));
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

fn contact(capsule: &Capsule, triangle: &Triangle, face: u32) -> CapsuleContact {
    let target = SegmentTarget::new(triangle);
    deepest(&target, &Placed::new(capsule, &target), capsule.radius, face)
}

type Visit<'a> = &'a mut dyn FnMut(CapsuleContact) -> ControlFlow<()>;

struct Touching<'a> {
    capsule: &'a Capsule,
    max_distance: f64,
    visit: Visit<'a>,
}

impl TriangleVisitor for Touching<'_> {
    fn visit(&mut self, triangle: &Triangle, face: u32) -> ControlFlow<(), f32> {
        let contact = contact(self.capsule, triangle, face);
        if contact.distance <= self.max_distance {
            (self.visit)(contact)?;
        }
        ControlFlow::Continue(f32::INFINITY)
    }
}

struct Nearest<'a> {
    capsule: &'a Capsule,
    local: LocalPoint,
    half_length: f64,
    best: Option<CapsuleContact>,
    max_distance: f64,
}

impl Nearest<'_> {
    /// How far from the middle of the capsule's segment triangles matter. Depths matter only of those that cross it.
    fn limit_sq(&self) -> f32 {
        let distance = self.best.map_or(self.max_distance, |best| best.distance) + self.capsule.radius;
        if distance.is_nan() { -1.0 } else { self.local.limit_sq(distance.max(0.0) + self.half_length) }
    }
}

impl TriangleVisitor for Nearest<'_> {
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
