//! Contact and all pairs of two posed meshes, by kind of tree; parry3d-f64's leaf-pair traversal with our triangle test
//! beside them. One iteration asks at every pose of the scene: a query takes its share, and `thrpt` counts queries.

use bvtree::{BuildOptions, BvTree, Query, VolumeKind};
use bvtree_benches::parry::ParryTree;
use bvtree_benches::scenes::{Scene, data_scenes, dataset_scenes};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, SamplingMode, Throughput, criterion_group, criterion_main};

/// One mesh pair's trees, A's and B's.
struct Trees<'a> {
    ours: Vec<(VolumeKind, [BvTree; 2])>,
    parry: [ParryTree<'a>; 2],
}

impl<'a> Trees<'a> {
    fn build(scene: &'a Scene) -> Self {
        let meshes = [&scene.a, &scene.b];
        let ours = VolumeKind::ALL.map(|volume| {
            let options = BuildOptions { kind: volume, ..BuildOptions::default() };
            (volume, meshes.map(|mesh| BvTree::build(mesh, &options).expect("valid options")))
        });
        Self { ours: ours.into(), parry: meshes.map(ParryTree::build) }
    }
}

fn query(criterion: &mut Criterion) {
    for scene in data_scenes().into_iter().chain(dataset_scenes()) {
        let trees = Trees::build(&scene);
        check(&scene, &trees);
        hit(&mut group(criterion, "hit", &scene), &scene, &trees);
        pairs(&mut group(criterion, "pairs", &scene), &scene, &trees);
    }
}

/// What is timed gives the same answers.
fn check(scene: &Scene, trees: &Trees) {
    let mut query = Query::new();
    let [parry_a, parry_b] = &trees.parry;
    for pose in &scene.poses {
        let expected = parry_a.count_pairs(parry_b, &pose.b_to_a);
        for (volume, [a, b]) in &trees.ours {
            let count = query.count_pairs(a, b, &pose.b_to_a);
            assert_eq!(count, expected, "{} {} {volume}", scene.name, pose.label);
        }
    }
}

fn group<'a>(criterion: &'a mut Criterion, mode: &str, scene: &Scene) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(format!("{mode}/{}", scene.name));
    group.sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(scene.poses.len() as u64));
    group
}

fn hit(group: &mut BenchmarkGroup<WallTime>, scene: &Scene, trees: &Trees) {
    let mut query = Query::new();
    for (volume, [a, b]) in &trees.ours {
        group.bench_function(volume.name(), |bencher| {
            bencher.iter(|| scene.poses.iter().filter(|pose| query.intersects(a, b, &pose.b_to_a)).count());
        });
    }
    let [a, b] = &trees.parry;
    group.bench_function("parry3d-f64", |bencher| {
        bencher.iter(|| scene.poses.iter().filter(|pose| a.intersects(b, &pose.b_to_a)).count());
    });
}

fn pairs(group: &mut BenchmarkGroup<WallTime>, scene: &Scene, trees: &Trees) {
    let mut query = Query::new();
    for (volume, [a, b]) in &trees.ours {
        group.bench_function(volume.name(), |bencher| {
            bencher.iter(|| scene.poses.iter().map(|pose| query.count_pairs(a, b, &pose.b_to_a)).sum::<u64>());
        });
    }
    let [a, b] = &trees.parry;
    group.bench_function("parry3d-f64", |bencher| {
        bencher.iter(|| scene.poses.iter().map(|pose| a.count_pairs(b, &pose.b_to_a)).sum::<u64>());
    });
}

criterion_group!(name = benches; config = bvtree_benches::criterion(); targets = query);
criterion_main!(benches);
