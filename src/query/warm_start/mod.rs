//! The least distance again and again, each time from what was found last.

mod cost_model;
mod front;
mod plane_search;
mod tracker;
mod tracking;

pub use tracker::DistanceTracker;
