//! From the binary tree to wide nodes: which triangles become children of which node, in the order of the file.

use std::ops::Range;

use smallvec::SmallVec;

use super::binary::{Binary, Place};
use super::collapse::LeastVolume;
use super::options::BuildError;
use crate::packed::{NodeRef, WIDTH};

/// Nodes in the order of the file: a node's children stand together, below them one child's subtree after the other.
/// They have no volumes yet.
pub(super) struct Plan {
    nodes: Vec<WideNode>,
    children: Vec<Child>,
    /// Levels below the root volume.
    pub(super) depth: u32,
    pub(super) leaves: usize,
    pub(super) leaf_triangles_max: usize,
}

/// Consecutive children of consecutive triangles, which begin where its first child's do.
struct WideNode {
    first_child: u32,
    /// Where its triangles end.
    end: u32,
}

/// A volume to be fitted: from its first triangle to that of the next sibling.
struct Child {
    first: u32,
    below: NodeRef,
}

/// A child's triangles and what its slot points to.
pub(super) struct Planned {
    pub(super) triangles: Range<usize>,
    pub(super) below: NodeRef,
}

impl Plan {
    /// By the `collapse`; without one, the nodes of largest area are opened.
    ///
    /// # Errors
    /// If there are more volumes than a file can number.
    pub(super) fn new(binary: &Binary, collapse: Option<&LeastVolume>) -> Result<Self, BuildError> {
        let mut plan = Self { nodes: Vec::new(), children: Vec::new(), depth: 0, leaves: 0, leaf_triangles_max: 0 };
        let root = match collapse {
            Some(collapse) => collapse.root(binary),
            None => binary.root(),
        };
        if let Some(root) = root {
            // A wide node for every four leaves is about the most there are; room that is not used is not touched.
            plan.children.reserve(root.triangles + root.triangles / 4);
            plan.nodes.reserve(root.triangles / 4);
            plan.node(binary, collapse, &[root], 0);
        }
        if plan.volumes() > NodeRef::MAX_CHILDREN {
            return Err(BuildError::TooLarge { volumes: plan.volumes(), limit: NodeRef::MAX_CHILDREN });
        }
        Ok(plan)
    }

    /// Adds a node with the given children, and all below.
    fn node(&mut self, binary: &Binary, collapse: Option<&LeastVolume>, places: &[Place], depth: u32) {
        let first_child = self.children.len();
        let end = places.last().map_or(0, |place| place.first + place.triangles);
        self.nodes.push(WideNode { first_child: first_child as u32, end: end as u32 });
        let child = |place: &Place| Child { first: place.first as u32, below: NodeRef::leaf(place.first) };
        self.children.extend(places.iter().map(child));
        self.depth = self.depth.max(depth);
        for (child, &place) in (first_child..).zip(places) {
            if place.is_leaf() {
                self.leaves += 1;
                self.leaf_triangles_max = self.leaf_triangles_max.max(place.triangles);
            } else {
                let grandchildren = match collapse {
                    Some(collapse) => collapse.children(binary, place, collapse.height.saturating_sub(depth)),
                    None => children(binary, place),
                };
                // Too many to be numbered is found out when all are there.
                let first_grandchild = self.children.len().min(NodeRef::MAX_CHILDREN);
                self.children[child].below = NodeRef::inner(first_grandchild, grandchildren.len());
                self.node(binary, collapse, &grandchildren, depth + 1);
            }
        }
    }

    pub(super) fn nodes(&self) -> usize {
        self.nodes.len()
    }

    /// How many volumes there are in all.
    pub(super) fn volumes(&self) -> usize {
        self.children.len()
    }

    /// Where the node's children are among all children; for the node after the last one, the end.
    pub(super) fn first_child(&self, node: usize) -> usize {
        self.nodes.get(node).map_or(self.children.len(), |node| node.first_child as usize)
    }

    /// All nodes in runs of so many volumes, or a few more.
    pub(super) fn parts(&self, volumes: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        let mut start = 0;
        std::iter::from_fn(move || {
            let most = self.first_child(start) + volumes;
            // A node ends where the next one begins.
            let ends = self.nodes.get(start + 1..)?;
            let end = start + 1 + ends.partition_point(|next| next.first_child as usize <= most);
            Some(std::mem::replace(&mut start, end)..end)
        })
    }

    pub(super) fn children(&self, node: usize) -> impl ExactSizeIterator<Item = Planned> + '_ {
        let children = self.first_child(node)..self.first_child(node + 1);
        let last = children.end - 1;
        children.map(move |child| {
            let Child { first, below } = self.children[child];
            let end = if child == last { self.nodes[node].end } else { self.children[child + 1].first };
            Planned { triangles: first as usize..end as usize, below }
        })
    }

    /// Where each leaf's triangles are.
    pub(super) fn leaf_triangles(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let children = (0..self.nodes()).flat_map(|node| self.children(node));
        children.filter(|child| child.below.is_leaf()).map(|child| child.triangles)
    }
}

/// The children of the wide node that `head`, not a leaf, heads: of its descendants always the one of largest area is
/// opened until there are eight. What fits into a node of its own is opened as a whole or not at all, for a few
/// triangles are best tested together.
fn children(binary: &Binary, head: Place) -> SmallVec<[Place; WIDTH]> {
    /// A descendant and its leaves, as far as they matter.
    struct Candidate {
        place: Place,
        leaves: usize,
    }
    let candidate = |place| Candidate { place, leaves: binary.leaves_up_to(WIDTH, place) };
    let mut candidates: SmallVec<[Candidate; WIDTH]> = SmallVec::from_iter([candidate(head)]);
    loop {
        let room = WIDTH - candidates.len();
        let opens =
            |&Candidate { leaves, .. }| leaves > 1 && if leaves > WIDTH { room > 0 } else { leaves - 1 <= room };
        let area = |i: usize| binary.area(candidates[i].place);
        let open = (0..candidates.len()).filter(|&i| opens(&candidates[i]));
        let Some(largest) = open.max_by(|&i, &j| area(i).total_cmp(&area(j))) else {
            return candidates.into_iter().map(|candidate| candidate.place).collect();
        };
        let Candidate { place, leaves } = candidates.remove(largest);
        let mut below: SmallVec<[Place; WIDTH]> = SmallVec::new();
        match binary.children(place) {
            Some(halves) if leaves > WIDTH => below.extend(halves),
            _ => binary.push_leaves(place, &mut below),
        }
        candidates.insert_many(largest, below.into_iter().map(candidate));
    }
}
