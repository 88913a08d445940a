//! Characters in a scene: they step as among all its bodies, of which only the near ones are looked at.

use std::sync::Arc;

use bvtree::character::{Body, Character, CharacterError, CharacterOptions, Intent, Surroundings};
use bvtree::scene::{self, BodyId, Scene, SceneError};
use bvtree::{BvTree, Motion, Pose};
use nalgebra::{Point3, Vector3};

use super::machines::{Machines, room};
use super::moving::{at, cuboid};
use super::random::Random;

/// A room with machines, crates in it and far away; some of the crates are in another group.
struct World {
    machines: Machines,
    trees: Vec<Arc<BvTree>>,
    scene: Scene,
    moving: [BodyId; 8],
}

const MASK: u32 = 0b01;

impl World {
    fn new(random: &mut Random) -> Self {
        let machines = Machines::new(random);
        let mut trees = vec![Arc::new(room()), Arc::new(cuboid([0.6, 0.5, 0.4]))];
        trees.extend(machines.meshes.iter().map(|mesh| Arc::new(mesh.clone())));
        let mut scene = Scene::new();
        scene.add(scene::Body::fixed(trees[0].clone(), Pose::identity())).unwrap();
        let moving = machines
            .poses(0.0)
            .map(|(mesh, pose)| scene.add(scene::Body::moving(trees[2 + mesh].clone(), pose)).unwrap());
        for i in 0..300 {
            let reach = if i % 3 == 0 { 8.0 } else { 200.0 };
            let pose = at(random.within(-reach, reach), random.within(-reach, reach), random.within(0.2, 2.0));
            let groups = if i % 4 == 0 { 0b10 } else { MASK };
            scene.add(scene::Body { groups, ..scene::Body::moving(trees[1].clone(), pose) }).unwrap();
        }
        Self { machines, trees, scene, moving }
    }

    /// All bodies, in the order of their indices. An obstacle is left out by an empty mesh.
    fn bodies<'a>(&'a self, motions: &[(BodyId, Motion)], empty: &'a BvTree) -> Vec<Body<'a>> {
        let body = |(id, body): (BodyId, &'a scene::Body)| match motions.iter().find(|(moving, _)| *moving == id) {
            _ if body.groups & MASK == 0 => Body::fixed(empty),
            Some((_, motion)) => Body::moving(body.geometry.tree().expect("a tree"), motion.start(), motion.end()),
            None => Body::placed(body.geometry.tree().expect("a tree"), &body.pose),
        };
        self.scene.bodies().map(body).collect()
    }
}

#[test]
fn steps_are_those_among_all_bodies() {
    let mut random = Random(23);
    let empty = BvTree::default();
    let options = CharacterOptions::default();
    let (mut crushed, mut grounded, mut carried, mut thrown) = (0, 0, 0, 0);
    for _ in 0..6 {
        let world = World::new(&mut random);
        let start = Point3::new(random.within(-7.0, 7.0), random.within(-7.0, 7.0), random.within(0.0, 2.0));
        let [mut alone, mut among] = [(); 2].map(|()| Character::new(&options, start).unwrap());
        let (mut time, mut walk) = (0.0, Vector3::zeros());
        for i in 0..400 {
            if random.next() < 0.05 {
                walk = Vector3::new(random.within(-1.0, 1.0), random.within(-1.0, 1.0), 0.0) * random.within(0.0, 8.0);
            }
            let jump = if random.next() < 0.03 { random.within(1.0, 6.0) } else { 0.0 };
            // Now and then all moves far in one step.
            let step = if random.next() < 0.05 { random.within(0.1, 1.0) } else { 1.0 / 60.0 };
            if random.next() < 0.01 {
                let velocity = Vector3::new(random.within(-1.0, 1.0), random.within(-1.0, 1.0), 0.3) * 60.0;
                alone.set_velocity(velocity).unwrap();
                among.set_velocity(velocity).unwrap();
                thrown += 1;
            }
            let poses = [world.machines.poses(time), world.machines.poses(time + step)];
            time += step;
            let motions: Vec<_> =
                (0..8).map(|k| (world.moving[k], Motion::new(poses[0][k].1, poses[1][k].1))).collect();
            let belts = [(world.moving[i % 8], Vector3::new(0.5, 0.0, 0.0))];
            let belts = if i % 5 == 0 { &belts[..] } else { &[] };
            let mut bodies = world.bodies(&motions, &empty);
            for (id, velocity) in belts {
                bodies[id.index()] = bodies[id.index()].with_surface_velocity(*velocity);
            }
            let surroundings =
                Surroundings { scene: &world.scene, mask: MASK, motions: &motions, surface_velocities: belts };
            let intent = Intent { walk, jump };
            let expected = alone.step(&bodies, &intent, step);
            assert_eq!(among.step_in(&surroundings, &intent, step), Ok(expected), "step {i}");
            assert_eq!((among.feet(), among.velocity()), (alone.feet(), alone.velocity()), "step {i}");
            assert_eq!(among.ground(), alone.ground(), "step {i}");
            let crouch = CharacterOptions { height: random.within(0.7, 2.5), ..options };
            let has_room = alone.has_room(&bodies, &crouch).unwrap();
            assert_eq!(among.has_room_in(&surroundings, &crouch), Ok(has_room), "step {i}");
            crushed += usize::from(expected.is_crushed);
            grounded += usize::from(alone.ground().is_some());
            carried += usize::from(alone.ground().is_some_and(|ground| (1..9).contains(&ground.body)));
        }
        assert!(world.trees.len() == 8);
    }
    assert!(crushed > 10 && grounded > 500 && carried > 50 && thrown > 5, "{crushed} {grounded} {carried} {thrown}");
}

/// A lift of which only the end of the motion is near, and one that carries the character far out of what is near it.
#[test]
fn far_motions_are_seen() {
    let slab = Arc::new(cuboid([2.0, 2.0, 0.2]));
    let mut scene = Scene::new();
    let floor = scene.add(scene::Body::fixed(slab.clone(), at(0.0, 0.0, -0.1))).unwrap();
    let ram = scene.add(scene::Body::moving(slab.clone(), at(500.0, 0.0, 0.9))).unwrap();
    let wall = scene.add(scene::Body::fixed(slab.clone(), at(-300.0, 0.0, 1.0))).unwrap();
    let mut character = Character::new(&CharacterOptions::default(), Point3::new(0.0, 0.0, 0.05)).unwrap();
    let still = Surroundings::new(&scene);
    for _ in 0..30 {
        character.step_in(&still, &Intent::default(), 1.0 / 60.0).unwrap();
    }
    assert_eq!(character.ground().map(|ground| ground.body), Some(floor.index()));
    // The ram sweeps the character to where it ends, up to the wall that stands there.
    let motions = [(ram, Motion::new(at(500.0, 0.0, 0.9), at(-295.0, 0.0, 0.9)))];
    character.step_in(&Surroundings { motions: &motions, ..still }, &Intent::default(), 1.0 / 60.0).unwrap();
    let feet = character.feet();
    assert!((-299.0..-295.9).contains(&feet.x), "{feet}");
    // Two motions of one body, and a body that is gone.
    let twice = [motions[0], motions[0]];
    let expected = Err(CharacterError::Scene(SceneError::TwoMotions(ram)));
    assert_eq!(character.step_in(&Surroundings { motions: &twice, ..still }, &Intent::default(), 0.1), expected);
    scene.remove(wall).unwrap();
    let belts = [(wall, Vector3::x())];
    let surroundings = Surroundings { surface_velocities: &belts, ..Surroundings::new(&scene) };
    let expected = Err(CharacterError::Scene(SceneError::NoSuchBody(wall)));
    assert_eq!(character.step_in(&surroundings, &Intent::default(), 0.1), expected);
    assert_eq!(character.feet(), feet);
}
