//! From the binary tree to wide nodes: choose each node's children, fit their volumes to their triangles, pack them.

use smallvec::SmallVec;

use super::binary::{Binary, Place};
use super::collapse::LeastVolume;
use super::items::Item;
use super::options::{BuildError, BuildOptions};
use super::volumes::Fitted;
use crate::packed::{Frame, NodeRef, PADDING, WIDTH};
use crate::simd::SimdLevel;

/// Subtrees with fewer volumes than this are packed by one thread.
const PARALLEL_FROM: usize = 1 << 11;

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
    let mut plan = Plan { binary, chosen, volumes: vec![0; binary.nodes.len()] };
    let below_root = plan.measure(root, 0);
    let volumes = 1 + below_root.volumes;
    if volumes > NodeRef::MAX_CHILDREN {
        return Err(BuildError::TooLarge { volumes, limit: NodeRef::MAX_CHILDREN });
    }
    let mut words = vec![0; volumes * V::FIELDS + PADDING];
    let packer = Packer { level, plan: &plan, items, frame, options };
    packer.node::<V>(&[root], 0, 0, &mut words[..volumes * V::FIELDS]);
    Ok((words, Shape { depth: below_root.depth, leaves: below_root.leaves }))
}

/// Which binary nodes become children of which wide node.
struct Plan<'a> {
    binary: &'a Binary,
    chosen: Option<&'a Chosen>,
    /// For each binary node that heads a wide node: volumes in and below it.
    volumes: Vec<u32>,
}

struct Measure {
    volumes: usize,
    depth: u32,
    leaves: usize,
}

impl Plan<'_> {
    /// The children of the wide node that `head` heads: the descendants of largest area are opened until there are eight. None
    /// for a leaf.
    fn children(&self, head: Place, depth: u32) -> SmallVec<[Place; WIDTH]> {
        if head.is_leaf() {
            return SmallVec::new();
        }
        if let Some(Chosen { collapse, .. }) = self.chosen {
            return collapse.children(self.binary, head, collapse.height.saturating_sub(depth));
        }
        if head.leaves() <= WIDTH {
            return self.binary.leaves_of(head).collect();
        }
        let mut children: SmallVec<[Place; WIDTH]> = SmallVec::from_slice(&[head]);
        while children.len() < WIDTH {
            let area = |i: usize| self.binary.nodes[children[i].node].area;
            let inner = (0..children.len()).filter(|&i| !children[i].is_leaf());
            let largest = inner.max_by(|&i, &j| area(i).total_cmp(&area(j)));
            let Some((i, [left, right])) = largest.and_then(|i| Some((i, self.binary.children(children[i])?))) else {
                break;
            };
            children[i] = left;
            children.insert(i + 1, right);
        }
        children
    }

    /// Counts the volumes below `head`, for all wide nodes there.
    fn measure(&mut self, head: Place, depth: u32) -> Measure {
        let children = self.children(head, depth);
        if children.is_empty() {
            return Measure { volumes: 0, depth, leaves: 1 };
        }
        let mut total = Measure { volumes: children.len(), depth, leaves: 0 };
        for child in children {
            let below = self.measure(child, depth + 1);
            total.volumes += below.volumes;
            total.depth = total.depth.max(below.depth);
            total.leaves += below.leaves;
        }
        self.volumes[head.node] = total.volumes as u32;
        total
    }
}

struct Packer<'a> {
    level: SimdLevel,
    plan: &'a Plan<'a>,
    items: &'a [Item],
    frame: &'a Frame,
    options: &'a BuildOptions,
}

impl Packer<'_> {
    /// Packs a node with the given children, `depth` levels below the root, and all below, into `words`; `first_child` is
    /// the node's place.
    fn node<V: Fitted>(&self, children: &[Place], depth: u32, first_child: usize, words: &mut [u32]) {
        let stride = children.len();
        let (own, mut below) = words.split_at_mut(stride * V::FIELDS);
        let mut next = first_child + stride;
        let mut subtrees: SmallVec<[_; WIDTH]> = SmallVec::new();
        for (lane, &child) in children.iter().enumerate() {
            let grandchildren = self.plan.children(child, depth);
            let mut fields = [0; 16];
            self.volume::<V>(child, &mut fields);
            fields[V::FIELDS - 1] = if grandchildren.is_empty() {
                NodeRef::leaf(child.first)
            } else {
                NodeRef::inner(next, grandchildren.len())
            }
            .to_word();
            for (row, &word) in fields[..V::FIELDS].iter().enumerate() {
                own[row * stride + lane] = word;
            }
            if !grandchildren.is_empty() {
                let volumes = self.plan.volumes[child.node] as usize;
                let (subtree, rest) = below.split_at_mut(volumes * V::FIELDS);
                below = rest;
                subtrees.push((grandchildren, next, subtree));
                next += volumes;
            }
        }
        if next - first_child >= PARALLEL_FROM {
            rayon::scope(|scope| {
                for (children, first_child, words) in subtrees {
                    scope.spawn(move |_| self.node::<V>(&children, depth + 1, first_child, words));
                }
            });
        } else {
            for (children, first_child, words) in subtrees {
                self.node::<V>(&children, depth + 1, first_child, words);
            }
        }
    }

    fn volume<V: Fitted>(&self, place: Place, fields: &mut [u32; 16]) {
        if let Some(Chosen { fields: fitted, .. }) = self.plan.chosen {
            *fields = fitted[place.node];
            return;
        }
        let items = &self.items[place.first..place.first + self.plan.binary.triangles(place)];
        V::pack(&V::fit(self.level, items, self.options, self.frame), fields);
    }
}
