//! The time of impact of a moving mesh with one at rest: continuous collision detection.
//!
//! The motion is divided into time windows of at most an eighth of a radian of rotation; windows in which the bounding
//! spheres of the meshes do not meet are skipped. For each of the others, both trees are traversed once: a volume's
//! centre moves nearly straight within a window, so the straight part is swept exactly, and a bound on the rest
//! (deviation and rotation) is added to the volume. Pairs of triangles are decided by conservative advancement.

mod conservative_advancement;
mod first_contact;
mod motion_bounds;
mod touching;

use nalgebra::{Point3, Vector3};

use crate::pose::Motion;
use crate::query::{ClosestPair, Query, QueryError};
use crate::traversal::{FacePair, PosedTrees, SweepEnd, SweepTest, TraversalPolicy};
use crate::tree::BvTree;
use crate::triangle::ClosestPoints;
use conservative_advancement::Advance;
use first_contact::FirstContact;
use motion_bounds::Windows;
use touching::Touching;

/// The result of [`Query::time_of_impact`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias = "TOI")]
pub enum TimeOfImpact {
    /// The meshes touch at no time of this motion, however near they come. Proven for this motion only.
    NoImpact,
    /// The meshes touch at the start, up to rounding. The contact is of a pair that touches inside a face or crosses,
    /// if there is one; which one, if there are several, depends on how the trees were built. Otherwise it is of the
    /// first pair, in the order of [`FacePair`], that touches at edges and vertices only. This is also the result if
    /// one mesh starts inside the other and the outer one is solid ([`Query::set_solids`]); the normal then points from
    /// B's surface to A's surface at their closest points.
    Touching(MotionContact),
    /// The meshes meet later. Of several pairs that touch at the same time, up to rounding, the contact is of the first
    /// in the order of [`FacePair`] among those that touch inside a face or, if there are none, among all. This choice
    /// does not depend on how the trees were built.
    Impact(MotionContact),
}

/// The first contact of two meshes during a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MotionContact {
    /// The time of contact, 0 to 1; no two triangles touch earlier.
    pub time: f64,
    /// The distance between the two triangles at the time of contact, in A's units; 0 if one mesh starts inside the
    /// other, solid one.
    pub distance: f64,
    /// The closest point of A's triangle, in A's frame. If one mesh starts inside the other, solid one, `on_a` and
    /// `on_b` are both the inner mesh's point nearest to the outer surface.
    pub on_a: Point3<f64>,
    /// The closest point of B's triangle at the time of contact, in A's frame.
    pub on_b: Point3<f64>,
    /// The unit contact normal, from A to B, in A's frame: the normal of the face inside which the triangles touch
    /// (A's, if both faces qualify). Where edges or vertices meet, it is the direction in which the triangles are
    /// farthest apart or overlap least. Where both signs are possible, it points to the side on which B's centre is.
    /// Zero if all edges of both triangles are parallel and the closest points coincide.
    pub normal: Vector3<f64>,
    /// The two triangles.
    pub faces: FacePair,
}

impl Query {
    /// The time at which B, moving along `motion`, first touches A: continuous collision detection.
    ///
    /// [`TimeOfImpact::NoImpact`] is proven, up to rounding in f64, and not sampled. The proof holds for this
    /// [`Motion`], in which B's origin moves straight from one pose to the other while B rotates about it at a constant
    /// rate. It does not hold for other motions between the same poses: for example, the joints of a robot carry its
    /// links along arcs.
    ///
    /// The time of an impact is never later than the true one. `accuracy` is the greatest distance, in A's units, at
    /// which two triangles count as touching; 0 is as exact as rounding allows. **It is not a clearance**: with an
    /// accuracy of 20 mm, a motion that passes A at 5 mm may be reported as an impact or not. If the meshes touch at
    /// the start, the result is [`TimeOfImpact::Touching`], at time 0. If the motion is many times longer than B is
    /// large, one unit in the last place of the time may be a greater displacement than the accuracy.
    ///
    /// # Errors
    /// [`QueryError::MotionTooLong`] if the motion is more than 1e12 times as long as the meshes are large.
    #[doc(alias = "continuous collision detection")]
    #[doc(alias = "continuous collide")]
    #[doc(alias = "cast shapes")]
    #[doc(alias = "swept volume")]
    #[doc(alias = "CCD")]
    pub fn time_of_impact(
        &mut self,
        a: &BvTree,
        b: &BvTree,
        motion: &Motion,
        accuracy: f64,
    ) -> Result<TimeOfImpact, QueryError> {
        self.uncertainty = 0.0;
        let at_start = PosedTrees::masked([a, b], motion.start(), self.masks);
        let (touching, mut work) = self.touching_at_start([a, b], &at_start);
        self.stats = work;
        if let Some(touching) = touching {
            return Ok(TimeOfImpact::Touching(MotionContact::new(&at_start, 0.0, &touching, &touching.closest)));
        }
        if let Some(inner) = self.inner_if_apart([a, b], motion.start(), None) {
            let closest = self.closest_of_nested([a, b], motion.start());
            self.stats += work;
            return Ok(closest.map_or(TimeOfImpact::NoImpact, |closest| {
                TimeOfImpact::Touching(MotionContact::inside(closest, inner))
            }));
        }
        if at_start.is_empty() {
            return Ok(TimeOfImpact::NoImpact);
        }
        let windows = Windows::new([a, b], motion, accuracy)?;
        let advance = Advance::new(motion, accuracy, windows.floor);
        let mut first = FirstContact::new(&at_start, advance, &windows, self.traversal.interrupt.clone());
        let (mut time, mut found) = (0.0, None);
        while let Some([start, end]) = windows.next(time) {
            // Contacts just before the end may be at the same time as some just after it.
            let window = [start, (end + windows.same_time()).min(1.0)];
            let (pose, bounds) = windows.motion_bounds(window);
            first.enter(window);
            let trees = PosedTrees::masked([a, b], &pose, self.masks);
            let test = SweepTest { bounds, end: SweepEnd::First };
            work.volume_tests += self.traversal.run(&trees, &test, 1.0, &mut first, TraversalPolicy::ONE_BY_ONE);
            found = first.found().filter(|(time, _)| *time <= end);
            self.traversal.interrupt.join(&first.interrupt);
            let interrupt = &mut self.traversal.interrupt;
            if found.is_some() || interrupt.is_set() || interrupt.step().is_break() {
                break;
            }
            time = end;
        }
        work.triangle_tests += first.triangle_tests;
        self.stats = work;
        Ok(match found {
            Some((time, touching)) => {
                let pose = motion.at(time);
                let trees = PosedTrees::new([a, b], &pose);
                let [of_a, of_b] = trees.pair(touching.leaves[0], touching.leaves[1]);
                let closest = of_a.closest_points(&of_b);
                TimeOfImpact::Impact(MotionContact::new(&trees, time, &touching, &closest))
            }
            None => TimeOfImpact::NoImpact,
        })
    }
}

impl MotionContact {
    /// The contact at a time, from the trees posed at that time and the closest points.
    fn new(trees: &PosedTrees<'_>, time: f64, touching: &Touching, closest: &ClosestPoints) -> Self {
        let (faces, distance) = (touching.faces, closest.distance_sq.sqrt());
        let ClosestPoints { on_a, on_b, .. } = *closest;
        let direction = touching.direction();
        let normal =
            if direction.is_sided { direction.normal } else { toward_b(trees, &on_a, direction.normal, touching.near) };
        Self { time, distance, on_a, on_b, normal, faces }
    }

    /// The contact if a mesh (`inner`: 0 for A, 1 for B) starts inside the other, solid mesh, from the closest points
    /// of their surfaces.
    fn inside(surfaces: ClosestPair, inner: usize) -> Self {
        let normal = (surfaces.on_a - surfaces.on_b).try_normalize(0.0).unwrap_or_default();
        let ClosestPair { distance, on_a, on_b, faces } = surfaces.inside(inner);
        Self { time: 0.0, distance, on_a, on_b, normal, faces }
    }
}

/// The normal or its opposite, toward the side on which B's centre lies or, if B's centre is in the plane, away from
/// A's centre.
fn toward_b(trees: &PosedTrees<'_>, on_a: &Point3<f64>, normal: Vector3<f64>, near: f64) -> Vector3<f64> {
    let [a, b] = trees.frames.map(|frame| frame.origin);
    let pose = trees.b_to_a;
    let height = |center: Vector3<f64>| (center - on_a.coords).dot(&normal);
    let of_b = height(pose.rotation() * b.coords + pose.translation());
    let side = if of_b.abs() > near { of_b } else { -height(a.coords) };
    if side < -near { -normal } else { normal }
}
