//! Computes when a turning rod hits a plate, and how far a stuck rod must move to come free:
//! `cargo run -p bvtree --example motion`.

use bvtree::query::TimeOfImpact;
use bvtree::{BuildOptions, BvTree, Mesh, Motion, Pose, Query};
use nalgebra::{Isometry3, Point3, Vector3};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (plate, rod) = (cuboid([4.0, 4.0, 0.01])?, cuboid([3.0, 0.2, 0.2])?);
    let mut query = Query::new();

    // The rod starts above the plate and hits it because it turns.
    let level = Pose::from(Isometry3::translation(0.0, 0.0, 1.0));
    let upright = Pose::from(Isometry3::new(Vector3::new(0.0, 0.0, 1.0), Vector3::y() * 1.5));
    match query.time_of_impact(&plate, &rod, &Motion::new(level, upright), 1e-6)? {
        TimeOfImpact::NoImpact => println!("the rod is proven not to touch the plate"),
        TimeOfImpact::Touching(contact) => println!("the rod touches the plate at the start, at {}", contact.on_a),
        TimeOfImpact::Impact(contact) => {
            println!("the rod hits the plate at time {:.6} at {:.3}", contact.time, contact.on_a);
        }
    }

    // The rod is stuck in the plate: how far must it move up, and is there a shorter translation?
    let stuck = Pose::from(Isometry3::translation(0.0, 0.0, 0.05));
    if let Some(separation) = query.penetration_along(&plate, &rod, &stuck, &Vector3::z_axis()) {
        println!("the rod is free after moving up by {:.3}", separation.depth);
    }
    if let Some(penetration) = query.penetration(&plate, &rod, &stuck) {
        println!(
            "some translation of length {:.3} frees it: an upper bound of the penetration depth",
            penetration.upper_bound
        );
    }
    Ok(())
}

/// A box centred at the origin.
fn cuboid(lengths: [f32; 3]) -> Result<BvTree, Box<dyn std::error::Error>> {
    let corner = |i: usize| Point3::from([0, 1, 2].map(|k| if i >> k & 1 == 1 { 0.5 } else { -0.5 } * lengths[k]));
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let mesh = Mesh::from_arrays((0..8).map(corner).collect(), triangles)?;
    Ok(BvTree::build(&mesh, &BuildOptions::default())?)
}
