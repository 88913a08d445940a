//! The eight-wide collapse of least volume, by dynamic programming over the binary tree.
//!
//! As Ylitie, Karras and Laine 2017, "Efficient incoherent ray traversal on GPUs through compressed wide BVHs", section
//! 3.1, which minimises the cost of the surface area heuristic. Here it is the sum of volumes over all levels, with a
//! bound on the height.

use smallvec::SmallVec;

use super::binary::{Binary, Head, Place};
use crate::parallel;
use crate::volume::WIDTH;

/// Subtrees with fewer triangles than this are one thread's work.
const PARALLEL_FROM: usize = 1 << 10;

/// Heights above the least possible that are kept apart; more height than that gains nothing worth its memory.
const SPARE: usize = 3;

/// How much more a volume counts than one of the level above. Cuts further down hold less volume, about a third of the
/// cut above (spheres) to an eighth (oriented boxes); so they all count.
const LEVEL_WEIGHT: f64 = 3.0;

/// How a node's descendants share slots, for each spare height in eight numbers of three bits. Number 0: how many of
/// eight slots the left child's take once the node heads a wide node. Number `k`: how many of `k + 1` slots they take,
/// 0 where the node itself takes one.
#[derive(Clone, Copy, Default)]
struct Choices([[u8; 3]; SPARE]);

impl Choices {
    fn left_slots(self, spare: usize, number: usize) -> usize {
        let [a, b, c] = self.0[spare];
        (u32::from_le_bytes([a, b, c, 0]) >> (3 * number) & 7) as usize
    }

    fn put(&mut self, spare: usize, left_slots: [u8; WIDTH]) {
        let bits = (0..WIDTH).fold(0, |bits, k| bits | u32::from(left_slots[k]) << (3 * k));
        let [a, b, c, _] = bits.to_le_bytes();
        self.0[spare] = [a, b, c];
    }
}

/// For each spare height, the least costs with `k + 1` slots or fewer; infinite where the height does not suffice.
type Costs = [[f64; WIDTH]; SPARE];

/// What is decided about a node of the binary tree.
#[derive(Clone, Copy, Default)]
struct Decision {
    /// All 0 if it becomes a leaf.
    choices: Choices,
    /// The least number of levels below eight siblings that stand for it. Builders make no tree too high.
    height: u8,
}

/// For each node of a binary tree, what stands for it in the wide one.
pub(super) struct LeastVolume {
    decisions: Vec<Decision>,
    /// Levels below the root.
    pub(super) height: u32,
    /// Splits between the root and the deepest leaf.
    pub(super) split_depth: u32,
}

impl LeastVolume {
    /// The wide tree of least height, and among those of least sum, over its levels, of the measures of the volumes
    /// that cover the mesh at that level.
    ///
    /// `measure` is that of the volume around a node's triangles, also given what the leaves below the node measure
    /// together. First of all, nodes of few triangles become leaves where that takes no more volume than the leaves
    /// below them.
    pub(super) fn new(binary: &Binary, max_leaf_triangles: u32, measure: impl Fn(Place, f64) -> f64 + Sync) -> Self {
        let mut decisions = vec![Decision::default(); binary.stored_nodes()];
        let max_leaf_triangles = max_leaf_triangles as usize;
        let programme = CollapseDp { binary, max_leaf_triangles, measure };
        let Some(root) = binary.root() else { return Self { decisions, height: 0, split_depth: 0 } };
        let Subtree { height, depth, costs, .. } = programme.subtree(root, &mut decisions);
        let height = height + u32::from(costs[0][0].is_infinite());
        Self { decisions, height, split_depth: depth }
    }

    /// The root, if there is one.
    pub(super) fn root(&self, binary: &Binary) -> Option<Place> {
        binary.root().map(|root| self.decided(root))
    }

    /// The children of the wide node that `head` heads, with at most `height` levels below it; none for a leaf.
    pub(super) fn children(&self, binary: &Binary, head: Place, height: u32) -> SmallVec<[Place; WIDTH]> {
        let mut children = SmallVec::new();
        if !head.is_leaf() {
            let below = height.saturating_sub(1);
            self.divide(binary, head, WIDTH, self.left_slots(head, below, 0), below, &mut children);
        }
        children
    }

    /// Adds what stands for `place` in `slots` slots with at most `height` levels below them.
    fn gather(
        &self,
        binary: &Binary,
        place: Place,
        slots: usize,
        height: u32,
        siblings: &mut SmallVec<[Place; WIDTH]>,
    ) {
        let takes_one = slots == 1 || place.is_leaf();
        match if takes_one { 0 } else { self.left_slots(place, height, slots - 1) } {
            0 => siblings.push(place),
            left_slots => self.divide(binary, place, slots, left_slots, height, siblings),
        }
    }

    fn divide(
        &self,
        binary: &Binary,
        place: Place,
        slots: usize,
        left_slots: usize,
        height: u32,
        siblings: &mut SmallVec<[Place; WIDTH]>,
    ) {
        if let Some([left, right]) = binary.children(place) {
            self.gather(binary, self.decided(left), left_slots, height, siblings);
            self.gather(binary, self.decided(right), slots - left_slots, height, siblings);
        }
    }

    /// The place, as a leaf if it has become one.
    fn decided(&self, place: Place) -> Place {
        let is_leaf = place.is_leaf() || self.decisions[place.node].choices.left_slots(0, 0) == 0;
        if is_leaf { Place { head: Head::Leaf, ..place } } else { place }
    }

    fn left_slots(&self, inner: Place, height: u32, number: usize) -> usize {
        let Decision { choices, height: least } = self.decisions[inner.node];
        choices.left_slots((height.saturating_sub(u32::from(least)) as usize).min(SPARE - 1), number)
    }
}

struct CollapseDp<'a, F> {
    binary: &'a Binary,
    max_leaf_triangles: usize,
    /// Of the volume around a node's triangles, given the measure of the leaves below it where the node may take their
    /// place.
    measure: F,
}

impl<F: Fn(Place, f64) -> f64 + Sync> CollapseDp<'_, F> {
    /// Decides about the nodes of a subtree, which are those of the slice.
    fn subtree(&self, place: Place, decisions: &mut [Decision]) -> Subtree {
        let (Some([left, right]), Some((decision, below))) = (self.binary.children(place), decisions.split_first_mut())
        else {
            return Subtree::leaf((self.measure)(place, f64::INFINITY));
        };
        let (left_below, right_below) = below.split_at_mut(right.node - left.node);
        let mut of_left = || self.subtree(left, left_below);
        let mut of_right = || self.subtree(right, right_below);
        let (measure, (left, right)) = if place.triangles < PARALLEL_FROM {
            let (left, right) = (of_left(), of_right());
            ((self.measure)(place, left.leaves + right.leaves), (left, right))
        } else {
            // Far too many for a leaf.
            parallel::join(|| (self.measure)(place, 0.0), || parallel::join(of_left, of_right))
        };
        if place.triangles <= self.max_leaf_triangles && measure <= left.leaves + right.leaves {
            return Subtree::leaf(measure);
        }
        Subtree::joined(&left, &right, measure, decision)
    }
}

/// What the dynamic programme knows of a subtree.
struct Subtree {
    /// The height that the first costs are for.
    height: u32,
    /// Splits down to its deepest leaf.
    depth: u32,
    /// Content of its leaves. They are part of every cut below them, whatever is chosen: an inner node costs what it
    /// adds to that.
    leaves: f64,
    costs: Costs,
}

impl Subtree {
    fn leaf(measure: f64) -> Self {
        Self { height: 0, depth: 0, leaves: measure, costs: Costs::default() }
    }

    fn joined(left: &Self, right: &Self, measure: f64, decision: &mut Decision) -> Self {
        let leaves = left.leaves + right.leaves;
        let mut height = left.height.max(right.height);
        if Self::shared(left, right, height).0[WIDTH - 1].is_infinite() {
            height += 1;
        }
        decision.height = height as u8;
        let mut costs = Costs::default();
        let mut as_head = f64::INFINITY;
        for (spare, costs) in costs.iter_mut().enumerate() {
            let (shared, mut left_slots) = Self::shared(left, right, height + spare as u32);
            left_slots[0] = left_slots[WIDTH - 1];
            costs[0] = as_head;
            for k in 1..WIDTH {
                let takes_one = as_head < shared[k];
                costs[k] = if takes_one { as_head } else { shared[k] };
                left_slots[k] = if takes_one { 0 } else { left_slots[k] };
            }
            decision.choices.put(spare, left_slots);
            as_head = measure - leaves + LEVEL_WEIGHT * shared[WIDTH - 1];
        }
        Self { height, depth: 1 + left.depth.max(right.depth), leaves, costs }
    }

    /// The least costs when both children's descendants share the slots, and how many the left ones take.
    fn shared(left: &Self, right: &Self, height: u32) -> ([f64; WIDTH], [u8; WIDTH]) {
        let (left, right) = (left.within(height), right.within(height));
        let mut least = [f64::INFINITY; WIDTH];
        let mut left_slots = [1; WIDTH];
        for k in 1..WIDTH {
            for i in 0..k {
                let cost = left[i] + right[k - 1 - i];
                if cost < least[k] {
                    (least[k], left_slots[k]) = (cost, i as u8 + 1);
                }
            }
        }
        (least, left_slots)
    }

    /// The costs when at most `height` levels go below the siblings.
    fn within(&self, height: u32) -> &[f64; WIDTH] {
        const NONE: [f64; WIDTH] = [f64::INFINITY; WIDTH];
        match height.checked_sub(self.height) {
            None => &NONE,
            Some(spare) => &self.costs[(spare as usize).min(SPARE - 1)],
        }
    }
}

#[cfg(test)]
#[path = "collapse_tests.rs"]
mod tests;
