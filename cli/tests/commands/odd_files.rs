//! Unusual files: odd names, odd line ends and byte order marks, and runs that continue after a bad file.

use super::{CUBE, SQUARE, Workplace, assert_has, json_lines};

#[test]
fn control_characters_of_names_do_not_reach_a_terminal() {
    let workplace = Workplace::new();
    workplace.write("meshes/red\u{1b}[31m.obj", SQUARE);
    let outcome = workplace.run("cook meshes -o cooked");
    assert_eq!(outcome.code, Some(0), "{outcome:?}");
    assert!(!outcome.stdout.contains('\u{1b}') && !outcome.stderr.contains('\u{1b}'), "{outcome:?}");
    // An open mesh is noted.
    assert_has(&outcome.stderr, &["note: meshes/red\\u{1b}[31m.obj: "]);
    assert_has(&outcome.stdout, &["red\\u{1b}[31m.obb.bvt"]);
    // Those who read CSV get names as they are.
    assert_has(&workplace.answer("cook meshes -o cooked -q --force --format csv"), &["red\u{1b}[31m.obb.bvt"]);
    let outcome = workplace.run("export meshes/red\u{1b}[31m.obj -o red\u{1b}[31m.glb");
    assert_has(&outcome.stderr, &["wrote red\\u{1b}[31m.glb: level ", " of meshes/red\\u{1b}[31m.obj, "]);
    workplace.write("poses.csv", "#\n,,a\u{7}b,1,0,0,0,0,1,0,0,0,0,1,0\n");
    let text = workplace.answer("query cube.obj cube.obj --poses poses.csv --format text");
    assert!(text.contains("a\\u{7}b") && !text.contains('\u{7}'), "{text}");
}

#[test]
fn rows_may_end_as_on_any_machine() {
    let workplace = Workplace::new();
    let rows = "# poses\n,,one,1,0,0,0,0,1,0,0,0,0,1,0\n\n,,two,1,0,0,9,0,1,0,0,0,0,1,0\n";
    let mut answers = Vec::new();
    for end in ["\n", "\r\n", "\r"] {
        workplace.write("poses.csv", &rows.replace('\n', end));
        answers.push(workplace.answer("query cube.obj cube.obj --poses poses.csv --format csv"));
        workplace.write("wrong.csv", &(rows.to_owned() + ",,three,x\n").replace('\n', end));
        assert_has(
            &workplace.complaint("query cube.obj cube.obj --poses wrong.csv"),
            &["wrong.csv, line 5: expected 15"],
        );
    }
    assert_has(&answers[0], &["0,one,1,", "1,two,0,"]);
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
}

#[test]
fn manifests_may_begin_with_a_mark_and_come_from_stdin() {
    let workplace = Workplace::new();
    let plant = "\u{feff}{\"bodies\": [{\"name\": \"a\", \"mesh\": \"cube.obj\"}, \
        {\"name\": \"b\", \"mesh\": \"square.obj\"}]}";
    workplace.write("plant.json", plant);
    let rows = workplace.answer("clash plant.json -q --format csv");
    assert_eq!(rows.lines().count(), 2, "{rows}");
    assert_eq!(workplace.run_with_stdin("clash - -q --format csv", plant).stdout, rows);
    workplace.write("before.csv", &format!("\u{feff}{rows}"));
    assert_has(&workplace.run("clash plant.json --baseline before.csv --format csv").stderr, &["1 same"]);
    workplace.write("cook.toml", "\u{feff}output = \"cooked\"\n[[asset]]\ninput = \"cube.obj\"\n");
    workplace.answer("cook --manifest cook.toml -q");
    assert_eq!(workplace.visible("cooked"), ["cube.obb.bvt"]);
}

#[test]
fn nothing_to_compare_is_noted() {
    let workplace = Workplace::new();
    workplace.write("none.json", "{\"bodies\": []}");
    workplace.write("one.json", "{\"bodies\": [{\"name\": \"a\", \"mesh\": \"cube.obj\"}]}");
    for (name, said) in [("none", "there is no body"), ("one", "there is one body")] {
        let outcome = workplace.run(&format!("clash {name}.json --format csv"));
        assert_eq!(outcome.stderr, format!("note: {said}: nothing to compare\n0 clashes\n"));
    }
    assert_eq!(workplace.run("clash none.json -q").stderr, "");
}

#[cfg(target_os = "linux")]
#[test]
fn a_name_that_is_not_utf8_fails_alone() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let workplace = Workplace::new();
    workplace.write("meshes/a.obj", CUBE);
    workplace.write("meshes/z.obj", CUBE);
    std::fs::write(workplace.path("meshes").join(OsStr::from_bytes(b"caf\xe9.obj")), CUBE).unwrap();
    // Longer than any file's name may be, once `.obb.bvt` stands at its end.
    workplace.write(&format!("meshes/{}.obj", "n".repeat(250)), CUBE);
    let outcome = workplace.run("cook meshes -o cooked --format json -q");
    assert_eq!((outcome.code, json_lines(&outcome.stdout).len()), (Some(2), 2), "{outcome:?}");
    assert_has(&outcome.stderr, &["its path is not UTF-8", "File name too long"]);
    assert_eq!(workplace.visible("cooked"), ["a.obb.bvt", "z.obb.bvt"]);
    let again = workplace.run("cook meshes -o cooked");
    assert_has(&again.stderr, &["0 cooked, 2 unchanged, 2 failed"]);
}
