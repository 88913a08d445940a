//! Bodies that deform among others.

use std::sync::Arc;

use bvtree::refit::{DeformingTree, RefitError};
use bvtree::scene::{Body, BodyId, Scene, SceneError};
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query, VolumeKind};
use nalgebra::{Point3, Vector3};

use super::{Random, at, compared, on_threads, tree, tree_of, trees};
use crate::oracle::meshes;

fn touching_one_by_one(scene: &Scene) -> Vec<[BodyId; 2]> {
    let mut query = Query::new();
    let pairs = compared(scene, &[], false);
    let touching = pairs
        .iter()
        .filter(|[(_, a), (_, b)]| query.intersects(tree_of(a), tree_of(b), &Pose::relative(&a.pose, &b.pose)));
    touching.map(|[(a, _), (b, _)]| [*a, *b]).collect()
}

/// A mesh that breathes and wanders a little.
fn waving(mesh: &Mesh, step: u32) -> Vec<Point3<f32>> {
    let t = step as f32;
    let wave = |p: &Point3<f32>| {
        let swell = 1.0 + 0.4 * (0.9 * t).sin();
        Point3::new(p.x * swell, p.y * (2.0 - swell), p.z + 0.5 * (3.0 * p.x + t).sin())
    };
    mesh.vertices().iter().map(wave).collect()
}

#[test]
fn deformed_bodies_are_found_where_they_are() {
    let mesh = meshes::torus(14, 8);
    let mut random = Random(3);
    for threads in [1, 2] {
        on_threads(threads, || {
            for kind in VolumeKind::ALL {
                let mut scene = Scene::new();
                for tree in trees().iter().cycle().take(25) {
                    scene.add(Body::moving(tree.clone(), random.pose(4.0))).unwrap();
                }
                let built = BvTree::build(&mesh, &BuildOptions::obbtree_rules(kind)).unwrap();
                let mut deforming = DeformingTree::new(built, mesh.clone()).unwrap();
                let id = scene.add(Body::moving(deforming.tree().clone(), at(0.3, 0.1, 0.0))).unwrap();
                for step in 0..12 {
                    let positions = waving(&mesh, step);
                    if step % 3 == 2 {
                        let moved: Vec<_> = (0..).zip(positions).step_by(5).collect();
                        scene.refit_moved(id, &mut deforming, &moved).unwrap();
                    } else {
                        scene.refit(id, &mut deforming, &positions).unwrap();
                    }
                    assert!(Arc::ptr_eq(tree_of(scene.body(id).unwrap()), deforming.tree()));
                    assert_eq!(scene.intersecting_pairs(), touching_one_by_one(&scene), "{kind}, step {step}");
                    let distances: Vec<_> =
                        scene.pairs_within(1.0).iter().map(|pair| (pair.bodies, pair.distance)).collect();
                    let mut query = Query::new();
                    let expected = compared(&scene, &[], false).into_iter().filter_map(|[(i, a), (j, b)]| {
                        let found = query.distance(tree_of(&a), tree_of(&b), &Pose::relative(&a.pose, &b.pose))?;
                        (found.distance <= 1.0).then_some(([i, j], found.distance))
                    });
                    assert_eq!(distances, expected.collect::<Vec<_>>(), "{kind}, step {step}");
                }
            }
        });
    }
}

#[test]
fn a_body_alone_with_its_tree_is_refitted_in_place() {
    let mesh = meshes::torus(14, 8);
    let mut deforming = DeformingTree::new(tree(&mesh), mesh.clone()).unwrap();
    let mut scene = Scene::new();
    let id = scene.add(Body::moving(deforming.tree().clone(), at(0.0, 0.0, 0.0))).unwrap();
    let place = Arc::as_ptr(deforming.tree());
    scene.refit(id, &mut deforming, &waving(&mesh, 1)).unwrap();
    assert_eq!(Arc::as_ptr(deforming.tree()), place);
    // An instance elsewhere keeps what it has.
    let other = scene.add(Body::moving(deforming.tree().clone(), at(9.0, 0.0, 0.0))).unwrap();
    let before = scene.body(other).unwrap().geometry.bounds();
    scene.refit(id, &mut deforming, &waving(&mesh, 2)).unwrap();
    assert_eq!(scene.body(other).unwrap().geometry.bounds(), before);
    assert_ne!(scene.body(id).unwrap().geometry.bounds(), before);
}

#[test]
fn bodies_may_get_and_lose_their_triangles() {
    let mut scene = Scene::new();
    let (full, none) = (tree(&meshes::torus(8, 5)), tree(&meshes::empty()));
    let fixed = scene.add(Body::fixed(full.clone(), at(0.0, 0.0, 0.0))).unwrap();
    let id = scene.add(Body::moving(none.clone(), at(0.2, 0.0, 0.0))).unwrap();
    for _ in 0..3 {
        assert!(scene.intersecting_pairs().is_empty());
        assert!(Arc::ptr_eq(scene.set_geometry(id, full.clone()).unwrap().tree().unwrap(), &none));
        assert_eq!(scene.intersecting_pairs(), [[fixed, id]]);
        scene.set_geometry(id, none.clone()).unwrap();
    }
}

#[test]
fn what_can_not_be_leaves_all_as_it_was() {
    let mesh = meshes::torus(8, 5);
    let mut deforming = DeformingTree::new(tree(&mesh), mesh.clone()).unwrap();
    let mut scene = Scene::new();
    let id = scene.add(Body::moving(deforming.tree().clone(), at(0.0, 0.0, 0.0))).unwrap();
    let far: Vec<_> = mesh.vertices().iter().map(|p| p + Vector3::new(2e30, 0.0, 0.0)).collect();
    assert_eq!(scene.refit(id, &mut deforming, &far), Err(SceneError::TooFar));
    assert_eq!(scene.refit_moved(id, &mut deforming, &[(0, far[0])]), Err(SceneError::TooFar));
    let count = RefitError::VertexCount { given: 1, vertices: mesh.vertices().len() };
    assert_eq!(scene.refit(id, &mut deforming, &far[..1]), Err(SceneError::Refit(count)));
    let odd = [(1, Point3::new(0.0, f32::NAN, 0.0))];
    let not_finite = RefitError::NotFinite { vertex: 1 };
    assert_eq!(scene.refit_moved(id, &mut deforming, &odd), Err(SceneError::Refit(not_finite)));
    assert!(tree_of(scene.body(id).unwrap()).validate_against(&mesh).is_empty());
    assert!(Arc::ptr_eq(tree_of(scene.body(id).unwrap()), deforming.tree()));
    scene.remove(id).unwrap();
    assert_eq!(scene.refit(id, &mut deforming, mesh.vertices()), Err(SceneError::NoSuchBody(id)));
    assert_eq!(scene.set_geometry(id, deforming.tree().clone()).unwrap_err(), SceneError::NoSuchBody(id));
    assert!(BvTree::default().validate().is_empty() && BvTree::default().bounds().is_empty());
}
