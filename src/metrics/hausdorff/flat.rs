//! Bounds, from a single plane, on the distances of cells over a flat part of a mesh that consists of several
//! triangles; and cells that fill a flat volume.

use nalgebra::{Point3, Vector2, Vector3};
use smallvec::SmallVec;

use super::cell::Cell;
use crate::numeric::any_perpendicular;
use crate::triangle::Triangle;

pub(super) type Polygon = SmallVec<[Vector2<f64>; 8]>;
/// A triangle's projection, counterclockwise, and the greatest height of its corners over the plane.
type Outline = ([Vector2<f64>; 3], f64);

/// An upper bound on the distances of a cell's points from the closest of several triangles near one plane. The cell is
/// the convex hull of `corners`. `None` if the bound is at least `most`, or no triangle has an area.
///
/// The distance of a point from a triangle below it is the point's height over the plane, up to the triangle's own
/// heights over the plane. Where the triangles leave a part of the cell's projection onto the plane uncovered, as at
/// the mesh's boundary, which volumes exceed by rounding, the part's distance in the plane from the closest triangle is
/// added.
pub(super) fn height_over(corners: &[Point3<f64>], triangles: &[&Triangle], most: f64) -> Option<f64> {
    let (over, plane) = closest_plane(corners, triangles).filter(|(over, _)| *over < most)?;
    let (origin, normal) = plane;
    let along = any_perpendicular(&normal);
    let across = normal.cross(&along);
    let flat = |point: &Point3<f64>| {
        let offset = point - origin;
        Vector2::new(offset.dot(&along), offset.dot(&across))
    };
    let mut open: Vec<Polygon> = vec![convex_hull(corners.iter().map(flat).collect())];
    let mut outlines: Vec<Outline> = Vec::new();
    // The greatest distance from the plane's point below a point of the cell to a triangle.
    let mut excess = 0.0_f64;
    for triangle in triangles {
        let off = greatest_height(&triangle.vertices, &plane);
        if over + off >= most {
            continue;
        }
        let mut outline = triangle.vertices.each_ref().map(flat);
        if turn(&outline[0], &outline[1], &outline[2]) < 0.0 {
            outline.swap(1, 2);
        }
        let mut left = Vec::new();
        for polygon in open {
            if let Some(covered) = subtract(polygon, &outline, &mut left) {
                excess = excess.max(off + greatest_distance(&covered, &outline));
            }
        }
        open = left;
        outlines.push((outline, off));
    }
    for polygon in &open {
        let distances = outlines.iter().map(|(outline, off)| off + greatest_distance(polygon, outline));
        excess = excess.max(distances.fold(f64::INFINITY, f64::min));
        if over + excess >= most {
            return None;
        }
    }
    // Rounding of the heights is far less than the rounding that the search allows for.
    Some(over + excess).filter(|bound| *bound < most)
}

/// Triangles that fill a flat convex volume, given by its corners, and half the volume's thickness: no point of the
/// volume is farther than that from the triangles, and no point of the triangles from the volume. `None` if the volume
/// is not flat, or is a single point.
///
/// Halving the tetrahedra of a flat volume does not separate its upper side from its lower one, so cells would overlap,
/// twice as many with each halving of their size.
pub(super) fn flat_cells(corners: &[Point3<f64>]) -> Option<(Vec<Cell>, f64)> {
    let farthest = |from: &Point3<f64>| {
        corners.iter().copied().max_by(|p, q| (p - from).norm_squared().total_cmp(&(q - from).norm_squared()))
    };
    let first = corners.first()?;
    let along = (farthest(first)? - first).try_normalize(0.0)?;
    let off = |point: &Point3<f64>| (point - first) - along * (point - first).dot(&along);
    let widest = corners.iter().map(off).max_by(|p, q| p.norm_squared().total_cmp(&q.norm_squared()))?;
    let length = (farthest(first)? - first).norm();
    let any_across = || any_perpendicular(&along);
    let across = widest.try_normalize(FLAT * length).unwrap_or_else(any_across);
    let normal = along.cross(&across);
    let heights = || corners.iter().map(|corner| (corner - first).dot(&normal));
    let (lower, upper) = (heights().fold(0.0, f64::min), heights().fold(0.0, f64::max));
    if upper - lower > FLAT * length {
        return None;
    }
    let middle = first + normal * (0.5 * (lower + upper));
    let in_plane = |corner: &Point3<f64>| Vector2::new((corner - first).dot(&along), (corner - first).dot(&across));
    let outline = convex_hull(corners.iter().map(in_plane).collect());
    let in_space = |point: &Vector2<f64>| middle + along * point.x + across * point.y;
    let triangle = |ends: &[Vector2<f64>]| [&outline[0], &ends[0], &ends[1]].into_iter().map(in_space).collect();
    let cells: Vec<Cell> = match outline.len() {
        0..3 => vec![Cell::Simplex(outline.iter().map(in_space).collect())],
        _ => outline[1..].windows(2).map(|ends| Cell::Simplex(triangle(ends))).collect(),
    };
    Some((cells, 0.5 * (upper - lower)))
}

/// The thickness of a volume, relative to its length, up to which it counts as flat.
const FLAT: f64 = 1e-6;

/// A plane, given by one of its points and its unit normal.
type Plane = (Point3<f64>, Vector3<f64>);

/// The triangles' plane that is closest to the corners, with its greatest distance from a corner. `None` if no triangle
/// has an area.
pub(super) fn closest_plane(corners: &[Point3<f64>], triangles: &[&Triangle]) -> Option<(f64, Plane)> {
    let planes = triangles.iter().filter_map(|triangle| {
        let plane = (triangle.vertices[0], triangle.scaled_normal().try_normalize(0.0)?);
        Some((greatest_height(corners, &plane), plane))
    });
    planes.min_by(|p, q| p.0.total_cmp(&q.0))
}

fn greatest_height(points: &[Point3<f64>], (origin, normal): &Plane) -> f64 {
    points.iter().map(|point| (point - origin).dot(normal).abs()).fold(0.0, f64::max)
}

/// The greatest distance of a convex polygon's points from a triangle: that of a corner, since the distance is convex.
fn greatest_distance(polygon: &Polygon, outline: &[Vector2<f64>; 3]) -> f64 {
    polygon.iter().map(|point| distance(point, outline)).fold(0.0, f64::max)
}

/// Adds the parts of a polygon outside a triangle to `outside`. Returns the part inside, up to rounding.
fn subtract(polygon: Polygon, outline: &[Vector2<f64>; 3], outside: &mut Vec<Polygon>) -> Option<Polygon> {
    let mut inside = polygon;
    for i in 0..3 {
        let (from, to) = (outline[i], outline[(i + 1) % 3]);
        let length = (to - from).norm();
        if length == 0.0 {
            outside.push(inside);
            return None;
        }
        let heights: SmallVec<[f64; 8]> = inside.iter().map(|point| turn(&from, &to, point) / length).collect();
        let slack = NEGLIGIBLE * inside.iter().chain(outline).map(|point| point.amax()).fold(0.0, f64::max);
        if heights.iter().all(|&height| height <= slack) {
            outside.push(inside);
            return None;
        }
        if heights.iter().all(|&height| height >= -slack) {
            continue;
        }
        let mut parts = [Polygon::new(), Polygon::new()];
        for k in 0..inside.len() {
            let next = (k + 1) % inside.len();
            let (start, end) = (heights[k], heights[next]);
            if start >= 0.0 {
                parts[0].push(inside[k]);
            }
            if start <= 0.0 {
                parts[1].push(inside[k]);
            }
            if start < 0.0 && end > 0.0 || start > 0.0 && end < 0.0 {
                let crossing = inside[k] + (inside[next] - inside[k]) * (start / (start - end));
                parts.iter_mut().for_each(|part| part.push(crossing));
            }
        }
        let [within, beyond] = parts;
        outside.push(beyond);
        inside = within;
    }
    Some(inside)
}

/// How far rounding may move points off a line, as a fraction of the largest coordinate.
const NEGLIGIBLE: f64 = 1e-14;

/// Twice the area of a triangle, negative if it is clockwise.
fn turn(a: &Vector2<f64>, b: &Vector2<f64>, c: &Vector2<f64>) -> f64 {
    (b - a).perp(&(c - a))
}

/// The distance of a point from a triangle.
fn distance(point: &Vector2<f64>, outline: &[Vector2<f64>; 3]) -> f64 {
    let edges = [0, 1, 2].map(|i| [outline[i], outline[(i + 1) % 3]]);
    if edges.iter().all(|[from, to]| turn(from, to, point) >= 0.0) {
        return 0.0;
    }
    let from_edge = |[from, to]: [Vector2<f64>; 2]| {
        let along = to - from;
        let part = ((point - from).dot(&along) / along.norm_squared()).clamp(0.0, 1.0);
        (point - (from + along * part)).norm()
    };
    edges.map(from_edge).into_iter().fold(f64::INFINITY, f64::min)
}

/// The corners of the convex hull, counterclockwise (Andrew 1979).
pub(super) fn convex_hull(mut points: Polygon) -> Polygon {
    points.sort_unstable_by(|p, q| p.x.total_cmp(&q.x).then(p.y.total_cmp(&q.y)));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let mut hull = Polygon::new();
    for pass in 0..2 {
        let start = hull.len();
        for k in 0..points.len() {
            let point = if pass == 0 { points[k] } else { points[points.len() - 1 - k] };
            while hull.len() >= start + 2 && turn(&hull[hull.len() - 2], &hull[hull.len() - 1], &point) <= 0.0 {
                hull.pop();
            }
            hull.push(point);
        }
        hull.pop();
    }
    hull
}
