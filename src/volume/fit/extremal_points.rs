//! Fits to points that are extremal along a few directions: DiTO-14 boxes and EPOS spheres (Larsson).

use nalgebra::{Matrix3, Point3, Vector3};

use super::enclose::{
    center_and_size, extremes, frame_in_plane, obb_with_axes, perpendicular_basis, sphere_with_center,
};
use super::enclosing_sphere::{grown, smaller, smallest_sphere};
use crate::shape::{Aabb, Obb, Sphere};

/// The box along the best edge and face of the "ditetrahedron" (two tetrahedra that share a face) of the points'
/// extremes along seven directions.
///
/// The best box is the one of least surface area around the extremal points alone; the axis-aligned box is returned if
/// the box along the best axes around all points has no smaller surface area. Coplanar and collinear sets give boxes in
/// their plane and along their line. Linear in the number of points. After Larsson and Källberg 2011, "Fast computation
/// of tight-fitting oriented bounding boxes", Game Engine Gems 2.
pub fn dito14(points: &[Point3<f64>]) -> Obb {
    let axis_aligned = obb_with_axes(points, &Matrix3::identity());
    let Some(axes) = ditetrahedron_axes(points) else { return axis_aligned };
    let oriented = obb_with_axes(points, &axes);
    if oriented.surface_area() < axis_aligned.surface_area() { oriented } else { axis_aligned }
}

/// The axes of the best box; `None` if the points are equal, not finite, or none.
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

/// The first item with the greatest key.
fn farthest<T>(items: impl IntoIterator<Item = T>, key: impl Fn(&T) -> f64) -> Option<T> {
    items.into_iter().map(|item| (key(&item), item)).reduce(|a, b| if b.0 > a.0 { b } else { a }).map(|(_, item)| item)
}

/// The best axes so far, judged on the extremal points.
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

/// The EPOS sphere, from the points' extremes along 3, 7, 13 or 49 directions: `epos::<3>` to `epos::<49>` are
/// Larsson's EPOS-6, EPOS-14, EPOS-26 and EPOS-98.
///
/// Never larger, up to rounding, than the sphere around the points' AABB. After Larsson 2008, "Fast and tight fitting
/// bounding spheres", SIGRAD.
pub fn epos<const N: usize>(points: &[Point3<f64>]) -> Sphere {
    let directions = directions::<N>();
    let along_directions = extremes(points, |point| directions.map(|direction| direction.dot(&point.coords)));
    let extremal: Vec<_> = along_directions
        .iter()
        .flat_map(|pair| [points.get(pair.least), points.get(pair.greatest)])
        .flatten()
        .copied()
        .collect();
    let Some(&first) = extremal.first() else { return sphere_with_center(points, &Point3::origin()) };
    let sphere = grown(points, smallest_sphere(&extremal).sphere.into());

    // The extremes along any directions that include the coordinate axes span the points' AABB.
    let mut aabb = Aabb { lower: first, upper: first };
    extremal.iter().for_each(|point| aabb.grow(point));
    smaller(sphere, sphere_with_center(points, &aabb.center()))
}

/// The first `N` of the directions from a cube's centre to the points of a grid on its surface, in the order of
/// Larsson's paper: axes, corners, edge middles, and 36 between.
pub(super) fn directions<const N: usize>() -> [Vector3<f64>; N] {
    let mut first = all_directions().into_iter();
    std::array::from_fn(|_| first.next().map_or(Vector3::zeros(), |d| Vector3::from(d).cast()))
}

fn all_directions() -> Vec<[i32; 3]> {
    let mut all: Vec<[i32; 3]> = Vec::new();
    for x in -2..=2 {
        for y in -2..=2 {
            for z in -2..=2 {
                let first_nonzero = [x, y, z].into_iter().find(|&c| c != 0);
                let primitive = [x, y, z].iter().any(|c| c % 2 != 0);
                if primitive && first_nonzero > Some(0) {
                    all.push([x, y, z]);
                }
            }
        }
    }
    let rank = |d: &[i32; 3]| match d.map(i32::abs).iter().sum::<i32>() {
        1 => 0,
        3 if d.iter().all(|c| c.abs() == 1) => 1,
        2 => 2,
        _ => 3,
    };
    (0..4).flat_map(|class| all.iter().copied().filter(move |d| rank(d) == class)).collect()
}
