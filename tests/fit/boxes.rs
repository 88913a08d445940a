//! Boxes around solids of which the best one is known.

use bvtree::fit::{self, ObbFit};
use bvtree::triangle::Triangle;
use nalgebra::{Matrix3, Point3, Rotation3, Vector3};

use super::{cube, tetrahedron};

#[test]
fn covariance_box_of_a_posed_box_is_that_box() {
    let half_extents = Vector3::new(1.0, 2.0, 5.0);
    let rotation = Rotation3::from_euler_angles(0.3, -1.2, 2.0);
    let center = Point3::new(1e3, -2e3, 5e3);
    let corners: Vec<_> = (0..8)
        .map(|corner| {
            let sign = |bit: i32| if corner >> bit & 1 == 1 { 1.0 } else { -1.0 };
            center + rotation * half_extents.component_mul(&Vector3::new(sign(0), sign(1), sign(2)))
        })
        .collect();
    let obb = fit::obb_by_vertex_covariance(&corners);
    let mut found = obb.half_extents;
    found.as_mut_slice().sort_by(f64::total_cmp);
    assert!((found - half_extents).amax() < 1e-11, "{found}");
    assert!((obb.center - center).amax() < 1e-11);
}

#[test]
fn the_least_box_around_a_cube_or_its_tetrahedron_is_the_cube() {
    let rotation = Rotation3::from_euler_angles(0.7, 0.4, -2.5);
    for solid in [cube(), tetrahedron()] {
        let turned: Vec<_> = solid.iter().map(|point| rotation * point).collect();
        for fit in [ObbFit::MinimumVolume, ObbFit::Dito14] {
            // The edges of the tetrahedron are diagonals of the cube's faces: DiTO has no frame for them.
            if fit == ObbFit::MinimumVolume || solid.len() == 8 {
                let obb = fit.fit(&turned);
                assert!((obb.half_extents.product() - 1.0).abs() < 1e-7, "{fit}: {obb:?}");
                assert!(obb.center.coords.norm() < 1e-7);
            }
        }
    }
}

#[test]
fn flat_and_straight_sets_get_flat_and_straight_boxes() {
    let rotation = Rotation3::from_euler_angles(0.7, 0.4, -2.5);
    let rectangle = [[0.0, 0.0], [4.0, 0.0], [4.0, 2.0], [0.0, 2.0], [1.0, 1.5], [0.25, 0.5]];
    let flat: Vec<_> = rectangle.iter().map(|&[x, y]| rotation * Point3::new(x, y, 0.0)).collect();
    let straight: Vec<_> = [0.0, 3.0, 1.0, -1.0].iter().map(|&x| rotation * Point3::new(x, 0.0, 0.0)).collect();
    for fit in [ObbFit::MinimumVolume, ObbFit::Dito14, ObbFit::BestArea] {
        let mut size = fit.fit(&flat).half_extents;
        size.as_mut_slice().sort_by(f64::total_cmp);
        assert!((size - Vector3::new(0.0, 1.0, 2.0)).amax() < 1e-7, "{fit}: {size}");
    }
    for fit in ObbFit::ALL.iter().filter(|fit| **fit != ObbFit::AxisAligned) {
        let mut size = fit.fit(&straight).half_extents;
        size.as_mut_slice().sort_by(f64::total_cmp);
        assert!((size - Vector3::new(0.0, 0.0, 2.0)).amax() < 1e-7, "{fit}: {size}");
    }
}

#[test]
fn surface_covariance_does_not_depend_on_the_tessellation() {
    let corner = |x: f64, y: f64| Point3::new(x, y, 7.0);
    let triangle = |vertices: [Point3<f64>; 3]| Triangle { vertices };
    // The rectangle [0, 2] x [0, 1] in two triangles, and again in a fan of many slivers and points.
    let coarse = [
        triangle([corner(0.0, 0.0), corner(2.0, 0.0), corner(2.0, 1.0)]),
        triangle([corner(0.0, 0.0), corner(2.0, 1.0), corner(0.0, 1.0)]),
    ];
    let mut fine = vec![coarse[1], triangle([corner(5.0, 5.0); 3])];
    for i in 0..64 {
        let [y, next_y] = [i, i + 1].map(|i| f64::from(i) / 64.0);
        fine.push(triangle([corner(0.0, 0.0), corner(2.0, y), corner(2.0, next_y)]));
    }
    let expected = Matrix3::from_diagonal(&Vector3::new(4.0 / 12.0, 1.0 / 12.0, 0.0));
    for triangles in [&coarse[..], &fine[..]] {
        let found = fit::surface_covariance(triangles).expect("it has area");
        assert!((found - expected).amax() < 1e-14, "{found}");
    }
    assert_eq!(fit::surface_covariance(&[triangle([corner(5.0, 5.0); 3])]), None);
}

#[cfg(feature = "parry")]
#[test]
fn hull_covariance_ignores_inner_points() {
    let rotation = Rotation3::from_euler_angles(0.7, 0.4, -2.5);
    let brick = |corner: &Point3<f64>| corner.coords.component_mul(&Vector3::new(3.0, 2.0, 1.0));
    let mut points: Vec<_> = cube().iter().map(|corner| rotation * Point3::from(brick(corner))).collect();
    // A diagonal swarm inside turns the axes of the vertex covariance.
    let corner = points[0];
    points.extend((0..500).map(|i| corner * (f64::from(i) / 500.0)));
    let size = |fit: ObbFit| fit.fit(&points).half_extents.product();
    assert!(size(ObbFit::VertexCovariance) > 6.5);
    assert!((size(ObbFit::HullCovariance) - 6.0).abs() < 1e-5, "{}", size(ObbFit::HullCovariance));
}
