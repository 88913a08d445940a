//! Meshes in STL, PLY, OFF and glTF: the same as in OBJ, errors with their places, hostile files.

mod forms;
mod gltf;
mod off;
mod options;
mod ply;
mod stl;

use std::path::Path;

use bvtree::mesh::{Import, Mesh, MeshError, ReadOptions};
use bvtree::{BuildOptions, BvTree, Pose, Query};
use forms::{FORMS, Form};
use nalgebra::{Translation3, UnitQuaternion, Vector3};
use proptest::prelude::*;

use crate::dataset_folder::dataset;

const CASES: u32 = if cfg!(debug_assertions) { 100 } else { 2000 };

fn read_with(name: &str, file: impl AsRef<[u8]>, options: &ReadOptions) -> Result<Import, MeshError> {
    Mesh::read_with(file.as_ref(), Path::new(name), options)
}

fn read(name: &str, file: impl AsRef<[u8]>) -> Result<Mesh, MeshError> {
    read_with(name, file, &ReadOptions::default()).map(|import| import.mesh)
}

/// The error's text.
fn complaint(name: &str, file: impl AsRef<[u8]>) -> String {
    read(name, file).unwrap_err().to_string()
}

/// A mesh of triangles, whose vertices are all used.
fn triangle_mesh() -> impl Strategy<Value = Mesh> {
    let coordinate = prop_oneof![
        (-9i8..9).prop_map(f32::from),
        any::<f32>().prop_filter("finite", |x| x.is_finite()),
        Just(-0.0),
        Just(f32::MIN_POSITIVE / 8.0),
    ];
    prop::collection::vec(prop::array::uniform3(prop::array::uniform3(coordinate)), 1..20).prop_map(|triangles| {
        let points = triangles.as_flattened().iter().map(|&point| point.into()).collect();
        let corners = (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        Mesh::from_arrays(points, corners).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, ..ProptestConfig::default() })]

    #[test]
    fn every_form_of_a_mesh_holds_the_same_triangles(mesh in triangle_mesh()) {
        for Form { name, write } in FORMS {
            let back = read(name, write(&mesh)).unwrap();
            prop_assert_eq!(back.geometry_digest(), mesh.geometry_digest(), "{}", name);
            prop_assert_eq!(back.triangles().len(), mesh.triangles().len());
        }
    }

    #[test]
    fn a_cut_or_changed_file_gives_a_mesh_or_an_error(
        mesh in triangle_mesh(), at in any::<prop::sample::Index>(), byte in any::<u8>()
    ) {
        for Form { name, write } in FORMS {
            let mut file = write(&mesh);
            let at = at.index(file.len());
            let _ = read(name, &file[..at]);
            file[at] = byte;
            if let Ok(mesh) = read(name, &file) {
                prop_assert!(mesh.vertices().iter().all(|v| v.iter().all(|x| x.is_finite())));
            }
        }
    }

    #[test]
    fn any_bytes_give_a_mesh_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300),
        number in 0..FORMS.len()) {
        let Form { name, write } = FORMS[number];
        // Behind the start of a sound file, so that there is something to read.
        let mut file = write(&Mesh::from_slices(&[[0.0f32; 3]], &[[0, 0, 0]]).unwrap());
        file.truncate(file.len() / 2);
        file.extend(bytes);
        let _ = read(name, &file);
    }
}

/// All of the dataset's meshes in release, two small ones in debug.
const DATASET: [&str; 13] = [
    "fcl-rob",
    "suzanne",
    "armadillo",
    "beetle-alt",
    "cheburashka",
    "cow",
    "fandisk",
    "fcl-env",
    "homer",
    "spot",
    "stanford-bunny",
    "teapot",
    "truck",
];

#[test]
fn the_datasets_meshes_are_the_same_in_every_form() {
    let Some(dataset) = dataset() else { return };
    let names = if cfg!(debug_assertions) { &DATASET[..2] } else { &DATASET[..] };
    let options = BuildOptions::default();
    for name in names {
        let mesh = Mesh::open(dataset.join(format!("meshes/{name}.obj"))).unwrap();
        let tree = BvTree::build(&mesh, &options).unwrap();
        // Turned about the middle, and a part of the size away.
        let (middle, size) = (tree.bounds().center(), tree.bounds().size());
        let turn = UnitQuaternion::from_scaled_axis(Vector3::new(0.3, 0.2, 0.1));
        let pose = |part: f64| Translation3::from(middle + size * part) * turn * Translation3::from(-middle.coords);
        let (crossing, apart) = (Pose::from(pose(0.1)), Pose::from(pose(2.0)));
        let mut query = Query::new();
        let pairs = query.intersecting_pairs(&tree, &tree, &crossing);
        let distance = query.distance(&tree, &tree, &apart).unwrap().distance;
        assert!(!pairs.is_empty() && distance > 0.0, "{name}");
        for form in FORMS {
            let what = format!("{name}, {}", form.name);
            let back = read(form.name, (form.write)(&mesh)).unwrap();
            assert_eq!(back.geometry_digest(), mesh.geometry_digest(), "{what}");
            let other = BvTree::build(&back, &options).unwrap();
            assert_eq!(query.intersecting_pairs(&other, &tree, &crossing), pairs, "{what}");
            let found = query.distance(&tree, &other, &apart).unwrap().distance;
            assert!((found - distance).abs() <= 1e-12 * distance, "{what}: {found} instead of {distance}");
        }
    }
}

#[test]
fn counts_are_not_trusted() {
    // Each says that there is far more than there is.
    let mut stl = vec![0; 80];
    stl.extend(u32::MAX.to_le_bytes());
    assert!(complaint("a.stl", stl).contains("triangle 0 of 4294967295"));
    let ply = "ply\nformat binary_little_endian 1.0\nelement vertex 18446744073709551615\nproperty float x\n\
        property float y\nproperty float z\nelement face 1\nproperty list uint uint vertex_indices\nend_header\n";
    assert!(complaint("a.ply", ply).contains("vertex 0 of 18446744073709551615"));
    assert!(complaint("a.off", "OFF 18446744073709551615 9\n").contains("vertex 0 of 18446744073709551615"));
    assert!(complaint("a.off", "OFF 1 1\n0 0 0\n4294967295 0\n").contains("4294967295 vertices"));
}

#[test]
fn texts_may_begin_with_a_byte_order_mark() {
    let mesh = Mesh::from_slices(&[[0.0_f32; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]).unwrap();
    for form in FORMS.iter().filter(|form| ["text.stl", "text.ply", "text.off", "data.gltf"].contains(&form.name)) {
        let marked = [b"\xef\xbb\xbf".to_vec(), (form.write)(&mesh)].concat();
        assert_eq!(read(form.name, marked).unwrap().geometry_digest(), mesh.geometry_digest(), "{}", form.name);
    }
}
