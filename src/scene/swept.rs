//! Boxes around what moves.

use crate::pose::Motion;
use crate::shape::Aabb;
use crate::tree::BvTree;

use super::body::{grown, posed_bounds};

/// A box in the world that a mesh stays in on its way.
///
/// Between its start and its end no point is farther from the straight line than an eighth of the turn's square times
/// its distance from the turn's axis: an arc's sagitta. Both ends' boxes hold the straight lines.
pub(super) fn swept_bounds(tree: &BvTree, motion: &Motion) -> Aabb {
    let ends = [motion.start(), motion.end()].map(|pose| posed_bounds(tree, pose));
    let hull = ends[0].union(&ends[1]);
    if hull.is_empty() || motion.angle() == 0.0 {
        return hull;
    }
    let arm = farthest(tree);
    let (angle, drift) = (motion.angle(), motion.drift());
    grown(&hull, arm * (angle * angle / 8.0 * (1.0 + 2.0 * motion.start().deviation() + 1e-12) + angle * drift))
}

/// Bounds the speed at which turning moves a mesh's points, relative to its origin.
pub(super) fn turning_speed(tree: &BvTree, motion: &Motion) -> f64 {
    let corners = tree.bounds().corners();
    let fastest = corners.iter().map(|corner| motion.speed(corner)).fold(0.0, f64::max);
    // What the sum and the difference round.
    (fastest - motion.linear().norm()).max(0.0) + 1e-15 * fastest
}

fn farthest(tree: &BvTree) -> f64 {
    tree.bounds().corners().iter().map(|corner| corner.coords.norm()).fold(0.0, f64::max)
}
