//! Meshes so far from zero that f32 has lost much of them.

use bvtree::BvTree;

/// Steps of f32 that are less than this part of a mesh's size don't show.
const MUCH: f64 = 1e-5;

/// What to tell of a mesh that stands far from its zero, and what to do about it.
pub fn surprise(tree: &BvTree) -> Option<String> {
    let bounds = tree.bounds();
    if tree.triangle_count() == 0 {
        return None;
    }
    let reach = bounds.center().coords.abs() + bounds.half_extents();
    let (reach, size) = (reach.max() as f32, bounds.size().norm());
    let step = f64::from(reach.next_up()) - f64::from(reach);
    let is_much = size > 0.0 && step > MUCH * size;
    is_much.then(|| {
        format!("coordinates reach {reach}, where f32 has steps of {step}: cook it with --origin auto to lose less")
    })
}
