use std::fs;

use super::{Workplace, assert_has, json_lines};

#[test]
fn a_tree_and_its_mesh_have_the_same_digest_bounds_and_keys() {
    let workplace = Workplace::new();
    workplace.answer("cook cube.obj -o out");
    let stdout = workplace.answer("info out/cube.obb.bvt cube.obj --format json");
    let [tree, mesh] = &json_lines(&stdout)[..] else { panic!("{stdout}") };
    assert_eq!((&tree["type"], &mesh["type"]), (&"tree".into(), &"mesh".into()));
    for key in ["mesh_digest", "triangles", "groups", "lower", "upper"] {
        assert_eq!(tree[key], mesh[key], "{key}");
    }
    assert_eq!(tree["upper"], serde_json::json!([1.0, 1.0, 1.0]));
    let keys = |object: &serde_json::Value| object.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(tree), keys(mesh));
}

#[test]
fn a_trees_sections_add_up_to_nearly_its_bytes() {
    let workplace = Workplace::new();
    workplace.answer("cook cube.obj -o out");
    let tree = &json_lines(&workplace.answer("info out/cube.obb.bvt --format json"))[0];
    let sections = ["nodes", "vertices", "corners", "faces", "polygons", "groups"];
    let sum: u64 = sections.iter().map(|section| tree[format!("{section}_bytes")].as_u64().unwrap()).sum();
    let bytes = tree["bytes"].as_u64().unwrap();
    assert_eq!(bytes, fs::metadata(workplace.path("out/cube.obb.bvt")).unwrap().len());
    // The header, and at most 64 bytes of padding before each section.
    assert!(sum < bytes && bytes - sum <= 384 + 6 * 64, "{sum} of {bytes}");
    assert_eq!(tree["vertices_bytes"], 8 * 12);
    assert_eq!(tree["faces_bytes"], 12 * 4);
    assert_eq!(tree["polygons_bytes"], 12 * 4);
}

#[test]
fn a_compact_file_is_told_of_by_its_own_sections() {
    let workplace = Workplace::new();
    workplace.answer("cook cube.obj -o out --kind all -q");
    workplace.answer("cook cube.obj -o small --kind all --compact -q");
    for kind in ["aabb", "obb", "sphere", "kdop"] {
        let info = format!("info out/cube.{kind}.bvt small/cube.{kind}.bvt --format json");
        let [plain, compact] = &json_lines(&workplace.answer(&info))[..] else { panic!("{info}") };
        assert_eq!((&plain["encoding"], &compact["encoding"]), (&"plain".into(), &"compact".into()));
        for key in ["mesh_digest", "triangles", "nodes", "depth", "format_version"] {
            assert_eq!(plain[key], compact[key], "{key}");
        }
        assert_eq!(compact["nodes_bytes"], compact["nodes"]);
        assert_eq!(compact["bytes"], fs::metadata(workplace.path(&format!("small/cube.{kind}.bvt"))).unwrap().len());
        let pairs = |folder: &str| {
            workplace.answer(&format!(
                "query {folder}/cube.{kind}.bvt {folder}/cube.{kind}.bvt --translate 0.5,0,0 --mode pairs"
            ))
        };
        assert_eq!(pairs("small"), pairs("out"));
        workplace.answer(&format!("verify small/cube.{kind}.bvt -q"));
    }
    // The encoding is one of the options that decide whether a file is current.
    let check = |options: &str| workplace.run(&format!("cook cube.obj -o small --kind all --check -q {options}")).code;
    assert_eq!([check("--compact"), check("")], [Some(0), Some(1)]);
}

#[test]
fn a_mesh_is_reported_on() {
    let workplace = Workplace::new();
    let text = workplace.answer("info square.obj");
    let value = |key: &str| {
        let line = text.lines().find(|line| line.starts_with(key)).unwrap_or_else(|| panic!("{key} in {text}"));
        line[key.len()..].trim().to_owned()
    };
    assert_eq!(value("file"), "square.obj");
    assert_eq!(value("open edges"), "4");
    assert_eq!(value("components"), "1");
    assert_eq!(value("closed"), "no");
    assert!(!text.contains("split"), "facts of trees are left out:\n{text}");
}

#[test]
fn verify_is_told() {
    let workplace = Workplace::new();
    workplace.answer("cook cube.obj -o out --kind all");
    let objects = json_lines(&workplace.answer("info out/cube.aabb.bvt out/cube.obb.bvt --verify --format json"));
    assert!(objects.iter().all(|object| object["verified"] == true), "{objects:?}");
    let unverified = &json_lines(&workplace.answer("info out/cube.aabb.bvt --format json"))[0];
    assert!(unverified["verified"].is_null());
}

#[test]
fn csv_has_one_header_and_a_line_per_file() {
    let workplace = Workplace::new();
    workplace.answer("cook cube.obj -o out");
    let csv = workplace.answer("info out/cube.obb.bvt cube.obj square.obj --format csv");
    let widths: Vec<_> = csv.lines().map(|line| line.split(',').count()).collect();
    assert_eq!(widths.len(), 4);
    assert!(widths.iter().all(|&width| width == widths[0]), "{csv}");
    assert!(csv.starts_with("file,type,triangles,"));
}

#[cfg(unix)]
#[test]
fn a_pipe_has_no_size() {
    let workplace = Workplace::new();
    let pipe = workplace.path("pipe.obj");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let writer = std::thread::spawn(move || std::fs::write(pipe, crate::CUBE).unwrap());
    let facts = json_lines(&workplace.answer("info pipe.obj --format json"))[0].clone();
    writer.join().unwrap();
    assert_eq!((facts["triangles"].as_u64(), &facts["bytes"]), (Some(12), &serde_json::Value::Null));
}

#[test]
fn damage_is_reported_and_the_other_files_still_told_of() {
    let workplace = Workplace::new();
    workplace.answer("cook cube.obj -o out");
    let mut bytes = fs::read(workplace.path("out/cube.obb.bvt")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(workplace.path("damaged.bvt"), &bytes).unwrap();
    fs::write(workplace.path("cut.bvt"), &bytes[..middle]).unwrap();
    workplace.write("renamed.bvt", super::CUBE);
    let outcome = workplace.run("info damaged.bvt cut.bvt renamed.bvt missing.bvt cube.obj --format json");
    assert_eq!(outcome.code, Some(2));
    assert_eq!(json_lines(&outcome.stdout).len(), 1);
    let lines: Vec<_> = outcome.stderr.lines().filter(|line| line.starts_with("error")).collect();
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert_has(lines[0], &["error: cannot open tree: damaged.bvt: checksum mismatch"]);
    assert_has(lines[1], &["error: cannot open tree: cut.bvt: truncated: "]);
    assert_has(lines[2], &["error: cannot open tree: renamed.bvt: not a cooked tree"]);
    assert_has(lines[3], &["error: cannot read missing.bvt: "]);
}

#[test]
fn the_content_tells_what_a_file_is() {
    let workplace = Workplace::new();
    workplace.answer("cook cube.obj -o out");
    fs::rename(workplace.path("out/cube.obb.bvt"), workplace.path("tree.obj")).unwrap();
    fs::rename(workplace.path("cube.obj"), workplace.path("mesh")).unwrap();
    let objects = json_lines(&workplace.answer("info tree.obj mesh --format json"));
    let types: Vec<_> = objects.iter().map(|object| object["type"].as_str().unwrap()).collect();
    assert_eq!(types, ["tree", "mesh"]);
}

#[test]
fn the_build_options_are_told_and_single_ones_override_a_preset() {
    let workplace = Workplace::new();
    let options = |arguments: &str| {
        workplace.answer(&format!("cook cube.obj -o out -q {arguments}"));
        let tree = json_lines(&workplace.answer("info out/cube.obb.bvt --format json")).remove(0);
        ["builder", "split", "rotation_passes", "collapse", "obb_fit", "sphere_fit", "max_leaf_triangles"]
            .map(|key| tree[key].to_string().replace('"', ""))
    };
    let fast = ["top-down", "mean", "0", "largest-first", "vertex-covariance", "null", "1"];
    assert_eq!(options("--preset fast"), fast);
    assert_eq!(options("--obbtree-rules"), fast);
    // The first name of the option.
    assert_eq!(options("--described"), fast);
    assert_eq!(options(""), ["top-down", "sah", "0", "largest-first", "tight", "null", "2"]);
    assert_eq!(options(""), options("--preset balanced"));
    assert_eq!(
        options("--preset tight"),
        ["top-down", "sah-own-volumes", "4", "least-volume", "tight-volume", "null", "4"]
    );
    assert_eq!(
        options("--preset tight --builder ploc --rotation-passes=3 --leaf 2"),
        ["ploc", "null", "3", "least-volume", "tight-volume", "null", "2"]
    );
    assert_eq!(options("--rotation-passes --collapse least-volume")[2..4], ["5", "least-volume"]);
}

/// A wall between two chambers: `info` and `closest` agree that neither is inside.
#[test]
fn a_mesh_with_an_inner_wall_has_no_inside() {
    let workplace = Workplace::new();
    workplace.write(
        "bipyramid.obj",
        "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 1 1 2\nv 1 1 -2\nf 1 2 4\nf 2 3 4\nf 3 1 4\nf 2 1 5\nf 3 2 5\nf 1 3 5\nf 1 2 3\n",
    );
    let mesh = &json_lines(&workplace.answer("info bipyramid.obj --format json"))[0];
    assert_eq!((&mesh["closed"], &mesh["open_edges"]), (&false.into(), &0.into()));
    let outcome = workplace.run_with_stdin("closest bipyramid.obj --points - --format json", "0.8,0.8,0.5\n");
    let answer = &json_lines(&outcome.stdout)[0];
    assert!(answer["inside"].is_null(), "{answer}");
}
