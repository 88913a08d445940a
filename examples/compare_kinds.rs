//! How tightly the three kinds of tree fit a mesh, and what queries cost with each:
//! `cargo run --release --example compare_kinds [MESH]`.

use std::env;
use std::error::Error;
use std::path::PathBuf;

use bvtree::metrics::{MeshFacts, PoseSet, Tightness, query_cost};
use bvtree::{BuildOptions, BvTree, Mesh, Query, VolumeKind};

fn main() -> Result<(), Box<dyn Error>> {
    let path = env::args_os().nth(1).map_or_else(|| PathBuf::from("data/sword.obj"), PathBuf::from);
    let mesh = Mesh::load_obj(&path)?;
    let facts = MeshFacts::new(&mesh);
    let mut query = Query::new();
    println!(
        "{}, {} triangles; all volumes together, over the convex hull or the mesh:",
        path.display(),
        facts.triangles
    );
    println!("  kind    nodes   volume     area  overlap  volume tests  triangle tests");

    let mut hits = Vec::new();
    for volume in VolumeKind::ALL {
        let tree = BvTree::build(&mesh, &BuildOptions { kind: volume, ..BuildOptions::default() })?;
        let Tightness { total, .. } = Tightness::new(&tree, &facts);

        // The mesh against itself, at some distances and pushed into itself: the same poses for each kind.
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

/// Empty where a figure has no meaning: a flat mesh has no volume.
fn figure(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| format!("{value:.2}"))
}
