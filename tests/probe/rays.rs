use std::ops::ControlFlow;

use bvtree::probe::{Ray, RayHit};
use bvtree::{BvTree, Mesh, Probe};
use nalgebra::{Point3, Vector3};
use proptest::prelude::*;

use super::cases;
use super::exact::{self, P};
use super::meshes::{cells, grid_soup, probes, soup, surface, trees};

fn all_hits(probe: &mut Probe, tree: &BvTree, ray: &Ray, max_time: f64) -> Vec<RayHit> {
    let mut hits = Vec::new();
    probe.for_each_hit(tree, ray, max_time, |hit| {
        hits.push(hit);
        ControlFlow::Continue(())
    });
    hits.sort_by_key(|hit| hit.face);
    hits
}

fn first(hits: &[RayHit]) -> Option<RayHit> {
    hits.iter().copied().min_by(|a, b| a.time.total_cmp(&b.time).then(a.face.cmp(&b.face)))
}

fn grid_ray(origin: P, direction: P, scale: f64) -> Ray {
    Ray { origin: origin.map(|x| x as f64 * scale).into(), direction: direction.map(|x| x as f64 * scale).into() }
}

/// All kinds and instructions against integer arithmetic.
fn check_exactly(triangles: &[[P; 3]], origin: P, direction: P, scale: f32) -> Result<(), TestCaseError> {
    let expected: Vec<(u32, f64)> = (0..)
        .zip(triangles)
        .filter_map(|(face, &triangle)| Some((face, exact::first_time(origin, direction, triangle)?)))
        .collect();
    let ray = grid_ray(origin, direction, f64::from(scale));
    for tree in trees(&exact::mesh(triangles, scale)) {
        for mut probe in probes() {
            let hits = all_hits(&mut probe, &tree, &ray, f64::INFINITY);
            let faces: Vec<u32> = hits.iter().map(|hit| hit.face).collect();
            prop_assert_eq!(&faces, &expected.iter().map(|(face, _)| *face).collect::<Vec<_>>());
            for (hit, (_, time)) in hits.iter().zip(&expected) {
                prop_assert!((hit.time - time).abs() <= 1e-14 * time.abs(), "{} for {time}", hit.time);
                prop_assert_eq!(hit.time == 0.0, *time == 0.0);
                let on_ray = ray.origin + ray.direction * hit.time;
                prop_assert!((hit.point - on_ray).norm() <= 1e-13 * f64::from(scale));
            }
            prop_assert_eq!(probe.closest_hit(&tree, &ray, f64::INFINITY), first(&hits));
            prop_assert_eq!(probe.any_hit(&tree, &ray, f64::INFINITY), !hits.is_empty());
            // Hits count up to the time and at it.
            if let Some(nearest) = first(&hits) {
                prop_assert_eq!(probe.closest_hit(&tree, &ray, nearest.time), Some(nearest));
                prop_assert!(probe.any_hit(&tree, &ray, nearest.time));
                if nearest.time > 0.0 {
                    prop_assert_eq!(probe.closest_hit(&tree, &ray, nearest.time.next_down()), None);
                }
            }
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(cases(16, 1024))]

    #[test]
    fn rays_on_a_grid_meet_what_they_meet_exactly(
        triangles in grid_soup(),
        origin in prop::array::uniform3(-6..=6_i64),
        direction in prop::array::uniform3(-3..=3_i64),
        exponent in prop::sample::select(vec![-100, 0, 100]),
    ) {
        prop_assume!(direction != [0; 3]);
        check_exactly(&triangles, origin, direction, 2f32.powi(exponent))?;
    }

    #[test]
    fn closed_meshes_are_watertight(
        cells in cells(),
        chosen in any::<prop::sample::Index>(),
        corner in prop::array::uniform3(-2..=2_i64),
        stretch in 1e-3..1e3,
    ) {
        prop_assume!(!cells.is_empty());
        // From the middle of a cell through a point of the grid, a corner or an edge's middle, if the ray gets so far.
        let mut sorted: Vec<P> = cells.iter().copied().collect();
        sorted.sort_unstable();
        let origin = chosen.get(&sorted).map(|x| 2 * x + 1);
        let direction: P = std::array::from_fn(|k| 2 * corner[k] - origin[k]);
        let triangles = surface(&cells);
        check_exactly(&triangles, origin, direction, 1.0)?;
        // And where neither origin nor direction is on a grid.
        let mesh = exact::mesh(&triangles, 1.0);
        let to: Vector3<f64> = Vector3::from(direction.map(|x| x as f64)) * stretch;
        let ray = Ray { origin: Point3::from(origin.map(|x| x as f64)) + to.yzx() * 1e-4 / stretch, direction: to };
        for tree in trees(&mesh) {
            prop_assert!(Probe::new().any_hit(&tree, &ray, f64::INFINITY));
        }
    }

    #[test]
    fn trees_hide_nothing_from_rays(
        mesh in soup(),
        from in prop::array::uniform3(-2f64..2.0),
        to in prop::array::uniform3(-1f64..1.0),
        distance in prop::sample::select(vec![1e-30, 1.0, 1e5, 1e12]),
    ) {
        let target = Point3::from(to);
        let direction = target - Point3::from(from);
        prop_assume!(direction.norm() > 1e-3);
        let ray = Ray { origin: target - direction * distance, direction };
        // One leaf holds everything: brute force.
        let options = bvtree::BuildOptions { max_depth: 0, ..Default::default() };
        let brute = BvTree::build(&mesh, &options).unwrap();
        let expected = all_hits(&mut Probe::new(), &brute, &ray, f64::INFINITY);
        for tree in trees(&mesh) {
            for mut probe in probes() {
                prop_assert_eq!(&all_hits(&mut probe, &tree, &ray, f64::INFINITY), &expected);
                prop_assert_eq!(probe.closest_hit(&tree, &ray, f64::INFINITY), first(&expected));
            }
        }
    }
}

#[test]
fn rays_without_direction_or_mesh_hit_nothing() {
    let empty = Mesh::from_arrays(Vec::new(), Vec::new()).unwrap();
    let triangle = exact::mesh(&[[[0, 0, 0], [1, 0, 0], [0, 1, 0]]], 1.0);
    let ray = |x: f64, z: f64| Ray { origin: Point3::new(x, 0.0, 0.0), direction: Vector3::new(0.0, 0.0, z) };
    for mut probe in probes() {
        for tree in trees(&empty) {
            assert_eq!(probe.closest_hit(&tree, &ray(0.0, 1.0), f64::INFINITY), None);
        }
        for tree in trees(&triangle) {
            assert!(probe.any_hit(&tree, &ray(0.0, 1.0), 0.0));
            assert!(!probe.any_hit(&tree, &ray(0.0, 1.0), -1.0));
            assert!(!probe.any_hit(&tree, &ray(0.0, 1.0), f64::NAN));
            for odd in [
                ray(0.0, 0.0),
                ray(f64::NAN, 1.0),
                ray(f64::INFINITY, 1.0),
                ray(0.0, f64::NAN),
                ray(0.0, f64::INFINITY),
            ] {
                assert_eq!(probe.closest_hit(&tree, &odd, f64::INFINITY), None);
            }
        }
    }
}

#[test]
fn the_normal_follows_the_corners() {
    let tree = trees(&exact::mesh(&[[[0, 0, 1], [2, 0, 1], [0, 2, 1]]], 1.0)).remove(0);
    let hit = Probe::new().closest_hit(&tree, &grid_ray([1, 0, 5], [0, 0, -2], 1.0), f64::INFINITY);
    let (point, normal) = (Point3::new(1.0, 0.0, 1.0), Vector3::z());
    assert_eq!(hit, Some(RayHit { time: 2.0, point, normal, face: 0 }));
}
