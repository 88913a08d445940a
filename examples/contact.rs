//! Shows how two cubes touch: their relation, the contact segments joined to polylines, and contact patches with
//! normals: `cargo run -p bvtree --example contact`.

use std::error::Error;

use bvtree::query::intersection_curves;
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query};
use nalgebra::{Isometry3, Point3, Vector3};

/// The cube from the origin to (1, 1, 1).
fn cube() -> Result<Mesh, Box<dyn Error>> {
    let corner = |i: u8| Point3::new(f32::from(i & 1), f32::from(i >> 1 & 1), f32::from(i >> 2));
    let quads = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Ok(Mesh::from_arrays((0..8).map(corner).collect(), triangles)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let cube = BvTree::build(&cube()?, &BuildOptions::default())?;
    let mut query = Query::new();
    for x in [0.9, 1.0, 1.5] {
        let tilt = if x == 0.9 { Vector3::new(0.1, 0.0, 0.0) } else { Vector3::zeros() };
        let b_to_a = Pose::from(Isometry3::new(Vector3::new(x, 0.0, 0.0), tilt));
        println!("at x = {x}: {:?}", query.relation(&cube, &cube, &b_to_a));

        let contacts = query.contacts(&cube, &cube, &b_to_a);
        for line in intersection_curves(&contacts) {
            println!("  a polyline of {} points, closed: {}", line.points.len(), line.is_closed);
        }
        for patch in query.contact_patches(&cube, &cube, &b_to_a) {
            let (point, normal) = (patch.point, patch.normal);
            println!(
                "  {} contacts at {point:.3}, normal {normal:.3?}, depth {:.3} ({:?})",
                patch.contacts.len(),
                patch.depth,
                patch.depth_source
            );
        }
    }
    Ok(())
}
