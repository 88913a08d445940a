//! Pairs of bodies that can't meet, whatever values the joints have between limits.
//!
//! The two bodies are proven not to meet in a box of joint values if their distance at its middle, less the margin,
//! exceeds how far the joints can move them toward each other from there within the box; see [`crate::edge`] for the
//! bound. Otherwise the box is halved along the joint that moves the bodies most.

use crate::checker::Checker;
use crate::error::ConfigurationError;
use crate::kinematics::Rate;
use crate::robot::Robot;
use crate::world::World;

/// What is known about a pair of bodies for all configurations between limits.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Certificate {
    /// A proof that the bodies never come within the margin of each other.
    Never,
    /// The bodies are within the margin of each other at this configuration.
    Meets(Vec<f64>),
    /// Neither a proof nor such a configuration was found; see [`Checker::certificate`].
    Unknown,
}

impl Checker {
    /// Whether a pair, by its index in [`Checker::pairs`], can come within a margin at any configuration between
    /// `limits`, a lower and an upper one for each name of [`Robot::values`]; at most `budget` configurations are
    /// tried. A negative margin counts as 0. The result is [`Certificate::Unknown`] if a value that moves the pair has
    /// no finite limits, or a planar or floating joint moves it.
    ///
    /// # Errors
    /// If there are not as many limits as values, or a value halfway between its limits exceeds 1e9 in magnitude.
    ///
    /// # Panics
    /// If there is no such pair.
    pub fn certificate(
        &mut self,
        pair: usize,
        limits: &[[f64; 2]],
        margin: f64,
        budget: usize,
    ) -> Result<Certificate, ConfigurationError> {
        let expected = self.robot.values().len();
        if limits.len() != expected {
            return Err(ConfigurationError::Length { expected, found: limits.len() });
        }
        if margin.is_nan() {
            return Ok(Certificate::Unknown);
        }
        let mut rates = vec![Rate::default(); self.frames.len()];
        let mut open = vec![limits.to_vec()];
        let neutral = self.robot.neutral();
        let mut middle = neutral.clone();
        for _ in 0..budget {
            if self.interrupt.step() {
                break;
            }
            let Some(limits) = open.pop() else { return Ok(Certificate::Never) };
            for ((value, [lower, upper]), neutral) in middle.iter_mut().zip(&limits).zip(&neutral) {
                // Values without limits don't move the pair, or nothing is proven.
                let half = 0.5 * lower + 0.5 * upper;
                *value = if half.is_finite() { half } else { *neutral };
            }
            self.place(&middle)?;
            let halves: Vec<f64> = limits.iter().map(half_range).collect();
            let sizes: Vec<f64> = limits.iter().map(|[lower, upper]| lower.abs().max(upper.abs())).collect();
            self.rates_of([&halves, &sizes], &mut rates);
            let way = self.pair_displacement(&rates, pair, 1.0);
            let way = way.rounding + way.motion;
            if way.is_nan() || way == f64::INFINITY {
                return Ok(Certificate::Unknown);
            }
            let known = self.pairs[pair];
            let needed = margin.max(0.0) + 4.0 * self.slack(&known) + way;
            if self.sphere_gap(&known) - known.margin > needed || self.box_gap(&known) - known.margin > needed {
                continue;
            }
            let Some(distance) = self.pair_distance(pair, needed) else { continue };
            if distance <= margin.max(0.0) {
                return Ok(Certificate::Meets(middle));
            }
            // The value whose joint moves the pair most.
            let share = |value: usize, rates: &mut [Rate]| {
                let mut alone = vec![0.0; expected];
                alone[value] = halves[value];
                self.rates_of([&alone, &sizes], rates);
                self.pair_displacement(rates, pair, 1.0).motion
            };
            let shares: Vec<f64> = (0..expected).map(|value| share(value, &mut rates)).collect();
            let Some(split) = (0..expected).max_by(|&p, &q| shares[p].total_cmp(&shares[q])) else {
                return Ok(Certificate::Unknown);
            };
            let [mut lower, mut upper] = [limits.clone(), limits];
            (lower[split][1], upper[split][0]) = (middle[split], middle[split]);
            open.extend([lower, upper]);
        }
        Ok(if open.is_empty() { Certificate::Never } else { Certificate::Unknown })
    }

    /// Writes how far each frame moves in its parent at most while the values, of magnitudes up to the second numbers,
    /// change by at most the first.
    fn rates_of(&self, changes_and_sizes: [&[f64]; 2], rates: &mut [Rate]) {
        let [changes, sizes] = changes_and_sizes.map(|numbers| {
            let mut whole = vec![0.0; self.whole.len()];
            match &self.robot.group {
                Some(group) => group.values.iter().zip(numbers).for_each(|(&value, number)| whole[value] = *number),
                None => whole.copy_from_slice(numbers),
            }
            whole
        });
        self.robot.kinematics.rates_of_changes([&changes, &sizes], rates);
    }
}

/// Half the range between two limits; infinite, which proves nothing, if they are not a lower and an upper one.
fn half_range([lower, upper]: &[f64; 2]) -> f64 {
    let half = 0.5 * (upper - lower);
    if half >= 0.0 { half } else { f64::INFINITY }
}

impl Robot {
    /// The URDF's limits of each value of a configuration; -pi and pi for angles without limits. If another joint
    /// mimics such an angle and is elsewhere after a whole turn (it slides, or turns by a factor that is no whole
    /// number), the limits are infinite, which proves nothing about the pairs that the value moves.
    pub fn certificate_limits(&self) -> Vec<[f64; 2]> {
        let turn = [-std::f64::consts::PI, std::f64::consts::PI];
        let limits = self.limits().into_iter().zip(self.turns());
        limits.map(|(limits, turns)| if turns { turn } else { limits }).collect()
    }

    /// Certificates of all pairs of [`Robot::pairs`], for a lower and an upper limit of each value, such as
    /// [`Robot::certificate_limits`]. At most `budget` configurations are tried for each pair. All threads of the
    /// current rayon pool take part.
    ///
    /// # Errors
    /// See [`Checker::certificate`].
    pub fn certificates(
        &self,
        limits: &[[f64; 2]],
        margin: f64,
        budget: usize,
    ) -> Result<Vec<Certificate>, ConfigurationError> {
        let world = World::new();
        let pairs: Vec<usize> = (0..self.pairs().len()).collect();
        let certify = |checker: &mut Checker, pair: &usize| checker.certificate(*pair, limits, margin, budget);
        bvtree::query::many::map(&pairs, || Checker::new(self, &world), certify).into_iter().collect()
    }
}
