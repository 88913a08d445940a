//! Rounding of world coordinates, so that noise of an export does not become an overlap.

use bvtree::shape::Aabb;
use nalgebra::{Point3, Vector3};

/// World coordinates rounded to multiples of a positive step, as vertices and the origin to add to them.
///
/// Faces of two bodies that are less than half a step apart mostly fall onto each other, and then touch exactly: the
/// multiples are rounded once more, to a power of two of at most a sixteenth of the step, so that f32 holds the
/// vertices without another rounding, up to 8 million of these powers from the origin (64 m for 0.1 mm).
/// `bvtree.buildings` in Python rounds in the same way.
pub fn snapped(world: &[Point3<f64>], step: f64) -> (Vec<Point3<f32>>, Vector3<f64>) {
    // What is left of a number without its fraction is a power of two.
    let fine = f64::from_bits((step / 16.0).to_bits() & f64::INFINITY.to_bits());
    let rounded = |x: f64, to: f64| (x / to).round_ties_even() * to;
    let world: Vec<Point3<f64>> = world.iter().map(|point| point.map(|x| rounded(rounded(x, step), fine))).collect();
    let middle = if world.is_empty() { Point3::origin() } else { Aabb::from_points(&world).center() };
    let origin = middle.coords.map(|x| rounded(x, fine));
    (world.iter().map(|point| (point - origin).cast()).collect(), origin)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn coordinates_far_from_the_origin_fall_onto_each_other() {
        let far = Vector3::new(121_687.0, 487_316.0, 2.0);
        let world = |noise: f64| [0.0, 1.0 / 3.0, 7.0].map(|x| Point3::from(far + Vector3::repeat(x + noise)));
        let places = |noise: f64| {
            let (vertices, origin) = snapped(&world(noise), 1e-4);
            vertices.iter().map(|vertex| vertex.cast::<f64>() + origin).collect::<Vec<_>>()
        };
        assert_eq!(places(0.0), places(4e-6));
        for (place, exact) in places(0.0).iter().zip(world(0.0)) {
            assert!((place - exact).amax() < 0.6e-4);
        }
    }
}
