//! One query at many poses, on all threads of the current rayon pool. Results are in order, and the same for any number
//! of threads.

use std::time::Duration;

use crate::parallel;

/// The time of a block, approximately. Without a clock, a block has one pose for each thread.
const BLOCK_TIME: Duration = Duration::from_millis(50);

/// Runs a query at each pose (or for each item of any type) and returns the results in order. `init` creates the state
/// of one thread, such as a [`Query`](super::Query), which is passed to each call of `query`.
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
/// Returns the first error of `take`, and runs no more queries.
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

/// Runs the work and measures its time: `None` on bare WebAssembly, which has no clock.
pub(crate) fn timed<R>(work: impl FnOnce() -> R) -> (R, Option<Duration>) {
    if cfg!(all(target_family = "wasm", target_os = "unknown")) {
        return (work(), None);
    }
    let began = std::time::Instant::now();
    let result = work();
    (result, Some(began.elapsed()))
}
