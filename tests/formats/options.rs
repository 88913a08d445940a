//! How meshes are placed, welded and grouped while they are read.

use super::{read, read_with};
use bvtree::Mesh;
use bvtree::mesh::{GroupBy, MeshError, MeshFormat, Origin, ReadOptions, SourceLocation, UpAxis};
use nalgebra::Point3;

const OBJ: &str = "o part\nusemtl steel\nv 1 2 3\nv 1 2 3\nv 4 5 6\nv 0 0 9\nf 1 2 3\nusemtl wood\nf 2 3 4\n";

fn obj(options: ReadOptions) -> Mesh {
    read_with("a.obj", OBJ, &options).unwrap().mesh
}

fn first(mesh: &Mesh) -> [f32; 3] {
    mesh.vertices()[0].coords.into()
}

#[test]
fn meshes_are_turned_then_scaled_then_moved() {
    assert_eq!(first(&obj(ReadOptions { up: Some(UpAxis::Y), ..Default::default() })), [1.0, -3.0, 2.0]);
    assert_eq!(first(&obj(ReadOptions { up: Some(UpAxis::X), ..Default::default() })), [-2.0, -3.0, 1.0]);
    let options = ReadOptions { scale: 10.0, origin: Origin::At(Point3::new(1.0, 0.0, 0.0)), ..Default::default() };
    let mesh = obj(options);
    assert_eq!((first(&mesh), mesh.origin()), ([9.0, 20.0, 30.0], Point3::new(1.0, 0.0, 0.0)));
    let far = "v 123456789.125 0 0\nv 123456790.125 0 0\nf 1 2 2\n";
    let mesh =
        read_with("a.obj", far, &ReadOptions { origin: Origin::FirstVertex, ..Default::default() }).unwrap().mesh;
    assert_eq!((mesh.origin().x, mesh.vertices()[1].x), (123456789.0, 1.125));
    let near = read("a.obj", far).unwrap();
    assert_eq!((near.origin(), near.vertices()[0].x), (Point3::origin(), 123456789.125f64 as f32));
    assert_ne!(mesh.digest(), Mesh::from_arrays(mesh.vertices().to_vec(), mesh.triangles().to_vec()).unwrap().digest());
    for scale in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error = read_with("a.obj", OBJ, &ReadOptions { scale, ..Default::default() }).unwrap_err();
        assert!(matches!(error, MeshError::Scale { .. }));
    }
    let error = read_with("a.obj", OBJ, &ReadOptions { scale: 1e38, ..Default::default() }).unwrap_err();
    assert_eq!(error.to_string(), "line 5: expected coordinates that are finite in f32, found `6`");
}

#[test]
fn numbers_of_texts_are_the_nearest_f32() {
    // Halfway between two f32 but for digits beyond f64: by way of f64 it would go to the even one.
    let number = "1.00000005960464477539062500000000000001";
    let expected: f32 = number.parse().unwrap();
    assert_ne!(expected, number.parse::<f64>().unwrap() as f32);
    for (name, text) in [
        ("a.obj", format!("v {number} 0 0\nf 1 1 1\n")),
        ("a.off", format!("OFF 1 1\n{number} 0 0\n3 0 0 0\n")),
        (
            "a.stl",
            format!(
                "solid\nfacet normal 0 0 1 outer loop {}endloop endfacet endsolid",
                format!("vertex {number} 0 0 ").repeat(3)
            ),
        ),
    ] {
        assert_eq!(read(name, text).unwrap().vertices()[0].x, expected, "{name}");
    }
}

#[test]
fn equal_vertices_are_welded_by_choice() {
    let welded = obj(ReadOptions { weld: Some(true), ..Default::default() });
    assert_eq!((welded.vertices().len(), welded.triangles()), (3, &[[0, 0, 1], [0, 1, 2]][..]));
    let kept = obj(ReadOptions::default());
    assert_eq!((kept.vertices().len(), kept.triangles()), (4, &[[0, 1, 2], [1, 2, 3]][..]));
    assert_eq!(kept.geometry_digest(), welded.geometry_digest());
    assert_ne!(kept.digest(), welded.digest());
}

#[test]
fn groups_are_objects_or_materials() {
    let names = |mesh: Mesh| mesh.groups().iter().map(|group| group.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(obj(ReadOptions::default())), ["part"]);
    assert_eq!(names(obj(ReadOptions { group_by: GroupBy::Material, ..Default::default() })), ["steel", "wood"]);
    let text = format!(
        "{OBJ}o other\nf 1 2 3\no part\nf 1 2 3\nusemtl steel\nusemtl wood\no part\nf 1 2 3\nusemtl steel\nf 1 2 4\n"
    );
    let both = ReadOptions { group_by: GroupBy::Both, ..Default::default() };
    let mesh = read_with("a.obj", text, &both).unwrap().mesh;
    let runs: Vec<_> = mesh.groups().iter().map(|run| (&*run.name, &*run.material, run.first_triangle)).collect();
    let expected =
        [("part", "steel", 0), ("part", "wood", 1), ("other", "wood", 2), ("part", "wood", 3), ("part", "steel", 5)];
    assert_eq!(runs, expected);
    let (objects, materials) = (mesh.group_ids(), mesh.material_ids());
    assert_eq!((objects.names, objects.ids), (vec!["part".into(), "other".into()], vec![0, 0, 1, 0, 0, 0]));
    assert_eq!((materials.names, materials.ids), (vec!["steel".into(), "wood".into()], vec![0, 1, 1, 1, 1, 0]));
    let kept = mesh.retain_groups(|name| name == "part");
    assert_eq!(kept.material_ids().ids, [0, 1, 1, 1, 0]);
}

#[test]
fn limits_and_formats_are_kept_to() {
    let options = ReadOptions { max_triangles: 1, ..Default::default() };
    let error = read_with("a.obj", OBJ, &options).unwrap_err();
    assert_eq!(error.to_string(), "more than 1 triangles, which is the limit that was set");
    let options = ReadOptions { format: Some(MeshFormat::Off), ..Default::default() };
    assert!(read_with("a.obj", "OFF 1 1\n0 0 0\n3 0 0 0", &options).is_ok());
    assert!(read_with("a.obj", OBJ, &options).is_err());
}

#[test]
fn an_obj_file_tells_what_it_was_left_out_and_what_it_is_not() {
    let text = format!("vp 0 1\n{OBJ}curv 0 1 1 2\ncall other.obj\n");
    let skipped = read_with("a.obj", text, &ReadOptions::default()).unwrap().skipped;
    let told: Vec<_> = skipped.iter().map(|skipped| (skipped.count, skipped.first.clone())).collect();
    assert_eq!(told, [(2, SourceLocation::Line(1)), (1, SourceLocation::Line(12))]);
    let utf16: Vec<u8> = "\u{feff}v 0 0 0\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(
        read("a.obj", utf16).unwrap_err().to_string(),
        "line 1: expected ASCII or UTF-8, found UTF-16: save the file in another encoding"
    );
    assert_eq!(
        read("a.obj", "#\nV 0 0 0\nF 1 1 1\n").unwrap_err().to_string(),
        "line 2: expected keywords in lower case, such as `v` and `f`, found `V`"
    );
}
