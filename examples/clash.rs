//! Reports the clashes of an assembly: the relation of each pair of nearby bodies, and the distance of those that do
//! not touch. `cargo run --release -p bvtree --example clash`. `bvtree clash data/assembly.json` writes a longer
//! report.

use std::error::Error;
use std::ops::ControlFlow;
use std::sync::Arc;

use bvtree::query::DistanceOptions;
use bvtree::scene::{Body, BodyRelation, Scene};
use bvtree::{BuildOptions, BvTree, Mesh, Pose};
use nalgebra::{Isometry3, Vector3};

const CLEARANCE: f64 = 1.0;

fn main() -> Result<(), Box<dyn Error>> {
    let load = |name: &str| -> Result<Arc<BvTree>, Box<dyn Error>> {
        let mesh = Mesh::load_obj(format!("data/{name}.obj"))?;
        Ok(Arc::new(BvTree::build(&mesh, &BuildOptions::default())?))
    };
    let (gear, bolt) = (load("gear")?, load("bolt")?);
    let mut scene = Scene::new();
    // All bodies of an assembly are fixed.
    scene.include_static_pairs(true);
    let bodies = [("gear", &gear, 0.0), ("bolt", &bolt, 0.0), ("copy", &gear, 0.0), ("next", &gear, 45.0)];
    for (_, tree, x) in bodies {
        let pose = Pose::from(Isometry3::translation(x, 0.0, 0.0));
        scene.add(Body::fixed(tree.clone(), pose))?;
    }
    let turned = Pose::from(Isometry3::new(Vector3::new(0.0, 60.0, 0.0), Vector3::x()));
    scene.add(Body::fixed(bolt.clone(), turned))?;
    scene.for_each_neighbor_pair(
        CLEARANCE,
        |query, near| {
            let relation = near.relation(query, 1e-6);
            let [Some(a), Some(b)] = near.bodies.map(|body| body.geometry.tree()) else { return None };
            let options = DistanceOptions { upper_bound: CLEARANCE, ..DistanceOptions::default() };
            let distance = query.distance_with(a, b, &near.b_to_a(), &options).map(|found| found.distance);
            (relation != BodyRelation::Separate || distance.is_some()).then_some((near.ids, relation, distance))
        },
        |(ids, relation, distance)| {
            let [a, b] = ids.map(|id| bodies.get(id.index()).map_or("turned bolt", |body| body.0));
            println!("{a}, {b}: {relation:?}, distance {distance:?}");
            ControlFlow::Continue(())
        },
    );
    Ok(())
}
