//! How tightly a tree fits its mesh, and how much work queries do because of it.
//!
//! ```text
//! mesh -> MeshFacts ┐
//! tree ─────────────┼─> Tightness        sums of volumes and areas, sibling overlap, surface area heuristic
//!                   ├─> OutsideVolume    space of the volumes outside a closed mesh
//!                   ├─> HausdorffError   how far volumes reach from the triangles; volumes needed to stay near
//!                   └─> RayQuality       end-point overlap (EPO) and leaf count variability (LCV), for rays
//! two trees + poses ──> QueryCost        what it costs: volume and triangle tests per query
//!                   └─> CostTerms        and how long a test of either kind takes
//! ```
//!
//! What is measured of a tree is given level by level and for all stored volumes; [`TreeMetrics`] is all of it. The
//! tree cut at a level is the level's nodes and the leaves above it, so that every cut covers the whole mesh.
//!
//! Trees of all kinds of one mesh are measured against the same facts and over the same poses, so that their figures
//! compare. Ratios that have no meaning (a flat mesh encloses no volume, a mesh of points has no area) are `None`,
//! never infinite or NaN. Random points are the same on every machine, whatever the number of threads.

mod hausdorff;
mod hierarchy;
mod outside;
mod overlap;
mod poses;
mod query_cost;
mod random;
mod ray_quality;
mod tightness;

use nalgebra::Point3;

use crate::mesh::{Mesh, Watertightness};
use crate::tree::BvTree;
use crate::volume::fit::{self, convex_hull_volume};
pub use hausdorff::{CurvePoint, HausdorffError, TightnessError, log_log_slope};
use hierarchy::Hierarchy;
pub use outside::{Estimate, OutsideVolume};
pub use overlap::intersection_volume;
pub use poses::{PoseSet, SeparatedPose};
pub use query_cost::{CostTerms, PoseCost, QueryCost, query_cost, time_queries};
pub use ray_quality::{RayMetrics, RayQuality};
pub use tightness::{LevelTightness, TRIANGLE_COST, Tightness, VOLUME_COST};

/// All that is measured of one tree; [`TreeMetrics::levels`] has it by level.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TreeMetrics {
    /// Sums over the volumes.
    pub tightness: Tightness,
    /// Space outside the mesh; `None` for a mesh that encloses none.
    pub outside: Option<OutsideVolume>,
    /// How far volumes reach from the triangles.
    pub hausdorff: HausdorffError,
    /// What matters to rays.
    pub rays: RayQuality,
}

/// What is measured of a tree's volumes at one level, or of all.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct LevelMetrics {
    /// Sums over the volumes.
    pub tightness: LevelTightness,
    /// Space outside the mesh, over the mesh's; `None` for a mesh that encloses none.
    pub outside: Option<Estimate>,
    /// How far volumes reach from the triangles.
    pub hausdorff: TightnessError,
    /// What matters to rays.
    pub rays: RayMetrics,
}

impl TreeMetrics {
    /// Measures a tree against the facts of the mesh that it was built from. Uses all threads of the rayon pool;
    /// figures don't depend on their number.
    pub fn new(tree: &BvTree, facts: &MeshFacts) -> Self {
        let hierarchy = Hierarchy::new(tree);
        Self {
            tightness: Tightness::with_nodes(tree, facts, &hierarchy.nodes),
            outside: OutsideVolume::with_hierarchy(tree, facts, &hierarchy),
            hausdorff: HausdorffError::with_hierarchy(tree, facts, &hierarchy),
            rays: RayQuality::with_hierarchy(tree, &hierarchy),
        }
    }

    /// Of the tree cut at each level, the root's first. Empty for an empty mesh.
    pub fn levels(&self) -> impl ExactSizeIterator<Item = LevelMetrics> + '_ {
        let outside = |level: usize| self.outside.as_ref().and_then(|outside| outside.levels.get(level).copied());
        self.tightness.levels.iter().zip(&self.hausdorff.levels).zip(&self.rays.levels).enumerate().map(
            move |(level, ((&tightness, &hausdorff), &rays))| LevelMetrics {
                tightness,
                outside: outside(level),
                hausdorff,
                rays,
            },
        )
    }

    /// Of all stored volumes; of the whole tree where a figure is a tree's.
    pub fn total(&self) -> LevelMetrics {
        LevelMetrics {
            tightness: self.tightness.total,
            outside: self.outside.as_ref().map(|outside| outside.total),
            hausdorff: self.hausdorff.total,
            rays: self.rays.total,
        }
    }
}

/// Measures of a mesh itself, found once and used for trees of every kind.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct MeshFacts {
    /// Number of triangles.
    pub triangles: usize,
    /// Sum of the triangles' areas, one side each.
    pub area: f64,
    /// Diameter of the smallest ball around the triangles.
    pub diameter: f64,
    /// Whether the triangles lie in a plane, as far as f32 coordinates can tell. No triangles are flat.
    pub is_flat: bool,
    /// Volume of the convex hull of the triangles; `None` for a flat mesh.
    pub hull_volume: Option<f64>,
    /// Volume that the mesh encloses: the sum of the signed volumes of the tetrahedra between its triangles and any one
    /// point, without its sign (divergence theorem). Parts that the mesh winds around several times count as often.
    /// `None` for a mesh that is not closed, whose triangles disagree about its outside ([`Watertightness`]), or that
    /// encloses nothing.
    pub mesh_volume: Option<f64>,
}

impl MeshFacts {
    /// Measures a mesh.
    pub fn new(mesh: &Mesh) -> Self {
        let points = used_points(mesh);
        let frame = fit::obb_by_vertex_covariance(&points);
        let largest = points.iter().map(|point| point.coords.amax()).fold(0.0, f64::max);
        // Rounding to f32 moves a point out of its plane by up to this much.
        let rounding = f64::from(f32::EPSILON) * largest.max(f64::from(f32::MIN_POSITIVE));
        let is_flat = frame.half_extents.min() <= rounding;
        let triangles = mesh.triangles().len();
        let area = (0..triangles as u32).map(|t| 0.5 * mesh.triangle(t).scaled_normal().norm()).sum();
        let hull_volume = (!is_flat).then(|| convex_hull_volume(&points));
        let is_oriented = || mesh.watertightness() == Watertightness::Oriented;
        let mesh_volume = hull_volume.filter(|_| is_oriented()).and_then(|hull| enclosed_volume(mesh, &points, hull));
        let diameter = 2.0 * fit::smallest_sphere(&points).sphere.radius;
        Self { triangles, area, diameter, is_flat, hull_volume, mesh_volume }
    }
}

/// What a closed mesh encloses, unless that is nothing but rounding beside its hull.
fn enclosed_volume(mesh: &Mesh, points: &[Point3<f64>], hull_volume: f64) -> Option<f64> {
    let middle = fit::mean(points);
    let signed: f64 = (0..mesh.triangles().len() as u32)
        .map(|t| {
            let [a, b, c] = mesh.triangle(t).vertices.map(|vertex| vertex - middle);
            a.cross(&b).dot(&c) / 6.0
        })
        .sum();
    Some(signed.abs()).filter(|&volume| volume > ROUNDING * hull_volume)
}

/// What a sum over many triangles may be off by, relatively.
const ROUNDING: f64 = 1e-9;

/// The points that triangles use, each vertex once.
fn used_points(mesh: &Mesh) -> Vec<Point3<f64>> {
    let mut used = vec![false; mesh.vertices().len()];
    for &vertex in mesh.triangles().iter().flatten() {
        used[vertex as usize] = true;
    }
    let vertices = mesh.vertices().iter().zip(used);
    vertices.filter(|(_, used)| *used).map(|(vertex, _)| vertex.cast()).collect()
}
