//! Triangles against points, spheres and boxes.

use super::cases::{CASES, Certifier, Convex, Random, greatest_along};
use bvtree::shape::{Aabb, ClosestPoint, Distance, Obb, Overlaps, Segment, Sphere};
use bvtree::triangle::Triangle;
use nalgebra::{Matrix3, Point3, Vector3};

impl Convex<3> for Triangle {
    fn support(&self, direction: &Vector3<f64>) -> f64 {
        greatest_along(&self.vertices, direction)
    }
    fn excess(&self, point: &Point3<f64>) -> f64 {
        let [a, b, c] = self.vertices;
        let edges = [(a, b), (b, c), (c, a)];
        let normal = (b - a).cross(&(c - a));
        let longest = edges.iter().map(|(from, to)| (to - from).norm()).fold(0.0, f64::max);
        if normal.norm() <= 1e-9 * longest * longest {
            return edges
                .map(|(start, end)| Segment { start, end }.excess(point))
                .into_iter()
                .fold(f64::INFINITY, f64::min);
        }
        let normal = normal.normalize();
        let outward =
            |(from, to): (Point3<f64>, Point3<f64>)| (to - from).normalize().cross(&normal).dot(&(point - from));
        edges.map(outward).into_iter().fold((point - a).dot(&normal).abs(), f64::max)
    }
}

/// Often with corners of no general position: on a line, equal, or on a plane of constant coordinate.
pub(super) fn triangle(random: &mut Random) -> Triangle {
    let [a, b, mut c]: [Point3<f64>; 3] = [(); 3].map(|()| random.point(4.0));
    match random.below(10) {
        0 => c = b,
        1 => c = a + (b - a) * random.integer(-2, 2) as f64,
        _ => {}
    }
    let mut vertices = [a, b, c];
    if random.one_in(6) {
        let k = random.below(3) as usize;
        vertices.iter_mut().for_each(|vertex| vertex[k] = a[k]);
    }
    Triangle { vertices }
}

#[test]
fn triangles_against_points_spheres_and_boxes_are_certified() {
    let random = &mut Random(31);
    let mut certifier = Certifier::between_features(8.0);
    let mut hits = 0;
    for _ in 0..CASES {
        let mut triangle = triangle(random);
        let (aabb, obb) = (random.aabb(), random.obb());
        if random.one_in(2) {
            let [a, b, c] = triangle.vertices.map(|vertex| vertex.coords);
            let offset = aabb.center().coords - (a + b + c) / 3.0;
            triangle.vertices.iter_mut().for_each(|vertex| *vertex += offset);
        }
        let point: Point3<f64> = random.point(6.0);
        certifier.check(&triangle, &point, Distance::distance_sq(&triangle, &point) == 0.0);
        certifier.check_both_ways(&random.sphere(), &triangle);
        certifier.check_both_ways(&aabb, &triangle);
        certifier.check_both_ways(&obb, &triangle);
        hits += usize::from(aabb.overlaps(&triangle));
    }
    assert!(hits > CASES / 10 && hits < CASES - CASES / 10, "{hits}");
}

/// The 13 separating axes of Akenine-Moller (2001) in integers, where parallel and null axes are no trouble.
fn apart_in_integers(vertices: [[i64; 3]; 3], half: [i64; 3]) -> bool {
    let minus = |a: [i64; 3], b: [i64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let cross =
        |a: [i64; 3], b: [i64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let [a, b, c] = vertices;
    let edges = [minus(b, a), minus(c, b), minus(a, c)];
    let units = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    let crossed = units.iter().flat_map(|unit| edges.map(|edge| cross(*unit, edge)));
    units.into_iter().chain(crossed).chain([cross(edges[0], edges[1])]).any(|axis| {
        let along = vertices.map(|v| v[0] * axis[0] + v[1] * axis[1] + v[2] * axis[2]);
        let reach: i64 = (0..3).map(|k| half[k] * axis[k].abs()).sum();
        along.iter().all(|x| *x > reach) || along.iter().all(|x| *x < -reach)
    })
}

#[test]
fn integer_triangles_and_boxes_touch_exactly() {
    let random = &mut Random(32);
    let mut touching = 0;
    for _ in 0..CASES {
        let half = [(); 3].map(|()| random.integer(0, 4));
        let center = [(); 3].map(|()| random.integer(-3, 3));
        let vertices = [(); 3].map(|()| [(); 3].map(|()| random.integer(-7, 7)));
        let apart = apart_in_integers(vertices, half);
        touching +=
            usize::from(!apart && apart_in_integers(vertices.map(|v| v.map(|x| x * 100)), half.map(|x| x * 100 - 1)));

        let float = |a: [i64; 3]| Vector3::from(a.map(|x| x as f64));
        let moved = vertices.map(|vertex| Point3::from(float(vertex) + float(center)));
        let aabb = Aabb { lower: (float(center) - float(half)).into(), upper: (float(center) + float(half)).into() };
        assert_eq!(Triangle { vertices: moved }.overlaps(&aabb), !apart, "{moved:?} {aabb:?}");
        let axes = random.axis_permutation();
        let obb = Obb { center: float(center).into(), axes, half_extents: (axes.transpose() * float(half)).abs() };
        assert_eq!(obb.overlaps(&Triangle { vertices: moved }), !apart, "{moved:?} {obb:?}");
    }
    assert!(touching > CASES / 100, "{touching}");
}

#[test]
fn touching_and_degenerate_triangles() {
    let triangle = |a: [f64; 3], b: [f64; 3], c: [f64; 3]| Triangle { vertices: [a.into(), b.into(), c.into()] };
    let cube = Aabb { lower: Point3::origin(), upper: Point3::new(2.0, 2.0, 2.0) };

    // x + y + z = 6 touches the corner (2, 2, 2) with its inside; x + y + z = 6.03 does not.
    let across = triangle([6.0, 0.0, 0.0], [0.0, 6.0, 0.0], [0.0, 0.0, 6.0]);
    assert!(across.overlaps(&cube));
    let beyond = triangle([6.03, 0.0, 0.0], [0.0, 6.03, 0.0], [0.0, 0.0, 6.03]);
    assert!(!beyond.overlaps(&cube));
    assert!((cube.distance(&beyond) - 0.03 / 3f64.sqrt()).abs() < 1e-12);

    // Through the middle with all edges outside; enclosed; coplanar with a face and around it.
    assert!(triangle([-9.0, -9.0, 1.0], [9.0, -9.0, 1.0], [0.0, 9.0, 1.0]).overlaps(&cube));
    assert!(triangle([0.5, 0.5, 0.5], [1.0, 0.5, 0.5], [0.5, 1.0, 0.5]).overlaps(&cube));
    assert!(triangle([-9.0, -9.0, 2.0], [9.0, -9.0, 2.0], [0.0, 9.0, 2.0]).overlaps(&cube));
    assert!(!triangle([-9.0, -9.0, 2.5], [9.0, -9.0, 2.5], [0.0, 9.0, 2.5]).overlaps(&cube));

    // A segment and a point, the latter against a box of no size.
    assert!(triangle([1.0, 1.0, 1.0], [5.0, 5.0, 5.0], [3.0, 3.0, 3.0]).overlaps(&cube));
    let point = triangle([5.0, 6.0, 1.0], [5.0, 6.0, 1.0], [5.0, 6.0, 1.0]);
    assert_eq!(cube.distance(&point), 5.0);
    assert!(point.overlaps(&Aabb { lower: point.vertices[0], upper: point.vertices[0] }));
    assert!(!point.overlaps(&Aabb::empty()) && !across.overlaps(&Aabb::empty()));

    // A 2-3-6-7 offset from the triangle's inside; and a box seen from its own frame.
    let flat = triangle([-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]);
    assert!(flat.overlaps(&Sphere { center: Point3::new(0.0, 0.0, 7.0), radius: 7.0 }));
    assert!(!flat.overlaps(&Sphere { center: Point3::new(0.0, 0.0, 7.0), radius: 6.9999999 }));
    assert!(flat.overlaps(&Sphere { center: Point3::new(3.0, 15.0, 2.0), radius: 7.0 }));
    assert_eq!(ClosestPoint::closest_point(&flat, &Point3::new(3.0, 15.0, 2.0)), Point3::new(0.0, 9.0, 0.0));
    let standing = Obb {
        center: Point3::new(0.0, 0.0, 3.0),
        axes: Matrix3::identity(),
        half_extents: Vector3::new(1.0, 2.0, 3.0),
    };
    assert!(standing.overlaps(&flat));
    assert_eq!(Obb { center: Point3::new(0.0, 0.0, 5.0), ..standing }.distance(&flat), 2.0);
}

/// Needles whose normal is partly rounding, around tiny boxes about points of their faces and beside them.
#[test]
fn needles_and_boxes_in_their_faces_touch() {
    let random = &mut Random(33);
    for _ in 0..CASES {
        let [b, along]: [Vector3<f64>; 2] = [random.vector(1.0), random.vector(1.0)];
        let width = 10f64.powi(random.integer(-13, -3) as i32);
        let c = b * 0.5 + along * width;
        let triangle = Triangle::new(Point3::origin(), Point3::from(b), Point3::from(c));
        let middle = (b + c * 2.0) / 4.0;
        let half = Vector3::repeat(width * 1e-3 + 1e-15);
        let aabb = Aabb { lower: Point3::from(middle - half), upper: Point3::from(middle + half) };
        assert!(triangle.overlaps(&aabb), "{triangle:?} {aabb:?}");
        assert_eq!(Distance::distance(&triangle, &aabb), 0.0);
        let axes = random.rotation();
        let obb = Obb { center: middle.into(), axes, half_extents: half };
        assert!(triangle.overlaps(&obb), "{triangle:?} {obb:?}");
    }
}
