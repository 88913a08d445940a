//! The path of a body that moves along a line, for the traversal of a tree.

use nalgebra::Vector3;

use crate::numeric::error_bounds::cast_rounding;
use crate::shape::Aabb;
use crate::traversal::{NearPath, OnRay};
use crate::tree::BvTree;
use crate::volume::{LocalBox, LocalRay, SweptBody};

/// Maps times to positions on the path of a body; all positions are the same if the body does not move.
#[derive(Clone, Copy)]
pub(super) struct SweptPath(Option<LocalRay>);

impl SweptPath {
    /// The path of a body that is inside the box `start` at time 0, and the test for volumes within the tolerance of
    /// the path. `None` if the whole path is farther than that from the tree's bounds.
    pub(super) fn new(
        tree: &BvTree,
        start: &Aabb,
        body: &SweptBody,
        displacement: &Vector3<f64>,
        tolerance: f64,
    ) -> Option<(Self, NearPath)> {
        let moved = Aabb { lower: start.lower + displacement, upper: start.upper + displacement };
        let swept = start.union(&moved);
        let slack = tolerance.max(0.0) + cast_rounding(&swept);
        let common = swept.grown(slack).intersection(tree.bounds())?;
        let frame = &tree.meta().frame;
        let ray = if *displacement == Vector3::zeros() {
            None
        } else {
            Some(LocalRay::of_body(frame, &SweptBody { radius: body.radius + slack, ..*body }, displacement)?)
        };
        let bounds = LocalBox::new(frame, &common.into());
        let path = ray.map(|ray| OnRay { ray, start: ray.position_before(0.0) });
        Some((Self(ray), NearPath { bounds, path }))
    }

    /// The position after which a hit is later than a time.
    pub(super) fn position_after(&self, time: f64) -> f32 {
        self.0.map_or(f32::INFINITY, |ray| ray.position_after(time))
    }
}
