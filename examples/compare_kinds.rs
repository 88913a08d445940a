//! Compares how tightly the kinds of tree fit a mesh, and what queries cost with each:
//! `cargo run --release -p bvtree --example compare_kinds [MESH.obj]`.

use std::env;
use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use bvtree::metrics::{MeshFacts, PoseSet, Tightness, query_cost};
use bvtree::{BuildOptions, BvTree, Mesh, Query, VolumeKind};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let path = env::args_os().nth(1).map_or_else(|| PathBuf::from("data/sword.obj"), PathBuf::from);
    let mesh = Mesh::load_obj(&path)?;
    let facts = MeshFacts::new(&mesh);
    let mut query = Query::new();
    println!(
        "{}, {} triangles; sums over all volumes, relative to the convex hull (volume) or the mesh (area):",
        path.display(),
        facts.triangles
    );
    println!("  kind    nodes   volume     area  overlap  volume tests  triangle tests");

    let mut hits = Vec::new();
    for volume in VolumeKind::ALL {
        let tree = BvTree::build(&mesh, &BuildOptions { kind: volume, ..BuildOptions::default() })?;
        let Tightness { total, .. } = Tightness::new(&tree, &facts);

        // The mesh against a copy of itself, from separated to overlapping; every kind gets the same poses.
        let set = PoseSet { approaches: 5, ..PoseSet::default() }.poses(&tree, &tree);
        let cost = query_cost(&mut query, &tree, &tree, set.iter().map(|at| &at.pose));
        hits.push(cost.hits);
        println!(
            "{:>6} {:>8} {:>8} {:>8} {:>8} {:>13} {:>15}",
            volume.name(),
            total.volumes,
            figure(total.volume_ratio),
            figure(total.area_ratio),
            figure(total.sibling_overlap),
            figure(cost.volume_tests_per_query()),
            figure(cost.triangle_tests_per_query())
        );
    }
    assert!(hits.iter().all(|&count| count == hits[0]), "the kind changes the work, never the answer");
    Ok(())
}

/// The value as text; empty if it is undefined, as the volume ratio of a flat mesh.
fn figure(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| format!("{value:.2}"))
}
