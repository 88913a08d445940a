//! The pass through a tree from its leaves to its root, in parallel subtrees.

use std::ops::Range;

use super::moved::Dirty;
use super::state::node_cost;
use super::topology::{Parts, Topology, WideNode, unmarked};
use super::vertices::LocalVertices;
use crate::parallel;
use crate::simd::{Simd, SimdLevel, dispatched};
use crate::volume::{BoundingVolume, Box32, Frame, Landmarks, NodeRef, ObbAxes, Positions, WIDTH};

/// Subtrees of at most this many nodes in all are processed by one thread.
const NODES: usize = 1 << 9;

/// The depth of recursion at which nodes are no longer divided among threads; only a malicious tree needs more.
const MAX_PARALLEL_DEPTH: u32 = 64;

/// Records a volume's rest state. Its arguments are the volume's words, the frame, the option for OBB axes, the
/// vertices of the volume's part, which may be reordered, and all positions.
pub(super) type AtRest<R> = fn(&[u32], &Frame, ObbAxes, &mut [u32], &Positions<'_>) -> (Landmarks, R);

/// The method by which the volumes of a node are refitted.
pub(super) trait RefitMethod: Sized + 'static {
    type Volume: BoundingVolume;

    /// The value that a node passes to its parent.
    type Below: Copy + Send + Sync;

    /// The volume of a part of the mesh before the mesh deformed.
    type AtRest: Send + Sync;

    /// Scratch memory for small subtrees.
    type Scratch;

    const FIELDS: usize = Self::Volume::FIELDS;

    /// A placeholder until nodes are fitted.
    const UNSET: Self::Below;

    /// The initial scratch memory.
    const SCRATCH: Self::Scratch;

    /// Records the rest state of a part's volume; `None` for a method without parts.
    const AT_REST: Option<AtRest<Self::AtRest>>;

    /// Refits a node's volumes into its words, given the values from the nodes after it.
    fn node<S: Simd>(
        s: S,
        pass: &Pass<'_, Self>,
        number: usize,
        words: &mut [u32],
        below: &[Self::Below],
    ) -> Refitted<Self::Below>;

    #[inline(always)]
    fn subtree<S: Simd>(s: S, pass: &Pass<'_, Self>, nodes: &mut NodeRange<'_, Self::Below>, _: &mut Self::Scratch) {
        for number in nodes.numbers.clone().rev() {
            nodes.one(s, pass, number);
        }
    }
}

pub(super) struct Refitted<B> {
    /// The value for the parent node.
    pub(super) below: B,
    /// The surface areas of the node's volumes, up to a factor.
    pub(super) areas: [f32; WIDTH],
}

pub(super) struct Pass<'a, M: RefitMethod> {
    pub(super) level: SimdLevel,
    pub(super) topology: &'a Topology,
    pub(super) frame: Frame,
    pub(super) corners: &'a [[u32; 3]],
    /// The vertices in mesh coordinates.
    pub(super) positions: Positions<'a>,
    /// The vertices in the frame's coordinates; empty if the refit method uses `parts`.
    pub(super) local_vertices: &'a LocalVertices,
    pub(super) parts: &'a Parts<M::AtRest>,
    /// The nodes below which a vertex moved; `None` if all vertices moved.
    pub(super) dirty: Option<&'a Dirty>,
}

pub(super) struct Output<'a, B> {
    pub(super) words: &'a mut [u32],
    pub(super) below: &'a mut [B],
    pub(super) costs: &'a mut [f64],
}

impl<'a, B> Output<'a, B> {
    fn split_at(self, nodes: usize, words: usize) -> (Self, Self) {
        let (words, later_words) = self.words.split_at_mut(words);
        let (below, later_below) = self.below.split_at_mut(nodes);
        let (costs, later_costs) = self.costs.split_at_mut(nodes);
        (Self { words, below, costs }, Self { words: later_words, below: later_below, costs: later_costs })
    }

    fn all(&mut self) -> Output<'_, B> {
        Output { words: self.words, below: self.below, costs: self.costs }
    }
}

impl<M: RefitMethod> Pass<'_, M> {
    /// Refits all nodes of whole subtrees, in parallel.
    pub(super) fn subtrees(&self, nodes: Range<usize>, mut output: Output<'_, M::Below>, depth: u32) {
        if nodes.len() <= NODES || depth == MAX_PARALLEL_DEPTH {
            return self.run(nodes, output);
        }
        if self.topology.end(nodes.start) == nodes.end {
            if self.is_clean(nodes.start) {
                return;
            }
            let own = self.topology.first(nodes.start + 1) - self.topology.first(nodes.start);
            let (_, below) = output.all().split_at(1, own * M::FIELDS);
            self.subtrees(nodes.start + 1..nodes.end, below, depth + 1);
            return self.run(nodes.start..nodes.start + 1, output);
        }
        let middle = self.middle(&nodes);
        let words = (self.topology.first(middle) - self.topology.first(nodes.start)) * M::FIELDS;
        let (left, right) = output.split_at(middle - nodes.start, words);
        parallel::join(
            || self.subtrees(nodes.start..middle, left, depth + 1),
            || self.subtrees(middle..nodes.end, right, depth + 1),
        );
    }

    fn run(&self, nodes: Range<usize>, output: Output<'_, M::Below>) {
        let first_word = self.topology.first(nodes.start) * M::FIELDS;
        run(self.level, self, NodeRange { numbers: nodes, first_word, output });
    }

    /// The start, nearest to the middle of `nodes`, of a subtree other than the first; `nodes` is a sequence of whole
    /// subtrees.
    fn middle(&self, nodes: &Range<usize>) -> usize {
        let half = nodes.start + nodes.len() / 2;
        let mut middle = self.topology.end(nodes.start);
        while middle < half && self.topology.end(middle) < nodes.end {
            let next = self.topology.end(middle);
            if next.abs_diff(half) > middle.abs_diff(half) {
                break;
            }
            middle = next;
        }
        middle
    }

    #[inline(always)]
    pub(super) fn is_clean(&self, number: usize) -> bool {
        self.dirty.is_some_and(|dirty| !dirty.contains(number))
    }

    /// The child in a lane, given the node's words. `next` is the index of the next child that is an inner node; it is
    /// advanced past that child's subtree if the child in the lane is an inner node.
    #[inline(always)]
    pub(super) fn below(&self, node: &WideNode, words: &[u32], lane: usize, next: &mut usize) -> Below {
        let below = NodeRef::from_word(words[(M::FIELDS - 1) * node.children as usize + lane]);
        if below.is_leaf() {
            return Below::Leaf { first: below.first_triangle() };
        }
        let number = *next;
        *next = self.topology.end(number);
        Below::Node { number }
    }

    #[inline(always)]
    pub(super) fn leaf_box(&self, first: usize) -> Box32 {
        let ([mut lower, mut upper], mut triangle) = ([[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]], first);
        loop {
            let (corners, is_last) = unmarked(self.corners[triangle]);
            for vertex in corners {
                let vertex = self.positions.at(vertex);
                for x in 0..3 {
                    lower[x] = if vertex[x] < lower[x] { vertex[x] } else { lower[x] };
                    upper[x] = if vertex[x] > upper[x] { vertex[x] } else { upper[x] };
                }
            }
            triangle += 1;
            if is_last {
                return [lower, upper];
            }
        }
    }
}

/// A child: a leaf's triangles or a node.
#[derive(Clone, Copy)]
pub(super) enum Below {
    Leaf { first: usize },
    Node { number: usize },
}

/// The nodes of whole subtrees, or a single node; they are refitted from the last to the first.
pub(super) struct NodeRange<'a, B> {
    pub(super) numbers: Range<usize>,
    /// Index of the nodes' first word.
    first_word: usize,
    /// The output of the range's nodes and of all nodes below them.
    output: Output<'a, B>,
}

impl<B: Copy> NodeRange<'_, B> {
    #[inline(always)]
    fn part<M: RefitMethod>(&mut self, pass: &Pass<'_, M>, numbers: Range<usize>) -> NodeRange<'_, B> {
        let first_word = pass.topology.first(numbers.start) * M::FIELDS;
        let (_, output) = self.output.all().split_at(numbers.start - self.numbers.start, first_word - self.first_word);
        NodeRange { numbers, first_word, output }
    }

    #[inline(always)]
    pub(super) fn words<M: RefitMethod>(&mut self, node: &WideNode) -> &mut [u32] {
        let first = node.first as usize * M::FIELDS - self.first_word;
        &mut self.output.words[first..first + node.children as usize * M::FIELDS]
    }

    #[inline(always)]
    fn one<S: Simd, M: RefitMethod<Below = B>>(&mut self, s: S, pass: &Pass<'_, M>, number: usize) {
        let node = &pass.topology.nodes[number];
        let first = node.first as usize * M::FIELDS - self.first_word;
        let words = &mut self.output.words[first..first + node.children as usize * M::FIELDS];
        let refitted = M::node(s, pass, number, words, &self.output.below[number + 1 - self.numbers.start..]);
        self.note(s, pass, number, refitted);
    }

    #[inline(always)]
    pub(super) fn note<S: Simd, M: RefitMethod>(
        &mut self,
        s: S,
        pass: &Pass<'_, M>,
        number: usize,
        refitted: Refitted<B>,
    ) {
        let cost = node_cost(s, &refitted.areas, &pass.topology.tests(s, &pass.topology.nodes[number]));
        self.output.below[number - self.numbers.start] = refitted.below;
        self.output.costs[number - self.numbers.start] = cost;
    }
}

dispatched! {
    fn run[M: RefitMethod](pass: &Pass<'_, M>, nodes: NodeRange<'_, M::Below>) -> () = |s| run_by(s, pass, nodes);
}

#[inline(always)]
fn run_by<S: Simd, M: RefitMethod>(s: S, pass: &Pass<'_, M>, mut nodes: NodeRange<'_, M::Below>) {
    if let Some(dirty) = pass.dirty {
        let mut remaining = nodes.numbers.clone();
        while let Some(number) = dirty.last_in(&remaining) {
            remaining.end = number;
            nodes.one(s, pass, number);
        }
        return;
    }
    let mut scratch = M::SCRATCH;
    for block in pass.topology.blocks(&nodes.numbers).iter().rev() {
        let (start, end) = (block.start as usize, block.end as usize);
        if pass.topology.end(start) == end {
            M::subtree(s, pass, &mut nodes.part(pass, start..end), &mut scratch);
        } else {
            nodes.one(s, pass, start);
        }
    }
}
