//! Measures a kind of bounding volume that bvtree does not have, capsules, at the nodes of a tree of boxes:
//! `cargo run --release -p bvtree --example own_volume`.

use std::error::Error;
use std::f64::consts::PI;

use bvtree::metrics::{MeasuredVolume, MeshFacts, VolumeMetrics};
use bvtree::shape::Aabb;
use bvtree::{BuildOptions, BvTree, Mesh};
use nalgebra::{Point3, Vector3};

/// All points within a radius of the segment from `start` to `start + way`.
struct Capsule {
    start: Point3<f64>,
    way: Vector3<f64>,
    radius: f64,
}

impl Capsule {
    /// A capsule around the longest middle line of the points' box.
    fn around(points: &[Point3<f64>]) -> Self {
        let bounds = Aabb::from_points(points);
        let axis = bounds.size().imax();
        let way = Vector3::ith(axis, bounds.size()[axis]);
        let mut capsule = Self { start: bounds.center() - 0.5 * way, way, radius: 0.0 };
        capsule.radius = points.iter().map(|point| capsule.distance(point)).fold(0.0, f64::max);
        capsule
    }

    fn distance(&self, point: &Point3<f64>) -> f64 {
        let along = (point - self.start).dot(&self.way) / self.way.norm_squared().max(f64::MIN_POSITIVE);
        (point - (self.start + self.way * along.clamp(0.0, 1.0))).norm()
    }
}

impl MeasuredVolume for Capsule {
    fn volume(&self) -> f64 {
        PI * self.radius.powi(2) * (self.way.norm() + 4.0 / 3.0 * self.radius)
    }

    fn surface_area(&self) -> f64 {
        2.0 * PI * self.radius * (self.way.norm() + 2.0 * self.radius)
    }

    fn aabb(&self) -> Aabb {
        let ends = Aabb::from_points(&[self.start, self.start + self.way]);
        let radius = Vector3::repeat(self.radius);
        Aabb { lower: ends.lower - radius, upper: ends.upper + radius }
    }

    fn contains(&self, point: &Point3<f64>) -> bool {
        // The radius is a distance that was rounded.
        self.distance(point) <= self.radius * (1.0 + 1e-12)
    }

    fn meets_line(&self, point: &Point3<f64>, direction: &Vector3<f64>) -> bool {
        // Seen along the line it is a point, and the segment a segment: both lose what is along the direction.
        let across = |v: Vector3<f64>| v - direction * v.dot(direction);
        let seen = Capsule { start: Point3::from(across(self.start - point)), way: across(self.way), ..*self };
        seen.distance(&Point3::origin()) <= self.radius
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mesh = Mesh::load_obj("data/sword.obj")?;
    let tree = BvTree::build(&mesh, &BuildOptions::default())?;
    let capsules = VolumeMetrics::new(&tree, &MeshFacts::new(&mesh), Capsule::around);
    let (sums, rays) = (capsules.tightness.total, capsules.rays.total);
    println!("{} capsules: volume / hull {:.2?}, area / mesh {:.2?}", sums.volumes, sums.volume_ratio, sums.area_ratio);
    println!("SAH cost {:.2?}, EPO {:.2?}, LCV {:.2?}", sums.sah_cost, rays.epo, rays.lcv);
    Ok(())
}
