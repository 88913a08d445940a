//! bvtree in [Bevy](https://bevy.org): cooked meshes as assets, and a collision scene that follows an app's transforms.
//!
//! | Plugin | What it adds |
//! |---|---|
//! | [`TreeAssetPlugin`] | [`TreeAsset`]: loading `.bvt` files, and cooking meshes when the asset processor imports them |
//! | [`CollisionPlugin`] | [`CollisionScene`], which holds a body for each [`CollisionBody`], and the [`CharacterController`] |
//! | [`CollisionPickingPlugin`] | a backend of bevy_picking (feature `picking`) |
//! | [`CollisionGizmosPlugin`] | lines around volumes and at contacts (feature `gizmos`) |
//!
//! # Scaled transforms
//!
//! Poses of bodies are rigid. A body whose `GlobalTransform` scales, shears or mirrors, by itself or by a parent, is
//! not in the scene, and [`CollisionError`] reports it, until the transform is rigid again. To scale a mesh, cook it at
//! that size: [`CookOptions::scale`].

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod asset;
mod body;
mod character;
#[cfg(feature = "gizmos")]
mod gizmos;
#[cfg(feature = "picking")]
mod picking;
mod pose;
mod scene;

pub use asset::{
    CookMesh, CookOptions, MeshLoader, SaveOptions, TreeAsset, TreeAssetError, TreeAssetPlugin, TreeLoader, TreeSaver,
};
pub use body::{CollisionBody, CollisionGeometry};
pub use character::CharacterController;
#[cfg(feature = "gizmos")]
pub use gizmos::{CollisionGizmos, CollisionGizmosPlugin, draw_volumes};
#[cfg(feature = "picking")]
pub use picking::{CollisionPickingOptions, CollisionPickingPlugin, PickedFace};
pub use scene::{CollisionError, CollisionErrorKind, CollisionPlugin, CollisionScene, CollisionSystems};

/// Compiles the README's Rust code with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
