//! Surfaces that cross along an edge, where no interiors of triangles cross.

use std::collections::HashMap;

use nalgebra::Point3;

use crate::traversal::{Interrupt, PosedTrees};
use crate::triangle::{Edge, EdgeKey, Triangle, edge_key, orient2d, orient3d};

/// Whether one surface passes through the other along an edge: triangles at an edge that runs inside a face of the
/// other lie on both sides of it; or the edge runs along an edge of the other where two triangles meet, and its
/// triangles lie on both sides of these. `touching` has all pairs of triangles that touch, by leaf indices. Exact,
/// unless interrupted.
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
                let height = height(other, apex);
                if height != 0.0 && runs_inside(&edge, other) {
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

/// On which side of a triangle's plane a point is; 0 on it, and for a triangle without area.
fn height(plane: &Triangle, point: &Point3<f64>) -> f64 {
    let [a, b, c] = &plane.vertices;
    // The slowest for the predicate to find out.
    if plane.vertices.contains(point) { 0.0 } else { orient3d(a, b, c, point) }
}

fn edges_in_plane<'a>(triangle: &'a Triangle, plane: &Triangle) -> impl Iterator<Item = (Edge, &'a Point3<f64>)> {
    let heights = triangle.vertices.map(|vertex| height(plane, &vertex));
    let edges = edges_and_apexes(triangle).into_iter().enumerate();
    edges.filter(move |(i, _)| heights[*i] == 0.0 && heights[(i + 1) % 3] == 0.0).map(|(_, edge)| edge)
}

/// Whether an edge in a triangle's plane passes through the interior: no line along it or along a side separates the
/// two.
fn runs_inside([p, q]: &Edge, triangle: &Triangle) -> bool {
    let [a, b, c] = &triangle.vertices;
    let Some(axis) = (0..3).find(|&axis| orient2d(axis, a, b, c) != 0.0) else { return false };
    let turn = orient2d(axis, a, b, c).signum();
    let left_of = |from: &Point3<f64>, to: &Point3<f64>, point: &Point3<f64>| orient2d(axis, from, to, point) * turn;
    let sides = [a, b, c].map(|vertex| left_of(p, q, vertex));
    sides.iter().any(|&side| side > 0.0)
        && sides.iter().any(|&side| side < 0.0)
        && [(a, b), (b, c), (c, a)].iter().all(|(from, to)| left_of(from, to, p) > 0.0 || left_of(from, to, q) > 0.0)
}

/// Whether two edges have a segment of some length in common.
fn overlap([p, q]: &Edge, [r, s]: &Edge) -> bool {
    let on_line = |point: &Point3<f64>| (0..3).all(|axis| orient2d(axis, p, q, point) == 0.0);
    let ranges = |k: usize| (p[k].min(q[k]).max(r[k].min(s[k])), p[k].max(q[k]).min(r[k].max(s[k])));
    let is_in_range = (0..3).all(|k| ranges(k).0 <= ranges(k).1) && (0..3).any(|k| ranges(k).0 < ranges(k).1);
    is_in_range && p != q && r != s && (edge_key(&[*p, *q]) == edge_key(&[*r, *s]) || on_line(r) && on_line(s))
}

/// The half-planes in which triangles go off from an edge, each by a point of it.
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

    /// Whether two points are in one half-plane.
    fn is_same(&self, a: &Point3<f64>, b: &Point3<f64>) -> bool {
        let [p, q] = &self.edge;
        let is_opposite = |axis| {
            let sides = [a, b].map(|point| orient2d(axis, p, q, point));
            sides[0] < 0.0 && sides[1] > 0.0 || sides[0] > 0.0 && sides[1] < 0.0
        };
        self.turn(a, b) == 0.0 && !(0..3).any(is_opposite)
    }

    /// Whether two half-planes, which are all of the other fan, have some of this one on both sides.
    fn is_divided_by(&self, other: &Fan) -> bool {
        let [from, to] = &other.apexes[..] else { return false };
        let turn = self.turn(from, to);
        let side = |apex: &Point3<f64>| {
            if self.is_same(apex, from) || self.is_same(apex, to) {
                return None;
            }
            let (first, second) = (self.turn(from, apex) > 0.0, self.turn(apex, to) > 0.0);
            // Between the two, turning from the first to the second, by less than half a turn or by more.
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
