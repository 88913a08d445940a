//! Measures a kind of bounding volume that bvtree does not have, capsules, at the nodes of a tree of boxes, and counts
//! the tests of queries with them: `cargo run --release -p bvtree --example own_volume`.

use std::error::Error;

use bvtree::metrics::{MeshFacts, PoseSet, QueryCost, VolumeMetrics, stored_query_cost, volume_query_cost};
use bvtree::shape::{Aabb, ClosestPoint, ConvexShape, Segment};
use bvtree::{BuildOptions, BvTree, Mesh, Pose};
use nalgebra::{Point3, Vector3};

/// A capsule around the longest middle line of the points' box. Volumes that are not convex shapes of the library
/// implement `MeasuredVolume`.
fn capsule(points: &[Point3<f64>]) -> ConvexShape {
    let bounds = Aabb::from_points(points);
    let half = Vector3::ith(bounds.size().imax(), bounds.half_extents().max());
    let line = Segment { start: bounds.center() - half, end: bounds.center() + half };
    let radius = points.iter().map(|point| (point - line.closest_point(point)).norm()).fold(0.0, f64::max);
    // The radius is a distance that was rounded.
    let core = ConvexShape::hull(&[line.start, line.end]).expect("the mesh is finite");
    core.rounded(radius * (1.0 + 1e-12)).expect("so are distances")
}

fn main() -> Result<(), Box<dyn Error>> {
    let mesh = Mesh::load_obj("data/sword.obj")?;
    let tree = BvTree::build(&mesh, &BuildOptions::default())?;
    let metrics = VolumeMetrics::new(&tree, &MeshFacts::new(&mesh), capsule);
    let (sums, rays) = (metrics.tightness.total, metrics.rays.total);
    println!("{} capsules: volume / hull {:.2?}, area / mesh {:.2?}", sums.volumes, sums.volume_ratio, sums.area_ratio);
    println!("SAH cost {:.2?}, EPO {:.2?}, LCV {:.2?}", sums.sah_cost, rays.epo, rays.lcv);

    let poses: Vec<Pose> = PoseSet::default().poses(&tree, &tree).iter().map(|posed| posed.pose).collect();
    let capsules: QueryCost = volume_query_cost(&tree, &tree, &poses, capsule).iter().flatten().collect();
    let boxes: QueryCost = stored_query_cost(&tree, &tree, &poses).iter().collect();
    let tests = [capsules, boxes].map(|cost| cost.volume_tests);
    println!("volume tests of capsules and of the tree's boxes, at {} poses: {tests:?}", poses.len());
    Ok(())
}
