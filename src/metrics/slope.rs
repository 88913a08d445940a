//! The exponent of a power law.

use super::Estimate;

/// The exponent of a power law `y ~ x^slope`, by least squares of the logarithms, and its standard error from the
/// scatter of the logarithms of `y` about the fitted line. `None` for fewer than three points with positive
/// coordinates, if all `x` are equal, or if a coordinate is infinite.
pub fn log_log_slope(points: impl IntoIterator<Item = (f64, f64)>) -> Option<Estimate> {
    let logs: Vec<[f64; 2]> =
        points.into_iter().filter(|&(x, y)| x > 0.0 && y > 0.0).map(|(x, y)| [x.ln(), y.ln()]).collect();
    if logs.len() < 3 {
        return None;
    }
    let mean = |k: usize| logs.iter().map(|log| log[k]).sum::<f64>() / logs.len() as f64;
    let [x, y] = [mean(0), mean(1)];
    let spread: f64 = logs.iter().map(|log| (log[0] - x).powi(2)).sum();
    let joint: f64 = logs.iter().map(|log| (log[0] - x) * (log[1] - y)).sum();
    let slope = joint / spread;
    let scatter: f64 = logs.iter().map(|log| (log[1] - y - slope * (log[0] - x)).powi(2)).sum();
    let standard_error = (scatter / (logs.len() - 2) as f64 / spread).sqrt();
    (spread > 0.0 && slope.is_finite()).then_some(Estimate { value: slope, standard_error })
}
