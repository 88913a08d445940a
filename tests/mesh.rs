//! Meshes: OBJ in all its forms against expected arrays and against `tobj`, errors with their lines, hostile input,
//! the report against counting by definition, the digest against its documented bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use crate::dataset_folder::dataset;
use bvtree::mesh::{Boundary, Group, Mesh, MeshError, ObjProblem};
use bvtree::{BuildOptions, BvTree};
use nalgebra::Point3;
use proptest::collection::vec;
use proptest::prelude::*;

const CASES: u32 = if cfg!(debug_assertions) { 200 } else { 5000 };

fn read(text: impl AsRef<[u8]>) -> Result<Mesh, MeshError> {
    Mesh::read_obj(text.as_ref())
}

/// Four vertices, on lines 1 to 4.
const SQUARE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

fn read_faces(faces: &str) -> Result<Mesh, MeshError> {
    read(format!("{SQUARE}{faces}"))
}

fn problem(text: impl AsRef<[u8]>) -> (u64, ObjProblem) {
    match read(text) {
        Err(MeshError::Obj { line, problem }) => (line, problem),
        other => panic!("expected an error with its line, got {other:?}"),
    }
}

fn run(name: &str, first_triangle: u32) -> Group {
    Group { name: name.into(), first_triangle }
}

fn point(x: f32, y: f32, z: f32) -> Point3<f32> {
    Point3::new(x, y, z)
}

/// Tells -0.0 from 0.0.
fn vertex_bits(vertices: &[Point3<f32>]) -> Vec<u32> {
    vertices.iter().flat_map(|v| [v.x.to_bits(), v.y.to_bits(), v.z.to_bits()]).collect()
}

// Forms of OBJ

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
        "f 1 2 3\no body\ng  left part #1 \nf 1 2 3 4\ng left part #1\nf 1 2 3\ng empty\ng\nf 1 2 4\n\tg body\nf 1 3 4\no body\nf 1 2 4\no last",
    )
    .unwrap();
    assert_eq!(mesh.groups(), [run("left part #1", 1), run("", 4), run("body", 5)]);
    let names: Vec<_> = (0..7).map(|triangle| mesh.group_of(triangle).map(|group| group.name.as_str())).collect();
    let left = Some("left part #1");
    assert_eq!(names, [None, left, left, left, Some(""), Some("body"), Some("body")]);
    assert_eq!(read_faces("f 1 2 3").unwrap().group_of(0), None);
}

#[test]
fn lines_end_in_any_way_and_continue_after_a_backslash() {
    let text = "# path C:\\meshes\\\nv 0 0 0\n  v 1 0 0\nv 0 \\\n1 \\\n 0\ng a\\\nb\nf 1 2\\\n 3 # c\nf 3\t2 1 \n";
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

// Errors

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
fn arrays_are_checked() {
    let vertices = vec![point(0., 0., 0.), point(1., 0., 0.)];
    let error = |vertices: &[Point3<f32>], triangles: &[[u32; 3]], polygons: &[u32], groups: &[Group]| {
        Mesh::from_parts(vertices.into(), triangles.into(), polygons.into(), groups.into()).unwrap_err().to_string()
    };
    for x in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        let vertices = [vertices[0], point(0., x, 0.)];
        assert_eq!(error(&vertices, &[], &[], &[]), "vertex 1 has a coordinate that is not finite");
    }
    assert_eq!(
        error(&vertices, &[[0, 1, 1], [0, 2, 1]], &[], &[]),
        "face 1 refers to vertex 2, but there are 2 vertices, counted from 0"
    );
    assert_eq!(error(&vertices, &[[0, 1, 1]], &[0, 0], &[]), "2 polygon numbers are given for 1 triangles");
    for groups in [&[run("a", 1)][..], &[run("a", 0), run("b", 0)], &[run("a", u32::MAX)]] {
        assert!(error(&vertices, &[[0, 1, 1]], &[], groups).starts_with("group 0 is empty"), "{groups:?}");
    }
    let mesh = Mesh::from_parts(vertices.clone(), vec![[0, 1, 1]; 2], vec![0, 1], vec![run("a", 1)]).unwrap();
    let plain = Mesh::from_arrays(vertices, vec![[0, 1, 1]; 2]).unwrap();
    assert_ne!(mesh, plain);
    assert_eq!((mesh.group_of(0), mesh.group_of(1)), (None, Some(&run("a", 1))));
    let empty = Mesh::from_arrays(vec![], vec![]).unwrap();
    assert!(empty.aabb().lower.x > empty.aabb().upper.x);
}

// Random files

/// A mesh, one of the ways to write it as an OBJ file, with LF, and an ending of lines to use instead.
fn mesh_and_obj() -> impl Strategy<Value = (Mesh, String, &'static str)> {
    let coordinate = prop_oneof![any::<f32>().prop_filter("finite", |x| x.is_finite()), (-9..9i8).prop_map(f32::from)];
    let vertices = vec(coordinate, 3..60).prop_map(|c| c.chunks_exact(3).map(Point3::from_slice).collect::<Vec<_>>());
    let face = (vec(any::<prop::sample::Index>(), 3..7), 0..5u8, prop::option::weighted(0.2, "[a-c]{0,1}"), 0..8u8);
    (vertices, vec(face, 1..20), 0..3usize).prop_map(|(vertices, faces, ending)| {
        let mut obj = String::new();
        let (mut triangles, mut polygons, mut groups) = (vec![], vec![], Vec::<Group>::new());
        for v in &vertices {
            writeln!(obj, "v {} {:e} {}", v.x, v.y, v.z).unwrap();
        }
        for (polygon, (corners, form, group, noise)) in faces.iter().enumerate() {
            if let Some(name) = group {
                writeln!(obj, "{} {name}", if noise % 2 == 0 { "g" } else { "o" }).unwrap();
                if groups.last().is_none_or(|last| last.name != *name) {
                    groups.push(run(name, triangles.len() as u32));
                }
            }
            obj += ["# f 1 2 3\n", "vt 0 0\n", "usemtl m\n", "\n", "l 1 1\n", "", "", ""][usize::from(*noise)];
            let corners: Vec<_> = corners.iter().map(|corner| corner.index(vertices.len())).collect();
            obj += " f";
            for &corner in &corners {
                let one_based = corner + 1;
                match form {
                    0 => write!(obj, " {one_based}"),
                    1 => write!(obj, " -{}", vertices.len() - corner),
                    2 => write!(obj, "\t{one_based}//7"),
                    3 => write!(obj, "  {one_based}/3/{one_based}"),
                    _ => writeln!(obj, " {one_based}/4 \\"),
                }
                .unwrap();
            }
            obj += "\n";
            for pair in corners[1..].windows(2) {
                triangles.push([corners[0] as u32, pair[0] as u32, pair[1] as u32]);
                polygons.push(polygon as u32);
            }
        }
        (Mesh::from_parts(vertices, triangles, polygons, groups).unwrap(), obj, ["\n", "\r\n", "\r"][ending])
    })
}

/// Bytes that are likely to make statements.
fn hostile_bytes() -> impl Strategy<Value = Vec<u8>> {
    let word = prop::sample::select(vec![
        "v ",
        "f ",
        "g ",
        "o ",
        "v 0 0 1\n",
        "v 1 2 3\n",
        "f 1 2 3\n",
        "f -1 -2 -1\n",
        "1 ",
        "2 ",
        "-1 ",
        "-2/",
        "//",
        "0 ",
        "1e99 ",
        "\\\n",
        "\\",
        "\r",
        "\n",
        "#",
        "\u{feff}",
        "é",
        "9999999999 ",
        "-9223372036854775808 ",
        "l 1 2 3\n",
    ]);
    let part = prop_oneof![9 => word.prop_map(|w| w.as_bytes().to_vec()), 1 => vec(any::<u8>(), 0..4)];
    vec(part, 0..60).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_written_mesh_reads_back_as_it_was((mesh, obj, ending) in mesh_and_obj()) {
        let again = read(obj.replace('\n', ending)).unwrap();
        prop_assert_eq!(vertex_bits(again.vertices()), vertex_bits(mesh.vertices()));
        prop_assert_eq!(again, mesh);
    }

    #[test]
    fn a_bad_line_is_named((_, obj, ending) in mesh_and_obj(), at in any::<prop::sample::Index>()) {
        let mut lines: Vec<_> = obj.lines().collect();
        let starts: Vec<_> = (0..=lines.len()).filter(|&i| i == 0 || !lines[i - 1].ends_with('\\')).collect();
        let at = starts[at.index(starts.len())];
        lines.insert(at, "v bad");
        prop_assert_eq!(problem(lines.join(ending)).0, at as u64 + 1);
    }

    #[test]
    fn a_cut_file_gives_a_mesh_or_an_error((mesh, obj, _) in mesh_and_obj(), at in any::<prop::sample::Index>()) {
        if let Ok(cut) = read(&obj[..at.index(obj.len())]) {
            prop_assert!(cut.triangles().len() <= mesh.triangles().len());
        }
    }

    #[test]
    fn any_bytes_give_a_valid_mesh_or_an_error(bytes in hostile_bytes()) {
        if let Ok(mesh) = read(&bytes) {
            let polygons = (0..mesh.triangles().len() as u32).map(|triangle| mesh.polygon(triangle)).collect();
            let parts = (mesh.vertices().to_vec(), mesh.triangles().to_vec(), mesh.groups().to_vec());
            prop_assert_eq!(Mesh::from_parts(parts.0, parts.1, polygons, parts.2).unwrap(), mesh);
        }
    }
}

// The report

/// Counts by definition: points by value, edges in a map, components by merging sets.
fn assert_report_is_right(mesh: &Mesh, collinear: impl Fn(&[Point3<f32>; 3]) -> bool) {
    let key = |p: &Point3<f32>| [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits());
    let (mut zero_area, mut duplicates) = (0, 0);
    let (mut seen, mut edges) = (BTreeSet::new(), BTreeMap::<_, Vec<bool>>::new());
    let mut components: Vec<BTreeSet<[u32; 3]>> = vec![];
    for triangle in mesh.triangles() {
        let corners = triangle.map(|index| mesh.vertices()[index as usize]);
        zero_area += usize::from(collinear(&corners));
        let [a, b, c] = corners.each_ref().map(key);
        let set = BTreeSet::from([a, b, c]);
        let mut sorted = [a, b, c];
        sorted.sort();
        duplicates += usize::from(!seen.insert(sorted));
        if set.len() == 3 {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                edges.entry((from.min(to), from.max(to))).or_default().push(from < to);
            }
        }
        let (touched, mut apart): (Vec<_>, Vec<_>) = components.into_iter().partition(|c| !c.is_disjoint(&set));
        apart.push(touched.into_iter().fold(set, |union, component| &union | &component));
        components = apart;
    }
    let count = |condition: fn(&[bool]) -> bool| edges.values().filter(|uses| condition(uses)).count();
    let report = mesh.report();
    assert_eq!(report.triangles, mesh.triangles().len());
    assert_eq!(report.vertices, mesh.vertices().len());
    assert_eq!(report.distinct_vertices, mesh.vertices().iter().map(key).collect::<BTreeSet<_>>().len());
    assert_eq!(report.zero_area_triangles, zero_area);
    assert_eq!(report.duplicate_triangles, duplicates);
    assert_eq!(report.open_edges, count(|uses| uses.len() == 1));
    assert_eq!(report.non_manifold_edges, count(|uses| uses.len() > 2));
    assert_eq!(report.inconsistent_edges, count(|uses| uses.len() == 2 && uses[0] == uses[1]));
    assert_eq!(report.components, components.len());
    let unbalanced = count(|uses| 2 * uses.iter().filter(|&&forward| forward).count() != uses.len());
    let boundary = match (count(|uses| uses.len() % 2 == 1), unbalanced) {
        (0, 0) => Boundary::Oriented,
        (0, _) => Boundary::Unoriented,
        _ => Boundary::Open,
    };
    assert_eq!((report.boundary, mesh.boundary()), (boundary, boundary));
    assert_eq!(BvTree::build(mesh, &BuildOptions::default()).unwrap().boundary(), boundary);
}

/// Exact for small integer coordinates.
fn collinear_on_grid(corners: &[Point3<f32>; 3]) -> bool {
    (corners[1] - corners[0]).cross(&(corners[2] - corners[0])).norm_squared() == 0.0
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_report_counts_right(
        coordinates in vec([-1..2i8, -1..2i8, -1..2i8], 1..40),
        corners in vec(any::<[prop::sample::Index; 3]>(), 0..60),
        negative_zero: bool,
    ) {
        let zero = if negative_zero { -0.0 } else { 0.0 };
        let mut vertices: Vec<_> = coordinates.iter().map(|c| Point3::from(c.map(f32::from))).collect();
        vertices[0].iter_mut().filter(|x| **x == 0.0).for_each(|x| *x = zero);
        let triangles = corners.iter().map(|t| t.map(|corner| corner.index(vertices.len()) as u32)).collect();
        assert_report_is_right(&Mesh::from_arrays(vertices, triangles).unwrap(), collinear_on_grid);
    }
}

#[test]
fn zero_area_is_decided_exactly() {
    let zero_area = |corners: [[f32; 3]; 3]| {
        let mesh = Mesh::from_arrays(corners.map(Point3::from).into(), vec![[0, 1, 2]]).unwrap();
        mesh.report().zero_area_triangles == 1
    };
    assert!(!zero_area([[0.0, 0.0, 0.0], [1e-45, 0.0, 0.0], [0.0, 1e-45, 0.0]]));
    assert!(!zero_area([[0.0, f32::MAX, 0.0], [f32::MAX, 0.0, 0.0], [f32::MIN, 0.0, f32::MIN]]));
    // f64 differences lose the first corner's coordinate.
    assert!(!zero_area([[1e-30, 0.0, 0.0], [1e30, 1e30, 0.0], [-1e30, -1e30, 0.0]]));
    assert!(zero_area([[0.0, 0.0, 0.0], [1e30, 1e30, 1e30], [-1e-30, -1e-30, -1e-30]]));
    assert!(zero_area([[1.5, 2.0, 3.0], [1.5, 2.0, 3.0], [1.5, 2.0, 3.0]]));
    assert!(!zero_area([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]));
    assert!(!zero_area([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.000_000_1]]));
}

/// No edge is open, but the wall between the two halves ends at edges of three triangles: neither half is inside.
#[test]
fn a_bipyramid_with_an_inner_wall_is_not_closed() {
    let bipyramid = "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 1 1 2\nv 1 1 -2
f 1 2 4\nf 2 3 4\nf 3 1 4\nf 2 1 5\nf 3 2 5\nf 1 3 5\n";
    let of = |text: &str| read(text).unwrap();
    assert_eq!(of(bipyramid).report().boundary, Boundary::Oriented);
    let report = of(&format!("{bipyramid}f 1 2 3\n")).report();
    assert_eq!((report.open_edges, report.non_manifold_edges), (0, 3));
    assert!(!report.is_closed());
    // Two walls make chambers that a path crosses in pairs.
    let report = of(&format!("{bipyramid}f 1 2 3\nf 1 3 2\n")).report();
    assert_eq!((report.boundary, report.is_closed()), (Boundary::Oriented, true));
}

#[test]
fn the_report_is_readable() {
    let report = read_faces("f 1 2 3 4\nf 1 2 1\n").unwrap().report();
    assert!(!report.is_closed() && report.is_edge_manifold());
    assert_eq!(
        report.to_string(),
        "\
triangles                     3
vertices                      4
distinct vertices             4
zero-area triangles           1
duplicate triangles           0
open edges                    4
non-manifold edges            0
inconsistent edges            0
components                    1
closed                       no"
    );
    assert!(Mesh::from_arrays(vec![], vec![]).unwrap().report().is_closed());
}

// The digest

#[test]
fn the_digest_is_of_the_documented_bytes() {
    let mesh = read_faces("f 1 2 3 4\ng h\u{e9}\nf 4 3 2\n").unwrap();
    let mut bytes = vec![];
    for count in [4u64, 3, 3, 1] {
        bytes.extend(count.to_le_bytes());
    }
    for x in [0f32, 0., 0., 1., 0., 0., 1., 1., 0., 0., 1., 0.] {
        bytes.extend(x.to_le_bytes());
    }
    for index in [0u32, 1, 2, 0, 2, 3, 3, 2, 1, 0, 0, 1, 2] {
        bytes.extend(index.to_le_bytes());
    }
    bytes.extend(3u64.to_le_bytes());
    bytes.extend("h\u{e9}".as_bytes());
    assert_eq!(mesh.digest(), xxhash_rust::xxh3::xxh3_128(&bytes));
}

#[test]
fn the_digest_tells_meshes_apart() {
    let large = |first: f32| {
        let vertices: Vec<_> = (0..5000).map(|i| point(if i == 4321 { first } else { 1.0 }, i as f32, 0.0)).collect();
        Mesh::from_arrays(vertices, vec![[0, 1, 4999]]).unwrap().digest()
    };
    let faces =
        ["f 1 2 3", "f 1 3 2", "f 1 2 3 4", "f 1 2 3\nf 1 3 4", "g a\nf 1 2 3", "g b\nf 1 2 3", "v 0 0 0\nf 1 2 3"];
    let mut digests: BTreeSet<_> = faces.iter().map(|faces| read_faces(faces).unwrap().digest()).collect();
    digests.extend([large(0.0), large(-0.0), Mesh::from_arrays(vec![], vec![]).unwrap().digest()]);
    assert_eq!(digests.len(), faces.len() + 3);
    assert_eq!(large(0.0), large(0.0));
}

// The dataset

fn obj_files(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "obj"));
    paths.sort();
    assert!(!paths.is_empty());
    paths
}

#[test]
fn the_dataset_reads_as_tobj_reads_it() {
    let Some(dataset) = dataset() else { return };
    for path in obj_files(&dataset.join("meshes")).into_iter().chain(obj_files(&dataset.join("raw"))) {
        let mesh = Mesh::load_obj(&path).unwrap();
        let options = tobj::LoadOptions { ignore_lines: true, ..Default::default() };
        let no_materials = |_: &Path| Err(tobj::LoadError::OpenFileFailed);
        let file = fs::read(&path).unwrap();
        let (models, _) = tobj::load_obj_buf(&mut file.as_slice(), &options, no_materials).unwrap();

        let mut corners = mesh.triangles().iter().flatten().map(|&index| mesh.vertices()[index as usize]);
        let (mut triangle, mut polygon) = (0, 0);
        for model in models {
            let positions: Vec<_> = model.mesh.positions.chunks_exact(3).map(Point3::from_slice).collect();
            let arities = model.mesh.face_arities.iter().copied();
            let arities = arities.chain(std::iter::repeat(3)).take(match model.mesh.face_arities.len() {
                0 => model.mesh.indices.len() / 3,
                polygons => polygons,
            });
            let mut indices = model.mesh.indices.iter().map(|&index| positions[index as usize]);
            for arity in arities {
                let face: Vec<_> = indices.by_ref().take(arity as usize).collect();
                for pair in face[1..].windows(2) {
                    let fan: Vec<_> = corners.by_ref().take(3).collect();
                    assert_eq!(fan, [face[0], pair[0], pair[1]], "{} {triangle}", path.display());
                    assert_eq!(mesh.polygon(triangle), polygon);
                    if model.name != "unnamed_object" {
                        assert_eq!(mesh.group_of(triangle).unwrap().name, model.name);
                    }
                    triangle += 1;
                }
                polygon += 1;
            }
            assert_eq!(indices.next(), None);
        }
        assert_eq!(mesh.triangles().len(), triangle as usize, "{}", path.display());
    }
}

#[test]
fn the_dataset_has_the_defects_its_readme_tells() {
    let Some(dataset) = dataset() else { return };
    for path in obj_files(&dataset.join("meshes")) {
        let name = path.file_stem().unwrap().to_str().unwrap();
        let report = Mesh::load_obj(&path).unwrap().report();
        println!("{name}\n{report}\n");
        match name {
            "stanford-bunny" => assert_eq!(report.open_edges, 223),
            "beetle-alt" => assert_eq!(report.open_edges, 1136),
            _ => {}
        }
        let open = ["stanford-bunny", "beetle-alt", "suzanne", "teapot", "truck", "fcl-env", "fcl-rob"];
        assert_eq!(report.is_closed(), !open.contains(&name), "{name}");
        assert_eq!(report.is_edge_manifold(), !["suzanne", "truck", "fcl-rob"].contains(&name), "{name}");
        let components = [("teapot", 3), ("truck", 50), ("fcl-env", 85), ("fcl-rob", 4)];
        if let Some((_, components)) = components.iter().find(|(other, _)| *other == name) {
            assert_eq!(report.components, *components, "{name}");
        }
        assert_eq!(report.zero_area_triangles, 0, "{name}");
    }
}
