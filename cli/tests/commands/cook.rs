use std::fs;

use serde_json::Value;

use super::{Workplace, assert_has, json_lines, keys_in_order};

#[test]
fn json_tells_all_about_each_tree() {
    let workplace = Workplace::new();
    let stdout = workplace.answer("cook cube.obj -o deep/down --kind all --format json");
    let objects = json_lines(&stdout);
    let outputs: Vec<_> = objects.iter().map(|object| object["output"].as_str().unwrap().replace('\\', "/")).collect();
    assert_eq!(outputs, ["aabb", "obb", "sphere", "kdop"].map(|kind| format!("deep/down/cube.{kind}.bvt")));
    for (object, output) in objects.iter().zip(&outputs) {
        let bytes = fs::metadata(workplace.path(output)).unwrap().len();
        assert_eq!(object["input"], "cube.obj");
        assert_eq!(object["triangles"], 12);
        assert_eq!(object["leaf_triangles_max"], 2);
        assert_eq!(object["leaves"], 6);
        assert_eq!(object["bytes"], bytes);
        let bytes_per_triangle = object["bytes_per_triangle"].as_f64().unwrap();
        assert!((bytes_per_triangle - bytes as f64 / 12.0).abs() < 1e-9, "{object}");
        for key in ["nodes", "depth", "split_depth"] {
            assert!(object[key].as_u64().unwrap() > 0, "{key} in {object}");
        }
        for key in ["parse_seconds", "build_seconds", "write_seconds"] {
            assert!(object[key].as_f64().unwrap() > 0.0, "{key} in {object}");
        }
        assert_eq!(object["mesh_digest"].as_str().unwrap().len(), 32);
    }
    let keys = keys_in_order(stdout.lines().next().unwrap());
    assert_eq!(keys[..4], ["input", "output", "volume", "split"]);
}

#[test]
fn csv_has_the_keys_of_json_as_its_header() {
    let workplace = Workplace::new();
    let json = workplace.answer("cook cube.obj -o out --format json");
    let csv = workplace.answer("cook cube.obj -o out --format csv");
    let lines: Vec<_> = csv.lines().collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0].split(',').collect::<Vec<_>>(), keys_in_order(&json));
    assert!(lines[1].starts_with("cube.obj,"));
}

#[test]
fn text_is_a_table() {
    let workplace = Workplace::new();
    let text = workplace.answer("cook square.obj cube.obj -o out -q");
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 3);
    assert_has(lines[0], &["output", "triangles", "bytes per triangle", "build seconds"]);
    assert_has(lines[1], &["square.obb.bvt", " 2 "]);
    assert_has(lines[2], &["cube.obb.bvt", " 12 "]);
}

#[test]
fn options_take_effect_and_are_kept_in_the_file() {
    let workplace = Workplace::new();
    workplace.answer("cook cube.obj -o out --kind sphere --split median --max-depth 2 --leaf 3 --format csv");
    let facts = &json_lines(&workplace.answer("info out/cube.sphere.bvt --format json"))[0];
    assert_eq!(facts["volume"], "sphere");
    assert_eq!(facts["split"], "median");
    assert_eq!(facts["max_depth"], 2);
    assert_eq!(facts["max_leaf_triangles"], 3);
    assert_eq!(facts["split_depth"], 2);
    assert_eq!(facts["leaves"], 4);
}

#[test]
fn kinds_are_cooked_once_and_in_the_order_given() {
    let workplace = Workplace::new();
    let objects = json_lines(&workplace.answer("cook cube.obj -o out --kind sphere,aabb,sphere --format json"));
    let kinds: Vec<_> = objects.iter().map(|object| object["volume"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["sphere", "aabb"]);
}

#[test]
fn bytes_do_not_depend_on_threads() {
    let workplace = Workplace::new();
    workplace.answer("cook cube.obj -o one --kind all --threads 1");
    workplace.answer("cook cube.obj -o three --kind all --threads 3");
    for kind in ["aabb", "obb", "sphere"] {
        let [one, three] =
            ["one", "three"].map(|folder| fs::read(workplace.path(&format!("{folder}/cube.{kind}.bvt"))).unwrap());
        assert_eq!(one, three, "{kind}");
    }
}

#[test]
fn surprises_in_a_mesh_are_noted_on_stderr() {
    let workplace = Workplace::new();
    workplace.write("odd.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nf 1 2 3\nf 1 2 3\nf 1 2 4\n");
    let outcome = workplace.run("cook odd.obj cube.obj -o out --format csv");
    assert_eq!(outcome.code, Some(0));
    assert_eq!(outcome.stdout.lines().count(), 3);
    assert_has(&outcome.stderr, &["note: odd.obj: 1 zero-area triangles, 1 duplicate triangles, "]);
    assert!(!outcome.stderr.contains("cube"), "{}", outcome.stderr);
    assert_eq!(workplace.run("cook odd.obj -o out -q").stderr, "");
}

#[test]
fn several_unusual_meshes_get_one_note_with_totals() {
    let workplace = Workplace::new();
    // 8 m away from zero at a size of 1e-6 m, where f32 has steps of 1e-6 m.
    workplace.write("kit/far.obj", "v 8 8 8\nv 8.000001 8 8\nv 8 8.000001 8\nf 1 2 3\n");
    workplace.write("kit/odd.obj", "call other.obj\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nf 1 2 3\nf 1 2 4\n");
    workplace.write("kit/cube.obj", super::CUBE);
    workplace.write("kit/square.obj", &format!("call a.obj\ncall b.obj\n{}", super::SQUARE));
    let line = |folder: &str, name: &str| {
        let report = fs::read_to_string(workplace.path(&format!("{folder}.jsonl"))).unwrap();
        json_lines(&report).into_iter().find(|line| line["asset"] == name).unwrap()
    };
    for jobs in [1, 4] {
        let folder = format!("out{jobs}");
        let cook = format!("cook kit -o {folder} --kind aabb,obb --jobs {jobs}");
        let outcome = workplace.run(&cook);
        let notes: Vec<_> = outcome.stderr.lines().filter(|line| line.starts_with("note: ")).collect();
        let slash = std::path::MAIN_SEPARATOR;
        let expected = format!(
            "note: 3 of 4 meshes are unusual: 11 open edges in 3 meshes (at most 4, in kit{slash}odd.obj); \
             left out of 2 meshes (at most 2, in kit{slash}square.obj): 3 `call` statements, whose files are not read; \
             1 zero-area triangles in kit{slash}odd.obj; 1 edges with inconsistent normals in kit{slash}odd.obj; \
             kit{slash}far.obj loses precision in f32, less with --origin auto (--report FILE lists them by mesh)"
        );
        assert_eq!(notes, [expected], "{}", outcome.stderr);
        // The totals of the trees: of both kinds, 12 + 1 + 2 + 2 triangles.
        let bytes: u64 = workplace.visible(&folder).iter().map(|name| size(&workplace, &folder, name)).sum();
        assert_has(&outcome.stderr, &[&format!(" s: 8 trees, 34 triangles, {bytes} bytes\n")]);

        // The report has every mesh's own notes, whether or not notes are printed.
        let report = workplace.run(&format!("{cook} --force -q --report {folder}.jsonl"));
        assert_eq!(report.stderr, "");
        assert_eq!(line(&folder, "cube")["notes"].as_array().map(Vec::len), Some(0));
        assert_eq!(line(&folder, "cube")["defects"]["open_edges"], 0);
        assert_eq!(line(&folder, "square")["notes"][1], "4 open edges");
        assert_eq!(line(&folder, "odd")["defects"]["zero_area_triangles"], 1);
        assert_has(line(&folder, "odd")["notes"][0].as_str().unwrap(), &["left out 1 `call`", "at line 1"]);
        assert_has(line(&folder, "far")["notes"][1].as_str().unwrap(), &["--origin auto"]);
    }
    // Meshes that are not cooked again are not noted again.
    assert!(!workplace.run("cook kit -o out1 --kind aabb,obb").stderr.contains("note"));
}

fn size(workplace: &Workplace, folder: &str, name: &str) -> u64 {
    fs::metadata(workplace.path(&format!("{folder}/{name}"))).unwrap().len()
}

#[test]
fn inputs_of_one_name_are_refused() {
    let workplace = Workplace::new();
    workplace.write("other/cube.obj", super::CUBE);
    let complaint = workplace.complaint("cook cube.obj other/cube.obj -o out -q --format json");
    assert_has(&complaint, &["cube.obj: other/cube.obj would also be cooked to cube.KIND.bvt", "hint: rename one"]);
    assert!(workplace.visible("out").is_empty());
}

#[test]
fn one_bad_input_does_not_stop_the_others() {
    let workplace = Workplace::new();
    workplace.write("bad.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n");
    let outcome = workplace.run("cook missing.obj bad.obj cube.obj -o out --format json");
    assert_eq!(outcome.code, Some(2));
    let objects = json_lines(&outcome.stdout);
    assert_eq!(objects.len(), 1);
    assert_eq!(objects[0]["input"], Value::from("cube.obj"));
    assert_has(&outcome.stderr, &["error: cannot read missing.obj: ", "error: cannot read mesh: bad.obj: line 4: "]);
    assert_eq!(workplace.visible("out"), ["cube.obb.bvt"]);
}

#[test]
fn inputs_that_are_no_meshes_are_refused() {
    let workplace = Workplace::new();
    workplace.answer("cook cube.obj -o out");
    workplace.write("prose.txt", "Once upon a time\n");
    assert_has(&workplace.run("cook out/cube.obb.bvt -o x").stderr, &["cube.obb.bvt is already a cooked tree"]);
    assert_has(&workplace.run("cook prose.txt -o x").stderr, &["prose.txt: no faces", "hint: ", "OBJ, STL, PLY"]);
    assert_has(&workplace.run("cook out -o x").stderr, &["error: there is no mesh in the folder out", "hint: "]);
}

#[test]
fn an_output_that_cannot_be_made_is_an_error() {
    let workplace = Workplace::new();
    assert_has(&workplace.complaint("cook square.obj -o cube.obj"), &["cannot create the folder cube.obj: "]);
    // A folder in the file's place.
    fs::create_dir_all(workplace.path("out/square.obb.bvt")).unwrap();
    let complaint = workplace.run("cook square.obj -o out -q --format json").complaint();
    assert_has(&complaint, &["cannot write the tree to ", "square.obb.bvt"]);
    assert_eq!(workplace.visible("out"), ["square.obb.bvt"]);
    assert!(!workplace.names("out").iter().any(|name| name.ends_with(".tmp")), "no temporary file is left");
}
