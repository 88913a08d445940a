//! Penetration depth: the shortest translation that separates two solids, as a proven interval.

mod inner_point;
mod separation;

use std::collections::BinaryHeap;
use std::ops::ControlFlow;
use std::time::Instant;

use nalgebra::{Point3, Vector3};

use super::{DepthOptions, Query, QueryError, Relation};
use crate::pose::Pose;
use crate::traversal::{PosedTrees, TraversalPolicy};
use crate::tree::BvTree;
use inner_point::{InnerPoint, Solids};
use separation::Separation;

/// The penetration depth of two solids: a proven interval, and a translation that separates them.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias = "minimum translation vector")]
#[doc(alias = "MTV")]
pub struct PenetrationDepth {
    /// A lower bound of the depth, in A's unit: after any shorter translation the interiors still overlap.
    pub lower: f64,
    /// An upper bound of the depth, in A's unit: the length of `translation`.
    pub upper: f64,
    /// A translation of B, in A's frame, after which the interiors don't overlap: added to the translation of the pose,
    /// it gives a pose at which [`Query::relation`] is `Separate` or `Touching`. Zero if they don't overlap as they are.
    pub translation: Vector3<f64>,
}

impl Query {
    /// The penetration depth of two solids: the length of the shortest translation of B after which their interiors
    /// don't overlap. It is 0 if they don't overlap as they are.
    ///
    /// This is a global depth: what it takes to pull the bodies apart. Parts that fit snugly into each other can have a
    /// large one though they overlap by nanometres, which is what [`Query::overlap_depth`] measures.
    ///
    /// The upper bound comes from translations along the normals of contacts and from sliding along them, as in
    /// PolyDepth (Je, Tang, Lee, Lee and Kim, "PolyDepth: Real-Time Penetration Depth Computation Using Iterative
    /// Contact-Space Projection", 2012). For the lower bound, the ball of all shorter translations is covered with
    /// cubes. A point that lies `d` deep in A and `e` deep in the translated B proves that the interiors still overlap
    /// after all translations that differ by less than `d + e`; a cube that no such point covers is divided. The search
    /// stops at the tolerances of `options`, where a region is a cube and takes 5 to 50 microseconds.
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
        QueryError::require_closed(a, b)?;
        if matches!(self.relation(a, b, b_to_a), Relation::Touching | Relation::Separate) {
            return Ok(PenetrationDepth { lower: 0.0, upper: 0.0, translation: Vector3::zeros() });
        }
        let mut work = self.stats;
        let (points, normals) = self.some_contacts(&PosedTrees::new([a, b], b_to_a));
        work += self.stats;
        let mut solids = Solids::new([a, b], b_to_a, self.traversal.level);
        let mut separation = Separation::new(self, [a, b], b_to_a, solids.rounding);
        separation.along_many_directions(normals);
        let lower = Cover::new(&mut solids, &mut separation, options).run(&points);
        let Separation { translation, length, work: used, .. } = separation;
        work += used;
        work += solids.stats();
        self.stats = work;
        Ok(PenetrationDepth { lower: lower.min(length), upper: length, translation })
    }
}

impl Query {
    /// Points and normals of some pairs of triangles that intersect, spread over all of them; or vertices of both
    /// meshes if none do.
    fn some_contacts(&mut self, trees: &PosedTrees<'_>) -> (Vec<Point3<f64>>, Vec<Vector3<f64>>) {
        let mut pairs = Vec::new();
        self.stats = self.for_each_leaf_pair(trees, TraversalPolicy::ALL, &mut |a, b| {
            pairs.push([a, b]);
            ControlFlow::Continue(())
        });
        let (mut points, mut normals) = (Vec::new(), Vec::new());
        for pair in pairs.iter().step_by(pairs.len().div_ceil(MAX_CONTACTS).max(1)) {
            let [a, b] = trees.pair(pair[0], pair[1]);
            points.push(a.closest_points(&b).on_a);
            normals.extend([a.scaled_normal(), -b.scaled_normal()]);
        }
        if pairs.is_empty() {
            points.extend([0, 1].map(|side| trees.triangle(side, 0).vertices[0]));
        }
        (points, normals)
    }
}

/// The number of contacts from which the searches start.
const MAX_CONTACTS: usize = 16;

/// A cube of translations.
struct Cell {
    center: Vector3<f64>,
    /// Half of its edge.
    half: f64,
    /// The least length of a translation in it.
    least: f64,
    /// A point inside both solids, after the translation of the cube that this one is a part of.
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

    /// The greatest length of a translation in it.
    fn greatest(&self) -> f64 {
        self.center.map(|x| x.abs() + self.half).norm()
    }
}

impl Ord for Cell {
    /// The greatest is the one with the shortest translation, so that a heap returns it first.
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

/// The cubes that cover the ball of translations shorter than the best one, but for those proven to leave the solids
/// overlapping.
struct Cover<'s, 'a> {
    solids: &'s mut Solids<'a>,
    separation: &'s mut Separation<'a>,
    options: DepthOptions,
    queue: BinaryHeap<Cell>,
    /// After any shorter translation the solids overlap: the depth of the best inner point without a translation.
    ball: f64,
    /// The length of the shortest translation of a cube that rounding keeps from being divided.
    settled: f64,
}

/// The number of cubes after which the clock is read.
const CELLS_PER_CLOCK: usize = 8;

impl<'s, 'a> Cover<'s, 'a> {
    fn new(solids: &'s mut Solids<'a>, separation: &'s mut Separation<'a>, options: &DepthOptions) -> Self {
        Self { solids, separation, options: *options, queue: BinaryHeap::new(), ball: 0.0, settled: f64::INFINITY }
    }

    /// Covers the ball as far as the options allow; the lower bound of the depth.
    fn run(&mut self, starts: &[Point3<f64>]) -> f64 {
        let end = self.options.time_limit.map(|limit| Instant::now() + limit);
        let length = self.separation.length;
        let inner = self.solids.deepest(starts, Vector3::zeros(), length);
        self.ball = inner.map_or(0.0, |inner| inner.radius);
        self.queue.push(Cell::new(Vector3::zeros(), length, inner));
        let mut examined = 0;
        loop {
            let least = self.queue.peek().map_or(self.separation.length, |cell| cell.least).min(self.settled);
            let lower = least.max(self.ball);
            if self.queue.is_empty() { return lower; }
            let gap = self.separation.length - lower;
            if gap <= self.options.absolute_tolerance.max(self.options.relative_tolerance * lower).max(self.solids.rounding)
                || examined >= self.options.max_regions
                || self.separation.is_interrupted()
                || examined % CELLS_PER_CLOCK == 0 && end.is_some_and(|end| Instant::now() >= end)
            {
                return lower;
            }
            examined += 1;
            if let Some(cell) = self.queue.pop() {
                self.examine(&cell);
            }
        }
    }

    /// Closes a cube, or divides it.
    fn examine(&mut self, cell: &Cell) {
        if cell.greatest() < self.ball || cell.least >= self.separation.length {
            return;
        }
        let mut inner = cell.inner.and_then(|inner| self.solids.inner_point(&cell.center, &inner, cell.radius()));
        let is_deep = |inner: Option<InnerPoint>| inner.is_some_and(|inner| inner.radius > cell.radius());
        if !is_deep(inner) && (inner.is_some() || !self.separation.is_free(&cell.center)) {
            let starts = self.separation.contact_points(&cell.center);
            let other = self.solids.deepest(&starts, cell.center, cell.radius());
            inner = [inner, other].into_iter().flatten().max_by(|p, q| p.radius.total_cmp(&q.radius));
        }
        let kind = match &inner {
            Some(inner) if inner.radius > cell.radius() => 0,
            Some(_) => 1,
            None => { let w = self.separation.length; self.separation.from_translation(&cell.center); if cell.center.norm() >= w {4} else if self.separation.is_free(&cell.center) {2} else {3} }
        };
        #[allow(unsafe_code, static_mut_refs)]
        unsafe { K[kind] += 1; if N % 20000 == 0 && std::env::var("V").is_ok() { println!("{N} {:?} lower {} upper {} half {} radius {:?} kind {kind} inner {:?}", K, cell.least, self.separation.length, cell.half, cell.radius(), inner.map(|i| i.radius)); } N += 1; }
        if kind == 0 { return; }
        if cell.radius() <= self.solids.rounding {
            self.settled = self.settled.min(cell.least);
            return;
        }
        if kind == 1 { self.separation.along(cell.center, cell.radius() / cell.center.norm()); }
        let half = 0.5 * cell.half;
        for octant in 0..8 {
            let side = Vector3::from_fn(|k, _| if octant >> k & 1 == 1 { half } else { -half });
            let part = Cell::new(cell.center + side, half, inner.or(cell.inner));
            if part.least < self.separation.length && part.greatest() >= self.ball {
                self.queue.push(part);
            }
        }
    }
}

static mut K: [usize; 5] = [0; 5];
static mut N: usize = 0;
