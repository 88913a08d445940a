//! Convex shapes against triangles: certified closest points, and exact verdicts in integer arithmetic.

use std::fmt;

use super::cases::{CASES, Certifier, Convex, Random, greatest_along};
use super::triangle::triangle;
use crate::cases::repeated;
use bvtree::Pose;
use bvtree::shape::{Aabb, Capsule, ConvexError, ConvexShape, Distance, Obb, Overlaps, Sphere};
use bvtree::triangle::Triangle;
use nalgebra::{Matrix3, Point3, Vector3};

fn cases() -> usize {
    repeated(CASES)
}

/// Two discs about an axis.
struct Discs {
    centers: [Point3<f64>; 2],
    radii: [f64; 2],
    axis: Vector3<f64>,
}

/// A shape as a test sees it: the convex hull of points, or of two discs about an axis, within a radius.
pub(super) struct Known {
    pub(super) shape: ConvexShape,
    points: Vec<Point3<f64>>,
    discs: Option<Discs>,
    radius: f64,
}

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.shape)
    }
}

impl Convex<3> for Known {
    fn support(&self, direction: &Vector3<f64>) -> f64 {
        let core = match &self.discs {
            Some(Discs { centers, radii, axis }) => {
                let across = (direction - axis * axis.dot(direction)).norm();
                let reach = |i: usize| centers[i].coords.dot(direction) + radii[i] * across;
                reach(0).max(reach(1))
            }
            None => greatest_along(&self.points, direction),
        };
        core + self.radius * direction.norm()
    }

    /// How far the point is beyond the plane that separates it most from the shape, by a search.
    fn excess(&self, point: &Point3<f64>) -> f64 {
        let beyond = |direction: &Vector3<f64>| direction.dot(&point.coords) - self.support(direction);
        let mut random = Random(7);
        let mut best = (f64::NEG_INFINITY, Vector3::x());
        let mut candidates: Vec<Vector3<f64>> =
            (0..3).flat_map(|k| [Vector3::ith(k, 1.0), Vector3::ith(k, -1.0)]).collect();
        candidates.extend((0..64).map(|_| random.unit::<3>()));
        candidates.extend((point - self.shape.center()).try_normalize(0.0));
        for round in 0..60 {
            for candidate in candidates.drain(..) {
                let height = beyond(&candidate);
                if height > best.0 {
                    best = (height, candidate);
                }
            }
            let reach = 0.6f64.powi(round);
            candidates.extend((0..12).filter_map(|_| (best.1 + random.unit::<3>() * reach).try_normalize(0.0)));
        }
        best.0
    }
}

impl Distance<Triangle> for Known {
    fn closest_points(&self, triangle: &Triangle) -> (Point3<f64>, Point3<f64>) {
        self.shape.closest_points(triangle)
    }
    fn distance_sq(&self, triangle: &Triangle) -> f64 {
        self.shape.distance_sq(triangle)
    }
}

/// The first is the one with flat faces, the second that of round ones.
pub(super) fn any_shape(random: &mut Random, kind: u64) -> Known {
    let pose = Pose::new(proper(random), random.point::<3>(3.0).coords).unwrap();
    let posed = |point: Point3<f64>| Point3::from(pose.rotation() * point.coords + pose.translation());
    let [x, y, z] = [(); 3].map(|()| random.size(2.0));
    let radius = if random.one_in(2) { 0.0 } else { random.size(1.0) };
    let box_points = |x, y, z| {
        let half = Vector3::new(x, y, z);
        Aabb { lower: Point3::from(-half), upper: Point3::from(half) }.corners().to_vec()
    };
    let (shape, points, discs, own_radius) = match kind {
        0 => (ConvexShape::sphere(x).unwrap(), vec![Point3::origin()], None, x),
        1 => (ConvexShape::capsule(y, x).unwrap(), box_points(0.0, 0.0, y), None, x),
        2 => (ConvexShape::cuboid(Vector3::new(x, y, z)).unwrap(), box_points(x, y, z), None, 0.0),
        3 => {
            let points: Vec<_> = (0..random.integer(1, 12)).map(|_| random.point::<3>(2.0)).collect();
            (ConvexShape::hull(&points).unwrap(), points, None, 0.0)
        }
        _ => {
            let radii = [x, if kind == 4 { x } else { 0.0 }];
            let shape = if kind == 4 { ConvexShape::cylinder(y, x) } else { ConvexShape::cone(y, x) }.unwrap();
            let centers = [-y, y].map(|z| posed(Point3::new(0.0, 0.0, z)));
            (shape, Vec::new(), Some(Discs { centers, radii, axis: pose.rotation().column(2).into_owned() }), 0.0)
        }
    };
    let points = points.into_iter().map(posed).collect();
    Known { shape: shape.rounded(radius).unwrap().transformed(&pose), points, discs, radius: radius + own_radius }
}

fn proper(random: &mut Random) -> Matrix3<f64> {
    loop {
        let turn = random.rotation();
        if turn.determinant() > 0.0 {
            return turn;
        }
    }
}

#[test]
fn convex_shapes_and_triangles_are_certified() {
    let random = &mut Random(35);
    let mut certifier = Certifier::between_features(8.0);
    let mut hits = [0; 6];
    for case in 0..cases() / 3 {
        let kind = case % 6;
        let known = any_shape(random, kind as u64);
        let mut triangle = triangle(random);
        if random.one_in(3) {
            let size = 2f64.powi(random.integer(-20, 0) as i32);
            let middle = triangle.vertices[0];
            triangle.vertices = triangle.vertices.map(|vertex| middle + (vertex - middle) * size);
        }
        let overlaps = known.shape.overlaps(&triangle);
        assert_eq!(overlaps, triangle.overlaps(&known.shape));
        certifier.check(&known, &triangle, overlaps);
        // Verdict and distance agree, to the last bit.
        assert_eq!(overlaps, known.shape.distance_sq(&triangle) == 0.0, "{known:?}\n{triangle:?}");
        hits[kind] += usize::from(overlaps);
        check_boxes(random, &known);
    }
    assert!(hits.iter().all(|&hits| hits > cases() / 300 && hits < cases() / 19), "{hits:?}");
}

/// The boxes hold the shape and fit it.
fn check_boxes(random: &mut Random, known: &Known) {
    let (aabb, obb) = (known.shape.aabb(), known.shape.obb());
    let direction: Vector3<f64> = random.unit();
    let farthest = known.shape.support_point(&direction);
    assert!((farthest.coords.dot(&direction) - known.support(&direction)).abs() < 1e-14 * 8.0);
    assert!(known.excess(&farthest) < 1e-13 && known.excess(&known.shape.center()) < 1e-13);
    for k in 0..3 {
        let (up, down) = (Vector3::ith(k, 1.0), Vector3::ith(k, -1.0));
        for (end, support) in [(aabb.upper[k], known.support(&up)), (-aabb.lower[k], known.support(&down))] {
            assert!(end >= support - 1e-15 && end < support + 1e-12, "{end} {support}");
        }
        let axis = obb.axes.column(k).into_owned();
        let width = known.support(&axis) + known.support(&-axis);
        assert!(2.0 * obb.half_extents[k] >= width && 2.0 * obb.half_extents[k] < width + 1e-12);
        assert!((obb.center.coords.dot(&axis) + obb.half_extents[k] - known.support(&axis)).abs() < 1e-12);
    }
    assert!((obb.axes.transpose() * obb.axes - Matrix3::identity()).amax() < 1e-14);
}

pub(super) type P = [i64; 3];

fn det([a, b, c]: [P; 3]) -> i64 {
    a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])
}

fn cross(a: P, b: P) -> P {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: P, b: P) -> i64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

/// Whether the convex hull of points contains the origin: whether one of their simplices does (Carathéodory 1907).
pub(super) fn hull_contains_origin(points: &[P]) -> bool {
    let n = points.len();
    for i in 0..n {
        let a = points[i];
        if a == [0; 3] {
            return true;
        }
        for j in i + 1..n {
            let b = points[j];
            if cross(a, b) == [0; 3] && dot(a, b) < 0 {
                return true;
            }
            for k in j + 1..n {
                let c = points[k];
                let abc = det([a, b, c]);
                if abc == 0 {
                    let normals = [cross(b, c), cross(c, a), cross(a, b)];
                    let sum: P = std::array::from_fn(|x| normals[0][x] + normals[1][x] + normals[2][x]);
                    if sum != [0; 3] && normals.iter().all(|&normal| dot(normal, sum) >= 0) {
                        return true;
                    }
                    continue;
                }
                for &d in &points[k + 1..] {
                    let sides = [abc, det([a, d, b]), det([a, c, d]), det([b, d, c])];
                    if sides.iter().all(|&side| side >= 0) || sides.iter().all(|&side| side <= 0) {
                        let volume: i64 = sides.iter().sum();
                        if volume != 0 {
                            return true;
                        }
                    }
                }
            }
        }
    }
    false
}

fn grid_triangle(random: &mut Random, reach: i64) -> [P; 3] {
    [(); 3].map(|()| [(); 3].map(|()| random.integer(-reach, reach)))
}

fn real(triangle: [P; 3], scale: f64) -> Triangle {
    Triangle { vertices: triangle.map(|p| Point3::from(p.map(|x| x as f64 * scale))) }
}

pub(super) fn differences(points: &[P], others: &[P]) -> Vec<P> {
    let mut all: Vec<P> =
        others.iter().flat_map(|t| points.iter().map(|p| std::array::from_fn(|k| t[k] - p[k]))).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Grid shapes of all dimensions, which often touch without overlapping; at all scales.
#[test]
fn polytopes_on_a_grid_touch_exactly() {
    let random = &mut Random(36);
    let mut count = [0, 0];
    for case in 0..cases() / 2 {
        let scale = [1.0, 2f64.powi(-60), 2f64.powi(60), 0.1f64.next_up()][case % 4];
        let points: Vec<P> = (0..random.integer(1, 8)).map(|_| [(); 3].map(|()| random.integer(-3, 3))).collect();
        let points = match random.below(4) {
            0 => points.iter().map(|&[x, y, _]| [x, y, 1]).collect(),
            1 => points.iter().map(|&[x, ..]| [x, 2 * x, -x]).collect(),
            _ => points,
        };
        let triangle = grid_triangle(random, 5);
        let real_points: Vec<Point3<f64>> = points.iter().map(|p| Point3::from(p.map(|x| x as f64 * scale))).collect();
        // Points that are no corners are kept or dropped.
        let of = if random.below(2) == 0 { ConvexShape::hull } else { ConvexShape::polytope };
        let shape = of(&real_points).unwrap();
        let expected = hull_contains_origin(&differences(&points, &triangle));
        let triangle = real(triangle, scale);
        // A scale that is no power of two rounds coordinates, and what touches on the grid may then part.
        if case % 4 != 3 {
            assert_eq!(shape.overlaps(&triangle), expected, "{points:?} {triangle:?}");
        }
        for point in &real_points {
            assert!(shape.contains(point), "{points:?} {point:?}");
        }
        let inside = triangle.vertices.iter().any(|vertex| shape.contains(vertex));
        assert!(!inside || shape.overlaps(&triangle));
        count[usize::from(expected)] += 1;
    }
    assert!(count.iter().all(|&count| count > cases() / 20), "{count:?}");
}

/// Boxes, turned by quarters, as grid boxes; and a triangle in a face, on an edge or at a corner.
#[test]
fn boxes_on_a_grid_touch_exactly() {
    let random = &mut Random(37);
    let mut touching = 0;
    for _ in 0..cases() / 2 {
        let half = Vector3::from_fn(|_, _| random.integer(0, 3) as f64);
        let turn = loop {
            let turn = random.axis_permutation();
            if turn.determinant() > 0.0 {
                break turn;
            }
        };
        let center = random.grid_point::<3>(3);
        let shape = ConvexShape::cuboid(half).unwrap().transformed(&Pose::new(turn, center.coords).unwrap());
        let turned = (turn * half).abs();
        let aabb = Aabb { lower: center - turned, upper: center + turned };
        assert_eq!(shape.aabb(), aabb);
        let triangle = real(grid_triangle(random, 7), 1.0);
        // Exact for integers.
        assert_eq!(shape.overlaps(&triangle), triangle.overlaps(&aabb), "{shape:?} {triangle:?}");
        let smaller = Aabb { lower: aabb.lower + Vector3::repeat(1e-9), upper: aabb.upper - Vector3::repeat(1e-9) };
        touching += usize::from(shape.overlaps(&triangle) && !triangle.overlaps(&smaller));
    }
    assert!(touching > cases() / 100, "{touching}");
}

/// A plane that a shape touches in a rational point, to the last bit: `false` would be wrong.
#[test]
fn touching_round_shapes_are_never_missed() {
    let random = &mut Random(38);
    let triples = [[3.0, 4.0, 5.0], [5.0, 12.0, 13.0], [8.0, 15.0, 17.0], [7.0, 24.0, 25.0], [20.0, 21.0, 29.0]];
    for _ in 0..cases() {
        let [x, y, radius] = triples[random.below(5) as usize];
        let scale = 2f64.powi(random.integer(-30, 30) as i32);
        let at = |u: f64, z: f64| Point3::new(x - y * u, y + x * u, z) * scale;
        let ends = [(); 4].map(|()| random.integer(-9, 9) as f64);
        let touching = Triangle { vertices: [at(ends[0].abs(), 0.0), at(-ends[1].abs(), ends[2]), at(0.0, ends[3])] };
        let half = 9.0 * scale;
        for shape in [
            ConvexShape::cylinder(half, radius * scale).unwrap(),
            ConvexShape::capsule(half, radius * scale).unwrap(),
            ConvexShape::cylinder(half, 2.0 * scale).unwrap().rounded((radius - 2.0) * scale).unwrap(),
        ] {
            assert!(shape.overlaps(&touching), "{shape:?} {touching:?}");
            let offset = Vector3::new(x, y, 0.0) * (1e-6 * scale);
            let apart = Triangle { vertices: touching.vertices.map(|vertex| vertex + offset) };
            assert!(!shape.overlaps(&apart), "{shape:?} {apart:?}");
            let distance = shape.distance(&apart);
            assert!(
                (distance - 1e-6 * radius * scale).abs() < 1e-7 * radius * scale,
                "{distance:e} {shape:?} {apart:?}"
            );
        }
        // A cone's and a cylinder's end, and a sphere's side.
        let flat =
            [(); 3].map(|()| Point3::new(random.integer(-9, 9) as f64, random.integer(-9, 9) as f64, -9.0) * scale);
        let mut flat = Triangle { vertices: flat };
        flat.vertices[0].x = 0.0;
        flat.vertices[0].y = 0.0;
        for shape in [ConvexShape::cone(half, scale).unwrap(), ConvexShape::sphere(half).unwrap()] {
            assert!(shape.overlaps(&flat), "{shape:?} {flat:?}");
        }
    }
}

#[test]
fn known_shapes_convert() {
    let random = &mut Random(39);
    for _ in 0..cases() / 4 {
        let triangle = triangle(random);
        let (sphere, capsule, obb, aabb): (Sphere, Capsule, Obb, Aabb) =
            (random.sphere(), random.capsule(), random.obb(), random.aabb());
        let near = |shape: ConvexShape, distance: f64| {
            let found = shape.distance(&triangle);
            assert!((found - distance).abs() < 1e-13 * 16.0, "{found} {distance} {shape:?} {triangle:?}");
        };
        near(sphere.try_into().unwrap(), triangle.distance_to(&sphere));
        near(capsule.try_into().unwrap(), (capsule_distance(&triangle, &capsule)).max(0.0));
        near(obb.try_into().unwrap(), triangle.distance_to(&obb));
        near(aabb.try_into().unwrap(), triangle.distance_to(&aabb));
    }
}

/// The traits' distance, which a triangle's own methods hide.
trait DistanceTo {
    fn distance_to<S>(&self, shape: &S) -> f64
    where
        Triangle: Distance<S>;
}

impl DistanceTo for Triangle {
    fn distance_to<S>(&self, shape: &S) -> f64
    where
        Triangle: Distance<S>,
    {
        Distance::distance(self, shape)
    }
}

/// Through the exact distance of triangles, of which one is a segment.
fn capsule_distance(triangle: &Triangle, capsule: &Capsule) -> f64 {
    let segment = Triangle::new(capsule.segment.start, capsule.segment.end, capsule.segment.end);
    triangle.distance_sq(&segment).sqrt() - capsule.radius
}

#[test]
fn wrong_parameters_are_errors() {
    let length = |shape: Result<ConvexShape, ConvexError>| match shape {
        Err(ConvexError::Length { parameter, .. }) => parameter,
        other => panic!("{other:?}"),
    };
    assert_eq!(length(ConvexShape::sphere(-1.0)), "radius");
    assert_eq!(length(ConvexShape::capsule(f64::NAN, 1.0)), "half length");
    assert_eq!(length(ConvexShape::capsule(1.0, f64::INFINITY)), "radius");
    assert_eq!(length(ConvexShape::cuboid(Vector3::new(0.0, -0.1, 0.0))), "half extent");
    assert_eq!(length(ConvexShape::cylinder(1.0, f64::NAN)), "radius");
    assert_eq!(length(ConvexShape::cone(-1.0, 1.0)), "half height");
    assert_eq!(length(ConvexShape::cone(1.0, 1.0).and_then(|cone| cone.rounded(-0.5))), "radius");
    assert_eq!(length(ConvexShape::sphere(1e308).and_then(|sphere| sphere.rounded(1e308))), "radius");
    assert_eq!(ConvexShape::hull(&[]).unwrap_err(), ConvexError::NoPoints);
    assert_eq!(ConvexShape::try_from(Aabb::empty()).unwrap_err(), ConvexError::NoPoints);
    let points = [Point3::origin(), Point3::new(0.0, f64::NAN, 0.0)];
    assert_eq!(ConvexShape::hull(&points).unwrap_err(), ConvexError::NotFinite { index: 1 });
    assert_eq!(ConvexShape::polytope(&points).unwrap_err(), ConvexError::NotFinite { index: 1 });
    assert_eq!(ConvexShape::polytope(&[]).unwrap_err(), ConvexError::NoPoints);
    let message = ConvexShape::sphere(-1.0).unwrap_err().to_string();
    assert_eq!(message, "the radius is -1; expected a finite number that is not negative");
}

/// Sizes of zero and points that do not span space.
#[test]
fn degenerate_shapes_are_what_they_are() {
    let floor = real([[-9, -9, 0], [9, -9, 0], [0, 9, 0]], 1.0);
    let up = |z: f64| Pose::from_translation(Vector3::new(0.0, 0.0, z)).unwrap();
    let point = Point3::new(0.0, 0.0, 2.0);
    let disc = ConvexShape::cylinder(0.0, 1.0).unwrap();
    for shape in [
        ConvexShape::sphere(0.0).unwrap(),
        ConvexShape::capsule(0.0, 0.0).unwrap(),
        ConvexShape::cylinder(0.0, 0.0).unwrap(),
        ConvexShape::cuboid(Vector3::zeros()).unwrap(),
        ConvexShape::hull(&[Point3::origin(); 5]).unwrap(),
        ConvexShape::hull(&[Point3::origin(), Point3::new(1.0, 1.0, 0.0), Point3::new(0.5, 0.5, 0.0)]).unwrap(),
        ConvexShape::cuboid(Vector3::new(1.0, 2.0, 0.0)).unwrap(),
        disc.clone(),
    ] {
        assert!(shape.overlaps(&floor), "{shape:?}");
        assert!((shape.transformed(&up(2.0)).distance(&floor) - 2.0).abs() < 1e-15, "{shape:?}");
        assert_eq!(shape.transformed(&up(-0.25)).rounded(0.25).unwrap().distance(&floor), 0.0, "{shape:?}");
        assert_eq!(shape.transformed(&up(2.0)).support_point(&Vector3::zeros()).z, 2.0);
        let dot = Triangle::new(point, point, point);
        assert!((shape.distance(&dot) - 2.0).abs() < 1e-15);
    }
    // A disc and a flat cone beside a triangle in their plane.
    let beside = real([[3, 0, 0], [9, 5, 0], [9, -5, 0]], 1.0);
    for shape in [&disc, &ConvexShape::cone(0.0, 1.0).unwrap()] {
        assert!((shape.distance(&beside) - 2.0).abs() < 1e-15, "{shape:?}");
    }
    // On its rim, a disc on edge.
    let on_edge =
        disc.transformed(&Pose::from_axis_angle(&Vector3::x(), 0.5 * std::f64::consts::PI, Vector3::z()).unwrap());
    assert!(on_edge.overlaps(&floor));
}

#[test]
fn zeros_of_both_signs_are_equal_in_hulls() {
    let corners = [[-0.0, 0.0, 0.0], [0.0, -5.0, 0.0], [0.0, 5.0, 0.0], [1.0, 0.0, 0.0]];
    for turn in 0..3 {
        let turned = |p: [f64; 3]| Point3::from([0, 1, 2].map(|k| p[(k + turn) % 3]));
        let points = corners.map(turned);
        let hull = ConvexShape::hull(&points).unwrap();
        assert_eq!(hull.surface_area(), 10.0);
        for point in points {
            assert!(hull.contains(&point), "{point}");
            assert_eq!(hull.support_point(&point.coords).coords.dot(&point.coords), point.coords.norm_squared());
        }
    }
}

/// Points whose squared distances vanish, or cannot be told apart.
#[test]
fn hulls_of_points_near_each_other_are_solid() {
    let tetrahedron = |at: [f64; 3], s: f64| [at, [0.0; 3], [s, 0.0, 0.0], [0.0, s, 0.0]].map(Point3::from);
    for s in [1e-85, 1e-20, 1.0] {
        for points in [tetrahedron([0.0, 0.0, s], s), tetrahedron([1.0; 3], s)] {
            let hull = ConvexShape::hull(&points).unwrap();
            assert!(points.iter().all(|point| hull.contains(point)), "{points:?}");
        }
    }
}
