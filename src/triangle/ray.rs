//! Ray-triangle intersection by exact signs, so that no ray slips through a shared edge or vertex.
//!
//! The signs are those of the volumes that the ray's line spans with a triangle's edges (Plücker products). Each is
//! exact and depends on the edge alone, not on the triangle, so a closed mesh is watertight without the shear of Woop,
//! Benthin and Wald ("Watertight Ray/Triangle Intersection", 2013).

use nalgebra::{Point3, Vector3};

use super::Triangle;
use super::orientation::{filtered_triple, orient2d, orient3d};

/// A ray for exact predicates: from its origin through a second point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExactRay {
    origin: Point3<f64>,
    /// The second point, so far out that rounding its coordinates turns the ray no more than rounding its direction.
    through: Point3<f64>,
    /// The vector from the origin to the second point, rounded.
    direction: Vector3<f64>,
    /// The factor that converts dot products with `direction` to times in units of the given direction.
    time_scale: f64,
}

/// The first point of a triangle that a ray meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RayContact {
    /// The time, in units of the ray's direction; zero exactly if the ray starts on the triangle.
    pub(crate) time: f64,
    pub(crate) point: Point3<f64>,
}

/// The crossing of a ray with a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RayCrossing {
    /// The ray starts on the triangle.
    StartsOn,
    /// The ray crosses the triangle against its normal.
    In,
    /// The ray crosses the triangle along its normal.
    Out,
    /// The ray misses the triangle.
    None,
}

/// The least power of two that is at least `x`, a positive normal number.
fn power_of_two_from(x: f64) -> f64 {
    const MANTISSA: u64 = (1 << (f64::MANTISSA_DIGITS - 1)) - 1;
    f64::from_bits((x.to_bits() + MANTISSA) & !MANTISSA)
}

impl ExactRay {
    /// A ray; `None` if the direction is zero, or a number leaves f64's range.
    #[inline]
    pub(crate) fn new(origin: &Point3<f64>, direction: &Vector3<f64>) -> Option<Self> {
        let (far, long) = (origin.coords.amax(), direction.amax());
        if !(far.is_finite() && long.is_finite() && long > 0.0) {
            return None;
        }
        let scale = if far > long { power_of_two_from(far / long) } else { 1.0 };
        let through = origin + direction * scale;
        let direction = through - origin;
        let time_scale = scale / direction.norm_squared();
        time_scale.is_normal().then_some(Self { origin: *origin, through, direction, time_scale })
    }

    /// The first point at which the ray meets the closed triangle. A triangle without area is a segment or a point. A
    /// ray in the triangle's plane meets it at its boundary, or at the ray's origin if the origin is inside.
    ///
    /// Whether the two meet is decided exactly for the ray through the second point; time and point are rounded.
    #[inline]
    pub(crate) fn contact(&self, triangle: &Triangle) -> Option<RayContact> {
        let [a, b, c] = &triangle.vertices;
        let corners = [a, b, c].map(|vertex| vertex - self.origin);
        let [u, v, w] = &corners;
        let of_c = self.side(a, u, b, v);
        let of_a = self.side(b, v, c, w);
        if of_a * of_c < 0.0 {
            return None;
        }
        let of_b = self.side(c, w, a, u);
        if of_a.min(of_b).min(of_c) < 0.0 && of_a.max(of_b).max(of_c) > 0.0 {
            return None;
        }
        let sum = of_a + of_b + of_c;
        if sum == 0.0 {
            return self.contact_in_plane(triangle);
        }
        let start_side = self.start_side(triangle, &corners);
        if start_side == 0.0 {
            return Some(RayContact { time: 0.0, point: self.origin });
        }
        ((start_side > 0.0) == (sum > 0.0)).then(|| {
            let offset = (u * of_a + v * of_b + w * of_c) / sum;
            self.contact_at(offset)
        })
    }

    /// The crossing of the ray with the triangle. The direction is perturbed by an infinitesimal along x, a far smaller
    /// one along y, and a far smaller one still along z, so that the ray passes through no vertex or edge (Edelsbrunner
    /// and Mücke, "Simulation of Simplicity", 1990). Over a closed mesh, the crossings add up to the winding number.
    pub(crate) fn crossing(&self, triangle: &Triangle) -> RayCrossing {
        let [a, b, c] = &triangle.vertices;
        let corners = [a, b, c].map(|vertex| vertex - self.origin);
        let start_side = self.start_side(triangle, &corners);
        if start_side == 0.0 {
            // The triangle is seen edge-on, or has no area. The time is compared by its bits: where there is no
            // contact, compilers compare whatever is stored in its place, which may be a denormal.
            let starts_on = self.contact(triangle).is_some_and(|contact| contact.time.to_bits() == 0);
            return if starts_on { RayCrossing::StartsOn } else { RayCrossing::None };
        }
        let out = start_side > 0.0;
        let [u, v, w] = &corners;
        let passes = [(a, u, b, v), (b, v, c, w), (c, w, a, u)]
            .into_iter()
            .all(|(a, u, b, v)| (self.turned_side(a, u, b, v) > 0.0) == out);
        match (passes, out) {
            (false, _) => RayCrossing::None,
            (true, true) => RayCrossing::Out,
            (true, false) => RayCrossing::In,
        }
    }

    /// The side of the ray on which the edge from `a` to `b` passes: `direction . (u x v)` with an exact sign, where
    /// `u` and `v` are the end points relative to the origin.
    #[inline]
    fn side(&self, a: &Point3<f64>, u: &Vector3<f64>, b: &Point3<f64>, v: &Vector3<f64>) -> f64 {
        filtered_triple(&self.direction, u, v).unwrap_or_else(|| orient3d(&self.origin, a, b, &self.through))
    }

    /// Like [`ExactRay::side`], but with the direction perturbed infinitesimally as for [`ExactRay::crossing`]; only
    /// the sign is meaningful. Zero only if the edge's line passes through the ray's origin.
    fn turned_side(&self, a: &Point3<f64>, u: &Vector3<f64>, b: &Point3<f64>, v: &Vector3<f64>) -> f64 {
        let turned = (0..3).map(|axis| orient2d(axis, &self.origin, a, b));
        std::iter::once(self.side(a, u, b, v)).chain(turned).find(|&side| side != 0.0).unwrap_or(0.0)
    }

    /// The side of the triangle's plane on which the origin is: positive behind it, zero exactly on it.
    #[inline]
    fn start_side(&self, triangle: &Triangle, [u, v, w]: &[Vector3<f64>; 3]) -> f64 {
        let [a, b, c] = &triangle.vertices;
        filtered_triple(w, u, v).unwrap_or_else(|| orient3d(&self.origin, a, b, c))
    }

    /// The contact at a point relative to the origin, which is not the origin itself.
    fn contact_at(&self, offset: Vector3<f64>) -> RayContact {
        let time = offset.dot(&self.direction) * self.time_scale;
        RayContact { time: time.max(f64::MIN_POSITIVE), point: self.origin + offset }
    }

    /// The first contact with a triangle in whose plane the line is, or with a segment or point in one plane with the
    /// line: the nearest crossing of an edge, or the origin if there are crossings both ahead of it and behind it.
    #[cold]
    fn contact_in_plane(&self, triangle: &Triangle) -> Option<RayContact> {
        let mut nearest: Option<RayContact> = None;
        let mut any_behind = false;
        for [a, b] in triangle.edges() {
            for (ahead, point) in self.edge_crossings(&a, &b).into_iter().flatten() {
                if ahead == 0.0 {
                    return Some(RayContact { time: 0.0, point: self.origin });
                }
                any_behind |= ahead < 0.0;
                if ahead > 0.0 {
                    let contact = self.contact_at(point - self.origin);
                    if nearest.is_none_or(|nearest| contact.time < nearest.time) {
                        nearest = Some(contact);
                    }
                }
            }
        }
        nearest.map(|contact| if any_behind { RayContact { time: 0.0, point: self.origin } } else { contact })
    }

    /// The points at which the line meets an edge that is coplanar with it: an end of the edge, both ends, or one point
    /// between them. Each comes with an exact sign: ahead of the ray's origin (positive), behind it (negative) or at it
    /// (zero).
    fn edge_crossings(&self, a: &Point3<f64>, b: &Point3<f64>) -> [Option<(f64, Point3<f64>)>; 2] {
        let (origin, through) = (&self.origin, &self.through);
        let mut on_line = [true; 2];
        for axis in 0..3 {
            let [side_a, side_b] = [a, b].map(|end| orient2d(axis, origin, through, end));
            on_line = [on_line[0] && side_a == 0.0, on_line[1] && side_b == 0.0];
            if (side_a < 0.0 && side_b > 0.0) || (side_a > 0.0 && side_b < 0.0) {
                let ahead = orient2d(axis, a, b, origin) * side_b.signum();
                let point = a + (b - a) * (side_a / (side_a - side_b));
                return [Some((ahead, point)), None];
            }
        }
        let main = self.direction.iamax();
        let end = |is_on_line: bool, end: &Point3<f64>| {
            is_on_line.then(|| ((end[main] - origin[main]) * self.direction[main].signum(), *end))
        };
        [end(on_line[0], a), end(on_line[1], b)]
    }
}
