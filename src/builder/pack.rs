//! Fits the volumes of planned nodes to their triangles and packs them.

use std::ops::Range;

use smallvec::SmallVec;

use super::cached_fits::KeptIndex;
use super::wide::{Plan, Planned};
use crate::parallel;
use crate::simd::SimdLevel;
use crate::volume::fit::{FitMethods, LeafBoxes, Primitive, SMALL_SET};
use crate::volume::{BoundingVolume, Frame, MAX_FIELDS, WIDTH};

/// Up to this many nodes are packed by one thread, their boxes of few triangles together...
const NODES: usize = 1 << 8;
/// ...but not volumes of more triangles than this.
const TRIANGLES: usize = 1 << 12;

pub(super) struct Packer<'a> {
    pub(super) level: SimdLevel,
    pub(super) plan: &'a Plan,
    pub(super) primitives: &'a [Primitive],
    pub(super) kept: &'a KeptIndex,
    pub(super) frame: &'a Frame,
    pub(super) methods: FitMethods,
}

/// A volume of few triangles and where its words go: its first one, and how far apart they are.
struct Few {
    triangles: Range<usize>,
    first: usize,
    stride: usize,
}

impl Packer<'_> {
    /// Packs consecutive nodes into `words`, which have room for just these.
    pub(super) fn pack<V: BoundingVolume>(&self, nodes: Range<usize>, words: &mut [u32]) {
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
            let at = begin;
            self.node::<V>(&children, &mut words[begin..end], |lane, triangles| {
                few.push(Few { triangles, first: at + lane, stride: children.len() });
            });
            begin = end;
        }
        self.few::<V>(few, words);
    }

    /// Volumes of few triangles, a lane for each; those of about as many together.
    fn few<V: BoundingVolume>(&self, mut volumes: Vec<Few>, words: &mut [u32]) {
        volumes.sort_unstable_by_key(|few| (few.triangles.len(), few.first));
        for volumes in volumes.chunks(WIDTH) {
            let set = |lane: usize| &self.primitives[volumes.get(lane).unwrap_or(&volumes[0]).triangles.clone()];
            let rows = V::fit_small_sets(self.level, std::array::from_fn(set), self.methods, self.frame);
            for (lane, &Few { first, stride, .. }) in volumes.iter().enumerate() {
                for (row, words) in rows[..V::FIELDS - 1].iter().zip(words[first..].iter_mut().step_by(stride)) {
                    *words = row[lane];
                }
            }
        }
    }

    /// All but the volumes of few triangles, which are `put_off`.
    fn node<V: BoundingVolume>(
        &self,
        children: &[Planned],
        words: &mut [u32],
        mut put_off: impl FnMut(usize, Range<usize>),
    ) {
        let LeafBoxes { mut rows, fitted } = self.leaves::<V>(children).unwrap_or(LeafBoxes::NONE);
        let mut put = |lane: usize, fields: &[u32]| {
            for (row, &word) in rows.iter_mut().zip(fields) {
                row[lane] = word;
            }
        };
        // Those that are fitted one by one.
        let mut single: SmallVec<[usize; WIDTH]> = SmallVec::new();
        for (lane, Planned { triangles, .. }) in children.iter().enumerate() {
            if let Some(fields) = self.kept.words(triangles) {
                put(lane, fields);
            } else if V::fits_small_sets(self.methods) && (2..=SMALL_SET).contains(&triangles.len()) {
                put_off(lane, triangles.clone());
            } else if !(fitted[lane] && triangles.len() == 1) {
                single.push(lane);
            }
        }
        let fit = |lane: usize, fields: &mut [u32; MAX_FIELDS]| {
            let primitives = &self.primitives[children[lane].triangles.clone()];
            V::pack(&V::fit(self.level, primitives, self.methods, self.frame), fields);
        };
        if single.iter().any(|&lane| children[lane].triangles.len() > TRIANGLES) {
            let mut all = [[0; MAX_FIELDS]; WIDTH];
            parallel::for_each_mut(&mut all[..single.len()], |i, fields| fit(single[i], fields));
            single.iter().zip(&all).for_each(|(&lane, fields)| put(lane, fields));
        } else {
            for lane in single {
                let mut fields = [0; MAX_FIELDS];
                fit(lane, &mut fields);
                put(lane, &fields);
            }
        }
        for (word, child) in rows[V::FIELDS - 1].iter_mut().zip(children) {
            *word = child.below.to_word();
        }
        for (i, row) in rows[..V::FIELDS].iter().enumerate() {
            let begin = i * children.len();
            // Whole rows where there is room, for the next one overwrites what is too much: to copy a few words each is
            // a call.
            match words.get_mut(begin..begin + WIDTH) {
                Some(words) => words.copy_from_slice(row),
                None => words[begin..begin + children.len()].copy_from_slice(&row[..children.len()]),
            }
        }
    }

    /// The volumes of the children that are single triangles, where those can be fitted all at once; lanes of others
    /// hold anything.
    fn leaves<V: BoundingVolume>(&self, children: &[Planned]) -> Option<LeafBoxes> {
        let is_single = |child: &&Planned| child.triangles.len() == 1;
        let first = children.iter().find(is_single)?;
        let triangle = |lane| &self.primitives[children.get(lane).filter(is_single).unwrap_or(first).triangles.start];
        V::fit_leaves(self.level, triangle, self.methods, self.frame)
    }
}
