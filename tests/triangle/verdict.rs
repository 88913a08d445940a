//! `Triangle::intersects` against the oracle.

use bvtree::triangle::Triangle;
use nalgebra::Point3;

use super::oracle;
use super::scenes::{Random, count, from_grid, grid_triangle, near_contact, scaled};

const TURNS: [[usize; 3]; 6] = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]];

/// The verdict, after checking that it does not depend on the order of vertices and arguments.
fn verdict(a: &Triangle, b: &Triangle, which: u64) -> bool {
    let turned = |t: &Triangle, turn: u64| Triangle { vertices: TURNS[turn as usize % 6].map(|i| t.vertices[i]) };
    let (a2, b2) = (turned(a, which), turned(b, which / 6));
    let answer = a.intersects(b);
    assert_eq!(answer, b.intersects(a), "swapped: {a:?} {b:?}");
    assert_eq!(answer, a2.intersects(&b2), "turned: {a:?} {b:?}");
    answer
}

#[test]
fn agrees_on_random_grid_triangles() {
    let mut random = Random(1);
    let mut hits = 0;
    for i in 0..count(600_000) {
        let size = 1 + i as u64 % 4;
        let (a, b) = (grid_triangle(&mut random, size), grid_triangle(&mut random, size));
        let expected = oracle::hull_holds_origin(&oracle::differences(&a, &b));
        assert_eq!(verdict(&from_grid(&a), &from_grid(&b), random.below(36)), expected, "{a:?} {b:?}");
        hits += usize::from(expected);
    }
    assert!(hits > count(100_000), "only {hits} contacts");
}

/// Pairs of triangles in the plane grid `{0,1,2}^2`, one of them also tilted out of the plane: every way to be
/// coplanar, collinear, a point.
#[test]
fn agrees_on_small_planar_triangles() {
    let point = |i: i64| [i % 3, i / 3, 0];
    let step = if cfg!(debug_assertions) { 83 } else { 5 };
    for code in (0..9i64.pow(6)).step_by(step) {
        let digit = |k: u32| point(code / 9i64.pow(k) % 9);
        let (a, mut b) = ([digit(0), digit(1), digit(2)], [digit(3), digit(4), digit(5)]);
        for lift in [0, 1, -1] {
            b[0][2] = lift;
            b[1][2] = -lift * (code % 2);
            let expected = oracle::hull_holds_origin(&oracle::differences(&a, &b));
            assert_eq!(verdict(&from_grid(&a), &from_grid(&b), code as u64), expected, "{a:?} {b:?}");
        }
    }
}

#[test]
fn agrees_near_contact_at_all_scales() {
    let mut random = Random(2);
    let mut hits = 0;
    for _ in 0..count(15_000) {
        let [a, b] = near_contact(&mut random);
        let expected = oracle::intersects(&a, &b);
        hits += usize::from(expected);
        for exponent in [0, 100, -100, 290, -240] {
            let scale = 2f64.powi(exponent);
            let (a, b) = (scaled(&a, scale), scaled(&b, scale));
            assert_eq!(verdict(&a, &b, random.below(36)), expected, "2^{exponent}: {a:?} {b:?}");
        }
    }
    assert!(hits > count(2_500) && hits < count(12_500), "{hits} contacts are no fair mix");
}

#[test]
fn agrees_on_random_triangles() {
    let mut random = Random(3);
    for _ in 0..count(10_000) {
        let (a, b) = (random.triangle(), random.triangle());
        assert_eq!(verdict(&a, &b, random.below(36)), oracle::intersects(&a, &b), "{a:?} {b:?}");
    }
}

#[test]
fn a_triangle_meets_itself_and_its_parts() {
    let mut random = Random(4);
    for _ in 0..count(10_000) {
        let t = random.triangle();
        let [a, b, c] = t.vertices;
        for part in [t, Triangle::new(a, b, a), Triangle::new(c, c, c), Triangle::new(b, a, random.point())] {
            assert!(verdict(&t, &part, random.below(36)), "{t:?} {part:?}");
        }
    }
}

#[test]
fn wild_coordinates_give_some_answer() {
    let wild = [0.0, -0.0, 1.0, 5e-324, -1e-200, 1e-90, 1e100, 1e200, f64::MAX, f64::MIN, f64::INFINITY, f64::NAN];
    let mut random = Random(5);
    for _ in 0..count(100_000) {
        let [a, b] = [(); 2].map(|()| Triangle {
            vertices: [(); 3].map(|()| Point3::from([(); 3].map(|()| wild[random.below(12) as usize]))),
        });
        // No panic is all that is promised here, but a triangle without NaN and infinity meets itself.
        a.intersects(&b);
        if a.vertices.iter().all(|p| p.iter().all(|x| x.abs() <= 1e100 && (*x == 0.0 || x.abs() >= 1e-90))) {
            assert!(a.intersects(&a), "{a:?}");
        }
    }
}
