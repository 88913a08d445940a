//! A visitor that passes on only the triangles that a mask lets through.

use std::ops::ControlFlow;

use nalgebra::Vector3;

use crate::traversal::TriangleVisitor;
use crate::tree::LayerFilter;
use crate::triangle::Triangle;

pub(super) struct Masked<'a> {
    pub(super) filter: LayerFilter<'a>,
    /// The direction of movement, if one-sided triangles that are met from behind are skipped.
    pub(super) direction: Option<&'a Vector3<f64>>,
    /// The limit of distances that `visitor` returned last.
    pub(super) limit: f32,
    pub(super) visitor: &'a mut dyn TriangleVisitor,
}

impl Masked<'_> {
    fn passes(&self, triangle: &Triangle, face: u32) -> bool {
        let layers = self.filter.layers.of(face);
        let is_met = |direction: &Vector3<f64>| direction.dot(&triangle.scaled_normal()) < 0.0;
        layers.is_in(self.filter.mask) && (!layers.is_one_sided || self.direction.is_none_or(is_met))
    }
}

impl TriangleVisitor for Masked<'_> {
    fn visit(&mut self, triangle: &Triangle, face: u32) -> ControlFlow<(), f32> {
        if self.passes(triangle, face) {
            self.limit = self.visitor.visit(triangle, face)?;
        }
        ControlFlow::Continue(self.limit)
    }
}
