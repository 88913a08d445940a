//! Triangles near a shape, and the directions that their contact normals may have, which depend on the triangles at
//! their edges.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use bvtree::triangle;
use parry3d::bounding_volume::Aabb;
use parry3d::math::Vector;
use parry3d::query::details::NormalConstraints;
use parry3d::shape::{Triangle, TrianglePseudoNormals};

use crate::TreeShape;
use crate::pair::{narrow, widen, with_probe};
use crate::tiles::around;

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
    /// Normals are confined on both sides of the surface, as with parry3d's
    /// `TriMeshFlags::FIX_INTERNAL_EDGES_TWO_SIDED`. Nothing is assumed about the order of corners.
    #[default]
    TwoSided,
}

/// The half width of the box in which the triangles at an edge are sought, relative to the sum of the largest
/// coordinates of the edge's two ends: more than the rounding of the box's corners.
const EDGE_BOX: f64 = 1e-12;

/// A triangle near a shape.
#[derive(Clone)]
pub(crate) struct NearTriangle {
    pub(crate) face: u32,
    pub(crate) triangle: Triangle,
    pub(crate) aabb: Aabb,
    /// The unit normal; `None` if the triangle has no area.
    pub(crate) normal: Option<Vector>,
    /// The contact directions that the triangle allows, computed when a manifold first needs them.
    normals: OnceLock<Option<TrianglePseudoNormals>>,
}

impl NearTriangle {
    pub(crate) fn new(face: u32, triangle: Triangle) -> Self {
        Self { face, triangle, aabb: triangle.local_aabb(), normal: triangle.normal(), normals: OnceLock::new() }
    }

    /// The contact directions that the triangle allows; `None` for all directions. They equal those that parry3d's
    /// `TriMesh` computes for the same mesh with merged vertices.
    pub(crate) fn normals(&self, near: &Neighborhood<'_>) -> Option<&dyn NormalConstraints> {
        let edges = near.shape.internal_edges();
        let new = || {
            let Triangle { a, b, c } = self.triangle;
            let face = self.normal?;
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

    /// Discards the allowed directions, since other triangles are at the edges now; they are computed again when
    /// needed.
    pub(crate) fn forget_normals(&mut self) {
        self.normals = OnceLock::new();
    }
}

/// All triangles that touch a box.
pub(crate) struct Neighborhood<'a> {
    pub(crate) shape: &'a TreeShape,
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
            // All triangles that have the corner in the box touch the box, and so are known.
            self.triangles.iter().for_each(|near| add(&near.triangle));
        } else {
            let ends = edge.map(widen);
            let margin = EDGE_BOX * (ends[0].coords.amax() + ends[1].coords.amax());
            with_probe(|probe| {
                probe.for_each_face_in_obb(self.shape.tree(), &around(ends, margin), |face| {
                    if let Some(triangle) = self.shape.triangle(face) {
                        add(&triangle);
                    }
                    ControlFlow::Continue(())
                });
            });
        }
        if let Some(tile) = self.shape.tile() {
            tile.for_each_normal_at(edge, |normal| sum += normal);
        }
        sum
    }
}

/// A triangle of a tree in parry3d's type, without rounding: the vertices of trees are f32.
pub(crate) fn narrow_triangle(triangle: &triangle::Triangle) -> Triangle {
    let [a, b, c] = triangle.vertices.map(|vertex| narrow(&vertex));
    Triangle { a, b, c }
}
