//! Contact geometry: the intersection of each pair of triangles, contact polylines, and contact patches (manifolds).

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use nalgebra::{Point3, Vector3};

use super::Query;
use crate::mesh::DisjointSets;
use crate::pose::Pose;
use crate::traversal::{FacePair, PosedTrees, TraversalPolicy};
use crate::tree::BvTree;
use crate::triangle::{CommonPoints, PointKey, Triangle, edge_key, point_key};

/// Where two triangles intersect, in A's frame.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contact {
    /// The triangles.
    pub faces: FacePair,
    /// One point, the ends of a segment, or, of triangles in one plane, the corners of the convex polygon that they
    /// share.
    pub points: CommonPoints,
    /// Unit normals of A's and of B's triangle by the right-hand rule; zero for a triangle without area.
    pub normals: [Vector3<f64>; 2],
}

impl Query {
    /// Where each pair of intersecting triangles intersects, sorted by faces. Which pairs do is exact; points are
    /// rounded.
    pub fn contacts(&mut self, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> Vec<Contact> {
        let found = self.contacts_with_triangles([a, b], b_to_a);
        found.into_iter().map(|(contact, _)| contact).collect()
    }

    pub(super) fn contacts_with_triangles(
        &mut self,
        trees: [&BvTree; 2],
        b_to_a: &Pose,
    ) -> Vec<(Contact, [Triangle; 2])> {
        let trees = PosedTrees::new(trees, b_to_a);
        let mut found = Vec::new();
        self.stats = self.for_each_leaf_pair(&trees, TraversalPolicy::ALL, &mut |a, b| {
            let triangles = trees.pair(a, b);
            let points = triangles[0].intersection(&triangles[1]);
            let contact = Contact { faces: trees.faces(a, b), points, normals: triangles.map(unit_normal) };
            found.push((contact, triangles));
            ControlFlow::Continue(())
        });
        found.sort_unstable_by_key(|(contact, _)| contact.faces);
        found
    }
}

fn unit_normal(triangle: Triangle) -> Vector3<f64> {
    triangle.scaled_normal().try_normalize(0.0).unwrap_or_default()
}

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

/// A patch of contact: contacts that are connected, each with the next by a triangle or a corner that both have; what
/// physics engines call a contact manifold, reduced to one point, normal and depth.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactPatch {
    /// Mean of the contacts' middles, weighted by their lengths.
    pub point: Point3<f64>,
    /// Unit direction from A to B: mean of A's normals less B's, weighted likewise. Zero where these cancel.
    pub normal: Vector3<f64>,
    /// How far B would have to move along the normal, found as `depth_source` says; 0 for mere touching.
    pub depth: f64,
    /// What the depth is.
    pub depth_source: DepthSource,
    /// Indices of its contacts.
    pub contacts: Vec<usize>,
}

/// What the depth of a [`ContactPatch`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum DepthSource {
    /// No two triangles' interiors cross: nothing has gone in.
    Touching,
    /// How far corners of the patch's triangles reach along the normal past the point: A's above and B's below it,
    /// added up. An estimate, which may be too small or too large.
    VertexExtent,
}

impl Query {
    /// Contacts that share a triangle or a corner, as one point each with a normal and a depth; `contacts` in it are
    /// indices into what [`Query::contacts`] gives.
    #[doc(alias = "contact manifold")]
    pub fn contact_patches(&mut self, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> Vec<ContactPatch> {
        let (contacts, triangles): (Vec<Contact>, Vec<[Triangle; 2]>) =
            self.contacts_with_triangles([a, b], b_to_a).into_iter().unzip();
        clusters(&contacts).into_iter().map(|cluster| patch(&contacts, &triangles, cluster)).collect()
    }
}

/// Sets of contacts that share a triangle or a corner, in order of their first contact.
fn clusters(contacts: &[Contact]) -> Vec<Vec<usize>> {
    let mut sets = DisjointSets::new(contacts.len());
    let mut first_with: HashMap<PointKey, u32> = HashMap::new();
    for (i, contact) in (0..).zip(contacts) {
        let FacePair { face_a, face_b } = contact.faces;
        let faces = [[0, u64::from(face_a), u64::MAX], [1, u64::from(face_b), u64::MAX]];
        for shared in faces.into_iter().chain(contact.points.iter().map(point_key)) {
            let other = *first_with.entry(shared).or_insert(i);
            sets.join(i, other);
        }
    }
    let mut clusters: Vec<Vec<usize>> = vec![Vec::new(); contacts.len()];
    for i in 0..contacts.len() as u32 {
        clusters[sets.find(i) as usize].push(i as usize);
    }
    clusters.retain(|cluster| !cluster.is_empty());
    clusters
}

fn patch(contacts: &[Contact], triangles: &[[Triangle; 2]], cluster: Vec<usize>) -> ContactPatch {
    let length = |contact: &Contact| {
        let points = &contact.points;
        points.iter().zip(points.iter().cycle().skip(1)).map(|(p, q)| (q - p).norm()).sum::<f64>()
    };
    let lengths = cluster.iter().map(|&i| length(&contacts[i]));
    // Single points count where there is nothing else.
    let equal = lengths.clone().sum::<f64>() == 0.0;
    let (mut total, mut sum, mut direction) = (0.0, Vector3::zeros(), Vector3::zeros());
    for (&i, length) in cluster.iter().zip(lengths) {
        let (contact, weight) = (&contacts[i], if equal { 1.0 } else { length });
        let middle = contact.points.iter().map(|p| p.coords).sum::<Vector3<f64>>() / contact.points.len() as f64;
        total += weight;
        sum += middle * weight;
        direction += (contact.normals[0] - contact.normals[1]) * weight;
    }
    let point = Point3::from(sum / total);
    let normal = direction.try_normalize(1e-9 * total).unwrap_or_default();
    let crosses = cluster.iter().any(|&i| triangles[i][0].crosses(&triangles[i][1]));
    let depth_source = if crosses { DepthSource::VertexExtent } else { DepthSource::Touching };
    let mut depth = 0.0;
    if crosses {
        let height = |p: &Point3<f64>| (p - point).dot(&normal);
        let corners = |side: usize| cluster.iter().flat_map(move |&i| triangles[i][side].vertices);
        let above = corners(0).map(|p| height(&p)).fold(0.0, f64::max);
        let below = corners(1).map(|p| -height(&p)).fold(0.0, f64::max);
        depth = above + below;
    }
    ContactPatch { point, normal, depth, depth_source, contacts: cluster }
}
