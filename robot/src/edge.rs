//! Motions between two configurations: the first blocked one of many samples, and proofs for all configurations
//! between.
//!
//! On an *edge*, joint values change linearly with a parameter from 0 to 1; a floating joint's quaternion is
//! interpolated by slerp along the shorter arc. Continuous joints don't wrap around.
//!
//! The proof is conservative advancement in bisected intervals (Schwarzer, Saha and Latombe, Adaptive dynamic collision
//! checking for single and multiple articulated robots in complex environments, 2005). While a joint turns by an angle,
//! a point below it moves by at most the angle times the greatest distance that any point of its body has from the
//! joint's axis; joints below it change that distance by no more than they move the body. So a pair's distance at one
//! configuration proves that the pair keeps its clearance in an interval of the parameter around it.

use crate::checker::Checker;
use crate::error::ConfigurationError;
use crate::kinematics::Rate;
use crate::motion::Motion;
use crate::robot::Robot;

/// Options of [`Checker::first_impact`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImpactOptions {
    /// The distance that bodies must keep, in metres; 0 by default. Pairs' own margins are added.
    pub clearance: f64,
    /// Bodies count as too near up to this much above the clearance, in metres; 1e-5 by default. A smaller tolerance
    /// takes longer where bodies pass each other at just the clearance.
    pub tolerance: f64,
}

impl Default for ImpactOptions {
    fn default() -> Self {
        Self { clearance: 0.0, tolerance: 1e-5 }
    }
}

/// The first point of a motion at which two bodies come too near to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Impact {
    /// The parameter, from 0 to 1. It is never late: at every smaller parameter, all bodies are proven to keep the
    /// clearance.
    pub parameter: f64,
    /// The two bodies, as indices in [`Checker::bodies`].
    pub bodies: [usize; 2],
    /// The bodies' distance, less the pair's own margin. It is measured at the parameter, or so shortly after it that
    /// the distance changes by less than the tolerance in between. It is at most the clearance plus the tolerance,
    /// unless the motion is so fast, or the pair's joint values and coordinates are so large, that rounding moves the
    /// bodies farther.
    pub distance: f64,
}

/// An edge or a piece of a path, and the parameter at which bodies are placed.
pub(crate) struct Edge {
    motion: Motion,
    /// Upper bounds on the frames' speeds in the interval `rated`.
    rates: Vec<Rate>,
    rated: [f64; 2],
    placed: Option<f64>,
}

/// The factor by which bounds of motions are enlarged, for rounding.
const ROUNDING: f64 = 1.0 + 1e-9;

impl Checker {
    /// The index of the first of `steps` evenly spaced configurations, from `from` to `to` inclusive, that is not free;
    /// `None` if all are free. The result is the same as with [`Checker::is_free`] for each in turn, but configurations
    /// are tried in van der Corput's order: a long stretch in collision is found after few tests, and then only earlier
    /// configurations are tried.
    ///
    /// # Errors
    /// If a configuration is invalid.
    pub fn first_blocked(
        &mut self,
        from: &[f64],
        to: &[f64],
        steps: usize,
        margin: f64,
    ) -> Result<Option<usize>, ConfigurationError> {
        let mut edge = self.edge(&[from, to])?;
        Ok(self.edge_blocked(&mut edge, steps, margin))
    }

    pub(crate) fn edge_blocked(&mut self, edge: &mut Edge, steps: usize, margin: f64) -> Option<usize> {
        let mut first = steps;
        let bits = usize::BITS - (steps.max(2) - 1).leading_zeros();
        for count in 0..=usize::MAX >> (usize::BITS - bits) {
            if self.interrupt.step() {
                break;
            }
            let index = count.reverse_bits() >> (usize::BITS - bits);
            if index < first {
                let part = if index == 0 { 0.0 } else { index as f64 / (steps - 1) as f64 };
                self.place_on(edge, part);
                if !self.is_placed_free(margin) {
                    first = index;
                }
            }
            if first == 0 {
                break;
            }
        }
        (first < steps).then_some(first)
    }

    /// Where the motion from one configuration to another first comes nearer than the clearance to anything; `None` is
    /// a proof that it never does, at any configuration between and at both ends.
    ///
    /// An impact means that bodies are within the clearance plus the tolerance, or that the motion is so fast, or the
    /// pair's joint values and coordinates are so large, that f64 does not resolve the tolerance: about 2e-15 of
    /// angles, times the distances from their axes, and 1e-11 of coordinates. Of several pairs that become too near at
    /// the same parameter, any may be reported.
    ///
    /// # Errors
    /// If a configuration is invalid.
    pub fn first_impact(
        &mut self,
        from: &[f64],
        to: &[f64],
        options: &ImpactOptions,
    ) -> Result<Option<Impact>, ConfigurationError> {
        let mut edge = self.edge(&[from, to])?;
        Ok(self.edge_impact(&mut edge, options))
    }

    pub(crate) fn edge_impact(&mut self, edge: &mut Edge, options: &ImpactOptions) -> Option<Impact> {
        // The first impact so far, with its pair's place in the order and the work of finding it.
        let mut best: Option<(Impact, usize, u64)> = None;
        // All pairs at the middle first, where one placement serves all: most pairs are far enough apart there to be
        // proven for the whole edge.
        let mut left = Vec::new();
        for place in 0..self.order.len() {
            if self.interrupt.step() {
                return None;
            }
            if !matches!(self.proven(edge, self.order.at(place), 0.5, 0.5, options), Proven::All) {
                left.push(place);
            }
        }
        for place in left {
            let end = best.map_or(1.0, |(impact, ..)| impact.parameter);
            self.narrow.work = 0;
            if let Some(impact) = self.pair_impact(edge, self.order.at(place), end, options) {
                best = Some((impact, place, self.narrow.work));
            }
        }
        if let Some((_, place, work)) = best {
            self.order.learn(self.order.at(place), true, work);
            self.order.promote(place);
        }
        best.map(|(impact, ..)| impact)
    }

    /// The straight or curved motion along control points.
    pub(crate) fn edge(&self, control: &[impl AsRef<[f64]>]) -> Result<Edge, ConfigurationError> {
        let mut motion = Motion::new(&self.robot, control, &self.robot.rest())?;
        let mut rates = vec![Rate::default(); self.frames.len()];
        motion.rates(&self.robot.kinematics, [0.0, 1.0], &mut rates);
        Ok(Edge { motion, rates, rated: [0.0, 1.0], placed: None })
    }

    fn place_on(&mut self, edge: &mut Edge, part: f64) {
        if edge.placed != Some(part) {
            edge.motion.at(&self.robot.kinematics, part, &mut self.whole);
            self.place_whole();
            edge.placed = Some(part);
        }
    }

    /// The first impact of a pair, if it is not after `end`. Its parameter does not depend on `end`, and so not on the
    /// order of pairs.
    fn pair_impact(&mut self, edge: &mut Edge, pair: usize, end: f64, options: &ImpactOptions) -> Option<Impact> {
        let bodies = self.numbers(&self.pairs[pair]);
        let mut impact = None;
        // Intervals that are not proven, the first on top.
        let mut open = vec![[0.0, 1.0]];
        while let Some([start, stop]) = open.pop() {
            if self.interrupt.step() {
                break;
            }
            if start > end {
                continue;
            }
            let (middle, half) = (0.5 * (start + stop), 0.5 * (stop - start));
            match self.proven(edge, pair, middle, half, options) {
                Proven::All => {}
                Proven::Within(reach) => {
                    open.push([middle + reach, stop]);
                    open.push([start, middle - reach]);
                }
                Proven::TooNear { distance, is_last } => {
                    // Nothing after it matters.
                    open.clear();
                    let parameter = if is_last { start } else { middle };
                    impact = Some(Impact { parameter, bodies, distance });
                    if !is_last {
                        open.push([start, middle]);
                    }
                }
            }
        }
        impact.filter(|impact| impact.parameter <= end)
    }

    /// What a pair's distance in the middle of an interval proves about the interval.
    fn proven(&mut self, edge: &mut Edge, pair: usize, middle: f64, half: f64, options: &ImpactOptions) -> Proven {
        self.place_on(edge, middle);
        let known = self.pairs[pair];
        // What is no number proves nothing.
        let clearance = if options.clearance.is_nan() { f64::INFINITY } else { options.clearance.max(0.0) };
        let tolerance = options.tolerance.max(1e-12);
        let interval = [middle - half, middle + half];
        if matches!(edge.motion, Motion::Curved { .. }) && edge.rated != interval {
            edge.motion.rates(&self.robot.kinematics, interval, &mut edge.rates);
            edge.rated = interval;
        }
        let Displacement { rounding, motion: way } = self.pair_displacement(&edge.rates, pair, half);
        // A bound on the rounding error of a distance and of the configurations at which it is needed.
        let slack = 4.0 * self.slack(&known) + rounding;
        let needed = clearance + slack + way;
        let mut gap = self.sphere_gap(&known) - known.margin;
        if gap <= needed {
            gap = gap.max(self.box_gap(&known) - known.margin);
        }
        if gap > needed {
            return Proven::All;
        }
        // Boxes prove a good part of an interval in far less time than triangles prove all of it.
        let free = gap - clearance - slack;
        if free > 0.2 * way {
            return Proven::Within(half * (free / way) / ROUNDING);
        }
        let Some(distance) = self.pair_distance(pair, needed) else { return Proven::All };
        if distance <= clearance + tolerance {
            // Below this, an interval is not worth dividing.
            let is_last = way <= 0.5 * tolerance || half <= 1e-15;
            return Proven::TooNear { distance, is_last };
        }
        let free = distance - clearance - slack;
        if way <= free {
            return Proven::All;
        }
        // A bound grows at least as fast as the interval, so that this part of it has a bound of at most `free`.
        let reach = half * (free / way) / ROUNDING;
        // Motions so fast that their parameter has no digits left are not proven.
        let is_resolved = reach > 1e-13;
        if is_resolved { Proven::Within(reach) } else { Proven::TooNear { distance, is_last: true } }
    }

    /// Upper bounds on how much a pair's distance changes while the parameter changes by at most `change` from where
    /// the bodies are placed.
    pub(crate) fn pair_displacement(&self, rates: &[Rate], pair: usize, change: f64) -> Displacement {
        let [a, b] = self.pairs[pair].bodies.map(|body| body as usize);
        let frame = |body: usize| self.robot.bodies.get(body).map_or(0, |body| body.frame);
        let (mut common, mut other) = (frame(a), frame(b));
        while common != other {
            let later = if common > other { &mut common } else { &mut other };
            *later = self.robot.kinematics.parent_frame(*later);
        }
        let [a, b] = [a, b].map(|body| self.body_displacement(rates, body, common, change));
        let enlarged = ROUNDING * self.stretch;
        Displacement { rounding: enlarged * (a.rounding + b.rounding), motion: enlarged * (a.motion + b.motion) }
    }

    /// Upper bounds on how far a body's points move in a frame above it, while the parameter changes by at most
    /// `change` in either direction.
    fn body_displacement(&self, rates: &[Rate], body: usize, above: usize, change: f64) -> Displacement {
        let Some(own) = self.robot.bodies.get(body) else { return Displacement::default() };
        let sphere = &self.spheres[body];
        let (mut frame, mut way) = (own.frame, Displacement::default());
        while frame != above {
            let Rate { turn, slide, turn_rounding, slide_rounding } = rates[frame];
            let (turned, mut moved) = (change * turn, change * slide);
            let mut rounded = slide_rounding;
            if turn > 0.0 {
                let from_origin = sphere.center.coords - self.frames[frame].translation;
                let arm = match self.robot.kinematics.axis(frame) {
                    Some(axis) => (self.frames[frame].rotation * axis).cross(&from_origin).norm(),
                    None => from_origin.norm(),
                };
                // The joints between may have moved the body away from the axis.
                let arm = arm + sphere.radius + way.rounding;
                moved += turned * (arm + way.motion) + turn_rounding * way.motion;
                rounded += turn_rounding * arm;
            }
            way = Displacement { rounding: way.rounding + rounded, motion: way.motion + moved };
            frame = self.robot.kinematics.parent_frame(frame);
        }
        way
    }
}

impl Robot {
    /// The configuration at a parameter from 0 to 1 of the motion that [`Checker::first_blocked`] and
    /// [`Checker::first_impact`] check between two configurations.
    ///
    /// # Errors
    /// If a configuration is invalid.
    pub fn interpolate(&self, from: &[f64], to: &[f64], parameter: f64) -> Result<Vec<f64>, ConfigurationError> {
        self.along(&[from, to], parameter)
    }

    /// The configuration at a parameter of the motion along control points.
    pub(crate) fn along(&self, control: &[impl AsRef<[f64]>], parameter: f64) -> Result<Vec<f64>, ConfigurationError> {
        let mut whole = self.rest();
        Motion::new(self, control, &whole)?.at(&self.kinematics, parameter, &mut whole);
        Ok(self.of_whole(&whole))
    }
}

/// Upper bounds on how far a body moves, or on how much a distance changes, in metres.
#[derive(Clone, Copy, Default)]
pub(crate) struct Displacement {
    /// The part that is due to the rounding of joint values, however short the motion.
    pub rounding: f64,
    /// The part that is due to the motion. It grows at least as fast as the change of the parameter.
    pub motion: f64,
}

/// The result of a proof about an interval.
enum Proven {
    /// The pair keeps the clearance in the whole interval.
    All,
    /// The pair keeps the clearance at parameters within this distance of the interval's middle.
    Within(f64),
    /// Nothing is proven: the pair is too near in the middle of the interval, or the motion is too fast to divide the
    /// interval. `is_last` if the interval can't be divided.
    TooNear { distance: f64, is_last: bool },
}
