//! Steps among the bodies that the scene's broad phase finds have the same results as steps among all bodies.

use std::sync::Arc;

use nalgebra::{Point3, Rotation3, Vector3};

use super::{Character, CharacterOptions, Intent, Surroundings};
use crate::scene::{Body, BodyId, Scene};
use crate::shape::ConvexShape;
use crate::{BuildOptions, BvTree, Mesh, Motion, Pose};

struct Random(u64);

impl Random {
    fn within(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        low + (high - low) * (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn cuboid([x, y, z]: [f32; 3]) -> Arc<BvTree> {
    let corners = (0..8).map(|i| {
        let sign = |bit: u8| if i & bit == 0 { -1.0 } else { 1.0 };
        Point3::new(x * sign(1), y * sign(2), z * sign(4))
    });
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let faces = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let mesh = Mesh::from_arrays(corners.collect(), faces).unwrap();
    Arc::new(BvTree::build(&mesh, &BuildOptions::default()).unwrap())
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vector3::new(x, y, z)).unwrap()
}

/// A walled court with lifts, and with crates near and far; some crates are in another group.
struct World {
    scene: Scene,
    moving: Vec<BodyId>,
}

const MASK: u32 = 0b01;

impl World {
    fn new(random: &mut Random) -> Self {
        let mut scene = Scene::new();
        let mut moving = Vec::new();
        scene.add(Body::fixed(cuboid([8.0, 8.0, 0.5]), at(0.0, 0.0, -0.5))).unwrap();
        let wall = cuboid([0.5, 9.0, 4.0]);
        for x in [-8.5, 8.5] {
            scene.add(Body::fixed(wall.clone(), at(x, 0.0, 3.0))).unwrap();
            let turn = Rotation3::from_axis_angle(&Vector3::z_axis(), std::f64::consts::FRAC_PI_2);
            let pose = Pose::new(turn.into_inner(), Vector3::new(0.0, x, 3.0)).unwrap();
            scene.add(Body::fixed(wall.clone(), pose)).unwrap();
        }
        let lift = cuboid([1.0, 1.0, 0.125]);
        for _ in 0..24 {
            let pose = at(random.within(-7.0, 7.0), random.within(-7.0, 7.0), random.within(0.1, 2.5));
            moving.push(scene.add(Body::moving(lift.clone(), pose)).unwrap());
        }
        let tree = cuboid([0.3, 0.25, 0.2]);
        let shape = Arc::new(ConvexShape::cylinder(0.2, 0.3).unwrap());
        for i in 0..300 {
            let reach = if i % 3 == 0 { 8.0 } else { 200.0 };
            let pose = at(random.within(-reach, reach), random.within(-reach, reach), random.within(0.2, 2.0));
            let body = if i % 2 == 0 { Body::moving(tree.clone(), pose) } else { Body::moving(shape.clone(), pose) };
            scene.add(Body { groups: if i % 4 == 0 { 0b10 } else { MASK }, ..body }).unwrap();
        }
        Self { scene, moving }
    }
}

#[test]
fn steps_are_those_among_all_bodies() {
    let mut random = Random(23);
    let options = CharacterOptions::default();
    let (mut crushed, mut grounded, mut carried, mut thrown) = (0, 0, 0, 0);
    for _ in 0..6 {
        let mut world = World::new(&mut random);
        let start = Point3::new(random.within(-7.0, 7.0), random.within(-7.0, 7.0), random.within(0.0, 2.0));
        let [mut all, mut near] = [(); 2].map(|()| Character::new(&options, start).unwrap());
        let mut walk = Vector3::zeros();
        for i in 0..400 {
            if random.within(0.0, 1.0) < 0.05 {
                walk = Vector3::new(random.within(-5.0, 5.0), random.within(-5.0, 5.0), 0.0);
            }
            let jump = if random.within(0.0, 1.0) < 0.03 { random.within(1.0, 6.0) } else { 0.0 };
            // Now and then all moves far in one step.
            let time = if random.within(0.0, 1.0) < 0.05 { random.within(0.1, 1.0) } else { 1.0 / 60.0 };
            if random.within(0.0, 1.0) < 0.01 {
                let velocity = Vector3::new(random.within(-60.0, 60.0), random.within(-60.0, 60.0), 20.0);
                all.set_velocity(velocity).unwrap();
                near.set_velocity(velocity).unwrap();
                thrown += 1;
            }
            let motions: Vec<_> = world
                .moving
                .iter()
                .map(|&id| {
                    let start = world.scene.body(id).unwrap().pose;
                    let speed = (0.02 * i as f64 + id.index() as f64).sin() * 3.0 * time;
                    let way = [Vector3::x(), Vector3::y(), Vector3::z()][id.index() % 3] * speed;
                    (id, Motion::new(start, Pose::from_translation(start.translation() + way).unwrap()))
                })
                .collect();
            let belts = [(world.moving[i % 8], Vector3::new(0.5, 0.0, 0.0))];
            let surface_velocities = if i % 5 == 0 { &belts[..] } else { &[] };
            let still = Surroundings::new(&world.scene);
            let surroundings = Surroundings { mask: MASK, motions: &motions, surface_velocities, ..still };
            let intent = Intent { walk, jump };
            let (expected, _) = {
                let bodies = surroundings.near(&surroundings.moving().unwrap(), None, &[]);
                all.step_among(&bodies, surroundings.any_moves(), &intent, time)
            };
            assert_eq!(near.step(&surroundings, &intent, time), Ok(expected), "step {i}");
            assert_eq!((near.feet(), near.velocity()), (all.feet(), all.velocity()), "step {i}");
            assert_eq!(near.ground(), all.ground(), "step {i}");
            crushed += usize::from(expected.is_crushed);
            grounded += usize::from(all.ground().is_some());
            carried += usize::from(all.ground().is_some_and(|ground| world.moving.contains(&ground.body)));
            let ends: Vec<(BodyId, Pose)> = motions.iter().map(|(id, motion)| (*id, *motion.end())).collect();
            world.scene.set_poses(ends).unwrap();
        }
    }
    assert!(crushed > 5 && grounded > 300 && carried > 30 && thrown > 5, "{crushed} {grounded} {carried} {thrown}");
}
