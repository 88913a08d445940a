//! Bézier curves in the space of joint values.

/// A curve with at least one control point. Its parameter runs from 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The control points, each with the same number of values.
    pub control: Vec<Vec<f64>>,
}

/// A bound on the rounding errors of a derivative's coefficients, relative to the largest of them.
const ROUNDING: f64 = 1e-13;

/// The value at a part of the way between two, which is exactly that of either end there, and everywhere if both are
/// equal.
#[inline]
pub fn mix(from: f64, to: f64, part: f64) -> f64 {
    // The two products of a constant may sum up to a neighbouring number.
    if from == to { from } else { from * (1.0 - part) + to * part }
}

impl Curve {
    /// The degree of the polynomials.
    pub fn degree(&self) -> usize {
        self.control.len() - 1
    }

    /// Writes the values at a parameter; at 0 and 1 these are the first and the last control point.
    pub fn at(&self, parameter: f64, values: &mut [f64], scratch: &mut Vec<f64>) {
        for (index, value) in values.iter_mut().enumerate() {
            scratch.clear();
            scratch.extend(self.control.iter().map(|point| point[index]));
            *value = cut(scratch, parameter, Side::Before);
        }
    }

    /// Writes an upper bound on each value's speed, per unit of the parameter, between two parameters.
    pub fn speeds(&self, [start, stop]: [f64; 2], speeds: &mut [f64], scratch: &mut Vec<f64>) {
        let degree = self.degree() as f64;
        for (index, speed) in speeds.iter_mut().enumerate() {
            scratch.clear();
            scratch.extend(self.control.windows(2).map(|points| degree * (points[1][index] - points[0][index])));
            let largest = |coefficients: &[f64]| coefficients.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            let rounding = ROUNDING * largest(scratch);
            // First the part after `start`, then the part of that before `stop`.
            cut(scratch, start, Side::After);
            if start < 1.0 {
                cut(scratch, (stop - start) / (1.0 - start), Side::Before);
            }
            *speed = largest(scratch) + rounding;
        }
    }
}

enum Side {
    Before,
    After,
}

/// De Casteljau's algorithm: replaces a polynomial's Bézier coefficients by those of its part on one side of a
/// parameter, and returns the polynomial's value at the parameter.
fn cut(coefficients: &mut [f64], parameter: f64, side: Side) -> f64 {
    let count = coefficients.len();
    match side {
        Side::Before => {
            for level in 1..count {
                for k in (level..count).rev() {
                    coefficients[k] = mix(coefficients[k - 1], coefficients[k], parameter);
                }
            }
            coefficients.last().copied().unwrap_or(0.0)
        }
        Side::After => {
            for level in 1..count {
                for k in 0..count - level {
                    coefficients[k] = mix(coefficients[k], coefficients[k + 1], parameter);
                }
            }
            coefficients.first().copied().unwrap_or(0.0)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1 - 3t + 6t^2 - 2t^3 in Bézier form, and its derivative.
    #[test]
    fn values_and_speeds_are_those_of_the_polynomial() {
        let curve = Curve { control: [1.0, 0.0, 1.0, 2.0].map(|x| vec![x]).to_vec() };
        let value = |t: f64| 1.0 - 3.0 * t + 6.0 * t * t - 2.0 * t * t * t;
        let slope = |t: f64| -3.0 + 12.0 * t - 6.0 * t * t;
        let (mut found, mut scratch) = ([0.0], Vec::new());
        for k in 0..=40 {
            let start = f64::from(k) / 40.0;
            curve.at(start, &mut found, &mut scratch);
            assert!((found[0] - value(start)).abs() < 1e-14);
            for stop in [start, 0.5 * (1.0 + start), 1.0] {
                curve.speeds([start, stop], &mut found, &mut scratch);
                let within = (0..=50).map(|part| slope(start + (stop - start) * f64::from(part) / 50.0).abs());
                let most = within.fold(0.0, f64::max);
                assert!(found[0] >= most && found[0] <= most + 6.0 * (stop - start) + 1e-9, "{start} {stop}");
            }
        }
    }
}
