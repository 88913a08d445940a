use std::fs;

use super::{Workplace, assert_has, json_lines};

#[test]
fn sound_files_are_counted_and_others_named() {
    let workplace = Workplace::new();
    workplace.answer("cook cube.obj square.obj -o out/deep -q --kind all");
    let outcome = workplace.run("verify out");
    assert_eq!((outcome.code, outcome.stdout.as_str(), outcome.stderr.as_str()), (Some(0), "", "8 files are sound\n"));
    let path = workplace.path("out/deep/cube.obb.bvt");
    let mut bytes = fs::read(&path).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(path, bytes).unwrap();
    let outcome = workplace.run("verify out --format json");
    assert_eq!(outcome.code, Some(2));
    assert_has(&outcome.stderr, &["error: 1 of 8 files are not sound", "hint: cook them again"]);
    let rows = json_lines(&outcome.stdout);
    assert_eq!(rows.len(), 8);
    let bad: Vec<_> = rows.iter().filter(|row| row["sound"] == false).collect();
    assert_has(bad[0]["file"].as_str().unwrap(), &["cube.obb.bvt"]);
    let outcome = workplace.run("verify missing.bvt --format csv");
    assert_eq!(outcome.code, Some(2));
    assert_has(&outcome.stdout, &["missing.bvt,0,,", "cannot open tree: missing.bvt: "]);
    fs::create_dir(workplace.path("empty")).unwrap();
    assert_has(&workplace.complaint("verify empty"), &["there is no cooked file in the folder empty"]);
}

/// As `cook` reads meshes: links to files are followed and links to folders are not, and extensions have any case.
#[cfg(unix)]
#[test]
fn linked_files_and_capital_extensions_are_verified() {
    use std::os::unix::fs::symlink;
    let workplace = Workplace::new();
    workplace.answer("cook cube.obj -o out -q");
    fs::create_dir(workplace.path("in")).unwrap();
    symlink("../out/cube.obb.bvt", workplace.path("in/linked.bvt")).unwrap();
    symlink("../out", workplace.path("in/folder.bvt")).unwrap();
    fs::copy(workplace.path("out/cube.obb.bvt"), workplace.path("in/CAPITAL.BVT")).unwrap();
    let outcome = workplace.run("verify in");
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), "2 files are sound\n"));
    symlink("gone.bvt", workplace.path("in/lost.bvt")).unwrap();
    assert_has(&workplace.run("verify in").stderr, &["error: 1 of 3 files are not sound"]);
}

#[test]
fn an_origin_far_away_is_kept_in_the_file() {
    let workplace = Workplace::new();
    workplace.write("far.obj", "v 500000000.25 0 0\nv 500000001.25 0 0\nv 500000000.25 1 0\nf 1 2 3\n");
    workplace.answer("cook far.obj -o out -q --origin auto");
    let facts = &json_lines(&workplace.answer("info out/far.obb.bvt --format json"))[0];
    assert_eq!(
        (&facts["origin"], &facts["upper"]),
        (&serde_json::json!([5e8, 0.0, 0.0]), &serde_json::json!([1.25, 1.0, 0.0]))
    );
    let near = &json_lines(&workplace.answer("info far.obj --format json"))[0];
    assert!(near["origin"].is_null());
    assert_eq!(workplace.run("verify out").code, Some(0));
}

#[test]
fn shells_and_man_are_served() {
    let workplace = Workplace::new();
    for shell in ["bash", "zsh", "fish"] {
        assert_has(&workplace.answer(&format!("completions {shell}")), &["bvtree", "cook"]);
    }
    assert_has(&workplace.answer("man"), &[".TH bvtree", "cook"]);
    workplace.answer("man -o pages");
    assert!(workplace.visible("pages").contains(&"bvtree-cook.1".to_owned()));
}
