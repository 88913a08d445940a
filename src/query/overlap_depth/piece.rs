//! Convex parts of triangles, and the planes that cut them.

use nalgebra::{Point3, Vector3};
use smallvec::SmallVec;

use crate::triangle::Triangle;

/// A convex polygon in space; a segment or a point where the triangle is degenerate.
pub(super) type Polygon = SmallVec<[Point3<f64>; 6]>;

/// A plane: the points whose height is 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plane {
    normal: Vector3<f64>,
    offset: f64,
}

impl Plane {
    /// The plane through a point, normal to a vector; `None` if the vector has no direction.
    pub(super) fn new(point: &Point3<f64>, normal: &Vector3<f64>) -> Option<Self> {
        let normal = normal.try_normalize(f64::MIN_POSITIVE)?;
        Some(Self { normal, offset: normal.dot(&point.coords) })
    }

    /// The plane of a triangle.
    pub(super) fn of(triangle: &Triangle) -> Option<Self> {
        Self::new(&triangle.vertices[0], &triangle.scaled_normal())
    }

    /// The planes through the edges of a triangle, normal to its own plane. The triangle is below each.
    pub(super) fn around(triangle: &Triangle) -> impl Iterator<Item = Self> {
        let normal = triangle.scaled_normal();
        triangle.edges().into_iter().filter_map(move |[from, to]| Self::new(&from, &(to - from).cross(&normal)))
    }

    /// The plane of the points at equal heights over two planes, for points above both; `None` if the planes' normals
    /// are equal up to rounding.
    pub(super) fn between(&self, other: &Self) -> Option<Self> {
        let (normal, offset) = (self.normal - other.normal, self.offset - other.offset);
        let length = normal.norm();
        (length > 1e-9).then(|| Self { normal: normal / length, offset: offset / length })
    }

    pub(super) fn flipped(&self) -> Self {
        Self { normal: -self.normal, offset: -self.offset }
    }

    /// The plane, flipped if necessary so that the point is above it.
    pub(super) fn below(&self, point: &Point3<f64>) -> Self {
        if self.height(point) < 0.0 { self.flipped() } else { *self }
    }

    /// The signed distance of a point from the plane.
    #[inline]
    pub(super) fn height(&self, point: &Point3<f64>) -> f64 {
        self.normal.dot(&point.coords) - self.offset
    }

    /// Whether a polygon has points above and below the plane, farther than `margin` from it.
    pub(super) fn cuts(&self, polygon: &[Point3<f64>], margin: f64) -> bool {
        let mut sides = [false; 2];
        for point in polygon {
            let height = self.height(point);
            sides[0] |= height > margin;
            sides[1] |= height < -margin;
        }
        sides == [true; 2]
    }

    /// The parts of a polygon above and below the plane, which share the points on the cut.
    pub(super) fn cut(&self, polygon: &[Point3<f64>]) -> [Polygon; 2] {
        let mut parts = [Polygon::new(), Polygon::new()];
        for (from, to) in polygon.iter().zip(polygon.iter().cycle().skip(1)) {
            let [start, end] = [from, to].map(|point| self.height(point));
            if start >= 0.0 {
                parts[0].push(*from);
            }
            if start <= 0.0 {
                parts[1].push(*from);
            }
            if start < 0.0 && end > 0.0 || start > 0.0 && end < 0.0 {
                let crossing = from + (to - from) * (start / (start - end));
                parts.iter_mut().for_each(|part| part.push(crossing));
            }
        }
        parts
    }
}

/// The mean of a polygon's vertices, and the greatest distance of a vertex from it.
pub(super) fn center_and_radius(polygon: &[Point3<f64>]) -> (Point3<f64>, f64) {
    let sum: Vector3<f64> = polygon.iter().map(|point| point.coords).sum();
    let center = Point3::from(sum / polygon.len() as f64);
    (center, polygon.iter().fold(0.0, |radius: f64, point| radius.max((point - center).norm())))
}

/// The plane that halves a polygon across its longest extent; `None` if the polygon is a point.
pub(super) fn halving(polygon: &[Point3<f64>]) -> Option<Plane> {
    let mut longest = (0.0, Vector3::zeros(), Point3::origin());
    for (i, p) in polygon.iter().enumerate() {
        for q in &polygon[i + 1..] {
            let length = (q - p).norm_squared();
            if length > longest.0 {
                longest = (length, q - p, nalgebra::center(p, q));
            }
        }
    }
    Plane::new(&longest.2, &longest.1)
}

/// Of several planes that are tried, the one with the triangle below it and the polygon above it, both up to `margin`,
/// and with the polygon's centre highest. `None` if there is no such plane.
pub(super) fn separating(
    triangle: &Triangle,
    polygon: &[Point3<f64>],
    center: &Point3<f64>,
    margin: f64,
) -> Option<Plane> {
    let is_above = |plane: &Plane| polygon.iter().all(|point| plane.height(point) >= -margin);
    let is_below = |plane: &Plane| triangle.vertices.iter().all(|vertex| plane.height(vertex) <= margin);
    let own = Plane::of(triangle).into_iter().flat_map(|plane| [plane, plane.flipped()]);
    let of_triangle = own.chain(Plane::around(triangle));
    // The planes through the polygon's edges that have the polygon above them.
    let edges = polygon.iter().zip(polygon.iter().cycle().skip(1));
    let inward = edges.filter_map(|(from, to)| {
        let (along, inward) = (to - from, center - from);
        Plane::new(from, &(inward * along.norm_squared() - along * along.dot(&inward)))
    });
    // Test each plane on both: the normals of slivers are mostly rounding.
    let planes = of_triangle.chain(inward).filter(is_above).filter(is_below);
    planes.max_by(|p, q| p.height(center).total_cmp(&q.height(center)))
}
