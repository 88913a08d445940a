//! Emits the tree: fits and packs the volumes of wide nodes, and puts the triangles into leaf order over vertices in
//! order of first use.
//!
//! Boxes that splits have computed are cached in [`CachedFits`] and not fitted again.

use std::cmp::Reverse;
use std::ops::Range;

use nalgebra::Point3;
use smallvec::SmallVec;

use super::wide::{WideChild, WideTree};
use crate::mesh::Mesh;
use crate::parallel;
use crate::simd::SimdLevel;
use crate::tree::LAST_OF_LEAF;
use crate::volume::fit::{FitMethods, LeafBoxes, Primitive, SMALL_SET};
use crate::volume::{BoundingVolume, FittedBox, Frame, MAX_FIELDS, PackedObb, WIDTH};

/// Maximum number of nodes that one thread packs at a time, fitting their boxes of few triangles together.
const NODES: usize = 1 << 8;
/// Maximum number of triangles of a volume that is packed this way.
const TRIANGLES: usize = 1 << 12;

pub(super) struct Packer<'a> {
    pub(super) level: SimdLevel,
    pub(super) tree: &'a WideTree,
    pub(super) primitives: &'a [Primitive],
    pub(super) cached: &'a CachedFitIndex,
    pub(super) frame: &'a Frame,
    pub(super) methods: FitMethods,
}

/// A volume of few triangles, the index of its first word, and the stride between its words.
struct SmallNode {
    triangles: Range<usize>,
    first: usize,
    stride: usize,
}

impl Packer<'_> {
    /// Packs consecutive nodes into `words`, which has exactly their length.
    pub(super) fn pack<V: BoundingVolume>(&self, nodes: Range<usize>, words: &mut [u32]) {
        if nodes.len() > NODES {
            let middle = nodes.start + nodes.len() / 2;
            let children = self.tree.first_child(middle) - self.tree.first_child(nodes.start);
            let (left, right) = words.split_at_mut(children * V::FIELDS);
            parallel::join(|| self.pack::<V>(nodes.start..middle, left), || self.pack::<V>(middle..nodes.end, right));
            return;
        }
        let (mut begin, mut small) = (0, Vec::new());
        for node in nodes {
            let children: SmallVec<[WideChild; WIDTH]> = self.tree.children(node).collect();
            let end = begin + children.len() * V::FIELDS;
            let at = begin;
            self.node::<V>(&children, &mut words[begin..end], |lane, triangles| {
                small.push(SmallNode { triangles, first: at + lane, stride: children.len() });
            });
            begin = end;
        }
        self.small_nodes::<V>(small, words);
    }

    /// Fits volumes of few triangles, one per lane; volumes of similar triangle counts are fitted together.
    fn small_nodes<V: BoundingVolume>(&self, mut volumes: Vec<SmallNode>, words: &mut [u32]) {
        volumes.sort_unstable_by_key(|node| (node.triangles.len(), node.first));
        for volumes in volumes.chunks(WIDTH) {
            let set = |lane: usize| &self.primitives[volumes.get(lane).unwrap_or(&volumes[0]).triangles.clone()];
            let rows = V::fit_small_sets(self.level, std::array::from_fn(set), self.methods, self.frame);
            for (lane, &SmallNode { first, stride, .. }) in volumes.iter().enumerate() {
                for (row, words) in rows[..V::FIELDS - 1].iter().zip(words[first..].iter_mut().step_by(stride)) {
                    *words = row[lane];
                }
            }
        }
    }

    /// Packs a node, except volumes of few triangles, which are passed to `defer`.
    fn node<V: BoundingVolume>(
        &self,
        children: &[WideChild],
        words: &mut [u32],
        mut defer: impl FnMut(usize, Range<usize>),
    ) {
        let LeafBoxes { mut rows, fitted } = self.leaves::<V>(children).unwrap_or(LeafBoxes::NONE);
        let mut put = |lane: usize, fields: &[u32]| {
            for (row, &word) in rows.iter_mut().zip(fields) {
                row[lane] = word;
            }
        };
        // Indices of the children that are fitted one by one.
        let mut single: SmallVec<[usize; WIDTH]> = SmallVec::new();
        for (lane, WideChild { triangles, .. }) in children.iter().enumerate() {
            if let Some(fields) = self.cached.words(triangles) {
                put(lane, fields);
            } else if V::fits_small_sets(self.methods) && (2..=SMALL_SET).contains(&triangles.len()) {
                defer(lane, triangles.clone());
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
            // Writes whole rows where they fit; the next row overwrites the excess. Copying only the needed words would
            // be a call.
            match words.get_mut(begin..begin + WIDTH) {
                Some(words) => words.copy_from_slice(row),
                None => words[begin..begin + children.len()].copy_from_slice(&row[..children.len()]),
            }
        }
    }

    /// The volumes of the children that are single triangles, if they can be fitted all at once; other lanes are
    /// unspecified.
    fn leaves<V: BoundingVolume>(&self, children: &[WideChild]) -> Option<LeafBoxes> {
        let is_single = |child: &&WideChild| child.triangles.len() == 1;
        let first = children.iter().find(is_single)?;
        let triangle = |lane| &self.primitives[children.get(lane).filter(is_single).unwrap_or(first).triangles.start];
        V::fit_leaves(self.level, triangle, self.methods, self.frame)
    }
}

/// Boxes in preorder: a node's box before the boxes below it, the left side first. They are kept in several lists, so
/// that results of several threads are joined without moving them.
#[derive(Default)]
pub(super) struct CachedFits {
    lists: Vec<Vec<CachedFit>>,
}

struct CachedFit {
    first: u32,
    end: u32,
    words: [u32; WORDS],
}

/// Number of words of a box without its reference.
const WORDS: usize = PackedObb::FIELDS - 1;

impl CachedFits {
    /// Adds a box, unless its triangles are so few that they become the leaves of one node.
    pub(super) fn push(&mut self, triangles: Range<usize>, fit: &FittedBox) {
        if triangles.len() <= WIDTH {
            return;
        }
        let mut words = [0; WORDS];
        PackedObb::pack(fit, &mut words);
        let cached = CachedFit { first: triangles.start as u32, end: triangles.end as u32, words };
        match self.lists.last_mut() {
            Some(list) => list.push(cached),
            None => self.lists.push(vec![cached]),
        }
    }

    /// Appends the boxes of the right part of the tree.
    pub(super) fn append(&mut self, mut right: Self) {
        self.lists.append(&mut right.lists);
    }

    pub(super) fn indexed(self) -> CachedFitIndex {
        let Self { lists } = self;
        let mut first = Vec::new();
        for (list, boxes) in lists.iter().enumerate() {
            for (number, cached) in boxes.iter().enumerate() {
                while first.len() * STEP <= cached.first as usize {
                    first.push([list as u32, number as u32]);
                }
            }
        }
        CachedFitIndex { lists, first }
    }
}

pub(super) struct CachedFitIndex {
    lists: Vec<Vec<CachedFit>>,
    /// The list and the index of the first box that begins at triangle `STEP * i` or later, for each `i`.
    first: Vec<[u32; 2]>,
}

/// Number of triangles per entry of the index; a few boxes begin among them.
const STEP: usize = 16;

impl CachedFitIndex {
    /// The words of the box around the triangles.
    pub(super) fn words(&self, triangles: &Range<usize>) -> Option<&[u32]> {
        if triangles.len() <= WIDTH {
            return None;
        }
        let [list, number] = self.first.get(triangles.start / STEP)?.map(|index| index as usize);
        let later = self.lists[list + 1..].iter().flatten();
        // Preorder.
        let place = |first: u32, end: u32| (first, Reverse(end));
        let sought = place(triangles.start as u32, triangles.end as u32);
        let found =
            self.lists[list][number..].iter().chain(later).find(|cached| place(cached.first, cached.end) >= sought)?;
        (place(found.first, found.end) == sought).then_some(&found.words)
    }
}

/// A tree's triangles in leaf order.
pub(crate) struct Triangles {
    /// The vertices that triangles use.
    pub(crate) vertices: Vec<Point3<f32>>,
    /// Vertex indices; the first one of a leaf's last triangle is marked.
    pub(crate) corners: Vec<[u32; 3]>,
    /// Index in the mesh of each triangle.
    pub(crate) faces: Vec<u32>,
}

/// The mesh's triangles in leaf order, given their faces and the ranges of the leaves.
pub(crate) fn reorder(mesh: &Mesh, faces: Vec<u32>, leaves: impl Iterator<Item = Range<usize>> + Send) -> Triangles {
    let mut corners: Vec<[u32; 3]> = parallel::map(&faces, |&face| mesh.triangles()[face as usize]);
    let used = number_by_first_use(&mut corners, mesh.vertices().len(), parallel::threads().min(PARTS));
    let vertex = |&vertex: &u32| mesh.vertices()[vertex as usize];
    let mark = || leaves.for_each(|leaf| corners[leaf.end - 1][0] |= LAST_OF_LEAF);
    let (vertices, ()) = parallel::join(|| parallel::map(&used, vertex), mark);
    Triangles { vertices, corners, faces }
}

/// Maximum number of parts whose vertices are numbered at once, because each part takes memory.
const PARTS: usize = 4;

/// Renumbers the vertices in place by first use, in `parts` parallel parts; returns the used vertices in that order.
fn number_by_first_use(corners: &mut [[u32; 3]], vertices: usize, parts: usize) -> Vec<u32> {
    let length = corners.len().div_ceil(parts).max(1);
    let parts: Vec<FirstUses> = parallel::map_chunks_mut(corners, length, |part| FirstUses::number(part, vertices));
    let mut parts = parts.into_iter();
    let mut all = parts.next().unwrap_or_default();
    // Vertices that a part has numbered itself follow those of the parts before it.
    for (corners, part) in corners.chunks_mut(length).skip(1).zip(parts) {
        let numbers: Vec<u32> = part.used.into_iter().map(|vertex| all.number_of(vertex)).collect();
        parallel::for_each_mut(corners, |_, corners| *corners = corners.map(|number| numbers[number as usize]));
    }
    all.used
}

/// Numbers for vertices, in the order of first use.
#[derive(Default)]
pub(crate) struct FirstUses {
    /// The new number of each vertex of the mesh.
    numbers: Vec<u32>,
    /// The vertices that have a number, in the order of these.
    pub(crate) used: Vec<u32>,
}

impl FirstUses {
    const UNUSED: u32 = u32::MAX;

    /// The state in which none of this number of vertices is used.
    pub(crate) fn none(vertices: usize) -> Self {
        Self { numbers: vec![Self::UNUSED; vertices], used: Vec::with_capacity(vertices) }
    }

    fn number(corners: &mut [[u32; 3]], vertices: usize) -> Self {
        let mut uses = Self::none(vertices);
        for vertex in corners.as_flattened_mut() {
            *vertex = uses.number_of(*vertex);
        }
        uses
    }

    /// The number of a vertex: the next one if this is its first use.
    pub(crate) fn number_of(&mut self, vertex: u32) -> u32 {
        let number = &mut self.numbers[vertex as usize];
        if *number == Self::UNUSED {
            *number = self.used.len() as u32;
            self.used.push(vertex);
        }
        *number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_do_not_depend_on_the_parts() {
        // A few vertices are used often, many never.
        let corner = |i: usize| (i * i * 7919 % 1013 * 3) as u32;
        let triangles: Vec<[u32; 3]> = (0..997).map(|i| [corner(i), corner(i + 5), corner(2 * i)]).collect();
        for (length, parts) in [(0, 3), (1, 3), (3, 2), (997, 1), (997, 2), (997, 3), (997, 9)] {
            let triangles = &triangles[..length];
            let mut numbered = triangles.to_vec();
            let used = number_by_first_use(&mut numbered, 3 * 1013, parts);
            let mut expected: Vec<u32> = Vec::new();
            for &vertex in triangles.as_flattened() {
                if !expected.contains(&vertex) {
                    expected.push(vertex);
                }
            }
            assert_eq!(used, expected);
            let corners: Vec<u32> = numbered.as_flattened().iter().map(|&number| used[number as usize]).collect();
            assert_eq!(corners, triangles.as_flattened());
        }
    }
}
