//! The front of a descent for the least distance: the pairs of volumes and of triangles at which it ended, which cover all
//! pairs of triangles, with planes that keep most of them apart.
//!
//! At another pose the descent need only go on where the planes no longer show that there is nothing near enough to matter.
//! After Ehmann and Lin, "Accurate and Fast Proximity Queries Between Polyhedra Using Convex Surface Decomposition" (2001),
//! section 5, who keep the front.

use std::ops::ControlFlow;

use super::descent::{Engine, Entry, LeafVisitor, LowerBound, Pace, PairQueue, PosedTrees, Recorder, bits};
use super::distance::Nearest;
use crate::packed::{Across, EightPlanes, EightTriangles, Frame, Node, Plane, Planes, ToFrame, WIDTH, above};
use crate::simd::{Simd, SimdLevel, Task, dispatch};
use crate::triangle::Distances;

/// Where a descent ended.
#[derive(Debug, Default)]
pub(super) struct Front {
    ends: Vec<End>,
    /// A plane for each end.
    planes: Planes,
    /// Places of ends that have been taken out.
    vacant: Vec<u32>,
    /// How many ends it had when it was built from the roots.
    built: usize,
    /// Ends that may be near, while they are looked for.
    near: Vec<u32>,
    /// Pairs of triangles that were taken out.
    reactivated: Vec<[u32; 2]>,
    /// What was found by the last search for planes.
    found: Vec<(Plane, u8)>,
    worth: Worth,
}

/// Whether a front saves work: tests of a volume against eight or of eight pairs of triangles, and searches for planes.
#[derive(Debug, Default)]
struct Worth {
    /// For this question.
    work: u64,
    /// For the front's first question without searches: so much does each take without a front.
    from_roots: u64,
    /// For all questions of the front, and how many those are.
    total: u64,
    questions: u64,
    /// No front for so many questions, since the last was not worth it; twice as many after the next such.
    pause: u32,
    pauses: u32,
}

/// What they take, in one unit, and what eight planes take to be asked.
const TEST: u64 = 5;
const SEARCH: u64 = 15;
const ASK: u64 = 1;

impl Worth {
    fn test(&mut self) {
        self.work += TEST;
        self.from_roots += if self.questions == 0 { TEST } else { 0 };
    }

    fn search(&mut self) {
        self.work += SEARCH;
    }

    fn end_question(&mut self) {
        self.total += std::mem::take(&mut self.work);
        self.questions += 1;
    }

    fn end_front(&mut self) {
        // What is not counted takes half as much again.
        let is_worth_it = 3 * self.total < 2 * self.from_roots * self.questions;
        self.pauses = if is_worth_it { 0 } else { (2 * self.pauses + 1).min(63) };
        *self = Self { pause: self.pauses, pauses: self.pauses, ..Self::default() };
    }
}

/// More ends are not kept: some 4 MB.
const MOST_ENDS: usize = 1 << 16;

#[derive(Clone, Copy, Debug)]
enum End {
    Vacant,
    Volumes(Entry),
    /// A's and B's, by their places in leaf order.
    Triangles([u32; 2]),
}

/// The pose that a front is asked for.
#[derive(Clone, Copy)]
struct Here<'a> {
    level: SimdLevel,
    trees: &'a PosedTrees<'a>,
    frames: [Frame; 2],
    /// The distance that matters at most, in the unit of A's frame.
    distance: f32,
}

impl Front {
    /// Whether to follow the front, or to build one: following it has not turned out to be of no use of late.
    pub(super) fn is_of_use(&mut self) -> bool {
        let is_paused = self.worth.pause > 0;
        self.worth.pause = self.worth.pause.saturating_sub(1);
        !is_paused
    }

    /// To be called after a descent; tells whether it went on to its end.
    fn finish(&mut self, is_complete: bool) {
        /// Ends are only ever divided: at so many times their first number it is time to begin anew.
        const OVERGROWN: usize = 3;
        if !self.records() {
            return;
        }
        self.worth.end_question();
        let ends = self.ends.len() - self.vacant.len();
        if !is_complete || ends > MOST_ENDS || self.built > 0 && ends > OVERGROWN * self.built {
            self.end();
        } else if self.built == 0 {
            self.built = ends;
        }
    }

    /// Forgets all ends, after having used them.
    fn end(&mut self) {
        self.clear();
        self.worth.end_front();
    }

    /// Forgets all ends.
    fn clear(&mut self) {
        self.built = 0;
        self.ends.clear();
        self.planes.clear();
        self.vacant.clear();
        self.reactivated.clear();
    }

    /// Takes out the ends that may be near enough to matter: pairs of triangles, and volumes, which are added to the entries
    /// of a descent. False if there are too many, or the front is empty: then the descent is to start from the roots.
    fn reactivate(&mut self, here: &Here<'_>, entries: &mut Vec<Entry>) -> bool {
        let count = self.ends.len();
        if count == 0 {
            return false;
        }
        self.worth.work += ASK * count.div_ceil(8) as u64;
        self.near.clear();
        dispatch(here.level, FindNear { planes: &self.planes, count, here, near: &mut self.near });
        let cost = |index: &u32| match self.ends.get(*index as usize) {
            Some(End::Volumes(_)) => SEARCH,
            Some(End::Triangles(_)) => (SEARCH + TEST) / 8,
            Some(End::Vacant) | None => 0,
        };
        if self.near.iter().map(cost).sum::<u64>() > self.worth.from_roots {
            self.end();
            return false;
        }
        for i in 0..self.near.len() {
            let index = self.near[i] as usize;
            match self.ends.get(index) {
                Some(&End::Volumes(mut end)) => {
                    self.vacate(index);
                    self.keep(here, &mut end);
                    if end.wide_lanes != 0 {
                        entries.push(end);
                    }
                }
                Some(&End::Triangles(pair)) => {
                    self.vacate(index);
                    self.reactivated.push(pair);
                }
                Some(End::Vacant) | None => {}
            }
        }
        true
    }

    /// Whether ends are to be added.
    fn records(&self) -> bool {
        self.worth.pause == 0
    }

    /// Adds volumes that were found too far apart, with planes that keep them apart where there are such.
    fn add(&mut self, here: &Here<'_>, mut end: Entry) {
        self.worth.test();
        if end.wide_lanes == 0 {
            return;
        }
        self.keep(here, &mut end);
        if end.wide_lanes != 0 {
            self.add_near(end);
        }
    }

    /// Adds those of the eight that planes keep apart; leaves the others, and all where there are several ones.
    fn keep(&mut self, here: &Here<'_>, end: &mut Entry) {
        let Some(across) = here.across(end) else { return };
        self.worth.search();
        let lanes = std::mem::take(&mut end.wide_lanes);
        self.found.clear();
        let distance = here.distance * LONGER;
        let search = FindPlanes { across, to: &here.trees.to_frames[0], lanes, distance, found: &mut self.found };
        end.wide_lanes = dispatch(here.level, search);
        for i in 0..self.found.len() {
            let (plane, kept) = self.found[i];
            self.put_volumes(Entry { wide_lanes: kept, ..*end }, &plane);
        }
    }

    /// Adds volumes without a plane: at the next pose the descent goes on there.
    fn add_near(&mut self, end: Entry) {
        self.put_volumes(Entry { wide_lanes: end.wide_lanes & end.wide.lanes(), ..end }, &Plane::NONE);
    }

    /// Lower bounds are of this pose alone.
    fn put_volumes(&mut self, end: Entry, plane: &Plane) {
        self.put(End::Volumes(Entry { lower_bound: 0.0, ..end }), plane);
    }

    /// Adds pairs of triangles. Those of `far` get planes that keep them apart, if there are such with the axes.
    fn add_pairs(&mut self, here: &Here<'_>, pairs: &PairQueue, far: u8, axes: &[[f64; 8]; 3]) {
        self.worth.test();
        let mut planes = EightPlanes::NONE;
        if far != 0 {
            self.worth.search();
            let triangles = pairs.triangles();
            planes = dispatch(here.level, FindTrianglePlanes { here, triangles, axes });
        }
        for (lane, a, b) in pairs.iter() {
            let is_kept = (far & planes.kept) >> lane & 1 != 0;
            let plane = if is_kept { planes.plane(lane) } else { Plane::NONE };
            self.put(End::Triangles([a as u32, b as u32]), &plane);
        }
    }

    fn put(&mut self, end: End, plane: &Plane) {
        let index = match self.vacant.pop() {
            Some(index) => index as usize,
            None => {
                self.ends.push(End::Vacant);
                self.ends.len() - 1
            }
        };
        self.ends[index] = end;
        self.planes.set(index, plane);
    }

    fn vacate(&mut self, index: usize) {
        self.ends[index] = End::Vacant;
        self.planes.set(index, &Plane::VACANT);
        self.vacant.push(index as u32);
    }
}

/// An axis is no longer than this: gaps along it are no more than as many times the distance.
const LONGER: f32 = 1.0 + 1e-5;

impl<'a> Here<'a> {
    /// The one and the eight, if there is but one.
    fn across(&self, entry: &Entry) -> Option<Across<'a>> {
        let node = |side: usize, inner| Node::at(self.trees.views[side].nodes, self.trees.kinds[side], inner);
        let side = usize::from(entry.side);
        let (single, wide) = (node(side, entry.single), node(1 - side, entry.wide));
        let lane = Some(entry.single_lanes.trailing_zeros() as usize);
        entry.single_lanes.is_power_of_two().then_some(if side == 0 {
            Across { nodes: [single, wide], lane: [lane, None] }
        } else {
            Across { nodes: [wide, single], lane: [None, lane] }
        })
    }
}

/// Finds the planes that no longer show that there is nothing near enough to matter.
struct FindNear<'a> {
    planes: &'a Planes,
    count: usize,
    here: &'a Here<'a>,
    near: &'a mut Vec<u32>,
}

impl Task for FindNear<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let to = &self.here.trees.to_frames[0];
        let limit = simd.splat(self.here.distance * LONGER + to.margin);
        for first in (0..self.count).step_by(WIDTH) {
            let near = !simd.bits(simd.gt(self.planes.gaps(simd, first / WIDTH, to), limit));
            self.near.extend(bits(near).map(|lane| (first + lane) as u32));
        }
    }
}

/// Finds planes that keep volumes farther apart than the distance; gives the lanes for which there are none.
struct FindPlanes<'a> {
    across: Across<'a>,
    to: &'a ToFrame,
    lanes: u8,
    distance: f32,
    found: &'a mut Vec<(Plane, u8)>,
}

impl Task for FindPlanes<'_> {
    type Output = u8;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> u8 {
        let apart = self.across.apart(simd, self.to);
        let (mut left, mut without) = (self.lanes, 0);
        while left != 0 {
            let before = left;
            let (plane, kept) = apart.plane(simd, self.to, &mut left, self.distance);
            if kept != 0 {
                self.found.push((plane, kept));
            }
            without |= before & !left & !kept;
        }
        without
    }
}

/// Finds planes that keep triangles farther apart than the distance.
struct FindTrianglePlanes<'a> {
    here: &'a Here<'a>,
    triangles: [&'a EightTriangles; 2],
    axes: &'a [[f64; 8]; 3],
}

impl Task for FindTrianglePlanes<'_> {
    type Output = EightPlanes;

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> EightPlanes {
        let Here { frames, trees, distance, .. } = self.here;
        EightPlanes::new(simd, self.triangles, frames, &trees.to_frames[0], self.axes, distance * LONGER)
    }
}

/// Finds the nearest pair of triangles, starting from a front, and records where the descent ends for the next.
pub(super) struct Tracking<'a, 'f> {
    pub(super) nearest: Nearest<'a>,
    front: &'f mut Front,
    trees: &'f PosedTrees<'f>,
    frames: [Frame; 2],
}

impl<'a, 'f> Tracking<'a, 'f> {
    pub(super) fn new(
        nearest: Nearest<'a>,
        front: &'f mut Front,
        trees: &'f PosedTrees<'f>,
        frames: [Frame; 2],
    ) -> Self {
        Self { nearest, front, trees, frames }
    }

    fn here(&self) -> Here<'f> {
        Here {
            level: self.nearest.level,
            trees: self.trees,
            frames: self.frames,
            distance: above(self.nearest.bound_sq.sqrt() / self.frames[0].unit),
        }
    }

    /// Descends from the front where that is of use, else from the roots; returns the number of volume tests.
    pub(super) fn descend(&mut self, engine: &mut Engine, test: &LowerBound, pace: Pace) -> u64 {
        let here = self.here();
        engine.entries.clear();
        let follows = self.front.reactivate(&here, &mut engine.entries);
        let trees = self.trees;
        let volume_tests = if self.test_reactivated().is_break() {
            0
        } else if follows {
            let limit = self.nearest.limit;
            engine.go_on(trees, test, limit, self, pace.without_greedy_descents())
        } else {
            engine.descend(trees, test, self.nearest.limit, self, pace)
        };
        // The descent was broken off if nothing can be nearer.
        self.front.finish(!self.nearest.is_done());
        volume_tests
    }

    fn test_reactivated(&mut self) -> ControlFlow<()> {
        let mut pairs = PairQueue::default();
        while let Some([a, b]) = self.front.reactivated.pop() {
            pairs.push(a as usize, b as usize);
            if pairs.len() == PairQueue::CAPACITY || self.front.reactivated.is_empty() {
                if let ControlFlow::Break(()) = self.visit(&mut pairs) {
                    return ControlFlow::Break(());
                }
                pairs.clear();
            }
        }
        ControlFlow::Continue(())
    }
}

impl LeafVisitor for Tracking<'_, '_> {
    fn visit(&mut self, pairs: &mut PairQueue) -> ControlFlow<(), f32> {
        let is_recorded = self.front.records();
        let (Distances { across, .. }, far) = self.nearest.test_pairs(pairs, is_recorded);
        if is_recorded {
            let here = self.here();
            self.front.add_pairs(&here, pairs, far, &across);
        }
        if self.nearest.is_done() { ControlFlow::Break(()) } else { ControlFlow::Continue(self.nearest.limit) }
    }

    fn recorder(&mut self) -> Option<&mut dyn Recorder> {
        if self.front.records() { Some(self) } else { None }
    }
}

impl Recorder for Tracking<'_, '_> {
    fn on_separated(&mut self, entry: &Entry) {
        let here = self.here();
        self.front.add(&here, *entry);
    }

    fn on_culled(&mut self, entry: &Entry) {
        self.front.add_near(*entry);
    }
}
