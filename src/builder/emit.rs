//! Emits the tree: fits and packs the volumes of wide nodes, and puts the triangles into leaf order over vertices in
//! order of first use.
//!
//! Boxes that splits have computed are cached in [`CachedFits`] and not fitted again. Volumes of a kind that follow
//! from the volumes below, as AABBs do, need each triangle only for its leaf and for a few nodes at the ends of runs.
//! Volumes of other kinds are fitted to all triangles of each node.

use std::cmp::Reverse;
use std::marker::PhantomData;
use std::ops::Range;

use nalgebra::Point3;
use smallvec::SmallVec;

use super::wide::{WideChild, WideTree};
use crate::mesh::Mesh;
use crate::parallel;
use crate::simd::{Simd, SimdLevel, dispatched};
use crate::tree::LAST_OF_LEAF;
use crate::volume::fit::primitives::by_blocks;
use crate::volume::fit::{FitMethods, LeafBoxes, Primitive, SMALL_SET};
use crate::volume::{
    BoundingVolume, FitFromBelow, FittedBox, Frame, FromBelow, FromVertices, MAX_FIELDS, PackedObb, WIDTH,
};

/// If one of the children of a node that are fitted one by one has more triangles than this, they are fitted in
/// parallel; otherwise one thread fits them in turn.
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
    pub(super) fn pack<V: BoundingVolume<FitMethod: PackMethod>>(&self, nodes: Range<usize>, words: &mut [u32]) {
        if nodes.len() > V::FitMethod::NODES {
            let middle = nodes.start + nodes.len() / 2;
            let children = self.tree.first_child(middle) - self.tree.first_child(nodes.start);
            let (left, right) = words.split_at_mut(children * V::FIELDS);
            parallel::join(|| self.pack::<V>(nodes.start..middle, left), || self.pack::<V>(middle..nodes.end, right));
            return;
        }
        V::FitMethod::pack(self, nodes, words);
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
        write_rows(&rows[..V::FIELDS], children.len(), words);
    }

    /// The volumes of the children that are single triangles, if the kind can fit them together; other lanes are
    /// unspecified.
    fn leaves<V: BoundingVolume>(&self, children: &[WideChild]) -> Option<LeafBoxes> {
        let is_single = |child: &&WideChild| child.triangles.len() == 1;
        let first = children.iter().find(is_single)?;
        let triangle = |lane| &self.primitives[children.get(lane).filter(is_single).unwrap_or(first).triangles.start];
        V::fit_leaves(self.level, triangle, self.methods, self.frame)
    }
}

/// Writes the rows of a node.
#[inline(always)]
fn write_rows(rows: &[[u32; WIDTH]], children: usize, words: &mut [u32]) {
    for (i, row) in rows.iter().enumerate() {
        let begin = i * children;
        // Writes whole rows where they fit; the next row overwrites the excess. Copying only the needed words would
        // take a call.
        match words.get_mut(begin..begin + WIDTH) {
            Some(words) => words.copy_from_slice(row),
            None => words[begin..begin + children].copy_from_slice(&row[..children]),
        }
    }
}

/// The two ways to fit the volumes of a run of nodes.
pub(super) trait PackMethod {
    /// Maximum number of nodes that one thread packs at a time.
    const NODES: usize;

    fn pack(packer: &Packer<'_>, nodes: Range<usize>, words: &mut [u32]);
}

/// Each volume is fitted to all of its triangles.
impl<V: BoundingVolume> PackMethod for FromVertices<V> {
    /// Within a run of this many nodes, volumes of few triangles are fitted together.
    const NODES: usize = 1 << 8;

    fn pack(packer: &Packer<'_>, nodes: Range<usize>, words: &mut [u32]) {
        let (mut begin, mut small) = (0, Vec::new());
        for node in nodes {
            let children: SmallVec<[WideChild; WIDTH]> = packer.tree.children(node).collect();
            let end = begin + children.len() * V::FIELDS;
            let at = begin;
            packer.node::<V>(&children, &mut words[begin..end], |lane, triangles| {
                small.push(SmallNode { triangles, first: at + lane, stride: children.len() });
            });
            begin = end;
        }
        packer.small_nodes::<V>(small, words);
    }
}

/// Volumes follow from those below.
impl<V: FitFromBelow> PackMethod for FromBelow<V> {
    /// A child whose node is in another run is fitted to all of its triangles: in a mesh of 100,000 triangles, each
    /// triangle is read by about two such fits.
    const NODES: usize = 1 << 7;

    fn pack(packer: &Packer<'_>, nodes: Range<usize>, words: &mut [u32]) {
        pack_from_below(packer.level, PhantomData::<V>, packer, nodes, words);
    }
}

dispatched! {
    fn pack_from_below[V: FitFromBelow](_v: PhantomData<V>, packer: &Packer<'_>, nodes: Range<usize>, words: &mut [u32])
        -> () = |s| pack_from_below_by::<_, V>(s, packer, nodes, words);
    fn around_block[V: FitFromBelow](_v: PhantomData<V>, primitives: &[Primitive], frame: &Frame) -> V::Exact =
        |s| V::around(s, primitives, frame);
}

#[inline(always)]
fn pack_from_below_by<S: Simd, V: FitFromBelow>(s: S, packer: &Packer<'_>, nodes: Range<usize>, words: &mut [u32]) {
    let &Packer { level, tree, primitives, frame, .. } = packer;
    let mut rows = [[0; WIDTH]; MAX_FIELDS];
    // The bounds of the nodes whose parents have not been visited yet. In file order, a node's children follow it, the
    // first one directly.
    let (mut below, mut end) = (Vec::new(), words.len());
    for node in nodes.rev() {
        let mut children = SmallVec::<[V::Exact; WIDTH]>::new();
        for (lane, WideChild { triangles, below: reference }) in tree.children(node).enumerate() {
            let triangles = &primitives[triangles];
            let known = if reference.is_leaf() { None } else { below.pop() };
            children.push(match known {
                Some(bounds) => bounds,
                None if triangles.len() <= WIDTH => V::around(s, triangles, frame),
                // A node beyond the run, or a large leaf.
                None => by_blocks(triangles, |block| around_block(level, PhantomData::<V>, block, frame), V::joined),
            });
            rows[V::FIELDS - 1][lane & 7] = reference.to_word();
        }
        below.push(V::pack_exact(s, &children, frame, &mut rows));
        let begin = end - children.len() * V::FIELDS;
        write_rows(&rows[..V::FIELDS], children.len(), &mut words[begin..end]);
        end = begin;
    }
}

/// Boxes that splits have computed, in preorder: a node's box before the boxes below it, the left side first. They are
/// kept in several lists, so that results of several threads are joined without moving them.
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
    /// Adds a box, unless it has at most [`WIDTH`] triangles, which become the leaves of one node.
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
    /// The words of the cached box around the triangles; `None` if it is not cached.
    pub(super) fn words(&self, triangles: &Range<usize>) -> Option<&[u32]> {
        if triangles.len() <= WIDTH {
            return None;
        }
        let [list, number] = self.first.get(triangles.start / STEP)?.map(|index| index as usize);
        let later = self.lists[list + 1..].iter().flatten();
        // This key sorts boxes in preorder.
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
    /// Vertex indices; the first one of a leaf's last triangle is marked by `LAST_OF_LEAF`.
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

/// Maximum number of parts whose vertices are numbered in parallel, because each part takes memory.
const PARTS: usize = 4;

/// Renumbers the vertices in place by first use, in `parts` parallel parts; returns the used vertices in that order.
fn number_by_first_use(corners: &mut [[u32; 3]], vertices: usize, parts: usize) -> Vec<u32> {
    let length = corners.len().div_ceil(parts).max(1);
    let parts: Vec<FirstUses> = parallel::map_chunks_mut(corners, length, |part| FirstUses::number(part, vertices));
    let mut parts = parts.into_iter();
    let mut all = parts.next().unwrap_or_default();
    // Vertices first used in a part follow those of the parts before it.
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
    /// The vertices that have a number, in the order of their numbers.
    pub(crate) used: Vec<u32>,
}

impl FirstUses {
    const UNUSED: u32 = u32::MAX;

    /// The state before any of `vertices` vertices is used.
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
    use crate::builder::topology::Below;
    use crate::options::BuildOptions;
    use crate::volume::fit::primitives::soup;
    use crate::volume::tests::Random;
    use crate::volume::{PackedAabb, PackedKDop};

    /// Adds a node's children and all that is below them.
    fn add_children(volumes: &mut Vec<Below>, children: usize, levels: u32, random: &mut Random) {
        let first = volumes.len();
        for _ in 0..children {
            let is_leaf = levels == 0 || random.below(4) == 0;
            let (triangles, children) = (1 + random.below(3), 2 + random.below(7));
            volumes.push(if is_leaf { Below::Leaf { triangles } } else { Below::Node { children } });
        }
        for child in first..first + children {
            if let Below::Node { children } = volumes[child] {
                add_children(volumes, children, levels - 1, random);
            }
        }
    }

    /// Packing from the bounds of the volumes below gives the same words as fitting each volume to all of its
    /// triangles.
    fn all_are_fitted_alike<V: FitFromBelow + BoundingVolume<FitMethod = FromBelow<V>>>(volumes: &[Below], scale: f32) {
        let leaf = |below: &Below| if let Below::Leaf { triangles } = below { *triangles } else { 0 };
        let triangles: usize = volumes.iter().map(leaf).sum();
        let tree = WideTree::of_volumes(volumes, triangles).unwrap();
        let mut random = Random(2);
        let primitives = soup(triangles as u32, |_| [0; 3].map(|_| scale * (random.below(1000) as f32 - 500.0)).into());
        let frame = Frame { origin: Point3::new(0.3, 0.1, 0.2) * f64::from(scale), unit: 1024.0 * f64::from(scale) };
        let (cached, methods) = (CachedFits::default().indexed(), BuildOptions::default().fit_methods());
        for level in SimdLevel::available() {
            let packer =
                Packer { level, tree: &tree, primitives: &primitives, cached: &cached, frame: &frame, methods };
            let [mut words, mut expected] = [vec![0; volumes.len() * V::FIELDS], vec![0; volumes.len() * V::FIELDS]];
            packer.pack::<V>(0..tree.nodes(), &mut words);
            FromVertices::<V>::pack(&packer, 0..tree.nodes(), &mut expected);
            assert_eq!(words, expected, "{level}, {} nodes", tree.nodes());
        }
    }

    #[test]
    fn volumes_from_those_below_are_those_of_all_triangles() {
        // Less than one run of nodes, and several, with children beyond their run.
        for levels in [0, 1, 2, 4, 5] {
            let mut volumes = vec![Below::Node { children: 8 }];
            add_children(&mut volumes, 8, levels, &mut Random(u64::from(levels)));
            for scale in [1.0, 2f32.powi(-100), 2f32.powi(100)] {
                all_are_fitted_alike::<PackedAabb>(&volumes, scale);
                all_are_fitted_alike::<PackedKDop>(&volumes, scale);
            }
        }
    }

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
