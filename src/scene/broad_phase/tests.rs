//! Trees that items come to, go from and move in, against lists of them.

use std::ops::ControlFlow;

use proptest::prelude::*;

use super::*;
use crate::shape::Aabb;
use crate::simd::SimdLevel;

impl BoxTree {
    /// That boxes hold what is below them, that parents and leaves know each other, and that every item is there once.
    fn check(&self, items: &[(u32, Box32)]) {
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

/// On a grid, so that sides meet and boxes are the same.
fn any_box() -> impl Strategy<Value = Box32> {
    (prop::array::uniform3(-4_i8..4), prop::array::uniform3(0_i8..3)).prop_map(|(at, size)| Box32 {
        lower: at.map(f32::from),
        upper: std::array::from_fn(|k| f32::from(at[k] + size[k])),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_tree_holds_what_came_and_did_not_go(
        first in prop::collection::vec(any_box(), 0..50),
        changes in prop::collection::vec((0..3, any::<prop::sample::Index>(), any_box()), 0..120),
        reach in prop_oneof![Just(0.0_f32), Just(1.0), Just(f32::INFINITY)],
    ) {
        let mut items: Vec<(u32, Box32)> = (0..).zip(first).collect();
        let mut tree = BoxTree::build(&items, SimdLevel::detect());
        tree.check(&items);
        let mut next = items.len() as u32;
        for (what, index, bounds) in changes {
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
                    tree.update(std::iter::once(items[at]));
                }
                _ => {}
            }
            tree.check(&items);
        }
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
            let is_near = |(_, other): &&(u32, Box32)| {
                (0..3).all(|k| {
                    other.lower[k] - box_a.upper[k] <= reach && box_a.lower[k] - other.upper[k] <= reach
                })
            };
            expected.extend(items[i + 1..].iter().filter(is_near).map(|(b, _)| [*a, *b]));
        }
        let found = tree.pairs(reach, usize::MAX, |_, _| true).unwrap();
        prop_assert_eq!(&found, &expected);
        if !found.is_empty() {
            prop_assert!(tree.pairs(reach, found.len() - 1, |_, _| true).is_none());
        }
    }
}

#[test]
fn boxes_are_rounded_outward() {
    for x in [0.0, 1e-45, 1e-39, 1.0, 1.5, 1.0 + f32::EPSILON, 16_777_216.0, 3e30_f32] {
        for x in [x, -x] {
            let bounds = Aabb { lower: [f64::from(x); 3].into(), upper: [f64::from(x); 3].into() };
            let around = Box32::around(&bounds, &[0.0; 3]);
            assert!(around.lower[0] <= x.next_down() && around.upper[0] >= x.next_up(), "{x}");
            assert!(f64::from(around.upper[0]) - f64::from(x) <= 3e-7 * f64::from(x.abs()) + 1e-37);
        }
    }
}
