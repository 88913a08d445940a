//! The same question at many poses, on all threads of the rayon pool it is asked in: answers come in order, and are the
//! same for any number of threads.

use std::time::Duration;

use crate::parallel;

/// Answers are handed over in blocks that take about this long; of a pose for each thread where there is no clock.
const BLOCK_TIME: Duration = Duration::from_millis(50);

/// Asks about each of the poses, or whatever holds them, and returns the answers in their order. `init` makes what a
/// thread keeps from one question to the next: a [`Query`](super::Query), and what else there may be.
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
    ask: impl Fn(&mut Q, &T) -> R + Sync + Send,
) -> Vec<R> {
    parallel::map_with(poses, init, ask)
}

/// As [`map`], but hands the answers to `take` on this thread, block after block in order, while there is more to ask:
/// to write them out, to show progress, or to stop.
///
/// # Errors
/// The first error that `take` gives; nothing is asked after it.
pub fn for_each_block<T: Sync, Q, R: Send, E>(
    poses: &[T],
    init: impl Fn() -> Q + Sync + Send,
    ask: impl Fn(&mut Q, &T) -> R + Sync + Send,
    mut take: impl FnMut(&[T], Vec<R>) -> Result<(), E>,
) -> Result<(), E> {
    let mut left = poses;
    let mut block = parallel::threads();
    while !left.is_empty() {
        let (poses, rest) = left.split_at(block.min(left.len()));
        let (answers, time) = timed(|| map(poses, &init, &ask));
        if time.is_some_and(|time| time < BLOCK_TIME) {
            block = block.saturating_mul(2);
        }
        take(poses, answers)?;
        left = rest;
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
