//! Wide nodes as they lie in memory and in the file.

use super::node_ref::NodeRef;
use crate::simd::Simd;
use crate::volume::VolumeKind;

/// The most children of a node.
pub(crate) const WIDTH: usize = 8;

/// Zero words after the last node, so that a SIMD load of its last row stays inside.
pub(crate) const PADDING: usize = WIDTH;

/// Words of a child in trees of the kind: the volume and, last, its reference.
#[inline(always)]
pub(crate) const fn fields(kind: VolumeKind) -> usize {
    match kind {
        VolumeKind::Aabb => 7,
        VolumeKind::Obb => 13,
        VolumeKind::Sphere => 5,
    }
}

/// The most of any kind.
pub(crate) const MAX_FIELDS: usize = fields(VolumeKind::Obb);

/// A wide node in place.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a> {
    /// From the node's first word to the end of the nodes, padding included.
    words: &'a [u32],
    stride: usize,
    kind: VolumeKind,
}

impl<'a> Node<'a> {
    /// The node that an inner reference names, in a tree of the kind. Panics if it lies outside, which validation
    /// excludes.
    #[inline(always)]
    pub(crate) fn at(nodes: &'a [u32], kind: VolumeKind, inner: NodeRef) -> Self {
        Self { words: &nodes[inner.first_child() * fields(kind)..], stride: inner.children(), kind }
    }

    /// Starts to bring the node that an inner reference names into the cache.
    #[inline(always)]
    pub(crate) fn prefetch<S: Simd>(simd: S, nodes: &[u32], kind: VolumeKind, inner: NodeRef) {
        let words = &nodes[inner.first_child() * fields(kind)..];
        // Sixteen words to a cache line, as if the node were full.
        if fields(kind) > 8 { simd.prefetch::<7>(words) } else { simd.prefetch::<4>(words) }
    }

    #[inline(always)]
    pub(crate) fn kind(&self) -> VolumeKind {
        self.kind
    }

    #[inline(always)]
    pub(super) fn rows<S: Simd, const N: usize>(&self, simd: S) -> [S::F32x8; N] {
        simd.load_rows(self.words, self.stride, self.stride)
    }

    /// As [`Node::rows`], or one lane of the rows in all eight.
    #[inline(always)]
    pub(super) fn rows_of<S: Simd, const N: usize>(&self, simd: S, lane: Option<usize>) -> [S::F32x8; N] {
        let Some(lane) = lane else { return self.rows(simd) };
        let mut rows = [simd.splat(0.0); N];
        for (i, row) in rows.iter_mut().enumerate() {
            *row = simd.splat(f32::from_bits(self.words[i * self.stride + lane]));
        }
        rows
    }

    /// One child's words, the reference included; zeros behind.
    pub(crate) fn fields(&self, lane: usize) -> [u32; MAX_FIELDS] {
        let fields = fields(self.kind);
        std::array::from_fn(|row| if row < fields { self.words[row * self.stride + lane] } else { 0 })
    }

    /// A bit for each lane that is a child.
    #[inline(always)]
    pub(crate) fn lanes(&self) -> u8 {
        0xff >> (WIDTH - self.stride)
    }

    /// The child's reference, the last of its fields.
    #[inline(always)]
    pub(crate) fn child(&self, lane: usize) -> NodeRef {
        NodeRef::from_word(self.words[(fields(self.kind) - 1) * self.stride + lane])
    }

    /// A bit for each child that is a leaf.
    #[inline(always)]
    pub(crate) fn leaves<S: Simd>(&self, simd: S) -> u8 {
        let [refs] =
            simd.load_rows::<1>(&self.words[(fields(self.kind) - 1) * self.stride..], self.stride, self.stride);
        simd.sign_bits(refs)
    }
}
