//! Many configurations, on the calling thread or in a pool.

use bvtree::Pose;
use bvtree::query::many;
use bvtree_robot::{Checker, ConfigurationError, Robot, World};
use pyo3::prelude::*;

use crate::arrays::{Numbers, wrong_shape};
use crate::errors::Error;
use crate::poses::pose_of_rows;
use crate::signals::{here, is_interrupted, waited_for};
use crate::threads::{interruptible, number};

/// Number of rows below which waking other threads is not worthwhile.
const ALONE: usize = 16;

/// Configurations, or the links' poses in their place.
pub struct Batch {
    source: Source,
    /// The number of values or poses in a row.
    width: usize,
    pub count: usize,
    pub is_single: bool,
}

enum Source {
    Values(Vec<f64>),
    Poses(Vec<Pose>),
}

impl Batch {
    /// Reads (n,) or (N, n) numbers.
    pub fn of_values(robot: &Robot, object: &Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
        let width = robot.values().len();
        let numbers = Numbers::new(object, what)?;
        let (count, is_single) = match *numbers.shape() {
            [n] if n == width => (1, true),
            // Rows of nothing may be any number.
            [count, n] if n == width && (n > 0 || count < 1 << 20) => (count, false),
            ref shape => return Err(wrong_shape(what, &format!("({width},) or (N, {width})"), shape)),
        };
        Ok(Self { source: Source::Values(numbers.values().to_vec()), width, count, is_single })
    }

    /// Reads configurations, or poses of shape (links, 4, 4) or (N, links, 4, 4).
    pub fn new(robot: &Robot, values: Option<&Bound<'_, PyAny>>, poses: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let object = match (values, poses) {
            (Some(values), None) => return Self::of_values(robot, values, "Q"),
            (None, Some(poses)) => poses,
            _ => return Err(crate::errors::value_error("expected either Q or poses")),
        };
        let width = robot.links().len();
        let numbers = Numbers::new(object, "poses")?;
        let (count, is_single) = match *numbers.shape() {
            [links, 4, 4] if links == width => (1, true),
            [count, links, 4, 4] if links == width => (count, false),
            ref shape => {
                return Err(wrong_shape("poses", &format!("({width}, 4, 4) or (N, {width}, 4, 4)"), shape));
            }
        };
        let each = numbers.values().as_chunks::<16>().0.iter().enumerate();
        let poses = each.map(|(place, rows)| pose_of_rows(rows, Some(place))).collect::<PyResult<_>>()?;
        Ok(Self { source: Source::Poses(poses), width, count, is_single })
    }

    /// A row of numbers; empty for poses.
    pub fn values(&self, row: usize) -> &[f64] {
        match &self.source {
            Source::Values(values) => &values[row * self.width..][..self.width],
            Source::Poses(_) => &[],
        }
    }

    /// Places a checker's bodies for a row.
    pub fn place(&self, checker: &mut Checker, row: usize) -> Result<(), ConfigurationError> {
        match &self.source {
            Source::Values(_) => checker.place(self.values(row)),
            Source::Poses(poses) => checker.place_links(&poses[row * self.width..][..self.width]),
        }
    }
}

/// Calls `ask` for each of `count` rows, and returns the answers in order.
///
/// # Errors
/// The exception that a signal handler raises, or the error of the first invalid row; ValueError if `threads` is not
/// from 1 to 4096.
pub fn each<R: Default + Send + 'static>(
    py: Python<'_>,
    threads: Option<usize>,
    (robot, world): (Robot, World),
    count: usize,
    ask: impl Fn(&mut Checker, usize) -> Result<R, ConfigurationError> + Send + Sync + 'static,
) -> PyResult<Vec<R>> {
    number(threads)?;
    let checker = move || {
        let mut checker = Checker::new(&robot, &world);
        checker.interrupt_when(is_interrupted);
        checker
    };
    let asked = move |checker: &mut Checker, row: usize| {
        if is_interrupted() { Ok(R::default()) } else { ask(checker, row) }
    };
    let answers: Vec<_> = if threads == Some(1) || count < ALONE {
        here(py, || {
            let mut checker = checker();
            (0..count).map(|row| asked(&mut checker, row)).collect()
        })?
    } else {
        interruptible(py, threads, move |cancelled| {
            let rows: Vec<usize> = (0..count).collect();
            many::map(&rows, || (waited_for(cancelled), checker()), |(_, checker), row| asked(checker, *row))
        })?
    };
    let answer = |(row, answer): (usize, Result<R, ConfigurationError>)| {
        answer
            .map_err(|error| Error::new_err(if count > 1 { format!("row {row}: {error}") } else { error.to_string() }))
    };
    answers.into_iter().enumerate().map(answer).collect()
}
