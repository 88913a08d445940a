//! Triangles near a shape, and which directions their contact normals may have, by the triangles at their edges.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use bvtree::shape::Obb;
use bvtree::{BvTree, triangle};
use nalgebra::{Matrix3, Vector3};
use parry3d::bounding_volume::Aabb;
use parry3d::math::Vector;
use parry3d::query::details::NormalConstraints;
use parry3d::shape::{Triangle, TrianglePseudoNormals};

use crate::pair::{narrow, widen, with_probe};

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

/// A triangle near a shape.
#[derive(Clone)]
pub(crate) struct NearTriangle {
    pub(crate) face: u32,
    pub(crate) triangle: Triangle,
    pub(crate) aabb: Aabb,
    /// The contact directions that the triangle allows, computed when a manifold first needs them.
    normals: OnceLock<Option<TrianglePseudoNormals>>,
}

impl NearTriangle {
    pub(crate) fn new(face: u32, triangle: Triangle) -> Self {
        Self { face, triangle, aabb: triangle.local_aabb(), normals: OnceLock::new() }
    }

    /// The contact directions that the triangle allows; `None` for all directions. They equal those that parry3d's
    /// `TriMesh` computes for the same mesh with merged vertices.
    pub(crate) fn normals(&self, edges: InternalEdges, near: &Neighborhood<'_>) -> Option<&dyn NormalConstraints> {
        let new = || {
            let Triangle { a, b, c } = self.triangle;
            let face = self.triangle.normal()?;
            let mut normals = [Vector::ZERO; 3];
            for (normal, edge) in normals.iter_mut().zip([[a, b], [b, c], [c, a]]) {
                *normal = near.edge_normal(edge).try_normalize()?;
            }
            Some(TrianglePseudoNormals { face, edges: normals, two_sided: edges == InternalEdges::TwoSided })
        };
        if edges == InternalEdges::Uncorrected {
            return None;
        }
        self.normals.get_or_init(new).as_ref().map(|normals| normals as &dyn NormalConstraints)
    }
}

/// All triangles that touch a box.
pub(crate) struct Neighborhood<'a> {
    pub(crate) tree: &'a BvTree,
    pub(crate) aabb: &'a Aabb,
    pub(crate) triangles: &'a [NearTriangle],
}

impl Neighborhood<'_> {
    /// The sum of the unit normals of all triangles that have this edge.
    fn edge_normal(&self, edge: [Vector; 2]) -> Vector {
        let mut sum = Vector::ZERO;
        let mut add = |triangle: &Triangle| {
            if edge.iter().all(|corner| triangle.vertices().contains(corner)) {
                sum += triangle.normal().unwrap_or(Vector::ZERO);
            }
        };
        if edge.iter().any(|corner| self.aabb.contains_local_point(*corner)) {
            // Whatever has this corner touches the box.
            self.triangles.iter().for_each(|near| add(&near.triangle));
        } else {
            with_probe(|probe| {
                probe.for_each_face_in_obb(self.tree, &around(edge), |face| {
                    if let Some(triangle) = self.tree.triangle(face) {
                        add(&narrow_triangle(&triangle));
                    }
                    ControlFlow::Continue(())
                });
            });
        }
        sum
    }
}

/// A thin box around an edge.
fn around(edge: [Vector; 2]) -> Obb {
    let [from, to] = edge.map(widen);
    let along = (to - from).normalize();
    let beside = along.cross(&Vector3::ith(along.iamin(), 1.0)).normalize();
    let margin = EDGE_BOX * (from.coords.amax() + to.coords.amax());
    Obb {
        center: nalgebra::center(&from, &to),
        axes: Matrix3::from_columns(&[along, beside, along.cross(&beside)]),
        half_extents: Vector3::new((to - from).norm() * 0.5, 0.0, 0.0).add_scalar(margin),
    }
}

/// A triangle in parry3d's type, without rounding: vertices of trees are of f32.
pub(crate) fn narrow_triangle(triangle: &triangle::Triangle) -> Triangle {
    let [a, b, c] = triangle.vertices.map(|vertex| narrow(&vertex));
    Triangle { a, b, c }
}
