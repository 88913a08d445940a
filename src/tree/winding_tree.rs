//! Winding numbers, hierarchically as in Jacobson, Kavan and Sorkine-Hornung 2013: seen from outside the box of a part
//! of the mesh, a cone over the part's boundary has the same winding number, and far fewer triangles.

use std::f64::consts::PI;

use nalgebra::Point3;

use super::arrays::View;
use crate::mesh::{BoundaryEdge, boundary, distinct_points};
use crate::parallel::Sorting;
use crate::shape::Aabb;
use crate::triangle::Triangle;

/// A binary tree over runs of triangles in leaf order, which are near each other; on the lowest level, runs have
/// [`RUN`] triangles.
#[derive(Debug)]
pub(crate) struct WindingTree {
    levels: Vec<Vec<Cone>>,
}

/// The number of triangles of a run on the lowest level.
const RUN: usize = 16;

/// The cone over the boundary of a run of triangles.
#[derive(Debug)]
struct Cone {
    bounds: Aabb,
    boundary: Vec<BoundaryEdge>,
}

impl WindingTree {
    pub(super) fn new(view: &View<'_>) -> Self {
        let (points, count) = distinct_points(view.vertices, Sorting::Alone);
        let mut first = vec![u32::MAX; count];
        for (vertex, &point) in (0..).zip(&points) {
            let first = &mut first[point as usize];
            *first = (*first).min(vertex);
        }
        // One vertex represents all vertices at equal coordinates.
        let only = |vertex: u32| first[points[vertex as usize] as usize];
        let mut levels = Vec::new();
        let triangles: Vec<[u32; 3]> = view.triangles().collect();
        let mut level: Vec<Cone> = triangles.chunks(RUN).map(|run| Cone::of(run, view, only)).collect();
        while level.len() > 1 {
            let above = level.chunks(2).map(Cone::joined).collect();
            levels.push(std::mem::replace(&mut level, above));
        }
        if !level.is_empty() {
            levels.push(level);
        }
        Self { levels }
    }

    /// The number of times that the mesh winds around a point.
    pub(crate) fn number(&self, view: &View<'_>, point: &Point3<f64>) -> f64 {
        let Some(top) = self.levels.len().checked_sub(1) else { return 0.0 };
        self.half_solid_angle(view, top, 0, point) / (2.0 * PI)
    }

    fn half_solid_angle(&self, view: &View<'_>, level: usize, number: usize, point: &Point3<f64>) -> f64 {
        let Some(cone) = self.levels[level].get(number) else { return 0.0 };
        let triangles = (number * RUN) << level..view.corners.len().min(((number + 1) * RUN) << level);
        if cone.boundary.len() < triangles.len() && !cone.bounds.contains(point) {
            return cone.half_solid_angle(view, point);
        }
        if level > 0 {
            return [0, 1].map(|half| self.half_solid_angle(view, level - 1, 2 * number + half, point)).iter().sum();
        }
        let corners = triangles.map(|leaf_index| view.triangle(leaf_index).map(|vertex| vertex.map(f64::from)));
        corners.map(|vertices| half_solid_angle(&Triangle { vertices }, point)).sum()
    }
}

impl Cone {
    fn of(run: &[[u32; 3]], view: &View<'_>, only: impl Fn(u32) -> u32) -> Self {
        let mut bounds = Aabb::empty();
        let mut edges = Vec::with_capacity(3 * run.len());
        for &triangle in run {
            let corners = triangle.map(&only);
            edges.extend(BoundaryEdge::of_triangle(corners));
            for vertex in corners {
                bounds.grow(&view.vertices[vertex as usize].map(f64::from));
            }
        }
        Self { bounds, boundary: boundary(edges) }
    }

    /// Joins the cones of several runs.
    fn joined(cones: &[Self]) -> Self {
        let bounds = cones.iter().fold(Aabb::empty(), |bounds, cone| bounds.union(&cone.bounds));
        Self { bounds, boundary: boundary(cones.iter().flat_map(|cone| cone.boundary.iter().copied()).collect()) }
    }

    /// Half the solid angle of the cone's triangles, which join a vertex of the boundary to its edges: together with
    /// the run's triangles they are closed, and they lie in its box.
    fn half_solid_angle(&self, view: &View<'_>, point: &Point3<f64>) -> f64 {
        let at = |vertex: u32| view.vertices[vertex as usize].map(f64::from);
        let Some(apex) = self.boundary.first().map(|edge| at(edge.ends[0])) else { return 0.0 };
        let of_edge = |edge: &BoundaryEdge| {
            let [from, to] = edge.ends.map(at);
            f64::from(edge.excess) * half_solid_angle(&Triangle::new(apex, from, to), point)
        };
        self.boundary.iter().map(of_edge).sum()
    }
}

/// Half the signed solid angle of a triangle: positive from behind (van Oosterom and Strackee, "The Solid Angle of a
/// Plane Triangle", 1983).
fn half_solid_angle(triangle: &Triangle, point: &Point3<f64>) -> f64 {
    let [a, b, c] = triangle.vertices.map(|vertex| vertex - point);
    let lengths = [a.norm(), b.norm(), c.norm()];
    let sine = a.dot(&b.cross(&c));
    let cosine =
        lengths.iter().product::<f64>() + a.dot(&b) * lengths[2] + b.dot(&c) * lengths[0] + c.dot(&a) * lengths[1];
    libm::atan2(sine, cosine)
}
