//! Contacts of convex shapes with whole meshes: brute force over triangles as shapes of their own, and capsules.

use std::ops::ControlFlow;

use bvtree::probe::ConvexContact;
use bvtree::shape::{Capsule, ConvexShape, Segment};
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Probe};
use nalgebra::{Point3, Rotation3, Vector3};
use proptest::prelude::*;

use super::cases;
use super::convex::shapes;
use super::exact;
use super::meshes::{grid_soup, probes, soup, trees};

fn contacts(probe: &mut Probe, tree: &BvTree, shape: &ConvexShape, max_distance: f64) -> Vec<ConvexContact> {
    let mut found = Vec::new();
    probe.for_each_convex_contact(tree, shape, max_distance, |contact| {
        found.push(contact);
        ControlFlow::Continue(())
    });
    found.sort_by_key(|contact| contact.face);
    found
}

/// `tolerance` is that of depths, of shapes with discs.
fn check(mesh: &Mesh, shape: &ConvexShape, max_distance: f64, tolerance: f64) -> Result<(), TestCaseError> {
    let as_shape = |face| ConvexShape::hull(&mesh.triangle(face).vertices).unwrap();
    let all: Vec<f64> = (0..mesh.triangles().len() as u32)
        .map(|face| shape.contact(&as_shape(face), f64::INFINITY).unwrap().distance)
        .collect();
    let least = all.iter().copied().fold(f64::INFINITY, f64::min);
    let mut known: Option<Vec<ConvexContact>> = None;
    for tree in trees(mesh) {
        for mut probe in probes() {
            let found = contacts(&mut probe, &tree, shape, max_distance);
            if let Some(known) = &known {
                prop_assert_eq!(known, &found);
            }
            let mut faces = found.iter().map(|contact| contact.face as usize).peekable();
            for (face, distance) in all.iter().enumerate() {
                let is_found = faces.next_if_eq(&face).is_some();
                prop_assert!((distance - max_distance).abs() <= tolerance || is_found == (*distance <= max_distance));
            }
            for contact in &found {
                let expected = all[contact.face as usize];
                prop_assert!((contact.distance - expected).abs() <= tolerance, "{contact:?} {expected}");
                let across = contact.on_shape - contact.on_mesh - contact.normal * contact.distance;
                prop_assert!(across.norm() <= 1e-4 + tolerance, "{contact:?}");
                let triangle = mesh.triangle(contact.face);
                let off = (triangle.closest_point(&contact.on_mesh) - contact.on_mesh).norm();
                prop_assert!(off <= 10.0 * tolerance, "{off} {contact:?}");
            }
            let closest = probe.closest_convex_contact(&tree, shape, max_distance);
            prop_assert_eq!(closest.is_some(), !found.is_empty());
            if let Some(closest) = closest {
                let deepest = found.iter().min_by(|p, q| p.distance.total_cmp(&q.distance)).unwrap();
                prop_assert!((closest.distance - least).abs() <= tolerance);
                prop_assert!((closest.distance - deepest.distance).abs() <= tolerance, "{closest:?} {deepest:?}");
            }
            known = Some(found);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(24, 512))]

    #[test]
    fn trees_hide_no_contacts_of_convex_shapes(
        mesh in soup(),
        kind in 0..6usize,
        sizes in prop::array::uniform3(0f64..0.7),
        points in prop::collection::vec(prop::array::uniform3(-1f64..1.0), 1..9),
        rounding in prop::sample::select(vec![0.0, 0.0, 0.1]),
        turn in prop::array::uniform3(-3f64..3.0),
        center in prop::array::uniform3(-1.5f64..1.5),
        max_distance in prop::sample::select(vec![0.0, 0.3, f64::INFINITY]),
    ) {
        let rotation = Rotation3::from_scaled_axis(Vector3::from(turn)).into_inner();
        let pose = Pose::new(rotation, Vector3::from(center)).unwrap();
        let shape = shapes(kind, sizes, &points).rounded(rounding).unwrap().transformed(&pose);
        check(&mesh, &shape, max_distance, if matches!(kind, 3 | 4) { 1e-5 } else { 1e-11 })?;
    }

    #[test]
    fn contacts_of_convex_shapes_on_a_grid(
        triangles in grid_soup(),
        kind in prop::sample::select(vec![0, 1, 2, 5]),
        sizes in prop::array::uniform3(0..3_i32),
        points in prop::collection::vec(prop::array::uniform3(-2..=2_i32), 1..9),
        center in prop::array::uniform3(-6..=6_i32),
    ) {
        let mesh = exact::mesh(&triangles, 1.0);
        let points: Vec<[f64; 3]> = points.iter().map(|point| point.map(f64::from)).collect();
        let pose = Pose::from_translation(Vector3::from(center.map(f64::from))).unwrap();
        let shape = shapes(kind, sizes.map(f64::from), &points).transformed(&pose);
        check(&mesh, &shape, 1.5, 1e-11)?;
        // Whether a polytope touches a triangle is exact.
        let tree = BvTree::build(&mesh, &BuildOptions::default()).unwrap();
        let mut probe = Probe::new();
        let touching = contacts(&mut probe, &tree, &shape, 0.0).len();
        let mut faces = 0;
        probe.for_each_face_in_convex(&tree, &shape, |_| { faces += 1; ControlFlow::Continue(()) });
        prop_assert!(touching == faces || kind < 2, "{touching} {faces}");
    }

    /// Capsules have contacts of their own.
    #[test]
    fn contacts_of_capsules_as_convex_shapes(
        mesh in soup(),
        start in prop::array::uniform3(-1.5f64..1.5),
        axis in prop::array::uniform3(-1f64..1.0),
        radius in 0.01..0.5,
    ) {
        let tree = BvTree::build(&mesh, &BuildOptions::default()).unwrap();
        let mut probe = Probe::new();
        let start = Point3::from(start);
        let capsule = Capsule { segment: Segment { start, end: start + Vector3::from(axis) }, radius };
        let mut expected = Vec::new();
        probe.for_each_capsule_contact(&tree, &capsule, 0.5, |contact| {
            expected.push(contact);
            ControlFlow::Continue(())
        });
        expected.sort_by_key(|contact| contact.face);
        let found = contacts(&mut probe, &tree, &capsule.try_into().unwrap(), 0.5);
        prop_assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(&expected) {
            prop_assert_eq!(found.face, expected.face);
            prop_assert!((found.distance - expected.distance).abs() < 1e-12, "{found:?} {expected:?}");
        }
    }
}
