use bvtree::{Mesh, Probe};
use nalgebra::Point3;
use proptest::prelude::*;

use super::cases;
use super::exact;
use super::meshes::{grid_soup, probes, soup, trees};

/// Distance and face of the nearest triangle, the first of those equally near.
fn brute_force(mesh: &Mesh, point: &Point3<f64>) -> Option<(f64, u32)> {
    let distance = |face| (mesh.triangle(face).closest_point(point) - point).norm();
    let faces = 0..mesh.triangles().len() as u32;
    faces.map(|face| (distance(face), face)).min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)))
}

fn check(mesh: &Mesh, point: &Point3<f64>) -> Result<(), TestCaseError> {
    let expected = brute_force(mesh, point);
    for tree in trees(mesh) {
        for mut probe in probes() {
            let closest = probe.closest_point(&tree, point);
            prop_assert_eq!(closest.map(|closest| (closest.distance, closest.face)), expected);
            let Some(closest) = closest else { continue };
            prop_assert_eq!(closest.point, mesh.triangle(closest.face).closest_point(point));
            prop_assert_eq!(probe.closest_point_within(&tree, point, closest.distance), Some(closest));
            if closest.distance > 0.0 {
                prop_assert_eq!(probe.closest_point_within(&tree, point, closest.distance.next_down()), None);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(16, 1024))]

    #[test]
    fn trees_hide_no_closest_point(
        mesh in soup(),
        direction in prop::array::uniform3(-1f64..1.0),
        distance in prop::sample::select(vec![0.0, 1e-3, 0.5, 2.0, 300.0, 1e3, 1e6, 1e12, 1e25]),
    ) {
        check(&mesh, &Point3::from(direction.map(|x| x * distance)))?;
    }

    #[test]
    fn closest_points_on_a_grid(
        triangles in grid_soup(),
        point in prop::array::uniform3(-6..=6_i64),
        exponent in prop::sample::select(vec![-100, 0, 100]),
    ) {
        let scale = 2f32.powi(exponent);
        let mesh = exact::mesh(&triangles, scale);
        let at = Point3::from(point.map(|x| x as f64 * f64::from(scale)));
        check(&mesh, &at)?;
    }

    #[test]
    fn points_of_the_mesh_are_at_no_distance(
        mesh in soup(),
        face in any::<prop::sample::Index>(),
        weights in prop::array::uniform3(0f64..1.0),
    ) {
        let [a, b, c] = mesh.triangle(face.index(mesh.triangles().len()) as u32).vertices;
        let sum: f64 = weights.iter().sum();
        prop_assume!(sum > 0.0);
        let [u, v, w] = weights.map(|weight| weight / sum);
        let inside = Point3::from(a.coords * u + b.coords * v + c.coords * w);
        for tree in trees(&mesh) {
            prop_assert_eq!(Probe::new().closest_point(&tree, &a).map(|closest| closest.distance), Some(0.0));
            let distance = Probe::new().closest_point(&tree, &inside).map(|closest| closest.distance);
            prop_assert!(distance.is_some_and(|distance| distance < 1e-14));
        }
    }
}

#[test]
fn no_closest_point_where_there_is_none() {
    let empty = Mesh::from_arrays(Vec::new(), Vec::new()).unwrap();
    let triangle = exact::mesh(&[[[0, 0, 0], [1, 0, 0], [0, 1, 0]]], 1.0);
    for mut probe in probes() {
        for tree in trees(&empty) {
            assert_eq!(probe.closest_point(&tree, &Point3::origin()), None);
        }
        for tree in trees(&triangle) {
            for x in [f64::NAN, f64::INFINITY] {
                assert_eq!(probe.closest_point(&tree, &Point3::new(x, 0.0, 0.0)), None);
            }
            assert_eq!(probe.closest_point_within(&tree, &Point3::origin(), -1.0), None);
            assert_eq!(probe.closest_point_within(&tree, &Point3::origin(), f64::NAN), None);
        }
    }
}
