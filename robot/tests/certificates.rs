//! Certificates of pairs, attacked by samples.

use bvtree_robot::{Certificate, Checker, Robot, RobotOptions, World};

use crate::arm::{Random, random_arm};

#[test]
fn pairs_that_never_meet_are_proven() {
    let folder = tempfile::tempdir().unwrap();
    let random = &mut Random(6);
    let mut found = [0; 3];
    for _ in 0..12 {
        let arm = random_arm(random, 4, &["revolute", "prismatic", "revolute"], folder.path());
        let mut checker = Checker::new(&arm.robot, &World::new());
        let limits: Vec<[f64; 2]> = arm.robot.values().iter().map(|_| [-0.6, random.between(-0.4, 0.8)]).collect();
        let count = checker.pairs().len();
        for pair in 0..count {
            let certificate = checker.certificate(pair, &limits, 0.002, 400).unwrap();
            match &certificate {
                Certificate::Never => {
                    for _ in 0..300 {
                        let row: Vec<f64> = limits.iter().map(|&[lower, upper]| random.between(lower, upper)).collect();
                        assert!(!checker.colliding(&row, 0.002).unwrap().contains(&pair), "{row:?}");
                    }
                }
                Certificate::Meets(row) => assert!(checker.colliding(row, 0.002).unwrap().contains(&pair)),
                _ => {}
            }
            found[match certificate {
                Certificate::Never => 0,
                Certificate::Meets(_) => 1,
                _ => 2,
            }] += 1;
        }
    }
    assert!(found[0] > 5 && found[1] > 5, "{found:?}");
}

/// A quaternion has no limits, and four zeros aren't a valid quaternion.
#[test]
fn pairs_that_a_floating_joint_moves_are_unknown() {
    let ball = "<collision><geometry><sphere radius='0.1'/></geometry></collision>";
    let links: String = ["a", "b", "c", "d"].map(|name| format!("<link name='{name}'>{ball}</link>")).concat();
    let joint = |name: &str, kind: &str, parent: &str, child: &str| {
        format!(
            "<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/>\
             <origin xyz='1 0 0'/><limit lower='-1' upper='1'/></joint>"
        )
    };
    let joints = [joint("p", "floating", "a", "b"), joint("q", "revolute", "b", "c"), joint("r", "revolute", "c", "d")];
    let urdf = format!("<robot>{links}{}</robot>", joints.concat());
    let robot = Robot::parse(&urdf, None, "".as_ref(), &RobotOptions::default()).unwrap();
    assert_eq!(robot.pairs().collect::<Vec<_>>(), [[0, 2], [0, 3], [1, 3]]);
    let expected = [Certificate::Unknown, Certificate::Unknown, Certificate::Never];
    assert_eq!(robot.certificates(&robot.certificate_limits(), 0.0, 1000).unwrap(), expected);
}

#[test]
fn srdf_of_certificates_disables_pairs() {
    let link = |name: &str| {
        format!("<link name='{name}'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>")
    };
    let joint = |name: &str, parent: &str, child: &str, kind: &str| {
        format!(
            "<joint name='{name}' type='{kind}'><parent link='{parent}'/><child link='{child}'/>\
             <origin xyz='0.15 0 0'/><axis xyz='0 0 1'/></joint>"
        )
    };
    let text = format!(
        "<robot name='a&amp;b'>{}{}{}{}{}{}{}</robot>",
        link("a"),
        link("b"),
        link("c"),
        link("d"),
        joint("p", "a", "b", "continuous"),
        joint("q", "b", "c", "continuous"),
        joint("r", "c", "d", "continuous")
    );
    let robot = Robot::parse(&text, None, "".as_ref(), &RobotOptions::default()).unwrap();
    let certificates = robot.certificates(&robot.certificate_limits(), 0.0, 1000).unwrap();
    // From a, c is 0.15 to 0.45 away in x, for b's joint turns about a point beside b.
    assert_eq!(robot.pairs().collect::<Vec<_>>(), [[0, 2], [0, 3], [1, 3]]);
    assert!(matches!(certificates[0], Certificate::Meets(_)), "{certificates:?}");
    // While b turns by less than half a turn, c stays away.
    let bent: Vec<[f64; 2]> = robot.certificate_limits().iter().map(|_| [-0.5, 0.5]).collect();
    assert_eq!(robot.certificates(&bent, 0.0, 1000).unwrap()[0], Certificate::Never);
    let srdf = robot.to_srdf(&[Certificate::Never, Certificate::Unknown, Certificate::Meets(vec![0.0; 3])]);
    let again = Robot::parse(&text, Some(&srdf), "".as_ref(), &RobotOptions::default()).unwrap();
    assert_eq!(again.pairs().collect::<Vec<_>>(), [[0, 3], [1, 3]]);
    assert!(srdf.contains("name=\"a&amp;b\"") && srdf.contains("link1=\"a\" link2=\"c\" reason=\"Never\""), "{srdf}");
    // The rest of an SRDF is kept, even about links that this robot lacks.
    let given = "<robot name='x'><group name='two'><joint name='q'/><joint name='r'/></group><group name='all'>\
                 <joint name='p'/><group name='two'/></group><group_state name='home &lt;1&gt;' group='two'>\
                 <joint name='q' value='0.1'/><joint name='r' value='-1e-3'/></group_state>\
                 <disable_collisions link1='d' link2='a' reason='Default'/>\
                 <disable_collisions link1='a' link2='gripper' reason='Never'/></robot>";
    let robot = Robot::parse(&text, Some(given), "".as_ref(), &RobotOptions::default()).unwrap();
    assert_eq!(robot.pairs().collect::<Vec<_>>(), [[0, 2], [1, 3]]);
    let srdf = robot.to_srdf(&[]);
    let again = Robot::parse(&text, Some(&srdf), "".as_ref(), &RobotOptions::default()).unwrap();
    assert_eq!((&again.srdf().groups, &again.srdf().states), (&robot.srdf().groups, &robot.srdf().states));
    assert_eq!(again.pairs().collect::<Vec<_>>(), [[0, 2], [1, 3]]);
    for (links, reason) in [(["a", "b"], "Adjacent"), (["a", "d"], "User"), (["a", "gripper"], "User")] {
        let line = format!("link1=\"{}\" link2=\"{}\" reason=\"{reason}\"", links[0], links[1]);
        assert_eq!(srdf.matches(&line).count(), 1, "{srdf}");
    }
    assert_eq!(srdf.matches("disable_collisions").count(), 5, "{srdf}");
}
