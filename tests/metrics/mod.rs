//! The metrics of trees and the costs of queries.

mod cost;
mod hausdorff;
mod hull;
mod meshes;
mod outside;
mod overlap;
mod own_volume;
mod pose_sets;
mod rays;
mod reference_volumes;
mod tightness;
mod volume_query_cost;
mod whole;
