//! What a scene remembers never outlives its truth: bodies that have come far, bounds of nothing, solids.

use bvtree::query::DistanceTracker;
use bvtree::scene::{Body, Scene, SceneError};
use bvtree::{Motion, Pose, Query};
use nalgebra::{Matrix3, Vector3};

use super::{Random, at, tree, tree_of, turned};
use crate::oracle::meshes;
use crate::solids::cuboid;

/// However far bodies have been, the next small move counts.
#[test]
fn small_moves_count_after_long_ways() {
    let cube = tree(&cuboid([2.0; 3]));
    for way in [1.0, 1e8, 1e10, 1e12, 1e20, 1e29] {
        for gap in [1e-9, 1e-6, 1e-4] {
            let mut scene = Scene::new();
            let [a, b] = [0.0, 2.0].map(|x| scene.add(Body::moving(cube.clone(), at(x, 0.0, 0.0))).unwrap());
            let travel = |scene: &mut Scene| {
                scene.set_pose(a, at(way, 0.0, 0.0)).unwrap();
                scene.set_pose(a, at(0.0, 0.0, 0.0)).unwrap();
            };
            // From touching to apart, and back.
            travel(&mut scene);
            assert_eq!(scene.intersecting_pairs(), [[a, b]], "{way} {gap}");
            scene.set_pose(b, at(2.0 + gap, 0.0, 0.0)).unwrap();
            assert!(scene.intersecting_pairs().is_empty(), "{way} {gap}");
            let near = scene.pairs_within(2.0 * gap);
            assert_eq!(near.len(), 1, "{way} {gap}");
            assert!((near[0].distance - gap).abs() < 1e-15);
            travel(&mut scene);
            assert_eq!(scene.pairs_within(2.0 * gap), near);
            scene.set_pose(b, at(2.0, 0.0, 0.0)).unwrap();
            assert_eq!(scene.intersecting_pairs(), [[a, b]], "{way} {gap}");
            assert_eq!(scene.pairs_within(0.0).len(), 1);
        }
    }
}

/// A pair that is tracked is asked about contact by a clearance of 0.
#[test]
fn a_clearance_of_nothing_finds_contact() {
    let [a, b] = [cuboid([2.0; 3]), meshes::sphere(6, 8, 0.8)].map(|mesh| tree(&mesh));
    let mut query = Query::new();
    let mut contacts = 0;
    for x in [-1.0, -0.5, 0.25] {
        for y in [-1.5, 0.0, 0.75] {
            for z in [-0.25, 0.5, 1.0] {
                let mut scene = Scene::new();
                scene.add(Body::moving(a.clone(), at(0.0, 0.0, 0.0))).unwrap();
                let moving = scene.add(Body::moving(b.clone(), at(-0.75, -0.375, -2.375))).unwrap();
                for z in [-2.375, -2.374] {
                    scene.set_pose(moving, at(-0.75, -0.375, z)).unwrap();
                    assert_eq!(scene.pairs_within(9.0).len(), 1);
                }
                scene.set_pose(moving, at(x, y, z)).unwrap();
                let touches = query.intersects(&a, &b, &at(x, y, z));
                contacts += usize::from(touches);
                for clearance in [0.0, 5e-324, 1e-300] {
                    assert_eq!(scene.pairs_within(clearance).len(), usize::from(touches), "{x} {y} {z} {clearance}");
                }
                assert_eq!(scene.intersecting_pairs().len(), usize::from(touches), "{x} {y} {z}");
            }
        }
    }
    assert!(contacts > 5, "{contacts}");
}

/// A box in a box, and what is inside neither, of a solid that is A, B, both or none; asked in any order, after any
/// move.
#[test]
fn what_lies_inside_a_solid_collides_with_it() {
    let [outer, inner] = [tree(&cuboid([4.0; 3])), tree(&cuboid([1.0; 3]))];
    for (is_solid, swapped) in
        [[true, false], [true, true], [false, true], [false, false]].map(|s| [(s, false), (s, true)]).concat()
    {
        let mut scene = Scene::new();
        let mut add = |tree: &std::sync::Arc<_>, is_solid| {
            scene.add(Body { is_solid, ..Body::moving(std::sync::Arc::clone(tree), Pose::identity()) }).unwrap()
        };
        let (shell, moving) = if swapped {
            let moving = add(&inner, is_solid[1]);
            (add(&outer, is_solid[0]), moving)
        } else {
            (add(&outer, is_solid[0]), add(&inner, is_solid[1]))
        };
        let mut random = Random(7);
        for step in 0..120 {
            // Inside, through the wall, outside and to the surface from both sides.
            let x = [0.125, 0.25, 1.0, 1.5, 1.75, 2.5, 2.500_001, 3.0][random.below(8)];
            scene.set_pose(moving, at(x, 0.1 * x * random.unit(), 0.0)).unwrap();
            let surfaces = if x < 1.5 { 1.5 - x } else { (x - 2.5).max(0.0) };
            let is_inside = x < 1.5 && is_solid[0];
            let expected = if is_inside { 0.0 } else { surfaces };
            for _ in 0..1 + random.below(2) {
                match random.below(5) {
                    4 => {
                        // The bodies at rest, and both turning.
                        let pose = scene.body(moving).unwrap().pose;
                        let turn = |pose: Pose| Motion::new(pose, pose * turned(0.0, 0.0, 0.0, [0.0, 0.0, 1e-9]));
                        let rest = scene.impacts(&[(moving, Motion::new(pose, pose))], 1e-12).unwrap();
                        let both = [(moving, turn(pose)), (shell, turn(Pose::identity()))];
                        let both = scene.impacts(&both, 1e-12).unwrap();
                        for found in [rest, both] {
                            assert_eq!(found.len(), usize::from(expected == 0.0), "{x} {step}");
                            assert!(found.iter().all(|impact| impact.time == 0.0));
                            if is_inside {
                                // The shortest way out is along x.
                                let sign = if swapped { -1.0 } else { 1.0 };
                                assert!((found[0].normal.x * sign - 1.0).abs() < 1e-6, "{found:?}");
                                assert_eq!(found[0].points[0], found[0].points[1]);
                            }
                        }
                    }
                    0 => assert_eq!(scene.intersecting_pairs().len(), usize::from(expected == 0.0), "{x} {step}"),
                    1 => {
                        let clearance = [0.0, 1e-300, 0.1, 0.9, 9.0][random.below(5)];
                        let near = scene.pairs_within(clearance);
                        assert_eq!(near.len(), usize::from(expected <= clearance), "{x} {clearance} {step}");
                        if let [near] = near[..] {
                            assert!((near.distance - expected).abs() < 1e-12, "{x} {near:?} {step}");
                            if is_inside {
                                assert_eq!(near.points[0], near.points[1]);
                                assert!((near.points[0].x - (x + 0.5)).abs() < 1e-6, "{x} {near:?}");
                            }
                        }
                    }
                    2 => {
                        let near = scene.closest_pair().unwrap();
                        assert!((near.distance - expected).abs() < 1e-12, "{x} {near:?} {step}");
                    }
                    _ => {
                        let mut query = Query::new();
                        let pose = scene.body(moving).unwrap().pose;
                        let touching = scene.bodies_intersecting(&mut query, &inner, &pose, u32::MAX);
                        assert_eq!(touching.contains(&shell), expected == 0.0, "{x} {step}");
                        let near = scene.bodies_within(&mut query, &inner, &pose, 0.25, u32::MAX);
                        let distance = near.iter().find(|near| near.body == shell).map(|near| near.distance);
                        assert_eq!(distance.is_some(), expected <= 0.25, "{x} {step}");
                        assert!(distance.is_none_or(|distance| (distance - expected).abs() < 1e-12));
                    }
                }
            }
        }
    }
}

#[test]
fn a_solid_has_an_inside() {
    let mut scene = Scene::new();
    let [closed, open] = [tree(&cuboid([1.0; 3])), tree(&meshes::flat_square(2))];
    let solid =
        |tree: &std::sync::Arc<bvtree::BvTree>| Body { is_solid: true, ..Body::moving(tree.clone(), Pose::identity()) };
    assert_eq!(scene.add(solid(&open)), Err(SceneError::OpenSolid));
    assert!(scene.is_empty());
    let id = scene.add(solid(&closed)).unwrap();
    assert_eq!(scene.set_geometry(id, open.clone()).err(), Some(SceneError::OpenSolid));
    assert_eq!(tree_of(scene.body(id).unwrap()).triangle_count(), 12);
    // A mesh without triangles has no hole.
    scene.set_geometry(id, tree(&meshes::empty())).unwrap();
}

/// Distances are measured in A's frame, which may stretch: a fact found in one frame is used in another that stretches
/// the other way.
#[test]
fn facts_hold_in_frames_that_stretch() {
    let cube = tree(&cuboid([2.0; 3]));
    let stretch = |by: f64, x: f64| Pose::new(Matrix3::identity() * by, Vector3::new(x, 0.0, 0.0)).unwrap();
    let most = 0.5 * Pose::MAX_DEVIATION * (1.0 - 1e-3);
    let (small, large) = (stretch(1.0 - most, 0.0), stretch(1.0 + most, 0.0));
    let mut query = Query::new();
    for far in [10.0, 1000.0] {
        for [from, to] in [[small, large], [large, small]] {
            let mut scene = Scene::new();
            let a = scene.add(Body::moving(cube.clone(), from)).unwrap();
            let b = scene.add(Body::moving(cube.clone(), at(far, 0.0, 0.0))).unwrap();
            let distance = |query: &mut Query, a: &Pose| {
                query.distance(&cube, &cube, &Pose::relative(a, &at(far, 0.0, 0.0))).unwrap().distance
            };
            let after = distance(&mut query, &to);
            for clearance in [after, after * 1.0005, after.next_down(), after * 0.9995] {
                scene.set_pose(a, from).unwrap();
                // The distance is known from a question that reaches farther, or is bounded by one that does not.
                scene.pairs_within(1.1 * after);
                scene.pairs_within(0.9 * after);
                scene.set_pose(a, to).unwrap();
                let near: Vec<_> = scene.pairs_within(clearance).iter().map(|near| near.bodies).collect();
                let expected = if after <= clearance { vec![[a, b]] } else { vec![] };
                assert_eq!(near, expected, "{far} {clearance}");
            }
        }
    }
}

/// A fact about bodies far from their own origins, or from the world's, of which one moves by about as much as
/// coordinates round there.
#[test]
fn facts_hold_where_coordinates_round() {
    let far = 1e6_f32;
    let cube = meshes::moved(&cuboid([2.0; 3]), |p| p + Vector3::repeat(f64::from(far)));
    let (cube, small) = (tree(&cube), tree(&cuboid([0.5; 3])));
    let mut random = Random(3);
    let mut query = Query::new();
    let back = f64::from(far);
    for _ in 0..150 {
        let mut scene = Scene::new();
        let turn = [0.3 * random.unit(), random.unit(), 2.0 * random.unit()];
        let home = turned(0.0, 0.0, 0.0, turn);
        let home = Pose::new(*home.rotation(), -(home.rotation() * Vector3::repeat(back))).unwrap();
        let a = scene.add(Body::moving(cube.clone(), home)).unwrap();
        let outward = home.rotation() * Vector3::x();
        let beside = |gap: f64| Pose::new(*home.rotation(), outward * (1.25 + gap)).unwrap();
        let b = scene.add(Body::moving(small.clone(), beside(1e-3))).unwrap();
        let mut gap = 2e-8;
        for _ in 0..40 {
            gap += (random.unit() - 0.5) * 3e-9;
            scene.set_pose(b, beside(gap)).unwrap();
            let pose = Pose::relative(&home, &beside(gap));
            let expected = query.distance(&cube, &small, &pose).unwrap().distance;
            assert_eq!(scene.intersecting_pairs().len(), usize::from(expected == 0.0), "{gap} {expected}");
            let clearance = [1e-8, 1.9e-8][random.below(2)];
            assert_eq!(scene.pairs_within(clearance).len(), usize::from(expected <= clearance), "{gap} {expected}");
            let _ = a;
        }
    }
}

/// A tracker that was asked for what lies beyond its bound still starts from the pair that it knew.
#[test]
fn trackers_keep_their_start_beyond_the_bound() {
    let ring = tree(&meshes::torus(40, 30));
    let (mut query, mut tracker) = (Query::new(), DistanceTracker::new(&ring, &ring));
    let first = tracker.distance(&mut query, &at(2.5, 0.0, 0.0)).unwrap();
    let cold = query.stats().triangle_tests;
    let options = bvtree::query::DistanceOptions { upper_bound: 0.1, ..Default::default() };
    assert_eq!(tracker.distance_with(&mut query, &at(2.5, 0.0, 0.0), &options), None);
    assert_eq!(tracker.distance(&mut query, &at(2.5, 0.0, 0.0)), Some(first));
    assert!(query.stats().triangle_tests < cold, "{} {cold}", query.stats().triangle_tests);
}
