//! Eigenvectors of symmetric matrices are frames that diagonalize.

use bvtree::fit;
use nalgebra::{Matrix3, Rotation3, Vector3};
use proptest::prelude::*;

use super::assert_orthonormal;
use crate::cases::cases;

proptest! {
    #![proptest_config(cases(500, 20_000))]

    #[test]
    fn eigenvectors_diagonalize_any_symmetric_matrix(
        values in prop::array::uniform3(prop_oneof![-1.0..1.0, Just(0.0), Just(1.0), 0.99999999..1.0, 1e-18..1e-9]),
        angles in prop::array::uniform3(prop_oneof![-4.0..4.0, Just(0.0)]),
        exponent in -60..60,
    ) {
        let rotation: Matrix3<f64> = Rotation3::from_euler_angles(angles[0], angles[1], angles[2]).into_inner();
        let scaled = Vector3::from(values) * 10.0_f64.powi(exponent);
        let product: Matrix3<f64> = rotation * Matrix3::from_diagonal(&scaled) * rotation.transpose();
        let symmetric = (product + product.transpose()) * 0.5;
        let axes = fit::eigenvectors(&symmetric);
        assert_orthonormal(&axes);
        let mut diagonal = axes.transpose() * symmetric * axes;
        let mut found = diagonal.diagonal();
        diagonal.fill_diagonal(0.0);
        prop_assert!(diagonal.amax() <= 4e-15 * symmetric.amax(), "off diagonal {diagonal}");
        let mut expected = scaled;
        found.as_mut_slice().sort_by(f64::total_cmp);
        expected.as_mut_slice().sort_by(f64::total_cmp);
        prop_assert!((found - expected).amax() <= 8e-15 * symmetric.amax());
    }
}

#[test]
fn eigenvectors_of_awkward_matrices_are_frames() {
    let rank_one = Vector3::new(1.0, -2.0, 2.0);
    for matrix in [
        Matrix3::zeros(),
        Matrix3::identity(),
        Matrix3::repeat(f64::NAN),
        Matrix3::repeat(f64::INFINITY),
        Matrix3::repeat(f64::MAX),
        Matrix3::repeat(f64::MIN_POSITIVE / 8.0),
        rank_one * rank_one.transpose(),
        Matrix3::from_diagonal(&Vector3::new(1.0, 1.0, 1.0 + f64::EPSILON)),
        Matrix3::from_diagonal(&Vector3::new(-1.0, 1.0, 0.0)),
    ] {
        assert_orthonormal(&fit::eigenvectors(&matrix));
    }
}
