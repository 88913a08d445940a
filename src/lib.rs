//! Bounding-volume trees of triangle meshes, cooked offline and queried two at a time, exact down to triangles.
//!
//! ```text
//! OBJ -> mesh -> build -> tree -> cooked file -> tree -> query (two trees + pose) -> answer
//! ```
//!
//! Volume tests only prune; triangles decide, and they decide exactly. So every kind of volume, every build option and
//! every CPU gives the same answers. Where a question leaves a choice they may differ: distances asked for with a
//! tolerance, bounds (of [`Query::within`] and [`Query::penetration`]), which of several touching triangles is named,
//! the volumes that [`Query::for_each_candidate`] reports, and the work that `stats()` counts.
//!
//! ```
//! use bvtree::{BuildOptions, BvTree, Mesh, Pose, Query};
//! use nalgebra::Vector3;
//!
//! let mesh = Mesh::load_obj("data/gear.obj")?;
//! let gear = BvTree::build(&mesh, &BuildOptions::default())?;
//! let beside = Pose::from_translation(Vector3::new(100.0, 0.0, 0.0))?;
//! let mut query = Query::new();
//! assert!(!query.intersects(&gear, &gear, &beside));
//! let distance = query.distance(&gear, &gear, &beside).ok_or("no triangles")?;
//! println!("{} apart, triangle {} of A is nearest", distance.distance, distance.faces.face_a);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where things are
//!
//! | Question | Answer |
//! |---|---|
//! | Read or make a mesh; what is odd about it? | [`Mesh`], [`mesh::MeshReport`] |
//! | Build a tree, by which rules? | [`BvTree::build`], [`BuildOptions`], [`fit`] |
//! | Save and open it, or build it straight into a file; what is in there? | [`BvTree::save`], [`BvTree::open`], [`BvTree::cook`], [`cook`] |
//! | Is the tree sound? | [`BvTree::validate`], [`BvTree::validate_against`] |
//! | Do two meshes touch, where, how far apart, one inside the other; when do they meet? | [`Query`], [`query`] |
//! | The mesh deforms: a tree that follows it without a rebuild | [`refit::DeformingTree`], [`refit`] |
//! | The same of many bodies at once; rays and points among them? | [`scene::Scene`], [`scene`] |
//! | Which triangles of one mesh intersect? | [`Query::for_each_self_pair`] |
//! | What does a ray hit, what is nearest to a point, is it inside? | [`Probe`], [`probe`] |
//! | When does a moving sphere or capsule meet a mesh, where does it touch? | [`Probe::cast`], [`Probe::for_each_contact`] |
//! | Walking over a level: walls, steps, slopes, platforms | [`Character`], [`character`] |
//! | Velocities after a collision; a mesh's mass, centre and inertia | [`response`] |
//! | Where is B, and where does it go? | [`Pose`], [`Motion`] |
//! | How tight is a tree, what do queries cost? | [`metrics`] |
//! | Tests between single boxes, spheres, capsules and so on | [`shape`] in 3D, [`shape2`] in 2D |
//! | Two single triangles | [`triangle`] |
//! | Which instructions are used? | [`SimdLevel`] |
//!
//! # Coming from another library
//!
//! | FCL, Coal | parry3d | trimesh | here |
//! |---|---|---|---|
//! | `BVHModel::addSubModel`, `endModel` | `TriMesh::new` | `trimesh.load` | [`Mesh::load_obj`], [`Mesh::from_slices`], [`BvTree::build`] |
//! | `collide`, one contact | `query::intersection_test` | `in_collision_other` | [`Query::intersects`] |
//! | `collide`, all contacts | `Bvh::leaf_pairs` and a test of one's own | `in_collision_other`, `return_data` | [`Query::for_each_pair`], [`Query::contacts`], [`Query::for_each_candidate`] |
//! | `distance` | `query::distance`, `query::closest_points` | `min_distance_other` | [`Query::distance`], [`query::DistanceTracker`] |
//! | `DistanceRequest`, a tolerance | `query::contact` with a prediction | | [`Query::within`], [`Query::for_each_within`] |
//! | `continuousCollide` | `query::cast_shapes`, `cast_shapes_nonlinear` | | [`Query::time_of_impact`] |
//! | `beginReplaceModel`, `endReplaceModel` | `Bvh::refit` | | [`refit::DeformingTree`] |
//! | `DynamicAABBTreeCollisionManager` | `Bvh`, a broad phase | `CollisionManager` | [`scene::Scene`] |
//! | | `RayCast::cast_ray` | `mesh.ray` | [`Probe::closest_hit`], [`Probe::for_each_hit`] |
//! | | `PointQuery::project_point` | `proximity.closest_point` | [`Probe::closest_point`] |
//! | | | `mesh.contains`, `signed_distance` | [`Probe::contains`], [`Probe::signed_distance`] |
//! | | `MassProperties` | `mesh.mass_properties` | [`response::MassProperties`] |
//!
//! They pose both objects in the world; here `b_to_a` is the second's pose in the first's frame: [`Pose::relative`]
//! makes it of two.
//!
//! # Frames and units
//!
//! A mesh's coordinates are f32 in whatever unit its file uses; everything is computed in f64 and answers are in that
//! unit (areas squared, volumes cubed). Of two meshes A stands still: the pose `b_to_a` takes B's points into A's
//! frame, and points in answers are in A's frame. A posed vertex is what [`Pose::transform`] returns, to the last bit,
//! and verdicts are exact for those coordinates. Triangles are closed: touching counts. [What flush contact needs of a
//! pose](Pose#flush-contact) stands there.
//!
//! Verdicts are exact if every posed coordinate is zero or of magnitude `1e-90 ..= 1e100` ([`Triangle::intersects`]).
//! Distances, and all answers of [`Probe`], need `1e-60 ..= 1e60`. Poses are not refused for their size, but by scenes
//! ([`Scene::MAX_COORDINATE`]).
//!
//! [`Triangle::intersects`]: triangle::Triangle::intersects
//! [`Scene::MAX_COORDINATE`]: scene::Scene::MAX_COORDINATE
//!
//! # Features
//!
//! On unless `default-features = false` leaves them out; what is left then also builds for `wasm32-unknown-unknown`:
//!
//! * `files`: [`BvTree::save`] and [`BvTree::cook`], with [`AtomicFile`].
//! * `mmap`: [`BvTree::open_mapped`], which opens a cooked file without a copy.
//! * `rayon`: all threads of the rayon pool are used for building, cooking, metrics and [`query::many`]. Without it the
//!   same code runs on the calling thread, with the same results.
//!
//! Off unless asked for:
//!
//! * `serde`: options, reports, shapes, poses and answers can be read and written with serde.
//! * `glam`, `mint`: [`Pose`] from their quaternions and translations, and from and to their matrices. (Their points
//!   are taken by [`Mesh::from_slices`] as they are.)
//! * `stl`, `ply`, `off`, `gltf`: [`Mesh::open`] reads these formats beside OBJ, [`mesh::MeshInstances`] the scenes of
//!   glTF.
//! * `tobj`: [`Mesh::from_tobj`], for those who have loaded their models with `tobj`.
//! * `parry`: conversions to and from parry3d's meshes, boxes and poses.

#![deny(missing_docs)]
#![deny(unsafe_code)]
#![deny(unsafe_op_in_unsafe_fn)]
#![deny(clippy::undocumented_unsafe_blocks)]

#[cfg(feature = "files")]
mod atomic_file;
pub mod builder;
pub mod character;
mod clock;
pub mod cook;
mod enum_names;
mod interop;
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

#[cfg(feature = "files")]
pub use atomic_file::AtomicFile;
pub use character::Character;
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
