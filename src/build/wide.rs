//! From the binary tree to wide nodes: choose each node's children, fit their volumes to their triangles, pack them.

use smallvec::SmallVec;

use super::binary::{Binary, Place};
use super::collapse::LeastVolume;
use super::items::Item;
use super::options::{BuildError, BuildOptions};
use super::volumes::Fitted;
use crate::packed::{Frame, NodeRef, PADDING, WIDTH};
use crate::simd::SimdLevel;

/// Fewer wide nodes than this are packed by one thread.
const PARALLEL_FROM: usize = 1 << 9;

/// Volumes fitted to all nodes of the binary tree, and which of them to keep.
pub(super) struct Chosen {
    pub(super) collapse: LeastVolume,
    /// Words of each node's volume.
    pub(super) fields: Vec<[u32; 16]>,
}

/// What the wide tree looks like.
pub(super) struct Shape {
    /// Levels below the root volume.
    pub(super) depth: u32,
    pub(super) leaves: usize,
}

/// The nodes' words, the root first, padding last. Without `chosen`, the nodes of largest area are opened and all volumes
/// are fitted here.
pub(super) fn pack<V: Fitted>(
    level: SimdLevel,
    binary: &Binary,
    items: &[Item],
    frame: &Frame,
    options: &BuildOptions,
    chosen: Option<&Chosen>,
) -> Result<(Vec<u32>, Shape), BuildError> {
    let Some(root) = binary.root() else {
        return Ok((vec![0; PADDING], Shape { depth: 0, leaves: 0 }));
    };
    let plan = Plan::new(binary, root, chosen);
    let volumes = plan.children.len();
    if volumes > NodeRef::MAX_CHILDREN {
        return Err(BuildError::TooLarge { volumes, limit: NodeRef::MAX_CHILDREN });
    }
    let mut words = vec![0; volumes * V::FIELDS + PADDING];
    let packer = Packer { level, plan: &plan, items, frame, options, chosen };
    packer.nodes::<V>(&plan.nodes, &mut words[..volumes * V::FIELDS]);
    Ok((words, plan.shape))
}

/// Which triangles become children of which wide node, in the order of the file: a node's children stand together,
/// below them one child's subtree after the other.
struct Plan {
    children: Vec<Child>,
    nodes: Vec<WideNode>,
    shape: Shape,
}

/// A volume to be fitted: around consecutive triangles.
struct Child {
    first: u32,
    triangles: u32,
    /// The binary tree's.
    node: u32,
    /// What the child slot points to.
    below: NodeRef,
}

/// Consecutive children.
struct WideNode {
    first_child: u32,
    children: u32,
}

impl Plan {
    fn new(binary: &Binary, root: Place, chosen: Option<&Chosen>) -> Self {
        let mut plan = Self {
            children: Vec::with_capacity(binary.nodes.len() * 2 / 3),
            nodes: Vec::with_capacity(binary.nodes.len() / 8),
            shape: Shape { depth: 0, leaves: 0 },
        };
        plan.node(binary, chosen, &[root], 0);
        plan
    }

    /// Adds a node with the given children, and all below.
    fn node(&mut self, binary: &Binary, chosen: Option<&Chosen>, places: &[Place], depth: u32) {
        let first_child = self.children.len();
        self.nodes.push(WideNode { first_child: first_child as u32, children: places.len() as u32 });
        self.children.extend(places.iter().map(|&place| Child {
            first: place.first as u32,
            triangles: binary.triangles(place) as u32,
            node: place.node as u32,
            below: NodeRef::leaf(place.first),
        }));
        self.shape.depth = self.shape.depth.max(depth);
        for (child, &place) in (first_child..).zip(places) {
            if place.is_leaf() {
                self.shape.leaves += 1;
            } else {
                let grandchildren = match chosen {
                    Some(Chosen { collapse, .. }) => {
                        collapse.children(binary, place, collapse.height.saturating_sub(depth))
                    }
                    None => children(binary, place),
                };
                // Too many to be numbered is found out when all are there.
                let first_grandchild = self.children.len().min(NodeRef::MAX_CHILDREN);
                self.children[child].below = NodeRef::inner(first_grandchild, grandchildren.len());
                self.node(binary, chosen, &grandchildren, depth + 1);
            }
        }
    }
}

/// The children of the wide node that `head`, not a leaf, heads: of its descendants always the one of largest area is
/// opened until there are eight. What fits into a node of its own is opened as a whole or not at all, for a few
/// triangles are best tested together.
fn children(binary: &Binary, head: Place) -> SmallVec<[Place; WIDTH]> {
    if head.leaves() <= WIDTH {
        return binary.leaves_of(head).collect();
    }
    let mut children: SmallVec<[Place; WIDTH]> = SmallVec::from_slice(&[head]);
    loop {
        let room = WIDTH - children.len();
        let area = |i: usize| binary.nodes[children[i].node].area;
        let opens = |place: Place| {
            let leaves = place.leaves();
            leaves > 1 && if leaves > WIDTH { room > 0 } else { leaves - 1 <= room }
        };
        let candidates = (0..children.len()).filter(|&i| opens(children[i]));
        let largest = candidates.max_by(|&i, &j| area(i).total_cmp(&area(j)));
        let Some((i, [left, right])) = largest.and_then(|i| Some((i, binary.children(children[i])?))) else {
            return children;
        };
        let opened = children.remove(i);
        if opened.leaves() <= WIDTH {
            children.insert_many(i, binary.leaves_of(opened));
        } else {
            children.insert_many(i, [left, right]);
        }
    }
}

struct Packer<'a> {
    level: SimdLevel,
    plan: &'a Plan,
    items: &'a [Item],
    frame: &'a Frame,
    options: &'a BuildOptions,
    chosen: Option<&'a Chosen>,
}

impl Packer<'_> {
    /// Packs consecutive nodes into `words`.
    fn nodes<V: Fitted>(&self, nodes: &[WideNode], words: &mut [u32]) {
        if nodes.len() >= PARALLEL_FROM {
            let (left, right) = nodes.split_at(nodes.len() / 2);
            let middle = (right[0].first_child - left[0].first_child) as usize * V::FIELDS;
            let (left_words, right_words) = words.split_at_mut(middle);
            rayon::join(|| self.nodes::<V>(left, left_words), || self.nodes::<V>(right, right_words));
            return;
        }
        let mut rest = words;
        for node in nodes {
            let own;
            (own, rest) = rest.split_at_mut(node.children as usize * V::FIELDS);
            self.node::<V>(node, own);
        }
    }

    fn node<V: Fitted>(&self, node: &WideNode, words: &mut [u32]) {
        let stride = node.children as usize;
        let children = &self.plan.children[node.first_child as usize..][..stride];
        for (lane, child) in children.iter().enumerate() {
            let mut fields = match self.chosen {
                Some(Chosen { fields, .. }) => fields[child.node as usize],
                None => self.fitted::<V>(child),
            };
            fields[V::FIELDS - 1] = child.below.to_word();
            for (row, &word) in fields[..V::FIELDS].iter().enumerate() {
                words[row * stride + lane] = word;
            }
        }
    }

    fn fitted<V: Fitted>(&self, child: &Child) -> [u32; 16] {
        let items = &self.items[child.first as usize..][..child.triangles as usize];
        let mut fields = [0; 16];
        V::pack(&V::fit(self.level, items, self.options, self.frame), &mut fields);
        fields
    }
}
