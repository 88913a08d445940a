//! The corners, edges and faces of a convex shape's core, for contact manifolds.

use std::cell::Cell;
use std::f64::consts::TAU;

use nalgebra::{Point3, Vector3};
use smallvec::SmallVec;

use super::ConvexShape;
use super::convex::{Core, Frustum};
use super::convex_polytope::Polytope;
use crate::numeric::error_bounds::{FLAT_ANGLE, SAME_DIRECTION};
use crate::triangle::Triangle;

/// A polytope that stands for the core of a shape in contacts.
pub(crate) struct ContactCore {
    /// The corners, whose indices identify them from frame to frame.
    pub(crate) corners: Vec<Point3<f64>>,
    /// The indices of the corners of the faces, or of a segment or a point, each once.
    pub(crate) vertices: Vec<u32>,
    /// The edges between faces that are not in one plane, or the one edge of a segment.
    pub(crate) edges: Vec<[u32; 2]>,
    /// The faces that have an area, counterclockwise from outside; a flat core has them on both sides.
    pub(crate) faces: Vec<CoreFace>,
    /// The points that [`ContactCore::is_extreme`] compares: all corners of a polytope, or those of a cylinder or a
    /// cone that are in `vertices`.
    used: Vec<Point3<f64>>,
    /// The core, if it is a cylinder or a cone.
    frustum: Option<Frustum>,
    /// The index in `used` of the corner that last proved that a feature is not extreme: it is likely to do so again.
    last_above: Cell<usize>,
}

/// The identifier, the unit normal and the corners of a face.
pub(crate) type CoreFace = (u32, Vector3<f64>, SmallVec<[u32; 4]>);

impl ContactCore {
    /// Whether a vertex or an edge, given by its corners, is extreme along a direction: no corner of the core is above
    /// it.
    pub(crate) fn ends_at(&self, corners: &[u32], direction: &Vector3<f64>) -> bool {
        self.is_extreme(corners, direction, FLAT_ANGLE)
    }

    /// Whether a vertex or an edge, given by its corners, is extreme along some direction near the given one; `cosine`
    /// is that of the greatest angle between the two. On the round side of a cylinder or a cone, only the direction
    /// itself is tried.
    pub(crate) fn ends_near(&self, corners: &[u32], direction: &Vector3<f64>, cosine: f64) -> bool {
        let is_flat =
            |corner: &u32| self.frustum.is_none_or(|of| of.is_flat(&self.corners[*corner as usize], direction, cosine));
        let slope = if corners.iter().all(is_flat) { (1.0 - cosine * cosine).sqrt() } else { FLAT_ANGLE };
        self.is_extreme(corners, direction, slope)
    }

    /// Whether no corner is above a vertex or an edge along a direction, by more than `slope` times the corner's
    /// distance from the vertex or edge.
    fn is_extreme(&self, corners: &[u32], direction: &Vector3<f64>, slope: f64) -> bool {
        let corner = |index: u32| self.corners[index as usize];
        let (from, along) = match *corners {
            [p] => (corner(p), Vector3::zeros()),
            [p, q] => (corner(p), (corner(q) - corner(p)).try_normalize(0.0).unwrap_or_default()),
            _ => return false,
        };
        let is_above = |corner: &Point3<f64>| {
            let offset = corner - from;
            let across = offset - along * offset.dot(&along);
            let rise = across.dot(direction);
            rise > 0.0 && rise > slope * across.norm() + SAME_DIRECTION * offset.norm()
        };
        if self.used.get(self.last_above.get()).is_some_and(is_above) {
            return false;
        }
        let above = self.used.iter().position(is_above);
        above.into_iter().for_each(|above| self.last_above.set(above));
        above.is_none()
    }
}

/// The number of sides of the prism or pyramid that stands for a cylinder or a cone.
const SIDES: usize = 16;
/// The part of a disc's radius that is inside its polygon for certain; the cosine of half a side's angle is 0.9808.
pub(super) const INSCRIBED: f64 = 0.98;
/// The maximum number of corners of a disc's polygon.
const MAX_SIDES: usize = 32;
/// The angle, in radians, within which two corners of a polygon are one.
const SAME_ANGLE: f64 = 1e-3;

impl ConvexShape {
    /// The polytope of the core. The unit axes are those of contacts, from the shape to what it touches: the core's
    /// points that are farthest along them are corners, those of a cylinder or a cone for up to 16 axes.
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
        let facets = self.facets();
        let mut vertices: Vec<u32> = facets.iter().flatten().map(|&corner| corner as u32).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let normals: Vec<Vector3<f64>> = facets
            .iter()
            .map(|facet| Triangle { vertices: facet.map(|corner| corners[corner]) })
            .map(|triangle| triangle.unit_normal())
            .collect();
        let edges = edges_between(facets, &normals);
        let face = |((name, facet), normal): ((usize, &[usize; 3]), &Vector3<f64>)| {
            (*normal != Vector3::zeros()).then(|| (name as u32, *normal, facet.iter().map(|&i| i as u32).collect()))
        };
        let faces = facets.iter().enumerate().zip(&normals).filter_map(face).collect();
        let used = corners.clone();
        ContactCore { used, corners, vertices, edges, faces, frustum: None, last_above: Cell::default() }
    }
}

/// The edges of the triangles of a polytope's surface, except those inside a flat part of it.
fn edges_between(facets: &[[usize; 3]], normals: &[Vector3<f64>]) -> Vec<[u32; 2]> {
    let sides = |(facet, [a, b, c]): (usize, &[usize; 3])| {
        [[*a, *b], [*b, *c], [*c, *a]].map(|[p, q]| ([p.min(q) as u32, p.max(q) as u32], facet))
    };
    let mut all: SmallVec<[([u32; 2], usize); 64]> = facets.iter().enumerate().flat_map(sides).collect();
    all.retain(|([p, q], _)| p != q);
    all.sort_unstable();
    let is_flat = |p: &Vector3<f64>, q: &Vector3<f64>| p.dot(q) > 0.0 && p.cross(q).norm() <= FLAT_ANGLE;
    let is_edge = |same: &&[([u32; 2], usize)]| {
        let normal = |k: usize| &normals[same[k].1];
        !(0..same.len()).any(|i| (0..i).any(|k| is_flat(normal(i), normal(k))))
    };
    all.chunk_by(|p, q| p.0 == q.0).filter(is_edge).map(|same| same[0].0).collect()
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
        let (mut faces, mut edges) = (Vec::with_capacity(angles.len() + 2), Vec::with_capacity(3 * angles.len()));
        for (disc, normal) in [(0, -self.axis), (1, self.axis)] {
            if self.radii[disc] > 0.0 {
                let mut around: SmallVec<[u32; 4]> =
                    angles.iter().map(|&(_, name)| corner(disc, name) as u32).collect();
                if disc == 0 {
                    around.reverse();
                }
                faces.push(((2 * MAX_SIDES + disc) as u32, normal, around));
            }
        }
        for (i, &(_, here)) in angles.iter().enumerate() {
            let next = angles[(i + 1) % angles.len()].1;
            let side @ [a, b, d, c] =
                [corner(0, here), corner(0, next), corner(1, next), corner(1, here)].map(|corner| corner as u32);
            edges.extend([[a, b], [c, d], [a, c]]);
            let at = |corner: u32| corners[corner as usize];
            // By the diagonals, one of which is a side next to an apex.
            if let Some(normal) = (at(d) - at(a)).cross(&(at(c) - at(b))).try_normalize(0.0) {
                let mut around: SmallVec<[u32; 4]> = side.into();
                around.dedup();
                faces.push((here as u32, normal, around));
            }
        }
        edges.iter_mut().for_each(|edge| edge.sort_unstable());
        edges.retain(|[p, q]| corners[*p as usize] != corners[*q as usize]);
        edges.sort_unstable();
        edges.dedup();
        let all_round = |disc: usize| angles.iter().map(move |&(_, name)| corner(disc, name));
        let mut vertices: Vec<u32> = all_round(0).chain(all_round(1)).map(|corner| corner as u32).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let used = vertices.iter().map(|&corner| corners[corner as usize]).collect();
        let (frustum, last_above) = (Some(*self), Cell::default());
        ContactCore { corners, vertices, edges, faces, used, frustum, last_above }
    }

    /// Whether a direction is near the outward normal of the disc at a corner, or its part across the axis points from
    /// the axis to the corner; true at an apex.
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

    /// Two unit directions perpendicular to the axis, which turn little if the axis turns little.
    fn across(&self) -> [Vector3<f64>; 2] {
        let beside = Vector3::ith((self.axis.iamax() + 1) % 3, 1.0);
        let u = (beside - self.axis * beside.dot(&self.axis)).normalize();
        [u, self.axis.cross(&u)]
    }
}
