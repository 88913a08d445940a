//! Wide nodes as they are laid out in memory and in the file, and the references to their children.

use super::bounding_volume::BoundingVolume;
use super::{VolumeKind, for_kind};
use crate::simd::Simd;

/// Maximum number of children of a node.
pub(crate) const WIDTH: usize = 8;

/// Number of zero words after the last node, so that a SIMD load of that node's last row stays inside the array.
pub(crate) const PADDING: usize = WIDTH;

/// Number of `u32` words per child in trees of the kind: those of the volume and, last, the child's reference.
#[inline(always)]
pub(crate) const fn fields(kind: VolumeKind) -> usize {
    for_kind!(kind, V => V::FIELDS)
}

/// The greatest number of words per child among all kinds.
pub(crate) const MAX_FIELDS: usize = {
    let (mut most, mut i) = (0, 0);
    while i < VolumeKind::ALL.len() {
        let own = fields(VolumeKind::ALL[i]);
        most = if own > most { own } else { most };
        i += 1;
    }
    most
};

/// A view of a wide node in the tree's array of words.
#[derive(Clone, Copy)]
pub(crate) struct Node<'a> {
    /// The words from the node's first one to the end of the array, padding included.
    words: &'a [u32],
    stride: usize,
    kind: VolumeKind,
}

impl<'a> Node<'a> {
    /// The node that an inner reference refers to. Panics if the node lies outside the array, which validation
    /// excludes.
    #[inline(always)]
    pub(crate) fn at(nodes: &'a [u32], kind: VolumeKind, inner: NodeRef) -> Self {
        Self { words: &nodes[inner.first_child() * fields(kind)..], stride: inner.children(), kind }
    }

    /// Starts to load the node that an inner reference refers to into the cache.
    #[inline(always)]
    pub(crate) fn prefetch<S: Simd>(simd: S, nodes: &[u32], kind: VolumeKind, inner: NodeRef) {
        let words = &nodes[inner.first_child() * fields(kind)..];
        // A cache line holds sixteen words; the node is assumed to be full.
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

    /// The rows, or, given a lane, that lane of each row in all eight lanes.
    #[inline(always)]
    pub(super) fn rows_of<S: Simd, const N: usize>(&self, simd: S, lane: Option<usize>) -> [S::F32x8; N] {
        let Some(lane) = lane else { return self.rows(simd) };
        let mut rows = [simd.splat(0.0); N];
        for (i, row) in rows.iter_mut().enumerate() {
            *row = simd.splat(f32::from_bits(self.words[i * self.stride + lane]));
        }
        rows
    }

    /// One child's words, the reference included, followed by zeros.
    pub(crate) fn fields(&self, lane: usize) -> [u32; MAX_FIELDS] {
        let fields = fields(self.kind);
        std::array::from_fn(|row| if row < fields { self.words[row * self.stride + lane] } else { 0 })
    }

    /// A bit for each lane that holds a child.
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

/// A reference to a leaf or an inner node in 32 bits. Leaf: the top bit set, then the index of its first triangle (the
/// last of a leaf's triangles carries an end mark). Inner node: the top bit clear, the number of children less one in
/// three bits, then the index of the first child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeRef(u32);

const LEAF: u32 = 1 << 31;
const CHILDREN_SHIFT: u32 = 28;
const FIRST_CHILD: u32 = (1 << CHILDREN_SHIFT) - 1;

impl NodeRef {
    /// Maximum number of child volumes in a tree.
    pub(crate) const MAX_CHILDREN: usize = FIRST_CHILD as usize;

    /// The node that holds the whole mesh's volume as its only child.
    pub(crate) const ROOT: NodeRef = NodeRef(0);

    pub(crate) fn leaf(first_triangle: usize) -> Self {
        debug_assert!(first_triangle < LEAF as usize);
        Self(LEAF | first_triangle as u32)
    }

    pub(crate) fn inner(first_child: usize, children: usize) -> Self {
        debug_assert!(first_child <= FIRST_CHILD as usize && (1..=8).contains(&children));
        Self(((children as u32 - 1) << CHILDREN_SHIFT) | first_child as u32)
    }

    #[inline(always)]
    pub(crate) fn is_leaf(self) -> bool {
        self.0 & LEAF != 0
    }

    /// Index of a leaf's first triangle in leaf order.
    #[inline(always)]
    pub(crate) fn first_triangle(self) -> usize {
        (self.0 & !LEAF) as usize
    }

    /// Index of an inner node's first child among all children of all nodes.
    #[inline(always)]
    pub(crate) fn first_child(self) -> usize {
        (self.0 & FIRST_CHILD) as usize
    }

    /// The number of an inner node's children, 1 to 8.
    #[inline(always)]
    pub(crate) fn children(self) -> usize {
        ((self.0 >> CHILDREN_SHIFT) & 7) as usize + 1
    }

    /// A bit for each child of an inner node.
    #[inline(always)]
    pub(crate) fn lanes(self) -> u8 {
        0xff >> (8 - self.children())
    }

    /// The `u32` that is stored as the last field of a child.
    #[inline(always)]
    pub(crate) fn to_word(self) -> u32 {
        self.0
    }

    #[inline(always)]
    pub(crate) fn from_word(word: u32) -> Self {
        Self(word)
    }
}
