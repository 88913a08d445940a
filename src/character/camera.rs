//! A smoothed height over stairs, for a camera or a model.

use nalgebra::Vector3;

/// The part of a walk's rise that no slope explains: what a step up or down adds.
///
/// `displacement` is that of the feet, and `normals` are those of the ground before and after.
pub(super) fn jolt(displacement: &Vector3<f64>, up: &Vector3<f64>, normals: [&Vector3<f64>; 2]) -> f64 {
    let rise = displacement.dot(up);
    let level = displacement - up * rise;
    let [a, b] = normals.map(|normal| -level.dot(normal) / normal.dot(up));
    rise - rise.clamp(a.min(b), a.max(b))
}

/// The part of an offset that remains after a time; it halves in each half-life. The same on every machine.
pub(super) fn remaining(time: f64, half_life: f64) -> f64 {
    const SQUARINGS: i32 = 12;
    let halvings = time / half_life;
    // NaN for no time of a half-life of zero.
    if halvings.is_nan() || halvings >= 64.0 {
        return 0.0;
    }
    // The exponential function of a small number by its series, then squared.
    let x = halvings * std::f64::consts::LN_2 / f64::from(1 << SQUARINGS);
    let inverse = 1.0 + x * (1.0 + x / 2.0 * (1.0 + x / 3.0 * (1.0 + x / 4.0 * (1.0 + x / 5.0))));
    (0..SQUARINGS).fold(1.0 / inverse, |part, _| part * part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_remains_after_each_half_life() {
        for halvings in [0.0, 1e-9, 0.01, 0.5, 1.0, 3.0, 10.0, 63.0] {
            let expected = 0.5_f64.powf(halvings);
            assert!((remaining(0.2 * halvings, 0.2) - expected).abs() < 1e-9 * expected, "{halvings}");
        }
        assert_eq!([remaining(1.0, 0.0), remaining(100.0, 0.1), remaining(0.0, 0.1)], [0.0, 0.0, 1.0]);
    }

    #[test]
    fn slopes_do_not_jolt() {
        let (up, slope) = (Vector3::z(), Vector3::new(-0.6, 0.0, 0.8));
        assert!(jolt(&Vector3::new(0.4, 0.7, 0.3), &up, [&slope, &slope]).abs() < 1e-15);
        // From a floor onto a slope, anywhere in between.
        assert_eq!(jolt(&Vector3::new(0.4, 0.0, 0.1), &up, [&up, &slope]), 0.0);
        assert!((jolt(&Vector3::new(0.4, 0.0, 0.5), &up, [&up, &slope]) - 0.2).abs() < 1e-15);
        assert_eq!(jolt(&Vector3::new(0.1, 0.0, -0.25), &up, [&up, &up]), -0.25);
    }
}
