//! DiTO-14: a tight box from 14 extremal points and the two tetrahedra they span.

use nalgebra::{Matrix3, Point3, Vector3};

use super::enclose::{center_and_size, obb_with_axes};
use super::extremes::extremes;
use super::frame::{frame_in_plane, perpendicular_basis};
use crate::shape::Obb;

/// The box along the best edge and face of the "ditetrahedron" of the points' extremes along seven directions.
///
/// Best is least surface area, judged on the extremal points alone; the axis-aligned box is returned where it is
/// smaller. Coplanar and collinear sets give boxes in their plane and along their line. Linear in the number of points.
/// After Larsson and Källberg 2011, "Fast computation of tight-fitting oriented bounding boxes", Game Engine Gems 2.
pub fn dito14(points: &[Point3<f64>]) -> Obb {
    let axis_aligned = obb_with_axes(points, &Matrix3::identity());
    let Some(axes) = ditetrahedron_axes(points) else { return axis_aligned };
    let oriented = obb_with_axes(points, &axes);
    if oriented.surface_area() < axis_aligned.surface_area() { oriented } else { axis_aligned }
}

/// Axes of the best box; `None` when the points are all one.
fn ditetrahedron_axes(points: &[Point3<f64>]) -> Option<Matrix3<f64>> {
    let (center, size) = center_and_size(points)?;
    let along_directions = extremes(points, |point| {
        let d = point - center;
        [d.x, d.y, d.z, d.x + d.y + d.z, d.x + d.y - d.z, d.x - d.y + d.z, d.x - d.y - d.z]
    });
    let mut extremal = [Vector3::zeros(); 14];
    for (pair, ends) in extremal.chunks_exact_mut(2).zip(along_directions) {
        pair[0] = (points.get(ends.least)? - center) / size;
        pair[1] = (points.get(ends.greatest)? - center) / size;
    }

    // The base triangle: the longest of the seven spans and the point farthest from it.
    let spans = extremal.chunks_exact(2).map(|pair| (pair[0], pair[1]));
    let (a, b) = farthest(spans, |(a, b)| (b - a).norm_squared())?;
    let edge = (b - a) / (b - a).norm();
    let c = farthest(extremal, |p| (p - a).cross(&edge).norm_squared())?;
    let Some(base) = frame_in_plane(&edge, &(c - a)) else {
        let [u, v] = perpendicular_basis(&edge);
        return Some(Matrix3::from_columns(&[edge, u, v]));
    };

    let normal = base.column(2);
    let top = farthest(extremal, |p| (p - a).dot(&normal))?;
    let bottom = farthest(extremal, |p| (a - p).dot(&normal))?;
    let mut best = Best { extremal: &extremal, axes: base, half_area: f64::INFINITY };
    best.consider_triangle([a, b, c]);
    for apex in [top, bottom] {
        for [p, q] in [[a, b], [b, c], [c, a]] {
            best.consider_triangle([p, q, apex]);
        }
    }
    Some(best.axes)
}

/// The first item of greatest key.
fn farthest<T>(items: impl IntoIterator<Item = T>, key: impl Fn(&T) -> f64) -> Option<T> {
    items.into_iter().map(|item| (key(&item), item)).reduce(|a, b| if b.0 > a.0 { b } else { a }).map(|(_, item)| item)
}

/// The best axes so far for the extremal points.
struct Best<'a> {
    extremal: &'a [Vector3<f64>],
    axes: Matrix3<f64>,
    half_area: f64,
}

impl Best<'_> {
    /// Tries the three frames of a triangle's normal and one of its edges; slivers have none.
    fn consider_triangle(&mut self, [p, q, r]: [Vector3<f64>; 3]) {
        for (edge, aside) in [(q - p, r - p), (r - q, p - q), (p - r, q - r)] {
            let Some(axes) = frame_in_plane(&edge, &aside) else { continue };
            let half_area = self.half_area_along(&axes);
            if half_area < self.half_area {
                (self.axes, self.half_area) = (axes, half_area);
            }
        }
    }

    fn half_area_along(&self, axes: &Matrix3<f64>) -> f64 {
        let mut lower = Vector3::repeat(f64::INFINITY);
        let mut upper = Vector3::repeat(f64::NEG_INFINITY);
        for point in self.extremal {
            let projections = axes.tr_mul(point);
            lower = lower.inf(&projections);
            upper = upper.sup(&projections);
        }
        let extents = upper - lower;
        extents.x * extents.y + extents.y * extents.z + extents.z * extents.x
    }
}
