//! Rays and points against all bodies, one by one.

use std::ops::ControlFlow;

use bvtree::probe::{CastOptions, Ray};
use bvtree::scene::{Body, Scene};
use bvtree::shape::{Capsule, Segment};
use bvtree::{Mesh, Probe};
use nalgebra::{Point3, Vector3};

use super::{Random, tree_of, trees};

#[test]
fn rays_and_points_find_what_each_body_says() {
    let mut random = Random(11);
    let trees = trees();
    let mut scene = Scene::new();
    let ids: Vec<_> = (0..120)
        .map(|i| {
            let body = Body { groups: 1 << (i % 2), ..Body::moving(trees[i % trees.len()].clone(), random.pose(3.0)) };
            scene.add(body).unwrap()
        })
        .collect();
    for &id in &ids[..30] {
        scene.remove(id).unwrap();
    }
    for &id in &ids[30..60] {
        scene.set_pose(id, random.pose(3.0)).unwrap();
    }
    let mut probe = Probe::new();
    let (mut hits, mut misses) = (0, 0);
    for i in 0..300 {
        let mask = [u32::MAX, 1, 2][i % 3];
        let origin = Point3::from(random.vector(4.0));
        let direction = if i % 5 == 0 { Vector3::ith(i % 3, -2.0) } else { random.vector(2.0) };
        let ray = Ray { origin, direction };
        let max_time = [f64::INFINITY, 1.5, 0.0][i % 3];
        let mut expected = Vec::new();
        let mut nearest: Option<f64> = None;
        for (id, body) in scene.bodies().filter(|(_, body)| body.groups & mask != 0) {
            let back = body.pose.rotation().transpose();
            let point = Point3::from(back * (origin.coords - body.pose.translation()));
            let local = Ray { origin: point, direction: back * direction };
            probe.for_each_hit(tree_of(body), &local, max_time, |hit| {
                expected.push((id, hit.face, hit.time));
                ControlFlow::Continue(())
            });
            if let Some(found) = probe.closest_point(tree_of(body), &point) {
                nearest = Some(nearest.map_or(found.distance, |nearest| nearest.min(found.distance)));
            }
        }
        expected.sort_by(|p, q| p.2.total_cmp(&q.2).then((p.0, p.1).cmp(&(q.0, q.1))));
        let found = scene.hits(&mut probe, &ray, max_time, mask);
        let told: Vec<_> = found.iter().map(|hit| (hit.body, hit.hit.face, hit.hit.time)).collect();
        // Quarter turns and the like aside, the frames are computed alike.
        assert_eq!(told.len(), expected.len());
        for (told, expected) in told.iter().zip(&expected) {
            assert!((told.2 - expected.2).abs() <= 1e-9 * (1.0 + expected.2));
        }
        for hit in &found {
            let on_ray = origin + direction * hit.hit.time;
            assert!((hit.hit.point - on_ray).norm() < 1e-9 * (1.0 + on_ray.coords.norm()));
            assert!((hit.hit.normal.norm() - 1.0).abs() < 1e-9);
        }
        let closest = scene.closest_hit(&mut probe, &ray, max_time, mask);
        assert_eq!(closest.map(|hit| hit.hit.time), found.first().map(|hit| hit.hit.time));
        assert_eq!(scene.any_hit(&mut probe, &ray, max_time, mask), !found.is_empty());
        *(if found.is_empty() { &mut misses } else { &mut hits }) += 1;

        let closest = scene.closest_point(&mut probe, &origin, f64::INFINITY, mask).unwrap();
        assert!((closest.distance - nearest.unwrap()).abs() < 1e-12);
        assert!(((closest.point - origin).norm() - closest.distance).abs() < 1e-9);
        assert!(scene.closest_point(&mut probe, &origin, 0.999 * closest.distance, mask).is_none());
    }
    assert!(hits > 50 && misses > 50, "{hits} {misses}");
}

#[test]
fn capsules_meet_what_each_body_says() {
    let mut random = Random(12);
    let trees = trees();
    let mut scene = Scene::new();
    for i in 0..60 {
        let body = Body { groups: 1 << (i % 2), ..Body::moving(trees[i % trees.len()].clone(), random.pose(3.0)) };
        scene.add(body).unwrap();
    }
    let mut probe = Probe::new();
    let (mut met, mut touched, mut free) = (0, 0, 0);
    for i in 0..300 {
        let mask = [u32::MAX, 1, 2][i % 3];
        let start = Point3::from(random.vector(4.0));
        let axis = if i % 4 == 0 { Vector3::zeros() } else { random.vector(0.3) };
        let capsule = Capsule { segment: Segment { start, end: start + axis }, radius: 0.05 };
        let way = if i % 7 == 0 { Vector3::zeros() } else { random.vector(3.0) };
        let near = [0.0, 0.2][i % 2];
        let (mut first, mut closest, mut contacts) = (None::<f64>, None::<f64>, Vec::new());
        for (id, body) in scene.bodies().filter(|(_, body)| body.groups & mask != 0) {
            let back = body.pose.rotation().transpose();
            let local = |point: Point3<f64>| Point3::from(back * (point.coords - body.pose.translation()));
            let segment = Segment { start: local(capsule.segment.start), end: local(capsule.segment.end) };
            let capsule = Capsule { segment, radius: capsule.radius };
            if let Some(hit) = probe.cast_capsule(tree_of(body), &capsule, &(back * way), &CastOptions::default()) {
                first = Some(first.map_or(hit.time, |first| first.min(hit.time)));
            }
            probe.for_each_capsule_contact(tree_of(body), &capsule, near, |contact| {
                contacts.push((id, contact.face, contact.distance));
                closest = Some(closest.map_or(contact.distance, |closest| closest.min(contact.distance)));
                ControlFlow::Continue(())
            });
        }
        contacts.sort_by_key(|contact| (contact.0, contact.1));
        let found = scene.cast_capsule(&mut probe, &capsule, &way, &CastOptions::default(), mask);
        assert_eq!(found.is_some(), first.is_some());
        if let (Some(found), Some(first)) = (found, first) {
            assert!((found.hit.time - first).abs() < 1e-9);
            let at_impact = capsule.segment.start + way * found.hit.time;
            let reach = axis.norm() + capsule.radius + 1e-6;
            assert!((found.hit.contact.point - at_impact).norm() <= reach);
        }
        let found = scene.capsule_contacts(&mut probe, &capsule, near, mask);
        assert_eq!(found.len(), contacts.len());
        for (found, expected) in found.iter().zip(&contacts) {
            assert_eq!((found.body, found.contact.face), (expected.0, expected.1));
            assert!((found.contact.distance - expected.2).abs() < 1e-9);
            assert!((found.contact.normal.norm() - 1.0).abs() < 1e-9);
        }
        let found = scene.closest_capsule_contact(&mut probe, &capsule, near, mask);
        assert_eq!(found.is_some(), closest.is_some());
        assert!(found.zip(closest).is_none_or(|(found, closest)| (found.contact.distance - closest).abs() < 1e-9));
        *(match (first.is_some(), contacts.is_empty()) {
            (_, false) => &mut touched,
            (true, true) => &mut met,
            (false, true) => &mut free,
        }) += 1;
    }
    assert!(met > 20 && touched > 20 && free > 20, "{met} {touched} {free}");
}

#[test]
fn nothing_is_hit_in_an_empty_scene() {
    let mut scene = Scene::new();
    let mut probe = Probe::new();
    let ray = Ray { origin: Point3::origin(), direction: Vector3::x() };
    let empty = super::tree(&Mesh::from_arrays(vec![], vec![]).unwrap());
    for _ in 0..2 {
        assert_eq!(scene.closest_hit(&mut probe, &ray, f64::INFINITY, u32::MAX), None);
        assert_eq!(scene.closest_point(&mut probe, &Point3::origin(), f64::INFINITY, u32::MAX), None);
        assert!(scene.hits(&mut probe, &ray, f64::INFINITY, u32::MAX).is_empty());
        assert_eq!((scene.intersecting_pairs(), scene.closest_pair()), (vec![], None));
        scene.add(Body::moving(empty.clone(), bvtree::Pose::identity())).unwrap();
    }
    let ray = Ray { direction: Vector3::zeros(), ..ray };
    scene.add(Body::moving(super::trees()[0].clone(), bvtree::Pose::identity())).unwrap();
    assert_eq!(scene.closest_hit(&mut probe, &ray, f64::INFINITY, u32::MAX), None);
}

/// From a thousand million units away, rounding in a body's frame moves a ray by more than the boxes of the broad phase
/// are rounded outward.
#[test]
fn rays_from_far_away_meet_what_their_bodies_say() {
    let mut random = Random(13);
    let cube = super::tree(&crate::solids::cuboid([1.0; 3]));
    let mut probe = Probe::new();
    let (mut hits, mut misses) = (0, 0);
    for round in 0..40 {
        let mut scene = Scene::new();
        // The broad phase's origin.
        scene.add(Body::moving(cube.clone(), super::at(-1e9, 50.0, 0.0))).unwrap();
        let pose = random.pose(0.0);
        let id = scene.add(Body::moving(cube.clone(), pose)).unwrap();
        let corners = [0, 1, 2, 3, 4, 5, 6, 7]
            .map(|i| pose.rotation() * Vector3::from_fn(|k, _| if i >> k & 1 == 0 { -0.5 } else { 0.5 }));
        let top = corners.iter().max_by(|p, q| p.y.total_cmp(&q.y)).unwrap();
        for _ in 0..200 {
            let start = Vector3::new(-1e9, top.y + (random.unit() - 0.6) * 1e-6, top.z);
            let ray = Ray { origin: start.into(), direction: Vector3::x() };
            let back = pose.rotation().transpose();
            let local = Ray { origin: Point3::from(back * start), direction: back * ray.direction };
            let expected = probe.closest_hit(&cube, &local, f64::INFINITY).map(|hit| hit.time);
            let found = scene.closest_hit(&mut probe, &ray, f64::INFINITY, u32::MAX);
            assert_eq!(found.map(|found| (found.body, found.hit.time)), expected.map(|time| (id, time)), "{round}");
            *(if expected.is_some() { &mut hits } else { &mut misses }) += 1;
        }
    }
    assert!(hits > 100 && misses > 100, "{hits} {misses}");
}
