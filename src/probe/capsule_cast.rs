//! Capsule and sphere casts: when a moving capsule first meets a mesh.
//!
//! While a convex shape moves along a line, its distance from another is a convex function of time, so Newton's method
//! from the start never steps over the root: each step goes to the time at which the plane across the gap is met,
//! before which there is no contact (conservative advancement without rotation, Mirtich 1996; the planes are those of
//! van den Bergen, "Ray casting against general convex objects", 2004). Once the gap stops shrinking, the triangle is
//! missed.

use std::ops::ControlFlow;

use nalgebra::Vector3;

use super::Probe;
use super::capsule_contacts::{CapsuleContact, RelativeSegment, bounds, deepest};
use super::swept_path::SweptPath;
use crate::numeric::error_bounds::CAST_ROUNDING;
use crate::shape::{Capsule, Segment};
use crate::traversal::TriangleVisitor;
use crate::tree::{BvTree, LayerTable};
use crate::triangle::{SegmentPair, SegmentTarget, Triangle};
use crate::volume::SweptBody;

/// Options of [`Probe::cast_capsule`] and [`Probe::cast_convex`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct CastOptions {
    /// The greatest distance between the surfaces at the reported time, in the mesh's unit. Values below the rounding
    /// error are raised to it, so 0 is as exact as possible. This is not a clearance: a path that passes a triangle at
    /// less than this distance may or may not count as a hit. For a clearance, enlarge the radius.
    pub tolerance: f64,
    /// Whether a triangle that is touched at the start counts as a hit if the motion departs from it or slides along
    /// it. Both shapes are convex, so such a triangle is not met again.
    pub departing: bool,
}

impl Default for CastOptions {
    /// A tolerance of 0; contacts at the start count even if the motion departs from them.
    fn default() -> Self {
        Self { tolerance: 0.0, departing: true }
    }
}

/// The first contact of a moving sphere or capsule with a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CapsuleCastHit {
    /// The time of contact, 0 to 1, as a fraction of the displacement. Apart from triangles that are left out because
    /// [`CastOptions::departing`] is false, none is touched earlier.
    pub time: f64,
    /// The contact at `time`. Its distance is at most the tolerance, and negative only if the shapes overlap at the
    /// start.
    pub contact: CapsuleContact,
}

impl Probe {
    /// The first contact of a capsule (or a sphere: `&sphere.into()`) that moves along `displacement`.
    ///
    /// `None` proves that there is no contact anywhere on the path, except at the start if [`CastOptions::departing`]
    /// is false: the path is not sampled, so no capsule tunnels through the mesh at any speed. The time is never later
    /// than the true one by more than rounding, and at that time the surfaces are within the tolerance. Triangles that
    /// come that near without touching may be reported. Of several triangles met at exactly the same computed time, the
    /// one with the lowest index is returned. A displacement of zero finds a contact at the start.
    ///
    /// ```
    /// use bvtree::probe::CastOptions;
    /// use bvtree::shape::Sphere;
    /// use bvtree::{BuildOptions, BvTree, Mesh, Probe};
    /// use nalgebra::{Point3, Vector3};
    ///
    /// let corners = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]].map(Point3::from).to_vec();
    /// let plate = BvTree::build(&Mesh::from_arrays(corners, vec![[0, 1, 2]])?, &BuildOptions::default())?;
    /// // A bullet of 1 mm at 1 km/s hits a plate of no thickness, half a millimeter before its center gets there.
    /// let bullet = Sphere { center: Point3::new(0.0, 0.0, 500.0), radius: 0.0005 };
    /// let displacement = Vector3::new(0.0, 0.0, -1000.0);
    /// let options = CastOptions::default();
    /// let hit = Probe::new().cast_capsule(&plate, &bullet.into(), &displacement, &options).ok_or("passed")?;
    /// assert!((hit.time * 1000.0 - 499.9995).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "sphere cast")]
    #[doc(alias = "capsule cast")]
    #[doc(alias = "shape cast")]
    #[doc(alias = "sweep")]
    #[doc(alias = "cast")]
    #[doc(alias = "swept volume")]
    #[doc(alias = "time of impact")]
    #[doc(alias = "continuous collision detection")]
    pub fn cast_capsule(
        &mut self,
        tree: &BvTree,
        capsule: &Capsule,
        displacement: &Vector3<f64>,
        options: &CastOptions,
    ) -> Option<CapsuleCastHit> {
        self.sweep_capsule(tree, capsule, displacement, 1.0, options, false)
    }

    /// The first contact like [`Probe::cast_capsule`] up to a time of `limit`; if the triangles are one-sided, those
    /// that the capsule meets from behind are ignored ([`is_from_behind`]).
    pub(crate) fn sweep_capsule(
        &mut self,
        tree: &BvTree,
        capsule: &Capsule,
        displacement: &Vector3<f64>,
        limit: f64,
        options: &CastOptions,
        is_one_sided: bool,
    ) -> Option<CapsuleCastHit> {
        self.stats = Default::default();
        let start = bounds(capsule);
        let Segment { start: low, end: high } = capsule.segment;
        let half_edges = [(high - low) * 0.5, Vector3::zeros(), Vector3::zeros()];
        let body = SweptBody { center: nalgebra::center(&low, &high), half_edges, radius: capsule.radius };
        let (path, near) = SweptPath::new(tree, &start, &body, displacement, options.tolerance)?;
        let position = path.position_after(limit);
        let moving = MovingCapsule { is_one_sided, ..MovingCapsule::new(capsule, displacement, [0.0, limit], options) };
        let layers = tree.layer_filter(self.mask).filter(|_| !is_one_sided).map(|filter| filter.layers);
        let mut sweep = CapsuleSweep { moving, path, position, layers };
        self.traverse_masked(tree, &near, position, &mut sweep, None);
        sweep.moving.first
    }
}

/// Finds the first triangle that is met, and shortens the path accordingly.
struct CapsuleSweep<'a> {
    moving: MovingCapsule<'a>,
    path: SweptPath,
    /// The position on the path after which hits don't matter.
    position: f32,
    /// The layers, which say of each triangle whether it is one-sided; `None` if all are the same.
    layers: Option<&'a LayerTable>,
}

impl TriangleVisitor for CapsuleSweep<'_> {
    fn visit(&mut self, triangle: &Triangle, face: u32) -> ControlFlow<(), f32> {
        if let Some(layers) = self.layers {
            self.moving.is_one_sided = layers.of(face).is_one_sided;
        }
        if self.moving.offer(triangle, face) {
            self.position = self.path.position_after(self.moving.limit);
        }
        ControlFlow::Continue(self.position)
    }
}

/// A capsule that moves along a displacement, and the first of the triangles offered that it meets.
pub(super) struct MovingCapsule<'a> {
    capsule: &'a Capsule,
    displacement: &'a Vector3<f64>,
    options: &'a CastOptions,
    is_one_sided: bool,
    /// A time before which there is no contact.
    from: f64,
    /// The time after which hits don't matter.
    limit: f64,
    pub(super) first: Option<CapsuleCastHit>,
}

impl<'a> MovingCapsule<'a> {
    /// A capsule that meets nothing before the first of two times, and whose hits after the second don't matter.
    pub(super) fn new(
        capsule: &'a Capsule,
        displacement: &'a Vector3<f64>,
        [from, limit]: [f64; 2],
        options: &'a CastOptions,
    ) -> Self {
        Self { capsule, displacement, options, is_one_sided: false, from, limit, first: None }
    }
}

/// Whether a capsule meets a one-sided triangle from behind or from the side, or is already passing through it, that
/// is, overlaps it by more than a tenth of the capsule's radius.
pub(crate) fn is_from_behind(contact: &CapsuleContact, radius: f64) -> bool {
    contact.normal.dot(&contact.face_normal) < SAME_SIDE || contact.distance < -0.1 * radius
}

/// The least cosine of the angle between a contact's normal and its triangle's at which the capsule is in front.
const SAME_SIDE: f64 = 1e-6;

impl MovingCapsule<'_> {
    /// The number of steps after which a slow approach counts as a hit. Gaps shrink at least fourfold in two steps.
    const MAX_STEPS: usize = 200;

    /// Tests a triangle; returns whether it is met before all others so far.
    pub(super) fn offer(&mut self, triangle: &Triangle, face: u32) -> bool {
        if self.first.is_some_and(|first| (0.0, face) >= (first.time, first.contact.face)) {
            return false;
        }
        let target = SegmentTarget::new(triangle);
        let segment = RelativeSegment::new(self.capsule, &target);
        let Some(from) = self.plane_reached(&target, &segment) else { return false };
        let Some((time, contact)) = self.contact(&target, &segment, from, face) else { return false };
        if self.is_one_sided && is_from_behind(&contact, self.capsule.radius) {
            return false;
        }
        let is_first = self.first.is_none_or(|first| (time, face) < (first.time, first.contact.face));
        if is_first {
            self.limit = time;
            self.first = Some(CapsuleCastHit { time, contact });
        }
        is_first
    }

    /// The time from which on the capsule may be within the tolerance of the triangle along its normal; `None` if it is
    /// not before `limit`.
    #[inline]
    fn plane_reached(&self, target: &SegmentTarget, segment: &RelativeSegment) -> Option<f64> {
        let normal = target.scaled_normal();
        let (start, axis) = (segment.start.dot(normal), segment.axis.dot(normal));
        let [low, high] = target.reach();
        let floor = self.rounding(segment);
        let reach = |distance: f64| (self.capsule.radius + distance) * normal.norm();
        let (above, below) = (start + axis.min(0.0) - high, low - (start + axis.max(0.0)));
        let is_above = above > below;
        let height = above.max(below);
        if height <= reach(self.options.tolerance.max(0.0)) + floor * normal.amax() {
            return Some(self.from);
        }
        let closing = self.displacement.dot(normal) * if is_above { -1.0 } else { 1.0 };
        // Half of the tolerance is left for rounding.
        let from = self.from.max((height - reach(0.5 * self.options.tolerance.max(floor))) / closing);
        (closing > 0.0 && from <= self.limit).then_some(from)
    }

    /// A bound on the rounding error of a distance during the motion.
    fn rounding(&self, segment: &RelativeSegment) -> f64 {
        CAST_ROUNDING * (segment.extent + self.displacement.amax())
    }

    fn contact(
        &self,
        target: &SegmentTarget,
        segment: &RelativeSegment,
        from: f64,
        face: u32,
    ) -> Option<(f64, CapsuleContact)> {
        let floor = self.rounding(segment);
        let tolerance = self.options.tolerance.max(floor);
        let radius = self.capsule.radius;
        let mut time = from;
        for step in 0.. {
            let start = segment.start + self.displacement * time;
            let pair = target.closest(&start, &segment.axis);
            let distance = pair.to_triangle.norm();
            let gap = distance - radius;
            if gap <= tolerance {
                let contact = if time == 0.0 {
                    self.contact_at_start(target, segment, face)?
                } else if distance <= floor {
                    // The points are too near to give the normal.
                    self.contact_on_face(target, &pair, face)
                } else {
                    CapsuleContact::new(target, &pair, radius, face)
                };
                return Some((time, contact));
            }
            let closing = pair.to_triangle.dot(self.displacement) / distance;
            if closing.is_nan() || closing <= 0.0 {
                return None;
            }
            let next = time + (gap - 0.5 * tolerance) / closing;
            if next > self.limit {
                return None;
            }
            if next <= time || step > Self::MAX_STEPS {
                return Some((time, CapsuleContact::new(target, &pair, radius, face)));
            }
            time = next;
        }
        None
    }

    /// The contact at the start; `None` if the motion departs from it or slides along it and [`CastOptions::departing`]
    /// is false.
    fn contact_at_start(&self, target: &SegmentTarget, segment: &RelativeSegment, face: u32) -> Option<CapsuleContact> {
        let contact = deepest(target, segment, self.capsule.radius, face);
        let leaves = contact.normal.dot(self.displacement) >= 0.0;
        (self.options.departing || !leaves).then_some(contact)
    }

    /// A contact whose normal is the triangle's or its opposite, whichever points against the motion.
    fn contact_on_face(&self, target: &SegmentTarget, pair: &SegmentPair, face: u32) -> CapsuleContact {
        let on_face = SegmentPair { to_triangle: Vector3::zeros(), ..*pair };
        let contact = CapsuleContact::new(target, &on_face, self.capsule.radius, face);
        let turned = contact.normal.dot(self.displacement) > 0.0;
        CapsuleContact { normal: if turned { -contact.normal } else { contact.normal }, ..contact }
    }
}
