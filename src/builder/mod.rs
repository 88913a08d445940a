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
//! Every choice serves all kinds of volume and gives the same answers to queries; [`Preset`](crate::Preset) makes
//! them for you. Whichever it is, the tree depends on the mesh and the options alone, not on threads.

mod binary_tree;
mod collapse;
mod emit;
mod exhaustive_sah;
mod leaf_rule;
mod ploc;
mod rotations;
mod sah;
mod split;
mod top_down;
#[cfg(feature = "files")]
mod top_tree;
mod topology;
mod wide;

use std::ops::Range;

use binary_tree::{BinaryTree, LinkedTree, Subtree};
use collapse::LeastVolumeCollapse;
use emit::{CachedFitIndex, CachedFits, Packer};
pub(crate) use emit::{FirstUses, Triangles, reorder};
use leaf_rule::LeafRule;
use nalgebra::Point3;
use sah::{SahBounds, SahBox, SahSphere};
use thiserror::Error;
#[cfg(feature = "files")]
pub(crate) use top_tree::{Division, Outline, TileOrder, TileRoot, TopTree, fit_outlines, moved_nodes};
pub(crate) use topology::{Below, fit_volumes};
use wide::WideTree;

use crate::mesh::Mesh;
use crate::options::{BuildOptions, Builder, Collapse};
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
    /// If the options allow no triangle in a leaf, or the tree would outgrow the format's numbering.
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

    /// The tree of a part of a mesh, in the whole mesh's frame, or of a whole mesh in its own. Faces are the triangles'
    /// indices in the slice; origin and digest are left out.
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
        let mut primitives = primitives::gather(vertices, triangles);
        let Ranges { lower, upper } = primitives::bounds(level, &primitives);
        let bounds = Aabb { lower: lower.into(), upper: upper.into() };
        let frame = frame.unwrap_or_else(|| Frame::of(&bounds));
        let rule = LeafRule::new(options);
        let (binary, cached) = match for_kind!(options.kind, V => V::AREA_SHAPE) {
            AreaShape::Box => binary_tree::<SahBox>(level, &mut primitives, &bounds, &frame, options, rule),
            AreaShape::Sphere => binary_tree::<SahSphere>(level, &mut primitives, &bounds, &frame, options, rule),
        };
        let (split_depth, wide) = match options.collapse {
            Collapse::LargestFirst => parallel::join(|| binary.depth(), || WideTree::new(&binary, None)),
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

    /// All wide nodes from one on, in runs of about this number of volumes.
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

    /// Fits the volumes of consecutive nodes and packs them into the first of the words.
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

    /// Like `triangles`, once all volumes are packed, with less memory.
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

/// The binary tree, and boxes that its splits have computed; sorts the primitives into its order.
fn binary_tree<S: SahBounds>(
    level: SimdLevel,
    primitives: &mut Vec<Primitive>,
    bounds: &Aabb,
    frame: &Frame,
    options: &BuildOptions,
    rule: LeafRule,
) -> (BinaryTree, CachedFits) {
    if primitives.is_empty() {
        return (BinaryTree::new(0, Vec::new()), CachedFits::default());
    }
    let mut tree = match options.builder {
        Builder::TopDown => {
            let (binary, cached) = top_down::build(level, primitives, frame, options, rule);
            if options.rotation_passes == 0 {
                return (binary, cached);
            }
            LinkedTree::new(&binary)
        }
        Builder::Ploc => ploc::build::<S>(primitives, bounds),
    };
    let max_depth = tree.depth_below(tree.root).max(2 * top_down::median_from(primitives.len())).min(options.max_depth);
    rotations::rotate::<S>(&mut tree, primitives, options.rotation_passes, max_depth);
    (tree.flatten::<S>(primitives, rule), CachedFits::default())
}
