//! Random points in volumes and on triangles, spread evenly.

use nalgebra::{Point3, Vector3};

use super::random::Random;
use crate::shape::KDop;
use crate::triangle::Triangle;
use crate::volume::Volume;

/// Chooses `count` times among items, each as often as its weight says to within one: the `i`-th choice is where the
/// running sum of the weights passes a random place in the `i`-th of `count` equal parts. Nothing where all weights are
/// zero.
pub(super) fn choose<'a, T>(
    items: impl IntoIterator<Item = &'a T>,
    weight: impl Fn(&T) -> f64,
    count: usize,
    random: &mut Random,
) -> Vec<&'a T> {
    let weighed: Vec<(&T, f64)> = items.into_iter().map(|item| (item, weight(item))).collect();
    let total: f64 = weighed.iter().map(|(_, weight)| weight).sum();
    let Some(&(last, _)) = weighed.iter().rfind(|(_, weight)| *weight > 0.0) else { return Vec::new() };
    let mut chosen = Vec::with_capacity(count);
    let mut upcoming = weighed.iter();
    let (mut item, mut passed) = (last, 0.0);
    for i in 0..count {
        let place = (i as f64 + random.unit()) / count as f64 * total;
        while passed <= place
            && let Some(&(next, weight)) = upcoming.next()
        {
            if weight > 0.0 {
                (item, passed) = (next, passed + weight);
            }
        }
        chosen.push(item);
    }
    chosen
}

/// A uniform point of a volume.
pub(super) fn point_in(volume: &Volume, random: &mut Random) -> Point3<f64> {
    let mut in_cube = || Vector3::from_fn(|_, _| random.coordinate());
    match volume {
        Volume::Aabb(aabb) => aabb.center() + in_cube().component_mul(&aabb.half_extents()),
        Volume::Obb(obb) => obb.center + obb.axes * in_cube().component_mul(&obb.half_extents),
        Volume::Sphere(sphere) => loop {
            let place = in_cube();
            if place.norm_squared() <= 1.0 {
                return sphere.center + place * sphere.radius;
            }
        },
        Volume::KDop(kdop) => point_in_kdop(kdop, random),
    }
}

/// A uniform point of a k-DOP: of a tetrahedron between its centre and a part of a face, chosen by volume.
fn point_in_kdop(kdop: &KDop, random: &mut Random) -> Point3<f64> {
    let corners = kdop.corners();
    let sum = corners.iter().fold(Vector3::zeros(), |sum, corner| sum + corner.coords);
    let apex = Point3::from(sum / corners.len().max(1) as f64);
    let mut tetrahedra = Vec::new();
    for face in kdop.faces() {
        for ends in face.windows(2).skip(1) {
            let edges = [face[0] - apex, ends[0] - apex, ends[1] - apex];
            tetrahedra.push((edges, edges[0].dot(&edges[1].cross(&edges[2])).abs()));
        }
    }
    let mut remaining = random.unit() * tetrahedra.iter().map(|(_, volume)| volume).sum::<f64>();
    // Edges weighted by the gaps between sorted uniform numbers.
    let mut cuts = [random.unit(), random.unit(), random.unit()];
    cuts.sort_unstable_by(f64::total_cmp);
    let weights = [cuts[0], cuts[1] - cuts[0], cuts[2] - cuts[1]];
    for (edges, volume) in &tetrahedra {
        if remaining <= *volume {
            return apex + edges[0] * weights[0] + edges[1] * weights[1] + edges[2] * weights[2];
        }
        remaining -= volume;
    }
    apex
}

/// A uniform point of a triangle (Turk, Graphics Gems, 1990).
pub(super) fn point_on(triangle: &Triangle, random: &mut Random) -> Point3<f64> {
    let [a, b, c] = triangle.vertices;
    let (s, t) = (random.unit().sqrt(), random.unit());
    a + (b - a) * (s * (1.0 - t)) + (c - a) * (s * t)
}
