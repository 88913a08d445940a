//! Random OBJ files: written, damaged and hostile ones.

use std::fmt::Write as _;

use bvtree::mesh::{Group, Mesh};
use nalgebra::Point3;
use proptest::collection::vec;
use proptest::prelude::*;

use super::{problem, read, run, vertex_bits};
use crate::cases::cases;

/// A mesh, one of the ways to write it as an OBJ file, with LF, and an ending of lines to use instead.
fn mesh_and_obj() -> impl Strategy<Value = (Mesh, String, &'static str)> {
    let coordinate = prop_oneof![any::<f32>().prop_filter("finite", |x| x.is_finite()), (-9..9i8).prop_map(f32::from)];
    let vertices = vec(coordinate, 3..60).prop_map(|c| c.chunks_exact(3).map(Point3::from_slice).collect::<Vec<_>>());
    let face = (vec(any::<prop::sample::Index>(), 3..7), 0..5u8, prop::option::weighted(0.2, "[a-c]{0,1}"), 0..8u8);
    (vertices, vec(face, 1..20), 0..3usize).prop_map(|(vertices, faces, ending)| {
        let (mut obj, mut object) = (String::new(), "");
        let (mut triangles, mut polygons, mut groups) = (vec![], vec![], Vec::<Group>::new());
        for v in &vertices {
            writeln!(obj, "v {} {:e} {}", v.x, v.y, v.z).unwrap();
        }
        for (polygon, (corners, form, group, noise)) in faces.iter().enumerate() {
            if let Some(name) = group {
                let is_object = noise % 2 == 1;
                writeln!(obj, "{} {name}", if is_object { "o" } else { "g" }).unwrap();
                if is_object {
                    object = name;
                }
                let path = match (object, &**name) {
                    (object, name) if object.is_empty() || object == name => name.to_owned(),
                    (object, "") => object.to_owned(),
                    (object, name) => format!("{object}/{name}"),
                };
                if groups.last().is_none_or(|last| last.name != path) {
                    groups.push(run(&path, triangles.len() as u32));
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
    #![proptest_config(cases(200, 5000))]

    #[test]
    fn a_written_mesh_reads_back_as_it_was((mesh, obj, ending) in mesh_and_obj()) {
        let again = read(obj.replace('\n', ending)).unwrap();
        prop_assert_eq!(vertex_bits(again.vertices()), vertex_bits(mesh.vertices()));
        prop_assert_eq!(again.groups(), mesh.groups());
        let count = mesh.triangles().len() as u32;
        let polygons = |mesh: &Mesh| (0..count).map(|face| mesh.polygon(face)).collect::<Vec<_>>();
        prop_assert_eq!(polygons(&again), polygons(&mesh));
        let flat = |polygon: &[[u32; 3]]| {
            Mesh::from_arrays(mesh.vertices().to_vec(), polygon.to_vec()).unwrap().report().zero_area_triangles
        };
        let faces: Vec<u32> = (0..count).collect();
        for polygon in faces.chunk_by(|&a, &b| mesh.polygon(a) == mesh.polygon(b)) {
            let range = polygon[0] as usize..polygon[0] as usize + polygon.len();
            let (fan, found) = (&mesh.triangles()[range.clone()], &again.triangles()[range]);
            // Where the fan has triangles without area, the polygon may be cut otherwise.
            if found != fan {
                prop_assert!(flat(fan) > 0 && flat(found) == 0, "{:?} in place of {:?}", found, fan);
                let corners = fan.as_flattened();
                prop_assert!(found.as_flattened().iter().all(|corner| corners.contains(corner)));
            }
        }
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
