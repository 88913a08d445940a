//! A ray against triangles: decided by exact signs, so that no ray slips through a shared edge or vertex.
//!
//! The signs are those of the volumes that the ray's line spans with a triangle's edges (Plücker's products). Each
//! depends on the edge alone, whichever triangle it is asked for, and each is exact: so a closed mesh is watertight,
//! with no need for the shear of Woop, Benthin and Wald ("Watertight Ray/Triangle Intersection", 2013).

use nalgebra::{Point3, Vector3};

use super::Triangle;
use super::orientation::{filtered_triple, orient2d, orient3d};

/// A ray as exact predicates see it: from its origin through a second point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExactRay {
    origin: Point3<f64>,
    /// So far out that rounding its coordinates turns the ray by no more than an f64's rounding of its direction.
    through: Point3<f64>,
    /// From the origin to it, rounded.
    direction: Vector3<f64>,
    /// By which times along `direction` become times along the direction as given, over its squared length.
    time_scale: f64,
}

/// Where a ray first meets a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RayContact {
    /// In units of the ray's direction; zero exactly if the ray starts on the triangle.
    pub(crate) time: f64,
    pub(crate) point: Point3<f64>,
}

/// How a ray passes a triangle's plane within the triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RayCrossing {
    /// The ray starts on the triangle.
    StartsOn,
    /// Against the normal.
    In,
    /// Along the normal.
    Out,
    /// Not at all.
    None,
}

impl ExactRay {
    /// None if the direction is zero, or anything leaves f64's range.
    pub(crate) fn new(origin: &Point3<f64>, direction: &Vector3<f64>) -> Option<Self> {
        let (far, long) = (origin.coords.amax(), direction.amax());
        if !(far.is_finite() && long.is_finite() && long > 0.0) {
            return None;
        }
        let scale = if far > long { 2f64.powi((far / long).log2().ceil() as i32) } else { 1.0 };
        let through = origin + direction * scale;
        let direction = through - origin;
        let time_scale = scale / direction.norm_squared();
        time_scale.is_normal().then_some(Self { origin: *origin, through, direction, time_scale })
    }

    /// The first point of the ray that the closed triangle has, if any. Zero-area triangles are the segments or
    /// points they are; a ray in the triangle's plane meets it at its border, or where it starts if that is inside.
    ///
    /// Whether they meet is exact for the ray through [`ExactRay`]'s second point; time and point are rounded.
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

    /// Whether the ray passes through the triangle, with its direction turned by less than any number so that it
    /// passes through no vertex or edge: turned along x, far less along y, and less still along z (after Edelsbrunner
    /// and Mücke, "Simulation of Simplicity", 1990). Over a closed mesh the passages add up to the winding number.
    pub(crate) fn crossing(&self, triangle: &Triangle) -> RayCrossing {
        let [a, b, c] = &triangle.vertices;
        let corners = [a, b, c].map(|vertex| vertex - self.origin);
        let start_side = self.start_side(triangle, &corners);
        if start_side == 0.0 {
            // Seen edge-on, or not at all if the triangle has no area. By its bits: where there is no contact,
            // compilers compare whatever lies in its place all the same, and that may be a denormal.
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

    /// On which side of the ray the edge from `a` to `b` passes: the sign of `direction . (u x v)` is exact, `u` and
    /// `v` being the end points seen from the origin.
    #[inline]
    fn side(&self, a: &Point3<f64>, u: &Vector3<f64>, b: &Point3<f64>, v: &Vector3<f64>) -> f64 {
        filtered_triple(&self.direction, u, v).unwrap_or_else(|| orient3d(&self.origin, a, b, &self.through))
    }

    /// [`ExactRay::side`] with the direction turned; zero only if the edge is in line with the ray's origin.
    fn turned_side(&self, a: &Point3<f64>, u: &Vector3<f64>, b: &Point3<f64>, v: &Vector3<f64>) -> f64 {
        let turned = (0..3).map(|axis| orient2d(axis, &self.origin, a, b));
        std::iter::once(self.side(a, u, b, v)).chain(turned).find(|&side| side != 0.0).unwrap_or(0.0)
    }

    /// The side of the triangle's plane that the origin is on: positive behind it, zero exactly on it.
    #[inline]
    fn start_side(&self, triangle: &Triangle, [u, v, w]: &[Vector3<f64>; 3]) -> f64 {
        let [a, b, c] = &triangle.vertices;
        filtered_triple(w, u, v).unwrap_or_else(|| orient3d(&self.origin, a, b, c))
    }

    /// The contact at a point seen from the origin, which is not the origin itself.
    fn contact_at(&self, offset: Vector3<f64>) -> RayContact {
        let time = offset.dot(&self.direction) * self.time_scale;
        RayContact { time: time.max(f64::MIN_POSITIVE), point: self.origin + offset }
    }

    /// The first contact with a triangle in whose plane the line is, or that is a segment or point in one plane with
    /// the line: the nearest crossing of an edge, or the start if there are crossings both before and behind it.
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

    /// Where the line meets an edge that is in one plane with it: at most its ends, or one point between them. With
    /// each point whether it is ahead of the ray's origin (positive), behind (negative) or there (zero), exactly.
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
