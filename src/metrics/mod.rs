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

mod cost;
mod cost_terms;
mod farthest;
mod hausdorff;
mod hierarchy;
mod line;
mod mesh_facts;
mod outside;
mod overlap;
mod poses;
mod random;
mod ray_quality;
mod sah;
mod sample;
mod slope;
mod tightness;
mod tree_metrics;

pub use cost::{PoseCost, QueryCost, query_cost, time_queries};
pub use cost_terms::CostTerms;
pub use hausdorff::{CurvePoint, HausdorffError, TightnessError};
pub use mesh_facts::MeshFacts;
pub use outside::{Estimate, OutsideVolume};
pub use overlap::intersection_volume;
pub use poses::{PoseSet, SeparatedPose};
pub use ray_quality::{RayMetrics, RayQuality};
pub use sah::{TRIANGLE_COST, VOLUME_COST};
pub use slope::log_log_slope;
pub use tightness::{LevelTightness, Tightness};
pub use tree_metrics::{LevelMetrics, TreeMetrics};
