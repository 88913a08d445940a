//! Where each pair of intersecting triangles intersects.

use std::ops::ControlFlow;

use nalgebra::Vector3;

use crate::pose::Pose;
use crate::query::descent::DescentPolicy;
use crate::query::face_pair::FacePair;
use crate::query::posed_trees::PosedTrees;
use crate::query::state::Query;
use crate::tree::BvTree;
use crate::triangle::{CommonPoints, Triangle};

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
        self.stats = self.for_each_leaf_pair(&trees, DescentPolicy::ALL, &mut |a, b| {
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
