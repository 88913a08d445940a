//! Vertices that are farthest along a direction, against all vertices.

use bvtree::{Mesh, Probe};
use nalgebra::{Point3, Vector3};
use proptest::prelude::*;

use super::cases;
use super::exact;
use super::meshes::{grid_soup, probes, soup, trees};

fn check(mesh: &Mesh, direction: Vector3<f64>, tolerance: f64) -> Result<(), TestCaseError> {
    let height = |point: &Point3<f64>| point.coords.dot(&direction) / direction.norm();
    let corners =
        || (0..mesh.triangles().len() as u32).flat_map(|face| mesh.triangle(face).vertices.map(|p| (face, p)));
    let highest = corners().map(|(_, point)| height(&point)).fold(f64::NEG_INFINITY, f64::max);
    let first = corners().find(|(_, point)| height(point) == highest).map(|(face, _)| face);
    for tree in trees(mesh) {
        for mut probe in probes() {
            let found = probe.support_point(&tree, &direction);
            prop_assert_eq!(found.is_some(), first.is_some());
            let Some(found) = found else { continue };
            prop_assert!((height(&found.point) - highest).abs() <= tolerance, "{found:?} {highest}");
            prop_assert!(mesh.triangle(found.face).vertices.contains(&found.point));
            if tolerance == 0.0 {
                prop_assert_eq!(Some(found.face), first);
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(48, 1024))]

    #[test]
    fn support_points_are_the_farthest_vertices(mesh in soup(), direction in prop::array::uniform3(-1f64..1.0)) {
        check(&mesh, Vector3::from(direction), 1e-13)?;
    }

    /// Many vertices reach as far.
    #[test]
    fn support_points_on_a_grid(
        triangles in grid_soup(),
        axis in 0..3usize,
        length in prop::sample::select(vec![-1e30, -0.5, 2.0, 1e-30]),
    ) {
        check(&exact::mesh(&triangles, 1.0), Vector3::ith(axis, length), 0.0)?;
    }
}

#[test]
fn directions_without_a_length_have_no_support_point() {
    let mesh = crate::solids::cuboid([1.0; 3]);
    for tree in trees(&mesh) {
        for direction in [Vector3::zeros(), Vector3::repeat(f64::NAN), Vector3::x() * f64::INFINITY] {
            assert_eq!(Probe::new().support_point(&tree, &direction), None);
        }
        assert!(Probe::new().support_point(&tree, &Vector3::repeat(1e300)).is_some());
    }
}
