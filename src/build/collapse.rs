//! The eight-wide collapse of least volume, by dynamic programming over the binary tree.
//!
//! As Ylitie, Karras and Laine 2017, "Efficient incoherent ray traversal on GPUs through compressed wide BVHs", section
//! 3.1, with contents in place of areas and with a bound on the height.

use smallvec::SmallVec;

use super::binary::{Binary, Place};
use crate::packed::WIDTH;

/// Heights above the least possible that are told apart; more height than that gains nothing worth its memory.
const SPARE: usize = 3;

/// How much more a volume counts than one of the level above. Cuts further down hold less volume, about a third of the
/// cut above (spheres) to an eighth (oriented boxes); so they all count.
const LEVEL_WEIGHT: f64 = 3.0;

/// How a node's descendants share slots, for each spare height. At 0: how many of eight slots the left child's take once
/// the node heads a wide node. At `k`: how many of `k + 1` slots they take, 0 where the node itself takes one.
type Choices = [[u8; WIDTH]; SPARE];

/// For each spare height, the least costs with `k + 1` slots or fewer; infinite where the height does not suffice.
type Costs = [[f64; WIDTH]; SPARE];

/// For each node of a binary tree, what stands for it in the wide one.
pub(super) struct LeastVolume {
    choices: Vec<Choices>,
    /// Of each node, the least number of levels below eight siblings that stand for it.
    heights: Vec<u32>,
    /// Levels below the root.
    pub(super) height: u32,
}

impl LeastVolume {
    /// The wide tree of least height, and among those of least sum, over its levels, of the contents of the volumes that
    /// cover the mesh at that level. `volumes` are the contents of the binary tree's nodes.
    pub(super) fn new(binary: &Binary, volumes: &[f64]) -> Self {
        let mut choices = vec![Choices::default(); binary.nodes.len()];
        let mut heights = vec![0; binary.nodes.len()];
        // In reverse preorder the children of a node are the last two subtrees, the left one on top.
        let mut subtrees: Vec<Subtree> = Vec::new();
        for (i, node) in binary.nodes.iter().enumerate().rev() {
            let children = if node.right == 0 { None } else { subtrees.pop().zip(subtrees.pop()) };
            let subtree = match children {
                Some((left, right)) => Subtree::joined(&left, &right, volumes[i], &mut choices[i]),
                None => Subtree { height: 0, leaves: volumes[i], costs: Costs::default() },
            };
            heights[i] = subtree.height;
            subtrees.push(subtree);
        }
        let height = subtrees.pop().map_or(0, |root| root.height + u32::from(root.costs[0][0].is_infinite()));
        Self { choices, heights, height }
    }

    /// The children of the wide node that `head` heads, with at most `height` levels below it; none for a leaf.
    pub(super) fn children(&self, binary: &Binary, head: Place, height: u32) -> SmallVec<[Place; WIDTH]> {
        let mut children = SmallVec::new();
        let below = height.saturating_sub(1);
        self.divide(binary, head, WIDTH, self.choice(head, below)[0], below, &mut children);
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
        let left_slots = if slots == 1 { 0 } else { self.choice(place, height)[slots - 1] };
        if left_slots == 0 {
            siblings.push(place);
        } else {
            self.divide(binary, place, slots, left_slots, height, siblings);
        }
    }

    fn divide(
        &self,
        binary: &Binary,
        place: Place,
        slots: usize,
        left_slots: u8,
        height: u32,
        siblings: &mut SmallVec<[Place; WIDTH]>,
    ) {
        if let Some([left, right]) = binary.children(place) {
            self.gather(binary, left, usize::from(left_slots), height, siblings);
            self.gather(binary, right, slots - usize::from(left_slots), height, siblings);
        }
    }

    fn choice(&self, place: Place, height: u32) -> &[u8; WIDTH] {
        let spare = height.saturating_sub(self.heights[place.node]) as usize;
        &self.choices[place.node][spare.min(SPARE - 1)]
    }
}

/// What the dynamic programme knows of a subtree.
struct Subtree {
    /// The height that the first costs are for.
    height: u32,
    /// Content of its leaves. They are part of every cut below them, whatever is chosen: an inner node costs what it
    /// adds to that.
    leaves: f64,
    costs: Costs,
}

impl Subtree {
    fn joined(left: &Self, right: &Self, volume: f64, choices: &mut Choices) -> Self {
        let leaves = left.leaves + right.leaves;
        let mut height = left.height.max(right.height);
        if Self::shared(left, right, height).0[WIDTH - 1].is_infinite() {
            height += 1;
        }
        let mut costs = Costs::default();
        let mut as_head = f64::INFINITY;
        for (spare, (costs, choices)) in (0..).zip(costs.iter_mut().zip(choices)) {
            let (shared, left_slots) = Self::shared(left, right, height + spare);
            choices[0] = left_slots[WIDTH - 1];
            costs[0] = as_head;
            for k in 1..WIDTH {
                let takes_one = as_head < shared[k];
                costs[k] = if takes_one { as_head } else { shared[k] };
                choices[k] = if takes_one { 0 } else { left_slots[k] };
            }
            as_head = volume - leaves + LEVEL_WEIGHT * shared[WIDTH - 1];
        }
        Self { height, leaves, costs }
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
mod tests {
    use super::*;
    use crate::build::binary::BinaryNode;

    /// A binary tree of so many leaves, lopsided at random, and contents that shrink from parent to child.
    fn random_tree(leaves: u32, volume: f64, random: &mut u64, nodes: &mut Vec<BinaryNode>, volumes: &mut Vec<f64>) {
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let draw = (*random >> 33) as u32;
        let node = nodes.len();
        nodes.push(if leaves > 1 { BinaryNode::inner(leaves, 0.0) } else { BinaryNode::leaf(1) });
        volumes.push(volume * (0.3 + f64::from(draw % 64) / 100.0));
        if leaves > 1 {
            let left = 1 + draw % (leaves - 1);
            let below = volumes[node];
            random_tree(left, below, random, nodes, volumes);
            nodes[node].right = (nodes.len() - node) as u32;
            random_tree(leaves - left, below, random, nodes, volumes);
        }
    }

    /// The recurrence without tables: least cost of what stands for `place` in so many slots.
    fn least(binary: &Binary, volumes: &[f64], place: Place, slots: usize, height: u32) -> f64 {
        let Some([left, right]) = binary.children(place) else { return 0.0 };
        let shared = |slots: usize, height: u32| {
            let ways = 1..slots;
            let cost = |i| least(binary, volumes, left, i, height) + least(binary, volumes, right, slots - i, height);
            ways.map(cost).fold(f64::INFINITY, f64::min)
        };
        let as_head = if height == 0 {
            f64::INFINITY
        } else {
            added(binary, volumes, place) + LEVEL_WEIGHT * shared(WIDTH, height - 1)
        };
        as_head.min(shared(slots, height))
    }

    /// What an inner node adds to the content of its leaves.
    fn added(binary: &Binary, volumes: &[f64], place: Place) -> f64 {
        let mut leaves: Vec<Place> = Vec::new();
        binary.push_leaves(place, &mut leaves);
        volumes[place.node] - leaves.iter().map(|leaf| volumes[leaf.node]).sum::<f64>()
    }

    /// The cost of the wide tree below `head`, found by walking it.
    fn walked(plan: &LeastVolume, binary: &Binary, volumes: &[f64], head: Place, height: u32) -> f64 {
        let children = plan.children(binary, head, height);
        assert!(children.len() <= WIDTH && children.len() != 1);
        assert_eq!(children.is_empty(), head.is_leaf(), "the height suffices");
        assert_eq!(
            children.iter().map(|child| child.triangles).sum::<usize>(),
            if head.is_leaf() { 0 } else { head.triangles }
        );
        if head.is_leaf() {
            return 0.0;
        }
        let below =
            children.iter().map(|&child| walked(plan, binary, volumes, child, height.saturating_sub(1))).sum::<f64>();
        added(binary, volumes, head) + LEVEL_WEIGHT * below
    }

    #[test]
    fn no_other_collapse_of_that_height_costs_less() {
        let mut random = 1;
        for leaves in (1..=22).chain([1, 2, 8, 9, 20]) {
            let (mut nodes, mut volumes) = (Vec::new(), Vec::new());
            random_tree(leaves, 1.0, &mut random, &mut nodes, &mut volumes);
            let binary = Binary::new(nodes);
            let plan = LeastVolume::new(&binary, &volumes);
            let root = binary.root().unwrap();
            let expected = least(&binary, &volumes, root, 1, plan.height);
            let found = walked(&plan, &binary, &volumes, root, plan.height);
            assert!((found - expected).abs() <= 1e-12, "{leaves} leaves: {found}, not {expected}");
            if plan.height > 0 {
                assert!(least(&binary, &volumes, root, 1, plan.height - 1).is_infinite(), "no lower tree");
            }
        }
    }
}
