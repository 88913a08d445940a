//! The exponent of a power law.

/// The slope of the line through points `(x, y)` in the plane of their logarithms, by least squares: `y ~ x^slope`.
/// `None` for fewer than three points with positive coordinates, or where all `x` are alike.
pub fn log_log_slope(points: impl IntoIterator<Item = (f64, f64)>) -> Option<f64> {
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
    (spread > 0.0 && slope.is_finite()).then_some(slope)
}
