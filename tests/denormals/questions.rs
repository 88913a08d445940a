//! Every question of the library, by name.

use std::ops::ControlFlow;
use std::sync::Arc;

use bvtree::probe::Ray;
use bvtree::query::DistanceTracker;
use bvtree::shape::{Aabb, Obb, Sphere};
use bvtree::{BvTree, Motion, Pose, Probe, Query, SimdLevel};
use nalgebra::{Point3, Vector3};

use super::flags::met;

/// Asks all about two trees at some poses; tells which questions met denormals.
pub fn about_two(level: SimdLevel, [a, b]: [&Arc<BvTree>; 2], poses: &[Pose]) -> Vec<String> {
    let mut found = Vec::new();
    let size = a.bounds().half_extents().norm();
    let tolerance = 0.05 * size;
    for pose in poses {
        let mut query = Query::with_simd(level);
        let mut ask = |name: &str, met: Option<&str>| {
            found.extend(met.map(|met| format!("{name}: {met} at {:?}", pose.translation().as_slice())));
        };
        let touch = query.intersects(a, b, pose);
        ask("intersects", met(|| query.intersects(a, b, pose)));
        ask("pairs", met(|| query.count_pairs(a, b, pose)));
        ask("distance", met(|| query.distance(a, b, pose)));
        // The third warm question keeps a front; the ones after it follow that as B moves on.
        let mut tracker = DistanceTracker::new(a, b);
        for step in 0..6 {
            let step = Vector3::new(1e-4, 2e-4, -1e-4) * (size * f64::from(step));
            let pose = Pose::new(*pose.rotation(), pose.translation() + step).unwrap();
            ask("distance, warm", met(|| tracker.distance(&mut query, &pose)));
        }
        ask("within", met(|| query.within(a, b, pose, tolerance)));
        ask(
            "clearance",
            met(|| query.for_each_pair_within(a, b, pose, 0.1 * tolerance, |_| ControlFlow::Continue(()))),
        );
        ask("relation", met(|| query.relation(a, b, pose)));
        ask("contacts", met(|| query.contacts(a, b, pose)));
        ask("contact patches", met(|| query.contact_patches(a, b, pose)));
        let there = Vector3::new(0.3, -0.2, 0.9);
        ask("penetration along", met(|| query.penetration_along(a, b, pose, &nalgebra::Unit::new_normalize(there))));
        if touch {
            ask("penetration", met(|| query.penetration(a, b, pose)));
        }
        let end = Pose::new(*pose.rotation(), there * size).unwrap();
        ask("time of impact", met(|| query.time_of_impact(a, b, &Motion::new(*pose, end), 1e-6 * size)));
        let turned = Pose::new(pose.rotation().transpose(), -pose.translation()).unwrap();
        ask("time of impact, turning", met(|| query.time_of_impact(a, b, &Motion::new(*pose, turned), 1e-6 * size)));
    }
    found
}

/// Asks all about one tree; tells which questions met denormals.
pub fn about_one(level: SimdLevel, tree: &BvTree) -> Vec<String> {
    let (mut query, mut probe) = (Query::with_simd(level), Probe::with_simd(level));
    let mut found = Vec::new();
    let mut ask = |name: &str, met: Option<&str>| found.extend(met.map(|met| format!("{name}: {met}")));
    ask("self pairs", met(|| query.for_each_self_pair(tree, |_| ControlFlow::Continue(()))));
    let (center, size) = (tree.bounds().center(), tree.bounds().half_extents().norm());
    // Within, near, far, and very far away.
    for far in [0.0, 0.3, 0.9, 3.0, 3000.0] {
        let offset = Vector3::new(0.6, -0.3, 0.7) * (far * size);
        let point = center + offset;
        for aim in [Vector3::new(0.1, 0.2, -0.1) * size - offset, Vector3::x(), -Vector3::z()] {
            let ray = Ray { origin: point, direction: aim };
            ask("closest hit", met(|| probe.closest_hit(tree, &ray, f64::INFINITY)));
            ask("any hit", met(|| probe.any_hit(tree, &ray, 0.5)));
            ask("hits", met(|| probe.for_each_hit(tree, &ray, f64::INFINITY, |_| ControlFlow::Continue(()))));
        }
        ask("closest point", met(|| probe.closest_point(tree, &point)));
        ask("contains", met(|| probe.contains(tree, &point)));
        ask("signed distance", met(|| probe.signed_distance(tree, &point)));
        overlaps(&mut probe, tree, &point, 0.2 * size, &mut ask);
    }
    found
}

fn overlaps(
    probe: &mut Probe,
    tree: &BvTree,
    center: &Point3<f64>,
    size: f64,
    ask: &mut impl FnMut(&str, Option<&'static str>),
) {
    let half_extents = Vector3::new(1.0, 0.5, 0.3) * size;
    let (go_on, corners) = (|_| ControlFlow::Continue(()), [center - half_extents, center + half_extents]);
    let aabb = Aabb { lower: corners[0], upper: corners[1] };
    let axes = *nalgebra::Rotation3::from_euler_angles(0.3, 0.2, -0.9).matrix();
    ask("in AABB", met(|| probe.for_each_face_in_aabb(tree, &aabb, go_on)));
    ask("in OBB", met(|| probe.for_each_face_in_obb(tree, &Obb { center: *center, axes, half_extents }, go_on)));
    ask("in sphere", met(|| probe.for_each_face_in_sphere(tree, &Sphere { center: *center, radius: size }, go_on)));
}
