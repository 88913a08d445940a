use super::{complaint, read};
use bvtree::mesh::{GroupBy, ReadOptions};

const FACET: &str = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";

#[test]
fn solids_are_groups() {
    let text = format!(
        "solid  left part \n{FACET}{FACET}endsolid left\r\nSOLID\n{FACET}ENDSOLID\nsolid right\n{FACET}endsolid"
    );
    let mesh = read("a.stl", text).unwrap();
    assert_eq!(mesh.triangles(), [[0, 1, 2]; 4]);
    let groups: Vec<_> = mesh.groups().iter().map(|group| (group.name.as_str(), group.first_triangle)).collect();
    assert_eq!(groups, [("left part", 0), ("", 2), ("right", 3)]);
    let unnamed = format!("solid\n{FACET}endsolid\nsolid a\n{FACET}endsolid");
    let groups: Vec<_> = read("a.stl", unnamed).unwrap().groups().iter().map(|group| group.first_triangle).collect();
    assert_eq!(groups, [1]);
    let options = ReadOptions { group_by: GroupBy::Material, weld: Some(false), ..ReadOptions::default() };
    let mesh = super::read_with("a.stl", format!("solid a\n{FACET}endsolid"), &options).unwrap().mesh;
    assert_eq!((mesh.groups().len(), mesh.vertices().len()), (0, 3));
}

#[test]
fn errors_name_the_place() {
    let text = |body: &str| complaint("a.stl", format!("solid a\n{body}"));
    assert_eq!(text(""), "line 1: expected `facet` or `endsolid`, found the end of the file");
    assert_eq!(text("endsolid"), "the STL file has no faces");
    assert_eq!(text(&format!("{FACET}facet abnormal")), "line 9: expected `normal`, found `abnormal`");
    assert_eq!(
        text(&FACET.replace("1 0 0", "1 x 0")),
        "line 5: expected three finite numbers after `vertex`, found `x`"
    );
    assert_eq!(
        text(&FACET.replace("1 0 0", "1 inf 0")),
        "line 5: expected three finite numbers after `vertex`, found `inf`"
    );
    assert_eq!(text(&FACET.replace("endloop", "vertex 0 0 0")), "line 7: expected `endloop`, found `vertex`");
    assert_eq!(text(&format!("{FACET}endsolid\nv")), "line 10: expected `solid`, or the end of the file, found `v`");
    let binary = |count: u32, triangles: usize, extra: usize| {
        let mut bytes = vec![0; 80];
        bytes.extend(count.to_le_bytes());
        bytes.resize(84 + 50 * triangles + extra, 0);
        bytes
    };
    assert_eq!(complaint("a.stl", binary(2, 1, 20)), "byte 146: expected triangle 1 of 2, found the end of the file");
    assert_eq!(
        complaint("a.stl", binary(1, 1, 1)),
        "byte 134: expected the end of the file after 1 triangles, found more bytes"
    );
    assert_eq!(complaint("a.stl", binary(0, 0, 0)), "the STL file has no faces");
    let mut nan = binary(1, 1, 0);
    nan[100..104].copy_from_slice(&f32::NAN.to_le_bytes());
    assert_eq!(complaint("a.stl", nan), "byte 96: expected coordinates that are finite in f32, found [0.0, NaN, 0.0]");
    assert!(
        complaint("a.stl", [0; 9])
            .starts_with("byte 0: expected a header of 80 bytes, or a text that begins with `solid`")
    );
}
