//! What is written with serde is read again (feature `serde`).

use bvtree::metrics::{MeshFacts, TreeMetrics};
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Preset, Probe, VolumeKind};
use nalgebra::{Isometry3, Point3, Vector3};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{from_str, from_value, json, to_string, to_value};

fn comes_back<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T) {
    assert_eq!(&from_str::<T>(&to_string(value).unwrap()).unwrap(), value);
}

#[test]
fn options_are_written_by_name_and_may_be_left_out() {
    for preset in Preset::ALL {
        VolumeKind::ALL.iter().for_each(|&kind| comes_back(&preset.options(kind)));
    }
    let options = to_value(BuildOptions::default()).unwrap();
    assert_eq!((&options["split"], &options["obb_fit"]), (&json!("sah"), &json!("tight")));
    let some: BuildOptions = from_value(json!({"split": "median", "max_leaf_triangles": 7})).unwrap();
    let expected = BuildOptions { split: bvtree::SplitRule::Median, max_leaf_triangles: 7, ..BuildOptions::default() };
    assert_eq!(some, expected);
    assert!(from_value::<BuildOptions>(json!({"slit": "median"})).is_err());
    let error = from_value::<BuildOptions>(json!({"split": "mead"})).unwrap_err();
    assert!(error.to_string().contains("expected mean, midpoint, median, sah or sah-of-kind"), "{error}");
}

#[test]
fn poses_are_checked_as_they_are_read() {
    let pose = Pose::from(Isometry3::new(Vector3::new(1.0, 2.0, 3.0), Vector3::new(0.1, 0.2, 0.3)));
    comes_back(&pose);
    let quarter =
        json!({"rotation": [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], "translation": [1.0, 2.0, 3.0]});
    let moved = from_value::<Pose>(quarter).unwrap().transform(&Point3::new(1.0, 0.0, 0.0));
    assert_eq!(moved, Point3::new(1.0, 3.0, 3.0));
    let scaled =
        json!({"rotation": [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.0]], "translation": [0.0, 0.0, 0.0]});
    assert!(from_value::<Pose>(scaled).unwrap_err().to_string().contains("not a rotation"));
}

#[test]
fn reports_and_answers_come_back() {
    let mesh = Mesh::load_obj(concat!(env!("CARGO_MANIFEST_DIR"), "/data/crate.obj")).unwrap();
    comes_back(&mesh.report());
    let tree = BvTree::build(&mesh, &BuildOptions::default()).unwrap();
    let facts = MeshFacts::new(&mesh);
    comes_back(&facts);
    comes_back(&TreeMetrics::new(&tree, &facts));
    let mut probe = Probe::new();
    comes_back(&probe.closest_point(&tree, &Point3::new(9.0, 8.0, 7.0)));
    comes_back(&probe.contains(&tree, &Point3::origin()));
    comes_back(&probe.stats());
    comes_back(&tree.nodes()[0].volume);
}
