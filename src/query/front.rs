//! The front of a descent for the least distance: the pairs of volumes and of triangles at which it ended, which cover all
//! pairs of triangles, with planes that keep most of them apart.
//!
//! At another pose the descent need only go on where the planes no longer show that there is nothing near enough to matter.
//! After Ehmann and Lin, "Accurate and Fast Proximity Queries Between Polyhedra Using Convex Surface Decomposition" (2001),
//! section 5, who keep the front.

use super::traverse::{Entry, Part, bits};
use crate::packed::{Across, EightPlanes, Frame, Node, Plane, Planes, ToFrame, Volume8};
use crate::simd::Simd;
use crate::tree::{BvTree, View};
use crate::triangle::Batch;

/// Where a descent ended.
#[derive(Debug, Default)]
pub(super) struct Front {
    /// [`BvTree::id`] of both.
    trees: [u64; 2],
    ends: Vec<End>,
    /// A plane for each end.
    planes: Planes,
    /// Places of ends that have been taken out.
    vacant: Vec<u32>,
    /// How many ends it had when it was built from the roots.
    built: usize,
    /// Ends that may be near, while they are looked for.
    near: Vec<u32>,
    /// Volumes and pairs of triangles that were taken out.
    woken_volumes: Vec<Part>,
    woken_pairs: Vec<[u32; 2]>,
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
    Volumes(Part),
    /// A's and B's, by their places in leaf order.
    Triangles([u32; 2]),
}

/// The pose that a front is asked for.
#[derive(Clone, Copy)]
pub(super) struct Here<'a> {
    pub(super) views: [View<'a>; 2],
    pub(super) frames: [Frame; 2],
    /// From B's frame to A's.
    pub(super) to: &'a ToFrame,
    /// The distance that matters at most, in the unit of A's frame.
    pub(super) distance: f32,
}

impl Front {
    /// Whether to follow the front, or to build one: the last question was of these trees as well, and following it has
    /// not turned out to be of no use of late. If not, forgets all.
    pub(super) fn is_of_use(&mut self, trees: [&BvTree; 2]) -> bool {
        let trees = trees.map(BvTree::id);
        if self.trees != trees {
            self.trees = trees;
            self.clear();
            self.worth = Worth::default();
            return false;
        }
        let is_paused = self.worth.pause > 0;
        self.worth.pause = self.worth.pause.saturating_sub(1);
        !is_paused
    }

    /// To be called after a descent; tells whether it went on to its end.
    pub(super) fn finish(&mut self, is_complete: bool) {
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
        self.woken_volumes.clear();
        self.woken_pairs.clear();
    }

    /// Takes out the ends that may be near enough to matter. False if there are too many, or the front is empty: then the
    /// descent is to start from the roots.
    #[inline(always)]
    pub(super) fn wake<V: Volume8, S: Simd>(&mut self, simd: S, here: &Here<'_>) -> bool {
        let count = self.ends.len();
        if count == 0 {
            return false;
        }
        self.worth.work += ASK * count.div_ceil(8) as u64;
        self.near.clear();
        let limit = simd.splat(here.distance * LONGER + here.to.margin);
        for first in (0..count).step_by(8) {
            let near = !simd.bits(simd.gt(self.planes.gaps(simd, first / 8, here.to), limit));
            self.near.extend(bits(near).map(|lane| (first + lane) as u32));
        }
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
                    self.keep::<V, S>(simd, here, &mut end);
                    if end.eight_lanes != 0 {
                        self.woken_volumes.push(end);
                    }
                }
                Some(&End::Triangles(pair)) => {
                    self.vacate(index);
                    self.woken_pairs.push(pair);
                }
                Some(End::Vacant) | None => {}
            }
        }
        true
    }

    /// Volumes that were taken out.
    #[inline(always)]
    pub(super) fn next_volumes(&mut self) -> Option<Part> {
        self.woken_volumes.pop()
    }

    /// A pair of triangles that was taken out.
    pub(super) fn next_pair(&mut self) -> Option<[u32; 2]> {
        self.woken_pairs.pop()
    }

    /// Whether ends are to be added.
    #[inline(always)]
    pub(super) fn records(&self) -> bool {
        self.worth.pause == 0
    }

    /// Adds volumes that were found too far apart, with planes that keep them apart where there are such.
    #[inline(always)]
    pub(super) fn add<V: Volume8, S: Simd>(&mut self, simd: S, here: &Here<'_>, mut end: Part) {
        self.worth.test();
        if end.eight_lanes == 0 {
            return;
        }
        self.keep::<V, S>(simd, here, &mut end);
        if end.eight_lanes != 0 {
            self.add_near(end);
        }
    }

    /// Adds those of the eight that planes keep apart; leaves the others, and all where there are several ones.
    #[inline(always)]
    fn keep<V: Volume8, S: Simd>(&mut self, simd: S, here: &Here<'_>, end: &mut Part) {
        let Some(across) = here.across::<V>(end) else { return };
        self.worth.search();
        let apart = across.apart::<V, S>(simd, here.to);
        let mut left = std::mem::take(&mut end.eight_lanes);
        while left != 0 {
            let before = left;
            let (plane, kept) = apart.plane(simd, here.to, &mut left, here.distance * LONGER);
            if kept != 0 {
                self.put_volumes(Part { eight_lanes: kept, ..*end }, &plane);
            }
            end.eight_lanes |= before & !left & !kept;
        }
    }

    /// Adds volumes without a plane: at the next pose the descent goes on there.
    pub(super) fn add_near(&mut self, end: Part) {
        self.put_volumes(Part { eight_lanes: end.eight_lanes & end.entry.eight.lanes(), ..end }, &Plane::NONE);
    }

    /// Lower bounds are of this pose alone.
    fn put_volumes(&mut self, Part { entry, eight_lanes }: Part, plane: &Plane) {
        self.put(End::Volumes(Part { entry: Entry { lower_bound: 0.0, ..entry }, eight_lanes }), plane);
    }

    /// Adds pairs of triangles: lanes of a batch, with A's and B's places. Those of `far` get planes that keep them apart, if
    /// there are such with the axes.
    #[inline(always)]
    pub(super) fn add_pairs<S: Simd>(
        &mut self,
        simd: S,
        here: &Here<'_>,
        batch: &Batch,
        pairs: impl Iterator<Item = (usize, usize, usize)>,
        far: u8,
        axes: &[[f64; 8]; 3],
    ) {
        self.worth.test();
        let mut planes = EightPlanes::NONE;
        if far != 0 {
            self.worth.search();
            planes = here.planes_between(simd, batch, axes);
        }
        for (lane, a, b) in pairs {
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

impl Here<'_> {
    /// The one and the eight, if there is but one.
    #[inline(always)]
    fn across<V: Volume8>(&self, &Part { entry, .. }: &Part) -> Option<Across<'_>> {
        let side = usize::from(entry.side);
        let ones = Node::at::<V>(self.views[side].nodes, entry.ones);
        let eight = Node::at::<V>(self.views[1 - side].nodes, entry.eight);
        let lane = Some(entry.lanes.trailing_zeros() as usize);
        (entry.lanes.is_power_of_two()).then_some(if side == 0 {
            Across { nodes: [ones, eight], lane: [lane, None] }
        } else {
            Across { nodes: [eight, ones], lane: [None, lane] }
        })
    }

    #[inline(always)]
    fn planes_between<S: Simd>(&self, simd: S, batch: &Batch, axes: &[[f64; 8]; 3]) -> EightPlanes {
        EightPlanes::new(simd, batch.triangles(), &self.frames, self.to, axes, self.distance * LONGER)
    }
}
