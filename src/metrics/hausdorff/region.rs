//! A volume as a set of points that cells fill.

use nalgebra::{Matrix3, Point3, Vector3};

use super::cell::{Cell, Corners};
use super::flat::flat_cells;
use crate::metrics::measured::PointSet;
use crate::metrics::measured_volume::Tetrahedra;
use crate::numeric::error_bounds::KDOP_FACE_ROUNDING;
use crate::volume::Volume;

/// A volume with a frame of its own.
pub(super) struct Region {
    pub(super) center: Point3<f64>,
    axes: Matrix3<f64>,
    pub(super) radius: Option<f64>,
    /// The largest distance by which the cells reach beyond the volume or fall short of it.
    pub(super) excess: f64,
}

impl Region {
    /// The region of a volume, and cells that fill it.
    pub(super) fn new(points: PointSet<'_>) -> (Self, Vec<Cell>) {
        match points {
            PointSet::Volume(volume) => Self::of_volume(volume),
            PointSet::Tetrahedra(tetrahedra) => Self::of_tetrahedra(tetrahedra),
        }
    }

    fn of_tetrahedra(Tetrahedra { corners, deviation }: &Tetrahedra) -> (Self, Vec<Cell>) {
        let center = corners.first().map_or(Point3::origin(), |[corner, ..]| *corner);
        let region = |excess| Self { center, axes: Matrix3::identity(), radius: None, excess: deviation + excess };
        match flat_cells(corners.as_flattened()) {
            Some((cells, excess)) => (region(excess), cells),
            None => (region(0.0), corners.iter().map(|corners| Cell::Simplex(Corners::from_slice(corners))).collect()),
        }
    }

    fn of_volume(volume: &Volume) -> (Self, Vec<Cell>) {
        let region = |center, axes| Self { center, axes, radius: None, excess: 0.0 };
        let filled = |half_extents: Vector3<f64>| vec![Cell::Box { lower: -half_extents, upper: half_extents }];
        match volume {
            Volume::Aabb(aabb) => (region(aabb.center(), Matrix3::identity()), filled(aabb.half_extents())),
            Volume::Obb(obb) => (region(obb.center, obb.axes), filled(obb.half_extents)),
            Volume::Sphere(sphere) => {
                let lower = Vector3::new(-1.0, -1.0, 0.0);
                let upper = Vector3::new(1.0, 1.0, sphere.radius);
                let cells = (0..6).map(|face| Cell::Wedge { face, lower, upper }).collect();
                (Self { radius: Some(sphere.radius), ..region(sphere.center, Matrix3::identity()) }, cells)
            }
            Volume::KDop(kdop) => {
                let (apex, edges) = kdop.tetrahedra();
                let aabb = kdop.aabb();
                if edges.is_empty() {
                    return (region(aabb.center(), Matrix3::identity()), filled(aabb.half_extents()));
                }
                let corners = edges.iter().map(|[p, q, r]| [apex, apex + p, apex + q, apex + r]).collect();
                Self::of_tetrahedra(&Tetrahedra { corners, deviation: KDOP_FACE_ROUNDING * aabb.size().amax() })
            }
        }
    }

    pub(super) fn in_mesh(&self, local: &Vector3<f64>) -> Point3<f64> {
        self.center + self.axes * local
    }

    /// For a sphere, its point that is closest to a point; for any other volume, the point itself.
    pub(super) fn clamped(&self, point: Point3<f64>) -> Point3<f64> {
        let offset = point - self.center;
        match self.radius {
            Some(radius) if offset.norm() > radius => self.center + offset * (radius / offset.norm()),
            _ => point,
        }
    }
}
