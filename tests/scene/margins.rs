//! Margins tested for their size: moves and clearances that differ from the distance by less than a thousandth,
//! matrices that stretch as much as a pose may, and bodies that touch far out. Scenes say what each pair of bodies says
//! when it is asked alone.

use std::sync::Arc;

use bvtree::scene::{Body, BodyId, Compound, Geometry, Part, Scene};
use bvtree::shape::ConvexShape;
use bvtree::{BvTree, Pose, Query};
use nalgebra::{Matrix3, Point3, Vector3};

use super::{Random, on_threads, tree, tree_of};
use crate::solids::cuboid;

/// Factors about 1 that margins of a thousandth must tell from it, and one another.
const ABOUT_ONE: [f64; 5] = [0.999, 0.9995, 1.0, 1.0005, 1.001];

/// What poses may stretch by: not at all, and nearly as much as they may.
const STRETCHES: [f64; 3] = [1.0, 1.0 - 4.9e-5, 1.0 + 4.9e-5];

/// At a place, stretched.
fn stretched(at: Vector3<f64>, stretch: f64) -> Pose {
    Pose::new(Matrix3::from_diagonal_element(stretch), at).unwrap()
}

/// A cube of 2, from -1 to 1.
fn cube() -> Arc<BvTree> {
    tree(&cuboid([2.0; 3]))
}

/// Two cubes that have a face before a face, or a corner before a corner, the second in a direction from the first; all
/// stretches of both.
struct Facing {
    scene: Scene,
    ids: [BodyId; 2],
    direction: Vector3<f64>,
    stretches: [f64; 2],
    /// How far the second's middle is when the two touch.
    touching: f64,
}

impl Facing {
    /// Bodies that are compared have room to move in unless they are static.
    fn all(are_static: bool) -> impl Iterator<Item = Self> {
        let corners = [Vector3::x(), Vector3::repeat(1.0)];
        corners.into_iter().flat_map(move |corner| {
            let stretches = STRETCHES.into_iter().flat_map(|a| STRETCHES.map(|b| [a, b]));
            stretches.map(move |stretches| {
                let mut scene = Scene::new();
                scene.include_static_pairs(true);
                let body = |stretch| Body {
                    is_static: are_static,
                    ..Body::moving(cube(), stretched(Vector3::zeros(), stretch))
                };
                let ids = stretches.map(|stretch| scene.add(body(stretch)).unwrap());
                let touching = (stretches[0] + stretches[1]) * corner.norm();
                Self { scene, ids, direction: corner.normalize(), stretches, touching }
            })
        })
    }

    /// Puts the second so far from touching.
    fn put(&mut self, gap: f64) {
        let at = self.direction * (self.touching + gap);
        self.scene.set_pose(self.ids[1], stretched(at, self.stretches[1])).unwrap();
    }

    fn distance(&self) -> f64 {
        cold(&self.scene, self.ids).unwrap()
    }
}

/// The distance between two bodies, asked alone.
fn cold(scene: &Scene, ids: [BodyId; 2]) -> Option<f64> {
    let [a, b] = ids.map(|id| scene.body(id).unwrap());
    Query::new().distance(tree_of(a), tree_of(b), &Pose::relative(&a.pose, &b.pose)).map(|found| found.distance)
}

/// All that a scene says of pairs' distances, against the pairs alone.
fn check(scene: &mut Scene, clearance: f64, what: &str) {
    let ids: Vec<_> = scene.bodies().map(|(id, _)| id).collect();
    let pairs = ids.iter().enumerate().flat_map(|(i, &a)| ids[i + 1..].iter().map(move |&b| [a, b]));
    let distances: Vec<_> = pairs.map(|pair| (pair, cold(scene, pair).unwrap())).collect();
    let within =
        |most: f64| distances.iter().filter(move |(_, distance)| *distance <= most).copied().collect::<Vec<_>>();
    let touching: Vec<_> = within(0.0).into_iter().map(|(pair, _)| pair).collect();
    assert_eq!(scene.intersecting_pairs(), touching, "{what}");
    let found: Vec<_> = scene.pairs_within(clearance).iter().map(|near| (near.bodies, near.distance)).collect();
    assert_eq!(found, within(clearance), "{what}, clearance {clearance}");
    assert_eq!(scene.intersecting_pairs(), touching, "{what}, afterwards");
    let least = distances.iter().map(|(_, distance)| *distance).reduce(f64::min);
    assert_eq!(scene.closest_pair().map(|near| near.distance), least, "{what}");
}

#[test]
fn clearances_about_the_distance_find_what_pairs_alone_say() {
    let mut query = Query::new();
    for mut facing in [false, true].into_iter().flat_map(Facing::all) {
        for gap in [1e-3, 0.5, 7.0] {
            facing.put(gap);
            let distance = facing.distance();
            for clearance in ABOUT_ONE.map(|factor| factor * distance) {
                // Nothing is known yet.
                let mut scene = Scene::new();
                scene.include_static_pairs(true);
                let bodies = facing.scene.bodies().map(|(_, body)| body.clone());
                scene.add_all(bodies.collect::<Vec<_>>()).unwrap();
                check(&mut scene, clearance, "for the first time");
                check(&mut facing.scene, clearance, "again");
                let body = facing.scene.body(facing.ids[0]).unwrap();
                let near = facing.scene.bodies_within(&mut query, tree_of(body), &body.pose, clearance, u32::MAX);
                assert_eq!(near.iter().any(|near| near.body == facing.ids[1]), distance <= clearance);
            }
        }
        facing.put(0.0);
        check(&mut facing.scene, 0.0, "touching");
    }
}

#[test]
fn moves_of_about_the_distance_are_asked_about() {
    for (gap, left) in [(1e-3, 0.0), (0.5, 0.0), (7.0, 0.0), (0.5, 0.2), (7.0, 3.0)] {
        for factor in ABOUT_ONE {
            // What is known: a distance, that there is one of more than a clearance, or that they don't touch.
            for known in 0..3 {
                for mut facing in Facing::all(false) {
                    facing.put(gap);
                    for _ in 0..2 {
                        match known {
                            0 => drop(facing.scene.pairs_within(2.0 * gap)),
                            1 => drop(facing.scene.pairs_within(0.5 * gap)),
                            _ => drop(facing.scene.intersecting_pairs()),
                        }
                        // Still known a little later, and hardly less.
                        facing.put(gap * (1.0 - 1e-9));
                    }
                    facing.put(gap - (gap - left) * factor);
                    check(
                        &mut facing.scene,
                        left,
                        &format!("{gap} less {factor} of it but {left}, of what is known {known}"),
                    );
                }
            }
        }
    }
}

/// Bodies whose boxes are nearer than they are come first, and one that is nearer than they by little is found after
/// them.
#[test]
fn the_nearest_pair_is_found_after_others_that_are_hardly_farther() {
    let bar = tree(&cuboid([3.0, 0.2, 0.2]));
    let aslant = nalgebra::Rotation3::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_4);
    for (stretch, gap) in [(1.0, 0.9975), (1.0, 0.9999), (STRETCHES[2], 1.00002), (STRETCHES[1], 0.99998)] {
        let mut scene = Scene::new();
        // Parallel bars at a distance of 1.
        for i in 0..12 {
            for across in [0.0, 1.2] {
                let at = Vector3::new(100.0 * f64::from(i + 1), 0.0, 0.0) + aslant * Vector3::new(0.0, across, 0.0);
                scene.add(Body::moving(bar.clone(), Pose::new(aslant.into_inner(), at).unwrap())).unwrap();
            }
        }
        for at in [0.0, 1.0 + stretch + gap] {
            scene
                .add(Body::moving(cube(), stretched(Vector3::new(0.0, at, 0.0), if at == 0.0 { stretch } else { 1.0 })))
                .unwrap();
        }
        on_threads(1, || check(&mut scene, 0.99999, &format!("{gap} stretched by {stretch}")));
    }
}

/// Two cubes that are turned and touch at the corners that are outermost toward each other, up to what f64 can tell so
/// far from the origin.
fn corner_to_corner(random: &mut Random, far: f64) -> [Body; 2] {
    let a = random.pose(far);
    let b = random.pose(0.0);
    let corners = || (0..8).map(|i| Point3::from([0, 1, 2].map(|k| if i >> k & 1 == 0 { -1.0 } else { 1.0 })));
    let outermost = |pose: &Pose, sign: f64| {
        let turned = corners().map(|corner| pose.rotation() * corner.coords);
        turned.max_by(|p, q| (sign * p.x).total_cmp(&(sign * q.x))).unwrap()
    };
    let at = a.translation() + outermost(&a, 1.0) - outermost(&b, -1.0);
    [a, Pose::new(*b.rotation(), at).unwrap()].map(|pose| Body::moving(cube(), pose))
}

#[test]
fn bodies_touch_far_out() {
    let mut random = Random(53);
    let (mut touching, mut apart) = (0, 0);
    for _ in 0..400 {
        let far = [1e3, 1e6, 1e9, 1e12][random.below(4)];
        let mut scene = Scene::new();
        let ids = scene.add_all(corner_to_corner(&mut random, far)).unwrap();
        for _ in 0..3 {
            let found = !scene.intersecting_pairs().is_empty();
            assert_eq!(found, cold(&scene, [ids[0], ids[1]]) == Some(0.0), "{far}");
            (touching, apart) = (touching + u32::from(found), apart + u32::from(!found));
            // A step that f64 can hardly tell, and a turn that is as long.
            let step = far * f64::EPSILON * [0.0, 1.0, 4.0][random.below(3)];
            let pose = scene.body(ids[1]).unwrap().pose;
            let turn = nalgebra::Rotation3::new(random.vector(step.min(1e-3))).into_inner();
            let moved = Pose::new(turn * pose.rotation(), pose.translation() + random.vector(step)).unwrap();
            scene.set_pose(ids[1], moved).unwrap();
        }
    }
    assert!(touching > 100 && apart > 100, "{touching}, {apart}");
}

/// The mesh that asks may stretch by more than a body may: its distances are measured in its own frame.
#[test]
fn a_mesh_that_stretches_far_finds_what_is_near() {
    let once = stretched(Vector3::zeros(), STRETCHES[2]);
    let pose = (1..10).fold(once, |pose, _| pose * once);
    let stretch = pose.rotation()[(0, 0)];
    assert!(pose.deviation() > 9.0 * Pose::MAX_DEVIATION);
    // The cube's side is at 0.
    let pose = Pose::from_translation(Vector3::new(-stretch, 0.0, 0.0)).unwrap() * pose;
    let part = Part { geometry: cube().into(), pose: Pose::identity() };
    let bodies: [Geometry; 3] = [
        cube().into(),
        ConvexShape::cuboid(Vector3::repeat(1.0)).unwrap().into(),
        Compound::new([part.clone(), part]).unwrap().into(),
    ];
    let (asking, mut query) = (cube(), Query::new());
    let distance = 10.0 / stretch;
    for geometry in bodies {
        let mut scene = Scene::new();
        let far = stretched(Vector3::new(50.0, 0.0, 0.0), 1.0);
        scene.add(Body::fixed(geometry.clone(), far)).unwrap();
        let near = scene.add(Body::fixed(geometry, stretched(Vector3::new(11.0, 0.0, 0.0), 1.0))).unwrap();
        for (most, is_found) in [(distance + 1e-5, true), (distance - 1e-5, false), (20.0, true)] {
            let within = scene.bodies_within(&mut query, &asking, &pose, most, u32::MAX);
            let closest = scene.closest_body(&mut query, &asking, &pose, most, u32::MAX, None);
            assert_eq!(within.first().map(|found| found.body), is_found.then_some(near), "{most}");
            assert_eq!(closest, within.first().copied(), "{most}");
            assert!(within.iter().all(|found| (found.distance - distance).abs() < 1e-9), "{within:?}");
        }
    }
}
