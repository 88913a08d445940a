//! Queries two meshing gears at thousands of poses, on all cores: `cargo run --release -p bvtree --example sweep`.

use std::convert::Infallible;
use std::error::Error;
use std::path::Path;

use bvtree::query::many;
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query};
use nalgebra::{Isometry3, Vector3};

fn main() -> Result<(), Box<dyn Error>> {
    let mesh = Mesh::load_obj(Path::new(env!("CARGO_MANIFEST_DIR")).join("data/gear.obj"))?;
    let gear = BvTree::build(&mesh, &BuildOptions::default())?;

    // The second gear beside the first, at all angles and growing distances.
    let width = gear.bounds().upper.x - gear.bounds().lower.x;
    let turns = 0..360;
    let poses: Vec<Pose> = (0..10)
        .flat_map(|step| turns.clone().map(move |degrees| (step, f64::from(degrees))))
        .map(|(step, degrees)| {
            let shift = Vector3::x() * width * (0.9 + 0.02 * f64::from(step));
            Isometry3::new(shift, Vector3::z() * degrees.to_radians()).into()
        })
        .collect();

    // All poses in one call, with results in their order:
    let hits = many::map(&poses, Query::new, |query, pose| query.intersects(&gear, &gear, pose));
    for (step, hits) in hits.chunks(turns.len()).enumerate() {
        let free = hits.iter().filter(|hit| !**hit).count();
        println!("{:.2} widths apart: free at {free} of {} angles", 0.9 + 0.02 * step as f64, hits.len());
    }

    // Block by block, to show progress:
    let (mut done, mut pairs) = (0, 0);
    let count = |query: &mut Query, pose: &Pose| query.count_pairs(&gear, &gear, pose);
    let Ok(()) = many::for_each_block(&poses, Query::new, count, |block, counts| {
        done += block.len();
        pairs += counts.iter().sum::<u64>();
        eprintln!("{done} of {} poses", poses.len());
        Ok::<(), Infallible>(())
    });
    println!("{pairs} pairs of triangles touch in total");
    Ok(())
}
