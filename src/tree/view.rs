//! A tree's arrays, wherever they are kept.

use std::ops::Range;

use nalgebra::Point3;

/// Marks, in its first corner, the last triangle of a leaf.
pub(crate) const LAST_OF_LEAF: u32 = 1 << 31;

/// A tree's arrays, where they lie.
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

impl<'a> View<'a> {
    /// The leaf indices of a leaf's triangles: their positions in the order of the leaves.
    #[inline(always)]
    pub(crate) fn leaf(&self, first: usize) -> Range<usize> {
        let mut last = first;
        while self.corners[last][0] & LAST_OF_LEAF == 0 {
            last += 1;
        }
        first..last + 1
    }

    /// A triangle's vertices, by its leaf index.
    #[inline(always)]
    pub(crate) fn triangle(&self, leaf_index: usize) -> [&'a Point3<f32>; 3] {
        let [a, b, c] = self.corners[leaf_index];
        [a & !LAST_OF_LEAF, b, c].map(|vertex| &self.vertices[vertex as usize])
    }

    /// The triangles as indices of their vertices, in leaf order.
    pub(crate) fn triangles(&self) -> impl ExactSizeIterator<Item = [u32; 3]> + Clone + 'a {
        self.corners.iter().map(|&[a, b, c]| [a & !LAST_OF_LEAF, b, c])
    }
}
