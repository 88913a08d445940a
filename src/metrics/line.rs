//! A line against bounding volumes.

use nalgebra::{Matrix3, Point3, Vector3};

use crate::shape::{Aabb, KDop};
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
            Volume::Obb(obb) => self.meets_box(&obb.center, Some(&obb.axes), &obb.half_extents),
            Volume::KDop(kdop) => self.meets_kdop(kdop),
            Volume::Sphere(sphere) => {
                let offset = sphere.center - self.point;
                offset.cross(&self.direction).norm() <= sphere.radius
            }
        }
    }

    pub(super) fn meets_aabb(&self, aabb: &Aabb) -> bool {
        self.meets_box(&aabb.center(), None, &aabb.half_extents())
    }

    fn meets_box(&self, center: &Point3<f64>, axes: Option<&Matrix3<f64>>, half_extents: &Vector3<f64>) -> bool {
        let to_box = |v: &Vector3<f64>| axes.map_or(*v, |axes| axes.tr_mul(v));
        let (origin, direction) = (to_box(&(self.point - center)), to_box(&self.direction));
        meets_slabs((0..3).map(|k| [origin[k], direction[k], half_extents[k]]))
    }

    fn meets_kdop(&self, kdop: &KDop) -> bool {
        let (origin, direction) = (KDop::offsets(&self.point), KDop::offsets(&self.direction.into()));
        meets_slabs((0..9).map(|k| {
            let (middle, half) = (0.5 * (kdop.lower[k] + kdop.upper[k]), 0.5 * (kdop.upper[k] - kdop.lower[k]));
            [origin[k] - middle, direction[k], half]
        }))
    }
}

/// Whether the intervals of a line in some slabs have a point in common (Kay and Kajiya 1986), given the line's offset
/// from each slab's middle, its direction along the slab's normal, and half the slab's width.
fn meets_slabs(slabs: impl Iterator<Item = [f64; 3]>) -> bool {
    let (mut enter, mut leave) = (f64::NEG_INFINITY, f64::INFINITY);
    for [origin, direction, half] in slabs {
        if direction == 0.0 {
            if origin.abs() > half {
                return false;
            }
            continue;
        }
        let (middle, half) = (-origin / direction, half / direction.abs());
        (enter, leave) = (enter.max(middle - half), leave.min(middle + half));
    }
    enter <= leave
}
