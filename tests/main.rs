//! Oracles and properties of the library: a module for each family of questions, and what they share (`oracle`,
//! `cases`, `solids`, `point_sets`, `dataset_folder`).

mod atomic_file;
mod builders;
mod cases;
mod character;
mod consistency;
mod contact_manifolds;
mod contacts;
mod convex_manifolds;
mod cook;
mod data;
#[cfg(all(target_arch = "x86_64", debug_assertions))]
mod denormals;
mod distance;
mod docs;
mod fit;
#[cfg(all(feature = "stl", feature = "ply", feature = "off", feature = "gltf"))]
mod formats;
mod fuzz;
mod interop;
mod interrupt;
mod layers;
mod loose_leaves;
mod many;
mod many_paths;
mod mesh;
mod metrics;
mod model;
mod names;
mod oracle;
mod overlap_depth;
mod overlap_regions;
mod pairs;
mod penetration_depth;
mod point_sets;
mod pose;
mod probe;
mod promises;
mod public_oracle;
mod refit;
mod relation;
mod response;
mod robust_inside;
mod rotations;
mod scene;
mod self_pairs;
mod separation;
#[cfg(feature = "serde")]
mod serde;
mod shape;
mod solid_choice;
mod solids;
mod tightness;
mod time_of_impact;
mod tree;
mod triangle;
mod unsafe_code;
mod vocabulary;

use bvtree_test_support::dataset_folder;
