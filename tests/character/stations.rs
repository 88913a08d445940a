//! Stations of other controllers' obstacle courses and unit tests: Jolt's `CharacterVirtual`, Godot, Box3D, Quake.
//!
//! `docs/character.md` lists them. Where those controllers do something else, the comment says so.

use std::sync::Arc;

use bvtree::character::{CharacterOptions, Intent};
use bvtree::{BvTree, Pose, Probe};
use nalgebra::{Point3, Rotation3, Vector3};

use super::among::{Body, Character};
use super::moving::{at, cuboid};
use super::situations::{WIDE, level_quad, standing, tree, wall_quad};

const STEP: f64 = 1.0 / 60.0;

type Quad = [[f64; 3]; 4];

fn walk(x: f64, y: f64) -> Intent {
    Intent { walk: Vector3::new(x, y, 0.0), jump: 0.0 }
}

fn floor() -> Quad {
    level_quad([-20.0, 20.0], [-20.0, 20.0], 0.0)
}

/// The six faces of a box with its base at a height.
fn block(x: [f64; 2], y: [f64; 2], z: [f64; 2]) -> Vec<Quad> {
    let side = |s: f64| [[x[0], s, z[0]], [x[1], s, z[0]], [x[1], s, z[1]], [x[0], s, z[1]]];
    vec![
        level_quad(x, y, z[0]),
        level_quad(x, y, z[1]),
        wall_quad(x[0], y, z),
        wall_quad(x[1], y, z),
        side(y[0]),
        side(y[1]),
    ]
}

fn gap(tree: &Arc<BvTree>, character: &Character) -> f64 {
    Probe::new().closest_capsule_contact(tree, &character.capsule(), 1.0).map_or(1.0, |contact| contact.distance)
}

/// Jolt: `TestMovingOnSlope`. The horizontal speed on a walkable slope is the desired one; Jolt's falls with it.
#[test]
fn slopes_of_all_angles() {
    for degrees in (5..=75).step_by(10) {
        let rise = f64::from(degrees).to_radians().tan();
        let slope = tree(&[[
            [-20.0, -5.0, -20.0 * rise],
            [20.0, -5.0, 20.0 * rise],
            [20.0, 5.0, 20.0 * rise],
            [-20.0, 5.0, -20.0 * rise],
        ]]);
        let bodies = [Body::fixed(&slope)];
        let start = Point3::new(0.0, 0.0, 0.31 * (1.0 + rise * rise).sqrt() - 0.3);
        let mut character = Character::new(&CharacterOptions::default(), start).unwrap();
        character.step(&bodies, &Intent::default(), STEP);
        for _ in 0..90 {
            character.step(&bodies, &walk(2.0, 0.0), STEP);
            assert_eq!(character.ground().is_some(), degrees <= 45, "{degrees}");
        }
        let moved = character.feet() - start;
        if degrees <= 45 {
            assert!((moved.x - 3.0).abs() < 1e-6 && (moved.z - 3.0 * rise).abs() < 0.02, "{moved} at {degrees}");
        } else {
            // Little slower than without steering up the slope.
            let slide = 0.5 * 9.81 * 1.5_f64.powi(2) * rise * rise / (1.0 + rise * rise);
            assert!(moved.z < -0.7 * slide && moved.x < 0.0, "{moved} at {degrees}");
        }
    }
}

/// Jolt: `TestStickToFloor`: onto a slope of 45 degrees at 10 m/s. Jolt flies off an even slope too; here a walk
/// follows the plane that it is on, and snapping decides about the edge.
#[test]
fn down_a_slope_with_and_without_snapping() {
    let slope = tree(&[
        level_quad([0.0, 10.0], WIDE, 0.0),
        [[-60.0, -5.0, -60.0], [0.0, -5.0, 0.0], [0.0, 5.0, 0.0], [-60.0, 5.0, -60.0]],
    ]);
    let bodies = [Body::fixed(&slope)];
    for snap_distance in [0.35, 0.0] {
        let options = CharacterOptions { snap_distance, ..CharacterOptions::default() };
        let mut character = Character::new(&options, Point3::new(3.0, 0.0, 0.05)).unwrap();
        for _ in 0..20 {
            character.step(&bodies, &Intent::default(), STEP);
        }
        let mut flew = 0;
        for _ in 0..90 {
            character.step(&bodies, &walk(-10.0, 0.0), STEP);
            flew += u32::from(character.ground().is_none());
        }
        assert_eq!(flew > 0, snap_distance == 0.0, "{flew}");
    }
}

/// Jolt: `TestWalkStairs`: stairs as steep as a slope of 45 degrees, at several rates; always on the ground and never
/// back. A short step forward onto a stair is saved, and the walk waits for it: at 240 Hz for a step of 4 ms.
#[test]
fn stairs_at_all_rates() {
    let mut quads = vec![floor()];
    for i in 0..10 {
        let (x, z) = (0.3 * f64::from(i), 0.3 * f64::from(i));
        quads.extend([wall_quad(x, [-2.0, 2.0], [z, z + 0.3]), level_quad([x, x + 0.3], [-2.0, 2.0], z + 0.3)]);
    }
    let stairs = tree(&quads);
    let bodies = [Body::fixed(&stairs)];
    for rate in [60.0, 120.0, 240.0, 360.0] {
        for (max_step, top) in [(0.0, 0.0), (0.4, 3.0)] {
            let options = CharacterOptions { max_step, ..CharacterOptions::default() };
            let mut character = Character::new(&options, Point3::new(-2.0, 0.0, 0.01)).unwrap();
            for _ in 0..20 {
                character.step(&bodies, &Intent::default(), STEP);
            }
            let mut last = character.feet();
            for _ in 0..(1.5 * 5.0 / 4.0 * rate) as usize {
                character.step(&bodies, &walk(4.0, 0.0), 1.0 / rate);
                let feet = character.feet();
                assert!(character.ground().is_some() && feet.y.abs() < 1e-9, "{feet}");
                if feet.z > 2.99 {
                    break;
                }
                assert!(max_step == 0.0 || feet.x >= last.x, "{feet} by {rate}");
                last = feet;
            }
            let feet = character.feet();
            assert!((feet.z - top).abs() < 0.02, "{feet} by {rate}");
            assert!(max_step > 0.0 || (feet.x + 0.31).abs() < 0.01, "{feet}");
        }
    }
}

/// Jolt: `TestStairWalkAlongWall`: up stairs while pushing into a wall beside them.
#[test]
fn stairs_along_a_wall() {
    let mut quads = vec![floor(), [[-20.0, 1.0, 0.0], [20.0, 1.0, 0.0], [20.0, 1.0, 8.0], [-20.0, 1.0, 8.0]]];
    for i in 0..10 {
        let (x, z) = (0.4 * f64::from(i), 0.25 * f64::from(i));
        let next = if i == 9 { 20.0 } else { x + 0.4 };
        quads.extend([wall_quad(x, [-2.0, 2.0], [z, z + 0.25]), level_quad([x, next], [-2.0, 2.0], z + 0.25)]);
    }
    let stairs = tree(&quads);
    for aside in [0.5, 2.0, 6.0] {
        let bodies = [Body::fixed(&stairs)];
        let mut character = standing(&bodies, [-1.0, 0.5, 0.05]);
        for _ in 0..300 {
            character.step(&bodies, &walk(2.0, aside), STEP);
        }
        let feet = character.feet();
        assert!(feet.x > 4.5 && (feet.z - 2.5).abs() < 0.02, "{feet} at {aside}");
    }
}

/// Jolt: `TestRotatingPlatform`: a turn in a second, 9 m from the axis.
#[test]
fn a_fast_turntable() {
    let table = cuboid([20.0, 20.0, 2.0]);
    let pose = |angle: f64| {
        Pose::new(Rotation3::from_axis_angle(&Vector3::z_axis(), angle).into_inner(), Vector3::new(0.0, 0.0, -1.0))
            .unwrap()
    };
    let mut character = standing(&[Body::placed(&table, &pose(0.0))], [9.0, 0.0, 0.05]);
    let turn = std::f64::consts::TAU / 60.0;
    for i in 0..60 {
        let [start, end] = [i, i + 1].map(|i| pose(turn * f64::from(i)));
        let outcome = character.step(&[Body::moving(&table, &start, &end)], &Intent::default(), STEP);
        assert!(character.ground().is_some() && !outcome.is_crushed && outcome.overlap.is_none());
    }
    assert!((character.feet() - Point3::new(9.0, 0.0, 0.01)).norm() < 0.01, "{}", character.feet());
}

/// Jolt: `TestContactPointLimit` and the wall of pillars: among more contacts than other controllers can hold, nothing
/// sticks, and a walk along pillars that touch each other is even.
#[test]
fn pillars() {
    let mut quads = vec![floor()];
    for i in 0..30 {
        let y = 0.2 * f64::from(i);
        quads.extend(block([0.5, 0.7], [y, y + 0.2], [0.0, 5.0]));
    }
    let pillars = tree(&quads);
    let bodies = [Body::fixed(&pillars)];
    let mut character = standing(&bodies, [0.1, 0.5, 0.05]);
    for _ in 0..30 {
        character.step(&bodies, &walk(1.0, 0.0), STEP);
    }
    for _ in 0..150 {
        let before = character.feet();
        character.step(&bodies, &walk(2.0, 2.0), STEP);
        let moved = character.feet() - before;
        assert!((moved.y - 2.0 * STEP).abs() < 1e-6 && moved.x.abs() < 1e-3, "{moved}");
    }
    // Ninety posts around it, and in between the way on.
    let mut quads = vec![floor()];
    for i in 0..90 {
        let angle = std::f64::consts::TAU / 90.0 * f64::from(i);
        if !(40..50).contains(&i) {
            let (x, y) = (0.33 * angle.cos(), 0.33 * angle.sin());
            quads.extend(block([x - 0.01, x + 0.01], [y - 0.01, y + 0.01], [0.0, 2.0]));
        }
    }
    let ring = tree(&quads);
    let bodies = [Body::fixed(&ring)];
    let mut character = standing(&bodies, [0.0, 0.0, 0.05]);
    for i in 0..200 {
        let angle = 0.1 * f64::from(i);
        character.step(&bodies, &walk(2.0 * angle.cos(), 2.0 * angle.sin()), STEP);
        assert!(gap(&ring, &character) > 0.0 && character.ground().is_some());
    }
}

/// Jolt: `TestInitiallyIntersecting`: inside a heap of 484 boxes that overlap one another.
#[test]
fn out_of_a_heap_of_boxes() {
    let floor = tree(&[floor()]);
    let small = cuboid([0.2; 3]);
    let mut bodies = vec![Body::fixed(&floor)];
    for (x, (y, z)) in (0..4).flat_map(|x| (0..=10).flat_map(move |y| (0..=10).map(move |z| (x, (y, z))))) {
        let [x, y, z] = [-0.5 + 0.1 * f64::from(x), -0.5 + 0.1 * f64::from(y), 0.1 + 0.1 * f64::from(z)];
        bodies.push(Body::placed(&small, &at(x, y, z)));
    }
    let mut character = Character::new(&CharacterOptions::default(), Point3::origin()).unwrap();
    let mut is_free = false;
    for _ in 0..60 {
        let outcome = character.step(&bodies, &walk(1.0, 0.0), STEP);
        assert!(!is_free || outcome.overlap.is_none());
        is_free |= outcome.overlap.is_none();
        assert!(character.feet().z > -0.001 && character.feet().coords.norm() < 2.0, "{}", character.feet());
    }
    assert!(is_free && character.feet().x > 0.5, "{}", character.feet());
}

/// Jolt's course: bumps 5 cm high and 1 cm thick, and 30 cm high and 10 cm thick.
#[test]
fn bumps() {
    for (height, width, distance) in [(0.05, 0.01, 0.5), (0.3, 0.1, 2.0)] {
        let mut quads = vec![floor()];
        for i in 1..=4 {
            let x = distance * f64::from(i);
            quads.extend(block([x, x + width], [-2.0, 2.0], [0.0, height]));
        }
        let bumps = tree(&quads);
        let bodies = [Body::fixed(&bumps)];
        for (speed, step) in [(0.3, STEP), (2.0, STEP), (2.0, 1.0 / 240.0), (6.0, 0.1)] {
            let mut character = standing(&bodies, [-0.5, 0.0, 0.05]);
            for _ in 0..((4.0 * distance + 2.0) / (speed * step)) as usize {
                character.step(&bodies, &walk(speed, 0.0), step);
                assert!(character.feet().z < height + 0.05, "{}", character.feet());
            }
            assert!(character.feet().x > 4.0 * distance + 0.5, "{} of {height} at {speed}", character.feet());
        }
    }
}

/// Jolt's course, "no stairs": treads of 5 cm under rises of 30 cm, as steep as a wall.
#[test]
fn treads_too_short_are_not_climbed() {
    let mut quads = vec![floor()];
    for i in 0..10 {
        let (x, z) = (0.05 * f64::from(i), 0.3 * f64::from(i));
        quads.extend([wall_quad(x, [-2.0, 2.0], [z, z + 0.3]), level_quad([x, x + 0.05], [-2.0, 2.0], z + 0.3)]);
    }
    let stairs = tree(&quads);
    let bodies = [Body::fixed(&stairs)];
    for (speed, step) in [(0.5, STEP), (4.0, STEP), (4.0, 1.0 / 240.0), (4.0, 0.1)] {
        let mut character = standing(&bodies, [-1.0, 0.0, 0.05]);
        for _ in 0..(3.0 / step) as usize {
            character.step(&bodies, &walk(speed, 0.3), step);
            assert!(character.feet().z < 0.61, "{}", character.feet());
        }
        // Back down without hanging.
        for _ in 0..(2.0 / step) as usize {
            character.step(&bodies, &walk(-1.0, 0.0), step);
        }
        assert!(character.feet().z < 0.02 && character.ground().is_some(), "{}", character.feet());
    }
}

/// Jolt's course: over a half cylinder lying on the floor.
#[test]
fn a_half_cylinder() {
    let mut quads = vec![floor()];
    for i in 0..16 {
        let at = |i: i32| {
            let angle = std::f64::consts::PI / 16.0 * f64::from(i);
            [2.0 - 0.25 * angle.cos(), 0.25 * angle.sin()]
        };
        let ([ax, az], [bx, bz]) = (at(i), at(i + 1));
        quads.push([[ax, -2.0, az], [bx, -2.0, bz], [bx, 2.0, bz], [ax, 2.0, az]]);
    }
    let log = tree(&quads);
    let bodies = [Body::fixed(&log)];
    for (speed, step) in [(0.5, STEP), (4.0, STEP), (2.0, 0.1)] {
        let mut character = standing(&bodies, [0.0, 0.0, 0.05]);
        for _ in 0..(6.0 / (speed * step)) as usize {
            character.step(&bodies, &walk(speed, 0.0), step);
        }
        assert!(character.feet().x > 3.0, "{} at {speed}", character.feet());
    }
}

/// Jolt's course: ramps that meet a leaning wall.
#[test]
fn planes_that_meet() {
    for degrees in (0..90).step_by(10) {
        let rise = f64::from(degrees).to_radians().tan().min(5.0);
        let ramp = [[0.0, -1.0, 0.0], [3.0, -1.0, 3.0 * rise], [3.0, 5.0, 3.0 * rise], [0.0, 5.0, 0.0]];
        let leaning = [[-5.0, 0.5, 0.0], [5.0, 0.5, 0.0], [5.0, 2.0, 4.0], [-5.0, 2.0, 4.0]];
        let corner = tree(&[floor(), ramp, leaning]);
        let bodies = [Body::fixed(&corner)];
        for aside in [0.2, 1.0, 4.0] {
            let mut character = standing(&bodies, [-1.0, -0.2, 0.05]);
            for _ in 0..240 {
                character.step(&bodies, &walk(1.0, aside), STEP);
                assert!(gap(&corner, &character) > 0.0, "{degrees}");
            }
            // Up the ramp where it can be walked; otherwise it stays at its foot.
            let feet = character.feet();
            assert!(if degrees <= 40 { feet.x > 1.0 } else { feet.z < 0.35 }, "{feet} at {degrees}, {aside}");
        }
    }
}

/// Jolt's course: a wall of acute faces that point down, along which nobody is pushed into the floor or held.
#[test]
fn acute_faces_that_point_down() {
    let mut quads = vec![floor()];
    for i in 0..24 {
        let (x, next) = (0.5 * f64::from(i), 0.5 * f64::from(i + 1));
        let [out, next_out] = [i, i + 1].map(|i| if i % 2 == 0 { 0.0 } else { 0.45 });
        let (low, high) = (0.3 + 0.05 * f64::from(i % 5), 3.0);
        // From its foot the wall leans out over the floor.
        quads.push([[x, 1.0, 0.0], [next, 1.0, 0.0], [next, 1.0 - next_out, low], [x, 1.0 - out, low]]);
        quads.push([[x, 1.0 - out, low], [next, 1.0 - next_out, low], [next, 1.0, high], [x, 1.0, high]]);
    }
    let wall = tree(&quads);
    let bodies = [Body::fixed(&wall)];
    for (speed, aside, step) in [(2.0, 0.0, STEP), (2.0, 0.5, STEP), (4.0, 1.0, 1.0 / 30.0), (1.0, 0.3, 1.0 / 240.0)] {
        let mut character = standing(&bodies, [1.0, 0.0, 0.05]);
        for i in 0..(8.0 / (speed * step)) as usize {
            // Away from the wall now and then, as who is stuck in a notch would.
            let aside = if (i as f64 * step) % 2.0 < 1.5 { aside } else { -aside };
            character.step(&bodies, &walk(speed, aside), step);
            let feet = character.feet();
            assert!(gap(&wall, &character) > 0.0 && feet.z > 0.0, "{feet}");
        }
        assert!(character.ground().is_some());
        // It gets away from the wall.
        let before = character.feet();
        for _ in 0..(1.0 / step) as usize {
            character.step(&bodies, &walk(0.0, -1.0), step);
        }
        assert!((before.y - character.feet().y - 1.0).abs() < 0.1, "{before} to {}", character.feet());
    }
}

/// Jolt's course: a lift that reverses at once, and a frame that turns and moves, with a wall.
#[test]
fn reversing_lifts_and_turning_frames() {
    let slab = cuboid([3.0, 3.0, 0.3]);
    for (speed, step) in [(1.0, STEP), (4.0, STEP), (4.0, 0.1)] {
        let mut character = standing(&[Body::placed(&slab, &at(0.0, 0.0, -0.15))], [0.3, 0.2, 0.05]);
        let (mut height, mut speed, mut lost) = (0.0, speed, 0);
        for i in 0..(12.0 / step) as usize {
            if i % (1.0 / step) as usize == (1.0 / step) as usize - 1 {
                speed = -speed;
            }
            let [start, end] = [height, height + speed * step].map(|z: f64| at(0.0, 0.0, z - 0.15));
            let outcome = character.step(&[Body::moving(&slab, &start, &end)], &Intent::default(), step);
            height += speed * step;
            lost += u32::from(character.ground().is_none());
            assert!(outcome.overlap.is_none() && character.feet().z > height, "{}", character.feet());
        }
        assert_eq!(lost, 0);
    }
    let floor = tree(&[floor()]);
    let wall = cuboid([6.0, 0.3, 2.0]);
    let pose = |time: f64| {
        let turn = Rotation3::from_axis_angle(&Vector3::z_axis(), time).into_inner();
        Pose::new(turn, Vector3::new(3.0 * (0.5 * time).sin(), 0.0, 1.1)).unwrap()
    };
    let mut character = standing(&[Body::fixed(&floor)], [0.0, 1.0, 0.05]);
    for i in 0..1200 {
        let [start, end] = [i, i + 1].map(|i| pose(STEP * f64::from(i)));
        let bodies = [Body::fixed(&floor), Body::moving(&wall, &start, &end)];
        let outcome = character.step(&bodies, &walk(0.0, -0.2), STEP);
        assert!(outcome.overlap.is_none() && gap(&floor, &character) > 0.0);
    }
}

/// Godot: `platform_on_leave`: a jump and a walk off take the platform's velocity along (`ADD_VELOCITY`).
#[test]
fn leaving_a_platform_keeps_its_velocity() {
    let slab = cuboid([3.0, 3.0, 0.2]);
    for (jump, speed) in [(3.0, 3.0), (0.0, 3.0)] {
        let mut character = standing(&[Body::placed(&slab, &at(0.0, 0.0, -0.1))], [1.0, 0.0, 0.05]);
        let mut x = 0.0;
        for i in 0..60 {
            let [start, end] = [x, x + speed * STEP].map(|x| at(x, 0.0, -0.1));
            let intent = Intent { walk: Vector3::new(0.0, 2.0, 0.0), jump: if i == 10 { jump } else { 0.0 } };
            let stood = character.ground().is_some();
            character.step(&[Body::moving(&slab, &start, &end)], &intent, STEP);
            x += speed * STEP;
            if stood && character.ground().is_none() {
                let velocity = character.velocity();
                let expected = Vector3::new(speed, 2.0, 0.0);
                assert!((velocity - expected).xy().norm() < 0.2, "{velocity}");
                break;
            }
        }
        assert!(character.ground().is_none());
    }
}

/// Godot: `slide_on_ceiling`: a rise goes on along a sloping ceiling; a level ceiling ends it and nothing else.
#[test]
fn ceilings() {
    let sloping = tree(&[floor(), [[-5.0, -5.0, 0.5], [5.0, -5.0, 4.5], [5.0, 5.0, 4.5], [-5.0, 5.0, 0.5]]]);
    let bodies = [Body::fixed(&sloping)];
    let mut character = standing(&bodies, [0.5, 0.0, 0.05]);
    let before = character.feet();
    character.step(&bodies, &Intent { walk: Vector3::zeros(), jump: 6.0 }, STEP);
    for _ in 0..30 {
        character.step(&bodies, &Intent::default(), STEP);
        assert!(gap(&sloping, &character) > 0.0);
    }
    assert!(character.feet().x > before.x + 0.2, "{}", character.feet());

    let level = tree(&[floor(), level_quad(WIDE, WIDE, 2.0)]);
    let bodies = [Body::fixed(&level)];
    let mut character = standing(&bodies, [0.0, 0.0, 0.05]);
    character.step(&bodies, &Intent { walk: Vector3::new(2.0, 0.0, 0.0), jump: 6.0 }, STEP);
    for _ in 0..3 {
        character.step(&bodies, &walk(2.0, 0.0), STEP);
        assert!((character.velocity().x - 2.0).abs() < 1e-6 && character.velocity().z <= 0.0);
    }
}

/// Godot: `wall_min_slide_angle` stops walks into a wall that are steeper than 15 degrees. Here every walk slides, by
/// the part of its velocity along the wall.
#[test]
fn walls_at_all_angles() {
    let room = tree(&[floor(), wall_quad(1.0, [-20.0, 20.0], [0.0, 3.0])]);
    let bodies = [Body::fixed(&room)];
    for degrees in [0.0_f64, 1.0, 5.0, 15.0, 45.0, 80.0] {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let mut character = standing(&bodies, [0.6, 0.0, 0.05]);
        for _ in 0..30 {
            character.step(&bodies, &walk(2.0 * cos, 2.0 * sin), STEP);
        }
        let before = character.feet();
        for _ in 0..60 {
            character.step(&bodies, &walk(2.0 * cos, 2.0 * sin), STEP);
        }
        let moved = character.feet() - before;
        assert!((moved.y - 2.0 * sin).abs() < 1e-6, "{moved} at {degrees}");
    }
}

/// Box3D: no zero normals when buried. In a hill of small triangles, at any depth, everything is a number, what is
/// overlapped is reported, and who is buried no deeper than the head comes out on top.
#[test]
fn buried_in_a_hill() {
    let height = |x: f64, y: f64| 0.5 * (0.7 * x).sin() * (0.6 * y).cos();
    let corner = |i: i32, j: i32| {
        let (x, y) = (0.2 * f64::from(i) - 4.0, 0.2 * f64::from(j) - 4.0);
        [x, y, height(x, y)]
    };
    let mut quads = Vec::new();
    for (i, j) in (0..40).flat_map(|i| (0..40).map(move |j| (i, j))) {
        quads.push([corner(i, j), corner(i + 1, j), corner(i + 1, j + 1), corner(i, j + 1)]);
    }
    let hill = tree(&quads);
    let bodies = [Body::fixed(&hill)];
    for (i, depth) in [0.0, 0.1, 0.25, 0.4, 0.6, 0.8, 0.9, 1.0, 1.3, 1.7, 1.79].into_iter().enumerate() {
        for (x, y) in [(0.0, 0.0), (0.1, 0.0), (1.03, -0.77), (-1.9, 1.2)] {
            let start = Point3::new(x, y, height(x, y) - depth);
            let mut character = Character::new(&CharacterOptions::default(), start).unwrap();
            for k in 0..60 {
                let outcome = character.step(&bodies, &walk(0.5, 0.1 * i as f64), STEP);
                let (feet, velocity) = (character.feet(), character.velocity());
                assert!(feet.iter().chain(&velocity).all(|x| x.is_finite()));
                if let Some(ground) = character.ground() {
                    assert!((ground.normal.norm() - 1.0).abs() < 1e-9);
                }
                let distance = gap(&hill, &character);
                assert_eq!(outcome.overlap.is_some(), distance < -1e-9, "{distance} at {depth}");
                let above = feet.z - height(feet.x, feet.y);
                assert!(depth > 0.8 || k > 30 || above > -0.02, "{above} from {depth}");
            }
        }
    }
}

/// Quake: a door that closes on the player pushes or is reported, and opens again; then the player walks on.
#[test]
fn a_door_closes_and_opens() {
    let frame = tree(&[floor(), wall_quad(1.0, [-20.0, 20.0], [0.0, 3.0])]);
    let door = cuboid([0.2, 1.5, 2.8]);
    let mut character = standing(&[Body::fixed(&frame)], [0.3, 0.0, 0.05]);
    let mut crushed = 0;
    for i in 0..600 {
        let position = |i: i32| at(-1.5 + 2.3 * (0.5 - 0.5 * (0.05 * f64::from(i)).cos()), 0.0, 1.5);
        let bodies = [Body::fixed(&frame), Body::moving(&door, &position(i), &position(i + 1))];
        let outcome = character.step(&bodies, &Intent::default(), STEP);
        crushed += u32::from(outcome.is_crushed);
        assert!(gap(&frame, &character) > 0.0 && character.feet().x < 0.7, "{}", character.feet());
    }
    assert!(crushed > 0);
    let bodies = [Body::fixed(&frame), Body::placed(&door, &at(-1.5, 0.0, 1.5))];
    let before = character.feet();
    for _ in 0..60 {
        assert_eq!(character.step(&bodies, &walk(0.0, 1.0), STEP).overlap, None);
    }
    assert!((character.feet().y - before.y - 1.0).abs() < 0.02, "{}", character.feet());
}
