//! The one loop that descends two trees, and what a question gives it: a volume test, a visitor of leaf triangles and a pace.
//!
//! The loop is compiled for each kind of volume, level of instructions and volume test, of which there are but three:
//! [`Overlap`], [`LowerBound`] and [`Sweep`]. Whatever else a question does is behind [`LeafVisitor`], which is called for
//! eight pairs of triangles at a time.

mod lower_bound;
mod overlap;
mod pair_queue;
mod sweep;
mod traversal;

use std::marker::PhantomData;
use std::ops::ControlFlow;

use crate::packed::{Aabb8, AnyBox8, Node, NodeRef, Obb8, Paired8, Sphere8, ToFrame};
use crate::simd::{Simd, SimdLevel, Task, dispatch};
use crate::tree::{BvTree, View};
use crate::volume::VolumeKind;

pub(super) use lower_bound::{LowerBound, SearchRadius};
pub(super) use overlap::Overlap;
pub(super) use pair_queue::PairQueue;
pub(super) use sweep::{Affine, MotionBound, Sweep, SweepEnd};
pub(super) use traversal::bits;
use traversal::traverse;

/// Tests a volume against eight of the other tree.
pub(super) trait VolumeTest {
    /// Whether the order matters: volumes and leaves are then visited by rising lower bound where they are siblings, and are
    /// left out if their lower bound is above the limit by the time it is their turn.
    const ORDERED: bool;

    /// `target` is the tree (0 for A, 1 for B) of the eight; lower bounds above `limit` exclude.
    fn test<V: Paired8, S: Simd>(
        &self,
        simd: S,
        one: &V,
        wide: &Node<'_>,
        to: &ToFrame,
        target: usize,
        limit: f32,
    ) -> TestResult;
}

/// What a test of one volume against eight found.
pub(super) struct TestResult {
    /// A bit for each lane to go on with.
    pub(super) survivors: u8,
    /// A bit for each lane that should be opened before the one.
    pub(super) larger: u8,
    /// Of the survivors, by the measure of the test; for a test without order unspecified.
    pub(super) lower_bounds: [f32; 8],
}

/// What a question does with the triangles that the descent arrives at.
pub(super) trait LeafVisitor {
    /// Takes one to eight pairs of leaf triangles whose volumes survived. Breaks, or tells the limit of lower bounds from
    /// here on; that of a test without order is infinite.
    fn visit(&mut self, pairs: &mut PairQueue) -> ControlFlow<(), f32>;

    /// Who is to be told where the descent ends, if anybody.
    fn recorder(&mut self) -> Option<&mut dyn Recorder> {
        None
    }
}

/// Is told of every pair of volumes at which a descent ended.
pub(super) trait Recorder {
    /// The entry's lanes, one of the single node's and some of the wide one's, were tested now and found too far apart.
    fn on_separated(&mut self, entry: &Entry);

    /// The entry's lower bound is above a limit that was found since its volumes were tested.
    fn on_culled(&mut self, entry: &Entry);
}

/// Volumes of one tree still to be tested against those of a wide node of the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// The node whose children are tested one by one...
    pub(super) single: NodeRef,
    /// ...and the node of the other tree whose children are tested all at once.
    pub(super) wide: NodeRef,
    /// A bit for each of the single node's children that counts...
    pub(super) single_lanes: u8,
    /// ...and for each of the wide node's.
    pub(super) wide_lanes: u8,
    /// The tree of the single node: 0 for A, 1 for B.
    pub(super) side: u8,
    pub(super) lower_bound: f32,
}

impl Entry {
    /// The roots of both trees, of which each is the only child of its node.
    pub(super) const ROOTS: Entry = Entry {
        single: NodeRef::ROOT,
        wide: NodeRef::ROOT,
        single_lanes: 1,
        wide_lanes: 0xff,
        side: 1,
        lower_bound: 0.0,
    };
}

/// In what order the descent goes on, and how soon it hands over triangles.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// Hands over pairs of triangles when there are so many.
    pairs: usize,
    /// While the limit is infinite, hands over what there is after every step: a first pair is worth more than full queues.
    is_eager: bool,
    /// So many times the descent goes on with the nearest volumes anywhere, for a good bound early, before the rest is done
    /// depth-first (`benches/NOTES.md` has figures).
    greedy_descents: usize,
    /// Whether volumes found by one test wait for their turn together, and not each for itself in their order.
    keeps_siblings_together: bool,
    /// Whether both trees are the same one, and each pair is to be found once: two children of a node meet only the first
    /// as A's and the second as B's, and so does all that is below them.
    is_self: bool,
}

impl Pace {
    /// All pairs in any order.
    pub(super) const ALL: Pace =
        Pace { pairs: 8, is_eager: false, greedy_descents: 0, keeps_siblings_together: true, is_self: false };

    /// All pairs of one tree with itself.
    pub(super) const SELF: Pace = Pace { is_self: true, ..Self::ALL };

    /// Any pair, as soon as possible.
    pub(super) const FIRST: Pace = Pace { is_eager: true, ..Self::ALL };

    /// The nearest pair, when nothing is known about how near it is.
    pub(super) const NEAREST: Pace =
        Pace { is_eager: true, greedy_descents: 16, keeps_siblings_together: false, ..Self::ALL };

    /// The nearest pair, when it is known nearly how near it is: then the order matters less.
    pub(super) const NEAREST_WITHIN: Pace = Pace { keeps_siblings_together: true, ..Self::NEAREST };

    /// The nearest pair, where every pair may lower the limit or be the last.
    pub(super) const ONE_BY_ONE: Pace = Pace { pairs: 1, ..Self::NEAREST };

    /// The same from entries that are known to be near enough to matter.
    pub(super) const fn without_greedy_descents(self) -> Pace {
        Pace { greedy_descents: 0, ..self }
    }
}

/// Two trees and where they are, for one descent.
#[derive(Clone, Copy)]
pub(super) struct PosedTrees<'a> {
    pub(super) kinds: [VolumeKind; 2],
    pub(super) views: [View<'a>; 2],
    pub(super) to_frames: &'a [ToFrame; 2],
}

impl<'a> PosedTrees<'a> {
    pub(super) fn new(trees: [&'a BvTree; 2], to_frames: &'a [ToFrame; 2]) -> Self {
        Self { kinds: trees.map(BvTree::kind), views: trees.map(BvTree::view), to_frames }
    }
}

/// Runs descents; has their scratch memory.
#[derive(Debug)]
pub(super) struct Engine {
    pub(super) level: SimdLevel,
    /// What is still to be done.
    pub(super) entries: Vec<Entry>,
    pairs: PairQueue,
}

impl Engine {
    pub(super) fn new(level: SimdLevel) -> Self {
        Self { level, entries: Vec::new(), pairs: PairQueue::default() }
    }

    /// Descends both trees from their roots; returns the number of volume tests. Where the visitor breaks, it knows why.
    pub(super) fn descend<T: VolumeTest>(
        &mut self,
        trees: &PosedTrees<'_>,
        test: &T,
        limit: f32,
        visitor: &mut dyn LeafVisitor,
        pace: Pace,
    ) -> u64 {
        if trees.views.iter().any(|view| view.corners.is_empty()) {
            return 0;
        }
        self.entries.clear();
        self.entries.push(Entry::ROOTS);
        self.go_on(trees, test, limit, visitor, pace)
    }

    /// Descends from the entries that there are.
    pub(super) fn go_on<T: VolumeTest>(
        &mut self,
        trees: &PosedTrees<'_>,
        test: &T,
        limit: f32,
        visitor: &mut dyn LeafVisitor,
        pace: Pace,
    ) -> u64 {
        let Self { level, entries, pairs } = self;
        pairs.clear();
        let mut volume_tests = 0;
        let descent = Descent { trees, test, limit, visitor, pace, entries, pairs, volume_tests: &mut volume_tests };
        match trees.kinds {
            [VolumeKind::Aabb, VolumeKind::Aabb] => dispatch(*level, Of::<Aabb8, _>(descent, PhantomData)),
            [VolumeKind::Obb, VolumeKind::Obb] => dispatch(*level, Of::<Obb8, _>(descent, PhantomData)),
            [VolumeKind::Sphere, VolumeKind::Sphere] => dispatch(*level, Of::<Sphere8, _>(descent, PhantomData)),
            _ => dispatch(*level, Of::<AnyBox8, _>(descent, PhantomData)),
        }
        volume_tests
    }
}

/// A descent of two trees, ready to be run with some instructions...
struct Descent<'a, T> {
    trees: &'a PosedTrees<'a>,
    test: &'a T,
    limit: f32,
    visitor: &'a mut dyn LeafVisitor,
    pace: Pace,
    entries: &'a mut Vec<Entry>,
    pairs: &'a mut PairQueue,
    volume_tests: &'a mut u64,
}

/// ...and for some kind of volume.
struct Of<V, D>(D, PhantomData<V>);

impl<V: Paired8, T: VolumeTest> Task for Of<V, Descent<'_, T>> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        traverse::<V, S, T>(simd, self.0);
    }
}
