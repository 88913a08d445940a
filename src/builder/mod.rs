//! From a mesh to a tree: make a binary tree of the triangles, rotate it into a cheaper one, gather its nodes into wide
//! ones, fit and pack the volumes.
//!
//! | Step | Choices | Source |
//! |---|---|---|
//! | [`Builder`] | `TopDown`, by a [`SplitRule`](crate::SplitRule): `Mean`, `Midpoint`, `Median` | OBBTree: Gottschalk, Lin and Manocha 1996 |
//! | | `Sah`, `SahOwnVolumes` | Goldsmith and Salmon 1987; binned as in Wald 2007 |
//! | | `Ploc`, merging from below | Meister and Bittner 2018 |
//! | `rotation_passes` | passes of tree rotations | Kensler 2008 |
//! | [`Collapse`] | `LargestFirst`, by area | Wald, Benthin and Boulos 2008 |
//! | | `LeastVolume`, by dynamic programming | after Ylitie, Karras and Laine 2017 |
//! | fits | see [`fit`](crate::volume::fit) | |
//!
//! Every choice serves all three kinds of volume and gives the same answers to queries; [`Preset`](crate::Preset) makes
//! them for you. Whichever it is, the tree depends on the mesh and the options alone, not on threads.

mod binary;
mod cached_fits;
mod collapse;
mod error;
mod exhaustive_sah;
mod linked;
mod measure;
mod pack;
mod partition;
mod ploc;
mod rotations;
mod sah;
mod sah_bounds;
mod sides;
mod split;
mod split_volume;
mod top_down;
mod triangles;
mod wide;

pub use error::BuildError;

use std::ops::Range;

use binary::{Binary, Place};
use cached_fits::{KeptBoxes, KeptIndex};
use collapse::LeastVolume;
use linked::Linked;
use pack::Packer;
use sah_bounds::{SahBounds, SahBox, SahSphere};
pub(crate) use triangles::{Triangles, reorder};
use wide::Plan;

use crate::mesh::Mesh;
use crate::options::{BuildOptions, Builder, Collapse};
use crate::parallel;
use crate::shape::Aabb;
use crate::simd::SimdLevel;
use crate::tree::{BvTree, Meta, Owned};
use crate::volume::fit::{Primitive, gather, kernels};
use crate::volume::{self, AreaShape, BoundingVolume, Frame, PADDING, for_kind};

impl BvTree {
    /// Builds a tree over all triangles of a mesh.
    ///
    /// The result depends on the mesh and the options alone, not on the number of threads of the rayon pool it runs in.
    ///
    /// # Errors
    /// If the options allow no triangle in a leaf, or the tree would outgrow the format's numbering.
    pub fn build(mesh: &Mesh, options: &BuildOptions) -> Result<Self, BuildError> {
        let planned = Planned::new(mesh, options)?;
        let pack = || {
            let mut nodes = vec![0; planned.words(&planned.nodes()) + PADDING];
            planned.pack(planned.nodes(), &mut nodes);
            nodes
        };
        let (meta, nodes, triangles);
        if parallel::threads() > 1 {
            // Numbering vertices divides badly.
            (nodes, triangles) = parallel::join(pack, || planned.triangles(mesh));
            meta = planned.meta;
        } else {
            nodes = pack();
            // These may have the builder's memory.
            (meta, triangles) = planned.into_triangles(mesh);
        }
        let Triangles { vertices, corners, faces } = triangles;
        let (polygons, groups) = (mesh.polygons.clone(), mesh.groups.clone());
        Ok(Self::from_parts(meta, Owned { nodes, vertices, corners, faces, polygons, groups }))
    }
}

/// A tree of which everything is known but its volumes: they are fitted part by part, so that they need not be in
/// memory together with what they are fitted to.
pub(crate) struct Planned {
    level: SimdLevel,
    /// In the tree's order.
    primitives: Vec<Primitive>,
    plan: Plan,
    kept: KeptIndex,
    meta: Meta,
}

impl Planned {
    pub(crate) fn new(mesh: &Mesh, options: &BuildOptions) -> Result<Self, BuildError> {
        if options.max_leaf_triangles == 0 {
            return Err(BuildError::EmptyLeaves);
        }
        // One thread does all but the digest: allocators keep a pool for each, so that what one has freed may not serve
        // another.
        let (planned, mesh_digest) = parallel::join(|| Self::without_digest(mesh, options), || mesh.digest());
        let mut planned = planned?;
        planned.meta.mesh_digest = mesh_digest;
        Ok(planned)
    }

    fn without_digest(mesh: &Mesh, options: &BuildOptions) -> Result<Self, BuildError> {
        let level = SimdLevel::detect();
        let mut primitives = gather(mesh.vertices(), mesh.triangles());
        let kernels::Ranges { lower, upper } = kernels::bounds(level, &primitives);
        let bounds = Aabb { lower: lower.into(), upper: upper.into() };
        let frame = Frame::of(&bounds);
        let finest = match options.collapse {
            Collapse::LargestFirst => *options,
            // Which triangles share a leaf is decided by volume, from below.
            Collapse::LeastVolume => BuildOptions { max_leaf_triangles: 1, ..*options },
        };
        let (binary, kept) = match for_kind!(options.kind, V => V::AREA_SHAPE) {
            AreaShape::Box => binary_tree::<SahBox>(level, &mut primitives, &bounds, &frame, &finest),
            AreaShape::Sphere => binary_tree::<SahSphere>(level, &mut primitives, &bounds, &frame, &finest),
        };
        let (split_depth, plan) = match options.collapse {
            Collapse::LargestFirst => parallel::join(|| binary.depth(), || Plan::new(&binary, None)),
            Collapse::LeastVolume => {
                let few = options.max_leaf_triangles as usize;
                let methods = options.fit_methods();
                let measured = |place: Place, leaves: f64| {
                    let primitives = &primitives[place.range()];
                    for_kind!(options.kind, V => {
                        // Of kinds with axes, the volumes that may become leaves are measured as they are stored.
                        if V::SPLITS_ALONG_OWN_AXES && primitives.len() <= few {
                            measure::measure_few(level, primitives, methods, &frame, leaves)
                        } else {
                            measure::measure::<<V as BoundingVolume>::Measured>(level, primitives, methods, &frame)
                        }
                    })
                };
                let collapse = LeastVolume::new(&binary, options.max_leaf_triangles, measured);
                (collapse.split_depth, Plan::new(&binary, Some(&collapse)))
            }
        };
        let plan = plan?;
        // Before more is allocated, which then may have its memory.
        drop(binary);
        let meta = Meta {
            options: *options,
            frame,
            bounds,
            // Without a -0, for a file has one encoding.
            mesh_origin: mesh.origin().map(|x| x + 0.0),
            mesh_digest: 0,
            split_depth,
            depth: plan.depth,
            leaves: plan.leaves,
            leaf_triangles_max: plan.leaf_triangles_max,
        };
        Ok(Self { level, primitives, plan, kept: kept.indexed(), meta })
    }

    /// All wide nodes, in the order of the file.
    pub(crate) fn nodes(&self) -> Range<usize> {
        0..self.plan.nodes()
    }

    /// All wide nodes in runs of so many volumes, or a few more.
    pub(crate) fn parts(&self, volumes: usize) -> impl Iterator<Item = Range<usize>> + '_ {
        self.plan.parts(volumes)
    }

    pub(crate) fn volumes(&self) -> usize {
        self.plan.volumes()
    }

    /// How many words consecutive nodes take.
    pub(crate) fn words(&self, nodes: &Range<usize>) -> usize {
        let volumes = self.plan.first_child(nodes.end) - self.plan.first_child(nodes.start);
        volumes * volume::fields(self.meta.options.kind)
    }

    /// Fits the volumes of consecutive nodes and packs them into the first of the words.
    pub(crate) fn pack(&self, nodes: Range<usize>, words: &mut [u32]) {
        let Self { level, primitives, plan, kept, meta: Meta { frame, options, .. } } = self;
        let words = &mut words[..self.words(&nodes)];
        let packer = Packer { level: *level, plan, primitives, kept, frame, methods: options.fit_methods() };
        for_kind!(options.kind, V => packer.pack::<V>(nodes, words))
    }

    /// The tree's triangles, of the mesh that it was planned for.
    fn triangles(&self, mesh: &Mesh) -> Triangles {
        triangles::reorder(mesh, self.faces(), self.plan.leaf_triangles())
    }

    /// The same when all volumes are packed, with less memory.
    pub(crate) fn into_triangles(self, mesh: &Mesh) -> (Meta, Triangles) {
        let faces = self.faces();
        let Self { primitives, plan, kept, meta, .. } = self;
        drop(kept);
        // Giving much memory back takes a while.
        let reorder = || triangles::reorder(mesh, faces, plan.leaf_triangles());
        let ((), triangles) = parallel::join(|| drop(primitives), reorder);
        (meta, triangles)
    }

    /// Index in the mesh of each primitive.
    fn faces(&self) -> Vec<u32> {
        parallel::map(&self.primitives, Primitive::face)
    }
}

/// The binary tree, and boxes that are known already; brings the primitives into its order.
fn binary_tree<S: SahBounds>(
    level: SimdLevel,
    primitives: &mut Vec<Primitive>,
    bounds: &Aabb,
    frame: &Frame,
    options: &BuildOptions,
) -> (Binary, KeptBoxes) {
    if primitives.is_empty() {
        return (Binary::new(0, Vec::new()), KeptBoxes::default());
    }
    let mut tree = match options.builder {
        Builder::TopDown => {
            let (binary, kept) = top_down::build(level, primitives, frame, options);
            if options.rotation_passes == 0 {
                return (binary, kept);
            }
            Linked::new(&binary)
        }
        Builder::Ploc => ploc::build::<S>(primitives, bounds),
    };
    let max_depth = tree.depth_below(tree.root).max(2 * top_down::median_from(primitives.len())).min(options.max_depth);
    rotations::rotate::<S>(&mut tree, primitives, options.rotation_passes, max_depth);
    (tree.flatten::<S>(primitives, options), KeptBoxes::default())
}
