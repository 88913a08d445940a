//! How tightly a tree fits its mesh, and how much work queries do because of it.
//!
//! ```text
//! mesh -> MeshFacts ┐
//! tree ─────────────┴> Tightness        what is stored: volumes, areas, overlaps, per level and in all
//! two trees + poses ──> QueryCost       what it costs: volume and triangle tests per query
//! ```
//!
//! Trees of all kinds of one mesh are measured against the same facts and over the same poses, so that their figures
//! compare. Ratios that have no meaning (a flat mesh encloses no volume, a mesh of points has no area) are `None`,
//! never infinite or NaN.

mod cost;

mod mesh_facts;
mod overlap;
mod poses;
mod random;
mod sah;
mod tightness;

pub use cost::{QueryCost, query_cost};
pub use mesh_facts::MeshFacts;
pub use overlap::intersection_volume;
pub use poses::{PoseSet, SeparatedPose};
pub use sah::{TRIANGLE_COST, VOLUME_COST};
pub use tightness::{LevelTightness, Tightness};
