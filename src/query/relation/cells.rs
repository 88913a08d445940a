//! The cells into which another mesh's edges and faces divide a triangle, each given by exact points.
//!
//! If no interiors of triangles cross, the part of another mesh that touches a triangle lies in the triangle's plane,
//! apart from isolated points: its edges cut the triangle, and its faces cover parts of it. The ends of these edges are
//! vertices, so exact predicates decide how they lie; other points are rational. The cells are the trapezoids of an
//! arrangement of segments (de Berg et al., "Computational Geometry", 2008, section 6.1).

use std::collections::BTreeMap;

use nalgebra::Point3;
use num_rational::BigRational;
use num_traits::ToPrimitive;

use crate::numeric::error_bounds::RATIONAL_ROUNDING;
use crate::triangle::{Edge, EdgeKey, RationalPoint, Triangle, edge_key, orient2d, orient3d, rational};

/// A part of a triangle that the other mesh meets in isolated points at most, given by two points; all points between
/// them are in the cell.
pub(super) struct Cell([RationalPoint; 2]);

impl Cell {
    /// The `n`th of a sequence of different points of the cell.
    pub(super) fn point(&self, n: u32) -> RationalPoint {
        let [from, to] = &self.0;
        from.toward(to, &BigRational::new(1.into(), (n + 2).into()))
    }
}

/// The part of a triangle that is not on the other mesh.
pub(super) enum Cells {
    /// The part is empty: the mesh covers the triangle, or the triangle has no area.
    None,
    /// The part is the whole triangle, as one cell.
    Whole(Triangle),
    /// The part consists of these cells; some may be repeated.
    Cut(Vec<Cell>),
}

/// The cells of a triangle that are not on the other mesh. `others` are the other mesh's triangles that touch this one.
/// Precondition: their interiors do not cross it.
pub(super) fn cells(triangle: &Triangle, others: &[Triangle]) -> Cells {
    let Some(plane) = TrianglePlane::new(triangle) else { return Cells::None };
    let faces: Vec<&Triangle> = others.iter().filter(|other| plane.holds(other)).collect();
    if faces.iter().any(|face| plane.is_covered_by(face)) {
        return Cells::None;
    }
    let cuts = plane.cuts(others);
    if cuts.is_empty() && faces.is_empty() {
        return Cells::Whole(*triangle);
    }
    let is_uncovered = |trapezoid: &Trapezoid| match trapezoid.inner_point(plane.axis) {
        Some(point) => plane.contains(&point) && !faces.iter().any(|face| plane.covers(face, &point)),
        None => {
            let middle = plane.cell(trapezoid).point(0);
            middle.is_in(triangle) && !faces.iter().any(|face| middle.is_in(face))
        }
    };
    let cells: Vec<Cell> =
        plane.trapezoids(&cuts).iter().filter(|cell| is_uncovered(cell)).map(|cell| plane.cell(cell)).collect();
    if cells.is_empty() { Cells::None } else { Cells::Cut(cells) }
}

/// A vertical line in a projected cell.
struct Trapezoid {
    u: BigRational,
    /// Where the line meets the segments below and above the cell.
    ends: [BigRational; 2],
}

impl Trapezoid {
    /// A point of the cell, projected along the axis, if one with coordinates in f64 is found. Such points spare most
    /// tests the rational numbers.
    fn inner_point(&self, axis: usize) -> Option<Point3<f64>> {
        let u = self.u.to_f64().filter(|u| rational(*u) == self.u)?;
        let v = float_between(&self.ends[0], &self.ends[1])?;
        let mut coordinates = [u, v, 0.0];
        coordinates.rotate_right((axis + 1) % 3);
        Some(Point3::from(coordinates))
    }
}

/// A number between two others, which the exact ones differ from.
fn float_between(low: &BigRational, high: &BigRational) -> Option<f64> {
    let middle = 0.5 * (low.to_f64()? + high.to_f64()?);
    let exact = rational(middle);
    (*low < exact && exact < *high).then_some(middle)
}

/// The cell that is a whole triangle. Precondition: the triangle has an area.
pub(super) fn whole_cell(triangle: &Triangle) -> Cell {
    let [a, b, c] = triangle.vertices.each_ref().map(RationalPoint::exactly);
    Cell([a, b.toward(&c, &BigRational::new(1.into(), 2.into()))])
}

/// The side of a triangle's plane on which a point is; 0 on the plane, and for a triangle without area.
pub(super) fn side_of_plane(triangle: &Triangle, point: &Point3<f64>) -> f64 {
    let [a, b, c] = &triangle.vertices;
    // A vertex is the slowest case of the predicate.
    if triangle.vertices.contains(point) { 0.0 } else { orient3d(a, b, c, point) }
}

/// A triangle with an area, projected along a coordinate axis that is not parallel to its plane.
pub(super) struct TrianglePlane<'a> {
    triangle: &'a Triangle,
    axis: usize,
    /// Positive if the projected vertices are in counterclockwise order.
    turn: f64,
}

impl<'a> TrianglePlane<'a> {
    pub(super) fn new(triangle: &'a Triangle) -> Option<Self> {
        let steepest = triangle.scaled_normal().iamax();
        [steepest, 0, 1, 2].into_iter().find_map(|axis| Self::along(axis, triangle))
    }

    fn along(axis: usize, triangle: &'a Triangle) -> Option<Self> {
        let [a, b, c] = &triangle.vertices;
        let turn = orient2d(axis, a, b, c);
        (turn != 0.0).then_some(Self { triangle, axis, turn })
    }

    fn side(&self, point: &Point3<f64>) -> f64 {
        side_of_plane(self.triangle, point)
    }

    fn left_of(&self, [from, to]: &Edge, point: &Point3<f64>) -> f64 {
        orient2d(self.axis, from, to, point) * self.turn.signum()
    }

    /// Whether the other triangle lies in the plane and has an area.
    fn holds(&self, other: &Triangle) -> bool {
        other.vertices.iter().all(|vertex| self.side(vertex) == 0.0) && TrianglePlane::new(other).is_some()
    }

    /// Whether a triangle of the plane covers this one.
    fn is_covered_by(&self, other: &Triangle) -> bool {
        let Some(other) = TrianglePlane::along(self.axis, other) else { return false };
        let edges = other.triangle.edges();
        self.triangle.vertices.iter().all(|vertex| edges.iter().all(|edge| other.left_of(edge, vertex) >= 0.0))
    }

    /// Whether the projected point is in the closed triangle.
    fn contains(&self, point: &Point3<f64>) -> bool {
        self.triangle.edges().iter().all(|edge| self.left_of(edge, point) >= 0.0)
    }

    /// Whether the projected point is in a triangle of this one's plane that has an area.
    fn covers(&self, face: &Triangle, point: &Point3<f64>) -> bool {
        TrianglePlane::along(self.axis, face).is_some_and(|face| face.contains(point))
    }

    /// The edges in the plane that pass through the triangle's interior, except those with faces on both sides.
    fn cuts(&self, others: &[Triangle]) -> Vec<Edge> {
        // Each edge, and the sides of it on which faces in the plane lie.
        let mut edges: BTreeMap<EdgeKey, (Edge, [bool; 2])> = BTreeMap::new();
        for other in others {
            let in_plane = other.vertices.map(|vertex| self.side(&vertex) == 0.0);
            for (i, edge) in other.edges().into_iter().enumerate() {
                if !in_plane[i] || !in_plane[(i + 1) % 3] {
                    continue;
                }
                let (edge, sides) = edges.entry(edge_key(&edge)).or_insert((edge, [false; 2]));
                if in_plane == [true; 3] {
                    let side = self.left_of(edge, &other.vertices[(i + 2) % 3]);
                    *sides = [sides[0] || side > 0.0, sides[1] || side < 0.0];
                }
            }
        }
        let is_cut = |(edge, sides): &(Edge, [bool; 2])| *sides != [true; 2] && self.is_entered_by(edge);
        edges.into_values().filter(is_cut).map(|(edge, _)| edge).collect()
    }

    /// Whether a segment of the plane passes through the triangle's interior: no line along it or along an edge
    /// separates the two.
    pub(super) fn is_entered_by(&self, segment: &Edge) -> bool {
        let sides = self.triangle.vertices.map(|vertex| self.left_of(segment, &vertex));
        sides.iter().any(|&side| side > 0.0)
            && sides.iter().any(|&side| side < 0.0)
            && self.triangle.edges().iter().all(|edge| segment.iter().any(|end| self.left_of(edge, end) > 0.0))
    }

    /// The trapezoids between segments and the vertical lines through their crossings: each cell is a vertical line
    /// from a part of a segment to the next segment above. Every cell of the triangle is included.
    fn trapezoids(&self, cuts: &[Edge]) -> Vec<Trapezoid> {
        let segments: Vec<Edge> = self.triangle.edges().into_iter().chain(cuts.iter().copied()).collect();
        let axis_u = (self.axis + 1) % 3;
        let (upright, lying): (Vec<&Edge>, _) = segments.iter().partition(|[p, q]| p[axis_u] == q[axis_u]);
        // No vertical line may coincide with these.
        let upright = sorted(upright.iter().map(|[p, _]| rational(p[axis_u])).collect());
        let lying: Vec<(PlanarSegment, &Edge)> =
            lying.into_iter().map(|segment| (PlanarSegment::new(self.axis, segment), segment)).collect();
        let mut cells = Vec::new();
        for (planar, segment) in &lying {
            let mut crossings: Vec<BigRational> =
                segments.iter().flat_map(|other| self.crossings(segment, planar, other)).collect();
            crossings.retain(|u| planar.spans(u));
            let crossings = sorted(crossings);
            for between in crossings.windows(2) {
                let Some(u) = between_without(&between[0], &between[1], &upright) else { continue };
                if let Some(ends) = planar.up_to_next(&u, lying.iter().map(|(other, _)| other)) {
                    cells.push(Trapezoid { u, ends });
                }
            }
        }
        cells
    }

    /// The points at which another segment crosses a segment's line or ends on it, by their first coordinate.
    fn crossings(&self, segment: &Edge, planar_segment: &PlanarSegment, other: &Edge) -> Vec<BigRational> {
        let [p, q] = [0, 1].map(|end| orient2d(self.axis, &segment[0], &segment[1], &other[end]));
        if p > 0.0 && q < 0.0 || p < 0.0 && q > 0.0 {
            let [from, to] = other.each_ref().map(|end| planar(self.axis, end));
            let [p, q] = [&from, &to].map(|end| planar_segment.above(end));
            return vec![&from[0] + (&to[0] - &from[0]) * (&p / (&p - &q))];
        }
        let ends = other.iter().zip([p, q]).filter(|(_, side)| *side == 0.0);
        ends.map(|(end, _)| rational(end[(self.axis + 1) % 3])).collect()
    }

    fn cell(&self, Trapezoid { u, ends: [low, high] }: &Trapezoid) -> Cell {
        Cell([low, high].map(|v| self.lifted([u.clone(), v.clone()])))
    }

    /// The point of the plane with the given projection.
    fn lifted(&self, [u, v]: [BigRational; 2]) -> RationalPoint {
        let (x, y, z) = ((self.axis + 1) % 3, (self.axis + 2) % 3, self.axis);
        let [a, b, c] = self.triangle.vertices.each_ref().map(RationalPoint::exactly);
        let [a, b, c] = [&a, &b, &c].map(RationalPoint::coordinates);
        let normal = |i: usize, j: usize| (&b[i] - &a[i]) * (&c[j] - &a[j]) - (&b[j] - &a[j]) * (&c[i] - &a[i]);
        let rise = normal(y, z) * (&u - &a[x]) + normal(z, x) * (&v - &a[y]);
        let w = &a[z] - rise / normal(x, y);
        let mut coordinates = [u, v, w];
        coordinates.rotate_right((self.axis + 1) % 3);
        RationalPoint::new(coordinates)
    }
}

/// A segment in two dimensions, from left to right.
struct PlanarSegment {
    /// The range of the first coordinate.
    range: [f64; 2],
    /// The second coordinates of the left and the right end.
    heights: [f64; 2],
    from: [BigRational; 2],
    to: [BigRational; 2],
}

impl PlanarSegment {
    /// A segment that is not vertical.
    fn new(axis: usize, segment: &Edge) -> Self {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let [p, q] = segment;
        let [from, to] = if p[u] < q[u] { [p, q] } else { [q, p] };
        let [range, heights] = [[from[u], to[u]], [from[v], to[v]]];
        Self { range, heights, from: planar(axis, from), to: planar(axis, to) }
    }

    fn spans(&self, u: &BigRational) -> bool {
        // A filter: few cases need rational numbers.
        let rounded = u.to_f64().unwrap_or(f64::NAN);
        let slack = RATIONAL_ROUNDING * rounded.abs();
        let is_beside = rounded + slack < self.range[0] || rounded - slack > self.range[1];
        !is_beside && self.from[0] <= *u && *u <= self.to[0]
    }

    /// The height at `u`, and that of the next segment above.
    fn up_to_next<'a>(&self, u: &BigRational, others: impl Iterator<Item = &'a Self>) -> Option<[BigRational; 2]> {
        // A filter: of most segments it is clear that they are below, or above a nearer one.
        let low = self.rounded_at(u);
        let above: Vec<(&Self, [f64; 2])> = others
            .filter(|other| other.spans(u))
            .map(|other| (other, other.rounded_at(u)))
            .filter(|(_, heights)| heights[1] >= low[0])
            .collect();
        let nearest = above.iter().filter(|(_, heights)| heights[0] > low[1]).map(|(_, heights)| heights[1]);
        let nearest = nearest.fold(f64::INFINITY, f64::min);
        let low = self.at(u);
        let heights = above.iter().filter(|(_, heights)| heights[0] <= nearest).map(|(other, _)| other.at(u));
        let high = heights.filter(|high| *high > low).min()?;
        Some([low, high])
    }

    /// Bounds of the height at a first coordinate in the segment's range.
    fn rounded_at(&self, u: &BigRational) -> [f64; 2] {
        let u = u.to_f64().unwrap_or(f64::NAN);
        let [[from_u, to_u], [from_v, to_v]] = [self.range, self.heights];
        let part = (u - from_u) / (to_u - from_u);
        let height = from_v + (to_v - from_v) * part;
        // The part is off by roundings of `u`, and each of the other steps by one.
        let part_error = RATIONAL_ROUNDING * (1.0 + (u.abs() + from_u.abs() + to_u.abs()) / (to_u - from_u));
        let scale = from_v.abs() + to_v.abs();
        let error = 2.0 * scale * part_error + RATIONAL_ROUNDING * scale;
        [height - error, height + error]
    }

    fn at(&self, u: &BigRational) -> BigRational {
        let part = (u - &self.from[0]) / (&self.to[0] - &self.from[0]);
        &self.from[1] + (&self.to[1] - &self.from[1]) * part
    }

    /// Twice the signed area of a point with the segment.
    fn above(&self, point: &[BigRational; 2]) -> BigRational {
        (&self.to[0] - &self.from[0]) * (&point[1] - &self.from[1])
            - (&self.to[1] - &self.from[1]) * (&point[0] - &self.from[0])
    }
}

/// A number between two others that is not one of `without`, which are sorted: in f64 if there is one.
fn between_without(low: &BigRational, high: &BigRational, without: &[BigRational]) -> Option<BigRational> {
    let part = |n: usize| low + (high - low) / rational(n as f64);
    let float = float_between(low, high).map(rational);
    float.into_iter().chain((2..without.len() + 3).map(part)).find(|u| without.binary_search(u).is_err())
}

/// The projection of a point along a coordinate axis.
fn planar(axis: usize, point: &Point3<f64>) -> [BigRational; 2] {
    [point[(axis + 1) % 3], point[(axis + 2) % 3]].map(rational)
}

/// Sorts numbers and removes duplicates.
fn sorted(mut numbers: Vec<BigRational>) -> Vec<BigRational> {
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}
