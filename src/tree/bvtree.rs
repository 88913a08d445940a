//! The tree that users hold, and what is found out about its mesh when first asked.

use std::fmt;
use std::sync::OnceLock;

use super::arrays::{InFile, Owned};
use super::meta::Meta;
use super::view::View;
use super::winding_tree::WindingTree;
use crate::mesh::{Components, Group, Watertightness};
use crate::options::BuildOptions;
use crate::parallel::Sorting;
use crate::shape::Aabb;
use crate::volume;
use crate::volume::VolumeKind;

/// A bounding-volume tree of one mesh, with the mesh's triangles. It never changes: share it among threads. Where the
/// mesh deforms, a [`DeformingTree`](crate::refit::DeformingTree) has one that follows.
///
/// An empty mesh gives a tree without nodes, which touches nothing.
#[doc(alias = "BVH")]
#[doc(alias = "bounding volume hierarchy")]
#[doc(alias = "OBBTree")]
#[doc(alias = "BVHModel")]
pub struct BvTree {
    meta: Meta,
    storage: Storage,
    watertightness: OnceLock<Watertightness>,
    components: OnceLock<Components>,
    winding: OnceLock<WindingTree>,
}

enum Storage {
    Owned(Owned),
    InFile(InFile),
}

/// Of a mesh without triangles.
impl Default for BvTree {
    fn default() -> Self {
        let bounds = Aabb::empty();
        let meta = Meta {
            options: BuildOptions::default(),
            frame: volume::Frame::of(&bounds),
            bounds,
            mesh_digest: 0,
            mesh_origin: nalgebra::Point3::origin(),
            split_depth: 0,
            depth: 0,
            leaves: 0,
            leaf_triangles_max: 0,
        };
        Self::from_parts(meta, Owned { nodes: vec![0; volume::PADDING], ..Owned::default() })
    }
}

/// A copy in memory of its own, also of a tree in a file.
impl Clone for BvTree {
    fn clone(&self) -> Self {
        let arrays = match &self.storage {
            Storage::Owned(arrays) => arrays.clone(),
            Storage::InFile(arrays) => arrays.to_owned(),
        };
        Self::from_parts(self.meta.clone(), arrays)
    }
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
    pub(crate) fn from_parts(meta: Meta, arrays: Owned) -> Self {
        Self::new(meta, Storage::Owned(arrays))
    }

    pub(crate) fn in_file(meta: Meta, arrays: InFile) -> Self {
        Self::new(meta, Storage::InFile(arrays))
    }

    fn new(meta: Meta, storage: Storage) -> Self {
        Self { meta, storage, watertightness: OnceLock::new(), components: OnceLock::new(), winding: OnceLock::new() }
    }

    /// The kind of volume.
    pub fn kind(&self) -> VolumeKind {
        self.meta.options.kind
    }

    /// The options it was built with.
    pub fn options(&self) -> &BuildOptions {
        &self.meta.options
    }

    /// The mesh's axis-aligned box; empty for an empty mesh.
    #[inline]
    pub fn bounds(&self) -> &Aabb {
        &self.meta.bounds
    }

    /// How many triangles the mesh has.
    pub fn triangle_count(&self) -> usize {
        self.view().corners.len()
    }

    /// How many volumes are stored, the root's and the leaves' included: the children of all eight-wide nodes, and the
    /// root. The wide nodes are fewer, as many as volumes that are no leaves.
    pub fn node_count(&self) -> usize {
        (self.view().nodes.len() - volume::PADDING) / volume::fields(self.kind())
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

    /// Groups of the source file (`g` of OBJ, materials, nodes of glTF): runs of triangles, in file order. Empty if it
    /// had none.
    pub fn groups(&self) -> &[Group] {
        match &self.storage {
            Storage::Owned(arrays) => &arrays.groups,
            Storage::InFile(arrays) => &arrays.groups,
        }
    }

    /// The group that a triangle belongs to, by its face number as answers have it; `None` before the first group, and
    /// where there is no such triangle.
    ///
    /// ```
    /// # use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query};
    /// let mesh = Mesh::read_obj("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\ng floor\nf 1 2 3\ng wall\nf 1 2 4\n".as_bytes())?;
    /// let tree = BvTree::build(&mesh, &BuildOptions::default())?;
    /// let pairs = Query::new().collect_pairs(&tree, &tree, &Pose::identity());
    /// assert_eq!(tree.group_of(pairs[0].face_a).map(|group| group.name.as_str()), Some("floor"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn group_of(&self, face: u32) -> Option<&Group> {
        Group::of(self.groups(), face).filter(|_| (face as usize) < self.triangle_count())
    }

    /// The polygon of the source file that a triangle was cut from; the triangle itself where they are the same, or
    /// where there is no such triangle.
    pub fn polygon(&self, face: u32) -> u32 {
        self.view().polygons.get(face as usize).copied().unwrap_or(face)
    }

    /// Where the zero of the mesh's frame is in its source's frame: [`Mesh::origin`](crate::Mesh::origin). All that is
    /// asked and answered about the tree is in the mesh's frame; [`Pose::with_origins`](crate::Pose::with_origins)
    /// brings poses there.
    pub fn origin(&self) -> nalgebra::Point3<f64> {
        self.meta.mesh_origin
    }

    /// Digest of the mesh the tree was built from; see [`Mesh::digest`](crate::Mesh::digest). 0 once it was
    /// [refitted](crate::refit).
    pub fn mesh_digest(&self) -> u128 {
        self.meta.mesh_digest
    }

    /// Whether the mesh is closed, and oriented. Found out when first asked, in O(n log n) time, and then kept.
    pub fn watertightness(&self) -> Watertightness {
        *self
            .watertightness
            .get_or_init(|| Watertightness::new(self.view().vertices, self.view().triangles(), Sorting::Alone))
    }

    /// The connected components. Found out when first asked, in O(n log n) time, and then kept.
    pub(crate) fn components(&self) -> &Components {
        self.components.get_or_init(|| Components::new(self.view().vertices, self.view().triangles(), Sorting::Alone))
    }

    /// What [`winding_number`](crate::probe::winding_number) sums up. Found out when first asked, and then kept.
    pub(crate) fn winding(&self) -> &WindingTree {
        self.winding.get_or_init(|| WindingTree::new(&self.view()))
    }

    /// No vertex is farther from the origin of the volumes' frame.
    pub(crate) fn reach(&self) -> f64 {
        let bounds = self.bounds();
        if bounds.is_empty() {
            return 0.0;
        }
        bounds.half_extents().norm() + (bounds.center() - self.meta.frame.origin).norm()
    }

    pub(crate) fn meta(&self) -> &Meta {
        &self.meta
    }

    /// All of it, to be changed; `None` of a tree in a file. What was found out about the mesh is forgotten.
    pub(crate) fn arrays_mut(&mut self) -> Option<(&mut Meta, &mut Owned)> {
        (self.watertightness, self.components, self.winding) = Default::default();
        match &mut self.storage {
            Storage::Owned(arrays) => Some((&mut self.meta, arrays)),
            Storage::InFile(_) => None,
        }
    }

    pub(crate) fn view(&self) -> View<'_> {
        match &self.storage {
            Storage::Owned(arrays) => arrays.view(),
            Storage::InFile(arrays) => arrays.view(),
        }
    }
}
