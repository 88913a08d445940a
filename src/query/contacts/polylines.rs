//! Segments of contact, chained.

use std::collections::{HashMap, HashSet};

use nalgebra::Point3;

use super::contact::Contact;
use crate::query::point_key::{PointKey, edge_key, point_key};

/// Segments of contact that follow each other.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Polyline {
    /// Its corners in order; the first is not repeated at the end.
    pub points: Vec<Point3<f64>>,
    /// Whether the last is connected with the first.
    pub is_closed: bool,
}

/// The contacts' segments chained where ends are at equal coordinates and no third one is there. Neighbouring triangles
/// give ends to the bit where an edge passes through a triangle; through an edge or a vertex, chains may break.
pub fn polylines(contacts: &[Contact]) -> Vec<Polyline> {
    let mut segments: Vec<[Point3<f64>; 2]> = Vec::new();
    let mut known = HashSet::new();
    for contact in contacts {
        if let [p, q] = contact.points[..] {
            // Triangles on both sides of an edge that lies in a face give the same segment.
            if known.insert(edge_key(&[p, q])) {
                segments.push([p, q]);
            }
        }
    }
    let mut at: HashMap<PointKey, Vec<usize>> = HashMap::new();
    for (i, segment) in segments.iter().enumerate() {
        segment.iter().for_each(|end| at.entry(point_key(end)).or_default().push(i));
    }
    let neighbor = |i: usize, end: &Point3<f64>| match at.get(&point_key(end)).map(Vec::as_slice) {
        Some(&[x, y]) => Some(if x == i { y } else { x }),
        _ => None,
    };
    let mut used = vec![false; segments.len()];
    let mut lines = Vec::new();
    // Open lines from their ends first; what is left then is closed.
    for only_ends in [true, false] {
        for start in 0..segments.len() {
            let [p, q] = segments[start];
            let open_end = [[p, q], [q, p]].into_iter().find(|[from, _]| neighbor(start, from).is_none());
            let Some([from, mut to]) = open_end.or((!only_ends).then_some([p, q])) else { continue };
            if std::mem::replace(&mut used[start], true) {
                continue;
            }
            let mut points = vec![from, to];
            let mut last = start;
            while let Some(next) = neighbor(last, &to).filter(|&next| !used[next]) {
                used[next] = true;
                let [p, q] = segments[next];
                to = if point_key(&p) == point_key(&to) { q } else { p };
                points.push(to);
                last = next;
            }
            let is_closed = points.len() > 3 && point_key(&from) == point_key(&to);
            if is_closed {
                points.pop();
            }
            lines.push(Polyline { points, is_closed });
        }
    }
    lines
}
