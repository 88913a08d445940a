//! The closest points of a box and a segment.

use nalgebra::Vector3;

/// The parameter of the point of a segment that is nearest to a box about the origin: 0 at its start, 1 at its end,
/// which is `axis` away from `start`.
///
/// The squared distance is a convex function along the segment, quadratic between the planes of the box's faces, so its
/// slope is linear there.
pub(super) fn nearest_part(half_extents: &Vector3<f64>, start: &Vector3<f64>, axis: &Vector3<f64>) -> f64 {
    let slope = |part: f64| (start + axis * part - on_box(half_extents, &(start + axis * part))).dot(axis);
    let (mut before, mut after) = ((0.0, slope(0.0)), (1.0, slope(1.0)));
    if before.1 >= 0.0 {
        return 0.0;
    }
    if after.1 <= 0.0 {
        return 1.0;
    }
    for k in 0..3 {
        for face in [-half_extents[k], half_extents[k]] {
            let part = (face - start[k]) / axis[k];
            if part > before.0 && part < after.0 {
                let slope = slope(part);
                *(if slope < 0.0 { &mut before } else { &mut after }) = (part, slope);
            }
        }
    }
    before.0 + (after.0 - before.0) * (before.1 / (before.1 - after.1))
}

/// The point of a box about the origin that is nearest to a point.
pub(super) fn on_box(half_extents: &Vector3<f64>, point: &Vector3<f64>) -> Vector3<f64> {
    point.zip_map(half_extents, |x, half| x.clamp(-half, half))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_vector(sizes: std::ops::Range<i8>) -> impl Strategy<Value = Vector3<f64>> {
        prop::array::uniform3(sizes).prop_map(|x| Vector3::from(x.map(f64::from)))
    }

    proptest! {
        /// On a grid, where segments lie in the planes of faces and along edges.
        #[test]
        fn no_part_is_nearer(half in any_vector(0..4), start in any_vector(-6..6), axis in any_vector(-9..9)) {
            let distance = |part: f64| (start + axis * part - on_box(&half, &(start + axis * part))).norm();
            let nearest = nearest_part(&half, &start, &axis);
            prop_assert!((0.0..=1.0).contains(&nearest));
            for i in 0..=100 {
                prop_assert!(distance(nearest) <= distance(f64::from(i) / 100.0) + 1e-12);
            }
        }
    }
}
