//! The one loop that descends two trees.

use std::ops::ControlFlow;

use crate::packed::{Node, NodeRef, ToFrame, Volume8};
use crate::simd::Simd;
use crate::tree::View;

/// What a query does at pairs of leaves.
pub(super) trait Visitor {
    /// Two leaves whose volumes may touch, by their first triangles.
    fn leaf_pair(&mut self, a: usize, b: usize) -> ControlFlow<()>;
}

/// Volumes of one tree still to be tested against a wide node of the other.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The node whose children are tested one by one...
    ones: NodeRef,
    /// ...a bit for each of them...
    lanes: u8,
    /// ...and the tree that it belongs to.
    side: u8,
    /// The node of the other tree whose children are tested all at once.
    eight: NodeRef,
}

/// Scratch memory of the descent.
#[derive(Debug, Default)]
pub(super) struct Stack {
    entries: Vec<Entry>,
}

/// A volume is descended before the other if it is larger than this many times it; else the sides take turns.
const RATIO: f32 = 2.0;

/// Descends both trees from their roots and hands pairs of leaves to the visitor. Returns the number of volume tests.
#[inline(always)]
pub(super) fn traverse<V: Volume8, S: Simd, Q: Visitor>(
    simd: S,
    trees: [View<'_>; 2],
    to_frame: &[ToFrame; 2],
    stack: &mut Stack,
    visitor: &mut Q,
) -> u64 {
    let mut volume_tests = 0;
    let entries = &mut stack.entries;
    entries.clear();
    if trees[0].corners.is_empty() || trees[1].corners.is_empty() {
        return 0;
    }
    entries.push(Entry { ones: NodeRef::ROOT, lanes: 1, side: 1, eight: NodeRef::ROOT });
    while let Some(entry) = entries.pop() {
        let side = entry.side as usize;
        // to_frame[0] takes B's volumes (side 1) into A's frame.
        let to = &to_frame[1 - side];
        let ones = Node::at::<V>(trees[side].nodes, entry.ones);
        let eight = Node::at::<V>(trees[1 - side].nodes, entry.eight);
        let leaves = eight.leaves::<V, S>(simd);
        for lane in bits(entry.lanes) {
            let one = V::one(&ones, lane, to);
            let (survivors, larger) = one.overlaps(simd, &eight, to.margin, RATIO);
            volume_tests += u64::from(eight.lanes().count_ones());
            if survivors == 0 {
                continue;
            }
            let below = ones.child::<V>(lane);
            let (again, swap) = if below.is_leaf() {
                for other in bits(survivors & leaves) {
                    let (one, other) = (below.first_triangle(), eight.child::<V>(other).first_triangle());
                    let [a, b] = if side == 0 { [one, other] } else { [other, one] };
                    if visitor.leaf_pair(a, b).is_break() {
                        return volume_tests;
                    }
                }
                (survivors & !leaves, 0)
            } else {
                let again = survivors & larger & !leaves;
                (again, survivors & !again)
            };
            for other in bits(again) {
                let eight = eight.child::<V>(other);
                entries.push(Entry { ones: entry.ones, lanes: 1 << lane, side: entry.side, eight });
            }
            if swap != 0 {
                entries.push(Entry { ones: entry.eight, lanes: swap, side: 1 - entry.side, eight: below });
            }
        }
    }
    volume_tests
}

/// The set bits of a mask, lowest first.
#[inline(always)]
fn bits(mask: u8) -> impl Iterator<Item = usize> {
    let mut left = u32::from(mask);
    std::iter::from_fn(move || {
        (left != 0).then(|| {
            let bit = left.trailing_zeros() as usize;
            left &= left - 1;
            bit
        })
    })
}
