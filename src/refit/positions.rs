//! Where a mesh's vertices are, for reading four numbers at a time.

use nalgebra::Point3;

/// All vertices of a tree.
#[derive(Clone, Copy)]
pub(super) struct Positions<'a> {
    coordinates: &'a [f32],
    /// The last one, behind which there are no more numbers.
    last: [f32; 4],
}

impl<'a> Positions<'a> {
    pub(super) fn new(vertices: &'a [Point3<f32>]) -> Self {
        let last = vertices.last().map_or([0.0; 4], |last| [last.x, last.y, last.z, 0.0]);
        Self { coordinates: bytemuck::cast_slice(vertices), last }
    }

    /// A vertex, and a number behind it that means nothing. Of a number that no vertex has the last vertex.
    #[inline(always)]
    pub(super) fn at(&self, vertex: usize) -> &[f32; 4] {
        self.coordinates.get(3 * vertex..).and_then(|from| from.first_chunk()).unwrap_or(&self.last)
    }

    /// A vertex in f64.
    #[inline(always)]
    pub(super) fn point(&self, vertex: u32) -> Point3<f64> {
        let [x, y, z, _] = *self.at(vertex as usize);
        Point3::new(x, y, z).map(f64::from)
    }
}
