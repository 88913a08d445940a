//! Every command takes every format.

use super::{CUBE, Workplace, assert_has, json_lines};

/// The unit cube's twelve triangles, by corners.
fn triangles() -> Vec<[[f64; 3]; 3]> {
    let lines = |key: &'static str| CUBE.lines().filter_map(move |line| line.strip_prefix(key));
    let points: Vec<[f64; 3]> = lines("v ")
        .map(|line| {
            let numbers: Vec<f64> = line.split(' ').map(|word| word.parse().unwrap()).collect();
            [numbers[0], numbers[1], numbers[2]]
        })
        .collect();
    let faces =
        lines("f ").map(|line| line.split(' ').map(|word| word.parse::<usize>().unwrap() - 1).collect::<Vec<_>>());
    faces.flat_map(|f| [[f[0], f[1], f[2]], [f[0], f[2], f[3]]]).map(|t| t.map(|corner| points[corner])).collect()
}

fn write_cubes(workplace: &Workplace) {
    let point = |[x, y, z]: [f64; 3]| format!("{x} {y} {z}");
    let mut stl = String::from("solid cube\n");
    let (mut off, mut faces, mut count) = (String::new(), String::new(), 0);
    for triangle in triangles() {
        let corners = triangle.map(|p| format!("vertex {}\n", point(p))).concat();
        stl += &format!("facet normal 0 0 0\nouter loop\n{corners}endloop\nendfacet\n");
        off += &triangle.map(|p| point(p) + "\n").concat();
        faces += &format!("3 {} {} {}\n", count, count + 1, count + 2);
        count += 3;
    }
    workplace.write("cube.stl", &(stl + "endsolid cube\n"));
    workplace.write("cube.off", &format!("OFF\n36 12 0\n{off}{faces}"));
    let header = "ply\nformat ascii 1.0\nelement vertex 36\nproperty float x\nproperty float y\nproperty float z\n\
        element face 12\nproperty list uchar int vertex_indices\nend_header\n";
    workplace.write("cube.ply", &format!("{header}{off}{faces}"));
    let export = workplace.run("export cube.obj --up y --depth 0 -o exported.glb");
    assert_eq!(export.code, Some(0), "{export:?}");
}

#[test]
fn all_formats_give_the_same_triangles_and_answers() {
    let workplace = Workplace::new();
    write_cubes(&workplace);
    let facts = |name: &str| json_lines(&workplace.answer(&format!("info {name} --format json")))[0].clone();
    let expected = &facts("cube.obj")["geometry_digest"];
    assert_eq!(expected.as_str().unwrap().len(), 32);
    let question = "--translate 0.5,0.5,0.5 --mode pairs --format csv";
    let answer = workplace.answer(&format!("query cube.obj cube.obj {question}"));
    for name in ["cube.stl", "cube.ply", "cube.off"] {
        let found = facts(name);
        assert_eq!((&found["geometry_digest"], &found["closed"]), (expected, &true.into()), "{name}");
        assert_eq!(workplace.answer(&format!("query {name} cube.obj {question}")), answer, "{name}");
        assert_eq!(workplace.run(&format!("cook {name} -o cooked -q --force")).code, Some(0), "{name}");
        let cooked = workplace.answer(&format!("query cooked/cube.obb.bvt {name} {question}"));
        assert_eq!(cooked, answer, "{name}");
        for command in ["fit", "self", "compare --kind obb"] {
            assert_eq!(workplace.run(&format!("{command} {name} -q")).code, Some(0), "{command} {name}");
        }
        assert_eq!(workplace.run(&format!("view {name} -o view.html -q")).code, Some(0), "{name}");
        assert_eq!(workplace.run(&format!("export {name} -o out.glb -q")).code, Some(0), "{name}");
    }
    // What this program writes it reads: the cube and the root's volume.
    let model = facts("exported.glb");
    assert_eq!((&model["triangles"], &model["upper"]), (&24.into(), &serde_json::json!([1.0, 1.0, 1.0])));
}

#[test]
fn content_decides_before_the_name_and_options_before_both() {
    let workplace = Workplace::new();
    write_cubes(&workplace);
    std::fs::copy(workplace.path("cube.off"), workplace.path("really.obj")).unwrap();
    assert_eq!(json_lines(&workplace.answer("info really.obj --format json"))[0]["triangles"], 12);
    let complaint = workplace.complaint("cook cube.obj -o out -q --input-format ply --format json");
    assert_has(&complaint, &["cube.obj: line 1: expected a line `ply`"]);
}

#[test]
fn what_is_left_out_is_noted() {
    let workplace = Workplace::new();
    workplace.write("call.obj", &format!("call other.obj\n{CUBE}"));
    let outcome = workplace.run("cook call.obj -o out --format csv");
    assert_has(
        &outcome.stderr,
        &["note: call.obj: left out 1 `call` statements, whose files are not read, the first at line 1"],
    );
    for command in [
        "info call.obj",
        "query call.obj cube.obj",
        "compare call.obj --kind aabb --poses 1 --samples 100",
        "self call.obj",
        "fit call.obj",
        "view call.obj cube.obj -o page.html",
    ] {
        let outcome = workplace.run(command);
        assert_has(&outcome.stderr, &["note: call.obj: left out 1 `call` statements, whose files are not read"]);
        assert!(!workplace.run(&format!("{command} -q")).stderr.contains("note"), "{command}");
    }
}
