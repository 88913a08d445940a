//! Tree rotations: local changes of a finished binary tree that lower the surface area of its volumes (Kensler 2008,
//! "Tree rotations for improving bounding volume hierarchies").

use super::binary_tree::{End, Link, LinkedTree};
use super::sah::SahBounds;
use super::triangle_bounds::TriangleBounds;

/// Rotates the tree from its leaves to its root in up to `passes` passes, until a pass finds nothing. At each node, a
/// child is swapped with a child of its sibling, or two grandchildren are swapped, where that lowers the sum of the
/// children's areas most.
///
/// A pass is undone and ends the rotations if it makes the tree deeper than both `max_depth` and the depth before the
/// pass.
pub(super) fn rotate<S: SahBounds>(tree: &mut LinkedTree, primitives: &[TriangleBounds], passes: u32, max_depth: u32) {
    let root = tree.root;
    for _ in 0..passes {
        let max_depth = max_depth.max(tree.depth_below(root));
        let mut pass = Pass { tree, primitives, swaps: Vec::new() };
        pass.subtree::<S>(root);
        let swaps = pass.swaps;
        if swaps.is_empty() {
            return;
        }
        if tree.depth_below(root) > max_depth {
            swaps.into_iter().rev().for_each(|swap| tree.swap(swap));
            return;
        }
    }
}

struct Pass<'a> {
    tree: &'a mut LinkedTree,
    primitives: &'a [TriangleBounds],
    swaps: Vec<[u32; 2]>,
}

/// The bounds of a subtree and of its children, for rotations further up.
struct SubtreeSides<S> {
    side: S,
    children: Option<[S; 2]>,
}

/// Two nodes to swap, and the bounds of the rotated node's children afterwards.
struct Rotation<S> {
    gain: f64,
    swap: [usize; 2],
    sides: [S; 2],
}

impl Pass<'_> {
    /// Applies the best rotation that lowers the area, if any, at each node below and at this one.
    fn subtree<S: SahBounds>(&mut self, link: Link) -> SubtreeSides<S> {
        let node = match self.tree.end(link) {
            End::Leaf(range) => {
                return SubtreeSides { side: S::of_triangles(&self.primitives[range]), children: None };
            }
            End::Inner(node) => node,
        };
        let below = self.tree.children(node).map(|child| self.subtree::<S>(child));
        let mut sides = [below[0].side, below[1].side];
        let side = sides[0].joined(&sides[1]);
        let areas = sides.map(|side| side.area());
        // Gains at the level of rounding could repeat forever.
        if let Some(Rotation { gain, swap, sides: rotated }) = self.best(node, areas, &below)
            && gain > 1e-9 * (areas[0] + areas[1])
        {
            let swap = swap.map(|slot| slot as u32);
            self.tree.swap(swap);
            self.swaps.push(swap);
            sides = rotated;
        }
        SubtreeSides { side, children: Some(sides) }
    }

    /// The rotation that lowers the sum of the children's areas most.
    fn best<S: SahBounds>(&self, node: usize, areas: [f64; 2], below: &[SubtreeSides<S>; 2]) -> Option<Rotation<S>> {
        let mut best: Option<Rotation<S>> = None;
        let mut consider = |gain: f64, swap: [usize; 2], sides: [S; 2]| {
            if gain > best.as_ref().map_or(0.0, |best| best.gain) {
                best = Some(Rotation { gain, swap, sides });
            }
        };
        // The positions of the links to a child's children.
        let links = self.tree.children(node).map(|child| match self.tree.end(child) {
            End::Leaf(_) => 0,
            End::Inner(child) => 2 * child,
        });
        // Swaps the left child with a child of the right one, and the other way round.
        if let Some(right) = &below[1].children {
            for k in 0..2 {
                let joined = below[0].side.joined(&right[1 - k]);
                consider(areas[1] - joined.area(), [2 * node, links[1] + k], [right[k], joined]);
            }
        }
        if let Some(left) = &below[0].children {
            for k in 0..2 {
                let joined = below[1].side.joined(&left[1 - k]);
                consider(areas[0] - joined.area(), [2 * node + 1, links[0] + k], [joined, left[k]]);
            }
        }
        // Swaps the left child's first child with one of the right child's children.
        if let [Some(left), Some(right)] = [&below[0].children, &below[1].children] {
            for k in 0..2 {
                let sides = [right[k].joined(&left[1]), left[0].joined(&right[1 - k])];
                let changed = sides[0].area() + sides[1].area();
                consider(areas[0] + areas[1] - changed, [links[0], links[1] + k], sides);
            }
        }
        best
    }
}
