//! The one loop that descends two trees, and what a question gives it: a volume test, a visitor of leaf triangles and a
//! policy.
//!
//! The loop is compiled for each kind of volume, level of instructions and volume test, of which there are but three:
//! [`Overlap`], [`LowerBound`] and [`Sweep`]. Whatever else a question does is behind [`LeafVisitor`], which is called
//! for eight pairs of triangles at a time.

mod distinct;
mod engine;
mod entry;
mod lanes;
mod lower_bound;
mod overlap;
mod pair_queue;
mod policy;
mod sweep;
mod traversal;
mod visitor;
mod volume_test;

pub(super) use engine::Engine;
pub(super) use entry::Entry;
pub(super) use lanes::lanes;
pub(super) use lower_bound::{LowerBound, SearchRadius};
pub(super) use overlap::Overlap;
pub(super) use pair_queue::PairQueue;
pub(super) use policy::DescentPolicy;
pub(super) use sweep::{Affine, MotionBound, Sweep, SweepEnd};
pub(super) use visitor::{LeafVisitor, Recorder};
