//! Tree rotations: local changes of a finished binary tree that lower the surface area of its volumes (Kensler 2008, "Tree
//! rotations for improving bounding volume hierarchies").

use super::linked::Linked;
use super::side::Side;

/// Goes over the tree from its leaves to its root up to `passes` times, until a pass finds nothing. At each node, a child
/// changes places with a child of its sibling, or two grandchildren do, where that lowers the children's area most.
///
/// A pass that makes the tree deeper than it was and than `max_depth` is undone.
pub(super) fn optimise<S: Side>(tree: &mut Linked<S>, passes: u32, max_depth: u32) {
    for _ in 0..passes {
        let before = tree.nodes.clone();
        let max_depth = max_depth.max(tree.depth());
        let mut order = Vec::with_capacity(tree.nodes.len());
        tree.in_preorder(|node, _| {
            order.push(node);
            true
        });
        let mut changes = 0;
        for node in order.into_iter().rev() {
            changes += usize::from(rotate(tree, node));
        }
        if changes > 0 && tree.depth() > max_depth {
            tree.nodes = before;
            return;
        }
        if changes == 0 {
            return;
        }
    }
}

/// Applies the best rotation at a node; false if none lowers the area.
fn rotate<S: Side>(tree: &mut Linked<S>, node: usize) -> bool {
    let Some(children) = tree.nodes[node].children else { return false };
    let below = children.map(|child| tree.nodes[child as usize].children);
    let side = |node: u32| tree.nodes[node as usize].side;
    let area = |pair: [u32; 2]| side(pair[0]).joined(&side(pair[1])).area();
    let areas = children.map(|child| side(child).area());

    // Ends of a swap: a child or a grandchild. Least change of the children's area, and what to swap.
    let mut best: Option<(f64, Swap)> = None;
    let mut consider = |gain: f64, swap: Swap| {
        if gain > best.map_or(0.0, |(greatest, _)| greatest) {
            best = Some((gain, swap));
        }
    };
    for (up, down) in [(0, 1), (1, 0)] {
        let Some(grandchildren) = below[down] else { continue };
        for k in 0..2 {
            let changed = area([children[up], grandchildren[1 - k]]);
            consider(areas[down] - changed, Swap::Child { down, k });
        }
    }
    if let [Some(left), Some(right)] = below {
        for k in 0..2 {
            let changed = area([right[k], left[1]]) + area([left[0], right[1 - k]]);
            consider(areas[0] + areas[1] - changed, Swap::Grandchildren { k });
        }
    }
    let Some((gain, swap)) = best else { return false };
    // Gains at the level of rounding would make passes endless.
    if gain <= 1e-9 * (areas[0] + areas[1]) {
        return false;
    }
    match (swap, below) {
        (Swap::Child { down, k }, _) => {
            let Some(mut grandchildren) = below[down] else { return false };
            let mut raised = children;
            raised[1 - down] = grandchildren[k];
            grandchildren[k] = children[1 - down];
            tree.nodes[children[down] as usize] = tree.parent(grandchildren);
            tree.nodes[node].children = Some(raised);
        }
        (Swap::Grandchildren { k }, [Some(mut left), Some(mut right)]) => {
            std::mem::swap(&mut left[0], &mut right[k]);
            tree.nodes[children[0] as usize] = tree.parent(left);
            tree.nodes[children[1] as usize] = tree.parent(right);
        }
        (Swap::Grandchildren { .. }, _) => return false,
    }
    true
}

#[derive(Clone, Copy)]
enum Swap {
    /// The child `k` of child `down` with the other child.
    Child { down: usize, k: usize },
    /// The left child's first with the right child's child `k`.
    Grandchildren { k: usize },
}
