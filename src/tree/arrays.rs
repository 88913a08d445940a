//! A tree's data: its arrays, in vectors or in the bytes of a cooked file, and its metadata.

use std::ops::Range;

use nalgebra::{Point3, Vector3};

use crate::mesh::Group;
use crate::options::BuildOptions;
use crate::shape::Aabb;
use crate::volume::Frame;

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Meta {
    pub(crate) options: BuildOptions,
    pub(crate) frame: Frame,
    pub(crate) bounds: Aabb,
    /// The origin of the mesh's frame, in the frame of the mesh's source.
    pub(crate) mesh_origin: Point3<f64>,
    pub(crate) mesh_digest: u128,
    /// The number of binary splits between the root and the deepest leaf.
    pub(crate) split_depth: u32,
    /// The number of levels of stored volumes below the root.
    pub(crate) depth: u32,
    pub(crate) leaves: usize,
    pub(crate) leaf_triangles_max: usize,
}

/// The bit that marks the last triangle of a leaf, in the index of the triangle's first corner.
pub(crate) const LAST_OF_LEAF: u32 = 1 << 31;

/// A tree's arrays, borrowed from vectors or from the bytes of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View<'a> {
    /// Words of the packed nodes, the root first, padding last.
    pub(crate) nodes: &'a [u32],
    pub(crate) vertices: &'a [Point3<f32>],
    /// Corner indices in leaf order; [`LAST_OF_LEAF`] marks the first corner of each leaf's last triangle.
    pub(crate) corners: &'a [[u32; 3]],
    /// Index in the mesh of each triangle in leaf order.
    pub(crate) faces: &'a [u32],
    /// Polygon of the source file for each triangle of the mesh; empty if every triangle is its own polygon.
    pub(crate) polygons: &'a [u32],
}

impl<'a> View<'a> {
    /// The leaf indices of a leaf's triangles (their positions in leaf order), given the first.
    #[inline(always)]
    pub(crate) fn leaf(&self, first: usize) -> Range<usize> {
        let mut last = first;
        while self.corners[last][0] & LAST_OF_LEAF == 0 {
            last += 1;
        }
        first..last + 1
    }

    /// The indices of a triangle's vertices, given its leaf index.
    #[inline(always)]
    pub(crate) fn corner_indices(&self, leaf_index: usize) -> [u32; 3] {
        let [a, b, c] = self.corners[leaf_index];
        [a & !LAST_OF_LEAF, b, c]
    }

    /// A triangle's vertices, given its leaf index.
    #[inline(always)]
    pub(crate) fn triangle(&self, leaf_index: usize) -> [&'a Point3<f32>; 3] {
        self.corner_indices(leaf_index).map(|vertex| &self.vertices[vertex as usize])
    }

    /// Whether the triangles of a leaf are the two halves of a parallelogram, up to a thousandth of the diagonal
    /// between the corners that they don't share.
    pub(crate) fn is_parallelogram(&self, leaf: &Range<usize>) -> bool {
        if leaf.len() != 2 {
            return false;
        }
        let [first, second] = [leaf.start, leaf.start + 1].map(|index| self.triangle(index));
        let alone =
            |of: [&'a Point3<f32>; 3], other: [&Point3<f32>; 3]| of.into_iter().find(|corner| !other.contains(corner));
        let (Some(p), Some(q)) = (alone(first, second), alone(second, first)) else { return false };
        let shared: Vector3<f32> = first.into_iter().filter(|&corner| corner != p).map(|corner| corner.coords).sum();
        (p.coords + q.coords - shared).norm_squared() <= 1e-6 * (p - q).norm_squared()
    }

    /// The triangles as indices of their vertices, in leaf order.
    pub(crate) fn triangles(&self) -> impl ExactSizeIterator<Item = [u32; 3]> + Clone + 'a {
        self.corners.iter().map(|&[a, b, c]| [a & !LAST_OF_LEAF, b, c])
    }
}

#[derive(Clone, Default)]
pub(crate) struct Owned {
    pub(crate) nodes: Vec<u32>,
    pub(crate) vertices: Vec<Point3<f32>>,
    pub(crate) corners: Vec<[u32; 3]>,
    pub(crate) faces: Vec<u32>,
    pub(crate) polygons: Vec<u32>,
    pub(crate) groups: Vec<Group>,
}

/// The bytes of a cooked file: the library's memory, a mapping, or a user's buffer.
pub(crate) type Bytes = Box<dyn AsRef<[u8]> + Send + Sync>;

/// The bytes of an opened file and the ranges of its arrays in them, which were checked when it was opened.
pub(crate) struct InFile {
    pub(crate) bytes: Bytes,
    pub(crate) nodes: Range<usize>,
    pub(crate) vertices: Range<usize>,
    pub(crate) corners: Range<usize>,
    pub(crate) faces: Range<usize>,
    pub(crate) polygons: Range<usize>,
    pub(crate) groups: Vec<Group>,
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

impl InFile {
    pub(crate) fn to_owned(&self) -> Owned {
        let view = self.view();
        Owned {
            nodes: view.nodes.to_vec(),
            vertices: view.vertices.to_vec(),
            corners: view.corners.to_vec(),
            faces: view.faces.to_vec(),
            polygons: view.polygons.to_vec(),
            groups: self.groups.clone(),
        }
    }

    pub(crate) fn view(&self) -> View<'_> {
        let bytes = (*self.bytes).as_ref();
        View {
            nodes: bytemuck::cast_slice(&bytes[self.nodes.clone()]),
            vertices: bytemuck::cast_slice(&bytes[self.vertices.clone()]),
            corners: bytemuck::cast_slice(&bytes[self.corners.clone()]),
            faces: bytemuck::cast_slice(&bytes[self.faces.clone()]),
            polygons: bytemuck::cast_slice(&bytes[self.polygons.clone()]),
        }
    }
}
