//! A visitor that passes on only the pairs of triangles that the trees' layer masks let through.

use std::ops::ControlFlow;

use super::pair_visitor::{PairQueue, PairVisitor, Recorder};
use super::posed_trees::PosedTrees;

pub(super) struct MaskedPairs<'a> {
    pub(super) trees: &'a PosedTrees<'a>,
    /// The limit of lower bounds that `visitor` returned last; the traversal's initial limit before that.
    pub(super) limit: f32,
    pub(super) visitor: &'a mut dyn PairVisitor,
}

impl PairVisitor for MaskedPairs<'_> {
    fn visit(&mut self, pairs: &mut PairQueue) -> ControlFlow<(), f32> {
        pairs.retain(|leaves| self.trees.passes(leaves));
        if pairs.len() > 0 {
            self.limit = self.visitor.visit(pairs)?;
        }
        ControlFlow::Continue(self.limit)
    }

    fn recorder(&mut self) -> Option<&mut dyn Recorder> {
        self.visitor.recorder()
    }
}
