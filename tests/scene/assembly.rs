//! Random assemblies of real meshes, after adds, moves, removals and deformations: what each pair of bodies says by
//! itself.

use std::sync::Arc;

use bvtree::query::{Relation, Within};
use bvtree::refit::DeformingTree;
use bvtree::scene::{Body, BodyId, BodyRelation, Scene};
use bvtree::{BvTree, Mesh, Pose, Preset, Query, VolumeKind};
use nalgebra::{Point3, Vector3};
use rayon::prelude::*;

use super::{Random, compared, on_threads, tree_of};
use crate::dataset_folder::dataset;

const CLEARANCE: f64 = 0.05;

/// Meshes of `data/` and, where it is there, of the dataset, brought to a size of 1.
fn meshes() -> Vec<Mesh> {
    let data = format!("{}/data", env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<_> = ["bolt", "crate", "gear", "open_bowl", "nonmanifold", "torus_knot"]
        .iter()
        .map(|name| format!("{data}/{name}.obj").into())
        .collect();
    if let Some(dataset) = dataset() {
        files.extend(["suzanne", "spot", "fcl-rob", "truck"].map(|name| dataset.join(format!("meshes/{name}.obj"))));
    }
    let unit_sized = |file: &std::path::PathBuf| {
        let mesh = Mesh::load_obj(file).unwrap();
        let (center, size) = (mesh.aabb().center(), mesh.aabb().size().norm());
        let vertices =
            mesh.vertices().iter().map(|p| Point3::from((p.map(f64::from) - center) / size).map(|x| x as f32));
        Mesh::from_arrays(vertices.collect(), mesh.triangles().to_vec()).unwrap()
    };
    files.iter().map(unit_sized).collect()
}

/// How many bodies: 500, or what the environment asks for.
fn bodies() -> usize {
    std::env::var("BVTREE_TEST_BODIES").ok().and_then(|count| count.parse().ok()).unwrap_or(500)
}

/// What each pair says: whether they touch, the distance up to the clearance, the relation.
type Expected = (Vec<[BodyId; 2]>, Vec<([BodyId; 2], f64)>, Vec<([BodyId; 2], Relation)>);

fn one_by_one(scene: &Scene) -> Expected {
    let pairs = compared(scene, &[], true);
    let ask = |query: &mut Query, [(i, a), (j, b)]: &[(BodyId, Body); 2]| {
        let pose = Pose::relative(&a.pose, &b.pose);
        let touches = query.intersects(tree_of(a), tree_of(b), &pose);
        let is_near = query.within(tree_of(a), tree_of(b), &pose, CLEARANCE) == Within::Yes;
        let distance = is_near.then(|| query.distance(tree_of(a), tree_of(b), &pose).unwrap().distance);
        ([*i, *j], touches, distance, query.relation(tree_of(a), tree_of(b), &pose))
    };
    let answers: Vec<_> = pairs.par_iter().map_init(Query::new, ask).collect();
    let touching = answers.iter().filter(|(_, touches, ..)| *touches).map(|(pair, ..)| *pair).collect();
    let near = answers.iter().filter_map(|(pair, _, distance, _)| Some((*pair, (*distance)?))).collect();
    let related = answers.iter().filter(|(.., relation)| *relation != Relation::Separate);
    (touching, near, related.map(|(pair, .., relation)| (*pair, *relation)).collect())
}

fn check(scene: &mut Scene, what: &str) {
    let (touching, near, related) = one_by_one(scene);
    assert!(touching.len() > 20 && near.len() > touching.len(), "{what}: {} {}", touching.len(), near.len());
    for threads in [1, 2] {
        on_threads(threads, || {
            assert_eq!(scene.intersecting_pairs(), touching, "{what}");
            let found: Vec<_> = scene.pairs_within(CLEARANCE).iter().map(|pair| (pair.bodies, pair.distance)).collect();
            assert_eq!(found, near, "{what}");
            let found = scene.relations(-1.0);
            assert_eq!(found.len(), related.len(), "{what}");
            for (found, (bodies, relation)) in found.iter().zip(&related) {
                assert_eq!((found.bodies, found.relation), (*bodies, BodyRelation::from(*relation)), "{what}");
            }
        });
    }
}

#[test]
fn an_assembly_of_real_meshes_says_what_all_pairs_say() {
    let meshes = meshes();
    let kinds = VolumeKind::ALL.into_iter().cycle();
    let build = |(mesh, kind): (&Mesh, _)| BvTree::build(mesh, &Preset::Fast.options(kind)).unwrap();
    let trees: Vec<_> = meshes.iter().zip(kinds).map(build).map(Arc::new).collect();
    let mut random = Random(11);
    let half_size = 0.62 * (bodies() as f64).cbrt() * 0.5;
    let mut scene = Scene::new();
    scene.include_static_pairs(true);
    let mut ids = Vec::new();
    for i in 0..bodies() {
        let tree = trees[i % trees.len()].clone();
        let pose = random.pose(half_size);
        ids.push(scene.add(if i % 3 == 0 { Body::fixed(tree, pose) } else { Body::moving(tree, pose) }).unwrap());
    }
    check(&mut scene, "at first");

    for _ in 0..bodies() / 10 {
        let id = ids.swap_remove(random.below(ids.len()));
        scene.remove(id).unwrap();
        ids.push(scene.add(Body::moving(trees[random.below(trees.len())].clone(), random.pose(half_size))).unwrap());
        let (id, step) = (ids[random.below(ids.len())], random.vector(0.1));
        let pose = scene.body(id).unwrap().pose;
        scene.set_pose(id, Pose::new(*pose.rotation(), pose.translation() + step).unwrap()).unwrap();
    }
    // One of them swells and shifts.
    let mut deforming = DeformingTree::new(trees[0].clone(), meshes[0].clone()).unwrap();
    let positions: Vec<_> = meshes[0].vertices().iter().map(|p| p * 1.5 + Vector3::new(0.2, 0.0, 0.0)).collect();
    scene.refit(ids[0], &mut deforming, &positions).unwrap();
    check(&mut scene, "after removals, adds, moves and a deformation");
}
