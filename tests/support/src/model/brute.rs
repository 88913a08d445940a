//! The distance between two meshes by all pairs of triangles, in plain f64, and whether they touch, in exact integers.
//! It shares no code with what the library asks its trees with.

use bvtree::shape::{ConvexShape, Distance};
use bvtree::triangle::Triangle;
use bvtree::{Mesh, Pose};
use nalgebra::{Point3, Vector3};

use crate::triangle_oracle as oracle;

/// In parts of the largest coordinate.
const ERROR: f64 = 1e-11;

/// What is true of two meshes, neither of them empty.
#[derive(Clone, Copy, Debug)]
pub struct Truth {
    /// Exact.
    pub touches: bool,
    /// Up to [`Truth::error`]; 0 where they touch.
    pub distance: f64,
    /// What rounding may have done to the distance, here or there.
    pub error: f64,
}

/// Of two meshes of which the second stands at a pose in the first one's frame.
pub fn truth(a: &Mesh, b: &Mesh, b_to_a: &Pose) -> Option<Truth> {
    let (a, b) = (unposed(a), posed(b, b_to_a));
    if a.is_empty() || b.is_empty() {
        return None;
    }
    let extent = a.iter().chain(&b).map(Boxed::extent).fold(0.0, f64::max);
    let error = ERROR * extent;
    let mut distance = f64::INFINITY;
    for a in &a {
        for b in &b {
            if a.gap(b) > distance.min(f64::MAX) {
                continue;
            }
            let near = a.distance(b, extent);
            if near <= error && oracle::intersects(&a.triangle, &b.triangle) {
                return Some(Truth { touches: true, distance: 0.0, error });
            }
            distance = distance.min(near);
        }
    }
    Some(Truth { touches: false, distance, error })
}

/// What is true of a mesh and a convex shape in its frame, by the shape and each triangle.
pub fn truth_of_shape(mesh: &Mesh, shape: &ConvexShape) -> Option<Truth> {
    let triangles = unposed(mesh);
    let bounds = shape.aabb();
    let shape_extent = bounds.lower.coords.amax().max(bounds.upper.coords.amax());
    let extent = triangles.iter().map(Boxed::extent).fold(shape_extent, f64::max);
    let distance = triangles.iter().map(|boxed| Distance::distance(shape, &boxed.triangle)).reduce(f64::min)?;
    Some(Truth { touches: distance == 0.0, distance, error: ERROR * extent })
}

/// What is true of two convex shapes in one frame.
pub fn truth_of_shapes(a: &ConvexShape, b: &ConvexShape) -> Truth {
    let corners = [a.aabb(), b.aabb()].map(|bounds| bounds.lower.coords.amax().max(bounds.upper.coords.amax()));
    let distance = a.distance(b);
    Truth { touches: distance == 0.0, distance, error: ERROR * corners[0].max(corners[1]) }
}

/// Whether a point is inside a mesh, by its winding number; `None` where rounding leaves it open.
pub fn is_inside(mesh: &Mesh, point: &Point3<f64>) -> Option<bool> {
    winds_around(&unposed(mesh), Some(*point))
}

/// Whether a corner of A is inside B, and one of B inside A, by their winding numbers: of meshes that don't touch, in
/// one piece each. `None` where rounding leaves it open.
pub fn inside(a: &Mesh, b: &Mesh, b_to_a: &Pose) -> [Option<bool>; 2] {
    let (a, b) = (unposed(a), posed(b, b_to_a));
    let corner = |of: &[Boxed]| of.first().map(|boxed| boxed.triangle.vertices[0]);
    [winds_around(&b, corner(&a)), winds_around(&a, corner(&b))]
}

/// By the solid angles of all triangles, seen from the point (Van Oosterom and Strackee 1983).
fn winds_around(mesh: &[Boxed], point: Option<Point3<f64>>) -> Option<bool> {
    let Some(point) = point else { return Some(false) };
    // So near a face the sum is that of one side or the other, to the last digit.
    let is_near = |boxed: &Boxed| {
        let triangle = &boxed.triangle;
        let largest = triangle.vertices.iter().map(|vertex| vertex.coords.amax()).fold(point.coords.amax(), f64::max);
        (triangle.closest_point(&point) - point).norm() <= 1e-10 * largest
    };
    if mesh.iter().any(is_near) {
        return None;
    }
    let half_angle = |boxed: &Boxed| {
        let [u, v, w] = boxed.triangle.vertices.map(|vertex| (vertex - point).normalize());
        u.cross(&v).dot(&w).atan2(1.0 + u.dot(&v) + v.dot(&w) + w.dot(&u))
    };
    let winding = mesh.iter().map(half_angle).sum::<f64>() / std::f64::consts::TAU;
    ((winding - winding.round()).abs() < 1e-6).then(|| winding.round() != 0.0)
}

fn unposed(mesh: &Mesh) -> Vec<Boxed> {
    mesh.iter().map(|triangle| Boxed::new(triangle.vertices)).collect()
}

fn posed(mesh: &Mesh, pose: &Pose) -> Vec<Boxed> {
    let posed = |corner: u32| {
        let vertex = mesh.vertices()[corner as usize].map(f64::from);
        let row = |i: usize| {
            let r = |j: usize| pose.rotation()[(i, j)];
            ((r(0) * vertex.x + r(1) * vertex.y) + r(2) * vertex.z) + pose.translation()[i]
        };
        Point3::new(row(0), row(1), row(2))
    };
    mesh.triangles().iter().map(|corners| Boxed::new(corners.map(posed))).collect()
}

impl Truth {
    /// Whether a distance that was found is the true one.
    pub fn allows(&self, distance: f64) -> bool {
        (distance == 0.0) == self.touches && (distance - self.distance).abs() <= self.error
    }

    /// Whether the distance is at most a bound; `None` where rounding leaves that open.
    pub fn is_within(&self, bound: f64) -> Option<bool> {
        if bound.is_nan() || bound < 0.0 {
            return Some(false);
        }
        match (self.distance - bound).abs() > self.error {
            _ if self.touches => Some(true),
            _ if bound == 0.0 => Some(false),
            true => Some(self.distance <= bound),
            false => None,
        }
    }
}

/// A triangle, and the box around it.
struct Boxed {
    triangle: Triangle,
    lower: Point3<f64>,
    upper: Point3<f64>,
}

impl Boxed {
    fn new(vertices: [Point3<f64>; 3]) -> Self {
        let [p, q, r] = vertices;
        Self { triangle: Triangle { vertices }, lower: p.inf(&q).inf(&r), upper: p.sup(&q).sup(&r) }
    }

    fn extent(&self) -> f64 {
        self.lower.coords.amax().max(self.upper.coords.amax())
    }

    /// Along the axis where the boxes are farthest apart.
    fn gap(&self, other: &Self) -> f64 {
        (self.lower - other.upper).max().max((other.lower - self.upper).max())
    }

    /// The distance, 0 also where an edge seems to pierce the other triangle. Coordinates are divided by the extent, so
    /// that squares are numbers.
    fn distance(&self, other: &Self, extent: f64) -> f64 {
        let unit = if extent > 0.0 { extent } else { 1.0 };
        let [a, b] = [self, other].map(|boxed| boxed.triangle.vertices.map(|p| p / unit));
        let edges = |t: &[Point3<f64>; 3]| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
        let mut distance = f64::INFINITY;
        for p in edges(&a) {
            for q in edges(&b) {
                distance = distance.min(segments(p, q));
            }
        }
        for (t, other) in [(&a, &b), (&b, &a)] {
            for p in other {
                distance = distance.min(above(p, t).unwrap_or(f64::INFINITY));
            }
            for [p, q] in edges(other) {
                if pierces([p, q], t) {
                    distance = 0.0;
                }
            }
        }
        distance * unit
    }
}

/// The distance between two segments, by clamping the feet of their lines (Ericson 2005, section 5.1.9).
fn segments([p, p_end]: [Point3<f64>; 2], [q, q_end]: [Point3<f64>; 2]) -> f64 {
    let (u, v, w) = (p_end - p, q_end - q, p - q);
    let (uu, vv, uv, uw, vw) = (u.dot(&u), v.dot(&v), u.dot(&v), u.dot(&w), v.dot(&w));
    let part = |num: f64, den: f64| if den > 0.0 { (num / den).clamp(0.0, 1.0) } else { 0.0 };
    let along = |s: f64, t: f64| (w + u * s - v * t).norm();
    let s = part(uv * vw - uw * vv, uu * vv - uv * uv);
    let t = part(uv * s + vw, vv);
    // The foot of each end, too: lines that are nearly parallel have no foot to speak of.
    let ends = [(0.0, part(vw, vv)), (1.0, part(uv + vw, vv)), (part(-uw, uu), 0.0), (part(uv - uw, uu), 1.0)];
    ends.into_iter().map(|(s, t)| along(s, t)).fold(along(part(uv * t - uw, uu), t), f64::min)
}

/// The normal of a triangle; none of one whose width is no more than the error, for which its edges stand.
fn normal(t: &[Point3<f64>; 3]) -> Option<Vector3<f64>> {
    let (u, v) = (t[1] - t[0], t[2] - t[0]);
    let normal = u.cross(&v);
    (normal.norm() > ERROR * u.norm().max(v.norm())).then_some(normal)
}

/// The height of a point over a triangle, if its foot is inside.
fn above(p: &Point3<f64>, t: &[Point3<f64>; 3]) -> Option<f64> {
    let normal = normal(t)?;
    let is_left = |i: usize| (t[(i + 1) % 3] - t[i]).cross(&(p - t[i])).dot(&normal) >= 0.0;
    (is_left(0) && is_left(1) && is_left(2)).then(|| ((p - t[0]).dot(&normal) / normal.norm()).abs())
}

/// Whether a segment seems to pass through a triangle, by the volumes that they span. One that ends in its plane has
/// the foot of that end.
fn pierces([p, q]: [Point3<f64>; 2], t: &[Point3<f64>; 3]) -> bool {
    let Some(normal) = normal(t) else { return false };
    // In the plane but for rounding, all of the volumes below are rounding too.
    let is_beyond = |p: &Point3<f64>, sign: f64| sign * (p - t[0]).dot(&normal) > 0.01 * ERROR * normal.norm();
    let crosses = is_beyond(&p, 1.0) && is_beyond(&q, -1.0) || is_beyond(&p, -1.0) && is_beyond(&q, 1.0);
    let around = [0, 1, 2].map(|i| (q - p).cross(&(t[i] - p)).dot(&(t[(i + 1) % 3] - p)));
    crosses && (around.iter().all(|v| *v >= 0.0) || around.iter().all(|v| *v <= 0.0))
}
