//! Cooked bvtree meshes as shapes of parry3d and rapier3d.
//!
//! A [`TreeShape`] is a parry3d [`Shape`](parry3d::shape::Shape) around a [`bvtree::BvTree`], which may be a level that
//! was cooked offline and is opened without a build. A [`TreeDispatcher`] answers parry3d's questions about a tree and
//! another shape: contact manifolds, intersections, distances, contacts and casts. It passes pairs without a tree on to
//! parry3d's own [`DefaultQueryDispatcher`](parry3d::query::DefaultQueryDispatcher).
//!
//! In rapier3d, the narrow phase takes the dispatcher, and colliders take the shape:
//!
//! ```
//! use bvtree::{BuildOptions, BvTree, Mesh};
//! use bvtree_parry::{TreeDispatcher, TreeShape};
//! use rapier3d::prelude::*;
//!
//! let floor = [[-5.0, 0.0, -5.0], [-5.0, 0.0, 5.0], [5.0, 0.0, 5.0], [5.0, 0.0, -5.0]];
//! let mesh = Mesh::from_slices(&floor, &[[0, 1, 2], [0, 2, 3]])?;
//! // A game opens the cooked file instead: `BvTree::open("level.bvt")?`.
//! let level = TreeShape::new(BvTree::build(&mesh, &BuildOptions::default())?)?;
//!
//! let mut world = PhysicsWorld::new();
//! world.narrow_phase = NarrowPhase::with_query_dispatcher(TreeDispatcher);
//! // A level that never moves needs no mass.
//! world.insert_collider(ColliderBuilder::new(SharedShape::new(level)).density(0.0), None);
//! let above = RigidBodyBuilder::dynamic().translation(Vector::new(0.0, 1.0, 0.0));
//! let (crate_of_wood, _) = world.insert(above, ColliderBuilder::cuboid(0.25, 0.25, 0.25));
//! for _ in 0..120 {
//!     world.step();
//! }
//! assert!((world.bodies[crate_of_wood].translation().y - 0.25).abs() < 0.01);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What answers what
//!
//! | Question | Answered by |
//! |---|---|
//! | rays, points | bvtree: rays exactly, points up to a few roundings |
//! | intersection, distance, closest points, cast of a convex shape | bvtree, as [`bvtree::Probe`] promises |
//! | manifolds, penetrating contacts, `cast_shapes_nonlinear` | parry3d for each triangle that bvtree finds near |
//! | compounds, triangle meshes, height fields | the same for each part |
//! | two trees: intersection, distance, closest points | [`bvtree::Query`] |
//! | two trees: all else | as a tree and a triangle mesh |
//! | a half-space or a convex shape of your own | parry3d for each triangle in its AABB |
//!
//! A tree is a surface, as a [`TriMesh`](parry3d::shape::TriMesh) without flags is: a ball deep inside a closed mesh
//! touches nothing. Sub-shape ids are bvtree's face numbers: the triangle indices of the mesh that was cooked. A level
//! may be cut into [`Tiles`], each a collider, that are loaded and unloaded between steps.

mod casts;
mod convex;
mod dispatcher;
mod manifolds;
mod normals;
mod pair;
mod queries;
mod shape;
mod tiles;

pub use dispatcher::TreeDispatcher;
pub use normals::InternalEdges;
pub use shape::{EmptyTreeError, TreeShape};
pub use tiles::Tiles;

/// Compiles the README's Rust code with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
