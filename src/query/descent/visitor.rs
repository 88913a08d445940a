//! What a question gives the descent: somebody to hand triangles to.

use std::ops::ControlFlow;

use super::entry::Entry;
use super::pair_queue::PairQueue;

/// What a question does with the triangles that the descent arrives at.
pub(in crate::query) trait LeafVisitor {
    /// Takes one to eight pairs of leaf triangles whose volumes survived. Breaks, or gives the limit of lower bounds
    /// from here on; that of a test without order is infinite.
    fn visit(&mut self, pairs: &mut PairQueue) -> ControlFlow<(), f32>;

    /// Who wants to know where the descent ends, if anybody.
    fn recorder(&mut self) -> Option<&mut dyn Recorder> {
        None
    }
}

/// Gets every pair of volumes at which a descent ended.
pub(in crate::query) trait Recorder {
    /// The entry's lanes, one of the single node's and some of the wide one's, were tested now and found too far apart.
    fn on_separated(&mut self, entry: &Entry);

    /// The entry's lower bound is above a limit that was found since its volumes were tested.
    fn on_culled(&mut self, entry: &Entry);
}
