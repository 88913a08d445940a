//! Two segments in the plane, and two closed outlines made of segments.

use nalgebra::Point2;

use crate::shape::{ClosestPoint, Distance, Segment};

impl Distance<Segment<2>, 2> for Segment<2> {
    /// Where the segments cross, or else the nearest of each end to the other segment.
    fn closest_points(&self, other: &Segment<2>) -> (Point2<f64>, Point2<f64>) {
        if let Some(common) = crossing(self, other) {
            return (common, common);
        }
        let from_own = [self.start, self.end].map(|end| (end, other.closest_point(&end)));
        let from_others = [other.start, other.end].map(|end| (self.closest_point(&end), end));
        nearest(from_own.into_iter().chain(from_others)).unwrap_or((self.start, other.start))
    }
}

/// The nearest points of two convex outlines and what they enclose. Outlines of no edges have none: NaN.
pub(super) fn closest_points_of_loops(
    first: &[Point2<f64>],
    second: &[Point2<f64>],
    first_contains: impl Fn(&Point2<f64>) -> bool,
    second_contains: impl Fn(&Point2<f64>) -> bool,
) -> (Point2<f64>, Point2<f64>) {
    let enclosed = first.first().filter(|corner| second_contains(corner));
    if let Some(common) = enclosed.or_else(|| second.first().filter(|corner| first_contains(corner))) {
        return (*common, *common);
    }
    let pairs = edges(first).flat_map(|own| edges(second).map(move |other| own.closest_points(&other)));
    nearest(pairs).unwrap_or((Point2::new(f64::NAN, f64::NAN), Point2::new(f64::NAN, f64::NAN)))
}

/// The edges of a closed outline.
pub(super) fn edges(corners: &[Point2<f64>]) -> impl Iterator<Item = Segment<2>> {
    let ends = corners.iter().cycle().skip(1);
    corners.iter().zip(ends).map(|(&start, &end)| Segment { start, end })
}

fn nearest(pairs: impl Iterator<Item = (Point2<f64>, Point2<f64>)>) -> Option<(Point2<f64>, Point2<f64>)> {
    let distance_sq = |(p, q): &(Point2<f64>, Point2<f64>)| (q - p).norm_squared();
    pairs.min_by(|a, b| distance_sq(a).total_cmp(&distance_sq(b)))
}

/// The point in which two segments cross, each from one strict side of the other to the other.
fn crossing(first: &Segment<2>, second: &Segment<2>) -> Option<Point2<f64>> {
    let (along, across) = (first.end - first.start, second.end - second.start);
    let side_of_second = |point: &Point2<f64>| across.perp(&(point - second.start));
    let side_of_first = |point: &Point2<f64>| along.perp(&(point - first.start));
    let (start, end) = (side_of_second(&first.start), side_of_second(&first.end));
    let crosses = start * end < 0.0 && side_of_first(&second.start) * side_of_first(&second.end) < 0.0;
    crosses.then(|| first.point_at(start / (start - end)))
}
