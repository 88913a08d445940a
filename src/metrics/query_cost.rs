//! The cost of queries, counted and timed, and the cost of one test.

use std::ops::ControlFlow;
use std::time::Duration;

use crate::pose::Pose;
use crate::query::Query;
use crate::query::many::timed;
use crate::traversal::QueryStats;
use crate::tree::BvTree;

/// Work of several queries. The numbers of tests are Nv and Np in T = Nv Cv + Np Cp (Gottschalk, Lin and Manocha,
/// "OBBTree", 1996); see [`CostTerms`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct QueryCost {
    /// Number of queries: one for each pose.
    pub queries: u64,
    /// Number of poses in which the meshes touch.
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
    /// Time on one thread, the median of the passes; zero on `wasm32-unknown-unknown`, which has no clock of its own.
    pub time: Duration,
    /// The times of the fastest and the slowest pass. For five passes, the true median is between them with a
    /// probability of 94% (1 - 2^-4), if the passes are independent.
    pub time_range: [Duration; 2],
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

/// Number of touching pairs after which a query ends: coincident triangles have quadratically many.
const MAX_PAIRS: usize = 1 << 16;

/// Number of triangle tests after which a query ends: nearly coincident triangles may all be tested without touching.
pub(super) const MAX_TESTS: u64 = 1 << 22;

/// Counts the work of finding all pairs of touching triangles at each pose, up to 65,536 pairs or 4,194,304 triangle
/// tests per pose. Stopping at the first pair would make the count depend on luck.
pub fn query_cost<'a>(
    query: &mut Query,
    a: &BvTree,
    b: &BvTree,
    poses: impl IntoIterator<Item = &'a Pose>,
) -> QueryCost {
    let costs: Vec<PoseCost> = poses.into_iter().map(|pose| ask(query, a, b, pose)).collect();
    costs.iter().collect()
}

/// Measures the work at each pose, as [`query_cost`] counts it, and the time: after one pass to warm up there are
/// `passes` timed ones, and a pose's time is the median of these. A pose that reaches 4,194,304 triangle tests is timed
/// once. Times are zero if `passes` is 0.
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
        cost.time_range = [times.first(), times.last()].map(|time| time.copied().unwrap_or_default());
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
    let QueryStats { volume_tests, triangle_tests, .. } = query.stats();
    PoseCost { hit: pairs > 0, volume_tests, triangle_tests, time, time_range: [time; 2] }
}

/// The constants of T = Nv Cv + Np Cp (Gottschalk, Lin and Manocha, "OBBTree", 1996): with Nv volume tests and Np
/// triangle tests a query takes the time T.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CostTerms {
    /// Cv: seconds per volume test, including the traversal.
    pub volume_test: f64,
    /// Cp: seconds per triangle test.
    pub triangle_test: f64,
}

impl CostTerms {
    /// Fits the constants by least squares of the relative errors `(Nv Cv + Np Cp) / T - 1`.
    ///
    /// `None` if the queries do not determine both constants: fewer than three with a time, proportional counts, or a
    /// constant below twice its standard error.
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

    /// Squared sine of the angle between the two vectors of counts per second, below which they count as proportional.
    const ANGLE_SQ_MIN: f64 = 1e-6;
}
