//! Convex polygons, and closest points of segments and outlines in the plane.

use std::f64::consts::PI;

use nalgebra::{Point2, Vector2};
use thiserror::Error;

use crate::shape::{ClosestPoint, Distance, Obb, Overlaps, Projection, Segment, Separation};

/// A convex polygon, closed, over the caller's vertices in either winding.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ConvexPolygon<'a> {
    vertices: &'a [Point2<f64>],
    /// 1 if the vertices are counterclockwise, -1 if clockwise.
    winding: f64,
}

/// The reason why points are not a convex polygon.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PolygonError {
    /// There are fewer than three vertices.
    #[error("a polygon needs at least 3 vertices, not {0}")]
    TooFewVertices(usize),
    /// A coordinate is NaN or infinite.
    #[error("vertex {0} is not finite")]
    NotFinite(usize),
    /// The outline bends inward or back at a vertex, or starts a second round there.
    #[error("the polygon is not convex at vertex {0}")]
    NotConvex(usize),
    /// All vertices lie on one line.
    #[error("the polygon has no area")]
    NoArea,
}

impl<'a> ConvexPolygon<'a> {
    /// How far a corner may bend inward, and the smallest area, relative to the sizes involved. This allows for
    /// rounded input; overlap tests use [`Obb::TOLERANCE`].
    pub const TOLERANCE: f64 = 1e-12;

    /// The polygon with these vertices in order. Neighbours may coincide and any number may lie on one edge.
    ///
    /// # Errors
    /// If there are fewer than three vertices, one is not finite, or the outline is not convex, winds more than once
    /// or encloses no area, within [`ConvexPolygon::TOLERANCE`].
    pub fn new(vertices: &'a [Point2<f64>]) -> Result<Self, PolygonError> {
        let &[first, _, _, ..] = vertices else { return Err(PolygonError::TooFewVertices(vertices.len())) };
        if let Some(vertex) = vertices.iter().position(|vertex| !vertex.coords.iter().all(|x| x.is_finite())) {
            return Err(PolygonError::NotFinite(vertex));
        }
        let doubled_area: f64 = edges(vertices).map(|edge| (edge.start - first).perp(&(edge.end - first))).sum();
        let extent = extent(vertices);
        if doubled_area.abs() <= Self::TOLERANCE * extent * extent {
            return Err(PolygonError::NoArea);
        }
        let winding = doubled_area.signum();

        // The outline turns one way, and by one full turn in all; a pentagram makes two.
        let directions = || edges(vertices).map(|edge| edge.end - edge.start);
        let mut previous = directions().filter(|direction| *direction != Vector2::zeros()).last();
        let mut turned = 0.0;
        for (vertex, direction) in directions().enumerate() {
            let Some(before) = previous.filter(|_| direction != Vector2::zeros()) else { continue };
            let (sine, cosine) = (winding * before.perp(&direction), before.dot(&direction));
            turned += sine.atan2(cosine);
            let straight = Self::TOLERANCE * before.norm() * direction.norm();
            if sine < -straight || (sine <= straight && cosine < 0.0) || turned > 3.0 * PI {
                return Err(PolygonError::NotConvex(vertex));
            }
            previous = Some(direction);
        }
        Ok(Self { vertices, winding })
    }

    /// The vertices, as given.
    pub fn vertices(&self) -> &'a [Point2<f64>] {
        self.vertices
    }

    /// Whether `point` lies in the polygon or on its outline, up to rounding.
    pub fn contains(&self, point: &Point2<f64>) -> bool {
        edges(self.vertices).all(|edge| self.winding * (edge.end - edge.start).perp(&(point - edge.start)) >= 0.0)
    }

    /// The separating axis with the widest gap, or else the axis of least overlap and the penetration depth.
    ///
    /// The polygons are apart if and only if [`Overlaps::overlaps`] is false.
    pub fn separating_axis(&self, other: &ConvexPolygon<'_>) -> Separation<2> {
        Separation::of(self.projections(other))
    }

    /// The projections of both polygons on the normals of all their edges.
    fn projections(&self, other: &ConvexPolygon<'a>) -> impl Iterator<Item = Projection<2>> {
        let (own, others) = (self.vertices, other.vertices);
        let margin = Obb::TOLERANCE * (extent(own) + extent(others));
        edges(own)
            .chain(edges(others))
            .filter_map(|edge| (edge.end - edge.start).try_normalize(0.0).map(|along| (edge.start, along)))
            .map(move |(origin, along)| {
                let axis = Vector2::new(along.y, -along.x);
                let (first, second) = (range(own, &origin, &axis), range(others, &origin, &axis));
                let distance = 0.5 * ((second.0 + second.1) - (first.0 + first.1));
                let radius = 0.5 * ((first.1 - first.0) + (second.1 - second.0));
                Projection { axis, distance, radius, margin }
            })
    }
}

impl Overlaps<ConvexPolygon<'_>> for ConvexPolygon<'_> {
    /// Tests the normals of all edges (Ericson, Real-Time Collision Detection, 2005, section 5.2.1) with a margin of
    /// [`Obb::TOLERANCE`] relative to the polygons' extents.
    fn overlaps(&self, other: &ConvexPolygon<'_>) -> bool {
        !self.projections(other).any(|projection| projection.separates())
    }
}

impl ClosestPoint<2> for ConvexPolygon<'_> {
    /// The closest point of the nearest edge; `point` itself if the polygon contains it.
    fn closest_point(&self, point: &Point2<f64>) -> Point2<f64> {
        if self.contains(point) {
            return *point;
        }
        edges(self.vertices)
            .map(|edge| edge.closest_point(point))
            .min_by(|a, b| (a - point).norm_squared().total_cmp(&(b - point).norm_squared()))
            .unwrap_or(*point)
    }
}

impl Distance<ConvexPolygon<'_>, 2> for ConvexPolygon<'_> {
    /// Compares each edge of one polygon with each of the other.
    fn closest_points(&self, other: &ConvexPolygon<'_>) -> (Point2<f64>, Point2<f64>) {
        let (own, others) = (self.vertices, other.vertices);
        closest_points_of_loops(own, others, |vertex| self.contains(vertex), |vertex| other.contains(vertex))
    }
}

/// The least and the greatest coordinate of the points along an axis through `origin`.
fn range(points: &[Point2<f64>], origin: &Point2<f64>, axis: &Vector2<f64>) -> (f64, f64) {
    points
        .iter()
        .map(|point| (point - origin).dot(axis))
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(least, greatest), x| (least.min(x), greatest.max(x)))
}

/// The sum of the points' ranges along the coordinate axes.
fn extent(points: &[Point2<f64>]) -> f64 {
    [Vector2::x(), Vector2::y()].iter().map(|axis| range(points, &Point2::origin(), axis)).map(|(a, b)| b - a).sum()
}

impl Distance<Segment<2>, 2> for Segment<2> {
    /// The point where the segments cross, or else the closest of each end to the other segment.
    fn closest_points(&self, other: &Segment<2>) -> (Point2<f64>, Point2<f64>) {
        if let Some(common) = crossing(self, other) {
            return (common, common);
        }
        let from_own = [self.start, self.end].map(|end| (end, other.closest_point(&end)));
        let from_others = [other.start, other.end].map(|end| (self.closest_point(&end), end));
        nearest(from_own.into_iter().chain(from_others)).unwrap_or((self.start, other.start))
    }
}

/// The closest points of two convex regions given by their outlines; NaN for outlines without edges.
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

/// The point at which two segments cross, if each goes strictly from one side of the other segment to its other side.
fn crossing(first: &Segment<2>, second: &Segment<2>) -> Option<Point2<f64>> {
    let (along, across) = (first.end - first.start, second.end - second.start);
    let side_of_second = |point: &Point2<f64>| across.perp(&(point - second.start));
    let side_of_first = |point: &Point2<f64>| along.perp(&(point - first.start));
    let (start, end) = (side_of_second(&first.start), side_of_second(&first.end));
    // A product of the two could underflow.
    let are_opposite = |a: f64, b: f64| a.min(b) < 0.0 && a.max(b) > 0.0;
    let crosses = are_opposite(start, end) && are_opposite(side_of_first(&second.start), side_of_first(&second.end));
    crosses.then(|| first.point_at(start / (start - end)))
}
