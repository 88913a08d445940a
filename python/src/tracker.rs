//! Distance tracking for two meshes that move little from one query to the next.

use std::sync::Arc;

use bvtree::Pose;
use bvtree::query::{DistanceTracker, Solid};
use pyo3::prelude::*;

use crate::answer::Answer;
use crate::arrays::Asked;
use crate::loan::Lender;
use crate::poses::poses;
use crate::records::Closest;
use crate::scratch::with_query;
use crate::signals::here;
use crate::solids::Solids;
use crate::threads::interruptible;
use crate::tree::trees;

/// Tracks the least distance between two meshes while they move. Each search starts from the last result: the less the
/// meshes have moved, the less time it takes. Results are those of `closest_points`.
///
/// Args:
///     a, b: Trees.
///     solid: See `intersects`.
///
/// Raises:
///     NotClosed: If `solid` is True and a mesh is open.
///     TypeError: If `a` or `b` is not a `Tree`.
///
/// Examples:
///     >>> import bvtree, numpy as np
///     >>> tree = bvtree.Tree(([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
///     >>> tracker = bvtree.DistanceTracker(tree, tree)
///     >>> poses = np.tile(np.eye(4), (3, 1, 1))
///     >>> poses[:, 2, 3] = [1, 1.5, 2]
///     >>> tracker.distance(poses)
///     array([1. , 1.5, 2. ])
#[pyclass(frozen, module = "bvtree", name = "DistanceTracker")]
pub struct PyDistanceTracker {
    tracker: Arc<Lender<DistanceTracker>>,
    solids: [Solid; 2],
}

#[pymethods]
impl PyDistanceTracker {
    #[new]
    #[pyo3(signature = (a, b, *, solid = Solids::NO), text_signature = "(a, b, *, solid=False)")]
    fn new(py: Python<'_>, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>, solid: Solids) -> PyResult<Self> {
        let solids = solid.of(py, [a, b])?;
        let [a, b] = trees([a, b])?;
        Ok(Self { tracker: Lender::new(DistanceTracker::new(&a.tree, &b.tree)), solids })
    }

    /// Computes the least distance at the next pose or poses.
    ///
    /// Args:
    ///     b_to_a: See `intersects`. With many poses, each search starts from the previous result, on one thread.
    ///
    /// Returns:
    ///     float in A's unit, or an (N,) float64 array; infinity if a mesh is empty.
    ///
    /// Raises:
    ///     InvalidPose, ValueError: See `intersects`.
    #[pyo3(signature = (b_to_a = None))]
    fn distance(&self, py: Python<'_>, b_to_a: Option<&Bound<'_, PyAny>>) -> PyResult<Py<PyAny>> {
        match self.ask(py, b_to_a)? {
            Asked::One(found) => found.distance.one(py),
            Asked::Many(found) => Ok(f64::many(py, found.iter().map(|found| found.distance).collect())),
        }
    }

    /// Finds the closest points at the next pose or poses, with their distance and triangles.
    ///
    /// Args:
    ///     b_to_a: See `distance`.
    ///
    /// Returns:
    ///     See `bvtree.closest_points`.
    ///
    /// Raises:
    ///     InvalidPose, ValueError: See `intersects`.
    #[pyo3(signature = (b_to_a = None))]
    fn closest_points(&self, py: Python<'_>, b_to_a: Option<&Bound<'_, PyAny>>) -> PyResult<Py<PyAny>> {
        match self.ask(py, b_to_a)? {
            Asked::One(found) => found.one(py),
            Asked::Many(found) => Ok(Closest::many(py, found)),
        }
    }
}

impl PyDistanceTracker {
    fn ask(&self, py: Python<'_>, b_to_a: Option<&Bound<'_, PyAny>>) -> PyResult<Asked<Closest>> {
        let (poses, solids) = (poses(b_to_a, "b_to_a")?, self.solids);
        match poses {
            Asked::One(pose) => {
                let mut tracker = self.tracker.lend_here(py)?;
                Ok(Asked::One(here(py, || next(&mut tracker, solids, &pose))?))
            }
            Asked::Many(poses) => {
                let mut tracker = self.tracker.lend(py)?;
                let found = interruptible(py, Some(1), move |cancelled| {
                    poses
                        .iter()
                        .take_while(|_| !cancelled.is_set())
                        .map(|pose| next(&mut tracker, solids, pose))
                        .collect()
                })?;
                Ok(Asked::Many(found))
            }
        }
    }
}

fn next(tracker: &mut DistanceTracker, [solid_a, solid_b]: [Solid; 2], pose: &Pose) -> Closest {
    let found = with_query(|query| {
        query.set_solids(solid_a, solid_b);
        tracker.distance(query, pose)
    });
    found.map_or_else(Closest::default, |found| Closest::from(&found))
}
