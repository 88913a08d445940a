//! The component of an entity that is a body of the scene.

use std::sync::Arc;

use bevy_asset::{Assets, Handle};
use bevy_ecs::prelude::*;
use bevy_transform::components::Transform;
use bvtree::Pose;
use bvtree::scene::{Body, Geometry};
use bvtree::shape::ConvexShape;

use crate::TreeAsset;

/// The geometry of a body: a mesh or a convex shape. Any number of bodies may share a tree or a shape.
#[derive(Clone, Debug)]
pub enum CollisionGeometry {
    /// A mesh, given by its tree. The body is in the scene once the asset is loaded, and gets the new tree when the
    /// asset is reloaded.
    Tree(Handle<TreeAsset>),
    /// A convex shape.
    Shape(Arc<ConvexShape>),
}

impl From<Handle<TreeAsset>> for CollisionGeometry {
    fn from(tree: Handle<TreeAsset>) -> Self {
        Self::Tree(tree)
    }
}

impl From<Arc<ConvexShape>> for CollisionGeometry {
    fn from(shape: Arc<ConvexShape>) -> Self {
        Self::Shape(shape)
    }
}

impl From<ConvexShape> for CollisionGeometry {
    fn from(shape: ConvexShape) -> Self {
        Self::Shape(Arc::new(shape))
    }
}

/// Makes an entity a body of the [`CollisionScene`](crate::CollisionScene), at its `GlobalTransform`.
#[derive(Component, Clone, Debug)]
#[require(Transform)]
pub struct CollisionBody {
    /// The mesh or the convex shape.
    pub geometry: CollisionGeometry,
    /// Whether the body is static; see [`Body::is_static`]. A static body may be moved, too.
    pub is_static: bool,
    /// Whether the body is solid rather than a surface, which requires a closed mesh; see [`Body::is_solid`].
    pub is_solid: bool,
    /// The collision groups that the body is in, as a bit set. Bit 0 alone by default.
    pub groups: u32,
    /// The collision groups that the body is compared with, as a bit set; all by default.
    pub mask: u32,
}

impl CollisionBody {
    /// A movable body in collision group 0, compared with all groups.
    pub fn moving(geometry: impl Into<CollisionGeometry>) -> Self {
        Self { geometry: geometry.into(), is_static: false, is_solid: false, groups: 1, mask: u32::MAX }
    }

    /// A static body in collision group 0, compared with all groups.
    pub fn fixed(geometry: impl Into<CollisionGeometry>) -> Self {
        Self { is_static: true, ..Self::moving(geometry) }
    }

    /// The body of an entity; `None` while its tree is not loaded.
    pub(crate) fn body(&self, entity: Entity, pose: Pose, trees: &Assets<TreeAsset>) -> Option<Body> {
        let geometry = match &self.geometry {
            CollisionGeometry::Tree(handle) => Geometry::Tree(trees.get(handle)?.0.clone()),
            CollisionGeometry::Shape(shape) => Geometry::Shape(shape.clone()),
        };
        let Self { is_static, is_solid, groups, mask, .. } = *self;
        Some(Body { is_static, is_solid, groups, mask, user: entity.to_bits(), ..Body::moving(geometry, pose) })
    }
}
