//! The tree type, and facts about its mesh that are computed on demand.

use std::fmt;
use std::sync::OnceLock;

use super::arrays::{InFile, Meta, Owned, View};
use super::layers::LayerTable;
use super::patches::Patches;
use super::winding_tree::WindingTree;
use crate::mesh::{Components, Group, GroupIds, Mesh, MeshError, PointTriangles, Watertightness};
use crate::options::BuildOptions;
use crate::parallel::Sorting;
use crate::shape::Aabb;
use crate::triangle::Triangle;
use crate::volume::{self, VolumeKind};

/// A bounding-volume tree of one mesh, with the mesh's triangles.
///
/// A tree is immutable and can be shared among threads; a [`DeformingTree`](crate::refit::DeformingTree) follows a mesh
/// that deforms. The tree of an empty mesh has no nodes and touches nothing.
#[doc(alias = "BVH")]
#[doc(alias = "bounding volume hierarchy")]
#[doc(alias = "OBBTree")]
#[doc(alias = "BVHModel")]
pub struct BvTree {
    meta: Meta,
    storage: Storage,
    watertightness: OnceLock<Watertightness>,
    components: OnceLock<Components>,
    point_triangles: OnceLock<PointTriangles>,
    patches: OnceLock<Patches>,
    winding: OnceLock<WindingTree>,
    leaf_indices: OnceLock<Vec<u32>>,
    layers: OnceLock<LayerTable>,
}

enum Storage {
    Owned(Owned),
    InFile(InFile),
}

/// The tree of a mesh without triangles.
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

/// Copies the tree into memory, even if it is in a file.
impl Clone for BvTree {
    fn clone(&self) -> Self {
        let arrays = match &self.storage {
            Storage::Owned(arrays) => arrays.clone(),
            Storage::InFile(arrays) => arrays.to_owned(),
        };
        Self::from_parts(self.meta.clone(), arrays).with_layers_of(self)
    }
}

impl fmt::Debug for BvTree {
    /// Prints counts and options, but not the arrays.
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
        Self {
            meta,
            storage,
            watertightness: OnceLock::new(),
            components: OnceLock::new(),
            point_triangles: OnceLock::new(),
            patches: OnceLock::new(),
            winding: OnceLock::new(),
            leaf_indices: OnceLock::new(),
            layers: OnceLock::new(),
        }
    }

    /// The kind of volume.
    pub fn kind(&self) -> VolumeKind {
        self.meta.options.kind
    }

    /// The options that the tree was built with.
    pub fn options(&self) -> &BuildOptions {
        &self.meta.options
    }

    /// The mesh's axis-aligned box; empty for an empty mesh.
    #[inline]
    pub fn bounds(&self) -> &Aabb {
        &self.meta.bounds
    }

    /// The number of the mesh's triangles.
    pub fn triangle_count(&self) -> usize {
        self.view().corners.len()
    }

    /// The number of stored volumes: the children of all eight-wide nodes, leaves included, and the root. The number of
    /// wide nodes is the number of volumes that are not leaves.
    pub fn node_count(&self) -> usize {
        (self.view().nodes.len() - volume::PADDING) / volume::fields(self.kind())
    }

    /// The number of levels of stored volumes below the root; each node divides into up to eight.
    pub fn depth(&self) -> u32 {
        self.meta.depth
    }

    /// The number of binary splits between the root and the deepest leaf, which [`BuildOptions::max_depth`] bounds.
    pub fn split_depth(&self) -> u32 {
        self.meta.split_depth
    }

    /// The number of leaves.
    pub fn leaf_count(&self) -> usize {
        self.meta.leaves
    }

    /// The number of triangles in the fullest leaf.
    pub fn leaf_triangles_max(&self) -> usize {
        self.meta.leaf_triangles_max
    }

    /// The groups of the source file (`g` of OBJ, materials, nodes of glTF): runs of triangles, in file order. Empty if
    /// the file had none.
    pub fn groups(&self) -> &[Group] {
        match &self.storage {
            Storage::Owned(arrays) => &arrays.groups,
            Storage::InFile(arrays) => &arrays.groups,
        }
    }

    /// The group of a triangle, given its face number as in results; `None` before the first group, and if there is no
    /// such triangle.
    ///
    /// ```
    /// # use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query};
    /// let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\ng floor\nf 1 2 3\ng wall\nf 1 2 4\n";
    /// let tree = BvTree::build(&Mesh::read_obj(text.as_bytes())?, &BuildOptions::default())?;
    /// let pairs = Query::new().intersecting_pairs(&tree, &tree, &Pose::identity());
    /// assert_eq!(tree.group_of(pairs[0].face_a).map(|group| group.name.as_str()), Some("floor"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn group_of(&self, face: u32) -> Option<&Group> {
        Group::of(self.groups(), face).filter(|_| (face as usize) < self.triangle_count())
    }

    /// The distinct names of the groups, and for each triangle the index of its group's name. Several groups may have
    /// the same name; triangles before the first group have an empty one.
    ///
    /// ```
    /// # use bvtree::{BuildOptions, BvTree, Mesh};
    /// let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\ng floor\nf 1 2 3\ng wall\nf 1 2 4\ng floor\nf 2 3 4\n";
    /// let tree = BvTree::build(&Mesh::read_obj(text.as_bytes())?, &BuildOptions::default())?;
    /// let groups = tree.group_ids();
    /// assert_eq!((groups.names, groups.ids), (vec!["floor".to_owned(), "wall".to_owned()], vec![0, 1, 0]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[doc(alias = "material ids")]
    pub fn group_ids(&self) -> GroupIds {
        GroupIds::of_names(self.groups(), self.triangle_count())
    }

    /// The distinct materials of the groups, and for each triangle the index of its material, from which an engine can
    /// look up friction, sound or decal. All triangles have the same material with an empty name unless groups name
    /// their materials, as those of a mesh read with [`GroupBy::Both`](crate::mesh::GroupBy::Both) do.
    pub fn material_ids(&self) -> GroupIds {
        GroupIds::of_materials(self.groups(), self.triangle_count())
    }

    /// The polygon of the source file that a triangle was cut from; `face` itself if all polygons are triangles, or if
    /// there is no such triangle.
    pub fn polygon(&self, face: u32) -> u32 {
        self.view().polygons.get(face as usize).copied().unwrap_or(face)
    }

    /// The triangle with a face number as in results, in the mesh's frame; `None` if there is no such triangle.
    ///
    /// The first call takes O(n) time and keeps 4 bytes per triangle, because triangles are stored in the order of
    /// leaves.
    #[doc(alias = "face")]
    pub fn triangle(&self, face: u32) -> Option<Triangle> {
        let view = self.view();
        let leaf_indices = self.leaf_indices.get_or_init(|| {
            let mut indices = vec![0; view.faces.len()];
            for (leaf_index, &face) in (0..).zip(view.faces) {
                // A damaged file that was opened with trust may have any number here.
                if let Some(index) = indices.get_mut(face as usize) {
                    *index = leaf_index;
                }
            }
            indices
        });
        let vertices = view.triangle(*leaf_indices.get(face as usize)? as usize);
        Some(Triangle { vertices: vertices.map(|vertex| vertex.cast()) })
    }

    /// The origin of the mesh's frame, in the frame of the mesh's source; see [`Mesh::origin`](crate::Mesh::origin).
    /// Queries and results are in the mesh's frame, to which [`Pose::with_origins`](crate::Pose::with_origins) converts
    /// poses.
    pub fn origin(&self) -> nalgebra::Point3<f64> {
        self.meta.mesh_origin
    }

    /// The mesh that the tree was built from, with the same triangles, polygons and groups in the same order. Vertices
    /// are in the order in which leaves use them, without unused ones, so the mesh's digest may differ from the
    /// original's.
    ///
    /// # Errors
    /// Never fails for a tree that was built or opened with checks. Fails as [`Mesh::from_parts`] does for a damaged
    /// file opened without checks, as by [`BvTree::open_trusted`].
    pub fn to_mesh(&self) -> Result<Mesh, MeshError> {
        let view = self.view();
        let mut triangles = vec![[0; 3]; view.corners.len()];
        for (&face, corners) in view.faces.iter().zip(view.triangles()) {
            if let Some(triangle) = triangles.get_mut(face as usize) {
                *triangle = corners;
            }
        }
        let mesh = Mesh::from_parts(view.vertices.to_vec(), triangles, view.polygons.to_vec(), self.groups().to_vec())?;
        Ok(Mesh { origin: self.origin(), ..mesh })
    }

    /// The digest of the mesh that the tree was built from; see [`Mesh::digest`](crate::Mesh::digest). 0 after a
    /// [refit](crate::refit).
    pub fn mesh_digest(&self) -> u128 {
        self.meta.mesh_digest
    }

    /// Whether the mesh is closed and consistently oriented. Computed at the first call, in O(n log n) time, and
    /// cached.
    pub fn watertightness(&self) -> Watertightness {
        *self
            .watertightness
            .get_or_init(|| Watertightness::new(self.view().vertices, self.view().triangles(), Sorting::Alone))
    }

    /// The mesh's connected components. Computed at the first call, in O(n log n) time, and cached.
    pub(crate) fn components(&self) -> &Components {
        self.components.get_or_init(|| Components::new(self.view().vertices, self.view().triangles(), Sorting::Alone))
    }

    /// The connected components if the triangles at some leaf indices, which are in order, were points alone.
    pub(crate) fn components_without(&self, leaves: &[usize]) -> Components {
        let at_point = |(leaf, corners): (usize, [u32; 3])| match leaves.binary_search(&leaf) {
            Ok(_) => [corners[0]; 3],
            Err(_) => corners,
        };
        Components::new(self.view().vertices, self.view().triangles().enumerate().map(at_point), Sorting::Alone)
    }

    /// The triangles at each point. Computed at the first call, in O(n log n) time, and cached.
    pub(crate) fn point_triangles(&self) -> &PointTriangles {
        let new = || PointTriangles::new(self.view().vertices, self.view().triangles(), Sorting::Alone);
        self.point_triangles.get_or_init(new)
    }

    /// The triangles in connected patches. Computed at the first call and cached.
    pub(crate) fn patches(&self) -> &Patches {
        self.patches.get_or_init(|| Patches::new(&self.view(), self.point_triangles()))
    }

    /// The tree from which [`winding_number`](crate::probe::winding_number) is computed. Computed at the first call and
    /// cached.
    pub(crate) fn winding(&self) -> &WindingTree {
        self.winding.get_or_init(|| WindingTree::new(&self.view()))
    }

    /// An upper bound on the vertices' distances from the origin of the volumes' frame.
    pub(crate) fn bounding_radius(&self) -> f64 {
        let bounds = self.bounds();
        if bounds.is_empty() {
            return 0.0;
        }
        bounds.half_extents().norm() + (bounds.center() - self.meta.frame.origin).norm()
    }

    pub(super) fn layer_table(&self) -> &OnceLock<LayerTable> {
        &self.layers
    }

    /// The tree with the layers of another tree of the same triangles.
    pub(crate) fn with_layers_of(self, other: &Self) -> Self {
        Self { layers: other.layers.clone(), ..self }
    }

    pub(crate) fn meta(&self) -> &Meta {
        &self.meta
    }

    /// Mutable access to the metadata and the arrays; `None` for a tree in a file. Cached facts about the mesh are
    /// discarded.
    pub(crate) fn arrays_mut(&mut self) -> Option<(&mut Meta, &mut Owned)> {
        (self.watertightness, self.components, self.point_triangles, self.winding) = Default::default();
        (self.patches, self.leaf_indices) = Default::default();
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
