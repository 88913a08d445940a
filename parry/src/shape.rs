//! A tree as a shape of parry3d.

use std::sync::{Arc, OnceLock};

use bvtree::probe::Ray as TreeRay;
use bvtree::response::MassProperties as SolidProperties;
use bvtree::{BvTree, Mesh};
use nalgebra::Point3;
use parry3d::bounding_volume::{Aabb, BoundingSphere};
use parry3d::mass_properties::MassProperties;
use parry3d::math::{Matrix, Pose, Vector};
use parry3d::query::{PointProjection, PointQuery, Ray, RayCast, RayIntersection};
use parry3d::shape::{FeatureId, Shape, ShapeType, SubShapeId, Triangle, TypedShape};
use thiserror::Error;

use crate::InternalEdges;
use crate::normals::narrow_triangle;
use crate::pair::{narrow, narrow_vector, widen, widen_vector, with_probe};
use crate::tiles::Tile;

/// A bounding-volume tree as a shape of parry3d: the surface that its mesh's triangles form.
///
/// Clones share the tree. parry3d queries the shape alone through the traits [`RayCast`] and [`PointQuery`], and the
/// shape with another one through a [`TreeDispatcher`](crate::TreeDispatcher).
#[derive(Clone, Debug)]
pub struct TreeShape {
    tree: Arc<BvTree>,
    edges: InternalEdges,
    /// The mass properties of the enclosed solid at density 1, computed when they are first needed.
    solid: Arc<OnceLock<Option<SolidProperties>>>,
    tile: Option<Arc<Tile>>,
}

/// The error for a tree without triangles, which cannot be a shape of parry3d.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the tree has no triangles; a shape of parry3d needs one")]
pub struct EmptyTreeError;

impl TreeShape {
    /// The shape of a tree, with [`InternalEdges::TwoSided`].
    ///
    /// # Errors
    /// If the tree has no triangles.
    pub fn new(tree: impl Into<Arc<BvTree>>) -> Result<Self, EmptyTreeError> {
        let tree = tree.into();
        if tree.triangle_count() == 0 {
            return Err(EmptyTreeError);
        }
        Ok(Self { tree, edges: InternalEdges::default(), solid: Arc::default(), tile: None })
    }

    /// The same shape with another correction of contact normals.
    #[must_use]
    pub fn with_internal_edges(self, edges: InternalEdges) -> Self {
        Self { edges, ..self }
    }

    pub(crate) fn with_tile(self, tile: Arc<Tile>) -> Self {
        Self { tile: Some(tile), ..self }
    }

    /// The shape's place among the tiles that it belongs to, if any.
    pub(crate) fn tile(&self) -> Option<&Tile> {
        self.tile.as_deref()
    }

    /// The tree.
    pub fn tree(&self) -> &Arc<BvTree> {
        &self.tree
    }

    /// The correction of contact normals.
    pub fn internal_edges(&self) -> InternalEdges {
        self.edges
    }

    /// The triangle with a face number, as parry3d's type and without rounding; `None` if there is no such triangle.
    pub fn triangle(&self, face: SubShapeId) -> Option<Triangle> {
        Some(narrow_triangle(&self.tree.triangle(face)?))
    }

    /// The shape of the mesh with its coordinates multiplied by `scale`: a new tree, built with the same options, which
    /// is not a tile. For a scale of 1 it is a clone. `None` if coordinates overflow.
    pub fn scaled(&self, scale: Vector) -> Option<Self> {
        if scale == Vector::ONE {
            return Some(self.clone());
        }
        let mesh = self.tree.to_mesh().ok()?;
        let scaled = |v: &Point3<f32>| Point3::new(v.x * scale.x, v.y * scale.y, v.z * scale.z);
        let mut triangles = mesh.triangles().to_vec();
        if scale.x * scale.y * scale.z < 0.0 {
            // A mirrored mesh would be inside out.
            triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
        }
        let scaled = Mesh::from_arrays(mesh.vertices().iter().map(scaled).collect(), triangles).ok()?;
        let tree = BvTree::build(&scaled, self.tree.options()).ok()?;
        Some(Self::new(tree).ok()?.with_internal_edges(self.edges))
    }
}

impl Shape for TreeShape {
    fn compute_local_aabb(&self) -> Aabb {
        (*self.tree.bounds()).into()
    }

    fn compute_local_bounding_sphere(&self) -> BoundingSphere {
        self.compute_local_aabb().bounding_sphere()
    }

    fn clone_dyn(&self) -> Box<dyn Shape> {
        Box::new(self.clone())
    }

    /// See [`TreeShape::scaled`].
    fn scale_dyn(&self, scale: Vector, _: u32) -> Option<Box<dyn Shape>> {
        Some(Box::new(self.scaled(scale)?))
    }

    /// The mass properties of the solid that a closed, oriented mesh encloses; zero for any other mesh. The first call
    /// takes O(n log n) time; with a density of zero, which suits a level that never moves, nothing is computed and the
    /// result is zero.
    fn mass_properties(&self, density: f32) -> MassProperties {
        if density == 0.0 {
            return MassProperties::default();
        }
        let of_mesh = || SolidProperties::of(&self.tree.to_mesh().ok()?).ok();
        let Some(solid) = self.solid.get_or_init(of_mesh) else { return MassProperties::default() };
        let inertia = solid.inertia.cast::<f32>() * density;
        let [x, y, z] = [0, 1, 2].map(|k| inertia.column(k).into_owned()).map(|v| Vector::new(v.x, v.y, v.z));
        let mass = solid.volume as f32 * density;
        MassProperties::with_inertia_matrix(narrow(&solid.center), mass, Matrix::from_cols(x, y, z))
    }

    fn shape_type(&self) -> ShapeType {
        ShapeType::Custom
    }

    fn as_typed_shape(&self) -> TypedShape<'_> {
        TypedShape::Custom(self)
    }

    /// Zero, as for a `TriMesh`.
    fn ccd_thickness(&self) -> f32 {
        0.0
    }

    /// A quarter of pi, as for a `TriMesh`.
    fn ccd_angular_thickness(&self) -> f32 {
        std::f32::consts::FRAC_PI_4
    }

    /// The normal of the triangle `subshape`.
    fn feature_normal_at_point(&self, subshape: SubShapeId, _: FeatureId, _: Vector) -> Option<Vector> {
        self.triangle(subshape)?.normal()
    }
}

impl RayCast for TreeShape {
    /// The first hit; see [`Probe::closest_hit`](bvtree::Probe::closest_hit). The normal is on the ray's side, and the
    /// feature is `Face(0)` for a triangle's front and `Face(1)` for its back.
    fn cast_local_ray_and_get_normal(&self, ray: &Ray, max_time_of_impact: f32, _: bool) -> Option<RayIntersection> {
        let tree_ray = TreeRay::new(widen(ray.origin), widen_vector(ray.dir));
        let hit = with_probe(|probe| probe.closest_hit(&self.tree, &tree_ray, max_time_of_impact.into()))?;
        let is_front = hit.normal.dot(&tree_ray.direction) <= 0.0;
        let normal = narrow_vector(&if is_front { hit.normal } else { -hit.normal });
        let feature = FeatureId::Face(if is_front { 0 } else { 1 });
        // A triangle without area has no normal: the direction against the ray is taken.
        let normal = normal.try_normalize().unwrap_or_else(|| -ray.dir.normalize_or(Vector::Y));
        Some(RayIntersection::new(hit.time as f32, normal, feature).with_subshape(hit.face))
    }

    fn intersects_local_ray(&self, ray: &Ray, max_time_of_impact: f32) -> bool {
        let ray = TreeRay::new(widen(ray.origin), widen_vector(ray.dir));
        with_probe(|probe| probe.any_hit(&self.tree, &ray, max_time_of_impact.into()))
    }
}

/// A point counts as inside only if it is on the surface.
impl PointQuery for TreeShape {
    fn project_local_point_with_max_dist(&self, point: Vector, _: bool, max_dist: f32) -> Option<PointProjection> {
        let closest = with_probe(|probe| probe.closest_point_within(&self.tree, &widen(point), max_dist.into()))?;
        let on_surface = narrow(&closest.point);
        Some(PointProjection::new(on_surface == point, on_surface).with_subshape(closest.face))
    }

    /// The closest point; for a point that is not finite, the point itself.
    fn project_local_point(&self, point: Vector, solid: bool) -> PointProjection {
        self.project_local_point_with_max_dist(point, solid, f32::INFINITY)
            .unwrap_or_else(|| PointProjection::new(false, point))
    }

    /// The closest point, and the vertex, edge or face of its triangle on which the point lies.
    fn project_local_point_and_get_feature(&self, point: Vector) -> (PointProjection, FeatureId) {
        let projection = self.project_local_point(point, false);
        let feature = match self.triangle(projection.subshape) {
            Some(triangle) if point.is_finite() => triangle.project_local_point_and_get_feature(point).1,
            _ => FeatureId::Unknown,
        };
        (projection, feature)
    }

    fn project_point_with_max_dist(
        &self,
        pose: &Pose,
        point: Vector,
        solid: bool,
        max_dist: f32,
    ) -> Option<PointProjection> {
        let local = self.project_local_point_with_max_dist(pose.inverse_transform_point(point), solid, max_dist)?;
        Some(local.transform_by(pose))
    }
}
