//! Bodies that are convex shapes, against each shape and triangle, or shape and shape, by themselves.

use std::sync::Arc;

use bvtree::probe::Ray;
use bvtree::query::Solid;
use bvtree::refit::{DeformingTree, RefitOptions};
use bvtree::scene::{Body, BodyId, BodyRelation, Geometry, NO_FACE, Scene, SceneError};
use bvtree::shape::{ConvexShape, Distance, Overlaps};
use bvtree::{BvTree, Motion, Pose, Probe, Query};
use nalgebra::{Matrix3, Point3, Vector3};

use super::{Random, at, tree, trees, turned};
use crate::oracle::meshes;
use crate::solids::cuboid;

pub(super) fn shapes() -> Vec<Arc<ConvexShape>> {
    let hull: Vec<_> = (0..40).map(|i| Point3::from(turned_about(f64::from(i)) * 0.8)).collect();
    let all = [
        ConvexShape::sphere(0.5),
        ConvexShape::capsule(1.0, 0.25),
        ConvexShape::cuboid(Vector3::new(0.5, 0.25, 1.0)),
        ConvexShape::cylinder(0.75, 0.5),
        ConvexShape::cone(0.75, 0.5),
        ConvexShape::hull(&hull),
        ConvexShape::cuboid(Vector3::new(0.5, 0.5, 0.0)).and_then(|plate| plate.rounded(0.1)),
        ConvexShape::cuboid(Vector3::new(1.0, 1.0, 0.0)),
    ];
    all.map(|shape| Arc::new(shape.unwrap())).into()
}

fn turned_about(i: f64) -> Vector3<f64> {
    Vector3::new((0.7 * i).sin(), (1.3 * i).cos(), (2.1 * i).sin()).normalize()
}

/// Whether two bodies touch, and their distance, by each triangle; of trees, what a query says.
fn alone(a: &Body, b: &Body) -> Option<f64> {
    match [&a.geometry, &b.geometry] {
        [Geometry::Shape(_), Geometry::Tree(_)] => alone(b, a),
        [Geometry::Tree(tree_a), Geometry::Tree(tree_b)] => {
            Query::new().distance(tree_a, tree_b, &Pose::relative(&a.pose, &b.pose)).map(|found| found.distance)
        }
        [first, second] => {
            let shape = second.shape().unwrap().transformed(&Pose::relative(&a.pose, &b.pose));
            match first.tree() {
                Some(tree) => {
                    let mesh = tree.to_mesh().unwrap();
                    mesh.iter().map(|triangle| Distance::distance(&shape, &triangle)).reduce(f64::min)
                }
                None => Some(first.shape().unwrap().distance(&shape)),
            }
        }
    }
}

fn pairs(scene: &Scene) -> Vec<([BodyId; 2], Option<f64>)> {
    let bodies: Vec<_> = scene.bodies().collect();
    let pairs = bodies.iter().enumerate().flat_map(|(i, a)| bodies[i + 1..].iter().map(move |b| [a, b]));
    let compared = pairs.filter(|[a, b]| !(a.1.is_static && b.1.is_static));
    compared.map(|[a, b]| ([a.0, b.0], alone(a.1, b.1))).collect()
}

#[test]
fn scenes_of_shapes_say_what_pairs_say() {
    let mut random = Random(71);
    let geometries: Vec<Geometry> =
        trees().into_iter().map(Geometry::from).chain(shapes().into_iter().map(Geometry::from)).collect();
    let (mut touching, mut near) = (0, 0);
    for round in 0..24 {
        let mut scene = Scene::new();
        let body = |i: usize, random: &mut Random| Body {
            is_static: i.is_multiple_of(4),
            ..Body::moving(geometries[random.below(geometries.len())].clone(), random.pose(3.0))
        };
        let bodies: Vec<_> = (0..16).map(|i| body(i, &mut random)).collect();
        let ids = scene.add_all(bodies).unwrap();
        for step in 0..4 {
            let truth = pairs(&scene);
            let within = |most: f64| {
                let near = truth.iter().filter(move |(_, distance)| distance.is_some_and(|distance| distance <= most));
                near.map(|(ids, _)| *ids).collect::<Vec<_>>()
            };
            let expected = within(0.0);
            touching += expected.len();
            assert_eq!(scene.intersecting_pairs(), expected, "{round} {step}");
            let found = scene.pairs_within(0.5);
            near += found.len();
            assert_eq!(found.iter().map(|pair| pair.bodies).collect::<Vec<_>>(), within(0.5), "{round} {step}");
            for pair in &found {
                let distance = truth.iter().find(|(ids, _)| *ids == pair.bodies).unwrap().1.unwrap();
                assert!((pair.distance - distance).abs() < 1e-9, "{pair:?} {distance}");
                assert!(((pair.points[1] - pair.points[0]).norm() - distance).abs() < 1e-9, "{pair:?} {distance}");
                let geometries = pair.bodies.map(|id| &scene.body(id).unwrap().geometry);
                let faces = [pair.faces.face_a, pair.faces.face_b];
                for (k, geometry) in geometries.into_iter().enumerate() {
                    assert_eq!(geometry.shape().is_some(), faces[k] == NO_FACE);
                    let local = scene.body(pair.bodies[k]).unwrap().pose.inverse();
                    let point = local.rotation() * pair.points[k].coords + local.translation();
                    let off = geometry.shape().map_or(0.0, |shape| shape.distance(&Point3::from(point)));
                    assert!(off < 1e-9, "{pair:?} {off}");
                }
            }
            let least = truth.iter().filter_map(|(_, distance)| *distance).reduce(f64::min);
            let closest = scene.closest_pair().map(|pair| pair.distance);
            assert!((closest.unwrap() - least.unwrap()).abs() < 1e-9);
            for pair in scene.relations(0.0) {
                let geometries = pair.bodies.map(|id| &scene.body(id).unwrap().geometry);
                let is_open = |tree: &Arc<BvTree>| !tree.watertightness().is_closed();
                let may_be_undefined = geometries.iter().any(|geometry| geometry.tree().is_some_and(is_open));
                let has_shape = geometries.iter().any(|geometry| geometry.shape().is_some());
                let touches = expected.contains(&pair.bodies);
                let is_undefined = pair.relation == BodyRelation::Undefined;
                assert!(!has_shape || may_be_undefined || is_undefined == touches, "{pair:?}");
            }
            // A tree that is in no scene.
            let (outside, pose) = (&trees()[2], random.pose(2.0));
            let outside_body = Body::moving(outside.clone(), pose);
            let all: Vec<_> = scene.bodies().map(|(id, body)| (id, alone(&outside_body, body))).collect();
            let near = |most: f64| {
                let near = all.iter().filter(move |(_, distance)| distance.is_some_and(|distance| distance <= most));
                near.map(|(id, _)| *id).collect::<Vec<_>>()
            };
            let mut query = Query::new();
            assert_eq!(scene.bodies_intersecting(&mut query, outside, &pose, u32::MAX), near(0.0));
            let found = scene.bodies_within(&mut query, outside, &pose, 0.4, u32::MAX);
            assert_eq!(found.iter().map(|near| near.body).collect::<Vec<_>>(), near(0.4));
            for (i, id) in ids.iter().enumerate().filter(|(i, _)| !i.is_multiple_of(4)) {
                let before = scene.body(*id).unwrap().pose;
                let by = random.vector(if i % 3 == 0 { 1e-3 } else { 0.2 });
                scene.set_pose(*id, Pose::new(*before.rotation(), before.translation() + by).unwrap()).unwrap();
            }
        }
    }
    assert!(touching > 300 && near > 500, "{touching} {near}");
}

#[test]
fn what_is_in_a_solid_tree_touches_it() {
    let mut scene = Scene::new();
    let room = Body { is_solid: true, ..Body::fixed(tree(&cuboid([4.0; 3])), at(0.0, 0.0, 0.0)) };
    let room = scene.add(room).unwrap();
    let marble = scene.add(Body::moving(ConvexShape::sphere(0.25).unwrap(), at(0.5, 0.0, 0.0))).unwrap();
    for _ in 0..2 {
        assert_eq!(scene.intersecting_pairs(), [[room, marble]]);
        let near = scene.pairs_within(0.1);
        assert_eq!((near.len(), near[0].distance), (1, 0.0));
        assert!(near[0].points[1].x > 0.7 && near[0].points[0] == near[0].points[1]);
        assert_eq!(scene.closest_pair().unwrap().distance, 0.0);
        scene.set_pose(marble, at(0.6, 0.0, 0.0)).unwrap();
    }
    assert_eq!(scene.relation(room, marble, 0.0), Ok(BodyRelation::BInA));
    assert_eq!(scene.relation(marble, room, 0.0), Ok(BodyRelation::AInB));
    let motion = Motion::new(at(0.6, 0.0, 0.0), at(9.0, 0.0, 0.0));
    let impact = scene.first_impact(&[(marble, motion)], 0.0).unwrap().unwrap();
    assert_eq!((impact.time, impact.distance), (0.0, 0.0));
    let mut query = Query::new();
    query.set_solids(Solid::IfClosed, Solid::No);
    let big = tree(&cuboid([6.0; 3]));
    assert_eq!(scene.bodies_intersecting(&mut query, &big, &at(0.0, 0.0, 0.0), u32::MAX), [room, marble]);
    scene.set_pose(marble, at(3.0, 0.0, 0.0)).unwrap();
    assert!(scene.intersecting_pairs().is_empty());
    assert_eq!(scene.relation(room, marble, 0.0), Ok(BodyRelation::Separate));
    // A shape is solid: it holds the tree.
    let bubble = scene.add(Body::moving(ConvexShape::sphere(9.0).unwrap(), at(0.0, 0.0, 0.0))).unwrap();
    assert_eq!(scene.intersecting_pairs(), [[room, bubble], [marble, bubble]]);
    assert_eq!(scene.relation(room, bubble, 0.0), Ok(BodyRelation::Undefined));
}

/// Radii are what they are in the frame of comparison, which stretches: what prunes must leave room for that, also when
/// a fact that was found in one frame is used in another.
#[test]
fn shapes_in_frames_that_stretch() {
    let most = 4.9e-5;
    let stretches = [1.0, 1.0 - most, 1.0 + most];
    let diagonal = |[x, y, z]: [f64; 3]| Matrix3::from_diagonal(&Vector3::new(x, y, z));
    let mut frames: Vec<_> = stretches.map(|stretch| diagonal([stretch; 3])).into();
    frames.extend([diagonal([1.0 + most, 1.0 - most, 1.0]), Matrix3::new(1., most, 0., most, 1., 0., 0., 0., 1.)]);
    let lying = turned(0.0, 0.0, 0.0, [0.0, 1.0, 0.0]);
    let shapes = [ConvexShape::sphere(1.0), ConvexShape::cylinder(0.1, 1.0), ConvexShape::capsule(0.5, 1.0)];
    let shapes = shapes.map(|shape| shape.unwrap().transformed(&lying));
    let fixed = [Geometry::from(tree(&cuboid([2.0; 3]))), ConvexShape::cuboid(Vector3::repeat(1.0)).unwrap().into()];
    let (mut touching, mut apart) = (0, 0);
    for geometry in &fixed {
        for (frame, other) in frames.iter().flat_map(|frame| frames.iter().map(move |other| (frame, other))) {
            for shape in &shapes {
                for step in -20..=20 {
                    let x = 1.0 + shape.aabb().upper.x + f64::from(step) * 1e-5;
                    let mut scene = Scene::new();
                    scene.include_static_pairs(true);
                    let still = Body::fixed(geometry.clone(), Pose::new(*frame, Vector3::zeros()).unwrap());
                    let moved = Body::fixed(shape.clone(), Pose::new(*other, Vector3::new(x, 0.0, 0.0)).unwrap());
                    let distance = alone(&still, &moved).unwrap();
                    scene.add_all([still, moved]).unwrap();
                    assert_eq!(!scene.intersecting_pairs().is_empty(), distance == 0.0, "{frame} {other} {step}");
                    let near = distance * (1.0 + 1e-9);
                    assert_eq!(scene.pairs_within(near).len(), 1, "{frame} {other} {step} {distance}");
                    (touching, apart) = (touching + i32::from(distance == 0.0), apart + i32::from(distance > 0.0));
                }
            }
        }
    }
    assert!(touching > 500 && apart > 500, "{touching} {apart}");
    // A tree that is small moves by little where its frame stretches; the large sphere reaches farther in it.
    for question in 0..2 {
        let mut scene = Scene::new();
        let of = |stretch: f64| Pose::new(Matrix3::identity() * stretch, Vector3::zeros()).unwrap();
        let small = scene.add(Body::moving(tree(&cuboid([0.02; 3])), of(1.0 - most))).unwrap();
        scene.add(Body::moving(ConvexShape::sphere(100.0).unwrap(), at(100.012, 0.0, 0.0))).unwrap();
        for _ in 0..3 {
            assert!(if question == 0 {
                scene.intersecting_pairs().is_empty()
            } else {
                scene.pairs_within(0.0).is_empty()
            });
            scene.pairs_within(1.0);
        }
        scene.set_pose(small, of(1.0 + most)).unwrap();
        assert_eq!(if question == 0 { scene.intersecting_pairs().len() } else { scene.pairs_within(0.0).len() }, 1);
    }
}

#[test]
fn rays_enter_shapes_where_they_begin() {
    let mut random = Random(72);
    let mut probe = Probe::new();
    let (mut hits, mut misses) = (0, 0);
    for shape in shapes() {
        for _ in 0..300 {
            let mut scene = Scene::new();
            let pose = random.pose(3.0);
            let id = scene.add(Body::moving(shape.clone(), pose)).unwrap();
            let posed = shape.transformed(&pose);
            let origin = Point3::from(random.vector(4.0));
            let direction = (posed.center() + random.vector(0.8) - origin) * random.unit();
            let ray = Ray::new(origin, direction);
            let found = scene.closest_hit(&mut probe, &ray, 2.0, 1);
            assert_eq!(found.is_some(), scene.any_hit(&mut probe, &ray, 2.0, 1));
            assert_eq!(found.into_iter().collect::<Vec<_>>(), scene.hits(&mut probe, &ray, 2.0, 1));
            let at = |time: f64| origin + direction * time;
            let Some(found) = found else {
                misses += 1;
                assert!((0..=2000).all(|i| !posed.contains(&at(f64::from(i) / 1000.0))), "{shape:?} {ray:?}");
                continue;
            };
            hits += 1;
            let time = found.hit.time;
            assert_eq!((found.body, found.hit.face), (id, NO_FACE));
            assert!(posed.distance(&found.hit.point) < 1e-9 && (found.hit.point - at(time)).norm() < 1e-9);
            if posed.contains(&origin) {
                assert_eq!((time, found.hit.normal), (0.0, Vector3::zeros()));
                continue;
            }
            // Nothing of the shape is before, or beyond the tangential plane.
            assert!(
                (0..1000).all(|i| !posed.contains(&at(time * (f64::from(i) / 1000.0 - 1e-6)))),
                "{shape:?} {ray:?}"
            );
            let beyond = posed.support_point(&found.hit.normal) - found.hit.point;
            assert!(beyond.dot(&found.hit.normal) < 1e-3, "{shape:?} {ray:?} {found:?}");
            assert!(found.hit.normal.dot(&direction) <= 1e-3 && (found.hit.normal.norm() - 1.0).abs() < 1e-9);
            // To the last bit, however far the ray goes.
            for max_time in [time, 1.25 * time, f64::INFINITY] {
                assert_eq!(scene.closest_hit(&mut probe, &ray, max_time, 1).map(|hit| hit.hit.time), Some(time));
            }
            assert!(scene.closest_hit(&mut probe, &ray, time * 0.999_999, 1).is_none());
            assert!(scene.closest_hit(&mut probe, &ray, time, 2).is_none());
        }
    }
    assert!(hits > 500 && misses > 200, "{hits} {misses}");
}

#[test]
fn the_closest_point_of_a_shape_is_that_of_the_shape() {
    let mut random = Random(73);
    let mut probe = Probe::new();
    let shapes = shapes();
    for _ in 0..300 {
        let mut scene = Scene::new();
        let posed: Vec<_> = (0..4).map(|_| (shapes[random.below(shapes.len())].clone(), random.pose(3.0))).collect();
        let ids = scene.add_all(posed.iter().map(|(shape, pose)| Body::moving(shape.clone(), *pose))).unwrap();
        let point = Point3::from(random.vector(3.0));
        let distances: Vec<_> = posed.iter().map(|(shape, pose)| shape.transformed(pose).distance(&point)).collect();
        let least = distances.iter().copied().fold(f64::INFINITY, f64::min);
        let found = scene.closest_point(&mut probe, &point, f64::INFINITY, 1).unwrap();
        assert!((found.distance - least).abs() < 1e-9 && found.face == NO_FACE);
        let which = ids.iter().position(|id| *id == found.body).unwrap();
        assert!((distances[which] - least).abs() < 1e-9);
        assert!(((found.point - point).norm() - least).abs() < 1e-9);
        assert!(least == 0.0 || scene.closest_point(&mut probe, &point, 0.999 * least, 1).is_none());
    }
}

#[test]
fn moving_shapes_meet_when_samples_do() {
    let mut random = Random(74);
    let geometries: Vec<Geometry> =
        trees().into_iter().take(4).map(Geometry::from).chain(shapes().into_iter().map(Geometry::from)).collect();
    let (mut impacts, mut misses) = (0, 0);
    for round in 0..900 {
        let turns = round % 3 == 0;
        let mut body = || geometries[random.below(geometries.len())].clone();
        let bodies = [body(), body()];
        if bodies.iter().all(|body| body.tree().is_some()) {
            continue;
        }
        let mut motion = || {
            let start = random.pose(2.0);
            let by = random.vector(3.0);
            let end = if turns { *random.pose(0.0).rotation() } else { *start.rotation() };
            Motion::new(start, Pose::new(end, start.translation() + by).unwrap())
        };
        let motions = [motion(), motion()];
        let moved = |time: f64| [0, 1].map(|k| Body::moving(bodies[k].clone(), motions[k].at(time)));
        let distance = |time: f64| {
            let [a, b] = moved(time);
            alone(&a, &b).unwrap()
        };
        let mut scene = Scene::new();
        let ids = scene.add_all(moved(0.3)).unwrap();
        let found = scene.impacts(&[(ids[0], motions[0]), (ids[1], motions[1])], 1e-6).unwrap();
        assert_eq!(
            scene.first_impact(&[(ids[0], motions[0]), (ids[1], motions[1])], 1e-6).unwrap(),
            found.first().copied()
        );
        let samples = 60;
        match found.first() {
            None => {
                misses += 1;
                assert!((0..=samples).all(|i| distance(f64::from(i) / f64::from(samples)) > 0.0), "{round}");
            }
            Some(impact) => {
                impacts += 1;
                let before = impact.time * (1.0 - 1e-6);
                assert!(
                    (0..samples).all(|i| distance(before * f64::from(i) / f64::from(samples)) > 0.0) || before == 0.0
                );
                let at_impact = distance(impact.time);
                assert!(
                    at_impact <= 1e-4 && (impact.distance - at_impact).abs() < 1e-9,
                    "{round} {impact:?} {at_impact}"
                );
                assert!(impact.normal == Vector3::zeros() || (impact.normal.norm() - 1.0).abs() < 1e-9);
                let along = moved(impact.time);
                let between = along[1].pose.translation() - along[0].pose.translation();
                // Of shapes that come nearer: the normal points from the first to the second.
                assert!(impact.time == 0.0 || impact.normal.dot(&between) > -2.5, "{impact:?}");
                let speed = motions[1].end().translation()
                    - motions[1].start().translation()
                    - (motions[0].end().translation() - motions[0].start().translation());
                assert!(turns || impact.time == 0.0 || impact.normal.dot(&speed) < 1e-6, "{round} {impact:?}");
            }
        }
    }
    assert!(impacts > 60 && misses > 60, "{impacts} {misses}");
}

/// A crate slides on and above a floor without an impact but the first one.
#[test]
fn what_slides_above_a_floor_does_not_meet_it() {
    let floor = tree(&cuboid([20.0, 20.0, 2.0]));
    let crate_of_wood = ConvexShape::cuboid(Vector3::repeat(0.5)).unwrap();
    for (height, meets) in [(1.5, true), (1.5 + 1e-7, false), (1.6, false)] {
        let mut scene = Scene::new();
        scene.add(Body::fixed(floor.clone(), at(0.0, 0.0, 0.0))).unwrap();
        let slider = scene.add(Body::moving(crate_of_wood.clone(), at(0.0, 0.0, height))).unwrap();
        let motion = Motion::new(at(0.0, 0.0, height), at(5.0, 1.0, height));
        let found = scene.first_impact(&[(slider, motion)], 0.0).unwrap();
        assert_eq!(found.map(|impact| impact.time), meets.then_some(0.0), "{height}");
        assert!(found.is_none_or(|impact| (impact.normal - Vector3::z()).norm() < 1e-9), "{found:?}");
    }
}

#[test]
fn what_shapes_can_not_do_is_refused_or_left_out() {
    let mesh = meshes::torus(8, 5);
    let mut deforming = DeformingTree::with_options(
        BvTree::build(&mesh, &bvtree::BuildOptions::default()).unwrap(),
        mesh.clone(),
        RefitOptions::default(),
    )
    .unwrap();
    let mut scene = Scene::new();
    let shape = Arc::new(ConvexShape::cuboid(Vector3::repeat(2.0)).unwrap());
    let id = scene.add(Body::moving(shape.clone(), at(0.0, 0.0, 0.0))).unwrap();
    let vertices = mesh.vertices().to_vec();
    assert_eq!(scene.refit(id, &mut deforming, &vertices), Err(SceneError::NotATree(id)));
    assert!(Arc::ptr_eq(scene.body(id).unwrap().geometry.shape().unwrap(), &shape));
    let other = scene.add(Body::moving(tree(&cuboid([2.0; 3])), at(1.0, 0.0, 0.0))).unwrap();
    assert_eq!(scene.intersecting_pairs(), [[id, other]]);
    let huge = ConvexShape::sphere(1e300).unwrap();
    assert_eq!(scene.add(Body::moving(huge.clone(), at(0.0, 0.0, 0.0))), Err(SceneError::TooFar));
    assert_eq!(scene.set_geometry(id, huge).unwrap_err(), SceneError::TooFar);
    assert!(scene.set_geometry(other, ConvexShape::sphere(0.5).unwrap()).unwrap().tree().is_some());
    assert!(scene.body(id).unwrap().geometry.shape().unwrap().overlaps(&ConvexShape::sphere(0.5).unwrap()));
    assert_eq!(scene.pairs_within(0.0).len(), 1);
    assert!(scene.set_geometry(id, deforming.tree().clone()).unwrap().shape().is_some());
    assert!(scene.refit(id, &mut deforming, &vertices).is_ok());
}
