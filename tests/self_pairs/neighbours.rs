//! `Triangle::intersects_beyond_shared` against the oracle.

use bvtree::triangle::Triangle;
use nalgebra::{Point3, Vector3};
use proptest::prelude::*;

use super::clipping::meet_beyond_shared;
use crate::cases::cases;

/// Asserts the verdict for any order of the triangles and their corners.
fn check([a, b]: [Triangle; 2]) {
    let expected = meet_beyond_shared(&a, &b);
    for (a, b) in [(a, b), (b, a)] {
        let [p, q, r] = a.vertices;
        for turned in [a, Triangle::new(q, r, p), Triangle::new(r, p, q), Triangle::new(q, p, r)] {
            assert_eq!(turned.intersects_beyond_shared(&b), expected, "{turned:?} {b:?}");
        }
    }
}

/// Points of a small grid: shared corners, coplanar and collinear ones abound.
fn grid_points(n: usize) -> impl Strategy<Value = Vec<Point3<f64>>> {
    (1i8..4).prop_flat_map(move |size| {
        let point = prop::array::uniform3(0..=size).prop_map(|p| Point3::from(p.map(f64::from)));
        prop::collection::vec(point, n)
    })
}

fn unit_vector() -> impl Strategy<Value = Vector3<f64>> {
    prop::array::uniform3(-1.0..1.0).prop_map(Vector3::from)
}

/// A point of the plane, the line or the cone of two vectors, but for rounding and an ulp.
fn combination([u, v]: [Vector3<f64>; 2]) -> impl Strategy<Value = Vector3<f64>> {
    let weight = || prop_oneof![2 => -2.0..2.0, 1 => Just(0.0), 1 => Just(1.0), 1 => Just(-1.0)];
    let nudge = |x: f64, by: i8| match by {
        1 => x.next_up(),
        -1 => x.next_down(),
        _ => x,
    };
    (weight(), weight(), prop::array::uniform3(-1i8..=1), any::<bool>()).prop_map(move |(s, t, by, exact)| {
        let w: Vector3<f64> = u * s + v * t;
        if exact { w } else { Vector3::from_fn(|k, _| nudge(w[k], by[k])) }
    })
}

proptest! {
    #![proptest_config(cases(400, 10_000))]

    #[test]
    fn on_a_grid(points in grid_points(6)) {
        check([Triangle::new(points[0], points[1], points[2]), Triangle::new(points[3], points[4], points[5])]);
    }

    #[test]
    fn with_a_shared_corner_on_a_grid(points in grid_points(5)) {
        check([Triangle::new(points[0], points[1], points[2]), Triangle::new(points[3], points[0], points[4])]);
    }

    #[test]
    fn with_a_shared_edge_on_a_grid(points in grid_points(4)) {
        check([Triangle::new(points[0], points[1], points[2]), Triangle::new(points[3], points[1], points[0])]);
    }

    #[test]
    fn nearly_coplanar_at_a_corner(
        (corner, u, v, [w, x]) in (unit_vector(), unit_vector(), unit_vector()).prop_flat_map(|(corner, u, v)| {
            (Just(corner), Just(u), Just(v), [combination([u, v]), combination([u, v])])
        }),
    ) {
        let at = |offset: Vector3<f64>| Point3::from(corner + offset);
        let corner = Point3::from(corner);
        check([Triangle::new(corner, at(u), at(v)), Triangle::new(at(w), corner, at(x))]);
    }

    #[test]
    fn nearly_coplanar_at_an_edge(
        (corner, u, v, w) in (unit_vector(), unit_vector(), unit_vector()).prop_flat_map(|(corner, u, v)| {
            (Just(corner), Just(u), Just(v), combination([u, v]))
        }),
    ) {
        let at = |offset: Vector3<f64>| Point3::from(corner + offset);
        let corner = Point3::from(corner);
        check([Triangle::new(corner, at(u), at(v)), Triangle::new(at(u), corner, at(w))]);
    }

    #[test]
    fn in_general_position_at_a_corner(p in unit_vector(), [q, r, s, t] in [unit_vector(), unit_vector(),
        unit_vector(), unit_vector()]) {
        let [p, q, r, s, t] = [p, q, r, s, t].map(Point3::from);
        check([Triangle::new(p, q, r), Triangle::new(s, p, t)]);
    }
}
