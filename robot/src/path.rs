//! Paths through many configurations, straight or curved: where they are first blocked, and proofs that they are free.
//!
//! A curved piece is a Bézier curve in the space of joint values, as cubic and quintic polynomials and Hermite splines
//! are. The proof is that of an edge ([`crate::edge`]), with bounds on the joints' speeds on each interval: a speed is
//! a polynomial, which is between the least and the greatest of its Bézier coefficients for that interval.

use thiserror::Error;

use crate::checker::Checker;
use crate::curve::Curve;
use crate::edge::{Impact, ImpactOptions};
use crate::error::ConfigurationError;
use crate::robot::Robot;

/// A path through configurations, in pieces: straight lines or polynomial curves in the space of joint values.
///
/// ```
/// use bvtree_robot::JointPath;
///
/// let through = [vec![0.0, 0.0], vec![1.0, 0.5], vec![1.0, 1.5]];
/// assert_eq!(JointPath::straight(&through)?.piece_count(), 2);
/// // As a trajectory controller follows it: positions and velocities at times.
/// let velocities = [vec![0.0, 0.0], vec![0.5, 0.7], vec![0.0, 0.0]];
/// let path = JointPath::hermite(&[0.0, 1.0, 2.5], &through, &velocities, None)?;
/// assert_eq!(path.control_points(0)[3], [1.0, 0.5]);
/// # Ok::<(), bvtree_robot::PathError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct JointPath {
    pieces: Vec<Curve>,
}

/// The reason why a path can't be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PathError {
    /// There are too few configurations or pieces, or the wrong number of times, velocities, accelerations or values in
    /// a row.
    #[error("a path needs {expected} {what}, not {found}")]
    Count {
        /// The things that are counted.
        what: &'static str,
        /// The required number, or the minimum.
        expected: usize,
        /// The number given.
        found: usize,
    },
    /// The times do not increase, or are not finite.
    #[error("time {index} of a path is not finite and after the one before")]
    Time {
        /// The index of the first time that is not a finite duration after the one before it.
        index: usize,
    },
    /// A piece has no control point, or more than 33: its degree is above 32.
    #[error("piece {piece} of a path has {found} control points; expected 1 to 33")]
    Degree {
        /// The index of the piece.
        piece: usize,
        /// The number of control points of the piece.
        found: usize,
    },
}

/// The place on a path where bodies first come too near to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathImpact {
    /// The index of the piece.
    pub piece: usize,
    /// The impact on that piece; the parameter is 0 at the piece's start and 1 at its end.
    pub impact: Impact,
}

const MAX_DEGREE: usize = 32;

impl JointPath {
    /// Joins configurations by straight lines, on which joint values change linearly. A floating joint's quaternion is
    /// interpolated by slerp along the shorter arc.
    ///
    /// # Errors
    /// If there are fewer than two configurations, or they have different numbers of values.
    pub fn straight(configurations: &[impl AsRef<[f64]>]) -> Result<Self, PathError> {
        at_least_two(configurations.len())?;
        let width = configurations[0].as_ref().len();
        same_width(configurations, width)?;
        let lines = configurations.windows(2).map(|ends| ends.iter().map(|end| end.as_ref().to_vec()).collect());
        Ok(Self { pieces: lines.map(|control| Curve { control }).collect() })
    }

    /// Bézier curves, each given by its control points, whose first and last are the piece's ends. A floating joint's
    /// quaternion must be the same in all control points of a piece that has more than two.
    ///
    /// # Errors
    /// If there is no piece, a piece has no control points, its degree is above 32, or its control points have
    /// different numbers of values.
    pub fn bezier(pieces: Vec<Vec<Vec<f64>>>) -> Result<Self, PathError> {
        if pieces.is_empty() {
            return Err(PathError::Count { what: "piece or more", expected: 1, found: 0 });
        }
        let pieces = pieces.into_iter().enumerate().map(|(piece, control)| match control.len() {
            found if found == 0 || found > MAX_DEGREE + 1 => Err(PathError::Degree { piece, found }),
            _ => same_width(&control, control[0].len()).map(|()| Curve { control }),
        });
        Ok(Self { pieces: pieces.collect::<Result<_, _>>()? })
    }

    /// A spline through positions at given times: cubic if only velocities are given, quintic with accelerations too.
    /// This is how a trajectory controller of ROS interpolates the points of a `JointTrajectory`.
    ///
    /// # Errors
    /// If there are fewer than two positions, the numbers of times, positions, velocities or accelerations differ, rows
    /// have different numbers of values, or times do not increase or are not finite.
    pub fn hermite(
        times: &[f64],
        positions: &[impl AsRef<[f64]>],
        velocities: &[impl AsRef<[f64]>],
        accelerations: Option<&[Vec<f64>]>,
    ) -> Result<Self, PathError> {
        let expected = positions.len();
        at_least_two(expected)?;
        let counted = [
            ("times", times.len()),
            ("velocities", velocities.len()),
            ("accelerations", accelerations.map_or(expected, <[_]>::len)),
        ];
        if let Some(&(what, found)) = counted.iter().find(|(_, found)| *found != expected) {
            return Err(PathError::Count { what, expected, found });
        }
        let width = positions[0].as_ref().len();
        same_width(positions, width)?;
        same_width(velocities, width)?;
        same_width(accelerations.unwrap_or_default(), width)?;
        increasing(times)?;
        // The factors of the velocity and the acceleration in the control points next to an end.
        let shares: &[[f64; 2]] = match accelerations {
            None => &[[0.0, 0.0], [1.0 / 3.0, 0.0]],
            Some(_) => &[[0.0, 0.0], [0.2, 0.0], [0.4, 0.05]],
        };
        let piece = |k: usize| {
            let duration = times[k + 1] - times[k];
            let point = |at: usize, [velocity, acceleration]: [f64; 2]| -> Vec<f64> {
                let moved = |value: usize| {
                    let bent = accelerations.map_or(0.0, |rows| acceleration * duration * duration * rows[at][value]);
                    positions[at].as_ref()[value] + velocity * duration * velocities[at].as_ref()[value] + bent
                };
                (0..width).map(moved).collect()
            };
            let before = shares.iter().map(|&shares| point(k, shares));
            let after = shares.iter().rev().map(|&[velocity, acceleration]| point(k + 1, [-velocity, acceleration]));
            Curve { control: before.chain(after).collect() }
        };
        Ok(Self { pieces: (0..expected - 1).map(piece).collect() })
    }

    /// Polynomials of the time since each piece's start, as SciPy's `PPoly` has them: `coefficients[piece]` has one row
    /// of joint values for each power, the highest first, and `times` has the start of each piece and the end of the
    /// last.
    ///
    /// # Errors
    /// If there is no piece, a piece has no rows, its degree is above 32, its rows have different numbers of values,
    /// times do not increase or are not finite, or their number is not that of the pieces plus one.
    pub fn polynomials(times: &[f64], coefficients: &[Vec<Vec<f64>>]) -> Result<Self, PathError> {
        if times.len() != coefficients.len() + 1 {
            let expected = coefficients.len() + 1;
            return Err(PathError::Count { what: "times", expected, found: times.len() });
        }
        increasing(times)?;
        let mut pieces = Vec::with_capacity(coefficients.len());
        for (piece, powers) in coefficients.iter().enumerate() {
            if powers.is_empty() || powers.len() > MAX_DEGREE + 1 {
                return Err(PathError::Degree { piece, found: powers.len() });
            }
            same_width(powers, powers[0].len())?;
            let (degree, duration) = (powers.len() - 1, times[piece + 1] - times[piece]);
            // Bézier coefficient k is the sum over i up to k of the i-th power's times C(k, i) / C(degree, i).
            let coefficient = |k: usize, value: usize| {
                let (mut sum, mut share) = (0.0, 1.0);
                for i in 0..=k {
                    sum += share * powers[degree - i][value];
                    share *= duration * (k - i) as f64 / (degree - i).max(1) as f64;
                }
                sum
            };
            let point = |k: usize| (0..powers[0].len()).map(|value| coefficient(k, value)).collect();
            pieces.push((0..=degree).map(point).collect());
        }
        Self::bezier(pieces)
    }

    /// The number of pieces.
    pub fn piece_count(&self) -> usize {
        self.pieces.len()
    }

    /// The control points of a piece; the first and the last are its ends.
    ///
    /// # Panics
    /// If there is no such piece.
    pub fn control_points(&self, piece: usize) -> &[Vec<f64>] {
        &self.pieces[piece].control
    }
}

fn same_width(rows: &[impl AsRef<[f64]>], expected: usize) -> Result<(), PathError> {
    match rows.iter().map(|row| row.as_ref().len()).find(|&found| found != expected) {
        Some(found) => Err(PathError::Count { what: "values in each row", expected, found }),
        None => Ok(()),
    }
}

fn at_least_two(found: usize) -> Result<(), PathError> {
    let is_enough = found >= 2;
    if is_enough { Ok(()) } else { Err(PathError::Count { what: "configurations or more", expected: 2, found }) }
}

fn increasing(times: &[f64]) -> Result<(), PathError> {
    let is_after = |pair: &[f64]| pair[1] > pair[0] && (pair[1] - pair[0]).is_finite();
    match times.windows(2).position(|pair| !is_after(pair)) {
        Some(index) => Err(PathError::Time { index: index + 1 }),
        None => Ok(()),
    }
}

impl Checker {
    /// The first sampled configuration on a path that is not free, as the index of its piece and its own index among
    /// the piece's `steps` configurations, which are evenly spaced from end to end (a single one is the start). `None`
    /// if all are free.
    ///
    /// # Errors
    /// If a piece has another number of values than the robot's configurations or an invalid value, or a curved piece
    /// turns a floating joint.
    pub fn first_blocked_on(
        &mut self,
        path: &JointPath,
        steps: usize,
        margin: f64,
    ) -> Result<Option<[usize; 2]>, ConfigurationError> {
        for piece in 0..path.piece_count() {
            if let Some(index) = self.first_blocked_on_piece(path, piece, steps, margin)? {
                return Ok(Some([piece, index]));
            }
        }
        Ok(None)
    }

    /// [`Checker::first_blocked_on`] for one piece.
    ///
    /// # Errors
    /// As for [`Checker::first_blocked_on`].
    ///
    /// # Panics
    /// If there is no such piece.
    pub fn first_blocked_on_piece(
        &mut self,
        path: &JointPath,
        piece: usize,
        steps: usize,
        margin: f64,
    ) -> Result<Option<usize>, ConfigurationError> {
        let mut edge = self.edge(path.control_points(piece))?;
        Ok(self.edge_blocked(&mut edge, steps, margin))
    }

    /// The first point of a path at which two bodies come nearer to each other than the clearance, up to the tolerance.
    /// `None` is a proof that they never do, for the polynomials themselves and not for samples. See
    /// [`Checker::first_impact`].
    ///
    /// # Errors
    /// As for [`Checker::first_blocked_on`].
    pub fn first_impact_on(
        &mut self,
        path: &JointPath,
        options: &ImpactOptions,
    ) -> Result<Option<PathImpact>, ConfigurationError> {
        for piece in 0..path.piece_count() {
            if let Some(impact) = self.first_impact_on_piece(path, piece, options)? {
                return Ok(Some(PathImpact { piece, impact }));
            }
        }
        Ok(None)
    }

    /// [`Checker::first_impact_on`] for one piece.
    ///
    /// # Errors
    /// As for [`Checker::first_blocked_on`].
    ///
    /// # Panics
    /// If there is no such piece.
    pub fn first_impact_on_piece(
        &mut self,
        path: &JointPath,
        piece: usize,
        options: &ImpactOptions,
    ) -> Result<Option<Impact>, ConfigurationError> {
        let mut edge = self.edge(path.control_points(piece))?;
        Ok(self.edge_impact(&mut edge, options))
    }
}

impl Robot {
    /// The configuration at a parameter from 0 to 1 of a path's piece.
    ///
    /// # Errors
    /// As for [`Checker::first_blocked_on`].
    ///
    /// # Panics
    /// If there is no such piece.
    pub fn interpolate_on(
        &self,
        path: &JointPath,
        piece: usize,
        parameter: f64,
    ) -> Result<Vec<f64>, ConfigurationError> {
        self.along(path.control_points(piece), parameter)
    }
}
