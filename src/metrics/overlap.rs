//! The volume that two bounding volumes of one kind have in common.

use std::f64::consts::PI;

use nalgebra::{Point3, Vector3};

use crate::numeric::insertion_sort;
use crate::shape::{Obb, Overlaps, Sphere};
use crate::volume::Volume;

/// The volume of the two volumes' intersection, exact up to rounding; `None` for volumes of different kinds.
pub fn intersection_volume(first: &Volume, second: &Volume) -> Option<f64> {
    match (first, second) {
        (Volume::Aabb(a), Volume::Aabb(b)) => Some(a.intersection(b).map_or(0.0, |common| common.volume())),
        (Volume::Obb(a), Volume::Obb(b)) => Some(of_obbs(a, b)),
        (Volume::Sphere(a), Volume::Sphere(b)) => Some(of_spheres(a, b)),
        // The planes of both are parallel.
        (Volume::KDop(a), Volume::KDop(b)) => Some(a.intersection(b).map_or(0.0, |common| common.volume())),
        _ => None,
    }
}

/// The volume that two spheres have in common: the sum of two spherical caps, cut off by the plane of the circle in
/// which the spheres meet.
fn of_spheres(a: &Sphere, b: &Sphere) -> f64 {
    let distance = (b.center - a.center).norm();
    if distance >= a.radius + b.radius {
        return 0.0;
    }
    if distance <= (a.radius - b.radius).abs() {
        return if a.radius < b.radius { a.volume() } else { b.volume() };
    }
    let cap = |own: f64, other: f64| {
        // h = own - (d^2 + own^2 - other^2) / 2d, in a form that does not cancel where the spheres barely meet.
        let height = (other - distance + own) * (other + distance - own) / (2.0 * distance);
        PI / 3.0 * height * height * (3.0 * own - height)
    };
    cap(a.radius, b.radius) + cap(b.radius, a.radius)
}

/// The volume that two boxes have in common. Cuts `a` into six tetrahedra and clips each by the six faces of `b`. Every
/// clip replaces a tetrahedron by at most three; rounding only moves slivers of volume between pieces.
fn of_obbs(a: &Obb, b: &Obb) -> f64 {
    if !a.overlaps(b) {
        return 0.0;
    }
    // In units of the largest half extent of both, so that products neither overflow nor vanish.
    let unit = a.half_extents.amax().max(b.half_extents.amax());
    if unit == 0.0 {
        return 0.0;
    }
    let limits = b.half_extents / unit;
    let corners = a.corners().map(|corner| Point3::from(b.axes.tr_mul(&(corner - b.center)) / unit));
    if corners.iter().all(|corner| inside(corner, &limits)) {
        return a.volume();
    }
    // Paths along edges from the lowest corner to the highest, in every order of the axes (Freudenthal 1942).
    let paths = [[0, 1, 3, 7], [0, 1, 5, 7], [0, 2, 3, 7], [0, 2, 6, 7], [0, 4, 5, 7], [0, 4, 6, 7]];
    let pieces = paths.map(|path| clipped_volume(path.map(|corner| corners[corner]), &limits, 0));
    pieces.iter().sum::<f64>() * unit.powi(3)
}

fn inside(point: &Point3<f64>, limits: &Vector3<f64>) -> bool {
    (0..3).all(|k| point[k].abs() <= limits[k])
}

/// Volume of the part of a tetrahedron within `|x_k| <= limits[k]`. The tetrahedron is already clipped by the first
/// `face` of these six half-spaces.
fn clipped_volume(tetrahedron: [Point3<f64>; 4], limits: &Vector3<f64>, face: usize) -> f64 {
    if face == 6 {
        let [p, q, r, s] = tetrahedron;
        return (q - p).cross(&(r - p)).dot(&(s - p)).abs() / 6.0;
    }
    let (k, sign) = (face % 3, if face < 3 { 1.0 } else { -1.0 });
    let height = |point: &Point3<f64>| sign * point[k] - limits[k];
    let mut corners = tetrahedron.map(|point| (height(&point), point));
    insertion_sort(&mut corners, |(a, _), (b, _)| a.total_cmp(b));
    let [a, b, c, d] = corners.map(|(_, point)| point);
    let cut = |from: usize, to: usize| {
        let ((below, p), (above, q)) = (corners[from], corners[to]);
        p + (q - p) * (below / (below - above))
    };
    let next = |piece: [Point3<f64>; 4]| clipped_volume(piece, limits, face + 1);
    match corners.iter().filter(|(height, _)| *height <= 0.0).count() {
        0 => 0.0,
        1 => next([a, cut(0, 1), cut(0, 2), cut(0, 3)]),
        2 => {
            // A wedge with the triangles (a, ac, ad) and (b, bc, bd) at its ends.
            let (ac, ad, bc, bd) = (cut(0, 2), cut(0, 3), cut(1, 2), cut(1, 3));
            next([a, ac, ad, bd]) + next([a, ac, bc, bd]) + next([a, b, bc, bd])
        }
        3 => {
            let (ad, bd, cd) = (cut(0, 3), cut(1, 3), cut(2, 3));
            next([a, b, c, cd]) + next([a, b, bd, cd]) + next([a, ad, bd, cd])
        }
        _ => next([a, b, c, d]),
    }
}
