//! Triangles of both meshes in A's frame.

use super::FacePair;
use crate::pose::Pose;
use crate::tree::{BvTree, View};
use crate::triangle::Triangle;

/// Both trees' triangles, by their leaf indices.
#[derive(Clone, Copy)]
pub(super) struct Posed<'a> {
    pub(super) views: [View<'a>; 2],
    pub(super) b_to_a: &'a Pose,
}

impl<'a> Posed<'a> {
    pub(super) fn new(trees: [&'a BvTree; 2], b_to_a: &'a Pose) -> Self {
        Self { views: trees.map(BvTree::view), b_to_a }
    }

    /// A triangle of A (side 0) or of B (side 1).
    #[inline]
    pub(super) fn triangle(&self, side: usize, leaf: usize) -> Triangle {
        let vertices = self.views[side].triangle(leaf);
        Triangle { vertices: vertices.map(|v| if side == 0 { v.map(f64::from) } else { self.b_to_a.transform(v) }) }
    }

    #[inline]
    pub(super) fn pair(&self, a: usize, b: usize) -> [Triangle; 2] {
        [self.triangle(0, a), self.triangle(1, b)]
    }

    #[inline]
    pub(super) fn faces(&self, a: usize, b: usize) -> FacePair {
        FacePair { face_a: self.views[0].faces[a], face_b: self.views[1].faces[b] }
    }
}

/// Bounds what rounding may add to the computed distance of two triangles, or take from it.
pub(super) fn distance_error([a, b]: &[Triangle; 2], distance: f64) -> f64 {
    let origin = a.vertices[0];
    let extent = a.vertices.iter().chain(&b.vertices).fold(0.0, |m: f64, p| m.max((p - origin).amax()));
    // A few roundings of coordinates, and the part of it by which a proof of a least distance may fall short.
    32.0 * f64::EPSILON * extent + 2e-14 * distance
}
