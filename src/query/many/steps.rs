//! How far a mesh moves from one pose to another, and which poses are near each other.

use nalgebra::Vector3;

use crate::numeric::error_bounds::displacement_between;
use crate::pose::Pose;
use crate::tree::BvTree;

/// Poses are near each other up to this displacement of B, as a fraction of half the larger mesh's diagonal.
const MAX_STEP: f64 = 0.1;

/// Measures steps between poses of B.
pub(super) struct Steps {
    /// The centre of the sphere around B's box; `radius` is its radius.
    center: Vector3<f64>,
    radius: f64,
    /// The largest coordinate of both meshes.
    extent: f64,
    max_step: f64,
}

impl Steps {
    pub(super) fn new(trees: [&BvTree; 2]) -> Self {
        let bounds = trees.map(BvTree::bounds);
        if bounds.iter().any(|bounds| bounds.is_empty()) {
            return Self { center: Vector3::zeros(), radius: 0.0, extent: 0.0, max_step: 0.0 };
        }
        let [half_a, half_b] = bounds.map(|bounds| bounds.half_extents().norm());
        let [extent_a, extent_b] = bounds.map(|bounds| bounds.lower.coords.amax().max(bounds.upper.coords.amax()));
        Self {
            center: bounds[1].center().coords,
            radius: half_b,
            extent: extent_a.max(extent_b),
            max_step: MAX_STEP * half_a.max(half_b),
        }
    }

    /// An upper bound on the distance between the positions of any vertex of B at the two poses, in A's unit.
    pub(super) fn displacement(&self, from: &Pose, to: &Pose) -> f64 {
        displacement_between(from, to, &self.center, self.radius, self.extent)
    }

    /// Whether two poses are so near each other that results at one may help at the other.
    pub(super) fn are_near(&self, one: &Pose, other: &Pose) -> bool {
        self.displacement(one, other) < self.max_step
    }

    pub(super) fn max_step(&self) -> f64 {
        self.max_step
    }
}
