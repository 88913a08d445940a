//! Which directions a contact normal of a triangle may have, by the triangles at its edges.

use std::ops::ControlFlow;

use bvtree::shape::Obb;
use bvtree::{BvTree, Probe, triangle};
use nalgebra::{Matrix3, Point3, Vector3};
use parry3d::math::Vector;
use parry3d::shape::{Triangle, TrianglePseudoNormals};

use crate::pair::narrow;

/// How contact normals at edges that two triangles share are corrected, so that bodies don't catch on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum InternalEdges {
    /// No correction, as parry3d's `TriMesh` without flags.
    Uncorrected,
    /// Normals are confined to the front of the surface, and contacts from behind are dropped, as with parry3d's
    /// `TriMeshFlags::FIX_INTERNAL_EDGES`. For meshes whose triangles all have their corners counterclockwise as seen
    /// from outside: bodies that got behind a surface are pushed out through its front, but bodies that start behind a
    /// wrongly oriented surface fall through it.
    OneSided,
    /// Normals are confined on either side of the surface, as with parry3d's
    /// `TriMeshFlags::FIX_INTERNAL_EDGES_TWO_SIDED`. Nothing is assumed about the order of corners.
    #[default]
    TwoSided,
}

/// The half width of the box in which the triangles at an edge are sought, relative to the largest coordinate: more
/// than the rounding of its corners.
const EDGE_BOX: f64 = 1e-12;

impl InternalEdges {
    /// The directions that a triangle of the tree allows; `None` for all directions. Equal to those that parry3d's
    /// `TriMesh` computes for the same mesh with merged vertices.
    pub(crate) fn constraints(
        self,
        probe: &mut Probe,
        tree: &BvTree,
        of: &triangle::Triangle,
    ) -> Option<TrianglePseudoNormals> {
        if self == Self::Uncorrected {
            return None;
        }
        let face = narrow_triangle(of).normal()?;
        let mut edges = [Vector::ZERO; 3];
        for (normal, edge) in edges.iter_mut().zip(of.edges()) {
            *normal = edge_normal(probe, tree, edge).try_normalize()?;
        }
        Some(TrianglePseudoNormals { face, edges, two_sided: self == Self::TwoSided })
    }
}

pub(crate) fn narrow_triangle(triangle: &triangle::Triangle) -> Triangle {
    let [a, b, c] = triangle.vertices.map(|vertex| narrow(&vertex));
    Triangle { a, b, c }
}

/// The sum of the unit normals of all triangles that have this edge.
fn edge_normal(probe: &mut Probe, tree: &BvTree, edge: [Point3<f64>; 2]) -> Vector {
    let [from, to] = edge;
    let along = (to - from).normalize();
    let beside = along.cross(&Vector3::ith(along.iamin(), 1.0)).normalize();
    let margin = EDGE_BOX * (from.coords.amax() + to.coords.amax());
    let obb = Obb {
        center: nalgebra::center(&from, &to),
        axes: Matrix3::from_columns(&[along, beside, along.cross(&beside)]),
        half_extents: Vector3::new((to - from).norm() * 0.5, 0.0, 0.0).add_scalar(margin),
    };
    let mut sum = Vector::ZERO;
    probe.for_each_face_in_obb(tree, &obb, |face| {
        if let Some(triangle) = tree.triangle(face)
            && edge.iter().all(|corner| triangle.vertices.contains(corner))
        {
            sum += narrow_triangle(&triangle).normal().unwrap_or(Vector::ZERO);
        }
        ControlFlow::Continue(())
    });
    sum
}
