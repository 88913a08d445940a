//! Meshes: of arrays, of OBJ files, and what is reported of them.

mod dataset;
mod digest;
mod format;
mod groups;
mod height_field;
mod obj;
mod obj_errors;
mod random_obj;
mod report;

use bvtree::mesh::{Group, Mesh, MeshError, ObjProblem};
use nalgebra::Point3;

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
    Group { name: name.into(), first_triangle, ..Group::default() }
}

fn point(x: f32, y: f32, z: f32) -> Point3<f32> {
    Point3::new(x, y, z)
}

/// Tells -0.0 from 0.0.
fn vertex_bits(vertices: &[Point3<f32>]) -> Vec<u32> {
    vertices.iter().flat_map(|v| [v.x.to_bits(), v.y.to_bits(), v.z.to_bits()]).collect()
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
    assert_eq!(
        error(&vertices, &[[0, 1, 1]], &[0, 0], &[]),
        "expected a polygon number for each of 1 triangles, found 2"
    );
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
