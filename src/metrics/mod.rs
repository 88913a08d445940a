//! Metrics: how tightly a tree fits its mesh, and how much work queries do.
//!
//! ```text
//! mesh -> MeshFacts ┐
//! tree ─────────────┼─> Tightness        sums of volumes and areas, sibling overlap, surface area heuristic
//!                   ├─> OutsideVolume    space of the volumes outside a closed mesh
//!                   ├─> HausdorffError   distances of volumes from the triangles; volumes needed for an error
//!                   └─> RayQuality       end-point overlap (EPO) and leaf count variability (LCV), for rays
//! tree + own volumes ──> VolumeMetrics     the same for a kind of volume of your own, a MeasuredVolume, and for
//!                                        convex hulls and k-DOPs, a ReferenceVolume
//! two trees + poses ──> QueryCost        volume and triangle tests per query
//!                   └─> CostTerms        time of a volume test and of a triangle test
//! ... + own volumes ──> PoseCost         tests of a traversal with volumes of your own, by volume_query_cost
//! ```
//!
//! Metrics of a tree are given for each level and for all stored volumes; [`TreeMetrics`] has all of them. The tree
//! *cut at a level* consists of the nodes of the level and the leaves above it, so that every cut covers the whole
//! mesh.
//!
//! Trees of all kinds are measured against the same facts and over the same poses, so their numbers are comparable.
//! Ratios without a meaning (a flat mesh encloses no volume, a mesh of points has no area) are `None`, never infinite
//! or NaN. Estimates from random points and lines have standard errors; for a seed, they are the same on every machine
//! and for any number of threads. Hausdorff distances are proven intervals. All other metrics of a tree are exact up to
//! rounding.

mod estimate;
mod hausdorff;
mod hierarchy;
mod measured;
mod measured_volume;
mod outside;
mod overlap;
mod polytope;
mod poses;
mod query_cost;
mod random;
mod ray_quality;
mod rectangle_swept_sphere;
mod reference_volume;
mod slope;
mod tightness;
mod volume_query_cost;

use nalgebra::Point3;

use crate::mesh::{Mesh, Watertightness};
use crate::numeric::error_bounds::{flatness, volume_error};
use crate::shape::convex_hull::convex_hull_volume;
use crate::tree::BvTree;
use crate::volume::fit;
pub use estimate::Estimate;
pub use hausdorff::{CurvePoint, HausdorffError, HausdorffTolerance, Interval, NoSlope, TightnessError};
use hierarchy::Hierarchy;
pub use measured_volume::{MeasuredVolume, Tetrahedra, VolumeMetrics};
pub use outside::OutsideVolume;
pub use overlap::intersection_volume;
pub use polytope::ConvexPolytope;
pub use poses::{PoseSet, SeparatedPose};
pub use query_cost::{CostTerms, PoseCost, QueryCost, query_cost, time_queries};
pub use ray_quality::{RayMetrics, RayQuality};
pub use reference_volume::ReferenceVolume;
pub use slope::log_log_slope;
pub use tightness::{LevelTightness, TRIANGLE_COST, Tightness, VOLUME_COST};
pub use volume_query_cost::{stored_query_cost, volume_query_cost};

/// All metrics of a tree; [`TreeMetrics::levels`] has them by level.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TreeMetrics {
    /// How tightly the volumes fit the mesh: sums of their sizes (volume and area), and the surface area heuristic.
    pub tightness: Tightness,
    /// How much of the volumes lies outside the mesh; `None` without a [`MeshFacts::mesh_volume`], or if
    /// [`MetricsOptions::samples`] is 0.
    pub outside: Option<OutsideVolume>,
    /// Hausdorff distances from the volumes to the triangles.
    pub hausdorff: HausdorffError,
    /// Metrics that predict the cost of rays.
    pub rays: RayQuality,
}

/// Options for measuring [`TreeMetrics`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MetricsOptions {
    /// The seed of all random points and lines. 0 by default.
    pub seed: u64,
    /// Number of random lines, of points on the surface, and of points in the volumes of each level. Four times as many
    /// samples halve the standard errors; with 0 there are no estimates. 16,384 by default.
    pub samples: usize,
    /// The required width of the intervals of Hausdorff distances.
    pub hausdorff: HausdorffTolerance,
}

impl Default for MetricsOptions {
    fn default() -> Self {
        Self { seed: 0, samples: 1 << 14, hausdorff: HausdorffTolerance::default() }
    }
}

/// Metrics of a tree cut at one level, or of all its volumes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LevelMetrics {
    /// How tightly the volumes fit the mesh: sums of their sizes (volume and area), and the surface area heuristic.
    pub tightness: LevelTightness,
    /// How much of the volumes lies outside the mesh, relative to the volume that the mesh encloses; `None` without a
    /// [`MeshFacts::mesh_volume`], or if [`MetricsOptions::samples`] is 0.
    pub outside: Option<Estimate>,
    /// Hausdorff distances from the volumes to the triangles; without intervals for volumes of your own that have no
    /// [`MeasuredVolume::tetrahedra`].
    pub hausdorff: TightnessError,
    /// Metrics that predict the cost of rays.
    pub rays: RayMetrics,
}

impl TreeMetrics {
    /// Measures a tree against the facts of its mesh, on all threads of the rayon pool, with the default options.
    pub fn new(tree: &BvTree, facts: &MeshFacts) -> Self {
        Self::with_options(tree, facts, &MetricsOptions::default())
    }

    /// Measures a tree against the facts of its mesh, as [`TreeMetrics::new`] does, with options.
    pub fn with_options(tree: &BvTree, facts: &MeshFacts, options: &MetricsOptions) -> Self {
        let hierarchy = Hierarchy::new(tree);
        Self {
            tightness: Tightness::with_nodes(tree, facts, &hierarchy.nodes),
            outside: OutsideVolume::with_hierarchy(tree, facts, &hierarchy, options),
            hausdorff: HausdorffError::with_hierarchy(tree, facts, &hierarchy, &options.hausdorff),
            rays: RayQuality::with_hierarchy(tree, &hierarchy, options),
        }
    }

    /// Metrics of the tree cut at each level, from the root down. Empty for an empty mesh.
    pub fn levels(&self) -> impl ExactSizeIterator<Item = LevelMetrics> + '_ {
        level_metrics(&self.tightness, self.outside.as_ref(), Some(&self.hausdorff), &self.rays)
    }

    /// Metrics of all stored volumes; ray metrics and the surface area heuristic are those of the whole tree.
    pub fn total(&self) -> LevelMetrics {
        LevelMetrics {
            tightness: self.tightness.total,
            outside: self.outside.as_ref().map(|outside| outside.total),
            hausdorff: self.hausdorff.total,
            rays: self.rays.total,
        }
    }
}

/// Metrics of the tree cut at each level.
fn level_metrics<'a>(
    tightness: &'a Tightness,
    outside: Option<&'a OutsideVolume>,
    hausdorff: Option<&'a HausdorffError>,
    rays: &'a RayQuality,
) -> impl ExactSizeIterator<Item = LevelMetrics> + 'a {
    tightness.levels.iter().zip(&rays.levels).enumerate().map(move |(level, (&tightness, &rays))| LevelMetrics {
        tightness,
        outside: outside.and_then(|outside| outside.levels.get(level).copied()),
        hausdorff: hausdorff.and_then(|hausdorff| hausdorff.levels.get(level).copied()).unwrap_or_default(),
        rays,
    })
}

/// Measures of a mesh, computed once and used for trees of every kind.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MeshFacts {
    /// Number of triangles.
    pub triangles: usize,
    /// Surface area: the sum of the triangles' areas, one side each.
    pub area: f64,
    /// Diameter of the smallest enclosing sphere.
    pub diameter: f64,
    /// Whether the triangles lie in a plane, up to rounding to f32. An empty mesh is flat.
    pub is_flat: bool,
    /// Volume of the convex hull of the triangles; `None` for a flat mesh.
    pub hull_volume: Option<f64>,
    /// Enclosed volume: the absolute value of the sum of signed volumes of tetrahedra between the triangles and a
    /// common point (divergence theorem). Parts with a winding number of `k` count `k` times. `None` for a mesh that is
    /// not closed and oriented ([`Watertightness`]) or encloses nothing.
    pub mesh_volume: Option<f64>,
}

impl MeshFacts {
    /// Measures a mesh.
    pub fn new(mesh: &Mesh) -> Self {
        let points = used_points(mesh);
        let frame = fit::obb_by_vertex_covariance(&points);
        let largest = points.iter().map(|point| point.coords.amax()).fold(0.0, f64::max);
        // Twice the thickness of a plane's points, because the box's normal leans too.
        let is_flat = frame.half_extents.min() <= flatness(largest);
        let triangles = mesh.triangles().len();
        let area = mesh.iter().map(|triangle| 0.5 * triangle.scaled_normal().norm()).sum();
        let hull_volume = (!is_flat).then(|| convex_hull_volume(&points));
        let is_oriented = || mesh.watertightness() == Watertightness::Oriented;
        let mesh_volume = hull_volume.filter(|_| is_oriented()).and_then(|_| enclosed_volume(mesh, &points));
        let diameter = 2.0 * fit::smallest_sphere(&points).sphere.radius;
        Self { triangles, area, diameter, is_flat, hull_volume, mesh_volume }
    }
}

/// The volume that a closed mesh encloses; `None` if it is within rounding of zero.
fn enclosed_volume(mesh: &Mesh, points: &[Point3<f64>]) -> Option<f64> {
    let middle = fit::mean(points);
    let (mut signed, mut magnitude, mut lengths) = (0.0, 0.0, 0.0);
    for triangle in mesh.iter() {
        let [a, b, c] = triangle.vertices.map(|vertex| vertex - middle);
        let tetrahedron = a.cross(&b).dot(&c) / 6.0;
        signed += tetrahedron;
        magnitude += tetrahedron.abs();
        lengths += a.norm() * b.norm() * c.norm() / 6.0;
    }
    Some(f64::abs(signed)).filter(|&volume| volume > volume_error(mesh.triangles().len(), lengths, magnitude))
}

/// The points that triangles use, each vertex once.
fn used_points(mesh: &Mesh) -> Vec<Point3<f64>> {
    let mut used = vec![false; mesh.vertices().len()];
    for &vertex in mesh.triangles().iter().flatten() {
        used[vertex as usize] = true;
    }
    let vertices = mesh.vertices().iter().zip(used);
    vertices.filter(|(_, used)| *used).map(|(vertex, _)| vertex.cast()).collect()
}
