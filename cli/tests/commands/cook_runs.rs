//! Cooking again: what is unchanged stays, what fails is reported, what is gone is removed.

use std::fs;
use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::clash::scene_files::gltf_of;
use super::{CUBE, SQUARE, Workplace, assert_has, json_lines};

fn statuses(workplace: &Workplace, arguments: &str) -> Vec<String> {
    let outcome = workplace.run(arguments);
    json_lines(&outcome.stdout).iter().map(|row| row["status"].as_str().unwrap().to_owned()).collect()
}

const COOK: &str = "cook cube.obj square.obj -o out -q --format json";

#[test]
fn only_what_has_changed_is_cooked() {
    let workplace = Workplace::new();
    assert_eq!(statuses(&workplace, COOK), ["cooked", "cooked"]);
    let bytes = fs::read(workplace.path("out/cube.obb.bvt")).unwrap();
    assert_eq!(statuses(&workplace, COOK), ["unchanged", "unchanged"]);
    // The same bytes again are no change; others are.
    workplace.write("cube.obj", CUBE);
    assert_eq!(statuses(&workplace, COOK), ["unchanged", "unchanged"]);
    workplace.write("cube.obj", &format!("# a comment\n{CUBE}"));
    assert_eq!(statuses(&workplace, COOK), ["unchanged", "cooked"]);
    assert_eq!(fs::read(workplace.path("out/cube.obb.bvt")).unwrap(), bytes);
    // Other options are a change.
    assert_eq!(statuses(&workplace, &format!("{COOK} --leaf 3")), ["cooked", "cooked"]);
    assert_eq!(statuses(&workplace, &format!("{COOK} --leaf 3 --max-triangles 99")), ["unchanged", "unchanged"]);
    assert_eq!(statuses(&workplace, &format!("{COOK} --scale 2")), ["cooked", "cooked"]);
    assert_eq!(statuses(&workplace, COOK), ["cooked", "cooked"]);
    assert_eq!(statuses(&workplace, &format!("{COOK} --force")), ["cooked", "cooked"]);
    // Cooked files that are not as they were written.
    fs::remove_file(workplace.path("out/cube.obb.bvt")).unwrap();
    assert_eq!(statuses(&workplace, COOK), ["unchanged", "cooked"]);
    fs::write(workplace.path("out/cube.obb.bvt"), &bytes[..bytes.len() - 1]).unwrap();
    assert_eq!(statuses(&workplace, COOK), ["unchanged", "cooked"]);
    fs::copy(workplace.path("out/square.obb.bvt"), workplace.path("out/cube.obb.bvt")).unwrap();
    assert_eq!(statuses(&workplace, COOK), ["unchanged", "cooked"]);
    // The build cache is damaged.
    fs::write(workplace.path("out/.bvtree-cook.jsonl"), "{}\nnonsense\n").unwrap();
    assert_eq!(statuses(&workplace, COOK), ["cooked", "cooked"]);
}

#[test]
fn damage_anywhere_in_a_cooked_file_is_seen() {
    let workplace = Workplace::new();
    let (cook, check) = ("cook cube.obj -o out -q --format json", "cook cube.obj -o out --check --format csv");
    assert_eq!(statuses(&workplace, cook), ["cooked"]);
    let path = workplace.path("out/cube.obb.bvt");
    let sound = fs::read(&path).unwrap();
    let last = sound.len() - 1;
    let mut damaged: Vec<Vec<u8>> = [0, 8, 24, 40, 200, 383, 384, 500, sound.len() / 2, last]
        .map(|offset| {
            let mut bytes = sound.clone();
            bytes[offset] ^= 1;
            bytes
        })
        .to_vec();
    damaged.extend([Vec::new(), sound[..384].to_vec(), sound[..last].to_vec(), [&sound[..], &[0]].concat()]);
    let mut overwritten = sound.clone();
    overwritten[400..408].fill(0xff);
    damaged.push(overwritten);
    for bytes in damaged {
        fs::write(&path, &bytes).unwrap();
        let listed = workplace.run(check);
        assert_eq!((listed.code, listed.stdout.as_str()), (Some(1), "input,asset,status\ncube.obj,cube,stale\n"));
        assert_has(&listed.stderr, &["1 of 1 assets are to be cooked"]);
        assert_eq!(fs::read(&path).unwrap(), bytes, "--check writes nothing");
        assert_eq!(statuses(&workplace, cook), ["cooked"]);
        assert_eq!(fs::read(&path).unwrap(), sound);
        assert_eq!(workplace.run(check).code, Some(0));
    }
    assert_eq!(statuses(&workplace, cook), ["unchanged"]);
    // A folder in its place fails, and is said.
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(workplace.run(check).code, Some(1));
    assert_eq!(workplace.run(cook).code, Some(2));
}

#[test]
fn stale_assets_are_listed() {
    let workplace = Workplace::new();
    let listed = workplace.run("cook cube.obj square.obj -o out --check --format json");
    assert_eq!((listed.code, json_lines(&listed.stdout).len()), (Some(1), 2));
    assert_has(&listed.stderr, &["2 of 2 assets are to be cooked"]);
    assert!(!workplace.path("out").exists());
    let listed = workplace.run("cook cube.obj square.obj -o out --dry-run --format csv");
    assert_eq!(listed.code, Some(0));
    assert_eq!(listed.stdout, "input,asset,status\ncube.obj,cube,stale\nsquare.obj,square,stale\n");
    workplace.answer("cook cube.obj -o out -q --format csv");
    assert_eq!(workplace.run("cook cube.obj -o out --check -q").code, Some(0));
    assert_eq!(workplace.run("cook square.obj -o out --check -q").code, Some(1));
    assert_eq!(workplace.run("cook square.obj -o out --check --prune -q").code, Some(1));
}

#[test]
fn what_is_gone_is_pruned() {
    let workplace = Workplace::new();
    workplace.answer("cook cube.obj square.obj -o out -q");
    workplace.write("out/mine.obb.bvt", "not cooked here");
    let outcome = workplace.run("cook cube.obj -o out --prune");
    assert_has(&outcome.stderr, &["0 cooked, 1 unchanged, 1 files removed"]);
    assert_eq!(workplace.visible("out"), ["cube.obb.bvt", "mine.obb.bvt"]);
}

/// A wavy sheet of side x side squares, as the text of `x.gltf` and the bytes of `x.bin`.
fn sheet(side: u32, height: f32) -> (String, Vec<u8>) {
    let place = |i: u32| [(i % (side + 1)) as f32, (i / (side + 1)) as f32];
    let points = (0..(side + 1) * (side + 1)).map(place).map(|[x, y]| [x, y, height * (0.1 * x).sin()]);
    let corners = (0..side * side).map(|i| i / side * (side + 1) + i % side);
    let triangles = corners.flat_map(|a| [[a, a + 1, a + side + 2], [a, a + side + 2, a + side + 1]]);
    let (points, triangles) = (points.collect::<Vec<_>>(), triangles.collect::<Vec<_>>());
    gltf_of(&serde_json::json!([{"mesh": 0}]), &[(&points, &triangles)])
}

#[test]
fn a_scene_of_another_folder_with_the_same_text_is_another() {
    let workplace = Workplace::new();
    for (folder, height) in [("v1", 1.0), ("v2", 2.0)] {
        let (text, bytes) = sheet(3, height);
        workplace.write(&format!("{folder}/x.gltf"), &text);
        fs::write(workplace.path(&format!("{folder}/x.bin")), bytes).unwrap();
    }
    let [first, second] = ["v1", "v2"].map(|folder| format!("cook {folder}/x.gltf -o out -q --format json"));
    assert_eq!(statuses(&workplace, &first), ["cooked"]);
    let before = fs::read(workplace.path("out/x.obb.bvt")).unwrap();
    assert_eq!(statuses(&workplace, &first), ["unchanged"]);
    assert_eq!(statuses(&workplace, &second), ["cooked"]);
    assert_ne!(fs::read(workplace.path("out/x.obb.bvt")).unwrap(), before);
    assert_eq!(statuses(&workplace, &second), ["unchanged"]);
}

#[test]
fn a_buffer_that_is_replaced_while_it_is_cooked_is_cooked_again() {
    let workplace = Workplace::new();
    let (text, bytes) = sheet(if cfg!(debug_assertions) { 150 } else { 400 }, 1.0);
    workplace.write("x.gltf", &text);
    fs::write(workplace.path("x.bin"), &bytes).unwrap();
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_bvtree"))
        .current_dir(workplace.path(""))
        .args(["cook", "x.gltf", "--preset", "tight", "-q", "-o", "out"])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // The tree's temporary file is there when the mesh has been read.
    let is_writing = || fs::read_dir(workplace.path("out")).is_ok_and(|mut entries| entries.next().is_some());
    while !is_writing() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_millis(1));
    }
    fs::write(workplace.path("new.bin"), sheet(if cfg!(debug_assertions) { 150 } else { 400 }, 2.0).1).unwrap();
    fs::rename(workplace.path("new.bin"), workplace.path("x.bin")).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let cook = "cook x.gltf --preset tight -o out -q --format json";
    assert_eq!(statuses(&workplace, cook), ["cooked"]);
    assert_eq!(statuses(&workplace, cook), ["unchanged"]);
}

#[test]
fn only_what_cook_wrote_is_pruned() {
    let workplace = Workplace::new();
    workplace.answer("cook cube.obj square.obj -o out -q");
    // A record that names a file outside the folder, with the right digest.
    fs::copy(workplace.path("out/square.obb.bvt"), workplace.path("precious.bvt")).unwrap();
    let records = fs::read_to_string(workplace.path("out/.bvtree-cook.jsonl")).unwrap();
    for outside in ["../precious.bvt".to_owned(), workplace.path("precious.bvt").display().to_string()] {
        workplace.write("out/.bvtree-cook.jsonl", &records.replace("square.obb.bvt", &outside));
        workplace.answer("cook cube.obj -o out -q --prune");
        assert!(workplace.path("precious.bvt").exists(), "{outside}");
    }
    // A file that something else has replaced since.
    workplace.write("out/.bvtree-cook.jsonl", &records);
    workplace.write("out/square.obb.bvt", "mine now");
    workplace.answer("cook cube.obj -o out -q --prune");
    assert_eq!(workplace.visible("out"), ["cube.obb.bvt", "square.obb.bvt"]);
}

#[test]
fn kinds_of_earlier_runs_are_pruned() {
    let workplace = Workplace::new();
    for kind in ["aabb", "sphere", "obb"] {
        workplace.answer(&format!("cook cube.obj --kind {kind} -o out -q"));
    }
    // A kind that came back is one of the outputs again.
    workplace.answer("cook cube.obj --kind aabb -o out -q");
    assert_eq!(workplace.visible("out").len(), 3);
    let outcome = workplace.run("cook cube.obj --kind aabb -o out --prune");
    assert_has(&outcome.stderr, &["0 cooked, 1 unchanged, 2 files removed"]);
    assert_eq!(workplace.visible("out"), ["cube.aabb.bvt"]);
    let outcome = workplace.run("cook cube.obj --kind obb -o out --prune");
    assert_has(&outcome.stderr, &["1 cooked, 0 unchanged, 1 files removed"]);
}

/// A mesh with the groups a and `door`, as an OBJ file.
const WITH_DOOR: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\ng a\nf 1 2 3\ng door\nf 1 2 3\n";

#[test]
fn what_another_asset_has_is_not_pruned() {
    let workplace = Workplace::new();
    workplace.write("level.obj", WITH_DOOR);
    workplace.write("level.door.obj", WITH_DOOR);
    workplace.answer("cook level.obj --by-group -o out -q");
    assert_eq!(workplace.visible("out"), ["level.a.obb.bvt", "level.door.obb.bvt"]);
    let outcome = workplace.run("cook level.door.obj -o out --prune");
    assert_has(&outcome.stderr, &["1 cooked, 0 unchanged, 1 files removed"]);
    assert_eq!(workplace.visible("out"), ["level.door.obb.bvt"]);
    workplace.answer("cook level.door.obj -o out -q --check --prune");
}

#[test]
fn what_an_asset_had_before_is_pruned() {
    let workplace = Workplace::new();
    workplace.write("level.obj", WITH_DOOR);
    workplace.answer("cook level.obj cube.obj --by-group --kind aabb,obb -o out -q");
    workplace.write("level.obj", &WITH_DOOR.replace("door", "gate"));
    let outcome = workplace.run("cook level.obj cube.obj --by-group --kind obb -o out --prune");
    assert_has(&outcome.stderr, &["2 cooked, 0 unchanged, 4 files removed"]);
    assert_eq!(workplace.visible("out"), ["cube.ungrouped.obb.bvt", "level.a.obb.bvt", "level.gate.obb.bvt"]);
    // What failed is left.
    workplace.write("level.obj", "f 1 2 3\n");
    assert_eq!(workplace.run("cook level.obj --by-group -o out --prune -q").code, Some(2));
    assert_eq!(workplace.visible("out"), ["level.a.obb.bvt", "level.gate.obb.bvt"]);
}

#[test]
fn failures_are_told_at_the_end_or_at_once() {
    let workplace = Workplace::new();
    workplace.write("bad.obj", "f 1 2 3\n");
    let outcome = workplace.run("cook bad.obj cube.obj square.obj -o out --report report.jsonl");
    assert_eq!(outcome.code, Some(2));
    let at = |part: &str| outcome.stderr.find(part).unwrap_or_else(|| panic!("{}", outcome.stderr));
    assert!(at("2 cooked, 0 unchanged, 1 failed") < at("error: cannot read mesh: bad.obj: line 1"));
    let report = fs::read_to_string(workplace.path("report.jsonl")).unwrap();
    let statuses: Vec<_> =
        json_lines(&report).iter().map(|line| (line["input"].clone(), line["status"].clone())).collect();
    let line = |input: &str, status: &str| (Value::from(input), Value::from(status));
    assert_eq!(statuses, [line("bad.obj", "failed"), line("cube.obj", "cooked"), line("square.obj", "cooked")]);
    assert_has(json_lines(&report)[0]["error"].as_str().unwrap(), &["vertex index 3 is out of range"]);

    let outcome = workplace.run("cook bad.obj cube.obj square.obj -o other --fail-fast --jobs 1 -q");
    assert_eq!(outcome.code, Some(2));
    assert!(!workplace.path("other/square.obb.bvt").exists());
    // Assets in progress when one fails are finished, and recorded.
    for run in 0..20 {
        let folder = format!("fast{run}");
        let outcome = workplace.run(&format!("cook cube.obj bad.obj square.obj -o {folder} --fail-fast --jobs 3"));
        let cooked = workplace.visible(&folder).len();
        assert_has(&outcome.stderr, &[&format!("{cooked} cooked, 0 unchanged, 1 failed")]);
    }
}

/// A kit that is cooked once for rendering and once for collisions: each message about a file is printed once, while
/// each cooking counts as an asset.
#[test]
fn files_that_are_cooked_in_two_ways_are_told_of_once() {
    let workplace = Workplace::new();
    workplace.write("kit/bad.obj", "f 1 2 3\n");
    workplace.write("kit/far.obj", "v 8 8 8\nv 8.000001 8 8\nv 8 8.000001 8\nf 1 2 3\n");
    workplace.write("kit/house.obj", &format!("{CUBE}o house\ng roof\nf 1 2 1\nf 1 2 3\no helper\ng axis\nf 1 2 4\n"));
    let asset = |folder: &str, more: &str| format!("[[asset]]\ninput = 'kit'\nfolder = '{folder}'\n{more}\n");
    let assets = [asset("seen", "skip-groups = ['helper*', 'roof']"), asset("hit", "drop-zero-area = true")].concat();
    workplace.write("kit.toml", &format!("output = 'out'\n{assets}"));
    let outcome = workplace.run("cook --manifest kit.toml --report report.jsonl");
    assert_eq!(outcome.code, Some(2));
    assert_eq!(outcome.stderr.matches("error: ").count(), 1, "{}", outcome.stderr);
    assert_has(
        &outcome.stderr,
        &["4 cooked, 0 unchanged, 2 failed", " 4 triangles left out", "far.obj loses precision in f32"],
    );
    let report = json_lines(&fs::read_to_string(workplace.path("report.jsonl")).unwrap());
    let left_out =
        |name: &str| report.iter().find(|line| line["asset"] == name).unwrap()["left_out_triangles"].as_u64();
    assert_eq!(["seen/house", "hit/house", "seen/far"].map(left_out), [Some(3), Some(1), Some(0)]);
}

#[test]
fn limits_are_kept_to() {
    let workplace = Workplace::new();
    assert_has(
        &workplace.complaint("cook cube.obj -o out --max-triangles 11 --format json"),
        &["more than 11 triangles"],
    );
    assert_has(
        &workplace.complaint("cook cube.obj -o out --max-bytes 100 --format json"),
        &["more than the limit of 100"],
    );
    assert_has(&workplace.complaint("cook cube.obj -o out --max-bytes 1Q"), &["expected a size such as 500M"]);
    // Far too little for both at once: one after the other.
    workplace.answer("cook cube.obj square.obj -o out -q --max-memory 2M --jobs 2");
    assert_eq!(workplace.visible("out").len(), 2);
}

#[test]
fn memory_is_bounded_by_triangles_and_buffers_too() {
    let workplace = Workplace::new();
    // A polygon of many corners takes a byte or two of a file for each triangle.
    workplace.write("fan.off", &format!("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n90000{}\n", " 0 1 2".repeat(30_000)));
    let complaint = workplace.complaint("cook fan.off -o out -q --format json --max-memory 4M");
    assert_has(
        &complaint,
        &["more than 38130 triangles", "hint: the limit is that of --max-triangles, or follows from --max-memory"],
    );
    workplace.answer("cook fan.off -o out -q --max-memory 20M --max-depth 4");
    // A small file may name large ones.
    let scene = "{\"asset\": {\"version\": \"2.0\"}, \"buffers\": [{\"uri\": \"a.bin\", \"byteLength\": 900000000}]}";
    workplace.write("scene.gltf", scene);
    let complaint = workplace.complaint("cook scene.gltf -o out -q --format json --max-memory 2G");
    assert_has(&complaint, &["scene.gltf needs about 6010 MiB, more than --max-memory allows (2048 MiB)"]);
}

#[test]
fn dependencies_are_written_for_make_and_ninja() {
    let workplace = Workplace::new();
    workplace.write("my parts/a$b.obj", CUBE);
    workplace.write("m.toml", "output = 'out'\n[[asset]]\ninput = 'my parts'\n");
    workplace.answer("cook --manifest m.toml --depfile out.d -q");
    let rules = fs::read_to_string(workplace.path("out.d")).unwrap();
    assert_eq!(rules, "out/a$$b.obb.bvt: my\\ parts/a$$b.obj m.toml\n");
    // Also when nothing is cooked.
    fs::remove_file(workplace.path("out.d")).unwrap();
    workplace.answer("cook --manifest m.toml --depfile out.d -q");
    assert_eq!(fs::read_to_string(workplace.path("out.d")).unwrap(), rules);
}

#[cfg(unix)]
#[test]
fn abandoned_temporary_files_are_swept() {
    let workplace = Workplace::new();
    let old = SystemTime::now() - Duration::from_secs(60);
    let make = |name: &str| {
        workplace.write(name, "half");
        let file = fs::File::options().write(true).open(workplace.path(name)).unwrap();
        file.set_modified(old).unwrap();
        file
    };
    make("out/.bvtree-abandoned.tmp");
    let held = make("out/.bvtree-held.tmp");
    held.lock().unwrap();
    make("out/other.tmp");
    workplace.answer("cook square.obj -o out -q");
    let names = workplace.names("out");
    assert!(!names.contains(&".bvtree-abandoned.tmp".into()), "{names:?}");
    assert!(names.contains(&".bvtree-held.tmp".into()) && names.contains(&"other.tmp".into()), "{names:?}");
}

#[test]
fn jobs_and_threads_change_no_bytes() {
    let workplace = Workplace::new();
    for (number, text) in (0..12).map(|number| (number, if number % 2 == 0 { CUBE } else { SQUARE })) {
        workplace.write(&format!("in/{number}.obj"), text);
    }
    workplace.answer("cook in -o one -q --jobs 1 --kind all");
    workplace.answer("cook in -o four -q --jobs 4 --kind all");
    let names = workplace.visible("one");
    assert_eq!((names.len(), &names), (48, &workplace.visible("four")));
    for name in names {
        let [one, four] = ["one", "four"].map(|folder| fs::read(workplace.path(&format!("{folder}/{name}"))).unwrap());
        assert_eq!(one, four, "{name}");
    }
    let rows = json_lines(&workplace.answer("cook in -o four -q --jobs 4 --force --format json"));
    let inputs: Vec<_> = rows.iter().map(|row| row["input"].as_str().unwrap().to_owned()).collect();
    assert!(inputs.is_sorted(), "{inputs:?}");
}
