//! URDF and SRDF files: errors name their place; packages are found.

use std::fs;
use std::path::PathBuf;

use bvtree_robot::{Location, Robot, RobotError, RobotOptions};
use nalgebra::Vector3;

use crate::arm::Random;

fn parse(urdf: &str, srdf: Option<&str>) -> Result<Robot, RobotError> {
    Robot::parse(urdf, srdf, "".as_ref(), &RobotOptions::default())
}

const TWO: &str = "<link name='a'/>\n<link name='b'/>";

#[test]
fn errors_name_the_line_and_the_part() {
    let joint = |inside: &str| format!("<robot>{TWO}\n<joint name='j' {inside}</joint></robot>");
    let ends = "<parent link='a'/><child link='b'/>";
    let cases = [
        ("<robot>", "line 1"),
        ("<model/>", "expected <robot> as the root"),
        ("<robot/>", "expected at least one <link>"),
        ("<robot><link/></robot>", "expected an attribute `name`"),
        ("<robot><link name='a'/><link name='a'/></robot>", "a second link is called `a`"),
        ("<robot><link name='a'><collision/></link></robot>", "line 1: link `a`, <collision>: expected a <geometry>"),
        ("<robot><link name='a'><collision><geometry><torus/></geometry></collision></link></robot>", "found <torus>"),
        (
            "<robot><link name='a'><collision><geometry><box size='1 2'/></geometry></collision></link></robot>",
            "expected 3 finite numbers as `size`, found `1 2`",
        ),
        (
            "<robot><link name='a'><collision><geometry><sphere radius='inf'/></geometry></collision></link></robot>",
            "expected a finite number",
        ),
        (
            "<robot><link name='a'><collision><geometry><sphere radius='-1'/></geometry></collision></link></robot>",
            "link `a`: the radius is -1",
        ),
        (&format!("<robot>{TWO}</robot>"), "line 2: link `b` has no joint above it, as has `a`"),
        (&joint(&format!("type='hinge'>{ends}")), "line 3: joint `j`, <joint>: expected fixed, revolute"),
        (&joint("type='fixed'><parent link='a'/><child link='c'/>"), "joint `j`, <child>: there is no link called `c`"),
        (&joint("type='fixed'><parent link='a'/><child link='a'/>"), "is below itself"),
        (&joint(&format!("type='revolute'>{ends}<axis xyz='0 0 0'/>")), "expected an axis that is not zero"),
        (&joint(&format!("type='revolute'>{ends}<limit lower='2' upper='1'/>")), "found 2 and 1"),
        (&joint(&format!("type='revolute'>{ends}<mimic joint='j'/>")), "the joint follows itself"),
        (&joint(&format!("type='revolute'>{ends}<mimic joint='k'/>")), "there is no joint called `k`"),
        ("<!DOCTYPE r [<!ENTITY a 'b'>]><robot/>", "line 1"),
    ];
    for (urdf, expected) in cases {
        let message = parse(urdf, None).unwrap_err().to_string();
        assert!(message.contains(expected), "{message}\nexpected: {expected}");
    }
    // A joint that does not move needs no axis.
    let fixed = parse(&joint(&format!("type='fixed'>{ends}<axis xyz='0 0 0'/>")), None).unwrap();
    assert_eq!(fixed.joints()[0].axis(), &Vector3::x());
    let error = parse("<robot>\n<link name='a'/>\n<link name='a'/></robot>", None).unwrap_err();
    assert!(matches!(error, RobotError::Duplicate { at: Location { line: 3, .. }, .. }), "{error:?}");
}

/// Any file is read or refused with an error: no panic, no endless loop.
#[test]
fn damaged_files_are_read_or_refused() {
    let random = &mut Random(7);
    let shape = "<collision><origin xyz='0 0 1' rpy='1 0 0'/><geometry><box size='1 2 3'/></geometry></collision>";
    let urdf = format!(
        "<robot name='r'><link name='a'>{shape}</link><link name='b'/><link name='c'>{shape}</link>\
         <joint name='p' type='revolute'><parent link='a'/><child link='b'/><axis xyz='0 0 1'/>\
         <limit lower='-1' upper='1'/></joint><joint name='q' type='continuous'><parent link='b'/><child link='c'/>\
         <mimic joint='p' multiplier='2' offset='1'/></joint></robot>"
    );
    let srdf = "<robot><group name='g'><chain base_link='a' tip_link='c'/></group><group name='h'><group name='g'/>\
        </group><disable_collisions link1='a' link2='c'/><group_state group='g' name='s'><joint name='p' value='1'/>\
        </group_state></robot>";
    let mut read = [0, 0];
    for case in 0..3000 {
        let mut texts = [urdf.clone(), srdf.to_owned()];
        let text = &mut texts[case % 2];
        for _ in 0..1 + random.below(3) {
            let (from, length) = (random.below(text.len() as u64) as usize, random.below(12) as usize);
            let words = ["0", "-1e308", "a", "b", "'", "<", "nan", "floating", "planar", ""];
            let word = words[random.below(words.len() as u64) as usize];
            text.replace_range(from..(from + length).min(text.len()), word);
        }
        let robot = parse(&texts[0], Some(&texts[1]));
        if let Ok(robot) = &robot {
            let values = vec![0.5; robot.values().len()];
            let _ = robot.place(&values);
            let _ = bvtree_robot::Checker::new(robot, &bvtree_robot::World::new()).closest(&values, 1.0);
        }
        read[usize::from(robot.is_ok())] += 1;
    }
    assert!(read.iter().all(|&count| count > 100), "{read:?}");
}

#[test]
fn packages_are_found() {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    let put = |path: &str, text: &str| {
        fs::create_dir_all(at(path).parent().unwrap()).unwrap();
        fs::write(at(path), text).unwrap();
    };
    let mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    let robot = |uri: &str| {
        format!(
            "<robot><link name='a'><collision><geometry><mesh filename='{uri}'/></geometry></collision></link></robot>"
        )
    };
    put("share/arm/meshes/a.obj", mesh);
    put("elsewhere/tool/b.obj", mesh);
    let packages = |dirs: &[&str]| RobotOptions {
        package_dirs: dirs.iter().map(|dir| at(dir)).collect(),
        ..RobotOptions::default()
    };
    let works = |uri: &str, options: &RobotOptions| {
        put("share/arm/urdf/arm.urdf", &robot(uri));
        Robot::open(at("share/arm/urdf/arm.urdf"), None, options)
    };
    let none = RobotOptions::default();
    for uri in
        ["package://arm/meshes/a.obj", "package:///arm/meshes/a.obj", "../meshes/a.obj", "model://arm/meshes/a.obj"]
    {
        works(uri, &none).unwrap();
    }
    works(&format!("file://{}", at("share/arm/meshes/a.obj").display()), &none).unwrap();
    works("package://tool/b.obj", &packages(&["elsewhere"])).unwrap();
    works("package://tool/b.obj", &packages(&["elsewhere/tool"])).unwrap();
    let error = works("package://tool/b.obj", &none).unwrap_err();
    let RobotError::NotFound { link, tried, .. } = &error else { panic!("{error}") };
    assert!(link == "a" && tried.contains(&at("share/tool/b.obj")), "{error}");
    put("share/arm/meshes/broken.obj", "v 0 0\n");
    let message = works("../meshes/broken.obj", &none).unwrap_err().to_string();
    assert!(message.contains("link `a`") && message.contains("broken.obj"), "{message}");
    let error = Robot::open(PathBuf::from("none.urdf"), None, &none).unwrap_err();
    assert!(error.to_string().starts_with("none.urdf: "), "{error}");
}

#[test]
fn srdf_names_groups_states_and_pairs() {
    let shape = "<collision><geometry><sphere radius='0.1'/></geometry></collision>";
    let links: String = ["a", "b", "c", "d"].map(|name| format!("<link name='{name}'>{shape}</link>")).concat();
    let joints: String = [("p", "a", "b"), ("q", "b", "c"), ("r", "c", "d")]
        .map(|(name, parent, child)| {
            format!("<joint name='{name}' type='revolute'><parent link='{parent}'/><child link='{child}'/></joint>")
        })
        .concat();
    let urdf = format!("<robot>{links}{joints}</robot>");
    let srdf = "<robot name='x'><group name='all'><group name='arm'/><group name='all'/><link name='d'/></group>\
        <group name='arm'><chain base_link='a' tip_link='c'/></group>\
        <group_state name='up' group='arm'><joint name='q' value='0.5'/><joint name='p' value='-1'/></group_state>\
        <disable_collisions link1='d' link2='a' reason='Never'/></robot>";
    let robot = parse(&urdf, Some(srdf)).unwrap();
    assert_eq!(robot.srdf().groups["arm"], ["p", "q"]);
    assert_eq!(robot.srdf().groups["all"], ["p", "q", "r"]);
    assert_eq!(robot.state("arm", "up", &[0.0, 0.0, 3.0]).unwrap(), [-1.0, 0.5, 3.0]);
    assert_eq!(robot.pairs().collect::<Vec<_>>(), [[0, 2], [1, 3]]);
    let arm = robot.with_group("arm", &[0.0, 0.0, 3.0]).unwrap();
    assert_eq!((arm.values(), arm.pairs().len()), (&["p".to_owned(), "q".to_owned()][..], 2));
    // The last joint moves one pair only.
    assert_eq!(robot.with_joints(&["r"], &[0.0; 3]).unwrap().pairs().collect::<Vec<_>>(), [[1, 3]]);
    let error = |srdf: &str| parse(&urdf, Some(srdf)).unwrap_err().to_string();
    assert!(error("<robot><group name='g'><group name='h'/></group></robot>").contains("no group called `h`"));
    assert!(
        error("<robot><group name='g'><chain base_link='c' tip_link='a'/></group></robot>").contains("below the base")
    );
    assert!(error("<robot>\n<disable_collisions link1='a'/></robot>").contains("line 2"));
    assert!(robot.with_group("none", &[0.0; 3]).is_err() && robot.state("arm", "none", &[0.0; 3]).is_err());
}
