//! Meshes as solids: what lies inside one collides with it, in every question about two meshes.

use std::sync::Arc;

use bvtree::query::{ClosestPair, DistanceOptions, DistanceTracker, Solid, TimeOfImpact, Within};
use bvtree::tree::Layers;
use bvtree::{BvTree, Mesh, Motion, Pose, Query};
use nalgebra::{Isometry3, Rotation3, Vector3};

use crate::oracle::{KINDS, Rules, meshes};
use crate::relation::solids::{cube, inside_out, sphere, together, without_lid};
use crate::scene::Random;
use crate::solids::shifted;

const CHOICES: [[Solid; 2]; 4] = [
    [Solid::No, Solid::No],
    [Solid::IfClosed, Solid::No],
    [Solid::No, Solid::IfClosed],
    [Solid::IfClosed, Solid::IfClosed],
];

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vector3::new(x, y, z)).unwrap()
}

fn trees(mesh: &Mesh) -> impl Iterator<Item = Arc<BvTree>> {
    KINDS.iter().map(|kinds| Arc::new(Rules::FINEST.tree(mesh, kinds[0])))
}

/// All questions about A and B, where the inner mesh (0 for A, 1 for B) is inside if the other is solid.
fn check(a: &Arc<BvTree>, b: &Arc<BvTree>, pose: &Pose, inner: Option<usize>) {
    let surfaces = Query::new().distance(a, b, pose).unwrap();
    assert!(surfaces.distance > 0.0);
    let mut query = Query::new();
    let mut tracker = DistanceTracker::new(a, b);
    for solids in CHOICES {
        query.set_solids(solids[0], solids[1]);
        assert_eq!(query.solids(), solids);
        let inner = inner.filter(|&inner| solids[1 - inner] != Solid::No);
        let collides = inner.is_some();
        assert_eq!(query.intersects(a, b, pose), collides, "{solids:?}");
        let found = query.distance(a, b, pose).unwrap();
        assert_eq!(tracker.distance(&mut query, pose), Some(found));
        let bound = DistanceOptions { upper_bound: 0.5 * surfaces.distance, ..DistanceOptions::default() };
        let near = query.distance_with(a, b, pose, &bound);
        assert_eq!(tracker.distance_with(&mut query, pose, &bound), near);
        let negative = DistanceOptions { upper_bound: -1.0, ..bound };
        assert_eq!(query.distance_with(a, b, pose, &negative), None);
        for tolerance in [-1.0, f64::NAN, 0.0, 0.5 * surfaces.distance, 2.0 * surfaces.distance] {
            let expected = tolerance >= 0.0 && collides || surfaces.distance <= tolerance;
            let within = query.within(a, b, pose, tolerance);
            assert_eq!(within.is_yes(), expected, "{tolerance} {solids:?}");
            if let Within::No { lower_bound } = within {
                assert!(lower_bound <= surfaces.distance && lower_bound >= 0.0);
            }
        }
        let impact = query.time_of_impact(a, b, &Motion::new(*pose, *pose), 1e-9).unwrap();
        let Some(inner) = inner else {
            assert_eq!((found, near), (surfaces, None));
            assert_eq!(impact, TimeOfImpact::NoImpact);
            continue;
        };
        assert_eq!((found.distance, found.on_a, found.faces), (0.0, found.on_b, surfaces.faces));
        assert_eq!(found.on_a, [surfaces.on_a, surfaces.on_b][inner]);
        assert_eq!(near, Some(found));
        let TimeOfImpact::Touching(contact) = impact else { panic!("{impact:?}") };
        assert_eq!((contact.time, contact.distance, contact.on_a, contact.faces), (0.0, 0.0, found.on_a, found.faces));
        // The way out: B moved along the normal by the distance meets the surface, and not before.
        let direction = nalgebra::Unit::new_normalize(contact.normal);
        let along = |by: f64| query_surfaces(a, b, &shifted(pose, &direction, by));
        assert!(along(0.999 * surfaces.distance) > 0.0 && along(1.001 * surfaces.distance) == 0.0, "{contact:?}");
    }
}

fn query_surfaces(a: &BvTree, b: &BvTree, pose: &Pose) -> f64 {
    Query::new().distance(a, b, pose).unwrap().distance
}

#[test]
fn a_mesh_inside_a_solid_collides_with_it() {
    for (large, small) in trees(&cube(2.0)).zip(trees(&sphere(0.5))) {
        let pose = at(0.25, 0.5, -0.125);
        check(&large, &small, &pose, Some(1));
        check(&small, &large, &pose.inverse(), Some(0));
        check(&large, &small, &at(3.0, 0.5, 0.25), None);
        // Boxes overlap, and nothing is inside.
        let turn = Rotation3::from_euler_angles(0.5, 0.6, 0.7).into_inner();
        check(&large, &large, &Pose::new(turn, Vector3::new(4.0, 4.0, 4.0)).unwrap(), None);
    }
}

#[test]
fn nothing_is_inside_an_open_mesh_or_between_two_shells() {
    let small = trees(&sphere(0.25)).next().unwrap();
    let open = trees(&without_lid(&cube(2.0))).next().unwrap();
    check(&open, &small, &at(0.0, 0.0, 0.0), None);
    let hollow = together(&[cube(2.0), inside_out(&cube(1.0))]);
    for hollow in trees(&hollow) {
        check(&hollow, &small, &at(0.1, 0.0, 0.0), None);
        check(&hollow, &small, &at(1.5, 0.1, 0.0), Some(1));
    }
    let empty = trees(&meshes::empty()).next().unwrap();
    let mut query = Query::new();
    query.set_solids(Solid::IfClosed, Solid::IfClosed);
    assert!(!query.intersects(&empty, &small, &Pose::identity()));
    assert_eq!(query.distance(&small, &empty, &Pose::identity()), None);
}

/// A component of several is enough, of either mesh.
#[test]
fn a_part_inside_collides() {
    let pair = together(&[sphere(0.25), meshes::placed(&sphere(0.25), 1.0, Vector3::new(9.0, 0.0, 0.0))]);
    let (pair, large) = (trees(&pair).next().unwrap(), trees(&cube(2.0)).next().unwrap());
    check(&large, &pair, &at(0.5, 0.25, 0.0), Some(1));
    check(&pair, &large, &at(9.5, 0.25, 0.0), Some(0));
    check(&pair, &large, &at(4.5, 0.25, 0.0), None);
}

/// A tracker along a path through a hollow, over walls and back, in steps of all sizes.
#[test]
fn a_tracker_of_solids_agrees_with_queries_along_a_path() {
    let hollow = together(&[cube(4.0), inside_out(&cube(2.5))]);
    let (a, b) = (trees(&hollow).next().unwrap(), trees(&sphere(0.25)).next().unwrap());
    let (mut random, mut query) = (Random(5), Query::new());
    let mut tracker = DistanceTracker::new(&a, &b);
    let mut position = Vector3::zeros();
    let mut collisions = 0;
    for step in 0..4_000 {
        if step % 97 == 0 {
            let [first, second] = CHOICES[random.below(4)];
            query.set_solids(first, second);
        }
        let size = [1e-6, 1e-3, 0.05, 0.5, 4.0][random.below(5)];
        position = (position + random.vector(1.0) * size).map(|x| x.clamp(-5.0, 5.0));
        let pose = Pose::from(Isometry3::new(position, random.vector(1.0) * size));
        let upper_bound = [f64::INFINITY, 0.3, 0.0][random.below(3)];
        let options = DistanceOptions { upper_bound, ..DistanceOptions::default() };
        let expected = query.distance_with(&a, &b, &pose, &options);
        assert_eq!(tracker.distance_with(&mut query, &pose, &options), expected, "{step}");
        let in_wall = position.amax() > 2.5 && position.amax() < 4.0 && query.solids()[0] != Solid::No;
        let collides = expected.is_some_and(|closest| closest.distance == 0.0);
        assert!(!in_wall || collides, "{step} {position}");
        collisions += usize::from(collides);
    }
    assert!((400..3_600).contains(&collisions), "{collisions}");
}

/// Masks leave out all of a solid, or the side through which a mesh enters it: what is inside the whole solid collides.
#[test]
fn masks_make_no_difference_to_what_is_inside() {
    let (large, small) = (cube(10.0), cube(0.5));
    let is_lid = |face: u32| large.triangle(face).vertices.iter().all(|vertex| vertex.x == 10.0);
    for (open, small) in trees(&large).zip(trees(&small)) {
        open.set_layers(|face| Layers { bits: if is_lid(face) { 1 } else { 2 }, ..Layers::default() }).unwrap();
        let path = [12.0, 11.0, 9.4, 8.0, 11.0].map(|x| at(x, 0.0, 0.0));
        for mask in [4, 2] {
            let mut query = Query::new();
            query.set_solids(Solid::IfClosed, Solid::No);
            query.set_masks(Some(mask), None);
            let hits: Vec<bool> = path.iter().map(|pose| query.intersects(&open, &small, pose)).collect();
            assert_eq!(hits, [false, false, true, true, false]);
            assert_eq!(query.intersects_many(&open, &small, &path), hits);
            assert_eq!(query.first_hit(&open, &small, &path), Some(2));
            let distances: Vec<_> = path.iter().map(|pose| query.distance(&open, &small, pose)).collect();
            let touch = |found: &Option<ClosestPair>| found.is_some_and(|closest| closest.distance == 0.0);
            assert_eq!(distances.iter().map(touch).collect::<Vec<_>>(), hits);
            let mut tracker = DistanceTracker::new(&open, &small);
            let options = DistanceOptions::default();
            assert_eq!(query.distance_many(&open, &small, &path, &options), distances);
            for (pose, expected) in path.iter().zip(&distances) {
                assert_eq!(tracker.distance(&mut query, pose), *expected);
            }
            // From inside, out through the lid.
            let (inside, x) = (at(0.0, 0.0, 0.0), Vector3::x_axis());
            let impact = query.time_of_impact(&open, &small, &Motion::new(inside, path[0]), 0.0).unwrap();
            assert!(matches!(impact, TimeOfImpact::Touching(contact) if contact.time == 0.0), "{impact:?}");
            let free = query.free_interval_along(&open, &small, &inside, &x);
            assert!((free.start - 10.5).abs() < 1e-9 && free.end == f64::INFINITY, "{free:?}");
            let exit = query.penetration_along(&open, &small, &inside, &x).unwrap();
            assert!((exit.depth - 10.5).abs() < 1e-9, "{exit:?}");
            assert_eq!(query.masks(), [Some(mask), None]);
        }
    }
}
