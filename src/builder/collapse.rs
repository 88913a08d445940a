//! Which nodes of the binary tree become the children of eight-wide nodes: the largest first, or those of least volume
//! by dynamic programming.
//!
//! The method is that of Ylitie, Karras and Laine 2017, "Efficient incoherent ray traversal on GPUs through compressed
//! wide BVHs", section 3.1, which minimises the cost of the surface area heuristic. Here the cost is the sum of volumes
//! over all levels, with a bound on the height.

use smallvec::SmallVec;

use super::binary_tree::{BinaryTree, NodeKind, Subtree};
use super::leaf_rule::LeafRule;
use crate::parallel;
use crate::volume::WIDTH;

/// Subtrees with fewer triangles than this are processed by one thread.
const PARALLEL_FROM: usize = 1 << 10;

/// Number of heights that are distinguished, from the least possible one on; more spare height is not worth its memory.
const SPARE: usize = 3;

/// Weight of a volume relative to a volume of the level above. The volumes of a level add up to between a third
/// (spheres) and an eighth (oriented boxes) of those of the level above, and the weight makes every level count.
const LEVEL_WEIGHT: f64 = 3.0;

/// The choices of how a node's descendants share slots: for each spare height, eight numbers of three bits. Number 0 is
/// how many of eight slots the left child's descendants take if the node heads a wide node. Number `k` is how many of
/// `k + 1` slots they take, or 0 if the node itself takes one slot.
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

/// The least costs for each spare height, at index `k` with `k + 1` slots or fewer; infinite where the height does not
/// suffice.
type Costs = [[f64; WIDTH]; SPARE];

#[derive(Clone, Copy, Default)]
struct Decision {
    /// The choices; all 0 if the node becomes a leaf.
    choices: Choices,
    /// The least number of levels below the up to eight siblings that replace the node. No builder's trees are so high
    /// that `u8` overflows.
    height: u8,
}

/// The decisions for all nodes of a binary tree.
pub(super) struct LeastVolumeCollapse {
    decisions: Vec<Decision>,
    /// Number of levels below the root.
    pub(super) height: u32,
    /// Number of splits between the root and the deepest leaf.
    pub(super) split_depth: u32,
}

impl LeastVolumeCollapse {
    /// Finds the wide tree of least height and, among trees of that height, of least cost: the sum over its levels,
    /// weighted by [`LEVEL_WEIGHT`], of the measures of the volumes that cover the mesh at that level.
    ///
    /// `measure` takes a node and the total measure of the leaves below it (or 0 for a node of [`PARALLEL_FROM`]
    /// triangles or more, infinity for a leaf), and returns the measure of the volume around the node's triangles.
    /// Nodes of few triangles become leaves first, where that takes no more volume than the leaves below them.
    pub(super) fn new(binary: &BinaryTree, rule: LeafRule, measure: impl Fn(Subtree, f64) -> f64 + Sync) -> Self {
        let mut decisions = vec![Decision::default(); binary.stored_nodes()];
        let dp = CollapseDp { binary, rule, measure };
        let Some(root) = binary.root() else { return Self { decisions, height: 0, split_depth: 0 } };
        let SubtreeCosts { height, depth, costs, .. } = dp.subtree(root, &mut decisions);
        let height = height + u32::from(costs[0][0].is_infinite());
        Self { decisions, height, split_depth: depth }
    }

    pub(super) fn root(&self, binary: &BinaryTree) -> Option<Subtree> {
        binary.root().map(|root| self.decided(root))
    }

    /// The children of the wide node headed by `head`, with at most `height` levels below `head`; none for a leaf.
    pub(super) fn children(&self, binary: &BinaryTree, head: Subtree, height: u32) -> SmallVec<[Subtree; WIDTH]> {
        let mut children = SmallVec::new();
        if !head.is_leaf() {
            let below = height.saturating_sub(1);
            self.divide(binary, head, WIDTH, self.left_slots(head, below, 0), below, &mut children);
        }
        children
    }

    /// Adds the nodes that replace `subtree` in `slots` slots, with at most `height` levels below them.
    fn gather(
        &self,
        binary: &BinaryTree,
        subtree: Subtree,
        slots: usize,
        height: u32,
        siblings: &mut SmallVec<[Subtree; WIDTH]>,
    ) {
        let takes_one = slots == 1 || subtree.is_leaf();
        match if takes_one { 0 } else { self.left_slots(subtree, height, slots - 1) } {
            0 => siblings.push(subtree),
            left_slots => self.divide(binary, subtree, slots, left_slots, height, siblings),
        }
    }

    fn divide(
        &self,
        binary: &BinaryTree,
        subtree: Subtree,
        slots: usize,
        left_slots: usize,
        height: u32,
        siblings: &mut SmallVec<[Subtree; WIDTH]>,
    ) {
        if let Some([left, right]) = binary.children(subtree) {
            self.gather(binary, self.decided(left), left_slots, height, siblings);
            self.gather(binary, self.decided(right), slots - left_slots, height, siblings);
        }
    }

    /// The subtree, as a leaf if it has become one.
    fn decided(&self, subtree: Subtree) -> Subtree {
        let is_leaf = subtree.is_leaf() || self.decisions[subtree.node].choices.left_slots(0, 0) == 0;
        if is_leaf { Subtree { kind: NodeKind::Leaf, ..subtree } } else { subtree }
    }

    fn left_slots(&self, inner: Subtree, height: u32, number: usize) -> usize {
        let Decision { choices, height: least } = self.decisions[inner.node];
        choices.left_slots((height.saturating_sub(u32::from(least)) as usize).min(SPARE - 1), number)
    }
}

struct CollapseDp<'a, F> {
    binary: &'a BinaryTree,
    rule: LeafRule,
    /// Returns the measure of the volume around a node's triangles. The second argument is the total measure of the
    /// leaves below: 0 for nodes of [`PARALLEL_FROM`] triangles or more, infinity for leaves.
    measure: F,
}

impl<F: Fn(Subtree, f64) -> f64 + Sync> CollapseDp<'_, F> {
    /// Makes the decisions for the nodes of a subtree and writes them to `decisions`; returns the subtree's costs.
    fn subtree(&self, subtree: Subtree, decisions: &mut [Decision]) -> SubtreeCosts {
        let (Some([left, right]), Some((decision, below))) =
            (self.binary.children(subtree), decisions.split_first_mut())
        else {
            return SubtreeCosts::leaf((self.measure)(subtree, f64::INFINITY));
        };
        let (left_below, right_below) = below.split_at_mut(right.node - left.node);
        let mut of_left = || self.subtree(left, left_below);
        let mut of_right = || self.subtree(right, right_below);
        let (measure, (left, right)) = if subtree.triangles < PARALLEL_FROM {
            let (left, right) = (of_left(), of_right());
            ((self.measure)(subtree, left.leaves + right.leaves), (left, right))
        } else {
            // Leaves so large are not expected: the total measure of the leaves is not awaited.
            parallel::join(|| (self.measure)(subtree, 0.0), || parallel::join(of_left, of_right))
        };
        if self.rule.merges(subtree.triangles, measure, left.leaves + right.leaves) {
            return SubtreeCosts::leaf(measure);
        }
        SubtreeCosts::joined(&left, &right, measure, decision)
    }
}

struct SubtreeCosts {
    /// The height that `costs[0]` is for.
    height: u32,
    /// Number of splits down to the deepest leaf.
    depth: u32,
    /// Total measure of the leaves. Every choice of nodes includes it, so the cost of an inner node is its measure
    /// minus that of its leaves.
    leaves: f64,
    costs: Costs,
}

impl SubtreeCosts {
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

    /// The costs when at most `height` levels lie below the siblings.
    fn within(&self, height: u32) -> &[f64; WIDTH] {
        const NONE: [f64; WIDTH] = [f64::INFINITY; WIDTH];
        match height.checked_sub(self.height) {
            None => &NONE,
            Some(spare) => &self.costs[(spare as usize).min(SPARE - 1)],
        }
    }
}

/// The children of the wide node headed by `head`, which is not a leaf: the descendant of largest area is opened
/// repeatedly, until there are eight or none can be opened. A subtree that fits into one wide node is opened completely
/// or not at all, because a few triangles are best tested together.
pub(super) fn largest_first(binary: &BinaryTree, head: Subtree) -> SmallVec<[Subtree; WIDTH]> {
    #[derive(Clone, Copy)]
    struct Candidate {
        subtree: Subtree,
        /// Number of children that the descendant is opened into; more than can be for a leaf.
        opened: usize,
        /// Its area if it can be opened.
        area: f32,
    }
    let candidate = |subtree: Subtree| {
        if subtree.is_leaf() {
            return Candidate { subtree, opened: usize::MAX, area: 0.0 };
        }
        let leaves = binary.leaves_up_to(WIDTH, subtree);
        Candidate { subtree, opened: if leaves > WIDTH { 2 } else { leaves }, area: binary.area(subtree) }
    };
    let mut children: SmallVec<[Subtree; WIDTH]> = SmallVec::new();
    if binary.leaves_up_to(WIDTH, head) <= WIDTH {
        binary.push_leaves(head, &mut children);
        return children;
    }
    let mut candidates: SmallVec<[Candidate; WIDTH]> = SmallVec::new();
    candidates.push(candidate(head));
    loop {
        let (room, mut largest) = (WIDTH + 1 - candidates.len(), None);
        for (i, candidate) in candidates.iter().enumerate() {
            // Compared as integers, because areas of small triangles may be denormal.
            let is_larger = |(_, area): (usize, f32)| candidate.area.total_cmp(&area).is_ge();
            if candidate.opened <= room && largest.is_none_or(is_larger) {
                largest = Some((i, candidate.area));
            }
        }
        let Some((largest, _)) = largest else {
            children.extend(candidates.iter().map(|candidate| candidate.subtree));
            return children;
        };
        let Candidate { subtree, opened, .. } = candidates[largest];
        match binary.children(subtree) {
            Some([left, right]) if opened == 2 => {
                candidates[largest] = candidate(left);
                candidates.insert(largest + 1, candidate(right));
            }
            _ => {
                let mut below: SmallVec<[Subtree; WIDTH]> = SmallVec::new();
                binary.push_leaves(subtree, &mut below);
                candidates.remove(largest);
                candidates.insert_many(largest, below.into_iter().map(candidate));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::binary_tree::BinaryNode;
    use crate::options::{BuildOptions, Collapse};
    use crate::volume::tests::Random;

    /// A random, lopsided binary tree with this number of triangles.
    fn random_tree(triangles: usize, random: &mut Random, nodes: &mut Vec<BinaryNode>) {
        if triangles == 1 {
            return;
        }
        let node = nodes.len();
        nodes.push(BinaryNode::PENDING);
        let left = 1 + random.below(triangles - 1);
        random_tree(left, random, nodes);
        let right_begins = nodes.len();
        random_tree(triangles - left, random, nodes);
        nodes[node] = BinaryNode::inner(triangles, right_begins - node, 0.0);
    }

    /// A random measure, larger for more triangles.
    fn measure(subtree: Subtree) -> f64 {
        let mut random = Random((subtree.first << 32 | subtree.triangles) as u64);
        subtree.triangles as f64 * (0.3 + random.below(64) as f64 / 100.0)
    }

    /// The recurrences of the dynamic programming, evaluated without tables.
    struct Naive<'a> {
        binary: &'a BinaryTree,
        max_leaf_triangles: usize,
    }

    impl Naive<'_> {
        /// The children; `None` for a leaf or a node that has become one.
        fn children(&self, subtree: Subtree) -> Option<[Subtree; 2]> {
            let children = self.binary.children(subtree)?;
            let below = children.map(|child| self.leaves(child));
            let merges = subtree.triangles <= self.max_leaf_triangles && measure(subtree) <= below[0] + below[1];
            (!merges).then_some(children)
        }

        /// The measure of the leaves below.
        fn leaves(&self, subtree: Subtree) -> f64 {
            self.children(subtree).map_or(measure(subtree), |[left, right]| self.leaves(left) + self.leaves(right))
        }

        fn depth(&self, subtree: Subtree) -> u32 {
            self.children(subtree).map_or(0, |[left, right]| 1 + self.depth(left).max(self.depth(right)))
        }

        /// Least cost of the nodes that replace `subtree` in this number of slots.
        fn least(&self, subtree: Subtree, slots: usize, height: u32) -> f64 {
            let Some([left, right]) = self.children(subtree) else { return 0.0 };
            let shared = |slots: usize, height: u32| {
                let cost = |i| self.least(left, i, height) + self.least(right, slots - i, height);
                (1..slots).map(cost).fold(f64::INFINITY, f64::min)
            };
            let below = if height == 0 { f64::INFINITY } else { shared(WIDTH, height - 1) };
            (self.added(subtree) + LEVEL_WEIGHT * below).min(shared(slots, height))
        }

        /// The measure that an inner node adds to that of its leaves.
        fn added(&self, subtree: Subtree) -> f64 {
            measure(subtree) - self.leaves(subtree)
        }

        /// The cost of the wide tree below `head`, found by walking it.
        fn walked(&self, plan: &LeastVolumeCollapse, head: Subtree, height: u32) -> f64 {
            let children = plan.children(self.binary, head, height);
            assert!(children.len() <= WIDTH && children.len() != 1);
            assert_eq!(head.is_leaf(), self.children(head).is_none(), "what has become a leaf");
            assert_eq!(children.is_empty(), head.is_leaf(), "the height suffices");
            if head.is_leaf() {
                return 0.0;
            }
            assert_eq!(children.iter().map(|child| child.triangles).sum::<usize>(), head.triangles);
            let below = children.iter().map(|&child| self.walked(plan, child, height.saturating_sub(1)));
            self.added(head) + LEVEL_WEIGHT * below.sum::<f64>()
        }
    }

    #[test]
    fn no_other_collapse_of_that_height_costs_less() {
        let mut random = Random(1);
        for (i, triangles) in (1..=20).chain([1, 2, 8, 9, 20]).enumerate() {
            let mut nodes = Vec::new();
            random_tree(triangles, &mut random, &mut nodes);
            let binary = BinaryTree::new(triangles, nodes, 0);
            let options = BuildOptions {
                collapse: Collapse::LeastVolume,
                max_leaf_triangles: 1 + i as u32 % 3,
                ..BuildOptions::default()
            };
            let rule = LeafRule::new(&options);
            let naive = Naive { binary: &binary, max_leaf_triangles: 1 + i % 3 };
            let plan = LeastVolumeCollapse::new(&binary, rule, |subtree, _| measure(subtree));
            let root = plan.root(&binary).unwrap();
            let expected = naive.least(root, 1, plan.height);
            let found = naive.walked(&plan, root, plan.height);
            assert!((found - expected).abs() <= 1e-12, "{triangles} triangles: {found}, not {expected}");
            assert_eq!(plan.split_depth, naive.depth(root));
            if plan.height > 0 {
                assert!(naive.least(root, 1, plan.height - 1).is_infinite(), "no lower tree");
            }
        }
    }
}
