//! How the joints move along an edge or a piece of a path.

use crate::curve::Curve;
use crate::error::ConfigurationError;
use crate::kinematics::{Kinematics, Rate};
use crate::robot::Robot;

/// The configurations of all joints along an edge, for a parameter from 0 to 1.
#[derive(Debug)]
pub enum Motion {
    /// Values are interpolated linearly between two configurations, and quaternions by slerp.
    Straight([Vec<f64>; 2]),
    /// Values are polynomials, and quaternions stay the same. `sizes` are the values' greatest magnitudes at control
    /// points.
    Curved { curve: Curve, sizes: Vec<f64>, speeds: Vec<f64>, scratch: Vec<f64> },
}

impl Motion {
    /// The motion along the Bézier curve with the given control points, each a configuration of the robot; joints
    /// outside the robot's group stay as in `rest`.
    pub fn new(robot: &Robot, control: &[impl AsRef<[f64]>], rest: &[f64]) -> Result<Self, ConfigurationError> {
        let whole = |point: &[f64]| {
            let mut whole = rest.to_vec();
            robot.fill(point, &mut whole).map(|()| whole)
        };
        let mut control = control.iter().map(|point| whole(point.as_ref())).collect::<Result<Vec<_>, _>>()?;
        if control.len() == 2
            && let (Some(to), Some(from)) = (control.pop(), control.pop())
        {
            return Ok(Self::Straight([from, to]));
        }
        if let Some(index) = robot.kinematics.turned_quaternion(&control) {
            return Err(ConfigurationError::CurvedQuaternion { index });
        }
        let size = |value: usize| control.iter().map(|point| point[value].abs()).fold(0.0, f64::max);
        let sizes = (0..rest.len()).map(size).collect();
        Ok(Self::Curved { curve: Curve { control }, sizes, speeds: vec![0.0; rest.len()], scratch: Vec::new() })
    }

    /// Writes the configuration at a parameter.
    pub fn at(&mut self, kinematics: &Kinematics, parameter: f64, whole: &mut [f64]) {
        match self {
            Self::Straight([from, to]) => kinematics.interpolate([from, to], parameter, whole),
            Self::Curved { curve, scratch, .. } => curve.at(parameter, whole, scratch),
        }
    }

    /// Writes bounds on how fast each frame moves in its parent between two parameters. For a straight motion, the
    /// bounds are the same for every interval.
    pub fn rates(&mut self, kinematics: &Kinematics, interval: [f64; 2], rates: &mut [Rate]) {
        match self {
            Self::Straight([from, to]) => kinematics.rates([from, to], rates),
            Self::Curved { curve, sizes, speeds, scratch } => {
                curve.speeds(interval, speeds, scratch);
                kinematics.rates_of_speeds([speeds, sizes], curve.degree(), rates);
            }
        }
    }
}
