//! Manifolds and depths of bodies that are convex shapes, against those of each pair by itself and known ones; and the
//! filter of pairs.

use std::sync::Arc;

use bvtree::query::{DepthOptions, Solid};
use bvtree::scene::{Body, BodyId, Geometry, NO_FACE, Scene};
use bvtree::shape::ConvexShape;
use bvtree::{Pose, Probe};
use nalgebra::{Point3, Vector3};

use super::shapes::shapes;
use super::{Random, at, tree, trees};
use crate::oracle::meshes;
use crate::solids::cuboid;

/// Each manifold is that of the pair, with A first.
#[test]
fn manifolds_of_shapes_are_those_of_the_pairs() {
    let mut random = Random(73);
    let geometries: Vec<Geometry> =
        trees().into_iter().map(Geometry::from).chain(shapes().into_iter().map(Geometry::from)).collect();
    let margin = 0.1;
    let mut count = [0; 2];
    for _ in 0..40 {
        let mut scene = Scene::new();
        let bodies: Vec<Body> = (0..12)
            .map(|_| Body::moving(geometries[random.below(geometries.len())].clone(), random.pose(2.0)))
            .collect();
        scene.add_all(bodies).unwrap();
        let found = scene.contact_manifolds(margin);
        assert!(found.is_sorted_by_key(|found| found.bodies));
        let all: Vec<(BodyId, Body)> = scene.bodies().map(|(id, body)| (id, body.clone())).collect();
        for (i, (a, first)) in all.iter().enumerate() {
            for (b, second) in &all[i + 1..] {
                let of_pair: Vec<_> = found.iter().filter(|found| found.bodies == [*a, *b]).collect();
                let relative = Pose::relative(&first.pose, &second.pose);
                let back = Pose::relative(&second.pose, &first.pose);
                let (expected, to_world, is_swapped) = match [&first.geometry, &second.geometry] {
                    [Geometry::Tree(tree), Geometry::Shape(shape)] => {
                        let shape = shape.transformed(&relative);
                        (Probe::new().convex_contact_manifolds(tree, &shape, margin), first.pose, false)
                    }
                    [Geometry::Shape(shape), Geometry::Tree(tree)] => {
                        let shape = shape.transformed(&back);
                        (Probe::new().convex_contact_manifolds(tree, &shape, margin), second.pose, true)
                    }
                    [Geometry::Shape(shape), Geometry::Shape(other)] => {
                        (shape.contact_manifolds(&other.transformed(&relative), margin), first.pose, false)
                    }
                    _ => continue,
                };
                assert_eq!(of_pair.len(), expected.len());
                count[usize::from(is_swapped)] += expected.len();
                for (found, mut expected) in of_pair.iter().zip(expected) {
                    let normal = to_world.rotation() * expected.normal * if is_swapped { -1.0 } else { 1.0 };
                    assert!((found.manifold.normal - normal).norm() < 1e-12);
                    for (point, expected) in found.manifold.points.iter().zip(&mut expected.points) {
                        if is_swapped {
                            std::mem::swap(&mut expected.on_a, &mut expected.on_b);
                            std::mem::swap(&mut expected.faces.face_a, &mut expected.faces.face_b);
                        }
                        assert_eq!((point.id, point.depth, point.faces), (expected.id, expected.depth, expected.faces));
                        for (found, expected) in [(point.on_a, expected.on_a), (point.on_b, expected.on_b)] {
                            let in_world = to_world.rotation() * expected.coords + to_world.translation();
                            assert!((in_world - found.coords).norm() < 1e-12);
                        }
                        let across = (point.on_b - point.on_a).dot(&found.manifold.normal) + point.depth;
                        assert!(across.abs() < 0.02 * point.depth.abs() + 1e-9, "{found:?}");
                    }
                }
            }
        }
    }
    assert!(count.iter().all(|&count| count > 20), "{count:?}");
}

/// A box and a ball on a table that is a mesh, and that is a shape: the table comes first, and comes last.
#[test]
fn depths_of_shapes_are_known() {
    let table = [
        Geometry::from(tree(&cuboid([4.0, 4.0, 1.0]))),
        Geometry::from(ConvexShape::cuboid(Vector3::new(2.0, 2.0, 0.5)).unwrap()),
    ];
    let cases = [
        (ConvexShape::cuboid(Vector3::repeat(0.5)), 0.9, 0.1, 1e-6),
        (ConvexShape::sphere(0.5), 0.9, 0.1, 0.01),
        (ConvexShape::cylinder(0.5, 0.25), 0.9, 0.1, 0.01),
        (ConvexShape::cuboid(Vector3::repeat(0.5)), 0.0, 1.0, 1e-6),
        // Inside.
        (ConvexShape::sphere(0.2), 0.1, 0.6, 0.01),
    ];
    for table in table {
        for (shape, height, expected, error) in cases.clone() {
            let body = Body::moving(shape.unwrap(), at(0.3, 0.2, height));
            for is_first in [false, true] {
                let mut scene = Scene::new();
                let mut bodies = [Body::moving(table.clone(), at(0.0, 0.0, 0.0)), body.clone()];
                if is_first {
                    bodies.reverse();
                }
                let ids = scene.add_all(bodies).unwrap();
                let [found] = scene.penetration_depths(&DepthOptions::default())[..] else { panic!("{body:?}") };
                assert!(found.depth.lower <= expected + 1e-9 && expected <= found.depth.upper + 1e-9, "{found:?}");
                assert!(found.depth.lower >= 0.97 * expected - error, "{found:?}");
                assert!(found.depth.upper <= 1.03 * expected + error, "{found:?}");
                let pose = scene.body(ids[1]).unwrap().pose;
                let moved =
                    |part: f64| Pose::from_translation(pose.translation() + found.depth.translation * part).unwrap();
                scene.set_pose(ids[1], moved(0.9)).unwrap();
                assert!(scene.penetration_depths(&DepthOptions::default()).len() == 1);
                scene.set_pose(ids[1], moved(1.0 + 1e-6)).unwrap();
                assert!(scene.intersecting_pairs().is_empty(), "{found:?}");
            }
            if height > 0.5 {
                let mut scene = Scene::new();
                scene.add_all([Body::moving(table.clone(), at(0.0, 0.0, 0.0)), body]).unwrap();
                let [found] = scene.overlap_depths(Solid::IfClosed, &DepthOptions::default())[..] else {
                    panic!("one")
                };
                assert!(found.depth.lower <= expected + 1e-9 && expected <= found.depth.upper + 1e-9, "{found:?}");
                assert!(found.depth.lower > 0.08 && found.depth.upper < 0.12, "{found:?}");
                let deepest = found.depth.deepest.unwrap();
                assert!((deepest.point - deepest.way_out).norm() < 0.101, "{found:?}");
            }
        }
    }
}

/// Pairs of shapes have no work in trees, and the work of the pair before counts once.
#[test]
fn pairs_of_shapes_add_no_work_in_trees() {
    let cube = tree(&cuboid([1.0; 3]));
    let flat = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]].map(Point3::from);
    let [ball, flat] = [ConvexShape::sphere(1.0), ConvexShape::hull(&flat)].map(|shape| Arc::new(shape.unwrap()));
    let work = |shapes: &[&Arc<ConvexShape>], ask: fn(&mut Scene)| {
        let mut scene = Scene::new();
        scene.add_all([0.0, 0.5].map(|x| Body::moving(cube.clone(), at(x, 0.0, 0.0)))).unwrap();
        for (i, &shape) in shapes.iter().enumerate() {
            let x = 10.0 * (1.0 + i as f64);
            scene.add_all([x, x + 0.25].map(|x| Body::moving(shape.clone(), at(x, 0.0, 0.0)))).unwrap();
        }
        ask(&mut scene);
        scene.stats().trees
    };
    let penetrations = |scene: &mut Scene| drop(scene.penetration_depths(&DepthOptions::default()));
    assert_eq!(work(&[&ball, &flat], penetrations), work(&[], penetrations));
    // Only shapes with a volume count as meshes.
    let overlaps = |scene: &mut Scene| drop(scene.overlap_depths(Solid::IfClosed, &DepthOptions::default()));
    assert_eq!(work(&[&flat], overlaps), work(&[], overlaps));
}

/// Against a mesh that is not convex: the bounds hold for the shape itself.
#[test]
fn translations_by_depths_free_shapes_from_meshes() {
    let mut random = Random(74);
    let torus = tree(&meshes::torus(12, 8));
    let mut count = 0;
    for shape in shapes() {
        for _ in 0..4 {
            let mut scene = Scene::new();
            let bodies = [Body::fixed(torus.clone(), at(0.0, 0.0, 0.0)), Body::moving(shape.clone(), random.pose(1.0))];
            let ids = scene.add_all(bodies).unwrap();
            let Some(found) = scene.penetration_depths(&DepthOptions::default()).pop() else { continue };
            count += 1;
            assert!(found.depth.lower <= found.depth.upper && found.depth.lower >= 0.9 * found.depth.upper - 0.02);
            let pose = scene.body(ids[1]).unwrap().pose;
            let free = Pose::new(*pose.rotation(), pose.translation() + found.depth.translation).unwrap();
            let shape = shape.transformed(&free);
            let contact = Probe::new().closest_convex_contact(&torus, &shape, 0.0);
            assert!(contact.is_none_or(|contact| contact.distance > -1e-9), "{contact:?} {found:?}");
            let inside = Probe::new().contains(&torus, &shape.center());
            assert_ne!(inside, bvtree::probe::Containment::Inside);
        }
    }
    assert!(count > 8, "{count}");
}

#[test]
fn a_filter_chooses_pairs() {
    let mut random = Random(75);
    let all: Vec<Geometry> =
        trees().into_iter().map(Geometry::from).chain(shapes().into_iter().map(Geometry::from)).collect();
    let mut scene = Scene::new();
    let body = |i: u64, random: &mut Random| Body {
        user: i % 5,
        ..Body::moving(all[random.below(all.len())].clone(), random.pose(2.0))
    };
    let ids = scene.add_all((0..30).map(|i| body(i, &mut random)).collect::<Vec<_>>()).unwrap();
    for step in 0..3 {
        scene.set_pair_filter(|_| true);
        let (touching, near) = (scene.intersecting_pairs(), scene.pairs_within(0.4));
        scene.set_pair_filter(|pair| {
            assert!(pair.ids[0] < pair.ids[1]);
            pair.bodies[0].user != pair.bodies[1].user
        });
        let user = |id: BodyId| id.index() % 5;
        let kept = |pair: &[BodyId; 2]| user(pair[0]) != user(pair[1]);
        let expected: Vec<_> = touching.iter().copied().filter(kept).collect();
        assert!(expected.len() < touching.len() && !expected.is_empty());
        assert_eq!(scene.intersecting_pairs(), expected, "{step}");
        let expected: Vec<_> = near.iter().filter(|near| kept(&near.bodies)).map(|near| near.bodies).collect();
        assert_eq!(scene.pairs_within(0.4).iter().map(|near| near.bodies).collect::<Vec<_>>(), expected);
        assert!(scene.closest_pair().is_some_and(|closest| kept(&closest.bodies)));
        assert!(scene.contact_manifolds(0.1).iter().all(|found| kept(&found.bodies)));
        for &id in &ids {
            scene.set_pose(id, random.pose(2.0)).unwrap();
        }
    }
}

/// Tiles of a floor continue each other below a shape as below a mesh.
#[test]
fn shapes_do_not_catch_on_seams() {
    let tile = tree(&meshes::flat_square(4));
    let size = 4.0;
    let mut scene = Scene::new();
    for x in 0..2 {
        scene.add(Body::fixed(tile.clone(), at(f64::from(x) * size - size, -2.0, 0.0))).unwrap();
    }
    let wheel = Arc::new(ConvexShape::sphere(0.5).unwrap());
    let ball = scene.add(Body::moving(wheel, at(0.0, 0.0, 0.499))).unwrap();
    for i in -40..40 {
        scene.set_pose(ball, at(0.01 * f64::from(i), 0.1, 0.499)).unwrap();
        let found = scene.contact_manifolds(0.02);
        assert!(!found.is_empty());
        for found in found {
            assert!((found.manifold.normal - Vector3::z()).norm() < 1e-6, "{i}: {found:?}");
            assert!(found.manifold.points.iter().all(|point| point.faces.face_b == NO_FACE));
            assert!((found.manifold.points[0].on_a - Point3::new(0.01 * f64::from(i), 0.1, 0.0)).norm() < 1e-6);
        }
    }
}
