//! Where a tree's arrays are kept: in vectors, or in the bytes of a cooked file.

use std::ops::Range;

use nalgebra::Point3;

use super::view::View;
use crate::mesh::Group;

/// The arrays of a tree that was built here.
#[derive(Clone, Default)]
pub(crate) struct Owned {
    pub(crate) nodes: Vec<u32>,
    pub(crate) vertices: Vec<Point3<f32>>,
    pub(crate) corners: Vec<[u32; 3]>,
    pub(crate) faces: Vec<u32>,
    pub(crate) polygons: Vec<u32>,
    pub(crate) groups: Vec<Group>,
}

/// Whoever holds the bytes of a cooked file: memory of our own, a mapping, a user's buffer.
pub(crate) type Bytes = Box<dyn AsRef<[u8]> + Send + Sync>;

/// Where the arrays of an opened file lie in its bytes; checked when it was opened.
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
    /// A copy in vectors.
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
