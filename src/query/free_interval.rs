//! The first way out along a direction: the first interval of translations at which B is free of A.

use std::ops::ControlFlow;

use nalgebra::{UnitVector3, Vector3};

use super::penetration::translation_sweep;
use super::{Query, QueryStats};
use crate::numeric::denormals::above;
use crate::pose::Pose;
use crate::traversal::{PairQueue, PairVisitor, PosedTrees, TraversalPolicy};
use crate::tree::BvTree;
use crate::volume::RelativeFrame;

/// An interval of translations along a direction at which B is free of A.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct FreeInterval {
    /// The length of translation from which B is free, in A's unit; 0 if B is free where it is.
    pub start: f64,
    /// The length at which B meets A again; infinite if it never does.
    pub end: f64,
}

/// The least number of intervals of contact at which overlapping ones are joined.
const MIN_RANGES: usize = 64;

impl Query {
    /// The first way out along a direction in A's frame: the first interval of lengths, 0 or more, such that B,
    /// translated along the direction by a length strictly inside the interval, is free of A. If the meshes touch at
    /// the given pose, the last free interval starts at the length that [`Query::penetration_along`] returns.
    ///
    /// The interval is proven: each pair of triangles touches during at most one interval of lengths, which is computed
    /// with an error bound, and the result overlaps none of these intervals. Gaps shorter than rounding may be missed.
    /// If [`Query::set_solids`] makes a mesh solid, B is not free inside it.
    ///
    /// The query takes as long as a sweep past all of A: all pairs of triangles that meet on the way are tested, except
    /// those whose contact ends before the contact at the given pose does.
    #[doc(alias = "escape distance")]
    #[doc(alias = "disassembly")]
    pub fn free_interval_along(
        &mut self,
        a: &BvTree,
        b: &BvTree,
        b_to_a: &Pose,
        direction: &UnitVector3<f64>,
    ) -> FreeInterval {
        if self.has_masked_solids([a, b]) {
            return self.unmasked(|query| query.free_interval_along(a, b, b_to_a, direction));
        }
        let trees = PosedTrees::masked([a, b], b_to_a, self.masks);
        let approach = if trees.is_empty() { None } else { Approach::of(&trees, direction) };
        let Some(approach) = approach else {
            self.stats = QueryStats::default();
            return FreeInterval { start: 0.0, end: f64::INFINITY };
        };
        let near = PosedTrees::masked([a, b], &approach.pose, self.masks);
        let (test, max_length) = translation_sweep(&near, direction, approach.rounding);
        let (ranges, join_at) = (Vec::new(), MIN_RANGES);
        let mut contacts =
            Contacts { trees: &trees, direction, max_length, start: 0.0, ranges, join_at, triangle_tests: 0 };
        let volume_tests =
            self.traversal.run(&near, &test, contacts.limit(), &mut contacts, TraversalPolicy::ONE_BY_ONE);
        contacts.join();
        let mut work = QueryStats { volume_tests, triangle_tests: contacts.triangle_tests };
        let mut start = 0.0;
        for [entry, exit] in contacts.ranges.into_iter().chain([[f64::INFINITY; 2]]) {
            let middle = if entry.is_finite() {
                start + 0.5 * (entry - start)
            } else {
                start.max(approach.length) + 2.0 * max_length
            };
            // Test in the middle of the gap: rounding of the pose or a solid may make B meet A there.
            if start < middle && middle < entry {
                let pose = Pose::unchecked(*b_to_a.rotation(), b_to_a.translation() + direction.into_inner() * middle);
                let is_free = !self.intersects(a, b, &pose);
                work += self.stats;
                if is_free {
                    self.stats = work;
                    return FreeInterval { start, end: entry };
                }
            }
            start = exit.max(start);
        }
        self.stats = work;
        FreeInterval { start, end: f64::INFINITY }
    }
}

/// The first part of a translation, up to where B is near A, and B's pose there. Volumes of meshes that are far apart
/// are placed nearer than they are, which is no place to start a sweep from.
struct Approach {
    /// The length of the part; 0 if B is near A where it is.
    length: f64,
    pose: Pose,
    /// A bound on the rounding of the pose.
    rounding: f64,
}

impl Approach {
    /// `None` if B is far from A and does not come near.
    fn of(trees: &PosedTrees<'_>, direction: &Vector3<f64>) -> Option<Self> {
        let PosedTrees { frames: [a, b], b_to_a, .. } = trees;
        if trees.to_frames.iter().all(|to| to.far_offset == 0.0) {
            return Some(Self { length: 0.0, pose: **b_to_a, rounding: 0.0 });
        }
        let (offset, rounding) = RelativeFrame::offset(a, b, b_to_a);
        let (along, rounding, radii) = (-offset.dot(direction), 16.0 * rounding, a.unit + b.unit);
        let beside = (offset + direction * along).norm();
        // Each mesh is within a unit of its frame's origin.
        if along < 0.0 || beside > 4.0 * radii + rounding {
            return None;
        }
        let length = (along - 8.0 * radii - rounding).max(0.0);
        let pose = Pose::unchecked(*b_to_a.rotation(), b_to_a.translation() + direction * length);
        Some(Self { length, pose, rounding })
    }
}

/// The intervals of lengths at which pairs of triangles touch.
struct Contacts<'a> {
    trees: &'a PosedTrees<'a>,
    direction: &'a UnitVector3<f64>,
    /// The length of the translation at time 1, in A's unit.
    max_length: f64,
    /// The end of the contact at length 0, as far as it is known.
    start: f64,
    ranges: Vec<[f64; 2]>,
    /// The number of intervals at which `ranges` are joined.
    join_at: usize,
    triangle_tests: u64,
}

impl Contacts<'_> {
    /// The limit of the volume test, a negated time: contacts that end earlier than that time don't matter.
    fn limit(&self) -> f32 {
        above(-self.start / self.max_length)
    }

    /// Sorts the intervals and joins those that overlap.
    fn join(&mut self) {
        self.ranges.sort_unstable_by(|p, q| p[0].total_cmp(&q[0]));
        self.ranges.dedup_by(|next, joined| {
            let overlaps = next[0] <= joined[1];
            joined[1] = if overlaps { joined[1].max(next[1]) } else { joined[1] };
            overlaps
        });
        self.start = self.ranges.first().filter(|first| first[0] <= 0.0).map_or(0.0, |first| first[1]);
    }
}

impl PairVisitor for Contacts<'_> {
    fn visit(&mut self, pairs: &mut PairQueue) -> ControlFlow<(), f32> {
        for (_, a, b) in pairs.iter() {
            self.triangle_tests += 1;
            let [triangle_a, triangle_b] = self.trees.pair(a, b);
            if let Some(range) = triangle_a.contact_range(&triangle_b, self.direction, self.start) {
                self.ranges.push([range.entry, range.exit]);
            }
        }
        if self.ranges.len() >= self.join_at {
            self.join();
            self.join_at = MIN_RANGES.max(2 * self.ranges.len());
        }
        ControlFlow::Continue(self.limit())
    }
}
