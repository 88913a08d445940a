//! The cells into which another mesh's edges and faces divide a triangle, each given by exact points.
//!
//! If no interiors of triangles cross, the part of another mesh that touches a triangle lies in the triangle's plane,
//! apart from isolated points: its edges cut the triangle, and its faces cover parts of it. The ends of these edges are
//! vertices, so exact predicates decide how they lie; other points have rational coordinates, or f64 coordinates where
//! these can be found. The cells are the trapezoids of an arrangement of segments (de Berg et al., "Computational
//! Geometry", 2008, section 6.1).

use std::collections::BTreeMap;

use nalgebra::Point3;
use num_rational::BigRational;

use super::planar::{Number, PlanarSegment, between, sorted};
use crate::numeric::error_bounds::{BOUNDS_ROUNDING, TRIPLE_PRODUCT_ROUNDING};
use crate::triangle::{Edge, EdgeKey, RationalPoint, Triangle, edge_key, orient2d, orient3d};

/// A part of a triangle that the other mesh meets in isolated points at most, given by two of its points: all points
/// between them are in the cell.
pub(super) enum Cell<'a> {
    /// The whole triangle, and two of its points.
    Whole([RationalPoint; 2]),
    Cut(TrianglePlane<'a>, Trapezoid),
}

impl Cell<'_> {
    /// The `n`th of a sequence of different points of the cell.
    pub(super) fn point(&self, n: u32) -> RationalPoint {
        let part = BigRational::new(1.into(), (n + 2).into());
        match self {
            Self::Whole([from, to]) => from.toward(to, &part),
            Self::Cut(plane, Trapezoid { u, ends }) => {
                let [from, to] = ends.each_ref().map(|v| plane.lifted([u.exact(), v.exact()]));
                from.toward(&to, &part)
            }
        }
    }

    /// A point of the cell up to rounding, for which `BOUNDS_ROUNDING` has ample room.
    pub(super) fn rounded_point(&self) -> Point3<f64> {
        let rounded = match self {
            Self::Whole(_) => None,
            Self::Cut(plane, _) => self.float_point().and_then(|point| plane.rounded_lifted(point)),
        };
        rounded.unwrap_or_else(|| *self.point(0).rounded())
    }

    /// A point of the projected cell with coordinates in f64, if one is found.
    fn float_point(&self) -> Option<Point3<f64>> {
        let Self::Cut(plane, Trapezoid { u, ends: [low, high] }) = self else { return None };
        let v = between(low, high, &[])?;
        Some(plane.unprojected([u.float()?, v.float()?]))
    }
}

/// The part of a triangle that is not on the other mesh.
pub(super) enum Cells<'a> {
    /// The part is empty: the other mesh covers the triangle, or the triangle has no area.
    None,
    /// The part is the whole triangle, as one cell.
    Whole(Triangle),
    /// The part consists of these cells; some may be repeated.
    Cut(Vec<Cell<'a>>),
}

/// The cells of a triangle that are not on the other mesh. `others` are the other mesh's triangles that touch this one.
/// Precondition: their interiors do not cross it.
pub(super) fn cells<'a>(triangle: &'a Triangle, others: &[Triangle]) -> Cells<'a> {
    let Some(plane) = TrianglePlane::new(triangle) else { return Cells::None };
    let faces: Vec<&Triangle> = others.iter().filter(|other| plane.holds(other)).collect();
    if faces.iter().any(|face| plane.is_covered_by(face)) {
        return Cells::None;
    }
    let cuts = plane.cuts(others);
    if cuts.is_empty() && faces.is_empty() {
        return Cells::Whole(*triangle);
    }
    let is_uncovered = |cell: &Cell<'_>| match cell.float_point() {
        Some(point) => plane.contains(&point) && !faces.iter().any(|face| plane.covers(face, &point)),
        None => {
            let middle = cell.point(0);
            middle.is_in(triangle) && !faces.iter().any(|face| middle.is_in(face))
        }
    };
    let cells = plane.trapezoids(&cuts).into_iter().map(|trapezoid| Cell::Cut(plane, trapezoid));
    let cells: Vec<Cell<'_>> = cells.filter(is_uncovered).collect();
    if cells.is_empty() { Cells::None } else { Cells::Cut(cells) }
}

/// The cell that is a whole triangle. Precondition: the triangle has an area.
pub(super) fn whole_cell(triangle: &Triangle) -> Cell<'static> {
    let [a, b, c] = triangle.vertices.each_ref().map(RationalPoint::exactly);
    Cell::Whole([a, b.toward(&c, &BigRational::new(1.into(), 2.into()))])
}

/// A projected cell, given by a vertical segment in it, between the segment below the cell and the one above.
pub(super) struct Trapezoid {
    u: Number<'static>,
    ends: [Number<'static>; 2],
}

/// The side of a triangle's plane on which a point is; 0 on the plane, and for a triangle without area.
pub(super) fn side_of_plane(triangle: &Triangle, point: &Point3<f64>) -> f64 {
    let [a, b, c] = &triangle.vertices;
    // A vertex is the slowest case of the predicate.
    if triangle.vertices.contains(point) { 0.0 } else { orient3d(a, b, c, point) }
}

/// A triangle with an area, projected along a coordinate axis that is not parallel to its plane.
#[derive(Clone, Copy)]
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

    /// Whether another triangle in the plane covers this one.
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

    /// The edges of the other triangles that lie in this triangle's plane and pass through its interior, except those
    /// with a coplanar face on each side.
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

    /// The trapezoids between segments and the vertical lines through their crossings. Each is given by a vertical
    /// segment, between a part of a segment and the next one above. Every cell of the triangle is included.
    fn trapezoids(&self, cuts: &[Edge]) -> Vec<Trapezoid> {
        let edges = self.triangle.edges();
        let segments = edges.iter().chain(cuts).map(|edge| PlanarSegment::new(self.axis, edge));
        let (upright, lying): (Vec<PlanarSegment<'_>>, Vec<_>) = segments.partition(PlanarSegment::is_upright);
        // No vertical line may coincide with these.
        let without: Vec<f64> = upright.iter().map(PlanarSegment::left).collect();
        let mut cells = Vec::new();
        for segment in &lying {
            let others = upright.iter().chain(&lying);
            let crossings = sorted(others.flat_map(|other| segment.crossings(other)).filter(|u| segment.spans(u)));
            for neighbors in crossings.windows(2) {
                let Some(u) = between(&neighbors[0], &neighbors[1], &without) else { continue };
                if let Some(ends) = segment.up_to_next(&u, &lying) {
                    cells.push(Trapezoid { u, ends });
                }
            }
        }
        cells
    }

    /// A point with the given projection.
    fn unprojected(&self, [u, v]: [f64; 2]) -> Point3<f64> {
        let mut coordinates = [u, v, 0.0];
        coordinates.rotate_right((self.axis + 1) % 3);
        Point3::from(coordinates)
    }

    /// The point of the plane with the given projection.
    fn lifted(&self, [u, v]: [&BigRational; 2]) -> RationalPoint {
        let (x, y, z) = ((self.axis + 1) % 3, (self.axis + 2) % 3, self.axis);
        let [a, b, c] = self.triangle.vertices.each_ref().map(RationalPoint::exactly);
        let [a, b, c] = [&a, &b, &c].map(RationalPoint::coordinates);
        let normal = |i: usize, j: usize| (&b[i] - &a[i]) * (&c[j] - &a[j]) - (&b[j] - &a[j]) * (&c[i] - &a[i]);
        let rise = normal(y, z) * (u - &a[x]) + normal(z, x) * (v - &a[y]);
        let w = &a[z] - rise / normal(x, y);
        let mut coordinates = [u.clone(), v.clone(), w];
        coordinates.rotate_right((self.axis + 1) % 3);
        RationalPoint::new(coordinates)
    }

    /// [`lifted`](Self::lifted) in f64; `None` if rounding could move the point by more than a quarter of what
    /// `BOUNDS_ROUNDING` allows.
    fn rounded_lifted(&self, mut point: Point3<f64>) -> Option<Point3<f64>> {
        let (x, y, z) = ((self.axis + 1) % 3, (self.axis + 2) % 3, self.axis);
        let [a, b, c] = &self.triangle.vertices;
        let [to_b, to_c, to_point] = [b - a, c - a, point - a];
        let normal = to_b.cross(&to_c);
        // The sum of the magnitudes of products bounds the rounding of the sum of the products.
        let size = |i: usize, j: usize| (to_b[i] * to_c[j]).abs() + (to_b[j] * to_c[i]).abs();
        let rise = normal[x] * to_point[x] + normal[y] * to_point[y];
        let rise_size = size(y, z) * to_point[x].abs() + size(z, x) * to_point[y].abs();
        let steepness = normal[z].abs() - TRIPLE_PRODUCT_ROUNDING * size(x, y);
        point[z] = a[z] - rise / normal[z];
        let rise_error = TRIPLE_PRODUCT_ROUNDING * (rise_size + (rise / normal[z]).abs() * size(x, y)) / steepness;
        let error = rise_error + TRIPLE_PRODUCT_ROUNDING * (a[z].abs() + point[z].abs());
        (steepness > 0.0 && error < 0.25 * BOUNDS_ROUNDING * point.coords.amax()).then_some(point)
    }
}
