//! Wide nodes in file order, made from the binary tree, with the triangles below each of their children.

use std::ops::Range;

use smallvec::SmallVec;

use super::BuildError;
use super::binary_tree::{BinaryTree, Subtree};
use super::collapse::{LeastVolumeCollapse, largest_first};
use super::topology::Below;
use crate::parallel;
use crate::volume::{NodeRef, WIDTH};

/// Nodes in file order, without volumes: siblings together, then one child's subtree after the other.
pub(super) struct WideTree {
    nodes: Vec<WideNode>,
    children: Vec<Child>,
    /// Number of levels below the root volume.
    pub(super) depth: u32,
    pub(super) leaves: usize,
    pub(super) leaf_triangles_max: usize,
}

/// A node: consecutive children with consecutive triangles, which begin where the first child's triangles do.
struct WideNode {
    first_child: u32,
    /// End of the node's triangles.
    end: u32,
}

/// A volume to be fitted: its triangles end where those of the next sibling begin, or with those of the node.
struct Child {
    first: u32,
    below: NodeRef,
}

/// A child's triangles and its reference.
pub(super) struct WideChild {
    pub(super) triangles: Range<usize>,
    pub(super) below: NodeRef,
}

/// Subtrees with fewer triangles than this are converted by one thread.
const PARALLEL_FROM: usize = 1 << 17;

/// Fewer nodes or children than this are moved by one thread.
const MIN_LEN: usize = 1 << 14;

/// Chooses the children of wide nodes: by the `collapse`, or by opening the nodes of largest area if it is `None`.
struct ChildChoice<'a> {
    binary: &'a BinaryTree,
    collapse: Option<&'a LeastVolumeCollapse>,
}

impl ChildChoice<'_> {
    fn root(&self) -> Option<Subtree> {
        match self.collapse {
            Some(collapse) => collapse.root(self.binary),
            None => self.binary.root(),
        }
    }

    /// The children of the wide node headed by `head`, which is not a leaf, `depth` levels below the root.
    fn children(&self, head: Subtree, depth: u32) -> SmallVec<[Subtree; WIDTH]> {
        match self.collapse {
            Some(collapse) => collapse.children(self.binary, head, collapse.height.saturating_sub(depth)),
            None => largest_first(self.binary, head),
        }
    }

    /// Whether the children of the wide node headed by `head`, which is not a leaf, are known to be leaves of one
    /// triangle.
    fn is_of_single_leaves(&self, head: Subtree) -> bool {
        self.collapse.is_none() && head.triangles <= WIDTH && self.binary.is_single()
    }

    /// Whether the subtrees below the siblings are worth a second thread and the memory to join both results. They are
    /// not with a `collapse`, which takes much longer than the wide nodes.
    fn are_shared(&self, siblings: &[Subtree]) -> bool {
        siblings.len() > 1 && triangles(siblings) >= PARALLEL_FROM && self.collapse.is_none() && parallel::threads() > 1
    }
}

impl WideTree {
    /// Makes the wide nodes, by the `collapse` or, without one, by opening the nodes of largest area.
    ///
    /// # Errors
    /// If there are more volumes than a file can number.
    pub(super) fn new(binary: &BinaryTree, collapse: Option<&LeastVolumeCollapse>) -> Result<Self, BuildError> {
        let chooser = ChildChoice { binary, collapse };
        let root = chooser.root();
        let mut tree = Self::with_room_for(root.as_slice());
        if root.is_some() {
            tree.node(&chooser, root.as_slice(), 0);
        }
        if tree.volumes() > NodeRef::MAX_CHILDREN {
            return Err(BuildError::TooLarge { volumes: tree.volumes(), limit: NodeRef::MAX_CHILDREN });
        }
        Ok(tree)
    }

    /// The wide nodes, given what is below each volume in the order of the file; `None` if the volumes are not one tree
    /// over `all` triangles.
    pub(super) fn of_volumes(volumes: &[Below], all: usize) -> Option<Self> {
        let mut tree = Self { nodes: Vec::new(), children: Vec::new(), depth: 0, leaves: 0, leaf_triangles_max: 0 };
        let mut end: usize = 0;
        // For each node on the path to the current volume, its number and its volumes that are still to come.
        let mut path: Vec<(usize, Range<usize>)> = Vec::new();
        let begin = |tree: &mut Self, children: usize| {
            let first_child = tree.children.len();
            let child = Child { first: 0, below: NodeRef::leaf(0) };
            tree.children.extend((0..children).map(|_| Child { ..child }));
            tree.nodes.push(WideNode { first_child: first_child as u32, end: 0 });
            (tree.nodes.len() - 1, first_child..first_child + children)
        };
        if !volumes.is_empty() {
            path.push(begin(&mut tree, 1));
        }
        while let Some((node, rest)) = path.last_mut() {
            let Some(volume) = rest.next() else {
                tree.nodes[*node].end = end as u32;
                path.pop();
                continue;
            };
            let first = end;
            let below = match *volumes.get(volume)? {
                Below::Leaf { triangles } => {
                    end = first.checked_add(triangles).filter(|&end| end <= all)?;
                    tree.leaves += 1;
                    tree.leaf_triangles_max = tree.leaf_triangles_max.max(triangles);
                    NodeRef::leaf(first)
                }
                Below::Node { children } => {
                    path.push(begin(&mut tree, children));
                    inner(tree.children.len() - children, children)
                }
            };
            tree.depth = tree.depth.max(path.len() as u32 - 1);
            tree.children[volume] = Child { first: first as u32, below };
        }
        (tree.children.len() == volumes.len() && end == all).then_some(tree)
    }

    /// Reserves about the most nodes there can be, one for every four leaves; memory that is not used is not touched.
    fn with_room_for(siblings: &[Subtree]) -> Self {
        let triangles = triangles(siblings);
        let (nodes, children) = (Vec::with_capacity(triangles / 4), Vec::with_capacity(triangles + triangles / 4));
        Self { nodes, children, depth: 0, leaves: 0, leaf_triangles_max: 0 }
    }

    /// Adds a node with the given children, and everything below.
    fn node(&mut self, chooser: &ChildChoice<'_>, siblings: &[Subtree], depth: u32) {
        let first_child = self.children.len();
        let end = siblings.last().map_or(0, |subtree| subtree.range().end);
        self.nodes.push(WideNode { first_child: first_child as u32, end: end as u32 });
        let child = |subtree: &Subtree| Child { first: subtree.first as u32, below: NodeRef::leaf(subtree.first) };
        self.children.extend(siblings.iter().map(child));
        self.depth = self.depth.max(depth);
        let below = self.below(chooser, siblings, depth);
        for (child, below) in self.children[first_child..].iter_mut().zip(below) {
            child.below = below;
        }
    }

    /// Adds the subtrees below siblings, and returns the siblings' references.
    fn below(&mut self, chooser: &ChildChoice<'_>, siblings: &[Subtree], depth: u32) -> SmallVec<[NodeRef; WIDTH]> {
        if !chooser.are_shared(siblings) {
            return siblings.iter().map(|&subtree| self.below_one(chooser, subtree, depth)).collect();
        }
        let (left, right) = siblings.split_at(siblings.len() / 2);
        let mut later = Self::with_room_for(right);
        let (mut below, below_right) =
            parallel::join(|| self.below(chooser, left, depth), || later.below(chooser, right, depth));
        let children = self.children.len();
        self.append(later);
        below.extend(below_right.into_iter().map(|below| moved(below, children)));
        below
    }

    fn below_one(&mut self, chooser: &ChildChoice<'_>, subtree: Subtree, depth: u32) -> NodeRef {
        if subtree.is_leaf() {
            self.leaves += 1;
            self.leaf_triangles_max = self.leaf_triangles_max.max(subtree.triangles);
            return NodeRef::leaf(subtree.first);
        }
        if chooser.is_of_single_leaves(subtree) {
            self.single_leaves(subtree, depth + 1);
            return inner(self.children.len() - subtree.triangles, subtree.triangles);
        }
        let children = chooser.children(subtree, depth);
        let below = inner(self.children.len(), children.len());
        self.node(chooser, &children, depth + 1);
        below
    }

    /// Adds a node whose children are leaves of one triangle.
    fn single_leaves(&mut self, subtree: Subtree, depth: u32) {
        let triangles = subtree.range();
        self.nodes.push(WideNode { first_child: self.children.len() as u32, end: triangles.end as u32 });
        self.children.extend(triangles.map(|first| Child { first: first as u32, below: NodeRef::leaf(first) }));
        self.depth = self.depth.max(depth);
        self.leaves += subtree.triangles;
        self.leaf_triangles_max = self.leaf_triangles_max.max(1);
    }

    fn append(&mut self, later: Self) {
        let children = self.children.len();
        let node = |node: WideNode| WideNode { first_child: node.first_child + children as u32, ..node };
        parallel::extend(&mut self.nodes, later.nodes, MIN_LEN, node);
        let child = |child: Child| Child { below: moved(child.below, children), ..child };
        parallel::extend(&mut self.children, later.children, MIN_LEN, child);
        self.depth = self.depth.max(later.depth);
        self.leaves += later.leaves;
        self.leaf_triangles_max = self.leaf_triangles_max.max(later.leaf_triangles_max);
    }

    pub(super) fn nodes(&self) -> usize {
        self.nodes.len()
    }

    pub(super) fn volumes(&self) -> usize {
        self.children.len()
    }

    /// Index of the node's first child among all children; for the node after the last one, the number of all children.
    pub(super) fn first_child(&self, node: usize) -> usize {
        self.nodes.get(node).map_or(self.children.len(), |node| node.first_child as usize)
    }

    /// All nodes from `first` on, in runs of about `volumes` volumes.
    pub(super) fn parts(&self, first: usize, volumes: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut start = first;
        std::iter::from_fn(move || {
            let most = self.first_child(start) + volumes;
            // A node ends where the next one begins.
            let ends = self.nodes.get(start + 1..)?;
            let end = start + 1 + ends.partition_point(|next| next.first_child as usize <= most);
            Some(std::mem::replace(&mut start, end)..end)
        })
    }

    pub(super) fn children(&self, node: usize) -> impl ExactSizeIterator<Item = WideChild> + '_ {
        let children = self.first_child(node)..self.first_child(node + 1);
        let last = children.end - 1;
        children.map(move |child| {
            let Child { first, below } = self.children[child];
            let end = if child == last { self.nodes[node].end } else { self.children[child + 1].first };
            WideChild { triangles: first as usize..end as usize, below }
        })
    }

    pub(super) fn leaf_triangles(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let children = (0..self.nodes()).flat_map(|node| self.children(node));
        children.filter(|child| child.below.is_leaf()).map(|child| child.triangles)
    }
}

fn triangles(siblings: &[Subtree]) -> usize {
    siblings.iter().map(|subtree| subtree.triangles).sum()
}

/// A reference to a node. An index that is too large is clamped here and refused by the check of the number of volumes.
fn inner(first_child: usize, children: usize) -> NodeRef {
    NodeRef::inner(first_child.min(NodeRef::MAX_CHILDREN), children)
}

/// The reference after this number of children has been inserted before its target.
pub(super) fn moved(below: NodeRef, children: usize) -> NodeRef {
    if below.is_leaf() { below } else { inner(below.first_child() + children, below.children()) }
}
