//! Two trees and the pose of B: the input of every query about two trees.

use nalgebra::{Point3, Vector3};

use crate::mesh::is_zero_area;
use crate::pose::Pose;
use crate::tree::{BvTree, LayerFilter, View};
use crate::triangle::Triangle;
use crate::volume::{Frame, RelativeFrame, VolumeKind};

/// Two triangles, one of each mesh, by their indices in the meshes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FacePair {
    /// Index of the triangle of mesh A.
    pub face_a: u32,
    /// Index of the triangle of mesh B.
    pub face_b: u32,
}

/// Two trees, A (side 0) and B (side 1), and the pose that maps B's coordinates into A's frame.
///
/// Volumes are compared in the trees' storage frames, by `to_frames`; triangles in A's frame, posed exactly as
/// [`Pose::transform`] does.
#[derive(Clone, Copy)]
pub(crate) struct PosedTrees<'a> {
    pub(crate) kinds: [VolumeKind; 2],
    pub(crate) views: [View<'a>; 2],
    pub(crate) frames: [Frame; 2],
    /// The maps from B's storage frame to A's, and from A's to B's, indexed by the side of the target.
    pub(crate) to_frames: [RelativeFrame; 2],
    pub(crate) b_to_a: &'a Pose,
    /// For each tree, the layer filter that its triangles must pass to take part in the query; `None` if all take part.
    pub(crate) filters: [Option<LayerFilter<'a>>; 2],
}

impl<'a> PosedTrees<'a> {
    pub(crate) fn new(trees: [&'a BvTree; 2], b_to_a: &'a Pose) -> Self {
        let frames = trees.map(|tree| tree.meta().frame);
        Self {
            kinds: trees.map(BvTree::kind),
            views: trees.map(BvTree::view),
            frames,
            to_frames: RelativeFrame::both(&frames[0], &frames[1], b_to_a),
            b_to_a,
            filters: [None; 2],
        }
    }

    /// Two trees with a layer mask each: only triangles that pass their tree's mask take part in the query.
    pub(crate) fn masked(trees: [&'a BvTree; 2], b_to_a: &'a Pose, masks: [Option<u32>; 2]) -> Self {
        let filters = [0, 1].map(|side| trees[side].layer_filter(masks[side]));
        Self { filters, ..Self::new(trees, b_to_a) }
    }

    /// Whether at least one tree has a layer filter.
    pub(crate) fn is_filtered(&self) -> bool {
        self.filters.iter().any(Option::is_some)
    }

    /// Whether the triangle of A at leaf index `leaves[0]` and that of B at `leaves[1]` both pass their tree's layer
    /// filter.
    pub(crate) fn passes(&self, leaves: [u32; 2]) -> bool {
        (0..2).all(|side| {
            self.filters[side].is_none_or(|filter| filter.passes(self.views[side].faces[leaves[side] as usize]))
        })
    }

    /// Whether at least one of the trees has no triangles.
    pub(crate) fn is_empty(&self) -> bool {
        self.views.iter().any(|view| view.corners.is_empty())
    }

    /// The triangle of tree `side` (0 for A, 1 for B) at a leaf index, in A's frame.
    #[inline]
    pub(crate) fn triangle(&self, side: usize, leaf: usize) -> Triangle {
        Triangle { vertices: self.views[side].triangle(leaf).map(|vertex| self.posed(side, vertex)) }
    }

    /// A vertex of tree `side` (0 for A, 1 for B), in A's frame.
    #[inline]
    pub(crate) fn vertex(&self, side: usize, vertex: u32) -> Point3<f64> {
        self.posed(side, &self.views[side].vertices[vertex as usize])
    }

    #[inline]
    fn posed(&self, side: usize, vertex: &Point3<f32>) -> Point3<f64> {
        if side == 0 { vertex.map(f64::from) } else { self.b_to_a.transform(vertex) }
    }

    /// The triangles of A and of B at two leaf indices, in A's frame.
    #[inline]
    pub(crate) fn pair(&self, a: usize, b: usize) -> [Triangle; 2] {
        [self.triangle(0, a), self.triangle(1, b)]
    }

    /// The unit normal of the triangle of tree `side` (0 for A, 1 for B) at a leaf index, in A's frame; zero without an
    /// area. The stored vertices decide whether it has one, because rounded poses bend what is straight.
    pub(crate) fn unit_normal(&self, side: usize, leaf: usize) -> Vector3<f64> {
        let stored = Triangle { vertices: self.views[side].triangle(leaf).map(|vertex| vertex.cast()) };
        if is_zero_area(&stored) {
            return Vector3::zeros();
        }
        self.triangle(side, leaf).unit_normal()
    }

    /// The unit normals of the triangles of A and of B at two leaf indices.
    pub(crate) fn unit_normals(&self, a: usize, b: usize) -> [Vector3<f64>; 2] {
        [self.unit_normal(0, a), self.unit_normal(1, b)]
    }

    /// The mesh indices of the triangles of A and of B at two leaf indices.
    #[inline]
    pub(crate) fn faces(&self, a: usize, b: usize) -> FacePair {
        FacePair { face_a: self.views[0].faces[a], face_b: self.views[1].faces[b] }
    }
}
