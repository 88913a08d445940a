//! Every form of OBJ, against the arrays it should give.

use std::io::BufReader;

use bvtree::mesh::Mesh;
use nalgebra::Point3;

use super::{SQUARE, point, read, read_faces, run, vertex_bits};

#[test]
fn every_form_of_corner() {
    for face in ["f 1 2 3", "f 1/1 2/2 3/3", "f 1//1 2//2 3//3", "f 1/1/1 2/2/2 3/3/3", "f -4 -3 -2", "f 1/ 2// +3"] {
        assert_eq!(read_faces(face).unwrap().triangles(), [[0, 1, 2]], "{face}");
    }
    assert_eq!(read_faces("f 1/-9/99 2 -2/-1/-1").unwrap().triangles(), [[0, 1, 2]]);
}

#[test]
fn polygons_are_fans_from_their_first_corner() {
    let mesh = read_faces("f 1 2 3\nf 2 3 4 1\nf 3 4 1\nf 4 3 2 1 2\n").unwrap();
    assert_eq!(mesh.triangles(), [[0, 1, 2], [1, 2, 3], [1, 3, 0], [2, 3, 0], [3, 2, 1], [3, 1, 0], [3, 0, 1]]);
    let polygons: Vec<_> = (0..7).map(|triangle| mesh.polygon(triangle)).collect();
    assert_eq!(polygons, [0, 1, 1, 2, 3, 3, 3]);
    let mesh = read_faces("f 1 2 3\nf 1 3 4\n").unwrap();
    assert_eq!((mesh.polygon(0), mesh.polygon(1)), (0, 1));
}

#[test]
fn negative_indices_count_back_from_the_face() {
    let mesh = read("v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 5 5 5\nf -1 -2 -4\n").unwrap();
    assert_eq!(mesh.triangles(), [[0, 1, 2], [3, 2, 0]]);
}

#[test]
fn faces_may_come_before_their_vertices() {
    assert_eq!(read(format!("f 2 3 4\n{SQUARE}")).unwrap().triangles(), [[1, 2, 3]]);
}

#[test]
fn vertices_keep_their_order_used_or_not() {
    let mesh = read_faces("f 4 2 3\n").unwrap();
    assert_eq!(mesh.vertices(), [point(0., 0., 0.), point(1., 0., 0.), point(1., 1., 0.), point(0., 1., 0.)]);
    assert_eq!(mesh.aabb().lower, Point3::new(0.0, 0.0, 0.0));
    assert_eq!(read_faces("f 2 2 3\n").unwrap().aabb().lower, Point3::new(1.0, 0.0, 0.0));
}

#[test]
fn numbers_are_the_nearest_f32() {
    let mesh = read("v -.5 5. +1e-3\nv 1E30 -1e-45 16777217\nv 0.1 -0 1.00000005960464477540\nf 1 2 3").unwrap();
    let expected = [point(-0.5, 5.0, 1e-3), point(1e30, -1e-45, 16777216.0), point(0.1, -0.0, 1.000_000_1)];
    assert_eq!(vertex_bits(mesh.vertices()), vertex_bits(&expected));
}

#[test]
fn weights_and_colours_of_vertices_are_skipped() {
    let mesh = read("v 1 2 3 0.5\nv 4 5 6 1 0 0\nv 7 8 9 1 0 0 1 # red\nf 1 2 3").unwrap();
    assert_eq!(mesh.vertices(), [point(1., 2., 3.), point(4., 5., 6.), point(7., 8., 9.)]);
}

#[test]
fn other_statements_are_skipped() {
    let other = "mtllib missing.mtl\nusemtl red\nvt 0 0\nvn 0 0 1\nvp 1 2\ns off\np 1 2\nl 1 2 3\nl 1 2 3 4\n\
                 cstype bezier\nvertex 1\nfacet normal 0 0 1\n#f 1 2 3\n\n \t \n";
    let mesh = read_faces(&format!("{other}f 1 2 3\n{other}f 2 3 4\n{other}")).unwrap();
    assert_eq!(mesh.triangles(), [[0, 1, 2], [1, 2, 3]]);
}

#[test]
fn objects_and_groups_are_runs_of_triangles() {
    let mesh = read_faces(
        "f 1 2 3\no body\ng  left part #1 \nf 1 2 3 4\ng left part #1\nf 1 2 3\ng empty\ng\nf 1 2 4\n\tg body\nf 1 3 \
            4\no body\nf 1 2 4\no last",
    )
    .unwrap();
    assert_eq!(mesh.groups(), [run("body/left part #1", 1), run("body", 4)]);
    let names: Vec<_> = (0..7).map(|triangle| mesh.group_of(triangle).map(|group| group.name.as_str())).collect();
    let (left, body) = (Some("body/left part #1"), Some("body"));
    assert_eq!(names, [None, left, left, left, body, body, body]);
    assert_eq!(read_faces("f 1 2 3").unwrap().group_of(0), None);
}

#[test]
fn groups_of_two_objects_may_have_one_name() {
    let text = "g roof\nf 1 2 3\no house\ng roof\nf 1 2 3\no shed\ng roof\nf 1 2 4\ng\nf 1 3 4\no\ng roof\nf 2 3 4\n";
    let mesh = read_faces(text).unwrap();
    let names = ["roof", "house/roof", "shed/roof", "shed", "roof"];
    let expected: Vec<_> = (0..).zip(names).map(|(first, name)| run(name, first)).collect();
    assert_eq!(mesh.groups(), expected);
    assert_eq!(mesh.group_ids().names, ["roof", "house/roof", "shed/roof", "shed"]);
}

#[test]
fn lines_end_in_any_way_and_continue_after_a_backslash() {
    let text =
        "# path C:\\meshes\\\nv 0 0 0 # of C:\\\n  v 1 0 0\nv 0 \\\n1 \\\n 0\ng a\\\nb\nf 1 2\\\n 3 # c\nf 3\t2 1 \n";
    let expected = read(text).unwrap();
    assert_eq!(expected.triangles(), [[0, 1, 2], [2, 1, 0]]);
    assert_eq!(expected.groups(), [run("a b", 0)]);
    for ending in ["\n", "\r\n", "\r"] {
        let text = text.replace('\n', ending);
        assert_eq!(read(&text).unwrap(), expected, "{ending:?}");
        assert_eq!(read(format!("\u{feff}{text}")).unwrap(), expected);
        assert_eq!(read(text.trim_end()).unwrap(), expected);
        for capacity in 1..20 {
            assert_eq!(Mesh::read_obj(BufReader::with_capacity(capacity, text.as_bytes())).unwrap(), expected);
        }
    }
    assert_eq!(read(format!("\u{feff}{SQUARE}f 1 2 3")).unwrap().vertices().len(), 4);
}

#[test]
fn a_statement_may_be_continued_to_the_end_of_the_file() {
    assert_eq!(read_faces("f 1 2 3\\").unwrap().triangles(), [[0, 1, 2]]);
    assert_eq!(read_faces("f 1 2 3 \\\n").unwrap().triangles(), [[0, 1, 2]]);
    // Would not end if every line were to look at all lines before it.
    let corners = "\\\n".repeat(1_000_000) + "f 1 2" + &"\\\n 3".repeat(100_000);
    assert_eq!(read_faces(&corners).unwrap().triangles().len(), 100_000);
}

#[test]
fn names_and_comments_need_not_be_utf8() {
    let mesh = read([b"# caf\xe9\n", SQUARE.as_bytes(), b"g caf\xe9\nf 1 2 3\n"].concat()).unwrap();
    assert_eq!(mesh.groups(), [run("caf\u{fffd}", 0)]);
}
