//! What is written with serde is read again (feature `serde`).

use bvtree::metrics::{MeshFacts, TreeMetrics};
use bvtree::probe::CastOptions;
use bvtree::query::{DistanceOptions, intersection_curves};
use bvtree::shape::{Capsule, Segment, Sphere};
use bvtree::{BuildOptions, BvTree, Mesh, Motion, Pose, Preset, Probe, Query, VolumeKind, shape2};
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
    assert!(error.to_string().contains("expected mean, midpoint, median, sah or sah-own-volumes"), "{error}");
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
    let root = tree.nodes().next().unwrap();
    comes_back(&root.volume);
    assert_eq!(to_value(&root).unwrap()["triangles"], json!(mesh.triangles().len()));
}

#[test]
fn answers_about_two_trees_come_back() {
    let mesh = Mesh::load_obj(concat!(env!("CARGO_MANIFEST_DIR"), "/data/crate.obj")).unwrap();
    let tree = BvTree::build(&mesh, &BuildOptions::default()).unwrap();
    let beside = |x: f64| Pose::from(Isometry3::translation(x * mesh.aabb().size().x, 0.1, 0.2));
    let (inside, outside) = (beside(0.5), beside(1.5));
    let motion = Motion::new(outside, inside);
    let mut query = Query::new();
    comes_back(&motion);
    comes_back(&query.intersecting_pairs(&tree, &tree, &inside));
    comes_back(&query.stats());
    comes_back(&query.distance(&tree, &tree, &outside));
    comes_back(&DistanceOptions { upper_bound: 2.0, ..DistanceOptions::default() });
    comes_back(&query.within(&tree, &tree, &outside, 0.01));
    comes_back(&query.relation(&tree, &tree, &inside));
    let contacts = query.contacts(&tree, &tree, &inside);
    assert!(!contacts.is_empty());
    comes_back(&contacts);
    comes_back(&intersection_curves(&contacts));
    comes_back(&query.contact_patches(&tree, &tree, &inside));
    comes_back(&query.penetration(&tree, &tree, &inside));
    comes_back(&query.penetration_along(&tree, &tree, &inside, &Vector3::x_axis()));
    comes_back(&query.time_of_impact(&tree, &tree, &motion, 1e-6).unwrap());
}

#[test]
fn casts_and_shapes_come_back() {
    let mesh = Mesh::load_obj(concat!(env!("CARGO_MANIFEST_DIR"), "/data/crate.obj")).unwrap();
    let tree = BvTree::build(&mesh, &BuildOptions::default()).unwrap();
    let far = mesh.aabb().size() * 3.0;
    let ball = Sphere { center: Point3::from(far), radius: 0.5 };
    let options = CastOptions { tolerance: 1e-3, departing: false };
    comes_back(&options);
    let hit = Probe::new().cast_capsule(&tree, &ball.into(), &-far, &options);
    assert!(hit.is_some());
    comes_back(&hit);
    comes_back(&Capsule { segment: Segment { start: Point3::origin(), end: Point3::from(far) }, radius: 2.0 });
    comes_back(&shape2::Circle { center: nalgebra::Point2::new(1.0, 2.0), radius: 3.0 });
}
