//! Two triangles: verdict and distance against exact integers. Coordinates come from an integer grid, or are any f32.

use bvtree::triangle::Triangle;
use nalgebra::Point3;

use crate::triangle_oracle as oracle;

pub fn check(data: &[u8]) {
    let Some((&form, numbers)) = data.split_first() else { return };
    let coordinate: Vec<f64> = match form % 3 {
        0 => numbers.iter().map(|&byte| f64::from(byte as i8)).collect(),
        1 => numbers.chunks_exact(2).map(|pair| f64::from(i16::from_le_bytes([pair[0], pair[1]]))).collect(),
        _ => numbers
            .chunks_exact(4)
            .map(|word| f64::from(f32::from_le_bytes([word[0], word[1], word[2], word[3]])))
            .collect(),
    };
    let Some(coordinates) = coordinate.first_chunk::<18>() else { return };
    // Far apart in magnitude the oracle's integers have thousands of bits.
    if coordinates.iter().any(|x| !x.is_finite() || *x != 0.0 && !(1e-12..1e12).contains(&x.abs())) {
        return;
    }
    let point = |i: usize| Point3::new(coordinates[3 * i], coordinates[3 * i + 1], coordinates[3 * i + 2]);
    let a = Triangle { vertices: [point(0), point(1), point(2)] };
    let b = Triangle { vertices: [point(3), point(4), point(5)] };
    let expected = oracle::intersects(&a, &b);
    assert_eq!(a.intersects(&b), expected, "{a:?} {b:?}");
    assert_eq!(b.intersects(&a), expected, "{b:?} {a:?}");
    let distance = a.closest_points(&b).distance_sq.sqrt();
    let exact = if expected { 0.0 } else { oracle::distance(&a, &b) };
    assert_eq!(distance == 0.0, expected, "{a:?} {b:?}");
    let extent = coordinates.iter().fold(0.0, |extent: f64, x| extent.max(x.abs()));
    assert!((distance - exact).abs() <= 1e-12 * extent.max(exact), "{distance} for {exact}: {a:?} {b:?}");
}
