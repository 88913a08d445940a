//! Contacts of spheres and capsules at rest, against brute force and against pushing.

use std::ops::ControlFlow;

use bvtree::probe::CapsuleContact;
use bvtree::shape::{Capsule, Segment};
use bvtree::triangle::Triangle;
use bvtree::{BuildOptions, BvTree, Mesh, Probe};
use nalgebra::{Point3, Vector3};
use proptest::prelude::*;

use super::cases;
use super::exact;
use super::meshes::{grid_soup, probes, soup, trees};

fn contacts(probe: &mut Probe, tree: &BvTree, capsule: &Capsule, reach: f64) -> Vec<CapsuleContact> {
    let mut found = Vec::new();
    probe.for_each_capsule_contact(tree, capsule, reach, |contact| {
        found.push(contact);
        ControlFlow::Continue(())
    });
    found.sort_by_key(|contact| contact.face);
    found
}

/// The distance of a segment from a triangle, as that of two triangles, one of no area.
fn distance(triangle: &Triangle, capsule: &Capsule) -> f64 {
    let Segment { start, end } = capsule.segment;
    triangle.distance_sq(&Triangle::new(start, end, end)).sqrt()
}

fn check(mesh: &Mesh, capsule: &Capsule, reach: f64, scale: f64) -> Result<(), TestCaseError> {
    let tolerance = 1e-12 * scale;
    let mut known = None;
    for tree in trees(mesh) {
        for mut probe in probes() {
            let found = contacts(&mut probe, &tree, capsule, reach);
            prop_assert_eq!(known.get_or_insert(found.clone()), &found);
            let nearest = probe.closest_capsule_contact(&tree, capsule, f64::INFINITY);
            let within = probe.closest_capsule_contact(&tree, capsule, reach);
            prop_assert_eq!(within, nearest.filter(|contact| contact.distance <= reach));
            let first =
                found.iter().copied().min_by(|a, b| a.distance.total_cmp(&b.distance).then(a.face.cmp(&b.face)));
            prop_assert_eq!(within, first);
        }
    }
    let found = known.unwrap_or_default();
    for face in 0..mesh.triangles().len() as u32 {
        let triangle = mesh.triangle(face);
        let expected = distance(&triangle, capsule) - capsule.radius;
        let contact = found.iter().find(|contact| contact.face == face);
        let Some(contact) = contact else {
            prop_assert!(expected > reach - tolerance, "missed at {expected}");
            continue;
        };
        prop_assert!(expected < reach + tolerance);
        prop_assert!((triangle.closest_point(&contact.point) - contact.point).norm() <= tolerance);
        let crosses = expected <= -capsule.radius + tolerance;
        if !crosses {
            prop_assert!((contact.distance - expected).abs() <= tolerance, "{} for {expected}", contact.distance);
        }
        prop_assert!(contact.normal == Vector3::zeros() || (contact.normal.norm() - 1.0).abs() < 1e-12);
        // The depth is a way out, and there is none that is much shorter.
        if contact.distance < 0.0 && contact.normal != Vector3::zeros() {
            let Segment { start, end } = capsule.segment;
            let out = |way: Vector3<f64>| {
                let moved = Capsule { segment: Segment { start: start + way, end: end + way }, ..*capsule };
                distance(&triangle, &moved) - capsule.radius
            };
            prop_assert!(out(contact.normal * -contact.distance) >= -1e-9 * scale);
            for i in 0..20 {
                let turn = f64::from(i) * 2.399_963;
                let height = 1.0 - (2.0 * f64::from(i) + 1.0) / 20.0;
                let flat = (1.0 - height * height).sqrt();
                let direction = Vector3::new(flat * turn.cos(), flat * turn.sin(), height);
                prop_assert!(out(direction * (-contact.distance * 0.99)) <= 1e-9 * scale);
            }
        }
    }
    Ok(())
}

/// Where the sum of a coordinate, the radius and the limit is rounded down, and the computed distance is not.
#[test]
fn contacts_at_the_limit_are_found() {
    let cases = [(0.37, 1.2, 0.18, 1.75), (0.06, 0.58, 0.11, 0.75), (2.9, 2.3, 2.8, 8.0)];
    for (x, radius, reach, vertex) in cases {
        let corners = [[vertex, 0.0, 0.0], [vertex + 1.0, 1.0, 0.0], [vertex + 1.0, -1.0, 0.0]];
        let mesh = Mesh::from_arrays(corners.map(Point3::from).to_vec(), vec![[0, 1, 2]]).unwrap();
        let center = Point3::new(x, 0.0, 0.0);
        let sphere = Capsule { segment: Segment { start: center, end: center }, radius };
        assert!(distance(&mesh.triangle(0), &sphere) - radius <= reach, "{x}");
        for tree in trees(&mesh) {
            let mut probe = Probe::new();
            assert!(probe.closest_capsule_contact(&tree, &sphere, reach).is_some(), "{x}");
            assert_eq!(contacts(&mut probe, &tree, &sphere, reach).len(), 1, "{x}");
        }
    }
}

proptest! {
    #![proptest_config(cases(16, 1024))]

    #[test]
    fn contacts_are_all_the_near_triangles(
        mesh in soup(),
        start in prop::array::uniform3(-1.5f64..1.5),
        axis in prop::array::uniform3(-1f64..1.0),
        length in prop::sample::select(vec![0.0, 1e-3, 0.4, 2.0]),
        radius in prop::sample::select(vec![0.0, 0.01, 0.3]),
        reach in prop::sample::select(vec![0.0, 0.01, 0.5]),
    ) {
        let start = Point3::from(start);
        let end = start + Vector3::from(axis) * length;
        check(&mesh, &Capsule { segment: Segment { start, end }, radius }, reach, 10.0)?;
    }

    #[test]
    fn contacts_with_needles(
        beside in prop::array::uniform3(0f32..1.0),
        along in prop::array::uniform3(0f32..1.0),
        width in -17..0_i32,
        parts in prop::array::uniform3(0.0..1.0),
        axis in prop::array::uniform3(-1f64..1.0),
        offset in prop::array::uniform3(-1f64..1.0),
    ) {
        let [a, b] = [Point3::from(beside) * 10f32.powi(width), Point3::from(along)];
        let mesh = Mesh::from_arrays(vec![a, b, b * 2.0], vec![[0, 1, 2]]).unwrap();
        let triangle = mesh.triangle(0);
        let [a, b, c] = triangle.vertices;
        let at = a + ((b - a) * parts[0] + (c - b) * (parts[0] * parts[1]));
        let tree = BvTree::build(&mesh, &BuildOptions::default()).unwrap();
        let sizes = [0.0, 1e-10, 1e-8, 1e-6, 1e-4, 1.0];
        for (length, height) in sizes.into_iter().flat_map(|length| sizes.map(|height| (length, height))) {
            let axis = Vector3::from(axis) * length;
            let start = at + Vector3::from(offset) * height - axis * parts[2];
            let capsule = Capsule { segment: Segment { start, end: start + axis }, radius: 0.0 };
            let contact = Probe::new().closest_capsule_contact(&tree, &capsule, f64::INFINITY).unwrap();
            let [found, expected] = [contact.distance.max(0.0), distance(&triangle, &capsule)];
            prop_assert!((found - expected).abs() <= 1e-12, "{found:e} for {expected:e}");
        }
    }

    #[test]
    fn contacts_on_a_grid(
        triangles in grid_soup(),
        start in prop::array::uniform3(-5..=5_i64),
        axis in prop::array::uniform3(-2..=2_i64),
        radius in 0..=3_i32,
    ) {
        let start = Point3::from(start.map(|x| x as f64));
        let segment = Segment { start, end: start + Vector3::from(axis.map(|x| x as f64)) };
        check(&exact::mesh(&triangles, 1.0), &Capsule { segment, radius: f64::from(radius) * 0.5 }, 0.5, 20.0)?;
    }
}
