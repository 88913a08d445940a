//! The tree that users hold: packed nodes, the triangles they end in, and where those came from.

mod components;
mod defect;
mod structure;
mod to_mesh;
mod validate;
mod walk;

use std::fmt;
use std::ops::Range;
use std::sync::OnceLock;

use memmap2::Mmap;
use nalgebra::Point3;

use crate::build::{self, BuildError, BuildOptions};
use crate::mesh::{Group, Mesh};
use crate::packed::Frame;
use crate::probe::{Boundary, Patches};
use crate::shape::Aabb;
use crate::volume::VolumeKind;

pub(crate) use components::Components;
pub use defect::TreeDefect;
pub(crate) use structure::check as check_structure;
pub use walk::NodeInfo;

/// Marks, in its first corner, the last triangle of a leaf.
pub(crate) const LAST_OF_LEAF: u32 = 1 << 31;

/// A bounding-volume tree of one mesh, with the mesh's triangles. It never changes: share it among threads.
///
/// An empty mesh gives a tree without nodes, which touches nothing.
pub struct BvTree {
    meta: Meta,
    storage: Storage,
    boundary: OnceLock<Boundary>,
    components: OnceLock<Components>,
    patches: OnceLock<Patches>,
}

/// What a tree knows about itself besides its nodes and triangles.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Meta {
    pub(crate) options: BuildOptions,
    pub(crate) frame: Frame,
    pub(crate) bounds: Aabb,
    pub(crate) mesh_digest: u128,
    /// Splits between the root and the deepest leaf.
    pub(crate) split_depth: u32,
    /// Levels of stored volumes below the root.
    pub(crate) depth: u32,
    pub(crate) leaves: usize,
    pub(crate) leaf_triangles_max: usize,
}

/// The arrays of a tree that was built here.
pub(crate) struct Owned {
    pub(crate) nodes: Vec<u32>,
    pub(crate) vertices: Vec<Point3<f32>>,
    pub(crate) corners: Vec<[u32; 3]>,
    pub(crate) faces: Vec<u32>,
    pub(crate) polygons: Vec<u32>,
    pub(crate) groups: Vec<Group>,
}

/// Where the arrays of an opened file lie in it; checked when it was opened.
pub(crate) struct Mapped {
    pub(crate) map: Mmap,
    pub(crate) nodes: Range<usize>,
    pub(crate) vertices: Range<usize>,
    pub(crate) corners: Range<usize>,
    pub(crate) faces: Range<usize>,
    pub(crate) polygons: Range<usize>,
    pub(crate) groups: Vec<Group>,
}

enum Storage {
    Owned(Owned),
    Mapped(Mapped),
}

/// A tree's arrays in place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    /// Words of the packed nodes, the root first, padding last.
    pub(crate) nodes: &'a [u32],
    pub(crate) vertices: &'a [Point3<f32>],
    /// Corner indices in leaf order; [`LAST_OF_LEAF`] marks some first corners.
    pub(crate) corners: &'a [[u32; 3]],
    /// Index in the mesh of each triangle in leaf order.
    pub(crate) faces: &'a [u32],
    /// Polygon of the source file for each triangle of the mesh; empty when they are the same.
    pub(crate) polygons: &'a [u32],
}

impl fmt::Debug for BvTree {
    /// What it is, not its arrays.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BvTree")
            .field("triangles", &self.triangle_count())
            .field("nodes", &self.node_count())
            .field("meta", &self.meta)
            .finish_non_exhaustive()
    }
}

impl BvTree {
    /// Builds a tree over all triangles of a mesh.
    ///
    /// The result depends on the mesh and the options alone, not on the number of threads of the rayon pool it runs in.
    ///
    /// # Errors
    /// If the options allow no triangle in a leaf, or the tree would outgrow the format's numbering.
    pub fn build(mesh: &Mesh, options: &BuildOptions) -> Result<Self, BuildError> {
        build::build(mesh, options)
    }

    pub(crate) fn from_parts(meta: Meta, arrays: Owned) -> Self {
        Self::new(meta, Storage::Owned(arrays))
    }

    pub(crate) fn from_file(meta: Meta, arrays: Mapped) -> Self {
        Self::new(meta, Storage::Mapped(arrays))
    }

    fn new(meta: Meta, storage: Storage) -> Self {
        Self { meta, storage, boundary: OnceLock::new(), components: OnceLock::new(), patches: OnceLock::new() }
    }

    /// The kind of volume.
    pub fn volume(&self) -> VolumeKind {
        self.meta.options.volume
    }

    /// The options it was built with.
    pub fn options(&self) -> &BuildOptions {
        &self.meta.options
    }

    /// The mesh's axis-aligned box; empty for an empty mesh.
    pub fn bounds(&self) -> &Aabb {
        &self.meta.bounds
    }

    /// How many triangles the mesh has.
    pub fn triangle_count(&self) -> usize {
        self.view().corners.len()
    }

    /// How many volumes are stored, the root's and the leaves' included.
    pub fn node_count(&self) -> usize {
        (self.view().nodes.len() - crate::packed::PADDING) / crate::packed::fields(self.volume())
    }

    /// Levels of stored volumes below the root; each level divides by up to eight.
    pub fn depth(&self) -> u32 {
        self.meta.depth
    }

    /// Binary splits between the root and the deepest leaf: what [`BuildOptions::max_depth`] bounds.
    pub fn split_depth(&self) -> u32 {
        self.meta.split_depth
    }

    /// How many leaves the tree has.
    pub fn leaf_count(&self) -> usize {
        self.meta.leaves
    }

    /// Triangles in the fullest leaf.
    pub fn leaf_triangles_max(&self) -> usize {
        self.meta.leaf_triangles_max
    }

    /// Groups of the source file: runs of triangles, in file order. Empty if it had none.
    pub fn groups(&self) -> &[Group] {
        match &self.storage {
            Storage::Owned(arrays) => &arrays.groups,
            Storage::Mapped(arrays) => &arrays.groups,
        }
    }

    /// The polygon of the source file that a triangle was cut from; the triangle itself where they are the same, or
    /// where there is no such triangle.
    pub fn polygon(&self, face: u32) -> u32 {
        self.view().polygons.get(face as usize).copied().unwrap_or(face)
    }

    /// Digest of the mesh the tree was built from; see [`Mesh::digest`].
    pub fn mesh_digest(&self) -> u128 {
        self.meta.mesh_digest
    }

    /// Whether the mesh is closed, and oriented. Found out when first asked, in O(n log n) time, and then kept.
    pub fn boundary(&self) -> Boundary {
        *self.boundary.get_or_init(|| Boundary::of(self))
    }

    /// The connected components. Found out when first asked, in O(n log n) time, and then kept.
    pub(crate) fn components(&self) -> &Components {
        self.components.get_or_init(|| Components::of(self))
    }

    /// What [`crate::probe::winding_number`] sums up. Found out when first asked, and then kept.
    pub(crate) fn patches(&self) -> &Patches {
        self.patches.get_or_init(|| Patches::of(self))
    }

    pub(crate) fn meta(&self) -> &Meta {
        &self.meta
    }

    pub(crate) fn view(&self) -> View<'_> {
        match &self.storage {
            Storage::Owned(arrays) => arrays.view(),
            Storage::Mapped(arrays) => arrays.view(),
        }
    }
}

impl Owned {
    pub(crate) fn view(&self) -> View<'_> {
        View {
            nodes: &self.nodes,
            vertices: &self.vertices,
            corners: &self.corners,
            faces: &self.faces,
            polygons: &self.polygons,
        }
    }
}

impl Mapped {
    pub(crate) fn view(&self) -> View<'_> {
        View {
            nodes: bytemuck::cast_slice(&self.map[self.nodes.clone()]),
            vertices: bytemuck::cast_slice(&self.map[self.vertices.clone()]),
            corners: bytemuck::cast_slice(&self.map[self.corners.clone()]),
            faces: bytemuck::cast_slice(&self.map[self.faces.clone()]),
            polygons: bytemuck::cast_slice(&self.map[self.polygons.clone()]),
        }
    }
}

impl<'a> View<'a> {
    /// The triangles of a leaf, by their places in leaf order.
    #[inline(always)]
    pub(crate) fn leaf(&self, first: usize) -> Range<usize> {
        let mut last = first;
        while self.corners[last][0] & LAST_OF_LEAF == 0 {
            last += 1;
        }
        first..last + 1
    }

    /// A triangle's vertices, by its place in leaf order.
    #[inline(always)]
    pub(crate) fn triangle(&self, place: usize) -> [&'a Point3<f32>; 3] {
        let [a, b, c] = self.corners[place];
        [a & !LAST_OF_LEAF, b, c].map(|vertex| &self.vertices[vertex as usize])
    }
}
