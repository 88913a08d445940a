//! Fits the volumes of planned nodes to their triangles and packs them.

use std::ops::Range;

use smallvec::SmallVec;

use super::items::Item;
use super::leaf_boxes::LeafBoxes;
use super::volumes::Fitted;
use super::wide::{Plan, Planned};
use crate::options::BuildOptions;
use crate::packed::{Frame, WIDTH};
use crate::parallel;
use crate::simd::SimdLevel;

/// Up to this many nodes are packed by one thread...
const NODES: usize = 1 << 6;
/// ...but not volumes of more triangles than this.
const TRIANGLES: usize = 1 << 12;

pub(super) struct Packer<'a> {
    pub(super) level: SimdLevel,
    pub(super) plan: &'a Plan,
    pub(super) items: &'a [Item],
    pub(super) frame: &'a Frame,
    pub(super) options: &'a BuildOptions,
}

impl Packer<'_> {
    /// Packs consecutive nodes into `words`, which have room for just these.
    pub(super) fn pack<V: Fitted>(&self, nodes: Range<usize>, words: &mut [u32]) {
        if nodes.len() > NODES {
            let middle = nodes.start + nodes.len() / 2;
            let children = self.plan.first_child(middle) - self.plan.first_child(nodes.start);
            let (left, right) = words.split_at_mut(children * V::FIELDS);
            parallel::join(|| self.pack::<V>(nodes.start..middle, left), || self.pack::<V>(middle..nodes.end, right));
            return;
        }
        let mut rest = words;
        for node in nodes {
            let children: SmallVec<[Planned; WIDTH]> = self.plan.children(node).collect();
            let own;
            (own, rest) = rest.split_at_mut(children.len() * V::FIELDS);
            self.node::<V>(&children, own);
        }
    }

    fn node<V: Fitted>(&self, children: &[Planned], words: &mut [u32]) {
        let mut fields = [[0; 16]; WIDTH];
        let all_at_once = self.leaves::<V>(children);
        let fit = |lane: usize, fields: &mut [u32; 16]| {
            let child = &children[lane];
            match &all_at_once {
                Some(LeafBoxes { rows, fitted }) if fitted[lane] && child.triangles.len() == 1 => {
                    *fields = rows.map(|row| row[lane]);
                }
                _ => {
                    let items = &self.items[child.triangles.clone()];
                    V::pack(&V::fit(self.level, items, self.options, self.frame), fields);
                }
            }
            fields[V::FIELDS - 1] = child.below.to_word();
        };
        let fields = &mut fields[..children.len()];
        if children.iter().any(|child| child.triangles.len() > TRIANGLES) {
            parallel::for_each_mut(fields, fit);
        } else {
            fields.iter_mut().enumerate().for_each(|(lane, fields)| fit(lane, fields));
        }
        for (lane, fields) in fields.iter().enumerate() {
            for (row, &word) in fields[..V::FIELDS].iter().enumerate() {
                words[row * children.len() + lane] = word;
            }
        }
    }

    /// The volumes of the children that are single triangles, where those can be fitted all at once; lanes of others hold
    /// anything.
    fn leaves<V: Fitted>(&self, children: &[Planned]) -> Option<LeafBoxes> {
        let is_single = |child: &&Planned| child.triangles.len() == 1;
        let first = children.iter().find(is_single)?;
        let triangle = |lane| &self.items[children.get(lane).filter(is_single).unwrap_or(first).triangles.start];
        V::fit_leaves(self.level, triangle, self.options, self.frame)
    }
}
