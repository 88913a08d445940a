//! The least distance between two meshes that are apart, by kind of tree; parry3d-f64's distance between two
//! `TriMesh`es beside them. It descends one tree for each triangle of the other, so meshes and poses are few. One
//! iteration asks at every pose: a query takes its share, and `thrpt` counts queries.

use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query, VolumeKind};
use bvtree_benches::scenes::{Scene, data_scenes, dataset_scenes};
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use parry3d_f64::math::{Mat3, Pose3, Rot3, Vector};
use parry3d_f64::query;
use parry3d_f64::shape::TriMesh;

const SCENES: [&str; 4] = ["chain_link-chain_link", "spring-torus_knot", "spot-spot", "fandisk-fandisk"];
const POSES: usize = 4;

criterion_group!(name = benches; config = bvtree_benches::criterion(); targets = distance);
criterion_main!(benches);

fn distance(criterion: &mut Criterion) {
    for scene in data_scenes().into_iter().chain(dataset_scenes()).filter(|scene| SCENES.contains(&scene.name.as_str()))
    {
        measure(criterion, &scene);
    }
}

fn measure(criterion: &mut Criterion, scene: &Scene) {
    let mut group = criterion.benchmark_group(format!("distance/{}", scene.name));
    let meshes = [&scene.a, &scene.b];
    let parry = meshes.map(parry_mesh);
    let by_parry = |pose: &Pose| {
        let answer = query::distance(&Pose3::IDENTITY, &parry[0], &parry_pose(pose), &parry[1]);
        answer.expect("meshes have a distance").distance
    };
    let mut query = Query::new();
    // Among poses of all labels those that are apart.
    let [a, b] = meshes.map(|mesh| BvTree::build(mesh, &BuildOptions::default()).expect("valid options"));
    let apart = scene.poses.iter().map(|pose| pose.b_to_a).filter(|pose| !query.intersects(&a, &b, pose));
    let apart: Vec<Pose> = apart.collect();
    let poses: Vec<Pose> = apart.iter().step_by((apart.len() / POSES).max(1)).take(POSES).copied().collect();
    group.sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(poses.len() as u64));
    for volume in VolumeKind::ALL {
        let options = BuildOptions { kind: volume, ..BuildOptions::default() };
        let [a, b] = meshes.map(|mesh| BvTree::build(mesh, &options).expect("valid options"));
        for pose in &poses {
            let ours = query.distance(&a, &b, pose).expect("meshes with triangles").distance;
            let theirs = by_parry(pose);
            assert!((ours - theirs).abs() <= 1e-6 * theirs, "{}, {volume}: {ours}, parry {theirs}", scene.name);
        }
        group.bench_function(volume.name(), |bencher| {
            let mut ask = |pose: &Pose| query.distance(&a, &b, pose);
            bencher.iter(|| poses.iter().filter_map(&mut ask).map(|found| found.distance).sum::<f64>());
        });
    }
    group.bench_function("parry3d-f64", |bencher| bencher.iter(|| poses.iter().map(by_parry).sum::<f64>()));
    group.finish();
}

fn parry_mesh(mesh: &Mesh) -> TriMesh {
    let vertices = mesh.vertices().iter().map(|v| Vector::new(v.x.into(), v.y.into(), v.z.into())).collect();
    TriMesh::new(vertices, mesh.triangles().to_vec()).expect("a mesh")
}

fn parry_pose(pose: &Pose) -> Pose3 {
    let [x, y, z] = (*pose.translation()).into();
    let rotation = Rot3::from_mat3(&Mat3::from_cols_slice(pose.rotation().as_slice()));
    Pose3::from_parts(Vector::new(x, y, z), rotation)
}
