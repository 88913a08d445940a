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

/// Never free where a sample is too near, never blocked where all are clear by more than the tolerance, never late.
#[test]
fn proofs_hold_for_all_samples() {
    let folder = tempfile::tempdir().unwrap();
    let random = &mut Random(5);
    let mut found = [0; 3];
    for case in 0..150 {
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
        // A floating joint's quaternion turns evenly, which its numbers don't: such edges are sampled by their halves.
        let is_linear = !arm.joints.iter().any(|joint| joint.kind == "floating");
        let mut distance = |part: f64| {
            let row = between([&from, &to], part);
            checker.closest(&row, f64::INFINITY).unwrap().map_or(f64::INFINITY, |closest| closest.distance)
        };
        match impact {
            None => {
                for k in 0..=samples {
                    let part = f64::from(k) / f64::from(samples);
                    if is_linear || k == 0 || k == samples {
                        assert!(distance(part) > clearance, "free, but {part} is not");
                    }
                }
            }
            Some(impact) if is_linear => {
                let near = distance(impact.parameter);
                assert!(near <= clearance + 3.0 * options.tolerance, "{near} {impact:?}");
                for k in (0..samples).filter(|_| impact.parameter > 0.0) {
                    let part = impact.parameter * f64::from(k) / f64::from(samples);
                    assert!(distance(part) > clearance, "{part} is before {impact:?}");
                }
            }
            Some(_) => {}
        }
        found[impact.map_or(0, |impact| 1 + usize::from(impact.parameter > 0.0))] += 1;
    }
    assert!(found.iter().all(|&count| count > 10), "{found:?}");
}
