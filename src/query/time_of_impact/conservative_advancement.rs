//! Conservative advancement of one pair of triangles (Mirtich 1996; C2A: Tang, Kim and Manocha 2009).
//!
//! The closest points give a plane between the two. There is no contact until a vertex of B can have reached that
//! plane, at its speed toward the plane and the acceleration that rotation may add.

use nalgebra::{Point3, Vector3};

use super::touching::{heights, highest, lowest};
use crate::numeric::error_bounds::{ROUNDED_STEP, VELOCITY_ROUNDING};
use crate::pose::Motion;
use crate::traversal::Interrupt;
use crate::triangle::{ClosestPoints, Triangle};

/// Finds when triangles of B meet triangles of A.
pub(super) struct Advance<'a> {
    motion: &'a Motion,
    linear: Vector3<f64>,
    angular: Vector3<f64>,
    angle: f64,
    drift: f64,
    /// A distance that counts as contact once a pair has stayed within it for more than `STEPS_WITHIN` steps.
    accuracy: f64,
    /// A distance that always counts as contact, because f64 cannot distinguish it from 0.
    floor: f64,
}

/// Two triangles in contact, within the accuracy.
pub(super) struct Approach {
    pub(super) time: f64,
    pub(super) closest: ClosestPoints,
    /// B's triangle at `time`.
    pub(super) b: Triangle,
}

impl<'a> Advance<'a> {
    /// The number of steps within the accuracy after which the pair counts as touching. A pair that moves apart is
    /// recognised in fewer.
    const STEPS_WITHIN: u32 = 32;

    pub(super) fn new(motion: &'a Motion, accuracy: f64, floor: f64) -> Self {
        let (linear, angular) = (motion.linear(), motion.angular());
        let (angle, drift) = (motion.angle(), motion.drift());
        Self { motion, linear, angular, angle, drift, accuracy: accuracy.max(floor), floor }
    }

    /// A time in `from..=until` at which the triangles are within the accuracy and before which they do not touch;
    /// `None` if they don't touch from `from` to `until`, or if interrupted: triangles that slide along each other,
    /// just above the distance that f64 distinguishes from 0, take millions of steps.
    pub(super) fn contact(
        &self,
        a: &Triangle,
        b: [&Point3<f32>; 3],
        [from, until]: [f64; 2],
        interrupt: &mut Interrupt,
    ) -> Option<Approach> {
        let mut time = from;
        let mut within = 0;
        loop {
            if interrupt.step().is_break() {
                return None;
            }
            let (pose, drift) = self.motion.at_with_drift(time);
            let posed = Triangle { vertices: b.map(|vertex| pose.transform(vertex)) };
            let closest = a.closest_points(&posed);
            let distance = closest.distance_sq.sqrt();
            within = if distance <= self.accuracy { within + 1 } else { 0 };
            let drifts = b.map(|vertex| drift * vertex.coords.cast::<f64>());
            let pair = Pair { a, b: &posed, on_a: closest.on_a, origin: pose.translation(), drifts };
            // The separation is proven up to the exact sum only.
            let next = (time + self.step(&pair, &closest)).next_down();
            if distance <= self.floor || within > Self::STEPS_WITHIN || next <= time {
                return Some(Approach { time, closest, b: posed });
            }
            if next > until {
                return None;
            }
            time = next;
        }
    }

    /// The time for which a plane between the triangles separates them.
    fn step(&self, pair: &Pair<'_>, closest: &ClosestPoints) -> f64 {
        let separation = closest.on_b - closest.on_a;
        let (gap, mut step) = self.step_along(pair, &separation);
        // The direction between very near points is not known, but the triangles' own axes are.
        if gap < 0.9 * separation.norm() {
            let normals = [pair.a, pair.b].map(Triangle::scaled_normal);
            let edges = [pair.a, pair.b].map(|triangle| triangle.edges().map(|[p, q]| q - p));
            let products = edges[0].iter().flat_map(|a| edges[1].iter().map(move |b| a.cross(b)));
            let in_plane = (0..2).flat_map(|i| edges[i].map(|edge| normals[i].cross(&edge)));
            for axis in normals.into_iter().chain(products).chain(in_plane) {
                step = step.max(self.step_along(pair, &axis).1);
            }
        }
        step * ROUNDED_STEP
    }

    /// The gap between the triangles along an axis, and the time for which it separates them; both 0 if there is no
    /// gap.
    fn step_along(&self, pair: &Pair<'_>, axis: &Vector3<f64>) -> (f64, f64) {
        let Some(normal) = axis.try_normalize(0.0) else { return (0.0, 0.0) };
        let [of_a, of_b] = [pair.a, pair.b].map(|triangle| heights(triangle, &pair.on_a, &normal));
        let sides = [(normal, lowest(of_b) - highest(of_a), 1.0), (-normal, lowest(of_a) - highest(of_b), -1.0)];
        let Some((normal, gap, side)) = sides.into_iter().find(|(_, gap, _)| *gap > 0.0) else { return (0.0, 0.0) };
        let top = highest(of_a.map(|height| side * height)) + 0.5 * self.floor;
        let turning = normal.cross(&self.angular).norm();
        let rounding = VELOCITY_ROUNDING * self.linear.norm();
        let times = pair.b.vertices.iter().zip(&pair.drifts).zip(of_b).map(|((vertex, drift), height)| {
            let height = side * height - top;
            let arm = vertex.coords - pair.origin;
            let stray = self.drift * arm.norm() * (1.0 + self.angle) * 2.0;
            let off_axis = if self.angle > 0.0 { self.angular.cross(&arm).norm() / self.angle } else { 0.0 };
            let closing = rounding - normal.dot(&(self.linear + self.angular.cross(&arm) + drift));
            let acceleration = turning * (self.angle * off_axis + 2.0 * stray);
            let fastest = rounding + stray - normal.dot(&self.linear) + turning * (off_axis + stray);
            time_to_fall(height, closing, acceleration).max(time_to_fall(height, fastest, 0.0))
        });
        (gap, times.fold(f64::INFINITY, f64::min))
    }
}

/// Two triangles at one time of the motion.
struct Pair<'a> {
    a: &'a Triangle,
    b: &'a Triangle,
    /// A point near both triangles.
    on_a: Point3<f64>,
    /// B's origin at the time of the pair, in A's frame.
    origin: &'a Vector3<f64>,
    /// The velocities of B's vertices apart from those of the rigid motion.
    drifts: [Vector3<f64>; 3],
}

/// The time in which a body falls from a height, with an initial downward speed and a downward acceleration; 0 if the
/// height is not positive, and infinite if the body doesn't fall.
fn time_to_fall(height: f64, speed: f64, acceleration: f64) -> f64 {
    if height <= 0.0 {
        return 0.0;
    }
    let root = (speed * speed + 2.0 * acceleration * height).sqrt();
    // The form of the solution in which the sum does not cancel.
    if speed > 0.0 {
        2.0 * height / (speed + root)
    } else if acceleration > 0.0 {
        (root - speed) / acceleration
    } else {
        f64::INFINITY
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::pose::Pose;

    /// Each step of a pair counts as a step of the query.
    #[test]
    fn steps_are_interrupted() {
        let at = |z: f64| Pose::from_translation(Vector3::new(0.0, 0.0, z)).unwrap();
        let motion = Motion::new(at(-1.0), at(1.0));
        let corners: [Point3<f32>; 3] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Point3::from);
        let a = Triangle { vertices: corners.map(|p| p.cast()) };
        let advance = Advance::new(&motion, 0.0, 1e-14);
        let mut interrupt = Interrupt::default();
        interrupt.set_check(Arc::new(|| true));
        assert!(advance.contact(&a, corners.each_ref(), [0.0, 1.0], &mut interrupt).is_some());
        while interrupt.step().is_continue() {}
        assert!(interrupt.take());
        // The next look is many steps away.
        let looks = (0..10_000).position(|_| {
            let found = advance.contact(&a, corners.each_ref(), [0.0, 1.0], &mut interrupt);
            assert_eq!(found.is_none(), interrupt.is_set());
            interrupt.is_set()
        });
        assert!(looks.is_some_and(|looks| looks > 0), "{looks:?}");
    }
}
