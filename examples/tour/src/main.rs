//! Shows the main tasks from end to end: cooking two meshes, querying how they touch, comparing the kinds of tree:
//! `cargo run --profile quick -p bvtree-tour`.

use std::error::Error;
use std::path::Path;

use bvtree::metrics::{MeshFacts, Tightness};
use bvtree::query::QueryStats;
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query, VolumeKind};
use nalgebra::Vector3;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let names = ["gear", "sword"];
    let meshes = names.map(|name| Mesh::load_obj(Path::new("data").join(name).with_extension("obj")));
    let [gear, sword] = meshes;
    let meshes = [gear?, sword?];
    let facts = [MeshFacts::new(&meshes[0]), MeshFacts::new(&meshes[1])];

    println!("Cook: one file for each mesh and kind of volume");
    for (name, mesh) in names.iter().zip(&meshes) {
        for volume in VolumeKind::ALL {
            let tree = BvTree::build(mesh, &BuildOptions { kind: volume, ..BuildOptions::default() })?;
            tree.save(folder.path().join(format!("{name}.{volume}.bvt")))?;
            println!("  {name}.{volume}.bvt: {} triangles, {} nodes", tree.triangle_count(), tree.node_count());
        }
    }
    let open = |name: &str, volume: VolumeKind| BvTree::open(folder.path().join(format!("{name}.{volume}.bvt")));

    println!("\nQuery: two gears whose axes are 40 mm apart, the second one rotated");
    let mut query = Query::new();
    for degrees in [0.0, 3.0, 6.0, 9.0] {
        let pose = Pose::from_axis_angle(&Vector3::z(), f64::to_radians(degrees), Vector3::new(40.0, 0.0, 0.0))?;
        for volume in VolumeKind::ALL {
            let gear = open("gear", volume)?;
            let pairs = query.count_pairs(&gear, &gear, &pose);
            let QueryStats { volume_tests, triangle_tests } = query.stats();
            println!(
                "  {degrees} degrees, {:>6}: {pairs:>3} pairs of triangles touch ({volume_tests} volume tests, \
                    {triangle_tests} triangle tests)",
                volume.name()
            );
        }
    }

    println!("\nCompare: sums over all volumes of a tree; smaller is tighter");
    println!("   mesh    kind  volume/hull  area/mesh  sibling overlap  SAH cost");
    for (name, facts) in names.iter().zip(&facts) {
        for volume in VolumeKind::ALL {
            let total = Tightness::new(&open(name, volume)?, facts).total;
            let figures = [total.volume_ratio, total.area_ratio, total.sibling_overlap, total.sah_cost];
            let [volumes, areas, overlap, sah] = figures.map(|figure| figure.unwrap_or(f64::NAN));
            println!("  {name:>5} {:>7} {volumes:>12.2} {areas:>10.2} {overlap:>16.2} {sah:>9.2}", volume.name());
        }
    }
    Ok(())
}
