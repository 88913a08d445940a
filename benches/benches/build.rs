//! From a mesh in memory to a tree ready to query, on one thread, by kind and preset; parry3d-f64's tree beside them.

use bvtree::{BvTree, Mesh, Preset, VolumeKind};
use bvtree_benches::meshes::{data_mesh, dataset, dataset_mesh};
use bvtree_benches::parry::ParryTree;
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};
use rayon::{ThreadPool, ThreadPoolBuilder};

fn build(criterion: &mut Criterion) {
    let mut meshes = vec![("character", data_mesh("character"))];
    if let Some(dataset) = dataset() {
        meshes.extend(["stanford-bunny", "armadillo"].map(|name| (name, dataset_mesh(&dataset, name))));
    }
    let one_thread = ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    for (name, mesh) in &meshes {
        build_mesh(criterion, &one_thread, name, mesh);
    }
}

fn build_mesh(criterion: &mut Criterion, one_thread: &ThreadPool, name: &str, mesh: &Mesh) {
    let mut group = criterion.benchmark_group(format!("build/{name}"));
    group.sampling_mode(SamplingMode::Flat).throughput(Throughput::Elements(mesh.triangles().len() as u64));
    for volume in VolumeKind::ALL {
        for preset in Preset::ALL {
            let options = preset.options(volume);
            group.bench_function(format!("{volume}/{preset}"), |bencher| {
                bencher.iter_with_large_drop(|| one_thread.install(|| BvTree::build(mesh, &options)));
            });
        }
    }
    group.bench_function("parry3d-f64", |bencher| bencher.iter_with_large_drop(|| ParryTree::build(mesh)));
    group.finish();
}

criterion_group!(name = benches; config = bvtree_benches::criterion(); targets = build);
criterion_main!(benches);
