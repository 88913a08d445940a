//! Two trees and where B is: what every question about two trees starts from.

use super::face_pair::FacePair;
use crate::pose::Pose;
use crate::tree::{BvTree, View};
use crate::triangle::Triangle;
use crate::volume::VolumeKind;
use crate::volume::{Frame, RelativeFrame};

/// Two trees, A (side 0) and B (side 1), and the pose that takes B's points into A's mesh.
///
/// Volumes are compared in the trees' own frames, by `to_frames`; triangles in A's mesh, posed as [`Pose::transform`]
/// does it.
#[derive(Clone, Copy)]
pub(super) struct PosedTrees<'a> {
    pub(super) kinds: [VolumeKind; 2],
    pub(super) views: [View<'a>; 2],
    pub(super) frames: [Frame; 2],
    /// From B's frame to A's, and from A's to B's: by the side that is arrived at.
    pub(super) to_frames: [RelativeFrame; 2],
    pub(super) b_to_a: &'a Pose,
}

impl<'a> PosedTrees<'a> {
    pub(super) fn new(trees: [&'a BvTree; 2], b_to_a: &'a Pose) -> Self {
        let frames = trees.map(|tree| tree.meta().frame);
        Self {
            kinds: trees.map(BvTree::kind),
            views: trees.map(BvTree::view),
            frames,
            to_frames: RelativeFrame::both(&frames[0], &frames[1], b_to_a),
            b_to_a,
        }
    }

    /// Whether one of them has no triangles.
    pub(super) fn is_empty(&self) -> bool {
        self.views.iter().any(|view| view.corners.is_empty())
    }

    /// A triangle of a side, in A's mesh, by its leaf index.
    #[inline]
    pub(super) fn triangle(&self, side: usize, leaf: usize) -> Triangle {
        let vertices = self.views[side].triangle(leaf);
        Triangle { vertices: vertices.map(|v| if side == 0 { v.map(f64::from) } else { self.b_to_a.transform(v) }) }
    }

    /// A triangle of A and one of B, in A's mesh, by their leaf indices.
    #[inline]
    pub(super) fn pair(&self, a: usize, b: usize) -> [Triangle; 2] {
        [self.triangle(0, a), self.triangle(1, b)]
    }

    #[inline]
    pub(super) fn faces(&self, a: usize, b: usize) -> FacePair {
        FacePair { face_a: self.views[0].faces[a], face_b: self.views[1].faces[b] }
    }
}
