//! Queries a thousand bodies at once: touching and nearby pairs, the least distance, rays, and a step in which ten of
//! them move: `cargo run --release -p bvtree --example scene`.

use std::error::Error;
use std::sync::Arc;

use bvtree::probe::Ray;
use bvtree::scene::{Body, Scene};
use bvtree::{BuildOptions, BvTree, Mesh, Pose, Probe};
use nalgebra::{Isometry3, Point3, Vector3};

fn main() -> Result<(), Box<dyn Error>> {
    let load = |name: &str| -> Result<Arc<BvTree>, Box<dyn Error>> {
        let mesh = Mesh::load_obj(format!("data/{name}.obj"))?;
        Ok(Arc::new(BvTree::build(&mesh, &BuildOptions::default())?))
    };
    let (gear, link) = (load("gear")?, load("chain_link")?);
    let mut scene = Scene::new();
    // A thousand bodies, two trees.
    let mut ids = Vec::new();
    for i in 0..1000 {
        let [x, y, z] = [i % 10, i / 10 % 10, i / 100].map(f64::from);
        let turn = Vector3::new(0.1 * x, 0.2 * y, 0.3 * z);
        let pose = Pose::from(Isometry3::new(Vector3::new(42.0 * x, 42.0 * y, 30.0 * z), turn));
        let tree = if i % 2 == 0 { gear.clone() } else { link.clone() };
        ids.push(scene.add(Body::moving(tree, pose))?);
    }
    println!("{} pairs of {} bodies touch", scene.intersecting_pairs().len(), scene.len());
    let near = scene.pairs_within(0.5);
    println!("{} pairs are within 0.5; {:?}", near.len(), scene.stats());
    if let Some(pair) = scene.closest_pair() {
        println!("least distance {} between {:?}", pair.distance, pair.bodies.map(|id| id.index()));
    }

    // Ten bodies move: only their pairs are queried again.
    for &id in ids.iter().step_by(100) {
        let pose = scene.body(id).ok_or("removed")?.pose;
        scene.set_pose(id, Pose::new(*pose.rotation(), pose.translation() + Vector3::new(0.2, 0.0, 0.1))?)?;
    }
    let near = scene.pairs_within(0.5);
    println!("after a step, {} pairs are; {:?}", near.len(), scene.stats());

    let ray = Ray { origin: Point3::new(-100.0, 10.0, 5.0), direction: Vector3::x() };
    if let Some(hit) = scene.closest_hit(&mut Probe::new(), &ray, f64::INFINITY, u32::MAX) {
        println!("the ray meets body {} at {:.3}", hit.body.index(), hit.hit.point);
    }
    Ok(())
}
