//! The main job from end to end: cook two meshes, ask whether they touch, compare the kinds of tree.
//! `cargo run --release --example tour`

use std::error::Error;
use std::path::Path;

use bvtree::metrics::{MeshFacts, Tightness};
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query, VolumeKind};
use nalgebra::{Matrix3, Vector3};

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let names = ["gear", "bolt"];
    let meshes = names.map(|name| Mesh::load_obj(Path::new("data").join(name).with_extension("obj")));
    let [gear, bolt] = meshes;
    let meshes = [gear?, bolt?];
    let facts = [MeshFacts::new(&meshes[0]), MeshFacts::new(&meshes[1])];

    println!("Cook: a file for each mesh and kind of volume");
    for (name, mesh) in names.iter().zip(&meshes) {
        for volume in VolumeKind::ALL {
            let tree = BvTree::build(mesh, &BuildOptions { volume, ..BuildOptions::default() })?;
            tree.save(folder.path().join(format!("{name}.{volume}.bvt")))?;
            println!("  {name}.{volume}.bvt: {} triangles, {} nodes", tree.triangle_count(), tree.node_count());
        }
    }
    let open = |name: &str, volume: VolumeKind| BvTree::open(folder.path().join(format!("{name}.{volume}.bvt")));

    println!("\nAsk: does the bolt, put upright into the gear's bore and moved aside, touch the gear?");
    let mut query = Query::new();
    for x in [0.0, 2.0, 4.0, 6.0] {
        let pose = Pose::new(Matrix3::identity(), Vector3::new(x, 0.0, -20.0))?;
        for volume in VolumeKind::ALL {
            let (gear, bolt) = (open("gear", volume)?, open("bolt", volume)?);
            let pairs = query.count_pairs(&gear, &bolt, &pose)?;
            let work = query.stats();
            println!(
                "  x = {x}, {:>6}: {pairs:>4} pairs of triangles touch ({} volume and {} triangle tests)",
                volume.name(),
                work.volume_tests,
                work.triangle_tests
            );
        }
    }

    println!("\nCompare: all volumes of a tree together; less is tighter");
    println!("  mesh    kind  volume/hull  area/mesh  sibling overlap  SAH cost");
    for (name, facts) in names.iter().zip(&facts) {
        for volume in VolumeKind::ALL {
            let total = Tightness::new(&open(name, volume)?, facts).total;
            let figures = [total.volume_ratio, total.area_ratio, total.sibling_overlap, total.sah_cost];
            let [volumes, areas, overlap, sah] = figures.map(|figure| figure.unwrap_or(f64::NAN));
            println!("  {name} {:>7} {volumes:>12.2} {areas:>10.2} {overlap:>16.2} {sah:>9.2}", volume.name());
        }
    }
    Ok(())
}
