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
        let LeafBoxes { mut rows, fitted } = self.leaves::<V>(children).unwrap_or(LeafBoxes::NONE);
        let is_fitted = |lane: usize| fitted[lane] && children[lane].triangles.len() == 1;
        let fit = |lane: usize, fields: &mut [u32; 16]| {
            if !is_fitted(lane) {
                let items = &self.items[children[lane].triangles.clone()];
                V::pack(&V::fit(self.level, items, self.options, self.frame), fields);
            }
        };
        let mut put = |lane: usize, fields: &[u32; 16]| {
            for (row, &word) in rows[..V::FIELDS].iter_mut().zip(fields) {
                row[lane] = word;
            }
        };
        if children.iter().any(|child| child.triangles.len() > TRIANGLES) {
            let mut fields = [[0; 16]; WIDTH];
            let fields = &mut fields[..children.len()];
            parallel::for_each_mut(fields, fit);
            fields
                .iter()
                .enumerate()
                .filter(|(lane, _)| !is_fitted(*lane))
                .for_each(|(lane, fields)| put(lane, fields));
        } else {
            for lane in (0..children.len()).filter(|&lane| !is_fitted(lane)) {
                let mut fields = [0; 16];
                fit(lane, &mut fields);
                put(lane, &fields);
            }
        }
        for (word, child) in rows[V::FIELDS - 1].iter_mut().zip(children) {
            *word = child.below.to_word();
        }
        for (row, words) in rows.iter().zip(words.chunks_exact_mut(children.len())) {
            words.copy_from_slice(&row[..children.len()]);
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
