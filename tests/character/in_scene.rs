//! Characters in scenes: motions from afar, errors, and bodies that are convex shapes.

use bvtree::character::{Character, CharacterError, CharacterOptions, Intent, Surroundings};
use bvtree::scene::{Body, BodyId, NO_FACE, Scene, SceneError};
use bvtree::shape::ConvexShape;
use bvtree::{BuildOptions, BvTree, Mesh, Motion, Pose, Probe};
use nalgebra::{Isometry3, Point3, Quaternion, Rotation3, UnitQuaternion, Vector3};

use super::moving::{at, cuboid};
use super::random::Random;

const STEP: f64 = 1.0 / 60.0;

/// A lift of which only the end of the motion is near, and one that carries the character far out of what is near it.
#[test]
fn far_motions_are_seen() {
    let slab = cuboid([2.0, 2.0, 0.2]);
    let mut scene = Scene::new();
    let floor = scene.add(Body::fixed(slab.clone(), at(0.0, 0.0, -0.1))).unwrap();
    let ram = scene.add(Body::moving(slab.clone(), at(500.0, 0.0, 0.9))).unwrap();
    let wall = scene.add(Body::fixed(slab.clone(), at(-300.0, 0.0, 1.0))).unwrap();
    let mut character = Character::new(&CharacterOptions::default(), Point3::new(0.0, 0.0, 0.05)).unwrap();
    let still = Surroundings::new(&scene);
    for _ in 0..30 {
        character.step(&still, &Intent::default(), 1.0 / 60.0).unwrap();
    }
    assert_eq!(character.ground().map(|ground| ground.body), Some(floor));
    // The ram sweeps the character to where it ends, up to the wall that stands there.
    let motions = [(ram, Motion::new(at(500.0, 0.0, 0.9), at(-295.0, 0.0, 0.9)))];
    character.step(&Surroundings { motions: &motions, ..still }, &Intent::default(), 1.0 / 60.0).unwrap();
    let feet = character.feet();
    assert!((-299.0..-295.9).contains(&feet.x), "{feet}");
    // Two motions of one body, and a body that is gone.
    let twice = [motions[0], motions[0]];
    let expected = Err(CharacterError::Scene(SceneError::TwoMotions(ram)));
    assert_eq!(character.step(&Surroundings { motions: &twice, ..still }, &Intent::default(), 0.1), expected);
    scene.remove(wall).unwrap();
    let belts = [(wall, Vector3::x())];
    let surroundings = Surroundings { surface_velocities: &belts, ..Surroundings::new(&scene) };
    let expected = Err(CharacterError::Scene(SceneError::NoSuchBody(wall)));
    assert_eq!(character.step(&surroundings, &Intent::default(), 0.1), expected);
    assert_eq!(character.feet(), feet);
}

fn walk(x: f64, y: f64) -> Intent {
    Intent { walk: Vector3::new(x, y, 0.0), jump: 0.0 }
}

/// Boxes as shapes and as meshes: the same walk, up to rounding.
#[test]
fn boxes_are_walked_on_like_their_meshes() {
    let mut random = Random(5);
    for _ in 0..if cfg!(debug_assertions) { 4 } else { 40 } {
        let mut scenes = [Scene::new(), Scene::new()];
        let mut add = |size: [f64; 3], pose: Pose, is_fixed: bool| {
            let half_extents = Vector3::from(size) * 0.5;
            let bodies =
                [Body::moving(cuboid(size), pose), Body::moving(ConvexShape::cuboid(half_extents).unwrap(), pose)];
            let ids = [0, 1].map(|i| scenes[i].add(Body { is_static: is_fixed, ..bodies[i].clone() }).unwrap());
            assert_eq!(ids[0], ids[1]);
            ids[0]
        };
        // Sizes that f32 has.
        add([64.0, 64.0, 1.0], at(0.0, 0.0, -0.5), true);
        for _ in 0..40 {
            let size = [(); 3].map(|()| (random.within(0.1, 3.0) * 64.0).round() / 64.0);
            let turn = Rotation3::from_axis_angle(&Vector3::z_axis(), random.within(0.0, 3.0)).into_inner();
            let place = Vector3::new(random.within(-8.0, 8.0), random.within(-8.0, 8.0), 0.3 * size[2]);
            add(size, Pose::new(turn, place).unwrap(), true);
        }
        let lift = add([1.0, 1.0, 0.25], at(1.5, 0.0, 0.125), false);
        let mut characters =
            [(); 2].map(|()| Character::new(&CharacterOptions::default(), Point3::new(0.0, 0.0, 3.5)).unwrap());
        let mut on_the_lift = 0;
        for i in 0..90 {
            let way = random.within(0.0, 6.3);
            let intent = if i % 3 == 0 { walk(1.0, 0.0) } else { walk(3.0 * way.cos(), 3.0 * way.sin()) };
            let [low, high] = [i, i + 1].map(|i| at(1.5, 0.0, 0.125 + 0.01 * f64::from(i)));
            let motions = [(lift, Motion::new(low, high))];
            let outcomes = [0, 1].map(|k| {
                let surroundings = Surroundings { motions: &motions, ..Surroundings::new(&scenes[k]) };
                characters[k].step(&surroundings, &intent, STEP).unwrap()
            });
            let [mesh, shape] = &characters;
            assert!((mesh.feet() - shape.feet()).norm() < 1e-6, "step {i}: {} and {}", mesh.feet(), shape.feet());
            assert_eq!(outcomes[0].is_crushed, outcomes[1].is_crushed);
            let bodies = [mesh, shape].map(|character| character.ground().map(|ground| ground.body));
            assert_eq!(bodies[0], bodies[1], "step {i}");
            assert!(shape.ground().is_none_or(|ground| ground.face == NO_FACE));
            on_the_lift += u32::from(bodies[0] == Some(lift));
        }
        assert!(on_the_lift < 90);
    }
}

/// On round shapes it stands, walks, and is carried; into none of them it gets.
#[test]
fn shapes_of_all_kinds_are_never_entered() {
    let mut random = Random(77);
    let steps = if cfg!(debug_assertions) { 400 } else { 4_000 };
    // The axis of the capsule, from its lower end.
    let axis = Mesh::from_f64_slices(&[[0.0; 3], [0.0, 0.0, 1.2]], &[[0, 1, 1]]).unwrap();
    let axis = BvTree::build(&axis, &BuildOptions::default()).unwrap();
    let (mut grounded, mut crushed) = (0, 0);
    for _ in 0..4 {
        let mut scene = Scene::new();
        let floor = ConvexShape::cuboid(Vector3::new(10.0, 10.0, 0.5)).unwrap();
        scene.add(Body::fixed(floor, at(0.0, 0.0, -0.5))).unwrap();
        let mut standing: Vec<ConvexShape> = Vec::new();
        let mut moving: Vec<BodyId> = Vec::new();
        for i in 0..40 {
            let (a, b) = (random.within(0.1, 1.0), random.within(0.1, 0.8));
            let hull = [[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, a], [-b, -a, -b], [a, -b, 0.2]].map(Point3::from);
            let shape = match i % 6 {
                0 => ConvexShape::sphere(a),
                1 => ConvexShape::capsule(a, b),
                2 => ConvexShape::cylinder(a, b),
                3 => ConvexShape::cone(a, b),
                4 => ConvexShape::hull(&hull),
                _ => ConvexShape::cuboid(Vector3::new(a, b, 0.2)).and_then(|cuboid| cuboid.rounded(0.05)),
            }
            .unwrap();
            let turn = Rotation3::from_euler_angles(random.within(0.0, 3.0), random.within(0.0, 3.0), 0.0).into_inner();
            let place = Vector3::new(random.within(-6.0, 6.0), random.within(-6.0, 6.0), random.within(-0.2, 0.5));
            let pose = Pose::new(turn, place).unwrap();
            if i % 5 == 0 {
                moving.push(scene.add(Body::moving(shape, pose)).unwrap());
            } else {
                standing.push(shape.transformed(&pose));
                scene.add(Body::fixed(shape, pose)).unwrap();
            }
        }
        let mut character = Character::new(&CharacterOptions::default(), Point3::new(0.0, 0.0, 3.0)).unwrap();
        let mut probe = Probe::new();
        let mut intent = Intent::default();
        for i in 0..steps {
            if i % 20 == 0 {
                intent = walk(random.within(-4.0, 4.0), random.within(-4.0, 4.0));
                intent.jump = if random.next() < 0.2 { 4.0 } else { 0.0 };
            }
            if character.feet().coords.norm() > 9.0 {
                character.teleport(Point3::new(0.0, 0.0, 3.0)).unwrap();
            }
            let motions: Vec<_> = moving
                .iter()
                .map(|&id| {
                    let start = scene.body(id).unwrap().pose;
                    let along = 0.01 * (0.05 * f64::from(i) + id.index() as f64).sin();
                    let end = Pose::new(*start.rotation(), start.translation() + Vector3::new(along, 0.0, along));
                    (id, Motion::new(start, end.unwrap()))
                })
                .collect();
            let surroundings = Surroundings { motions: &motions, ..Surroundings::new(&scene) };
            let outcome = character.step(&surroundings, &intent, STEP).unwrap();
            for (id, motion) in &motions {
                scene.set_pose(*id, *motion.end()).unwrap();
            }
            // By the shapes' own distance to the capsule's axis.
            let capsule = character.capsule();
            let to_axis = Pose::from_translation(-capsule.segment.start.coords).unwrap();
            for shape in &standing {
                let near = probe.closest_to_convex(&axis, &shape.transformed(&to_axis), 1.0);
                let distance = near.map_or(1.0, |near| near.distance);
                assert!(distance > capsule.radius - 1e-5, "step {i}: {} into {shape:?}", capsule.radius - distance);
            }
            grounded += u32::from(character.ground().is_some());
            crushed += u32::from(outcome.is_crushed);
        }
    }
    assert!(grounded > steps as u32, "{grounded} on ground, {crushed} crushed");
}

/// A crowd that walks to one place: each is a capsule to the others, and moves after the one before it.
#[test]
fn characters_do_not_enter_each_other() {
    let mut scene = Scene::new();
    scene.add(Body::fixed(cuboid([40.0, 40.0, 1.0]), at(0.0, 0.0, -0.5))).unwrap();
    let options = CharacterOptions::default();
    let capsule = ConvexShape::capsule(0.5 * options.height - options.radius, options.radius).unwrap();
    let middle = Vector3::new(0.0, 0.0, 0.5 * options.height);
    let place = |character: &Character| Pose::from_translation(character.feet().coords + middle).unwrap();
    let mut crowd = Vec::new();
    for i in 0..8 {
        let angle = 0.8 * f64::from(i);
        let start = Point3::new(4.0 * angle.cos(), 4.0 * angle.sin(), 0.02);
        let character = Character::new(&options, start).unwrap();
        let body = Body { groups: 2 << i, ..Body::moving(capsule.clone(), place(&character)) };
        crowd.push((character, scene.add(body).unwrap()));
    }
    for i in 0..400 {
        for (k, (character, body)) in crowd.iter_mut().enumerate() {
            let feet = character.feet();
            let speed = if i < 250 { -1.5 } else { 2.0 };
            let jump = if i == 300 + k { 4.0 } else { 0.0 };
            let toward = Vector3::new(feet.x, feet.y, 0.0).normalize() * speed;
            let surroundings = Surroundings { mask: !(2 << k), ..Surroundings::new(&scene) };
            let outcome = character.step(&surroundings, &Intent { walk: toward, jump }, STEP).unwrap();
            assert_eq!(outcome.overlap, None);
            let pose = place(character);
            scene.set_pose(*body, pose).unwrap();
        }
        for (k, (a, _)) in crowd.iter().enumerate() {
            for (b, _) in &crowd[..k] {
                let gap = b.feet() - a.feet();
                let above = (gap.z.abs() - (options.height - 2.0 * options.radius)).max(0.0);
                let distance = gap.xy().norm().hypot(above);
                assert!(distance > 2.0 * options.radius, "step {i}: {distance}");
            }
        }
        let farthest = crowd.iter().map(|(one, _)| one.feet().xy().coords.norm()).fold(0.0, f64::max);
        assert!(i != 249 || farthest < 1.6, "{farthest}");
        assert!(i != 399 || farthest > 4.0, "{farthest}");
    }
}

/// A crate on a floor without friction, hit by its pushes as by a person of 70 kg.
#[test]
fn what_is_in_the_way_is_pushed() {
    const MASS: f64 = 70.0;
    let mut scene = Scene::new();
    let floor = scene.add(Body::fixed(cuboid([40.0, 40.0, 1.0]), at(0.0, 0.0, -0.5))).unwrap();
    let crate_body = scene.add(Body::moving(cuboid([1.0, 1.0, 1.0]), at(1.5, 0.0, 0.5))).unwrap();
    let wall = scene.add(Body::fixed(cuboid([1.0, 9.0, 3.0]), at(9.0, 0.0, 1.5))).unwrap();
    let mut character = Character::new(&CharacterOptions::default(), Point3::new(0.0, 0.0, 1.0)).unwrap();
    // It falls, lands with the speed of the fall, and stands on the floor without a push.
    let mut landing: f64 = 0.0;
    for _ in 0..60 {
        character.step(&Surroundings::new(&scene), &Intent::default(), STEP).unwrap();
        assert!(character.pushes().iter().all(|push| push.body == floor));
        landing = character.pushes().iter().map(|push| push.speed).fold(landing, f64::max);
    }
    assert!((landing - (2.0 * 9.81 * 0.99_f64).sqrt()).abs() < 0.2, "{landing}");
    assert!(character.ground().is_some() && character.pushes().is_empty());
    // A heavy crate gets away slowly, a light one faster than it is walked into.
    for (mass, fastest) in [(200.0, 2.0), (20.0, 7.1)] {
        character.teleport(Point3::new(0.0, 0.0, 0.02)).unwrap();
        scene.set_pose(crate_body, at(1.5, 0.0, 0.5)).unwrap();
        let (mut speed, mut first) = (0.0, None);
        for _ in 0..200 {
            character.step(&Surroundings::new(&scene), &walk(2.0, 0.0), STEP).unwrap();
            // The floor is there at the start, where it lands.
            for push in character.pushes().iter().filter(|push| push.body != floor) {
                assert_eq!(push.body, crate_body);
                assert!((push.normal + Vector3::x()).norm() < 1e-9 && (push.speed - 2.0).abs() < 1e-9, "{push:?}");
                assert!((push.point.x - (character.feet().x + 0.31)).abs() < 0.02, "{push:?}");
                let impulse = push.impulse(MASS);
                assert!((impulse - Vector3::new(2.0 * MASS, 0.0, 0.0)).norm() < 1e-6);
                speed += impulse.x / mass;
                first = first.or(Some(speed));
                // Both go on at most as fast as before: it is not pushed again while it is ahead.
                speed = speed.min(fastest);
            }
            let x = scene.body(crate_body).unwrap().pose.translation().x;
            scene.set_pose(crate_body, at((x + speed * STEP).min(7.0), 0.0, 0.5)).unwrap();
        }
        assert!((first.unwrap() - 2.0 * MASS / mass).abs() < 1e-9, "{first:?}");
        let x = scene.body(crate_body).unwrap().pose.translation().x;
        assert!(x > 5.0 && character.feet().x < x - 0.8, "{x} and {}", character.feet());
    }
    // Along a wall that it leans into: only the part against the wall.
    character.teleport(Point3::new(8.15, -3.0, 0.02)).unwrap();
    scene.remove(crate_body).unwrap();
    for _ in 0..30 {
        character.step(&Surroundings::new(&scene), &walk(1.5, 2.0), STEP).unwrap();
    }
    let [push] = character.pushes() else { panic!("{:?}", character.pushes()) };
    assert!(push.body == wall && (push.speed - 1.5).abs() < 1e-9 && character.feet().y > -2.5, "{push:?}");
    character.step(&Surroundings::new(&scene), &Intent::default(), 0.0).unwrap();
    assert!(character.pushes().is_empty());
}

#[test]
fn no_motion_gives_a_velocity_that_is_not_finite() {
    let mut scene = Scene::new();
    let lift = scene.add(Body::moving(cuboid([2.0, 2.0, 0.2]), at(0.0, 0.0, -0.1))).unwrap();
    let mut character = Character::new(&CharacterOptions::default(), Point3::new(0.0, 0.0, 0.05)).unwrap();
    for _ in 0..30 {
        character.step(&Surroundings::new(&scene), &Intent::default(), STEP).unwrap();
    }
    assert_eq!(character.ground().map(|ground| ground.body), Some(lift));
    let (feet, options) = (character.feet(), *character.options());
    let start = at(0.0, 0.0, -0.1);
    // What a scene does not accept as a body's pose is no motion.
    let nowhere = [f64::NAN, 1e308].map(|z| Pose::from(Isometry3::translation(0.0, 0.0, z)));
    let turn = UnitQuaternion::new_unchecked(Quaternion::new(f64::NAN, 0.0, 0.0, 0.0));
    let turned = Pose::from(Isometry3::from_parts(Vector3::zeros().into(), turn));
    for [from, to] in nowhere.iter().flat_map(|&end| [[start, end], [end, start], [end, end]]) {
        let motions = [(lift, Motion::new(from, to))];
        let surroundings = Surroundings { motions: &motions, ..Surroundings::new(&scene) };
        let refused = CharacterError::Scene(SceneError::TooFar);
        assert_eq!(character.step(&surroundings, &Intent::default(), STEP), Err(refused));
        assert_eq!(character.has_room(&surroundings, &options), Err(refused));
    }
    let motions = [(lift, Motion::new(start, turned))];
    let surroundings = Surroundings { motions: &motions, ..Surroundings::new(&scene) };
    let refused = character.step(&surroundings, &Intent::default(), STEP).unwrap_err();
    assert!(matches!(refused, CharacterError::Scene(SceneError::NotARotation { .. })), "{refused:?}");
    assert_eq!((character.feet(), character.velocity()), (feet, Vector3::zeros()));
    // The time is too short for a quotient that f64 holds.
    let motions = [(lift, Motion::new(start, at(0.0, 0.0, -0.09)))];
    let surroundings = Surroundings { motions: &motions, ..Surroundings::new(&scene) };
    let jump = Intent { jump: 4.0, ..Intent::default() };
    character.step(&surroundings, &jump, 1e-312).unwrap();
    assert!((character.velocity() - Vector3::new(0.0, 0.0, 4.0)).norm() < 1e-9, "{}", character.velocity());
}
