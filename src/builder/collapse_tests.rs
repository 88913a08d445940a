use super::*;
use crate::builder::binary::BinaryNode;

/// A binary tree of so many triangles, lopsided at random.
fn random_tree(triangles: usize, random: &mut u64, nodes: &mut Vec<BinaryNode>) {
    if triangles == 1 {
        return;
    }
    let node = nodes.len();
    nodes.push(BinaryNode::PENDING);
    let left = 1 + draw(random) % (triangles - 1);
    random_tree(left, random, nodes);
    let right_begins = nodes.len();
    random_tree(triangles - left, random, nodes);
    nodes[node] = BinaryNode::inner(triangles, right_begins - node, 0.0);
}

fn draw(random: &mut u64) -> usize {
    *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
    (*random >> 33) as usize
}

/// At random, and more for more triangles.
fn measure(place: Place) -> f64 {
    let mut random = (place.first << 32 | place.triangles) as u64;
    place.triangles as f64 * (0.3 + (draw(&mut random) % 64) as f64 / 100.0)
}

/// The tree's recurrences without tables.
struct Naive<'a> {
    binary: &'a Binary,
    max_leaf_triangles: usize,
}

impl Naive<'_> {
    /// None for a leaf, be it that it has become one.
    fn children(&self, place: Place) -> Option<[Place; 2]> {
        let children = self.binary.children(place)?;
        let below = children.map(|child| self.leaves(child));
        let merges = place.triangles <= self.max_leaf_triangles && measure(place) <= below[0] + below[1];
        (!merges).then_some(children)
    }

    /// The measure of the leaves below.
    fn leaves(&self, place: Place) -> f64 {
        self.children(place).map_or(measure(place), |[left, right]| self.leaves(left) + self.leaves(right))
    }

    fn depth(&self, place: Place) -> u32 {
        self.children(place).map_or(0, |[left, right]| 1 + self.depth(left).max(self.depth(right)))
    }

    /// Least cost of what stands for `place` in so many slots.
    fn least(&self, place: Place, slots: usize, height: u32) -> f64 {
        let Some([left, right]) = self.children(place) else { return 0.0 };
        let shared = |slots: usize, height: u32| {
            let cost = |i| self.least(left, i, height) + self.least(right, slots - i, height);
            (1..slots).map(cost).fold(f64::INFINITY, f64::min)
        };
        let below = if height == 0 { f64::INFINITY } else { shared(WIDTH, height - 1) };
        (self.added(place) + LEVEL_WEIGHT * below).min(shared(slots, height))
    }

    /// What an inner node adds to the measure of its leaves.
    fn added(&self, place: Place) -> f64 {
        measure(place) - self.leaves(place)
    }

    /// The cost of the wide tree below `head`, found by walking it.
    fn walked(&self, plan: &LeastVolume, head: Place, height: u32) -> f64 {
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
    let mut random = 1;
    for (i, triangles) in (1..=20).chain([1, 2, 8, 9, 20]).enumerate() {
        let mut nodes = Vec::new();
        random_tree(triangles, &mut random, &mut nodes);
        let binary = Binary::new(triangles, nodes);
        let naive = Naive { binary: &binary, max_leaf_triangles: 1 + i % 3 };
        let plan = LeastVolume::new(&binary, naive.max_leaf_triangles as u32, |place, _| measure(place));
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
