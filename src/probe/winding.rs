//! The generalised winding number (Jacobson, Kavan and Sorkine-Hornung, "Robust Inside-Outside Segmentation using
//! Generalized Winding Numbers", 2013), hierarchically as there: from outside a patch's box a cone over its border winds as
//! the patch does, and has far fewer triangles.

use std::f64::consts::PI;

use nalgebra::Point3;

use crate::mesh::distinct_points;
use crate::shape::Aabb;
use crate::tree::{BvTree, LAST_OF_LEAF, View};
use crate::triangle::Triangle;

/// How often the mesh winds around a point: the sum of the triangles' signed solid angles over the full one.
///
/// For a closed mesh with normals outward it is 1 inside and 0 outside, up to rounding in the order of `1e-16 n` for n
/// triangles; a mesh with holes or flaws gives fractions, and above one half is a sound notion of inside. Triangles that
/// overlap count each.
/// On the surface it is anything between the values of the two sides, and at a vertex or on an edge any sum of parts
/// of it.
///
/// The first time a tree is asked takes O(n log n), and keeps some 50 bytes per triangle; then it takes in the order of
/// the root of n as a rule.
pub fn winding_number(tree: &BvTree, point: &Point3<f64>) -> f64 {
    let (view, patches) = (tree.view(), tree.patches());
    let Some(top) = patches.levels.len().checked_sub(1) else { return 0.0 };
    patches.half_solid_angle(&view, top, 0, point) / (2.0 * PI)
}

/// Runs of triangles in leaf order, which are near each other, as a binary tree: the lowest level has runs of [`RUN`].
#[derive(Debug)]
pub(crate) struct Patches {
    levels: Vec<Vec<Patch>>,
}

/// Triangles of a run on the lowest level.
const RUN: usize = 16;

#[derive(Debug)]
struct Patch {
    bounds: Aabb,
    border: Vec<BorderEdge>,
}

/// An edge that triangles of a patch run along more often one way than the other.
#[derive(Clone, Copy, Debug)]
struct BorderEdge {
    /// Vertices, the lesser one first.
    ends: [u32; 2],
    /// How much more often they run from the first to the second than back.
    excess: i32,
}

impl Patches {
    pub(crate) fn of(tree: &BvTree) -> Self {
        let view = tree.view();
        let (points, count) = distinct_points(view.vertices);
        let mut first = vec![u32::MAX; count];
        for (vertex, &point) in (0..).zip(&points) {
            let first = &mut first[point as usize];
            *first = (*first).min(vertex);
        }
        // One vertex of those at equal coordinates.
        let only = |vertex: u32| first[points[vertex as usize] as usize];
        let mut levels = Vec::new();
        let mut level: Vec<Patch> = view.corners.chunks(RUN).map(|run| Patch::of(run, &view, only)).collect();
        while level.len() > 1 {
            let above = level.chunks(2).map(Patch::around).collect();
            levels.push(std::mem::replace(&mut level, above));
        }
        if !level.is_empty() {
            levels.push(level);
        }
        Self { levels }
    }

    fn half_solid_angle(&self, view: &View<'_>, level: usize, number: usize, point: &Point3<f64>) -> f64 {
        let Some(patch) = self.levels[level].get(number) else { return 0.0 };
        let triangles = (number * RUN) << level..view.corners.len().min(((number + 1) * RUN) << level);
        if patch.border.len() < triangles.len() && !patch.bounds.contains(point) {
            return patch.of_cone(view, point);
        }
        if level > 0 {
            return [0, 1].map(|half| self.half_solid_angle(view, level - 1, 2 * number + half, point)).iter().sum();
        }
        let corners = triangles.map(|place| view.triangle(place).map(|vertex| vertex.map(f64::from)));
        corners.map(|vertices| half_solid_angle(&Triangle { vertices }, point)).sum()
    }
}

impl Patch {
    fn of(run: &[[u32; 3]], view: &View<'_>, only: impl Fn(u32) -> u32) -> Self {
        let mut bounds = Aabb::empty();
        let mut edges = Vec::with_capacity(3 * run.len());
        for &[a, b, c] in run {
            let corners = [a & !LAST_OF_LEAF, b, c].map(&only);
            for (i, &from) in corners.iter().enumerate() {
                let to = corners[(i + 1) % 3];
                bounds.grow(&view.vertices[from as usize].map(f64::from));
                if from != to {
                    edges.push(BorderEdge {
                        ends: [from.min(to), from.max(to)],
                        excess: if from < to { 1 } else { -1 },
                    });
                }
            }
        }
        Self { bounds, border: summed(edges) }
    }

    /// Around all triangles of some patches.
    fn around(patches: &[Self]) -> Self {
        let bounds = patches.iter().fold(Aabb::empty(), |bounds, patch| bounds.union(&patch.bounds));
        Self { bounds, border: summed(patches.iter().flat_map(|patch| patch.border.iter().copied()).collect()) }
    }

    /// Of the triangles between a vertex of the border and its edges: together with the patch they are closed, and in its box.
    fn of_cone(&self, view: &View<'_>, point: &Point3<f64>) -> f64 {
        let at = |vertex: u32| view.vertices[vertex as usize].map(f64::from);
        let Some(apex) = self.border.first().map(|edge| at(edge.ends[0])) else { return 0.0 };
        let of_edge = |edge: &BorderEdge| {
            let [from, to] = edge.ends.map(at);
            f64::from(edge.excess) * half_solid_angle(&Triangle::new(apex, from, to), point)
        };
        self.border.iter().map(of_edge).sum()
    }
}

/// Each edge once, and none that is run along as often both ways.
fn summed(mut edges: Vec<BorderEdge>) -> Vec<BorderEdge> {
    edges.sort_unstable_by_key(|edge| edge.ends);
    let once = edges.chunk_by(|a, b| a.ends == b.ends).filter_map(|same| {
        let excess = same.iter().map(|edge| edge.excess).sum();
        (excess != 0).then_some(BorderEdge { excess, ..same[0] })
    });
    once.collect()
}

/// Half the signed solid angle of a triangle: positive from behind (van Oosterom and Strackee, "The Solid Angle of a
/// Plane Triangle", 1983).
fn half_solid_angle(triangle: &Triangle, point: &Point3<f64>) -> f64 {
    let [a, b, c] = triangle.vertices.map(|vertex| vertex - point);
    let lengths = [a.norm(), b.norm(), c.norm()];
    let sine = a.dot(&b.cross(&c));
    let cosine =
        lengths.iter().product::<f64>() + a.dot(&b) * lengths[2] + b.dot(&c) * lengths[0] + c.dot(&a) * lengths[1];
    sine.atan2(cosine)
}
