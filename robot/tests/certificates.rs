//! Certificates of pairs, attacked by samples.

use bvtree::Pose;
use bvtree_robot::{Certificate, Checker, Robot, RobotError, RobotOptions, World};
use nalgebra::Vector3;

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

/// A crank that turns without end, and a sled at x = 1 that mimics it and slides or turns along x; a wall is at x = 2.
fn cranked(kind: &str, followers: &str) -> Robot {
    let cube = "<collision><geometry><box size='0.2 0.2 0.2'/></geometry></collision>";
    let links = ["base", "sled", "wall"].map(|name| format!("<link name='{name}'>{cube}</link>")).concat();
    let joint = |name: &str, kind: &str, child: &str, rest: &str| {
        format!("<joint name='{name}' type='{kind}'><parent link='base'/><child link='{child}'/>{rest}</joint>")
    };
    let urdf = format!(
        "<robot>{links}<link name='crank'/>{}{}{}</robot>",
        joint("a", "continuous", "crank", "<axis xyz='0 0 1'/>"),
        joint("s", kind, "sled", &format!("<origin xyz='1 0 0'/><axis xyz='1 0 0'/>{followers}")),
        joint("w", "fixed", "wall", "<origin xyz='2 0 0'/>")
    );
    Robot::parse(&urdf, None, "".as_ref(), &RobotOptions::default()).unwrap()
}

/// A whole turn of a joint is not all that joints do that mimic it: a lead screw goes on.
#[test]
fn joints_that_go_on_after_a_whole_turn_are_unknown() {
    let (pi, inf) = (std::f64::consts::PI, f64::INFINITY);
    let mimic = |factor: f64| format!("<mimic joint='a' multiplier='{factor}'/>");
    let robot = cranked("prismatic", &mimic(0.1));
    let mut checker = Checker::new(&robot, &World::new());
    assert!(checker.is_free(&[pi], 0.0).unwrap() && !checker.is_free(&[10.0], 0.0).unwrap());
    let limits = robot.certificate_limits();
    assert_eq!(limits, [[-inf, inf]]);
    let certificates = robot.certificates(&limits, 0.0, 1000).unwrap();
    assert!(certificates.iter().all(|certificate| *certificate == Certificate::Unknown), "{certificates:?}");
    let srdf = robot.to_srdf(&certificates);
    assert!(!srdf.contains("Never"), "{srdf}");
    // Limits of the caller's are proven.
    let within = robot.certificates(&[[-pi, pi]], 0.0, 1000).unwrap();
    assert!(within.contains(&Certificate::Never), "{within:?}");
    for (kind, factor, is_back) in [
        ("continuous", 2.0, true),
        ("continuous", -1.0, true),
        ("continuous", 0.5, false),
        ("prismatic", 1.0, false),
        ("prismatic", 0.0, true),
    ] {
        let expected = if is_back { [-pi, pi] } else { [-inf, inf] };
        assert_eq!(cranked(kind, &mimic(factor)).certificate_limits(), [expected], "{kind} {factor}");
    }
    // Half of a joint that follows twice the value.
    let chain = |factor: f64| {
        let link = "<link name='more'/><joint name='m' type='continuous'><parent link='base'/><child link='more'/>\
                    <axis xyz='0 0 1'/>";
        let rest = format!("<mimic joint='s' multiplier='{factor}'/></joint>");
        let links = "<link name='base'/><link name='crank'/><link name='sled'/>\
                     <joint name='a' type='continuous'><parent link='base'/><child link='crank'/></joint>\
                     <joint name='s' type='continuous'><parent link='base'/><child link='sled'/>\
                     <mimic joint='a' multiplier='2'/></joint>";
        let urdf = format!("<robot>{links}{link}{rest}</robot>");
        Robot::parse(&urdf, None, "".as_ref(), &RobotOptions::default()).unwrap().certificate_limits()
    };
    assert_eq!((chain(0.5), chain(0.25)), (vec![[-pi, pi]], vec![[-inf, inf]]));
}

/// Two boxes, the second of which slides along x by the sum of two values, and meets the first at 0.
fn sliding(axis: &str) -> Robot {
    let link = |name: &str, shape: &str| format!("<link name='{name}'>{shape}</link>");
    let cube = "<collision><geometry><box size='1 1 1'/></geometry></collision>";
    let joint = |name: &str, parent: &str, child: &str| {
        format!(
            "<joint name='{name}' type='prismatic'><parent link='{parent}'/><child link='{child}'/><axis xyz='{axis}'/>\
             <limit lower='-5' upper='5'/></joint>"
        )
    };
    let links = link("a", cube) + &link("m", "") + &link("b", cube);
    let urdf = format!("<robot>{links}{}{}</robot>", joint("x", "a", "m"), joint("y", "m", "b"));
    Robot::parse(&urdf, None, "".as_ref(), &RobotOptions::default()).unwrap()
}

#[test]
fn limits_that_are_no_range_prove_nothing() {
    let robot = sliding("1 0 0");
    let certificate = |x: [f64; 2], margin: f64| robot.certificates(&[x, [2.0, 2.0]], margin, 1000).unwrap().remove(0);
    assert_eq!(certificate([0.0, 1.0], 0.0), Certificate::Never);
    assert!(matches!(certificate([-3.0, 3.0], 0.0), Certificate::Meets(_)));
    assert_eq!(certificate([0.0, 1.0], f64::NAN), Certificate::Unknown);
    // The value at rest, 0, would be taken for these; there the bodies are apart.
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    for limits in [[nan, 5.0], [-5.0, nan], [nan, nan], [inf, inf], [-inf, -inf], [5.0, -5.0], [-inf, inf]] {
        assert_eq!(certificate(limits, 0.0), Certificate::Unknown, "{limits:?}");
    }
}

#[test]
fn axes_of_any_length_are_directions() {
    for axis in ["1e200 0 0", "1e-200 0 0", "2 0 0", "1 0 0"] {
        let robot = sliding(axis);
        assert_eq!(robot.joints()[0].axis(), &Vector3::x(), "{axis}");
        let mut checker = Checker::new(&robot, &World::new());
        assert!(checker.is_free(&[2.0, 0.0], 0.0).unwrap() && !checker.is_free(&[0.5, 0.0], 0.0).unwrap());
    }
}

#[test]
fn a_margin_that_is_no_number_is_refused_or_collides() {
    let mut robot = sliding("1 0 0");
    let mut world = World::new();
    world.add_box("box", Vector3::repeat(0.1), &Pose::default()).unwrap();
    assert!(matches!(robot.set_margin("a", "b", f64::NAN), Err(RobotError::Margin { .. })));
    assert!(matches!(world.set_margin("box", f64::NAN), Err(RobotError::Margin { .. })));
    // Objects are never compared with each other, even if the robot has bodies of their names.
    for name in ["a", "b"] {
        world.add_box(name, Vector3::repeat(0.1), &Pose::default()).unwrap();
    }
    assert!(world.allow_in(&mut robot, "a", "b").is_err());
    assert_eq!(robot.pairs().len(), 1);
    let mut checker = Checker::new(&robot, &World::new());
    assert!(checker.is_free(&[2.0, 0.0], 0.5).unwrap());
    assert!(!checker.is_free(&[2.0, 0.0], f64::NAN).unwrap());
}

/// What a group's joints can't reach, other joints may.
#[test]
fn srdf_of_a_group_claims_nothing_about_other_joints() {
    let group = sliding("1 0 0").with_joints(&["y"], &[4.0, 0.0]).unwrap();
    let certificates = group.certificates(&[[-1.0, 1.0]], 0.0, 1000).unwrap();
    assert_eq!(certificates, [Certificate::Never]);
    let srdf = group.to_srdf(&certificates);
    assert!(!srdf.contains("Never"), "{srdf}");
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

/// As in MoveIt: a link that is disabled by default is compared only in the pairs that are enabled and not disabled.
#[test]
fn links_disabled_by_default_are_compared_where_enabled() {
    let link = |name: &str| {
        format!("<link name='{name}'><collision><geometry><sphere radius='0.1'/></geometry></collision></link>")
    };
    let joint = |name: &str, parent: &str, child: &str| {
        format!(
            "<joint name='{name}' type='prismatic'><parent link='{parent}'/><child link='{child}'/><axis xyz='1 0 0'/></joint>"
        )
    };
    let links = ["a", "b", "c", "d", "e"].map(link).concat();
    let joints = [joint("p", "a", "b"), joint("q", "b", "c"), joint("r", "c", "d"), joint("s", "d", "e")].concat();
    let urdf = format!("<robot>{links}{joints}</robot>");
    let pair = |kind: &str, a: &str, b: &str| format!("<{kind}_collisions link1='{a}' link2='{b}'/>");
    let srdf = ["<robot name='x'><disable_default_collisions link='e'/>".to_owned(), pair("enable", "e", "b")]
        .into_iter()
        .chain([pair("enable", "c", "e"), pair("enable", "d", "e"), pair("enable", "e", "wall")])
        .chain([pair("disable", "e", "c"), pair("disable", "a", "d"), "</robot>".to_owned()])
        .collect::<String>();
    let robot = Robot::parse(&urdf, Some(&srdf), "".as_ref(), &RobotOptions::default()).unwrap();
    assert_eq!(robot.pairs().collect::<Vec<_>>(), [[0, 2], [1, 3], [1, 4]]);
    let mut world = World::new();
    world.add_box("wall", Vector3::repeat(1.0), &Pose::identity()).unwrap();
    world.add_box("box", Vector3::repeat(1.0), &Pose::identity()).unwrap();
    let checker = Checker::new(&robot, &world);
    let with_objects: Vec<_> = checker.pairs().skip(3).collect();
    assert_eq!(with_objects, [[0, 5], [1, 5], [2, 5], [3, 5], [4, 5], [0, 6], [1, 6], [2, 6], [3, 6]]);
    // An object with the name of a disabled link is no link.
    world.add_box("e", Vector3::repeat(1.0), &Pose::identity()).unwrap();
    let checker = Checker::new(&robot, &world);
    assert_eq!(checker.pairs().skip(12).collect::<Vec<_>>(), [[0, 7], [1, 7], [2, 7], [3, 7]]);
    let again = Robot::parse(&urdf, Some(&robot.to_srdf(&[])), "".as_ref(), &RobotOptions::default()).unwrap();
    assert_eq!(again.pairs().collect::<Vec<_>>(), robot.pairs().collect::<Vec<_>>());
    assert_eq!(again.srdf().disabled_by_default, robot.srdf().disabled_by_default);
    assert_eq!(again.srdf().enabled, robot.srdf().enabled);
    // Attached objects are compared with links that are not disabled.
    let mut robot = robot;
    let ball = bvtree::shape::ConvexShape::sphere(0.1).unwrap();
    robot.attach("held", "c", &ball, &Pose::identity(), &[] as &[&str]).unwrap();
    assert_eq!(robot.pairs().skip(3).collect::<Vec<_>>(), [[0, 5], [1, 5], [3, 5]]);
}
