use std::path::Path;

use bvtree::Mesh;
use bvtree::mesh::{GroupBy, ReadOptions};

use super::{complaint, read};

const HEADER: &str = "ply\nformat ascii 1.0\nelement vertex 4\nproperty double y\nproperty int x\nproperty float z\n\
    element edge 1\nproperty list uchar int ends\nelement face 2\nproperty uchar flags\n\
    property list uchar uint vertex_index\nproperty list uchar float texcoord\nend_header\n";
const BODY: &str = "0 0 0\n0 1 0\n1 1 0\n1 0 0\n2 0 1\n0 4 0 1 2 3 2 0.5 0.5\n1 3 0 1 2 0\n";

#[test]
fn properties_stand_in_any_order() {
    for file in [
        format!("{HEADER}{BODY}"),
        format!("{HEADER}{BODY}").replace('\n', "\r\n"),
        format!("{HEADER}{BODY}").replace('\n', "\r"),
    ] {
        let mesh = read("a.ply", &file).unwrap();
        assert_eq!(mesh.triangles(), [[0, 1, 2], [0, 2, 3], [0, 1, 2]]);
        assert_eq!([0, 1, 2].map(|face| mesh.polygon(face)), [0, 0, 1]);
        assert_eq!(mesh.vertices()[1].coords.as_slice(), [1.0, 0.0, 0.0]);
    }
}

/// The groups' names, materials and first triangles.
fn groups(mesh: &Mesh) -> Vec<(&str, &str, u32)> {
    mesh.groups().iter().map(|group| (&*group.name, &*group.material, group.first_triangle)).collect()
}

#[test]
fn numbers_of_faces_are_groups_and_materials() {
    let header = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
        element face 4\nproperty uchar material_index\nproperty list uchar uint vertex_index\nproperty short layer\n\
        end_header\n";
    let body = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n2 3 0 1 2 7\n2 4 0 1 2 3 7\n5 3 0 1 2 7\n5 3 0 1 2 -1\n";
    let file = format!("{header}{body}");
    let read_by = |group_by| {
        let options = ReadOptions { group_by, ..ReadOptions::default() };
        Mesh::read_with(file.as_bytes(), Path::new("a.ply"), &options).unwrap().mesh
    };
    assert_eq!(groups(&read_by(GroupBy::Object)), [("7", "", 0), ("", "", 4)]);
    assert_eq!(groups(&read_by(GroupBy::Material)), [("2", "", 0), ("5", "", 3)]);
    let both = read_by(GroupBy::Both);
    assert_eq!(groups(&both), [("7", "2", 0), ("7", "5", 3), ("", "5", 4)]);
    assert_eq!(both.triangles().len(), 5);
    // Numbers of other types are no names.
    let file = file.replace("property short layer", "property float layer");
    assert_eq!(groups(&read("a.ply", &file).unwrap()), []);
}

#[test]
fn a_binary_body_may_begin_with_the_byte_of_a_line_end() {
    for end in ["\n", "\r\n", "\r"] {
        let header = "ply\nformat binary_little_endian 1.0\nelement face 1\nproperty list uchar uchar vertex_indices\n\
            element vertex 11\nproperty char x\nproperty char y\nproperty char z\nend_header\n";
        let mut file = header.replace('\n', end).into_bytes();
        file.push(10);
        file.extend(0..10);
        file.extend([1; 33]);
        assert_eq!(read("a.ply", file).unwrap().triangles().len(), 8, "{end:?}");
    }
}

#[test]
fn errors_name_the_place() {
    let body = |from: &str, to: &str| complaint("a.ply", format!("{HEADER}{}", BODY.replacen(from, to, 1)));
    assert_eq!(body("0 1 0\n", "0 1.5 0\n"), "line 15: expected property `x` of vertex 1 of 4, found `1.5`");
    assert_eq!(
        body("0 1 0\n", "1e39 1 0\n").split(", found").next(),
        Some("line 14: expected vertex 1 of 4: coordinates that are finite in f32")
    );
    assert_eq!(
        body("4 0 1 2 3", "4 0 1 2 4"),
        "line 19: expected property `vertex_index` of face 0 of 2: a vertex from 0 to 3, found 4"
    );
    assert_eq!(
        body("4 0 1 2 3", "4 0 1 2 -1"),
        "line 19: expected property `vertex_index` of face 0 of 2: a vertex from 0 to 3, found -1"
    );
    assert_eq!(
        body("3 0 1 2 0\n", "2 0 1 0\n"),
        "line 20: expected property `vertex_index` of face 1 of 2: at least three corners, found 2"
    );
    assert_eq!(
        body("3 0 1 2 0\n", "3 0 1\n"),
        "line 20: expected property `vertex_index` of face 1 of 2, found the end of the file"
    );
    assert_eq!(body("3 0 1 2 0\n", "3 0 1 2 0 9\n"), "line 20: expected the end of the file, found `9`");
}

#[test]
fn headers_are_checked() {
    let header = |from: &str, to: &str| complaint("a.ply", HEADER.replacen(from, to, 1));
    assert_eq!(
        header("ascii", "text"),
        "line 2: expected `ascii`, `binary_little_endian` or `binary_big_endian`, found `text`"
    );
    assert_eq!(header("ascii 1.0", "ascii 2.0"), "line 2: expected version 1.0, found `2.0`");
    assert_eq!(header("vertex 4", "vertex"), "line 3: expected how many elements there are, found the end of the line");
    assert_eq!(header("vertex 4", "vertex -4"), "line 3: expected how many elements there are, found `-4`");
    assert_eq!(
        header("double y", "real y"),
        "line 4: expected a type of numbers such as `float` or `uchar`, found `real`"
    );
    assert_eq!(
        header("double y", "double yy"),
        "line 13: expected one property `y` of element `vertex`, found `end_header`"
    );
    assert_eq!(
        header("vertex_index", "corners"),
        "line 13: expected one list of whole numbers `vertex_indices` of element `face`, found `end_header`"
    );
    assert_eq!(
        header("element edge 1\n", "ends\n"),
        "line 7: expected `format`, `comment`, `obj_info`, `element`, `property` or `end_header`, found `ends`"
    );
    assert_eq!(header("element face", "element edge"), "line 13: expected elements of different names, found `edge`");
    assert_eq!(header("end_header\n", ""), "line 13: expected `end_header`, found the end of the file");
    assert_eq!(header("format ascii 1.0\n", ""), "line 12: expected `format` before `end_header`, found `end_header`");
    assert!(header("element edge", "element tristrips").contains("triangle strips are not read"));
    assert_eq!(
        complaint("a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nelement face 1\nend_header\n"),
        "line 5: expected properties of element `vertex`, found `end_header`"
    );
    let cloud = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float \
        z\nend_header\n0 0 0\n";
    assert_eq!(complaint("a.ply", cloud), "the PLY file has no faces");
}

/// A scalar type by both its names, and a number as its bytes, the lowest first.
type Scalar = ([&'static str; 2], fn(f64) -> Vec<u8>);

const SCALARS: [Scalar; 8] = [
    (["char", "int8"], |x| (x as i8).to_le_bytes().into()),
    (["uchar", "uint8"], |x| (x as u8).to_le_bytes().into()),
    (["short", "int16"], |x| (x as i16).to_le_bytes().into()),
    (["ushort", "uint16"], |x| (x as u16).to_le_bytes().into()),
    (["int", "int32"], |x| (x as i32).to_le_bytes().into()),
    (["uint", "uint32"], |x| (x as u32).to_le_bytes().into()),
    (["float", "float32"], |x| (x as f32).to_le_bytes().into()),
    (["double", "float64"], |x| x.to_le_bytes().into()),
];

/// Numbers of the type that differ when their bytes are swapped or their sign is lost, where the type has such.
fn telling_numbers(name: &str) -> [f64; 3] {
    match name {
        "char" | "int8" => [1.0, -2.0, 127.0],
        "uchar" | "uint8" => [1.0, 2.0, 255.0],
        "short" | "int16" => [258.0, -2.0, -32_767.0],
        "ushort" | "uint16" => [258.0, 1.0, 65_534.0],
        "int" | "int32" => [16_909_060.0, -2.0, -258.0],
        "uint" | "uint32" => [16_909_060.0, 258.0, 4_278_190_080.0],
        "float" | "float32" => [1.5, -0.25, 3e-20],
        _ => [1.5, -0.25, 3e20],
    }
}

/// As coordinates, as numbers that are passed over, as lengths of lists and, where they are whole, as their items.
#[test]
fn every_type_of_numbers_is_read_in_both_byte_orders() {
    for (names, bytes_of) in SCALARS {
        for (name, format) in
            names.into_iter().flat_map(|name| [(name, "binary_little_endian"), (name, "binary_big_endian")])
        {
            let is_whole = !matches!(name, "float" | "float32" | "double" | "float64");
            let list = if is_whole { name } else { "ushort" };
            let header = format!(
                "ply\nformat {format} 1.0\nelement vertex 300\nproperty {name} x\nproperty {name} passed\n\
                 property {name} y\nproperty {name} z\nelement face 1\nproperty list {list} {list} vertex_indices\nend_header\n"
            );
            let ordered = |mut bytes: Vec<u8>| {
                if format == "binary_big_endian" {
                    bytes.reverse();
                }
                bytes
            };
            let list_bytes = SCALARS.into_iter().find(|(names, _)| names.contains(&list)).unwrap().1;
            let [x, y, z] = telling_numbers(name);
            let mut file = header.into_bytes();
            for number in 0..300 {
                let x = if number == 0 { x } else { 0.0 };
                [x, 1.0, y, z].iter().for_each(|&x| file.extend(ordered(bytes_of(x))));
            }
            // The last index that a byte can't hold where the type can.
            let last = if list.contains('8') || list.ends_with("char") { 127.0 } else { 258.0 };
            [3.0, 0.0, 1.0, last].iter().for_each(|&x| file.extend(ordered(list_bytes(x))));
            let mesh = read("a.ply", file).unwrap_or_else(|error| panic!("{name}, {format}: {error}"));
            assert_eq!(mesh.vertices()[0].coords.as_slice(), [x, y, z].map(|x| x as f32), "{name}, {format}");
            assert_eq!(mesh.triangles(), [[0, 1, last as u32]], "{name}, {format}");
        }
    }
}

#[test]
fn many_elements_take_no_longer_each() {
    let elements: String = (0..60_000).map(|i| format!("element e{i} 0\n")).collect();
    let header = |more: &str| format!("ply\nformat ascii 1.0\n{elements}{more}end_header\n");
    assert!(complaint("a.ply", header("")).contains("expected an element `vertex`"));
    assert!(complaint("a.ply", header("element e7 0\n")).contains("expected elements of different names, found `e7`"));
}
