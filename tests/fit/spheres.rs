//! Balls around points of which the smallest one is known.

use bvtree::fit;
use nalgebra::Point3;

use super::{assert_ball_encloses, cube, tetrahedron};

#[test]
fn the_ritter_ball_of_a_triangle_is_the_smallest() {
    let grid = (0..5 * 5 * 5).map(|i| Point3::new(f64::from(i % 5), f64::from(i / 5 % 5), f64::from(i / 25)));
    let first = Point3::new(1.0, 2.0, 0.0);
    let needles =
        [1e-3, 1e-9, 1e-170, 1e140].map(|x| [Point3::origin(), Point3::new(1.0, x, 0.0), Point3::new(1.0, 0.0, x)]);
    let triangles = grid.clone().flat_map(|b| grid.clone().map(move |c| [first, b, c])).chain(needles);
    for [a, b, c] in triangles {
        let least = fit::smallest_sphere(&[a, b, c]).sphere.radius;
        for points in [[a, b, c], [c, a, b], [b, c, a], [c, b, a]] {
            let ball = fit::ritter(&points);
            assert_ball_encloses(&ball, &points, "ritter");
            assert!(ball.radius <= least * (1.0 + 1e-12), "{points:?}: {}, not {least}", ball.radius);
        }
    }
}

#[test]
fn smallest_spheres_of_known_sets() {
    let obtuse = vec![Point3::new(-2.0, 0.0, 0.0), Point3::new(2.0, 0.0, 0.0), Point3::new(0.5, 1.0, 0.0)];
    let equilateral = vec![Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0), Point3::new(0.0, 0.0, 1.0)];
    // A right angle at the last point, blurred by rounding far from the origin.
    let right = vec![Point3::new(-2e-9, 1.0, 0.0), Point3::new(2e-9, 1.0, 0.0), Point3::new(0.0, 1.0, 2e-9)];
    let ball = fit::smallest_sphere(&right);
    assert!((ball.sphere.radius - 2e-9).abs() < 1e-15, "{ball:?}");

    for (points, radius_sq, support) in
        [(cube(), 3.0, 2..=4), (tetrahedron(), 3.0, 4..=4), (obtuse, 4.0, 2..=2), (equilateral, 2.0 / 3.0, 3..=3)]
    {
        let ball = fit::smallest_sphere(&points);
        assert!((ball.sphere.radius.powi(2) - radius_sq).abs() < 1e-14, "{ball:?}");
        assert!(support.contains(&ball.support.len()), "{ball:?}");
    }
}
