//! Sizes by which fits are compared.

use crate::shape::Obb;

/// Volume, in cubed units.
pub(super) fn volume(obb: &Obb) -> f64 {
    8.0 * obb.half_extents.product()
}

/// Half the surface area, in squared units.
pub(super) fn half_area(obb: &Obb) -> f64 {
    let [x, y, z] = obb.half_extents.into();
    4.0 * (x * y + y * z + z * x)
}
