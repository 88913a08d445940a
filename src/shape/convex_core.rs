//! The corners and triangles of a convex shape's core, for contact manifolds.

use std::f64::consts::TAU;

use nalgebra::{Point3, Vector3};
use smallvec::SmallVec;

use super::ConvexShape;
use super::convex::{Core, Frustum};
use super::convex_polytope::Polytope;
use crate::numeric::error_bounds::{FLAT_ANGLE, SAME_DIRECTION};

/// The core of a shape as a polytope that touches others as the core does.
pub(crate) struct ContactCore {
    /// The corners, whose indices name them from frame to frame.
    pub(crate) corners: Vec<Point3<f64>>,
    /// The triangles around the core, counterclockwise from outside: those of a flat core on both sides, and one that
    /// has no area for a segment or a point.
    pub(crate) facets: Vec<[usize; 3]>,
    /// The corners that facets have, each once.
    used: Vec<Point3<f64>>,
    /// The cylinder or cone.
    frustum: Option<Frustum>,
}

impl ContactCore {
    /// Whether the surface ends in a direction at a vertex or an edge, given by its corners: whether no corner is above.
    pub(crate) fn ends_at(&self, corners: &[Point3<f64>], direction: &Vector3<f64>) -> bool {
        self.is_extreme(corners, direction, FLAT_ANGLE)
    }

    /// Whether the surface ends there in a direction that is about the same; `cosine` is that of the angle between the
    /// two. The discs of a cylinder or a cone are flat, but its side is round: it ends only along the direction itself.
    pub(crate) fn ends_near(&self, corners: &[Point3<f64>], direction: &Vector3<f64>, cosine: f64) -> bool {
        let is_flat = corners.iter().all(|corner| self.frustum.is_none_or(|of| of.is_flat(corner, direction, cosine)));
        self.is_extreme(corners, direction, if is_flat { (1.0 - cosine * cosine).sqrt() } else { FLAT_ANGLE })
    }

    /// Whether no corner is above a vertex or an edge along a direction, by more than a slope.
    fn is_extreme(&self, corners: &[Point3<f64>], direction: &Vector3<f64>, slope: f64) -> bool {
        let along = match *corners {
            [_] => Vector3::zeros(),
            [p, q] => (q - p).try_normalize(0.0).unwrap_or_default(),
            _ => return false,
        };
        self.used.iter().all(|corner| {
            let offset = corner - corners[0];
            let across = offset - along * offset.dot(&along);
            let rise = across.dot(direction);
            rise <= 0.0 || rise <= slope * across.norm() + SAME_DIRECTION * offset.norm()
        })
    }
}

/// The sides of the prism or pyramid that stands for a cylinder or a cone.
const SIDES: usize = 16;
/// The most corners of a polygon.
const MAX_SIDES: usize = 32;
/// The angle, in radians, within which two corners of a polygon are one.
const SAME_ANGLE: f64 = 1e-3;

impl ConvexShape {
    /// The polytope of the core. The unit axes are those of contacts, from the shape to what it touches: the core's
    /// points that are farthest along them are corners.
    pub(crate) fn contact_core(&self, axes: &[Vector3<f64>]) -> ContactCore {
        match &self.core {
            Core::Polytope(polytope) => polytope.contact_core(),
            Core::Frustum(frustum) => frustum.contact_core(axes),
        }
    }
}

impl Polytope {
    fn contact_core(&self) -> ContactCore {
        let corners = self.vertices().to_vec();
        ContactCore { used: corners.clone(), corners, facets: self.facets().to_vec(), frustum: None }
    }
}

impl Frustum {
    fn contact_core(&self, axes: &[Vector3<f64>]) -> ContactCore {
        let angles = self.angles(axes);
        let [u, v] = self.across();
        // Named by the angle, whatever other angles there are; an apex has one name for all.
        let corner = |disc: usize, name: usize| {
            if self.radii[disc] > 0.0 { disc * MAX_SIDES + name } else { disc * MAX_SIDES }
        };
        let mut corners = vec![self.centers[0]; 2 * MAX_SIDES];
        for (disc, center) in self.centers.iter().enumerate() {
            corners[disc * MAX_SIDES..][..MAX_SIDES].fill(*center);
            for &(angle, name) in &angles {
                let (sin, cos) = libm::sincos(angle);
                corners[corner(disc, name)] = center + (u * cos + v * sin) * self.radii[disc];
            }
        }
        let mut facets = Vec::with_capacity(4 * angles.len());
        let first = angles[0].1;
        for (i, &(_, here)) in angles.iter().enumerate() {
            let next = angles[(i + 1) % angles.len()].1;
            let [[a, b], [c, d]] = [0, 1].map(|disc| [corner(disc, here), corner(disc, next)]);
            facets.extend([[corner(0, first), b, a], [corner(1, first), c, d], [a, b, d], [a, d, c]]);
        }
        facets.retain(|[a, b, c]| a != b && b != c && c != a);
        let all_round = |disc: usize| angles.iter().map(move |&(_, name)| corner(disc, name));
        let mut used: Vec<usize> = all_round(0).chain(all_round(1)).collect();
        used.sort_unstable();
        used.dedup();
        let used = used.into_iter().map(|corner| corners[corner]).collect();
        ContactCore { corners, facets, used, frustum: Some(*self) }
    }

    /// Whether the surface at a corner of a disc is about perpendicular to a direction along the disc or along the side.
    fn is_flat(&self, corner: &Point3<f64>, direction: &Vector3<f64>, cosine: f64) -> bool {
        let heights = self.centers.map(|center| (corner - center).dot(&self.axis).abs());
        let disc = usize::from(heights[1] < heights[0]);
        let along = direction.dot(&self.axis);
        let facing = if disc == 0 { -along } else { along };
        let (across, offset) = (direction - self.axis * along, corner - self.centers[disc]);
        // The angle between the two is at most the one within which corners are one.
        let is_along_side = offset.dot(&across) >= (1.0 - SAME_ANGLE * SAME_ANGLE) * offset.norm() * across.norm();
        self.radii[disc] == 0.0 || facing >= cosine || is_along_side
    }

    /// The angles of the polygons' corners about the axis, in order, and their names.
    fn angles(&self, axes: &[Vector3<f64>]) -> SmallVec<[(f64, usize); MAX_SIDES]> {
        let [u, v] = self.across();
        let mut angles: SmallVec<[_; MAX_SIDES]> = (0..SIDES).map(|k| (TAU * k as f64 / SIDES as f64, k)).collect();
        let mut named = SIDES;
        for axis in axes {
            let [x, y] = [u.dot(axis), v.dot(axis)];
            if x * x + y * y <= FLAT_ANGLE * FLAT_ANGLE || named == MAX_SIDES {
                continue;
            }
            let angle = libm::atan2(y, x).rem_euclid(TAU);
            let is_same = |other: f64| {
                let turn = (angle - other).abs();
                turn.min(TAU - turn) < SAME_ANGLE
            };
            match angles.iter_mut().find(|(other, _)| is_same(*other)) {
                // Another contact's.
                Some((_, name)) if *name >= SIDES => continue,
                Some(regular) => *regular = (angle, named),
                None => angles.push((angle, named)),
            }
            named += 1;
        }
        angles.sort_unstable_by(|p, q| p.0.total_cmp(&q.0));
        angles
    }

    /// Two unit directions across the axis, which turn little as the axis does.
    fn across(&self) -> [Vector3<f64>; 2] {
        let beside = Vector3::ith((self.axis.iamax() + 1) % 3, 1.0);
        let u = (beside - self.axis * beside.dot(&self.axis)).normalize();
        [u, self.axis.cross(&u)]
    }
}
