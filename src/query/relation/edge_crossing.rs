//! Surfaces that cross along an edge, where no interiors of triangles cross.

use std::collections::HashMap;

use nalgebra::Point3;

use super::cells::{TrianglePlane, side_of_plane};
use crate::traversal::{Interrupt, PosedTrees};
use crate::triangle::{Edge, EdgeKey, Triangle, edge_key, orient2d, orient3d};

/// Whether the surfaces cross along an edge: the triangles at an edge that lies inside a face of the other mesh are on
/// both sides of the face; or the edge lies along an edge of the other where two triangles meet, and its triangles are
/// on both sides of those two. `touching` has all touching pairs of triangles, by leaf indices. Exact unless
/// interrupted.
pub(super) fn cross_at_edges(trees: &PosedTrees<'_>, touching: &[[usize; 2]], interrupt: &mut Interrupt) -> bool {
    let mut across_faces: HashMap<(usize, EdgeKey, usize), [bool; 2]> = HashMap::new();
    let mut along_edges: HashMap<[EdgeKey; 2], [Fan; 2]> = HashMap::new();
    for &[leaf_a, leaf_b] in touching {
        if interrupt.step().is_break() {
            return false;
        }
        let triangles = trees.pair(leaf_a, leaf_b);
        for (side, face) in [(0, leaf_b), (1, leaf_a)] {
            let [of, other] = [&triangles[side], &triangles[1 - side]];
            for (edge, apex) in edges_in_plane(of, other) {
                let height = side_of_plane(other, apex);
                if height != 0.0 && TrianglePlane::new(other).is_some_and(|plane| plane.is_entered_by(&edge)) {
                    let sides = across_faces.entry((side, edge_key(&edge), face)).or_default();
                    sides[usize::from(height > 0.0)] = true;
                    if *sides == [true; 2] {
                        return true;
                    }
                }
            }
        }
        let [edges_a, edges_b] = triangles.each_ref().map(edges_and_apexes);
        for (edge_a, apex_a) in &edges_a {
            for (edge_b, apex_b) in edges_b.iter().filter(|(edge_b, _)| overlap(edge_a, edge_b)) {
                let [fan_a, fan_b] = along_edges
                    .entry([edge_key(edge_a), edge_key(edge_b)])
                    .or_insert_with(|| [Fan::new(edge_a), Fan::new(edge_a)]);
                fan_a.add(**apex_a);
                fan_b.add(**apex_b);
            }
        }
    }
    along_edges.values().any(|[fan_a, fan_b]| fan_a.is_divided_by(fan_b) || fan_b.is_divided_by(fan_a))
}

fn edges_and_apexes(triangle: &Triangle) -> [(Edge, &Point3<f64>); 3] {
    let [a, b, c] = &triangle.vertices;
    [([*a, *b], c), ([*b, *c], a), ([*c, *a], b)]
}

fn edges_in_plane<'a>(triangle: &'a Triangle, plane: &Triangle) -> impl Iterator<Item = (Edge, &'a Point3<f64>)> {
    let heights = triangle.vertices.map(|vertex| side_of_plane(plane, &vertex));
    let edges = edges_and_apexes(triangle).into_iter().enumerate();
    edges.filter(move |(i, _)| heights[*i] == 0.0 && heights[(i + 1) % 3] == 0.0).map(|(_, edge)| edge)
}

/// Whether two edges share a segment of positive length.
fn overlap([p, q]: &Edge, [r, s]: &Edge) -> bool {
    let on_line = |point: &Point3<f64>| (0..3).all(|axis| orient2d(axis, p, q, point) == 0.0);
    let ranges = |k: usize| (p[k].min(q[k]).max(r[k].min(s[k])), p[k].max(q[k]).min(r[k].max(s[k])));
    let is_in_range = (0..3).all(|k| ranges(k).0 <= ranges(k).1) && (0..3).any(|k| ranges(k).0 < ranges(k).1);
    is_in_range && p != q && r != s && (edge_key(&[*p, *q]) == edge_key(&[*r, *s]) || on_line(r) && on_line(s))
}

/// The half-planes of the triangles at an edge, each given by one of its points.
struct Fan {
    edge: Edge,
    apexes: Vec<Point3<f64>>,
}

impl Fan {
    fn new(edge: &Edge) -> Self {
        Self { edge: *edge, apexes: Vec::new() }
    }

    fn add(&mut self, apex: Point3<f64>) {
        let [p, q] = &self.edge;
        let is_off_line = (0..3).any(|axis| orient2d(axis, p, q, &apex) != 0.0);
        if is_off_line && !self.apexes.iter().any(|other| self.is_same(other, &apex)) {
            self.apexes.push(apex);
        }
    }

    fn turn(&self, from: &Point3<f64>, to: &Point3<f64>) -> f64 {
        let [p, q] = &self.edge;
        orient3d(p, q, from, to)
    }

    /// Whether two points are in the same half-plane.
    fn is_same(&self, a: &Point3<f64>, b: &Point3<f64>) -> bool {
        let [p, q] = &self.edge;
        let is_opposite = |axis| {
            let sides = [a, b].map(|point| orient2d(axis, p, q, point));
            sides[0] < 0.0 && sides[1] > 0.0 || sides[0] > 0.0 && sides[1] < 0.0
        };
        self.turn(a, b) == 0.0 && !(0..3).any(is_opposite)
    }

    /// Whether the other fan consists of two half-planes and this one has half-planes on both sides of them.
    fn is_divided_by(&self, other: &Fan) -> bool {
        let [from, to] = &other.apexes[..] else { return false };
        let turn = self.turn(from, to);
        let side = |apex: &Point3<f64>| {
            if self.is_same(apex, from) || self.is_same(apex, to) {
                return None;
            }
            let (first, second) = (self.turn(from, apex) > 0.0, self.turn(apex, to) > 0.0);
            // Whether the half-plane is between the two, in the direction from the first to the second.
            Some(if turn > 0.0 {
                first && second
            } else if turn < 0.0 {
                first || second
            } else {
                first
            })
        };
        let sides: Vec<bool> = self.apexes.iter().filter_map(side).collect();
        sides.contains(&true) && sides.contains(&false)
    }
}
