//! The way through a tree from its leaves to its root, in parallel subtrees.

use std::ops::Range;

use super::dirty_nodes::Dirty;
use super::landmarks::Landmarks;
use super::local_vertices::LocalVertices;
use super::node_cost::node_cost;
use super::options::ObbAxes;
use super::parts::Parts;
use super::plan::{Plan, WideNode, unmarked};
use super::positions::Positions;
use crate::parallel;
use crate::simd::{Simd, SimdLevel, Task, dispatch};
use crate::volume::{Frame, NodeRef, PackedVolume, WIDTH};

/// Nodes that are one thread's work.
const NODES: usize = 1 << 9;

/// Deeper than this, and only a hostile tree is, no more is given to other threads.
const DEEPEST: u32 = 64;

/// Least and greatest coordinates.
pub(super) type Box32 = [[f32; 3]; 2];

/// Given a volume's words, the frame, an option, and the vertices of the volume's part, which may be reordered, with
/// all positions.
pub(super) type AtRest<R> = fn(&[u32], &Frame, ObbAxes, &mut [u32], &Positions<'_>) -> (Landmarks, R);

/// A kind of volume that can be refitted.
pub(super) trait Refit8: PackedVolume + Sized {
    /// What a node tells the one above.
    type Below: Copy + Default + Send + Sync;

    /// How a part's volume stood among its landmarks.
    type Rest: Send + Sync;

    /// Where small subtrees are worked on.
    type Scratch;

    /// As it is at first.
    const SCRATCH: Self::Scratch;

    /// Notes that; none where volumes of several triangles are fitted to those below, not to their vertices.
    const AT_REST: Option<AtRest<Self::Rest>>;

    /// Fits a node's volumes into its words, given what the nodes after it told; also where just some of them moved.
    fn node<S: Simd>(
        s: S,
        pass: &Pass<'_, Self>,
        number: usize,
        words: &mut [u32],
        below: &[Self::Below],
    ) -> Told<Self::Below>;

    /// Fits all nodes of a small subtree.
    #[inline(always)]
    fn subtree<S: Simd>(s: S, pass: &Pass<'_, Self>, sweep: &mut Sweep<'_, Self::Below>, _: &mut Self::Scratch) {
        for number in sweep.nodes.clone().rev() {
            sweep.one(s, pass, number);
        }
    }

    /// The areas of a node's volumes, but for a factor.
    fn areas(words: &[u32], children: usize) -> [f32; WIDTH];
}

/// What a node tells once it is fitted.
pub(super) struct Told<B> {
    /// To the node above.
    pub(super) below: B,
    /// Of its volumes, where it has children; see [`Refit8::areas`].
    pub(super) areas: [f32; WIDTH],
}

/// What nodes are fitted to.
pub(super) struct Pass<'a, K: Refit8> {
    pub(super) level: SimdLevel,
    pub(super) plan: &'a Plan,
    pub(super) frame: Frame,
    pub(super) corners: &'a [[u32; 3]],
    /// In mesh coordinates.
    pub(super) positions: Positions<'a>,
    /// In the frame's coordinates; none where there are parts.
    pub(super) local_vertices: &'a LocalVertices,
    pub(super) parts: &'a Parts<K::Rest>,
    /// The nodes below which something moved; all if none.
    pub(super) dirty: Option<&'a Dirty>,
}

/// What is written, node by node.
pub(super) struct Written<'a, B> {
    pub(super) words: &'a mut [u32],
    pub(super) below: &'a mut [B],
    pub(super) costs: &'a mut [f64],
}

impl<'a, B> Written<'a, B> {
    fn split_at(self, nodes: usize, words: usize) -> (Self, Self) {
        let (words, later_words) = self.words.split_at_mut(words);
        let (below, later_below) = self.below.split_at_mut(nodes);
        let (costs, later_costs) = self.costs.split_at_mut(nodes);
        (Self { words, below, costs }, Self { words: later_words, below: later_below, costs: later_costs })
    }

    fn all(&mut self) -> Written<'_, B> {
        Written { words: self.words, below: self.below, costs: self.costs }
    }
}

impl<K: Refit8> Pass<'_, K> {
    /// Fits all nodes of whole subtrees side by side.
    pub(super) fn subtrees(&self, nodes: Range<usize>, mut written: Written<'_, K::Below>, depth: u32) {
        if nodes.len() <= NODES || depth == DEEPEST {
            return self.run(nodes, written);
        }
        if self.plan.end(nodes.start) == nodes.end {
            if self.is_clean(nodes.start) {
                return;
            }
            let own = self.plan.first(nodes.start + 1) - self.plan.first(nodes.start);
            let (_, below) = written.all().split_at(1, own * K::FIELDS);
            self.subtrees(nodes.start + 1..nodes.end, below, depth + 1);
            return self.run(nodes.start..nodes.start + 1, written);
        }
        let middle = self.middle(&nodes);
        let words = (self.plan.first(middle) - self.plan.first(nodes.start)) * K::FIELDS;
        let (left, right) = written.split_at(middle - nodes.start, words);
        parallel::join(
            || self.subtrees(nodes.start..middle, left, depth + 1),
            || self.subtrees(middle..nodes.end, right, depth + 1),
        );
    }

    fn run(&self, nodes: Range<usize>, written: Written<'_, K::Below>) {
        let first_word = self.plan.first(nodes.start) * K::FIELDS;
        dispatch(self.level, Run { pass: self, sweep: Sweep { nodes, first_word, written } });
    }

    /// Where one of several subtrees begins, not the first, that is nearest to half of the nodes.
    fn middle(&self, nodes: &Range<usize>) -> usize {
        let half = nodes.start + nodes.len() / 2;
        let mut middle = self.plan.end(nodes.start);
        while middle < half && self.plan.end(middle) < nodes.end {
            let next = self.plan.end(middle);
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

    /// What a node's slot leads to, given its words. Of nodes, `next` is the one whose turn it is.
    #[inline(always)]
    pub(super) fn below(&self, node: &WideNode, words: &[u32], lane: usize, next: &mut usize) -> Below {
        let below = NodeRef::from_word(words[(K::FIELDS - 1) * node.children as usize + lane]);
        if below.is_leaf() {
            return Below::Leaf { first: below.first_triangle() };
        }
        let number = *next;
        *next = self.plan.end(number);
        Below::Node { number }
    }

    /// The box of a leaf's triangles.
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

/// What is below a volume.
#[derive(Clone, Copy)]
pub(super) enum Below {
    Leaf { first: usize },
    Node { number: usize },
}

/// Nodes of whole subtrees, or one alone, that are fitted from the last to the first.
pub(super) struct Sweep<'a, B> {
    pub(super) nodes: Range<usize>,
    /// Where their words begin.
    first_word: usize,
    /// Of these nodes, and what all below them told.
    written: Written<'a, B>,
}

impl<B: Copy> Sweep<'_, B> {
    /// Some of the nodes.
    #[inline(always)]
    fn part<K: Refit8>(&mut self, pass: &Pass<'_, K>, nodes: Range<usize>) -> Sweep<'_, B> {
        let (_, written) = self
            .written
            .all()
            .split_at(nodes.start - self.nodes.start, pass.plan.first(nodes.start) * K::FIELDS - self.first_word);
        Sweep { first_word: pass.plan.first(nodes.start) * K::FIELDS, nodes, written }
    }

    /// A node's words.
    #[inline(always)]
    pub(super) fn words<K: Refit8>(&mut self, node: &WideNode) -> &mut [u32] {
        let first = node.first as usize * K::FIELDS - self.first_word;
        &mut self.written.words[first..first + node.children as usize * K::FIELDS]
    }

    #[inline(always)]
    fn one<S: Simd, K: Refit8<Below = B>>(&mut self, s: S, pass: &Pass<'_, K>, number: usize) {
        let node = &pass.plan.nodes[number];
        let first = node.first as usize * K::FIELDS - self.first_word;
        let words = &mut self.written.words[first..first + node.children as usize * K::FIELDS];
        let told = K::node(s, pass, number, words, &self.written.below[number + 1 - self.nodes.start..]);
        self.note(s, pass, number, told);
    }

    #[inline(always)]
    pub(super) fn note<S: Simd, K: Refit8>(&mut self, s: S, pass: &Pass<'_, K>, number: usize, told: Told<B>) {
        let cost = node_cost(s, &told.areas, &pass.plan.tests(s, &pass.plan.nodes[number]));
        self.written.below[number - self.nodes.start] = told.below;
        self.written.costs[number - self.nodes.start] = cost;
    }
}

struct Run<'a, 'b, K: Refit8> {
    pass: &'a Pass<'a, K>,
    sweep: Sweep<'b, K::Below>,
}

impl<K: Refit8> Task for Run<'_, '_, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, s: S) {
        let Self { pass, mut sweep } = self;
        if let Some(dirty) = pass.dirty {
            let mut left = sweep.nodes.clone();
            while let Some(number) = dirty.last_in(&left) {
                left.end = number;
                sweep.one(s, pass, number);
            }
            return;
        }
        let mut scratch = K::SCRATCH;
        for block in pass.plan.blocks(&sweep.nodes).iter().rev() {
            let (start, end) = (block.start as usize, block.end as usize);
            if pass.plan.end(start) == end {
                K::subtree(s, pass, &mut sweep.part(pass, start..end), &mut scratch);
            } else {
                sweep.one(s, pass, start);
            }
        }
    }
}
