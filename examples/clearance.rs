//! Measures the distance between two meshes along a path with warm starts, and finds where a clearance is violated:
//! `cargo run --release -p bvtree --example clearance`.

use std::error::Error;
use std::sync::Arc;

use bvtree::query::{DistanceTracker, Within};
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query};
use nalgebra::{Isometry3, Point3};

/// A bumpy unit square of 2 * n * n triangles, at most 0.1 high.
fn bumpy(n: u32) -> Result<Mesh, Box<dyn Error>> {
    let side = n + 1;
    let point = |i: u32| {
        let [x, y] = [i % side, i / side].map(|k| k as f32 / n as f32);
        Point3::new(x, y, 0.05 * (1.0 + (9.0 * x).sin() * (7.0 * y).cos()))
    };
    let cells = (0..n * n).map(|i| i / n * side + i % n);
    let triangles = cells.flat_map(|p| [[p, p + 1, p + side], [p + side, p + 1, p + side + 1]]).collect();
    Ok(Mesh::from_arrays((0..side * side).map(point).collect(), triangles)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let tree = Arc::new(BvTree::build(&bumpy(60)?, &BuildOptions::default())?);
    let mut query = Query::new();
    // Each pose is close to the previous one, so the tracker starts from the previous result.
    let mut tracker = DistanceTracker::new(&tree, &tree);
    for step in 0..5 {
        let b_to_a = Pose::from(Isometry3::translation(0.02 * f64::from(step), 0.0, 0.2));
        if let Some(nearest) = tracker.distance(&mut query, &b_to_a) {
            println!("distance {:.6} at {:.3}: {:?}", nearest.distance, nearest.on_a, query.stats());
        }
        let clearance = 0.165;
        match query.within(&tree, &tree, &b_to_a, clearance) {
            Within::No { lower_bound } => println!("  the clearance is kept: at least {lower_bound:.4} apart"),
            Within::Yes => {
                let pairs = query.pairs_within(&tree, &tree, &b_to_a, clearance);
                println!("  {} pairs of triangles are closer than {clearance}", pairs.len());
            }
        }
    }
    Ok(())
}
