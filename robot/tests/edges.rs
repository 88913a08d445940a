//! Edges against single configurations, and proofs attacked by fine sampling.

use bvtree::Pose;
use bvtree_robot::{Checker, ImpactOptions, JointPath, Robot, RobotOptions, World};
use nalgebra::Vector3;

use crate::arm::{Random, random_arm, random_world};

const KINDS: [&str; 6] = ["revolute", "continuous", "revolute", "prismatic", "planar", "floating"];

fn between(ends: [&[f64]; 2], part: f64) -> Vec<f64> {
    ends[0].iter().zip(ends[1]).map(|(from, to)| from * (1.0 - part) + to * part).collect()
}

#[test]
fn the_first_blocked_is_the_first_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let random = &mut Random(4);
    let mut found = [0; 3];
    for _ in 0..60 {
        let arm = random_arm(random, 5, &KINDS[..4], folder.path());
        let mut checker = Checker::new(&arm.robot, &random_world(random));
        let [from, to] = [(); 2].map(|()| random.configuration(&arm.robot));
        let steps = 1 + random.below(40) as usize;
        let blocked = |index: usize| {
            let part = if index == 0 { 0.0 } else { index as f64 / (steps - 1) as f64 };
            let row = between([&from, &to], part);
            !Checker::new(&arm.robot, checker.world()).is_free(&row, 0.0).unwrap()
        };
        let expected = (0..steps).find(|&index| blocked(index));
        assert_eq!(checker.first_blocked(&from, &to, steps, 0.0).unwrap(), expected);
        assert_eq!(checker.first_blocked(&from, &to, 0, 0.0).unwrap(), None);
        found[expected.map_or(0, |index| 1 + usize::from(index > 0))] += 1;
    }
    assert!(found.iter().all(|&count| count > 3), "{found:?}");
}

/// The number of random edges: 150, or what the environment variable `BVTREE_ROBOT_EDGES` says.
fn edges() -> usize {
    std::env::var("BVTREE_ROBOT_EDGES").map_or(150, |count| count.parse().expect("a whole number"))
}

/// An edge is never proven free where a sample is too near, never blocked where all samples are clear by more than the
/// tolerance, and no impact is late.
#[test]
fn proofs_hold_for_all_samples() {
    let folder = tempfile::tempdir().unwrap();
    let random = &mut Random(5);
    let mut found = [0; 3];
    for case in 0..edges() {
        let arm = random_arm(random, 5, &KINDS, folder.path());
        let mut checker = Checker::new(&arm.robot, &random_world(random));
        let [from, mut to] = [(); 2].map(|()| random.configuration(&arm.robot));
        if case % 3 > 0 {
            to = between([&from, &to], 0.2);
        }
        let clearance = [0.0, 0.005, 0.02][case % 3];
        let options = ImpactOptions { clearance, ..ImpactOptions::default() };
        let impact = checker.first_impact(&from, &to, &options).unwrap();
        let samples = 200;
        let mut distance = |part: f64| {
            let row = arm.robot.interpolate(&from, &to, part).unwrap();
            checker.closest(&row, f64::INFINITY).unwrap().map_or(f64::INFINITY, |closest| closest.distance)
        };
        match impact {
            None => {
                for k in 0..=samples {
                    let part = f64::from(k) / f64::from(samples);
                    assert!(distance(part) > clearance, "case {case}: free, but {part} is not");
                }
            }
            Some(impact) => {
                let near = distance(impact.parameter);
                assert!(near <= clearance + 3.0 * options.tolerance, "case {case}: {near} {impact:?}");
                for k in (0..samples).filter(|_| impact.parameter > 0.0) {
                    let part = impact.parameter * f64::from(k) / f64::from(samples);
                    assert!(distance(part) > clearance, "case {case}: {part} is before {impact:?}");
                }
            }
        }
        found[impact.map_or(0, |impact| 1 + usize::from(impact.parameter > 0.0))] += 1;
    }
    println!("free, blocked at the start, blocked later: {found:?}");
    assert!(found.iter().all(|&count| count > 10), "{found:?}");
}

/// Impacts are the same whatever a checker was asked before, and so on any thread.
#[test]
fn impacts_do_not_depend_on_earlier_questions() {
    let folder = tempfile::tempdir().unwrap();
    let random = &mut Random(9);
    let mut found = 0;
    for _ in 0..30 {
        let arm = random_arm(random, 8, &KINDS[..4], folder.path());
        let world = random_world(random);
        let mut asked = Checker::new(&arm.robot, &world);
        for clearance in [0.0, 0.01, 0.02].repeat(6) {
            let [from, to] = [(); 2].map(|()| random.configuration(&arm.robot));
            let options = ImpactOptions { clearance, ..ImpactOptions::default() };
            let parameter = |checker: &mut Checker| {
                checker.first_impact(&from, &to, &options).unwrap().map(|impact| impact.parameter)
            };
            let expected = parameter(&mut Checker::new(&arm.robot, &world));
            assert_eq!(parameter(&mut asked), expected);
            found += usize::from(expected.is_some_and(|parameter| parameter > 0.0));
        }
    }
    assert!(found > 100, "{found}");
}

/// Joint values change linearly; a floating joint turns at a constant speed along the shorter arc, whatever its
/// quaternions' lengths.
#[test]
fn interpolated_configurations_are_on_the_way() {
    let folder = tempfile::tempdir().unwrap();
    let random = &mut Random(8);
    for _ in 0..40 {
        let arm = random_arm(random, 4, &KINDS, folder.path());
        let [from, to] = [(); 2].map(|()| random.configuration(&arm.robot));
        let part = random.between(0.0, 1.0);
        let (row, straight) = (arm.robot.interpolate(&from, &to, part).unwrap(), between([&from, &to], part));
        let mut first = 0;
        for joint in &arm.joints {
            let count = joint.place(&from[first..]).1.len();
            let values = first..from.len() - count;
            first = values.end;
            if joint.kind != "floating" {
                assert_eq!(row[values.clone()], straight[values]);
                continue;
            }
            let [a, b, between] = [&from, &to, &row].map(|row| joint.place(&row[values.clone()]).0.rotation);
            let (whole, turned) = (a.angle_to(&b), a.angle_to(&between));
            assert!((turned - part * whole).abs() < 1e-9 && (between.angle_to(&b) - (1.0 - part) * whole).abs() < 1e-9);
        }
    }
    let arm = random_arm(random, 3, &["floating"], folder.path());
    let rest = arm.robot.neutral();
    assert_eq!(rest, [[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]; 2].concat());
    assert!(arm.robot.interpolate(&rest, &rest[1..], 0.5).is_err());
}

/// A link with this geometry, moved by a chain of joints of one kind, each with its name and its axis.
fn chain(geometry: &str, kind: &str, joints: &[[&str; 2]]) -> Robot {
    let mut text = "<robot><link name='l0'/>".to_owned();
    for (index, [name, axis]) in joints.iter().enumerate() {
        let (child, is_last) = (index + 1, index + 1 == joints.len());
        let shape = if is_last { format!("<collision>{geometry}</collision>") } else { String::new() };
        text += &format!(
            "<link name='l{child}'>{shape}</link><joint name='{name}' type='{kind}'><parent link='l{index}'/>\
             <child link='l{child}'/><axis xyz='{axis}'/></joint>"
        );
    }
    Robot::parse(&(text + "</robot>"), None, "".as_ref(), &RobotOptions::default()).unwrap()
}

fn at(x: f64, y: f64, z: f64) -> Pose {
    Pose::from_translation(Vector3::new(x, y, z)).unwrap()
}

/// Joints outside the group stay where they are to the last bit, on which a flush contact depends.
#[test]
fn joints_at_rest_stay_there_exactly() {
    let geometry = "<geometry><box size='0.2 0.2 0.2'/></geometry>";
    let robot = chain(geometry, "prismatic", &[["z", "0 0 1"], ["x", "1 0 0"]]);
    for z in [0.21000999999999972, 0.38400000000000006] {
        let group = robot.with_joints(&["x"], &[z, 0.0]).unwrap();
        let mut world = World::new();
        world.add_box("floor", Vector3::new(10.0, 10.0, 1.0), &at(0.0, 0.0, z - 0.1 - 0.5)).unwrap();
        let mut checker = Checker::new(&group, &world);
        let expected = !checker.is_free(&[0.0], 0.0).unwrap();
        let curve = JointPath::bezier(vec![vec![vec![0.0], vec![0.3], vec![1.0]]]).unwrap();
        for steps in (2..60).chain([6, 7]) {
            let new = Checker::new(&group, &world).first_blocked(&[0.0], &[1.0], steps, 0.0).unwrap();
            assert_eq!(new, expected.then_some(0), "{z} {steps}");
            assert_eq!(checker.first_blocked(&[0.0], &[1.0], steps, 0.0).unwrap(), new, "{z} {steps}");
            assert_eq!(checker.first_blocked_on_piece(&curve, 0, steps, 0.0).unwrap(), new, "{z} {steps}");
            checker.first_impact(&[0.0], &[1.0], &ImpactOptions::default()).unwrap();
            for part in [0.1, 1.0 / 3.0, 0.7] {
                let row = group.interpolate(&[0.0], &[1.0], part).unwrap();
                assert_eq!(checker.is_free(&row, 0.0).unwrap(), !expected, "{z} {part}");
            }
        }
    }
}

/// Where neighbouring values are far apart, an edge between two of them is only free if both are.
#[test]
fn large_angles_are_proven_too() {
    let geometry = "<origin xyz='1 0 0'/><geometry><sphere radius='0.001'/></geometry>";
    let robot = chain(geometry, "continuous", &[["turn", "0 0 1"]]);
    let mut found = [0; 2];
    for (case, size) in [1e3, 1e5, 1e6, 1e9 - 100.0].into_iter().flat_map(|size| (0..60).map(move |case| (case, size)))
    {
        let from = size + 0.37 * f64::from(case);
        let ulp = from.next_up() - from;
        let to = from + f64::from(3 + case * 7) * ulp;
        // The ball at `to` is a little inside the box, or a little outside of it.
        let inside = f64::from(case % 11 - 3) * 0.25 * ulp;
        let (sin, cos) = to.sin_cos();
        let beside = Vector3::new(cos, sin, 0.0) + Vector3::new(-sin, cos, 0.0) * (0.051 - inside);
        let mut world = World::new();
        let pose = Pose::from_axis_angle(&Vector3::z(), to, beside).unwrap();
        world.add_box("box", Vector3::repeat(0.1), &pose).unwrap();
        let mut checker = Checker::new(&robot, &world);
        let options = ImpactOptions { tolerance: 0.0, ..ImpactOptions::default() };
        let is_proven = checker.first_impact(&[from], &[to], &options).unwrap().is_none();
        let is_free = checker.is_free(&[to], 0.0).unwrap();
        assert!(!is_proven || is_free, "{from} to {to}");
        found[usize::from(is_free)] += 1;
        let away = [from - 0.5, from - 0.1];
        assert_eq!(checker.first_impact(&away[..1], &away[1..], &ImpactOptions::default()).unwrap(), None, "{from}");
    }
    assert!(found.iter().all(|&count| count > 30), "{found:?}");
}

/// The ends of an edge are the given configurations, even if the cosine of the angle between them rounds to 1.
#[test]
fn small_turns_of_a_floating_joint_are_made() {
    let geometry = "<origin xyz='0.5 0 0'/><geometry><box size='1 0.02 0.02'/></geometry>";
    let robot = chain(geometry, "floating", &[["f", "1 0 0"]]);
    let mut world = World::new();
    world.add_box("box", Vector3::repeat(0.2), &at(1.0, 0.0, 0.11 + 1.5e-8)).unwrap();
    let (from, to) = ([0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 0.0, -0.99e-8, 0.0, 1.0]);
    let mut checker = Checker::new(&robot, &world);
    assert!(checker.is_free(&from, 0.0).unwrap() && !checker.is_free(&to, 0.0).unwrap());
    assert_eq!(checker.first_blocked(&from, &to, 2, 0.0).unwrap(), Some(1));
    assert_eq!(robot.interpolate(&from, &to, 1.0).unwrap(), to);
    let half = robot.interpolate(&from, &to, 0.5).unwrap();
    assert!((half[4] + 0.495e-8).abs() < 1e-20, "{half:?}");
}

/// What is large and far away does not blur what is near.
#[test]
fn large_bodies_do_not_blur_others() {
    let robot = chain("<geometry><box size='0.2 0.2 0.2'/></geometry>", "prismatic", &[["x", "1 0 0"]]);
    let mut world = World::new();
    world.add_box("near", Vector3::repeat(0.2), &at(-0.20002, 0.0, 0.0)).unwrap();
    world.add_box("ground", Vector3::new(1e7, 1e7, 1.0), &at(0.0, 0.0, -5.0)).unwrap();
    let mut checker = Checker::new(&robot, &world);
    assert_eq!(checker.first_impact(&[0.0], &[0.1], &ImpactOptions::default()).unwrap(), None);
}

/// Calls that compare no trees end early, too.
#[test]
fn motions_and_certificates_are_interrupted() {
    let robot = chain("<geometry><sphere radius='0.1'/></geometry>", "prismatic", &[["x", "1 0 0"], ["y", "0 1 0"]]);
    let mut world = World::new();
    world.add_box("far", Vector3::repeat(0.2), &at(-3.0, 0.0, 0.0)).unwrap();
    world.add_box("near", Vector3::repeat(0.2), &at(0.0, -0.201, 0.0)).unwrap();
    let mut checker = Checker::new(&robot, &world);
    checker.interrupt_when(|| true);
    let interrupted = |checker: &mut Checker, ask: &dyn Fn(&mut Checker)| {
        assert!(!checker.take_interrupted());
        // The check is not called at each step.
        (0..20).for_each(|_| ask(checker));
        assert!(checker.take_interrupted());
    };
    interrupted(&mut checker, &|checker| {
        checker.first_blocked(&[5.0, 0.0], &[6.0, 0.0], 1000, 0.0).unwrap();
    });
    interrupted(&mut checker, &|checker| {
        checker.first_impact(&[0.0, 0.0], &[1.0, 0.0], &ImpactOptions::default()).unwrap();
    });
    interrupted(&mut checker, &|checker| {
        checker.certificate(1, &[[-1.0, 1.0], [0.0, 1.0]], 0.0, 1000).unwrap();
    });
    assert_eq!(checker.first_blocked(&[0.0, 0.0], &[0.0, -0.3], 4, 0.0).unwrap(), Some(1));
}
