//! Paths against their polynomials and against edges, and proofs on curves attacked by fine sampling.

use bvtree_robot::{Checker, ConfigurationError, ImpactOptions, JointPath, PathError, Robot};

use crate::arm::{Arm, Random, random_arm, random_world};

const KINDS: [&str; 6] = ["revolute", "continuous", "revolute", "prismatic", "planar", "floating"];

/// A path of joined pieces of the same degree, from 2 to 6, with control points within `reach` of the first in each
/// value; a floating joint does not turn.
fn random_path(random: &mut Random, arm: &Arm, pieces: usize, reach: f64) -> JointPath {
    let start = random.configuration(&arm.robot);
    let degree = 2 + random.below(5) as usize;
    let names = arm.robot.values();
    let mut near = |from: &[f64]| -> Vec<f64> {
        let moved = |(value, name): (&f64, &String)| {
            if name.contains("/rot_") { *value } else { value + random.between(-reach, reach) }
        };
        from.iter().zip(names).map(moved).collect()
    };
    let mut control = Vec::new();
    let mut last = start.clone();
    for _ in 0..pieces {
        let piece: Vec<_> = std::iter::once(last).chain((0..degree).map(|_| near(&start))).collect();
        last = piece[degree].clone();
        control.push(piece);
    }
    JointPath::bezier(control).unwrap()
}

/// Bernstein's polynomials, summed.
fn bernstein(control: &[Vec<f64>], t: f64) -> Vec<f64> {
    let degree = control.len() - 1;
    let choose = |k: usize| (0..k).fold(1.0, |product, i| product * (degree - i) as f64 / (i + 1) as f64);
    let weight = |k: usize| choose(k) * t.powi(k as i32) * (1.0 - t).powi((degree - k) as i32);
    let sum = |value: usize| control.iter().enumerate().map(|(k, point)| weight(k) * point[value]).sum();
    (0..control[0].len()).map(sum).collect()
}

fn assert_near(found: &[f64], expected: &[f64], tolerance: f64) {
    let is_near = found.iter().zip(expected).all(|(a, b)| (a - b).abs() <= tolerance);
    assert!(found.len() == expected.len() && is_near, "{found:?} {expected:?}");
}

const URDF: &str = "<robot><link name='a'/><link name='b'/><link name='c'/>\
    <joint name='p' type='revolute'><parent link='a'/><child link='b'/></joint>\
    <joint name='q' type='prismatic'><parent link='b'/><child link='c'/></joint></robot>";

#[test]
fn configurations_are_those_of_the_polynomials() {
    let robot = Robot::parse(URDF, None, "".as_ref(), &Default::default()).unwrap();
    let random = &mut Random(31);
    let mut row = || vec![random.between(-2.0, 2.0), random.between(-2.0, 2.0)];
    for degree in 0..=8 {
        let pieces: Vec<Vec<Vec<f64>>> = (0..2).map(|_| (0..=degree).map(|_| row()).collect()).collect();
        let times = [1.0, 1.5, 4.0];
        let (bezier, powers) = (JointPath::bezier(pieces.clone()).unwrap(), JointPath::polynomials(&times, &pieces));
        let powers = powers.unwrap();
        for (piece, rows) in pieces.iter().enumerate() {
            for t in [0.0, 0.3, 0.71, 1.0] {
                assert_near(&robot.interpolate_on(&bezier, piece, t).unwrap(), &bernstein(rows, t), 1e-13);
                let time = t * (times[piece + 1] - times[piece]);
                let horner = |value: usize| rows.iter().fold(0.0, |sum, power| sum * time + power[value]);
                let found = robot.interpolate_on(&powers, piece, t).unwrap();
                assert_near(&found, &[horner(0), horner(1)], 1e-11 * 2.5_f64.powi(degree));
            }
        }
    }
}

#[test]
fn hermite_splines_have_their_velocities_and_accelerations() {
    let robot = Robot::parse(URDF, None, "".as_ref(), &Default::default()).unwrap();
    let random = &mut Random(32);
    let mut rows = || (0..3).map(|_| vec![random.between(-2.0, 2.0), random.between(-2.0, 2.0)]).collect::<Vec<_>>();
    let (times, positions, velocities, accelerations) = ([0.0, 0.5, 2.0], rows(), rows(), rows());
    for bent in [None, Some(&accelerations[..])] {
        let path = JointPath::hermite(&times, &positions, &velocities, bent).unwrap();
        for (piece, end) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let (duration, sign) = (times[piece + 1] - times[piece], if end == 0 { 1.0 } else { -1.0 });
            let at = |h: f64| robot.interpolate_on(&path, piece, end as f64 + sign * h / duration).unwrap();
            let h = 1e-3;
            let [here, near, far, last] = [at(0.0), at(h), at(2.0 * h), at(3.0 * h)];
            assert_eq!(here, positions[piece + end]);
            let slope = |k: usize| sign * (-11.0 * here[k] + 18.0 * near[k] - 9.0 * far[k] + 2.0 * last[k]) / (6.0 * h);
            assert_near(&[slope(0), slope(1)], &velocities[piece + end], 1e-3);
            if let Some(accelerations) = bent {
                let curve = |k: usize| (2.0 * here[k] - 5.0 * near[k] + 4.0 * far[k] - last[k]) / (h * h);
                assert_near(&[curve(0), curve(1)], &accelerations[piece + end], 0.05);
            }
        }
    }
}

#[test]
fn the_first_blocked_is_the_first_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let random = &mut Random(33);
    let mut found = [0; 3];
    for _ in 0..60 {
        let arm = random_arm(random, 5, &KINDS, folder.path());
        let mut checker = Checker::new(&arm.robot, &random_world(random));
        let path = random_path(random, &arm, 3, 1.0);
        let steps = 1 + random.below(20) as usize;
        let mut all = (0..3).flat_map(|piece| (0..steps).map(move |index| [piece, index]));
        let is_blocked = |&[piece, index]: &[usize; 2]| {
            let part = if index == 0 { 0.0 } else { index as f64 / (steps - 1) as f64 };
            let row = arm.robot.interpolate_on(&path, piece, part).unwrap();
            !Checker::new(&arm.robot, checker.world()).is_free(&row, 0.0).unwrap()
        };
        let expected = all.find(is_blocked);
        assert_eq!(checker.first_blocked_on(&path, steps, 0.0).unwrap(), expected);
        found[expected.map_or(0, |at| 1 + usize::from(at != [0, 0]))] += 1;
    }
    assert!(found.iter().all(|&count| count > 3), "{found:?}");
}

/// A path is never proven free where a sample is too near, never blocked where all samples are clear by more than the
/// tolerance, and no impact is late.
#[test]
fn proofs_hold_for_all_samples() {
    let folder = tempfile::tempdir().unwrap();
    let random = &mut Random(34);
    let mut found = [0; 3];
    let cases = std::env::var("BVTREE_ROBOT_EDGES").map_or(120, |count| count.parse().expect("a whole number"));
    for case in 0..cases {
        let arm = random_arm(random, 5, &KINDS, folder.path());
        let mut checker = Checker::new(&arm.robot, &random_world(random));
        let path = random_path(random, &arm, 2, [2.0, 0.3, 0.1][case % 3]);
        let clearance = [0.0, 0.005, 0.02][case % 3];
        let options = ImpactOptions { clearance, ..ImpactOptions::default() };
        let hit = checker.first_impact_on(&path, &options).unwrap();
        let mut distance = |piece: usize, part: f64| {
            let row = arm.robot.interpolate_on(&path, piece, part).unwrap();
            checker.closest(&row, f64::INFINITY).unwrap().map_or(f64::INFINITY, |closest| closest.distance)
        };
        let end = hit.map_or((2, 0.0), |hit| (hit.piece, hit.impact.parameter));
        for piece in 0..2 {
            for k in 0..=200 {
                let part = f64::from(k) / 200.0;
                if (piece, part) < end {
                    assert!(distance(piece, part) > clearance, "case {case}: {piece} {part} is before {hit:?}");
                }
            }
        }
        if let Some(hit) = hit {
            let near = distance(hit.piece, hit.impact.parameter);
            assert!(near <= clearance + 3.0 * options.tolerance, "case {case}: {near} {hit:?}");
        }
        found[hit.map_or(0, |_| 1 + usize::from(end > (0, 0.0)))] += 1;
    }
    println!("free, blocked at the start, blocked later: {found:?}");
    assert!(found.iter().all(|&count| count > 8), "{found:?}");
}

#[test]
fn straight_paths_are_edges() {
    let folder = tempfile::tempdir().unwrap();
    let random = &mut Random(35);
    for _ in 0..40 {
        let arm = random_arm(random, 4, &KINDS, folder.path());
        let world = random_world(random);
        let rows: Vec<_> = (0..4).map(|_| random.configuration(&arm.robot)).collect();
        let path = JointPath::straight(&rows).unwrap();
        let options = ImpactOptions::default();
        let mut checker = Checker::new(&arm.robot, &world);
        let mut edges = rows.windows(2).enumerate();
        let expected = edges.find_map(|(edge, ends)| {
            Some((edge, checker.first_impact(&ends[0], &ends[1], &options).unwrap()?.parameter))
        });
        let found = Checker::new(&arm.robot, &world).first_impact_on(&path, &options).unwrap();
        assert_eq!(found.map(|found| (found.piece, found.impact.parameter)), expected);
        assert_eq!(
            arm.robot.interpolate_on(&path, 1, 0.3).unwrap(),
            arm.robot.interpolate(&rows[1], &rows[2], 0.3).unwrap()
        );
    }
}

#[test]
fn wrong_paths_are_errors() {
    let rows = [vec![0.0, 1.0], vec![1.0, 2.0]];
    let ragged = [vec![0.0, 1.0], vec![1.0]];
    let count = |result: Result<JointPath, PathError>| matches!(result, Err(PathError::Count { .. }));
    assert!(count(JointPath::straight(&rows[..1])) && count(JointPath::straight(&ragged)));
    assert!(count(JointPath::bezier(Vec::new())) && count(JointPath::bezier(vec![ragged.to_vec()])));
    assert!(count(JointPath::hermite(&[0.0, 1.0], &rows, &ragged, None)));
    assert!(count(JointPath::hermite(&[0.0, 1.0], &rows, &rows, Some(&rows[..1]))));
    assert!(count(JointPath::polynomials(&[0.0], &[rows.to_vec()])));
    for times in [[0.0, 0.0], [0.0, f64::NAN], [0.0, f64::INFINITY], [1.0, 0.0]] {
        let time = PathError::Time { index: 1 };
        assert_eq!(JointPath::hermite(&times, &rows, &rows, None).unwrap_err(), time);
        assert_eq!(JointPath::polynomials(&times, &[rows.to_vec()]).unwrap_err(), time);
    }
    let found = 34;
    let high = vec![vec![0.0]; found];
    assert_eq!(JointPath::bezier(vec![high.clone()]).unwrap_err(), PathError::Degree { piece: 0, found });
    assert_eq!(JointPath::polynomials(&[0.0, 1.0], &[high]).unwrap_err(), PathError::Degree { piece: 0, found });
    assert_eq!(JointPath::bezier(vec![Vec::new()]).unwrap_err(), PathError::Degree { piece: 0, found: 0 });

    // An error that only the robot can find.
    let robot = Robot::parse(&URDF.replace("revolute", "floating"), None, "".as_ref(), &Default::default()).unwrap();
    let mut checker = Checker::new(&robot, &Default::default());
    let mut rows = vec![robot.neutral(); 3];
    rows[1][4] = 1.0;
    let curve = |rows: &[Vec<f64>]| JointPath::bezier(vec![rows.to_vec()]).unwrap();
    let mut blocked = |path: &JointPath| checker.first_blocked_on(path, 2, 0.0);
    assert_eq!(blocked(&curve(&rows)).unwrap_err(), ConfigurationError::CurvedQuaternion { index: 3 });
    assert_eq!(blocked(&curve(&rows[..2])), Ok(None));
    rows[1] = vec![f64::NAN; 8];
    assert_eq!(blocked(&curve(&rows)).unwrap_err(), ConfigurationError::NotFinite { index: 0 });
    assert!(matches!(blocked(&curve(&[vec![0.0; 2]])), Err(ConfigurationError::Length { .. })));
}
