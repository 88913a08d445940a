//! The least distance along a smooth path, cold and with a warm start: one mesh goes around the other and turns, in 1000 and
//! 10,000 steps a round, at 0.7 and 0.9 mean diagonals from middle to middle. One iteration asks at 250 poses: a query takes its
//! share, and `thrpt` counts queries.

mod common;

use std::f64::consts::TAU;

use bvtree::query::DistanceOptions;
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query, VolumeKind};
use common::meshes::{data_mesh, dataset, dataset_mesh};
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use nalgebra::{Rotation3, Vector3};

/// Steps of a whole round.
const STEPS: [u32; 2] = [1000, 10_000];

/// Poses that are measured, the first of the round.
const POSES: u32 = 250;

criterion_group!(name = benches; config = common::criterion(); targets = distance);
criterion_main!(benches);

fn distance(criterion: &mut Criterion) {
    let mut meshes = vec![("gear", data_mesh("gear"), data_mesh("character"))];
    if let Some(dataset) = dataset() {
        let bunny = dataset_mesh(&dataset, "stanford-bunny");
        meshes.push(("stanford-bunny", bunny.clone(), bunny));
    }
    for (name, a, b) in &meshes {
        for (diagonals, steps) in [0.7, 0.9].into_iter().flat_map(|diagonals| STEPS.map(|steps| (diagonals, steps))) {
            let path = path(a, b, diagonals, steps);
            let mut group = criterion.benchmark_group(format!("path/{name}-{diagonals}-{steps}"));
            group.sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(path.len() as u64));
            for volume in VolumeKind::ALL {
                let options = BuildOptions { volume, ..BuildOptions::default() };
                let [a, b] = [a, b].map(|mesh| BvTree::build(mesh, &options).expect("valid options"));
                for (start, warm_start) in [("cold", false), ("warm", true)] {
                    let options = DistanceOptions { warm_start, ..DistanceOptions::default() };
                    let mut query = Query::new();
                    let mut ask = |pose: &Pose| query.distance_with(&a, &b, pose, &options).ok().flatten();
                    group.bench_function(format!("{volume}/{start}"), |bencher| {
                        bencher.iter(|| path.iter().filter_map(&mut ask).map(|found| found.distance).sum::<f64>());
                    });
                }
            }
            group.finish();
        }
    }
}

fn path(a: &Mesh, b: &Mesh, diagonals: f64, steps: u32) -> Vec<Pose> {
    let [a, b] = [a, b].map(Mesh::aabb);
    let radius = diagonals * (a.half_extents().norm() + b.half_extents().norm());
    let pose = |step: u32| {
        let angle = TAU * f64::from(step) / f64::from(steps);
        let turn = Rotation3::new(Vector3::z() * (0.5 * angle));
        let way = Vector3::new(angle.cos(), angle.sin(), 0.06 * (3.0 * angle).sin()) * radius;
        Pose::new(turn.into_inner(), a.center().coords + way - turn * b.center().coords).expect("a rotation")
    };
    (0..POSES).map(pose).collect()
}
