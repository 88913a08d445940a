//! Volumes to compare the stored kinds with: convex hulls, k-DOPs, boxes along shared axes and swept spheres.

use nalgebra::{Point3, Vector3};

use super::hierarchy::Hierarchy;
use super::measured::{Measured, Own};
use super::polytope::ConvexPolytope;
use super::rectangle_swept_sphere::RectangleSweptSphere;
use super::volume_query_cost::pose_costs;
use super::{MeshFacts, MetricsOptions, PoseCost, VolumeMetrics};
use crate::enum_names::parsed_names;
use crate::pose::Pose;
use crate::shape::KDop;
use crate::shape::convex_hull::distinct;
use crate::tree::BvTree;
use crate::volume::fit;

/// A kind of volume that is measured at the nodes of a tree, for comparison with the volumes that the tree stores. Of
/// these kinds, trees can store only the 18-DOP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReferenceVolume {
    /// The convex hull of a node's triangles. No convex volume is tighter.
    Hull,
    /// The 14-DOP: slabs along the axes and the four diagonals of a cube (Klosowski et al. 1998).
    KDop14,
    /// The 18-DOP: slabs along the axes and the six diagonals of a cube's faces, as [`VolumeKind::KDop`] has them.
    ///
    /// [`VolumeKind::KDop`]: crate::VolumeKind::KDop
    KDop18,
    /// The 26-DOP: slabs along the axes, the four diagonals of a cube and the six diagonals of its faces.
    KDop26,
    /// Boxes along axes that all nodes share: those of the covariance of the mesh's vertices. Since the axes would be
    /// stored once for the tree, a node would need no more numbers than for an AABB.
    SharedAxes,
    /// The rectangle swept sphere of PQP: the points within a radius of a rectangle (Larsen, Gottschalk, Lin and
    /// Manocha, "Fast Proximity Queries with Swept Sphere Volumes", 1999). The rectangle is parallel to two axes of a
    /// box around the triangles, a tight one or that of their corners' covariance. There are no Hausdorff errors and no
    /// sibling overlap, since the volume is round.
    RectangleSweptSphere,
}

parsed_names!(
    ReferenceVolume,
    "volume to measure",
    Hull = "hull",
    KDop14 = "kdop14",
    KDop18 = "kdop18",
    KDop26 = "kdop26",
    SharedAxes = "shared-axes",
    RectangleSweptSphere = "rss",
);

/// The diagonals of a cube.
const CUBE_DIAGONALS: [[f64; 3]; 4] = [[1.0, 1.0, 1.0], [1.0, 1.0, -1.0], [1.0, -1.0, 1.0], [-1.0, 1.0, 1.0]];

impl ReferenceVolume {
    /// Measures volumes of this kind at the nodes of a tree, each fitted to the triangles below its node.
    pub fn measure(self, tree: &BvTree, facts: &MeshFacts, options: &MetricsOptions) -> VolumeMetrics {
        match self {
            Self::RectangleSweptSphere => VolumeMetrics::fitted(tree, facts, options, RectangleSweptSphere::fit),
            _ => VolumeMetrics::with_options(tree, facts, options, self.polytopes(tree)),
        }
    }

    /// Counts the work of queries with volumes of this kind at the nodes of two trees, as
    /// [`volume_query_cost`](super::volume_query_cost) does.
    pub fn query_cost(self, a: &BvTree, b: &BvTree, poses: &[Pose]) -> Vec<PoseCost> {
        match self {
            Self::RectangleSweptSphere => cost([a, b], poses, |_| RectangleSweptSphere::fit),
            _ => cost([a, b], poses, |tree| {
                let polytope = self.polytopes(tree);
                move |points: &[Point3<f64>]| Own::new(polytope(points))
            }),
        }
    }

    /// Fits a polytope to the triangles below a node of a tree.
    fn polytopes(self, tree: &BvTree) -> impl Fn(&[Point3<f64>]) -> ConvexPolytope + use<> {
        let directions = self.directions(tree);
        move |points| match directions.as_slice() {
            [] => ConvexPolytope::hull(points),
            directions => ConvexPolytope::between_slabs(directions, points),
        }
    }

    /// The directions of the slabs; empty for volumes without slabs.
    fn directions(self, tree: &BvTree) -> Vec<Vector3<f64>> {
        let of = |directions: &[[f64; 3]]| directions.iter().map(|&direction| Vector3::from(direction)).collect();
        let (axes, face_diagonals) = KDop::DIRECTIONS.split_at(3);
        match self {
            Self::Hull | Self::RectangleSweptSphere => Vec::new(),
            Self::KDop14 => of(&[axes, &CUBE_DIAGONALS].concat()),
            Self::KDop18 => of(&KDop::DIRECTIONS),
            Self::KDop26 => of(&[axes, &CUBE_DIAGONALS, face_diagonals].concat()),
            Self::SharedAxes => {
                let corners = (0..tree.triangle_count()).flat_map(|leaf_index| tree.view().triangle(leaf_index));
                // In one order, so that the axes are those of the mesh and not of the tree.
                let points = distinct(corners.map(|vertex| vertex.cast()).collect());
                let axes = fit::obb_by_vertex_covariance(&points).axes;
                axes.column_iter().map(Into::into).collect()
            }
        }
    }
}

/// The cost at each pose with the volumes that `fit` returns for each tree, all of which have shapes.
fn cost<V: Measured, F: FnMut(&[Point3<f64>]) -> V>(
    trees: [&BvTree; 2],
    poses: &[Pose],
    fit: impl Fn(&BvTree) -> F,
) -> Vec<PoseCost> {
    pose_costs(trees, &trees.map(|tree| Hierarchy::fitted(tree, fit(tree))), poses).unwrap_or_default()
}
