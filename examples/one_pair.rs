//! Asks about two meshes in one pose: `cargo run --release --example one_pair`.

use std::error::Error;

use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

fn main() -> Result<(), Box<dyn Error>> {
    let link = Mesh::load_obj("data/chain_link.obj")?;
    let tree = BvTree::build(&link, &BuildOptions::default())?;
    let mut query = Query::new();
    let length = tree.bounds().size().x;

    // Two links of a chain: the second one is turned by a quarter about the chain and stands further along it:
    // beyond the first, in it, and hooked into it as it should be.
    let quarter = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 90f64.to_radians());
    for part in [1.1, 0.8, 0.5] {
        let pose = Pose::from(Isometry3::from_parts(Translation3::new(part * length, 0.0, 0.0), quarter));
        let touching = query.intersects(&tree, &tree, &pose);
        let pairs = query.collect_pairs(&tree, &tree, &pose);
        let work = query.stats();
        let distance = query.distance(&tree, &tree, &pose).ok_or("an empty mesh has no distance")?;
        println!(
            "{part:.2} lengths apart: {}, {} pairs of triangles, distance {:.3} ({} volume and {} triangle tests for the pairs)",
            if touching { "touching" } else { "apart" },
            pairs.len(),
            distance.distance,
            work.volume_tests,
            work.triangle_tests
        );
        if let Some(pair) = pairs.first() {
            println!("  for one, triangle {} of A and {} of B", pair.face_a, pair.face_b);
        }
        assert_eq!(touching, !pairs.is_empty());
        assert_eq!(touching, distance.distance == 0.0);
    }
    Ok(())
}
