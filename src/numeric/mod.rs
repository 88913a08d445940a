//! Arithmetic for all layers: rounding without denormal numbers, all error bounds, the queue of a branch and bound, a
//! perpendicular vector, directions spread over the sphere, and a sort of a few values.

pub(crate) mod branch_and_bound;
pub(crate) mod denormals;
#[allow(unused)]
pub(crate) mod error_bounds;

use std::cmp::Ordering;
use std::f64::consts::TAU;

use nalgebra::Vector3;

/// A unit vector perpendicular to `vector`, which must not be zero.
pub(crate) fn any_perpendicular(vector: &Vector3<f64>) -> Vector3<f64> {
    vector.cross(&Vector3::ith(vector.iamin(), 1.0)).normalize()
}

/// The `i`-th of `count` directions spread evenly over the sphere: a spiral by the golden ratio.
pub(crate) fn sphere_direction(i: usize, count: usize) -> Vector3<f64> {
    let height = 1.0 - (2.0 * i as f64 + 1.0) / count as f64;
    let (sin, cos) = libm::sincos(i as f64 * TAU * 0.618_033_988_749_895);
    let radius = (1.0 - height * height).sqrt();
    Vector3::new(radius * cos, radius * sin, height)
}

/// Sorts three or four items stably. The standard sort compiles to ten kilobytes for each type.
pub(crate) fn insertion_sort<T>(things: &mut [T], compare: impl Fn(&T, &T) -> Ordering) {
    for end in 1..things.len() {
        for at in (0..end).rev() {
            if compare(&things[at], &things[at + 1]).is_le() {
                break;
            }
            things.swap(at, at + 1);
        }
    }
}

/// Pseudo-random numbers from -1 to 1, by Knuth's linear congruential generator.
#[cfg(test)]
pub(crate) fn random_numbers(seed: u64, count: usize) -> Vec<f64> {
    let next = |x: &u64| Some(x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407));
    let states = std::iter::successors(Some(seed), next).skip(10).take(count);
    states.map(|x| (x >> 11) as f64 / (1_u64 << 52) as f64 - 1.0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_of_four_is_sorted_and_equal_ones_stay() {
        for number in 0..256_usize {
            let things = [0, 2, 4, 6].map(|shift| (number >> shift & 3, shift));
            let (mut few, mut all) = (things, things);
            insertion_sort(&mut few, |a, b| a.0.cmp(&b.0));
            all.sort_by_key(|thing| thing.0);
            assert_eq!(few, all);
        }
    }
}
