use super::{complaint, read};

const POINTS: &str = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n";

#[test]
fn forms_of_off() {
    let faces = "4 0 1 2 3\n3 0 1 2\n";
    for file in [
        format!("OFF\n4 2 0\n{POINTS}{faces}"),
        format!("# first\n\nOFF 4 2 5 # counts\r\n{}{faces}", POINTS.replace('\n', "\r\n\n")),
        format!("OFF4 2 0\n{POINTS}{faces}"),
        format!("STCNOFF\n4 2\n{}{faces}", POINTS.replace(" 0\n", " 0 0 0 1 255 0 0\n")),
    ] {
        let mesh = read("a.off", &file).unwrap();
        assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3], [0, 1, 2]], "{file}");
        assert_eq!([0, 1, 2].map(|face| mesh.polygon(face)), [0, 0, 1]);
        assert_eq!((mesh.vertices().len(), mesh.groups().len()), (4, 0));
    }
}

#[test]
fn errors_name_the_place() {
    let body = |body: &str| complaint("a.off", format!("OFF\n4 1 0\n{POINTS}{body}"));
    assert_eq!(
        body("4 0 1 2"),
        "line 7: expected face 0 of 1: 4 vertices, each from 0 to 3, found the end of the line"
    );
    assert_eq!(body("3 0 1 4"), "line 7: expected face 0 of 1: 3 vertices, each from 0 to 3, found `4`");
    assert_eq!(body("3 0 1 -1"), "line 7: expected face 0 of 1: 3 vertices, each from 0 to 3, found `-1`");
    assert_eq!(body("2 0 1"), "line 7: expected face 0 of 1: a number of corners, at least 3, found `2`");
    assert_eq!(
        body(""),
        "line 6: expected face 0 of 1: its number of corners and their vertices, found the end of the file"
    );
    assert_eq!(
        complaint("a.off", "OFF\n1 0 0\n0 0"),
        "line 3: expected three finite coordinates of vertex 0 of 1, found the end of the line"
    );
    assert_eq!(
        complaint("a.off", "OFF\n1 0 0\n0 0 1e39"),
        "line 3: expected three finite coordinates of vertex 0 of 1, found `1e39`"
    );
    assert_eq!(complaint("a.off", "OFF\n0 0 0"), "the OFF file has no faces");
    assert_eq!(complaint("a.off", "OFF\nx"), "line 2: expected the numbers of vertices and of faces, found `x`");
    assert_eq!(complaint("a.off", "4 1 0\n"), "line 1: expected `OFF`, or a form of it such as `COFF`, found `4`");
    assert_eq!(
        complaint("a.off", "# nothing"),
        "line 1: expected `OFF`, or a form of it such as `COFF`, found the end of the file"
    );
    assert_eq!(complaint("a.off", "4OFF\n"), "OFF files of four dimensions or more are not read");
    assert!(complaint("a.off", "OFF BINARY\n").starts_with("binary OFF files are not read"));
}
