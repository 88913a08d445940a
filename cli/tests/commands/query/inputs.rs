//! Where trees, meshes and poses come from.

use std::fs;

use super::workplace_with_poses;
use crate::{Workplace, assert_has};

#[test]
fn poses_come_from_stdin_too() {
    let workplace = workplace_with_poses();
    let stdin = fs::read_to_string(workplace.path("poses.csv")).unwrap();
    let outcome = workplace.run_with_stdin("query cube.obj square.obj --poses -", &stdin);
    assert_eq!(outcome.stdout, workplace.answer("query cube.obj square.obj --poses poses.csv"));
}

#[test]
fn every_kind_and_every_source_gives_the_same_answers() {
    let workplace = workplace_with_poses();
    workplace.answer("cook cube.obj square.obj -o out --kind all -q");
    let asked = |trees: &str| workplace.answer(&format!("query {trees} --poses poses.csv --mode pairs"));
    let expected = asked("cube.obj square.obj");
    for kind in ["aabb", "obb", "sphere", "kdop"] {
        assert_eq!(asked(&format!("out/cube.{kind}.bvt out/square.{kind}.bvt")), expected);
        // A mesh is built to match the tree beside it.
        assert_eq!(asked(&format!("cube.obj out/square.{kind}.bvt")), expected);
        assert_eq!(asked(&format!("out/cube.{kind}.bvt square.obj")), expected);
        assert_eq!(asked(&format!("cube.obj square.obj --kind {kind} --split midpoint --leaf 3")), expected);
    }
    for level in ["off", "portable"] {
        assert_eq!(asked(&format!("cube.obj square.obj --simd {level}")), expected);
    }
}

#[test]
fn trees_of_two_kinds_answer_alike() {
    let workplace = Workplace::new();
    workplace.answer("cook cube.obj square.obj -o out --kind all -q");
    let asked = |a: &str, b: &str| workplace.answer(&format!("query out/cube.{a}.bvt out/square.{b}.bvt --mode pairs"));
    assert_eq!(asked("obb", "aabb"), asked("obb", "obb"));
    assert_eq!(asked("sphere", "obb"), asked("obb", "obb"));
}

#[test]
fn trees_of_other_kinds_than_asked_are_refused() {
    let workplace = Workplace::new();
    workplace.answer("cook cube.obj square.obj -o out --kind all -q");
    let complaint = workplace.complaint("query out/cube.obb.bvt square.obj --kind sphere");
    assert_has(&complaint, &["cube.obb.bvt holds a tree of kind obb, not sphere", "hint: "]);
}

#[test]
fn a_mesh_is_asked_about_itself() {
    let workplace = Workplace::new();
    assert_eq!(workplace.answer("query cube.obj cube.obj").lines().nth(1), Some("0,,1,,,"));
    assert_eq!(workplace.answer("query cube.obj cube.obj --translate 1.5,0,0").lines().nth(1), Some("0,,0,,,"));
}

#[test]
fn translation_and_rotation_are_exact_for_quarter_turns() {
    let workplace = Workplace::new();
    let hit = |pose: &str| {
        let csv = workplace.answer(&format!("query cube.obj square.obj {pose}"));
        csv.lines().nth(1).unwrap().split(',').nth(2).unwrap() == "1"
    };
    assert!(hit("--translate 0,0,1"));
    assert!(!hit("--translate 0,0,1.0000000000000002"));
    // Standing up, the square touches the cube's side y = 0 from outside, and not from a hair farther off.
    assert!(hit("--rotate 1,0,0,90"));
    assert!(hit("--rotate 1e300,0,0,450"));
    assert!(!hit("--rotate 1,0,0,90 --translate 0,-1e-300,0"));
    // Turned about z by half, it covers the quarter of negative x and y.
    assert!(hit("--rotate 0,0,1,180 --translate 0,0,0.5"));
    assert!(!hit("--rotate 0,0,1,180 --translate -1e-300,0,0.5"));
    // Turned about z by a quarter, right-handed, it covers negative x.
    assert!(!hit("--rotate 0,0,1,90 --translate -0.5,0.5,0.5"));
    assert!(hit("--rotate 0,0,-1,90 --translate -0.5,0.5,0.5"));
    // A third of a turn about the diagonal takes z = 0 to x = 0.
    assert!(hit("--rotate 1,1,1,120 --translate 0.5,0,0"));
    assert!(!hit("--rotate 1,1,1,120 --translate -0.001,0,0"));
}

/// Faces that lie in the same planes before a turn still do so after it: the numbers of pairs are those that the
/// library finds if the turn is given as a matrix.
#[test]
fn turned_gears_stay_flush() {
    let workplace = Workplace::new();
    let gear = concat!(env!("CARGO_MANIFEST_DIR"), "/../data/gear.obj");
    std::fs::copy(gear, workplace.path("gear.obj")).unwrap();
    for (degrees, pairs) in [("3", "420"), ("6", "262"), ("366", "262"), ("-354", "262"), ("9", "0")] {
        let csv = workplace.answer(&format!(
            "query gear.obj gear.obj --translate 40,0,0 --rotate 0,0,1,{degrees} --mode pairs --format csv"
        ));
        assert_eq!(csv.lines().nth(1).unwrap().split(',').nth(3), Some(pairs), "{degrees}");
    }
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let workplace = Workplace::new();
    assert_has(&workplace.complaint("query missing.obj cube.obj"), &["error: cannot read missing.obj: "]);
    assert_has(&workplace.complaint("query cube.obj missing.bvt"), &["error: cannot read missing.bvt: "]);
    assert_has(&workplace.complaint("query cube.obj ."), &["error: cannot read .: ", "hint: "]);
    workplace.write("points.obj", "v 0 0 0\n");
    assert_has(&workplace.complaint("query cube.obj points.obj"), &["points.obj: no faces", "hint: "]);
    workplace.write("nan.obj", "v 0 0 nan\n");
    assert_has(&workplace.complaint("query nan.obj cube.obj"), &["nan.obj: line 1: ", "finite"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_mesh_comes_from_a_pipe_whole() {
    let workplace = Workplace::new();
    let outcome = workplace.run_with_stdin("query cube.obj /dev/stdin --mode pairs", crate::SQUARE);
    assert_eq!(outcome.stdout, workplace.answer("query cube.obj square.obj --mode pairs"));
}
