//! Contact manifolds: the points at which a solver holds two bodies apart.
//!
//! Contacts are those of polyhedra (Baraff, "Fast contact force computation for nonpenetrating rigid bodies", 1994): a
//! vertex against a face, or two edges that cross; and, across a gap, the vertices or edges that are closest. Each has
//! a direction, and is used only if both surfaces end there in that direction, which the other triangles at the vertex
//! or edge decide. Edges inside a flat or hollow part of a surface give no contacts.

mod candidates;
mod convex;
mod feature_contacts;
mod near_features;
mod near_point;
mod surface;
mod surroundings;

use std::ops::ControlFlow;

use nalgebra::{Point3, Vector3};

use super::Query;
use crate::mesh::DisjointSets;
use crate::pose::Pose;
use crate::traversal::{FacePair, PosedTrees};
use crate::tree::BvTree;
use crate::triangle::ClosestPoints;
use candidates::{Candidates, Found, NearPair, Side, mesh_names};
use surroundings::Surroundings;

pub(crate) use candidates::{ChoosePoints, FindNeighbors, spread};
pub(crate) use surroundings::Neighbors;

/// A contact manifold: points of one contact region with about the same normal.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ContactManifold {
    /// The unit normal from A to B, in A's frame: the mean of the points' directions, which differ by at most 10
    /// degrees from the deepest point's direction.
    pub normal: Vector3<f64>,
    /// One to four points, the deepest first. The outermost of the deepest points is among them; depths that differ by
    /// at most a ten-thousandth of the margin count as equal in this choice.
    pub points: Vec<ManifoldPoint>,
}

/// A point of a [`ContactManifold`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct ManifoldPoint {
    /// The point on A's surface, in A's frame.
    pub on_a: Point3<f64>,
    /// The point on B's surface, in A's frame.
    pub on_b: Point3<f64>,
    /// The depth of B's point below A's surface, in A's unit; negative across a gap.
    pub depth: f64,
    /// The triangles that contain the points; any of them where there are several. [`NO_FACE`](crate::shape::NO_FACE)
    /// for a convex shape.
    pub faces: FacePair,
    /// Identifies the vertices, edges or faces that touch, by their coordinates in a mesh or their numbers in a convex
    /// shape. It stays the same from one time step to the next while the same features touch, so that a solver can
    /// carry impulses over.
    pub id: u64,
}

impl ContactManifold {
    /// Swaps A and B.
    pub(crate) fn swap(&mut self) {
        self.normal = -self.normal;
        for point in &mut self.points {
            let FacePair { face_a, face_b } = point.faces;
            point.faces = FacePair { face_a: face_b, face_b: face_a };
            std::mem::swap(&mut point.on_a, &mut point.on_b);
        }
    }
}

impl Query {
    /// The contact manifolds of two meshes, as solvers for rigid bodies need them: up to four points with a common
    /// normal for each region and direction of contact. Sorted by depth, the deepest first.
    ///
    /// Contacts are found up to a depth of `margin` and across a gap of up to `margin`, in A's unit; none if `margin`
    /// is negative or NaN. Choose a margin that is larger than the distance by which bodies sink in or approach each
    /// other in a time step, and smaller than their thickness. Triangles face outward by the right-hand rule. Triangles
    /// without area have no direction and give no contact of a face.
    #[doc(alias = "contact manifold")]
    #[doc(alias = "manifold")]
    pub fn contact_manifolds(&mut self, a: &BvTree, b: &BvTree, b_to_a: &Pose, margin: f64) -> Vec<ContactManifold> {
        self.contact_manifolds_among([a, b], b_to_a, margin, [false; 2], &mut |_, _| (Neighbors::new(), 0.0), spread)
    }

    /// [`Query::contact_manifolds`] of meshes whose surfaces other meshes may continue: A's and B's, if `may_continue`
    /// is true for them. `neighbors` returns the triangles of such other meshes that pass through a point of the
    /// boundary of A or B, in A's frame, and their tolerance. `choose` returns the points of a manifold that are kept:
    /// [`spread`], except in tests.
    pub(crate) fn contact_manifolds_among(
        &mut self,
        [a, b]: [&BvTree; 2],
        b_to_a: &Pose,
        margin: f64,
        may_continue: [bool; 2],
        neighbors: FindNeighbors<'_>,
        choose: ChoosePoints,
    ) -> Vec<ContactManifold> {
        let trees = PosedTrees::new([a, b], b_to_a);
        let mut near: Vec<([usize; 2], ClosestPoints)> = Vec::new();
        self.stats = self.for_each_leaf_pair_within(&trees, margin, &mut |leaves, closest| {
            near.push((leaves, *closest));
            ControlFlow::Continue(())
        });
        near.sort_unstable_by_key(|([a, b], _)| trees.faces(*a, *b));
        let leaves: Vec<[usize; 2]> = near.iter().map(|(leaves, _)| *leaves).collect();
        let own = [0, 1].map(|side| {
            let mut own: Vec<usize> = leaves.iter().map(|leaves| leaves[side]).collect();
            own.sort_unstable();
            own.dedup();
            own
        });
        let around = [0, 1].map(|side| {
            let own = own[side].iter();
            let normals = own.clone().map(|leaf| trees.unit_normal(side, *leaf)).collect();
            Surroundings::with_normals(own.map(|leaf| trees.triangle(side, *leaf)), normals)
        });
        let near = near.iter().zip(regions(&leaves)).map(|(([a, b], closest), region)| {
            let leaves = [*a, *b];
            let numbers = [0, 1].map(|side| own[side].partition_point(|leaf| *leaf < leaves[side]));
            NearPair {
                triangles: trees.pair(*a, *b),
                names: [0, 1].map(|side| mesh_names(trees.views[side].triangle(leaves[side]))),
                numbers,
                corners: [0, 1].map(|side| around[side].corners(numbers[side])),
                normals: [0, 1].map(|side| around[side].normal(numbers[side])),
                faces: trees.faces(*a, *b),
                closest: *closest,
                region,
            }
        });
        let near: Vec<NearPair> = near.collect();
        let (sides, found) = (around.map(Side::Mesh), Found::default());
        let mut candidates = Candidates { sides, radii: [0.0; 2], may_continue, neighbors, margin, found };
        near.iter().for_each(|pair| candidates.add(pair));
        candidates.into_manifolds(choose)
    }
}

/// The region of each pair of triangles: pairs that share a triangle are in the same region.
fn regions(pairs: &[[usize; 2]]) -> Vec<u32> {
    let mut sets = DisjointSets::sharing(pairs.iter().map(|[a, b]| [(0, *a), (1, *b)]));
    (0..pairs.len() as u32).map(|i| sets.find(i)).collect()
}
