//! The top of a tree whose lower parts, the tiles, are built one after the other, because the mesh is larger than
//! memory.

use std::ops::Range;

use super::binary_tree::{BinaryNode, BinaryTree};
use super::wide::{WideTree, moved};
use super::{BuildError, UnfittedTree};
use crate::options::BuildOptions;
use crate::parallel;
use crate::shape::Aabb;
use crate::simd::SimdLevel;
use crate::tree::{BvTree, LAST_OF_LEAF};
use crate::volume::fit::primitives::{self, Primitive, Ranges};
use crate::volume::{BoundingVolume, Frame, MAX_FIELDS, NodeRef, fields, for_kind};

/// Binary splits of a mesh, down to tiles.
#[derive(Debug)]
pub(crate) enum Division<T> {
    Tile(T),
    Split(Box<[Self; 2]>),
}

/// The wide nodes above the tiles. Tiles are numbered from left to right.
pub(crate) struct TopTree {
    wide: WideTree,
    /// The number of splits above each tile.
    pub(crate) split_depths: Vec<u32>,
}

/// A child of a node above the tiles.
pub(crate) struct TopChild {
    pub(crate) tiles: Range<usize>,
    /// Whether the child is a tile, and not a node.
    pub(crate) is_tile: bool,
}

impl TopTree {
    /// Makes the nodes, and numbers the tiles. `bounds` returns a tile's box, `frame` is that of the whole mesh.
    ///
    /// # Errors
    /// If there are more volumes than a file can number.
    pub(crate) fn new<T>(
        division: Division<T>,
        frame: &Frame,
        bounds: impl Fn(&T) -> Aabb,
    ) -> Result<(Self, Vec<T>), BuildError> {
        let mut top = Numbering { bounds, frame, tiles: Vec::new(), split_depths: Vec::new(), nodes: Vec::new() };
        top.add(division, 0);
        let Numbering { tiles, split_depths, nodes, .. } = top;
        let depth = split_depths.iter().copied().max().unwrap_or(0);
        let wide = WideTree::new(&BinaryTree::new(tiles.len(), nodes, depth), None)?;
        Ok((Self { wide, split_depths }, tiles))
    }

    /// The children of a node; nodes are numbered depth first.
    pub(crate) fn children(&self, node: usize) -> impl ExactSizeIterator<Item = TopChild> + '_ {
        self.wide.children(node).map(|child| TopChild { tiles: child.triangles, is_tile: child.below.is_leaf() })
    }
}

struct Numbering<'a, T, B> {
    bounds: B,
    frame: &'a Frame,
    tiles: Vec<T>,
    split_depths: Vec<u32>,
    /// Nodes in preorder; tiles have none.
    nodes: Vec<BinaryNode>,
}

impl<T, B: Fn(&T) -> Aabb> Numbering<'_, T, B> {
    /// Adds the nodes of a division; returns its box.
    fn add(&mut self, division: Division<T>, depth: u32) -> Aabb {
        match division {
            Division::Tile(tile) => {
                let bounds = (self.bounds)(&tile);
                self.tiles.push(tile);
                self.split_depths.push(depth);
                bounds
            }
            Division::Split(sides) => {
                let (node, first) = (self.nodes.len(), self.tiles.len());
                self.nodes.push(BinaryNode::PENDING);
                let [left, right] = *sides;
                let mut bounds = self.add(left, depth + 1);
                let right_begins = self.nodes.len();
                let of_right = self.add(right, depth + 1);
                bounds.grow(&of_right.lower);
                bounds.grow(&of_right.upper);
                let ranges = Ranges { lower: bounds.lower.into(), upper: bounds.upper.into() };
                let area = self.frame.area(ranges.half_area());
                self.nodes[node] = BinaryNode::inner(self.tiles.len() - first, right_begins - node, area);
                bounds
            }
        }
    }
}

/// Maximum number of boxes in the outline of a tile.
const OUTLINE: usize = 256;

/// Triangles over the corners of boxes that together enclose a tile: a convex volume around these triangles encloses
/// the tile too.
pub(crate) struct Outline(Vec<Primitive>);

impl Outline {
    /// The outline of a finished tree's triangles.
    pub(crate) fn of(tree: &BvTree) -> Self {
        let triangles: Vec<[u32; 3]> = tree.view().triangles().collect();
        Self::of_primitives(SimdLevel::detect(), &primitives::gather(tree.view().vertices, &triangles))
    }

    /// The outline of triangles in a tree's order.
    fn of_primitives(level: SimdLevel, triangles: &[Primitive]) -> Self {
        let run = triangles.len().div_ceil(OUTLINE).max(1);
        let around = |run: &[Primitive]| primitives::over_corners(&primitives::bounds(level, run));
        Self(parallel::map_runs(triangles.chunks(run), around).into_iter().flatten().collect())
    }
}

/// Returns the words of a volume around the outlines of tiles; the word for its reference is left at zero.
pub(crate) fn fit_outlines(outlines: &[Outline], options: &BuildOptions, frame: &Frame) -> [u32; MAX_FIELDS] {
    let (level, mut words) = (SimdLevel::detect(), [0; MAX_FIELDS]);
    let primitives: Vec<Primitive> = outlines.iter().flat_map(|outline| &outline.0).copied().collect();
    for_kind!(options.kind, V => {
        V::pack(&V::fit(level, &primitives, options.fit_methods(), frame), &mut words);
    });
    words
}

/// The words of a tile's root volume, and its reference.
pub(crate) type TileRoot = ([u32; MAX_FIELDS], NodeRef);

/// The parts of a tile's tree that are needed once its nodes are packed.
#[derive(Default)]
pub(crate) struct TileOrder {
    /// Index in the tile of each triangle in leaf order, with [`LAST_OF_LEAF`] for the last one of each leaf.
    pub(crate) triangles: Vec<u32>,
    pub(crate) split_depth: u32,
    pub(crate) depth: u32,
    pub(crate) leaves: usize,
    pub(crate) leaf_triangles_max: usize,
}

impl TileOrder {
    /// The order and the counts of a finished tree.
    pub(crate) fn of(tree: &BvTree) -> Self {
        let (meta, view) = (tree.meta(), tree.view());
        let marked = |(&face, corners): (&u32, &[u32; 3])| face | (corners[0] & LAST_OF_LEAF);
        Self {
            triangles: view.faces.iter().zip(view.corners).map(marked).collect(),
            split_depth: meta.split_depth,
            depth: meta.depth,
            leaves: meta.leaves,
            leaf_triangles_max: meta.leaf_triangles_max,
        }
    }
}

/// The words of a finished tree's root, its reference, and the words of the nodes below it, with references adjusted as
/// by [`UnfittedTree::root`] and [`UnfittedTree::pack_moved`].
pub(crate) fn moved_nodes(tree: &BvTree, volumes: usize, triangles: usize) -> (TileRoot, Vec<u32>) {
    let fields = fields(tree.kind());
    let mut words = tree.view().nodes[..tree.node_count() * fields].to_vec();
    let mut nodes = vec![NodeRef::ROOT];
    while let Some(node) = nodes.pop() {
        let (first, count) = (node.first_child(), node.children());
        for word in &mut words[first * fields + (fields - 1) * count..(first + count) * fields] {
            let below = NodeRef::from_word(*word);
            if !below.is_leaf() {
                nodes.push(below);
            }
            *word = moved_to(below, volumes, triangles).to_word();
        }
    }
    let (mut root, below) = ([0; MAX_FIELDS], words.split_off(fields));
    root[..fields].copy_from_slice(&words);
    ((root, NodeRef::from_word(words[fields - 1])), below)
}

/// A tile's tree within the tree of the whole mesh.
impl UnfittedTree {
    /// The outline of the triangles.
    pub(crate) fn outline(&self) -> Outline {
        Outline::of_primitives(self.level, &self.primitives)
    }

    /// The words of the tile's root volume, and its reference if the volumes below it come after `volumes` volumes of
    /// the whole tree and the triangles after `triangles` triangles.
    pub(crate) fn root(&self, volumes: usize, triangles: usize) -> TileRoot {
        let mut words = [0; MAX_FIELDS];
        self.pack(0..1, &mut words);
        let below = NodeRef::from_word(words[fields(self.meta.options.kind) - 1]);
        (words, moved_to(below, volumes, triangles))
    }

    /// Like `pack` for nodes below the root, with references that count all volumes and triangles before the tile.
    pub(crate) fn pack_moved(&self, nodes: Range<usize>, words: &mut [u32], volumes: usize, triangles: usize) {
        self.pack(nodes.clone(), words);
        let fields = fields(self.meta.options.kind);
        let begin = self.wide.first_child(nodes.start);
        for node in nodes {
            let [first, end] = [node, node + 1].map(|node| self.wide.first_child(node) - begin);
            for word in &mut words[first * fields + (fields - 1) * (end - first)..end * fields] {
                *word = moved_to(NodeRef::from_word(*word), volumes, triangles).to_word();
            }
        }
    }

    /// Frees all but the order of the triangles and the counts.
    pub(crate) fn into_tile_order(self) -> TileOrder {
        let mut triangles = self.faces();
        let Self { primitives, wide, cached, meta, .. } = self;
        drop((primitives, cached));
        wide.leaf_triangles().for_each(|leaf| triangles[leaf.end - 1] |= LAST_OF_LEAF);
        TileOrder {
            triangles,
            split_depth: meta.split_depth,
            depth: meta.depth,
            leaves: meta.leaves,
            leaf_triangles_max: meta.leaf_triangles_max,
        }
    }
}

/// A tile's reference, adjusted for the volumes and triangles of the whole tree that come before the tile's.
fn moved_to(below: NodeRef, volumes: usize, triangles: usize) -> NodeRef {
    // The tile's root, volume 0, is among the nodes above.
    if below.is_leaf() { NodeRef::leaf(below.first_triangle() + triangles) } else { moved(below, volumes - 1) }
}
