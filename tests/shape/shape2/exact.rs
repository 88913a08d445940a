//! Cases that are exact, and what is refused.

use std::f64::consts::PI;

use bvtree::shape::{Capsule, Distance, Overlaps, Segment, Separation};
use bvtree::shape2::{Aabb, Circle, ConvexPolygon, Obb, PolygonError};
use nalgebra::{Matrix2, Point2, Vector2};

use crate::shape::cases::{CASES, Random};

/// Against a count of the integer points in both, for rectangles with integer corners, in three forms.
#[test]
fn integer_rectangles_touch_exactly() {
    let random = &mut Random(44);
    for _ in 0..CASES {
        let mut rectangle = || {
            let (a, b): (Point2<f64>, Point2<f64>) = (random.grid_point(3), random.grid_point(3));
            Aabb { lower: a.inf(&b), upper: a.sup(&b) }
        };
        let (first, second) = (rectangle(), rectangle());
        let common = |k: usize| {
            (-3..=3)
                .map(f64::from)
                .any(|x| first.lower[k] <= x && x <= first.upper[k] && second.lower[k] <= x && x <= second.upper[k])
        };
        let expected = common(0) && common(1);
        assert_eq!(first.overlaps(&second), expected, "{first:?} {second:?}");
        let turned = Matrix2::new(0.0, -1.0, 1.0, 0.0);
        let obb = |aabb: &Aabb, axes: Matrix2<f64>| Obb {
            center: nalgebra::center(&aabb.lower, &aabb.upper),
            axes,
            half_extents: (axes.transpose() * (aabb.upper - aabb.lower) * 0.5).abs(),
        };
        let (own, others) = (obb(&first, Matrix2::identity()), obb(&second, turned));
        assert_eq!(own.overlaps(&others), expected, "{own:?} {others:?}");
        let (own, others) = (own.corners(), others.corners());
        if let (Ok(own), Ok(others)) = (ConvexPolygon::new(&own), ConvexPolygon::new(&others)) {
            assert_eq!(own.overlaps(&others), expected, "{own:?} {others:?}");
        }
    }
}

/// Circles on integers against the definition: the least squared distance to the points of a rectangle or a segment.
#[test]
fn integer_circles_touch_exactly() {
    let random = &mut Random(45);
    for _ in 0..CASES {
        let center: Point2<f64> = random.grid_point(6);
        let circle = Circle { center, radius: random.integer(0, 6) as f64 };
        let (a, b): (Point2<f64>, Point2<f64>) = (random.grid_point(3), random.grid_point(3));
        let (lower, upper) = (a.inf(&b), a.sup(&b));
        let least = |lower: &Point2<f64>, upper: &Point2<f64>| -> i64 {
            let range = |k: usize| lower[k] as i64..=upper[k] as i64;
            let distance_sq = |x: i64, y: i64| (x - center.x as i64).pow(2) + (y - center.y as i64).pow(2);
            range(0).flat_map(|x| range(1).map(move |y| (x, y))).map(|(x, y)| distance_sq(x, y)).min().unwrap()
        };
        let radius = circle.radius as i64;
        assert_eq!(Aabb { lower, upper }.overlaps(&circle), least(&lower, &upper) <= radius * radius);
        let other = random.integer(0, 4);
        let reach = (radius + other).pow(2);
        assert_eq!(Circle { center: a, radius: other as f64 }.overlaps(&circle), least(&a, &a) <= reach);
        let mut end = a;
        end.x = b.x;
        let capsule = Capsule { segment: Segment { start: a, end }, radius: 0.0 };
        assert_eq!(circle.overlaps(&capsule), least(&a.inf(&end), &a.sup(&end)) <= radius * radius);
    }
}

#[test]
fn touching_and_degenerate_cases_are_exact() {
    let square = Aabb { lower: Point2::origin(), upper: Point2::new(2.0, 2.0) };
    let standing = Obb { center: Point2::new(1.0, 1.0), axes: Matrix2::identity(), half_extents: Vector2::repeat(1.0) };
    let corners = standing.corners();
    let polygon = ConvexPolygon::new(&corners).unwrap();
    let touching = Circle { center: Point2::new(5.0, 6.0), radius: 5.0 };
    let missing = Circle { radius: 4.9999999, ..touching };
    assert!(square.overlaps(&touching) && standing.overlaps(&touching) && polygon.overlaps(&touching));
    assert!(!square.overlaps(&missing) && !standing.overlaps(&missing) && !polygon.overlaps(&missing));
    assert!(!Aabb { lower: square.upper, upper: square.lower }.overlaps(&touching));

    // Parallel sides that touch, by 4 axes and by all normals.
    let beside = |x: f64| Obb { center: Point2::new(x, 2.0), ..standing };
    assert!(standing.overlaps(&beside(3.0)) && !standing.overlaps(&beside(3.0 + 1e-11)));
    assert_eq!(standing.separating_axis(&beside(4.5)), Separation::Apart { axis: Vector2::x(), gap: 1.5 });
    assert_eq!(standing.separating_axis(&beside(-0.5)), Separation::Overlapping { axis: -Vector2::x(), depth: 0.5 });
    let triangle = [Point2::new(2.0, 1.0), Point2::new(4.0, 0.0), Point2::new(4.0, 3.0)];
    assert!(polygon.overlaps(&ConvexPolygon::new(&triangle).unwrap()));
    let within = [Point2::new(0.5, 0.5), Point2::new(0.5, 1.0), Point2::new(1.0, 1.0)];
    assert_eq!(polygon.distance(&ConvexPolygon::new(&within).unwrap()), 0.0);

    // Rectangles of no width or no size at all.
    let flat = Obb { center: Point2::new(1.0, 4.0), half_extents: Vector2::new(3.0, 0.0), ..standing };
    assert_eq!(flat.distance(&standing), 2.0);
    let point = Obb { center: Point2::new(1.0, 4.0), half_extents: Vector2::zeros(), ..standing };
    assert!(point.overlaps(&flat) && point.overlaps(&point) && !point.overlaps(&standing));

    // Collinear and crossing segments.
    let segment = |a: [f64; 2], b: [f64; 2]| Segment { start: Point2::from(a), end: Point2::from(b) };
    assert_eq!(segment([0.0, 0.0], [1.0, 1.0]).distance_sq(&segment([4.0, 4.0], [3.0, 3.0])), 8.0);
    assert_eq!(segment([0.0, 0.0], [3.0, 3.0]).distance_sq(&segment([2.0, 2.0], [4.0, 4.0])), 0.0);
    let crossing = segment([0.0, 0.0], [2.0, 2.0]).closest_points(&segment([0.0, 2.0], [2.0, 0.0]));
    assert_eq!(crossing, (Point2::new(1.0, 1.0), Point2::new(1.0, 1.0)));
    let tiny = 1e-90;
    assert_eq!(segment([-tiny, 0.0], [tiny, 0.0]).distance(&segment([0.0, -tiny], [0.0, tiny])), 0.0);
}

#[test]
fn what_is_no_convex_polygon_is_refused() {
    let refused = |corners: &[[f64; 2]]| {
        let corners: Vec<Point2<f64>> = corners.iter().map(|corner| Point2::from(*corner)).collect();
        ConvexPolygon::new(&corners).err()
    };
    assert_eq!(refused(&[]), Some(PolygonError::TooFewVertices(0)));
    assert_eq!(refused(&[[0.0, 0.0], [1.0, 0.0]]), Some(PolygonError::TooFewVertices(2)));
    assert_eq!(refused(&[[0.0, 0.0], [1.0, f64::NAN], [2.0, 1.0]]), Some(PolygonError::NotFinite(1)));
    assert_eq!(refused(&[[0.1, 0.3], [0.2, 0.6], [0.3, 0.9]]), Some(PolygonError::NoArea));
    assert_eq!(refused(&[[5.0, 5.0]; 4]), Some(PolygonError::NoArea));
    let arrowhead = [[0.0, 0.0], [2.0, -1.0], [0.5, 0.0], [2.0, 1.0]];
    assert!(matches!(refused(&arrowhead), Some(PolygonError::NotConvex(_))));
    let spike = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [2.0, 3.0], [2.0, 2.0], [0.0, 2.0]];
    assert!(matches!(refused(&spike), Some(PolygonError::NotConvex(_))));
    let star: Vec<[f64; 2]> = (0..5).map(|i| 0.8 * PI * f64::from(i)).map(|angle| [angle.cos(), angle.sin()]).collect();
    assert!(matches!(refused(&star), Some(PolygonError::NotConvex(_))));
    let mut square = vec![[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [0.0, 0.0]];
    assert_eq!(refused(&square), None);
    square.reverse();
    assert_eq!(refused(&square), None);
}
