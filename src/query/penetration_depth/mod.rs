//! Penetration depth: the shortest translation that separates two solids, as a proven interval.

mod inner_point;
mod separation;

use std::collections::{BinaryHeap, VecDeque};

use nalgebra::Vector3;

use super::clock::time_limit;
use super::{DepthOptions, Query, QueryError, QueryStats};
use crate::pose::Pose;
use crate::tree::BvTree;
use inner_point::{InnerPoint, MORE, deeper};
use separation::Separation;

/// The penetration depth of two solids: a proven interval, and a translation that separates them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias = "minimum translation vector")]
#[doc(alias = "MTV")]
pub struct PenetrationDepth {
    /// A lower bound on the depth, in A's unit: after any shorter translation the interiors still overlap.
    pub lower: f64,
    /// An upper bound on the depth, in A's unit: the length of `translation`.
    pub upper: f64,
    /// A translation of B, in A's frame, after which the interiors don't overlap: added to the translation of the pose,
    /// it gives a pose at which [`Query::relation`] is `Separate` or `Touching`. Zero if the interiors don't overlap at
    /// the given pose.
    pub translation: Vector3<f64>,
}

impl Query {
    /// The penetration depth of two solids: the length of the shortest translation of B after which their interiors
    /// don't overlap. It is 0 if they don't overlap at the given pose.
    ///
    /// This is a global depth: the distance that B must move to be clear of A. Parts that fit snugly into each other
    /// can have a large penetration depth although they overlap by nanometres, which is what [`Query::overlap_depth`]
    /// measures.
    ///
    /// The upper bound comes from translations along the normals of contacts and from sliding along them, as in
    /// PolyDepth (Je, Tang, Lee, Lee and Kim, "PolyDepth: Real-Time Penetration Depth Computation Using Iterative
    /// Contact-Space Projection", 2012). For the lower bound, the ball of all translations shorter than the upper bound
    /// is covered with cubes. A point that lies `d` deep in A and, after a translation of B, `e` deep in B proves that
    /// the interiors still overlap after all translations that differ from that one by less than `d + e`; a cube that
    /// no such point covers is divided. The search stops at the tolerances or limits of `options`, where a cube counts
    /// as 32 regions.
    ///
    /// If the shortest way out is exactly as wide as the part that moves along it, it counts as blocked because of
    /// rounding. The upper bound is then the length of the next way out.
    ///
    /// # Errors
    ///
    /// [`QueryError::OpenMesh`] if a mesh is not closed ([`BvTree::watertightness`]): then nothing is inside it.
    #[doc(alias = "minimum translation vector")]
    #[doc(alias = "MTV")]
    #[doc(alias = "disassembly")]
    pub fn penetration_depth(
        &mut self,
        a: &BvTree,
        b: &BvTree,
        b_to_a: &Pose,
        options: &DepthOptions,
    ) -> Result<PenetrationDepth, QueryError> {
        QueryError::require_closed([a, b], [false; 2])?;
        if a.triangle_count() == 0 || b.triangle_count() == 0 {
            self.stats = QueryStats::default();
            return Ok(PenetrationDepth { lower: 0.0, upper: 0.0, translation: Vector3::zeros() });
        }
        let mut separation = Separation::new(self, [a, b], b_to_a);
        let mut lower = 0.0;
        if separation.is_free(&Vector3::zeros()) {
            separation.length = 0.0;
        } else {
            separation.along_many_directions();
            lower = Cover::new(&mut separation, options).run();
        }
        let Separation { translation, length, mut work, solids, .. } = separation;
        work += solids.stats();
        self.stats = work;
        Ok(PenetrationDepth { lower: f64::min(lower, length), upper: length, translation })
    }
}

/// A cube of translations.
struct Cell {
    center: Vector3<f64>,
    /// Half of the edge of the cube.
    half: f64,
    /// The least length of a translation in the cube.
    least: f64,
    /// A point that is inside both solids after the central translation of a larger cube, of which this one is a part.
    inner: Option<InnerPoint>,
}

impl Cell {
    fn new(center: Vector3<f64>, half: f64, inner: Option<InnerPoint>) -> Self {
        let least = center.map(|x| (x.abs() - half).max(0.0)).norm();
        Self { center, half, least, inner }
    }

    /// The radius of the sphere around the cube.
    fn radius(&self) -> f64 {
        self.half * 1.732_050_807_568_878
    }

    /// The greatest length of a translation in the cube.
    fn greatest(&self) -> f64 {
        self.center.map(|x| x.abs() + self.half).norm()
    }
}

impl Ord for Cell {
    /// The cell with the shortest translation is the greatest, so that a heap returns it first.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.least.total_cmp(&self.least)
    }
}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Cell {}

/// The cubes that cover the ball of translations shorter than the best separating one, except cubes that are proven to
/// leave the solids overlapping.
struct Cover<'s, 'a> {
    separation: &'s mut Separation<'a>,
    options: DepthOptions,
    queue: BinaryHeap<Cell>,
    /// The radius of the best inner point at the given pose: the solids overlap after any translation shorter than
    /// this.
    ball: f64,
    /// The length of the shortest translation in any cube that is too small to be divided, because of rounding;
    /// infinite if there is none.
    settled: f64,
    /// The inner points found last, which may prove an overlap for other cubes.
    found: VecDeque<InnerPoint>,
}

/// The number of cubes after which the clock is read.
const CELLS_PER_CLOCK: usize = 8;

/// The number of inner points that are kept.
const MAX_FOUND: usize = 1024;

/// If the radius of a followed inner point exceeds this fraction of the cube's radius, no other point is sought: a
/// search costs as much as tens of smaller cubes, and mostly finds none.
const NEARLY: f64 = 0.1;

/// The number of regions that a cube counts as, of the [`DepthOptions::max_regions`].
const REGIONS_PER_CELL: usize = 32;

impl<'s, 'a> Cover<'s, 'a> {
    fn new(separation: &'s mut Separation<'a>, options: &DepthOptions) -> Self {
        let (queue, found) = (BinaryHeap::new(), VecDeque::new());
        Self { separation, options: *options, queue, ball: 0.0, settled: f64::INFINITY, found }
    }

    /// Covers the ball as far as the options allow, and returns the lower bound on the depth.
    fn run(&mut self) -> f64 {
        let is_late = time_limit(self.options.time_limit);
        let length = self.separation.length;
        let starts = self.separation.contact_points(&Vector3::zeros());
        // Between parallel faces, whose distance is the depth, the deepest points have just that radius.
        let inner = self.separation.solids.deepest(&starts, Vector3::zeros(), length, length);
        self.ball = inner.map_or(0.0, |inner| inner.radius);
        self.queue.push(Cell::new(Vector3::zeros(), length, inner));
        let mut examined = 0;
        loop {
            let least = self.queue.peek().map_or(self.separation.length, |cell| cell.least).min(self.settled);
            let lower = least.max(self.ball);
            let gap = self.separation.length - lower;
            if gap
                <= self
                    .options
                    .absolute_tolerance
                    .max(self.options.relative_tolerance * lower)
                    .max(self.separation.solids.rounding)
                || examined * REGIONS_PER_CELL >= self.options.max_regions
                || self.separation.is_interrupted()
                || examined % CELLS_PER_CLOCK == 0 && is_late()
            {
                return lower;
            }
            examined += 1;
            match self.queue.pop() {
                Some(cell) => self.examine(&cell),
                None => return lower,
            }
        }
    }

    /// Closes a cube that needs no further search, or divides it.
    fn examine(&mut self, cell: &Cell) {
        let (center, radius) = (cell.center, cell.radius());
        if cell.greatest() < self.ball || cell.least >= self.separation.length {
            return;
        }
        if self.found.iter().any(|inner| inner.proves(&center, radius)) {
            return;
        }
        let mut inner = cell.inner.and_then(|inner| self.separation.solids.follow(&inner, center, radius));
        if inner.is_none_or(|inner| inner.radius <= NEARLY * radius) {
            if inner.is_some() || !self.separation.is_free(&center) {
                // The deepest overlap may be elsewhere than near the followed point.
                let starts = self.separation.contact_points(&center);
                let other = self.separation.solids.deepest(&starts, center, radius, MORE * radius);
                inner = deeper(inner, other);
            } else {
                self.separation.shorten(center);
            }
        }
        if let Some(inner) = &inner {
            self.found.truncate(MAX_FOUND - 1);
            self.found.push_front(*inner);
            if inner.proves(&center, radius) {
                return;
            }
            self.separation.along(center, radius / center.norm());
        }
        if radius <= self.separation.solids.rounding {
            self.settled = self.settled.min(cell.least);
            return;
        }
        let half = 0.5 * cell.half;
        for octant in 0..8 {
            let side = Vector3::from_fn(|k, _| if octant >> k & 1 == 1 { half } else { -half });
            let part = Cell::new(center + side, half, inner.or(cell.inner));
            if part.least < self.separation.length && part.greatest() >= self.ball {
                self.queue.push(part);
            }
        }
    }
}
