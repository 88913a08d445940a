//! Relations, and bodies that are there twice.

use bvtree::query::{DepthOptions, Solid};
use bvtree::scene::{Body, BodyRelation, RelatedPair, Scene};
use bvtree::{Mesh, Pose, Query};
use nalgebra::{Point3, Rotation3, Vector3};

use super::{Random, at, compared, tree, tree_of, trees, turned};
use crate::oracle::meshes::{flat_square, moved, torus};
use crate::solids::cuboid;

fn relation(a: &Mesh, b: &Mesh, pose_a: Pose, pose_b: Pose, tolerance: f64) -> BodyRelation {
    let mut scene = Scene::new();
    let [id_a, id_b] =
        [(a, pose_a), (b, pose_b)].map(|(mesh, pose)| scene.add(Body::moving(tree(mesh), pose)).unwrap());
    let relation = scene.relation(id_a, id_b, tolerance).unwrap();
    let told = scene.relations(tolerance);
    let expected = RelatedPair { bodies: [id_a, id_b], relation };
    assert_eq!(told, if relation == BodyRelation::Separate { vec![] } else { vec![expected] });
    relation
}

#[test]
fn relations_are_those_of_all_pairs() {
    let mut random = Random(5);
    let trees = trees();
    let mut scene = Scene::new();
    for i in 0..120 {
        scene.add(Body::fixed(trees[i % trees.len()].clone(), random.pose(4.0))).unwrap();
    }
    assert!(scene.relations(1e-6).is_empty(), "static bodies are not compared");
    scene.include_static_pairs(true);
    let mut query = Query::new();
    let mut expected = Vec::new();
    for [(id_a, a), (id_b, b)] in compared(&scene, &[], true) {
        let relation = query.relation(tree_of(&a), tree_of(&b), &Pose::relative(&a.pose, &b.pose)).into();
        if relation != BodyRelation::Separate {
            expected.push(RelatedPair { bodies: [id_a, id_b], relation });
        }
    }
    assert!(expected.len() > 30);
    assert_eq!(scene.relations(1e-6), expected);
}

#[test]
fn the_same_thing_twice_is_told_from_what_touches() {
    use BodyRelation::{AInB, Coincident, Crossing, Separate, Touching};
    let cube = cuboid([1.0; 3]);
    let here = turned(5.0, 6.0, 7.0, [0.3, 0.4, 0.5]);
    let moved_by =
        |x: f64| Pose::new(*here.rotation(), here.translation() + here.rotation() * Vector3::new(x, 0.0, 0.0)).unwrap();
    assert_eq!(relation(&cube, &cube, here, here, 0.0), Coincident);
    assert_eq!(relation(&cube, &cube, here, here, -1.0), Touching);
    assert_eq!(relation(&cube, &cube, here, here, f64::NAN), Touching);
    assert_eq!(relation(&cube, &cube, here, moved_by(0.0009), 0.001), Coincident);
    assert_eq!(relation(&cube, &cube, here, moved_by(0.0011), 0.001), Crossing);
    assert_eq!(relation(&cube, &cube, at(0.0, 0.0, 0.0), at(1.0, 0.0, 0.0), 0.001), Touching);
    assert_eq!(relation(&cube, &cube, here, moved_by(2.0), 0.001), Separate);
    assert_eq!(relation(&cuboid([0.5; 3]), &cube, here, here, 0.01), AInB);
    assert_eq!(relation(&cuboid([0.99; 3]), &cube, here, here, 0.01), Coincident);

    // Written in world coordinates, its triangles in another order.
    let turn = Rotation3::from_euler_angles(0.1, 0.2, 0.3);
    let ring = torus(12, 8);
    let mut baked = moved(&ring, |v| turn * v + Vector3::new(1.0, 2.0, 3.0));
    let mut triangles = baked.triangles().to_vec();
    triangles.reverse();
    triangles.iter_mut().for_each(|corners| corners.rotate_left(1));
    baked = Mesh::from_arrays(baked.vertices().to_vec(), triangles).unwrap();
    let pose = Pose::new(*turn.matrix(), Vector3::new(1.0, 2.0, 3.0)).unwrap();
    assert_eq!(relation(&ring, &baked, pose, Pose::identity(), 1e-6), Coincident);
    // Turned by one of its symmetries.
    let twelfth = turned(0.0, 0.0, 0.0, [0.0, 0.0, std::f64::consts::TAU / 12.0]);
    assert_eq!(relation(&ring, &ring, Pose::identity(), twelfth, 1e-6), Coincident);
    let less = turned(0.0, 0.0, 0.0, [0.0, 0.0, 0.4]);
    assert_eq!(relation(&ring, &ring, Pose::identity(), less, 1e-6), Crossing);
    // A part of a thing is not the thing, whichever comes first.
    let whole = flat_square(3);
    let part = Mesh::from_arrays(whole.vertices().to_vec(), whole.triangles()[..6].to_vec()).unwrap();
    assert_ne!(relation(&whole, &part, here, here, 1e-3), Coincident);
    assert_ne!(relation(&part, &whole, here, here, 1e-3), Coincident);
    let point = Mesh::from_arrays(vec![Point3::origin(); 3], vec![[0, 1, 2]]).unwrap();
    assert_eq!(relation(&point, &point, here, here, 0.0), Coincident);
}

/// Cubes in a row, each a little deeper in the next, and one without a lid.
#[test]
fn overlap_depths_of_all_pairs() {
    let cube = tree(&cuboid([2.0; 3]));
    let open = tree(&crate::relation::solids::without_lid(&cuboid([2.0; 3])));
    let mut scene = Scene::new();
    let places = [0.0, 1.9, 3.7, 5.4, 7.4];
    let ids = places.map(|x| scene.add(Body::moving(cube.clone(), turned(1.0, x, 2.0, [0.0; 3]))).unwrap());
    let lidless = scene.add(Body::moving(open, turned(1.0, -1.5, 2.0, [0.0; 3]))).unwrap();
    let options = DepthOptions { relative_tolerance: 1e-3, ..DepthOptions::default() };
    let found = scene.overlap_depths(Solid::No, &options);
    assert_eq!(found.iter().map(|pair| pair.bodies).collect::<Vec<_>>(), [0, 1, 2].map(|i| [ids[i], ids[i + 1]]));
    for (pair, truth) in found.iter().zip([0.1, 0.2, 0.3]) {
        assert!(pair.depth.lower <= truth + 1e-6 && truth - 1e-6 <= pair.depth.upper, "{pair:?}");
        let deepest = pair.depth.deepest.unwrap();
        assert!(((deepest.point - deepest.way_out).norm() - truth).abs() < 1e-3 * truth + 1e-6);
        // In the world.
        let way = deepest.way_out - deepest.point;
        assert!(way.y.abs() > 0.99 * truth && (deepest.point.x - 1.0).abs() <= 1.0 && deepest.point.z >= 1.0);
    }
    let robust = scene.overlap_depths(Solid::Robust, &options);
    let of_open: Vec<_> = robust.iter().filter(|pair| pair.bodies[1] == lidless).collect();
    assert_eq!((robust.len(), of_open.len()), (4, 1));
    assert!((0.45..=0.55).contains(&of_open[0].depth.upper), "{of_open:?}");
    assert_eq!(scene.stats().queried, 5);
}

/// What is found for a pair alone, in the world; each translation frees its pair.
#[test]
fn penetration_depths_of_all_pairs() {
    let cube = tree(&cuboid([2.0; 3]));
    let open = tree(&crate::relation::solids::without_lid(&cuboid([2.0; 3])));
    let ring = tree(&torus(16, 8));
    let mut scene = Scene::new();
    let places = [0.0, 1.9, 3.7, 5.4, 7.4];
    for x in places {
        scene.add(Body::moving(cube.clone(), turned(1.0, x, 2.0, [0.0; 3]))).unwrap();
    }
    scene.add(Body::moving(open, turned(1.0, -1.5, 2.0, [0.0; 3]))).unwrap();
    scene.add(Body::moving(ring, turned(2.5, 7.9, 2.2, [0.5, 0.3, 0.2]))).unwrap();
    let options = DepthOptions { relative_tolerance: 0.05, ..DepthOptions::default() };
    let found = scene.penetration_depths(&options);
    assert_eq!(found.len(), 4);
    for (pair, truth) in found.iter().zip([0.1, 0.2, 0.3]) {
        assert!(pair.depth.lower <= truth + 1e-6 && truth - 1e-6 <= pair.depth.upper, "{pair:?}");
        assert!(pair.depth.translation.y > 0.99 * truth, "{pair:?}");
    }
    for pair in &found {
        let [a, b] = pair.bodies;
        let pose = scene.body(b).unwrap().pose;
        for (share, is_free) in [(1.0 + 1e-9, true), (0.9, false)] {
            let by = pair.depth.translation * share;
            scene.set_pose(b, Pose::new(*pose.rotation(), pose.translation() + by).unwrap()).unwrap();
            let relation = scene.relation(a, b, -1.0).unwrap();
            let is_found_free = matches!(relation, BodyRelation::Separate | BodyRelation::Touching);
            assert_eq!(is_found_free, is_free, "{relation:?} {pair:?}");
        }
        scene.set_pose(b, pose).unwrap();
    }
}
