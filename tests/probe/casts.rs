//! Moving spheres and capsules against the oracle in `swept`.

use bvtree::probe::{CastOptions, Ray};
use bvtree::shape::{Capsule, Segment, Sphere};
use bvtree::{BuildOptions, BvTree, Mesh, Probe};
use nalgebra::{Point3, Vector3};
use proptest::prelude::*;

use super::cases;
use super::exact;
use super::meshes::{dataset_mesh, grid_soup, probes, soup, trees};
use super::swept::first_time;

/// A time certifies itself: a little thinner a capsule is not met sooner, a little thicker one not later.
const EPSILON: f64 = 1e-9;

fn check(mesh: &Mesh, capsule: &Capsule, displacement: &Vector3<f64>, scale: f64) -> Result<(), TestCaseError> {
    let with_radius = |radius: f64| first_time(mesh, &Capsule { radius, ..*capsule }, displacement);
    let earliest = with_radius(capsule.radius + EPSILON * scale);
    let latest = with_radius(capsule.radius - EPSILON * scale);
    let options = CastOptions::default();
    let mut known = None;
    for tree in trees(mesh) {
        for mut probe in probes() {
            let hit = probe.cast_capsule(&tree, capsule, displacement, &options);
            let time = hit.map_or(f64::INFINITY, |hit| hit.time);
            prop_assert!(time >= earliest && time <= latest, "{earliest} <= {time} <= {latest}");
            // All kinds of trees and instructions say the same, to the last bit.
            prop_assert_eq!(*known.get_or_insert(hit), hit);
            let Some(hit) = hit else { continue };
            let moved = moved(capsule, &(displacement * hit.time));
            let contact = probe.closest_capsule_contact(&tree, &moved, f64::INFINITY).unwrap();
            if hit.time > 0.0 {
                prop_assert!((contact.distance - hit.contact.distance).abs() <= EPSILON * scale);
                prop_assert!(contact.distance.abs() <= EPSILON * scale);
                prop_assert!((hit.contact.normal.norm() - 1.0).abs() < 1e-12);
                prop_assert!(hit.contact.normal.dot(displacement) <= 1e-6 * displacement.norm());
            }
        }
    }
    Ok(())
}

fn moved(capsule: &Capsule, by: &Vector3<f64>) -> Capsule {
    let Segment { start, end } = capsule.segment;
    Capsule { segment: Segment { start: start + by, end: end + by }, radius: capsule.radius }
}

proptest! {
    #![proptest_config(cases(32, 2048))]

    #[test]
    fn moving_capsules_meet_when_the_features_say(
        mesh in soup(),
        start in prop::array::uniform3(-3f64..3.0),
        axis in prop::array::uniform3(-1f64..1.0),
        length in prop::sample::select(vec![0.0, 1e-3, 0.4, 2.0]),
        radius in prop::sample::select(vec![1e-6, 0.01, 0.3, 1.5]),
        target in prop::array::uniform3(-1f64..1.0),
        distance in prop::sample::select(vec![0.1, 1.0, 3.0, 100.0]),
    ) {
        let start = Point3::from(start);
        let end = start + Vector3::from(axis) * length;
        let displacement = (Point3::from(target) - start) * distance;
        check(&mesh, &Capsule { segment: Segment { start, end }, radius }, &displacement, 1.0 + distance)?;
    }

    #[test]
    fn moving_capsules_on_a_grid(
        triangles in grid_soup(),
        start in prop::array::uniform3(-6..=6_i64),
        axis in prop::array::uniform3(-1..=1_i64),
        radius in 1..=4_i32,
        displacement in prop::array::uniform3(-8..=8_i64),
        exponent in prop::sample::select(vec![-20, 0, 20]),
    ) {
        let scale = 2f64.powi(exponent);
        let mesh = exact::mesh(&triangles, scale as f32);
        let vector = |v: [i64; 3]| Vector3::from(v.map(|x| x as f64 * scale));
        let start = Point3::from(vector(start));
        let segment = Segment { start, end: start + vector(axis) };
        check(&mesh, &Capsule { segment, radius: f64::from(radius) * 0.5 * scale }, &vector(displacement),
            20.0 * scale)?;
    }

    #[test]
    fn a_point_is_met_where_a_ray_is(
        mesh in soup(),
        start in prop::array::uniform3(-3f64..3.0),
        target in prop::array::uniform3(-1f64..1.0),
    ) {
        let origin = Point3::from(start);
        let direction = (Point3::from(target) - origin) * 2.0;
        let tree = BvTree::build(&mesh, &BuildOptions::default()).unwrap();
        let mut probe = Probe::new();
        let point = Capsule { segment: Segment { start: origin, end: origin }, radius: 0.0 };
        let cast = probe.cast_capsule(&tree, &point, &direction, &CastOptions::default());
        // What the ray meets the point meets, and nearly at the same time.
        if let Some(hit) = probe.closest_hit(&tree, &Ray { origin, direction }, 1.0) {
            let cast = cast.unwrap();
            prop_assert!(cast.time <= hit.time + 1e-12, "{} and {}", cast.time, hit.time);
        }
        if let Some(cast) = cast {
            let at = origin + direction * cast.time;
            prop_assert!(probe.closest_point(&tree, &at).unwrap().distance < 1e-12);
        }
    }
}

#[test]
fn textbook_casts() {
    // The unit square in z = 0, and its mesh far away.
    for far in [0.0, 1e5] {
        let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
        let at = |p: [f64; 3]| Point3::from(p) + Vector3::repeat(far);
        let mesh = Mesh::from_arrays(corners.map(|p| at(p).cast()).to_vec(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
        let ball = |center: [f64; 3]| Capsule::from(Sphere { center: at(center), radius: 0.25 });
        let upright = |center: [f64; 3]| {
            let center = at(center);
            Capsule { segment: Segment { start: center, end: center + Vector3::z() }, radius: 0.25 }
        };
        let tolerance = 1e-15 * (1.0 + 64.0 * far);
        for tree in trees(&mesh) {
            let mut probe = Probe::new();
            let mut time = |capsule: Capsule, way: [f64; 3]| {
                let hit = probe.cast_capsule(&tree, &capsule, &Vector3::from(way), &CastOptions::default());
                hit.map_or(f64::INFINITY, |hit| hit.time)
            };
            let mut check = |capsule: Capsule, way: [f64; 3], expected: f64| {
                let time = time(capsule, way);
                assert!(time == expected || (time - expected).abs() <= 100.0 * tolerance, "{time} for {expected}");
            };
            check(ball([0.5, 0.5, 1.25]), [0.0, 0.0, -2.0], 0.5);
            check(upright([0.5, 0.5, -2.25]), [0.0, 0.0, 2.0], 0.5);
            check(ball([0.5, 0.5, 1.25]), [0.0, 0.0, -0.5], f64::INFINITY);
            check(ball([0.5, 0.5, 1.25]), [5.0, 5.0, 0.0], f64::INFINITY);
            // Against the border from beside it, and past it.
            check(ball([-1.25, 0.5, 0.0]), [2.0, 0.0, 0.0], 0.5);
            check(ball([-1.25, 0.5, 0.3]), [4.0, 0.0, 0.0], f64::INFINITY);
            check(upright([-1.25, 0.5, -0.5]), [2.0, 0.0, 0.0], 0.5);
            check(ball([-1.15, 0.5, 0.15]), [1.0, 0.0, 0.0], 0.95);
            // At the start.
            check(ball([0.5, 0.5, 0.1]), [0.0, 0.0, 1.0], 0.0);
            check(upright([0.5, 0.5, -0.5]), [0.0, 0.0, 0.0], 0.0);
            check(ball([0.5, 0.5, 0.3]), [0.0, 0.0, 0.0], f64::INFINITY);
        }
    }
}

#[test]
fn what_is_left_at_the_start_may_be_passed_over() {
    let corners = [[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]].map(Point3::from).to_vec();
    let mesh = Mesh::from_arrays(corners, vec![[0, 1, 2]]).unwrap();
    let tree = BvTree::build(&mesh, &BuildOptions::default()).unwrap();
    let onward = CastOptions { departing: false, ..CastOptions::default() };
    for height in [0.25, 0.125, 1e-3] {
        let ball = Capsule::from(Sphere { center: Point3::new(0.0, 0.0, height), radius: 0.25 });
        let times = |way: [f64; 3], options: &CastOptions| {
            Probe::new().cast_capsule(&tree, &ball, &Vector3::from(way), options).map(|hit| hit.time)
        };
        for way in [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [1.0, 0.0, 1e-9]] {
            assert_eq!(times(way, &CastOptions::default()), Some(0.0));
            assert_eq!(times(way, &onward), None);
        }
        assert_eq!(times([1.0, 0.0, -1e-9], &onward), Some(0.0));
    }
}

#[test]
fn no_cast_is_upset_by_odd_numbers() {
    let empty = Mesh::from_arrays(Vec::new(), Vec::new()).unwrap();
    let triangle = exact::mesh(&[[[0, 0, 0], [1, 0, 0], [0, 1, 0]]], 1.0);
    let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, -1e300, 1e-300, 0.0, -1.0];
    for tree in trees(&triangle).iter().chain(&trees(&empty)) {
        let mut probe = Probe::new();
        for x in odd {
            for y in odd {
                let start = Point3::new(x, 0.2, 0.2);
                for radius in odd {
                    let capsule =
                        Capsule { segment: Segment { start, end: start + Vector3::new(0.0, y, 1.0) }, radius };
                    for way in [Vector3::new(y, 0.0, 0.0), Vector3::new(0.0, -1.0, x)] {
                        for tolerance in [0.0, f64::NAN, -1.0] {
                            let options = CastOptions { tolerance, departing: x > y };
                            let hit = probe.cast_capsule(tree, &capsule, &way, &options);
                            assert!(hit.is_none_or(|hit| (0.0..=1.0).contains(&hit.time)));
                        }
                    }
                    probe.for_each_capsule_contact(tree, &capsule, y, |_| std::ops::ControlFlow::Continue(()));
                    probe.closest_capsule_contact(tree, &capsule, y);
                }
            }
        }
    }
}

#[test]
fn capsules_against_a_mesh_of_the_dataset() {
    let Some(mesh) = dataset_mesh("cow.obj") else { return };
    let bounds = mesh.aabb();
    let size = bounds.size().norm();
    let tree = BvTree::build(&mesh, &BuildOptions::default()).unwrap();
    let mut probe = Probe::new();
    let steps = if cfg!(debug_assertions) { 8 } else { 200 };
    for i in 0..steps {
        let turn = |k: f64| (f64::from(i) * k).sin();
        let start = bounds.center() + Vector3::new(turn(1.0), turn(2.3), turn(3.1)) * size;
        let end = start + Vector3::new(turn(0.7), turn(1.9), turn(4.7)) * (0.1 * size);
        let capsule = Capsule { segment: Segment { start, end }, radius: 0.02 * size };
        let way = (bounds.center() - start) * 1.5 + Vector3::new(turn(5.0), turn(6.0), turn(7.0)) * (0.3 * size);
        let time =
            probe.cast_capsule(&tree, &capsule, &way, &CastOptions::default()).map_or(f64::INFINITY, |hit| hit.time);
        let expected = first_time(&mesh, &capsule, &way);
        assert!(time == expected || (time - expected).abs() < 1e-9, "{time} for {expected}");
    }
}
