//! The data that deformation does not change: wide nodes, the vertices below each volume, and the numbering of the
//! vertices.

use std::ops::Range;
use std::sync::Arc;

use super::options::NotRefittable;
use crate::builder::{Triangles, reorder};
use crate::mesh::Mesh;
use crate::simd::Simd;
use crate::tree::{BvTree, LAST_OF_LEAF, Owned, View, check_structure};
use crate::volume::{self, Landmarks, MAX_FIELDS, NodeRef, Points, Positions, VolumeKind, WIDTH};

/// A wide node. The nodes of its subtree follow it, child by child.
#[derive(Clone, Debug)]
pub(super) struct WideNode {
    /// Index of the node's first volume among all volumes.
    pub(super) first: u32,
    pub(super) children: u32,
    /// Index of the parent node; the root's own index for the root.
    pub(super) parent: u32,
    /// Index of the volume around the subtree; meaningless for the root.
    pub(super) volume: u32,
    /// Index of the node after the subtree.
    pub(super) end: u32,
    /// The triangles of the subtree, by leaf index.
    pub(super) triangles: Range<u32>,
}

/// All wide nodes of a tree whose structure is sound.
#[derive(Clone, Debug)]
pub(super) struct Topology {
    pub(super) nodes: Vec<WideNode>,
    /// For each triangle in leaf order, the index of its leaf's volume among all volumes.
    pub(super) leaves: Vec<u32>,
    /// The number of tests of triangles or volumes directly below each volume, followed by zeros.
    tests: Vec<f32>,
    /// All nodes in order: whole subtrees of at most [`BLOCK`] volumes, and single nodes above them.
    blocks: Vec<Range<u32>>,
}

/// Maximum number of volumes of a subtree that is refitted as one block; these fit into the cache.
pub(super) const BLOCK: usize = 512;

impl Topology {
    pub(super) fn new(view: &View<'_>, kind: VolumeKind) -> Self {
        let volumes = (view.nodes.len() - volume::PADDING) / volume::fields(kind);
        let leaves = vec![0; view.corners.len()];
        let mut topology = Self { nodes: Vec::new(), leaves, tests: vec![0.0; volumes + WIDTH], blocks: Vec::new() };
        if view.corners.is_empty() {
            return topology;
        }
        let mut ahead = vec![(NodeRef::ROOT, 0, 0)];
        while let Some((node, parent, volume)) = ahead.pop() {
            let number = topology.nodes.len() as u32;
            let (first, children) = (node.first_child(), node.children());
            for lane in (0..children).rev() {
                let below = below(view, kind, [first, children, lane]);
                topology.tests[first + lane] = if below.is_leaf() {
                    let leaf = view.leaf(below.first_triangle());
                    topology.leaves[leaf.clone()].fill((first + lane) as u32);
                    leaf.len() as f32
                } else {
                    ahead.push((below, number, (first + lane) as u32));
                    below.children() as f32
                };
            }
            let (first, children) = (first as u32, children as u32);
            topology.nodes.push(WideNode { first, children, parent, volume, end: number + 1, triangles: 0..0 });
        }
        topology.find_ends(view, kind);
        topology.find_blocks();
        topology
    }

    fn find_blocks(&mut self) {
        let mut start = 0;
        while start < self.nodes.len() {
            let end = self.end(start);
            let is_small = self.first(end) - self.first(start) <= BLOCK;
            let end = if is_small { end } else { start + 1 };
            self.blocks.push(start as u32..end as u32);
            start = end;
        }
    }

    /// The blocks of `nodes`, which are either whole subtrees or a single node.
    pub(super) fn blocks(&self, nodes: &Range<usize>) -> &[Range<u32>] {
        let before = |number: usize| self.blocks.partition_point(|block| (block.start as usize) < number);
        &self.blocks[before(nodes.start)..before(nodes.end)]
    }

    /// Finds the ends and the triangles of subtrees, from the last node to the first, because all nodes below a node
    /// come after it.
    fn find_ends(&mut self, view: &View<'_>, kind: VolumeKind) {
        for number in (0..self.nodes.len()).rev() {
            let (first, children) = (self.nodes[number].first as usize, self.nodes[number].children as usize);
            let mut next = number + 1;
            let mut all: Option<Range<u32>> = None;
            for lane in 0..children {
                let below = below(view, kind, [first, children, lane]);
                let triangles = if below.is_leaf() {
                    let leaf = view.leaf(below.first_triangle());
                    leaf.start as u32..leaf.end as u32
                } else {
                    let child = &self.nodes[next];
                    next = child.end as usize;
                    child.triangles.clone()
                };
                all = Some(all.map_or(triangles.start, |all| all.start)..triangles.end);
            }
            let node = &mut self.nodes[number];
            (node.end, node.triangles) = (next as u32, all.unwrap_or_default());
        }
    }

    pub(super) fn volumes(&self) -> usize {
        self.tests.len() - WIDTH
    }

    /// The number of tests directly below each volume of a node; 0 past the node's children.
    #[inline(always)]
    pub(super) fn tests<S: Simd>(&self, s: S, node: &WideNode) -> [f32; WIDTH] {
        let [tests] =
            s.load_rows(bytemuck::cast_slice(&self.tests[node.first as usize..]), WIDTH, node.children as usize);
        s.to_array(tests)
    }

    /// Index of a node's first volume; the number of volumes for the node after the last.
    #[inline(always)]
    pub(super) fn first(&self, number: usize) -> usize {
        self.nodes.get(number).map_or(self.volumes(), |node| node.first as usize)
    }

    /// Index of the node after a node's subtree.
    #[inline(always)]
    pub(super) fn end(&self, number: usize) -> usize {
        self.nodes[number].end as usize
    }
}

pub(super) fn below(view: &View<'_>, kind: VolumeKind, [first, children, lane]: [usize; 3]) -> NodeRef {
    let fields = volume::fields(kind);
    NodeRef::from_word(view.nodes[first * fields + (fields - 1) * children + lane])
}

/// The vertices of a triangle's corners, and whether it is the last of its leaf.
#[inline(always)]
pub(super) fn unmarked([a, b, c]: [u32; 3]) -> ([usize; 3], bool) {
    ([(a & !LAST_OF_LEAF) as usize, b as usize, c as usize], a & LAST_OF_LEAF != 0)
}

/// A copy of the tree in memory, with vertices numbered by first use. Fails if the tree is invalid or was built from
/// another mesh.
pub(super) fn numbered(tree: Arc<BvTree>, mesh: &Mesh) -> Result<BvTree, NotRefittable> {
    check_structure(tree.view(), tree.meta(), tree.groups())?;
    if tree.triangle_count() != mesh.triangles.len() {
        return Err(NotRefittable::Triangles { tree: tree.triangle_count(), mesh: mesh.triangles.len() });
    }
    let view = tree.view();
    for (leaf_index, &face) in view.faces.iter().enumerate() {
        let in_mesh = mesh.triangles[face as usize].map(|vertex| &mesh.vertices[vertex as usize]);
        if view.triangle(leaf_index) != in_mesh {
            return Err(NotRefittable::OtherMesh { face });
        }
    }
    let next_leaf = |first: usize| (first < view.corners.len()).then(|| view.leaf(first));
    let leaves = std::iter::successors(next_leaf(0), |leaf| next_leaf(leaf.end));
    let Triangles { vertices, corners, faces } = reorder(mesh, view.faces.to_vec(), leaves);
    let (nodes, polygons) = (view.nodes.to_vec(), view.polygons.to_vec());
    let groups = tree.groups().to_vec();
    let meta = tree.meta().clone();
    let numbered = BvTree::from_parts(meta, Owned { nodes, vertices, corners, faces, polygons, groups });
    Ok(numbered.with_layers_of(&tree))
}

/// The mesh's vertex for each vertex of a tree whose vertices are numbered by first use.
pub(super) fn mesh_vertices(tree: &BvTree, mesh: &Mesh) -> Vec<u32> {
    let view = tree.view();
    let mut mesh_vertices = vec![0; view.vertices.len()];
    for (corners, &face) in view.triangles().zip(view.faces) {
        for (number, &vertex) in corners.into_iter().zip(&mesh.triangles[face as usize]) {
            mesh_vertices[number as usize] = vertex;
        }
    }
    mesh_vertices
}

/// The part of the mesh below a volume of several triangles.
pub(super) struct Part<R> {
    /// The vertices that first occur in this part; they are consecutive, because the tree numbers vertices by first
    /// use.
    row: Range<u32>,
    /// The range of the part's other vertices in the `others` of all parts.
    others: Range<u32>,
    pub(super) landmarks: Landmarks,
    /// The volume in the landmarks' frame.
    pub(super) at_rest: R,
}

pub(super) struct Parts<R> {
    parts: Vec<Part<R>>,
    first: Vec<u32>,
    others: Vec<u32>,
}

impl<R> Parts<R> {
    pub(super) fn none() -> Self {
        Self { parts: Vec::new(), first: Vec::new(), others: Vec::new() }
    }

    /// The parts of a tree. `at_rest` gets a volume's words and vertices, and may reorder the vertices.
    pub(super) fn new(
        view: &View<'_>,
        kind: VolumeKind,
        topology: &Topology,
        mut at_rest: impl FnMut(&[u32], &mut [u32]) -> (Landmarks, R),
    ) -> Self {
        let mut parts = Self { parts: Vec::new(), first: Vec::with_capacity(topology.nodes.len()), others: Vec::new() };
        let fresh = vertices_before(view);
        // The last part that contains each vertex.
        let mut met = vec![u32::MAX; view.vertices.len()];
        let mut vertices = Vec::new();
        let fields = volume::fields(kind);
        for (number, node) in topology.nodes.iter().enumerate() {
            parts.first.push(parts.parts.len() as u32);
            let (first, children) = (node.first as usize, node.children as usize);
            let mut next = number + 1;
            for lane in 0..children {
                let below = NodeRef::from_word(view.nodes[first * fields + (fields - 1) * children + lane]);
                let triangles = if below.is_leaf() {
                    view.leaf(below.first_triangle())
                } else {
                    let Range { start, end } = topology.nodes[next].triangles;
                    next = topology.end(next);
                    start as usize..end as usize
                };
                if below.is_leaf() && triangles.len() == 1 {
                    continue;
                }
                let row = fresh[triangles.start]..fresh[triangles.end];
                let others = parts.others.len() as u32;
                let this = parts.parts.len() as u32;
                for vertex in view.corners[triangles].iter().flat_map(|&corners| unmarked(corners).0) {
                    if (vertex as u32) < row.start && met[vertex] != this {
                        met[vertex] = this;
                        parts.others.push(vertex as u32);
                    }
                }
                vertices.clear();
                vertices.extend(row.clone().chain(parts.others[others as usize..].iter().copied()));
                let mut words = [0; MAX_FIELDS];
                for (row, word) in words.iter_mut().take(fields).enumerate() {
                    *word = view.nodes[first * fields + row * children + lane];
                }
                let (landmarks, at_rest) = at_rest(&words, &mut vertices);
                let others = others..parts.others.len() as u32;
                parts.parts.push(Part { row, others, landmarks, at_rest });
            }
        }
        parts
    }

    /// The parts of a node, followed by those of all later nodes.
    #[inline(always)]
    pub(super) fn at_node(&self, number: usize) -> &[Part<R>] {
        &self.parts[self.first[number] as usize..]
    }

    #[inline(always)]
    pub(super) fn points<'a>(&'a self, part: &Part<R>, positions: &'a Positions<'a>) -> Points<'a> {
        let others = &self.others[part.others.start as usize..part.others.end as usize];
        Points::new(positions, part.row.start as usize..part.row.end as usize, others)
    }
}

/// The number of vertices used before each triangle, in leaf order, and the total number.
fn vertices_before(view: &View<'_>) -> Vec<u32> {
    let mut before = Vec::with_capacity(view.corners.len() + 1);
    let mut used = 0;
    before.push(0);
    for &corners in view.corners {
        for vertex in unmarked(corners).0 {
            used = used.max(vertex as u32 + 1);
        }
        before.push(used);
    }
    before
}
