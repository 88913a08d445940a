//! Capsules against bodies that are convex shapes, by samples: of the path, and of ways out.

use std::sync::Arc;

use bvtree::probe::CastOptions;
use bvtree::scene::{Body, NO_FACE, Scene};
use bvtree::shape::{Capsule, ConvexShape, Distance, Overlaps, Segment};
use bvtree::{Pose, Probe};
use nalgebra::{Point3, Vector3};

use super::shapes::shapes;
use super::{Random, at, tree};
use crate::solids::cuboid;

const TOLERANCE: f64 = 1e-5;

/// A body, where it is in the world as a shape, and capsules about it: some turned, some upright, some spheres.
struct Case {
    scene: Scene,
    placed: ConvexShape,
    capsule: Capsule,
}

fn case(random: &mut Random, shape: &Arc<ConvexShape>, i: usize) -> Case {
    let pose = if i.is_multiple_of(3) { Pose::from_translation(random.vector(2.0)).unwrap() } else { random.pose(2.0) };
    let mut scene = Scene::new();
    scene.add(Body::fixed(shape.clone(), pose)).unwrap();
    let start = Point3::from(*pose.translation()) + random.vector([0.4, 1.2, 2.0][i % 3]);
    let axis = match i % 5 {
        0 => Vector3::zeros(),
        1 | 2 => Vector3::z() * 1.2,
        _ => random.vector(0.8),
    };
    let capsule = Capsule { segment: Segment { start, end: start + axis }, radius: [0.3, 0.02][i % 2] };
    Case { scene, placed: shape.transformed(&pose), capsule }
}

fn moved(capsule: &Capsule, by: &Vector3<f64>) -> ConvexShape {
    let Segment { start, end } = capsule.segment;
    Capsule { segment: Segment { start: start + by, end: end + by }, ..*capsule }.try_into().unwrap()
}

fn gap(case: &Case, by: &Vector3<f64>) -> f64 {
    case.placed.distance(&moved(&case.capsule, by))
}

#[test]
fn the_nearest_contact_is_the_distance_or_the_shortest_way_out() {
    let (mut random, mut probe) = (Random(91), Probe::new());
    let (mut apart, mut shallow, mut deep) = (0, 0, 0);
    for shape in shapes() {
        for i in 0..300 {
            let case = case(&mut random, &shape, i);
            let contacts = case.scene.capsule_contacts(&mut probe, &case.capsule, 0.5, u32::MAX);
            let closest = case.scene.closest_capsule_contact(&mut probe, &case.capsule, 0.5, u32::MAX);
            let distance = gap(&case, &Vector3::zeros());
            let Some(contact) = closest.map(|closest| closest.contact) else {
                assert!(contacts.is_empty() && distance > 0.5 - TOLERANCE, "{distance} {:?}", case.placed);
                continue;
            };
            let least = contacts.iter().map(|found| found.contact.distance).reduce(f64::min);
            assert_eq!(least, Some(contact.distance));
            for found in contacts.iter().map(|found| found.contact) {
                assert!((found.normal.norm() - 1.0).abs() < 1e-9 && found.face == NO_FACE);
                assert!(found.face_normal == Vector3::zeros() || (found.face_normal.norm() - 1.0).abs() < 1e-9);
            }
            if contact.distance > 0.0 {
                apart += 1;
                assert!((contact.distance - distance).abs() < TOLERANCE, "{contact:?} for {distance}");
                let off = case.placed.distance(&contact.point);
                assert!(off < TOLERANCE, "{off} {contact:?}");
                let on_axis = case.capsule.segment.closest_points_to(&contact.point);
                assert!((on_axis - contact.point - contact.normal * (on_axis - contact.point).norm()).norm() < 1e-3);
                continue;
            }
            assert!(distance <= TOLERANCE, "{contact:?} at {distance}");
            *(if contact.distance > -case.capsule.radius { &mut shallow } else { &mut deep }) += 1;
            // The way out is free, and hardly any other one is shorter.
            let out = gap(&case, &(contact.normal * (TOLERANCE - contact.distance)));
            assert!(out > 0.0, "{contact:?} of {:?} and {:?}", case.capsule, case.placed);
            if contacts.len() > 1 && case.placed.rounding_radius() == 0.0 && contact.distance > -case.capsule.radius {
                // A triangle that lies at an angle to the shape's way out.
                continue;
            }
            for _ in 0..60 {
                let direction = random.vector(1.0).normalize();
                let shorter = direction * (-0.995 * contact.distance);
                assert!(
                    gap(&case, &shorter) < TOLERANCE,
                    "{direction:?} is shorter than {contact:?} {:?}",
                    case.placed
                );
            }
        }
    }
    assert!(apart > 300 && shallow > 200 && deep > 200, "{apart} {shallow} {deep}");
}

trait ClosestOnSegment {
    fn closest_points_to(&self, point: &Point3<f64>) -> Point3<f64>;
}

impl ClosestOnSegment for Segment {
    fn closest_points_to(&self, point: &Point3<f64>) -> Point3<f64> {
        bvtree::shape::ClosestPoint::closest_point(self, point)
    }
}

#[test]
fn casts_meet_shapes_when_samples_do() {
    let (mut random, mut probe) = (Random(92), Probe::new());
    let onward = CastOptions { tolerance: 0.0, departing: false };
    let (mut met, mut missed, mut left) = (0, 0, 0);
    for shape in shapes() {
        for i in 0..300 {
            let case = case(&mut random, &shape, i);
            let way = if i.is_multiple_of(2) {
                (case.placed.center() - case.capsule.segment.start) * 2.0 + random.vector(0.5)
            } else {
                random.vector(3.0)
            };
            let starts_in = gap(&case, &Vector3::zeros()) == 0.0;
            let hit = case.scene.cast_capsule(&mut probe, &case.capsule, &way, &CastOptions::default(), u32::MAX);
            let onward = case.scene.cast_capsule(&mut probe, &case.capsule, &way, &onward, u32::MAX);
            let samples = 50;
            let Some(hit) = hit.map(|hit| hit.hit) else {
                missed += 1;
                for j in 0..=samples {
                    assert!(gap(&case, &(way * (f64::from(j) / f64::from(samples)))) > 0.0, "{:?}", case.placed);
                }
                assert!(onward.is_none());
                continue;
            };
            assert_eq!(hit.contact.face, NO_FACE);
            if starts_in {
                assert_eq!(hit.time, 0.0);
                left += u32::from(onward.is_none());
                continue;
            }
            met += 1;
            assert_eq!(onward.map(|onward| onward.hit), Some(hit));
            for j in 0..samples {
                let before = way * (hit.time * (1.0 - 1e-6) * f64::from(j) / f64::from(samples));
                assert!(gap(&case, &before) > 0.0, "{hit:?} {:?}", case.placed);
            }
            let there = gap(&case, &(way * hit.time));
            assert!(there < TOLERANCE && hit.contact.distance.abs() < TOLERANCE, "{there} {hit:?}");
            assert!(hit.contact.normal.dot(&way) < 1e-6, "{hit:?}");
            // Back along the normal, it is as far away.
            let back = gap(&case, &(way * hit.time + hit.contact.normal * 0.01));
            assert!((back - 0.01).abs() < 1e-4, "{back} {hit:?}");
        }
    }
    assert!(met > 300 && missed > 300 && left > 50, "{met} {missed} {left}");
}

/// A capsule meets a cuboid like the mesh of its surface.
#[test]
fn a_cuboid_is_met_like_its_mesh() {
    let (mut random, mut probe) = (Random(93), Probe::new());
    let shape = ConvexShape::cuboid(Vector3::new(0.5, 0.25, 1.0)).unwrap();
    let mut scenes = [Scene::new(), Scene::new()];
    scenes[0].add(Body::fixed(shape, at(0.0, 0.0, 0.0))).unwrap();
    scenes[1].add(Body::fixed(tree(&cuboid([1.0, 0.5, 2.0])), at(0.0, 0.0, 0.0))).unwrap();
    let center = scenes[1].bodies().next().unwrap().1.geometry.bounds().center();
    let mut met = 0;
    for _ in 0..2_000 {
        let start = Point3::from(random.vector(2.0));
        let capsule = Capsule { segment: Segment { start, end: start + Vector3::z() }, radius: 0.3 };
        let there = ConvexShape::try_from(capsule).unwrap();
        let way = random.vector(3.0);
        let of_mesh = Capsule {
            segment: Segment { start: start + center.coords, end: capsule.segment.end + center.coords },
            ..capsule
        };
        if scenes[0].bodies().next().unwrap().1.geometry.shape().unwrap().overlaps(&there) {
            continue;
        }
        let [a, b] = [(0, capsule), (1, of_mesh)].map(|(k, capsule)| {
            scenes[k].cast_capsule(&mut probe, &capsule, &way, &CastOptions::default(), u32::MAX).map(|hit| hit.hit)
        });
        assert_eq!(a.is_some(), b.is_some());
        if let Some((a, b)) = a.zip(b) {
            met += 1;
            assert!((a.time - b.time).abs() < 1e-9 && (a.contact.normal - b.contact.normal).norm() < 1e-6);
        }
    }
    assert!(met > 100, "{met}");
}
