//! Contact geometry: the intersection of each pair of triangles, contact polylines, and contact patches.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use nalgebra::{Point3, Vector3};

use super::Query;
use crate::mesh::DisjointSets;
use crate::pose::Pose;
use crate::traversal::{FacePair, PosedTrees, TraversalPolicy};
use crate::tree::BvTree;
use crate::triangle::{CommonPoints, PointKey, Triangle, edge_key, point_key};

/// The intersection of two triangles, in A's frame.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Contact {
    /// The two triangles.
    pub faces: FacePair,
    /// The intersection: one point, the ends of a segment, or, for coplanar triangles, the vertices of a convex
    /// polygon.
    pub points: CommonPoints,
    /// The unit normals of A's and B's triangles by the right-hand rule; zero for a triangle without area.
    pub normals: [Vector3<f64>; 2],
}

impl Query {
    /// The intersection of each intersecting pair of triangles, sorted by faces. The set of pairs is exact; points are
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
        let trees = PosedTrees::masked(trees, b_to_a, self.masks);
        let mut found = Vec::new();
        self.stats = self.for_each_leaf_pair(&trees, TraversalPolicy::ALL, &mut |a, b| {
            let triangles = trees.pair(a, b);
            let points = triangles[0].intersection(&triangles[1]);
            let contact = Contact { faces: trees.faces(a, b), points, normals: trees.unit_normals(a, b) };
            found.push((contact, triangles));
            ControlFlow::Continue(())
        });
        found.sort_unstable_by_key(|(contact, _)| contact.faces);
        found
    }
}

/// A polyline of contact segments.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Polyline {
    /// The points in order; the first is not repeated at the end.
    pub points: Vec<Point3<f64>>,
    /// Whether the last point is connected to the first.
    pub is_closed: bool,
}

/// Chains the segments of contacts into polylines, the intersection curves of two surfaces.
///
/// Two segments are chained if they end at equal coordinates and no third segment ends there. Where an edge passes
/// through a triangle, both triangles at the edge give the same end to the last bit; where it passes through an edge or
/// a vertex of the other mesh, chains may break.
#[doc(alias = "intersection curves")]
#[doc(alias = "contact line")]
pub fn intersection_curves(contacts: &[Contact]) -> Vec<Polyline> {
    let mut segments: Vec<[Point3<f64>; 2]> = Vec::new();
    let mut known = HashSet::new();
    for contact in contacts {
        if let [p, q] = contact.points[..] {
            // Both triangles at an edge that lies in a face give the same segment.
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
    // Open lines first, from their ends; the rest are closed.
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

/// A contact patch: a connected set of contacts, reduced to one point, normal and depth. Contacts are connected if they
/// share a triangle or a point.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactPatch {
    /// The mean of the contacts' centres, in A's frame, weighted by the lengths of the contacts' outlines; if all of
    /// these are 0, the contacts have equal weights.
    pub point: Point3<f64>,
    /// The unit direction from A to B: the mean of A's normals minus B's, with the same weights, in A's frame. Zero if
    /// they cancel.
    pub normal: Vector3<f64>,
    /// An estimate of the penetration depth along the normal, in A's units; `depth_source` says how it was computed.
    /// Zero if the surfaces only touch, or `normal` is zero.
    pub depth: f64,
    /// The method by which the depth was computed.
    pub depth_source: DepthSource,
    /// Indices of the contacts in the result of [`Query::contacts`].
    pub contacts: Vec<usize>,
}

/// The method by which the depth of a [`ContactPatch`] was computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum DepthSource {
    /// No interiors of triangles cross, so the depth is 0.
    Touching,
    /// The depth is the greatest height of a vertex of A's triangles in the patch above the patch's point, along the
    /// normal, plus the greatest depth of a vertex of B's below it. This estimate may be too small or too large.
    VertexExtent,
}

impl Query {
    /// The contact patches of two meshes: each connected set of contacts as one point with a normal and a depth.
    ///
    /// Solvers for rigid bodies need [`Query::contact_manifolds`] instead.
    pub fn contact_patches(&mut self, a: &BvTree, b: &BvTree, b_to_a: &Pose) -> Vec<ContactPatch> {
        self.contacts_with_patches(a, b, b_to_a).1
    }

    /// The results of [`contacts`](Self::contacts) and [`contact_patches`](Self::contact_patches) from one traversal.
    pub fn contacts_with_patches(
        &mut self,
        a: &BvTree,
        b: &BvTree,
        b_to_a: &Pose,
    ) -> (Vec<Contact>, Vec<ContactPatch>) {
        let (contacts, triangles): (Vec<Contact>, Vec<[Triangle; 2]>) =
            self.contacts_with_triangles([a, b], b_to_a).into_iter().unzip();
        let patches = clusters(&contacts).into_iter().map(|cluster| patch(&contacts, &triangles, cluster)).collect();
        (contacts, patches)
    }
}

/// The connected sets of contacts, as indices of contacts, in the order of their first contact.
fn clusters(contacts: &[Contact]) -> Vec<Vec<usize>> {
    let mut sets = DisjointSets::sharing(contacts.iter().map(|contact| {
        let FacePair { face_a, face_b } = contact.faces;
        let faces = [[0, u64::from(face_a), u64::MAX], [1, u64::from(face_b), u64::MAX]];
        faces.into_iter().chain(contact.points.iter().map(point_key))
    }));
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
    // Without any length, all contacts weigh the same.
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
