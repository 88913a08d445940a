//! Moving one mesh past and out of another: `cargo run --example motion`.

use bvtree::query::TimeOfImpact;
use bvtree::{BuildOptions, BvTree, Mesh, Motion, Pose, Query};
use nalgebra::{Isometry3, Point3, Vector3};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (plate, rod) = (cuboid([4.0, 4.0, 0.01])?, cuboid([3.0, 0.2, 0.2])?);
    let mut query = Query::new();

    // Above the plate it only hits because it turns.
    let level = Pose::from(Isometry3::translation(0.0, 0.0, 1.0));
    let upright = Pose::from(Isometry3::new(Vector3::new(0.0, 0.0, 1.0), Vector3::y() * 1.5));
    match query.time_of_impact(&plate, &rod, &Motion::new(level, upright), 1e-6)? {
        TimeOfImpact::NoImpact => println!("the rod turns freely"),
        TimeOfImpact::Touching(contact) => println!("the rod touches the plate at {}", contact.on_a),
        TimeOfImpact::Impact(contact) => {
            println!("the rod hits the plate at time {:.6} at {:.3}", contact.time, contact.on_a);
        }
    }

    // In the plate: how far up is out, and is there a shorter way?
    let stuck = Pose::from(Isometry3::translation(0.0, 0.0, 0.05));
    if let Some(separation) = query.penetration_along(&plate, &rod, &stuck, &Vector3::z_axis()) {
        println!("the rod comes free {:.3} farther up", separation.depth);
    }
    if let Some(penetration) = query.penetration(&plate, &rod, &stuck) {
        println!("it is at most {:.3} deep", penetration.upper_bound);
    }
    Ok(())
}

/// A box about the origin.
fn cuboid(lengths: [f32; 3]) -> Result<BvTree, Box<dyn std::error::Error>> {
    let corner = |i: usize| Point3::from([0, 1, 2].map(|k| if i >> k & 1 == 1 { 0.5 } else { -0.5 } * lengths[k]));
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    let mesh = Mesh::from_arrays((0..8).map(corner).collect(), triangles)?;
    Ok(BvTree::build(&mesh, &BuildOptions::default())?)
}
