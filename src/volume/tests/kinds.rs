//! What the tests know of each kind of volume: random ones, and the axes that may separate two.

use nalgebra::{Matrix3, Point3, Vector3};

use super::random::Random;
use crate::shape::Aabb;
use crate::volume::Volume;
use crate::volume::{FittedBox, FittedSphere, PackedAabb, PackedObb, PackedSphere, PackedVolume, PairTests};

/// A kind under test.
pub(in crate::volume) trait Kind: PackedVolume + PairTests {
    /// A fit, and points within the unit ball, that make a random volume.
    fn contents(random: &mut Random) -> (Self::Fit, Vec<Point3<f64>>);

    /// Axes that may separate two of a kind, the first turned by `rotation`, when their centres are `distance` apart:
    /// products of unit vectors.
    fn axes(one: &Volume, rotation: &Matrix3<f64>, eight: &Volume, distance: &Vector3<f64>) -> Vec<Vector3<f64>>;

    /// How far the volume, moved by the matrix, reaches along an axis from its centre.
    fn radius(volume: &Volume, matrix: &Matrix3<f64>, axis: &Vector3<f64>) -> f64;
}

fn box_points(axes: &Matrix3<f64>, random: &mut Random) -> Vec<Point3<f64>> {
    let (center, half) = (random.vector() * 0.4, random.half_extents());
    let corners = (0..8).map(|i| Vector3::from_fn(|k, _| if i >> k & 1 == 1 { half[k] } else { -half[k] }));
    corners.map(|corner| Point3::from(center + axes * corner)).collect()
}

pub(super) fn center(volume: &Volume) -> Point3<f64> {
    match volume {
        Volume::Aabb(aabb) => aabb.center(),
        Volume::Obb(obb) => obb.center,
        Volume::Sphere(sphere) => sphere.center,
    }
}

/// A box as the slabs `|axes^T x| <= half_extents` say it is: edge directions and half extents.
fn edges(volume: &Volume) -> (Matrix3<f64>, Vector3<f64>) {
    match volume {
        Volume::Aabb(aabb) => (Matrix3::identity(), aabb.half_extents()),
        Volume::Obb(obb) => (obb.axes.transpose().try_inverse().unwrap(), obb.half_extents),
        Volume::Sphere(_) => unreachable!("boxes have edges"),
    }
}

fn box_axes(one: &Volume, rotation: &Matrix3<f64>, eight: &Volume) -> Vec<Vector3<f64>> {
    let [one, eight] = [rotation * edges(one).0, edges(eight).0];
    let cross = |a: &Matrix3<f64>, i, b: &Matrix3<f64>, j| a.column(i).cross(&b.column(j));
    let faces = [one, eight].into_iter().flat_map(|e| (0..3).map(move |k| cross(&e, (k + 1) % 3, &e, (k + 2) % 3)));
    let products = (0..9).map(|k| cross(&one, k / 3, &eight, k % 3));
    faces.chain(products).collect()
}

fn box_radius(volume: &Volume, matrix: &Matrix3<f64>, axis: &Vector3<f64>) -> f64 {
    let (edges, half_extents) = edges(volume);
    (matrix * edges).tr_mul(axis).abs().dot(&half_extents)
}

impl Kind for PackedAabb {
    fn contents(random: &mut Random) -> (Aabb, Vec<Point3<f64>>) {
        let points = box_points(&Matrix3::identity(), random);
        (Aabb::from_points(&points), points)
    }

    fn axes(one: &Volume, rotation: &Matrix3<f64>, eight: &Volume, _: &Vector3<f64>) -> Vec<Vector3<f64>> {
        box_axes(one, rotation, eight)
    }

    fn radius(volume: &Volume, matrix: &Matrix3<f64>, axis: &Vector3<f64>) -> f64 {
        box_radius(volume, matrix, axis)
    }
}

impl Kind for PackedObb {
    fn contents(random: &mut Random) -> (FittedBox, Vec<Point3<f64>>) {
        let axes = random.rotation();
        let points = box_points(&axes, random);
        let fit = FittedBox::new(&axes, |axes| {
            let mut ranges = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
            for point in &points {
                let along = axes.tr_mul(&point.coords);
                for k in 0..3 {
                    ranges[0][k] = ranges[0][k].min(along[k]);
                    ranges[1][k] = ranges[1][k].max(along[k]);
                }
            }
            ranges
        });
        (fit, points)
    }

    fn axes(one: &Volume, rotation: &Matrix3<f64>, eight: &Volume, _: &Vector3<f64>) -> Vec<Vector3<f64>> {
        box_axes(one, rotation, eight)
    }

    fn radius(volume: &Volume, matrix: &Matrix3<f64>, axis: &Vector3<f64>) -> f64 {
        box_radius(volume, matrix, axis)
    }
}

impl Kind for PackedSphere {
    fn contents(random: &mut Random) -> (FittedSphere, Vec<Point3<f64>>) {
        let points = box_points(&Matrix3::identity(), random);
        let farthest_sq =
            |center: &Point3<f64>| points.iter().map(|point| (point - center).norm_squared()).fold(0.0, f64::max);
        (FittedSphere::new([nalgebra::center(&points[0], &points[7])], |[center]| [farthest_sq(center)]), points)
    }

    fn axes(_: &Volume, _: &Matrix3<f64>, _: &Volume, distance: &Vector3<f64>) -> Vec<Vector3<f64>> {
        distance.try_normalize(0.0).into_iter().collect()
    }

    /// Of a ball, or of the ellipsoid that the matrix makes of it.
    fn radius(volume: &Volume, matrix: &Matrix3<f64>, axis: &Vector3<f64>) -> f64 {
        let Volume::Sphere(sphere) = volume else { unreachable!("a sphere") };
        matrix.tr_mul(axis).norm() * sphere.radius
    }
}
