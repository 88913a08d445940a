//! Bounding-volume hierarchies of triangle meshes: built and saved offline, queried in pairs at run time, exact down to
//! triangles.
//!
//! A tree of axis-aligned boxes (AABB), oriented boxes (OBB), spheres or 18-DOPs encloses the triangles of a mesh
//! ([`VolumeKind`]; OBB is the default). It is built once, saved to a *cooked* file, and opened without parsing.
//! Queries about two trees find intersections, contacts, distances, penetration depths and times of impact; queries
//! about one tree cover rays, points, boxes and capsules. Volumes only prune. Triangles decide, exactly, so every kind
//! of volume, build option, SIMD level and number of threads gives the same answers. Only the following may
//! vary: distances with a tolerance, bounds ([`Query::within`], [`Query::penetration`]), which of several touching
//! triangles is reported, the candidates of [`Query::for_each_candidate`], and the work that `stats()` counts.
//!
//! ```
//! use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query};
//! use nalgebra::Vector3;
//!
//! let mesh = Mesh::load_obj("data/gear.obj")?;
//! let gear = BvTree::build(&mesh, &BuildOptions::default())?;
//! let b_to_a = Pose::from_translation(Vector3::new(100.0, 0.0, 0.0))?;
//! let mut query = Query::new();
//! assert!(!query.intersects(&gear, &gear, &b_to_a));
//! let nearest = query.distance(&gear, &gear, &b_to_a).ok_or("no triangles")?;
//! println!("{} apart, triangle {} of A is nearest", nearest.distance, nearest.faces.face_a);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! **A mesh is a surface.** A mesh that lies wholly inside another does not touch it, so [`Query::intersects`] is false
//! and [`Query::distance`] measures the distance to the nearest wall. [`Query::set_solids`] and, in a scene,
//! [`scene::Body::is_solid`] make meshes solid; [`Query::relation`] tells containment from separation.
//!
//! # Where things are
//!
//! | Task | Items |
//! |---|---|
//! | read or make a mesh, count its defects | [`Mesh`], [`mesh::MeshReport`] |
//! | build a tree | [`BvTree::build`], [`BuildOptions`], [`fit`] |
//! | save and open it, or build straight into a file | [`BvTree::save`], [`BvTree::open`], [`BvTree::cook`], [`cook`] |
//! | check a tree | [`BvTree::validate`], [`BvTree::validate_against`] |
//! | query two trees | [`Query`], [`query`] |
//! | query one tree by ray, point, box, sphere, capsule or convex shape | [`Probe`], [`probe`] |
//! | move and deform meshes | [`Pose`], [`Motion`], [`refit::DeformingTree`] |
//! | many bodies at once | [`scene::Scene`] |
//! | walk over a level, resolve collisions | [`Character`], [`response`] |
//! | measure trees and queries | [`metrics`] |
//! | single boxes, spheres, capsules, convex shapes, triangles | [`shape`], [`shape2`] in 2D, [`triangle`] |
//! | choose a CPU's instructions | [`SimdLevel`] |
//!
//! # Glossary
//!
//! | Term | Here |
//! |---|---|
//! | broad phase | inside [`scene::Scene`]: pairs of bodies with overlapping fat AABBs |
//! | clearance | [`Query::distance`], [`Query::within`], [`Query::for_each_pair_within`] |
//! | closest points | [`Query::distance`] of two meshes, [`Probe::closest_point`] of a mesh and a point |
//! | contact manifold | [`Query::contact_manifolds`]: up to four points with depth, a common normal and stable ids |
//! | continuous collision, TOI | [`Query::time_of_impact`], [`Probe::cast_capsule`] for a sphere or capsule |
//! | manifold mesh, watertight | [`mesh::MeshReport::is_edge_manifold`], [`mesh::Watertightness`]; not required |
//! | penetration depth | [`Query::penetration_depth`], an interval; [`Query::penetration_along`], along a direction |
//! | overlap depth, protrusion | [`Query::overlap_depth`]: how deep surfaces reach into the other solid |
//! | Hausdorff distance | [`Query::hausdorff_distance`], one-sided and symmetric |
//! | refit | [`refit::DeformingTree`] |
//! | SDF | [`Probe::signed_distance`] of a point; there are no distance grids |
//! | k-DOP | [`VolumeKind::KDop`]: boxes cut along 18 directions (Klosowski et al. 1998); [`shape::KDop`] is one |
//! | swept volume | not constructed: [`Query::time_of_impact`] and casts ([`Probe::cast_convex`]) ask about motions |
//! | boolean operations, mesh repair, convex decomposition | not provided |
//!
//! # Coming from another library
//!
//! | FCL, Coal | parry3d | trimesh | bvtree |
//! |---|---|---|---|
//! | `BVHModel::addSubModel`, `endModel` | `TriMesh::new` | `trimesh.load` | [`Mesh::from_slices`], [`BvTree::build`] |
//! | `collide`, one contact | `intersection_test` | `in_collision_other` | [`Query::intersects`] |
//! | `collide`, all contacts | `Bvh::leaf_pairs` | `return_data=True` | [`Query::for_each_intersecting_pair`] |
//! | `distance` | `distance`, `closest_points` | `min_distance_other` | [`Query::distance`] |
//! | `DistanceRequest` with a tolerance | `contact` with a prediction | | [`Query::within`] |
//! | `continuousCollide` | `cast_shapes`, `cast_shapes_nonlinear` | | [`Query::time_of_impact`] |
//! | `beginReplaceModel`, `endReplaceModel` | `Bvh::refit` | | [`refit::DeformingTree`] |
//! | `DynamicAABBTreeCollisionManager` | `Bvh` | `CollisionManager` | [`scene::Scene`] |
//! | | `cast_ray` | `mesh.ray` | [`Probe::closest_hit`], [`Probe::for_each_hit`] |
//! | | `project_point` | `proximity.closest_point` | [`Probe::closest_point`] |
//! | | | `mesh.contains`, `signed_distance` | [`Probe::contains`], [`Probe::signed_distance`] |
//! | | `MassProperties` | `mesh.mass_properties` | [`response::MassProperties`] |
//!
//! Those libraries take two world poses; bvtree takes B's pose in A's frame, which [`Pose::relative`] computes.
//!
//! # Frames and units
//!
//! Mesh coordinates are f32 in any unit; computations are in f64, and results have the unit of the mesh (areas squared,
//! volumes cubed). `b_to_a` maps B's coordinates into A's frame; points in results are in A's frame. A posed vertex is
//! what [`Pose::transform`] returns, to the last bit, and verdicts are exact for those coordinates. Triangles are
//! closed: touching counts as intersecting. [Flush contact](Pose#flush-contact) needs a pose that preserves the common
//! plane.
//!
//! # Numerical range
//!
//! Verdicts are exact if every posed coordinate is zero or of magnitude `1e-90 ..= 1e100`
//! ([`Triangle::intersects`](triangle::Triangle::intersects)). Distances, and all results of [`Probe`], need
//! `1e-60 ..= 1e60`. Poses have no other limit, except in scenes ([`scene::Scene::MAX_COORDINATE`]).
//!
//! # Errors
//!
//! Error messages name the file, the line or byte, what was expected and what was found. `Debug` of
//! [`mesh::MeshError`] and [`cook::CookError`] prints the message too, so `unwrap` and a `main` that returns
//! `Box<dyn Error>` show it.
//!
//! # Features
//!
//! Enabled by default; without them the crate also builds for `wasm32-unknown-unknown`:
//!
//! * `files`: [`BvTree::save`], [`BvTree::cook`], `mesh::LargeMesh` and `AtomicFile`.
//! * `mmap`: `BvTree::open_mapped` opens a cooked file without a copy.
//! * `rayon`: building, cooking, metrics and [`query::many`] use all threads of the rayon pool. Results do not change.
//!
//! Disabled by default:
//!
//! * `serde`: serialization of options, reports, shapes, poses and results.
//! * `glam`, `mint`: conversions of [`Pose`] from quaternions and translations, and from and to matrices.
//!   [`Mesh::from_slices`] takes points of both crates even without these features.
//! * `stl`, `ply`, `off`, `gltf`: formats that [`Mesh::open`] reads besides OBJ; [`mesh::MeshInstances`] reads glTF
//!   scenes.
//! * `tobj`: `Mesh::from_tobj` converts models loaded with `tobj`.
//! * `parry`: conversions to and from parry3d's meshes, boxes and poses.

#![deny(missing_docs)]
#![deny(unsafe_code)]
#![deny(unsafe_op_in_unsafe_fn)]
#![deny(clippy::undocumented_unsafe_blocks)]

pub mod builder;
pub mod character;
pub mod cook;
#[cfg(feature = "files")]
mod disk_array;
mod enum_names;
/// Conversions to and from other crates' types, each behind the Cargo feature with the module's name.
mod interop {
    #[cfg(feature = "glam")]
    mod glam;
    #[cfg(feature = "mint")]
    mod mint;
    #[cfg(feature = "parry")]
    pub mod parry;
    #[cfg(feature = "tobj")]
    mod tobj;
}
pub mod mesh;
pub mod metrics;
mod numeric;
pub mod options;
mod parallel;
pub mod pose;
pub mod probe;
pub mod query;
pub mod refit;
pub mod response;
pub mod scene;
pub mod shape;
pub mod shape2;
#[allow(unsafe_code)]
pub mod simd;
mod traversal;
pub mod tree;
pub mod triangle;
mod volume;

pub use character::Character;
#[cfg(feature = "files")]
pub use cook::AtomicFile;
pub use enum_names::UnknownName;
#[cfg(feature = "parry")]
pub use interop::parry;
pub use mesh::Mesh;
pub use options::{BuildOptions, Builder, Collapse, Preset, SplitRule};
pub use pose::{Motion, Pose};
pub use probe::Probe;
pub use query::Query;
pub use simd::SimdLevel;
pub use tree::BvTree;
pub use volume::fit;
pub use volume::{Volume, VolumeKind};

/// Compiles and runs the README's Rust code with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Compiles and runs the Rust code of the book's page on games with the tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/book/src/games.md")]
struct Games;
