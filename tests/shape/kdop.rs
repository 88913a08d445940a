//! Volumes, surfaces and diameters of k-DOPs with known values.

use bvtree::shape::{Aabb, KDop};
use nalgebra::Point3;

#[test]
fn a_cube_is_a_cube_and_an_octahedron_is_cut() {
    let cube = Aabb { lower: Point3::new(-1.0, -2.0, -3.0), upper: Point3::new(1.0, 2.0, 3.0) };
    let kdop = KDop::from_points(&cube.corners());
    assert!((kdop.volume() - cube.volume()).abs() < 1e-9 && (kdop.surface_area() - cube.surface_area()).abs() < 1e-9);
    assert!((kdop.diameter() - cube.size().norm()).abs() < 1e-9);
    // The rhombic dodecahedron with edges of sqrt(3) / 2, cut by no axis.
    let mut rhombic = kdop;
    (rhombic.lower, rhombic.upper) = ([-1.0; 9], [1.0; 9]);
    assert!((rhombic.volume() - 2.0).abs() < 1e-9, "{}", rhombic.volume());
    assert!((rhombic.surface_area() - 6.0 * 2f64.sqrt()).abs() < 1e-9, "{}", rhombic.surface_area());
}

#[test]
fn flat_ones_have_two_sides() {
    let square = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]].map(|[x, z]| Point3::new(x, x, z));
    let kdop = KDop::from_points(&square);
    assert!(kdop.volume() < 1e-9, "{}", kdop.volume());
    assert!((kdop.surface_area() - 2.0 * 2f64.sqrt()).abs() < 1e-6, "{}", kdop.surface_area());
    let point = KDop::from_points([&Point3::new(1.0, 2.0, 3.0)]);
    assert_eq!((point.volume(), point.surface_area(), point.diameter()), (0.0, 0.0, 0.0));
}
