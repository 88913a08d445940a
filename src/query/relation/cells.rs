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
    let mut cells = plane.trapezoids(&cuts);
    cells.retain(|cell| {
        let middle = cell.point(0);
        middle.is_in(triangle) && !faces.iter().any(|face| middle.is_in(face))
    });
    if cells.is_empty() { Cells::None } else { Cells::Cut(cells) }
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
    fn trapezoids(&self, cuts: &[Edge]) -> Vec<Cell> {
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
                let part = |n: usize| &between[0] + (&between[1] - &between[0]) / rational(n as f64);
                let Some(u) = (2..upright.len() + 3).map(part).find(|u| upright.binary_search(u).is_err()) else {
                    continue;
                };
                let low = planar.at(&u);
                let above = lying.iter().filter(|(other, _)| other.spans(&u)).map(|(other, _)| other.at(&u));
                if let Some(high) = above.filter(|high| *high > low).min() {
                    cells.push(Cell([self.lifted([u.clone(), low]), self.lifted([u, high])]));
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
    from: [BigRational; 2],
    to: [BigRational; 2],
}

impl PlanarSegment {
    /// A segment that is not vertical.
    fn new(axis: usize, segment: &Edge) -> Self {
        let u = (axis + 1) % 3;
        let [p, q] = segment;
        let [from, to] = if p[u] < q[u] { [p, q] } else { [q, p] };
        Self { range: [from[u], to[u]], from: planar(axis, from), to: planar(axis, to) }
    }

    fn spans(&self, u: &BigRational) -> bool {
        // A filter: few cases need rational numbers.
        let rounded = u.to_f64().unwrap_or(f64::NAN);
        let slack = RATIONAL_ROUNDING * rounded.abs();
        let is_beside = rounded + slack < self.range[0] || rounded - slack > self.range[1];
        !is_beside && self.from[0] <= *u && *u <= self.to[0]
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
