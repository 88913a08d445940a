//! Convex polytopes as volumes that are only measured: hulls, and slabs along given directions.

use nalgebra::{Point3, Vector3};

use super::measured_volume::{MeasuredVolume, Tetrahedra};
use crate::numeric::any_perpendicular;
use crate::numeric::error_bounds::{KDOP_FACE_ROUNDING, POLYTOPE_SLACK};
use crate::shape::Aabb;
use crate::shape::convex_hull::{convex_hull, distinct, flat_hull};
use crate::shape::half_spaces::{HalfSpace, area_vector, clipped, faces};

/// A convex polytope, given by its faces. Trees don't store it; [`VolumeMetrics`](super::VolumeMetrics) measures it.
#[derive(Clone, Debug, PartialEq)]
pub struct ConvexPolytope {
    /// Convex polygons, counterclockwise from outside. A flat polytope has a polygon for each side; a polytope that is
    /// a segment or a point has a single triangle without an area.
    faces: Vec<Vec<Point3<f64>>>,
    /// Half-spaces whose intersection is the polytope, with offsets relative to the centre of `aabb` and moved out by
    /// `slack`; none for an empty polytope.
    half_spaces: Vec<HalfSpace>,
    aabb: Aabb,
    /// A bound on the rounding error of a distance from a plane.
    slack: f64,
    /// A bound on the distance by which the faces extend beyond the polytope.
    deviation: f64,
}

impl ConvexPolytope {
    /// The convex hull of points, with exact facets: no convex volume around the points is smaller. Coordinates must be
    /// finite. The hull of no points is empty.
    pub fn hull(points: &[Point3<f64>]) -> Self {
        let aabb = Aabb::from_points(points);
        let mut faces: Vec<Vec<Point3<f64>>> =
            convex_hull(points).iter().map(|facet| facet.vertices.to_vec()).collect();
        let mut corners = distinct(faces.iter().flatten().copied().collect());
        if faces.is_empty() {
            corners = flat_hull(points);
            faces = match corners.as_slice() {
                [] => Vec::new(),
                [point] => vec![vec![*point; 3]],
                [from, to] => vec![vec![*from, *to, *to]],
                outline => vec![outline.to_vec(), outline.iter().rev().copied().collect()],
            };
        }
        let mut half_spaces: Vec<HalfSpace> =
            faces.iter().filter_map(|face| supporting(face, &corners, &aabb)).collect();
        if let [outline, _] = faces.as_slice() {
            half_spaces.extend(sides(outline, &aabb));
        } else if let [_] = faces.as_slice() {
            half_spaces = around_segment(&corners, &aabb);
        }
        Self::new(faces, half_spaces, aabb, 0.0)
    }

    /// The intersection of the slabs around points along `directions`, which may have any length but zero. Three of the
    /// directions must be perpendicular to each other. Empty without points.
    pub fn between_slabs(directions: &[Vector3<f64>], points: &[Point3<f64>]) -> Self {
        let around = Aabb::from_points(points);
        let (center, size) = (around.center(), around.half_extents().norm());
        if !size.is_finite() {
            return Self::hull(&[]);
        }
        let signed = directions.iter().flat_map(|direction| [direction.normalize(), -direction.normalize()]);
        let half_spaces: Vec<HalfSpace> = signed
            .map(|normal| {
                let offsets = points.iter().map(|point| normal.dot(&(point - center)));
                HalfSpace { normal, offset: offsets.fold(f64::NEG_INFINITY, f64::max) }
            })
            .collect();
        let faces = if size > 0.0 { faces(&half_spaces, &center, size) } else { Vec::new() };
        if faces.is_empty() {
            return Self::hull(points);
        }
        let aabb = Aabb::from_points(faces.iter().flatten());
        // Relative to the centre of the polytope's own box.
        let moved = center - aabb.center();
        let relative =
            |half: &HalfSpace| HalfSpace { normal: half.normal, offset: half.offset + half.normal.dot(&moved) };
        let half_spaces = half_spaces.iter().map(relative).collect();
        Self::new(faces, half_spaces, aabb, KDOP_FACE_ROUNDING * aabb.size().amax())
    }

    fn new(faces: Vec<Vec<Point3<f64>>>, mut half_spaces: Vec<HalfSpace>, aabb: Aabb, deviation: f64) -> Self {
        let slack = POLYTOPE_SLACK * aabb.lower.coords.amax().max(aabb.upper.coords.amax());
        half_spaces.iter_mut().for_each(|half| half.offset += slack);
        Self { faces, half_spaces, aabb, slack, deviation }
    }

    /// The sum of the signed volumes of the pyramids from a point to the parts of the faces inside another polytope;
    /// pyramids to faces whose outer side faces the point are negative.
    ///
    /// A part in the plane of a face of the other polytope counts only if both faces have the same outward normal and
    /// `with_common` is set: such a part belongs to a face of both polytopes and must count once. Where the normals are
    /// opposite, the polytopes touch from outside and share no volume.
    fn pyramids_within(&self, other: &Self, from: &Point3<f64>, with_common: bool) -> f64 {
        let center = other.aabb.center();
        let slack = 2.0 * other.slack + self.slack;
        let part = |face: &Vec<Point3<f64>>| {
            let up = area_vector(face);
            let mut polygon: Vec<Vector3<f64>> = face.iter().map(|corner| corner - center).collect();
            for HalfSpace { normal, offset } in &other.half_spaces {
                let counts = with_common && normal.dot(&up) > 0.0;
                let limit = if counts { *offset } else { offset - slack };
                if polygon.iter().any(|corner| normal.dot(corner) > limit) {
                    polygon = clipped(&polygon, normal, limit);
                }
                if polygon.len() < 3 {
                    return 0.0;
                }
            }
            let corners: Vec<Point3<f64>> = polygon.iter().map(|corner| center + corner).collect();
            area_vector(&corners).dot(&(corners[0] - from)) / 3.0
        };
        self.faces.iter().map(part).sum()
    }
}

impl MeasuredVolume for ConvexPolytope {
    fn volume(&self) -> f64 {
        let Some(apex) = self.faces.first().map(|face| face[0]) else { return 0.0 };
        let pyramids = self.faces.iter().map(|face| area_vector(face).dot(&(face[0] - apex)) / 3.0);
        pyramids.sum::<f64>().max(0.0)
    }

    fn surface_area(&self) -> f64 {
        self.faces.iter().map(|face| area_vector(face).norm()).sum()
    }

    fn aabb(&self) -> Aabb {
        self.aabb
    }

    fn contains(&self, point: &Point3<f64>) -> bool {
        let offset = point - self.aabb.center();
        !self.half_spaces.is_empty() && self.half_spaces.iter().all(|half| half.normal.dot(&offset) <= half.offset)
    }

    /// Clips the line by the half-spaces (Cyrus and Beck 1978).
    fn meets_line(&self, point: &Point3<f64>, direction: &Vector3<f64>) -> bool {
        let offset = point - self.aabb.center();
        let (mut from, mut to) = (f64::NEG_INFINITY, f64::INFINITY);
        for HalfSpace { normal, offset: limit } in &self.half_spaces {
            let (room, speed) = (limit - normal.dot(&offset), normal.dot(direction));
            if speed > 0.0 {
                to = to.min(room / speed);
            } else if speed < 0.0 {
                from = from.max(room / speed);
            } else if room < 0.0 {
                return false;
            }
            if from > to {
                return false;
            }
        }
        !self.half_spaces.is_empty()
    }

    /// The volume of the intersection, whose faces are the parts of each polytope's faces inside the other.
    fn intersection_volume(&self, other: &Self) -> Option<f64> {
        if self.aabb.intersection(&other.aabb).is_none() {
            return Some(0.0);
        }
        let from = self.aabb.center();
        Some((self.pyramids_within(other, &from, true) + other.pyramids_within(self, &from, false)).max(0.0))
    }

    fn tetrahedra(&self) -> Option<Tetrahedra> {
        let fan = |apex: Point3<f64>| {
            let triangles = |face: &Vec<Point3<f64>>| {
                let tetrahedron = |ends: &[Point3<f64>]| [apex, face[0], ends[0], ends[1]];
                face.windows(2).skip(1).map(tetrahedron).collect::<Vec<_>>()
            };
            self.faces.iter().flat_map(triangles).collect()
        };
        let corners = self.faces.first().map_or(Vec::new(), |face| fan(face[0]));
        Some(Tetrahedra { corners, deviation: self.deviation })
    }
}

/// The half-space with a face's outward normal that just contains all corners; `None` for a face without an area.
fn supporting(face: &[Point3<f64>], corners: &[Point3<f64>], aabb: &Aabb) -> Option<HalfSpace> {
    Some(touching(area_vector(face).try_normalize(0.0)?, corners, aabb))
}

/// For each edge of a polygon, the half-space on the polygon's side of the edge.
fn sides(outline: &[Point3<f64>], aabb: &Aabb) -> Vec<HalfSpace> {
    let up = area_vector(outline);
    let edges = (0..outline.len()).map(|k| outline[(k + 1) % outline.len()] - outline[k]);
    edges.filter_map(|edge| Some(touching(edge.cross(&up).try_normalize(0.0)?, outline, aabb))).collect()
}

/// Half-spaces whose intersection is the segment between two points, or a single point.
fn around_segment(ends: &[Point3<f64>], aabb: &Aabb) -> Vec<HalfSpace> {
    // The axes for a point, and for ends so near to each other that the length of the segment underflows.
    let along = (ends[ends.len() - 1] - ends[0]).try_normalize(0.0).unwrap_or(Vector3::x());
    let across = any_perpendicular(&along);
    let normals = [along, across, along.cross(&across)];
    normals.iter().flat_map(|normal| [touching(*normal, ends, aabb), touching(-normal, ends, aabb)]).collect()
}

/// The half-space with this outward normal that just contains all points.
fn touching(normal: Vector3<f64>, points: &[Point3<f64>], aabb: &Aabb) -> HalfSpace {
    let center = aabb.center();
    let offsets = points.iter().map(|point| normal.dot(&(point - center)));
    HalfSpace { normal, offset: offsets.fold(f64::NEG_INFINITY, f64::max) }
}
