//! Capsule and sphere casts: when a moving capsule first meets a mesh.
//!
//! While a convex shape moves along a line, its distance from another is a convex function of time, so Newton's method from
//! the start never steps over the root: each step goes to where the plane across the gap is met, and there is no contact
//! before (conservative advancement without rotation, Mirtich 1996; the planes are those of van den Bergen, "Ray casting
//! against general convex objects", 2004). Once the gap stops shrinking, the triangle is missed.

use std::ops::ControlFlow;

use nalgebra::Vector3;

use super::Probe;
use super::capsule_contacts::{CapsuleContact, Placed, bounds, deepest};
use crate::shape::{Aabb, Capsule};
use crate::traversal::{NearPath, TriangleVisitor};
use crate::tree::BvTree;
use crate::triangle::{SegmentPair, SegmentTarget, Triangle};
use crate::volume::{LocalBox, LocalRay};

/// How [`Probe::cast`] counts hits.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct CastOptions {
    /// How far apart the surfaces may still be at the time that is reported, in the mesh's unit; what rounding leaves
    /// of it if that is more, so that 0 is as exact as can be. It is no clearance: a way that passes a triangle nearer
    /// than this may meet it or not. For a clearance, enlarge the radius.
    pub tolerance: f64,
    /// Whether triangles that are touched at the start and that the motion leaves, or glides along, count. As both
    /// are convex, such a triangle is not met again.
    pub departing: bool,
}

impl Default for CastOptions {
    /// A tolerance of 0; departing counts.
    fn default() -> Self {
        Self { tolerance: 0.0, departing: true }
    }
}

/// Where a moving sphere or capsule first meets a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CastHit {
    /// In units of the displacement, 0 to 1: no triangle is touched earlier. Zero if one is at the start.
    pub time: f64,
    /// The contact at that time. Its distance is the tolerance at most, and negative only if the shapes overlap at
    /// the start.
    pub contact: CapsuleContact,
}

impl Probe {
    /// When a capsule (or a sphere: `&sphere.into()`) that moves along `displacement` first meets a triangle.
    ///
    /// [`CastHit::time`], 0 to 1, is the part of `displacement` that was travelled then; 0 if a triangle is touched at
    /// the start. A result of `None` proves that there is no contact anywhere on the way: it is no sampling, and at any
    /// speed nothing of any thickness is passed. A time is never later than the true one by more than rounding, and the
    /// surfaces are then within the tolerance. Triangles that come that near without touching may count. Of several
    /// triangles that are met at the same time, to the last bit, the one with the lowest index is returned. A
    /// displacement of zero asks for a contact at the start.
    ///
    /// ```
    /// use bvtree::probe::CastOptions;
    /// use bvtree::shape::Sphere;
    /// use bvtree::{BuildOptions, BvTree, Mesh, Probe};
    /// use nalgebra::{Point3, Vector3};
    ///
    /// let corners = [[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]].map(Point3::from).to_vec();
    /// let plate = BvTree::build(&Mesh::from_arrays(corners, vec![[0, 1, 2]])?, &BuildOptions::default())?;
    /// // A millimeter wide, a kilometer in a second, and still met: a half millimeter before its middle gets there.
    /// let bullet = Sphere { center: Point3::new(0.0, 0.0, 500.0), radius: 0.0005 };
    /// let displacement = Vector3::new(0.0, 0.0, -1000.0);
    /// let hit = Probe::new().cast(&plate, &bullet.into(), &displacement, &CastOptions::default()).ok_or("passed")?;
    /// assert!((hit.time * 1000.0 - 499.9995).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "sphere cast")]
    #[doc(alias = "capsule cast")]
    #[doc(alias = "shape cast")]
    #[doc(alias = "sweep")]
    #[doc(alias = "time of impact")]
    #[doc(alias = "continuous collision detection")]
    pub fn cast(
        &mut self,
        tree: &BvTree,
        capsule: &Capsule,
        displacement: &Vector3<f64>,
        options: &CastOptions,
    ) -> Option<CastHit> {
        self.stats = Default::default();
        let start = bounds(capsule);
        let moved = Aabb { lower: start.lower + displacement, upper: start.upper + displacement };
        let swept = start.union(&moved);
        let slack = options.tolerance.max(0.0)
            + CapsuleSweep::ROUNDING * (swept.lower.coords.amax() + swept.upper.coords.amax());
        let slack = Vector3::repeat(slack);
        let common = Aabb { lower: swept.lower - slack, upper: swept.upper + slack }.intersection(tree.bounds())?;
        let frame = &tree.meta().frame;
        let ray = if *displacement == Vector3::zeros() {
            None
        } else {
            let axis = capsule.segment.end - capsule.segment.start;
            let radius = capsule.radius + 0.5 * axis.norm() + slack.x;
            let middle = nalgebra::center(&capsule.segment.start, &capsule.segment.end);
            Some(LocalRay::of_ball(frame, &middle, displacement, radius)?)
        };
        let positions =
            ray.as_ref().map_or([0.0, f32::INFINITY], |ray| [ray.position_before(0.0), ray.position_after(1.0)]);
        let local = LocalBox::new(frame, &common.into());
        let sweep = CapsuleSweep { capsule, displacement, options, limit: 1.0, first: None };
        let mut search = FirstHitVisitor { ray, limit: positions[1], sweep };
        self.traverse(tree, NearPath { bounds: local, ray, positions }, &mut search);
        search.sweep.first
    }
}

/// Looks for the first triangle, and shortens the path to where it is met.
struct FirstHitVisitor<'a> {
    ray: Option<LocalRay>,
    /// The position on the ray up to which contacts matter.
    limit: f32,
    sweep: CapsuleSweep<'a>,
}

impl TriangleVisitor for FirstHitVisitor<'_> {
    fn visit(&mut self, triangle: &Triangle, face: u32) -> ControlFlow<(), f32> {
        if self.sweep.offer(triangle, face)
            && let Some(ray) = &self.ray
        {
            self.limit = ray.position_after(self.sweep.limit);
        }
        ControlFlow::Continue(self.limit)
    }
}

struct CapsuleSweep<'a> {
    capsule: &'a Capsule,
    displacement: &'a Vector3<f64>,
    options: &'a CastOptions,
    /// Later hits don't matter.
    limit: f64,
    first: Option<CastHit>,
}

impl CapsuleSweep<'_> {
    /// Times the largest coordinate, this bounds the rounding of a distance.
    const ROUNDING: f64 = 64.0 * f64::EPSILON;
    /// Steps after which what still closes in slowly counts as met. Gaps shrink at least fourfold in two steps.
    const MAX_STEPS: usize = 200;

    /// Takes the triangle if it is met first; true if it is.
    fn offer(&mut self, triangle: &Triangle, face: u32) -> bool {
        let target = SegmentTarget::new(triangle);
        let placed = Placed::new(self.capsule, &target);
        if self.stays_on_one_side(&target, &placed) {
            return false;
        }
        let Some((time, contact)) = self.contact(&target, &placed, face) else { return false };
        let is_first = self.first.is_none_or(|first| (time, face) < (first.time, first.contact.face));
        if is_first {
            self.limit = time;
            self.first = Some(CastHit { time, contact });
        }
        is_first
    }

    /// Whether the triangle's plane keeps the capsule off.
    #[inline]
    fn stays_on_one_side(&self, target: &SegmentTarget, placed: &Placed) -> bool {
        let normal = target.scaled_normal();
        let start = placed.start.dot(normal);
        let (axis, moved) = (placed.axis.dot(normal), self.displacement.dot(normal) * self.limit);
        let radius = (self.capsule.radius + self.options.tolerance.max(0.0)) * normal.norm();
        let rounding = Self::ROUNDING * (placed.extent + self.displacement.amax()) * normal.amax();
        let lowest = start + axis.min(0.0) + moved.min(0.0);
        let highest = start + axis.max(0.0) + moved.max(0.0);
        lowest > radius + rounding || highest < -(radius + rounding)
    }

    fn contact(&self, target: &SegmentTarget, placed: &Placed, face: u32) -> Option<(f64, CapsuleContact)> {
        let floor = Self::ROUNDING * (placed.extent + self.displacement.amax());
        let tolerance = self.options.tolerance.max(floor);
        let radius = self.capsule.radius;
        let mut time = 0.0;
        for step in 0.. {
            let start = placed.start + self.displacement * time;
            let pair = target.closest(&start, &placed.axis);
            let distance = pair.to_triangle.norm();
            let gap = distance - radius;
            if gap <= tolerance {
                let contact = match step {
                    0 => self.contact_at_start(target, placed, face)?,
                    // So near, the points don't tell the normal.
                    _ if distance <= floor => self.contact_on_face(target, &pair, face),
                    _ => CapsuleContact::new(target, &pair, radius, face),
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

    /// None if the motion leaves the triangle, where that does not count.
    fn contact_at_start(&self, target: &SegmentTarget, placed: &Placed, face: u32) -> Option<CapsuleContact> {
        let contact = deepest(target, placed, self.capsule.radius, face);
        let leaves = contact.normal.dot(self.displacement) >= 0.0;
        (self.options.departing || !leaves).then_some(contact)
    }

    /// With the normal of the triangle that the motion goes against.
    fn contact_on_face(&self, target: &SegmentTarget, pair: &SegmentPair, face: u32) -> CapsuleContact {
        let on_face = SegmentPair { to_triangle: Vector3::zeros(), ..*pair };
        let contact = CapsuleContact::new(target, &on_face, self.capsule.radius, face);
        let turned = contact.normal.dot(self.displacement) > 0.0;
        CapsuleContact { normal: if turned { -contact.normal } else { contact.normal }, ..contact }
    }
}
