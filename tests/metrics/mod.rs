//! The metrics of trees and the costs of queries.

mod cost;
mod hausdorff;
mod meshes;
mod outside;
mod rays;
mod tightness;
mod whole;
