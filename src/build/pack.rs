//! Fits the volumes of planned nodes to their triangles and packs them.

use std::ops::Range;

use smallvec::SmallVec;

use super::few_boxes::FEW;
use super::items::Item;
use super::leaf_boxes::LeafBoxes;
use super::volumes::Fitted;
use super::wide::{Plan, Planned};
use crate::options::BuildOptions;
use crate::packed::{Frame, WIDTH};
use crate::parallel;
use crate::simd::SimdLevel;

/// Up to this many nodes are packed by one thread, their boxes of few triangles together...
const NODES: usize = 1 << 8;
/// ...but not volumes of more triangles than this.
const TRIANGLES: usize = 1 << 12;

pub(super) struct Packer<'a> {
    pub(super) level: SimdLevel,
    pub(super) plan: &'a Plan,
    pub(super) items: &'a [Item],
    pub(super) frame: &'a Frame,
    pub(super) options: &'a BuildOptions,
}

/// A volume of few triangles and where its words go: its first one, and how far apart they are.
struct Few {
    triangles: Range<usize>,
    first: usize,
    stride: usize,
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
        let (mut begin, mut few) = (0, Vec::new());
        for node in nodes {
            let children: SmallVec<[Planned; WIDTH]> = self.plan.children(node).collect();
            let end = begin + children.len() * V::FIELDS;
            self.node::<V>(&children, &mut words[begin..end]);
            for (lane, child) in children.iter().enumerate().filter(|(_, child)| self.is_few::<V>(child)) {
                few.push(Few { triangles: child.triangles.clone(), first: begin + lane, stride: children.len() });
            }
            begin = end;
        }
        self.few::<V>(few, words);
    }

    /// Whether the child's volume is fitted together with others.
    fn is_few<V: Fitted>(&self, child: &Planned) -> bool {
        V::fits_few(self.options) && (2..=FEW).contains(&child.triangles.len())
    }

    /// Volumes of few triangles, a lane for each; those of about as many together.
    fn few<V: Fitted>(&self, mut volumes: Vec<Few>, words: &mut [u32]) {
        volumes.sort_unstable_by_key(|few| (few.triangles.len(), few.first));
        for volumes in volumes.chunks(WIDTH) {
            let set = |lane: usize| &self.items[volumes.get(lane).unwrap_or(&volumes[0]).triangles.clone()];
            let rows = V::fit_few(self.level, std::array::from_fn(set), self.options, self.frame);
            for (lane, &Few { first, stride, .. }) in volumes.iter().enumerate() {
                for (row, words) in rows[..V::FIELDS - 1].iter().zip(words[first..].iter_mut().step_by(stride)) {
                    *words = row[lane];
                }
            }
        }
    }

    fn node<V: Fitted>(&self, children: &[Planned], words: &mut [u32]) {
        let LeafBoxes { mut rows, fitted } = self.leaves::<V>(children).unwrap_or(LeafBoxes::NONE);
        let is_fitted = |lane: usize| {
            let child = &children[lane];
            (fitted[lane] && child.triangles.len() == 1) || self.is_few::<V>(child)
        };
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
