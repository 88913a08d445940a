//! The one loop that descends two trees.

use std::ops::ControlFlow;

use crate::packed::{Node, NodeRef, ToFrame, Volume8};
use crate::simd::Simd;
use crate::tree::View;

/// What a query wants of the descent.
pub(super) trait Visitor {
    /// Whether the order matters: volumes and leaves are then visited by rising lower bound where they are siblings.
    const NEAREST_FIRST: bool;

    /// Whether it is known from the start, nearly, which lower bounds matter. Then the order matters less, and volumes wait
    /// for their turn together.
    #[inline(always)]
    fn is_bounded(&self) -> bool {
        false
    }

    /// Whether the descent is to start from the roots, and not only where [`Visitor::next`] says.
    #[inline(always)]
    fn start<V: Volume8, S: Simd>(&mut self, _simd: S) -> ControlFlow<(), bool> {
        ControlFlow::Continue(true)
    }

    /// Where else to go on, once all is done that was found on the way.
    #[inline(always)]
    fn next(&mut self) -> Option<Part> {
        None
    }

    /// The descent ends at volumes that were tested now and found too far apart.
    #[inline(always)]
    fn ends<V: Volume8, S: Simd>(&mut self, _simd: S, _part: Part) {}

    /// The descent ends at volumes that a bound excludes that was found since they were tested.
    #[inline(always)]
    fn drops(&mut self, _part: Part) {}

    /// A bit for each lane of the node `eight` that is to be tested against a lane of the node `ones` of tree `side`.
    #[inline(always)]
    fn lanes(&self, _ones: NodeRef, _lane: usize, _eight: NodeRef, _side: usize) -> u8 {
        0xff
    }

    /// Tests a volume against eight of the other tree; `target` is the tree (0 for A, 1 for B) of the eight.
    fn judge<V: Volume8, S: Simd>(&self, simd: S, one: &V, eight: &Node<'_>, to: &ToFrame, target: usize) -> Judged;

    /// Whether volumes with this lower bound, found earlier, still matter.
    fn wants(&self, lower_bound: f32) -> bool;

    /// Two triangles of leaves that were left, A's and B's, by their places in leaf order.
    fn pair<S: Simd>(&mut self, simd: S, a: usize, b: usize) -> ControlFlow<()>;

    /// Called after every step of the descent, and once at its end.
    #[inline(always)]
    fn step<S: Simd>(&mut self, _simd: S, _last: bool) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }
}

/// What a test of one volume against eight found.
pub(super) struct Judged {
    /// A bit for each lane to go on with.
    pub(super) survivors: u8,
    /// A bit for each lane that should be opened before the one.
    pub(super) larger: u8,
    /// What [`Visitor::wants`] will be asked about the survivors.
    pub(super) lower_bounds: [f32; 8],
}

/// Volumes of one tree still to be tested against a wide node of the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// The node whose children are tested one by one...
    pub(super) ones: NodeRef,
    /// ...and the node of the other tree whose children are tested all at once.
    pub(super) eight: NodeRef,
    /// A bit for each of the ones.
    pub(super) lanes: u8,
    /// The tree of the ones: 0 for A, 1 for B.
    pub(super) side: u8,
    pub(super) lower_bound: f32,
}

/// What is left of an entry if only some of its eight count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) entry: Entry,
    /// A bit for each of the eight.
    pub(super) eight_lanes: u8,
}

/// Scratch memory of the descent.
#[derive(Debug, Default)]
pub(super) struct Stack {
    entries: Vec<Entry>,
}

/// Descends both trees from their roots and hands pairs of leaves to the visitor. Returns the number of volume tests.
///
/// The sides take turns: a volume that survives against another is opened next, unless the other is much larger and
/// not a leaf.
#[inline(always)]
pub(super) fn traverse<V: Volume8, S: Simd, Q: Visitor>(
    simd: S,
    trees: [View<'_>; 2],
    to_frames: &[ToFrame; 2],
    stack: &mut Stack,
    visitor: &mut Q,
) -> u64 {
    let mut volume_tests = 0;
    if !trees[0].corners.is_empty() && !trees[1].corners.is_empty() {
        stack.entries.clear();
        // A break has nothing more to tell: the visitor knows why.
        let _ = descend::<V, S, Q>(simd, trees, to_frames, &mut stack.entries, visitor, &mut volume_tests);
    }
    volume_tests
}

/// Where the order matters, so many descents start from the nearest volumes anywhere, for a good bound early, before the
/// rest is done depth-first (`benches/NOTES.md` has figures).
const GREEDY_DESCENTS: usize = 16;

#[inline(always)]
fn descend<V: Volume8, S: Simd, Q: Visitor>(
    simd: S,
    trees: [View<'_>; 2],
    to_frames: &[ToFrame; 2],
    stack: &mut Vec<Entry>,
    visitor: &mut Q,
    volume_tests: &mut u64,
) -> ControlFlow<()> {
    let mut greedy = 0;
    if visitor.start::<V, S>(simd)? {
        let root = NodeRef::ROOT;
        stack.push(Entry { ones: root, eight: root, lanes: 1, side: 1, lower_bound: 0.0 });
        greedy = if Q::NEAREST_FIRST { GREEDY_DESCENTS } else { 0 };
    }
    let mut left_before = usize::MAX;
    let together = !Q::NEAREST_FIRST || visitor.is_bounded();
    loop {
        if Q::NEAREST_FIRST && greedy > 0 && stack.len() < left_before {
            greedy -= 1;
            bring_nearest_to_top(stack);
        }
        left_before = stack.len();
        let popped = stack.pop().map(|entry| Part { entry, eight_lanes: 0xff });
        let Some(Part { entry, eight_lanes }) = popped.or_else(|| visitor.next()) else { break };
        if !visitor.wants(entry.lower_bound) {
            visitor.drops(Part { entry, eight_lanes });
            continue;
        }
        let side = usize::from(entry.side);
        let target = 1 - side;
        let to = &to_frames[target];
        let ones = Node::at::<V>(trees[side].nodes, entry.ones);
        let eight = Node::at::<V>(trees[target].nodes, entry.eight);
        let leaves = eight.leaves::<V, S>(simd);
        let posed = V::posed(simd, &ones, to);
        for lane in bits(entry.lanes) {
            let one = V::one(&posed, lane, to);
            let lanes = eight_lanes & visitor.lanes(entry.ones, lane, entry.eight, side);
            let mut judged = visitor.judge(simd, &one, &eight, to, target);
            judged.survivors &= lanes;
            let lanes = eight.lanes() & lanes;
            *volume_tests += u64::from(lanes.count_ones());
            let part = |eight_lanes: u8| Part { entry: Entry { lanes: 1 << lane, ..entry }, eight_lanes };
            visitor.ends::<V, S>(simd, part(lanes & !judged.survivors));
            if judged.survivors == 0 {
                continue;
            }
            let below = ones.child::<V>(lane);
            // Lanes to open beside the same one, and lanes to be tested against its children in turn.
            let (open, swap) = if below.is_leaf() {
                let touching = judged.survivors & leaves;
                for other in ordered::<Q>(touching, &judged.lower_bounds) {
                    if !visitor.wants(judged.lower_bounds[other]) {
                        visitor.drops(part(1 << other));
                        continue;
                    }
                    let (one, other_leaf) = (below.first_triangle(), eight.child::<V>(other).first_triangle());
                    let [a, b] = if side == 0 { [one, other_leaf] } else { [other_leaf, one] };
                    for a in trees[0].leaf(a) {
                        for b in trees[1].leaf(b) {
                            visitor.pair(simd, a, b)?;
                        }
                    }
                }
                (judged.survivors & !leaves, 0)
            } else {
                let open = judged.survivors & judged.larger & !leaves;
                (open, judged.survivors & !open)
            };
            if swap != 0 {
                Node::prefetch::<V, S>(simd, trees[side].nodes, below);
            }
            let open_lane = |other: usize| Entry {
                ones: entry.ones,
                eight: eight.child::<V>(other),
                lanes: 1 << lane,
                side: entry.side,
                lower_bound: judged.lower_bounds[other],
            };
            let swap_lanes = |lanes: u8, lower_bound: f32| Entry {
                ones: entry.eight,
                eight: below,
                lanes,
                side: target as u8,
                lower_bound,
            };
            if greedy > 0 || !together {
                // The nearest is pushed last, to be popped first.
                let first = stack.len();
                for other in ordered::<Q>(open | swap, &judged.lower_bounds) {
                    let is_open = open >> other & 1 != 0;
                    stack.push(if is_open {
                        open_lane(other)
                    } else {
                        swap_lanes(1 << other, judged.lower_bounds[other])
                    });
                }
                stack[first..].reverse();
            } else {
                for other in bits(open) {
                    stack.push(open_lane(other));
                }
                if swap != 0 {
                    let lower_bound = if Q::NEAREST_FIRST { least(swap, &judged.lower_bounds) } else { 0.0 };
                    stack.push(swap_lanes(swap, lower_bound));
                }
            }
        }
        visitor.step(simd, false)?;
    }
    visitor.step(simd, true)
}

/// Swaps the entry of least lower bound, of several the one pushed last, to where it is popped next.
fn bring_nearest_to_top(stack: &mut [Entry]) {
    let nearest = (0..stack.len()).rev().min_by(|&i, &j| stack[i].lower_bound.total_cmp(&stack[j].lower_bound));
    if let Some(nearest) = nearest {
        let last = stack.len() - 1;
        stack.swap(nearest, last);
    }
}

/// The least lower bound among the lanes of a mask; 0 where one of them is not a number.
#[inline(always)]
fn least(mask: u8, lower_bounds: &[f32; 8]) -> f32 {
    let mut least = f32::INFINITY;
    for (lane, &lower_bound) in lower_bounds.iter().enumerate() {
        let lower_bound = if lower_bound.is_nan() { 0.0 } else { lower_bound };
        let is_less = mask >> lane & 1 != 0 && lower_bound < least;
        least = if is_less { lower_bound } else { least };
    }
    least
}

/// The set bits of a mask, lowest first.
#[inline(always)]
pub(super) fn bits(mask: u8) -> impl Iterator<Item = usize> {
    let mut left = u32::from(mask);
    std::iter::from_fn(move || {
        (left != 0).then(|| {
            let bit = left.trailing_zeros() as usize;
            left &= left - 1;
            bit
        })
    })
}

/// The set bits of a mask: where the query cares for order the nearest first, all else lowest first.
#[inline(always)]
fn ordered<Q: Visitor>(mask: u8, lower_bounds: &[f32; 8]) -> impl Iterator<Item = usize> {
    let mut first = mask.trailing_zeros() as usize & 7;
    if Q::NEAREST_FIRST {
        for lane in bits(mask) {
            first = if lower_bounds[lane] < lower_bounds[first] { lane } else { first };
        }
    }
    let nearest = mask & 1 << first;
    bits(nearest).chain(bits(mask & !nearest))
}
