//! What one test costs, found from the times of many queries.

use super::cost::PoseCost;

/// The constants of T = Nv Cv + Np Cp (Gottschalk, Lin and Manocha, "OBBTree", 1996): with Nv volume tests and Np
/// triangle tests a query takes the time T.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct CostTerms {
    /// Cv: seconds per volume test, the way to it included.
    pub volume_test: f64,
    /// Cp: seconds per triangle test.
    pub triangle_test: f64,
}

impl CostTerms {
    /// The constants that suit the queries best: least squares of the relative errors `(Nv Cv + Np Cp) / T - 1`, for
    /// times are off by a part of themselves.
    ///
    /// `None` where the queries do not determine the two: fewer than three with a time, one count in proportion to the
    /// other, or a constant that is less than twice its standard error.
    pub fn fit(poses: &[PoseCost]) -> Option<Self> {
        let timed = poses.iter().filter(|pose| !pose.time.is_zero());
        let rows: Vec<[f64; 2]> = timed
            .map(|pose| [pose.volume_tests as f64, pose.triangle_tests as f64].map(|n| n / pose.time.as_secs_f64()))
            .collect();
        if rows.len() < 3 {
            return None;
        }
        let sum = |of: &dyn Fn(&[f64; 2]) -> f64| rows.iter().map(of).sum::<f64>();
        let (vv, vp, pp) = (sum(&|[v, _]| v * v), sum(&|[v, p]| v * p), sum(&|[_, p]| p * p));
        let (v1, p1) = (sum(&|[v, _]| *v), sum(&|[_, p]| *p));
        let determinant = vv * pp - vp * vp;
        if determinant <= Self::ANGLE_SQ_MIN * vv * pp {
            return None;
        }
        let terms =
            Self { volume_test: (v1 * pp - p1 * vp) / determinant, triangle_test: (p1 * vv - v1 * vp) / determinant };
        let left = sum(&|[v, p]| (v * terms.volume_test + p * terms.triangle_test - 1.0).powi(2));
        let variance = left / (rows.len() - 2) as f64;
        let [volume_error, triangle_error] = [pp, vv].map(|other| (variance * other / determinant).sqrt());
        let is_certain = terms.volume_test > 2.0 * volume_error && terms.triangle_test > 2.0 * triangle_error;
        is_certain.then_some(terms)
    }

    /// Squared sine of the angle between the counts as vectors over the queries, below which they are taken for
    /// proportional.
    const ANGLE_SQ_MIN: f64 = 1e-6;
}
