//! What is asked of a single volume of one tree and the eight of another tree's wide node.

use super::node::Node;
use super::relative_frame::RelativeFrame;
use super::sweep::{LinearSweep, Swept};
use crate::simd::Simd;
use crate::volume::VolumeKind;

/// A volume is much larger than another if its longest extent is more than this many times the other's.
pub(super) const MUCH_LARGER: f32 = 2.0;

/// What rounding may add to a squared length in f32, as a factor.
pub(super) const SQUARE_ROUNDING: f32 = 1.0 - 1e-5;

/// The tests of a single volume of one tree against the children of another tree's wide node. `Self` is the single
/// volume, brought into the wide node's frame and unit.
pub(crate) trait PairTests: Copy {
    /// The kind of both trees; none for volumes of any kind, whose nodes are read accordingly.
    const NODES: Option<VolumeKind>;

    /// Volumes of a node's children seen from the other tree's frame, field by field.
    type Posed;

    /// The children of a node, brought into the other tree's frame; lanes past them are unspecified.
    fn posed<S: Simd>(simd: S, node: &Node<'_>, to: &RelativeFrame) -> Self::Posed;

    /// One of them.
    fn single(posed: &Self::Posed, lane: usize, to: &RelativeFrame) -> Self;

    /// A bit for each child whose volume may touch `self`, and one for each lane that is much larger.
    fn overlaps<S: Simd>(&self, simd: S, node: &Node<'_>, margin: f32) -> (u8, u8);

    /// Squares of lower bounds of the distances to the eight volumes, in the node's unit and times `scale`, and a bit
    /// for each lane that is much larger. Above `limit` bounds need not be as great as they could. Lanes past the
    /// node's children are unspecified.
    fn lower_bounds_sq<S: Simd>(&self, simd: S, node: &Node<'_>, margin: f32, scale: f32, limit: f32)
    -> (S::F32x8, u8);

    /// The middle of `self`.
    fn center(&self) -> [f32; 3];

    /// How far a turn about its centre by one radian or less can move a point of the volume out of it, per radian.
    fn turning_radius(&self) -> f32;

    /// When, on its linear sweep past the eight volumes, `self` may touch them.
    fn sweep<S: Simd>(&self, simd: S, node: &Node<'_>, path: &LinearSweep, margin: f32) -> Swept<S>;
}
