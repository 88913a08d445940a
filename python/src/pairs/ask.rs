//! Asking at one pose or many, on this thread or in a pool.

use bvtree::{BvTree, Pose, Query};
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::watch::Watch;
use crate::answer::{Answer, Record};
use crate::arrays::Asked;
use crate::poses::poses;
use crate::records::offsets;
use crate::scratch::with_query;
use crate::threads::{each, interruptible};
use crate::tree::PyTree;

pub(super) type Object = PyResult<Py<PyAny>>;

/// Asks at one pose or many. Short questions are asked on this thread.
pub(super) fn ask<R: Answer + Send>(
    trees: [&PyTree; 2],
    pose: Option<&Bound<'_, PyAny>>,
    py: Python<'_>,
    threads: Option<usize>,
    question: impl Fn(&mut Query, &BvTree, &BvTree, &Pose, &mut Watch) -> R + Send + Sync + 'static,
) -> Object {
    match poses(pose, "pose")? {
        Asked::One(pose) => {
            let [a, b] = trees.map(|tree| tree.tree.as_ref());
            let mut watch = Watch::here();
            let answer = py.detach(|| with_query(|query| question(query, a, b, &pose, &mut watch)));
            watch.unless_raised(answer)?.one(py)
        }
        Asked::Many(poses) => {
            let [a, b] = trees.map(|tree| tree.tree.clone());
            let question =
                move |pose: &Pose| with_query(|query| question(query, &a, &b, pose, &mut Watch::elsewhere()));
            Ok(R::many(py, each(py, threads, poses, question)?))
        }
    }
}

/// As [`ask`], for what may take long even once or uses threads: always asked in a pool.
pub(super) fn ask_long<R: Answer + Send>(
    trees: [&PyTree; 2],
    pose: Option<&Bound<'_, PyAny>>,
    py: Python<'_>,
    threads: Option<usize>,
    question: impl Fn(&mut Query, &BvTree, &BvTree, &Pose) -> R + Send + Sync + 'static,
) -> Object {
    let [a, b] = trees.map(|tree| tree.tree.clone());
    let question = move |pose: &Pose| with_query(|query| question(query, &a, &b, pose));
    match poses(pose, "pose")? {
        Asked::One(pose) => interruptible(py, threads, move |_| question(&pose))?.one(py),
        Asked::Many(poses) => Ok(R::many(py, in_pool(py, threads, poses, question)?)),
    }
}

/// All in a pool, from the first on.
pub(super) fn in_pool<T: Send + Sync + 'static, R: Default + Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    items: Vec<T>,
    question: impl Fn(&T) -> R + Send + Sync + 'static,
) -> PyResult<Vec<R>> {
    interruptible(py, threads, move |cancelled| {
        let ask = |(): &mut (), item: &T| if cancelled.is_set() { R::default() } else { question(item) };
        bvtree::query::many::map(&items, || (), ask)
    })
}

/// Lists of answers: of one pose an array, of many the places where each one's begin and all of them in one array.
pub(super) fn ask_lists<R: Send + Default + Clone + 'static>(
    trees: [&PyTree; 2],
    pose: Option<&Bound<'_, PyAny>>,
    py: Python<'_>,
    threads: Option<usize>,
    question: impl Fn(&mut Query, &BvTree, &BvTree, &Pose, &mut Watch) -> Vec<R> + Send + Sync + 'static,
    array: impl Fn(Python<'_>, Vec<R>) -> Object,
) -> Object {
    let [a, b] = trees.map(|tree| tree.tree.clone());
    let question = move |pose: &Pose, watch: &mut Watch| with_query(|query| question(query, &a, &b, pose, watch));
    match poses(pose, "pose")? {
        Asked::One(pose) => {
            let mut watch = Watch::here();
            let found = py.detach(|| question(&pose, &mut watch));
            array(py, watch.unless_raised(found)?)
        }
        Asked::Many(poses) => {
            let lists = each(py, threads, poses, move |pose| question(pose, &mut Watch::elsewhere()))?;
            let ends = offsets(py, lists.iter().map(Vec::len));
            Ok(PyTuple::new(py, [ends, array(py, lists.concat())?])?.into_any().unbind())
        }
    }
}

pub(super) fn records<R: Record>(py: Python<'_>, rows: Vec<R>) -> Object {
    Ok(R::many(py, rows))
}
