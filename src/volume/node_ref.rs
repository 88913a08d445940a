//! What a child slot points to: a leaf's triangles or a wide node.

/// A reference in one word. Leaf: the top bit set, then the index of its first triangle (the last of a leaf's
/// triangles carries an end mark). Inner: children less one in three bits, then the index of the first child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NodeRef(u32);

const LEAF: u32 = 1 << 31;
const CHILDREN_SHIFT: u32 = 28;
const FIRST_CHILD: u32 = (1 << CHILDREN_SHIFT) - 1;

impl NodeRef {
    /// The most child volumes that a tree can have.
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

    /// Of a leaf.
    #[inline(always)]
    pub(crate) fn first_triangle(self) -> usize {
        (self.0 & !LEAF) as usize
    }

    /// Of an inner node: index of its first child among all children of all nodes.
    #[inline(always)]
    pub(crate) fn first_child(self) -> usize {
        (self.0 & FIRST_CHILD) as usize
    }

    /// Of an inner node: how many children it has, 1 to 8.
    #[inline(always)]
    pub(crate) fn children(self) -> usize {
        ((self.0 >> CHILDREN_SHIFT) & 7) as usize + 1
    }

    /// Of an inner node: a bit for each child.
    #[inline(always)]
    pub(crate) fn lanes(self) -> u8 {
        0xff >> (8 - self.children())
    }

    /// As the last word of a child.
    #[inline(always)]
    pub(crate) fn to_word(self) -> u32 {
        self.0
    }

    #[inline(always)]
    pub(crate) fn from_word(word: u32) -> Self {
        Self(word)
    }
}
