//! Opening cooked files that lie in the page cache: read or mapped, fully checked or trusted.

use bvtree::{BuildOptions, BvTree, Mesh, VolumeKind};
use bvtree_benches::meshes::{data_mesh, dataset, dataset_mesh, subdivided};
use criterion::{Criterion, SamplingMode, Throughput, criterion_group, criterion_main};

fn open(criterion: &mut Criterion) {
    open_mesh(criterion, "character", &data_mesh("character"));
    // A large file: 1.4 million triangles, or 0.7 million without the dataset.
    let (name, large) = match dataset() {
        Some(dataset) => ("armadillo-x16", subdivided(&subdivided(&dataset_mesh(&dataset, "armadillo")))),
        None => ("character-x64", subdivided(&subdivided(&subdivided(&data_mesh("character"))))),
    };
    open_mesh(criterion, name, &large);
}

fn open_mesh(criterion: &mut Criterion, name: &str, mesh: &Mesh) {
    let folder = tempfile::tempdir().expect("a folder for cooked files");
    let mut group = criterion.benchmark_group(format!("open/{name}"));
    group.sampling_mode(SamplingMode::Flat);
    for volume in VolumeKind::ALL {
        let path = folder.path().join(format!("{volume}.bvt"));
        let tree = BvTree::build(mesh, &BuildOptions::obbtree_rules(volume)).expect("valid options");
        tree.save(&path).expect("a cooked file");
        group.throughput(Throughput::Bytes(path.metadata().expect("the cooked file").len()));
        group.bench_function(format!("{volume}/read"), |bencher| bencher.iter(|| BvTree::open(&path)));
        group.bench_function(format!("{volume}/read-trusted"), |bencher| bencher.iter(|| BvTree::open_trusted(&path)));
        // SAFETY: nobody else knows the folder.
        let mapped = || unsafe { BvTree::open_mapped(&path) };
        group.bench_function(format!("{volume}/mapped"), |bencher| bencher.iter(mapped));
        // SAFETY: as above.
        let trusted = || unsafe { BvTree::open_mapped_trusted(&path) };
        group.bench_function(format!("{volume}/mapped-trusted"), |bencher| bencher.iter(trusted));
        BvTree::open(&path).expect("the cooked file opens");
    }
    group.finish();
}

criterion_group!(name = benches; config = bvtree_benches::criterion(); targets = open);
criterion_main!(benches);
