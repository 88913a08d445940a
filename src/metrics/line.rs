//! A line against bounding volumes.

use nalgebra::{Matrix3, Point3, Vector3};

use crate::shape::Aabb;
use crate::volume::Volume;

/// A line, endless both ways.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) point: Point3<f64>,
    /// Of unit length.
    pub(super) direction: Vector3<f64>,
}

impl Line {
    pub(super) fn meets(&self, volume: &Volume) -> bool {
        match volume {
            Volume::Aabb(aabb) => self.meets_aabb(aabb),
            Volume::Obb(obb) => self.meets_slabs(&obb.center, Some(&obb.axes), &obb.half_extents),
            Volume::Sphere(sphere) => {
                let offset = sphere.center - self.point;
                offset.cross(&self.direction).norm() <= sphere.radius
            }
        }
    }

    pub(super) fn meets_aabb(&self, aabb: &Aabb) -> bool {
        self.meets_slabs(&aabb.center(), None, &aabb.half_extents())
    }

    /// Whether the ways through the three slabs have a place in common (Kay and Kajiya 1986).
    fn meets_slabs(&self, center: &Point3<f64>, axes: Option<&Matrix3<f64>>, half_extents: &Vector3<f64>) -> bool {
        let to_box = |v: &Vector3<f64>| axes.map_or(*v, |axes| axes.tr_mul(v));
        let (origin, direction) = (to_box(&(self.point - center)), to_box(&self.direction));
        let (mut enter, mut leave) = (f64::NEG_INFINITY, f64::INFINITY);
        for k in 0..3 {
            if direction[k] == 0.0 {
                if origin[k].abs() > half_extents[k] {
                    return false;
                }
                continue;
            }
            let (middle, reach) = (-origin[k] / direction[k], half_extents[k] / direction[k].abs());
            (enter, leave) = (enter.max(middle - reach), leave.min(middle + reach));
        }
        enter <= leave
    }
}
