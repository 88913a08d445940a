//! One query at many poses, on all threads of the current rayon pool. Results are in order, and the same for any number
//! of threads.
//!
//! [`intersects`], [`distance`] and [`first_hit`] share what was found at neighbouring poses, which saves most of the
//! work along paths in small steps. [`map`] and [`for_each_block`] run any query at each pose on its own.

mod hits;
mod steps;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::distance_tracker::TrackerMemory;
use super::{ClosestPair, DistanceOptions, Query, QueryStats};
use crate::parallel;
use crate::pose::Pose;
use crate::tree::BvTree;
use hits::Hits;
use steps::Steps;

/// The next block is twice as long if a block takes less than this time. Without a clock, each block has one pose for
/// each thread.
const BLOCK_TIME: Duration = Duration::from_millis(50);

/// Runs a query at each pose (or for each item of any type) and returns the results in order. A thread takes runs of
/// poses. `init` creates the state for a run, such as a [`Query`], which is passed to each call of `query` in the run.
///
/// ```
/// # use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query, query::many};
/// # use nalgebra::{Isometry3, Point3};
/// # let corners = vec![Point3::origin(), Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0)];
/// # let tree = BvTree::build(&Mesh::from_arrays(corners, vec![[0, 1, 2]])?, &BuildOptions::default())?;
/// let poses: Vec<Pose> = (0..100).map(|i| Isometry3::translation(0.0, 0.0, f64::from(i)).into()).collect();
/// let hits = many::map(&poses, Query::new, |query, pose| query.intersects(&tree, &tree, pose));
/// assert_eq!(hits[..2], [true, false]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn map<T: Sync, Q, R: Send>(
    poses: &[T],
    init: impl Fn() -> Q + Sync + Send,
    query: impl Fn(&mut Q, &T) -> R + Sync + Send,
) -> Vec<R> {
    parallel::map_with(poses, init, query)
}

/// Runs a query at each pose, like [`map`], and passes the results to `take` on this thread, block by block in order:
/// to write them out, to show progress, or to stop.
///
/// # Errors
/// Returns the first error of `take`; no more queries are run after it.
pub fn for_each_block<T: Sync, Q, R: Send, E>(
    poses: &[T],
    init: impl Fn() -> Q + Sync + Send,
    query: impl Fn(&mut Q, &T) -> R + Sync + Send,
    mut take: impl FnMut(&[T], Vec<R>) -> Result<(), E>,
) -> Result<(), E> {
    let mut remaining = poses;
    let mut block = parallel::threads();
    while !remaining.is_empty() {
        let (poses, rest) = remaining.split_at(block.min(remaining.len()));
        let (results, time) = timed(|| map(poses, &init, &query));
        if time.is_some_and(|time| time < BLOCK_TIME) {
            block = block.saturating_mul(2);
        }
        take(poses, results)?;
        remaining = rest;
    }
    Ok(())
}

/// Runs the work and measures its time: `None` on bare WebAssembly, which has no clock of its own. The clock of time
/// limits is not used: it may run backwards.
pub(crate) fn timed<R>(work: impl FnOnce() -> R) -> (R, Option<Duration>) {
    if cfg!(all(target_family = "wasm", target_os = "unknown")) {
        return (work(), None);
    }
    let began = std::time::Instant::now();
    let result = work();
    (result, Some(began.elapsed()))
}

/// Whether the meshes intersect at each pose: [`Query::intersects_many`] on all threads of the pool. `init` creates a
/// query object, with its choice of solids and masks, for each run of neighbouring poses.
///
/// ```
/// # use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query, query::many};
/// # use nalgebra::{Isometry3, Point3};
/// # let corners = vec![Point3::origin(), Point3::new(1.0, 0.0, 0.0), Point3::new(0.0, 1.0, 0.0)];
/// # let tree = BvTree::build(&Mesh::from_arrays(corners, vec![[0, 1, 2]])?, &BuildOptions::default())?;
/// let poses: Vec<Pose> = (-50..50).map(|i| Isometry3::translation(0.0, 0.0, 0.02 * f64::from(i)).into()).collect();
/// let hits = many::intersects(&tree, &tree, &poses, Query::new);
/// assert_eq!(hits.iter().position(|hit| *hit), Some(50));
/// assert_eq!(many::first_hit(&tree, &tree, &poses, Query::new), Some(50));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn intersects(a: &BvTree, b: &BvTree, poses: &[Pose], init: impl Fn() -> Query + Sync + Send) -> Vec<bool> {
    each_run(poses, |poses| init().intersects_many(a, b, poses))
}

/// The distance at each pose: [`Query::distance_many`] on all threads of the pool. `init` is as for [`intersects`].
pub fn distance(
    a: &BvTree,
    b: &BvTree,
    poses: &[Pose],
    options: &DistanceOptions,
    init: impl Fn() -> Query + Sync + Send,
) -> Vec<Option<ClosestPair>> {
    each_run(poses, |poses| init().distance_many(a, b, poses, options))
}

/// The index of the first pose at which the meshes intersect, or `None`: [`Query::first_hit`] on all threads of the
/// pool. `init` is as for [`intersects`].
pub fn first_hit(a: &BvTree, b: &BvTree, poses: &[Pose], init: impl Fn() -> Query + Sync + Send) -> Option<usize> {
    let length = run_length(poses.len());
    // The first run in which there was a hit: later ones do not matter.
    let first = AtomicUsize::new(usize::MAX);
    let runs: Vec<(usize, &[Pose])> = poses.chunks(length).enumerate().collect();
    let hits = parallel::map(&runs, |&(number, run)| {
        if first.load(Ordering::Relaxed) < number {
            return None;
        }
        let hit = init().first_hit(a, b, run)?;
        first.fetch_min(number, Ordering::Relaxed);
        Some(number * length + hit)
    });
    hits.into_iter().flatten().next()
}

/// The results of all poses in order, given those of runs of neighbours.
fn each_run<R: Send>(poses: &[Pose], ask: impl Fn(&[Pose]) -> Vec<R> + Sync) -> Vec<R> {
    let runs = parallel::map_runs(poses.chunks(run_length(poses.len())), ask);
    runs.into_iter().flatten().collect()
}

/// The number of poses in a run, which one thread handles as a whole. There are several runs per thread, because poses
/// take different times. Runs are long, because neighbours share what was found.
fn run_length(count: usize) -> usize {
    count.div_ceil(8 * parallel::threads()).max(1)
}

impl Query {
    /// [`Query::intersects`] at many poses, in order. Poses along a path take less time than single queries: neighbours
    /// share what was found at one of them. The results are the same.
    ///
    /// [`many::intersects`](intersects) runs on all threads.
    #[doc(alias = "path")]
    pub fn intersects_many(&mut self, a: &BvTree, b: &BvTree, poses: &[Pose]) -> Vec<bool> {
        let mut hits = Vec::with_capacity(poses.len());
        Hits::new([a, b]).run(self, poses, |count, hit| {
            hits.resize(hits.len() + count, hit);
            ControlFlow::Continue(())
        });
        hits
    }

    /// The index of the first pose at which the meshes intersect, or `None`. Later poses are not tested; where the
    /// meshes are apart, one test can show that several earlier poses are free.
    #[doc(alias = "free along a path")]
    pub fn first_hit(&mut self, a: &BvTree, b: &BvTree, poses: &[Pose]) -> Option<usize> {
        let (mut free, mut first) = (0, None);
        Hits::new([a, b]).run(self, poses, |count, hit| {
            if hit {
                first = Some(free);
                return ControlFlow::Break(());
            }
            free += count;
            ControlFlow::Continue(())
        });
        first
    }

    /// [`Query::distance_with`] at many poses, in order. Poses along a path take less time than single queries: each
    /// query starts from the previous result, as a [`DistanceTracker`](super::DistanceTracker)'s do. The results are
    /// the same to the last bit.
    ///
    /// [`many::distance`](distance) runs on all threads.
    #[doc(alias = "path")]
    pub fn distance_many(
        &mut self,
        a: &BvTree,
        b: &BvTree,
        poses: &[Pose],
        options: &DistanceOptions,
    ) -> Vec<Option<ClosestPair>> {
        let trees = [a, b];
        let (steps, mut memory) = (Steps::new(trees), TrackerMemory::default());
        let (mut work, mut uncertainty) = (QueryStats::default(), 0.0_f64);
        let mut previous: Option<&Pose> = None;
        let mut ask = |pose| {
            // Tolerances leave a choice, which must not depend on other poses.
            if !options.is_exact() || previous.is_none_or(|previous| !steps.are_near(previous, pose)) {
                memory.forget_pair();
            }
            previous = Some(pose);
            let found = memory.distance_with(self, trees, pose, options);
            work += self.stats;
            uncertainty = uncertainty.max(self.uncertainty);
            found
        };
        let found = poses.iter().map(&mut ask).collect();
        (self.stats, self.uncertainty) = (work, uncertainty);
        found
    }
}
