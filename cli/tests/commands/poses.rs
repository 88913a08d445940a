use super::{Workplace, assert_has};

const GOOD: &str = ",,c,1,0,0,0,0,1,0,0,0,0,1,0";

/// Complaint about a pose file.
fn complaint(content: &str) -> String {
    let workplace = Workplace::new();
    workplace.write("poses.csv", content);
    workplace.complaint("query cube.obj square.obj --poses poses.csv")
}

/// Number of rows that a pose file has.
fn rows(content: &str) -> usize {
    let workplace = Workplace::new();
    workplace.write("poses.csv", content);
    workplace.answer("query cube.obj square.obj --poses poses.csv").lines().count() - 1
}

#[test]
fn comments_blank_lines_and_every_line_ending_are_fine() {
    assert_eq!(rows(&format!("# header\r\n{GOOD}\r\n\r\n{GOOD}")), 2);
    assert_eq!(rows(&format!("\u{feff}# header\n{GOOD}\n# more\n{GOOD}\n")), 2);
    assert_eq!(rows(&format!("# header\n{}\n", GOOD.replace(',', " , "))), 1);
    assert_eq!(rows(&format!("# header\n{}\n", GOOD.replace("1,0,0,0,0,1", "+1.0,0,-0,1e-3,0,1"))), 1);
}

#[test]
fn saved_poses_have_their_labels_and_meshes_of_any_name() {
    let workplace = Workplace::new();
    workplace.write("#1.obj", super::CUBE);
    workplace.write("given.csv", &format!("#\n,,\"a,b\"{}\n", GOOD.strip_prefix(",,c").unwrap()));
    let compare = "compare #1.obj --kind aabb --samples 10 --format csv";
    let measured = workplace.answer(&format!("{compare} --load-poses given.csv --save-poses saved.csv"));
    assert_has(&measured, &[",\"a,b\","]);
    let rows = workplace.answer("query #1.obj #1.obj --poses saved.csv");
    assert_has(&rows, &["row,label,hit,", "\n0,\"a,b\",1,"]);
    workplace.answer(&format!("{compare} --load-poses saved.csv --save-poses again.csv"));
    let [saved, again] = ["saved.csv", "again.csv"].map(|name| std::fs::read(workplace.path(name)).unwrap());
    assert_eq!(saved, again);
}

#[test]
fn no_poses_give_no_rows_and_a_note() {
    let workplace = Workplace::new();
    workplace.write("poses.csv", "# header\n");
    let outcome = workplace.run("query cube.obj square.obj --poses poses.csv");
    assert_eq!(outcome.code, Some(0));
    assert_eq!(outcome.stdout, "row,label,hit,pairs,pairs_checksum,distance\n");
    assert_eq!(outcome.stderr, "note: no poses\n");
}

#[test]
fn wrong_numbers_of_fields_are_named() {
    let text = complaint(&format!("# header\n{GOOD}\na,b,c,1,0\n"));
    assert_has(&text, &["poses.csv, line 3: expected 15 fields, found 5", "hint: a row is mesh_a,mesh_b,label,r00,"]);
    assert_has(&complaint(&format!("#\n{GOOD},0\n")), &["poses.csv, line 2: expected 15 fields, found 16"]);
}

#[test]
fn fields_that_are_no_numbers_are_named() {
    let bad = |from: &str, to: &str| complaint(&format!("# header\n\n{}\n", GOOD.replacen(from, to, 1)));
    assert_has(&bad("1", "one"), &["poses.csv, line 3, field 4 (r00): expected a finite number, found 'one'"]);
    assert_has(&bad("1,0,0,0", "1,0,0,inf"), &["line 3, field 7 (tx)", "'inf'"]);
    assert_has(&bad("1,0,0,0", "1,0,0,"), &["line 3, field 7 (tx)", "''"]);
    assert_has(&bad("1,0,0,0", "1,0,0,1e999"), &["line 3, field 7 (tx)", "'1e999'"]);
    assert_has(&bad("0,0,1,0", "0,0,1,\u{1b}[31m"), &["field 10 (r12)", "\\u{1b}"]);
}

#[test]
fn a_header_without_its_sign_is_recognised() {
    let text = complaint(&format!("mesh_a,mesh_b,label,r00,r01,r02,tx,r10,r11,r12,ty,r20,r21,r22,tz\n{GOOD}\n"));
    assert_has(&text, &["poses.csv, line 1, field 4 (r00)", "hint: a header line starts with '#'"]);
}

#[test]
fn matrices_that_are_no_rotations_are_named() {
    let of = |matrix: &str| complaint(&format!("#\n{GOOD}\na,b,c,{matrix}\n"));
    assert_has(
        &of("2,0,0,0,0,1,0,0,0,0,1,0"),
        &["poses.csv, line 3: the matrix is not a rotation", "hint: fields 4 to 15"],
    );
    assert_has(&of("-1,0,0,0,0,1,0,0,0,0,1,0"), &["poses.csv, line 3: the matrix mirrors"]);
    assert_has(&of("0,0,0,0,0,0,0,0,0,0,0,0"), &["poses.csv, line 3: the matrix is not a rotation"]);
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let workplace = Workplace::new();
    let query = "query cube.obj square.obj --poses";
    assert_has(&workplace.complaint(&format!("{query} none.csv")), &["cannot read poses from none.csv: "]);
    assert_has(&workplace.complaint(&format!("{query} .")), &["cannot read poses from .: "]);
    std::fs::write(workplace.path("binary.csv"), b"# header\n\xff\xfe\n").unwrap();
    assert_has(&workplace.complaint(&format!("{query} binary.csv")), &["binary.csv, line 2: not UTF-8 text"]);
    let outcome = workplace.run_with_stdin(&format!("{query} -"), "a,b\n");
    assert_has(&outcome.complaint(), &["stdin, line 1: expected 15 fields, found 2"]);
}
