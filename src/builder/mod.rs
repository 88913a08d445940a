//! From a mesh to a tree: make a binary tree of the triangles, rotate it into a cheaper one, gather its nodes into wide
//! ones, fit and pack the volumes.
//!
//! | Step | Choices | Source |
//! |---|---|---|
//! | [`Builder`] | `TopDown` by `Mean`, `Midpoint`, `Median` | Gottschalk, Lin and Manocha 1996 |
//! | | `Sah`, `SahOwnVolumes` | Goldsmith and Salmon 1987; binned as in Wald 2007 |
//! | | `Ploc`, merging from below | Meister and Bittner 2018 |
//! | `rotation_passes` | passes of tree rotations | Kensler 2008 |
//! | [`Collapse`] | `LargestFirst`, by area | Wald, Benthin and Boulos 2008 |
//! | | `LeastVolume`, by dynamic programming | after Ylitie, Karras and Laine 2017 |
//! | fits | see [`fit`](crate::volume::fit) | |
//!
//! Every choice works with all kinds of volume and gives the same query results; [`Preset`](crate::Preset) makes the
//! choices for you. With any of them, the tree depends on the mesh and the options alone, not on threads.

mod binary_tree;
mod collapse;
mod emit;
mod exhaustive_sah;
mod leaf_rule;
mod oriented_split;
mod ploc;
mod rotations;
mod sah;
mod split;
mod top_down;
#[cfg(feature = "files")]
mod top_tree;
mod topology;
mod triangle_bounds;
mod wide;

use std::ops::Range;

use binary_tree::{BinaryTree, LinkedTree, Subtree};
use collapse::LeastVolumeCollapse;
use emit::{CachedFitIndex, CachedFits, Packer};
pub(crate) use emit::{FirstUses, Triangles, reorder};
use leaf_rule::LeafRule;
use nalgebra::Point3;
use oriented_split::OrientedSplitter;
use sah::{SahBounds, SahBox, SahSphere};
use split::AlignedSplitter;
use thiserror::Error;
#[cfg(feature = "files")]
pub(crate) use top_tree::{Division, Outline, TileOrder, TileRoot, TopTree, fit_outlines, moved_nodes};
pub(crate) use topology::{Below, fit_volumes};
use triangle_bounds::TriangleBounds;
use wide::WideTree;

use crate::mesh::Mesh;
use crate::options::{BuildOptions, Builder, Collapse, SplitRule};
use crate::parallel;
use crate::shape::Aabb;
use crate::simd::SimdLevel;
use crate::tree::{BvTree, Meta, Owned};
use crate::volume::fit::primitives::{self, Primitive, Ranges};
use crate::volume::{self, AreaShape, BoundingVolume, Frame, PADDING, for_kind};

/// The reason why a tree cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The options allow no triangle in a leaf.
    #[error("max_leaf_triangles is 0: a leaf holds at least one triangle")]
    EmptyLeaves,
    /// The tree would have more volumes than a file can number.
    #[error("the tree would have {volumes} volumes: at most {limit} can be numbered; allow more triangles per leaf")]
    TooLarge {
        /// Number of volumes of the tree.
        volumes: usize,
        /// Maximum number of volumes.
        limit: usize,
    },
}

impl BvTree {
    /// Builds a tree over all triangles of a mesh.
    ///
    /// The result depends on the mesh and the options alone, not on the number of threads of the rayon pool it runs in.
    ///
    /// # Errors
    /// If the options allow no triangle in a leaf, or the tree would have more volumes than a file can number.
    pub fn build(mesh: &Mesh, options: &BuildOptions) -> Result<Self, BuildError> {
        Ok(UnfittedTree::new(mesh, options)?.finish(mesh))
    }
}

/// A tree whose volumes are not fitted yet. They are fitted part by part, to keep less in memory at a time.
pub(crate) struct UnfittedTree {
    level: SimdLevel,
    /// The triangles in the tree's order.
    primitives: Vec<Primitive>,
    wide: WideTree,
    cached: CachedFitIndex,
    meta: Meta,
}

impl UnfittedTree {
    pub(crate) fn new(mesh: &Mesh, options: &BuildOptions) -> Result<Self, BuildError> {
        // One thread does everything except the digest, because allocators keep a pool of memory for each thread.
        let (tree, mesh_digest) = parallel::join(|| Self::without_digest(mesh, options), || mesh.digest());
        let mut tree = tree?;
        // Adding 0 turns -0 into 0, because the encoding of a file is unique.
        tree.meta.mesh_origin = mesh.origin().map(|x| x + 0.0);
        tree.meta.mesh_digest = mesh_digest;
        Ok(tree)
    }

    fn without_digest(mesh: &Mesh, options: &BuildOptions) -> Result<Self, BuildError> {
        Self::of_triangles(mesh.vertices(), mesh.triangles(), None, options)
    }

    /// Builds the tree of a part of a mesh in the whole mesh's `frame`, or of a whole mesh in its own frame if `frame`
    /// is `None`. Faces are the triangles' indices in the slice; the mesh's origin and digest are left at zero.
    pub(crate) fn of_triangles(
        vertices: &[Point3<f32>],
        triangles: &[[u32; 3]],
        frame: Option<Frame>,
        options: &BuildOptions,
    ) -> Result<Self, BuildError> {
        if options.max_leaf_triangles == 0 {
            return Err(BuildError::EmptyLeaves);
        }
        let level = SimdLevel::detect();
        let rule = LeafRule::new(options);
        let Arranged { binary, cached, primitives, bounds, frame } = match for_kind!(options.kind, V => V::AREA_SHAPE) {
            AreaShape::Box => Arranged::new::<SahBox>(level, vertices, triangles, frame, options, rule),
            AreaShape::Sphere => Arranged::new::<SahSphere>(level, vertices, triangles, frame, options, rule),
        };
        let (split_depth, wide) = match options.collapse {
            Collapse::LargestFirst => (binary.depth, WideTree::new(&binary, None)),
            Collapse::LeastVolume => {
                let methods = options.fit_methods();
                let measured = |subtree: Subtree, leaves: f64| {
                    let primitives = &primitives[subtree.range()];
                    for_kind!(options.kind, V => {
                        // For kinds with axes, volumes that may become leaves are measured as they are stored.
                        if V::SPLITS_ALONG_OWN_AXES && rule.may_merge(primitives.len()) {
                            leaf_rule::measure_small_obb(level, primitives, methods, &frame, leaves)
                        } else {
                            leaf_rule::measure::<<V as BoundingVolume>::Measured>(level, primitives, methods, &frame)
                        }
                    })
                };
                let collapse = LeastVolumeCollapse::new(&binary, rule, measured);
                (collapse.split_depth, WideTree::new(&binary, Some(&collapse)))
            }
        };
        let wide = wide?;
        // Freed before the next allocation, which may then reuse the memory.
        drop(binary);
        let meta = Meta {
            options: *options,
            frame,
            bounds,
            mesh_origin: Point3::origin(),
            mesh_digest: 0,
            split_depth,
            depth: wide.depth,
            leaves: wide.leaves,
            leaf_triangles_max: wide.leaf_triangles_max,
        };
        Ok(Self { level, primitives, wide, cached: cached.indexed(), meta })
    }

    /// The tree of a part of a mesh, in the frame of the whole mesh, whose bounds are given.
    #[cfg(feature = "files")]
    pub(crate) fn of_part(part: &Mesh, whole: &Aabb, options: &BuildOptions) -> Result<Self, BuildError> {
        Self::of_triangles(part.vertices(), part.triangles(), Some(Frame::of(whole)), options)
    }

    /// Fits all volumes; the mesh is that from which the tree was built.
    pub(crate) fn finish(self, mesh: &Mesh) -> BvTree {
        let pack = || {
            let mut nodes = vec![0; self.words(&self.nodes()) + PADDING];
            self.pack(self.nodes(), &mut nodes);
            nodes
        };
        let (meta, nodes, triangles);
        if parallel::threads() > 1 {
            // Numbering vertices does not divide well among threads.
            (nodes, triangles) = parallel::join(pack, || self.triangles(mesh));
            meta = self.meta;
        } else {
            nodes = pack();
            // The triangles may reuse the builder's memory.
            (meta, triangles) = self.into_triangles(mesh);
        }
        let Triangles { vertices, corners, faces } = triangles;
        let (polygons, groups) = (mesh.polygons.clone(), mesh.groups.clone());
        BvTree::from_parts(meta, Owned { nodes, vertices, corners, faces, polygons, groups })
    }

    /// All wide nodes, in the order of the file.
    pub(crate) fn nodes(&self) -> Range<usize> {
        0..self.wide.nodes()
    }

    /// All wide nodes from `first` on, in runs of about `volumes` volumes.
    pub(crate) fn parts(&self, first: usize, volumes: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        self.wide.parts(first, volumes)
    }

    pub(crate) fn volumes(&self) -> usize {
        self.wide.volumes()
    }

    pub(crate) fn words(&self, nodes: &Range<usize>) -> usize {
        let volumes = self.wide.first_child(nodes.end) - self.wide.first_child(nodes.start);
        volumes * volume::fields(self.meta.options.kind)
    }

    /// Fits the volumes of consecutive nodes and packs them into the front of `words`.
    pub(crate) fn pack(&self, nodes: Range<usize>, words: &mut [u32]) {
        let Self { level, primitives, wide, cached, meta: Meta { frame, options, .. } } = self;
        let words = &mut words[..self.words(&nodes)];
        let packer = Packer { level: *level, tree: wide, primitives, cached, frame, methods: options.fit_methods() };
        for_kind!(options.kind, V => packer.pack::<V>(nodes, words))
    }

    /// The tree's triangles, taken from the mesh that it was built from.
    fn triangles(&self, mesh: &Mesh) -> Triangles {
        emit::reorder(mesh, self.faces(), self.wide.leaf_triangles())
    }

    /// Like `triangles`, once all volumes are packed; frees everything that only packing needs.
    pub(crate) fn into_triangles(self, mesh: &Mesh) -> (Meta, Triangles) {
        let faces = self.faces();
        let Self { primitives, wide, cached, meta, .. } = self;
        drop(cached);
        // Returning much memory to the system takes time, so it runs in parallel.
        let reorder = || emit::reorder(mesh, faces, wide.leaf_triangles());
        let ((), triangles) = parallel::join(|| drop(primitives), reorder);
        (meta, triangles)
    }

    /// Index in the mesh of each primitive.
    fn faces(&self) -> Vec<u32> {
        parallel::map(&self.primitives, Primitive::face)
    }
}

/// The triangles in the order of a binary tree, and boxes that its splits have computed.
struct Arranged {
    binary: BinaryTree,
    cached: CachedFits,
    primitives: Vec<Primitive>,
    bounds: Aabb,
    frame: Frame,
}

impl Arranged {
    /// Builds the binary tree. The frame is that of the triangles' bounds if `frame` is `None`.
    fn new<S: SahBounds>(
        level: SimdLevel,
        vertices: &[Point3<f32>],
        triangles: &[[u32; 3]],
        frame: Option<Frame>,
        options: &BuildOptions,
        rule: LeafRule,
    ) -> Self {
        // The surface area heuristic splits across the coordinate axes even for oriented boxes: where the covariance
        // had no preferred direction, the boxes of the two sides had unrelated axes and overlapped, and trees split
        // across those axes were looser.
        let is_oriented = options.builder == Builder::TopDown
            && for_kind!(options.kind, V => V::SPLITS_ALONG_OWN_AXES)
            && matches!(options.split, SplitRule::Mean | SplitRule::Midpoint | SplitRule::Median);
        if is_oriented {
            return Self::oriented::<S>(level, vertices, triangles, frame, options, rule);
        }
        let mut items = triangle_bounds::gather(vertices, triangles);
        let [lower, upper] = triangle_bounds::bounds(level, &items);
        let bounds = aabb(Ranges::of_ends(lower.map(|x| -x), upper));
        let frame = frame.unwrap_or_else(|| Frame::of(&bounds));
        let mut binary = BinaryTree::new(0, Vec::new(), 0);
        if options.builder == Builder::TopDown && !items.is_empty() {
            let area_shape = for_kind!(options.kind, V => V::AREA_SHAPE);
            let splitter = AlignedSplitter { level, vertices, triangles, frame: &frame, area_shape };
            (binary, _) = top_down::build(&splitter, &mut items, options, rule);
        }
        if !items.is_empty() && (options.builder == Builder::Ploc || options.rotation_passes > 0) {
            let tree = match options.builder {
                Builder::TopDown => LinkedTree::new(&binary),
                Builder::Ploc => ploc::build::<S>(&mut items, &bounds),
            };
            let order;
            (binary, order) = rotated::<S>(tree, &items, &frame, options, rule);
            primitives::permute(&mut items, order);
        }
        let primitives = if for_kind!(options.kind, V => V::FITS_BOUNDS) {
            triangle_bounds::into_primitives(items, TriangleBounds::as_primitive)
        } else {
            triangle_bounds::into_primitives(items, |item| Primitive::of_face(vertices, triangles, item.face()))
        };
        Self { binary, cached: CachedFits::default(), primitives, bounds, frame }
    }

    /// Builds the binary tree by splits across the axes of oriented boxes.
    fn oriented<S: SahBounds>(
        level: SimdLevel,
        vertices: &[Point3<f32>],
        triangles: &[[u32; 3]],
        frame: Option<Frame>,
        options: &BuildOptions,
        rule: LeafRule,
    ) -> Self {
        let mut primitives = primitives::gather(vertices, triangles);
        let bounds = aabb(primitives::bounds(level, &primitives));
        let frame = frame.unwrap_or_else(|| Frame::of(&bounds));
        let (mut binary, mut cached) = (BinaryTree::new(0, Vec::new(), 0), CachedFits::default());
        if !primitives.is_empty() {
            let splitter = OrientedSplitter { level, frame: &frame };
            (binary, cached) = top_down::build(&splitter, &mut primitives, options, rule);
            if options.rotation_passes > 0 {
                let items: Vec<TriangleBounds> = parallel::map(&primitives, TriangleBounds::of);
                let order;
                (binary, order) = rotated::<S>(LinkedTree::new(&binary), &items, &frame, options, rule);
                primitives::permute(&mut primitives, order);
            }
        }
        Self { binary, cached, primitives, bounds, frame }
    }
}

fn aabb(Ranges { lower, upper }: Ranges) -> Aabb {
    Aabb { lower: lower.into(), upper: upper.into() }
}

/// Rotates the tree; returns it in preorder, and the order of the triangles in it.
fn rotated<S: SahBounds>(
    mut tree: LinkedTree,
    items: &[TriangleBounds],
    frame: &Frame,
    options: &BuildOptions,
    rule: LeafRule,
) -> (BinaryTree, Vec<u32>) {
    let max_depth = tree.depth_below(tree.root).max(2 * top_down::median_from(items.len())).min(options.max_depth);
    rotations::rotate::<S>(&mut tree, items, options.rotation_passes, max_depth);
    tree.flatten::<S>(items, frame, rule)
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;
    use crate::options::Preset;
    use crate::volume::VolumeKind;
    use crate::volume::tests::Random;

    fn depth_below(binary: &BinaryTree, subtree: Subtree) -> u32 {
        match binary.children(subtree) {
            Some(children) => 1 + children.map(|child| depth_below(binary, child)).into_iter().max().unwrap_or(0),
            None if subtree.is_leaf() => 0,
            None => subtree.triangles.next_power_of_two().ilog2(),
        }
    }

    #[test]
    fn a_binary_tree_is_as_deep_as_its_deepest_leaf() {
        let mut random = Random(1);
        for triangles in [1, 2, 3, 8, 9, 100, 10_000] {
            // A third of the triangles is in one place, where no plane separates them.
            let place = |random: &mut Random| match random.below(3) {
                0 => Point3::origin(),
                _ => [0; 3].map(|_| random.below(1000) as f32).into(),
            };
            let first: Vec<Point3<f32>> = (0..triangles).map(|_| place(&mut random)).collect();
            let corner = |p: &Point3<f32>, k: usize| if k < 3 { p + Vector3::ith(k, 1.0) } else { *p };
            let vertices: Vec<_> = first.iter().flat_map(|p| [3, 0, 1].map(|k| corner(p, k))).collect();
            let faces: Vec<[u32; 3]> = (0..triangles as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
            for (kind, preset) in VolumeKind::ALL.into_iter().flat_map(|kind| Preset::ALL.map(|preset| (kind, preset)))
            {
                for (builder, max_leaf_triangles) in [(Builder::TopDown, 1), (Builder::TopDown, 3), (Builder::Ploc, 2)]
                {
                    let options = BuildOptions { builder, max_leaf_triangles, ..preset.options(kind) };
                    let rule = LeafRule::new(&options);
                    let level = SimdLevel::detect();
                    let binary = Arranged::new::<SahBox>(level, &vertices, &faces, None, &options, rule).binary;
                    assert_eq!(binary.depth, depth_below(&binary, binary.root().unwrap()), "{options:?}");
                }
            }
        }
    }
}
