//! Queries a pair of meshes at three poses: whether they touch, which triangles do, and the distance:
//! `cargo run --release -p bvtree --example one_pair [MESH.obj]`.

use std::error::Error;
use std::process::ExitCode;

use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query};
use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};

fn main() -> ExitCode {
    // The repository has small meshes in data/; any other OBJ file will do.
    let path = std::env::args().nth(1).unwrap_or_else(|| "data/chain_link.obj".into());
    match run(&path) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(path: &str) -> Result<(), Box<dyn Error>> {
    let link = Mesh::load_obj(path)?;
    let tree = BvTree::build(&link, &BuildOptions::default())?;
    let mut query = Query::new();
    let length = tree.bounds().size().x;

    // Two links of a chain, the second one rotated by 90 degrees about the chain's axis: first apart, then overlapping,
    // then hooked together as in a chain.
    let quarter = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), 90f64.to_radians());
    for part in [1.1, 0.8, 0.5] {
        let pose = Pose::from(Isometry3::from_parts(Translation3::new(part * length, 0.0, 0.0), quarter));
        let touching = query.intersects(&tree, &tree, &pose);
        let pairs = query.intersecting_pairs(&tree, &tree, &pose);
        let work = query.stats();
        let distance = query.distance(&tree, &tree, &pose).ok_or("an empty mesh has no distance")?;
        println!(
            "{part:.2} lengths apart: {}, {} pairs of triangles, distance {:.3} ({} volume and {} triangle tests for \
                the pairs)",
            if touching { "touching" } else { "apart" },
            pairs.len(),
            distance.distance,
            work.volume_tests,
            work.triangle_tests
        );
        if let Some(pair) = pairs.first() {
            println!("  the first pair: triangle {} of A and triangle {} of B", pair.face_a, pair.face_b);
        }
        assert_eq!(touching, !pairs.is_empty());
        assert_eq!(touching, distance.distance == 0.0);
    }
    Ok(())
}
