//! Finds clashes between posed meshes with [`bvtree`]. Pairs are tested exactly, down to triangles. Rules decide which
//! bodies are compared and what counts as a clash; clashes that belong together are grouped into issues.
//!
//! | Task | Items |
//! |---|---|
//! | bodies with properties, groups and rules | [`Assembly`], [`Part`], [`rules`], [`Grid`] |
//! | find clashes, exactly and on all threads | [`for_each_clash`], [`for_each_clash_in`], [`Clash`], [`Class`] |
//! | group them into issues | [`Issues`], [`Issue`] |
//! | what a team decides, from run to run | [`Decision`], [`Status`], [`Change`], [`clash_id`] |
//! | BCF files for viewers of building models | [`bcf`] |
//!
//! Lengths are in the assembly's unit, and points are in world coordinates. `bvtree clash` and Python's `Scene.clash`
//! use this crate; the program adds files, reports and pages.

#![deny(missing_docs)]
#![deny(unsafe_code)]

mod assembly;
pub mod bcf;
mod cells;
mod clash;
mod decision;
mod error;
mod find;
mod grid;
mod id;
mod issue;
mod moved;
pub mod rules;
pub mod value;

pub use assembly::{Assembly, Part, Properties};
pub use clash::{Clash, Class};
pub use decision::{Change, Decision, Status};
pub use error::ClashError;
pub use find::{Details, for_each_clash, for_each_clash_in};
pub use grid::{Axis, Grid};
pub use id::clash_id;
pub use issue::{Issue, Issues};

/// Compiles the README's Rust code with the tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
