//! What metrics ask of a volume, and metrics of volumes that are not the library's.

use nalgebra::{Point3, Vector3};

use super::hierarchy::Hierarchy;
use super::overlap::intersection_volume;
use super::random::{Random, point_in};
use super::ray_quality::{Line, lines_through, lines_through_sphere};
use super::{MeshFacts, OutsideVolume, RayQuality, Tightness};
use crate::shape::{Aabb, Sphere};
use crate::tree::BvTree;
use crate::volume::Volume;

/// A kind of bounding volume of your own. [`VolumeMetrics`] measures it at the nodes of a tree, by the formulas that
/// measure the library's kinds.
///
/// Volumes are convex and in mesh coordinates. Random points and lines are slow to draw for volumes that fill less than
/// a thousandth of their axis-aligned boxes.
pub trait MeasuredVolume: Sync {
    /// The volume, in cubed mesh units.
    fn volume(&self) -> f64;

    /// The area of the surface, in squared mesh units.
    fn surface_area(&self) -> f64;

    /// The axis-aligned box around the volume.
    fn aabb(&self) -> Aabb;

    /// Whether a point lies in the volume or on its surface.
    fn contains(&self, point: &Point3<f64>) -> bool;

    /// Whether the line through `point` along the unit vector `direction`, endless both ways, meets the volume.
    fn meets_line(&self, point: &Point3<f64>, direction: &Vector3<f64>) -> bool;

    /// The volume that two have in common; `None` if that is not known, and then there is no
    /// [`LevelTightness::sibling_overlap`](super::LevelTightness::sibling_overlap).
    fn intersection_volume(&self, other: &Self) -> Option<f64> {
        let _ = other;
        None
    }
}

/// Metrics of a tree whose volumes are replaced by volumes of your own. Distances from the triangles, as
/// [`TreeMetrics::hausdorff`](super::TreeMetrics::hausdorff) has them, are not among them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct VolumeMetrics {
    /// Sums over volumes.
    pub tightness: Tightness,
    /// Space outside the mesh; `None` for a mesh that encloses no volume.
    pub outside: Option<OutsideVolume>,
    /// Metrics for rays.
    pub rays: RayQuality,
}

impl VolumeMetrics {
    /// Measures the volumes that `fit` returns for the nodes of a tree, with the seed 0. `fit` gets the corners of the
    /// triangles below a node, three for each triangle, so that vertices are repeated; its volume should enclose them.
    ///
    /// The nodes stay those of the tree, so the figures compare with [`TreeMetrics`](super::TreeMetrics) of the same
    /// tree, and with those of other volumes of your own at its nodes. Without nodes, for an empty mesh, `fit` is not
    /// called.
    pub fn new<V: MeasuredVolume>(tree: &BvTree, facts: &MeshFacts, fit: impl FnMut(&[Point3<f64>]) -> V) -> Self {
        Self::with_seed(tree, facts, 0, fit)
    }

    /// The same, with the random points and lines of another seed.
    pub fn with_seed<V: MeasuredVolume>(
        tree: &BvTree,
        facts: &MeshFacts,
        seed: u64,
        mut fit: impl FnMut(&[Point3<f64>]) -> V,
    ) -> Self {
        let mut points: Vec<Point3<f64>> = Vec::new();
        let nodes = tree.nodes().map(|node| {
            points.clear();
            let below = node.first_triangle..node.first_triangle + node.triangles;
            points.extend(below.flat_map(|leaf_index| tree.view().triangle(leaf_index).map(|vertex| vertex.cast())));
            node.with_volume(Own(fit(&points)))
        });
        let hierarchy = Hierarchy::of(nodes.collect());
        Self {
            tightness: Tightness::with_nodes(tree, facts, &hierarchy.nodes),
            outside: OutsideVolume::with_hierarchy(tree, facts, &hierarchy, seed),
            rays: RayQuality::with_hierarchy(tree, &hierarchy, seed),
        }
    }
}

/// A volume of any origin, as metrics need it.
pub(super) trait Measured: Sync {
    fn volume(&self) -> f64;
    fn surface_area(&self) -> f64;
    fn aabb(&self) -> Aabb;
    fn contains(&self, point: &Point3<f64>) -> bool;
    fn meets(&self, line: &Line) -> bool;
    fn intersection_volume(&self, other: &Self) -> Option<f64>;
    /// A uniform point of the volume.
    fn point_in(&self, random: &mut Random) -> Point3<f64>;
    /// Uniform random lines that meet the volume.
    fn lines_through(&self, count: usize, random: &mut Random) -> Vec<Line>;
}

impl Measured for Volume {
    fn volume(&self) -> f64 {
        self.volume()
    }

    fn surface_area(&self) -> f64 {
        self.surface_area()
    }

    fn aabb(&self) -> Aabb {
        self.aabb()
    }

    fn contains(&self, point: &Point3<f64>) -> bool {
        self.contains(point)
    }

    fn meets(&self, line: &Line) -> bool {
        line.meets(self)
    }

    fn intersection_volume(&self, other: &Self) -> Option<f64> {
        intersection_volume(self, other)
    }

    fn point_in(&self, random: &mut Random) -> Point3<f64> {
        point_in(self, random)
    }

    fn lines_through(&self, count: usize, random: &mut Random) -> Vec<Line> {
        lines_through(self, count, random)
    }
}

/// A volume of the caller's, whose points and lines are drawn from those of a box and a sphere around it.
struct Own<V>(V);

impl<V> Own<V> {
    /// So many draws per point or line that is wanted. A volume that fills less of its box gets fewer lines, and the
    /// middle of its box in place of a point.
    const MAX_DRAWS: usize = 10_000;
}

impl<V: MeasuredVolume> Measured for Own<V> {
    fn volume(&self) -> f64 {
        self.0.volume()
    }

    fn surface_area(&self) -> f64 {
        self.0.surface_area()
    }

    fn aabb(&self) -> Aabb {
        self.0.aabb()
    }

    fn contains(&self, point: &Point3<f64>) -> bool {
        self.0.contains(point)
    }

    fn meets(&self, line: &Line) -> bool {
        self.0.meets_line(&line.point, &line.direction)
    }

    fn intersection_volume(&self, other: &Self) -> Option<f64> {
        self.0.intersection_volume(&other.0)
    }

    fn point_in(&self, random: &mut Random) -> Point3<f64> {
        let aabb = Volume::Aabb(self.aabb());
        let points = (0..Self::MAX_DRAWS).map(|_| point_in(&aabb, random)).find(|point| self.contains(point));
        points.unwrap_or_else(|| aabb.center())
    }

    fn lines_through(&self, count: usize, random: &mut Random) -> Vec<Line> {
        let aabb = self.aabb();
        let around = Sphere { center: aabb.center(), radius: aabb.half_extents().norm() };
        let draws = std::iter::repeat_with(|| lines_through_sphere(&around, 1, random)).take(count * Self::MAX_DRAWS);
        draws.flatten().filter(|line| self.meets(line)).take(count).collect()
    }
}
