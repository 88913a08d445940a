//! Running queries at one pose or many, on this thread or in a pool.

use bvtree::{BvTree, Pose, Query};
use pyo3::prelude::*;

use crate::answer::{Answer, Record};
use crate::arrays::Asked;
use crate::poses::poses;
use crate::records::in_one_array;
use crate::scratch::with_query;
use crate::signals::here;
use crate::threads::{each, each_in_pool, each_run, interruptible, number};
use crate::tree::trees;

pub(super) type Object = PyResult<Py<PyAny>>;

/// Runs a query at one pose or many. Short queries run on this thread.
pub(super) fn ask<R: Answer + Send>(
    ab: [&Bound<'_, PyAny>; 2],
    pose: Option<&Bound<'_, PyAny>>,
    py: Python<'_>,
    threads: Option<usize>,
    question: impl Fn(&mut Query, &BvTree, &BvTree, &Pose) -> R + Send + Sync + 'static,
) -> Object {
    let trees = trees(ab)?;
    number(threads)?;
    match poses(pose, "b_to_a")? {
        Asked::One(pose) => {
            let [a, b] = trees.map(|tree| tree.tree.as_ref());
            here(py, || with_query(|query| question(query, a, b, &pose)))?.one(py)
        }
        Asked::Many(poses) => {
            let [a, b] = trees.map(|tree| tree.tree.clone());
            let question = move |pose: &Pose| with_query(|query| question(query, &a, &b, pose));
            Ok(R::many(py, each(py, threads, poses, question)?))
        }
    }
}

/// Runs a query like [`ask`], but for many poses calls `many`, in which neighbouring poses share results.
pub(super) fn ask_paths<R: Answer + Send>(
    ab: [&Bound<'_, PyAny>; 2],
    pose: Option<&Bound<'_, PyAny>>,
    py: Python<'_>,
    threads: Option<usize>,
    one: impl Fn(&mut Query, &BvTree, &BvTree, &Pose) -> R + Send + Sync + 'static,
    many: impl Fn(&mut Query, &BvTree, &BvTree, &[Pose]) -> Vec<R> + Send + Sync + 'static,
) -> Object {
    number(threads)?;
    match poses(pose, "b_to_a")? {
        Asked::One(pose) => {
            let [a, b] = trees(ab)?.map(|tree| tree.tree.as_ref());
            here(py, || with_query(|query| one(query, a, b, &pose)))?.one(py)
        }
        Asked::Many(poses) => {
            let [a, b] = trees(ab)?.map(|tree| tree.tree.clone());
            let question = move |poses: &[Pose]| with_query(|query| many(query, &a, &b, poses));
            Ok(R::many(py, each_run(py, threads, poses, question)?))
        }
    }
}

/// Runs a query like [`ask`], but always in a pool: for queries that may take long even at one pose, or that use
/// several threads.
pub(super) fn ask_long<R: Answer + Send>(
    ab: [&Bound<'_, PyAny>; 2],
    pose: Option<&Bound<'_, PyAny>>,
    py: Python<'_>,
    threads: Option<usize>,
    question: impl Fn(&mut Query, &BvTree, &BvTree, &Pose) -> R + Send + Sync + 'static,
) -> Object {
    let [a, b] = trees(ab)?.map(|tree| tree.tree.clone());
    let question = move |pose: &Pose| with_query(|query| question(query, &a, &b, pose));
    number(threads)?;
    match poses(pose, "b_to_a")? {
        Asked::One(pose) => interruptible(py, threads, move |_| question(&pose))?.one(py),
        Asked::Many(poses) => Ok(R::many(py, each_in_pool(py, threads, poses, question)?)),
    }
}

/// Runs a query that returns lists: one pose gives an array; many poses give the offsets of their lists and one array
/// of all lists.
pub(super) fn ask_lists<R: Send + Default + Clone + 'static>(
    ab: [&Bound<'_, PyAny>; 2],
    pose: Option<&Bound<'_, PyAny>>,
    py: Python<'_>,
    threads: Option<usize>,
    question: impl Fn(&mut Query, &BvTree, &BvTree, &Pose) -> Vec<R> + Send + Sync + 'static,
    array: impl Fn(Python<'_>, Vec<R>) -> Object,
) -> Object {
    let [a, b] = trees(ab)?.map(|tree| tree.tree.clone());
    let question = move |pose: &Pose| with_query(|query| question(query, &a, &b, pose));
    number(threads)?;
    match poses(pose, "b_to_a")? {
        Asked::One(pose) => array(py, here(py, || question(&pose))?),
        Asked::Many(poses) => in_one_array(py, &each(py, threads, poses, question)?, array),
    }
}

pub(super) fn records<R: Record>(py: Python<'_>, rows: Vec<R>) -> Object {
    Ok(R::many(py, rows))
}
