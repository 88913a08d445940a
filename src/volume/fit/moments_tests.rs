use nalgebra::Point3;

use super::*;
use crate::volume::fit::kernels::BLOCK;
use crate::volume::fit::primitives::gather;

/// Triangles with corners anywhere in a box, which is far from the origin.
fn primitives(triangles: usize, [x, y, z]: [f32; 3]) -> Vec<Primitive> {
    let coordinate = |i: usize| ((i * i * 7919) % 1013) as f32 / 1013.0 + 10.0;
    let vertex = |i: usize| [x * coordinate(3 * i), y * coordinate(5 * i + 1), z * coordinate(7 * i + 2)].into();
    let corners = |i: usize| [3 * i as u32, 3 * i as u32 + 1, 3 * i as u32 + 2];
    let vertices: Vec<Point3<f32>> = (0..3 * triangles).map(vertex).collect();
    gather(&vertices, &(0..triangles).map(corners).collect::<Vec<_>>())
}

/// In two passes.
fn mean_and_products(primitives: &[Primitive]) -> (Vector3<f64>, Matrix3<f64>) {
    let points: Vec<Point3<f64>> = primitives.iter().flat_map(Primitive::points).collect();
    let mean = points.iter().map(|point| point.coords).sum::<Vector3<f64>>() / points.len() as f64;
    (mean, points.iter().map(|point| (point.coords - mean) * (point.coords - mean).transpose()).sum())
}

fn assert_are_of(moments: &Moments, primitives: &[Primitive]) {
    let (mean, products) = mean_and_products(primitives);
    assert!((moments.mean() - mean).amax() <= 1e-12 * mean.amax());
    let difference = (moments.covariance() - products).amax();
    assert!(difference <= 2.0 * DOUBT * products.trace(), "{difference} of {products}");
}

#[test]
fn one_pass_finds_what_two_find() {
    // All numbers of corners left over; more than a block.
    for triangles in (1..=9).chain([2 * BLOCK + 3]) {
        let primitives = primitives(triangles, [1.0, 0.1, 3.0]);
        let levels = SimdLevel::ALL.into_iter().filter(|level| level.is_available());
        let found: Vec<_> = levels.map(|level| Moments::of(level, &primitives)).collect();
        for moments in &found {
            assert_are_of(moments, &primitives);
            assert_eq!(moments.products, found[0].products);
        }
    }
}

#[test]
fn what_is_left_has_moments_of_its_own() {
    let level = SimdLevel::detect();
    // Long, thin, flat and alike in all directions.
    for size in [[1.0, 0.1, 3.0], [1e-3, 1.0, 1e-3], [1.0, 1.0, 1e-6], [1.0; 3], [1e-30, 2e-30, 1e-30]] {
        let primitives = primitives(1000, size);
        let (mut rest, mut moments) = (&primitives[..], Moments::of(level, &primitives));
        // Ever smaller parts of it, the larger or the smaller one of two.
        for begin in [300, 10, 1, 200, 400, 50, 12] {
            let [_, right] = moments.of_parts(level, [&rest[..begin], &rest[begin..]]);
            rest = &rest[begin..];
            assert_are_of(&right, rest);
            moments = right;
        }
    }
}

#[test]
fn what_rounding_has_spoilt_is_summed_anew() {
    let level = SimdLevel::detect();
    let (far, near) = (primitives(20, [1.0; 3]), primitives(40, [1e-9; 3]));
    let all: Vec<Primitive> = far.iter().chain(&near).copied().collect();
    let moments = Moments::of(level, &all);
    assert!(moments.without(&Moments::of(level, &far)).is_none());
    let [_, right] = moments.of_parts(level, [&far, &near]);
    assert_eq!(right.products, Moments::of(level, &near).products);
}
