//! The same closest points as parry3d finds.

use bvtree::{BuildOptions, BvTree, Probe, VolumeKind};
use bvtree_benches::meshes::{dataset, dataset_mesh};
use nalgebra::Vector3;
use parry3d_f64::math::Vector;
use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::TriMesh;

#[test]
fn the_closest_points_of_parry3d() {
    let Some(dataset) = dataset() else { return };
    let mesh = dataset_mesh(&dataset, "cow");
    let vertices = mesh.vertices().iter().map(|v| Vector::new(v.x.into(), v.y.into(), v.z.into())).collect();
    let parry = TriMesh::new(vertices, mesh.triangles().to_vec()).unwrap();
    let bounds = mesh.aabb();
    let options = VolumeKind::ALL.map(|volume| BuildOptions { kind: volume, ..BuildOptions::default() });
    let trees = options.map(|options| BvTree::build(&mesh, &options).unwrap());
    let mut probe = Probe::new();
    let steps = if cfg!(debug_assertions) { 4 } else { 12 };
    for i in 0..steps * steps * steps {
        let along =
            [i % steps, i / steps % steps, i / steps / steps].map(|k| (k as f64 + 0.3) / steps as f64 * 1.5 - 0.25);
        let point = bounds.lower + bounds.size().component_mul(&Vector3::from(along));
        let theirs = parry.distance_to_local_point(Vector::new(point.x, point.y, point.z), false);
        for tree in &trees {
            let ours = probe.closest_point(tree, &point).unwrap().distance;
            assert!((ours - theirs).abs() <= 1e-9 * bounds.size().norm(), "{ours} and {theirs} at {point}");
        }
    }
}
