//! A dynamic binary tree of AABBs, the core of the broad phase: insertion, removal, movement and overlap queries.
//!
//! An item becomes the sibling of the node that increases the tree's area least (Bittner, Hapala and Havran 2013;
//! Catto, "Dynamic Bounding Volume Hierarchies", 2019). After more changes than there are items, the tree is rebuilt,
//! so that a change costs O(log n) amortized. When many items move, boxes are refitted bottom-up.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use smallvec::SmallVec;

use super::build::{NONE, Node, build};
use super::fat_aabb::{Aabb32, LocalRay};
use super::wide::WideTree;
use crate::simd::SimdLevel;

/// A stack of nodes for traversals; trees hardly ever need more than its inline capacity.
pub(crate) type Stack = SmallVec<[u32; 64]>;

/// If more than one in this many items change together, the whole tree is refitted or rebuilt instead of updated item
/// by item.
const MANY: usize = 32;
/// A refitted tree is rebuilt when its cost has grown by more than this factor, or after more than [`MAX_REFITS`]
/// refits.
const WORSE: f64 = 1.3;
const MAX_REFITS: usize = 32;
/// The wide copy is made once there has been one ray per this many items since the last change: copying takes 30 to 60
/// ns per item, and saves 0.1 to 0.7 us per ray.
const ITEMS_PER_RAY: usize = 4;

/// A dynamic tree of AABBs. Items are indices from 0 on, which the caller keeps dense.
#[derive(Clone, Debug)]
pub(crate) struct DynamicTree {
    pub(super) nodes: Vec<Node>,
    parents: Vec<u32>,
    root: u32,
    free: Vec<u32>,
    /// Whether the nodes are in depth-first order, left children first.
    pub(super) is_depth_first: bool,
    leaf_of: Vec<u32>,
    pub(super) count: usize,
    /// The number of items inserted or moved one by one since the last build.
    changes: usize,
    /// The number of refits of the whole tree since the last build.
    refits: usize,
    /// The sum of the inner nodes' areas relative to the root's, after the last build.
    built_cost: f64,
    pub(super) level: SimdLevel,
    wide: Wide,
}

/// The tree's wide copy, made after some rays without a change.
#[derive(Debug, Default)]
struct Wide {
    tree: OnceLock<WideTree>,
    /// The copy from before the last change, whose memory the next copy reuses.
    former: Mutex<Option<WideTree>>,
    /// Number of rays since the last change.
    rays: AtomicUsize,
}

impl Clone for Wide {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl Wide {
    fn forget(&mut self) {
        *self.rays.get_mut() = 0;
        if let Some(tree) = self.tree.take() {
            *self.former.get_mut().unwrap_or_else(PoisonError::into_inner) = Some(tree);
        }
    }
}

impl DynamicTree {
    pub(crate) fn new(level: SimdLevel) -> Self {
        Self {
            nodes: Vec::new(),
            parents: Vec::new(),
            root: NONE,
            free: Vec::new(),
            is_depth_first: true,
            leaf_of: Vec::new(),
            count: 0,
            changes: 0,
            refits: 0,
            built_cost: 0.0,
            level,
            wide: Wide::default(),
        }
    }

    pub(crate) fn build(items: &[(u32, Aabb32)], level: SimdLevel) -> Self {
        let leaves: Vec<Node> = items.iter().map(|&(item, bounds)| Node::leaf(bounds, item)).collect();
        let mut tree = Self::new(level);
        tree.build_of(&leaves);
        tree
    }

    fn build_of(&mut self, leaves: &[Node]) {
        self.count = leaves.len();
        (self.changes, self.refits) = (0, 0);
        let (nodes, parents) = build(leaves);
        self.set_nodes(nodes, parents);
        let inner = self.nodes.iter().filter(|node| !node.is_leaf());
        self.built_cost = self.cost_of(inner.map(|node| node.bounds.half_area()).sum());
    }

    /// Replaces the nodes by others in depth-first order.
    fn set_nodes(&mut self, nodes: Vec<Node>, parents: Vec<u32>) {
        self.free.clear();
        (self.nodes, self.parents, self.is_depth_first) = (nodes, parents, true);
        self.root = if self.nodes.is_empty() { NONE } else { 0 };
        self.leaf_of.fill(NONE);
        for (node, number) in self.nodes.iter().zip(0..) {
            if node.is_leaf() {
                let item = node.children[1] as usize;
                if item >= self.leaf_of.len() {
                    self.leaf_of.resize(item + 1, NONE);
                }
                self.leaf_of[item] = number;
            }
        }
    }

    fn sort_depth_first(&mut self) {
        let mut nodes: Vec<Node> = Vec::with_capacity(2 * self.count);
        let mut parents = Vec::with_capacity(2 * self.count);
        // A node and the new index of its parent.
        let mut stack: SmallVec<[(u32, u32); 64]> = self.root_number().map(|root| (root, NONE)).into_iter().collect();
        while let Some((at, parent)) = stack.pop() {
            let (node, number) = (self.nodes[at as usize], nodes.len() as u32);
            if let Some(above) = nodes.get_mut(parent as usize) {
                // The left child comes first.
                above.children[usize::from(parent + 1 != number)] = number;
            }
            if !node.is_leaf() {
                stack.extend([(node.children[1], number), (node.children[0], number)]);
            }
            nodes.push(node);
            parents.push(parent);
        }
        self.set_nodes(nodes, parents);
    }

    /// The sum of the inner nodes' areas relative to the root's.
    fn cost_of(&self, areas: f64) -> f64 {
        self.root().map_or(0.0, |root| areas / root.bounds.half_area().max(f64::MIN_POSITIVE))
    }

    pub(crate) fn insert(&mut self, item: u32, bounds: Aabb32) {
        self.wide.forget();
        let leaf = self.new_node(Node::leaf(bounds, item));
        if self.leaf_of.len() <= item as usize {
            self.leaf_of.resize(item as usize + 1, NONE);
        }
        self.leaf_of[item as usize] = leaf;
        self.count += 1;
        self.attach(leaf);
        self.changed();
    }

    pub(crate) fn insert_all(&mut self, items: &[(u32, Aabb32)]) {
        self.wide.forget();
        if items.len() <= self.count / MANY {
            items.iter().for_each(|&(item, bounds)| self.insert(item, bounds));
            return;
        }
        let mut leaves = self.all_leaves();
        leaves.extend(items.iter().map(|&(item, bounds)| Node::leaf(bounds, item)));
        self.build_of(&leaves);
    }

    pub(crate) fn remove(&mut self, item: u32) {
        self.wide.forget();
        let leaf = std::mem::replace(&mut self.leaf_of[item as usize], NONE);
        self.detach(leaf);
        self.free.push(leaf);
        self.count -= 1;
    }

    pub(crate) fn update(&mut self, changes: &[(u32, Aabb32)]) {
        self.wide.forget();
        if changes.len() > self.count / MANY {
            for &(item, bounds) in changes {
                self.nodes[self.leaf_of[item as usize] as usize].bounds = bounds;
            }
            self.refit();
            return;
        }
        for &(item, bounds) in changes {
            let leaf = self.leaf_of[item as usize];
            self.detach(leaf);
            self.nodes[leaf as usize].bounds = bounds;
            self.attach(leaf);
            self.changed();
        }
    }

    fn changed(&mut self) {
        self.changes += 1;
        if self.changes > self.count.max(32) {
            self.rebuild();
        }
    }

    fn rebuild(&mut self) {
        let leaves = self.all_leaves();
        self.build_of(&leaves);
    }

    fn all_leaves(&self) -> Vec<Node> {
        self.leaf_of.iter().filter(|&&leaf| leaf != NONE).map(|&leaf| self.nodes[leaf as usize]).collect()
    }

    /// Refits all boxes to the leaves' boxes. Rebuilds the tree if its cost has grown by more than the factor
    /// [`WORSE`], or after more than [`MAX_REFITS`] refits.
    fn refit(&mut self) {
        if !self.is_depth_first {
            self.sort_depth_first();
        }
        let mut areas = 0.0;
        for at in (0..self.nodes.len()).rev() {
            let node = &self.nodes[at];
            if node.is_leaf() {
                continue;
            }
            let [a, b] = node.children.map(|child| &self.nodes[child as usize].bounds);
            let union = a.union(b);
            areas += union.half_area();
            self.nodes[at].bounds = union;
        }
        self.refits += 1;
        if self.refits > MAX_REFITS || self.cost_of(areas) > WORSE * self.built_cost {
            self.rebuild();
        }
    }

    pub(crate) fn root_number(&self) -> Option<u32> {
        (self.root != NONE).then_some(self.root)
    }

    pub(crate) fn root(&self) -> Option<&Node> {
        self.nodes.get(self.root as usize)
    }

    #[inline(always)]
    pub(crate) fn node(&self, number: u32) -> &Node {
        &self.nodes[number as usize]
    }

    /// A value for each node, by its number: `of_item` of a leaf's item, or `of_both` of the children's values.
    pub(crate) fn bottom_up<T: Copy + Default>(
        &self,
        of_item: impl Fn(u32) -> T,
        of_both: impl Fn(T, T) -> T,
    ) -> Vec<T> {
        let mut values = vec![T::default(); self.nodes.len()];
        // Each parent comes before its children.
        let mut numbers: Vec<u32> = self.root_number().into_iter().collect();
        let mut next = 0;
        while let Some(&number) = numbers.get(next) {
            let node = self.node(number);
            numbers.extend(node.children.iter().filter(|_| !node.is_leaf()));
            next += 1;
        }
        for &number in numbers.iter().rev() {
            let node = self.node(number);
            let [a, b] = node.children;
            values[number as usize] =
                if node.is_leaf() { of_item(b) } else { of_both(values[a as usize], values[b as usize]) };
        }
        values
    }
}

impl DynamicTree {
    fn new_node(&mut self, node: Node) -> u32 {
        self.is_depth_first = false;
        if let Some(free) = self.free.pop() {
            self.nodes[free as usize] = node;
            return free;
        }
        self.nodes.push(node);
        self.parents.push(NONE);
        self.nodes.len() as u32 - 1
    }

    fn attach(&mut self, leaf: u32) {
        if self.root == NONE {
            self.root = leaf;
            self.parents[leaf as usize] = NONE;
            return;
        }
        let bounds = self.nodes[leaf as usize].bounds;
        let sibling = self.best_sibling(&bounds);
        let above = self.parents[sibling as usize];
        let union = bounds.union(&self.nodes[sibling as usize].bounds);
        let parent = self.new_node(Node { bounds: union, children: [sibling, leaf] });
        self.parents[parent as usize] = above;
        self.parents[sibling as usize] = parent;
        self.parents[leaf as usize] = parent;
        self.replace_child(above, sibling, parent);
        self.refit_from(above);
    }

    /// The cheapest sibling for a new box among the nodes of a path from the root. The path follows the cheaper child
    /// until no node below it can be cheaper.
    fn best_sibling(&self, bounds: &Aabb32) -> u32 {
        let mut at = self.root;
        let mut best = (f64::INFINITY, at);
        // The growth of the ancestors' areas.
        let mut growth = 0.0;
        loop {
            let node = &self.nodes[at as usize];
            let union = node.bounds.union(bounds).half_area();
            if growth + union < best.0 {
                best = (growth + union, at);
            }
            growth += union - node.bounds.half_area();
            if node.is_leaf() {
                return best.1;
            }
            let costs = node.children.map(|child| {
                let child = &self.nodes[child as usize];
                let union = child.bounds.union(bounds).half_area();
                if child.is_leaf() { union } else { union - child.bounds.half_area() }
            });
            at = node.children[usize::from(costs[1] < costs[0])];
            if growth + bounds.half_area() >= best.0 {
                return best.1;
            }
        }
    }

    fn detach(&mut self, leaf: u32) {
        self.is_depth_first = false;
        let parent = self.parents[leaf as usize];
        if parent == NONE {
            self.root = NONE;
            return;
        }
        let [a, b] = self.nodes[parent as usize].children;
        let sibling = if a == leaf { b } else { a };
        let above = self.parents[parent as usize];
        self.parents[sibling as usize] = above;
        self.replace_child(above, parent, sibling);
        self.free.push(parent);
        self.refit_from(above);
    }

    fn replace_child(&mut self, above: u32, from: u32, to: u32) {
        if above == NONE {
            self.root = to;
        } else {
            let children = &mut self.nodes[above as usize].children;
            children[usize::from(children[0] != from)] = to;
        }
    }

    fn refit_from(&mut self, mut at: u32) {
        while at != NONE {
            let [a, b] = self.nodes[at as usize].children.map(|child| self.nodes[child as usize].bounds);
            let union = a.union(&b);
            if union == self.nodes[at as usize].bounds {
                return;
            }
            self.nodes[at as usize].bounds = union;
            at = self.parents[at as usize];
        }
    }
}

impl DynamicTree {
    /// Calls `visit` for each item whose box overlaps the given one, in no particular order, until it breaks.
    #[inline]
    pub(crate) fn for_each_overlap(
        &self,
        bounds: &Aabb32,
        mut visit: impl FnMut(u32) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut stack = Stack::new();
        stack.extend(self.root_number().filter(|&root| self.node(root).bounds.overlaps(bounds)));
        while let Some(at) = stack.pop() {
            let node = self.node(at);
            if node.is_leaf() {
                visit(node.children[1])?;
                continue;
            }
            for child in node.children {
                if self.node(child).bounds.overlaps(bounds) {
                    stack.push(child);
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Calls `visit` with the items whose boxes have a `distance` of at most `limit`, roughly nearest first. `visit`
    /// returns the new limit, which must not increase.
    pub(crate) fn nearest_first(
        &self,
        limit: f64,
        distance: impl Fn(&Aabb32) -> f64,
        visit: impl FnMut(u32, f64) -> f64,
    ) {
        self.in_order(limit, |limit| limit, |bounds| Some(distance(bounds)), visit);
    }

    /// Calls `visit` with the items whose boxes the ray enters up to the time `limit`, roughly in the order of entry.
    /// `visit` returns the new limit, which must not increase. A tree's only item is visited without a test.
    pub(crate) fn along_ray(&self, ray: &LocalRay, limit: f64, mut visit: impl FnMut(u32, f64) -> f64) {
        let Some(root) = self.root() else { return };
        if root.is_leaf() {
            visit(root.children[1], limit);
        } else if let Some(tree) = self.wide() {
            tree.along_ray(self.level, ray, limit, visit);
        } else {
            self.in_order(limit, |limit| ray.after(limit), |bounds| ray.entry(bounds), visit);
        }
    }

    /// The wide copy; `None` until there have been enough rays since the last change.
    fn wide(&self) -> Option<&WideTree> {
        let Wide { tree, former, rays } = &self.wide;
        if tree.get().is_none() && rays.fetch_add(1, Ordering::Relaxed) < self.count / ITEMS_PER_RAY {
            return None;
        }
        Some(tree.get_or_init(|| {
            let former = former.lock().unwrap_or_else(PoisonError::into_inner).take();
            WideTree::of(&self.nodes, self.root, former)
        }))
    }

    /// Calls `visit` with the items whose boxes have a `key` of at most `last(limit)`, roughly the lowest first.
    /// `visit` returns the new limit.
    #[inline]
    fn in_order<K: Copy + PartialOrd>(
        &self,
        mut limit: f64,
        last: impl Fn(f64) -> K,
        key: impl Fn(&Aabb32) -> Option<K>,
        mut visit: impl FnMut(u32, f64) -> f64,
    ) {
        let mut most = last(limit);
        let within = |number: u32, most: K| key(&self.node(number).bounds).filter(|&key| key <= most);
        let mut stack: SmallVec<[(u32, K); 64]> = SmallVec::new();
        let mut next = self.root_number().filter(|&root| within(root, most).is_some());
        while let Some(number) = next {
            let node = self.node(number);
            next = None;
            if node.is_leaf() {
                limit = visit(node.children[1], limit);
                most = last(limit);
            } else {
                let [a, b] = node.children;
                next = match (within(a, most), within(b, most)) {
                    (Some(at_a), Some(at_b)) => {
                        let (near, far) = if at_a <= at_b { (a, (b, at_b)) } else { (b, (a, at_a)) };
                        stack.push(far);
                        Some(near)
                    }
                    (Some(_), None) => Some(a),
                    (None, Some(_)) => Some(b),
                    (None, None) => None,
                };
            }
            while next.is_none()
                && let Some((number, key)) = stack.pop()
            {
                next = (key <= most).then_some(number);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::ControlFlow;

    use nalgebra::Vector3;
    use proptest::prelude::*;

    use super::*;
    use crate::probe::Ray;
    use crate::shape::Aabb;
    use crate::simd::SimdLevel;

    impl DynamicTree {
        /// Checks that boxes contain their children, parents and leaves are consistent, and every item occurs once.
        fn check(&self, items: &[(u32, Aabb32)]) {
            assert_eq!(self.count, items.len());
            let mut found = Vec::new();
            let mut stack = Vec::from_iter((self.root != NONE).then_some((self.root, NONE)));
            while let Some((number, parent)) = stack.pop() {
                let node = self.node(number);
                assert_eq!(self.parents[number as usize], parent);
                if node.is_leaf() {
                    assert_eq!(self.leaf_of[node.children[1] as usize], number);
                    found.push((node.children[1], node.bounds));
                    continue;
                }
                let [a, b] = node.children.map(|child| self.node(child).bounds);
                assert_eq!(node.bounds, a.union(&b));
                stack.extend(node.children.map(|child| (child, number)));
            }
            found.sort_unstable_by_key(|(item, _)| *item);
            assert_eq!(found, items);
        }
    }

    /// A box on a coarse grid, so that sides meet and boxes coincide.
    fn any_box() -> impl Strategy<Value = Aabb32> {
        (prop::array::uniform3(-4_i8..4), prop::array::uniform3(0_i8..3)).prop_map(|(at, size)| Aabb32 {
            lower: at.map(f32::from),
            upper: std::array::from_fn(|k| f32::from(at[k] + size[k])),
        })
    }

    /// A ray that meets the sides of boxes on the grid at times that are exact in f64, or a ray whose direction is
    /// zero.
    fn any_ray() -> impl Strategy<Value = Ray> {
        let direction = prop_oneof![4 => prop::array::uniform3(-2_i8..=2), 1 => Just([0; 3])];
        (prop::array::uniform3(-6_i8..=6), direction)
            .prop_map(|(origin, direction)| Ray::new(origin.map(f64::from).into(), direction.map(f64::from).into()))
    }

    /// The time at which the ray enters a box grown by a distance; `None` if it misses.
    fn entry(ray: &Ray, bounds: &Aabb32, by: f64) -> Option<f64> {
        let (mut entry, mut exit) = (0.0_f64, f64::INFINITY);
        for k in 0..3 {
            let sides = [f64::from(bounds.lower[k]) - by, f64::from(bounds.upper[k]) + by].map(|x| x - ray.origin[k]);
            if ray.direction[k] == 0.0 {
                exit = if sides[0] <= 0.0 && sides[1] >= 0.0 { exit } else { f64::NEG_INFINITY };
                continue;
            }
            let [a, b] = sides.map(|x| x / ray.direction[k]);
            (entry, exit) = (entry.max(a.min(b)), exit.min(a.max(b)));
        }
        (entry <= exit).then_some(entry)
    }

    /// Checks which items a ray meets, and which first, so often that the tree has a wide copy at the end.
    fn check_ray(tree: &mut DynamicTree, items: &[(u32, Aabb32)], ray: &Ray, limit: f64) {
        // Without a direction all times are the same.
        let limit = if ray.direction == Vector3::zeros() { 1.5 } else { limit };
        let Some(local) = tree.root().and_then(|root| LocalRay::new(ray, &[0.0; 3], &root.bounds)) else {
            assert!(items.iter().all(|(_, bounds)| entry(ray, bounds, 0.0).is_none()));
            return;
        };
        let within = |by: f64| {
            let met = items.iter().filter(move |(_, bounds)| entry(ray, bounds, by).is_some_and(|at| at <= limit));
            met.map(|(item, _)| *item).collect::<Vec<_>>()
        };
        let entry_of = |item: u32| entry(ray, &items[items.iter().position(|(of, _)| *of == item).unwrap()].1, 0.0);
        let first = items.iter().filter_map(|(_, bounds)| entry(ray, bounds, 0.0)).fold(limit, f64::min);
        for level in SimdLevel::available() {
            tree.level = level;
            for _ in 0..=tree.count / ITEMS_PER_RAY {
                let mut found = Vec::new();
                tree.along_ray(&local, limit, |item, limit| {
                    found.push(item);
                    limit
                });
                found.sort_unstable();
                assert!(within(0.0).iter().all(|item| found.binary_search(item).is_ok()), "{level}: {found:?}");
                // The box of a tree's only item is not tested.
                assert!(tree.count == 1 || found.iter().all(|item| within(1e-3).contains(item)), "{level}: {found:?}");
                let mut nearest = limit;
                tree.along_ray(&local, limit, |item, known| {
                    assert_eq!(known, nearest);
                    nearest = entry_of(item).map_or(nearest, |at| at.min(nearest));
                    nearest
                });
                assert_eq!(nearest, first, "{level}");
            }
        }
        let mut visits = 0;
        tree.along_ray(&local, limit, |_, _| {
            visits += 1;
            f64::NEG_INFINITY
        });
        assert!(visits <= 1);
        tree.level = SimdLevel::detect();
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_tree_holds_what_came_and_did_not_go(
            first in prop::collection::vec(any_box(), 0..50),
            changes in prop::collection::vec((0..3, any::<prop::sample::Index>(), any_box()), 0..120),
            margin in prop_oneof![Just(0.0_f32), Just(1.0), Just(f32::INFINITY)],
            rays in prop::collection::vec((any_ray(), prop_oneof![Just(1.5), Just(f64::INFINITY)]), 4),
        ) {
            let mut items: Vec<(u32, Aabb32)> = (0..).zip(first).collect();
            let mut tree = DynamicTree::build(&items, SimdLevel::detect());
            tree.check(&items);
            let mut next = items.len() as u32;
            for ((what, index, bounds), (ray, limit)) in changes.into_iter().zip(rays.iter().cycle()) {
                check_ray(&mut tree, &items, ray, *limit);
                match what {
                    0 => {
                        tree.insert(next, bounds);
                        items.push((next, bounds));
                        next += 1;
                    }
                    1 if !items.is_empty() => tree.remove(items.remove(index.index(items.len())).0),
                    2 if !items.is_empty() => {
                        let at = index.index(items.len());
                        items[at].1 = bounds;
                        tree.update(&[items[at]]);
                    }
                    _ => {}
                }
                tree.check(&items);
            }
            rays.iter().for_each(|(ray, limit)| check_ray(&mut tree, &items, ray, *limit));
            let mut expected = Vec::new();
            for (i, (a, box_a)) in items.iter().enumerate() {
                let mut found = Vec::new();
                let _ = tree.for_each_overlap(box_a, |item| {
                    found.push(item);
                    ControlFlow::Continue(())
                });
                found.sort_unstable();
                let overlapping = items.iter().filter(|(_, other)| other.overlaps(box_a)).map(|(item, _)| *item);
                prop_assert_eq!(found, overlapping.collect::<Vec<_>>());
                let is_near = |(_, other): &&(u32, Aabb32)| {
                    (0..3).all(|k| {
                        other.lower[k] - box_a.upper[k] <= margin && box_a.lower[k] - other.upper[k] <= margin
                    })
                };
                expected.extend(items[i + 1..].iter().filter(is_near).map(|(b, _)| [*a, *b]));
            }
            let found = tree.pairs(margin, usize::MAX, |_, _| true).unwrap();
            prop_assert_eq!(&found, &expected);
            if !found.is_empty() {
                prop_assert!(tree.pairs(margin, found.len() - 1, |_, _| true).is_none());
            }
        }
    }

    /// A box whose area overflows f32 makes the tree of others deeper by no more than a level.
    #[test]
    fn areas_beyond_f32_leave_the_tree_shallow() {
        let depth = |first: Option<Aabb32>| {
            let small = |i: u8| Aabb32 { lower: [i.into(), 0.0, 0.0], upper: [f32::from(i) + 0.5, 0.5, 0.5] };
            let mut tree = DynamicTree::new(SimdLevel::detect());
            (0..)
                .zip(first.into_iter().chain((0..200).map(small)))
                .for_each(|(item, bounds)| tree.insert(item, bounds));
            let parent = |&at: &u32| Some(tree.parents[at as usize]).filter(|&parent| parent != NONE);
            tree.leaf_of.iter().map(|&leaf| std::iter::successors(Some(leaf), parent).count()).max().unwrap()
        };
        assert!(depth(Some(Aabb32 { lower: [-1e20; 3], upper: [1e20; 3] })) <= depth(None) + 1);
    }

    #[test]
    fn boxes_are_rounded_outward() {
        for x in [0.0, 1e-45, 1e-39, 1.0, 1.5, 1.0 + f32::EPSILON, 16_777_216.0, 3e30_f32] {
            for x in [x, -x] {
                let bounds = Aabb { lower: [f64::from(x); 3].into(), upper: [f64::from(x); 3].into() };
                let around = Aabb32::around(&bounds, &[0.0; 3]);
                assert!(around.lower[0] <= x.next_down() && around.upper[0] >= x.next_up(), "{x}");
                assert!(f64::from(around.upper[0]) - f64::from(x) <= 3e-7 * f64::from(x.abs()) + 1e-37);
            }
        }
    }
}
