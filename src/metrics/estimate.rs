//! Estimates from random samples.

/// An estimated number, with its standard error.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Estimate {
    /// The estimate.
    pub value: f64,
    /// Standard error. For estimates from random points and lines it is based on thousands of independent samples, so
    /// the true number is within two standard errors in 95 of 100 cases, and more often where the samples are
    /// stratified.
    pub standard_error: f64,
}

/// The number of rare cases that a sample is assumed to have missed, so that its standard error is never too small:
/// where two are expected, one sample in seven meets none.
const UNSEEN: f64 = 2.0;

impl Estimate {
    /// The expected value of the samples, estimated by their mean, and its standard error. `rare` is the greatest
    /// deviation that a rare sample may have without any in `samples` showing it; 0 if there is none.
    pub(super) fn mean(samples: impl Iterator<Item = f64> + Clone, rare: f64) -> Self {
        let (mean, squares, count) = moments(samples);
        let variance = (squares + UNSEEN * rare * rare) / (count - 1.0).max(1.0);
        Self { value: mean, standard_error: (variance / count).sqrt() }
    }

    /// The standard deviation of whole numbers, and its standard error: that of the mean of squared deviations,
    /// propagated through the square root. `is_constant` says that all numbers are known to be equal.
    pub(super) fn deviation(samples: impl Iterator<Item = f64> + Clone, is_constant: bool) -> Self {
        if is_constant {
            return Self::default();
        }
        let (mean, squares, count) = moments(samples.clone());
        let variance = squares / (count - 1.0).max(1.0);
        let of_variance = Self::mean(samples.map(|sample| (sample - mean).powi(2)), 1.0);
        // Not less than that of a single sample that differs by one.
        let least = variance.max(1.0 / count);
        Self { value: variance.sqrt(), standard_error: of_variance.standard_error / (2.0 * least.sqrt()) }
    }

    /// The ratio of two sums over independent samples, each given by its terms in both sums: for instance the costs of
    /// two trees at the same poses, or the costs and 1 for each pose, whose ratio is the mean cost. Its standard error
    /// is that of the linearized ratio, so variation common to both sums cancels; for n samples, confidence intervals
    /// follow Student's t distribution with n - 1 degrees of freedom. `None` for fewer than two samples, or if the
    /// ratio is not finite.
    pub fn ratio_of_sums(samples: impl IntoIterator<Item = [f64; 2]>) -> Option<Self> {
        let samples: Vec<[f64; 2]> = samples.into_iter().collect();
        let [sum, base] = samples.iter().fold([0.0, 0.0], |[sum, base], [y, x]| [sum + y, base + x]);
        let (value, count) = (sum / base, samples.len() as f64);
        let squares: f64 = samples.iter().map(|[y, x]| (y - value * x).powi(2)).sum();
        let standard_error = (squares * count / (count - 1.0)).sqrt() / base.abs();
        (samples.len() > 1 && value.is_finite()).then_some(Self { value, standard_error })
    }

    /// The estimate and its standard error, multiplied by a factor.
    pub(super) fn scaled(self, factor: f64) -> Self {
        Self { value: self.value * factor, standard_error: self.standard_error * factor }
    }
}

/// The mean, the sum of squared deviations from it, and the number of samples.
fn moments(samples: impl Iterator<Item = f64> + Clone) -> (f64, f64, f64) {
    let (sum, count) = samples.clone().fold((0.0, 0.0), |(sum, count), sample| (sum + sample, count + 1.0));
    let mean = sum / f64::max(count, 1.0);
    (mean, samples.map(|sample| (sample - mean).powi(2)).sum(), f64::max(count, 1.0))
}
