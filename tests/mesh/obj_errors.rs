//! Errors of OBJ files, with the line and the file.

use std::fs;
use std::path::Path;

use bvtree::mesh::{GroupBy, Mesh, MeshError, ObjProblem, ReadOptions};

use super::{SQUARE, problem, read};

#[test]
fn errors_name_the_line_and_what_was_expected() {
    let text = |(line, problem): (u64, ObjProblem)| format!("{line}: {problem}");
    let in_face = |face: &str| text(problem(format!("{SQUARE}{face}")));
    let corner = "expected a corner such as 7, 7/1, 7//3 or 7/1/3, found";
    assert_eq!(text(problem("\n\nv 1 2\n")), "3: expected three coordinates after `v`, found the end of the line");
    assert_eq!(text(problem("v\n")), "1: expected three coordinates after `v`, found the end of the line");
    assert_eq!(text(problem("v 1 2 # 3")), "1: expected three coordinates after `v`, found the end of the line");
    assert_eq!(text(problem("v 1,5 2 3")), "1: expected three coordinates after `v`, found `1,5`");
    assert_eq!(text(problem(b"#\r\nv 1 2 \xff")), "2: expected three coordinates after `v`, found `\u{fffd}`");
    assert_eq!(text(problem("v 1 nan 3")), "1: expected coordinates that are finite in f32, found `nan`");
    assert_eq!(text(problem("v 1 2 -1e39")), "1: expected coordinates that are finite in f32, found `-1e39`");
    assert_eq!(in_face("\nf 1 2"), "6: expected at least three corners after `f`, found 2");
    assert_eq!(in_face("f"), "5: expected at least three corners after `f`, found 0");
    assert_eq!(in_face("f 1 2 x\nf"), format!("5: {corner} `x`"));
    assert_eq!(in_face("f 1 2 /1"), format!("5: {corner} `/1`"));
    assert_eq!(in_face("f 1 2 3/x"), format!("5: {corner} `3/x`"));
    assert_eq!(in_face("f 1 2 3/1/1/1"), format!("5: {corner} `3/1/1/1`"));
    assert_eq!(in_face("f 1 2 3.0"), format!("5: {corner} `3.0`"));
    assert_eq!(in_face(&format!("f 1 2 {}", "9".repeat(99))), format!("5: {corner} `{}...`", "9".repeat(32)));
    assert_eq!(in_face("f 1 0 2"), "5: expected vertex indices counted from 1, or backwards from -1, found 0");
    assert_eq!(in_face("f 1 2 5"), "5: vertex index 5 is out of range: there are 4 vertices");
    assert_eq!(in_face("f 1 2 6\nf 1 2 7\nf 1 2 7"), "6: vertex index 7 is out of range: there are 4 vertices");
    assert_eq!(
        in_face("f 1 2 -5\nv 1 1 1"),
        "5: vertex index -5 is out of range: there are 4 vertices before this line"
    );
    for giant in [u64::from(u32::MAX), 1 << 32, (1 << 32) + 1, 1 << 62, i64::MAX as u64] {
        assert_eq!(
            in_face(&format!("f 1 2 {giant}")),
            format!("5: vertex index {giant} is out of range: there are 4 vertices")
        );
    }
    assert!(in_face(&format!("f 1 2 {}", i64::MIN)).contains("before this line"));
    assert_eq!(problem("\r\n\n\r\r\n\n\rv").0, 7, "every mixture of line endings");
    assert_eq!(text(problem("v 0 0 0\r\rf \\\r\n1 \\\r\nx")).split(':').next(), Some("3"), "first line of a statement");
}

#[test]
fn a_file_without_faces_is_an_error() {
    for text in ["", "\n", "\\", SQUARE, "solid cube\nfacet normal 0 0 1\n", "\0\0\0", "ply\nformat ascii 1.0\n"] {
        assert!(matches!(read(text), Err(MeshError::NoFaces)), "{text:?}");
    }
}

#[test]
fn errors_name_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gear.obj");
    let error = Mesh::load_obj(&path).unwrap_err();
    assert!(matches!(&error, MeshError::File { error, .. } if matches!(**error, MeshError::Io(_))), "{error:?}");
    fs::write(&path, "v 1 2 3\nf 1 1\n").unwrap();
    let error = Mesh::load_obj(&path).unwrap_err().to_string();
    assert_eq!(error, format!("{}: line 2: expected at least three corners after `f`, found 2", path.display()));
    fs::write(&path, "v 1 2 3\nf 1 1 1\n").unwrap();
    assert_eq!(Mesh::load_obj(&path).unwrap().triangles(), [[0, 0, 0]]);
}

#[test]
fn long_names_of_groups_are_limited() {
    let long = "A".repeat(1 << 20);
    let with = |content: &str, group_by| {
        let file = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\n{content}");
        let options = ReadOptions { group_by, ..ReadOptions::default() };
        Mesh::read_with(file.as_bytes(), Path::new("a.obj"), &options).map(|import| import.mesh.groups().len())
    };
    let alternating = "g a\nf 1 2 3\ng b\nf 1 2 3\n";
    let of_object = format!("o {long}\n{}", alternating.repeat(70));
    let materials = format!("g {long}\n{}", "usemtl a\nf 1 2 3\nusemtl b\nf 1 2 3\n".repeat(70));
    for (content, group_by) in [(&of_object, GroupBy::Object), (&of_object, GroupBy::Both), (&materials, GroupBy::Both)]
    {
        let error = with(content, group_by).unwrap_err();
        assert!(matches!(error, MeshError::LongNames { allowed } if allowed == 1 << 27), "{error}");
    }
    assert_eq!(with(&of_object, GroupBy::Material).unwrap(), 0);
    // The same group again is no other name, however often.
    let same = format!("o {long}\n{}", "g a\nf 1 2 3\n".repeat(300));
    assert_eq!(with(&same, GroupBy::Object).unwrap(), 1);
    // The same group of another object is another one.
    assert_eq!(with("o x\ng a\nf 1 2 3\no y\ng a\nf 1 2 3\ng\nf 1 2 3\n", GroupBy::Object).unwrap(), 3);
}
