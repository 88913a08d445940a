//! Edges against single configurations, and proofs attacked by fine sampling.

use bvtree_robot::{Checker, ImpactOptions};

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
