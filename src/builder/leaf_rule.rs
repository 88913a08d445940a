//! Decides when several triangles share a leaf.
//!
//! * The binary tree: [`LeafRule::is_leaf`], when a node is made. A node is a leaf too if no plane separates the
//!   centroids of its triangles ([`split`](super::split)).
//! * The collapse of least volume: [`LeafRule::merges`]. The binary tree then has leaves of one triangle, and a node
//!   becomes a leaf if its volume is no larger than those of the leaves below it together.

use nalgebra::Vector3;

use crate::options::{BuildOptions, Collapse};
use crate::simd::SimdLevel;
use crate::volume::fit::{FitMethods, Primitive, box_along, triangle_box_axes};
use crate::volume::{BoundingVolume, Frame, MAX_FIELDS, PackedObb, WIDTH};

#[derive(Clone, Copy, Debug)]
pub(super) struct LeafRule {
    /// Maximum number of triangles of a leaf of the binary tree.
    max_triangles: usize,
    /// Maximum number of triangles of a node that the collapse may turn into a leaf.
    max_merged: usize,
    max_depth: u32,
}

impl LeafRule {
    pub(super) fn new(options: &BuildOptions) -> Self {
        let max_leaf_triangles = options.max_leaf_triangles as usize;
        let max_triangles = match options.collapse {
            Collapse::LargestFirst => max_leaf_triangles,
            Collapse::LeastVolume => 1,
        };
        Self { max_triangles, max_merged: max_leaf_triangles, max_depth: options.max_depth }
    }

    /// Whether a node of the binary tree at this depth is a leaf.
    #[inline]
    pub(super) fn is_leaf(self, triangles: usize, depth: u32) -> bool {
        triangles <= self.max_triangles || depth >= self.max_depth
    }

    /// Whether each of up to eight triangles gets a leaf of its own if a node at this depth is halved down to them.
    pub(super) fn separates_eight(self, depth: u32) -> bool {
        self.max_triangles == 1 && depth.saturating_add(WIDTH.ilog2()) <= self.max_depth
    }

    pub(super) fn may_merge(self, triangles: usize) -> bool {
        triangles <= self.max_merged
    }

    /// Whether the collapse of least volume makes a node a leaf, given its volume and the total volume of the leaves
    /// below it.
    pub(super) fn merges(self, triangles: usize, volume: f64, leaves: f64) -> bool {
        self.may_merge(triangles) && volume <= leaves
    }
}

/// The size of the bounding volume that will be stored for the triangles, in the frame's unit cubed.
pub(super) fn measure<V: BoundingVolume>(
    level: SimdLevel,
    primitives: &[Primitive],
    methods: FitMethods,
    frame: &Frame,
) -> f64 {
    stored::<V>(&V::fit(level, primitives, methods, frame))
}

/// The size of the bounding volume as it will be stored, in the frame's unit cubed.
fn stored<V: BoundingVolume>(fit: &V::Fit) -> f64 {
    let mut words = [0; MAX_FIELDS];
    V::pack(fit, &mut words);
    V::unpack(&words, &Frame::LOCAL).volume()
}

/// The size of the oriented box around a few triangles, in the frame's unit cubed. If no box can be as small as the
/// leaves below, whose total size is `leaves`, a box in the plane of the largest triangle and along its longest edge
/// may be measured instead.
pub(super) fn measure_small_obb(
    level: SimdLevel,
    primitives: &[Primitive],
    methods: FitMethods,
    frame: &Frame,
    leaves: f64,
) -> f64 {
    let (mut largest, mut area_sq) = (&primitives[0], 0.0);
    for primitive in primitives {
        let own_sq = scaled_normal(primitive).norm_squared();
        if own_sq > area_sq {
            (largest, area_sq) = (primitive, own_sq);
        }
    }
    // A tetrahedron takes at most a third of a box around it; this is six times its volume.
    let (normal, [corner, ..]) = (scaled_normal(largest), largest.points());
    let limit = 2.0 * leaves * frame.unit.powi(3);
    if !primitives.iter().flat_map(Primitive::points).any(|point| normal.dot(&(point - corner)).abs() > limit) {
        return measure::<PackedObb>(level, primitives, methods, frame);
    }
    let (axes, _) = triangle_box_axes::<true>(&largest.points());
    stored::<PackedObb>(&box_along(level, primitives, &axes, frame))
}

/// A normal of the triangle; its length is twice the triangle's area.
fn scaled_normal(primitive: &Primitive) -> Vector3<f64> {
    let [a, b, c] = primitive.points();
    (b - a).cross(&(c - a))
}
