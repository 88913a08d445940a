//! Whether two meshes intersect at each of many poses in order: neighbouring poses share what one of them found.
//!
//! * **Blocks without contact.** If the volumes of the two trees are apart at one pose by more than B's points move
//!   from there to the other poses of a block, nothing intersects at any of them. Blocks grow while this succeeds.
//! * **Contact.** The triangles that intersected at the last pose are tested first, then the nodes around them.
//!
//! Each verdict is exact and the same as that of [`Query::intersects`]: an intersecting pair proves contact wherever it
//! comes from, separated volumes prove the contrary, and everything else is decided from the roots.

use std::ops::ControlFlow;

use smallvec::SmallVec;

use crate::numeric::error_bounds::enlarged_margin;
use crate::pose::Pose;
use crate::query::many::steps::Steps;
use crate::query::pairs::Intersecting;
use crate::query::{Query, QueryStats, Solid};
use crate::simd::SimdLevel;
use crate::traversal::{NodePair, OverlapTest, PairQueue, PairVisitor, PosedTrees, TraversalPolicy};
use crate::tree::BvTree;

/// The results at the last poses, which speed up the next ones.
pub(super) struct Hits<'a> {
    trees: [&'a BvTree; 2],
    steps: Steps,
    blocks: BlockSize,
    contact: Option<Contact>,
    /// Scratch memory.
    queue: PairQueue,
    work: QueryStats,
}

/// Where the meshes intersected at the last pose.
struct Contact {
    /// Up to eight pairs of triangles that intersected, by leaf index; at least one.
    pairs: Pairs,
    /// The nodes around an earlier pair, which also contain the current pairs.
    around: Option<NodePair>,
}

type Pairs = SmallVec<[[u32; 2]; PairQueue::CAPACITY]>;

/// The largest displacement in a block, as a multiple of [`Steps::max_step`]; volumes are rarely far enough apart for
/// larger ones.
const MAX_BLOCK: f64 = 4.0;

impl<'a> Hits<'a> {
    pub(super) fn new(trees: [&'a BvTree; 2]) -> Self {
        Self {
            trees,
            steps: Steps::new(trees),
            blocks: BlockSize::default(),
            contact: None,
            queue: PairQueue::default(),
            work: QueryStats::default(),
        }
    }

    /// Passes the verdict at each pose to `take`, as runs of equal verdicts in order, until it breaks.
    pub(super) fn run(
        &mut self,
        query: &mut Query,
        poses: &[Pose],
        mut take: impl FnMut(usize, bool) -> ControlFlow<()>,
    ) {
        let (mut first, mut uncertainty) = (0, 0.0_f64);
        while first < poses.len() {
            query.uncertainty = 0.0;
            let is_near_next = poses.get(first + 1).is_some_and(|next| self.steps.are_near(&poses[first], next));
            let free = if is_near_next && self.contact.is_none() { self.free_block(query, &poses[first..]) } else { 0 };
            let (count, hit) = if free > 0 { (free, false) } else { (1, self.intersects(query, &poses[first])) };
            first += count;
            uncertainty = uncertainty.max(query.uncertainty);
            if free == 0 && !is_near_next {
                self.contact = None;
            }
            if take(count, hit).is_break() {
                break;
            }
        }
        query.stats = self.work;
        query.uncertainty = uncertainty;
    }

    /// The number of leading poses at which volumes show that nothing intersects; may be 0.
    fn free_block(&mut self, query: &mut Query, poses: &[Pose]) -> usize {
        if !self.inner_is_same(query) {
            return 0;
        }
        let Some(half) = self.blocks.half() else { return 0 };
        let middle = half.min(poses.len() - 1);
        let block = &poses[..poses.len().min(middle + half + 1)];
        let mut largest = 0.0_f64;
        for pose in block {
            largest = largest.max(self.steps.displacement(&poses[middle], pose));
        }
        let is_free = largest < MAX_BLOCK * self.steps.max_step()
            && self.is_clear(query, &poses[middle], largest)
            && query.inner_if_apart(self.trees, &poses[middle], None).is_none();
        self.blocks.tried(is_free);
        if is_free { block.len() } else { 0 }
    }

    /// Whether a mesh inside the other stays inside while the surfaces do not meet. With [`Solid::Robust`], the inner
    /// mesh may leave through a hole; with masks, through triangles that are masked out.
    fn inner_is_same(&self, query: &Query) -> bool {
        !query.solids().contains(&Solid::Robust) && !query.has_masked_solids(self.trees)
    }

    /// Whether volumes show that nothing intersects at any pose at which B's points are at most `distance` from where
    /// this pose places them.
    fn is_clear(&mut self, query: &mut Query, b_to_a: &Pose, distance: f64) -> bool {
        let mut trees = PosedTrees::masked(self.trees, b_to_a, query.masks);
        if trees.to_frames.iter().any(|to| to.far_offset != 0.0) {
            return false;
        }
        for (to, frame) in trees.to_frames.iter_mut().zip(&trees.frames) {
            to.margin = enlarged_margin(to.margin, distance / frame.unit);
        }
        let mut any = AnyLeaves(false);
        let policy = TraversalPolicy::CLEARANCE;
        self.work.volume_tests += query.traversal.run(&trees, &OverlapTest, f32::INFINITY, &mut any, policy);
        !any.0
    }

    fn intersects(&mut self, query: &mut Query, pose: &Pose) -> bool {
        let trees = PosedTrees::masked(self.trees, pose, query.masks);
        let hit = self.intersects_again(query, &trees) || self.search(query, &trees, NodePair::ROOTS);
        if !hit {
            self.contact = None;
        }
        hit || query.inner_if_apart(self.trees, pose, None).is_some()
    }

    /// Whether there is contact near that of the last pose.
    fn intersects_again(&mut self, query: &mut Query, trees: &PosedTrees<'_>) -> bool {
        let Some(mut contact) = self.contact.take() else { return false };
        let last = contact.pairs[0];
        self.queue.clear();
        contact.pairs.iter().for_each(|&[a, b]| self.queue.push(a as usize, b as usize));
        let mut first = FirstBatch::new(trees, query);
        let _ = first.visit(&mut self.queue);
        self.work.triangle_tests += first.triangle_tests;
        if !first.pairs.is_empty() {
            contact.pairs = first.pairs;
            self.contact = Some(contact);
            return true;
        }
        let around = contact.around.unwrap_or_else(|| {
            let [a, b] = [0, 1].map(|side| self.trees[side].node_around(last[side] as usize));
            NodePair::all(a, b)
        });
        if !self.search(query, trees, around) {
            return false;
        }
        if let Some(contact) = &mut self.contact {
            contact.around = Some(around);
        }
        true
    }

    /// Whether triangles below a node pair intersect; remembers the first ones found.
    fn search(&mut self, query: &mut Query, trees: &PosedTrees<'_>, from: NodePair) -> bool {
        if trees.is_empty() {
            return false;
        }
        let mut first = FirstBatch::new(trees, query);
        query.traversal.stack.clear();
        query.traversal.stack.push(from);
        let policy = TraversalPolicy::FIRST;
        self.work.volume_tests += query.traversal.resume(trees, &OverlapTest, f32::INFINITY, &mut first, policy);
        self.work.triangle_tests += first.triangle_tests;
        if first.pairs.is_empty() {
            return false;
        }
        self.contact = Some(Contact { pairs: first.pairs, around: None });
        true
    }
}

/// Finds the intersecting pairs of triangles of the first batch that has any, by leaf indices.
struct FirstBatch<'a> {
    trees: &'a PosedTrees<'a>,
    level: SimdLevel,
    pairs: Pairs,
    triangle_tests: u64,
}

impl<'a> FirstBatch<'a> {
    fn new(trees: &'a PosedTrees<'a>, query: &Query) -> Self {
        Self { trees, level: query.traversal.level, pairs: Pairs::new(), triangle_tests: 0 }
    }
}

impl PairVisitor for FirstBatch<'_> {
    fn visit(&mut self, queue: &mut PairQueue) -> ControlFlow<(), f32> {
        let pairs = &mut self.pairs;
        let mut add = |a, b| {
            pairs.push([a as u32, b as u32]);
            ControlFlow::Continue(())
        };
        let mut intersecting = Intersecting::new(self.trees, self.level, &mut add);
        let _ = intersecting.test(queue);
        self.triangle_tests += intersecting.triangle_tests;
        if self.pairs.is_empty() { ControlFlow::Continue(f32::INFINITY) } else { ControlFlow::Break(()) }
    }
}

/// Ends a traversal at the first leaves that are not apart.
struct AnyLeaves(bool);

impl PairVisitor for AnyLeaves {
    fn visit(&mut self, _: &mut PairQueue) -> ControlFlow<(), f32> {
        self.0 = true;
        ControlFlow::Break(())
    }
}

/// The size of the next block, adapted to whether the last ones were free of contact.
#[derive(Debug)]
struct BlockSize {
    /// The number of poses on either side of a block's middle one. It is at most twice the number of all poses, since a
    /// block that is free is used up.
    half: usize,
    /// Whether the block size doubles after a success; otherwise it grows by a quarter. A failure ends the doubling,
    /// and a failure at the least size restores it.
    doubles: bool,
    /// The number of poses to be tested one by one before the next block.
    pause: u32,
    last_pause: u32,
}

impl Default for BlockSize {
    fn default() -> Self {
        Self { half: 1, doubles: true, pause: 0, last_pause: 0 }
    }
}

impl BlockSize {
    /// Half the size of the block to try now, if one is to be tried.
    fn half(&mut self) -> Option<usize> {
        let is_paused = self.pause > 0;
        self.pause = self.pause.saturating_sub(1);
        (!is_paused).then_some(self.half)
    }

    fn tried(&mut self, is_free: bool) {
        if is_free {
            self.half += if self.doubles { self.half } else { self.half.div_ceil(4) };
            self.last_pause = 0;
        } else if self.half > 1 {
            self.half /= 2;
            self.doubles = false;
        } else {
            self.last_pause = (2 * self.last_pause + 1).min(31);
            self.pause = self.last_pause;
            self.doubles = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{Matrix3, Point3};

    use super::*;
    use crate::mesh::Mesh;
    use crate::options::BuildOptions;
    use crate::volume::VolumeKind;
    use crate::volume::tests::Random;

    /// If volumes show that nothing intersects within a distance, the meshes are that far apart, and volumes often show
    /// it; no vertex moves farther than the bound of displacements.
    #[test]
    fn clear_poses_are_as_far_apart_as_claimed() {
        let mut random = Random(17);
        for kind in VolumeKind::ALL {
            let (mut clear, mut tried) = (0, 0);
            for _ in 0..if cfg!(debug_assertions) { 40 } else { 2000 } {
                let scales = [1.0, random.pick([0.01, 1.0, 30.0])];
                let trees = scales.map(|scale: f64| {
                    let place = random.vector() * random.pick([0.0, 10.0]);
                    let vertices = (0..60).map(|_| Point3::from((random.vector() + place) * scale).cast::<f32>());
                    let (vertices, triangles) = (vertices.collect(), (0..20).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]));
                    let mesh = Mesh::from_arrays(vertices, triangles.collect()).unwrap();
                    BvTree::build(&mesh, &BuildOptions { kind, ..BuildOptions::default() }).unwrap()
                });
                let [a, b] = &trees;
                let mut pose = |apart: f64| {
                    let turn = nalgebra::Rotation3::new(random.vector() * 3.0).into_inner();
                    let noise = Matrix3::from_fn(|_, _| random.vector().x) * random.pick([0.0, 3e-5]);
                    let far = a.bounds().half_extents().norm() + b.bounds().half_extents().norm();
                    let at = a.bounds().center().coords + random.vector() * (far * apart);
                    Pose::new(turn + noise, at - turn * b.bounds().center().coords).ok()
                };
                let Some(from) = pose(1.5) else { continue };
                let steps = Steps::new([a, b]);
                let mut query = Query::new();
                let distance = query.distance(a, b, &from).unwrap().distance;
                for part in [0.3, 0.9, 0.99, 1.01, 1.2] {
                    let is_clear = Hits::new([a, b]).is_clear(&mut query, &from, distance * part);
                    assert!(!is_clear || part < 1.0, "{kind} {part} of {distance}");
                    clear += usize::from(is_clear);
                    tried += usize::from(part < 0.5 && distance > 0.0);
                }
                let Some(to) = pose(0.1) else { continue };
                let moved = |p: &Point3<f32>| (from.transform(p) - to.transform(p)).norm();
                let farthest = b.view().vertices.iter().map(moved).fold(0.0, f64::max);
                let bound = steps.displacement(&from, &to);
                assert!(farthest <= bound && bound <= 8.0 * farthest.max(1e-9), "{farthest} {bound}");
            }
            assert!(tried > 5 && 2 * clear > tried, "{kind}: {clear} of {tried}");
        }
    }
}
