//! What may be cooked: folders, globs, stdin, manifests.

use super::{CUBE, SQUARE, Workplace, assert_has, json_lines};

#[test]
fn folders_are_mirrored() {
    let workplace = Workplace::new();
    workplace.write("in/a/deep/cube.obj", CUBE);
    workplace.write("in/b/cube.OBJ", CUBE);
    workplace.write("in/top.obj", SQUARE);
    workplace.write("in/notes.txt", "no mesh");
    workplace.write("in/.git/cube.obj", "no mesh");
    workplace.answer("cook in -o out -q");
    for name in ["a/deep/cube", "b/cube", "top"] {
        assert!(workplace.path(&format!("out/{name}.obb.bvt")).is_file(), "{name}");
    }
    assert_eq!(workplace.visible("out"), ["a", "b", "top.obb.bvt"]);
}

#[test]
fn globs_are_mirrored_from_their_first_plain_folders() {
    let workplace = Workplace::new();
    workplace.write("in/a/cube.obj", CUBE);
    workplace.write("in/b/cube.obj", CUBE);
    workplace.write("in/b/cube.txt", "no mesh");
    workplace.answer("cook in/*/*.obj -o out -q");
    assert_eq!(workplace.visible("out"), ["a", "b"]);
    assert_has(&workplace.complaint("cook in/*.ply -o out"), &["no file matches 'in/*.ply'"]);
}

#[test]
fn stdin_is_a_mesh_once() {
    let workplace = Workplace::new();
    let outcome = workplace.run_with_stdin("cook - -o out -q --kind aabb", CUBE);
    assert_eq!((outcome.code, workplace.visible("out")), (Some(0), vec!["stdin.aabb.bvt".to_owned()]));
    let outcome = workplace.run_with_stdin("query - cube.obj --format csv", CUBE);
    assert_has(&outcome.stdout, &["\n0,,1,"]);
    let outcome = workplace.run_with_stdin("info - --format json", SQUARE);
    assert_eq!(json_lines(&outcome.stdout)[0]["triangles"], 2);
    let complaint = workplace.run_with_stdin("query - square.obj --poses -", "#\n").complaint();
    assert_has(&complaint, &["stdin (-) is given twice"]);
    assert_has(&workplace.complaint("cook cube.obj -o -"), &["cook writes files and cannot write to stdout"]);
}

const MANIFEST: &str = "\
output = 'cooked'

[defaults]
kind = ['aabb', 'obb']
scale = 0.5

[[asset]]
input = 'cube.obj'

[[asset]]
input = 'in/*.obj'
folder = 'props'
kind = 'sphere'
scale = 2
leaf = 2
";

#[test]
fn a_manifest_has_defaults_and_options_for_each_asset() {
    let workplace = Workplace::new();
    workplace.write("job/in/square.obj", SQUARE);
    workplace.write("job/cube.obj", CUBE);
    workplace.write("job/assets.toml", MANIFEST);
    workplace.answer("cook --manifest job/assets.toml -q");
    assert_eq!(workplace.visible("job/cooked"), ["cube.aabb.bvt", "cube.obb.bvt", "props"]);
    let facts = |name: &str| json_lines(&workplace.answer(&format!("info {name} --format json")))[0].clone();
    assert_eq!(facts("job/cooked/cube.obb.bvt")["upper"], serde_json::json!([0.5, 0.5, 0.5]));
    let square = facts("job/cooked/props/square.sphere.bvt");
    assert_eq!((&square["upper"], &square["max_leaf_triangles"]), (&serde_json::json!([2.0, 2.0, 0.0]), &2.into()));
    // The command line takes precedence, and adds inputs.
    workplace.answer("cook square.obj --manifest job/assets.toml -o other -q --kind obb --scale 1");
    assert_eq!(workplace.visible("other"), ["cube.obb.bvt", "props", "square.obb.bvt"]);
    assert_eq!(facts("other/cube.obb.bvt")["upper"], serde_json::json!([1.0, 1.0, 1.0]));
}

#[test]
fn errors_in_a_manifest_name_the_line() {
    let workplace = Workplace::new();
    let complaint = |from: &str, to: &str| {
        workplace.write("m.toml", &MANIFEST.replacen(from, to, 1));
        workplace.complaint("cook --manifest m.toml")
    };
    assert_has(&complaint("[defaults]", "[default]"), &["m.toml, line 3: unknown field `default`"]);
    assert_has(&complaint("scale = 0.5", "scale = -1"), &["m.toml, line 5: expected a finite number above 0"]);
    assert_has(&complaint("kind = 'sphere'", "kind = 'cone'"), &["m.toml, line 13: unknown volume kind 'cone'"]);
    assert_has(&complaint("leaf = 2", "leafs = 2"), &["m.toml, line 15: unknown field `leafs`"]);
    assert_has(&complaint("leaf = 2", "lod = nan"), &["m.toml, line 15: `lod`: expected a finite number, found nan"]);
    let large = complaint("leaf = 2", "max-triangles = 99999999999999999999");
    assert_has(&large, &["m.toml, line 15: `max-triangles`: expected a number of 64 bits, found 99999999999999999999"]);
    assert_has(&complaint("input = 'cube.obj'", ""), &["m.toml, line 7: an asset lacks its `input`"]);
    assert_has(
        &complaint("folder = 'props'", "folder = '../up'"),
        &["m.toml, line 12: `folder`: expected a folder below the output"],
    );
    assert_has(&complaint("input = 'cube.obj'", "input = 3"), &["line 8: `input`: expected text, found integer"]);
    assert_has(&complaint("scale = 2", "scale = -1"), &["m.toml, line 14: expected a finite number above 0"]);
    assert_has(&complaint("leaf = 2", "leaf = 0"), &["m.toml, line 15: expected at least 1"]);
    assert_has(&complaint("scale = 2", "origin = [1, 2]"), &["m.toml, line 14: "]);
    assert_has(&complaint("scale = 0.5", "scale ="), &["m.toml, line 5: "]);
    assert_has(&complaint("output = 'cooked'", ""), &["the manifest names no output folder"]);
    assert_has(&workplace.complaint("cook --manifest missing.toml"), &["cannot read missing.toml"]);
}

const GROUPS: &str =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\ng wall 1\nf 1 2 3\ng door\nf 1 2 4\ng wall-1\nf 1 3 4\ng helper\nf 2 3 4\n";

#[test]
fn groups_are_split_and_skipped() {
    let workplace = Workplace::new();
    workplace.write("house.obj", GROUPS);
    let rows = json_lines(&workplace.answer("cook house.obj -o out -q --by-group --skip-groups help* --format json"));
    let groups: Vec<_> = rows.iter().map(|row| row["group"].as_str().unwrap()).collect();
    assert_eq!(groups, ["wall 1", "door", "wall-1"]);
    assert_eq!(workplace.visible("out"), ["house.door.obb.bvt", "house.wall-1.obb.bvt", "house.wall_1.obb.bvt"]);
    assert_eq!(workplace.run("cook house.obj -o out -q --by-group --skip-groups help* --check").code, Some(0));
    let complaint = workplace.complaint("cook house.obj -o out -q --skip-groups * --format json");
    assert_has(&complaint, &["house.obj: all triangles are left out"]);
}

/// Groups with levels of detail and collision meshes; the third face has no area.
const KIT: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 2 0 0\n\
    g rock_LOD0\nf 1 2 3\nf 1 2 4\nf 1 2 5\ng rock_lod1\nf 1 3 4\ng props/UCX_rock/mesh\nf 2 3 4\ng ground\nf 3 4 5\n";

#[test]
fn levels_of_detail_collision_meshes_and_triangles_without_area_are_chosen() {
    let workplace = Workplace::new();
    workplace.write("kit.obj", KIT);
    workplace.write("plain.obj", CUBE);
    let all = &["rock_LOD0", "rock_lod1", "props/UCX_rock/mesh", "ground"][..];
    let cases = [
        ("", all, 6),
        ("--lod 0", &["rock_LOD0", "props/UCX_rock/mesh", "ground"], 5),
        ("--lod 1", &["rock_lod1", "props/UCX_rock/mesh", "ground"], 3),
        ("--lod 1 --collision skip", &["rock_lod1", "ground"], 2),
        ("--collision only", &["props/UCX_rock/mesh"], 1),
        ("--drop-zero-area", all, 5),
        ("--drop-zero-area --skip-groups gr*", &["rock_LOD0", "rock_lod1", "props/UCX_rock/mesh"], 4),
    ];
    for (options, names, triangles) in cases {
        workplace.answer(&format!("cook kit.obj -o out -q {options}"));
        let path = workplace.path("out/kit.obb.bvt");
        let tree = bvtree::BvTree::open(&path).unwrap();
        let groups: Vec<_> = tree.groups().iter().map(|group| group.name.as_str()).collect();
        assert_eq!((groups, tree.triangle_count()), (names.to_vec(), triangles), "{options}");
        // The source's triangles, found by their polygon numbers.
        let source = bvtree::Mesh::read_obj(KIT.as_bytes()).unwrap();
        for face in 0..triangles as u32 {
            assert_eq!(tree.triangle(face).unwrap(), source.triangle(tree.polygon(face)), "{options}");
        }
        assert_eq!(workplace.run(&format!("cook kit.obj -o out -q --check {options}")).code, Some(0));
    }
    // A mesh without collision meshes is cooked as a whole.
    workplace.answer("cook plain.obj -o out -q --collision only");
    let plain = bvtree::Mesh::read_obj(CUBE.as_bytes()).unwrap();
    let tree = bvtree::BvTree::open(workplace.path("out/plain.obb.bvt")).unwrap();
    assert_eq!(tree.triangle_count(), plain.triangles().len());
    workplace.write(
        "m.toml",
        "output = 'other'\n[defaults]\nlod = 1\ndrop-zero-area = true\n\
         [[asset]]\ninput = 'kit.obj'\ncollision = 'skip'\n",
    );
    workplace.answer("cook --manifest m.toml -q");
    assert_eq!(bvtree::BvTree::open(workplace.path("other/kit.obb.bvt")).unwrap().triangle_count(), 2);
    // A kit of files.
    for name in ["door_LOD0", "door_LOD1", "UCX_door_01", "wall"] {
        workplace.write(&format!("{name}.obj"), CUBE);
    }
    let manifest = "output = 'kit'\n[[asset]]\ninput = '[dwU]*.obj'\n";
    for (options, expected) in [
        ("lod = 1\ncollision = 'skip'\n", vec!["door_LOD1", "wall"]),
        ("lod = 0\ncollision = 'only'\n", vec!["UCX_door_01", "wall"]),
        ("lod = 0\n", vec!["UCX_door_01", "door_LOD0", "wall"]),
    ] {
        workplace.write("files.toml", &format!("{manifest}{options}"));
        workplace.answer("cook --manifest files.toml -q --prune");
        assert_eq!(
            workplace.visible("kit"),
            expected.iter().map(|name| format!("{name}.obb.bvt")).collect::<Vec<_>>(),
            "{options}"
        );
    }
}

#[test]
fn names_that_would_meet_are_refused_or_kept_apart() {
    let workplace = Workplace::new();
    workplace.write("in/cube.obj", CUBE);
    workplace.write("in/cube.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
    workplace.write("in/square.obj", SQUARE);
    let outcome = workplace.run("cook in -o out");
    assert_eq!(outcome.code, Some(2));
    let said =
        ["in/cube.obj: in/cube.off would also be cooked", "in/cube.off: in/cube.obj would also", "hint: ", "2 failed"];
    assert_has(&outcome.stderr, &said);
    assert_eq!(workplace.visible("out"), ["square.obb.bvt"]);
    assert_eq!(workplace.run("cook in -o out --check -q").code, Some(1));
    workplace.answer("cook in -o apart -q --keep-extensions");
    assert_eq!(workplace.visible("apart"), ["cube.obj.obb.bvt", "cube.off.obb.bvt", "square.obj.obb.bvt"]);
    workplace.write("m.toml", "output = 'other'\n[defaults]\nkeep-extensions = true\n[[asset]]\ninput = 'in'\n");
    workplace.answer("cook --manifest m.toml -q");
    assert_eq!(workplace.visible("other"), workplace.visible("apart"));
    assert_eq!(workplace.run("cook --manifest m.toml --check -q").code, Some(0));

    // A group of one mesh, and another mesh, which alone is cooked.
    workplace.write("level.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\ng a\nf 1 2 3\ng door\nf 1 2 3\n");
    workplace.write("level.door.obj", CUBE);
    let assets = "[[asset]]\ninput = 'level.obj'\nby-group = true\n[[asset]]\ninput = 'level.door.obj'\n";
    workplace.write("groups.toml", &format!("output = 'groups'\n{assets}"));
    let outcome = workplace.run("cook --manifest groups.toml -q");
    assert_eq!(outcome.code, Some(2));
    assert_has(
        &outcome.stderr,
        &["level.obj: level.door.obj would also be cooked to level.door.KIND.bvt", "hint: rename"],
    );
    assert_eq!(workplace.visible("groups"), ["level.door.obb.bvt"]);
    assert_eq!(bvtree::BvTree::open(workplace.path("groups/level.door.obb.bvt")).unwrap().triangle_count(), 12);
}

#[cfg(unix)]
#[test]
fn links_that_lead_nowhere_are_not_passed_over() {
    let workplace = Workplace::new();
    workplace.write("in/cube.obj", CUBE);
    let link = |to: &str, name: &str| std::os::unix::fs::symlink(to, workplace.path(name)).unwrap();
    link("../square.obj", "in/linked.obj");
    link("nowhere.txt", "in/notes.txt");
    workplace.answer("cook in -o out -q");
    assert_eq!(workplace.visible("out"), ["cube.obb.bvt", "linked.obb.bvt"]);
    link("gone.obj", "in/lost.obj");
    link("round.obj", "in/round.obj");
    for input in ["in", "in/*.obj"] {
        let outcome = workplace.run(&format!("cook {input} -o out"));
        assert_eq!(outcome.code, Some(2), "{outcome:?}");
        let said =
            ["cannot read in/lost.obj: No such file", "cannot read in/round.obj: ", "0 cooked, 2 unchanged, 2 failed"];
        assert_has(&outcome.stderr, &said);
        let listed = workplace.run(&format!("cook {input} -o out --check --format csv"));
        assert_eq!((listed.code, &*listed.stdout), (Some(2), "input,asset,status\n"));
        assert_has(&listed.stderr, &said[..2]);
    }
    // Where there is nothing else.
    workplace.write("only/notes.txt", "no mesh");
    link("gone.obj", "only/lost.obj");
    assert_has(&workplace.complaint("cook only -o other --format json"), &["cannot read only/lost.obj: No such file"]);
}

#[cfg(unix)]
#[test]
fn pipes_are_read_once() {
    let workplace = Workplace::new();
    let pipe = workplace.path("pipe.obj");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // A pipe is cooked each time, because its content is unknown until it is read.
    for _ in 0..2 {
        let path = pipe.clone();
        let writer = std::thread::spawn(move || std::fs::write(path, CUBE).unwrap());
        let rows = json_lines(&workplace.answer("cook pipe.obj -o out -q --format json"));
        writer.join().unwrap();
        assert_eq!((rows[0]["status"].as_str(), rows[0]["triangles"].as_u64()), (Some("cooked"), Some(12)));
    }
    assert_eq!(workplace.visible("out"), ["pipe.obb.bvt"]);
}
