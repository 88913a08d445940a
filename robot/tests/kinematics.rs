//! Forward kinematics against nalgebra's isometries.

use bvtree_robot::{ConfigurationError, JointKind, Robot, RobotError, RobotOptions};
use nalgebra::Isometry3;

use crate::arm::{Random, random_arm};

#[test]
fn links_are_where_isometries_put_them() {
    let folder = tempfile::tempdir().unwrap();
    let random = &mut Random(1);
    let kinds = ["revolute", "continuous", "prismatic", "fixed", "planar", "floating"];
    for _ in 0..100 {
        let arm = random_arm(random, 7, &kinds, folder.path());
        let values = random.configuration(&arm.robot);
        let poses = arm.robot.place(&values).unwrap();
        let (mut expected, mut left) = (Isometry3::identity(), &values[..]);
        for (link, pose) in poses.iter().enumerate() {
            if link > 0 {
                let (moved, after) = arm.joints[link - 1].place(left);
                (expected, left) = (expected * moved, after);
            }
            let rotation = expected.rotation.to_rotation_matrix();
            assert!((pose.rotation() - rotation.matrix()).amax() < 1e-13, "{link}");
            assert!((pose.translation() - expected.translation.vector).amax() < 1e-13, "{link}");
        }
        assert!(left.is_empty());
    }
}

fn joints(text: &str) -> Result<Robot, RobotError> {
    let links: String = ["a", "b", "c"].map(|name| format!("<link name='{name}'/>")).concat();
    Robot::parse(&format!("<robot>{links}{text}</robot>"), None, "".as_ref(), &RobotOptions::default())
}

#[test]
fn joints_that_mimic_have_no_value() {
    let robot = joints(
        "<joint name='q' type='prismatic'><parent link='a'/><child link='b'/><axis xyz='0 0 2'/>\
         <mimic joint='p' multiplier='-2' offset='0.5'/></joint>\
         <joint name='p' type='revolute'><parent link='b'/><child link='c'/><axis xyz='0 0 1'/>\
         <limit lower='-1' upper='2'/></joint>",
    )
    .unwrap();
    assert_eq!(robot.values(), ["p"]);
    assert_eq!(robot.limits(), [[-1.0, 2.0]]);
    assert_eq!(robot.joints()[0].kind(), JointKind::Prismatic);
    let poses = robot.place(&[0.25]).unwrap();
    assert_eq!(poses[1].translation().z, 0.0);
    assert!((robot.place(&[1.0]).unwrap()[1].translation().z + 1.5).abs() < 1e-15);
    assert!((poses[2].rotation()[(1, 0)] - 0.25_f64.sin()).abs() < 1e-15);
}

#[test]
fn wrong_configurations_are_errors() {
    let robot = joints(
        "<joint name='q' type='floating'><parent link='a'/><child link='b'/></joint>\
         <joint name='p' type='planar'><parent link='b'/><child link='c'/></joint>",
    )
    .unwrap();
    assert_eq!(robot.values()[6..8], ["q/rot_w", "p/x"]);
    let error = |values: &[f64]| match robot.place(values) {
        Err(RobotError::Configuration(error)) => error,
        other => panic!("{other:?}"),
    };
    assert_eq!(error(&[0.0]), ConfigurationError::Length { expected: 10, found: 1 });
    assert_eq!(error(&[0.0; 10]), ConfigurationError::Quaternion { index: 3 });
    let mut values = [1.0; 10];
    values[8] = f64::NAN;
    assert_eq!(error(&values), ConfigurationError::NotFinite { index: 8 });
}
