//! The metrics of trees and the costs of queries.

mod cost;
#[path = "../dataset_folder/mod.rs"]
mod dataset_folder;
mod hausdorff;
mod meshes;
mod outside;
mod rays;
mod tightness;
mod whole;
