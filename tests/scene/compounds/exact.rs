//! Compounds in exact cases: on a grid, empty, of one part; what is refused, and what is remembered.

use std::sync::Arc;

use bvtree::refit::DeformingTree;
use bvtree::scene::{Body, BodyRelation, Compound, CompoundError, Geometry, Part, Scene, SceneError};
use bvtree::shape::ConvexShape;
use bvtree::{BuildOptions, BvTree, Motion, Pose, Probe};
use nalgebra::{Matrix3, Vector3};

use super::super::shapes::shapes;
use super::super::{Random, at, tree, trees};
use crate::oracle::meshes;
use crate::solids::cuboid;

fn part(geometry: impl Into<Geometry>, pose: Pose) -> Part {
    Part { geometry: geometry.into(), pose }
}

#[test]
fn parts_touch_exactly_on_a_grid() {
    let cube = tree(&cuboid([1.0; 3]));
    let half = f64::from(cube.bounds().upper.x as f32);
    let compound = Compound::new([part(cube.clone(), at(-4.0, 0.0, 0.0)), part(cube.clone(), at(4.0, 0.0, 0.0))]);
    let compound = Arc::new(compound.unwrap());
    assert_eq!(
        [compound.bounds().lower.x, compound.bounds().upper.x].map(f64::round),
        [-(4.0 + half), 4.0 + half].map(f64::round)
    );
    let mut scene = Scene::new();
    let a = scene.add(Body::moving(compound.clone(), Pose::identity())).unwrap();
    let b = scene.add(Body::moving(cube, at(4.0 + 2.0 * half, 0.0, 0.0))).unwrap();
    assert_eq!(scene.intersecting_pairs(), [[a, b]]);
    assert_eq!(scene.pairs_within(0.0)[0].parts, [1, 0]);
    let gap = 2.0_f64.powi(-40);
    scene.set_pose(b, at(4.0 + 2.0 * half + gap, 0.0, 0.0)).unwrap();
    assert!(scene.intersecting_pairs().is_empty());
    assert_eq!(scene.pairs_within(gap)[0].distance, gap);
    assert!(scene.pairs_within(0.5 * gap).is_empty());
    // Between the parts there is nothing.
    scene.set_pose(b, at(0.0, 0.0, 0.0)).unwrap();
    assert!(scene.intersecting_pairs().is_empty());
    assert_eq!(scene.closest_pair().unwrap().distance, 4.0 - 2.0 * half);
}

#[test]
fn an_empty_compound_meets_nothing() {
    let empty = Compound::new([]).unwrap();
    assert!(empty.bounds().is_empty() && empty.parts().is_empty());
    let hollow = Compound::new([part(tree(&meshes::empty()), Pose::identity())]).unwrap();
    let mut scene = Scene::new();
    let ball = ConvexShape::sphere(2.0).unwrap();
    let ids = scene
        .add_all([empty.into(), hollow.into(), Geometry::from(ball)].map(|all| Body::moving(all, Pose::identity())))
        .unwrap();
    assert!(scene.intersecting_pairs().is_empty() && scene.closest_pair().is_none());
    assert_eq!(scene.relation(ids[0], ids[2], 1.0), Ok(BodyRelation::Separate));
    assert_eq!(scene.relation(ids[1], ids[2], 1.0), Ok(BodyRelation::Separate));
    scene.set_pose(ids[0], at(1.0, 0.0, 0.0)).unwrap();
    assert_eq!(scene.impacts(&[(ids[0], Motion::new(at(0.0, 0.0, 0.0), at(1.0, 0.0, 0.0)))], 0.0), Ok(vec![]));
    let mut probe = Probe::new();
    let near = scene.closest_point(&mut probe, &[0.0, 0.0, 3.0].into(), 9.0, 1).unwrap();
    assert_eq!((near.body, near.part), (ids[2], 0));
}

#[test]
fn one_part_is_the_plain_body() {
    let mut random = Random(59);
    let simple: Vec<Geometry> =
        trees().into_iter().map(Geometry::from).chain(shapes().into_iter().map(Geometry::from)).collect();
    let wrapped = |geometry: &Geometry| Compound::new([part(geometry.clone(), Pose::identity())]).unwrap();
    for _ in 0..20 {
        let mut plain = Scene::new();
        let mut compound = Scene::new();
        let mut ids = Vec::new();
        for _ in 0..5 {
            let geometry = &simple[random.below(simple.len())];
            let body = Body::moving(geometry.clone(), random.pose(2.0));
            compound.add(Body { geometry: wrapped(geometry).into(), ..body.clone() }).unwrap();
            ids.push(plain.add(body).unwrap());
        }
        assert_eq!(compound.intersecting_pairs(), plain.intersecting_pairs());
        assert_eq!(compound.pairs_within(1.0), plain.pairs_within(1.0));
        assert_eq!(compound.closest_pair(), plain.closest_pair());
        assert_eq!(compound.relations(0.01), plain.relations(0.01));
        assert_eq!(compound.contact_manifolds(0.1), plain.contact_manifolds(0.1));
        let options = Default::default();
        assert_eq!(compound.penetration_depths(&options), plain.penetration_depths(&options));
        let motions: Vec<_> =
            ids.iter().map(|id| (*id, Motion::new(plain.body(*id).unwrap().pose, random.pose(2.0)))).collect();
        assert_eq!(compound.impacts(&motions, 1e-6), plain.impacts(&motions, 1e-6));
        assert_eq!(compound.first_impact(&motions, 1e-6), plain.first_impact(&motions, 1e-6));
    }
}

#[test]
fn what_compounds_refuse() {
    let ball = ConvexShape::sphere(1.0).unwrap();
    let one = Compound::new([part(ball.clone(), Pose::identity())]).unwrap();
    let nested = Compound::new([part(ball.clone(), Pose::identity()), part(one, Pose::identity())]);
    assert_eq!(nested.unwrap_err(), CompoundError::Nested { part: 1 });
    let stretched = Pose::new(Matrix3::identity() * (1.0 + 1e-5), Vector3::zeros()).unwrap();
    let refused = Compound::new([part(ball.clone(), stretched)]).unwrap_err();
    assert!(matches!(refused, CompoundError::NotARotation { part: 0, .. }), "{refused}");
    let far = Compound::new([part(ball.clone(), at(2e30, 0.0, 0.0))]);
    assert_eq!(far.unwrap_err(), CompoundError::TooFar { part: 0 });

    let mesh = meshes::flat_square(2);
    let open = Compound::new([part(ball, Pose::identity()), part(tree(&mesh), Pose::identity())]).unwrap();
    let mut scene = Scene::new();
    let body = Body::moving(open, Pose::identity());
    assert_eq!(scene.add(Body { is_solid: true, ..body.clone() }), Err(SceneError::OpenSolid));
    let id = scene.add(body).unwrap();
    let built = BvTree::build(&mesh, &BuildOptions::default()).unwrap();
    let mut deforming = DeformingTree::new(built, mesh.clone()).unwrap();
    assert_eq!(scene.refit(id, &mut deforming, mesh.vertices()), Err(SceneError::NotATree(id)));
    assert!(scene.body(id).unwrap().geometry.compound().is_some());
}
