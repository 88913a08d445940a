//! Line segments in 3D and 2D, and their closest points on boxes.

use nalgebra::{Point, Point3};

use super::{Aabb, ClosestPoint, Distance, Obb, Overlaps, TimeOfContact, reversed};

/// A closed line segment. A segment whose ends coincide is a point.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Segment<const D: usize = 3> {
    /// One end.
    pub start: Point<f64, D>,
    /// The other end.
    pub end: Point<f64, D>,
}

impl<const D: usize> Segment<D> {
    /// The point `start + t (end - start)`; the nearer end for `t` outside (0, 1).
    pub fn point_at(&self, t: f64) -> Point<f64, D> {
        if t <= 0.0 {
            self.start
        } else if t >= 1.0 {
            self.end
        } else {
            self.start + (self.end - self.start) * t
        }
    }
}

impl<const D: usize> ClosestPoint<D> for Segment<D> {
    /// Projects on the line and clamps (Ericson, Real-Time Collision Detection, 2005, section 5.1.2).
    fn closest_point(&self, point: &Point<f64, D>) -> Point<f64, D> {
        let direction = self.end - self.start;
        let length_sq = direction.norm_squared();
        if length_sq > 0.0 { self.point_at((point - self.start).dot(&direction) / length_sq) } else { self.start }
    }
}

impl Overlaps<Aabb> for Segment {
    /// Clips the segment by the three slabs (Kay and Kajiya, 1986). Never misses touching if differences of coordinates
    /// are representable.
    fn overlaps(&self, aabb: &Aabb) -> bool {
        time_of_entry(self, aabb).is_some()
    }
}

impl Distance<Aabb> for Segment {
    /// The point where the segment enters the box, or else where its squared distance to the box, a convex function of
    /// at most seven parabolic pieces, is least.
    fn closest_points(&self, aabb: &Aabb) -> (Point3<f64>, Point3<f64>) {
        if let Some(time) = time_of_entry(self, aabb) {
            let common = aabb.closest_point(&self.point_at(time));
            return (common, common);
        }
        let on_segment = self.point_at(nearest_time(self, aabb));
        (on_segment, aabb.closest_point(&on_segment))
    }
}

impl Overlaps<Obb> for Segment {
    /// The segment against the axis-aligned box in the box's frame.
    fn overlaps(&self, obb: &Obb) -> bool {
        in_frame_of(obb, self).overlaps(&obb.in_box_frame())
    }
}

impl Distance<Obb> for Segment {
    fn closest_points(&self, obb: &Obb) -> (Point3<f64>, Point3<f64>) {
        let (on_segment, on_box) = in_frame_of(obb, self).closest_points(&obb.in_box_frame());
        (obb.to_world(&on_segment), obb.to_world(&on_box))
    }
}

reversed!(Aabb, 3: Segment);
reversed!(Obb, 3: Segment);

fn in_frame_of(obb: &Obb, segment: &Segment) -> Segment {
    Segment { start: obb.to_local(&segment.start), end: obb.to_local(&segment.end) }
}

/// The parameter in [0, 1] at which the segment enters the box, if it does.
fn time_of_entry(segment: &Segment, aabb: &Aabb) -> Option<f64> {
    let point = Aabb { lower: segment.start, upper: segment.start };
    aabb.time_of_contact(&point, &(segment.end - segment.start))
}

/// The parameter in [0, 1] at which the segment is nearest to a box that it does not meet.
fn nearest_time(segment: &Segment, aabb: &Aabb) -> f64 {
    let direction = segment.end - segment.start;
    // Half the derivative of the squared distance: increasing and piecewise linear.
    let slope = |t: f64| {
        let point = segment.point_at(t);
        (point - aabb.closest_point(&point)).dot(&direction)
    };
    let (mut before, mut after) = (0.0, 1.0);
    for k in 0..3 {
        for face in [aabb.lower[k], aabb.upper[k]] {
            let crossing = (face - segment.start[k]) / direction[k];
            if before < crossing && crossing < after {
                if slope(crossing) < 0.0 { before = crossing } else { after = crossing }
            }
        }
    }
    let (slope_before, slope_after) = (slope(before), slope(after));
    if slope_before >= 0.0 {
        before
    } else if slope_after <= 0.0 {
        after
    } else {
        before + (after - before) * (slope_before / (slope_before - slope_after))
    }
}
