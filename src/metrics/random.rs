//! Random numbers, directions, rotations and points that are the same on every machine.

use nalgebra::{Point3, Quaternion, UnitQuaternion, UnitVector3, Vector3};

use crate::shape::KDop;
use crate::triangle::Triangle;
use crate::volume::Volume;

/// The generator SplitMix64 (Steele, Lea and Flood 2014).
pub(super) struct Random {
    state: u64,
}

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A uniform number in `0 .. 1`.
    pub(super) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 * 2f64.powi(-53)
    }

    /// A uniform number in `-1 .. 1`.
    pub(super) fn coordinate(&mut self) -> f64 {
        (self.next() >> 11) as f64 * 2f64.powi(-52) - 1.0
    }

    /// A uniform point of the unit disk without its center, and its squared distance from the center.
    pub(super) fn in_disk(&mut self) -> (f64, f64, f64) {
        loop {
            let (x, y) = (self.coordinate(), self.coordinate());
            let radius_sq = x * x + y * y;
            if radius_sq > 0.0 && radius_sq < 1.0 {
                return (x, y, radius_sq);
            }
        }
    }

    /// A uniform direction (Marsaglia 1972), without sines, which round differently on different machines.
    pub(super) fn direction(&mut self) -> UnitVector3<f64> {
        let (x, y, radius_sq) = self.in_disk();
        let scale = 2.0 * (1.0 - radius_sq).sqrt();
        UnitVector3::new_normalize(Vector3::new(x * scale, y * scale, 1.0 - 2.0 * radius_sq))
    }

    /// A uniform rotation: a quaternion uniform on the unit sphere in 4D (Marsaglia 1972).
    pub(super) fn rotation(&mut self) -> UnitQuaternion<f64> {
        let (x, y, first_sq) = self.in_disk();
        let (z, w, second_sq) = self.in_disk();
        let scale = ((1.0 - first_sq) / second_sq).sqrt();
        UnitQuaternion::new_normalize(Quaternion::new(x, y, z * scale, w * scale))
    }
}

/// Chooses `count` items in proportion to their weights, by stratified sampling: the `i`-th choice is where the running
/// sum of weights passes a random number in the `i`-th of `count` equal parts. Empty if all weights are zero.
pub(super) fn choose<'a, T>(
    items: impl IntoIterator<Item = &'a T>,
    weight: impl Fn(&T) -> f64,
    count: usize,
    random: &mut Random,
) -> Vec<&'a T> {
    let weighed: Vec<(&T, f64)> = items.into_iter().map(|item| (item, weight(item))).collect();
    let total: f64 = weighed.iter().map(|(_, weight)| weight).sum();
    let Some(&(last, _)) = weighed.iter().rfind(|(_, weight)| *weight > 0.0) else { return Vec::new() };
    let mut chosen = Vec::new();
    let mut upcoming = weighed.iter();
    let (mut item, mut passed) = (last, 0.0);
    for i in 0..count {
        let target = (i as f64 + random.unit()) / count as f64 * total;
        while passed <= target
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

/// A uniform random point of a volume.
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

/// A uniform random point of a k-DOP, in one of its tetrahedra; their common apex if none can be chosen.
fn point_in_kdop(kdop: &KDop, random: &mut Random) -> Point3<f64> {
    let (apex, tetrahedra) = kdop.tetrahedra();
    point_in_tetrahedra(tetrahedra.iter().map(|edges| (apex, *edges)), random).unwrap_or(apex)
}

/// A uniform random point of a set of tetrahedra, each given by an apex and the edges from it: a point of one that is
/// chosen in proportion to its volume. `None` without tetrahedra, or if rounding lets none be chosen.
pub(super) fn point_in_tetrahedra(
    tetrahedra: impl Iterator<Item = (Point3<f64>, [Vector3<f64>; 3])> + Clone,
    random: &mut Random,
) -> Option<Point3<f64>> {
    let volume = |[a, b, c]: &[Vector3<f64>; 3]| a.dot(&b.cross(c)).abs();
    let mut remaining = random.unit() * tetrahedra.clone().map(|(_, edges)| volume(&edges)).sum::<f64>();
    // The gaps between sorted uniform numbers are uniform weights.
    let mut cuts = [random.unit(), random.unit(), random.unit()];
    cuts.sort_unstable_by(f64::total_cmp);
    let [a, b, c] = cuts;
    for (apex, edges) in tetrahedra {
        if remaining <= volume(&edges) {
            return Some(apex + edges[0] * a + edges[1] * (b - a) + edges[2] * (c - b));
        }
        remaining -= volume(&edges);
    }
    None
}

/// A uniform random point of a triangle (Turk, Graphics Gems, 1990).
pub(super) fn point_on(triangle: &Triangle, random: &mut Random) -> Point3<f64> {
    let [a, b, c] = triangle.vertices;
    let (s, t) = (random.unit().sqrt(), random.unit());
    a + (b - a) * (s * (1.0 - t)) + (c - a) * (s * t)
}
