//! `Triangle::closest_points` and its kin against the oracle.

use bvtree::triangle::{ClosestPoints, Triangle};
use nalgebra::Point3;

use super::oracle;
use super::scenes::{Random, count, from_grid, grid_triangle, near_contact, scaled, separated};

/// The error of a distance that is allowed.
fn tolerance(a: &Triangle, b: &Triangle, distance: f64) -> f64 {
    1e-14 * distance + 2e-15 * extent(a, b)
}

/// The largest difference of two coordinates of the same axis.
fn extent(a: &Triangle, b: &Triangle) -> f64 {
    let first = a.vertices[0];
    a.vertices.iter().chain(&b.vertices).map(|p| (p - first).amax()).fold(0.0, f64::max)
}

fn largest_coordinate(a: &Triangle, b: &Triangle) -> f64 {
    a.vertices.iter().chain(&b.vertices).map(|p| p.coords.amax()).fold(0.0, f64::max)
}

/// The closest points, after checking that they fit the verdict, the triangles and the other functions.
fn checked_closest_points(a: &Triangle, b: &Triangle) -> ClosestPoints {
    let closest = a.closest_points(b);
    let (distance, rounding) = (closest.distance_sq.sqrt(), 1e-14 * extent(a, b) + 1e-15 * largest_coordinate(a, b));
    assert_eq!(closest.distance_sq == 0.0, a.intersects(b), "{a:?} {b:?} {closest:?}");
    assert_eq!(closest.distance_sq, a.distance_sq(b));
    assert!((b.distance_sq(a).sqrt() - distance).abs() <= rounding, "swapped: {a:?} {b:?}");
    for (triangle, point) in [(a, closest.on_a), (b, closest.on_b)] {
        let off = (triangle.closest_point(&point) - point).norm();
        assert!(off <= rounding, "{point} is {off:e} off {triangle:?}: {a:?} {b:?}");
    }
    let between = (closest.on_b - closest.on_a).norm();
    assert!((between - distance).abs() <= rounding, "{between:e} is not {distance:e}: {a:?} {b:?}");
    if closest.distance_sq > 1e-25 * extent(a, b).powi(2) {
        for factor in [1e-6, 0.5, 0.999, 1.0] {
            assert_eq!(a.closest_points_within(b, closest.distance_sq * factor), None, "{a:?} {b:?}");
        }
        for factor in [1.001, 2.0, 1e6] {
            let within = a.closest_points_within(b, closest.distance_sq * factor);
            assert_eq!(within, Some(closest), "{a:?} {b:?}");
        }
    }
    closest
}

fn check_against_oracle(a: &Triangle, b: &Triangle) {
    let (distance, expected) = (checked_closest_points(a, b).distance_sq.sqrt(), oracle::distance(a, b));
    let error = (distance - expected).abs();
    assert!(error <= tolerance(a, b, expected), "{distance:e} should be {expected:e}, off {error:e}: {a:?} {b:?}");
}

#[test]
fn agrees_on_random_triangles() {
    let mut random = Random(11);
    for _ in 0..count(4_000) {
        let (a, b) = (random.triangle(), random.triangle());
        check_against_oracle(&a, &b);
        let shift = 3.0 * random.point().coords;
        check_against_oracle(&a, &Triangle { vertices: b.vertices.map(|p| p + shift) });
    }
}

#[test]
fn agrees_on_grid_triangles() {
    let mut random = Random(12);
    for i in 0..count(200_000) {
        let size = 1 + i as u64 % 4;
        let (a, b) = (grid_triangle(&mut random, size), grid_triangle(&mut random, size));
        let (num, den) = oracle::hull_distance_sq(&oracle::differences(&a, &b));
        let (expected, [a, b]) = ((num as f64 / den as f64).sqrt(), [from_grid(&a), from_grid(&b)]);
        let distance = checked_closest_points(&a, &b).distance_sq.sqrt();
        let error = (distance - expected).abs();
        assert!(error <= tolerance(&a, &b, expected), "{distance} not {expected}: {a:?} {b:?}");
    }
}

#[test]
fn agrees_near_contact() {
    let mut random = Random(13);
    for _ in 0..count(4_000) {
        let [a, b] = near_contact(&mut random);
        check_against_oracle(&a, &b);
    }
}

#[test]
fn agrees_across_small_gaps() {
    let mut random = Random(14);
    for _ in 0..count(6_000) {
        let [a, b] = separated(&mut random);
        check_against_oracle(&a, &b);
    }
}

#[test]
fn scales_exactly() {
    let mut random = Random(15);
    for _ in 0..count(6_000) {
        let [a, b] = separated(&mut random);
        let closest = a.closest_points(&b);
        for exponent in [100, -100, 150, -150] {
            let scale = 2f64.powi(exponent);
            let distance_sq = scaled(&a, scale).distance_sq(&scaled(&b, scale));
            let expected = closest.distance_sq * scale * scale;
            assert!((distance_sq - expected).abs() <= 1e-12 * expected, "2^{exponent}: {a:?} {b:?}");
        }
    }
}

#[test]
fn closest_point_of_any_triangle() {
    let mut random = Random(16);
    for _ in 0..count(4_000) {
        let [t, other] = separated(&mut random);
        let p = other.vertices[random.below(3) as usize];
        let point = Triangle::new(p, p, p);
        let (distance, expected) = ((t.closest_point(&p) - p).norm(), oracle::distance(&t, &point));
        let rounding = tolerance(&t, &point, expected) + 1e-15 * largest_coordinate(&t, &point);
        assert!((distance - expected).abs() <= rounding, "{distance:e} should be {expected:e}: {t:?} {p:?}");
    }
}

#[test]
fn an_indivisible_gap_is_not_zero() {
    let flat = Triangle::new(Point3::origin(), Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0));
    let above = Triangle { vertices: flat.vertices.map(|p| Point3::new(p.x, p.y, 1e-80)) };
    assert!(flat.distance_sq(&above) > 0.0);
    assert_eq!(flat.closest_points_within(&above, 0.0), None);
    assert_eq!(flat.closest_points_within(&flat, 0.0), None);
    assert_eq!(flat.closest_points_within(&flat, 1e-300).map(|c| c.distance_sq), Some(0.0));
}

#[test]
fn wild_coordinates_give_some_answer() {
    let wild = [0.0, -0.0, 1.0, 5e-324, 1e-200, 1e-90, 1e100, 1e200, f64::MAX, f64::MIN, f64::INFINITY, f64::NAN];
    let mut random = Random(17);
    for _ in 0..count(100_000) {
        let [a, b] = [(); 2].map(|()| Triangle {
            vertices: [(); 3].map(|()| Point3::from([(); 3].map(|()| wild[random.below(12) as usize]))),
        });
        a.closest_points(&b);
        a.closest_points_within(&b, wild[random.below(12) as usize]);
        b.closest_point(&a.vertices[0]);
    }
}
