//! What queries cost, counted and timed, and what one test costs.

use std::ops::ControlFlow;
use std::time::Duration;

use crate::pose::Pose;
use crate::query::Query;
use crate::query::many::timed;
use crate::tree::BvTree;

/// Work of a number of queries: the counts in T = Nv Cv + Np Cp (Gottschalk, Lin and Manocha, "OBBTree", 1996).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct QueryCost {
    /// Poses asked about.
    pub queries: u64,
    /// Poses in which the meshes touch.
    pub hits: u64,
    /// Pairs of volumes tested, over all poses.
    pub volume_tests: u64,
    /// Pairs of triangles tested, over all poses.
    pub triangle_tests: u64,
}

impl QueryCost {
    /// Mean number of volume tests; `None` without queries.
    pub fn volume_tests_per_query(&self) -> Option<f64> {
        self.per_query(self.volume_tests)
    }

    /// Mean number of triangle tests; `None` without queries.
    pub fn triangle_tests_per_query(&self) -> Option<f64> {
        self.per_query(self.triangle_tests)
    }

    fn per_query(&self, count: u64) -> Option<f64> {
        (self.queries > 0).then(|| count as f64 / self.queries as f64)
    }
}

/// Work and time of one query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct PoseCost {
    /// Whether the meshes touch.
    pub hit: bool,
    /// Pairs of volumes tested.
    pub volume_tests: u64,
    /// Pairs of triangles tested.
    pub triangle_tests: u64,
    /// How long it took, on one thread; zero where there is no clock (`wasm32-unknown-unknown`).
    pub time: Duration,
}

impl<'a> FromIterator<&'a PoseCost> for QueryCost {
    fn from_iter<I: IntoIterator<Item = &'a PoseCost>>(poses: I) -> Self {
        poses.into_iter().fold(Self::default(), |cost, pose| Self {
            queries: cost.queries + 1,
            hits: cost.hits + u64::from(pose.hit),
            volume_tests: cost.volume_tests + pose.volume_tests,
            triangle_tests: cost.triangle_tests + pose.triangle_tests,
        })
    }
}

/// Pairs of touching triangles after which a question about a pose ends: triangles upon triangles have as many as the
/// square of their number.
const MAX_PAIRS: usize = 1 << 16;

/// Pairs of triangles tested after which it ends, too: triangles that nearly coincide may all be tested with each other
/// and none touch.
const MAX_TESTS: u64 = 1 << 22;

/// Asks for all pairs of touching triangles in each pose, stopping after 65,536 pairs or 4,194,304 tests of triangles a
/// pose, and counts the work. Stopping at the first pair would make the count depend on luck.
pub fn query_cost<'a>(
    query: &mut Query,
    a: &BvTree,
    b: &BvTree,
    poses: impl IntoIterator<Item = &'a Pose>,
) -> QueryCost {
    let costs: Vec<PoseCost> = poses.into_iter().map(|pose| ask(query, a, b, pose)).collect();
    costs.iter().collect()
}

/// As [`query_cost`], pose by pose and timed: asks about all poses once to warm up, then `passes` times, and takes the
/// median of each pose's times; a pose that ends at its number of tests is timed once. Without passes the times are
/// zero.
pub fn time_queries(query: &mut Query, a: &BvTree, b: &BvTree, poses: &[Pose], passes: usize) -> Vec<PoseCost> {
    let mut costs: Vec<PoseCost> = poses.iter().map(|pose| ask(query, a, b, pose)).collect();
    let mut times = vec![Vec::new(); poses.len()];
    for pass in 0..passes {
        let is_timed = |cost: &PoseCost| pass == 0 || cost.triangle_tests < MAX_TESTS;
        for ((pose, _), times) in poses.iter().zip(&costs).zip(&mut times).filter(|((_, cost), _)| is_timed(cost)) {
            times.push(std::hint::black_box(ask(query, a, b, pose)).time);
        }
    }
    for (cost, times) in costs.iter_mut().zip(&mut times) {
        times.sort_unstable();
        cost.time = times.get(times.len() / 2).copied().unwrap_or_default();
    }
    costs
}

fn ask(query: &mut Query, a: &BvTree, b: &BvTree, pose: &Pose) -> PoseCost {
    let mut pairs = 0;
    let ((), time) = timed(|| {
        query.for_each_pair_in_tests([a, b], pose, MAX_TESTS, &mut || {
            pairs += 1;
            if pairs < MAX_PAIRS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
    });
    let time = time.unwrap_or_default();
    let stats = query.stats();
    PoseCost { hit: pairs > 0, volume_tests: stats.volume_tests, triangle_tests: stats.triangle_tests, time }
}

/// The constants of T = Nv Cv + Np Cp (Gottschalk, Lin and Manocha, "OBBTree", 1996): with Nv volume tests and Np
/// triangle tests a query takes the time T.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CostTerms {
    /// Cv: seconds per volume test, the way to it included.
    pub volume_test: f64,
    /// Cp: seconds per triangle test.
    pub triangle_test: f64,
}

impl CostTerms {
    /// The constants that suit the queries best: least squares of the relative errors `(Nv Cv + Np Cp) / T - 1`, for
    /// times are off by a part of themselves.
    ///
    /// `None` where the queries do not determine the two: fewer than three with a time, one count in proportion to the
    /// other, or a constant that is less than twice its standard error.
    pub fn fit(poses: &[PoseCost]) -> Option<Self> {
        let timed = poses.iter().filter(|pose| !pose.time.is_zero());
        let rows: Vec<[f64; 2]> = timed
            .map(|pose| [pose.volume_tests as f64, pose.triangle_tests as f64].map(|n| n / pose.time.as_secs_f64()))
            .collect();
        if rows.len() < 3 {
            return None;
        }
        let sum = |of: &dyn Fn(&[f64; 2]) -> f64| rows.iter().map(of).sum::<f64>();
        let (vv, vp, pp) = (sum(&|[v, _]| v * v), sum(&|[v, p]| v * p), sum(&|[_, p]| p * p));
        let (v1, p1) = (sum(&|[v, _]| *v), sum(&|[_, p]| *p));
        let determinant = vv * pp - vp * vp;
        if determinant <= Self::ANGLE_SQ_MIN * vv * pp {
            return None;
        }
        let terms =
            Self { volume_test: (v1 * pp - p1 * vp) / determinant, triangle_test: (p1 * vv - v1 * vp) / determinant };
        let left = sum(&|[v, p]| (v * terms.volume_test + p * terms.triangle_test - 1.0).powi(2));
        let variance = left / (rows.len() - 2) as f64;
        let [volume_error, triangle_error] = [pp, vv].map(|other| (variance * other / determinant).sqrt());
        let is_certain = terms.volume_test > 2.0 * volume_error && terms.triangle_test > 2.0 * triangle_error;
        is_certain.then_some(terms)
    }

    /// Squared sine of the angle between the counts as vectors over the queries, below which they are taken for
    /// proportional.
    const ANGLE_SQ_MIN: f64 = 1e-6;
}
